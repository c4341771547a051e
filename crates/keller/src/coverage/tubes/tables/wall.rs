//! The condition under which faces are one wall for a bundle.

use crate::scene::{FaceId, MaterialId, PlaneId, Scene};

/// Faces of one plane, material and side are one wall: tubes that meet them continue together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::coverage::tubes) struct Wall {
    pub(in crate::coverage::tubes) plane: PlaneId,
    pub(in crate::coverage::tubes) material: MaterialId,
    /// Whether the normal of the face is that of the plane.
    is_along_plane: bool,
}

impl Wall {
    pub(in crate::coverage::tubes) fn of(scene: &Scene, face: FaceId) -> Self {
        let plane = scene.plane_of(face);
        Self {
            plane,
            material: scene.face(face).material,
            is_along_plane: scene.face_normal(face).dot(scene.plane(plane).normal) > 0.0,
        }
    }
}
