//! `engine = "tiles"`: what falls on the surfaces of a scene, and the files that it goes to.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use keller::Control;
use keller::coverage::tiles::TileCoverage;
use keller::paths::Transparency;
use keller::units::power_to_db;
use keller_io::OutputFile;
use keller_io::scenario::{CoverageSettings, Scenario};
use keller_io::surfaces::{FinishedTx, SurfaceMap, SurfacePart};
use keller_io::table::{About, Table, TableFile};
use serde_json::json;

use super::fill::fingerprint;
use super::outputs::{bad_place, either, extension, file};
use crate::args::CoverageArgs;
use crate::ending;
use crate::environment::environment;
use crate::failure::Failure;
use crate::files::Outputs as Files;
use crate::job::{self, Place};
use crate::memory;
use crate::progress::Progress;
use crate::report::write_table;
use crate::stop;
use crate::summary::Stage;

pub(super) fn run(
    args: &CoverageArgs,
    scenario: &Scenario,
    settings: &CoverageSettings,
    files: &Files,
) -> Result<(), Failure> {
    check_args(args)?;
    let progress = Progress::new();
    let mut stdout = BufWriter::new(io::stdout().lock());
    // Opened first: who cannot have the result should not wait for it.
    let outputs = Outputs::open(args)?;
    let rays = args.rays.as_deref().map(TableFile::create).transpose();
    let rays = rays.map_err(bad_place)?;

    let place = job::place(scenario, args.machine, files, &progress)?;
    let about = job::about(scenario, place.georeference.as_ref());
    let frame = super::frame(&place)?;
    let senders = super::senders(scenario, &place, &progress)?;
    let transparency = Transparency::of(&place.scene, &place.surfaces);
    if scenario.paths.limits.max_scatterings > 0 && !transparency.scatters.contains(&true) {
        progress.warn(format!(
            "{}: [paths] max_scatterings: no material of the scene scatters; give one `scattering`",
            scenario.file.display()
        ));
    }
    let (mut part, finished) = open_part(args, scenario, &place, files)?;
    let environment = environment(scenario, &place.scene, &progress)?;
    let tiles = environment.tiles.clone();
    let limits = &scenario.paths.limits;
    let (scene, surfaces) = (&place.scene, &place.surfaces);
    let coverage = TileCoverage::new(scene, surfaces, limits, &transparency, environment)?;
    let mut result = SurfaceMap {
        scene,
        tiles: &tiles,
        fields: Vec::with_capacity(senders.len()),
        recalls: Vec::with_capacity(senders.len()),
        tx: super::transmitters(scenario, &place),
        least_gain_db: settings.path_loss_limit_db.map(|limit| -limit),
        frame: frame.as_ref(),
    };
    let mut table = rays.map(|file| file.begin(&about)).transpose()?;
    let mut finished = finished.into_iter();
    for (index, tx) in senders.iter().enumerate() {
        let report = |stage, done: f64| {
            let stage = match stage {
                keller::Stage::Scatter => Stage::Scatter,
                keller::Stage::Search => Stage::Search,
                _ => Stage::Coverage,
            };
            progress.report(stage, (index as f64 + done) / senders.len() as f64);
        };
        let control = control(&report);
        let done = if let Some(done) = finished.next() {
            done
        } else {
            let survey = coverage.survey(tx, table.is_some(), &control);
            let survey = survey.map_err(|error| stopped(error, part.as_ref(), senders.len()))?;
            let done = FinishedTx {
                rays: result.ray_rows(index, &survey.rays),
                fields: survey.fields,
                recall: survey.recall,
            };
            if let Some(part) = &mut part {
                part.put(&done)?;
                ending::keep(kept(part, senders.len()));
            }
            done
        };
        if let Some(table) = &mut table {
            done.rays.iter().try_for_each(|row| table.write(row))?;
        }
        result.fields.push(done.fields);
        result.recalls.push(done.recall);
    }
    progress.report(Stage::Write, 0.0);
    if let Some(table) = table {
        table.finish()?;
    }
    let is_text = matches!(outputs.target, Target::Text);
    outputs.write(&mut stdout, &place, &result, &about)?;
    let clock = progress.clock();
    progress.clear();
    if is_text {
        write_table(&mut stdout, &HEADER, &rows(&result))?;
    }
    let (num_tiles, num_tx, threads) = (tiles.len(), senders.len(), place.threads);
    if args.out.is_some() && args.json {
        let summary = json!({
            "tiles": num_tiles,
            "transmitters": num_tx,
            "search": recalls(&result),
            "seconds": clock.json(),
            "peak_memory_bytes": memory::peak(),
            "threads": threads,
        });
        writeln!(stdout, "{summary:#}")?;
    }
    stdout.flush()?;
    if let Some(part) = part {
        part.remove()?;
    }
    eprintln!("{num_tiles} tiles, {num_tx} Tx; {clock} {threads} threads");
    Ok(())
}

/// The part file beside what `args` ask for, with the Tx that a run before this one has finished; none if they ask for no file.
fn open_part(
    args: &CoverageArgs,
    scenario: &Scenario,
    place: &Place,
    files: &Files,
) -> Result<(Option<SurfacePart>, Vec<FinishedTx>), Failure> {
    let Some(name) = files.part() else {
        return Ok((None, Vec::new()));
    };
    let run = fingerprint(scenario, place, &[&args.rays.is_some()]);
    if args.resume && name.exists() {
        let (part, finished) = SurfacePart::resume(&name, run)?;
        if part.num_done() > 0 {
            ending::keep(kept(&part, scenario.tx.len()));
        }
        return Ok((Some(part), finished));
    }
    let part = SurfacePart::create(&name, run)?;
    Ok((Some(part), Vec::new()))
}

