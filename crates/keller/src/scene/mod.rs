//! Step 1 of a ray's life: triangles become a checked, immutable scene of planar faces and wedges.

mod ids;
mod mesh;

pub use ids::{EdgeId, FaceId, MaterialId, PlaneId};
pub use mesh::{Mesh, MeshMaterial, MeshTriangle};

use glam::DVec3;

/// An unbounded plane: the points `x` with `normal . x = offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Unit normal.
    pub normal: DVec3,
    /// Distance from the global origin along the normal, metres.
    pub offset: f64,
}

impl Plane {
    /// Signed distance of `point`, positive where the normal points, metres.
    pub fn distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The mirror image of `point`.
    pub fn mirror(&self, point: DVec3) -> DVec3 {
        point - 2.0 * self.distance(point) * self.normal
    }
}
