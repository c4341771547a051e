//! Which walls a beam goes on behind.

use crate::paths::Transparency;
use crate::scene::{FaceId, Scene};

/// How many walls a path may pass, and which.
#[derive(Debug)]
pub(super) struct Walls {
    max: u32,
    /// By plane: whether anything in it lets waves pass. Empty where no wall may be passed.
    passable: Vec<bool>,
}

impl Walls {
    /// Up to `max_transmissions` walls of those that `transparency` allows.
    pub(super) fn new(
        scene: &Scene,
        max_transmissions: usize,
        transparency: &Transparency,
    ) -> Self {
        let mut passable = Vec::new();
        if max_transmissions > 0 {
            passable.resize(scene.planes().len(), false);
            for (f, face) in scene.faces().iter().enumerate() {
                passable[face.plane.index()] |= transparency.passes(scene, FaceId::from_index(f));
            }
        }
        Self {
            max: u32::try_from(max_transmissions).unwrap_or(u32::MAX),
            passable,
        }
    }

    /// Whether a beam that has passed `passed` walls goes on behind `plane`.
    pub(super) fn passes(&self, plane: u32, passed: u32) -> bool {
        passed < self.max && self.passable[plane as usize]
    }
}
