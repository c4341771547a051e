//! What a run came to: paths, receivers reached, time per stage, memory.

use std::fmt;
use std::time::{Duration, Instant};

use keller::paths::Search;
use serde_json::json;

use crate::memory;

/// The stages of a run, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Import,
    Assemble,
    Scene,
    Search,
    Connect,
    Diffract,
    Scatter,
    Coverage,
    Visibility,
    Field,
    Write,
}

impl Stage {
    pub(crate) const ALL: [Self; 11] = [
        Self::Import,
        Self::Assemble,
        Self::Scene,
        Self::Search,
        Self::Connect,
        Self::Diffract,
        Self::Scatter,
        Self::Coverage,
        Self::Visibility,
        Self::Field,
        Self::Write,
    ];

    /// Its name in summaries and beside the progress bar.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Assemble => "assemble",
            Self::Scene => "scene",
            Self::Search => "search",
            Self::Connect => "solve",
            Self::Diffract => "diffract",
            Self::Scatter => "scatter",
            Self::Coverage => "coverage",
            Self::Visibility => "visibility",
            Self::Field => "field",
            Self::Write => "write",
        }
    }
}

/// Adds up the time that each stage takes.
#[derive(Debug, Clone)]
pub(crate) struct Clock {
    start: Instant,
    spent: [Duration; Stage::ALL.len()],
    running: Option<(Stage, Instant)>,
}

impl Clock {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            spent: Default::default(),
            running: None,
        }
    }

    /// From now on time counts for `stage`; says whether it did not before.
    pub(crate) fn enter(&mut self, stage: Stage) -> bool {
        if self.running.is_some_and(|(running, _)| running == stage) {
            return false;
        }
        self.stop();
        self.running = Some((stage, Instant::now()));
        true
    }

    /// From now on time counts for no stage.
    pub(crate) fn stop(&mut self) {
        if let Some((stage, since)) = self.running.take() {
            self.spent[stage as usize] += since.elapsed();
        }
    }
}

impl Clock {
    /// Seconds by stage.
    pub(crate) fn json(&self) -> serde_json::Value {
        let of = |stage: &Stage| {
            let spent = self.spent[*stage as usize].as_secs_f64();
            (stage.name().to_owned(), spent.into())
        };
        let total = (
            "total".to_owned(),
            self.start.elapsed().as_secs_f64().into(),
        );
        let seconds: serde_json::Map<_, _> = Stage::ALL.iter().map(of).chain([total]).collect();
        seconds.into()
    }
}

/// The stages that took time, all together, and the most memory that was used.
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for stage in Stage::ALL {
            let spent = self.spent[stage as usize];
            if !spent.is_zero() {
                write!(f, "{} {:.3} s, ", stage.name(), spent.as_secs_f64())?;
            }
        }
        write!(f, "in all {:.3} s;", self.start.elapsed().as_secs_f64())?;
        if let Some(bytes) = memory::peak() {
            write!(f, " {} MB at most;", bytes / 1_000_000)?;
        }
        Ok(())
    }
}

/// What a run came to.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    pub(crate) search: Search,
    pub(crate) num_paths: usize,
    pub(crate) num_rx: usize,
    /// Receivers with one path or more.
    pub(crate) num_reached: usize,
    pub(crate) threads: usize,
    pub(crate) clock: Clock,
}

impl Summary {
    pub(crate) fn json(&self) -> serde_json::Value {
        json!({
            "paths": self.num_paths,
            "search": self.search.name(),
            "receivers": self.num_rx,
            "receivers_reached": self.num_reached,
            "seconds": self.clock.json(),
            "peak_memory_bytes": memory::peak(),
            "threads": self.threads,
        })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (paths, reached, rx) = (self.num_paths, self.num_reached, self.num_rx);
        let plural = if paths == 1 { "" } else { "s" };
        write!(
            f,
            "{paths} path{plural} (search {}), {reached} of {rx} receivers reached;",
            self.search.name()
        )?;
        write!(f, " {}", self.clock)?;
        let plural = if self.threads == 1 { "" } else { "s" };
        write!(f, " {} thread{plural}", self.threads)
    }
}
