//! `keller fingerprint`: the places where devices may be, by their measurements.

use std::ffi::OsStr;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use keller::fingerprint::Deviations;
use keller_io::formats::OutputFile;
use keller_io::reports::coverage::StoredGains;
use keller_io::reports::fingerprint::ProbabilityMap;
use keller_io::reports::plot::{MarkKind, PlotMark};
use keller_io::reports::table::{LocatedRow, Table, TableFile};
use keller_io::scenario::{Measurements, Scenario};
use keller_run::{Job, Located, RunStage};

use crate::args::FingerprintArgs;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job::prepare;
use crate::memory;
use crate::messages::summarize;
use crate::pictures::picture;
use crate::progress::Progress;
use crate::report::write_table;

/// Standard output, in messages.
const STDOUT: &str = "standard output";

/// Bytes of a probability while it is written.
const PROBABILITY_BYTES: u64 = 20;

/// The largest number of devices in the table for people.
const MAX_ROWS: usize = 40;

/// The destination of the result.
enum Target {
    Rows(TableFile),
    Npz(OutputFile),
}

pub(crate) fn run(args: &FingerprintArgs) -> Result<(), Failure> {
    let mut scenario = Scenario::load_without_rx(&args.scenario)?;
    let outputs = Outputs::default()
        .with("-o", args.out.as_deref())
        .with("--picture", args.picture.as_deref());
    let measured = args.measured.iter().map(PathBuf::as_path);
    outputs.check(
        scenario
            .inputs()
            .into_iter()
            .chain(measured)
            .chain([args.coverage.as_path()]),
    )?;
    let measurements = Measurements::load_devices(&args.measured, &scenario)?;
    let device = device(args.picture_of.as_deref(), &measurements)?;
    let coverage =
        StoredGains::open(&args.coverage).map_err(|error| Failure::Input(error.to_string()))?;
    // Opened first: who cannot have the result should not wait for it.
    let target = args.out.as_deref().map(open).transpose()?;
    let map = picture(args.picture.as_deref())?;
    let progress = Progress::new();
    for warning in &measurements.warnings {
        progress.warn(warning);
    }
    if measurements.has_places {
        scenario.receivers = measurements.receivers.clone();
    }
    let job = prepare(scenario, &args.machine, &outputs, &progress)?;
    let deviations = Deviations {
        level_db: args.level_std_db,
        offset_db: args.offset_std_db,
    };
    progress.report(RunStage::Field, 0.0);
    let located = job.locate(&coverage, &measurements, deviations)?;
    progress.report(RunStage::Write, 0.0);
    match target {
        Some(Target::Rows(file)) => {
            let mut table = file.begin(&job.about())?;
            for row in located.rows() {
                table.write(row)?;
            }
            table.finish()?;
        }
        Some(Target::Npz(file)) => write_probabilities(file, &located, &job)?,
        None => {}
    }
    if let Some(map) = map {
        map.write(&drawing(device, &located, &job)?)?;
    }
    let clock = progress.clock();
    progress.clear();
    let mut stdout = BufWriter::new(io::stdout().lock());
    if args.json {
        let mut table = Table::json(&mut stdout, STDOUT, &job.about())?;
        for row in located.rows() {
            table.write(row)?;
        }
        table.finish()?;
    } else {
        write_rows(&mut stdout, located.rows())?;
        write_errors(&mut stdout, located.rows())?;
    }
    stdout.flush()?;
    let (places, _) = located.places();
    summarize!(
        "{} devices among {} places; {clock}",
        located.rows().len(),
        places.len()
    );
    Ok(())
}

/// The index of the device that the picture shows.
fn device(wanted: Option<&str>, measurements: &Measurements) -> Result<usize, Failure> {
    let Some(wanted) = wanted else {
        return Ok(0);
    };
    let all = &measurements.receivers.rx;
    let named = all.iter().position(|rx| rx.name.as_deref() == Some(wanted));
    let index = named.or_else(|| wanted.parse().ok().filter(|index| *index < all.len()));
    index.ok_or_else(|| {
        Failure::Input(format!(
            "--picture-of: found `{wanted}`; accepted: the name of a device, or 0 to {}",
            all.len() - 1
        ))
    })
}

