//! What hides tiles: convex pieces of walls and the shadows that they cast.

use glam::{DVec2, DVec3};
use rustc_hash::FxHashMap;

use super::rectangle::convex_hull;
use crate::geometry::tolerance::COPLANAR_DISTANCE;
use crate::scene::{FaceId, Scene};

/// Who is behind a wall is so far behind it and so far from its borders, metres: farther than f32 rays are wrong.
const MARGIN: f64 = 1e-2;

/// Faces of more triangles are terrain, whose hulls are not worth the search.
const MOST_TRIANGLES: usize = 1000;

/// A face whose area is that of its hull, but for this part, is convex and has no hole.
const NO_GAP: f64 = 1e-9;

/// Convex pieces of walls, by triangle: its face if that is convex, else what it makes with its best neighbour.
#[derive(Debug)]
pub(super) struct Occluders(Vec<[DVec3; 4]>);

impl Occluders {
    /// A triangle and the neighbour of its face with which it makes the largest convex quadrangle.
    pub(super) fn new(scene: &Scene) -> Self {
        let mut sides: FxHashMap<(u32, u32), Vec<usize>> = FxHashMap::default();
        for (t, [a, b, c]) in scene.triangles().iter().enumerate() {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                sides.entry((*p.min(q), *p.max(q))).or_default().push(t);
            }
        }
        let area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length();
        let quad = |t: usize| {
            let corners = scene.corners(t);
            let mine = scene.triangles()[t];
            let mut best = ([corners[0], corners[1], corners[2], corners[2]], 0.0);
            for k in 0..3 {
                let [a, b, apex] = [mine[k], mine[(k + 1) % 3], mine[(k + 2) % 3]];
                for other in &sides[&(a.min(b), a.max(b))] {
                    let is_same = scene.triangle_faces()[*other] == scene.triangle_faces()[t];
                    if *other == t || !is_same {
                        continue;
                    }
                    let across = scene.triangles()[*other];
                    let Some(across) = across.into_iter().find(|v| *v != a && *v != b) else {
                        continue;
                    };
                    let [a, b, apex, across] =
                        [a, b, apex, across].map(|v| scene.vertices()[v as usize]);
                    let around = [apex, a, across, b];
                    let size = area([a, b, across]);
                    if size > best.1 && is_convex(around) {
                        best = (around, size);
                    }
                }
            }
            best.0
        };
        let faces =
            (0..scene.faces().len()).map(|face| convex_face(scene, FaceId::from_index(face)));
        let faces: Vec<Option<[DVec3; 4]>> = faces.collect();
        let of = |t: usize| faces[scene.triangle_faces()[t].index()].unwrap_or_else(|| quad(t));
        Self((0..scene.triangles().len()).map(of).collect())
    }

    /// What the piece of wall of a triangle hides from a point; `None` if the point is too near its plane.
    pub(super) fn shadow(&self, triangle: usize, from: DVec3) -> Option<Shadow> {
        Shadow::new(self.0[triangle], from)
    }
}

/// Four corners of a face that is convex, with much of its area; `None` of others, and of one that a piece of it serves better.
fn convex_face(scene: &Scene, id: FaceId) -> Option<[DVec3; 4]> {
    let face = scene.face(id);
    // What is one triangle or two is found as such.
    if face.triangles.len() <= 2 || face.triangles.len() > MOST_TRIANGLES {
        return None;
    }
    let plane = scene.plane(face.plane);
    let (u, v) = plane.axes();
    let corners = face.triangles.clone().flat_map(|t| scene.corners(t));
    let flat: Vec<DVec2> = corners.map(|p| DVec2::new(u.dot(p), v.dot(p))).collect();
    let mut hull = convex_hull(&flat);
    // No gap is left between its triangles if they fill their hull.
    let whole = area(&hull);
    let gap = (whole - face.area).abs();
    if gap > NO_GAP * whole {
        return None;
    }
    let ear = |hull: &[DVec2], k: usize| {
        let n = hull.len();
        area(&[hull[(k + n - 1) % n], hull[k], hull[(k + 1) % n]])
    };
    while hull.len() > 4 {
        let least = (0..hull.len()).min_by(|a, b| ear(&hull, *a).total_cmp(&ear(&hull, *b)))?;
        hull.remove(least);
    }
    if area(&hull) < 0.5 * whole {
        return None;
    }
    let in_space = |p: &DVec2| p.x * u + p.y * v + plane.offset * plane.normal;
    let [a, b, c] = [0, 1, 2].map(|k| hull.get(k).map(in_space));
    Some([a?, b?, c?, hull.get(3).map(in_space).or(c)?])
}

fn area(corners: &[DVec2]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    let twice: f64 = corners.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum();
    0.5 * twice.abs()
}

/// Whether four points in a plane, in their order, make a convex quadrangle.
fn is_convex(corners: [DVec3; 4]) -> bool {
    let turn = |k: usize| {
        let [a, b, c] = [0, 1, 2].map(|i| corners[(k + i) % 4]);
        (b - a).cross(c - b)
    };
    (1..4).all(|k| turn(0).dot(turn(k)) > 0.0)
}

/// All that lies behind a piece of wall, seen from a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shadow {
    /// Half spaces whose insides it has in common: unit normal, which points out, and offset.
    sides: [(DVec3, f64); 5],
}

impl Shadow {
    fn new(corners: [DVec3; 4], from: DVec3) -> Option<Self> {
        let across = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let normal = across.try_normalize()?;
        let height = normal.dot(from - corners[0]);
        // Towards the point.
        let normal = if height > 0.0 { normal } else { -normal };
        if height.abs() <= MARGIN.max(COPLANAR_DISTANCE) {
            return None;
        }
        let centre = 0.25 * corners.iter().sum::<DVec3>();
        let mut sides = [(normal, normal.dot(corners[0]) - MARGIN); 5];
        for (k, side) in sides.iter_mut().skip(1).enumerate() {
            let [a, b] = [corners[k], corners[(k + 1) % 4]];
            let out = (a - from).cross(b - from);
            let Some(out) = out.try_normalize() else {
                // A triangle has the same corner twice.
                continue;
            };
            let out = if out.dot(centre - from) > 0.0 {
                -out
            } else {
                out
            };
            *side = (out, out.dot(from) - MARGIN);
        }
        Some(Self { sides })
    }

    /// Whether all of a box is in it.
    pub(super) fn hides(&self, centre: DVec3, half: DVec3) -> bool {
        self.sides
            .iter()
            .all(|(normal, offset)| normal.dot(centre) + normal.abs().dot(half) < *offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shadow_widens_behind_its_wall() {
        let wall = [[5., -1., -1.], [5., 1., -1.], [5., 1., 1.], [5., -1., 1.]];
        let shadow = Shadow::new(wall.map(DVec3::from), DVec3::ZERO).unwrap();
        let hides = |at: [f64; 3], half: f64| shadow.hides(at.into(), DVec3::splat(half));
        assert!(hides([10., 0., 0.], 1.5));
        assert!(!hides([10., 0., 0.], 2.1));
        assert!(!hides([4., 0., 0.], 0.1));
        assert!(!hides([5., 0., 0.], 0.0));
        assert!(hides([10., 1.9, -1.9], 0.0));
        assert!(!hides([10., 2.1, 0.], 0.0));
    }
}
