//! `keller coverage`: what every Tx of a scenario brings to the cells of a region.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use keller::Control;
use keller::coverage::points::{Settings, Transmitter, coverage};
use keller::coverage::{Coverage, Region};
use keller::units::power_to_db;
use keller_io::coverage::CoverageMap;
use keller_io::plot::CoveragePlot;
use keller_io::scenario::{CoverageSettings, Scenario};
use keller_io::table::{About, CellRow, Table};
use keller_io::{OutputFile, OutputFolder};
use serde_json::json;

use crate::args::CoverageArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::job::{self, Place};
use crate::pictures::{name_of, picture};
use crate::progress::Progress;
use crate::report::write_table;
use crate::summary::{Clock, Stage, peak_memory};

/// Where the result goes.
enum Target<'w> {
    /// A few numbers for people.
    Text,
    /// One row a cell and Tx.
    Table(Table<'w, CellRow>),
    /// Arrays.
    Npz(OutputFile),
    /// The same as a folder that opens piece by piece.
    Zarr(OutputFolder),
}

pub(crate) fn run(args: &CoverageArgs) -> Result<(), Failure> {
    let mut scenario = Scenario::load(&args.scenario)?;
    args.search.overrule(&mut scenario);
    let Some(settings) = scenario.coverage.clone() else {
        return Err(Failure::Input(format!(
            "{}: [coverage] is missing: it says where the cells lie",
            scenario.file.display()
        )));
    };
    let about = job::about(&scenario, None);
    let progress = Progress::new();
    let mut stdout = BufWriter::new(io::stdout().lock());
    // Opened first: who cannot have the result should not wait for it.
    let target = match &args.out {
        Some(out) => target(out, &about)?,
        None if args.json => Target::Table(Table::json(&mut stdout, "standard output", &about)?),
        None => Target::Text,
    };
    let map = picture(args.map.as_deref())?;

    let place = job::place(&scenario, args.machine, &progress)?;
    let bounds = scenario.coverage_bounds(&place.scene, place.georeference.as_ref())?;
    let region = settings
        .region(bounds)
        .map_err(|error| at_coverage(&scenario, &settings, &error))?;
    let result = fill(&scenario, &place, region, &progress)?;
    let result = CoverageMap {
        coverage: &result,
        tx_power_dbm: scenario.tx.iter().map(|tx| tx.power_dbm).collect(),
        noise_dbm: settings.noise_dbm,
        least_gain: settings
            .path_loss_limit_db
            .map_or(0.0, |limit| 10.0_f64.powf(-limit / 10.0)),
    };
    progress.report(Stage::Write, 0.0);
    let is_text = matches!(target, Target::Text);
    write(target, &result, &about)?;
    if let Some(file) = map {
        file.write(&drawing(&scenario, &settings, &place, &result).svg())?;
    }
    let summary = Summary {
        num_cells: result.coverage.region.num_cells(),
        num_tx: scenario.tx.len(),
        threads: place.threads,
        clock: progress.clock(),
    };
    progress.clear();
    if is_text {
        write_table(&mut stdout, &HEADER, &of_each_tx(&scenario, &result))?;
    }
    if args.out.is_some() && args.json {
        writeln!(stdout, "{:#}", summary.json())?;
    }
    stdout.flush()?;
    eprintln!("{summary}");
    Ok(())
}

/// The gains in all cells.
fn fill(
    scenario: &Scenario,
    place: &Place,
    region: Region,
    progress: &Progress,
) -> Result<Coverage, Failure> {
    let tx: Vec<Transmitter> = scenario
        .tx
        .iter()
        .zip(&place.positions.tx)
        .map(|(tx, position)| Transmitter {
            position: *position,
            antenna: tx.antenna.clone(),
        })
        .collect();
    if let Some(tx) = scenario.tx.iter().find(|tx| tx.array.is_some()) {
        progress.warn(format!(
            "{}:{}: a coverage takes one element in the middle for the whole array",
            scenario.file.display(),
            tx.line
        ));
    }
    let report = |_, done| progress.report(Stage::Coverage, done);
    let control = Control {
        cancelled: Some(interrupt::flag()),
        progress: Some(&report),
    };
    let settings = Settings {
        limits: &scenario.paths.limits,
        search: scenario.paths.search(),
    };
    coverage(
        &place.scene,
        &place.surfaces,
        &tx,
        region,
        &settings,
        &control,
    )
    .map_err(|error| match error {
        keller::Error::DevicePosition { .. } => job::in_scenario(scenario, &error),
        error => error.into(),
    })
}

