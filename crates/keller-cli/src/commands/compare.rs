//! `keller compare`: how far predictions are from measurements.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use keller::comparison::{Comparison, OffsetKind, Paired};
use keller_io::formats::OutputFile;
use keller_io::reports::comparison::{Compared, ComparedModel, ComparedProfiles};
use keller_io::reports::coverage::StoredGains;
use keller_io::reports::table::TableFile;
use keller_io::scenario::{Measurements, Scenario};
use keller_run::{Average, Job, PathEnds, PathRunOptions, Predictions, RunStage, suspicion};

use super::paths::each_block;
use crate::args::{AverageArg, CompareArgs, OffsetArg};
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job::prepare;
use crate::messages::summarize;
use crate::progress::Progress;
use crate::report::write_table;

pub(crate) fn run(args: &CompareArgs) -> Result<(), Failure> {
    let outputs = Outputs::default().with("-o", args.out.as_deref());
    let scenarios = [Some(&args.scenario), args.against.as_ref()];
    let mut scenarios = scenarios
        .into_iter()
        .flatten()
        .map(|file| load(file, args, &outputs));
    let (scenario, mut measurements) = scenarios.next().expect("there is a scenario")?;
    let other = scenarios.next().transpose()?;
    let average = average(args)?;
    let gains = args.coverage.as_deref().map(StoredGains::open).transpose();
    let gains = gains.map_err(|error| Failure::Input(error.to_string()))?;
    // Opened first: who cannot have the result should not wait for it.
    let target = args.out.as_deref().map(Target::open).transpose()?;
    let progress = Progress::new();
    for warning in &measurements.warnings {
        progress.warn(warning);
    }
    let predictions = if let Some(gains) = &gains {
        let job = place(scenario, &mut measurements, args, &outputs, &progress)?;
        Predictions::of_coverage(&job, gains)?
    } else {
        let from = args.paths.as_deref();
        predict(
            scenario,
            &mut measurements,
            average,
            from,
            args,
            &outputs,
            &progress,
        )?
    };
    let is_predicted = predictions.has_prediction(&measurements);
    let num_without = keep(&mut measurements, &is_predicted);
    if measurements.rows.is_empty() {
        return Err(Failure::Input(format!(
            "nothing can be compared: none of {num_without} measurements is in the coverage, near a cell or tile where a receiver can be"
        )));
    }
    let mut compared = predictions.compare(&measurements, args.fit_offset.into());
    if let Some(cells) = &mut compared.cells {
        cells.num_without = num_without;
    }
    check(&compared, &progress)?;
    if let Some(models) = &args.models {
        let models = models.at(predictions.job().world.frequency());
        compared.models =
            predictions.compare_models(&measurements, &models, args.fit_offset.into())?;
    }
    let paired = match other {
        None => None,
        Some((scenario, mut of_other)) => {
            of_other.keep_placed(&predictions.job().positions)?;
            keep(&mut of_other, &is_predicted);
            let others = predict(
                scenario,
                &mut of_other,
                average,
                None,
                args,
                &outputs,
                &progress,
            )?;
            // The measurements that have a place in both scenes are compared.
            let mut of_both = measurements.clone();
            of_both.keep_placed(&others.job().positions)?;
            let pairs = [predictions.pairs(&of_both), others.pairs(&of_other)];
            Paired::of(&pairs[0], &pairs[1], args.fit_offset.into())
        }
    };
    progress.report(RunStage::Write, 0.0);
    let job = predictions.job();
    if let Some(target) = target {
        target.write(&compared, paired, job)?;
    }
    let clock = progress.clock();
    progress.clear();
    let mut stdout = BufWriter::new(io::stdout().lock());
    if args.json {
        writeln!(stdout, "{:#}", compared.json(paired))?;
    } else {
        write_text(&mut stdout, args, &compared, paired)?;
    }
    stdout.flush()?;
    summarize!(
        "{} measurements at {} places; {clock}",
        compared.rows.len(),
        job.rx.len()
    );
    Ok(())
}

/// Tables and notes for people.
fn write_text(
    out: &mut impl Write,
    args: &CompareArgs,
    compared: &Compared,
    paired: Option<Paired>,
) -> io::Result<()> {
    write_table(out, &HEADER, &rows(compared))?;
    write_notes(out, compared.whole())?;
    if let Some(spreads) = compared.delay_spreads() {
        writeln!(out, "{spreads}")?;
    }
    if let Some(profiles) = &compared.profiles {
        writeln!(out)?;
        write_table(out, &ComparedProfiles::HEADER, &profiles.rows())?;
        writeln!(out)?;
    }
    for note in compared.notes() {
        writeln!(out, "{note}")?;
    }
    let first = args.coverage.as_ref().unwrap_or(&args.scenario);
    write_models(out, &compared.models, first)?;
    if let Some(other) = &args.against {
        writeln!(out, "{}", verdict(paired, &args.scenario, other))?;
    }
    Ok(())
}

