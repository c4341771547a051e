//! Where a trace leaves what its tubes bring to cells.

use super::accumulator::GainAccumulator;
use super::cell_candidate::CellCandidate;
use super::path_accumulator::PathContribution;
use super::recorded_tubes::{TubeBatch, TubeSink};

/// Who is told of the cells that tubes reach.
#[derive(Clone, Copy)]
pub(super) enum Sink<'a> {
    Gains(&'a GainAccumulator),
    /// Whatever the antenna is.
    Tubes(&'a dyn TubeSink),
}

/// What the tubes of one bundle, or of a part of one, bring to cells.
pub(super) struct Deposit<'a> {
    sink: Sink<'a>,
    /// Where tubes are recorded.
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

    /// Where tubes are recorded, the batch that they go to.
    pub(super) fn batch(&mut self) -> Option<&mut TubeBatch<'a>> {
        self.batch.as_mut()
    }

    /// Adds what a path brings to a cell. `contribution` says more of the path, where that is asked for.
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

    /// Hands over what was recorded.
    pub(super) fn finish(self) {
        let batch = self.batch.filter(|batch| !batch.is_empty());
        if let (Sink::Tubes(tubes), Some(batch)) = (self.sink, batch) {
            tubes.take(batch);
        }
    }
}
