//! The caller's control of long work: progress and cancellation.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;

/// Progress out, cancellation in. The default does neither.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Work stops soon after this becomes true.
    pub cancelled: Option<&'a AtomicBool>,
    /// A function that is called now and then, from any thread, with the stage and the share of it that is done, 0 to
    /// 1.
    pub progress: Option<&'a (dyn Fn(Stage, f64) + Sync)>,
}

/// The stage of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Turning triangles into faces and edges.
    Scene,
    /// Proposing sequences.
    Search,
    /// Turning sequences into exact paths.
    Connect,
    /// Connecting paths with diffractions, which are looked for from every receiver.
    Diffract,
    /// Connecting paths that are scattered diffusely.
    Scatter,
    /// Filling the cells of a region.
    Coverage,
    /// Finding the tiles that see each other.
    Visibility,
    /// Exchanging diffuse power between tiles.
    Diffuse,
    /// Searching for the parameters that are nearest to measurements.
    Calibration,
}

impl Control<'_> {
    /// Reports that `done` (0 to 1) of `stage` is done.
    pub fn report(&self, stage: Stage, done: f64) {
        if let Some(progress) = self.progress {
            progress(stage, done);
        }
    }

    /// Whether the caller has asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.is_some_and(|c| c.load(Ordering::Relaxed))
    }

    /// # Errors
    /// [`Error::Cancelled`] if the caller has asked to stop.
    pub fn check(&self) -> Result<(), Error> {
        if self.is_cancelled() {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }
}

/// A part of a stage that goes through many things one after the other: reports and stops now and then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    control: &'a Control<'a>,
    stage: Stage,
    /// The shares of the stage, 0 to 1, at which the part begins and ends.
    from: f64,
    to: f64,
}

impl<'a> Part<'a> {
    /// The number of items from one check to the next: far less than a tenth of a second.
    const STEP: usize = 1 << 12;

    pub(crate) fn new(control: &'a Control<'a>, stage: Stage, from: f64, to: f64) -> Self {
        Self {
            control,
            stage,
            from,
            to,
        }
    }

    /// Checks for cancellation without a report.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the caller has asked to stop.
    pub(crate) fn control_at(&self, index: usize) -> Result<(), Error> {
        if index.is_multiple_of(Self::STEP) {
            self.control.check()?;
        }
        Ok(())
    }

    /// Call this before thing number `index` of `count`.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if the caller has asked to stop.
    pub(crate) fn at(&self, index: usize, count: usize) -> Result<(), Error> {
        if !index.is_multiple_of(Self::STEP) {
            return Ok(());
        }
        self.control.check()?;
        let done = index as f64 / count.max(1) as f64;
        self.control
            .report(self.stage, self.from + (self.to - self.from) * done);
        Ok(())
    }
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}
