//! Fits on some routes, evaluated on the others and by the hidden truth.

use anyhow::Result;
use keller::Control;
use keller::calibration::{
    AdditiveTable, Calibrated, Estimate, Model, Observation, Optimiser, Parameter, Replay,
    Settings, calibrate,
};
use keller::comparison::OffsetKind;

use super::city::City;
use super::measured::{measured, rmse};
use super::points::Points;

/// Errors that are put in, dB, and how often each is drawn.
const ERRORS_DB: [f64; 2] = [3.0, 6.0];
const DRAWS: u64 = 4;

/// Added to all measurements where an offset is fitted, dB.
const OFFSET_DB: f64 = -4.0;

/// The held-out error may differ from that put in by this part.
const MOST_OFF: f64 = 0.03;

/// The part of values that must lie within two standard errors.
const MIN_WITHIN: f64 = 0.9;

/// The correlation of parameters, and the standard error as a part of the way between their bounds, beyond which they
/// cannot be distinguished.
const MAX_CORRELATION: f64 = 0.95;
const MAX_ERROR: f64 = 1.0 / 3.0;

/// Fits with every error, without and with an offset. Returns the results that are not as they should be.
pub(super) fn fits(city: &City, points: &Points) -> Result<Vec<String>> {
    let [fitted, held_out] = &points.parts;
    let replays = [fitted, held_out].map(|part| Replay::new(&city.world, part, &city.quantities));
    let starts = city.starts();
    let gains = replays[0].path_gains(&starts)?;
    let table = AdditiveTable::new(&city.world, fitted, &city.quantities, (&starts, &gains))?;
    let true_levels = [&replays[0], &replays[1]].map(|replay| replay.predict(&city.truth));
    let [of_fitted, of_held_out] = true_levels;
    let levels = [of_fitted?.0, of_held_out?.0];
    let at_start = replays[1].predict(&starts)?.0;
    let count = levels[1].len();
    println!(
        "\nseeds are independent; a draw of {count} errors alone spreads by {:.1} %, the mean of {DRAWS} draws by {:.1} %",
        100.0 / (2.0 * count as f64).sqrt(),
        100.0 / (2.0 * (count * usize::try_from(DRAWS)?) as f64).sqrt()
    );
    println!("RMSE, dB, means of {DRAWS} draws");
    println!(
        "error  offset  fitted: before  after   held out: before  after  put in   over what was put in"
    );
    let mut failures = Vec::new();
    let mut tallies = Vec::new();
    let mut case = 0;
    for error_db in ERRORS_DB {
        for offsets in [OffsetKind::None, OffsetKind::One] {
            let mut sums = [0.0; 5];
            case += 1;
            let mut tally = Tally::default();
            for seed in 0..DRAWS {
                let [mut fit, mut judge] = [0, 1].map(|part| {
                    measured(
                        &levels[part],
                        error_db,
                        2 * (DRAWS * case + seed) + part as u64 + 1,
                    )
                });
                if offsets == OffsetKind::One {
                    let all = fit.iter_mut().chain(&mut judge);
                    all.for_each(|observation| observation.measured_db += OFFSET_DB);
                }
                let settings = Settings {
                    offsets,
                    error_db,
                    ..Settings::default()
                };
                let found = fit_both(&replays[0], &table, &city.parameters, &fit, &settings)?;
                let values: Vec<f64> = found.estimates.iter().map(|e| e.value).collect();
                let predicted = replays[1].predict(&values)?.0;
                let before_offset = match offsets {
                    OffsetKind::None => 0.0,
                    _ => mean_missing(&replays[0].predict(&starts)?.0, &fit),
                };
                let true_offset = if offsets == OffsetKind::One {
                    OFFSET_DB
                } else {
                    0.0
                };
                let held_out = rmse(&predicted, &judge, found.offsets.of(0));
                let parts = [
                    rmse(&replays[0].predict(&starts)?.0, &fit, before_offset),
                    found.rmse,
                    rmse(&at_start, &judge, before_offset),
                    held_out,
                    // No prediction is better than the true values.
                    rmse(&levels[1], &judge, true_offset),
                ];
                for (sum, part) in sums.iter_mut().zip(parts) {
                    *sum += part / DRAWS as f64;
                }
                tally.add(city, &found, seed);
            }
            let [before, after, others_before, others, put_in] = sums;
            let over = others / put_in - 1.0;
            println!(
                "{error_db:5.1}  {:6}  {before:14.2}  {after:5.2}  {others_before:17.2}  {others:5.2}  {put_in:6.2}  {:20.1} %",
                if offsets == OffsetKind::None {
                    "none"
                } else {
                    "one"
                },
                100.0 * over
            );
            if over.abs() > MOST_OFF {
                failures.push(format!(
                    "{error_db} dB, {offsets:?}: held-out RMSE {others:.2} dB"
                ));
            }
            tallies.push((error_db, offsets, tally));
        }
    }
    for (error_db, offsets, tally) in tallies {
        println!("\n{error_db} dB, offset {offsets:?}");
        tally.print(city);
        let within = tally.within as f64 / tally.told.max(1) as f64;
        if within < MIN_WITHIN {
            failures.push(format!(
                "{error_db} dB, {offsets:?}: {:.0} % of the values within two standard errors",
                100.0 * within
            ));
        }
    }
    Ok(failures)
}

