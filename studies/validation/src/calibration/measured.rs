//! Made-up measurements: predictions with the hidden materials, and Gaussian errors.

use keller::calibration::Observation;
use keller::random::Random;

/// Measurements of some levels, dB, with independent errors of a standard deviation, dB.
pub(super) fn measured(levels: &[f64], error_db: f64, seed: u64) -> Vec<Observation> {
    let mut random = Random(seed);
    let levels = levels.iter().enumerate();
    levels
        .map(|(prediction, level)| Observation {
            prediction,
            measured_db: level + error_db * random.normal(),
            is_limit: false,
            group: 0,
            deviation_db: 0.0,
        })
        .collect()
}

/// Root of the mean square error of predictions, dB.
pub(super) fn rmse(levels: &[f64], observations: &[Observation], offset_db: f64) -> f64 {
    let squares = observations.iter().map(|observation| {
        let error = levels[observation.prediction] + offset_db - observation.measured_db;
        error * error
    });
    (squares.sum::<f64>() / observations.len() as f64).sqrt()
}