/// A scenario, and the measurements of its Tx.
fn load(
    file: &Path,
    args: &CompareArgs,
    outputs: &Outputs,
) -> Result<(Scenario, Measurements), Failure> {
    let mut scenario = Scenario::load_without_rx(file)?;
    args.search.overrule(&mut scenario);
    let measured = args.measured.iter().map(PathBuf::as_path);
    let coverage = args.coverage.as_deref();
    outputs.check(
        scenario
            .inputs()
            .into_iter()
            .chain(measured)
            .chain(coverage)
            .chain(args.paths.as_deref()),
    )?;
    let measurements = Measurements::load(&args.measured, &scenario)?;
    Ok((scenario, measurements))
}

/// The way in which the paths to a place add up.
fn average(args: &CompareArgs) -> Result<Average, Failure> {
    match (args.average, args.radius) {
        (AverageArg::Coherent, Some(radius)) => Ok(Average::Coherent { radius }),
        (AverageArg::Incoherent, None) => Ok(Average::Incoherent),
        _ => Err(Failure::Input(
            "--radius is that of --average coherent: give both or neither".to_owned(),
        )),
    }
}

/// Keeps the measurements that have a prediction, and returns how many have none.
fn keep(measurements: &mut Measurements, is_predicted: &[bool]) -> usize {
    let mut is_kept = is_predicted.iter();
    measurements.rows.retain(|_| is_kept.next() == Some(&true));
    is_predicted.iter().filter(|kept| !**kept).count()
}

/// A scenario with receivers where measurements were taken; measurements without a place in its scene are left out.
fn place(
    mut scenario: Scenario,
    measurements: &mut Measurements,
    args: &CompareArgs,
    outputs: &Outputs,
    progress: &Arc<Progress>,
) -> Result<Arc<Job>, Failure> {
    scenario.receivers = measurements.receivers.clone();
    let job = prepare(scenario, &args.machine, outputs, progress)?;
    measurements.keep_placed(&job.positions)?;
    Ok(job)
}

/// The predictions by the paths of a scenario, found or of a file, where measurements were taken.
fn predict(
    scenario: Scenario,
    measurements: &mut Measurements,
    average: Average,
    from: Option<&Path>,
    args: &CompareArgs,
    outputs: &Outputs,
    progress: &Arc<Progress>,
) -> Result<Predictions, Failure> {
    let job = place(scenario, measurements, args, outputs, progress)?;
    let predictions = Predictions::new(&job, average)?;
    let mut predictions = predictions.with_profiles(measurements, args.profiles.into());
    let traced = Arc::clone(predictions.traced().unwrap_or(&job));
    let mut blocks = traced.paths(&PathRunOptions {
        points: PathEnds::Elements,
        // Points of discs are nobody's receivers.
        is_quiet: average != Average::Incoherent,
        from: from.map(Path::to_owned),
        ..PathRunOptions::default()
    })?;
    each_block(&mut blocks, |block| {
        progress.report(RunStage::Field, 0.0);
        predictions.add(block);
        Ok(())
    })?;
    Ok(predictions)
}

/// Compares path loss models with the predictions of the file `first`, for people to read; writes nothing without
/// models.
fn write_models(out: &mut impl Write, models: &[ComparedModel], first: &Path) -> io::Result<()> {
    if models.is_empty() {
        return Ok(());
    }
    let rows: Vec<Vec<String>> = models.iter().map(ComparedModel::row).collect();
    writeln!(out)?;
    write_table(out, &ComparedModel::HEADER, &rows)?;
    writeln!(
        out,
        "\n{}",
        ComparedModel::note(&first.display().to_string())
    )
}

/// A sentence about which of two scenarios is nearer to the measurements.
fn verdict(paired: Option<Paired>, first: &Path, second: &Path) -> String {
    let (first, second) = (first.display(), second.display());
    let Some(paired) = paired else {
        return format!(
            "no measurement has paths with both {first} and {second}: neither is nearer"
        );
    };
    let nearer = match paired.difference {
        Some([_, high]) if high < 0.0 => format!("{second} is nearer"),
        Some([low, _]) if low > 0.0 => format!("{first} is nearer"),
        _ => "neither is nearer for sure".to_owned(),
    };
    let [a, b] = paired.mean_absolute;
    let interval = paired.difference.map_or(String::new(), |[low, high]| {
        let [low, high] = [low, high].map(two_digits);
        format!("; the second less the first lies from {low} to {high} dB with 95 % probability")
    });
    format!(
        "{nearer}: at {} measurements, the mean absolute error is {a:.2} dB with {first} and {b:.2} dB with {second}{interval}",
        paired.count
    )
}

