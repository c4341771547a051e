//! Rays along one segment of a path, for the ray index in single precision.
//!
//! The wall or edge at which a segment ends must not block it. The triangles of one plane form a group, and a ray names
//! up to two groups through which it passes: the plane of a wall, or the planes of both faces of an edge.

use crate::geometry::bvh::{Hit, Ray};
use crate::scene::{EdgeId, PlaneId, Scene};

/// A ray from an edge ends here, as a share of its length: just before its target.
pub(in crate::coverage::tubes) const BEFORE_END: f32 = 1.0 - 1e-5;

/// The group of the triangles in a plane.
pub(in crate::coverage::tubes) fn group(plane: PlaneId) -> u32 {
    u32::try_from(plane.index()).unwrap_or(Ray::NO_GROUP)
}

/// The groups of the faces that end at an edge.
pub(in crate::coverage::tubes) fn groups_at(scene: &Scene, edge: EdgeId) -> [u32; 2] {
    let faces = scene.edges()[edge.index()].faces;
    faces.map(|face| face.map_or(Ray::NO_GROUP, |face| group(scene.plane_of(face))))
}

/// Whether a ray from an edge back to a plane is free. A hit of the plane itself, which rounding may put before the end
/// of the ray, does not block it.
pub(in crate::coverage::tubes) fn ends_at(
    scene: &Scene,
    plane: Option<PlaneId>,
    hit: Option<Hit>,
) -> bool {
    hit.is_none_or(|hit| {
        let face = scene.triangle_faces()[hit.triangle as usize];
        plane == Some(scene.plane_of(face))
    })
}
