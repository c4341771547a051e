//! Rays along one segment of a path, for the ray index in single precision.
//!
//! The wall or edge at which a segment ends must not block it. The triangles of one plane form a group, and a ray names
//! up to two groups through which it passes: the plane of a wall, or the planes of both faces of an edge.

use glam::Vec3;

use crate::geometry::bvh::{Hit, Ray};
use crate::scene::{EdgeId, PlaneId, Scene};

/// The ray from an edge back to where its wave comes from: a wall, the Tx, or another edge, whose faces it must not meet
/// at its end. So it ends before that by a share of its length, and by more than the rounding of coordinates, which
/// counts between two edges that nearly touch.
pub(super) fn back(from: Vec3, to: Vec3) -> Ray {
    const SHARE: f32 = 1e-5;
    /// As a part of the largest coordinate.
    const ROUNDING: f32 = 3e-6;
    let largest = from.abs().max(to.abs()).max_element();
    let left = SHARE.max(ROUNDING * largest / from.distance(to)).min(0.5);
    Ray {
        t_max: 1.0 - left,
        ..Ray::between(from, to)
    }
}

/// The group of the triangles in a plane.
pub(super) fn group(plane: PlaneId) -> u32 {
    u32::try_from(plane.index()).unwrap_or(Ray::NO_GROUP)
}

/// The groups of the faces that end at an edge.
pub(super) fn groups_at(scene: &Scene, edge: EdgeId) -> [u32; 2] {
    let faces = scene.edges()[edge.index()].faces;
    faces.map(|face| face.map_or(Ray::NO_GROUP, |face| group(scene.plane_of(face))))
}

/// Whether a ray from an edge back to a plane is free. A hit of the plane itself, which rounding may put before the end
/// of the ray, does not block it.
pub(super) fn ends_at(scene: &Scene, plane: Option<PlaneId>, hit: Option<Hit>) -> bool {
    hit.is_none_or(|hit| {
        let face = scene.triangle_faces()[hit.triangle as usize];
        plane == Some(scene.plane_of(face))
    })
}
