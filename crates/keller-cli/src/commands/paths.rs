//! `keller paths`: every path of a scenario, as a table or as a file of paths.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use keller_io::formats::OutputError;
use keller_io::reports::plot::MapPaths;
use keller_io::reports::table::{PathRow, PathTable, TableFile};
use keller_io::scenario::Scenario;
use keller_io::store::paths::PathFileWriter;
use keller_run::{Job, PathBlock, PathBlocks, PathEnds, PathRunOptions, RunStage};

use crate::args::PathsArgs;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::job::{ended, kept, prepare};
use crate::messages::summarize;
use crate::pictures::{self, picture};
use crate::progress::Progress;
use crate::report::{PATH_HEADER, path_cells, write_table};
use crate::summary::Summary;

pub(crate) fn run(args: &PathsArgs) -> Result<(), Failure> {
    let mut scenario = Scenario::load(&args.scenario)?;
    args.search.overrule(&mut scenario);
    let outputs = Outputs::default()
        .with("-o", args.out.as_deref())
        .with("--picture", args.picture.as_deref())
        .with_part();
    outputs.check(scenario.inputs().into_iter().chain(args.paths.as_deref()))?;
    outputs.check_resume(args.resume)?;
    let map = picture(args.picture.as_deref())?;
    let progress = Progress::new();
    let mut stdout = BufWriter::new(io::stdout().lock());
    // Opened first: who cannot have the result should not wait for it.
    let file = args.out.as_deref().map(TargetFile::create).transpose();
    let file = file.map_err(|error| Failure::Input(error.to_string()))?;

    let job = prepare(scenario, &args.machine, &outputs, &progress)?;
    let about = job.about();
    let mut target = match file {
        Some(TargetFile::Table(file)) => Target::Table(file.begin(&about)?),
        Some(TargetFile::Paths(mut file)) => {
            file.begin(&job.path_digests(PathEnds::Devices)?, &about)?;
            Target::Paths(file)
        }
        None if args.json => {
            let stdout = BufWriter::new(io::stdout());
            Target::Table(PathTable::json(stdout, "standard output", &about)?)
        }
        None => Target::Text(Vec::new()),
    };
    let mut drawn = map.is_some().then(|| MapPaths::new(args.all_paths));
    let blocks = job.paths(&PathRunOptions {
        from: args.paths.clone(),
        ..PathRunOptions::default()
    })?;
    // Paths that come from a file are kept there already.
    let part = outputs.part().filter(|_| args.paths.is_none());
    let mut blocks = kept(blocks, part, args.resume, args.batch.as_deref())?;
    let mut summary = Summary::new(&job);
    each_block(&mut blocks, |block| {
        summary.add(block);
        match &mut target {
            Target::Text(cells) => write_rows(&job, block, &progress, |row| {
                cells.push(path_cells(row));
                Ok(())
            })?,
            Target::Table(table) => {
                write_rows(&job, block, &progress, |row| Ok(table.write(row)?))?;
            }
            Target::Paths(file) => file.put(block)?,
        }
        if let Some(drawn) = &mut drawn {
            pictures::add_paths(drawn, &job, block);
        }
        Ok(())
    })?;
    progress.report(RunStage::Write, 1.0);
    let mut cells = Vec::new();
    match target {
        Target::Text(rows) => cells = rows,
        Target::Table(table) => table.finish()?,
        Target::Paths(file) => file.finish()?,
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
    summarize!("{summary}");
    Ok(())
}

/// The destination of the result.
enum Target {
    /// A table for people.
    Text(Vec<Vec<String>>),
    /// One row a path.
    Table(PathTable<'static>),
    /// The paths themselves.
    Paths(PathFileWriter),
}

/// A file for the result, with nothing in it yet.
enum TargetFile {
    Table(TableFile),
    Paths(PathFileWriter),
}

impl TargetFile {
    fn create(out: &Path) -> Result<Self, OutputError> {
        let extension = out.extension().unwrap_or_default();
        if extension.eq_ignore_ascii_case("paths") {
            PathFileWriter::create(out).map(Self::Paths)
        } else {
            TableFile::create(out).map(Self::Table)
        }
    }
}

/// Shows every block to `take`.
pub(super) fn each_block(
    blocks: &mut PathBlocks,
    mut take: impl FnMut(&PathBlock) -> Result<(), Failure>,
) -> Result<(), Failure> {
    while let Some(block) = blocks.next() {
        let block = block.map_err(|error| ended(error, blocks.kept()))?;
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
    progress.report(RunStage::Write, 0.0);
    rows.iter().try_for_each(&mut write)
}
