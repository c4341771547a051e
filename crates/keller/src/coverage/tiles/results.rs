//! The results of a coverage of surfaces.

use super::recall::Recall;
use crate::Direction;
use crate::coverage::CellPaths;
use crate::field::PathField;
use crate::paths::Path;

/// The field incident on one side of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TileField {
    /// Path gain to an isotropic receiver of both polarisations at the tile's centre: the sum of the powers of all
    /// paths, diffuse ones included; linear.
    pub path_gain: f64,
    /// The part of it that was scattered diffusely on its way.
    pub diffuse_gain: f64,
    /// The part of it that rays sampled instead of finding its paths ([`super::TileCoverage::with_exact`]): a mean over
    /// the tile, without the power that was scattered of it.
    pub sampled_gain: f64,
    /// Power incident on this side, relative to the power that the Tx antenna accepts.
    pub incident_power: f64,
    /// The paths that are not scattered.
    pub paths: CellPaths,
    /// The strongest of these.
    pub strongest: Option<StrongestPath>,
    /// Mean absolute delay of all power, diffuse power included, s; `None` without power.
    pub mean_delay: Option<f64>,
    /// Rms delay spread of the same power, s.
    pub delay_spread: Option<f64>,
    /// Upper bound of the path gain of the paths that were found and left out as too weak
    /// ([`super::TileCoverage::with_min_gain`]). It is not known on which side some of them arrive: these count on both.
    pub omitted_gain: f64,
}

/// The path to a tile with the most power.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrongestPath {
    /// Absolute delay, s.
    pub delay: f64,
    /// The direction from which it comes, as seen from the tile.
    pub arrival: Direction,
}

/// A path to the centre of a tile, and the field along it.
#[derive(Debug, Clone, PartialEq)]
pub struct TileRay {
    /// The path; its `rx` is the number of the tile.
    pub path: Path,
    /// The field that arrives for unit fields at the Tx.
    pub field: PathField,
    /// Path gain to an isotropic receiver of both polarisations, linear.
    pub gain: f64,
    /// Index into [`SIDES`] of the side on which it is incident.
    pub side: usize,
}

/// The field on all tiles from one Tx.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// Both sides of every tile.
    pub fields: Vec<[TileField; 2]>,
    /// The rays that add up to the fields, sorted by tile and length; empty unless requested.
    pub rays: Vec<TileRay>,
    /// The share of the paths of several interactions that may be missing.
    pub recall: Recall,
}

/// The sides of a tile, in the order of all pairs of fields: the one to which the normal of its face points, and the
/// other.
pub const SIDES: [&str; 2] = ["front", "back"];
