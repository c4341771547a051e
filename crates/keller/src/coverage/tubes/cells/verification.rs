//! Traces the path to single cells where the rays of their tube disagreed.
//!
//! The path to the centre of a cell by the interactions of a bundle is unfolded from the cell back to the Tx, segment
//! by segment. On each uncertain segment, one ray shows whether it meets the expected wall, or nothing. With the
//! accuracy `exact`, all segments of such a path are traced.
//!
//! Cost: one ray for each candidate and uncertain segment; candidates are traced together.

use glam::DVec3;

use super::cell_candidate::CellCandidate;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tables::wall::Wall;
use crate::coverage::tubes::tube::bundle::{Bundle, TubeInteraction};
use crate::coverage::tubes::tube::segment_rays::{self, BEFORE_END, group, groups_at};
use crate::field::FaceInteraction;
use crate::geometry::bvh::{Hit, Ray};
use crate::scene::{EdgeId, FaceId};

/// Keeps the candidates that the path by the interactions of a bundle reaches, as far as that is uncertain. A candidate
/// that lies on a wall names a face of the wall: the path must then meet this wall first.
pub(in crate::coverage::tubes) fn retain_reached(
    ctx: &Context<'_>,
    bundle: &Bundle,
    on_wall: Option<FaceId>,
    candidates: &mut Vec<CellCandidate>,
) {
    let is_asked = |candidate: &CellCandidate, segment: usize| {
        ctx.fineness.is_thorough || candidate.uncertain.contains(segment)
    };
    let mut rays = Vec::new();
    let mut hits: Vec<Option<Hit>> = Vec::new();
    let mut paths: Vec<RemainingPath> = candidates
        .iter()
        .map(|candidate| RemainingPath {
            end: candidate.centre,
            image: bundle.source.locate(candidate.centre).origin,
        })
        .collect();
    let mut light = bundle.source.light();
    for segment in (0..=bundle.interactions.len()).rev() {
        let before = segment.checked_sub(1).map(|wall| bundle.interactions[wall]);
        let behind = match bundle.interactions.get(segment) {
            Some(&TubeInteraction::Wall { face, .. }) => SegmentEnd::Wall(face),
            Some(&TubeInteraction::Edge(edge)) => SegmentEnd::Edge(edge),
            None => on_wall.map_or(SegmentEnd::Cell, SegmentEnd::Wall),
        };
        let starts: Vec<DVec3> = paths
            .iter()
            .map(|path| segment_start(ctx, before, path))
            .collect();
        let asked = candidates.iter().zip(&paths).zip(&starts);
        rays.clear();
        rays.extend(
            asked
                .filter(|((candidate, _), _)| is_asked(candidate, segment))
                .map(|((_, path), start)| segment_ray(ctx, before, behind, *start, path.end)),
        );
        hits.clear();
        hits.resize(rays.len(), None);
        ctx.scene.index().closest_hits(&rays, &mut hits);
        let expected = match behind {
            SegmentEnd::Wall(face) => Some(Wall::of(ctx.scene, face)),
            SegmentEnd::Edge(_) | SegmentEnd::Cell => None,
        };
        let from_plane = match before {
            Some(TubeInteraction::Wall { face, .. }) => Some(ctx.scene.plane_of(face)),
            Some(TubeInteraction::Edge(_)) | None => None,
        };
        let mut found = hits.iter().map(|hit| {
            if matches!(behind, SegmentEnd::Edge(_)) {
                return segment_rays::ends_at(ctx.scene, from_plane, *hit);
            }
            let face = hit.map(|hit| ctx.scene.triangle_faces()[hit.triangle as usize]);
            face.map(|face| Wall::of(ctx.scene, face)) == expected
        });
        // The image lies behind the plane at which the segment starts, so the segment must end in front of it.
        let is_beyond = |path: &RemainingPath| {
            from_plane.is_none_or(|plane| {
                let plane = ctx.scene.plane(plane);
                plane.distance(path.end) * plane.distance(path.image) < 0.0
            })
        };
        let passes: Vec<bool> = candidates
            .iter()
            .zip(&paths)
            .map(|(c, path)| {
                let mut is_free = || found.next().is_some_and(|is_right| is_right);
                !is_asked(c, segment) || (is_free() && is_beyond(path))
            })
            .collect();
        if matches!(before, Some(TubeInteraction::Edge(_))) {
            light = light.before().clone();
        }
        for (path, start) in paths.iter_mut().zip(starts) {
            path.end = start;
            path.image = match before {
                Some(TubeInteraction::Wall {
                    kind: FaceInteraction::Reflection,
                    face,
                }) => ctx.scene.plane(ctx.scene.plane_of(face)).mirror(path.image),
                Some(TubeInteraction::Edge(_)) => light.origin(start),
                Some(TubeInteraction::Wall { .. }) | None => path.image,
            };
        }
        keep(candidates, &passes);
        keep(&mut paths, &passes);
    }
}

/// The start point of a segment.
fn segment_start(
    ctx: &Context<'_>,
    before: Option<TubeInteraction>,
    path: &RemainingPath,
) -> DVec3 {
    match before {
        None | Some(TubeInteraction::Edge(_)) => path.image,
        Some(TubeInteraction::Wall { face, .. }) => {
            let plane = ctx.scene.plane(ctx.scene.plane_of(face));
            plane.between(path.end, path.image)
        }
    }
}

/// The ray that shows whether a segment is free: it must meet the wall at the end of the segment, or nothing if that
/// end is an edge or a cell.
fn segment_ray(
    ctx: &Context<'_>,
    before: Option<TubeInteraction>,
    behind: SegmentEnd,
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
        SegmentEnd::Cell => ahead,
        SegmentEnd::Wall(_) => Ray {
            t_max: f32::INFINITY,
            ..ahead
        },
        // Backwards, because two faces meet at the edge and only one plane lies at the start.
        SegmentEnd::Edge(edge) => Ray {
            t_max: BEFORE_END,
            ..Ray::between(local(end), local(start)).skipping(groups_at(ctx.scene, edge))
        },
    }
}

/// The end of a segment of a path.
#[derive(Debug, Clone, Copy)]
enum SegmentEnd {
    /// A cell in the open.
    Cell,
    /// A wall, or a cell on one.
    Wall(FaceId),
    Edge(EdgeId),
}

/// The part of a path that is still to be traced.
#[derive(Debug, Clone, Copy)]
struct RemainingPath {
    end: DVec3,
    /// The image from which its last segment comes in a straight line.
    image: DVec3,
}

/// Keeps the items that pass.
fn keep<T>(items: &mut Vec<T>, passes: &[bool]) {
    let mut passes = passes.iter();
    items.retain(|_| passes.next().is_some_and(|passes| *passes));
}
