//! `keller paths`: every path of a scenario as a table.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use keller_io::plot::MapPaths;
use keller_io::scenario::Scenario;
use keller_io::table::{PathRow, PathTable, TableFile};
use keller_run::{Job, PathBlock, PathBlocks, PathOptions, Stage};

use crate::args::PathsArgs;
use crate::ending;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job::{ended, prepare};
use crate::pictures::{self, picture};
use crate::progress::Progress;
use crate::report::{PATH_HEADER, path_cells, write_table};
use crate::summary::Summary;

pub(crate) fn run(args: &PathsArgs) -> Result<(), Failure> {
    let mut scenario = Scenario::load(&args.scenario)?;
    args.search.overrule(&mut scenario);
    let outputs = Outputs::default()
        .with("-o", args.out.as_deref())
        .with("--map", args.map.as_deref())
        .with_part();
    outputs.check(scenario.inputs())?;
    outputs.check_resume(args.resume)?;
    let map = picture(args.map.as_deref())?;
    let progress = Progress::new();
    let mut stdout = BufWriter::new(io::stdout().lock());
    // Opened first: who cannot have the result should not wait for it.
    let file = args.out.as_deref().map(TableFile::create).transpose();
    let file = file.map_err(|error| Failure::Input(error.to_string()))?;

    let job = prepare(scenario, args.machine, &outputs, &progress)?;
    let about = job.about();
    let mut table = match file {
        Some(file) => Some(file.begin(&about)?),
        None if args.json => {
            let stdout = BufWriter::new(io::stdout());
            Some(PathTable::json(stdout, "standard output", &about)?)
        }
        None => None,
    };
    let mut drawn = map.is_some().then(|| MapPaths::new(args.all_paths));
    let mut cells = Vec::new();
    let mut blocks = job.paths(&PathOptions {
        part: outputs.part(),
        resume: args.resume,
        ..PathOptions::default()
    })?;
    let mut summary = Summary::new(&job);
    each_block(&mut blocks, |block| {
        summary.add(block);
        write_rows(&job, block, &progress, |row| {
            if let Some(table) = &mut table {
                table.write(row)?;
            } else {
                cells.push(path_cells(row));
            }
            Ok(())
        })?;
        if let Some(drawn) = &mut drawn {
            pictures::add_paths(drawn, &job, block);
        }
        Ok(())
    })?;
    progress.report(Stage::Write, 1.0);
    if let Some(table) = table {
        table.finish()?;
    }
    if let (Some(map), Some(drawn)) = (map, drawn) {
        pictures::map(map, &job, drawn)?;
    }
    summary.clock = progress.clock();

    progress.clear();
    if args.out.is_none() && !args.json {
        write_table(&mut stdout, &PATH_HEADER, &cells)?;
    }
    if args.out.is_some() && args.json {
        writeln!(stdout, "{:#}", summary.json())?;
    }
    stdout.flush()?;
    blocks.finish()?;
    eprintln!("{summary}");
    Ok(())
}

/// Shows every block to `take`, and remembers what is kept should the program end in between.
pub(super) fn each_block(
    blocks: &mut PathBlocks,
    mut take: impl FnMut(&PathBlock) -> Result<(), Failure>,
) -> Result<(), Failure> {
    while let Some(block) = blocks.next() {
        let block = block.map_err(|error| ended(error, blocks.kept()))?;
        if let Some(kept) = blocks.kept() {
            ending::keep(kept);
        }
        take(&block)?;
    }
    Ok(())
}

/// Gives the rows of a block to `write`.
pub(super) fn write_rows(
    job: &Arc<Job>,
    block: &PathBlock,
    progress: &Progress,
    mut write: impl FnMut(&PathRow) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let rows = job.path_rows(block);
    progress.report(Stage::Write, 0.0);
    rows.iter().try_for_each(&mut write)
}
