//! `keller paths`: every path of a scenario as a table.

use std::io::{self, BufWriter, Write};

use keller_io::scenario::Scenario;
use keller_io::table::{PathRow, PathTable, TableFile};

use crate::args::PathsArgs;
use crate::ends::Points;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job::{self, Traced};
use crate::pictures::{self, picture};
use crate::progress::Progress;
use crate::report::{PATH_HEADER, path_cells, write_table};
use crate::summary::{Stage, Summary};

pub(crate) fn run(args: &PathsArgs) -> Result<(), Failure> {
    let mut scenario = Scenario::load(&args.scenario)?;
    args.search.overrule(&mut scenario);
    let outputs = Outputs::default()
        .with("-o", args.out.as_deref())
        .with("--map", args.map.as_deref());
    outputs.check(scenario.inputs())?;
    let map = picture(args.map.as_deref())?;
    let progress = Progress::new();
    let mut stdout = BufWriter::new(io::stdout().lock());
    // Opened first: who cannot have the result should not wait for it.
    let file = args.out.as_deref().map(TableFile::create).transpose();
    let file = file.map_err(|error| Failure::Input(error.to_string()))?;

    let traced = job::trace(
        &scenario,
        Points::Devices,
        args.machine,
        &outputs,
        &progress,
    )?;
    let about = job::about(&scenario, traced.georeference.as_ref());
    let table = match file {
        Some(file) => Some(file.begin(&about)?),
        None if args.json => {
            let stdout = BufWriter::new(io::stdout());
            Some(PathTable::json(stdout, "standard output", &about)?)
        }
        None => None,
    };
    let mut rows = Vec::new();
    let mut summary = match table {
        Some(table) => write_to(table, &scenario, &traced, &progress)?,
        None => job::write_rows(&scenario, &traced, &progress, &mut |row: PathRow| {
            rows.push(path_cells(&row));
            Ok(())
        })?,
    };
    if let Some(map) = map {
        pictures::map(map, &scenario, &traced, args.all_paths)?;
    }
    summary.clock = progress.clock();

    progress.clear();
    if args.out.is_none() && !args.json {
        write_table(&mut stdout, &PATH_HEADER, &rows)?;
    }
    if args.out.is_some() && args.json {
        writeln!(stdout, "{:#}", summary.json())?;
    }
    stdout.flush()?;
    eprintln!("{summary}");
    Ok(())
}

/// The rows of all paths into `table`.
fn write_to(
    mut table: PathTable<'_>,
    scenario: &Scenario,
    traced: &Traced,
    progress: &Progress,
) -> Result<Summary, Failure> {
    let summary = job::write_rows(
        scenario,
        traced,
        progress,
        &mut |row| Ok(table.write(&row)?),
    )?;
    progress.report(Stage::Write, 1.0);
    table.finish()?;
    Ok(summary)
}
