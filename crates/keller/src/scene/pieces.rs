//! Convex pieces: a face's triangles put together again as far as they stay convex, for searches that clip polygons.

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{FaceId, PlaneId, Scene};

/// A convex part of a face.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The plane it lies in.
    pub plane: PlaneId,
    /// The face it is part of.
    pub face: FaceId,
    /// Its corners, counter-clockwise seen from where the plane's normal points, metres.
    pub polygon: Vec<DVec3>,
}

/// Turns to the right of less than this sine count as straight on.
const STRAIGHT_SINE: f64 = 1e-9;

impl Scene {
    /// The faces cut into convex pieces: as few as greedy merging of triangles gives. They cover what the triangles cover.
    pub fn convex_pieces(&self) -> Vec<Piece> {
        (0..self.faces().len())
            .into_par_iter()
            .flat_map_iter(|f| self.pieces_of(FaceId::from_index(f)))
            .collect()
    }

    fn pieces_of(&self, id: FaceId) -> Vec<Piece> {
        let face = self.face(id);
        let normal = self.plane(face.plane).normal;
        let mut polygons: Vec<Vec<u32>> = face
            .triangles
            .clone()
            .map(|t| {
                let [a, b, c] = self.triangles()[t];
                let [p, q, r] = self.corners(t);
                if (q - p).cross(r - p).dot(normal) > 0.0 {
                    vec![a, b, c]
                } else {
                    vec![a, c, b]
                }
            })
            .collect();
        self.merge(&mut polygons, normal);
        polygons
            .into_iter()
            .filter(|p| !p.is_empty())
            .map(|polygon| Piece {
                plane: face.plane,
                face: id,
                polygon: self.corners_that_turn(&polygon, normal),
            })
            .collect()
    }

    /// Joins polygons over shared sides while the result is convex; what was joined to another is left empty.
    fn merge(&self, polygons: &mut [Vec<u32>], normal: DVec3) {
        let mut owner: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        for (i, polygon) in polygons.iter().enumerate() {
            // Overlapping triangles may own one side twice: the later one is kept and the other stays as it is.
            owner.extend(directed_sides(polygon).map(|side| (side, i)));
        }
        for i in 0..polygons.len() {
            if polygons[i].is_empty() {
                continue;
            }
            while let Some((j, joined)) = self.first_convex_join(i, polygons, &owner, normal) {
                for side in directed_sides(&polygons[j]) {
                    if owner.get(&side) == Some(&j) {
                        owner.insert(side, i);
                    }
                }
                polygons[j].clear();
                polygons[i] = joined;
            }
        }
    }

    fn first_convex_join(
        &self,
        i: usize,
        polygons: &[Vec<u32>],
        owner: &FxHashMap<(u32, u32), usize>,
        normal: DVec3,
    ) -> Option<(usize, Vec<u32>)> {
        directed_sides(&polygons[i]).find_map(|(a, b)| {
            let j = *owner.get(&(b, a))?;
            if j == i {
                return None;
            }
            let joined = joined_over(&polygons[i], &polygons[j], (a, b))?;
            self.is_convex(&joined, normal).then_some((j, joined))
        })
    }

    fn is_convex(&self, polygon: &[u32], normal: DVec3) -> bool {
        self.turns(polygon, normal)
            .all(|(_, sine)| sine >= -STRAIGHT_SINE)
    }

    fn corners_that_turn(&self, polygon: &[u32], normal: DVec3) -> Vec<DVec3> {
        self.turns(polygon, normal)
            .filter(|&(_, sine)| sine > STRAIGHT_SINE)
            .map(|(v, _)| self.vertices()[v as usize])
            .collect()
    }

    /// Each corner with the sine of the left turn there.
    fn turns<'a>(
        &'a self,
        polygon: &'a [u32],
        normal: DVec3,
    ) -> impl Iterator<Item = (u32, f64)> + 'a {
        let n = polygon.len();
        (0..n).map(move |k| {
            let [before, here, after] =
                [polygon[(k + n - 1) % n], polygon[k], polygon[(k + 1) % n]]
                    .map(|v| self.vertices()[v as usize]);
            let (incoming, outgoing) = (here - before, after - here);
            let sine =
                normal.dot(incoming.cross(outgoing)) / (incoming.length() * outgoing.length());
            (polygon[k], sine)
        })
    }
}

fn directed_sides(polygon: &[u32]) -> impl Iterator<Item = (u32, u32)> {
    let n = polygon.len();
    (0..n).map(move |k| (polygon[k], polygon[(k + 1) % n]))
}

/// The outline of two polygons that share the side `a`-`b`; none if a corner would appear twice.
fn joined_over(first: &[u32], second: &[u32], (a, b): (u32, u32)) -> Option<Vec<u32>> {
    let at = |polygon: &[u32], v: u32| polygon.iter().position(|&p| p == v);
    let (start, other) = (at(first, b)?, at(second, a)?);
    let (n, m) = (first.len(), second.len());
    let mut outline: Vec<u32> = (0..n).map(|k| first[(start + k) % n]).collect();
    for k in 1..m - 1 {
        let v = second[(other + k) % m];
        if first.contains(&v) {
            return None;
        }
        outline.push(v);
    }
    Some(outline)
}