impl From<OffsetArg> for OffsetKind {
    fn from(arg: OffsetArg) -> Self {
        match arg {
            OffsetArg::None => Self::None,
            OffsetArg::One => Self::One,
            OffsetArg::Tx => Self::PerGroup,
        }
    }
}

/// Fails where nothing can be compared, and warns of levels that cannot be meant.
fn check(compared: &Compared, progress: &Progress) -> Result<(), Failure> {
    let plain = &compared.parts[0].comparisons[0];
    let Some(statistics) = plain.statistics else {
        return Err(Failure::Input(format!(
            "nothing can be compared: of {} measurements, {} are limits below the receiver's noise, and at {} no path arrives; \
             more reflections, diffractions or transmissions in [paths] find more",
            compared.rows.len(),
            plain.num_limits,
            plain.num_unreached
        )));
    };
    if let Some(suspicion) = suspicion(statistics.mean) {
        progress.warn(suspicion);
    }
    Ok(())
}

const HEADER: [&str; 9] = [
    "measurements ",
    "number",
    "mean / dB",
    "mean abs.",
    "RMSE",
    "std. dev.",
    "median",
    "95 % within",
    "correlation",
];

/// The figures of each part, for people to read.
fn rows(compared: &Compared) -> Vec<Vec<String>> {
    let parts = compared.parts.iter();
    parts
        .map(|part| {
            let mut row = vec![part.name.clone()];
            let comparison = compared.of(part);
            let Some(statistics) = comparison.statistics else {
                row.resize(HEADER.len(), "-".to_owned());
                return row;
            };
            row.push(statistics.count.to_string());
            let levels = [
                statistics.mean,
                statistics.mean_absolute,
                statistics.rmse,
                statistics.standard_deviation,
                statistics.median,
                statistics.percentile_95,
            ];
            row.extend(levels.map(two_digits));
            row.push(
                statistics
                    .correlation
                    .map_or("-".to_owned(), |c| format!("{c:.2}")),
            );
            row
        })
        .collect()
}

/// A level; never -0.00.
fn two_digits(level: f64) -> String {
    format!("{:.2}", (100.0 * level).round() / 100.0 + 0.0)
}

/// Writes notes about results that the table does not show.
fn write_notes(out: &mut impl Write, whole: &Comparison) -> io::Result<()> {
    writeln!(out)?;
    if let Some(intervals) = &whole.intervals {
        let [low, high] = intervals.rmse;
        let [least, most] = intervals.mean;
        writeln!(
            out,
            "with 95 % probability, the RMSE lies from {low:.2} to {high:.2} dB, the mean from {} to {} dB",
            two_digits(least),
            two_digits(most)
        )?;
    }
    let offsets = whole.offsets.all();
    if offsets.iter().any(|offset| *offset != 0.0) {
        let offsets: Vec<String> = offsets
            .iter()
            .map(|offset| format!("{offset:.2}"))
            .collect();
        writeln!(out, "added to predictions: {} dB", offsets.join(", "))?;
    }
    if whole.num_unreached > 0 {
        writeln!(
            out,
            "{} measurements are not counted: no path arrives there",
            whole.num_unreached
        )?;
    }
    if whole.num_limits > 0 {
        writeln!(
            out,
            "{} lie below the receiver's noise, and so do the predictions for {} of them",
            whole.num_limits, whole.num_kept_limits
        )?;
    }
    Ok(())
}

/// The destination of the result.
enum Target {
    Html(OutputFile),
    Json(OutputFile),
    Rows(TableFile),
}

impl Target {
    fn open(out: &Path) -> Result<Self, Failure> {
        let extension = out.extension().and_then(OsStr::to_str).unwrap_or_default();
        let file = || OutputFile::create(out);
        let target = match extension.to_ascii_lowercase().as_str() {
            "html" => file().map(Self::Html),
            "json" => file().map(Self::Json),
            "csv" | "parquet" => TableFile::create(out).map(Self::Rows),
            _ => {
                return Err(Failure::Input(format!(
                    "{}: no format for the extension .{extension}; accepted: a name that ends in .html, .json, .csv or .parquet",
                    out.display()
                )));
            }
        };
        target.map_err(|error| Failure::Input(error.to_string()))
    }

    fn write(self, compared: &Compared, paired: Option<Paired>, job: &Job) -> Result<(), Failure> {
        let about = job.about();
        match self {
            Self::Html(file) => {
                let tx = job.plot_tx();
                file.write(|out| compared.write_html(out, &about, job.world.scene(), &tx))?;
            }
            Self::Json(file) => file.write(|out| writeln!(out, "{:#}", compared.json(paired)))?,
            Self::Rows(file) => {
                let mut table = file.begin(&about)?;
                for row in &compared.rows {
                    table.write(row)?;
                }
                table.finish()?;
            }
        }
        Ok(())
    }
}
