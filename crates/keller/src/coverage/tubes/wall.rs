//! What tubes tell walls apart by.

use crate::scene::{FaceId, MaterialId, PlaneId, Scene};

/// What makes walls one for a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wall {
    pub(super) plane: PlaneId,
    pub(super) material: MaterialId,
    looks_along: bool,
}

impl Wall {
    pub(super) fn of(scene: &Scene, face: FaceId) -> Self {
        let plane = scene.plane_of(face);
        Self {
            plane,
            material: scene.face(face).material,
            looks_along: scene.face_normal(face).dot(scene.plane(plane).normal) > 0.0,
        }
    }
}
