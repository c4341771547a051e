//! Traces the path to single cells where the rays of their tube disagreed.

use glam::DVec3;

use super::bundle::{Bundle, TubeInteraction};
use super::cell_candidate::CellCandidate;
use super::context::Context;
use super::segment_rays::{self, BEFORE_END, group, groups_at};
use super::wall::Wall;
use crate::geometry::bvh::{Hit, Ray};
use crate::paths::InteractionKind;
use crate::scene::FaceId;

/// Keeps the cells to whose centres the path by the walls of a bundle leads, as far as that is doubtful.
///
/// Segment by segment from the centre back to the transmitter: from where a segment begins, its end must be seen. Candidates on a wall
/// name it, and the path must meet it before any other.
pub(super) fn retain_reached(
    ctx: &Context<'_>,
    bundle: &Bundle,
    on_wall: Option<FaceId>,
    candidates: &mut Vec<CellCandidate>,
) {
    let at_end = on_wall.map(|face| TubeInteraction::Wall {
        kind: InteractionKind::Scattering,
        face,
    });
    let is_asked = |candidate: &CellCandidate, segment: usize| {
        ctx.fineness.is_thorough || candidate.uncertain.is_at(segment)
    };
    let mut rays = Vec::new();
    let mut hits: Vec<Option<Hit>> = Vec::new();
    let mut ways: Vec<Way> = candidates
        .iter()
        .map(|candidate| Way {
            end: candidate.centre,
            image: bundle.source.locate(candidate.centre).origin,
        })
        .collect();
    for segment in (0..=bundle.interactions.len()).rev() {
        let before = segment.checked_sub(1).map(|wall| bundle.interactions[wall]);
        let behind = bundle.interactions.get(segment).copied().or(at_end);
        let starts: Vec<DVec3> = ways
            .iter()
            .map(|way| segment_start(ctx, before, way))
            .collect();
        let asked = candidates.iter().zip(&ways).zip(&starts);
        rays.clear();
        rays.extend(
            asked
                .filter(|((candidate, _), _)| is_asked(candidate, segment))
                .map(|((_, way), start)| segment_ray(ctx, before, behind, *start, way.end)),
        );
        hits.clear();
        hits.resize(rays.len(), None);
        ctx.scene.index().closest_hits(&rays, &mut hits);
        let expected = match behind {
            Some(TubeInteraction::Wall { face, .. }) => Some(Wall::of(ctx.scene, face)),
            Some(TubeInteraction::Edge(_)) | None => None,
        };
        let from_plane = match before {
            Some(TubeInteraction::Wall { face, .. }) => Some(ctx.scene.plane_of(face)),
            Some(TubeInteraction::Edge(_)) | None => None,
        };
        let mut found = hits.iter().map(|hit| {
            if matches!(behind, Some(TubeInteraction::Edge(_))) {
                return segment_rays::ends_at(ctx.scene, from_plane, *hit);
            }
            let face = hit.map(|hit| ctx.scene.triangle_faces()[hit.triangle as usize]);
            face.map(|face| Wall::of(ctx.scene, face)) == expected
        });
        // What ends on the wrong side of the wall that it leaves never was there.
        let is_beyond = |way: &Way| {
            from_plane.is_none_or(|plane| {
                let plane = ctx.scene.plane(plane);
                plane.distance(way.end) * plane.distance(way.image) < 0.0
            })
        };
        let passes: Vec<bool> = candidates
            .iter()
            .zip(&ways)
            .map(|(c, way)| {
                let mut is_free = || found.next().is_some_and(|is_right| is_right);
                !is_asked(c, segment) || (is_free() && is_beyond(way))
            })
            .collect();
        for (way, start) in ways.iter_mut().zip(starts) {
            way.end = start;
            way.image = match before {
                Some(TubeInteraction::Wall {
                    kind: InteractionKind::Reflection,
                    face,
                }) => ctx.scene.plane(ctx.scene.plane_of(face)).mirror(way.image),
                Some(TubeInteraction::Edge(_)) => bundle.source.position(),
                Some(TubeInteraction::Wall { .. }) | None => way.image,
            };
        }
        keep(candidates, &passes);
        keep(&mut ways, &passes);
    }
}

/// Where a piece of a path begins.
fn segment_start(ctx: &Context<'_>, before: Option<TubeInteraction>, way: &Way) -> DVec3 {
    match before {
        None | Some(TubeInteraction::Edge(_)) => way.image,
        Some(TubeInteraction::Wall { face, .. }) => {
            let plane = ctx.scene.plane(ctx.scene.plane_of(face));
            plane.between(way.end, way.image)
        }
    }
}

/// The ray that meets the wall behind a piece, or nothing if it ends at an edge or a cell, if the path is free.
fn segment_ray(
    ctx: &Context<'_>,
    before: Option<TubeInteraction>,
    behind: Option<TubeInteraction>,
    start: DVec3,
    end: DVec3,
) -> Ray {
    let local = |point: DVec3| (point - ctx.scene.origin()).as_vec3();
    let groups = |interaction: Option<TubeInteraction>| match interaction {
        None => [Ray::NO_GROUP; 2],
        Some(TubeInteraction::Wall { face, .. }) => {
            [group(ctx.scene.plane_of(face)), Ray::NO_GROUP]
        }
        Some(TubeInteraction::Edge(edge)) => groups_at(ctx.scene, edge),
    };
    let ahead = Ray::between(local(start), local(end)).skipping(groups(before));
    match behind {
        None => ahead,
        Some(TubeInteraction::Wall { .. }) => Ray {
            t_max: f32::INFINITY,
            ..ahead
        },
        // From the edge, whose faces are two, back to the one plane before.
        Some(TubeInteraction::Edge(_)) => Ray {
            t_max: BEFORE_END,
            ..Ray::between(local(end), local(start)).skipping(groups(behind))
        },
    }
}

/// What is left of a path, unfolded.
#[derive(Debug, Clone, Copy)]
struct Way {
    end: DVec3,
    /// Where its last piece comes from, in a straight line.
    image: DVec3,
}

/// Keeps the items that pass.
fn keep<T>(items: &mut Vec<T>, passes: &[bool]) {
    let mut passes = passes.iter();
    items.retain(|_| passes.next().is_some_and(|passes| *passes));
}
