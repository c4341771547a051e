//! One trace for many antennas at one place: the sectors of a mast, or variants of a tilt.
//!
//! The route of tubes does not depend on the antenna, except that weak tubes are not followed. So a trace carries both
//! fields of every direction, as strong as an [`Envelope`](crate::coverage::tubes::Envelope) allows. Every tube ends as
//! a Hermitian matrix that gives its power for any field at the Tx. A replay evaluates the antenna once for each tube,
//! and multiplies and adds once for each cell of the tube.
//!
//! **Loses** little: a trace for one antenna may split tubes elsewhere, so gains differ within the error of tubes. Only
//! gains are replayed, not [`crate::coverage::Multipath`].

use std::ops::Range;

use super::accumulator::GainAccumulator;
use super::recorded_tubes::Page;
use crate::antenna::Antenna;
use crate::parallel;

/// All tubes of a place, to be replayed with antennas.
///
/// A recording takes 8 bytes for every cell of every tube, and 32 for every tube; behind an edge, with the accuracy
/// `exact`, and unless all antennas are known to be isotropic, every cell counts as a tube. See [`Self::num_bytes`]. If a region
/// would take too much memory, record one block of cells after the other.
#[derive(Debug)]
pub struct Recording {
    cells: Range<usize>,
    /// The cells in which no receiver can be.
    blocked: Vec<usize>,
    /// [`crate::coverage::tubes::Settings::min_gain`], and the smallest gain that counts as more than zero, linear.
    min_gain: f64,
    min_sum: f64,
    pages: Vec<Page>,
}

impl Recording {
    /// Tubes that reach these cells. `min_gain` is the smallest gain of a path, and `min_sum` the smallest that counts
    /// as more than zero.
    pub(in crate::coverage::tubes) fn of_pages(
        (cells, pages): (Range<usize>, Vec<Page>),
        blocked: Vec<usize>,
        [min_gain, min_sum]: [f64; 2],
    ) -> Self {
        Self {
            cells,
            blocked,
            min_gain,
            min_sum,
            pages,
        }
    }

    /// Linear path gains of an antenna in the cells that were recorded, in the order of their numbers, as
    /// [`Tubes::gains`](crate::coverage::tubes::Tubes::gains) has them. The antenna must keep to the
    /// [`Envelope`](crate::coverage::tubes::Envelope) of the recording, or weak paths are missing.
    pub fn gains(&self, antenna: &Antenna) -> Vec<f64> {
        let sums = GainAccumulator::new(0..self.cells.len(), self.min_sum);
        parallel::each(self.pages.len(), |n| {
            self.pages[n].replay(antenna, self.min_gain, &sums);
        });
        with_nan(sums, &self.blocked, self.cells.start)
    }

    /// Bytes of memory that the recording takes.
    pub fn num_bytes(&self) -> usize {
        self.pages.iter().map(Page::num_bytes).sum()
    }

    /// The number of tubes, and the number of cells that they reach together.
    pub fn counts(&self) -> [usize; 2] {
        let counts = self.pages.iter().map(Page::counts);
        counts.fold([0; 2], |sum, more| [sum[0] + more[0], sum[1] + more[1]])
    }
}

/// The sums of the cells from `first` on, with NaN where no receiver can be.
pub(in crate::coverage::tubes) fn with_nan(
    sums: GainAccumulator,
    blocked: &[usize],
    first: usize,
) -> Vec<f64> {
    let mut gains = sums.into_gains();
    for cell in blocked {
        gains[cell - first] = f64::NAN;
    }
    gains
}
