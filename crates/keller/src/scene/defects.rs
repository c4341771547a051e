//! Defects of a mesh as it was imported. None of them stops keller, but all of them are worth knowing.

use glam::{DVec2, DVec3};
use obvhs::{
    BvhBuildParams,
    aabb::Aabb,
    bvh2::{Bvh2, builder::build_bvh2},
};

use super::{Body, FaceId, Fronts, Scene};
use crate::geometry::tolerance::WELD_DISTANCE;

/// Counts of defects that were found, and either repaired or left.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Defects {
    /// Vertices nearer than the weld distance to another one but not equal to it: cracks, which are now closed.
    pub near_vertices: usize,
    /// Vertices in the middle of another triangle's border: cracks that a later export may open.
    pub t_junctions: usize,
    /// Triangles without area, which are left out.
    pub zero_area_triangles: usize,
    /// Triangles with the same corners and material as another one, which are left out.
    pub duplicate_triangles: usize,
    /// Pairs of triangles that overlap in one plane, such as decals and the twin walls of touching buildings. They
    /// share one image.
    pub overlapping_triangles: usize,
    /// Border pieces at which more than two faces end.
    pub non_manifold_edges: usize,
    /// Closed bodies whose fronts all face inwards, except rooms with something in them. The layers of their walls are
    /// taken from inside to outside.
    pub inward_bodies: usize,
    /// Closed bodies with some fronts facing inwards and some outwards.
    pub mixed_bodies: usize,
}

impl Scene {
    /// Counts the defects of the mesh. Overlaps take a box query a triangle, so they are counted here and not at
    /// import.
    pub fn defects(&self) -> Defects {
        let count = |fronts| self.turned_bodies().filter(|b| b.fronts == fronts).count();
        Defects {
            overlapping_triangles: self.overlaps(),
            inward_bodies: count(Fronts::Inwards),
            mixed_bodies: count(Fronts::Mixed),
            ..self.defects
        }
    }

    /// The closed bodies that [`Defects::inward_bodies`] and [`Defects::mixed_bodies`] count.
    pub fn turned_bodies(&self) -> impl Iterator<Item = &Body> {
        self.bodies().iter().filter(|body| match body.fronts {
            Fronts::Outwards => false,
            Fronts::Inwards => !(body.is_room && body.holds_more),
            Fronts::Mixed => true,
        })
    }

    /// The number of pairs of triangles of one plane whose interiors overlap.
    fn overlaps(&self) -> usize {
        let mut by_plane: Vec<Vec<FaceId>> = vec![Vec::new(); self.planes().len()];
        for f in 0..self.faces().len() {
            let face = FaceId::from_index(f);
            by_plane[self.plane_of(face).index()].push(face);
        }
        by_plane
            .iter()
            .map(|faces| {
                let triangles: Vec<usize> = faces
                    .iter()
                    .flat_map(|&f| self.face(f).triangles.clone())
                    .collect();
                self.overlaps_among(&triangles)
            })
            .sum()
    }

    fn overlaps_among(&self, triangles: &[usize]) -> usize {
        if triangles.len() < 2 {
            return 0;
        }
        let plane = self.plane(self.plane_of(self.triangle_faces()[triangles[0]]));
        let (u, v) = plane.axes();
        let anchor = self.corners(triangles[0])[0];
        let flat: Vec<[DVec2; 3]> = triangles
            .iter()
            .map(|&t| {
                self.corners(t).map(|p| {
                    let r: DVec3 = p - anchor;
                    DVec2::new(u.dot(r), v.dot(r))
                })
            })
            .collect();
        let boxes: Vec<Aabb> = flat.iter().map(flat_box).collect();
        let mut time = std::time::Duration::ZERO;
        let tree = build_bvh2(&boxes, BvhBuildParams::very_fast_build(), &mut time);
        (0..flat.len())
            .map(|i| overlaps_before(&tree, &boxes, &flat, i))
            .sum()
    }
}

/// The number of triangles before `i` that overlap triangle `i`.
fn overlaps_before(tree: &Bvh2, boxes: &[Aabb], flat: &[[DVec2; 3]], i: usize) -> usize {
    let mut count = 0;
    tree.aabb_traverse(boxes[i], |tree, node| {
        let node = &tree.nodes[node as usize];
        let first = node.first_index as usize;
        for &j in &tree.primitive_indices[first..first + node.prim_count as usize] {
            let j = j as usize;
            if j < i && insides_meet(&flat[i], &flat[j]) {
                count += 1;
            }
        }
        true
    });
    count
}

fn flat_box(triangle: &[DVec2; 3]) -> Aabb {
    let [a, b, c] = *triangle;
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    Aabb::new(
        low.as_vec2().extend(0.0).to_vec3a(),
        high.as_vec2().extend(0.0).to_vec3a(),
    )
}

/// Whether two triangles share more than a border: no side of either separates them with less than a weld distance of
/// overlap.
fn insides_meet(a: &[DVec2; 3], b: &[DVec2; 3]) -> bool {
    let is_separated_by_sides_of = |of: &[DVec2; 3]| {
        (0..3).any(|k| {
            let across = (of[(k + 1) % 3] - of[k]).perp().normalize_or_zero();
            let span = |t: &[DVec2; 3]| {
                let d = t.map(|p| across.dot(p));
                [d[0].min(d[1]).min(d[2]), d[0].max(d[1]).max(d[2])]
            };
            let ([a_low, a_high], [b_low, b_high]) = (span(a), span(b));
            a_high <= b_low + WELD_DISTANCE || b_high <= a_low + WELD_DISTANCE
        })
    };
    !is_separated_by_sides_of(a) && !is_separated_by_sides_of(b)
}
