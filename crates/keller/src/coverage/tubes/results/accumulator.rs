//! Adds up the gains of all paths to every cell, from all threads.
//!
//! Gains are counted as integers in millionths of the minimum gain, so that the order in which threads add changes no
//! bit. If requested, each cell also has the sums from which its delay and angle spreads follow.
//!
//! Cost: 8 bytes for each cell, some 250 with the further sums.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::path_accumulator::{PathAccumulator, PathContribution};
use crate::coverage::{CellPaths, Multipath};
use crate::units::{db_to_power, power_to_db};

/// The count from which on counts are kept apart: few cells, next to the Tx, have them.
const LARGE: f64 = (1_u64 << 50) as f64;

/// The sums of the gains of a range of cells.
#[derive(Debug)]
pub(in crate::coverage::tubes) struct GainAccumulator {
    /// Number of the first cell.
    first: usize,
    /// Gains as counts of the unit, without those in `large`.
    cells: Vec<AtomicU64>,
    /// Multiples of `LARGE`, by cell.
    large: Mutex<FxHashMap<usize, u64>>,
    /// The gain that counts one.
    unit: f64,
    /// The further sums of each cell; empty unless requested.
    paths: Vec<PathAccumulator>,
}

/// The gains of all cells at one moment, a byte each.
#[derive(Debug)]
pub(in crate::coverage::tubes) struct Snapshot {
    /// Number of the first cell.
    first: usize,
    /// Whole decibels over `min_gain`.
    levels: Vec<u8>,
    min_gain: f64,
}

impl Snapshot {
    /// The gain of the cell with this number, which must be in the range.
    pub(in crate::coverage::tubes) fn gain(&self, cell: usize) -> f64 {
        self.min_gain * db_to_power(f64::from(self.levels[cell - self.first]))
    }
}

impl GainAccumulator {
    /// Sums for these cells, exact to a millionth of `min_gain`.
    pub(in crate::coverage::tubes) fn new(cells: Range<usize>, min_gain: f64) -> Self {
        Self {
            first: cells.start,
            cells: cells.map(|_| AtomicU64::new(0)).collect(),
            large: Mutex::default(),
            unit: min_gain * 1e-6,
            paths: Vec::new(),
        }
    }

    /// An accumulator with the sums that [`CellPaths`] needs.
    pub(in crate::coverage::tubes) fn with_paths(cells: Range<usize>, min_gain: f64) -> Self {
        Self {
            paths: cells.clone().map(|_| PathAccumulator::default()).collect(),
            ..Self::new(cells, min_gain)
        }
    }

    /// Whether a cell is in the range.
    pub(in crate::coverage::tubes) fn has(&self, cell: usize) -> bool {
        cell.wrapping_sub(self.first) < self.cells.len()
    }

    /// The gains so far, rounded down to whole decibels over `min_gain`; smaller ones count as `min_gain`.
    pub(in crate::coverage::tubes) fn snapshot(&self, min_gain: f64) -> Snapshot {
        let large = self.large.lock().unwrap_or_else(PoisonError::into_inner);
        let level = |(index, sum): (usize, &AtomicU64)| {
            if large.contains_key(&index) {
                return u8::MAX;
            }
            let gain = sum.load(Ordering::Relaxed) as f64 * self.unit;
            let level = power_to_db(gain / min_gain).clamp(0.0, f64::from(u8::MAX));
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "from 0 to 255"
            )]
            let level = level as u8;
            level
        };
        Snapshot {
            first: self.first,
            levels: self.cells.iter().enumerate().map(level).collect(),
            min_gain,
        }
    }

    /// Adds the gain of a path to a cell, if the cell is in the range. `contribution` is only called if the further
    /// sums are requested.
    pub(in crate::coverage::tubes) fn add(
        &self,
        cell: usize,
        gain: f64,
        contribution: impl FnOnce() -> PathContribution,
    ) {
        let index = cell.wrapping_sub(self.first);
        self.add_gain(index, gain);
        if let Some(paths) = self.paths.get(index) {
            paths.add(gain, self.unit, &contribution());
        }
    }

    /// Adds only a gain, to the cell with this number within the range.
    pub(super) fn add_gain(&self, index: usize, gain: f64) {
        let Some(sum) = self.cells.get(index) else {
            return;
        };
        let units = gain / self.unit;
        if units < LARGE {
            sum.fetch_add(as_whole(units + 0.5), Ordering::Relaxed);
            return;
        }
        let whole = units.round();
        let large = (whole / LARGE).floor();
        sum.fetch_add(as_whole(whole - large * LARGE), Ordering::Relaxed);
        if large > 0.0 {
            let mut all = self.large.lock().unwrap_or_else(PoisonError::into_inner);
            let sum = all.entry(index).or_default();
            *sum = sum.saturating_add(as_whole(large));
        }
    }

    /// The sums, linear.
    pub(in crate::coverage::tubes) fn into_gains(self) -> Vec<f64> {
        let mut large = self
            .large
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let unit = self.unit;
        let gain = |(index, sum): (usize, AtomicU64)| {
            let large = large.remove(&index).unwrap_or_default();
            let small = sum.into_inner() as f64;
            (large as f64 * LARGE + small) * unit
        };
        self.cells.into_iter().enumerate().map(gain).collect()
    }

    /// The sums, and the results of the further sums. `distance` returns the distance of a cell from the Tx, metres.
    pub(in crate::coverage::tubes) fn into_multipath(
        mut self,
        distance: impl Fn(usize) -> Option<f64>,
    ) -> Multipath {
        let paths = std::mem::take(&mut self.paths);
        let (first, unit) = (self.first, self.unit);
        let path_gain = self.into_gains();
        let of_cell = |(index, (sums, gain)): (usize, (PathAccumulator, &f64))| {
            let distance = distance(first + index);
            distance.map_or_else(CellPaths::default, |distance| {
                sums.into_paths(*gain, unit, distance)
            })
        };
        let cells = paths.into_iter().zip(&path_gain).enumerate();
        let cells = cells.map(of_cell).collect();
        Multipath { path_gain, cells }
    }
}

/// The integer part of a number that is not negative.
fn as_whole(number: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is too large is made the largest"
    )]
    let whole = number as u64;
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_next_to_the_transmitter_do_not_overflow() {
        let sums = GainAccumulator::new(7..9, 1e-20);
        let contribution = || unreachable!("only gains are asked for");
        for gain in [0.25, 3e-20, 0.5, 1e-12] {
            sums.add(8, gain, contribution);
            sums.add(9, gain, contribution);
        }
        sums.add(7, 3e-20, contribution);
        let [first, second] = sums.into_gains()[..] else {
            unreachable!("two cells")
        };
        assert!((first / 3e-20 - 1.0).abs() < 1e-6, "{first}");
        assert!((second - (0.75 + 1e-12)).abs() < 1e-15, "{second}");
    }
}