fn at_coverage(scenario: &Scenario, settings: &CoverageSettings, error: &keller::Error) -> Failure {
    Failure::Input(format!(
        "{}:{}: [coverage]: {error}",
        scenario.file.display(),
        settings.line
    ))
}

/// The file `out`, opened.
fn target(out: &Path, about: &About) -> Result<Target<'static>, Failure> {
    let bad_place = |error: keller_io::table::TableError| Failure::Input(error.to_string());
    let extension = out.extension().and_then(OsStr::to_str).unwrap_or_default();
    match extension.to_lowercase().as_str() {
        "npz" => OutputFile::create(out).map(Target::Npz).map_err(bad_place),
        "zarr" => OutputFolder::create(out)
            .map(Target::Zarr)
            .map_err(bad_place),
        "csv" | "json" | "parquet" => Table::create(out, about)
            .map(Target::Table)
            .map_err(bad_place),
        _ => Err(Failure::Input(format!(
            "{}: no format for the extension .{extension}; accepted: a name that ends in .csv, .parquet, .json, .npz or .zarr",
            out.display()
        ))),
    }
}

fn write(target: Target<'_>, result: &CoverageMap<'_>, about: &About) -> Result<(), Failure> {
    match target {
        Target::Text => {}
        Target::Table(mut table) => {
            for row in result.rows() {
                table.write(&row)?;
            }
            table.finish()?;
        }
        Target::Npz(file) => result.write_npz(file, about)?,
        Target::Zarr(folder) => result.write_zarr(folder, about)?,
    }
    Ok(())
}

/// The strongest path gain of any Tx at the first height.
fn drawing<'a>(
    scenario: &Scenario,
    settings: &CoverageSettings,
    place: &'a Place,
    result: &CoverageMap<'_>,
) -> CoveragePlot<'a> {
    let region = &result.coverage.region;
    let [nx, ny, _] = region.shape();
    let gains: Vec<f64> = result.path_gain_db().collect();
    let strongest = |column: usize| {
        let all = (0..result.coverage.num_tx).map(|tx| gains[tx * region.num_cells() + column]);
        all.fold(f64::NEG_INFINITY, f64::max)
    };
    let above = if settings.is_above_ground {
        "the ground"
    } else {
        "zero"
    };
    CoveragePlot {
        title: format!(
            "{}, {} GHz, {} m above {above}",
            name_of(scenario),
            scenario.frequency.ghz(),
            region.levels.heights()[0]
        ),
        unit: "path gain / dB",
        scene: &place.scene,
        tx: place.positions.tx.clone(),
        min: region.min,
        resolution: region.resolution,
        num_columns: [nx, ny],
        values: (0..nx * ny).map(strongest).collect(),
    }
}

const HEADER: [&str; 5] = [
    "tx",
    "cells reached",
    "%",
    "median gain / dB",
    "best gain / dB",
];

/// What each Tx comes to.
fn of_each_tx(scenario: &Scenario, result: &CoverageMap<'_>) -> Vec<Vec<String>> {
    let of = |tx: usize| {
        let all = result.coverage.of_tx(tx);
        let usable = all.iter().filter(|gain| !gain.is_nan()).count();
        let mut reached: Vec<f64> = all
            .iter()
            .copied()
            .filter(|&gain| gain > 0.0 && gain >= result.least_gain)
            .map(power_to_db)
            .collect();
        reached.sort_by(f64::total_cmp);
        let number = |value: Option<&f64>| value.map_or("-".to_owned(), |v| format!("{v:.1}"));
        let name = scenario.tx[tx]
            .name
            .clone()
            .unwrap_or_else(|| tx.to_string());
        vec![
            name,
            format!("{} of {usable}", reached.len()),
            format!("{:.1}", 100.0 * reached.len() as f64 / usable.max(1) as f64),
            number(reached.get(reached.len() / 2)),
            number(reached.last()),
        ]
    };
    (0..scenario.tx.len()).map(of).collect()
}

/// What a coverage came to.
struct Summary {
    num_cells: usize,
    num_tx: usize,
    threads: usize,
    clock: Clock,
}

impl Summary {
    fn json(&self) -> serde_json::Value {
        json!({
            "cells": self.num_cells,
            "transmitters": self.num_tx,
            "seconds": self.clock.json(),
            "peak_memory_bytes": peak_memory(),
            "threads": self.threads,
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            num_cells,
            num_tx,
            threads,
            clock,
        } = self;
        write!(
            f,
            "{num_cells} cells, {num_tx} Tx; {clock} {threads} threads"
        )
    }
}
