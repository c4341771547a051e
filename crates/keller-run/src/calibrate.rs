//! Calibration of a scenario: its parameters, its measured links with their paths, and the result.
//!
//! Paths are traced once, through walls that are as open as the ranges of the parameters allow, and without thresholds
//! of power. They may be kept in a file, which holds for the same scene, places and limits. The diffuse field is
//! computed at the parameters and at values near them in each (see [`PowerBeside`]), and the search is repeated where
//! it ended.

mod beside;
mod changes;
mod folds;
mod links;
mod losses;
mod parameters;
mod reference;

pub use losses::LossCalibration;
pub use reference::Reference;

use std::path::PathBuf;
use std::sync::Arc;

use keller::calibration::{
    AdditiveTable, Bound, Calibrated, Estimate, Model, Observation, Optimiser, Parameter,
    PowerBeside, Progress, Replay, Settings, TracedLinks, calibrate, calibrate_with,
};
use keller_io::reports::calibration::{CalibrationSummary, SMALL_EFFECT_DB};
use keller_io::scenario::{CalibratedScenario, Measurements};
use keller_io::store::paths::PathBlock;

use self::folds::values_of;
use self::links::{Links, open_job, trace};
use self::parameters::Chosen;
use crate::compare::suspicion;
use crate::observer::Tell;
use crate::{Error, Job};

/// Parameters that move by less than this share of the way between their bounds have settled.
const SETTLED: f64 = 0.01;

/// The largest number of times that a step is halved where the diffuse field did not follow its tangent.
const MAX_HALVINGS: usize = 2;

/// Options of the calibration of a scenario.
#[derive(Debug, Clone, Default)]
pub struct CalibrationOptions {
    /// The algorithm that searches for parameters.
    pub optimiser: Optimiser,
    /// A file that keeps the paths. It is read if it is there and made if not.
    pub trace_cache: Option<PathBuf>,
    /// The measurements that are left out of a fit to estimate its error, and in how many parts; `None` for no such
    /// estimate.
    pub folds: Option<Folds>,
}

/// Measurements that are left out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folds {
    /// Places, drawn at random into so many folds.
    Places(usize),
    /// Sets of measurements, such as routes: a fold each.
    Sets,
    /// Tx: a fold each.
    Tx,
}

/// A scenario whose paths are found, ready to be calibrated.
#[derive(Debug)]
pub struct Calibration {
    job: Arc<Job>,
    blocks: Vec<PathBlock>,
    links: Links,
    traced: TracedLinks,
    chosen: Chosen,
    observations: Vec<Observation>,
    /// The set of the measurement of each observation.
    sets: Vec<usize>,
    num_unreached: usize,
    settings: Settings,
    folds: Option<Folds>,
}

/// The result of a calibration.
#[derive(Debug)]
pub struct CalibrationResult {
    /// The parameters, their uncertainty, and the errors of the fit.
    pub summary: CalibrationSummary,
    /// The job with the calibrated materials and background, at the places of the measurements. Offsets are not in it.
    pub job: Arc<Job>,
    /// The changes in the text of the scenario.
    pub changes: CalibratedScenario,
}

impl Calibration {
    /// Finds the paths of a job whose receivers are the places of the measurements.
    ///
    /// # Errors
    /// [`Error::Input`] for a scenario without `[calibrate]`, ranges that nothing in the scene has, measurements that nothing can
    /// be learned from and arrays; the errors of [`Job::paths`].
    pub fn new(
        job: &Arc<Job>,
        measurements: &Measurements,
        options: &CalibrationOptions,
    ) -> Result<Self, Error> {
        let scenario = &job.scenario;
        let settings = scenario.calibrate.as_ref().ok_or_else(|| {
            Error::Input(format!(
                "{}: there is no section [calibrate], which says what may change; see the guide, Measurements",
                scenario.file.display()
            ))
        })?;
        links::refuse_arrays(scenario)?;
        let mut chosen = Chosen::new(job, settings)?;
        let blocks = trace(&open_job(job, &chosen)?, options.trace_cache.as_deref())?;
        let (links, traced) = Links::new(job, measurements, &blocks);
        chosen.drop_idle(job, &traced, settings)?;
        let mut calibration = Self {
            job: Arc::clone(job),
            blocks,
            observations: links.observations(measurements),
            sets: measurements.rows.iter().map(|row| row.set).collect(),
            links,
            traced,
            chosen,
            num_unreached: 0,
            settings: Settings {
                optimiser: options.optimiser,
                offsets: settings.offset,
                error_db: settings.error_db,
            },
            folds: options.folds,
        };
        calibration.leave_out_unreached()?;
        Ok(calibration)
    }

