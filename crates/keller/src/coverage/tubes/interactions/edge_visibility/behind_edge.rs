//! The parts of edges that the tubes of another edge see.
//!
//! The cells of an edge are not bounded by planes. So a further edge is cut into parts about as long as a cell of the
//! region, and a part counts as seen where a tube goes to one of three points of it; it is uncertain if only some are
//! seen. Edges in the plane of a face of the first edge, as around a roof, are tried without tubes: a wave that runs
//! along that face may vanish in its direction and still be diffracted.
//!
//! Cost: the places on the first edge for three points of each part.

use glam::DVec3;

use super::{EdgePart, is_on_line};
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::tube::edge_image::{EdgeImage, oriented};
use crate::coverage::tubes::tube::leaf::Leaf;
use crate::coverage::tubes::tube::tube_ray::LocatedPoint;
use crate::coverage::tubes::tube::uncertain_segments::UncertainSegments;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::geometry::tolerance::{IN_PLANE_DISTANCE, ON_FACE_DISTANCE};
use crate::paths::is_on_one_side;
use crate::scene::{Crossing, EdgeId, PlaneId};

/// A stretch is cut into so many parts at most.
const MAX_PARTS: f64 = 32.0;

/// The points of a part that are looked at, as shares of its length.
const AT: [f64; 3] = [0.02, 0.5, 0.98];

/// The visibility of a point of an edge: the uncertain segments on the way there, and the width of the tube, metres.
type Seen = (UncertainSegments, f64);

/// The parts that the tubes of a bundle from the edge `before` see.
pub(super) fn parts(
    ctx: &Context<'_>,
    bundle: &Bundle,
    before: &EdgeImage,
    leaves: &[Leaf],
) -> Vec<EdgePart> {
    let own_planes = planes_along(ctx, bundle, before);
    let mut parts = Vec::new();
    for (edge, leaves_at) in &edges_met(ctx, before, leaves) {
        if shares_plane(ctx, *edge, &own_planes) {
            continue;
        }
        let leaf_at = |point: DVec3| {
            let located = before.locate(point);
            if !can_diffract(ctx, bundle, *edge, point, &located, 0.0) {
                return None;
            }
            let distance = point.distance(located.origin);
            let mut around = leaves_at.iter().map(|index| &leaves[*index as usize]);
            let leaf = around.find(|leaf| leaf.directions.contains(located.on))?;
            let width = || bundle.source.width(leaf.directions.cell, distance);
            (leaf.path_gain.at(distance) >= ctx.min_gain).then(|| (leaf.uncertain, width()))
        };
        parts.extend(parts_seen(ctx, bundle, *edge, leaf_at));
    }
    if !own_planes.is_empty() {
        parts.extend(parts_along(ctx, bundle, before, &own_planes));
    }
    parts
}

/// The parts of an edge of which some point is seen.
fn parts_seen(
    ctx: &Context<'_>,
    bundle: &Bundle,
    id: EdgeId,
    mut seen_at: impl FnMut(DVec3) -> Option<Seen>,
) -> Vec<EdgePart> {
    let edge = &ctx.scene.edges()[id.index()];
    let is_usable = edge.is_wedge() || ctx.limits.free_edges;
    let spans = if is_usable {
        ctx.edge_spans.of(id)
    } else {
        &[]
    };
    let [first, last] = oriented(edge);
    let along = (last - first).normalize();
    let cell_size = ctx.sizes.within(first.min(last), first.max(last));
    let mut parts = Vec::new();
    for (span, [low, high]) in (0..).zip(spans) {
        let num = ((high - low) / cell_size).ceil().clamp(1.0, MAX_PARTS);
        let length = (high - low) / num;
        for number in (0_u32..).map(f64::from).take_while(|k| *k < num) {
            let seen = AT.map(|share| seen_at(first + (low + (number + share) * length) * along));
            let num_seen = seen.iter().flatten().count();
            if num_seen == 0 {
                continue;
            }
            let all = seen.iter().flatten();
            let mut uncertain = all.fold(UncertainSegments::default(), |all, (more, _)| {
                all.union(*more)
            });
            if num_seen < AT.len() {
                let segments = 0..=bundle.interactions.len();
                uncertain = segments.fold(uncertain, UncertainSegments::with);
            }
            parts.push(EdgePart {
                edge: id,
                span,
                range: [number, number + 1.0].map(|k| k * length),
                uncertain,
                slack: seen.iter().flatten().map(|(_, w)| *w).fold(0.0, f64::max),
            });
        }
    }
    parts
}

