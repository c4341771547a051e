//! Cuts polygons with holes into triangles that use every corner.
//!
//! Ear clipping loses corners in the middle of a straight side; they are put back, because a neighbour may end there and a scene
//! welds corner to corner.

use earcut::Earcut;
use glam::{DVec2, DVec3};

/// How much the triangles' area may differ from the polygon's, as a part of it.
const AREA_TOLERANCE: f64 = 1e-6;

/// Cuts polygons into triangles; keeps its memory between them.
#[derive(Default)]
pub(super) struct Triangulator {
    earcut: Earcut<f64>,
    points: Vec<[f64; 2]>,
    holes: Vec<u32>,
    indices: Vec<u32>,
    is_used: Vec<bool>,
    /// The triangles of the last polygon, counter-clockwise, as indices of its corners, ring after ring.
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Triangulator {
    /// Cuts the polygon of an outer ring and holes; whether the triangles make up its area.
    pub(super) fn cut(&mut self, rings: &[&[DVec2]]) -> bool {
        self.triangles.clear();
        self.points.clear();
        self.holes.clear();
        let Some(&origin) = rings.first().and_then(|ring| ring.first()) else {
            return false;
        };
        let mut area = 0.0;
        for (at, ring) in rings.iter().enumerate() {
            if at > 0 {
                self.holes.push(super::index(self.points.len()));
            }
            let sense = if at == 0 { 1.0 } else { -1.0 };
            area += sense * crate::place::rings::area(ring).abs();
            self.points
                .extend(ring.iter().map(|&p| (p - origin).to_array()));
        }
        self.earcut
            .earcut(self.points.iter().copied(), &self.holes, &mut self.indices);
        let mut sum = 0.0;
        for at in 0..self.indices.len() / 3 {
            let [a, b, c] = [3 * at, 3 * at + 1, 3 * at + 2].map(|i| self.indices[i]);
            let twice = self.twice_area(a, b, c);
            if twice != 0.0 {
                sum += twice.abs() / 2.0;
                self.triangles
                    .push(if twice < 0.0 { [a, c, b] } else { [a, b, c] });
            }
        }
        self.put_back_lost_corners();
        (sum - area).abs() <= AREA_TOLERANCE * area
    }

    fn point(&self, corner: u32) -> DVec2 {
        self.points[corner as usize].into()
    }

    fn twice_area(&self, a: u32, b: u32, c: u32) -> f64 {
        let [a, b, c] = [a, b, c].map(|corner| self.point(corner));
        (b - a).perp_dot(c - a)
    }

    /// Cuts triangles at the corners on their sides that no triangle uses.
    fn put_back_lost_corners(&mut self) {
        self.is_used.clear();
        self.is_used.resize(self.points.len(), false);
        for &corner in self.triangles.iter().flatten() {
            self.is_used[corner as usize] = true;
        }
        for lost in 0..self.points.len() {
            if !self.is_used[lost] {
                self.put_back(super::index(lost));
            }
        }
    }

    fn put_back(&mut self, lost: u32) {
        let p = self.point(lost);
        let has_on_side = |a: u32, b: u32| {
            let (a, b) = (self.point(a), self.point(b));
            let along = (p - a).dot(b - a);
            along > 0.0
                && along < (b - a).length_squared()
                && (b - a).perp_dot(p - a).abs() <= 1e-12 * (b - a).length_squared()
        };
        let found = self
            .triangles
            .iter()
            .enumerate()
            .find_map(|(at, &[a, b, c])| {
                let sides = [[a, b, c], [b, c, a], [c, a, b]];
                let side = sides.into_iter().find(|&[a, b, _]| has_on_side(a, b));
                side.map(|side| (at, side))
            });
        if let Some((at, [a, b, c])) = found {
            self.triangles[at] = [a, lost, c];
            self.triangles.push([lost, b, c]);
        }
    }
}

/// Drops the axis nearest to the normal: unlike a rotation this rounds nothing, so straight sides stay straight. The shadow keeps
/// the sense of rotation seen from where the normal points.
pub(super) fn flatten(ring: &[DVec3], normal: DVec3) -> Vec<DVec2> {
    let axis = normal.abs().max_position();
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let (u, v) = if normal[axis] > 0.0 { (u, v) } else { (v, u) };
    ring.iter().map(|p| DVec2::new(p[u], p[v])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::tests::{ring, square};

    #[test]
    fn corners_on_straight_sides_are_used() {
        let mut triangulator = Triangulator::default();
        let outer = ring(&[
            (0.0, 0.0),
            (1.0, 0.0),
            (2.0, 0.0),
            (4.0, 0.0),
            (4.0, 2.0),
            (4.0, 4.0),
            (0.0, 4.0),
        ]);
        assert!(triangulator.cut(&[&outer]));
        let mut used: Vec<u32> = triangulator.triangles.as_flattened().to_vec();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used, [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(triangulator.triangles.len(), 5);
    }

    #[test]
    fn holes_are_left_open() {
        let mut triangulator = Triangulator::default();
        assert!(triangulator.cut(&[&square(0.0, 0.0, 9.0), &square(3.0, 3.0, 3.0)]));
        assert_eq!(triangulator.triangles.len(), 8);
        assert!(!triangulator.cut(&[]));
    }
}
