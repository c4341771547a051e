//! Summarises a run: paths, receivers reached, time per stage, memory.

use std::fmt;
use std::time::{Duration, Instant};

use keller::paths::Search;
use keller_io::scenario::LeftOut;
use keller_run::{Job, PathBlock, RunStage};
use serde_json::json;

use crate::memory;

/// Adds up the time that each stage takes.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    start: Instant,
    spent: [Duration; RunStage::ALL.len()],
    running: Option<(RunStage, Instant)>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            spent: Default::default(),
            running: None,
        }
    }

    /// Counts time for `stage` from now on; says whether it did not before.
    pub(crate) fn enter(&mut self, stage: RunStage) -> bool {
        if self.running.is_some_and(|(running, _)| running == stage) {
            return false;
        }
        self.stop();
        self.running = Some((stage, Instant::now()));
        true
    }

    /// Counts time for no stage from now on.
    pub(crate) fn stop(&mut self) {
        if let Some((stage, since)) = self.running.take() {
            self.spent[stage as usize] += since.elapsed();
        }
    }
}

impl Clock {
    /// Seconds by stage.
    pub(crate) fn json(&self) -> serde_json::Value {
        let of = |stage: &RunStage| {
            let spent = self.spent[*stage as usize].as_secs_f64();
            (stage.name().to_owned(), spent.into())
        };
        let total = (
            "total".to_owned(),
            self.start.elapsed().as_secs_f64().into(),
        );
        let seconds: serde_json::Map<_, _> = RunStage::ALL.iter().map(of).chain([total]).collect();
        seconds.into()
    }
}

/// The stages that took time, all together, and the largest memory that was used.
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for stage in RunStage::ALL {
            let spent = self.spent[stage as usize];
            if !spent.is_zero() {
                write!(f, "{} {:.3} s, ", stage.name(), spent.as_secs_f64())?;
            }
        }
        write!(f, "in all {:.3} s", self.start.elapsed().as_secs_f64())?;
        if let Some(bytes) = memory::peak() {
            write!(f, "; {} MB at most", bytes / 1_000_000)?;
        }
        Ok(())
    }
}

/// The processors and cards that did the work.
#[derive(Debug, Clone)]
pub(crate) struct Workers {
    pub(crate) threads: usize,
    /// The name of the graphics card that traced large batches of rays.
    pub(crate) gpu: Option<String>,
}

impl Workers {
    /// The workers of a job.
    pub(crate) fn of(job: &Job) -> Self {
        Self {
            gpu: job.gpu.as_ref().map(|index| index.name().to_owned()),
            ..Self::threads()
        }
    }

    /// Threads alone.
    pub(crate) fn threads() -> Self {
        Self {
            threads: rayon::current_num_threads(),
            gpu: None,
        }
    }
}

impl fmt::Display for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.threads == 1 { "" } else { "s" };
        write!(f, "{} thread{plural}", self.threads)?;
        match &self.gpu {
            Some(gpu) => write!(f, " and {gpu}"),
            None => Ok(()),
        }
    }
}

/// The summary of a run of paths or channels.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    search: Search,
    num_paths: usize,
    /// Whether each receiver has one of these paths or more.
    is_reached: Vec<bool>,
    /// The receivers of files and grids that have no place.
    left_out: Vec<serde_json::Value>,
    workers: Workers,
    pub(crate) clock: Clock,
}

impl Summary {
    /// The summary of a run that has found nothing yet.
    pub(crate) fn new(job: &Job) -> Self {
        Self {
            search: job.search(),
            num_paths: 0,
            is_reached: vec![false; job.scenario.receivers.rx.len()],
            left_out: left_out(job),
            workers: Workers::of(job),
            clock: Clock::new(),
        }
    }

    /// Adds the paths of a block.
    pub(crate) fn add(&mut self, block: &PathBlock) {
        self.num_paths += block.paths.len();
        for (rx, paths) in block.links() {
            self.is_reached[rx] |= !paths.is_empty();
        }
    }

    fn num_reached(&self) -> usize {
        self.is_reached
            .iter()
            .filter(|is_reached| **is_reached)
            .count()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        json!({
            "paths": self.num_paths,
            "search": self.search.name(),
            "receivers": self.is_reached.len(),
            "receivers_reached": self.num_reached(),
            "receivers_left_out": self.left_out,
            "seconds": self.clock.json(),
            "peak_memory_bytes": memory::peak(),
            "threads": self.workers.threads,
            "gpu": self.workers.gpu,
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (paths, reached, rx) = (self.num_paths, self.num_reached(), self.is_reached.len());
        let plural = if paths == 1 { "" } else { "s" };
        write!(
            f,
            "{paths} path{plural} (search {}), {reached} of {rx} receivers reached",
            self.search.name()
        )?;
        match self.left_out.len() {
            0 => write!(f, ";")?,
            count => write!(f, ", {count} left out;")?,
        }
        write!(f, " {}; {}", self.clock, self.workers)
    }
}

/// The receivers that have no place: their numbers, the rows that they come from, and why.
fn left_out(job: &Job) -> Vec<serde_json::Value> {
    let receivers = &job.scenario.receivers;
    let positions = &job.positions;
    let value = |left_out: &LeftOut| {
        let rx = &receivers.rx[left_out.rx];
        json!({
            "rx": left_out.rx,
            "name": rx.name,
            "file": receivers.groups[rx.group as usize].file,
            "line": rx.line,
            "reason": left_out.reason.name(),
        })
    };
    positions.left_out.iter().map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_clock_says_may_end_a_line() {
        let text = Clock::new().to_string();
        assert!(text.ends_with(char::is_alphabetic), "{text}");
    }
}
