//! The distance of predictions from measurements, as a function of the parameters.
//!
//! Residuals are weighted errors, and the distances of parameters from their priors. Offsets are no parameters: for
//! every choice of parameters the best ones are known in closed form, so they are put in at once (variable projection).
//! A limit counts where the prediction is above it.
//!
//! # Source
//! Golub and Pereyra 1973, "The differentiation of pseudo-inverses and nonlinear least squares problems whose variables
//! separate", SIAM J. Numer. Anal. 10(2), doi:10.1137/0710036.

use super::domain::{Domain, EnergyTie};
use super::parameters::Parameter;
use crate::Error;
use crate::comparison::{OffsetKind, Offsets};
use crate::parallel;

/// A measured value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Index of its prediction in those of the model.
    pub prediction: usize,
    /// The measurement, dB.
    pub measured_db: f64,
    /// Whether the value lay below the receiver's noise, which is `measured_db` then.
    pub is_limit: bool,
    /// Index of the group that may have an offset of its own, such as the Tx.
    pub group: usize,
    /// Standard deviation of the measurement alone, dB; 0 where nothing is known of it.
    pub deviation_db: f64,
}

/// A function that predicts, for values of parameters.
pub trait Model: Sync {
    /// The results of one evaluation that others near it use.
    type State: Sync;

    /// All predictions, dB, minus infinity where nothing arrives.
    ///
    /// # Errors
    /// For values that the model cannot take.
    fn predict(&self, values: &[f64]) -> Result<(Vec<f64>, Self::State), Error>;

    /// The predictions if only the values with the indices `changed` differ from those of `state`.
    ///
    /// # Errors
    /// For values that the model cannot take.
    fn predict_changed(
        &self,
        values: &[f64],
        changed: &[usize],
        state: &Self::State,
    ) -> Result<Vec<f64>, Error> {
        let _ = (changed, state);
        Ok(self.predict(values)?.0)
    }

    /// Parameters that are losses of one wall, which energy ties.
    fn energy_ties(&self) -> Vec<EnergyTie> {
        Vec::new()
    }

    /// The number of times that predictions swing on the way of each parameter from its lower to its upper bound, as
    /// echoes within a wall do. Each swing may be a minimum of the sum of squares, so least squares begin at more
    /// places.
    fn swings(&self, parameters: &[Parameter]) -> Vec<f64> {
        vec![0.0; parameters.len()]
    }
}

/// The sum of squares that calibration makes small.
#[derive(Debug)]
pub(super) struct Objective<'a, M> {
    pub(super) model: &'a M,
    pub(super) parameters: &'a [Parameter],
    pub(super) domain: Domain,
    pub(super) observations: &'a [Observation],
    pub(super) offsets: OffsetKind,
    /// Expected standard deviation of errors, dB. Priors and deviations of measurements are weighed by it.
    pub(super) error_db: f64,
}

/// One evaluation.
#[derive(Debug)]
pub(super) struct Evaluation<S> {
    /// Weighted, by observation; then those of priors.
    pub(super) residuals: Vec<f64>,
    pub(super) offsets: Offsets,
    /// Root of the mean square error of measurements that are no limits, dB.
    pub(super) rmse: f64,
    pub(super) predictions: Vec<f64>,
    pub(super) state: S,
}

impl<S> Evaluation<S> {
    /// The sum of squares, which optimisers minimise. Some texts minimise half of it.
    pub(super) fn cost(&self) -> f64 {
        self.residuals.iter().map(|r| r * r).sum()
    }
}

/// A prediction of nothing stands as this, dB, so that residuals stay finite.
const NOTHING_DB: f64 = -400.0;

/// Step of differences, as a share of the way between bounds.
pub(super) const STEP: f64 = 1e-5;

