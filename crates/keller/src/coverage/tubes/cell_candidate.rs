//! A cell of the region that may lie in a tube, until rays have confirmed it.

use glam::DVec3;

use super::uncertain_segments::UncertainSegments;

/// A cell of the region that may lie in a tube.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellCandidate {
    pub(super) number: usize,
    /// Its centre, metres.
    pub(super) centre: DVec3,
    pub(super) gain: f64,
    pub(super) uncertain: UncertainSegments,
    /// Which tube of a [`TubeBatch`](super::recorded_tubes::TubeBatch) it lies in, where there is one.
    pub(super) record: u32,
}
