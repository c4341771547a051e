//! The values that all stages of one call share.

use glam::DVec3;

use super::Limits;
use super::search::views::Views;
use super::solve::images::PlaneBoxes;
use crate::Control;
use crate::scene::Scene;
use crate::world::Transparency;

/// The scene, the limits, and the control of the caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) scene: &'a Scene,
    pub(super) limits: &'a Limits,
    pub(super) transparency: &'a Transparency,
    pub(super) boxes: &'a PlaneBoxes,
    pub(super) control: &'a Control<'a>,
}

/// A transmitter and its views.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transmitter<'a> {
    pub(super) index: usize,
    pub(super) position: DVec3,
    pub(super) views: &'a Views,
}