/// What is kept of the surfaces.
fn kept(part: &SurfacePart, num_tx: usize) -> String {
    format!(
        "{} of {num_tx} Tx are kept in {}: the same command with --resume goes on",
        part.num_done(),
        part.name().display()
    )
}

/// A survey that came to no end.
fn stopped(error: keller::Error, part: Option<&SurfacePart>, num_tx: usize) -> Failure {
    match (error, part) {
        (keller::Error::Cancelled, Some(part)) if part.num_done() > 0 => {
            Failure::Kept(format!("stopped; {}", kept(part, num_tx)))
        }
        (error, _) => error.into(),
    }
}

fn control(report: &(dyn Fn(keller::Stage, f64) + Sync)) -> Control<'_> {
    Control {
        cancelled: Some(stop::flag()),
        progress: Some(report),
    }
}

/// Refuses options that are about cells.
fn check_args(args: &CoverageArgs) -> Result<(), Failure> {
    let of_cells = [
        ("--contours", args.contours.is_some()),
        ("--levels", !args.levels.is_empty()),
        ("--layer", args.layer.is_some()),
    ];
    match of_cells.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::Input(format!(
            "{option}: it is about cells, and the engine \"tiles\" fills surfaces; leave it out"
        ))),
        None => Ok(()),
    }
}

/// All that was asked for, opened.
struct Outputs {
    target: Target,
    map: Option<OutputFile>,
    model: Option<OutputFile>,
}

/// Where the result goes.
enum Target {
    /// A few numbers for people.
    Text,
    /// One row a side of a tile and Tx, as JSON to standard output.
    Printed,
    Table(TableFile),
    Npz(OutputFile),
    /// One of the pictures.
    Picture,
}

impl Outputs {
    fn open(args: &CoverageArgs) -> Result<Self, Failure> {
        let target = match &args.out {
            Some(out) => target(out)?,
            None if args.json => Target::Printed,
            None => Target::Text,
        };
        let map = either(args, args.map.as_deref(), "--map", &["png"])?;
        let model = either(args, args.model.as_deref(), "--model", &["glb"])?;
        Ok(Self {
            target,
            map: file(map, "png", "surfaces are drawn from the air, as PNG")?,
            model: file(model, "glb", "models are GLB")?,
        })
    }

    fn write(
        self,
        stdout: &mut impl Write,
        place: &Place,
        result: &SurfaceMap<'_>,
        about: &About,
    ) -> Result<(), Failure> {
        match self.target {
            Target::Text | Target::Picture => {}
            Target::Printed => result.write_rows(Table::json(stdout, "standard output", about)?)?,
            Target::Table(file) => result.write_rows(file.begin(about)?)?,
            Target::Npz(file) => result.write_npz(file, about)?,
        }
        if let Some(file) = self.map {
            let png = result.view_png();
            file.write(|writer| writer.write_all(&png))?;
        }
        if let Some(file) = self.model {
            result.write_model(file, &place.materials)?;
        }
        Ok(())
    }
}

/// The file `out`, opened.
fn target(out: &Path) -> Result<Target, Failure> {
    let extension = extension(out);
    match extension.as_str() {
        "npz" => OutputFile::create(out).map(Target::Npz).map_err(bad_place),
        "csv" | "json" | "parquet" => TableFile::create(out).map(Target::Table).map_err(bad_place),
        "png" | "glb" => Ok(Target::Picture),
        _ => Err(Failure::Input(format!(
            "{}: no format of surfaces for the extension .{extension}; accepted: a name that ends in .csv, .parquet, .json, .npz, .png or .glb",
            out.display()
        ))),
    }
}

/// What each Tx' search may have missed, for machines.
fn recalls(result: &SurfaceMap<'_>) -> serde_json::Value {
    let of_tx = result.recalls.iter().zip(&result.tx);
    of_tx
        .map(|(recall, tx)| {
            json!({
                "tx": &*tx.name,
                "found_by_pairs": {
                    "reflections": recall.reflections,
                    "diffractions": recall.diffractions,
                },
                "longer_share": share(recall.longer_gain, recall.all_gain),
                "missing_share": recall.missing_share(),
            })
        })
        .collect()
}

fn share(part: f64, all: f64) -> f64 {
    if all > 0.0 { part / all } else { 0.0 }
}

const HEADER: [&str; 6] = [
    "tx",
    "tiles reached",
    "% of area",
    "median gain / dB",
    "best gain / dB",
    "% missing (est.)",
];

/// What each Tx comes to, for people to read: the stronger side of each tile counts.
fn rows(result: &SurfaceMap<'_>) -> Vec<Vec<String>> {
    let tiles = result.tiles.all();
    let whole: f64 = tiles.iter().map(|tile| tile.area).sum();
    let row = |(tx, fields): (usize, &Vec<[keller::coverage::tiles::TileField; 2]>)| {
        let (mut gains, mut area) = (Vec::new(), 0.0);
        for (tile, [front, back]) in tiles.iter().zip(fields) {
            let gain = front.path_gain.max(back.path_gain);
            if result.counts(gain) {
                gains.push(power_to_db(gain));
                area += tile.area;
            }
        }
        gains.sort_by(f64::total_cmp);
        let number = |value: Option<&f64>| value.map_or("-".to_owned(), |v| format!("{v:.1}"));
        vec![
            result.tx[tx].name.to_string(),
            format!("{} of {}", gains.len(), tiles.len()),
            format!("{:.1}", 100.0 * area / whole.max(f64::MIN_POSITIVE)),
            number(gains.get(gains.len() / 2)),
            number(gains.last()),
            format!("{:.2}", 100.0 * result.recalls[tx].missing_share()),
        ]
    };
    result.fields.iter().enumerate().map(row).collect()
}