    /// Leaves out measurements where nothing arrives: no number of dB is right for them.
    fn leave_out_unreached(&mut self) -> Result<(), Error> {
        if self.job.scenario.diffuse.is_some() || self.chosen.has_background(&self.job) {
            return Ok(());
        }
        let is_reached = |observation: &Observation| {
            observation.is_limit || self.traced.num_paths_of(observation.prediction) > 0
        };
        let before = self.observations.len();
        let both = self.observations.iter().zip(&self.sets);
        let kept = both.filter(|(observation, _)| is_reached(observation));
        (self.observations, self.sets) = kept.map(|(o, set)| (*o, *set)).unzip();
        self.num_unreached = before - self.observations.len();
        if self
            .observations
            .iter()
            .all(|observation| observation.is_limit)
        {
            return Err(Error::Input(format!(
                "nothing can be learned: of {before} measurements, {} lie below the receiver's noise, and at {} no path arrives; \
                 more reflections, diffractions or transmissions in [paths] find more, and [diffuse] or a background reaches all",
                before - self.num_unreached,
                self.num_unreached
            )));
        }
        Ok(())
    }

    /// The blocks of paths, found with open walls.
    pub fn blocks(&self) -> &[PathBlock] {
        &self.blocks
    }

    /// Number of paths of the measured links.
    pub fn num_paths(&self) -> usize {
        self.traced.num_paths()
    }

    /// Number of measurements that a fit can use.
    pub fn num_observations(&self) -> usize {
        self.observations.len()
    }

    /// Number of measurements that no path reaches: they are left out.
    pub fn num_unreached(&self) -> usize {
        self.num_unreached
    }

    /// Searches for the parameters. A search that is stopped gives the best so far, without folds.
    ///
    /// # Errors
    /// [`Error::Input`] for measurements that nothing can be learned from, and those of the diffuse field.
    pub fn run(&self) -> Result<CalibrationResult, Error> {
        let start: Vec<f64> = self.chosen.parameters.iter().map(|p| p.start).collect();
        let (mut values, mut beside) = (start.clone(), self.beside(&start)?);
        let mut best = self.judge_at(&values, &beside)?;
        let rmse_before = best.rmse;
        if let Some(suspicion) = suspicion(self.mean_error(&best)) {
            self.job.observer.warn(suspicion);
        }
        let (mut progress, mut evaluations) = (Vec::new(), 0);
        for _ in 0..self.num_rounds() {
            let found = self.search(&values, &beside)?;
            progress.extend(found.progress.iter().map(|of_round| Progress {
                evaluations: evaluations + of_round.evaluations,
                ..*of_round
            }));
            evaluations += found.evaluations;
            let next = self.settled(&found, &values, &beside)?;
            if found.is_stopped {
                // There is no time for another diffuse field.
                let judged = self.judge_at(&next, &beside)?;
                if judged.cost <= best.cost {
                    (values, best) = (values_of(&judged), judged);
                }
                best.is_stopped = true;
                break;
            }
            let moved = self.chosen.farthest(&values, &next);
            let (beside_next, judged) = match self.shortened(&values, next, best.cost) {
                Err(Error::Stopped) => {
                    best.is_stopped = true;
                    break;
                }
                judged => judged?,
            };
            let is_better = judged.cost <= best.cost;
            if is_better {
                (values, beside, best) = (values_of(&judged), beside_next, judged);
                best.others = found.others;
            }
            if !is_better || moved < SETTLED {
                break;
            }
        }
        let folds = match self.folds {
            Some(by) if !best.is_stopped => {
                let judged = self.judge_by_folds(by, (&values, &beside));
                folds::told(judged, &self.job, &mut best)?
            }
            _ => None,
        };
        let (materials, background) = self.model(&PowerBeside::default()).materials(&values)?;
        let world = self.job.world.with_each_material(materials)?;
        let mut scenario = self.job.scenario.clone();
        scenario.background = background;
        let calibrated = Calibrated {
            rmse_before,
            progress,
            evaluations,
            ..best
        };
        Ok(CalibrationResult {
            changes: changes::of(
                &self.job,
                &self.chosen,
                &world,
                background,
                &calibrated.offsets,
            ),
            job: self.job.with_world(scenario, world),
            summary: CalibrationSummary {
                calibrated,
                parameters: self.chosen.parameters.clone(),
                tx: self.job.tx.iter().map(|tx| tx.name.to_string()).collect(),
                optimiser: self.settings.optimiser,
                folds,
                num_paths: self.num_paths(),
                num_observations: self.observations.len(),
                num_unreached: self.num_unreached,
            },
        })
    }

