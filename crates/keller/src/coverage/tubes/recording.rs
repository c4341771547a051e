//! One trace for many antennas at one place: sectors of a mast, or variants of a tilt.
//!
//! Which way tubes go does not depend on the antenna, but for what is too weak to be followed. So a trace carries both fields of every
//! direction, as strong as an [`Envelope`] says, and every tube ends as a Hermitian matrix that gives its power for any field at the
//! transmitter. Replaying asks the antenna once a tube, and multiplies and adds once a cell of it.
//!
//! What it loses: behind the splits of an antenna of its own a trace may cut tubes elsewhere, so gains differ within the error of
//! tubes. Only gains are replayed, no [`super::Multipath`].

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use glam::DVec3;
use rayon::prelude::*;

use super::Tubes;
use super::accumulator::GainAccumulator;
use super::recorded_tubes::{Page, RecordingSink, ReplaySink, TubeSink};
use super::sink::Sink;
use super::tx_field::{Envelope, TxField};
use crate::antenna::Antenna;
use crate::{Control, Error};

/// All tubes of a place, to be replayed with antennas.
///
/// It takes 8 bytes for every cell of every tube, and 32 for every tube: see [`Self::num_bytes`]. Of a region that would take too
/// much, record one block of cells after the other.
#[derive(Debug)]
pub struct Recording {
    cells: Range<usize>,
    /// Those where no receiver can be.
    blocked: Vec<usize>,
    /// As [`super::Settings::least_gain`], and the least that is told from none, linear.
    least_gain: f64,
    least: f64,
    pages: Vec<Page>,
}

impl Recording {
    /// Linear path gains of an antenna in the cells that were recorded, in the order of their numbers, as [`Tubes::gains`] has them. The
    /// antenna must keep to the [`Envelope`] of the recording, or weak paths are missing.
    pub fn gains(&self, antenna: &Antenna) -> Vec<f64> {
        let sums = GainAccumulator::new(0..self.cells.len(), self.least);
        self.pages
            .par_iter()
            .for_each(|page| page.replay(antenna, self.least_gain, &sums));
        with_nan(sums, &self.blocked, self.cells.start)
    }

    /// Bytes of memory that it takes.
    pub fn num_bytes(&self) -> usize {
        self.pages.iter().map(Page::num_bytes).sum()
    }

    /// How many tubes there are, and how many cells they reach together.
    pub fn counts(&self) -> [usize; 2] {
        let counts = self.pages.iter().map(Page::counts);
        counts.fold([0; 2], |sum, more| [sum[0] + more[0], sum[1] + more[1]])
    }
}

impl Tubes<'_> {
    /// Traces what any antenna of `envelope` at `position` brings to the cells with the numbers `cells`. `position` must have passed
    /// [`check_devices`](crate::paths::check_devices).
    ///
    /// Diffuse scattering is left out.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells, or more than 2^32 are asked for.
    pub fn record(
        &self,
        position: DVec3,
        envelope: Envelope<'_>,
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Recording, Error> {
        check_count(&cells);
        let blocked = self.blocked_in(&cells).to_vec();
        let keeper = RecordingSink {
            cells: cells.clone(),
            pages: Mutex::default(),
        };
        self.trace_any(position, envelope, &keeper, control)?;
        let pages = keeper.pages.into_inner();
        let mut pages = pages.unwrap_or_else(PoisonError::into_inner);
        pages.iter_mut().for_each(Page::shrink);
        Ok(Recording {
            cells,
            blocked,
            least_gain: self.settings.least_gain,
            least: self.least(),
            pages,
        })
    }

    /// Linear path gains of several antennas at one place, antenna by antenna, in the cells with the numbers `cells`: of one trace for
    /// all of them, of which nothing is kept. They are those of a [`Recording`] with these antennas as its envelope, bit by bit.
    ///
    /// Diffuse scattering is left out.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells, or more than 2^32 are asked for.
    pub fn gains_of_antennas(
        &self,
        position: DVec3,
        antennas: &[Antenna],
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Vec<Vec<f64>>, Error> {
        check_count(&cells);
        let sums = || GainAccumulator::new(0..cells.len(), self.least());
        let players = ReplaySink {
            cells: cells.clone(),
            min_gain: self.settings.least_gain,
            antennas: antennas.iter().map(|antenna| (antenna, sums())).collect(),
        };
        let envelope = Envelope::Antennas(antennas);
        self.trace_any(position, envelope, &players, control)?;
        let blocked = self.blocked_in(&cells);
        let sums = players.antennas.into_iter();
        Ok(sums
            .map(|(_, sums)| with_nan(sums, blocked, cells.start))
            .collect())
    }

    fn trace_any(
        &self,
        position: DVec3,
        envelope: Envelope<'_>,
        taker: &dyn TubeSink,
        control: &Control<'_>,
    ) -> Result<(), Error> {
        let most = envelope.most();
        self.trace(position, TxField::ByAny(&most), Sink::Tubes(taker), control)
    }
}

/// The sums of the cells from `first` on, but for those where no receiver can be.
fn with_nan(sums: GainAccumulator, blocked: &[usize], first: usize) -> Vec<f64> {
    let mut gains = sums.into_gains();
    for cell in blocked {
        gains[cell - first] = f64::NAN;
    }
    gains
}

fn check_count(cells: &Range<usize>) {
    assert!(
        u32::try_from(cells.len()).is_ok(),
        "{} cells are too many for one recording",
        cells.len()
    );
}
