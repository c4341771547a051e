//! Adds the walls to a tube from an edge that lie beside what its rays meet.

use glam::DVec2;

use super::bundle::Bundle;
use super::context::Context;
use super::leaf::{Leaf, RayEnd};
use super::ray_cache::RayHit;
use super::ray_reach;
use super::virtual_source::VirtualSource;
use super::wall::Wall;
use crate::scene::FaceId;

/// Where a border is looked at, in parts of it, and how far it may bulge beyond these points, in parts of what they cover: as an edge sees
/// it, a straight line is bent.
const AT: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const BULGE: f64 = 0.1;

/// Adds to what a tube from an edge comes to: the neighbours of what its rays meet, and theirs, where the border between comes
/// into the tube.
///
/// Tubes from an edge are not cut along borders, and a slope seen at a grazing angle is thinner than they are.
pub(super) fn add_adjacent_walls(
    ctx: &Context<'_>,
    bundle: &Bundle,
    leaf: &mut Leaf,
    hits: &[RayHit],
) {
    let VirtualSource::Edge(edge) = &bundle.source else {
        return;
    };
    let centre = hits[0].line;
    let wall = |face: FaceId| Wall::of(ctx.scene, face);
    let [_, low, _, high, _] = leaf.directions.cell.corners();
    let [low, high] = [low, high].map(|corner| DVec2::from(edge.place(corner)));
    let mut next = 0;
    while let Some(ahead) = leaf.ray_ends().get(next) {
        next += 1;
        let beside = ahead
            .face
            .map_or(&[][..], |face| ctx.face_neighbours.of(face));
        for &(other, ends) in beside {
            let is_known = |known: &RayEnd| known.face.map(wall) == Some(wall(other));
            let plane = ctx.scene.plane_of(other);
            if bundle.start == Some(plane) || leaf.ray_ends().iter().any(is_known) {
                continue;
            }
            let [a, b] = ends.map(|end| ctx.scene.vertices()[end as usize]);
            let (mut from, mut to) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
            for share in AT {
                let place = DVec2::from(bundle.source.locate(a.lerp(b, share)).place);
                (from, to) = (from.min(place), to.max(place));
            }
            let margin = BULGE * (to - from);
            if (from - margin).cmpgt(high).any() || (to + margin).cmplt(low).any() {
                continue;
            }
            let at = centre.meets(ctx.scene.plane(plane)) * centre.direction.length();
            let [a, b] = [a, b].map(|end| end.distance(centre.origin));
            let reach = if at > 0.0 { at.min(a.max(b)) } else { a.min(b) };
            #[expect(clippy::cast_possible_truncation, reason = "metres")]
            let [reach, farthest] =
                [reach, ray_reach::farthest(ctx, hits)].map(|reach| reach as f32);
            leaf.make_uncertain(farthest);
            leaf.add(Some(other), reach);
        }
    }
}
