//! Where a trace deposits its results: in the gains of cells, or as recorded tubes.

use super::accumulator::GainAccumulator;
use super::cell_candidate::CellCandidate;
use super::path_accumulator::PathContribution;
use super::recorded_tubes::{TubeBatch, TubeSink};

/// What happens to the cells that tubes reach.
#[derive(Clone, Copy)]
pub(super) enum Sink<'a> {
    /// Their gains are added up.
    Gains(&'a GainAccumulator),
    /// Tubes are recorded for any antenna.
    Tubes(&'a dyn TubeSink),
}

/// Receives what the tubes of a bundle, or of a part of it, contribute to cells.
pub(super) struct Deposit<'a> {
    sink: Sink<'a>,
    /// Present where tubes are recorded.
    batch: Option<TubeBatch<'a>>,
}

impl<'a> Deposit<'a> {
    pub(super) fn new(sink: Sink<'a>) -> Self {
        let batch = match sink {
            Sink::Gains(_) => None,
            Sink::Tubes(tubes) => Some(TubeBatch::new(tubes.cells())),
        };
        Self { sink, batch }
    }

    /// The batch in which tubes are recorded, if they are recorded.
    pub(super) fn batch(&mut self) -> Option<&mut TubeBatch<'a>> {
        self.batch.as_mut()
    }

    /// Adds a path to a cell that it reaches. `contribution` is only called if more than the gain is requested.
    pub(super) fn add(
        &mut self,
        cell: &CellCandidate,
        contribution: impl FnOnce() -> PathContribution,
    ) {
        match (self.sink, &mut self.batch) {
            (Sink::Gains(gains), _) => gains.add(cell.number, cell.gain, contribution),
            (Sink::Tubes(_), Some(batch)) => batch.reach(cell.record, cell.number, cell.gain),
            (Sink::Tubes(_), None) => {}
        }
    }

    /// Passes the recorded tubes on.
    pub(super) fn finish(self) {
        let batch = self.batch.filter(|batch| !batch.is_empty());
        if let (Sink::Tubes(tubes), Some(batch)) = (self.sink, batch) {
            tubes.take(batch);
        }
    }
}
