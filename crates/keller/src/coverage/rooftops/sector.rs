//! Fills the columns of one sector, one after the other: the gain of each cell from the chains in the plane through the
//! sector's centre, or in the column's own plane where that cuts the edges too differently.

use glam::{DVec2, DVec3};

use super::Rooftops;
use super::chains::{ChainEnd, Chains, Outcome};
use super::column::Column;
use crate::Tx;
use crate::coverage::plan::Plan;

/// Fills the columns of one sector, one after the other.
pub(super) struct Sector<'a> {
    plan: &'a Plan,
    number: usize,
    column: Column<'a>,
    /// Chains in the plane through the sector's centre, which all its columns share.
    shared: Chains<'a>,
    /// Chains in the plane of the current column.
    own: Chains<'a>,
}

/// The part of the minimum gain: if a cell has less, all cells below it in the column are too weak.
const WEAK: f64 = 0.25;

/// Horizontal distance, metres, within which there is no chain.
const NEAREST: f64 = 1e-3;

impl<'a> Sector<'a> {
    pub(super) fn new(rooftops: &'a Rooftops, tx: &'a Tx, plan: &'a Plan, number: usize) -> Self {
        let ahead = plan.centre(number).extend(0.0);
        let [shared, own] = [0, 1].map(|_| Chains::new(rooftops, tx.position.z, ahead));
        Self {
            plan,
            number,
            column: Column::new(rooftops, tx, ahead),
            shared,
            own,
        }
    }

    /// Calls `set` with the number of each cell of a column and the contribution of the chain to it. `centres` are the
    /// numbers and centres of the column's cells, from the highest to the lowest.
    pub(super) fn fill(
        &mut self,
        centres: impl Iterator<Item = (usize, DVec3)>,
        mut set: impl FnMut(usize, Outcome),
    ) {
        let start = self.column.tx.position;
        let settings = self.column.rooftops.settings;
        let mut is_new = true;
        for (k, centre) in centres {
            let away = (centre - start).truncate();
            let distance = away.length();
            if distance < NEAREST {
                return;
            }
            if is_new {
                is_new = false;
                self.turn_to(away);
            }
            let end = DVec2::new(distance, centre.z);
            let count = self.column.touched(end);
            // Paths by one edge or none may be left to other engines, except where other edges close under them weaken
            // those paths.
            let is_left = count < settings.min_edges;
            if is_left && !self.column.has_close(count, end) {
                continue;
            }
            let outcome = self.gain(count, end);
            if let Ok(outcome) = outcome {
                set(k, outcome);
            }
            // Deeper in the shadow the field is weaker still.
            let is_weak = match outcome {
                Ok(Outcome { gain, .. }) => gain < WEAK * settings.min_gain,
                Err(end) => end == ChainEnd::Weak,
            };
            if is_weak && !settings.is_exact {
                return;
            }
        }
    }

    /// The gain of the chain over the first `count` edges to `end`.
    fn gain(&mut self, count: usize, end: DVec2) -> Result<Outcome, ChainEnd> {
        let column = &self.column;
        if column.rooftops.settings.is_exact {
            return self.own.gain(column, count, end);
        }
        match self.shared.gain(column, count, end) {
            Err(ChainEnd::Apart) => self.own.gain(column, count, end),
            outcome => outcome,
        }
    }

    /// Goes on to the next column.
    fn turn_to(&mut self, away: DVec2) {
        self.column.turn_to(self.plan, self.number, away);
        self.shared.restart_chain();
        self.own.turn_to(self.column.ahead);
    }
}
