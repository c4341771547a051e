//! `keller coverage`: what every Tx of a scenario brings to the cells of a region.

mod cautions;
mod fill;
mod memory;
mod of_tx;
mod outputs;
mod surfaces;

use std::fmt;
use std::io::{self, BufWriter, Write};

use keller::coverage::points::{Points, Transmitter};
use keller::coverage::rooftops::{self, Rooftops};
use keller::coverage::{Region, tubes};
use keller::paths::{Search, Transparency, check_devices};
use keller::units::db_to_power;
use keller_geo::crs::Frame;
use keller_io::coverage::{CoverageMap, Figures, MapTx};
use keller_io::scenario::{CoverageSettings, Engine, Scenario};
use keller_io::table::Device;
use serde_json::json;

use self::fill::{Filler, Gains};
use self::outputs::Outputs;
use crate::args::{CoverageArgs, LayerArg};
use crate::environment::finder;
use crate::failure::Failure;
use crate::files::Outputs as Files;
use crate::job::{self, Place};
use crate::progress::Progress;
use crate::report::write_table;
use crate::summary::{Clock, Stage};

/// Where tubes end if nothing is said, dB: below this nobody receives.
const TUBES_LIMIT_DB: f64 = 150.0;

pub(crate) fn run(args: &CoverageArgs) -> Result<(), Failure> {
    let mut scenario = Scenario::load(&args.scenario)?;
    args.search.overrule(&mut scenario);
    let Some(mut settings) = scenario.coverage.clone() else {
        return Err(Failure::Input(format!(
            "{}: [coverage] is missing: it says where the cells lie",
            scenario.file.display()
        )));
    };
    let files = files(args)?;
    files.check(scenario.inputs())?;
    if settings.engine == Engine::Tiles {
        return surfaces::run(args, &scenario, &settings, &files);
    }
    check_args(args, &scenario, &settings)?;
    let progress = Progress::new();
    let mut stdout = BufWriter::new(io::stdout().lock());
    // Opened first: who cannot have the result should not wait for it.
    let outputs = Outputs::open(args)?;

    let place = job::place(&scenario, args.machine, &files, &progress)?;
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
    cautions::warn(&scenario, &settings, &place, &region, &progress);
    if settings.is_engine_auto {
        progress.note(choose(&scenario, &mut settings, &place, &region));
    }
    let senders = senders(&scenario, &place, &progress)?;
    let transparency = Transparency::of(&place.scene, &place.surfaces);
    let filler = filler(
        &scenario,
        &settings,
        &place,
        &region,
        &transparency,
        &progress,
    )?;
    let most_cells = memory::most_cells(filler.figures)?;
    let gains = Gains::open(args, &scenario, &place, &region, filler.figures, &files)?;
    let gains = gains.fill(&filler, &senders, most_cells, &progress)?;
    let result = CoverageMap {
        region: &region,
        ground: filler.ground(),
        gains: gains.store(),
        tx: transmitters(&scenario, &place),
        noise_dbm: settings.noise_dbm,
        least_gain: settings
            .path_loss_limit_db
            .map_or(0.0, |limit| db_to_power(-limit)),
        has_gains_of_tx: settings.per_tx,
        figures: filler.figures,
        frame: frame.as_ref(),
    };
    let num_doubtful = result.num_doubtful_rooftops().map_err(unreadable)?;
    if num_doubtful > 0 {
        progress.warn(format!(
            "{num_doubtful} cells have chains over rooftops beyond the theory: edges nearer to each other than a wavelength, met at less than 30°, or steep ridges"
        ));
    }
    progress.report(Stage::Write, 0.0);
    let is_text = outputs.is_text();
    if let Some(part) = gains.part() {
        result.keep_servers(part).map_err(|error| {
            Failure::System(format!(
                "{}: cannot be written: {error}",
                part.name().display()
            ))
        })?;
    }
    outputs.write(&mut stdout, &scenario, &place, &result, &about)?;
    let summary = Summary {
        search: (settings.engine == Engine::Points).then(|| scenario.paths.search(&place.scene)),
        num_cells: region.num_cells(),
        num_doubtful,
        num_tx: scenario.tx.len(),
        threads: place.threads,
        clock: progress.clock(),
    };
    progress.clear();
    if is_text {
        let rows = of_tx::rows(&result).map_err(unreadable)?;
        write_table(&mut stdout, &of_tx::HEADER, &rows)?;
    }
    if args.out.is_some() && args.json {
        writeln!(stdout, "{:#}", summary.json())?;
    }
    stdout.flush()?;
    gains.remove()?;
    eprintln!("{summary}");
    Ok(())
}

