//! The occluders of tiles: convex pieces of walls.

use std::num::NonZeroU32;

use glam::{DVec2, DVec3};
use rustc_hash::FxHashMap;

use super::rectangle::convex_hull;
use crate::geometry::polygon::area;
use crate::geometry::tolerance::COPLANAR_DISTANCE;
use crate::scene::{FaceId, PlaneId, Scene};

/// Faces of more triangles are terrain, whose hulls are not worth the search.
const MAX_TRIANGLES: usize = 1000;

/// A face may be convex and without holes if its area differs from that of its hull by at most this part.
const NO_GAP: f64 = 1e-9;

/// Triangles by the two vertices of a side, with the smaller vertex first.
type Sides = FxHashMap<(u32, u32), Vec<usize>>;

/// The number of a convex piece. Triangles come first, with their own numbers; larger pieces follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PieceId(NonZeroU32);

impl PieceId {
    fn new(index: usize) -> Self {
        let number = u32::try_from(index + 1).ok().and_then(NonZeroU32::new);
        Self(number.expect("triangles and their pairs fit in 32 bits"))
    }

    pub(super) fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Convex pieces of walls, of three or four corners.
#[derive(Debug)]
pub(super) struct Occluders {
    /// Four corners, in order around each piece.
    quads: Vec<([DVec3; 4], PlaneId)>,
    /// The piece that contains each triangle.
    of: Vec<PieceId>,
}

impl Occluders {
    /// The piece for each triangle is its face, if that is convex. Otherwise it is the quadrangle that the triangle
    /// forms with its best neighbour.
    pub(super) fn new(scene: &Scene) -> Self {
        let num_triangles = scene.triangles().len();
        let mut quads = Vec::new();
        let mut of = Vec::with_capacity(num_triangles);
        let mut sides = Sides::default();
        for (t, [a, b, c]) in scene.triangles().iter().enumerate() {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                sides.entry((*p.min(q), *p.max(q))).or_default().push(t);
            }
        }
        let area = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a).length();
        let pair = |t: usize| {
            let mine = scene.triangles()[t];
            let mut best = (None, 0.0);
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
                        best = (Some(around), size);
                    }
                }
            }
            best.0
        };
        let mut faces: Vec<Option<PieceId>> = vec![None; scene.faces().len()];
        for (f, piece) in faces.iter_mut().enumerate() {
            if let Some(quad) = convex_face(scene, FaceId::from_index(f), &sides) {
                *piece = Some(PieceId::new(num_triangles + quads.len()));
                quads.push((quad, scene.faces()[f].plane));
            }
        }
        for t in 0..num_triangles {
            let face = scene.triangle_faces()[t];
            let piece = faces[face.index()].or_else(|| {
                let piece = PieceId::new(num_triangles + quads.len());
                quads.push((pair(t)?, scene.plane_of(face)));
                Some(piece)
            });
            of.push(piece.unwrap_or(PieceId::new(t)));
        }
        Self { quads, of }
    }

    /// The number of pieces.
    pub(super) fn len(&self) -> usize {
        self.of.len() + self.quads.len()
    }

    /// A large piece that contains a triangle.
    pub(super) fn around(&self, triangle: u32) -> PieceId {
        self.of[triangle as usize]
    }

    /// The corners of a piece, and its plane. A triangle has its last corner twice.
    pub(super) fn piece(&self, scene: &Scene, piece: PieceId) -> ([DVec3; 4], PlaneId) {
        if let Some(quad) = piece.index().checked_sub(self.of.len()) {
            return self.quads[quad];
        }
        let [a, b, c] = scene.corners(piece.index());
        let face = scene.triangle_faces()[piece.index()];
        ([a, b, c, c], scene.plane_of(face))
    }
}

/// The corners, at most four, of a convex face, which cover at least half of its area. `None` for other faces.
fn convex_face(scene: &Scene, id: FaceId, sides: &Sides) -> Option<[DVec3; 4]> {
    let face = scene.face(id);
    if face.triangles.len() < 2 || face.triangles.len() > MAX_TRIANGLES {
        return None;
    }
    let plane = scene.plane(face.plane);
    let (u, v) = plane.axes();
    let corners = face.triangles.clone().flat_map(|t| scene.corners(t));
    let flat: Vec<DVec2> = corners.map(|p| DVec2::new(u.dot(p), v.dot(p))).collect();
    let mut hull = convex_hull(&flat);
    let whole = area(&hull);
    let gap = (whole - face.area).abs();
    if gap > NO_GAP * whole || !is_one_sheet(scene, id, sides, &hull) {
        return None;
    }
    let ear = |hull: &[DVec2], k: usize| {
        let n = hull.len();
        area(&[hull[(k + n - 1) % n], hull[k], hull[(k + 1) % n]])
    };
    while hull.len() > 4 {
        let flattest = (0..hull.len()).min_by(|a, b| ear(&hull, *a).total_cmp(&ear(&hull, *b)))?;
        hull.remove(flattest);
    }
    if area(&hull) < 0.5 * whole {
        return None;
    }
    let in_space = |p: &DVec2| p.x * u + p.y * v + plane.offset * plane.normal;
    let [a, b, c] = [0, 1, 2].map(|k| hull.get(k).map(in_space));
    Some([a?, b?, c?, hull.get(3).map(in_space).or(c)?])
}

/// Whether each side of each triangle of a face borders on exactly one other triangle across it, or lies on the hull.
/// Then the triangles cover the hull equally often everywhere, and once if their areas add up to its area. Areas alone
/// do not show this, because overlaps and gaps may cancel.
fn is_one_sheet(scene: &Scene, id: FaceId, sides: &Sides, hull: &[DVec2]) -> bool {
    let plane = scene.plane(scene.face(id).plane);
    let (u, v) = plane.axes();
    let flat = |vertex: u32| {
        let p = scene.vertices()[vertex as usize];
        DVec2::new(u.dot(p), v.dot(p))
    };
    let is_on_hull = |points: [DVec2; 2]| {
        (0..hull.len()).any(|k| {
            let (a, b) = (hull[k], hull[(k + 1) % hull.len()]);
            let along = (b - a).normalize_or_zero();
            let is_near = |p: &DVec2| along.perp_dot(*p - a).abs() < COPLANAR_DISTANCE;
            points.iter().all(is_near)
        })
    };
    let is_mine = |other: &usize| scene.triangle_faces()[*other] == id;
    scene.face(id).triangles.clone().all(|t| {
        let mine = scene.triangles()[t];
        (0..3).all(|k| {
            let [a, b, apex] = [mine[k], mine[(k + 1) % 3], mine[(k + 2) % 3]];
            let others = sides[&(a.min(b), a.max(b))].iter();
            let others: Vec<usize> = others.copied().filter(|o| *o != t && is_mine(o)).collect();
            let [a, b, apex] = [a, b, apex].map(flat);
            match others[..] {
                [] => is_on_hull([a, b]),
                [other] => {
                    let vertices = scene.triangles()[other].map(flat);
                    let across = |p: DVec2| (b - a).perp_dot(p - a);
                    let is_across = |p: &DVec2| across(*p) * across(apex) < 0.0;
                    vertices.iter().any(is_across)
                }
                _ => false,
            }
        })
    })
}

/// Whether four points in a plane, in their order, form a convex quadrangle.
fn is_convex(corners: [DVec3; 4]) -> bool {
    let turn = |k: usize| {
        let [a, b, c] = [0, 1, 2].map(|i| corners[(k + i) % 4]);
        (b - a).cross(c - b)
    };
    (1..4).all(|k| turn(0).dot(turn(k)) > 0.0)
}
