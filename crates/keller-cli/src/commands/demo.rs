//! `keller demo`: a district from a seed, its paths, and files to look at and to run again.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use keller_io::reports::plot::MapPaths;
use keller_io::reports::table::{PathRow, PathTable, TableFile};
use keller_io::scenario::Scenario;
use keller_run::{Job, PathRunOptions, RunStage};

use super::paths::{each_block, write_rows};
use crate::args::DemoArgs;
use crate::district::District;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job::prepare;
use crate::messages::summarize;
use crate::pictures::{self, picture};
use crate::progress::Progress;
use crate::report::{PATH_HEADER, path_cells, write_table};
use crate::summary::Summary;

/// Receivers whose paths are shown, and paths shown of each.
const SHOWN_RX: usize = 4;
const SHOWN_PATHS: usize = 4;

pub(crate) fn run(args: &DemoArgs) -> Result<(), Failure> {
    let folder = &args.out;
    check(folder)?;
    fs::create_dir_all(folder)
        .map_err(|error| Failure::Input(format!("{}: {error}", folder.display())))?;
    for (name, text) in texts(args.seed) {
        write_file(&folder.join(name), &text)?;
    }
    // The rest is the main job, from the files as anyone would run it.
    let scenario = Scenario::load(&folder.join("scenario.toml"))?;
    let progress = Progress::new();
    let (job, rows, summary) = find(scenario, args, &progress)?;
    let lines = lines_obj(&rows, &job);
    write_file(&folder.join("paths.obj"), &lines)?;
    progress.clear();
    show(&rows, &job.scenario, folder)?;
    summarize!("{summary}");
    Ok(())
}

/// The name of the scenario, whose first line describes it.
const SCENARIO: &str = "scenario.toml";

/// The files of results.
const RESULTS: [&str; 4] = ["paths.csv", "paths.csv.meta.json", "paths.obj", "map.png"];

/// The first line of a demo's scenario: the texts before its seed and behind it.
const WRITTEN: [&str; 2] = ["# Written by `keller demo --seed ", "`."];

/// The largest size of a scenario that may be one of a demo, bytes.
const MAX_SCENARIO: u64 = 1 << 16;

