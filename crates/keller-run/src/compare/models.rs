//! Compares path loss models with predictions of the same measurements.

use std::sync::Arc;

use keller::Tx;
use keller::comparison::{OffsetKind, Paired, compare};
use keller::coverage::models::Predictor;
use keller::models::Model;
use keller::parallel;
use keller::units::power_to_db;
use keller_io::reports::comparison::ComparedModel;
use keller_io::scenario::{Measured, Measurements};

use super::{Prediction, Predictions};
use crate::coverage::models::check_frequency;
use crate::{Error, Job};

impl Predictions {
    /// Predictions of the measurements by path loss models, for comparison with these predictions. Models have the
    /// antennas of the Tx and an isotropic receiver that takes both polarisations. Where a model is not defined, such
    /// as in buildings, it has no error.
    ///
    /// # Errors
    /// [`Error::Input`] for a frequency that a model does not take, and for a Tx below the ground.
    pub fn compare_models(
        &self,
        measurements: &Measurements,
        models: &[Model],
        kind: OffsetKind,
    ) -> Result<Vec<ComparedModel>, Error> {
        if models.is_empty() {
            return Ok(Vec::new());
        }
        let job = &self.job;
        let tx = job.transmitters()?;
        let heights = self.heights();
        let own = self.pairs(measurements);
        let compared = models.iter().map(|&model| {
            let told = format!(
                "{}: the model {}",
                job.scenario.file.display(),
                model.name()
            );
            check_frequency(model, job.world.frequency().hz())
                .map_err(|problem| Error::Input(format!("{told}: {problem}")))?;
            let refused = |error| Error::Input(format!("{told}: {error}"));
            let predictor =
                Predictor::new(&job.world, model, job.scenario.streets).map_err(refused)?;
            let predicted = of_model(job, &predictor, &tx, &heights).map_err(refused)?;
            let pairs = predicted.pairs(measurements);
            let is_outside = |row: &&Measured| is_outside(job, &predictor, row, &heights);
            Ok(ComparedModel {
                model,
                comparison: compare(&pairs, kind),
                paired: Paired::of(&own, &pairs, kind),
                num_outside: measurements.rows.iter().filter(is_outside).count(),
            })
        });
        compared.collect()
    }

    /// The heights of all places over the ground, metres; `None` below it and over none.
    fn heights(&self) -> Vec<Option<f64>> {
        let scene = self.job.world.scene();
        parallel::map_slice(&self.job.positions.rx, |at| {
            let height = at.z - scene.ground(at.truncate())?;
            (height > 0.0).then_some(height)
        })
    }
}

/// The predictions of a model.
fn of_model(
    job: &Arc<Job>,
    predictor: &Predictor,
    tx: &[Tx],
    heights: &[Option<f64>],
) -> Result<Predictions, keller::Error> {
    let mut predictions = Predictions::empty(job);
    predictions.links.clear();
    for tx in tx {
        let from = predictor.from_tx(tx)?;
        let places = &job.positions.rx;
        let link = parallel::map(places.len(), |rx| Prediction {
            gain_db: heights[rx].and_then(|height| from.gain(places[rx], height).map(power_to_db)),
            ..Prediction::UNREACHED
        });
        predictions.links.extend(link);
    }
    Ok(predictions)
}

/// Whether a measurement was taken where the document of a model does not state it.
fn is_outside(job: &Job, predictor: &Predictor, row: &Measured, heights: &[Option<f64>]) -> bool {
    let range = predictor.model().range();
    let (tx, rx) = (job.positions.tx[row.tx], job.positions.rx[row.rx]);
    let (Ok(tx_height), Some(rx_height)) = (predictor.tx_height(tx), heights[row.rx]) else {
        return true;
    };
    let link = predictor.link(tx, tx_height, rx, rx_height);
    [
        (predictor.model().distance(&link), range.distance),
        (tx_height, range.tx_height),
        (rx_height, range.rx_height),
    ]
    .into_iter()
    .any(|(value, [min, max])| !(min..=max).contains(&value))
}
