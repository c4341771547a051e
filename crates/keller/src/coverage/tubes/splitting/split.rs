//! Splits the tubes of a bundle until the field of one ray represents each tube.
//!
//! A tube is split into quarters while it is wider at its end than [`tube_width`] allows. Where its rays meet different
//! planes, it is cut along the straight boundary between these planes, if there is one (`boundary_cuts`), and otherwise
//! split further. A small tube that is still undecided becomes a leaf that several walls may follow. Its cells of the
//! region then need rays of their own.
//!
//! All tubes of a bundle are split in rounds: one call of the ray index traces the rays of a round, and corners that
//! tubes share are traced once. Cost: some two rays for each tube of every round.
//!
//! **May miss** walls that lie between all rays of a tube and hide or reflect only a part of it.

use super::adjacent_walls::add_adjacent_walls;
use super::boundary_cuts;
use super::cell_sizes::SizedEnd;
use super::ladder::Splitting;
use super::passing_by::passes_by;
use super::ray_cache::{RayCache, RayHit};
use super::ray_reach::{farthest, farthest_to_cells, is_one_plane, reach};
use super::tube_width;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::interactions::interaction_budget::{
    is_last, may_diffract, may_scatter, wall_interactions,
};
use crate::coverage::tubes::tables::wall::Wall;
use crate::coverage::tubes::tube::bundle::{Bundle, Tube};
use crate::coverage::tubes::tube::clipped_cell::ClippedCell;
use crate::coverage::tubes::tube::direction_cells::DEEPEST;
use crate::coverage::tubes::tube::leaf::Leaf;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::coverage::tubes::waves::transport::{self, NO_RANGE};
use crate::scene::FaceId;

/// The gain of a tube from an edge is not yet that of its centre ray. Cells are searched as far as it may reach with this
/// factor.
const SAFETY: f64 = 2.0;

/// The next step of splitting for a tube.
#[expect(clippy::large_enum_variant, reason = "looked at where it is made")]
enum Fate {
    /// The tube is not split any more.
    Leaf,
    /// The tube is not split any more, and follows its centre ray.
    NarrowLeaf,
    Quarters,
    /// Both sides of a cut.
    Cut([ClippedCell; 2]),
    /// The tube fans out from a point where two edges all but touch, and is left out.
    Nothing,
}

/// The rays of a tube differ from its centre ray by less than the angle with this cosine.
const SPREAD: f64 = 0.5;

/// Tubes that fan out more than [`SPREAD`] are split so often beyond the deepest level of others.
const MORE_SPLITS: u32 = 4;

/// The tubes of a bundle, split until their rays agree and they are narrow enough. `rays` only lends its memory.
pub(super) fn split(ctx: &Context<'_>, bundle: &Bundle, rays: &mut RayCache) -> Vec<Leaf> {
    rays.clear();
    let mut leaves = Vec::with_capacity(bundle.tubes.len());
    let mut hits = Vec::new();
    let mut split = Vec::new();
    let mut tubes: &[Tube] = &bundle.tubes;
    let mut held;
    let goes_on = !wall_interactions(ctx.limits, bundle).is_empty();
    let diffracts = may_diffract(ctx.limits, bundle);
    let start = bundle.start.map(|plane| ctx.scene.plane(plane));
    let may_end = bundle.counts.diffractions > 0 && !may_scatter(ctx.limits, bundle);
    while !tubes.is_empty() {
        rays.trace(ctx, bundle, tubes);
        for tube in tubes {
            let width = rays.next(ctx, bundle, tube, &mut hits);
            let part = |directions| Tube {
                directions,
                wave: None,
                ..*tube
            };
            let fate = fate(ctx, bundle, tube, &hits, width);
            let meets_any = hits.iter().any(|hit| hit.face.is_some());
            let is_end = may_end && !(goes_on && meets_any);
            match fate {
                Fate::Leaf | Fate::NarrowLeaf
                    if is_end
                        && !(diffracts && meets_any)
                        && passes_by(ctx, &bundle.source, start, tube.directions.cell) => {}
                Fate::Leaf => {
                    let mut leaf = leaf(ctx, bundle, tube, &hits, is_end);
                    if tube.directions.cell.level() >= bundle.deepest {
                        // The leaf may be wide.
                        #[expect(clippy::cast_possible_truncation, reason = "metres")]
                        leaf.make_uncertain(farthest(ctx, &hits) as f32);
                    }
                    if goes_on {
                        add_adjacent_walls(ctx, bundle, &mut leaf, &hits);
                    }
                    leaves.push(leaf);
                }
                Fate::NarrowLeaf => {
                    let mut leaf = leaf(ctx, bundle, tube, &hits, is_end);
                    leaf.follows_centre_ray = true;
                    leaves.push(leaf);
                }
                Fate::Nothing => {}
                Fate::Quarters => split.extend(tube.directions.quarters().map(part)),
                Fate::Cut(sides) => split.extend(sides.map(part)),
            }
        }
        held = std::mem::take(&mut split);
        tubes = &held;
    }
    leaves
}

