//! Who watches a run: hears how it gets on, may stop it, and says how much memory it may take.

use std::sync::atomic::AtomicBool;

use keller::Control;

/// The stages of a run, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Scene files are read.
    Import,
    /// Maps become a scene.
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
    /// Tiles look at each other.
    Visibility,
    /// Fields are computed along paths.
    Field,
    /// Results are written.
    Write,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: [Self; 11] = [
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

    /// Its name in summaries and beside a progress bar.
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
            Self::Field => "field",
            Self::Write => "write",
        }
    }
}

impl From<keller::Stage> for Stage {
    fn from(stage: keller::Stage) -> Self {
        match stage {
            keller::Stage::Scene => Self::Scene,
            keller::Stage::Search => Self::Search,
            keller::Stage::Connect => Self::Connect,
            keller::Stage::Diffract => Self::Diffract,
            keller::Stage::Scatter => Self::Scatter,
            keller::Stage::Coverage => Self::Coverage,
            keller::Stage::Visibility => Self::Visibility,
        }
    }
}

/// What happens in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// So much of a stage is done, 0 to 1.
    Progress(Stage, f64),
    /// Something about the scenario looks wrong but does not keep it from being run.
    Warning(String),
    /// The run chose something where the scenario left the choice open.
    Note(String),
}

/// Watches a run. Every method has a default, so `()` is an observer that hears nothing and never stops a run.
///
/// Methods are called from any thread.
pub trait Observer: Send + Sync {
    /// Something happened.
    fn tell(&self, _event: Event) {}

    /// A flag that stops the run when it is set.
    fn cancelled(&self) -> Option<&AtomicBool> {
        None
    }

    /// How many bytes the next block of results may take.
    fn memory_left(&self) -> u64 {
        1 << 30
    }

    /// From now on this takes the memory, in words, and can do with less: when memory runs short, set [`Self::cancelled`]. `None`: no longer.
    fn takes_memory(&self, _what: Option<&str>) {}

    /// Asked when the flag was set: whether that was because memory ran short. If so, clear the flag; the run goes on with smaller blocks.
    fn ran_short(&self) -> bool {
        false
    }

    /// The words of the error where even the smallest block is too much.
    fn out_of_memory(&self) -> String {
        "not enough memory for the smallest block of results".to_owned()
    }
}

impl Observer for () {}

/// What runs say to their observers.
pub(crate) trait Tell {
    fn warn(&self, message: impl Into<String>);
    fn note(&self, message: impl Into<String>);
    fn report(&self, stage: Stage, done: f64);
    /// Fails if the run is to stop.
    fn check(&self) -> Result<(), crate::Error>;
    /// What `work` comes to, reported stage by stage.
    fn watch<T>(&self, work: impl FnOnce(&Control<'_>) -> T) -> T {
        self.watch_as(|stage, done| (stage.into(), done), work)
    }
    /// The same, with stages and shares as `told` has them.
    fn watch_as<T>(
        &self,
        told: impl Fn(keller::Stage, f64) -> (Stage, f64) + Sync,
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

    fn report(&self, stage: Stage, done: f64) {
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
        told: impl Fn(keller::Stage, f64) -> (Stage, f64) + Sync,
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
