//! `keller calibrate`: the values with which a scenario predicts measurements best, and their uncertainty.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keller::calibration::Optimiser;
use keller::comparison::OffsetKind;
use keller_io::formats::{About, OutputFile};
use keller_io::reports::calibration::{BeforeAfter, CalibrationSummary};
use keller_io::reports::coverage::StoredGains;
use keller_io::scenario::{CoverageSettings, Measurements, Scenario};
use keller_run::{
    Average, Calibration, CalibrationOptions, CalibrationResult, Folds, Job, LossCalibration,
    Predictions, Reference, RunStage,
};

use crate::args::{CalibrateArgs, FoldArg, OptimiserArg};
use crate::ending;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job::prepare;
use crate::messages::summarize;
use crate::progress::Progress;
use crate::report::write_table;
use crate::stop;

/// The largest number of cells of a reference.
const CELLS: u32 = 10_000;

/// The same of points, each of which costs a search for paths.
const POINTS_CELLS: u32 = 1_000;

pub(crate) fn run(args: &CalibrateArgs) -> Result<(), Failure> {
    let outputs = Outputs::default()
        .with("-o", args.out.as_deref())
        .with("--report", args.report.as_deref())
        .with("--trace-cache", args.trace_cache.as_deref());
    let mut scenario = Scenario::load_without_rx(&args.scenario)?;
    args.search.overrule(&mut scenario);
    let source = source(args, &scenario, &outputs)?;
    // Opened first: who cannot have the result should not wait for it.
    let out = args.out.as_deref().map(|out| open_out(out, &args.scenario));
    let out = out.transpose()?;
    let report = args.report.as_deref().map(Report::open).transpose()?;
    let progress = Progress::new();
    let fitted = fit(args, scenario, source, &outputs, &progress)?;
    // The values found so far are worth keeping.
    let hold = ending::hold();
    let (job, mut result) = (fitted.job(), fitted.run()?);
    let compared = match &report {
        Some(_) => predicted(&fitted, &result)?,
        None => None,
    };
    // A signal may come where a search does not look: the values found so far are kept all the same.
    let is_stopped = result.summary.calibrated.is_stopped || stop::check().is_err();
    result.summary.calibrated.is_stopped = is_stopped;
    progress.report(RunStage::Write, 0.0);
    result.changes.comments = comments(args, &result.summary);
    let (text, warnings) = result.changes.text(&job.scenario)?;
    for warning in warnings {
        progress.warn(warning);
    }
    if let Some(out) = out {
        out.write(|file| file.write_all(text.as_bytes()))?;
    }
    if let Some(report) = report {
        let about = About {
            scenario: text,
            ..job.about()
        };
        report.write(&result.summary, compared.as_ref(), &about, job)?;
    }
    drop(hold);
    let clock = progress.clock();
    progress.clear();
    print(args, &result.summary, compared.as_ref())?;
    summarize!(
        "{} measurements, {} paths, {} evaluations; {clock}",
        result.summary.num_observations,
        result.summary.num_paths,
        result.summary.calibrated.evaluations
    );
    // This holds too if a signal came while files were written.
    if !is_stopped && stop::check().is_ok() {
        return Ok(());
    }
    Err(Failure::Kept(format!("stopped; {}", kept(args))))
}

/// The comparison of measurements with predictions, for which a stopped run has no time.
fn predicted(fitted: &Fit, result: &CalibrationResult) -> Result<Option<BeforeAfter>, Failure> {
    if result.summary.calibrated.is_stopped {
        return Ok(None);
    }
    match fitted.compare(result) {
        Err(_) if stop::check().is_err() => Ok(None),
        compared => compared.map(Some),
    }
}

/// Says in which files the best parameters of a stopped search are, as the end of a message.
fn kept(args: &CalibrateArgs) -> String {
    let files = [&args.out, &args.report].into_iter().flatten();
    let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
    let place = if files.is_empty() {
        "above".to_owned()
    } else {
        format!("in {}", files.join(" and "))
    };
    format!("the best parameters so far are {place}")
}

/// Prints the fitted values, as a table or as JSON.
fn print(
    args: &CalibrateArgs,
    summary: &CalibrationSummary,
    compared: Option<&BeforeAfter>,
) -> Result<(), Failure> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    if args.json {
        writeln!(stdout, "{:#}", summary.json(compared))?;
    } else {
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
    Ok(())
}

/// The data that the scenario is fitted to.
enum Source {
    Measured(Measurements),
    Reference(Reference),
}

