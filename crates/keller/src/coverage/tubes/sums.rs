//! What comes together in every cell.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Sums of gains as whole numbers, so that they do not depend on the order in which threads add.
#[derive(Debug)]
pub(super) struct Sums {
    /// Number of the first cell.
    first: usize,
    cells: Vec<AtomicU64>,
    /// The gain of one.
    unit: f64,
}

impl Sums {
    /// Of these cells, exact to a millionth of the gain `least`.
    pub(super) fn new(cells: Range<usize>, least: f64) -> Self {
        Self {
            first: cells.start,
            cells: cells.map(|_| AtomicU64::new(0)).collect(),
            unit: least * 1e-6,
        }
    }

    /// Adds to a cell, if it is one of these.
    pub(super) fn add(&self, cell: usize, gain: f64) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "gains are positive, and what is too large is made the largest"
        )]
        let whole = (gain / self.unit).round().min(1e18) as u64;
        if let Some(sum) = self.cells.get(cell.wrapping_sub(self.first)) {
            sum.fetch_add(whole, Ordering::Relaxed);
        }
    }

    /// The sums, in the same memory.
    pub(super) fn into_gains(self) -> Vec<f64> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "sixteen digits are more than they are worth"
        )]
        let gain = |sum: AtomicU64| sum.into_inner() as f64 * self.unit;
        self.cells.into_iter().map(gain).collect()
    }
}
