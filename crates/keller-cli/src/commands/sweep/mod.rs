//! `keller sweep`: a result computed by many workers.

mod collect;
mod run;
mod slurm;
mod status;
mod verify;

use std::io::{self, Write};

use keller_run::{PlanOptions, Sweep, plan_sweep};
use serde_json::json;

use crate::args::{SweepArgs, SweepCommand, SweepPlanArgs};
use crate::failure::Failure;
use crate::messages::summarize;
use crate::progress::Progress;

pub(crate) fn run(args: &SweepArgs) -> Result<(), Failure> {
    match &args.command {
        SweepCommand::Plan(args) => plan(args),
        SweepCommand::Run(args) => run::run(args),
        SweepCommand::Collect(args) => collect::run(args),
        SweepCommand::Status(args) => status::run(args),
        SweepCommand::Verify(args) => verify::run(args),
        SweepCommand::Slurm(args) => slurm::run(args),
    }
}

fn plan(args: &SweepPlanArgs) -> Result<(), Failure> {
    let options = PlanOptions {
        command: args.command.map(|command| command.name().to_owned()),
        items: args.items.map(|items| items as usize),
        has_rays: args.rays,
    };
    let progress = Progress::new();
    let sweep = plan_sweep(&args.scenario, &args.out, &options, progress.clone())?;
    progress.clear();
    let (plan, store) = (sweep.plan(), args.out.display());
    let done = sweep.store().finished()?.count();
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
        first(&sweep)
    );
    summarize!(
        "compute them with `keller sweep run {store}`, on as many machines as you like with --shard I/N; then"
    );
    summarize!(
        "`keller sweep collect {store} -o RESULT` writes what `keller {} -o RESULT` would",
        plan.kind.command()
    );
    Ok(())
}

fn first(sweep: &Sweep) -> String {
    if sweep.plan().units.is_empty() {
        "none".to_owned()
    } else {
        sweep.describe(0)
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
