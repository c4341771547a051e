//! A transmitter.

use glam::DVec3;

use crate::antenna::Antenna;

/// A transmitter: its position and its antenna.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tx {
    /// The position, metres.
    pub position: DVec3,
    /// Its antenna.
    pub antenna: Antenna,
}
