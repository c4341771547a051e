//! `keller batch run`: computes units.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use keller_run::{Batch, Event, Observer, RunStage, UnitDone};
use serde_json::json;

use crate::args::BatchRunArgs;
use crate::ending;
use crate::failure::Failure;
use crate::job::{ended, used};
use crate::memory;
use crate::messages::summarize;
use crate::progress::Progress;
use crate::summary::Workers;

pub(super) fn run(args: &BatchRunArgs) -> Result<(), Failure> {
    let progress = Progress::new();
    let quiet = Arc::new(OfUnits(Arc::clone(&progress)));
    let batch = Batch::open(&args.store, args.scenario.as_deref(), quiet)?;
    let mut batch = batch.on(used(&args.machine)?);
    let wanted = wanted(args, batch.plan().units.len())?;
    let store = args.store.display().to_string();
    ending::keep(format!("finished units are kept in {store}"));
    let is_seen = io::stderr().is_terminal();
    let (mut new, mut seconds) = (Vec::new(), Vec::new());
    let names: Vec<String> = wanted
        .iter()
        .map(|number| batch.describe(*number))
        .collect();
    let mut done = 0;
    progress.report(RunStage::Batch, 0.0);
    let ran = batch.run_missing(&wanted, &mut |unit: &UnitDone| {
        if unit.is_new {
            new.push(unit.number);
            seconds.push(unit.seconds);
            // A log has a line for each unit; a terminal has the bar.
            if !is_seen {
                summarize!(
                    "unit {}: {}, {:.3} s",
                    unit.number,
                    names[done],
                    unit.seconds
                );
            }
        }
        done += 1;
        progress.report(RunStage::Batch, done as f64 / wanted.len() as f64);
    });
    if let Err(error) = ran {
        progress.clear();
        let kept = format!(
            "{} new units are kept in {store}; the same command goes on with the others",
            new.len()
        );
        return Err(ended(error, Some(kept)));
    }
    let clock = progress.clock();
    progress.clear();
    let total: f64 = seconds.iter().sum();
    if args.json {
        let summary = json!({
            "asked_for": wanted.len(),
            "computed": new,
            "unit_seconds": seconds,
            "seconds": clock.json(),
            "peak_memory_bytes": memory::peak(),
            "threads": rayon::current_num_threads(),
        });
        writeln!(io::stdout().lock(), "{summary:#}")?;
    }
    let longest = seconds.iter().copied().fold(0.0, f64::max);
    let mean = total / seconds.len().max(1) as f64;
    let others = if new.len() < wanted.len() {
        ", the others were there"
    } else {
        ""
    };
    summarize!(
        "{} of {} units computed{others}; {mean:.3} s a unit, {longest:.3} s the longest; {clock}; {}",
        new.len(),
        wanted.len(),
        Workers::threads()
    );
    Ok(())
}

/// The units that are asked for.
fn wanted(args: &BatchRunArgs, count: usize) -> Result<Vec<usize>, Failure> {
    if let Some(shard) = args.shard {
        return Ok((shard.first..count).step_by(shard.count).collect());
    }
    if args.only.is_empty() {
        return Ok((0..count).collect());
    }
    let mut all: Vec<usize> = Vec::new();
    for units in &args.only {
        if units.end > count {
            return Err(Failure::Input(format!(
                "--only {}-{}: the plan has {count} units; accepted: numbers from 0 to {}",
                units.start,
                units.end - 1,
                count.saturating_sub(1)
            )));
        }
        all.extend(units.clone());
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Shows how many units are done, instead of how far each is.
struct OfUnits(Arc<Progress>);

impl Observer for OfUnits {
    fn tell(&self, event: Event) {
        let is_before = |stage: &RunStage| matches!(stage, RunStage::Import | RunStage::Scene);
        match &event {
            Event::Progress(stage, _) if !is_before(stage) => {}
            _ => self.0.tell(event),
        }
    }

    fn cancelled(&self) -> Option<&AtomicBool> {
        self.0.cancelled()
    }

    fn memory_left(&self) -> u64 {
        self.0.memory_left()
    }

    fn takes_memory(&self, what: Option<&str>) {
        self.0.takes_memory(what);
    }

    fn ran_short(&self) -> bool {
        self.0.ran_short()
    }

    fn out_of_memory(&self) -> String {
        self.0.out_of_memory()
    }
}
