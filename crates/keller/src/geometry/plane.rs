//! Unbounded planes.

use glam::DVec3;

/// The points `x` with `normal . x = offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Unit normal.
    pub normal: DVec3,
    /// Distance from the global origin along the normal, metres.
    pub offset: f64,
}

impl Plane {
    /// The plane through `point` across `normal` (any length but zero), with the normal turned up, or else north, or else east:
    /// the same plane for either sign of the normal.
    pub fn new(point: DVec3, normal: DVec3) -> Self {
        /// The size below which a component is rounding and does not decide.
        const NONE: f64 = 1e-6;
        let n = normal.normalize();
        let leading = [n.z, n.y, n.x].into_iter().find(|c| c.abs() > NONE);
        let normal = if leading.is_some_and(|c| c < 0.0) {
            -n
        } else {
            n
        };
        Self {
            normal,
            offset: normal.dot(point),
        }
    }

    /// Signed distance of `point`, positive where the normal points, metres.
    pub fn distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The intersection with the line through two points, which lie at different distances.
    pub fn between(&self, a: DVec3, b: DVec3) -> DVec3 {
        let (from, to) = (self.distance(a), self.distance(b));
        a.lerp(b, from / (from - to))
    }

    /// The mirror image of `point`.
    pub fn mirror(&self, point: DVec3) -> DVec3 {
        point - 2.0 * self.distance(point) * self.normal
    }

    /// Two unit vectors that span the plane; with the normal they are right-handed.
    pub fn axes(&self) -> (DVec3, DVec3) {
        let u = self.normal.any_orthonormal_vector();
        (u, self.normal.cross(u))
    }
}
