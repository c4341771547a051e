//! `keller coverage`: what every Tx of a scenario brings to the cells of a region.

mod outputs;

use std::fmt;
use std::io::{self, BufWriter, Write};

use keller::Control;
use keller::coverage::points::{self, Transmitter};
use keller::coverage::{Coverage, Region, tubes};
use keller::units::{db_to_power, power_to_db};
use keller_geo::crs::Frame;
use keller_io::coverage::{CoverageMap, MapTx};
use keller_io::scenario::{CoverageSettings, Engine, Scenario};
use serde_json::json;

use self::outputs::Outputs;
use crate::args::CoverageArgs;
use crate::failure::Failure;
use crate::interrupt;
use crate::job::{self, Place};
use crate::progress::Progress;
use crate::report::write_table;
use crate::summary::{Clock, Stage, peak_memory};

/// Where tubes end if nothing is said, dB: below this nobody receives.
const TUBES_LIMIT_DB: f64 = 150.0;

pub(crate) fn run(args: &CoverageArgs) -> Result<(), Failure> {
    let mut scenario = Scenario::load(&args.scenario)?;
    args.search.overrule(&mut scenario);
    let Some(settings) = scenario.coverage.clone() else {
        return Err(Failure::Input(format!(
            "{}: [coverage] is missing: it says where the cells lie",
            scenario.file.display()
        )));
    };
    let progress = Progress::new();
    let mut stdout = BufWriter::new(io::stdout().lock());
    // Opened first: who cannot have the result should not wait for it.
    let outputs = Outputs::open(args)?;

    let place = job::place(&scenario, args.machine, &progress)?;
    let bounds = scenario.coverage_bounds(&place.scene, place.georeference.as_ref())?;
    let region = settings
        .region(bounds)
        .map_err(|error| at_coverage(&scenario, &settings, &error))?;
    let about = job::about(&scenario, place.georeference.as_ref());
    let frame = frame(&place)?;
    if let (None, Some(name)) = (&frame, outputs.needs_place()) {
        progress.warn(format!(
            "{}: no scene file says where on earth it lies: coordinates are the scene's own metres, without a coordinate reference system; `keller import` makes scenes that say so",
            name.display()
        ));
    }
    let result = fill(&scenario, &settings, &place, region, &progress)?;
    let result = CoverageMap {
        coverage: &result,
        tx: transmitters(&scenario, &place),
        noise_dbm: settings.noise_dbm,
        least_gain: settings
            .path_loss_limit_db
            .map_or(0.0, |limit| 10.0_f64.powf(-limit / 10.0)),
        frame: frame.as_ref(),
    };
    progress.report(Stage::Write, 0.0);
    let is_text = outputs.is_text();
    outputs.write(&mut stdout, &scenario, &place, &result, &about)?;
    let summary = Summary {
        num_cells: result.coverage.region.num_cells(),
        num_tx: scenario.tx.len(),
        threads: place.threads,
        clock: progress.clock(),
    };
    progress.clear();
    if is_text {
        write_table(&mut stdout, &HEADER, &of_each_tx(&result))?;
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
    settings: &CoverageSettings,
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
    let (scene, surfaces, limits) = (&place.scene, &place.surfaces, &scenario.paths.limits);
    let filled = match settings.engine {
        Engine::Points => {
            let settings = points::Settings {
                limits,
                search: scenario.paths.search(),
            };
            points::coverage(scene, surfaces, &tx, region, &settings, &control)
        }
        Engine::Tubes(accuracy) => {
            check_kinds(scenario)?;
            let settings = tubes::Settings {
                limits,
                accuracy,
                least_gain: db_to_power(-settings.path_loss_limit_db.unwrap_or(TUBES_LIMIT_DB)),
            };
            tubes::coverage(scene, surfaces, &tx, region, &settings, &control)
        }
    };
    filled.map_err(|error| match error {
        keller::Error::DevicePosition { .. } => job::in_scenario(scenario, &error),
        error => error.into(),
    })
}

/// Tubes follow no other kinds.
fn check_kinds(scenario: &Scenario) -> Result<(), Failure> {
    let limits = &scenario.paths.limits;
    for (key, count) in [
        ("max_diffractions", limits.max_diffractions),
        ("max_scatterings", limits.max_scatterings),
    ] {
        if count > 0 {
            return Err(Failure::Input(format!(
                "{}: [paths] {key} = {count}: the engine \"tubes\" follows line of sight, reflections and transmissions; accepted: 0, or \
                 engine = \"points\"",
                scenario.file.display()
            )));
        }
    }
    Ok(())
}

/// Where on earth the scene lies, if it says so.
fn frame(place: &Place) -> Result<Option<Frame>, Failure> {
    let frame = place.georeference.as_ref().map(Frame::new).transpose();
    frame.map_err(|error| Failure::Input(error.to_string()))
}

fn transmitters(scenario: &Scenario, place: &Place) -> Vec<MapTx> {
    let of = |(index, tx): (usize, &keller_io::scenario::Tx)| MapTx {
        name: tx.name.clone().unwrap_or_else(|| index.to_string()),
        position: place.positions.tx[index],
        power_dbm: tx.power_dbm,
    };
    scenario.tx.iter().enumerate().map(of).collect()
}

fn at_coverage(scenario: &Scenario, settings: &CoverageSettings, error: &keller::Error) -> Failure {
    Failure::Input(format!(
        "{}:{}: [coverage]: {error}",
        scenario.file.display(),
        settings.line
    ))
}

const HEADER: [&str; 5] = [
    "tx",
    "cells reached",
    "%",
    "median gain / dB",
    "best gain / dB",
];

/// What each Tx comes to.
fn of_each_tx(result: &CoverageMap<'_>) -> Vec<Vec<String>> {
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
        vec![
            result.tx[tx].name.clone(),
            format!("{} of {usable}", reached.len()),
            format!("{:.1}", 100.0 * reached.len() as f64 / usable.max(1) as f64),
            number(reached.get(reached.len() / 2)),
            number(reached.last()),
        ]
    };
    (0..result.tx.len()).map(of).collect()
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
