//! `keller coverage`: the gain of every Tx of a scenario in the cells of a region.

mod names;
mod of_tx;
mod outputs;
mod positions;
mod surfaces;

use std::fmt;
use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use bytesize::ByteSize;
use keller::coverage::Engine;
use keller::paths::Search;
use keller_io::scenario::{CoverageSettings, Scenario};
use keller_run::{CoverageRun, Job, RunStage};
use serde_json::json;

use self::outputs::Outputs;
use crate::args::{CoverageArgs, LayerArg};
use crate::failure::Failure;
use crate::files::Outputs as Files;
use crate::job::{ended, prepare};
use crate::memory;
use crate::messages::summarize;
use crate::progress::Progress;
use crate::report::write_table;
use crate::summary::{Clock, Workers};

pub(crate) fn run(args: &CoverageArgs) -> Result<(), Failure> {
    let mut scenario = Scenario::load(&args.scenario)?;
    args.search.overrule(&mut scenario);
    if let Some(positions) = &args.positions {
        return positions::run(args, positions, scenario);
    }
    let names: Vec<String> = match &scenario.coverage {
        Some(CoverageSettings::Surfaces(_)) => {
            let files = files(args)?;
            files.check(scenario.inputs())?;
            return surfaces::run(args, scenario, &files);
        }
        Some(CoverageSettings::Cells(regions)) => {
            let names = regions.iter().map(|region| region.name.clone());
            names.map(Option::unwrap_or_default).collect()
        }
        // The job says what is missing.
        None => vec![String::new()],
    };
    let regions = names::of_regions(args, &names)?;
    let each: Vec<Files> = regions.iter().map(files).collect::<Result<_, _>>()?;
    let all = each.iter().fold(Files::default(), Files::and);
    all.check(scenario.inputs())?;
    check_args(args, &scenario)?;
    let progress = Progress::new();
    // Opened first: who cannot have the result should not wait for it.
    let outputs: Vec<Outputs<'_>> = regions
        .iter()
        .map(Outputs::open)
        .collect::<Result<_, _>>()?;

    let job = prepare(scenario, &args.machine, &all, &progress)?;
    if let (None, Some(name)) = (&job.frame, outputs[0].needs_place()) {
        progress.warn(format!(
            "{}: no scene file says where on earth it lies: coordinates are the scene's own metres, without a coordinate reference system; `keller import` makes scenes that say so",
            name.display()
        ));
    }
    if job.frame.is_none() && outputs[0].has_kmz() {
        let problem = "KMZ lies on the globe, and no scene file says where on earth the scene lies: `keller import` makes scenes that say so, and --picture OUT.png needs no place";
        return Err(Failure::Input(problem.to_owned()));
    }
    let mut told = Vec::new();
    for (index, (outputs, files)) in outputs.into_iter().zip(&each).enumerate() {
        let is_one = names.len() == 1;
        if !is_one {
            progress.note(format!(
                "region {} of {}: {}",
                index + 1,
                names.len(),
                names[index]
            ));
        }
        let summary = fill(&regions[index], index, outputs, files, &job, &progress)?;
        if is_one {
            if args.out.is_some() && args.json {
                writeln!(io::stdout(), "{:#}", summary.json())?;
            }
            summarize!("{summary}");
        } else {
            summarize!("{}: {summary}", names[index]);
            let mut json = summary.json();
            json["name"] = names[index].clone().into();
            told.push(json);
        }
    }
    if !told.is_empty() && args.json {
        writeln!(io::stdout(), "{:#}", json!({ "regions": told }))?;
    }
    Ok(())
}

/// Fills one region and writes its files.
fn fill(
    args: &CoverageArgs,
    region: usize,
    outputs: Outputs<'_>,
    files: &Files,
    job: &Arc<Job>,
    progress: &Progress,
) -> Result<Summary, Failure> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    let mut coverage = job.coverage(region)?;
    memory::need(coverage.min_bytes(), "one block of cells")?;
    if let Some(store) = &args.batch {
        coverage = coverage.take_from(store)?;
    }
    open_part(args, &mut coverage, files)?;
    let filled = coverage.complete();
    filled.map_err(|error| ended(error, coverage.kept()))?;
    let result = coverage.filled_map();
    let num_doubtful = result.num_doubtful_rooftops().map_err(unreadable)?;
    if num_doubtful > 0 {
        progress.warn(format!(
            "{num_doubtful} cells have chains over rooftops beyond the theory: edges nearer to each other than a wavelength, met at less than 30°, or steep ridges"
        ));
    }
    progress.report(RunStage::Write, 0.0);
    let is_text = outputs.is_text();
    result.keep_servers().map_err(|error| {
        Failure::System(format!(
            "what cells receive from all Tx cannot be kept: {error}"
        ))
    })?;
    outputs.write(&mut stdout, job, &result)?;
    let is_points = coverage.settings.engine == Engine::Points;
    let summary = Summary {
        search: is_points.then(|| job.search()),
        num_cells: coverage.region.num_cells(),
        num_doubtful,
        num_tx: job.scenario.tx.len(),
        workers: Workers::of(job),
        clock: progress.clock(),
    };
    progress.clear();
    if is_text {
        if let Some(name) = &coverage.settings.name
            && job.regions()?.len() > 1
        {
            writeln!(stdout, "region {name}")?;
        }
        let rows = of_tx::rows(&result).map_err(unreadable)?;
        write_table(&mut stdout, &of_tx::HEADER, &rows)?;
    }
    stdout.flush()?;
    drop(result);
    coverage.finish()?;
    Ok(summary)
}

