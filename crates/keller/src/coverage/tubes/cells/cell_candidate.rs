//! A cell of the region that lies in the directions of a tube, before it is known whether the tube reaches it.

use glam::DVec3;

use crate::coverage::tubes::tube::uncertain_segments::UncertainSegments;

/// A cell of the region in the directions of a tube.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct CellCandidate {
    /// The number among all cells of the region.
    pub(in crate::coverage::tubes) number: usize,
    /// Its centre, metres.
    pub(in crate::coverage::tubes) centre: DVec3,
    /// Path gain, linear.
    pub(in crate::coverage::tubes) gain: f64,
    pub(in crate::coverage::tubes) uncertain: UncertainSegments,
    /// The number of its tube in a batch, where tubes are recorded.
    pub(in crate::coverage::tubes) record: u32,
}
