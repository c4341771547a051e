//! The common properties of the rays of a tube: whether they meet one plane, and how far they reach.

use glam::DVec3;

use super::ray_cache::RayHit;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::tube::direction_cells::DirectionCell;
use crate::coverage::tubes::tube::tube_ray::TubeRay;
use crate::scene::{FaceId, Scene};

/// Whether all rays meet the same plane, or all leave the scene.
pub(super) fn is_one_plane(scene: &Scene, hits: &[RayHit]) -> bool {
    let plane = |face: Option<FaceId>| face.map(|face| scene.plane_of(face));
    let first = hits[0].face;
    hits.iter()
        .all(|hit| hit.face == first || plane(hit.face) == plane(first))
}

/// The length of a ray until it meets a wall or leaves the region, metres; 0 if it never enters the region.
pub(super) fn reach(ctx: &Context<'_>, hit: &RayHit) -> f64 {
    let line = hit.line;
    let end = match hit.face {
        Some(face) => line.meets(ctx.scene.plane(ctx.scene.plane_of(face))),
        None => exit(line.origin, line.direction, ctx.grid.bounds()),
    };
    end.max(0.0) * line.direction.length()
}

/// The largest [`reach`] of several rays, metres.
pub(super) fn farthest(ctx: &Context<'_>, hits: &[RayHit]) -> f64 {
    let reach = hits.iter().map(|hit| reach(ctx, hit));
    reach.fold(0.0, f64::max)
}

/// The reach of [`farthest`], limited to the distance up to which cells of the region may lie near the rays.
pub(super) fn farthest_to_cells(
    ctx: &Context<'_>,
    bundle: &Bundle,
    cell: DirectionCell,
    hits: &[RayHit],
) -> f64 {
    let [low, high] = ctx.grid.bounds();
    let reach = |hit: &RayHit| {
        let TubeRay { origin, direction } = hit.line;
        let away = (low - origin).abs().max((high - origin).abs()).length();
        let margin = bundle.source.width(cell, away) + ctx.sizes.outside();
        let end = exit(origin, direction, [low - margin, high + margin]);
        reach(ctx, hit).min(end * direction.length())
    };
    hits.iter().map(reach).fold(0.0, f64::max)
}

/// The exit of a ray from a box, in units of its direction; 0 if it misses the box.
fn exit(origin: DVec3, direction: DVec3, bounds: [DVec3; 2]) -> f64 {
    let crossing = TubeRay { origin, direction }.crossing(bounds);
    crossing.map_or(0.0, |[_, exit]| exit)
}
