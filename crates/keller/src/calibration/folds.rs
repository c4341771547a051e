//! Tests of calibration on measurements that were left out.

use super::objective::{Model, Observation};
use super::parameters::Parameter;
use super::{Calibrated, Settings, calibrate};
use crate::comparison::Offsets;
use crate::random::Random;
use crate::{Control, Error};

/// A number of folds for things of which there are `count`, drawn at random: of each, its fold.
pub fn folds_of_places(count: usize, num_folds: usize, seed: u64) -> Vec<usize> {
    let order = shuffled(count, seed);
    let mut folds = vec![0; count];
    for (position, index) in order.into_iter().enumerate() {
        folds[index] = position % num_folds.max(1);
    }
    folds
}

/// The places of `max_count` of `count` things, or of all if they are fewer, drawn at random, ascending.
pub fn drawn_places(count: usize, max_count: usize, seed: u64) -> Vec<usize> {
    let mut drawn = shuffled(count, seed);
    drawn.truncate(max_count);
    drawn.sort_unstable();
    drawn
}

/// The numbers below `count` in an order that is drawn at random.
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut random = Random(seed);
    let mut order: Vec<usize> = (0..count).collect();
    for k in (1..count).rev() {
        order.swap(k, random.below(k + 1));
    }
    order
}

/// Calibrates with all observations but those of one fold, for every fold, and predicts these. The result has a
/// prediction for each observation, offsets included, dB, and the parameters that were found for each fold. A group
/// that is wholly left out takes the mean offset of the others.
///
/// # Errors
/// The errors of [`calibrate`], and [`Error::Cancelled`]; [`Error::Calibration`] for less than two folds.
///
/// # Panics
/// If there is not one fold for each observation.
pub fn cross_validate<M: Model>(
    model: &M,
    parameters: &[Parameter],
    observations: &[Observation],
    folds: &[usize],
    settings: &Settings,
    control: &Control,
) -> Result<(Vec<f64>, Vec<Calibrated>), Error> {
    assert_eq!(
        folds.len(),
        observations.len(),
        "one fold for each observation"
    );
    let num_folds = folds.iter().map(|fold| fold + 1).max().unwrap_or(0);
    if num_folds < 2 {
        return Err(Error::Calibration(
            "less than two folds: nothing is left to judge by".to_owned(),
        ));
    }
    let mut predicted = vec![f64::NEG_INFINITY; observations.len()];
    let mut all = Vec::with_capacity(num_folds);
    for fold in 0..num_folds {
        control.check()?;
        let both = || observations.iter().zip(folds);
        let fitted: Vec<Observation> = both()
            .filter(|(_, of)| **of != fold)
            .map(|(o, _)| *o)
            .collect();
        let quiet = Control {
            progress: None,
            ..*control
        };
        let found = calibrate(model, parameters, &fitted, settings, &quiet)?;
        let is_known = |group: usize| fitted.iter().any(|o| o.group == group && !o.is_limit);
        for (index, (observation, _)) in both().enumerate().filter(|(_, (_, of))| **of == fold) {
            let offset = match &found.offsets {
                Offsets::PerGroup(offsets) if !is_known(observation.group) => {
                    let known = (0..offsets.len()).filter(|group| is_known(*group));
                    let known: Vec<f64> = known.map(|group| offsets[group]).collect();
                    known.iter().sum::<f64>() / known.len().max(1) as f64
                }
                offsets => offsets.of(observation.group),
            };
            predicted[index] = found.predictions[observation.prediction] + offset;
        }
        control.report(
            crate::Stage::Calibration,
            (fold + 1) as f64 / num_folds as f64,
        );
        all.push(found);
    }
    Ok((predicted, all))
}