impl<M: Model> Objective<'_, M> {
    /// The values at shares of the way between bounds.
    pub(super) fn values(&self, shares: &[f64]) -> Vec<f64> {
        self.domain.values(self.parameters, shares)
    }

    pub(super) fn evaluate(&self, shares: &[f64]) -> Result<Evaluation<M::State>, Error> {
        let values = self.values(shares);
        let (predictions, state) = self.model.predict(&values)?;
        let offsets = self.fit_offsets(&predictions);
        let errors = self.errors(&predictions, &offsets);
        let known = || {
            self.observations
                .iter()
                .zip(&errors)
                .filter(|(o, _)| !o.is_limit)
        };
        let squares: f64 = known().map(|(_, error)| error * error).sum();
        let rmse = (squares / known().count().max(1) as f64).sqrt();
        let both = self.observations.iter().zip(&errors);
        let mut residuals: Vec<f64> = both
            .map(|(observation, error)| self.weight(observation) * counted(observation, *error))
            .collect();
        residuals.extend(self.of_priors(&values));
        Ok(Evaluation {
            residuals,
            offsets,
            rmse,
            predictions,
            state,
        })
    }

    /// The derivatives of the residuals by each share, at an evaluation. Offsets follow.
    pub(super) fn jacobian(
        &self,
        shares: &[f64],
        at: &Evaluation<M::State>,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let values = self.values(shares);
        parallel::try_map(shares.len(), |index| {
            let step = if shares[index] > 0.5 { -STEP } else { STEP };
            let mut changed = shares.to_vec();
            changed[index] += step;
            let changed = self.values(&changed);
            let mut column = self.change(at, [&values, &changed], true)?;
            for change in &mut column {
                *change /= step;
            }
            Ok(column)
        })
    }

    /// The change of the residuals from the values of an evaluation to others. With `projects`, offsets follow.
    pub(super) fn change(
        &self,
        at: &Evaluation<M::State>,
        [values, changed]: [&[f64]; 2],
        projects: bool,
    ) -> Result<Vec<f64>, Error> {
        let differ = |index: &usize| values[*index] != changed[*index];
        let indices: Vec<usize> = (0..values.len()).filter(differ).collect();
        let predictions = self.model.predict_changed(changed, &indices, &at.state)?;
        let moved = |observation: &Observation| {
            let [before, after] =
                [&at.predictions, &predictions].map(|p| finite(p[observation.prediction]));
            after - before
        };
        let mut moves: Vec<f64> = self.observations.iter().map(moved).collect();
        if projects {
            self.project(&mut moves);
        }
        let errors = self.errors(&at.predictions, &at.offsets);
        let rows = self.observations.iter().zip(errors).zip(&moves);
        let mut change: Vec<f64> = rows
            .map(|((observation, error), moved)| {
                let counts = !observation.is_limit || error > 0.0;
                if counts {
                    self.weight(observation) * moved
                } else {
                    0.0
                }
            })
            .collect();
        let of_priors = self.of_priors(values).zip(self.of_priors(changed));
        change.extend(of_priors.map(|(before, after)| after - before));
        Ok(change)
    }

    /// The derivatives of the residuals by each offset.
    pub(super) fn offset_columns(&self) -> Vec<Vec<f64>> {
        let groups = match self.offsets {
            OffsetKind::None => 0,
            OffsetKind::One => 1,
            OffsetKind::PerGroup => self.num_groups(),
        };
        let column = |group: usize| {
            let is_in = |observation: &Observation| {
                !observation.is_limit
                    && (groups == 1 && self.offsets == OffsetKind::One
                        || observation.group == group)
            };
            let rows = self.observations.iter();
            let rows = rows.map(|o| if is_in(o) { self.weight(o) } else { 0.0 });
            rows.chain(
                self.parameters
                    .iter()
                    .filter(|p| p.prior.is_some())
                    .map(|_| 0.0),
            )
            .collect()
        };
        (0..groups).map(column).collect()
    }

    /// Error of every measurement, dB.
    fn errors(&self, predictions: &[f64], offsets: &Offsets) -> Vec<f64> {
        let error = |o: &Observation| {
            finite(predictions[o.prediction]) + offsets.of(o.group) - o.measured_db
        };
        self.observations.iter().map(error).collect()
    }

    /// The weight of an error, relative to that of a measurement without a deviation of its own.
    fn weight(&self, observation: &Observation) -> f64 {
        self.error_db / self.error_db.hypot(observation.deviation_db)
    }

    /// The distances of parameters from their priors, in units of errors.
    fn of_priors<'b>(&'b self, values: &'b [f64]) -> impl Iterator<Item = f64> + 'b {
        let both = self.parameters.iter().zip(values);
        both.filter_map(|(parameter, value)| {
            let prior = parameter.prior?;
            Some(self.error_db * (value - prior.mean) / prior.deviation)
        })
    }

    pub(super) fn num_groups(&self) -> usize {
        self.observations
            .iter()
            .map(|o| o.group + 1)
            .max()
            .unwrap_or(0)
    }

    /// The offsets that make the weighted errors smallest.
    fn fit_offsets(&self, predictions: &[f64]) -> Offsets {
        let missing = |o: &Observation| o.measured_db - finite(predictions[o.prediction]);
        let of_all = || self.mean(|_| true, missing).unwrap_or(0.0);
        match self.offsets {
            OffsetKind::None => Offsets::Same(0.0),
            OffsetKind::One => Offsets::Same(of_all()),
            OffsetKind::PerGroup => {
                let means = self.means_of_groups(missing);
                Offsets::PerGroup(
                    means
                        .into_iter()
                        .map(|mean| mean.unwrap_or_else(of_all))
                        .collect(),
                )
            }
        }
    }

    /// Removes the part of the errors that offsets make good.
    fn project(&self, slopes: &mut [f64]) {
        let of = |index: usize| slopes[index];
        let means: Vec<Option<f64>> = match self.offsets {
            OffsetKind::None => return,
            OffsetKind::One => {
                let mean = self.indexed_mean(|_| true, of);
                vec![mean; self.num_groups()]
            }
            OffsetKind::PerGroup => (0..self.num_groups())
                .map(|group| self.indexed_mean(|o| o.group == group, of))
                .collect(),
        };
        for (slope, observation) in slopes.iter_mut().zip(self.observations) {
            *slope -= means[observation.group].unwrap_or(0.0);
        }
    }

    fn means_of_groups(&self, value: impl Fn(&Observation) -> f64) -> Vec<Option<f64>> {
        let mut sums = vec![[0.0; 2]; self.num_groups()];
        for o in self.observations.iter().filter(|o| !o.is_limit) {
            let weight = self.weight(o).powi(2);
            let [sum, weights] = &mut sums[o.group];
            *sum += weight * value(o);
            *weights += weight;
        }
        let mean = |[sum, weights]: [f64; 2]| (weights > 0.0).then(|| sum / weights);
        sums.into_iter().map(mean).collect()
    }

    fn mean(
        &self,
        is_in: impl Fn(&Observation) -> bool,
        value: impl Fn(&Observation) -> f64,
    ) -> Option<f64> {
        self.indexed_mean(is_in, |index| value(&self.observations[index]))
    }

    /// The weighted mean over measurements that are no limits.
    fn indexed_mean(
        &self,
        is_in: impl Fn(&Observation) -> bool,
        value: impl Fn(usize) -> f64,
    ) -> Option<f64> {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (index, o) in self.observations.iter().enumerate() {
            if !o.is_limit && is_in(o) {
                let weight = self.weight(o).powi(2);
                sum += weight * value(index);
                weights += weight;
            }
        }
        (weights > 0.0).then(|| sum / weights)
    }
}

/// The error that counts: a limit is met by every prediction below it.
fn counted(observation: &Observation, error: f64) -> f64 {
    if observation.is_limit {
        error.max(0.0)
    } else {
        error
    }
}

fn finite(db: f64) -> f64 {
    if db.is_finite() { db } else { NOTHING_DB }
}
