//! A ray on its way from an edge.

use glam::DVec3;

use super::wavefront::Wavefront;
use crate::field::PlaneWave;
use crate::paths::InteractionCounts;
use crate::scene::PlaneId;

/// A ray on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flight {
    pub(super) origin: DVec3,
    /// The numbers of the planes that it leaves.
    pub(super) left: [u32; 2],
    /// The rest that walls leave of unit fields that leave the edge. Its direction is that of the ray.
    pub(super) walls: PlaneWave,
    /// Distance of the source from the edge, and of the ray's start from the edge, metres.
    pub(super) behind: f64,
    pub(super) ahead: f64,
    /// Length from the Tx to the edge, metres.
    pub(super) before: f64,
    pub(super) front: Wavefront,
    /// Area across the ray for which it stands, times the gain per power density: m².
    pub(super) weight: f64,
    pub(super) used: InteractionCounts,
    /// The plane that reflected it last, and the length from there, metres.
    pub(super) mirror: Option<PlaneId>,
    pub(super) leg: f64,
    pub(super) number: u32,
}
