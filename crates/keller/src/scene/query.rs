//! Geometric queries, decided in f64: the f32 index only proposes triangles.

use glam::{DVec2, DVec3};

use super::{FaceId, PlaneId, Scene};
use crate::geometry::Plane;
use crate::geometry::tolerance::{
    COPLANAR_DISTANCE, OCCLUDER_GROWTH, ON_FACE_DISTANCE, TIE_DISTANCE,
};

/// A wall that a straight segment crosses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// Position along the segment, 0 to 1.
    pub t: f64,
    /// The wall's plane. A straight segment crosses each plane at most once.
    pub plane: PlaneId,
    /// The face that is crossed. If several faces of one plane overlap there, the smallest.
    pub face: FaceId,
}

impl Scene {
    /// The walls between `a` and `b`, in order and at most `limit`, without the planes in `skip`. `None` if there are
    /// more.
    ///
    /// Walls extend [`OCCLUDER_GROWTH`] beyond their borders, so that nothing leaks through a crack.
    pub fn crossings(
        &self,
        a: DVec3,
        b: DVec3,
        skip: &[PlaneId],
        limit: usize,
        crossings: &mut Vec<Crossing>,
    ) -> Option<()> {
        self.crossings_behind(&[], a, b, skip, limit, crossings)
    }

    /// The walls of [`Self::crossings`] on the last segment of a path that reached `a` over the points `before`. A wall
    /// that contains `a` is crossed if the path arrives on one of its sides and leaves on the other, but not if the
    /// path only touches it. A wall that contains `b` is left to the next segment. A wall in whose plane the segment
    /// runs is not crossed, but walls that stand on its border are.
    pub(crate) fn crossings_behind(
        &self,
        before: &[DVec3],
        a: DVec3,
        b: DVec3,
        skip: &[PlaneId],
        limit: usize,
        crossings: &mut Vec<Crossing>,
    ) -> Option<()> {
        crossings.clear();
        let mut is_within = true;
        self.index.candidates(
            a - self.origin,
            b - self.origin,
            INDEX_MARGIN,
            &mut |triangle| {
                let face = self.triangle_faces[triangle as usize];
                let plane_id = self.plane_of(face);
                if skip.contains(&plane_id) {
                    return true;
                }
                let plane = self.plane(plane_id);
                let Some(t) = crossing_behind(plane, before, a, b) else {
                    return true;
                };
                let point = a.lerp(b, t);
                if !self.is_on_triangle(triangle as usize, plane, point, OCCLUDER_GROWTH) {
                    return true;
                }
                match crossings.iter_mut().find(|c| c.plane == plane_id) {
                    Some(known) => known.face = self.upper_face(known.face, face),
                    None => crossings.push(Crossing {
                        t,
                        plane: plane_id,
                        face,
                    }),
                }
                is_within = crossings.len() <= limit;
                is_within
            },
        );
        crossings.sort_by(|x, y| x.t.total_cmp(&y.t).then(x.plane.cmp(&y.plane)));
        is_within.then_some(())
    }

    /// The height of the ground at `at`, metres: the lowest face there on which something can stand, or the lowest face
    /// if there is none such. `None` outside all faces.
    ///
    /// Things stand on open sheets, on top of closed bodies, and on the floors of rooms ([`Self::bodies`]), whichever
    /// way fronts point. So a roof or a bridge with ground under it is not the ground, nor is the floor of a closed
    /// building.
    pub fn ground(&self, at: DVec2) -> Option<f64> {
        let [low, high] = self.bounds();
        let (top, bottom) = (at.extend(high.z + 1.0), at.extend(low.z - 1.0));
        // Faces on which something can stand come first; among these, the lowest counts.
        let mut lowest: Option<(bool, f64)> = None;
        let mut visit = |triangle: usize, t: f64| {
            let found = (self.carries(triangle), t);
            if lowest.is_none_or(|known| known < found) {
                lowest = Some(found);
            }
        };
        self.each_crossed(top, bottom, OCCLUDER_GROWTH, &mut visit);
        lowest.map(|(_, t)| top.z + t * (bottom.z - top.z))
    }

    /// Calls `visit` with every triangle that the segment from `a` to `b` crosses, or misses by at most `growth`
    /// metres, and with the position along the segment, 0 to 1. In no order.
    pub(super) fn each_crossed(
        &self,
        a: DVec3,
        b: DVec3,
        growth: f64,
        visit: &mut impl FnMut(usize, f64),
    ) {
        let [from, to] = [a, b].map(|end| end - self.origin);
        self.index
            .candidates(from, to, INDEX_MARGIN, &mut |triangle| {
                let triangle = triangle as usize;
                let plane = self.plane(self.plane_of(self.triangle_faces[triangle]));
                if let Some(t) = crossing(plane, a, b)
                    && self.is_on_triangle(triangle, plane, a.lerp(b, t), growth)
                {
                    visit(triangle, t);
                }
                true
            });
    }

