//! A cell of the region that lies in the directions of a tube, before it is known whether the tube reaches it.

use glam::DVec3;

use super::uncertain_segments::UncertainSegments;

/// A cell of the region in the directions of a tube.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellCandidate {
    /// Among all cells of the region.
    pub(super) number: usize,
    /// Its centre, metres.
    pub(super) centre: DVec3,
    /// Path gain, linear.
    pub(super) gain: f64,
    pub(super) uncertain: UncertainSegments,
    /// The number of its tube in a batch, where tubes are recorded.
    pub(super) record: u32,
}