/// The files that the arguments name as results.
fn files(args: &CoverageArgs) -> Result<Files, Failure> {
    let files = Files::default()
        .with("-o", args.out.as_deref())
        .with("--map", args.map.as_deref())
        .with("--contours", args.contours.as_deref())
        .with("--model", args.model.as_deref())
        .with("--rays", args.rays.as_deref())
        .with_part();
    if args.resume && files.is_empty() {
        let problem = "--resume: without a file to write nothing was kept; name the same files as the run that was stopped";
        return Err(Failure::Input(problem.to_owned()));
    }
    Ok(files)
}

/// Refuses what cells do not have.
fn check_args(
    args: &CoverageArgs,
    scenario: &Scenario,
    settings: &CoverageSettings,
) -> Result<(), Failure> {
    if args.rays.is_some() {
        let problem = "--rays: cells have no list of rays; `keller paths` has them of receivers, and the engine \"tiles\" of surfaces";
        return Err(Failure::Input(problem.to_owned()));
    }
    if args.layer == Some(LayerArg::Sinr) && settings.noise_dbm.is_none() {
        return Err(Failure::Input(format!(
            "{}:{}: [coverage] noise_dbm is missing: --layer sinr needs it",
            scenario.file.display(),
            settings.line
        )));
    }
    Ok(())
}

/// Takes points where `auto` left the choice and they cost less; says which engine it is, why, and what the other would cost.
fn choose(
    scenario: &Scenario,
    settings: &mut CoverageSettings,
    place: &Place,
    region: &Region,
) -> String {
    /// Faces times cells up to which the exact paths to every cell take about a second or less.
    const SMALL: usize = 20_000;

    let said = format!("{}: [coverage] engine = \"auto\"", scenario.file.display());
    let (num_cells, num_faces) = (region.num_cells(), place.scene.faces().len());
    let limits = &scenario.paths.limits;
    if settings.engine == Engine::Points {
        return format!(
            "{said} takes points, which cost as much as {num_cells} receivers a Tx: max_diffractions = {} is beyond tubes, which take {} and with rooftops = true add chains of several edges over the roofs",
            limits.max_diffractions,
            Engine::MAX_EDGES_OF_TUBES
        );
    }
    if num_cells.saturating_mul(num_faces) <= SMALL {
        settings.engine = Engine::Points;
        return format!(
            "{said} takes points, the exact paths to the centre of each of the {num_cells} cells, because the scene is small; \"tubes\" would fill millions of cells"
        );
    }
    let left_out = if limits.max_scatterings > 0 {
        "; tubes leave out what is reflected after it was scattered"
    } else {
        ""
    };
    format!(
        "{said} takes tubes; \"points\" would find the exact paths to the centre of each of the {num_cells} cells, at the cost of {num_cells} receivers a Tx{left_out}"
    )
}

