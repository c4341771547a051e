//! Buried edges: a face of one of an edge's own planes lies over it and goes on beyond it.
//!
//! Meshes of buildings that touch overlap by the rounding of their drawings. Two flat roofs then lie in one plane, a few
//! millimetres one over the other, and each ends at a wall of its own. Those borders are no edges of the open space,
//! because the roof goes on there, but no vertices of the one mesh lie on the border of the other that would show it
//! when the scene is built. A wave that diffracted there would enter a closed house.
//!
//! Cost: one query of the index for a point of an edge; one for each edge and one for each triangle found for its stretches.

use glam::DVec3;

use super::{EdgeId, PlaneId, Scene};
use crate::geometry::tolerance::{COPLANAR_SINE, OCCLUDER_GROWTH, SAME_PLANE_SINE, WELD_DISTANCE};

impl Scene {
    /// Whether a face of one of the edge's planes covers `point` of the edge and goes on beyond the edge.
    pub(crate) fn is_buried_at(&self, id: EdgeId, point: DVec3) -> bool {
        let edge = &self.edges()[id.index()];
        // An edge that follows a slightly curved border may lie this far inside its own face.
        let beyond = WELD_DISTANCE + COPLANAR_SINE * edge.length();
        edge.faces.iter().zip(edge.inwards()).any(|(face, inward)| {
            let Some(face) = *face else {
                return false;
            };
            let plane = self.plane_of(face);
            self.is_covered(plane, point, -OCCLUDER_GROWTH)
                && self.is_covered(plane, point - beyond * inward, 0.0)
        })
    }

    /// The buried stretches of an edge, as distances along it from its first end, metres, in order.
    pub(crate) fn buried_stretches(&self, id: EdgeId) -> Vec<[f64; 2]> {
        let edge = &self.edges()[id.index()];
        let planes = edge.faces.map(|face| face.map(|face| self.plane_of(face)));
        let length = edge.length();
        let mut limits = vec![0.0, length];
        self.each_along(planes, edge.ends, &mut |triangle| {
            let stretch = self.stretch_within(triangle, edge.ends, edge.along());
            limits.extend(stretch.into_iter().flatten());
        });
        if limits.len() == 2 {
            return Vec::new();
        }
        limits.retain(|at| (0.0..=length).contains(at));
        limits.sort_by(f64::total_cmp);
        let along = edge.along();
        let mut buried: Vec<[f64; 2]> = Vec::new();
        for pair in limits.windows(2) {
            let middle = edge.ends[0] + 0.5 * (pair[0] + pair[1]) * along;
            if pair[1] - pair[0] > WELD_DISTANCE && self.is_buried_at(id, middle) {
                match buried
                    .last_mut()
                    .filter(|last| pair[0] - last[1] <= WELD_DISTANCE)
                {
                    Some(last) => last[1] = pair[1],
                    None => buried.push([pair[0], pair[1]]),
                }
            }
        }
        buried
    }

    /// Whether a triangle of `plane` covers `point`, at least `-growth` metres inside its borders.
    fn is_covered(&self, plane: PlaneId, point: DVec3, growth: f64) -> bool {
        let mut is_covered = false;
        self.each_at(plane, point, growth, &mut |_| is_covered = true);
        is_covered
    }

    /// The distances from the first of two points, along a unit vector, between which a line is over a triangle of a plane in
    /// which it lies.
    fn stretch_within(&self, triangle: usize, ends: [DVec3; 2], along: DVec3) -> Option<[f64; 2]> {
        let corners = self.corners(triangle);
        let normal = (corners[1] - corners[0])
            .cross(corners[2] - corners[0])
            .normalize();
        let (mut first, mut last) = (f64::NEG_INFINITY, f64::INFINITY);
        for k in 0..3 {
            let (p, q) = (corners[k], corners[(k + 1) % 3]);
            let inward = normal.cross(q - p).normalize();
            let (at, slope) = (inward.dot(ends[0] - p), inward.dot(along));
            if slope.abs() < SAME_PLANE_SINE {
                if at < OCCLUDER_GROWTH {
                    return None;
                }
            } else if slope > 0.0 {
                first = first.max(-at / slope);
            } else {
                last = last.min(-at / slope);
            }
        }
        (first < last).then_some([first, last])
    }
}
