//! Parameters that bring predictions nearest to measurements: of materials, of a background, and offsets.
//!
//! Paths are found once ([`Histories`]) and evaluated again for every choice of materials: exactly ([`Replay`]), or from a
//! table of what each interaction costs ([`AdditiveTable`]), which is a hundred times as fast. [`calibrate`] searches for the
//! parameters with one of four [`Optimiser`]s and says how sure they are; [`cross_validate`] judges by measurements that were
//! left out.
//!
//! ```
//! use keller::calibration::{Model, Observation, Parameter, Settings, calibrate};
//! use keller::{Control, Error};
//!
//! /// Power that falls with the distance: a level at 1 m, and an exponent.
//! struct LogDistance([f64; 4]);
//! impl Model for LogDistance {
//!     type State = ();
//!     fn predict(&self, values: &[f64]) -> Result<(Vec<f64>, ()), Error> {
//!         let gain = |distance: &f64| values[0] - 10.0 * values[1] * distance.log10();
//!         Ok((self.0.iter().map(gain).collect(), ()))
//!     }
//! }
//!
//! let parameter = |name: &str, start, min, max| Parameter {
//!     name: name.to_owned(), start, min, max, prior: None, is_logarithmic: false,
//! };
//! let parameters = [parameter("level", -30.0, -60.0, 0.0), parameter("exponent", 2.0, 1.0, 6.0)];
//! let measured = [-40.0, -75.1, -109.9, -145.0]; // at 1, 10, 100 and 1000 m
//! let observations: Vec<Observation> = measured.iter().enumerate()
//!     .map(|(prediction, measured_db)| Observation {
//!         prediction, measured_db: *measured_db, is_limit: false, group: 0, deviation_db: 0.0,
//!     })
//!     .collect();
//! let model = LogDistance([1.0, 10.0, 100.0, 1000.0]);
//! let found = calibrate(&model, &parameters, &observations, &Settings::default(), &Control::default())?;
//! assert!((found.estimates[1].value - 3.5).abs() < 0.01);
//! assert!(found.rmse < 0.1 && found.estimates[1].standard_error.unwrap() < 0.1);
//! # Ok::<(), Error>(())
//! ```
//!
//! **Source.** Hu 2020, sections 3.2.4 and 5.5, traces once, replays histories and judges on the points that were fitted.
//! What differs here: exact fields, offsets in closed form, standard errors, and judging by other points. Theory page:
//! `calibration`.

mod additive;
mod annealing;
mod background;
mod bend_losses;
mod beside;
mod estimates;
mod folds;
mod genetic;
mod histories;
mod levenberg_marquardt;
mod linear;
mod material_parameters;
mod objective;
mod parameters;
mod replay;
mod search;

pub use additive::AdditiveTable;
pub use background::Background;
pub use bend_losses::{BendLosses, LossKind};
pub use beside::PowerBeside;
pub use estimates::{Bound, Estimate};
pub use folds::{cross_validate, drawn_places, folds_of_places};
pub use histories::{Histories, History};
pub use material_parameters::{MaterialProperty, Quantity};
pub use objective::{Model, Observation};
pub use parameters::{Parameter, Prior};
pub use replay::Replay;
pub use search::{Optimiser, Progress};

use crate::comparison::{OffsetKind, Offsets};
use crate::{Control, Error};
use objective::{Evaluation, Objective};
use search::Found;

/// How parameters are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The search.
    pub optimiser: Optimiser,
    /// What is added to predictions.
    pub offsets: OffsetKind,
    /// Expected standard deviation of errors, dB, above 0. Priors and deviations of measurements are weighed by it.
    pub error_db: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            optimiser: Optimiser::default(),
            offsets: OffsetKind::None,
            error_db: 6.0,
        }
    }
}

/// Parameters that were found, and how sure they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated {
    /// By parameter.
    pub estimates: Vec<Estimate>,
    /// Correlations of the errors of parameters; 0 where nothing depends on one of them.
    pub correlations: Vec<Vec<f64>>,
    /// What is added to predictions.
    pub offsets: Offsets,
    /// Root of the mean square error with the parameters at their starts, dB; offsets are fitted.
    pub rmse_before: f64,
    /// The same with the parameters that were found, dB.
    pub rmse: f64,
    /// Predictions with these parameters, without offsets, dB.
    pub predictions: Vec<f64>,
    /// How the search went on.
    pub progress: Vec<Progress>,
    /// Number of evaluations of the model.
    pub evaluations: usize,
    /// Whether the search was stopped. The best parameters so far are kept.
    pub is_stopped: bool,
}