    /// Calls `visit` with every triangle of `planes` that is near the segment between two points.
    pub(super) fn each_along(
        &self,
        planes: [Option<PlaneId>; 2],
        ends: [DVec3; 2],
        visit: &mut impl FnMut(usize),
    ) {
        let [a, b] = ends.map(|end| end - self.origin);
        self.index.candidates(a, b, INDEX_MARGIN, &mut |triangle| {
            let triangle = triangle as usize;
            if planes.contains(&Some(self.plane_of(self.triangle_faces[triangle]))) {
                visit(triangle);
            }
            true
        });
    }

    /// Calls `visit` with every triangle of `plane` that contains `point`, which lies in that plane, or misses it by at most
    /// `growth` metres.
    pub(super) fn each_at(
        &self,
        plane: PlaneId,
        point: DVec3,
        growth: f64,
        visit: &mut impl FnMut(usize),
    ) {
        let local = point - self.origin;
        self.index
            .candidates(local, local, INDEX_MARGIN, &mut |triangle| {
                let triangle = triangle as usize;
                if self.plane_of(self.triangle_faces[triangle]) == plane
                    && self.is_on_triangle(triangle, self.plane(plane), point, growth)
                {
                    visit(triangle);
                }
                true
            });
    }

    /// The face of `plane` that contains `point`, which lies in that plane. If several overlap there, the smallest.
    pub fn face_at(&self, plane: PlaneId, point: DVec3) -> Option<FaceId> {
        let mut found: Option<FaceId> = None;
        let local = point - self.origin;
        self.index
            .candidates(local, local, INDEX_MARGIN, &mut |triangle| {
                let face = self.triangle_faces[triangle as usize];
                if self.plane_of(face) == plane
                    && found != Some(face)
                    && self.is_on_triangle(
                        triangle as usize,
                        self.plane(plane),
                        point,
                        ON_FACE_DISTANCE,
                    )
                {
                    found = Some(found.map_or(face, |known| self.upper_face(known, face)));
                }
                true
            });
        found
    }

    /// The face that reflects a wave at `point`, which lies in the plane. It is that of [`Self::face_at`], except at
    /// the common border of all faces of the plane: there it is `None`, because a reflection exists on one side of the
    /// border and not on the other.
    pub(crate) fn reflecting_face_at(&self, plane_id: PlaneId, point: DVec3) -> Option<FaceId> {
        /// Distance from the border up to which faces count as larger, and points as lying farther out.
        const INSIDE: f64 = 2.0 * ON_FACE_DISTANCE;
        let plane = self.plane(plane_id);
        let local = point - self.origin;
        let mut found: Option<FaceId> = None;
        let mut is_inside = false;
        self.index
            .candidates(local, local, INDEX_MARGIN, &mut |triangle| {
                let face = self.triangle_faces[triangle as usize];
                let triangle = triangle as usize;
                if self.plane_of(face) == plane_id
                    && self.is_on_triangle(triangle, plane, point, ON_FACE_DISTANCE)
                {
                    is_inside = is_inside || self.is_on_triangle(triangle, plane, point, -INSIDE);
                    found = Some(found.map_or(face, |known| self.upper_face(known, face)));
                }
                true
            });
        let is_shown = is_inside || {
            let (u, v) = plane.axes();
            let around = [u, -u, v, -v].map(|to| point + INSIDE * to);
            found.is_some() && around.iter().all(|p| self.face_at(plane_id, *p).is_some())
        };
        found.filter(|_| is_shown)
    }

    /// Whether `point`, which lies in the plane of `face`, is on that face.
    pub(crate) fn is_on_face(&self, face: FaceId, point: DVec3) -> bool {
        let plane = self.plane(self.plane_of(face));
        let mut is_on = false;
        let local = point - self.origin;
        self.index
            .candidates(local, local, INDEX_MARGIN, &mut |triangle| {
                is_on = self.triangle_faces[triangle as usize] == face
                    && self.is_on_triangle(triangle as usize, plane, point, ON_FACE_DISTANCE);
                !is_on
            });
        is_on
    }

    /// Whether any face that `counts` selects passes within `distance` of `point`.
    pub fn any_face_near(
        &self,
        point: DVec3,
        distance: f64,
        counts: impl Fn(FaceId) -> bool,
    ) -> bool {
        self.face_near(point, distance, counts).is_some()
    }

