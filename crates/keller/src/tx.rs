//! A transmitter.

use glam::DVec3;

use crate::antenna::Antenna;

/// A transmitter: where it stands and what it sends with.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tx {
    /// Metres.
    pub position: DVec3,
    /// Its antenna.
    pub antenna: Antenna,
}
