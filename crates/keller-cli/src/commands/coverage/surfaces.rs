//! `engine = "surfaces"`: the power on the surfaces of a scene, and the files that it goes to.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use keller::units::power_to_db;
use keller_io::formats::OutputFile;
use keller_io::reports::coverage::PicturedLayer;
use keller_io::reports::surfaces::SurfaceMap;
use keller_io::reports::table::{Table, TableFile};
use keller_io::scenario::Scenario;
use keller_run::{Job, RunStage};
use serde_json::json;

use super::outputs::{bad_place, check_title, either, extension, file};
use crate::args::CoverageArgs;
use crate::failure::Failure;
use crate::files::Outputs as Files;
use crate::job::{ended, kept, prepare};
use crate::memory;
use crate::messages::summarize;
use crate::pictures::name_of;
use crate::progress::Progress;
use crate::report::write_table;
use crate::summary::Workers;

pub(super) fn run(args: &CoverageArgs, scenario: Scenario, files: &Files) -> Result<(), Failure> {
    check_args(args)?;
    let progress = Progress::new();
    let mut stdout = BufWriter::new(io::stdout().lock());
    // Opened first: who cannot have the result should not wait for it.
    let outputs = Outputs::open(args)?;
    let rays = args.rays.as_deref().map(TableFile::create).transpose();
    let rays = rays.map_err(bad_place)?;

    let job = prepare(scenario, &args.machine, files, &progress)?;
    let about = job.about();
    let surfaces = job.surfaces(rays.is_some())?;
    let batch = args.batch.as_deref();
    let mut surfaces = kept(surfaces, files.part(), args.resume, batch)?;
    let mut table = rays.map(|file| file.begin(&about)).transpose()?;
    let (mut fields, mut recalls) = (Vec::new(), Vec::new());
    while let Some(done) = surfaces.next() {
        let done = done.map_err(|error| ended(error, surfaces.kept()))?;
        if let Some(table) = &mut table {
            done.rays.iter().try_for_each(|row| table.write(row))?;
        }
        fields.push(done.fields);
        recalls.push(done.recall);
    }
    let result = SurfaceMap {
        fields,
        recalls,
        ..surfaces.empty_map()
    };
    progress.report(RunStage::Write, 0.0);
    if let Some(table) = table {
        table.finish()?;
    }
    let is_text = matches!(outputs.target, Target::Text);
    outputs.write(&mut stdout, &job, &result)?;
    let clock = progress.clock();
    progress.clear();
    if is_text {
        // Every wave is followed if there is no limit.
        let shown = HEADER.len() - usize::from(result.min_gain_db.is_none());
        let mut rows = rows(&result);
        for row in &mut rows {
            row.truncate(shown);
        }
        write_table(&mut stdout, &HEADER[..shown], &rows)?;
    }
    let (num_tiles, num_tx) = (result.tiles.len(), result.tx.len());
    let workers = Workers::of(&job);
    if args.out.is_some() && args.json {
        let summary = json!({
            "tiles": num_tiles,
            "transmitters": num_tx,
            "search": recalls_json(&result),
            "seconds": clock.json(),
            "peak_memory_bytes": memory::peak(),
            "threads": workers.threads,
            "gpu": workers.gpu,
        });
        writeln!(stdout, "{summary:#}")?;
    }
    stdout.flush()?;
    surfaces.finish()?;
    summarize!("{num_tiles} tiles, {num_tx} Tx; {clock}; {workers}");
    Ok(())
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
            "{option}: it is about cells, and the engine \"surfaces\" fills surfaces; leave it out"
        ))),
        None => Ok(()),
    }
}

/// The requested outputs, opened.
struct Outputs {
    target: Target,
    map: Option<OutputFile>,
    title: Option<String>,
    model: Option<OutputFile>,
}

/// The destination of the result.
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
        let map = either(args, args.picture.as_deref(), "--picture", &["png"])?;
        let model = either(args, args.glb.as_deref(), "--glb", &["glb"])?;
        check_title(args, map)?;
        Ok(Self {
            target,
            map: file(map, "png", "surfaces are drawn from the air, as PNG")?,
            title: args.title.clone(),
            model: file(model, "glb", "models are GLB")?,
        })
    }

    fn write(
        self,
        stdout: &mut impl Write,
        job: &Job,
        result: &SurfaceMap<'_>,
    ) -> Result<(), Failure> {
        let about = &job.about();
        match self.target {
            Target::Text | Target::Picture => {}
            Target::Printed => result.write_rows(Table::json(stdout, "standard output", about)?)?,
            Target::Table(file) => result.write_rows(file.begin(about)?)?,
            Target::Npz(file) => result.write_npz(file, about)?,
        }
        if let Some(file) = self.map {
            let png = result.view_png(&title(job, self.title.as_deref()), &job.plot_tx());
            file.write(|writer| writer.write_all(&png))?;
        }
        if let Some(file) = self.model {
            result.write_model(file, job.world.materials())?;
        }
        Ok(())
    }
}

/// The title above the picture.
fn title(job: &Job, given: Option<&str>) -> String {
    let scenario = &job.scenario;
    let own = || {
        let gain = PicturedLayer::Gain.title(scenario.tx.len());
        let (name, ghz) = (name_of(scenario), scenario.frequency.ghz());
        format!("{name}: {gain}; {ghz} GHz, on surfaces")
    };
    given.map_or_else(own, str::to_owned)
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

/// The power that the search of each Tx may have missed, for machines.
fn recalls_json(result: &SurfaceMap<'_>) -> serde_json::Value {
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
                "unfollowed_power": recall.unfollowed_power,
            })
        })
        .collect()
}

fn share(part: f64, all: f64) -> f64 {
    if all > 0.0 { part / all } else { 0.0 }
}

const HEADER: [&str; 7] = [
    "tx",
    "tiles reached",
    "% of area",
    "median gain / dB",
    "best gain / dB",
    "% missing (est.)",
    "% too weak (at most)",
];

/// The results of each Tx, for people to read: the stronger side of each tile counts.
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
            too_weak(result, tx),
        ]
    };
    result.fields.iter().enumerate().map(row).collect()
}

/// The largest share of the power of a Tx on all tiles that the limit may leave out, in percent.
fn too_weak(result: &SurfaceMap<'_>, tx: usize) -> String {
    let fields = result.fields[tx].iter().flatten();
    let all: f64 = fields.map(|field| field.incident_power).sum();
    let unfollowed = result.recalls[tx].unfollowed_power;
    if unfollowed > 0.0 {
        format!("{:.2}", 100.0 * unfollowed / (all + unfollowed))
    } else {
        "0.00".to_owned()
    }
}