/// The part file next to the output that `args` ask for; without a file to write, gains are held in memory.
fn open_part(
    args: &CoverageArgs,
    coverage: &mut CoverageRun,
    files: &Files,
) -> Result<(), Failure> {
    let Some(name) = files.part() else {
        let bytes = coverage.num_bytes();
        if memory::left() < bytes {
            return Err(Failure::Input(format!(
                "{} cells of {} Tx take {}, more than memory may hold: name a file with -o, beside which they are kept, or raise --memory",
                coverage.region.num_cells(),
                coverage.num_tx(),
                ByteSize(bytes)
            )));
        }
        return Ok(());
    };
    // Work that a stopped run has taken from a batch is taken again.
    let resume = args.resume || args.batch.is_some();
    if resume && name.exists() {
        return Ok(coverage.keep_in(&name, true)?);
    }
    let (num_rows, num_cells) = (coverage.num_rows(), coverage.region.num_cells());
    let bytes = coverage.num_part_bytes() + output_bytes(files, num_rows, num_cells);
    files.check_room(bytes, "the result")?;
    Ok(coverage.keep_in(&name, resume)?)
}

/// The least bytes of the files of arrays and maps: the sizes of tables and pictures depend on their contents.
fn output_bytes(files: &Files, num_rows: usize, num_cells: usize) -> u64 {
    let value_bytes = match files.first_extension().as_str() {
        // Values of `zarr` and `tif` are compressed.
        "npz" => 4,
        _ => 0,
    };
    (num_rows as u64).saturating_mul(num_cells as u64 * value_bytes)
}

/// The files that the arguments name as results.
fn files(args: &CoverageArgs) -> Result<Files, Failure> {
    let files = Files::default()
        .with("-o", args.out.as_deref())
        .with("--picture", args.picture.as_deref())
        .with("--contours", args.contours.as_deref())
        .with("--glb", args.glb.as_deref())
        .with("--rays", args.rays.as_deref())
        .with_part();
    files.check_resume(args.resume)?;
    Ok(files)
}

/// Refuses options that cells do not have.
fn check_args(args: &CoverageArgs, scenario: &Scenario) -> Result<(), Failure> {
    if args.rays.is_some() {
        let problem = "--rays: cells have no list of rays; `keller paths` has them of receivers, and the engine \"surfaces\" of surfaces";
        return Err(Failure::Input(problem.to_owned()));
    }
    if let Some(CoverageSettings::Cells(regions)) = &scenario.coverage
        && let Some(settings) = regions.iter().find(|region| region.noise_dbm.is_none())
        && args.layer == Some(LayerArg::Sinr)
    {
        return Err(Failure::Input(format!(
            "{}:{}: [coverage] noise_dbm is missing: --layer sinr needs it",
            scenario.file.display(),
            settings.line
        )));
    }
    Ok(())
}

/// Gains that were put down and cannot be had again: the message names their file.
#[expect(clippy::needless_pass_by_value, reason = "it is for `map_err`")]
fn unreadable(error: io::Error) -> Failure {
    Failure::System(error.to_string())
}

/// The summary of a coverage.
struct Summary {
    /// The search for the paths to cells, where the engine asks for them.
    search: Option<Search>,
    num_cells: usize,
    /// Chains over rooftops beyond their theory.
    num_doubtful: usize,
    num_tx: usize,
    workers: Workers,
    clock: Clock,
}

impl Summary {
    fn json(&self) -> serde_json::Value {
        json!({
            "search": self.search.map(Search::name),
            "cells": self.num_cells,
            "doubtful_rooftop_cells": self.num_doubtful,
            "transmitters": self.num_tx,
            "seconds": self.clock.json(),
            "peak_memory_bytes": crate::memory::peak(),
            "threads": self.workers.threads,
            "gpu": self.workers.gpu,
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            search,
            num_cells,
            num_tx,
            workers,
            clock,
            ..
        } = self;
        write!(f, "{num_cells} cells, {num_tx} Tx")?;
        if let Some(search) = search {
            write!(f, " (search {})", search.name())?;
        }
        write!(f, "; {clock}; {workers}")
    }
}