fn open(out: &Path) -> Result<Target, Failure> {
    let extension = out.extension().and_then(OsStr::to_str).unwrap_or_default();
    let target = match extension.to_ascii_lowercase().as_str() {
        "csv" | "parquet" | "json" => TableFile::create(out).map(Target::Rows),
        "npz" => OutputFile::create(out).map(Target::Npz),
        _ => {
            return Err(Failure::Input(format!(
                "{}: no format for the extension .{extension}; accepted: a name that ends in .csv, .parquet, .json or .npz",
                out.display()
            )));
        }
    };
    target.map_err(|error| Failure::Input(error.to_string()))
}

fn map_of(located: &Located) -> ProbabilityMap<'_> {
    let (centres, areas) = located.places();
    ProbabilityMap {
        shape: located.shape(),
        centres,
        areas,
    }
}

fn write_probabilities(file: OutputFile, located: &Located, job: &Job) -> Result<(), Failure> {
    let rows = located.rows();
    let (places, _) = located.places();
    let count = rows.len() as u64 * places.len() as u64;
    memory::need(
        count * PROBABILITY_BYTES,
        "the probability of every place for all devices",
    )?;
    let devices = rows.iter().enumerate().filter_map(|(device, row)| {
        let probabilities = located.probabilities(device)?;
        Some((&*row.own.name, probabilities))
    });
    Ok(map_of(located).write_npz(file, devices, &job.about())?)
}

/// A drawing of the places where a device may be, with the Tx, its likeliest place and the true one.
fn drawing(device: usize, located: &Located, job: &Job) -> Result<String, Failure> {
    let row = &located.rows()[device];
    let tx = job.plot_tx();
    let mut marks = vec![PlotMark {
        position: row.likeliest,
        kind: MarkKind::Likeliest,
    }];
    marks.extend(row.truth.map(|position| PlotMark {
        position,
        kind: MarkKind::Measured,
    }));
    let probabilities = located.probabilities(device).unwrap_or_default();
    let title = format!("Device {}: where it may be", row.own.name);
    map_of(located)
        .svg(title, job.world.scene(), &probabilities, tx, marks)
        .ok_or_else(|| Failure::Input("the coverage has no places that could be drawn".to_owned()))
}

/// The likeliest place of each device, for people to read.
fn write_rows(out: &mut impl Write, rows: &[LocatedRow]) -> Result<(), Failure> {
    let header = [
        "device ",
        "levels",
        "x / m",
        "y / m",
        "z / m",
        "spread / m",
        "95 % in / m²",
        "error / m",
    ];
    let cells = |row: &LocatedRow| {
        let at = row.likeliest.to_array().map(|value| format!("{value:.1}"));
        let mut cells = vec![row.own.name.to_string(), row.num_levels.to_string()];
        cells.extend(at);
        cells.push(format!("{:.1}", row.spread));
        cells.push(format!("{:.0}", row.areas[1]));
        cells.push(
            row.error()
                .map_or("-".to_owned(), |error| format!("{error:.1}")),
        );
        cells
    };
    let shown: Vec<Vec<String>> = rows.iter().take(MAX_ROWS).map(cells).collect();
    write_table(out, &header, &shown)?;
    if rows.len() > MAX_ROWS {
        writeln!(out, "… and {} more: -o has all", rows.len() - MAX_ROWS)?;
    }
    Ok(())
}

/// Writes the distances of the likeliest places from the measured ones.
fn write_errors(out: &mut impl Write, rows: &[LocatedRow]) -> io::Result<()> {
    let mut errors: Vec<f64> = rows.iter().filter_map(LocatedRow::error).collect();
    if errors.is_empty() {
        return Ok(());
    }
    errors.sort_by(f64::total_cmp);
    let of = |percent: usize| errors[(errors.len() * percent / 100).min(errors.len() - 1)];
    let known: Vec<f64> = rows.iter().filter_map(|row| row.denser).collect();
    let within = |share: f64| known.iter().filter(|denser| **denser < share).count();
    writeln!(
        out,
        "\nerror: half within {:.1} m, 67 % within {:.1} m, 95 % within {:.1} m",
        of(50),
        of(67),
        of(95)
    )?;
    writeln!(
        out,
        "of {} devices in the coverage, {} are in their area of 50 % and {} in that of 95 %",
        known.len(),
        within(0.5),
        within(0.95)
    )
}
