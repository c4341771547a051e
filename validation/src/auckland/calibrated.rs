//! The survey calibrated by the code of `keller calibrate`, and judged at places that had no part in the fit.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use keller_io::calibration::CalibrationSummary;
use keller_run::{Calibration, CalibrationOptions, Folds};

use super::anchors::NUM_FOLDS;
use super::predictions::open;
use super::set_up::SetUp;
use super::survey::{Survey, Tx};

/// A choice of what may change.
struct Choice {
    name: &'static str,
    /// Whether the diffuse field counts.
    has_field: bool,
    /// The materials whose loss of a passage may change.
    losses: &'static [&'static str],
    /// Whether the level of a background may change. It falls with the square of the distance.
    has_background: bool,
}

/// From few parameters to more.
const CHOICES: [Choice; 9] = [
    Choice::new("offsets alone", true, &[], false),
    Choice::new("partitions", true, &["wall"], false),
    USUAL,
    Choice::new(
        "partitions, floors, glass",
        true,
        &["wall", "floor", "glass"],
        false,
    ),
    Choice::new(
        "partitions, floors, concrete walls",
        true,
        &["wall", "floor", "concrete"],
        false,
    ),
    Choice::new(
        "partitions, floors, background",
        true,
        &["wall", "floor"],
        true,
    ),
    Choice::new(
        "no field: partitions, floors",
        false,
        &["wall", "floor"],
        false,
    ),
    Choice::new("no field: background", false, &[], true),
    Choice::new(
        "no field: partitions, floors, background",
        false,
        &["wall", "floor"],
        true,
    ),
];

/// What is taken where nothing is known of the result: the two losses of the building that no drawing tells, of what most
/// walls and all floors are made.
const USUAL: Choice = Choice::new("partitions, floors", true, &["wall", "floor"], false);

/// The losses that are searched, dB.
const LOSSES: &str = "[0, 40]";

/// The levels of the background at 1 m that are searched, dB. Free space has -38 dB.
const LEVELS: &str = "{ min = -120, max = -30, start = -70 }";

impl Choice {
    const fn new(
        name: &'static str,
        has_field: bool,
        losses: &'static [&'static str],
        has_background: bool,
    ) -> Self {
        Self {
            name,
            has_field,
            losses,
            has_background,
        }
    }

    /// The section of the scenario that says it.
    fn section(&self, offset: &str) -> String {
        let mut text = format!("\n[calibrate]\noffset = \"{offset}\"\n");
        for name in self.losses {
            text += &format!("\n[calibrate.materials.{name}]\ntransmission_loss_db = {LOSSES}\n");
        }
        if self.has_background {
            text += &format!("\n[calibrate.background]\nlevel_db = {LEVELS}\n");
        }
        text
    }

    fn set_up(&self, offset: &str) -> SetUp {
        let usual = SetUp::usual();
        SetUp {
            diffuse: usual.diffuse.filter(|_| self.has_field),
            more: self.section(offset),
            ..usual
        }
    }

    /// Calibrates with the links of some Tx.
    fn run(
        &self,
        survey: &Survey,
        is_wanted: &dyn Fn(&Tx) -> bool,
        offset: &str,
        folder: &Path,
    ) -> Result<CalibrationSummary> {
        let files = self.set_up(offset).write(survey, is_wanted, folder)?;
        let (job, measurements) = open(&files)?;
        let options = CalibrationOptions {
            folds: Some(Folds::Places(NUM_FOLDS)),
            ..CalibrationOptions::default()
        };
        let calibration = Calibration::new(&job, &measurements, &options)?;
        Ok(calibration.run()?.summary)
    }
}

/// Prints what each choice comes to; gives the RMSE of the usual one at places that were left out, dB, with one offset for
/// each Tx.
///
/// # Errors
/// Those of the runs.
pub(super) fn report(survey: &Survey, folder: &Path) -> Result<f64> {
    println!(
        "\ncalibrated from the usual set-up, {NUM_FOLDS} folds by place: RMSE, dB; one offset a Tx, then one for all Tx indoors"
    );
    println!(
        "{:<44}{:>8}{:>8}{:>8}{:>6}",
        "", "start", "fitted", "folds", "s"
    );
    let mut of_usual = None;
    for choice in &CHOICES {
        for (offset, is_wanted) in [
            ("tx", (|_| true) as fn(&Tx) -> bool),
            ("one", Tx::is_indoors),
        ] {
            let start = Instant::now();
            let found = choice.run(survey, &is_wanted, offset, folder)?;
            let folds = found.folds.as_ref().and_then(|folds| folds.statistics);
            let out_of_fold = folds.context("there are folds")?.rmse;
            let name = if offset == "tx" {
                choice.name
            } else {
                "    indoors"
            };
            println!(
                "{name:<44}{:>8.2}{:>8.2}{out_of_fold:>8.2}{:>6.0}",
                found.calibrated.rmse_before,
                found.calibrated.rmse,
                start.elapsed().as_secs_f64()
            );
            print_values(&found);
            if offset == "tx" && choice.name == USUAL.name {
                of_usual = Some(out_of_fold);
            }
        }
    }
    of_usual.context("the usual choice is one of them")
}

/// The values that were found, how sure they are, how far they move between folds, and where they began: a loss at what the
/// layers of ITU-R P.2040 take at normal incidence.
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
