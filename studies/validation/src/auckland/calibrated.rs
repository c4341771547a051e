//! The survey calibrated by the code of `keller calibrate`, and evaluated at places that had no part in the fit.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use keller::calibration::{Optimiser, folds_of_places};
use keller::comparison::OffsetKind;
use keller_io::reports::calibration::CalibrationSummary;
use keller_io::scenario::Measurements;
use keller_run::{Calibration, CalibrationOptions, CalibrationResult, Folds, Job};

use super::fit::{Fit, NUM_FOLDS, SEED};
use super::predictions::{open, predict};
use super::set_up::{SetUp, reflections};
use super::survey::{Survey, Tx};

/// A choice of parameters that may change.
pub(super) struct Choice {
    pub(super) name: &'static str,
    /// Whether the diffuse field counts.
    has_field: bool,
    /// The materials whose loss of a passage may change.
    losses: &'static [&'static str],
    /// The materials of which the share that they scatter may change: it goes from the paths to the diffuse field.
    scattering: &'static [&'static str],
    /// Whether the level of a background may change. It falls with the square of the distance.
    has_background: bool,
}

/// The materials of the building of which something may change.
const KINDS: [&str; 4] = ["wall", "concrete", "floor", "glass"];

/// The losses of the material of most walls and all floors, which no drawing names, and a background for all that is
/// not in the scene.
pub(super) const USUAL: Choice = Choice {
    name: "partitions, floors, background",
    has_field: true,
    losses: &["wall", "floor"],
    scattering: &[],
    has_background: true,
};

/// The losses of partitions and floors alone.
pub(super) const LOSSES_ALONE: Choice = Choice {
    name: "partitions, floors",
    has_background: false,
    ..USUAL
};

/// A fit of offsets alone, one for each Tx.
pub(super) const OFFSETS_ALONE: Choice = Choice {
    name: "offsets alone",
    losses: &[],
    ..LOSSES_ALONE
};

/// The walls and floors of ITU-R P.2040, and a background.
pub(super) const BACKGROUND_ALONE: Choice = Choice {
    name: "background",
    losses: &[],
    ..USUAL
};

/// The choices from few parameters to more.
const CHOICES: [Choice; 9] = [
    OFFSETS_ALONE,
    Choice {
        name: "partitions",
        losses: &["wall"],
        ..LOSSES_ALONE
    },
    LOSSES_ALONE,
    Choice {
        name: "partitions, floors, glass",
        losses: &["wall", "floor", "glass"],
        ..LOSSES_ALONE
    },
    USUAL,
    Choice {
        name: "scattering",
        losses: &[],
        scattering: &["wall", "concrete", "floor"],
        ..LOSSES_ALONE
    },
    Choice {
        name: "partitions, floors, scattering",
        scattering: &["wall", "concrete", "floor"],
        ..LOSSES_ALONE
    },
    Choice {
        name: "no field: partitions, floors",
        has_field: false,
        ..LOSSES_ALONE
    },
    Choice {
        name: "no field: partitions, floors, background",
        has_field: false,
        ..USUAL
    },
];

/// The losses that are searched, dB.
const LOSSES: &str = "[0, 40]";

/// The scattering that is searched. The search cannot begin at 0, where its slope is 0.
const SCATTERING: &str = "{ min = 0, max = 1, start = 0.4 }";

/// The levels of the background at 1 m that are searched, dB. Free space has -38 dB.
const LEVELS: &str = "{ min = -120, max = -30, start = -70 }";

impl Choice {
    /// The section of the scenario that says it.
    fn section(&self, offset: &str) -> String {
        let mut lines = vec!["\n[calibrate]".to_owned(), format!("offset = \"{offset}\"")];
        for name in KINDS {
            let [has_loss, has_scattering] =
                [self.losses, self.scattering].map(|names| names.contains(&name));
            if has_loss || has_scattering {
                lines.push(format!("\n[calibrate.materials.{name}]"));
            }
            if has_loss {
                lines.push(format!("transmission_loss_db = {LOSSES}"));
            }
            if has_scattering {
                lines.push(format!("scattering = {SCATTERING}"));
            }
        }
        if self.has_background {
            lines.push("\n[calibrate.background]".to_owned());
            lines.push(format!("level_db = {LEVELS}"));
        }
        lines.join("\n") + "\n"
    }

    /// The set-up with one reflection: a search evaluates all paths some hundred times, and there are seven times as
    /// many with two.
    fn set_up(&self, offset: &str) -> SetUp {
        let usual = SetUp::usual();
        SetUp {
            paths: reflections(1),
            diffuse: usual.diffuse.filter(|_| self.has_field),
            more: self.section(offset),
            ..usual
        }
    }

    /// Calibrates with the links of some Tx, and evaluates by folds near the diffuse field of the values that were
    /// found.
    fn run(&self, survey: &Survey, kind: &Kind, folder: &Path) -> Result<CalibrationSummary> {
        let files = self
            .set_up(kind.offset)
            .write(survey, &kind.is_wanted, folder)?;
        let (job, measurements) = open(&files)?;
        let folds = Some(Folds::Places(NUM_FOLDS));
        Ok(calibrate(&job, &measurements, folds)?.summary)
    }