/// Finds the parameters with the table, and goes on from there with the full field.
pub(super) fn fit_both(
    replay: &Replay<'_>,
    table: &AdditiveTable<'_>,
    parameters: &[Parameter],
    observations: &[Observation],
    settings: &Settings,
) -> Result<Calibrated> {
    let control = Control::default();
    let near = calibrate(table, parameters, observations, settings, &control)?;
    let moved = parameters.iter().zip(&near.estimates);
    let moved: Vec<Parameter> = moved
        .map(|(parameter, estimate)| Parameter {
            start: estimate.value,
            ..parameter.clone()
        })
        .collect();
    let settings = Settings {
        optimiser: one_start(),
        ..*settings
    };
    Ok(calibrate(
        replay,
        &moved,
        observations,
        &settings,
        &control,
    )?)
}

/// Least squares from the start alone.
pub(super) fn one_start() -> Optimiser {
    Optimiser::LevenbergMarquardt {
        max_steps: 100,
        starts: 1,
    }
}

/// The mean of measurements less predictions, dB.
fn mean_missing(levels: &[f64], observations: &[Observation]) -> f64 {
    let missing = observations
        .iter()
        .map(|observation| observation.measured_db - levels[observation.prediction]);
    missing.sum::<f64>() / observations.len() as f64
}

/// The comparison of values with the truth.
#[derive(Default)]
struct Tally {
    told: usize,
    within: usize,
    /// The numbers, for each parameter, of draws in which it could be determined, and of those within two standard
    /// errors.
    by_parameter: Vec<[usize; 2]>,
    misses: Vec<String>,
    first: Vec<String>,
}

impl Tally {
    fn add(&mut self, city: &City, found: &Calibrated, seed: u64) {
        self.by_parameter.resize(city.parameters.len(), [0; 2]);
        for (index, estimate) in found.estimates.iter().enumerate() {
            let (parameter, truth) = (&city.parameters[index], city.truth[index]);
            let verdict = told(parameter, found, index).map(|error| {
                let off = if parameter.is_logarithmic {
                    (estimate.value / truth).ln().abs() * estimate.value
                } else {
                    (estimate.value - truth).abs()
                };
                off / error
            });
            if seed == 0 {
                self.first.push(row(estimate, truth, &verdict));
            }
            let Ok(ratio) = verdict else { continue };
            self.told += 1;
            self.by_parameter[index][0] += 1;
            if ratio <= 2.0 {
                self.within += 1;
                self.by_parameter[index][1] += 1;
            } else {
                self.misses.push(format!(
                    "draw {seed}: {} {:.3} beside {truth}, {ratio:.1} standard errors",
                    estimate.name, estimate.value
                ));
            }
        }
    }

    fn print(&self, city: &City) {
        println!(
            "parameter                  truth     value  standard error  off/SE (draw 0)          told  within 2 SE"
        );
        for (index, row) in self.first.iter().enumerate() {
            let [told, within] = self.by_parameter[index];
            println!("{row}  {told:4} of {DRAWS}  {within:4}");
        }
        println!(
            "{} of {} values within two standard errors; {} of {} could not be told",
            self.within,
            self.told,
            city.parameters.len() * usize::try_from(DRAWS).unwrap_or(0) - self.told,
            city.parameters.len() * usize::try_from(DRAWS).unwrap_or(0),
        );
        for miss in &self.misses {
            println!("  {miss}");
        }
    }
}

fn row(estimate: &Estimate, truth: f64, verdict: &Result<f64, String>) -> String {
    let verdict = match verdict {
        Ok(ratio) => format!("{ratio:.2}"),
        Err(reason) => reason.clone(),
    };
    let error = estimate
        .standard_error
        .map_or("-".to_owned(), |error| format!("{error:.4}"));
    format!(
        "{:22} {truth:9.4} {:9.4}  {error:>14}  {verdict:24}",
        estimate.name, estimate.value
    )
}

/// The standard error of a parameter that measurements determine, or why they do not.
fn told(parameter: &Parameter, found: &Calibrated, index: usize) -> Result<f64, String> {
    let estimate = &found.estimates[index];
    let Some(error) = estimate.standard_error else {
        return Err("no effect".to_owned());
    };
    let Parameter { min, max, .. } = *parameter;
    let way = if parameter.is_logarithmic {
        estimate.value * (max / min).ln()
    } else {
        max - min
    };
    let row = found.correlations[index].iter().enumerate();
    let alike = row.filter(|(other, _)| *other != index);
    if let Some((other, correlation)) = alike.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        && correlation.abs() > MAX_CORRELATION
    {
        return Err(format!("as {}", found.estimates[other].name));
    }
    if error > MAX_ERROR * way {
        return Err("not sure".to_owned());
    }
    match estimate.bound {
        Some(_) => Err("at a bound".to_owned()),
        None => Ok(error),
    }
}
