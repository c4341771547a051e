//! Cuts polygons with holes into triangles that use every corner.
//!
//! Ear clipping loses corners in the middle of a straight side; they are put back, because a neighbour may end there and a scene
//! welds corner to corner.

use earcut::Earcut;
use glam::{DVec2, DVec3};

/// The largest difference of the triangles' area from the polygon's, as a part of it.
const AREA_TOLERANCE: f64 = 1e-6;

/// Three corners are in line if twice their area is less than this part of the longest side squared.
const STRAIGHT: f64 = 1e-12;

/// Cuts polygons into triangles; keeps its memory between them.
#[derive(Default)]
pub(in crate::place) struct Triangulator {
    earcut: Earcut<f64>,
    points: Vec<[f64; 2]>,
    holes: Vec<u32>,
    indices: Vec<u32>,
    is_used: Vec<bool>,
    /// Triangles without area, as come where three corners are in line.
    flat: Vec<[u32; 3]>,
    /// The triangles of the last polygon, counter-clockwise, as indices of its corners, ring after ring.
    pub(in crate::place) triangles: Vec<[u32; 3]>,
}

impl Triangulator {
    /// Cuts the polygon of an outer ring and holes; whether the triangles make up its area.
    pub(in crate::place) fn cut(&mut self, rings: &[&[DVec2]]) -> bool {
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
        self.flat.clear();
        for at in 0..self.indices.len() / 3 {
            let [a, b, c] = [3 * at, 3 * at + 1, 3 * at + 2].map(|i| self.indices[i]);
            let twice = self.twice_area(a, b, c);
            sum += twice.abs() / 2.0;
            if self.is_flat([a, b, c]) {
                self.flat.push([a, b, c]);
            } else {
                self.triangles
                    .push(if twice < 0.0 { [a, c, b] } else { [a, b, c] });
            }
        }
        self.dissolve_flat();
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

    fn is_flat(&self, [a, b, c]: [u32; 3]) -> bool {
        let [p, q, r] = [a, b, c].map(|corner| self.point(corner));
        let longest = (q - p).length_squared().max((r - p).length_squared());
        self.twice_area(a, b, c).abs() <= STRAIGHT * longest
    }

    /// Leaves out triangles without area: the one beyond the longest side is cut at the third corner instead.
    fn dissolve_flat(&mut self) {
        // One may lie beyond another, so that a round may leave some for the next.
        for _ in 0..self.flat.len() {
            let before = self.flat.len();
            let mut flat = std::mem::take(&mut self.flat);
            flat.retain(|&[a, b, c]| {
                let turns = [[a, b, c], [b, c, a], [c, a, b]];
                let centre = turns
                    .into_iter()
                    .find(|&[a, b, c]| self.is_on_side(c, a, b));
                match centre {
                    Some([a, b, c]) => {
                        !self.cut_side(c, |x, y| (x, y) == (a, b) || (x, y) == (b, a))
                    }
                    // Two corners at one point: nothing lies between them.
                    None => false,
                }
            });
            self.flat = flat;
            if self.flat.is_empty() || self.flat.len() == before {
                break;
            }
        }
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
                let lost = super::index(lost);
                let mut sides = self
                    .triangles
                    .iter()
                    .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
                if let Some(side) = sides.find(|&(a, b)| self.is_on_side(lost, a, b)) {
                    self.cut_side(lost, |a, b| (a, b) == side);
                }
            }
        }
    }

    /// Whether a corner lies between two others, in line with them.
    fn is_on_side(&self, corner: u32, a: u32, b: u32) -> bool {
        let [p, a, b] = [corner, a, b].map(|corner| self.point(corner));
        let along = (p - a).dot(b - a);
        along > 0.0
            && along < (b - a).length_squared()
            && (b - a).perp_dot(p - a).abs() <= STRAIGHT * (b - a).length_squared()
    }

    /// Cuts the first triangle with a side that `is_side` at a corner on it; whether there is one.
    fn cut_side(&mut self, corner: u32, is_side: impl Fn(u32, u32) -> bool) -> bool {
        let found = self
            .triangles
            .iter()
            .enumerate()
            .find_map(|(at, &[a, b, c])| {
                let turns = [[a, b, c], [b, c, a], [c, a, b]];
                let turn = turns.into_iter().find(|&[a, b, _]| is_side(a, b));
                turn.map(|turn| (at, turn))
            });
        if let Some((at, [a, b, c])) = found {
            self.triangles[at] = [a, corner, c];
            self.triangles.push([corner, b, c]);
        }
        found.is_some()
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