/// The transmitters as engines want them.
fn senders(
    scenario: &Scenario,
    place: &Place,
    progress: &Progress,
) -> Result<Vec<Transmitter>, Failure> {
    if let Some(tx) = scenario.tx.iter().find(|tx| tx.array.is_some()) {
        progress.warn(format!(
            "{}: a coverage takes one element in the middle for the whole array",
            tx.origin()
        ));
    }
    let positions = &place.positions.tx;
    check_devices(&place.scene, positions, positions)
        .map_err(|error| Failure::in_scenario(scenario, &error))?;
    let sender = |(tx, position): (&keller_io::scenario::Tx, &keller::DVec3)| Transmitter {
        position: *position,
        antenna: tx.antenna.clone(),
    };
    Ok(scenario.tx.iter().zip(positions).map(sender).collect())
}

/// Who fills the cells, ready.
fn filler<'a>(
    scenario: &'a Scenario,
    settings: &CoverageSettings,
    place: &'a Place,
    region: &'a Region,
    transparency: &'a Transparency,
    progress: &Progress,
) -> Result<Filler<'a>, Failure> {
    let (scene, surfaces, limits) = (&place.scene, &place.surfaces, &scenario.paths.limits);
    let engine = match settings.engine {
        Engine::Points => {
            let finder = finder(scenario, scene, transparency, None, progress)?;
            fill::Engine::Points(Points::new(scene, surfaces, region, finder))
        }
        Engine::Tubes {
            accuracy,
            has_rooftops,
        } => {
            check_kinds(scenario)?;
            let settings = tubes::Settings {
                limits,
                accuracy,
                least_gain: db_to_power(-settings.path_loss_limit_db.unwrap_or(TUBES_LIMIT_DB)),
                ladder: tubes::Ladder::default(),
            };
            let tubes = tubes::Tubes::new(scene, surfaces, region, settings);
            let rooftops = has_rooftops.then(|| {
                let settings = rooftops::Settings {
                    // Tubes have the chains of one edge if they bend at all.
                    least_edges: if limits.max_diffractions > 0 { 2 } else { 1 },
                    has_reflections: limits.max_reflections > 0,
                    least_gain: settings.least_gain,
                    is_exact: false,
                };
                Rooftops::new(scene, surfaces, region, settings)
            });
            let rooftops = rooftops.transpose()?;
            fill::Engine::Tubes {
                tubes: Box::new(tubes),
                rooftops,
            }
        }
        Engine::Tiles => unreachable!("surfaces have no cells to fill"),
    };
    Ok(Filler {
        engine,
        figures: match settings.engine {
            _ if settings.multipath => Figures::Multipath,
            Engine::Tubes { has_rooftops, .. } if has_rooftops => Figures::Rooftops,
            _ => Figures::Nothing,
        },
    })
}

/// Tubes follow no other kinds.
fn check_kinds(scenario: &Scenario) -> Result<(), Failure> {
    let limits = &scenario.paths.limits;
    let count = limits.max_diffractions;
    if count > Engine::MAX_EDGES_OF_TUBES {
        return Err(Failure::Input(format!(
            "{}: [paths] max_diffractions = {count}: tubes meet one edge; [coverage] rooftops = true adds chains of several; \
             accepted: 0 or 1, or engine = \"points\"",
            scenario.file.display()
        )));
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
        name: Device::new(tx.name.as_deref(), index, None).name,
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

/// Gains that were put down and cannot be had again: the message names their file.
#[expect(clippy::needless_pass_by_value, reason = "it is for `map_err`")]
fn unreadable(error: io::Error) -> Failure {
    Failure::System(error.to_string())
}

/// What a coverage came to.
struct Summary {
    /// Of the paths to cells, where the engine asks for them.
    search: Option<Search>,
    num_cells: usize,
    /// Chains over rooftops beyond their theory.
    num_doubtful: usize,
    num_tx: usize,
    threads: usize,
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
            "threads": self.threads,
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            search,
            num_cells,
            num_tx,
            threads,
            clock,
            ..
        } = self;
        write!(f, "{num_cells} cells, {num_tx} Tx")?;
        if let Some(search) = search {
            write!(f, " (search {})", search.name())?;
        }
        write!(f, "; {clock} {threads} threads")
    }
}
