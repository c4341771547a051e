//! Rays along one segment of a path, in the single precision of the ray index.
//!
//! A segment must not be blocked by the wall or the edge at which it ends. Triangles of one plane therefore form a group, and a ray
//! names up to two groups that it passes through: the reflecting or transmitting plane, or both faces of an edge.

use crate::geometry::bvh::{Hit, Ray};
use crate::scene::{EdgeId, PlaneId, Scene};

/// A ray towards an edge stops this far before its end, as a part of its length: the faces of other edges may end there too.
pub(super) const BEFORE_END: f32 = 1.0 - 1e-5;

/// The group of the triangles in a plane.
pub(super) fn group(plane: PlaneId) -> u32 {
    u32::try_from(plane.index()).unwrap_or(Ray::NO_GROUP)
}

/// The groups of the faces that end at an edge.
pub(super) fn groups_at(scene: &Scene, edge: EdgeId) -> [u32; 2] {
    let faces = scene.edges()[edge.index()].faces;
    faces.map(|face| face.map_or(Ray::NO_GROUP, |face| group(scene.plane_of(face))))
}

/// Whether a ray from an edge back to a plane meets nothing before: the plane itself, which rounding may put before the ray's end,
/// is nothing.
pub(super) fn ends_at(scene: &Scene, plane: Option<PlaneId>, hit: Option<Hit>) -> bool {
    hit.is_none_or(|hit| {
        let face = scene.triangle_faces()[hit.triangle as usize];
        plane == Some(scene.plane_of(face))
    })
}
