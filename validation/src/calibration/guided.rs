//! The full field for predictions, and a table for how they change: a step of least squares costs one replay then.

use keller::Error;
use keller::calibration::{AdditiveTable, Model, Replay};

/// Predictions of a replay with the slopes of a table.
pub(super) struct Guided<'a> {
    pub(super) replay: &'a Replay<'a>,
    pub(super) table: &'a AdditiveTable<'a>,
}

impl Model for Guided<'_> {
    /// The levels of both.
    type State = [Vec<f64>; 2];

    fn predict(&self, values: &[f64]) -> Result<(Vec<f64>, Self::State), Error> {
        let levels = self.replay.predict(values)?.0;
        let of_table = self.table.predict(values)?.0;
        Ok((levels.clone(), [levels, of_table]))
    }

    fn predict_changed(
        &self,
        values: &[f64],
        _: usize,
        [levels, before]: &Self::State,
    ) -> Result<Vec<f64>, Error> {
        let after = self.table.predict(values)?.0;
        let slopes = after
            .iter()
            .zip(before)
            .map(|(after, before)| after - before);
        Ok(levels
            .iter()
            .zip(slopes)
            .map(|(level, slope)| level + slope)
            .collect())
    }
}