    /// The nearest face that `counts` selects and that passes within `distance` of `point`. The first of several
    /// equally near ones counts.
    pub fn face_near(
        &self,
        point: DVec3,
        distance: f64,
        counts: impl Fn(FaceId) -> bool,
    ) -> Option<(FaceId, f64)> {
        let mut found: Option<(f64, FaceId)> = None;
        let local = point - self.origin;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the margin only has to be large enough"
        )]
        let margin = INDEX_MARGIN + distance as f32;
        self.index
            .candidates(local, local, margin, &mut |triangle| {
                let face = self.triangle_faces[triangle as usize];
                let plane = self.plane(self.plane_of(face));
                let away = plane.distance(point);
                if away.abs() <= distance && counts(face) {
                    let foot = point - away * plane.normal;
                    let near = (away.abs(), face);
                    if self.is_on_triangle(triangle as usize, plane, foot, distance)
                        && found.is_none_or(|known| near < known)
                    {
                        found = Some(near);
                    }
                }
                true
            });
        found.map(|(distance, face)| (face, distance))
    }

    /// Calls `visit` with the faces that pass within `distance` of `point`, in no order, and with some more than once.
    pub(crate) fn faces_near(&self, point: DVec3, distance: f64, mut visit: impl FnMut(FaceId)) {
        let local = point - self.origin;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the margin only has to be large enough"
        )]
        let margin = INDEX_MARGIN + distance as f32;
        self.index
            .candidates(local, local, margin, &mut |triangle| {
                let face = self.triangle_faces[triangle as usize];
                let plane = self.plane(self.plane_of(face));
                let away = plane.distance(point);
                if away.abs() <= distance {
                    let corners = self.corners(triangle as usize);
                    let foot = point - away * plane.normal;
                    let is_over = self.is_on_triangle(triangle as usize, plane, foot, 0.0);
                    if is_over || is_near_sides(corners, point, distance) {
                        visit(face);
                    }
                }
                true
            });
    }

    /// The visible one of two overlapping faces: a decal is smaller than its wall.
    fn upper_face(&self, a: FaceId, b: FaceId) -> FaceId {
        if self.by_rank(a, b).is_le() { a } else { b }
    }

    /// The order of overlapping faces, with the visible one first.
    pub(crate) fn by_rank(&self, a: FaceId, b: FaceId) -> std::cmp::Ordering {
        let area = |f: FaceId| self.face(f).area;
        area(a).total_cmp(&area(b)).then(a.cmp(&b))
    }

    /// Whether `point` of `plane` is on the triangle, or at most `growth` metres outside.
    fn is_on_triangle(&self, triangle: usize, plane: &Plane, point: DVec3, growth: f64) -> bool {
        let [a, b, c] = self.corners(triangle);
        // Twice the areas of the three triangles between the point and the sides, seen along the plane's normal.
        let side = |p: DVec3, q: DVec3| {
            let along = q - p;
            (
                plane.normal.dot(along.cross(point - p)),
                growth * along.length(),
            )
        };
        let sides = [side(a, b), side(b, c), side(c, a)];
        if !sides.iter().all(|&(s, slack)| s >= -slack)
            && !sides.iter().all(|&(s, slack)| s <= slack)
        {
            return false;
        }
        // Near the tip of a sliver, the three half planes extend beyond the growth.
        let low = a.min(b).min(c) - growth - COPLANAR_DISTANCE;
        let high = a.max(b).max(c) + growth + COPLANAR_DISTANCE;
        point.cmpge(low).all() && point.cmple(high).all()
    }
}

/// Whether a side of a triangle passes within `distance` of a point.
fn is_near_sides([a, b, c]: [DVec3; 3], point: DVec3, distance: f64) -> bool {
    [(a, b), (b, c), (c, a)].into_iter().any(|(p, q)| {
        let side = q - p;
        let t = (point - p).dot(side) / side.length_squared();
        point.distance(p + t.clamp(0.0, 1.0) * side) <= distance
    })
}

/// The size by which the boxes of the index exceed the growths, metres. f32 rounding at the largest coordinates is
/// added to it.
const INDEX_MARGIN: f32 = 1e-3;

/// The point at which the last segment of a path over `before`, `a` and `b` crosses `plane`, as a share of the segment.
fn crossing_behind(plane: &Plane, before: &[DVec3], a: DVec3, b: DVec3) -> Option<f64> {
    let (from, to) = (plane.distance(a), plane.distance(b));
    if to.abs() <= TIE_DISTANCE {
        return None;
    }
    if from.abs() > TIE_DISTANCE {
        return (from * to < 0.0).then(|| from / (from - to));
    }
    let before = before.iter().rev().map(|point| plane.distance(*point));
    let came_from = before.into_iter().find(|d| d.abs() > TIE_DISTANCE)?;
    (came_from * to < 0.0).then_some(0.0)
}

/// The point at which the segment from `a` to `b` crosses `plane`, as a share of the segment, if its ends lie strictly
/// on either side.
fn crossing(plane: &Plane, a: DVec3, b: DVec3) -> Option<f64> {
    let (from, to) = (plane.distance(a), plane.distance(b));
    (from * to < 0.0).then(|| from / (from - to))
}