    /// The values that were found, with six digits. A value that hardly matters would follow the noise: it stays as it
    /// was, unless predictions there are others.
    fn settled(
        &self,
        found: &Calibrated,
        before: &[f64],
        beside: &PowerBeside,
    ) -> Result<Vec<f64>, Error> {
        let model = self.model(beside);
        let predict = |values: &[f64]| {
            let predicted = model.predict(values).map(|(levels, _)| levels);
            predicted.map_err(|error| self.in_scenario(error))
        };
        let estimates = || found.estimates.iter();
        let mut next: Vec<f64> = estimates().map(rounded_estimate).collect();
        for (index, estimate) in estimates().enumerate() {
            if estimate.effect_db > SMALL_EFFECT_DB || next[index] == before[index] {
                continue;
            }
            let mut back = next.clone();
            back[index] = before[index];
            if self.apart(&predict(&back)?, &found.predictions) <= SMALL_EFFECT_DB {
                next = back;
            }
        }
        Ok(next)
    }

    /// Root of the mean square difference of two predictions where something was measured, dB.
    fn apart(&self, a: &[f64], b: &[f64]) -> f64 {
        let both = self
            .observations
            .iter()
            .map(|o| (a[o.prediction], b[o.prediction]));
        let squares = both.map(|(a, b)| if a == b { 0.0 } else { (a - b).powi(2) });
        (squares.sum::<f64>() / self.observations.len().max(1) as f64).sqrt()
    }

    /// The next values at which a fit is evaluated, and their diffuse field. Where the tangent led too far, they are
    /// nearer to those before.
    fn shortened(
        &self,
        before: &[f64],
        mut next: Vec<f64>,
        cost: f64,
    ) -> Result<(PowerBeside, Calibrated), Error> {
        let mut halvings = 0;
        loop {
            let beside = self.beside(&next)?;
            let judged = self.judge_at(&next, &beside)?;
            let has_tangent = self.num_rounds() > 1;
            if judged.cost <= cost || halvings == MAX_HALVINGS || !has_tangent {
                return Ok((beside, judged));
            }
            halvings += 1;
            for (next, before) in next.iter_mut().zip(before) {
                *next = rounded(0.5 * (*next + before));
            }
        }
    }

    /// One search, with the diffuse field near `values`.
    fn search(&self, values: &[f64], beside: &PowerBeside) -> Result<Calibrated, Error> {
        let model = self.model(beside);
        let parameters = self.parameters_at(values);
        let (observations, settings) = (&self.observations, &self.settings);
        let found = self.job.observer.watch(|control| {
            let (gains, quantities) = (model.path_gains(values)?, &self.chosen.quantities);
            let at = (values, &gains[..]);
            let table = AdditiveTable::new(&self.job.world, &self.traced, quantities, at)?
                .with_background(self.chosen.background)
                .with_power_beside(beside.clone());
            calibrate_with(&model, &table, &parameters, observations, settings, control)
        });
        found.map_err(|error| self.in_scenario(error))
    }

    /// The errors of the fit at these values, without a search.
    fn judge_at(&self, values: &[f64], beside: &PowerBeside) -> Result<Calibrated, Error> {
        let settings = Settings {
            optimiser: Optimiser::LevenbergMarquardt {
                max_steps: 0,
                starts: 1,
            },
            ..self.settings
        };
        let parameters = self.parameters_at(values);
        let control = keller::Control::default();
        calibrate(
            &self.model(beside),
            &parameters,
            &self.observations,
            &settings,
            &control,
        )
        .map_err(|error| self.in_scenario(error))
    }

    /// The mean error without offsets, dB.
    fn mean_error(&self, judged: &Calibrated) -> f64 {
        let known = self.observations.iter().filter(|o| !o.is_limit);
        let errors = known.map(|o| judged.predictions[o.prediction] - o.measured_db);
        let errors: Vec<f64> = errors.filter(|error| error.is_finite()).collect();
        errors.iter().sum::<f64>() / errors.len().max(1) as f64
    }

    fn parameters_at(&self, values: &[f64]) -> Vec<Parameter> {
        let both = self.chosen.parameters.iter().zip(values);
        both.map(|(parameter, value)| Parameter {
            start: value.clamp(parameter.min, parameter.max),
            ..parameter.clone()
        })
        .collect()
    }

    fn model(&self, beside: &PowerBeside) -> Replay<'_> {
        let replay = Replay::new(&self.job.world, &self.traced, &self.chosen.quantities);
        let replay = replay.with_background(self.chosen.background);
        if beside.gains.is_empty() {
            replay
        } else {
            replay.with_power_beside(beside.clone())
        }
    }

    fn in_scenario(&self, error: keller::Error) -> Error {
        match error {
            keller::Error::Cancelled => Error::Stopped,
            error => Error::in_scenario(&self.job.scenario, &error),
        }
    }
}

/// Six digits of a value, rounded up where energy allows no less.
fn rounded_estimate(estimate: &Estimate) -> f64 {
    let half_a_digit = match estimate.bound {
        Some(Bound::Energy) => 5e-6,
        _ => 0.0,
    };
    rounded(estimate.value * (1.0 + half_a_digit))
}

/// Six digits, as the calibrated scenario has them.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