/// Reads the data that the scenario is fitted to.
fn source(args: &CalibrateArgs, scenario: &Scenario, outputs: &Outputs) -> Result<Source, Failure> {
    let has_beams = has_beams(scenario);
    if has_beams && args.trace_cache.is_some() {
        return Err(Failure::Input(
            "--trace-cache keeps paths of [calibrate.materials]; engine = \"beams\" finds its own in a moment: leave it out"
                .to_owned(),
        ));
    }
    let inputs = scenario.inputs().into_iter();
    let Some(reference) = &args.reference else {
        let measured = args.measured.iter().map(PathBuf::as_path);
        outputs.check(inputs.chain(measured))?;
        return Ok(Source::Measured(Measurements::load(
            &args.measured,
            scenario,
        )?));
    };
    if !has_beams {
        return Err(Failure::Input(format!(
            "--reference: {} has no engine = \"beams\" in [coverage]; accepted with it: such a scenario, whose losses are fitted",
            scenario.file.display()
        )));
    }
    let file = match reference.as_str() {
        "tubes" => return Ok(Source::Reference(Reference::Tubes)),
        "points" => return Ok(Source::Reference(Reference::Points)),
        file => Path::new(file),
    };
    outputs.check(inputs.chain([file]))?;
    let stored = StoredGains::open(file).map_err(|error| {
        let accepted =
            "accepted by --reference: tubes, points, or a file that `keller coverage` wrote";
        Failure::Input(format!("{error}; {accepted}"))
    })?;
    Ok(Source::Reference(Reference::Coverage(Box::new(stored))))
}

fn has_beams(scenario: &Scenario) -> bool {
    let coverage = scenario.coverage.as_ref();
    coverage.is_some_and(CoverageSettings::has_beams)
}

/// A scenario that is ready to be fitted.
enum Fit {
    /// Materials, a background and offsets, by paths.
    Paths {
        job: Arc<Job>,
        calibration: Box<Calibration>,
        measurements: Measurements,
    },
    /// The losses of beams.
    Losses {
        job: Arc<Job>,
        calibration: Box<LossCalibration>,
    },
}

/// Finds the paths of a scenario to the places where its predictions are known.
fn fit(
    args: &CalibrateArgs,
    mut scenario: Scenario,
    source: Source,
    outputs: &Outputs,
    progress: &Arc<Progress>,
) -> Result<Fit, Failure> {
    let has_beams = has_beams(&scenario);
    if let Source::Measured(measurements) = &source {
        for warning in &measurements.warnings {
            progress.warn(warning);
        }
        scenario.receivers = measurements.receivers.clone();
    }
    let job = prepare(scenario, &args.machine, outputs, progress)?;
    let options = options(args);
    let (job, measurements) = match source {
        Source::Measured(mut measurements) => {
            measurements.keep_placed(&job.positions)?;
            (job, measurements)
        }
        Source::Reference(reference) => {
            let default = match reference {
                Reference::Points => POINTS_CELLS,
                _ => CELLS,
            };
            let num_cells = args.cells.unwrap_or(default);
            job.reference(&reference, num_cells as usize)?
        }
    };
    Ok(if has_beams {
        Fit::Losses {
            calibration: Box::new(LossCalibration::new(&job, measurements, &options)?),
            job,
        }
    } else {
        Fit::Paths {
            calibration: Box::new(Calibration::new(&job, &measurements, &options)?),
            job,
            measurements,
        }
    })
}

impl Fit {
    fn job(&self) -> &Arc<Job> {
        match self {
            Self::Paths { job, .. } | Self::Losses { job, .. } => job,
        }
    }

    fn run(&self) -> Result<CalibrationResult, Failure> {
        Ok(match self {
            Self::Paths { calibration, .. } => calibration.run()?,
            Self::Losses { calibration, .. } => calibration.run()?,
        })
    }

    /// Compares the measurements with the predictions of the scenario as it was, and as it is now.
    fn compare(&self, result: &CalibrationResult) -> Result<BeforeAfter, Failure> {
        match self {
            Self::Paths {
                job,
                calibration,
                measurements,
            } => compare(job, calibration, result, measurements),
            Self::Losses { job, calibration } => Ok(BeforeAfter {
                before: calibration.compare(job),
                after: calibration.compare(&result.job),
            }),
        }
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
        trace_cache: args.trace_cache.clone(),
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

/// The comments on its origin in the calibrated scenario.
fn comments(args: &CalibrateArgs, summary: &CalibrationSummary) -> Vec<String> {
    let name = |file: &Path| {
        file.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let mut measured: Vec<String> = args.measured.iter().map(|file| name(file)).collect();
    let what = match &args.reference {
        Some(reference) => {
            measured.push(name(Path::new(reference)));
            "cells"
        }
        None => "measurements",
    };
    let calibrated = &summary.calibrated;
    let first = format!(
        "{} calibrated by keller {} with {} {what} of {}: RMSE {:.2} dB, before {:.2} dB.",
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

/// Compares the measurements with the predictions of the scenario as it was, and as it is now.
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

/// The file of the report.
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
                let (scene, tx) = (job.world.scene(), job.plot_tx());
                file.write(|out| summary.write_html(out, compared, about, scene, &tx))?;
            }
            Self::Json(file) => {
                file.write(|out| writeln!(out, "{:#}", summary.json(compared)))?;
            }
        }
        Ok(())
    }
}
