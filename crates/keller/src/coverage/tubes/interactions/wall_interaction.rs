//! The bundles that leave a wall, reflected or transmitted.
//!
//! Leaves are gathered by the walls that they come to. The tubes of one wall become one bundle for each kind of
//! interaction: reflected tubes keep their directions and get an image as their source, transmitted ones keep the
//! source too. Tubes that have become too weak end.
//!
//! Cost: sorting the leaves.

use super::interaction_budget::{goes_straight_on, wall_interactions};
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::splitting::passing_by::passes_by;
use crate::coverage::tubes::splitting::tube_width;
use crate::coverage::tubes::tables::wall::Wall;
use crate::coverage::tubes::tube::bundle::{Bundle, Tube, TubeInteraction};
use crate::coverage::tubes::tube::leaf::{Leaf, RayEnd};
use crate::coverage::tubes::tube::quarter_merge::{MergedTube, QuarterMerger};
use crate::coverage::tubes::tube::uncertain_segments::UncertainSegments;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::coverage::tubes::waves::transport;
use crate::field::FaceInteraction;
use crate::scene::FaceId;

/// A leaf at one of the walls that it reaches.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct WallArrival {
    pub(in crate::coverage::tubes) wall: Wall,
    face: FaceId,
    /// The number of the leaf.
    leaf: u32,
    /// Distance of the wall from the source, metres.
    distance: f64,
    uncertain: UncertainSegments,
}

/// The leaves at the walls where an interaction is possible, sorted by wall and then by the place of their directions.
pub(in crate::coverage::tubes) fn arrivals(
    ctx: &Context<'_>,
    bundle: &Bundle,
    leaves: &[Leaf],
) -> Vec<WallArrival> {
    let mut arrivals = Vec::with_capacity(leaves.len());
    if wall_interactions(ctx.limits, bundle).is_empty() {
        return arrivals;
    }
    let (_, after_edge) = bundle.interactions_around_edge();
    let num_before = bundle.interactions.len() - after_edge.len();
    let first_segment = if bundle.counts.diffractions > 0 {
        num_before + 1
    } else {
        0
    };
    for (index, leaf) in (0..).zip(leaves) {
        let uncertain = leaf.uncertain_within(bundle);
        // The border of a reflecting plane inside a tube casts a shadow that is many cells wide far away. So the tube
        // follows all walls that its rays meet. By default it does so only once, because every further border
        // multiplies the tubes.
        let follows_all = ctx.fineness.is_thorough || leaf.uncertain.is_none_from(first_segment);
        let is_alone = leaf.is_clear || leaf.follows_centre_ray || !follows_all;
        let num_walls = if is_alone { 1 } else { leaf.ray_ends().len() };
        for &RayEnd { face, reach } in &leaf.ray_ends()[..num_walls] {
            let Some(face) = face else {
                continue;
            };
            let distance = f64::from(reach);
            if leaf.path_gain.at(distance) >= ctx.min_gain {
                arrivals.push(WallArrival {
                    wall: Wall::of(ctx.scene, face),
                    face,
                    leaf: index,
                    distance,
                    uncertain,
                });
            }
        }
    }
    arrivals.sort_by_cached_key(|a| (a.wall, leaves[a.leaf as usize].directions.cell.place()));
    arrivals
}

/// The bundles that leave a wall, with those tubes that are still strong enough. All of `arrivals` are at this wall.
pub(in crate::coverage::tubes) fn bundles_beyond(
    ctx: &Context<'_>,
    bundle: &Bundle,
    leaves: &[Leaf],
    arrivals: &[WallArrival],
) -> Vec<Bundle> {
    let WallArrival { wall, face, .. } = arrivals[0];
    let surface = ctx.walls.world.surfaces().surface(wall.material);
    let normal = ctx.scene.face_normal(face);
    let mut kinds = wall_interactions(ctx.limits, bundle);
    if surface.is_opaque() {
        kinds.retain(|kind| *kind == FaceInteraction::Reflection);
    }
    let mut mergers: Vec<QuarterMerger> = kinds
        .iter()
        .map(|_| QuarterMerger::with_capacity(arrivals.len()))
        .collect();
    let may_join = ctx.ladder.joins_quarters();
    let plane = ctx.scene.plane(wall.plane);
    let sources = kinds.iter().map(|kind| match kind {
        FaceInteraction::Reflection => bundle.source.clone().mirrored(plane),
        FaceInteraction::Transmission => bundle.source.clone(),
    });
    let beyond = |(&kind, source): (&FaceInteraction, VirtualSource)| {
        let mut beyond = bundle.without_tubes();
        beyond.push(TubeInteraction::Wall { kind, face });
        Bundle {
            source,
            start: Some(wall.plane),
            ..beyond
        }
    };
    let mut bundles: Vec<Bundle> = kinds.iter().zip(sources).map(beyond).collect();
    // Whether each bundle can only go straight on.
    let last: Vec<bool> = bundles
        .iter()
        .map(|bundle| goes_straight_on(ctx.limits, bundle))
        .collect();
    let is_narrow = |merged: &MergedTube| {
        let &MergedTube { tube, distance } = merged;
        let cell = tube.directions.cell;
        let width = bundle.source.width(cell, distance);
        let allowed = tube_width::clear(ctx, cell, &tube.path_gain, distance);
        let [centre, ..] = cell.corners();
        let line = bundle.source.ray(centre);
        let place = line.at(distance / line.direction.length());
        may_join && width <= allowed * ctx.sizes.at(place)
    };
    for arrival in arrivals {
        let leaf = &leaves[arrival.leaf as usize];
        let Some(wave) = leaf.wave else {
            continue;
        };
        let power = transport::power(ctx, &wave);
        let waves = wave.beyond(&kinds, normal, surface);
        for (((wave, merger), bundle), last) in waves.zip(&mut mergers).zip(&bundles).zip(&last) {
            if *last && passes_by(ctx, &bundle.source, Some(plane), leaf.directions.cell) {
                continue;
            }
            let path_gain = leaf.path_gain.times(transport::power(ctx, &wave) / power);
            if path_gain.at(arrival.distance) >= ctx.min_gain {
                let tube = Tube {
                    directions: leaf.directions,
                    uncertain: arrival.uncertain,
                    path_gain,
                    wave: Some(wave),
                };
                let distance = arrival.distance;
                merger.push(&MergedTube { tube, distance }, is_narrow);
            }
        }
    }
    for (bundle, merger) in bundles.iter_mut().zip(mergers) {
        bundle.tubes = merger.into_tubes(is_narrow);
    }
    bundles.retain(|bundle| !bundle.tubes.is_empty());
    bundles
}
