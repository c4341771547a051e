//! The copy of an index on a device, and its failures.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use keller::geometry::bvh::AcceleratorFailed;

use super::opened::Opened;
use super::tree::Tree;
use crate::Error;

/// A function that takes a failure.
pub(crate) type Warn = Box<dyn Fn(Error) + Send + Sync>;

/// The copy of an index.
pub(crate) struct IndexCopy {
    pub(crate) gpu: Arc<Opened>,
    pub(crate) tree: Tree,
    /// The function that takes the first failure, until it has been called.
    warn: Mutex<Option<Warn>>,
    /// Whether it is not asked any more which points see each other.
    is_blind: AtomicBool,
}

impl IndexCopy {
    pub(crate) fn new(gpu: &Arc<Opened>, tree: Tree) -> Self {
        Self {
            gpu: Arc::clone(gpu),
            tree,
            warn: Mutex::new(None),
            is_blind: AtomicBool::new(false),
        }
    }

    /// Reports failures to `warn` from now on.
    pub(crate) fn report_to(&self, warn: Warn) {
        *self.warn.lock().unwrap_or_else(PoisonError::into_inner) = Some(warn);
    }

    /// Whether it may still be asked which points see each other.
    pub(crate) fn sees(&self) -> bool {
        self.gpu.failure().is_none() && !self.is_blind.load(Ordering::Relaxed)
    }

    /// It is not asked any more which points see each other, and this is why.
    pub(crate) fn see_no_more(&self, error: Error) {
        self.is_blind.store(true, Ordering::Relaxed);
        self.report(error);
    }

    /// Reports why the device can no longer be used; only the first reason.
    fn report(&self, error: Error) {
        let warn = self
            .warn
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(warn) = warn {
            warn(error);
        }
    }

    /// Reports that the card has failed.
    pub(crate) fn failed(&self) -> AcceleratorFailed {
        self.report(self.failure());
        AcceleratorFailed
    }

    pub(crate) fn failure(&self) -> Error {
        let known = self.gpu.failure();
        known.unwrap_or_else(|| self.gpu.failed("it did not answer a batch"))
    }
}
