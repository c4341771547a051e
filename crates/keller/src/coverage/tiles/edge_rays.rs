//! Where rays leave edges, for those that tiles send to edges and those that edges send to tiles.

use crate::geometry::bvh::Ray;
use crate::scene::{EdgeId, PlaneId, Scene};

/// A ray with a smaller sine of its angle to the edge runs along the edge and is not diffracted.
pub(super) const ALONG_EDGE: f64 = 1e-3;

/// How far before an edge its rays start, metres. Where further walls end at the edge, it is more than the rounding of the
/// index.
pub(super) fn clearance(scene: &Scene, edge: EdgeId) -> f64 {
    if scene.planes_behind(edge).is_empty() {
        0.0
    } else {
        1e-3
    }
}

/// The groups of the planes of an edge's faces.
pub(super) fn groups(scene: &Scene, edge: EdgeId) -> [u32; 2] {
    let faces = scene.edges()[edge.index()].faces;
    faces.map(|face| face.map_or(Ray::NO_GROUP, |face| group(scene.plane_of(face))))
}

/// The group of a plane in the index.
pub(super) fn group(plane: PlaneId) -> u32 {
    u32::try_from(plane.index()).expect("planes fit in 32 bits")
}
