//! The central projection from a source onto the plane of a window, in which everything that a beam meets is drawn.

use glam::{DVec2, DVec3};

use super::bounds::Bounds;
use super::polygon::Rect;

/// The central projection from `source` onto the plane at distance `reach` along `n`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Projection {
    pub(super) source: DVec3,
    pub(super) u: DVec3,
    pub(super) v: DVec3,
    /// Unit vector from the source towards the window's plane.
    pub(super) n: DVec3,
    /// Distance of the window's plane, metres.
    pub(super) reach: f64,
    /// Only points beyond this distance along `n` are visible, metres.
    pub(super) near: f64,
    /// Coordinates of the foot of the perpendicular from the source.
    pub(super) base: DVec2,
}

impl Projection {
    /// The vector from the source to a point of the window.
    #[inline]
    pub(super) fn ray(&self, at: DVec2) -> DVec3 {
        let d = at - self.base;
        self.u * d.x + self.v * d.y + self.n * self.reach
    }

    /// The projection of a point at `r` from the source and at distance `z` along `n`.
    #[inline]
    pub(super) fn draw(&self, r: DVec3, z: f64) -> DVec2 {
        self.base + DVec2::new(self.u.dot(r), self.v.dot(r)) * (self.reach / z)
    }

    /// A rectangle of the window that contains the projection of a box; `None` if the box lies between the source and
    /// the window.
    pub(super) fn shadow(&self, bounds: &Bounds) -> Option<Rect> {
        let (c, half) = (bounds.centre() - self.source, bounds.half());
        let extent = |axis: DVec3| axis.abs().dot(half);
        let (z, z_half) = (self.n.dot(c), extent(self.n));
        let z_far = z + z_half;
        if z_far <= self.near {
            return None;
        }
        let z_near = (z - z_half).max(self.near);
        let (k_near, k_far) = (self.reach / z_near, self.reach / z_far);
        let range = |axis: DVec3| {
            let (x, x_half) = (axis.dot(c), extent(axis));
            let (low, high) = (x - x_half, x + x_half);
            (
                low * if low < 0.0 { k_near } else { k_far },
                high * if high < 0.0 { k_far } else { k_near },
            )
        };
        let ((u_min, u_max), (v_min, v_max)) = (range(self.u), range(self.v));
        Some(Rect {
            min: self.base + DVec2::new(u_min, v_min),
            max: self.base + DVec2::new(u_max, v_max),
        })
    }
}