    /// Calibrates with those links for which `is_used` holds; gives the levels of all links.
    ///
    /// # Errors
    /// The errors of the files and of the runs.
    pub(super) fn fit(
        &self,
        survey: &Survey,
        is_used: &dyn Fn(usize) -> bool,
        offsets: OffsetKind,
        folder: &Path,
    ) -> Result<Fit> {
        let offset = match offsets {
            OffsetKind::None => "none",
            OffsetKind::One => "one",
            OffsetKind::PerGroup => "tx",
        };
        let files = self.set_up(offset).write(survey, &|_| true, folder)?;
        let (job, measurements) = open(&files)?;
        let mut used = measurements.clone();
        // The file has the links in their order.
        used.rows = (0..used.rows.len())
            .filter(|k| is_used(*k))
            .map(|k| measurements.rows[k])
            .collect();
        let found = calibrate(&job, &used, None)?;
        let (predicted, _) = predict(&found.job, &measurements)?;
        let levels = predicted.iter().map(|pair| pair.predicted_db).collect();
        Ok(Fit::new(levels, &found.summary.calibrated))
    }

    /// RMSE at places that had no part in the fit, dB: every fold is a calibration of its own, from the start to the diffuse
    /// field of what it found.
    fn strict_folds(&self, survey: &Survey, kind: &Kind, folder: &Path) -> Result<f64> {
        let files = self
            .set_up(kind.offset)
            .write(survey, &kind.is_wanted, folder)?;
        let (job, measurements) = open(&files)?;
        let of_places = folds_of_places(measurements.receivers.rx.len(), NUM_FOLDS, SEED);
        let (mut sum, mut count) = (0.0, 0);
        for fold in 0..NUM_FOLDS {
            let part = |is_left_out: bool| {
                let mut part = measurements.clone();
                part.rows
                    .retain(|row| (of_places[row.rx] == fold) == is_left_out);
                part
            };
            let found = calibrate(&job, &part(false), None)?;
            let (predicted, _) = predict(&found.job, &part(true))?;
            let offsets = &found.summary.calibrated.offsets;
            for pair in predicted {
                let error = pair.predicted_db + offsets.of(pair.group) - pair.measured_db;
                sum += error * error;
                count += 1;
            }
        }
        Ok((sum / f64::from(count)).sqrt())
    }
}

/// The links that count, and the kind of their offsets.
struct Kind {
    name: &'static str,
    offset: &'static str,
    is_wanted: fn(&Tx) -> bool,
}

const KINDS_OF_OFFSETS: [Kind; 2] = [
    Kind {
        name: "one offset a Tx",
        offset: "tx",
        is_wanted: |_| true,
    },
    Kind {
        name: "one offset, Tx indoors",
        offset: "one",
        is_wanted: Tx::is_indoors,
    },
];

fn calibrate(
    job: &Arc<Job>,
    measurements: &Measurements,
    folds: Option<Folds>,
) -> Result<CalibrationResult> {
    let options = CalibrationOptions {
        // It begins at known materials.
        optimiser: Optimiser::LevenbergMarquardt {
            max_steps: 100,
            starts: 1,
        },
        folds,
        ..CalibrationOptions::default()
    };
    Ok(Calibration::new(job, measurements, &options)?.run()?)
}

/// Prints the errors of each choice; gives the RMSE of the usual one at places that were left out, dB, with one offset
/// for each Tx.
///
/// # Errors
/// The errors of the runs.
pub(super) fn report(survey: &Survey, folder: &Path) -> Result<f64> {
    println!(
        "\ncalibrated from the usual set-up with 1 reflection, {NUM_FOLDS} folds by place: RMSE, dB"
    );
    println!(
        "{:<66}{:>8}{:>8}{:>8}{:>6}",
        "", "start", "fitted", "folds", "s"
    );
    for choice in &CHOICES {
        for kind in &KINDS_OF_OFFSETS {
            let start = Instant::now();
            let found = choice.run(survey, kind, folder)?;
            let folds = found.folds.as_ref().and_then(|folds| folds.statistics);
            println!(
                "{:<42}{:<24}{:>8.2}{:>8.2}{:>8.2}{:>6.0}",
                choice.name,
                kind.name,
                found.calibrated.rmse_before,
                found.calibrated.rmse,
                folds.context("there are folds")?.rmse,
                start.elapsed().as_secs_f64()
            );
            print_values(&found);
        }
    }
    println!(
        "{}, each fold calibrated anew with its own diffuse field: RMSE, dB",
        USUAL.name
    );
    let mut of_usual = None;
    for kind in &KINDS_OF_OFFSETS {
        let start = Instant::now();
        let rmse = USUAL.strict_folds(survey, kind, folder)?;
        let seconds = start.elapsed().as_secs_f64();
        println!("    {:<62}{rmse:>24.2}{seconds:>6.0}", kind.name);
        of_usual.get_or_insert(rmse);
    }
    of_usual.context("there is a kind of offsets")
}

/// The values that were found, their uncertainty, their changes between folds, and where they began: a loss at the
/// value of the layers of ITU-R P.2040 at normal incidence.
fn print_values(found: &CalibrationSummary) {
    let both = found.calibrated.estimates.iter().zip(&found.parameters);
    for (index, (estimate, parameter)) in both.enumerate() {
        let error = estimate
            .standard_error
            .map_or("-".to_owned(), |e| format!("{e:.2}"));
        let of_folds = found.folds.iter().flat_map(|folds| &folds.values);
        let of_folds: Vec<f64> = of_folds.map(|values| values[index]).collect();
        let low = of_folds.iter().copied().fold(f64::INFINITY, f64::min);
        let high = of_folds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        println!(
            "        {:<32}{:>8.2} ± {error}, folds {low:.2} to {high:.2}, began at {:.2}",
            estimate.name, estimate.value, parameter.start
        );
    }
}
