//! The walls behind which a beam continues.

use crate::paths::Limits;
use crate::scene::{FaceId, Scene};
use crate::world::Transparency;

/// The number of walls that a beam may pass, and the planes that let waves pass.
#[derive(Debug)]
pub(super) struct Walls {
    /// Beams that have passed this many walls continue behind no other.
    pub(super) max: u32,
    /// Whether any face of each plane lets waves pass. Empty if no wall may be passed.
    passable: Vec<bool>,
}

impl Walls {
    /// The walls that `transparency` lets waves pass, if the limits allow any transmission.
    pub(super) fn new(scene: &Scene, limits: &Limits, transparency: &Transparency) -> Self {
        let mut passable = Vec::new();
        if limits.max_transmissions > 0 {
            passable.resize(scene.planes().len(), false);
            for (f, face) in scene.faces().iter().enumerate() {
                passable[face.plane.index()] |= transparency.passes(scene, FaceId::from_index(f));
            }
        }
        Self { max: 0, passable }
    }

    /// Sets how many walls a path with this number of reflections may pass.
    pub(super) fn limit(&mut self, limits: &Limits, reflections: usize) {
        self.max = u32::try_from(limits.transmissions_beside(reflections)).unwrap_or(u32::MAX);
    }

    /// Whether a beam that has passed `passed` walls continues behind `plane`.
    pub(super) fn passes(&self, plane: u32, passed: u32) -> bool {
        passed < self.max && self.passable[plane as usize]
    }
}
