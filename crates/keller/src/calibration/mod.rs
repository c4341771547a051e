//! Parameters that bring predictions nearest to measurements: of materials, of a background, and offsets.
//!
//! Paths are found once ([`TracedLinks`]) and evaluated again for every choice of materials: exactly ([`Replay`]), or
//! from a table of the loss of each interaction ([`AdditiveTable`]), which is a hundred times as fast. [`calibrate`]
//! searches for the parameters with one of four [`Optimiser`]s and gives their standard errors; [`cross_validate`]
//! tests them on measurements that were left out.
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
//! **Source.** Hu 2020, sections 3.2.4 and 5.5, traces once, replays histories and tests on the points that were
//! fitted. Differences here are exact fields, offsets in closed form, standard errors, and tests on other points.
//! Theory page: `calibration`.

mod additive;
mod annealing;
mod background;
mod bend_losses;
mod domain;
mod estimates;
mod extra_power;
mod folds;
mod fringes;
mod genetic;
mod levenberg_marquardt;
mod linear;
mod material_parameters;
mod minima;
mod objective;
mod parameters;
mod replay;
mod search;
mod traced_links;

pub use additive::AdditiveTable;
pub use background::Background;
pub use bend_losses::{BendLosses, LossKind};
pub use domain::{Bound, EnergyTie, Loss};
pub use estimates::Estimate;
pub use extra_power::PowerBeside;
pub use folds::{cross_validate, drawn_places, folds_of_places};
pub use material_parameters::{MaterialProperty, Quantity};
pub use minima::OtherMinimum;
pub use objective::{Model, Observation};
pub use parameters::{Parameter, Prior};
pub use replay::Replay;
pub use search::{Optimiser, Progress};
pub use traced_links::{TracedLink, TracedLinks};

use crate::comparison::{OffsetKind, Offsets};
use crate::{Control, Error};
use domain::Domain;
use objective::{Evaluation, Objective};
use search::{Found, Scored};

/// The settings of the search for parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The search.
    pub optimiser: Optimiser,
    /// The kind of offset that is added to predictions.
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
    /// The estimate of each parameter.
    pub estimates: Vec<Estimate>,
    /// Correlations of the errors of parameters; 0 where nothing depends on one of them.
    pub correlations: Vec<Vec<f64>>,
    /// The offsets that are added to predictions.
    pub offsets: Offsets,
    /// Root of the mean square error with the parameters at their starts, dB; offsets are fitted.
    pub rmse_before: f64,
    /// Root of the mean square error with the parameters that were found, dB.
    pub rmse: f64,
    /// The value that the search minimises, at its end: the weighted sum of squares, with the terms of limits and
    /// priors.
    pub cost: f64,
    /// Other minima that the noise leaves open, the best first, as far as descents have met them.
    pub others: Vec<OtherMinimum>,
    /// Predictions with these parameters, without offsets, dB.
    pub predictions: Vec<f64>,
    /// The progress of the search.
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
    check(parameters, observations, settings)?;
    let objective = objective(model, parameters, observations, settings)?;
    let found = find(&objective, settings.optimiser, control)?;
    calibrated(&objective, found)
}

/// [`calibrate`], where `table` stands for `model` in the search. Least squares go on from there with the model itself, which
/// takes a few steps; only random choices end, and the result alone is the model's own.
///
/// # Errors
/// The errors of [`calibrate`].
pub fn calibrate_with<M: Model, T: Model>(
    model: &M,
    table: &T,
    parameters: &[Parameter],
    observations: &[Observation],
    settings: &Settings,
    control: &Control,
) -> Result<Calibrated, Error> {
    check(parameters, observations, settings)?;
    let of_table = objective(table, parameters, observations, settings)?;
    let rough = find(&of_table, settings.optimiser, control)?;
    let objective = objective(model, parameters, observations, settings)?;
    let max_steps = match settings.optimiser {
        Optimiser::LevenbergMarquardt { max_steps, .. } => max_steps,
        Optimiser::Genetic { .. } | Optimiser::Annealing { .. } => LAST_STEPS,
        Optimiser::Random { .. } => 0,
    };
    if max_steps == 0 || rough.is_stopped || parameters.is_empty() {
        return calibrated(&objective, rough);
    }
    let limit = WORSE * rough.cost + TABLE_ERROR_DB.powi(2) * observations.len() as f64;
    let places = minima::distinct(&of_table, &rough.minima, (limit, MAX_PLACES))?;
    let mut places: Vec<Vec<f64>> = places.into_iter().map(|(shares, _)| shares).collect();
    if places.is_empty() {
        places.push(rough.shares.clone());
    }
    let exact = levenberg_marquardt::from_places(&objective, &places, max_steps, control)?;
    calibrated(&objective, exact.after(&rough))
}

/// The largest number of steps of the least squares that end another search.
const LAST_STEPS: usize = 30;
/// The largest excess over the best minimum of a table of another one that is followed with the model itself: so many
/// times, and by this error of the table at each measurement, dB.
const WORSE: f64 = 2.0;
const TABLE_ERROR_DB: f64 = 0.3;
/// The largest number of minima of a table that are followed.
const MAX_PLACES: usize = 8;

/// The best parameters.
fn find<M: Model>(
    objective: &Objective<'_, M>,
    optimiser: Optimiser,
    control: &Control,
) -> Result<Found, Error> {
    if objective.parameters.is_empty() {
        // Offsets are known in closed form.
        return Ok(Found::at(Vec::new(), &objective.evaluate(&[])?).finish(false));
    }
    match optimiser {
        Optimiser::LevenbergMarquardt { max_steps, starts } => {
            levenberg_marquardt::levenberg_marquardt(objective, [max_steps, starts], control)
        }
        Optimiser::Genetic {
            generations,
            population,
            seed,
        } => genetic::genetic(objective, [generations, population], seed, control),
        Optimiser::Annealing { evaluations, seed } => {
            annealing::annealing(objective, evaluations, seed, control)
        }
        Optimiser::Random { evaluations, seed } => {
            annealing::random_search(objective, evaluations, seed, control)
        }
    }
}

/// The result for the parameters that were found, with the model itself.
fn calibrated<M: Model>(objective: &Objective<'_, M>, found: Found) -> Result<Calibrated, Error> {
    let before = objective.evaluate(&search::starts(objective))?;
    let at: Evaluation<M::State> = objective.evaluate(&found.shares)?;
    let (estimates, correlations) = estimates::estimates(objective, &found.shares, &at)?;
    let scored = Scored {
        cost: at.cost(),
        rmse: at.rmse,
    };
    let best = (found.shares, scored);
    Ok(Calibrated {
        estimates,
        correlations,
        rmse_before: before.rmse,
        rmse: at.rmse,
        cost: scored.cost,
        others: minima::within_noise(objective, &found.minima, &best)?,
        offsets: at.offsets,
        predictions: at.predictions,
        progress: found.progress,
        evaluations: found.evaluations,
        is_stopped: found.is_stopped,
    })
}

fn objective<'a, M: Model>(
    model: &'a M,
    parameters: &'a [Parameter],
    observations: &'a [Observation],
    settings: &Settings,
) -> Result<Objective<'a, M>, Error> {
    Ok(Objective {
        domain: Domain::new(parameters, &model.energy_ties())?,
        model,
        parameters,
        observations,
        offsets: settings.offsets,
        error_db: settings.error_db,
    })
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
