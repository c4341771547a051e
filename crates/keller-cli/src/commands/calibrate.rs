//! `keller calibrate`: what makes a scenario predict measurements best, and how sure that is.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use keller::calibration::Optimiser;
use keller::comparison::OffsetKind;
use keller_io::OutputFile;
use keller_io::calibration::{BeforeAfter, CalibrationSummary};
use keller_io::scenario::{Measurements, Scenario};
use keller_io::table::About;
use keller_run::{
    Average, Calibration, CalibrationOptions, CalibrationResult, Folds, Job, Predictions, Stage,
};

use super::compare::plot_tx;
use crate::args::{CalibrateArgs, FoldArg, OptimiserArg};
use crate::ending;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job::prepare;
use crate::progress::Progress;
use crate::report::write_table;

pub(crate) fn run(args: &CalibrateArgs) -> Result<(), Failure> {
    let outputs = Outputs::default()
        .with("-o", args.out.as_deref())
        .with("--report", args.report.as_deref())
        .with("--histories", args.histories.as_deref());
    let mut scenario = Scenario::load_without_rx(&args.scenario)?;
    args.search.overrule(&mut scenario);
    let measured = args.measured.iter().map(std::path::PathBuf::as_path);
    outputs.check(scenario.inputs().into_iter().chain(measured))?;
    let measurements = Measurements::load(&args.measured, &scenario)?;
    // Opened first: who cannot have the result should not wait for it.
    let out = args.out.as_deref().map(|out| open_out(out, &args.scenario));
    let out = out.transpose()?;
    let report = args.report.as_deref().map(Report::open).transpose()?;
    let progress = Progress::new();
    for warning in &measurements.warnings {
        progress.warn(warning);
    }
    scenario.receivers = measurements.receivers.clone();
    let job = prepare(scenario, args.machine, &outputs, &progress)?;
    let calibration = Calibration::new(&job, &measurements, &options(args))?;
    // What was found so far is worth having.
    let hold = ending::hold();
    let mut result = calibration.run()?;
    progress.report(Stage::Write, 0.0);
    result.changes.comments = comments(args, &result.summary);
    let (text, warnings) = result.changes.text(&job.scenario)?;
    for warning in warnings {
        progress.warn(warning);
    }
    let is_stopped = result.summary.calibrated.is_stopped;
    // A stopped run has no time for predictions.
    let compared = match &report {
        Some(_) if !is_stopped => Some(compare(&job, &calibration, &result, &measurements)?),
        _ => None,
    };
    if let Some(out) = out {
        out.write(|file| file.write_all(text.as_bytes()))?;
    }
    if let Some(report) = report {
        let about = About {
            scenario: text,
            ..job.about()
        };
        report.write(&result.summary, compared.as_ref(), &about, &job)?;
    }
    drop(hold);
    let clock = progress.clock();
    progress.clear();
    let mut stdout = BufWriter::new(io::stdout().lock());
    if args.json {
        writeln!(stdout, "{:#}", result.summary.json(compared.as_ref()))?;
    } else {
        let summary = &result.summary;
        write_table(&mut stdout, &CalibrationSummary::HEADER, &summary.rows())?;
        let calibrated = &summary.calibrated;
        writeln!(
            stdout,
            "\nRMSE {:.2} dB with these values, {:.2} dB at the start",
            calibrated.rmse, calibrated.rmse_before
        )?;
        for remark in summary.remarks() {
            writeln!(stdout, "{remark}")?;
        }
    }
    stdout.flush()?;
    eprintln!(
        "{} measurements, {} paths, {} evaluations; {clock}",
        calibration.num_observations(),
        calibration.num_paths(),
        result.summary.calibrated.evaluations
    );
    match (&args.out, is_stopped) {
        (_, false) => Ok(()),
        (Some(out), true) => Err(Failure::Kept(format!(
            "stopped; the best parameters so far are in {}",
            out.display()
        ))),
        (None, true) => Err(Failure::Kept(
            "stopped; the best parameters so far are above".to_owned(),
        )),
    }
}

