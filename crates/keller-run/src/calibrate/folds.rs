//! Validation of fits by measurements that had no part in them.

use std::collections::HashMap;

use keller::calibration::{
    Calibrated, Model, Observation, Optimiser, Parameter, PowerBeside, Settings, cross_validate,
    folds_of_places,
};
use keller::comparison::{Offsets, Pair, compare_with};
use keller_io::reports::calibration::FoldErrors;

use super::{Calibration, Folds};
use crate::observer::Tell;
use crate::{Error, Job};

/// A fold whose parameter is off the fit of all by more than this share of the way between its bounds is doubtful.
const FAR: f64 = 0.25;

/// Largest number of steps of the search of a fold.
const FOLD_STEPS: usize = 20;

/// The seed of the drawing of places into folds.
pub(super) const SEED: u64 = 0x6b65_6c6c_6572;

/// The folds of observations that are left out together, and their places.
#[derive(Debug)]
pub(super) struct LeftOut {
    by: Folds,
    /// The fold of each observation.
    folds: Vec<usize>,
    /// The place of each observation.
    places: Vec<usize>,
}

impl LeftOut {
    /// The folds of observations with these Tx, places and sets.
    pub(super) fn new(
        by: Folds,
        links: impl Iterator<Item = (usize, usize)> + Clone,
        sets: &[usize],
    ) -> Self {
        let places: Vec<usize> = links.clone().map(|(_, place)| place).collect();
        let folds = match by {
            Folds::Places(count) => {
                let num_places = places.iter().max().map_or(0, |last| last + 1);
                let of_places = folds_of_places(num_places, count, SEED);
                places.iter().map(|place| of_places[*place]).collect()
            }
            Folds::Sets => numbered(sets.iter().copied()),
            Folds::Tx => numbered(links.map(|(tx, _)| tx)),
        };
        Self { by, folds, places }
    }

    /// The errors of a model at the observations that are left out, and the values that each fold found. Each search
    /// starts at `parameters`, the values that all measurements together give, which only decides between minima.
    pub(super) fn judge<M: Model>(
        &self,
        job: &Job,
        model: &M,
        parameters: &[Parameter],
        observations: &[Observation],
        settings: Settings,
    ) -> Result<(FoldErrors, Vec<Calibrated>), keller::Error> {
        let settings = Settings {
            optimiser: Optimiser::LevenbergMarquardt {
                max_steps: FOLD_STEPS,
                starts: 1,
            },
            ..settings
        };
        let (predicted, found) = job.observer.watch(|control| {
            let folds = &self.folds;
            cross_validate(model, parameters, observations, folds, &settings, control)
        })?;
        let both = observations.iter().zip(&self.places).zip(predicted);
        let pairs: Vec<Pair> = both
            .map(|((observation, place), predicted_db)| Pair {
                predicted_db,
                measured_db: observation.measured_db,
                is_limit: observation.is_limit,
                group: observation.group,
                place: *place,
            })
            .collect();
        let errors = FoldErrors {
            by: match self.by {
                Folds::Tx => "Tx",
                Folds::Sets => "set",
                Folds::Places(_) => "place",
            },
            count: found.len(),
            statistics: compare_with(&pairs, Offsets::Same(0.0)).statistics,
            values: found.iter().map(values_of).collect(),
        };
        Ok((errors, found))
    }
}

/// The values that were found.
pub(super) fn values_of(found: &Calibrated) -> Vec<f64> {
    found.estimates.iter().map(|e| e.value).collect()
}

/// Numbers from 0, in the order in which values appear.
fn numbered(all: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut numbers = HashMap::new();
    all.map(|one| {
        let next = numbers.len();
        *numbers.entry(one).or_insert(next)
    })
    .collect()
}

/// The errors that the folds found. Where they cannot find them, a warning says so, because the calibration is right
/// all the same; where they are stopped, `calibrated` is marked as stopped.
pub(super) fn told(
    judged: Result<FoldErrors, Error>,
    job: &Job,
    calibrated: &mut Calibrated,
) -> Result<Option<FoldErrors>, Error> {
    match judged {
        Err(Error::Stopped) => {
            calibrated.is_stopped = true;
            Ok(None)
        }
        Err(error @ Error::Input(_)) => {
            job.observer
                .warn(format!("nothing is judged by folds: {error}"));
            Ok(None)
        }
        judged => judged.map(Some),
    }
}

impl Calibration {
    /// Errors at the observations that are left out.
    pub(super) fn judge_by_folds(
        &self,
        folds: Folds,
        (values, beside): (&[f64], &PowerBeside),
    ) -> Result<FoldErrors, Error> {
        let links = self.observations.iter().map(|o| self.links.of(o));
        let left_out = LeftOut::new(folds, links, &self.sets);
        let parameters = self.parameters_at(values);
        let (model, observations) = (self.model(beside), &self.observations);
        let judged = left_out.judge(&self.job, &model, &parameters, observations, self.settings);
        let (errors, found) = judged.map_err(|error| self.in_scenario(error))?;
        let far = found
            .iter()
            .filter(|found| self.chosen.farthest(values, &values_of(found)) > FAR);
        let num_far = far.count();
        if num_far > 0 && self.num_rounds() > 1 {
            self.job.observer.warn(format!(
                "{num_far} of {} folds end far from the fit of all measurements, where the diffuse field is not followed well: their errors \
                 are doubtful; fewer parameters are told better",
                found.len()
            ));
        }
        Ok(errors)
    }
}
