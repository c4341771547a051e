//! How a caller watches and stops long work.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::Error;

/// Progress out, cancellation in. The default does neither.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Work stops soon after this becomes true.
    pub cancelled: Option<&'a AtomicBool>,
    /// Called now and then, from any thread, with the stage and how much of it is done, 0 to 1.
    pub progress: Option<&'a (dyn Fn(Stage, f64) + Sync)>,
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// Proposing sequences.
    Search,
    /// Turning sequences into exact paths.
    Connect,
    /// The same for paths with diffractions, which are looked for from every receiver.
    Diffract,
    /// The same for paths that are scattered diffusely.
    Scatter,
    /// Filling the cells of a region.
    Coverage,
    /// Finding out which tiles see which.
    Visibility,
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

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control")
            .field("cancelled", &self.is_cancelled())
            .finish_non_exhaustive()
    }
}