fn options(args: &CalibrateArgs) -> CalibrationOptions {
    let (evaluations, seed) = (args.evaluations as usize, args.seed);
    CalibrationOptions {
        optimiser: match args.optimiser {
            OptimiserArg::Lm => Optimiser::default(),
            OptimiserArg::Genetic => Optimiser::Genetic {
                generations: args.generations as usize,
                population: args.population as usize,
                seed,
            },
            OptimiserArg::Annealing => Optimiser::Annealing { evaluations, seed },
            OptimiserArg::Random => Optimiser::Random { evaluations, seed },
        },
        histories: args.histories.clone(),
        folds: match args.fold_by {
            FoldArg::Place => Some(Folds::Places(args.folds.into())),
            FoldArg::Set => Some(Folds::Sets),
            FoldArg::Tx => Some(Folds::Tx),
            FoldArg::None => None,
        },
    }
}

/// The file of the calibrated scenario. The files that it names lie where they lie for the scenario.
fn open_out(out: &Path, scenario: &Path) -> Result<OutputFile, Failure> {
    let is_toml = out
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    if !is_toml {
        return Err(Failure::Input(format!(
            "{}: accepted: a name that ends in .toml, for the calibrated scenario; --report writes pages and figures",
            out.display()
        )));
    }
    let folder = |file: &Path| {
        let folder = file.parent().unwrap_or(Path::new(""));
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
    };
    if folder(out) != folder(scenario) {
        return Err(Failure::Input(format!(
            "{}: the calibrated scenario names the files that {} names, from its own folder; accepted: a name in that folder",
            out.display(),
            scenario.display()
        )));
    }
    OutputFile::create(out).map_err(|error| Failure::Input(error.to_string()))
}

/// What the calibrated scenario says of its origin.
fn comments(args: &CalibrateArgs, summary: &CalibrationSummary) -> Vec<String> {
    let name = |file: &Path| {
        file.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let measured: Vec<String> = args.measured.iter().map(|file| name(file)).collect();
    let calibrated = &summary.calibrated;
    let first = format!(
        "{} calibrated by keller {} with {} measurements of {}: RMSE {:.2} dB, before {:.2} dB.",
        name(&args.scenario),
        env!("CARGO_PKG_VERSION"),
        summary.num_observations,
        measured.join(", "),
        calibrated.rmse,
        calibrated.rmse_before
    );
    let mut lines = vec![first];
    lines.extend(
        summary
            .remarks()
            .into_iter()
            .map(|remark| format!("- {remark}")),
    );
    // A name may have a line break.
    lines
        .iter()
        .map(|line| line.replace(['\n', '\r'], " "))
        .collect()
}

/// The measurements beside the predictions of the scenario as it was, and as it is now.
fn compare(
    job: &Arc<Job>,
    calibration: &Calibration,
    result: &CalibrationResult,
    measurements: &Measurements,
) -> Result<BeforeAfter, Failure> {
    let kind = job
        .scenario
        .calibrate
        .as_ref()
        .map_or(OffsetKind::None, |c| c.offset);
    let with = |job: &Arc<Job>| -> Result<_, Failure> {
        let mut predictions = Predictions::new(job, Average::Incoherent)?;
        for block in calibration.blocks() {
            predictions.add(block);
        }
        Ok(predictions.compare(measurements, kind))
    };
    Ok(BeforeAfter {
        before: with(job)?,
        after: with(&result.job)?,
    })
}

/// Where the report goes.
enum Report {
    Html(OutputFile),
    Json(OutputFile),
}

impl Report {
    fn open(out: &Path) -> Result<Self, Failure> {
        let extension = out.extension().and_then(OsStr::to_str).unwrap_or_default();
        let file = || OutputFile::create(out);
        let report = match extension.to_ascii_lowercase().as_str() {
            "html" => file().map(Self::Html),
            "json" => file().map(Self::Json),
            _ => {
                return Err(Failure::Input(format!(
                    "{}: no format for the extension .{extension}; accepted: a name that ends in .html or .json",
                    out.display()
                )));
            }
        };
        report.map_err(|error| Failure::Input(error.to_string()))
    }

    fn write(
        self,
        summary: &CalibrationSummary,
        compared: Option<&BeforeAfter>,
        about: &About,
        job: &Job,
    ) -> Result<(), Failure> {
        match self {
            Self::Html(file) => {
                let (scene, tx) = (job.world.scene(), plot_tx(job));
                file.write(|out| summary.write_html(out, compared, about, scene, &tx))?;
            }
            Self::Json(file) => {
                file.write(|out| writeln!(out, "{:#}", summary.json(compared)))?;
            }
        }
        Ok(())
    }
}
