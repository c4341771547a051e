//! The copy of an index on a device, and what became of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use keller::geometry::bvh::DeviceFailed;

use crate::Error;
use crate::opened::Opened;
use crate::tree::Tree;

/// What is told of a failure.
pub(crate) type Warn = Box<dyn Fn(Error) + Send + Sync>;

/// The copy of an index.
pub(crate) struct Copy {
    pub(crate) gpu: Arc<Opened>,
    pub(crate) tree: Tree,
    /// Until it has been told.
    warn: Mutex<Option<Warn>>,
    /// Whether it has seen otherwise than the processor.
    is_refused: AtomicBool,
}

impl Copy {
    pub(crate) fn new(gpu: &Arc<Opened>, tree: Tree) -> Self {
        Self {
            gpu: Arc::clone(gpu),
            tree,
            warn: Mutex::new(None),
            is_refused: AtomicBool::new(false),
        }
    }

    /// From now on failures are told.
    pub(crate) fn tell_to(&self, warn: Warn) {
        *self.warn.lock().unwrap_or_else(PoisonError::into_inner) = Some(warn);
    }

    /// Whether it may still be asked which points see each other.
    pub(crate) fn sees(&self) -> bool {
        self.gpu.failure().is_none() && !self.is_refused.load(Ordering::Relaxed)
    }

    /// It has seen otherwise than the processor from so many points.
    pub(crate) fn refuse(&self, wrong: usize, of: usize) {
        self.is_refused.store(true, Ordering::Relaxed);
        self.tell(Error::WrongSight {
            name: self.gpu.name.clone(),
            wrong,
            of,
        });
    }

    /// Tells why the device can be used no more, once.
    pub(crate) fn tell(&self, error: Error) {
        let warn = self
            .warn
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(warn) = warn {
            warn(error);
        }
    }

    /// Tells that the device has failed.
    pub(crate) fn failed(&self) -> DeviceFailed {
        self.tell(self.failure());
        DeviceFailed
    }

    pub(crate) fn failure(&self) -> Error {
        let known = self.gpu.failure();
        known.unwrap_or_else(|| self.gpu.failed("it did not answer a batch"))
    }
}
