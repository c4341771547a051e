//! The image of the Tx by reflecting planes.

use glam::{DMat3, DVec3};

use super::tube_ray::TubeRay;

/// The image of the Tx by the reflecting planes of a bundle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::coverage::tubes) struct TxImage {
    pub(in crate::coverage::tubes) position: DVec3,
    /// Turns directions at the Tx into directions at the image.
    pub(in crate::coverage::tubes) turn: DMat3,
}

impl TxImage {
    /// The ray that leaves the Tx in a direction.
    pub(in crate::coverage::tubes) fn line(&self, departure: DVec3) -> TubeRay {
        TubeRay {
            origin: self.position,
            direction: self.turn * departure,
        }
    }
}
