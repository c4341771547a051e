//! Convex pieces of faces: triangles merged again as long as they stay convex, for searches that clip polygons.

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::{FaceId, PlaneId, Scene};
use crate::parallel;

/// A convex part of a face.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The plane it lies in.
    pub plane: PlaneId,
    /// The face it is part of.
    pub face: FaceId,
    /// Its corners, metres, counter-clockwise seen from the side of the plane's normal.
    pub polygon: Vec<DVec3>,
}

/// A turn to the right by less than this sine counts as straight on.
const STRAIGHT_SINE: f64 = 1e-9;

impl Scene {
    /// The convex pieces of all faces, as few as greedy merging of triangles gives. They cover the same area as the
    /// triangles.
    pub fn convex_pieces(&self) -> Vec<Piece> {
        parallel::flat_map(self.faces().len(), |f, pieces| {
            pieces.extend(self.pieces_of(FaceId::from_index(f)).0);
        })
    }

    /// The pieces of [`Self::convex_pieces`], and the number of each triangle's piece.
    pub(crate) fn convex_pieces_of_triangles(&self) -> (Vec<Piece>, Vec<u32>) {
        let of_faces: Vec<(Vec<Piece>, Vec<usize>)> = parallel::map(self.faces().len(), |f| {
            self.pieces_of(FaceId::from_index(f))
        });
        let mut pieces = Vec::new();
        let mut of_triangles = vec![0; self.triangles().len()];
        for (face, (of_face, numbers)) in self.faces().iter().zip(of_faces) {
            for (triangle, number) in face.triangles.clone().zip(numbers) {
                of_triangles[triangle] =
                    u32::try_from(pieces.len() + number).expect("fewer than 2^32 pieces");
            }
            pieces.extend(of_face);
        }
        (pieces, of_triangles)
    }

    /// The pieces of a face, and for each of its triangles the number of its piece.
    fn pieces_of(&self, id: FaceId) -> (Vec<Piece>, Vec<usize>) {
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
        let mut numbers = self.merge(&mut polygons, normal);
        let mut pieces = Vec::new();
        let mut number_of = vec![0; polygons.len()];
        for (i, polygon) in polygons.iter().enumerate() {
            if polygon.is_empty() {
                continue;
            }
            number_of[i] = pieces.len();
            pieces.push(Piece {
                plane: face.plane,
                face: id,
                polygon: self.corners_that_turn(polygon, normal),
            });
        }
        for number in &mut numbers {
            *number = number_of[*number];
        }
        (pieces, numbers)
    }

    /// Joins polygons over shared sides while the result is convex. A polygon that was joined to another is left empty.
    /// Returns, for each polygon, the one of which it is finally a part.
    fn merge(&self, polygons: &mut [Vec<u32>], normal: DVec3) -> Vec<usize> {
        let mut part_of: Vec<usize> = (0..polygons.len()).collect();
        let mut owner: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        for (i, polygon) in polygons.iter().enumerate() {
            // Overlapping triangles may own one side twice. The later one is kept, and the other stays unmerged.
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
                part_of[j] = i;
            }
        }
        for i in 0..part_of.len() {
            let mut whole = part_of[i];
            while part_of[whole] != whole {
                whole = part_of[whole];
            }
            part_of[i] = whole;
        }
        part_of
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

/// The outline of two polygons that share the side `a`-`b`. `None` if a corner would appear twice.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Mesh, MeshTriangle};

    #[test]
    fn every_triangle_lies_in_its_piece() {
        // An L of six triangles, and a square perpendicular to it.
        let mut mesh = Mesh::default();
        let material = mesh.material_index("wall");
        let corners = [
            [0., 0., 0.],
            [2., 0., 0.],
            [4., 0., 0.],
            [4., 2., 0.],
            [2., 2., 0.],
            [2., 4., 0.],
            [0., 4., 0.],
            [0., 2., 0.],
            [5., 0., 1.],
            [5., 1., 1.],
            [5., 1., 2.],
            [5., 0., 2.],
        ];
        mesh.vertices = corners.map(Into::into).to_vec();
        mesh.triangles = [
            [1, 2, 3],
            [4, 3, 1],
            [0, 1, 7],
            [7, 4, 1],
            [7, 4, 5],
            [6, 7, 5],
            [8, 9, 10],
            [11, 8, 10],
        ]
        .map(|vertices| MeshTriangle { vertices, material })
        .to_vec();
        let scene = Scene::new(&mesh).unwrap();
        let (pieces, of_triangles) = scene.convex_pieces_of_triangles();
        assert_eq!(pieces, scene.convex_pieces());
        assert!(pieces.len() < of_triangles.len(), "{} pieces", pieces.len());
        for (triangle, &number) in of_triangles.iter().enumerate() {
            let piece = &pieces[number as usize];
            assert_eq!(piece.face, scene.triangle_faces()[triangle]);
            let normal = scene.plane(piece.plane).normal;
            let n = piece.polygon.len();
            for k in 0..n {
                let (a, b) = (piece.polygon[k], piece.polygon[(k + 1) % n]);
                for corner in scene.corners(triangle) {
                    let depth = normal.dot((b - a).cross(corner - a));
                    assert!(depth > -1e-9, "triangle {triangle} is outside by {depth}");
                }
            }
        }
    }
}
