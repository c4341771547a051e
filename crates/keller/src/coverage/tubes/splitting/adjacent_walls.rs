//! Adds the walls next to those that the rays of a tube from an edge meet.
//!
//! Tubes from an edge are not cut along boundaries. A slope seen at a grazing angle may be thinner than such a tube, so
//! that none of its rays meets the slope. So the neighbours of the faces that the rays meet count as met too, and so do
//! their neighbours in turn, if the border between them crosses the tube. Only the accuracy `exact` does this: it takes
//! a quarter more time behind edges.

use glam::DVec2;

use super::ray_cache::RayHit;
use super::ray_reach;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tables::wall::Wall;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::tube::leaf::{Leaf, RayEnd};
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::scene::FaceId;

/// The points of a border that are located, as shares of its length.
const AT: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Located from an edge, a straight border is curved. It may reach beyond its located points by this share of their
/// extent.
const BULGE: f64 = 0.1;

/// Adds the walls next to those that a leaf comes to, if the leaf comes from an edge.
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
        let neighbours = ahead
            .face
            .map_or(&[][..], |face| ctx.face_neighbours.of(face));
        for &(other, ends) in neighbours {
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
