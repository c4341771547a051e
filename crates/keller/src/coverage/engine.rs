//! The engines that fill the cells of a region.

use super::tubes::Accuracy;
use crate::models::Model;

/// The engine that fills the cells of a region, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Engine {
    /// [`super::points`]: the exact paths to the centre of every cell.
    Points,
    /// [`super::tubes`]: millions of cells at once.
    Tubes {
        /// The fineness with which tubes are split.
        accuracy: Accuracy,
        /// Whether [`super::rooftops`] adds the waves that are diffracted over several roofs.
        has_rooftops: bool,
    },
    /// [`super::beams`]: planes in streets, in milliseconds, with losses that are fitted.
    Beams {
        /// Whether waves come over the roofs.
        has_rooftops: bool,
    },
    /// [`super::models`]: a classical path loss model.
    Model(Model),
}
