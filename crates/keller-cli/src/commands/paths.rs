//! `keller paths`: every path of a scenario as a table.

use std::io::{self, BufWriter, Write};

use keller_io::scenario::Scenario;
use keller_io::table::{About, PathRow, PathTable};

use crate::args::PathsArgs;
use crate::failure::Failure;
use crate::job;
use crate::progress::Progress;
use crate::report::{PATH_HEADER, path_cells, write_table};
use crate::summary::{Stage, Summary};

pub(crate) fn run(args: &PathsArgs) -> Result<(), Failure> {
    let mut scenario = Scenario::load(&args.scenario)?;
    args.search.overrule(&mut scenario);
    let about = About {
        scenario: scenario.text.clone(),
    };
    let progress = Progress::new();
    let mut stdout = BufWriter::new(io::stdout().lock());
    let summary = if let Some(out) = &args.out {
        // Opened first: who cannot have the result should not wait for it.
        let table = PathTable::create(out, &about).map_err(|e| Failure::Input(e.to_string()))?;
        let summary = write_to(table, &scenario, args, &progress)?;
        if args.json {
            writeln!(stdout, "{:#}", summary.json())?;
        }
        summary
    } else if args.json {
        let table = PathTable::json(&mut stdout, "standard output", &about)?;
        write_to(table, &scenario, args, &progress)?
    } else {
        let mut rows = Vec::new();
        let summary = job::run(&scenario, args.machine, &progress, &mut |row: PathRow| {
            rows.push(path_cells(&row));
            Ok(())
        })?;
        progress.clear();
        write_table(&mut stdout, &PATH_HEADER, &rows)?;
        summary
    };
    stdout.flush()?;
    progress.clear();
    eprintln!("{summary}");
    Ok(())
}

/// Runs the job into `table`.
fn write_to(
    mut table: PathTable<'_>,
    scenario: &Scenario,
    args: &PathsArgs,
    progress: &Progress,
) -> Result<Summary, Failure> {
    let mut summary = job::run(scenario, args.machine, progress, &mut |row| {
        Ok(table.write(&row)?)
    })?;
    progress.report(Stage::Write, 1.0);
    table.finish()?;
    summary.clock = progress.clock();
    Ok(summary)
}
