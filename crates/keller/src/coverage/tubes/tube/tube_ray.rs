//! Rays of tubes, and points as a source sees them.

use glam::DVec3;

use super::direction_cells::CubePoint;
use crate::geometry::Plane;

/// A ray in double precision. Distances along it are in units of its direction.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct TubeRay {
    pub(in crate::coverage::tubes) origin: DVec3,
    pub(in crate::coverage::tubes) direction: DVec3,
}

/// A point, located from a source.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct LocatedPoint {
    pub(in crate::coverage::tubes) on: CubePoint,
    /// The start of the ray to the point, on the source.
    pub(in crate::coverage::tubes) origin: DVec3,
    /// The length of the path before that, metres; 0 for an image of the Tx.
    pub(in crate::coverage::tubes) behind: f64,
    /// The sine of the angle between the ray and the edge, if it comes from one.
    pub(in crate::coverage::tubes) sin_beta: f64,
    /// The distance along that edge, metres, and the angle around it, radians.
    pub(in crate::coverage::tubes) place: [f64; 2],
}

impl TubeRay {
    /// The intersection with a plane, in units of the direction.
    pub(in crate::coverage::tubes) fn meets(&self, plane: &Plane) -> f64 {
        -plane.distance(self.origin) / plane.normal.dot(self.direction)
    }

    pub(in crate::coverage::tubes) fn at(&self, t: f64) -> DVec3 {
        self.origin + t * self.direction
    }

    /// The entry into a box that is not behind its origin, and the exit, in units of the direction; `None` if it misses
    /// the box.
    pub(in crate::coverage::tubes) fn crossing(&self, [low, high]: [DVec3; 2]) -> Option<[f64; 2]> {
        let [a, b] = [low, high].map(|corner| (corner - self.origin) / self.direction);
        let enter = a.min(b).max_element();
        let exit = a.max(b).min_element();
        (enter <= exit && exit >= 0.0).then_some([enter, exit])
    }
}
