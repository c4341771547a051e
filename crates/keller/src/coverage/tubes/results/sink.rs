//! The target of a trace's results: the gains of cells, or recorded tubes.

use super::accumulator::GainAccumulator;
use super::path_accumulator::PathContribution;
use super::recorded_routes::{RouteSink, RoutedTube};
use super::recorded_tubes::{RecordedTube, TubeSink};
use super::tube_batch::TubeBatch;
use crate::coverage::tubes::cells::cell_candidate::CellCandidate;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::waves::tube_matrix::TubeMatrix;

/// The use of the cells that tubes reach.
#[derive(Clone, Copy)]
pub(in crate::coverage::tubes) enum Sink<'a> {
    /// Their gains are added up.
    Gains(&'a GainAccumulator),
    /// Tubes are recorded for any antenna.
    Tubes(&'a dyn TubeSink),
    /// Tubes are recorded with their routes, for any materials too.
    Routes(&'a RouteSink),
}

/// Receives the contributions of the tubes of a bundle, or of a part of it, to cells.
pub(in crate::coverage::tubes) enum Deposit<'a> {
    Gains(&'a GainAccumulator),
    Tubes(&'a dyn TubeSink, TubeBatch<'a, RecordedTube>),
    Routes(&'a RouteSink, TubeBatch<'a, RoutedTube>),
}

impl<'a> Deposit<'a> {
    pub(in crate::coverage::tubes) fn new(sink: Sink<'a>) -> Self {
        match sink {
            Sink::Gains(gains) => Self::Gains(gains),
            Sink::Tubes(tubes) => Self::Tubes(tubes, TubeBatch::new(tubes.cells())),
            Sink::Routes(routes) => Self::Routes(routes, TubeBatch::new(routes.cells())),
        }
    }

    /// Whether tubes are recorded.
    pub(in crate::coverage::tubes) fn records(&self) -> bool {
        !matches!(self, Self::Gains(_))
    }

    /// Begins to record a tube; returns its number. Zero where tubes are not recorded.
    pub(in crate::coverage::tubes) fn begin(&mut self, tube: &TubeMatrix) -> u32 {
        match self {
            Self::Gains(_) => 0,
            Self::Tubes(_, batch) => {
                let recorded = RecordedTube::new(tube.departure, &tube.power_matrix);
                batch.begin(recorded, tube.power)
            }
            Self::Routes(_, batch) => batch.begin(RoutedTube::new(tube), tube.power),
        }
    }

    /// Adds a path to a cell that it reaches. `contribution` is only called if more than the gain is requested.
    pub(in crate::coverage::tubes) fn add(
        &mut self,
        cell: &CellCandidate,
        contribution: impl FnOnce() -> PathContribution,
    ) {
        match self {
            Self::Gains(gains) => gains.add(cell.number, cell.gain, contribution),
            Self::Tubes(_, batch) => batch.reach(cell.record, cell.number, cell.gain),
            Self::Routes(_, batch) => batch.reach(cell.record, cell.number, cell.gain),
        }
    }

    /// Passes the recorded tubes on. All are of this bundle.
    pub(in crate::coverage::tubes) fn finish(self, bundle: &Bundle) {
        match self {
            Self::Tubes(tubes, batch) if !batch.is_empty() => tubes.take(batch),
            Self::Routes(routes, batch) if !batch.is_empty() => routes.take(batch, bundle),
            Self::Gains(_) | Self::Tubes(..) | Self::Routes(..) => {}
        }
    }
}
