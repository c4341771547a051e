//! The faces beside each face: what a tube may reach across a border of what its rays meet, though none of them does.

use glam::DVec2;

use super::bundle::Bundle;
use super::propagation::{Tracer, Wall};
use super::ray_cache::RayHit;
use super::split::{Leaf, RayEnd};
use super::virtual_source::VirtualSource;
use crate::scene::{FaceId, Scene};

/// Faces of more triangles' sides than this are not looked around.
const MAX_BORDERS: usize = 16;

/// Where a border is looked at, in parts of it, and how far it may bulge beyond these points, in parts of what they cover: as an edge sees
/// it, a straight line is bent.
const AT: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
const BULGE: f64 = 0.1;

/// The neighbours of every face of few borders.
#[derive(Debug, Default)]
pub(super) struct FaceNeighbours {
    /// Where those of each face start; empty if nothing asks for neighbours.
    first: Vec<u32>,
    /// Each with the vertices of the border between.
    list: Vec<(FaceId, [u32; 2])>,
}

impl FaceNeighbours {
    pub(super) fn new(scene: &Scene) -> Self {
        let mut sides: Vec<([u32; 2], FaceId)> = Vec::with_capacity(3 * scene.triangles().len());
        for (&[a, b, c], &face) in scene.triangles().iter().zip(scene.triangle_faces()) {
            sides.extend([[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], face)));
        }
        sides.sort_unstable();
        let mut beside: Vec<(FaceId, FaceId, [u32; 2])> = Vec::new();
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            for &(ends, face) in group {
                let others = group.iter().map(|(_, other)| *other);
                let others = others.filter(|o| scene.plane_of(*o) != scene.plane_of(face));
                beside.extend(others.map(|other| (face, other, ends)));
            }
        }
        beside.sort_unstable();
        let mut first = vec![0; scene.faces().len() + 1];
        let mut list = Vec::new();
        for group in beside.chunk_by(|a, b| a.0 == b.0) {
            if group.len() <= MAX_BORDERS {
                list.extend(group.iter().map(|&(_, other, ends)| (other, ends)));
                first[group[0].0.index() + 1] = u32::try_from(group.len()).unwrap_or_default();
            }
        }
        for face in 1..first.len() {
            first[face] += first[face - 1];
        }
        Self { first, list }
    }

    /// Those of a face.
    pub(super) fn of(&self, face: FaceId) -> &[(FaceId, [u32; 2])] {
        let range = self.first.get(face.index()..face.index() + 2);
        range.map_or(&[], |range| {
            &self.list[range[0] as usize..range[1] as usize]
        })
    }
}

impl Tracer<'_> {
    /// Adds to what a tube from an edge comes to: the neighbours of what its rays meet, and theirs, where the border between comes
    /// into the tube.
    ///
    /// Tubes from an edge are not cut along borders, and a slope seen at a grazing angle is thinner than they are.
    pub(super) fn look_around(&self, bundle: &Bundle, leaf: &mut Leaf, hits: &[RayHit]) {
        let VirtualSource::Edge(edge) = &bundle.source else {
            return;
        };
        let centre = hits[0].line;
        let wall = |face: FaceId| Wall::of(self.scene, face);
        let [_, low, _, high, _] = leaf.directions.cell.corners();
        let [low, high] = [low, high].map(|corner| DVec2::from(edge.place(corner)));
        let mut next = 0;
        while let Some(ahead) = leaf.ray_ends().get(next) {
            next += 1;
            let beside = ahead.face.map_or(&[][..], |face| self.neighbours.of(face));
            for &(other, ends) in beside {
                let is_known = |known: &RayEnd| known.face.map(wall) == Some(wall(other));
                let plane = self.scene.plane_of(other);
                if bundle.start == Some(plane) || leaf.ray_ends().iter().any(is_known) {
                    continue;
                }
                let [a, b] = ends.map(|end| self.scene.vertices()[end as usize]);
                let (mut from, mut to) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
                for share in AT {
                    let place = DVec2::from(bundle.source.locate(a.lerp(b, share)).place);
                    (from, to) = (from.min(place), to.max(place));
                }
                let margin = BULGE * (to - from);
                if (from - margin).cmpgt(high).any() || (to + margin).cmplt(low).any() {
                    continue;
                }
                let at = centre.meets(self.scene.plane(plane)) * centre.direction.length();
                let [a, b] = [a, b].map(|end| end.distance(centre.origin));
                let reach = if at > 0.0 { at.min(a.max(b)) } else { a.min(b) };
                #[expect(clippy::cast_possible_truncation, reason = "metres")]
                let [reach, farthest] = [reach, self.farthest(hits)].map(|reach| reach as f32);
                leaf.make_uncertain(farthest);
                leaf.add(Some(other), reach);
            }
        }
    }
}
