//! `keller batch`: a result computed by many workers.

mod collect;
mod run;
mod slurm;
mod status;
mod verify;

use std::io::{self, Write};

use keller_run::{Batch, PlanOptions, plan_batch};
use serde_json::json;

use crate::args::{BatchArgs, BatchCommand, BatchPlanArgs};
use crate::failure::Failure;
use crate::messages::summarize;
use crate::progress::Progress;

pub(crate) fn run(args: &BatchArgs) -> Result<(), Failure> {
    match &args.command {
        BatchCommand::Plan(args) => plan(args),
        BatchCommand::Run(args) => run::run(args),
        BatchCommand::Collect(args) => collect::run(args),
        BatchCommand::Status(args) => status::run(args),
        BatchCommand::Verify(args) => verify::run(args),
        BatchCommand::Slurm(args) => slurm::run(args),
    }
}

fn plan(args: &BatchPlanArgs) -> Result<(), Failure> {
    let options = PlanOptions {
        result: args.result.map(|result| result.name().to_owned()),
        unit_size: args.unit_size.map(|size| size as usize),
        has_rays: args.rays,
    };
    let progress = Progress::new();
    let batch = plan_batch(&args.scenario, &args.out, &options, progress.clone())?;
    progress.clear();
    let (plan, store) = (batch.plan(), args.out.display());
    let done = batch.store().finished()?.count();
    if args.json {
        let summary = json!({
            "units": plan.units.len(),
            "finished": done,
            "command": plan.kind.command(),
            "hash": plan.hash,
        });
        writeln!(io::stdout().lock(), "{summary:#}")?;
    }
    let of = match plan.variants().len() {
        0 => String::new(),
        count => format!(" of {count} variants"),
    };
    summarize!(
        "{} units{of}, {done} of them there, such as unit 0: {}",
        plan.units.len(),
        first(&batch)
    );
    summarize!(
        "compute them with `keller batch run {store}`, on as many machines as you like with --shard I/N; then"
    );
    summarize!(
        "`keller batch collect {store} -o RESULT` writes what `keller {} -o RESULT` would",
        plan.kind.command()
    );
    Ok(())
}

fn first(batch: &Batch) -> String {
    if batch.plan().units.is_empty() {
        "none".to_owned()
    } else {
        batch.describe(0)
    }
}

/// Ascending numbers as ranges: 0-3,7.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|a, b| a + 1 == *b);
    let runs = runs.map(|run| match run {
        [one] => one.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    });
    runs.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 7, 9, 10]), "0-2,7,9-10");
        assert_eq!(ranges(&[]), "");
    }
}
