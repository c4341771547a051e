//! The faces that may lie on another face of their plane: the twin walls of houses that touch, and decals.
//!
//! A ray meets either of such faces. The smaller one counts everywhere in keller, so the face that a ray meets there is
//! looked up again.

use glam::DVec3;

use super::wall::Wall;
use crate::scene::{FaceId, Scene};

/// Boxes that overlap by less than this only touch, metres.
const TOUCHING: f64 = 1e-3;

/// The faces that may overlap another one.
#[derive(Debug, Default)]
pub(in crate::coverage::tubes) struct Overlaps(Vec<bool>);

impl Overlaps {
    pub(in crate::coverage::tubes) fn new(scene: &Scene) -> Self {
        let mut boxes = vec![[DVec3::INFINITY, DVec3::NEG_INFINITY]; scene.faces().len()];
        for (triangle, face) in scene.triangle_faces().iter().enumerate() {
            let [low, high] = &mut boxes[face.index()];
            for corner in scene.corners(triangle) {
                (*low, *high) = (low.min(corner), high.max(corner));
            }
        }
        let mut faces: Vec<FaceId> = (0..boxes.len()).map(FaceId::from_index).collect();
        faces.sort_by(|a, b| {
            let by_plane = scene.plane_of(*a).cmp(&scene.plane_of(*b));
            let [a_low, b_low] = [a, b].map(|face| boxes[face.index()][0].x);
            by_plane.then(a_low.total_cmp(&b_low))
        });
        let mut is_overlapping = vec![false; boxes.len()];
        for plane in faces.chunk_by(|a, b| scene.plane_of(*a) == scene.plane_of(*b)) {
            for (k, &face) in plane.iter().enumerate() {
                let [low, high] = boxes[face.index()];
                for &other in &plane[k + 1..] {
                    let [other_low, other_high] = boxes[other.index()];
                    if other_low.x > high.x {
                        break;
                    }
                    // Both faces are flat along the normal.
                    let shared = high.min(other_high) - low.max(other_low);
                    let axes = (0..3).filter(|axis| shared[*axis] > TOUCHING).count();
                    let is_one = Wall::of(scene, face) == Wall::of(scene, other);
                    if axes >= 2 && shared.min_element() >= -TOUCHING && !is_one {
                        is_overlapping[face.index()] = true;
                        is_overlapping[other.index()] = true;
                    }
                }
            }
        }
        Self(is_overlapping)
    }

    /// The face that counts, of those that may lie at the point where a ray meets `face`.
    pub(in crate::coverage::tubes) fn visible(
        &self,
        scene: &Scene,
        face: FaceId,
        point: impl FnOnce() -> DVec3,
    ) -> FaceId {
        if !self.0[face.index()] {
            return face;
        }
        let plane = scene.plane_of(face);
        scene.face_at(plane, point()).unwrap_or(face)
    }
}