/// The files that the paths are found from: their names and their contents.
fn texts(seed: u64) -> [(&'static str, String); 4] {
    let district = District::new(seed);
    [
        ("district.obj", district.obj()),
        ("district.mtl", District::mtl()),
        ("rx.csv", district.rx_csv()),
        (SCENARIO, scenario_text(&district, seed)),
    ]
}

/// Fails if the folder has a file that would be replaced, unless all that is there is a demo that nobody has changed.
fn check(folder: &Path) -> Result<(), Failure> {
    let is_there = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    let foreign = if let Some(seed) = seed_of(&folder.join(SCENARIO)) {
        // Results are replaced with the scenario that they are of.
        let mut texts = texts(seed).into_iter();
        let changed = texts.find(|(name, text)| is_there(name) && !has(folder, name, text));
        changed.map(|(name, _)| name)
    } else {
        let inputs = [SCENARIO, "rx.csv", "district.obj", "district.mtl"];
        inputs
            .into_iter()
            .chain(RESULTS)
            .find(|name| is_there(name))
    };
    match foreign {
        None => Ok(()),
        Some(name) => Err(Failure::Input(format!(
            "{}: it is there and not as `keller demo` wrote it, so it is not replaced; accepted: another folder with -o",
            folder.join(name).display()
        ))),
    }
}

/// The seed that the first line of a scenario names.
fn seed_of(scenario: &Path) -> Option<u64> {
    let facts = fs::metadata(scenario).ok()?;
    if !facts.is_file() || facts.len() > MAX_SCENARIO {
        return None;
    }
    let text = keller_geo::input::read_to_string(scenario).ok()?;
    let rest = text.strip_prefix(WRITTEN[0])?;
    rest.split_once(WRITTEN[1])?.0.parse().ok()
}

/// Whether a file is this text.
fn has(folder: &Path, name: &str, text: &str) -> bool {
    let file = folder.join(name);
    // Only files of the right size are read.
    let is_as_long =
        fs::metadata(&file).is_ok_and(|facts| facts.is_file() && facts.len() == text.len() as u64);
    is_as_long && keller_geo::input::read(&file).is_ok_and(|found| found == text.as_bytes())
}

fn find(
    scenario: Scenario,
    args: &DemoArgs,
    progress: &Arc<Progress>,
) -> Result<(Arc<Job>, Vec<PathRow>, Summary), Failure> {
    let out = args.out.join("paths.csv");
    let file = TableFile::create(&out).map_err(|e| Failure::Input(e.to_string()))?;
    let map = picture(Some(&args.out.join("map.png")))?;
    let job = prepare(scenario, &args.machine, &Outputs::default(), progress)?;
    let mut table: PathTable<'_> = file.begin(&job.about())?;
    let mut drawn = MapPaths::new(false);
    let mut rows = Vec::new();
    let mut summary = Summary::new(&job);
    each_block(&mut job.paths(&PathRunOptions::default())?, |block| {
        summary.add(block);
        pictures::add_paths(&mut drawn, &job, block);
        write_rows(&job, block, progress, |row| {
            rows.push(row.clone());
            Ok(table.write(row)?)
        })
    })?;
    progress.report(RunStage::Write, 1.0);
    table.finish()?;
    if let Some(map) = map {
        pictures::map(map, &job, drawn)?;
    }
    summary.clock = progress.clock();
    Ok((job, rows, summary))
}

/// The scenario of a district, as a user would write it.
fn scenario_text(district: &District, seed: u64) -> String {
    let [x, y, z] = district.tx;
    let [before, after] = WRITTEN;
    format!(
        r#"{before}{seed}{after} Change it and run `keller paths scenario.toml -o paths.csv`.
frequency_hz = 3.5e9

[scene]
file = "district.obj"

# Materials that are not here are taken by their names from ITU-R P.2040, as half spaces: nothing passes through them.
[materials.brick]
itu = "brick"
thickness = 0.24

[materials.glass]               # double glazing
layers = [
    {{ itu = "glass", thickness = 0.006 }},
    {{ permittivity = 1.0, thickness = 0.016 }},
    {{ itu = "glass", thickness = 0.006 }},
]

[materials.roof]
permittivity = 4.2
conductivity = 0.05

[[tx]]
name = "mast"
position = [{x:?}, {y:?}, {z:?}]

[[rx]]
file = "rx.csv"

[paths]
max_interactions = 3
max_reflections = 3
max_diffractions = 1
max_transmissions = 2
power_threshold_db = -160
"#
    )
}

/// The paths as lines, to be opened together with `district.obj`: one object a receiver.
fn lines_obj(rows: &[PathRow], job: &Job) -> String {
    let (scenario, positions) = (&job.scenario, &job.positions);
    let mut obj = String::from("# x east, y north, z up, metres\n");
    let mut count = 0;
    for paths in rows.chunk_by(|a, b| a.rx == b.rx) {
        let number = paths[0].rx as usize;
        let rx = positions.rx[number];
        let name = &scenario.receivers.rx[number].name;
        let name = name.as_deref().unwrap_or("receiver").replace(' ', "_");
        // A String takes everything.
        writeln!(obj, "o rx_{}_{name}", paths[0].rx).ok();
        for path in paths {
            let tx = positions.tx[path.tx as usize];
            let first = count + 1;
            for p in [tx].iter().chain(&path.points).chain([&rx]) {
                writeln!(obj, "v {:?} {:?} {:?}", p.x, p.y, p.z).ok();
                count += 1;
            }
            let line: Vec<String> = (first..=count).map(|i| i.to_string()).collect();
            writeln!(obj, "l {}", line.join(" ")).ok();
        }
    }
    obj
}

/// The strongest paths of a few receivers, and where everything is.
fn show(rows: &[PathRow], scenario: &Scenario, folder: &Path) -> Result<(), Failure> {
    let reached: Vec<&[PathRow]> = rows.chunk_by(|a, b| a.rx == b.rx).collect();
    let step = reached.len().div_ceil(SHOWN_RX).max(1);
    let mut cells = Vec::new();
    for paths in reached.iter().step_by(step) {
        let mut strongest: Vec<&PathRow> = paths.iter().collect();
        strongest.sort_by(|a, b| b.gain_db.total_cmp(&a.gain_db));
        for path in strongest.into_iter().take(SHOWN_PATHS) {
            let rx = &scenario.receivers.rx[path.rx as usize];
            let name = rx.name.as_deref().unwrap_or_default().to_owned();
            cells.push([vec![name], path_cells(path)].concat());
        }
    }
    let header = [&["receiver "], &PATH_HEADER[..]].concat();
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "The strongest paths of a few receivers:\n")?;
    write_table(&mut out, &header, &cells)?;
    let folder = folder.display();
    writeln!(
        out,
        "\n{folder}/paths.csv      all {} paths\n\
         {folder}/map.png        a plan of the town with its paths\n\
         {folder}/paths.obj      the paths as lines, for Blender or MeshLab beside district.obj\n\
         {folder}/scenario.toml  run it again: keller paths {folder}/scenario.toml -o {folder}/paths.csv\n\n\
         See it in the browser: keller view {folder}/scenario.toml {folder}/paths.csv",
        rows.len()
    )?;
    out.flush()?;
    Ok(())
}

fn write_file(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text)
        .map_err(|error| Failure::System(format!("{}: cannot be written: {error}", file.display())))
}