/// Searches for the parameters with which `model` is nearest to the observations.
///
/// # Errors
/// [`Error::Calibration`] for parameters that [`Parameter::check`] refuses, without a parameter or an offset, and without a
/// measurement above the noise; the errors of the model.
pub fn calibrate<M: Model>(
    model: &M,
    parameters: &[Parameter],
    observations: &[Observation],
    settings: &Settings,
    control: &Control,
) -> Result<Calibrated, Error> {
    let found = find(model, parameters, observations, settings, control)?;
    judge(model, parameters, observations, settings, found)
}

/// [`calibrate`], where `table` stands for `model` in the search. Least squares go on from there with the model itself, which
/// takes a few steps; other searches end, and only the result is the model's own.
///
/// # Errors
/// Those of [`calibrate`].
pub fn calibrate_with<M: Model, T: Model>(
    model: &M,
    table: &T,
    parameters: &[Parameter],
    observations: &[Observation],
    settings: &Settings,
    control: &Control,
) -> Result<Calibrated, Error> {
    let found = find(table, parameters, observations, settings, control)?;
    let Optimiser::LevenbergMarquardt { max_steps, .. } = settings.optimiser else {
        return judge(model, parameters, observations, settings, found);
    };
    if found.is_stopped {
        return judge(model, parameters, observations, settings, found);
    }
    let near = parameters.iter().zip(&found.shares);
    let near: Vec<Parameter> = near
        .map(|(parameter, share)| Parameter {
            start: parameter.at(*share),
            ..parameter.clone()
        })
        .collect();
    let settings = Settings {
        optimiser: Optimiser::LevenbergMarquardt {
            max_steps,
            starts: 1,
        },
        ..*settings
    };
    let exact = find(model, &near, observations, &settings, control)?.after(&found);
    judge(model, parameters, observations, &settings, exact)
}

/// The best parameters.
fn find<M: Model>(
    model: &M,
    parameters: &[Parameter],
    observations: &[Observation],
    settings: &Settings,
    control: &Control,
) -> Result<Found, Error> {
    check(parameters, observations, settings)?;
    let objective = objective(model, parameters, observations, settings);
    if parameters.is_empty() {
        // Offsets are known in closed form.
        return Ok(Found::at(Vec::new(), &objective.evaluate(&[])?).finish(false));
    }
    match settings.optimiser {
        Optimiser::LevenbergMarquardt { max_steps, starts } => {
            levenberg_marquardt::levenberg_marquardt(&objective, [max_steps, starts], control)
        }
        Optimiser::Genetic {
            generations,
            population,
            seed,
        } => genetic::genetic(&objective, [generations, population], seed, control),
        Optimiser::Annealing { evaluations, seed } => {
            annealing::annealing(&objective, evaluations, seed, control)
        }
        Optimiser::Random { evaluations, seed } => {
            annealing::random_search(&objective, evaluations, seed, control)
        }
    }
}

/// What was found, as the model sees it.
fn judge<M: Model>(
    model: &M,
    parameters: &[Parameter],
    observations: &[Observation],
    settings: &Settings,
    found: Found,
) -> Result<Calibrated, Error> {
    let objective = objective(model, parameters, observations, settings);
    let before = objective.evaluate(&search::starts(&objective))?;
    let at: Evaluation<M::State> = objective.evaluate(&found.shares)?;
    let (estimates, correlations) = estimates::estimates(&objective, &found.shares, &at)?;
    Ok(Calibrated {
        estimates,
        correlations,
        rmse_before: before.rmse,
        rmse: at.rmse,
        offsets: at.offsets,
        predictions: at.predictions,
        progress: found.progress,
        evaluations: found.evaluations,
        is_stopped: found.is_stopped,
    })
}

fn objective<'a, M>(
    model: &'a M,
    parameters: &'a [Parameter],
    observations: &'a [Observation],
    settings: &Settings,
) -> Objective<'a, M> {
    Objective {
        model,
        parameters,
        observations,
        offsets: settings.offsets,
        error_db: settings.error_db,
    }
}

fn check(
    parameters: &[Parameter],
    observations: &[Observation],
    settings: &Settings,
) -> Result<(), Error> {
    let fail = |problem: &str| Err(Error::Calibration(problem.to_owned()));
    if parameters.is_empty() && settings.offsets == OffsetKind::None {
        return fail("there is no parameter that may change, and no offset");
    }
    parameters.iter().try_for_each(Parameter::check)?;
    if observations.iter().all(|observation| observation.is_limit) {
        return fail(
            "no measurement lies above the receiver's noise: there is nothing to be near to",
        );
    }
    if !(settings.error_db > 0.0 && settings.error_db.is_finite()) {
        return fail("the expected error must be a positive number of dB");
    }
    Ok(())
}
