//! Sums over the paths to a cell: their number, their power with and without phases, their spreads over delay and angle.
//!
//! The definitions are those of [`crate::channel`]; a table of paths gives these for a receiver, this for every cell.

use crate::channel::{ImpulseResponse, Tap, circular_mean};

/// The paths of one transmitter to every cell, for a receiver as that of [`super::Coverage::path_gain`].
#[derive(Debug, Clone, PartialEq)]
pub struct Multipath {
    /// The path gains, equal to [`super::Coverage::path_gain`] bit by bit.
    pub path_gain: Vec<f64>,
    /// The rest, in the same order. No path leads where no receiver can be.
    pub cells: Vec<CellPaths>,
}

/// The paths to one cell.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CellPaths {
    /// The number of paths.
    pub num_paths: u32,
    /// Whether the line of sight is one of them.
    pub has_line_of_sight: bool,
    /// Gain of the strongest, linear.
    pub strongest_gain: f64,
    /// Gain of all added with their phases, both polarisations of the receiver apart, linear: the gain in a narrow band
    /// at the carrier.
    pub coherent_gain: f64,
    /// The spreads, which need some power; `None` without.
    pub spreads: Option<CellSpreads>,
}

/// The spreads of the power in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellSpreads {
    /// Mean of the absolute delay, s.
    pub mean_delay: f64,
    /// Rms delay spread, s.
    pub delay_spread: f64,
    /// Zenith and azimuth where paths leave the transmitter.
    pub departure: [AngleSpread; 2],
    /// Zenith and azimuth where waves come from, seen from the cell.
    pub arrival: [AngleSpread; 2],
}

/// An angle of many paths, weighted by their power.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AngleSpread {
    /// The [`circular_mean`], radians.
    pub mean: f64,
    /// The [`crate::channel::circular_spread`], radians.
    pub spread: f64,
}

impl CellPaths {
    /// The paths of a channel.
    ///
    /// # Panics
    /// If it has 2^32 paths or more.
    pub fn new(channel: &ImpulseResponse) -> Self {
        let powers: Vec<f64> = channel.powers().collect();
        let statistics = channel.statistics();
        let angle = |spread: f64, value: fn(&Tap) -> f64| {
            let angles: Vec<f64> = channel.taps.iter().map(value).collect();
            let mean = circular_mean(&angles, &powers)?;
            Some(AngleSpread { mean, spread })
        };
        let spreads = statistics.spreads.and_then(|spreads| {
            let ([zod, aod], [zoa, aoa]) = (spreads.departure, spreads.arrival);
            Some(CellSpreads {
                mean_delay: spreads.mean_delay,
                delay_spread: spreads.delay_spread,
                departure: [
                    angle(zod, |tap| tap.departure.zenith)?,
                    angle(aod, |tap| tap.departure.azimuth)?,
                ],
                arrival: [
                    angle(zoa, |tap| tap.arrival.zenith)?,
                    angle(aoa, |tap| tap.arrival.azimuth)?,
                ],
            })
        });
        Self {
            num_paths: u32::try_from(statistics.num_paths).expect("paths fit in memory"),
            has_line_of_sight: channel.taps.iter().any(|tap| tap.is_line_of_sight),
            strongest_gain: powers.iter().copied().fold(0.0, f64::max),
            coherent_gain: statistics.coherent_gain,
            spreads,
        }
    }
}