/// The edges of those faces that tubes with a boundary meet, each with the numbers of these tubes.
fn edges_met(ctx: &Context<'_>, before: &EdgeImage, leaves: &[Leaf]) -> Vec<(EdgeId, Vec<u32>)> {
    let mut met: Vec<(EdgeId, u32)> = Vec::new();
    for (index, leaf) in (0..).zip(leaves).filter(|(_, leaf)| !leaf.is_clear) {
        let faces = leaf.ray_ends().iter().filter_map(|end| end.face);
        let edges = faces.flat_map(|face| ctx.face_edges.of(face.index()));
        met.extend(edges.map(|&edge| (edge, index)));
    }
    met.retain(|(edge, _)| *edge != before.edge);
    met.sort_unstable();
    met.dedup();
    let by_edge = met.chunk_by(|(a, _), (b, _)| a == b);
    by_edge
        .map(|of_edge| {
            (
                of_edge[0].0,
                of_edge.iter().map(|(_, leaf)| *leaf).collect(),
            )
        })
        .collect()
}

/// Whether the wave that comes to a point of an edge may be diffracted there. It may come from `depth` metres behind
/// its faces.
fn can_diffract(
    ctx: &Context<'_>,
    bundle: &Bundle,
    id: EdgeId,
    point: DVec3,
    located: &LocatedPoint,
    depth: f64,
) -> bool {
    let edge = &ctx.scene.edges()[id.index()];
    let to = located.origin - point;
    let is_in_front = bundle.start.is_none_or(|plane| {
        let plane = ctx.scene.plane(plane);
        let side = -plane.distance(located.origin).signum();
        side * plane.distance(point) > IN_PLANE_DISTANCE
    });
    is_in_front && edge.is_open_towards(to, depth) && !is_on_line(to, edge.along())
}

/// The planes of the edge's own faces, along which a wave may run to other edges; none behind a reflection.
fn planes_along(ctx: &Context<'_>, bundle: &Bundle, before: &EdgeImage) -> Vec<PlaneId> {
    if bundle.counts.is_reflected_behind_edge {
        return Vec::new();
    }
    let faces = ctx.scene.edges()[before.edge.index()].faces;
    let planes = faces.into_iter().flatten();
    planes.map(|face| ctx.scene.plane_of(face)).collect()
}

fn shares_plane(ctx: &Context<'_>, id: EdgeId, planes: &[PlaneId]) -> bool {
    let faces = ctx.scene.edges()[id.index()].faces.into_iter().flatten();
    let mut own = faces.map(|face| ctx.scene.plane_of(face));
    own.any(|plane| planes.contains(&plane))
}

/// The parts of edges in the planes of the faces of the edge `before`.
fn parts_along(
    ctx: &Context<'_>,
    bundle: &Bundle,
    before: &EdgeImage,
    planes: &[PlaneId],
) -> Vec<EdgePart> {
    let VirtualSource::Edge(source) = &bundle.source else {
        return Vec::new();
    };
    let mut edges: Vec<EdgeId> = planes
        .iter()
        .flat_map(|plane| ctx.plane_edges.of(plane.index()))
        .copied()
        .filter(|edge| *edge != before.edge)
        .collect();
    edges.sort_unstable();
    edges.dedup();
    // The strongest wave that leaves the edge at any angle.
    let strongest = |distance: f64| {
        let gains = bundle.tubes.iter().map(|tube| tube.path_gain.at(distance));
        gains.fold(0.0, f64::max)
    };
    let num_passed = bundle.interactions_around_edge().1.len() - 1;
    let mut crossings = Vec::new();
    let mut parts = Vec::new();
    for edge in edges {
        let mut skip = ctx.scene.planes_behind(edge).to_vec();
        let faces = [edge, before.edge].map(|edge| ctx.scene.edges()[edge.index()].faces);
        let faces = faces.into_iter().flatten().flatten();
        skip.extend(faces.map(|face| ctx.scene.plane_of(face)));
        // The tubes that leave the first edge at the same place, at any angle.
        let tube_at = |point: DVec3, crossings: &mut Vec<Crossing>| {
            let located = before.locate(point);
            let to = located.origin - point;
            let can_be = can_diffract(ctx, bundle, edge, point, &located, ON_FACE_DISTANCE)
                && is_on_one_side(ctx.scene, [edge, before.edge], to)
                && strongest(to.length()) >= ctx.min_gain;
            if !can_be {
                return None;
            }
            // Walls that stand on the border of the face block the way. Single precision would not show it.
            ctx.scene
                .crossings(located.origin, point, &skip, num_passed, crossings)?;
            let [s, _] = located.place;
            let is_there = |cell| {
                let [low, high] = source.range_of(cell);
                (low..high).contains(&s)
            };
            let mut tubes = bundle.tubes.iter();
            let tube = tubes.find(|tube| is_there(tube.directions.cell))?;
            (crossings.len() == num_passed).then_some((tube.uncertain, 0.0))
        };
        let crossings = &mut crossings;
        parts.extend(parts_seen(ctx, bundle, edge, |point| {
            tube_at(point, crossings)
        }));
    }
    parts
}
