//! Observers of a run: they receive its progress, may stop it, and limit its memory.

use std::sync::atomic::AtomicBool;

use keller::Control;

/// The stages of a run, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStage {
    /// Scene files are read.
    Import,
    /// Maps are assembled to a scene.
    Assemble,
    /// Triangles become faces and edges.
    Scene,
    /// Sequences are proposed.
    Search,
    /// Reflections are solved.
    Connect,
    /// Diffractions are solved.
    Diffract,
    /// Scattering is solved.
    Scatter,
    /// Cells or surfaces are filled.
    Coverage,
    /// Visibility between tiles is computed.
    Visibility,
    /// Diffuse power is exchanged between walls, and received.
    Diffuse,
    /// Fields are computed along paths.
    Field,
    /// Parameters are searched for.
    Calibration,
    /// Units of a batch are computed.
    Batch,
    /// Results are written.
    Write,
}

impl RunStage {
    /// Every stage, in order.
    pub const ALL: [Self; 14] = [
        Self::Import,
        Self::Assemble,
        Self::Scene,
        Self::Search,
        Self::Connect,
        Self::Diffract,
        Self::Scatter,
        Self::Coverage,
        Self::Visibility,
        Self::Diffuse,
        Self::Field,
        Self::Calibration,
        Self::Batch,
        Self::Write,
    ];

    /// Its name in summaries and at a progress bar.
    pub fn name(self) -> &'static str {
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
            Self::Diffuse => "diffuse",
            Self::Field => "field",
            Self::Calibration => "calibration",
            Self::Batch => "batch",
            Self::Write => "write",
        }
    }
}

impl From<keller::Stage> for RunStage {
    fn from(stage: keller::Stage) -> Self {
        match stage {
            keller::Stage::Scene => Self::Scene,
            keller::Stage::Search => Self::Search,
            keller::Stage::Connect => Self::Connect,
            keller::Stage::Diffract => Self::Diffract,
            keller::Stage::Scatter => Self::Scatter,
            keller::Stage::Coverage => Self::Coverage,
            keller::Stage::Visibility => Self::Visibility,
            keller::Stage::Diffuse => Self::Diffuse,
            keller::Stage::Calibration => Self::Calibration,
        }
    }
}

/// An event in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The share of a stage that is done, 0 to 1.
    Progress(RunStage, f64),
    /// A message: something in the scenario looks wrong, but the run goes on.
    Warning(String),
    /// A message about a choice of the run where the scenario left it open.
    Note(String),
    /// A message about the results that are kept if the run goes no further, and how to resume.
    Kept(String),
}

/// Watches a run. Every method has a default, so `()` is an observer that ignores everything and never stops a run.
///
/// Methods are called from any thread.
pub trait Observer: Send + Sync {
    /// Called for every event.
    fn tell(&self, _event: Event) {}

    /// A flag that stops the run when it is set.
    fn cancelled(&self) -> Option<&AtomicBool> {
        None
    }

    /// The number of bytes that the next block of results may take.
    fn memory_left(&self) -> u64 {
        1 << 30
    }

    /// Announces that the work described by `what` takes the memory from now on and can do with less: when memory runs
    /// short, set [`Self::cancelled`]. `None` ends this.
    fn takes_memory(&self, _what: Option<&str>) {}

    /// Called after the flag was set: whether it was set because memory ran short. If so, clear the flag; the run goes
    /// on with smaller blocks.
    fn ran_short(&self) -> bool {
        false
    }

    /// The text of the error if even the smallest block needs too much memory.
    fn out_of_memory(&self) -> String {
        "not enough memory for the smallest block of results".to_owned()
    }
}

impl Observer for () {}

/// Methods by which runs report to their observers.
pub(crate) trait Tell {
    fn warn(&self, message: impl Into<String>);
    fn note(&self, message: impl Into<String>);
    fn report(&self, stage: RunStage, done: f64);
    /// Fails if the run must stop.
    fn check(&self) -> Result<(), crate::Error>;
    /// The result of `work`, whose progress is reported stage by stage.
    fn watch<T>(&self, work: impl FnOnce(&Control<'_>) -> T) -> T {
        self.watch_as(|stage, done| (stage.into(), done), work)
    }
    /// The same, with stages and shares converted by `told`.
    fn watch_as<T>(
        &self,
        told: impl Fn(keller::Stage, f64) -> (RunStage, f64) + Sync,
        work: impl FnOnce(&Control<'_>) -> T,
    ) -> T;
}

impl Tell for dyn Observer + '_ {
    fn warn(&self, message: impl Into<String>) {
        self.tell(Event::Warning(message.into()));
    }

    fn note(&self, message: impl Into<String>) {
        self.tell(Event::Note(message.into()));
    }

    fn report(&self, stage: RunStage, done: f64) {
        self.tell(Event::Progress(stage, done));
    }

    fn check(&self) -> Result<(), crate::Error> {
        let is_set = |flag: &AtomicBool| flag.load(std::sync::atomic::Ordering::Relaxed);
        if self.cancelled().is_some_and(is_set) {
            Err(crate::Error::Stopped)
        } else {
            Ok(())
        }
    }

    fn watch_as<T>(
        &self,
        told: impl Fn(keller::Stage, f64) -> (RunStage, f64) + Sync,
        work: impl FnOnce(&Control<'_>) -> T,
    ) -> T {
        let report = |stage, done| {
            let (stage, done) = told(stage, done);
            self.report(stage, done);
        };
        work(&Control {
            cancelled: self.cancelled(),
            progress: Some(&report),
        })
    }
}
