//! Judging by measurements that had no part in the fit that predicts them.

use keller::calibration::{Optimiser, PowerBeside, Settings, cross_validate};
use keller::comparison::{Offsets, Pair, compare_with};
use keller_io::calibration::FoldErrors;

use super::{Calibration, Folds};
use crate::Error;
use crate::observer::Tell;

/// A fold whose parameter is off the fit of all by more than this share of the way between its bounds is doubtful.
const FAR: f64 = 0.25;

/// Largest number of steps of the search of a fold.
const FOLD_STEPS: usize = 20;

impl Calibration {
    /// Errors at what is left out. Each search starts at what all measurements together say, which only decides between
    /// minima.
    pub(super) fn judge_by_folds(
        &self,
        folds: Folds,
        (values, beside): (&[f64], &PowerBeside),
    ) -> Result<FoldErrors, Error> {
        let folds = self.links.folds(folds, &self.observations, &self.sets);
        let settings = Settings {
            optimiser: Optimiser::LevenbergMarquardt {
                max_steps: FOLD_STEPS,
                starts: 1,
            },
            ..self.settings
        };
        let parameters = &self.parameters_at(values);
        let judged = self.job.observer.watch(|control| {
            let model = self.model(beside);
            cross_validate(
                &model,
                parameters,
                &self.observations,
                &folds,
                &settings,
                control,
            )
        });
        let (predicted, found) = judged.map_err(|error| self.in_scenario(error))?;
        let both = self.observations.iter().zip(predicted);
        let pairs: Vec<Pair> = both
            .map(|(observation, predicted_db)| Pair {
                predicted_db,
                measured_db: observation.measured_db,
                is_limit: observation.is_limit,
                group: observation.group,
                place: self.links.place(observation),
            })
            .collect();
        let far = found.iter().filter(|found| {
            let of_fold: Vec<f64> = found.estimates.iter().map(|e| e.value).collect();
            self.chosen.farthest(values, &of_fold) > FAR
        });
        let num_far = far.count();
        if num_far > 0 && self.num_rounds() > 1 {
            self.job.observer.warn(format!(
                "{num_far} of {} folds end far from the fit of all measurements, where the diffuse field is not followed well: their errors \
                 are doubtful; fewer parameters are told better",
                found.len()
            ));
        }
        let values = found.iter().map(|found| {
            found
                .estimates
                .iter()
                .map(|estimate| estimate.value)
                .collect()
        });
        let by = match self.folds {
            Some(Folds::Tx) => "Tx",
            Some(Folds::Sets) => "set",
            _ => "place",
        };
        Ok(FoldErrors {
            by,
            count: found.len(),
            statistics: compare_with(&pairs, Offsets::Same(0.0)).statistics,
            values: values.collect(),
        })
    }
}