/// `is_end` says that no wall follows.
fn leaf(ctx: &Context<'_>, bundle: &Bundle, tube: &Tube, hits: &[RayHit], is_end: bool) -> Leaf {
    let some = |(wave, path_gain)| (Some(wave), path_gain);
    let (wave, path_gain) = match (tube.wave, &bundle.source) {
        (Some(wave), VirtualSource::Point(_)) => (Some(wave), tube.path_gain),
        (None, VirtualSource::Point(_)) => {
            some(transport::wave(ctx, bundle, &tube.directions, NO_RANGE))
        }
        (_, VirtualSource::Edge(_)) if is_end => (None, tube.path_gain.times(SAFETY)),
        (_, VirtualSource::Edge(_)) if is_weak_at_walls(ctx, bundle, tube, hits) => {
            (None, tube.path_gain)
        }
        (_, VirtualSource::Edge(_)) => {
            let far = farthest(ctx, hits);
            let start = bundle.start.map(|plane| ctx.scene.plane(plane));
            let near = start.map_or(0.0, |plane| hits[0].line.meets(plane));
            some(transport::wave(ctx, bundle, &tube.directions, [near, far]))
        }
    };
    let is_clear = ctx.ladder.follows_centre_ray() || is_one_plane(ctx.scene, hits);
    let mut leaf = Leaf::new(tube, path_gain, wave, is_clear);
    leaf.follows_centre_ray = ctx.ladder.has_pierced_cells();
    let num_distinguished = if is_clear { 1 } else { hits.len() };
    let wall = |face: Option<FaceId>| face.map(|face| Wall::of(ctx.scene, face));
    for hit in &hits[..num_distinguished] {
        #[expect(clippy::cast_possible_truncation, reason = "metres")]
        let reach = reach(ctx, hit) as f32;
        leaf.add_or_extend(hit.face, reach, |known| wall(known) == wall(hit.face));
    }
    leaf
}

/// The next step of splitting for a tube whose rays have these hits, and which is `angle` wide, radians.
fn fate(ctx: &Context<'_>, bundle: &Bundle, tube: &Tube, hits: &[RayHit], angle: f64) -> Fate {
    let (end, is_alone) = match ctx.ladder.splitting {
        Splitting::Adaptive if is_last(ctx.limits, bundle) => {
            let cell = tube.directions.cell;
            (farthest_to_cells(ctx, bundle, cell, hits), false)
        }
        Splitting::Adaptive => (farthest(ctx, hits), false),
        Splitting::BehindMiddle => (reach(ctx, &hits[0]), true),
        Splitting::Fixed { .. } => return Fate::Leaf,
    };
    // The width of a tube does not matter where it is too weak to count.
    let end = end.min(tube.path_gain.reach(ctx.min_gain));
    let cell = tube.directions.cell;
    if bundle.counts.diffractions > 1 && fans_out(hits) {
        return if cell.level() < (bundle.deepest + MORE_SPLITS).min(DEEPEST) {
            Fate::Quarters
        } else {
            Fate::Nothing
        };
    }
    let width = |distance| bundle.source.width(cell, distance);
    let rays = hits.iter().map(|hit| hit.line);
    let ends = ctx.sizes.ends(&rays, end, width);
    let is_too_wide = |allowed| {
        let is_wider = |at: &SizedEnd| width(at.distance) > allowed * at.cell_size;
        cell.level() < bundle.deepest && ends.iter().any(is_wider)
    };
    if is_too_wide(tube_width::clear(ctx, cell, &tube.path_gain, end)) {
        Fate::Quarters
    } else if is_alone {
        Fate::Leaf
    } else if is_one_plane(ctx.scene, hits) {
        let sides = boundary_cuts::cut_between(ctx, bundle, &tube.directions, hits);
        sides.map_or(Fate::Leaf, Fate::Cut)
    } else if tube_width::may_stay_undivided(ctx, bundle, &tube.path_gain, angle, &ends) {
        Fate::NarrowLeaf
    } else if let Some(sides) = boundary_cuts::best_cut(ctx, bundle, &tube.directions, hits) {
        Fate::Cut(sides)
    } else if is_too_wide(tube_width::divided(ctx, &tube.path_gain, end)) {
        Fate::Quarters
    } else {
        Fate::Leaf
    }
}

/// Whether the rays of a tube go in very different directions.
fn fans_out(hits: &[RayHit]) -> bool {
    let along = |hit: &RayHit| hit.line.direction.normalize_or_zero();
    let centre = along(&hits[0]);
    hits.iter().any(|hit| along(hit).dot(centre) < SPREAD)
}

/// Whether a tube behind several edges is too weak at all walls that its rays meet. Its wave would cost more than all else.
fn is_weak_at_walls(ctx: &Context<'_>, bundle: &Bundle, tube: &Tube, hits: &[RayHit]) -> bool {
    let at_wall = |hit: &RayHit| tube.path_gain.at(reach(ctx, hit)) >= ctx.min_gain;
    let mut walls = hits.iter().filter(|hit| hit.face.is_some());
    bundle.counts.diffractions > 1 && !walls.any(at_wall)
}
