//! Opens cards.

use std::sync::{Arc, Mutex, PoisonError};

use keller::geometry::bvh::Bvh;

use super::found::adapters;
use super::index::{GpuIndex, Tuning};
use super::opened::Opened;
use crate::Error;
use crate::adapter::{Adapter, Choice, Kind};

/// An open card. It is cheap to clone.
#[derive(Debug, Clone)]
pub struct Gpu(Arc<Opened>);

/// The devices that are open in this program, by their names: opening one takes a while.
static OPEN: Mutex<Vec<(Choice, Gpu)>> = Mutex::new(Vec::new());

impl Gpu {
    /// The card that is meant; none for the processor.
    ///
    /// # Errors
    /// [`Error::NoCard`], [`Error::Unknown`], [`Error::Closed`].
    pub fn open(choice: &Choice) -> Result<Option<Self>, Error> {
        if *choice == Choice::Cpu {
            return Ok(None);
        }
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, gpu)| gpu.0.failure().is_none());
        if let Some((_, gpu)) = open.iter().find(|(asked, _)| asked == choice) {
            return Ok(Some(gpu.clone()));
        }
        let Some(adapter) = choice.among(adapters())? else {
            return Ok(None);
        };
        let gpu = Self::of(&adapter)?;
        open.push((choice.clone(), gpu.clone()));
        Ok(Some(gpu))
    }

    /// A new use of a card.
    ///
    /// # Errors
    /// [`Error::Closed`].
    pub fn of(adapter: &Adapter) -> Result<Self, Error> {
        Ok(Self(Arc::new(Opened::new(adapter)?)))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The kind of the device.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// A copy of an index on the device, whose answers have been compared with those of the processor. `warn` is called
    /// once if the device fails later.
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::TooSmall`], [`Error::Failed`], [`Error::Inexact`].
    pub fn index(
        &self,
        bvh: &Bvh,
        warn: impl Fn(Error) + Send + Sync + 'static,
    ) -> Result<GpuIndex, Error> {
        GpuIndex::new(&self.0, bvh, Tuning::default(), Box::new(warn))
    }

    /// [`Self::index`] with other sizes of batches.
    ///
    /// # Errors
    /// The errors of [`Self::index`].
    pub fn index_with(
        &self,
        bvh: &Bvh,
        tuning: Tuning,
        warn: impl Fn(Error) + Send + Sync + 'static,
    ) -> Result<GpuIndex, Error> {
        GpuIndex::new(&self.0, bvh, tuning, Box::new(warn))
    }

    #[cfg(test)]
    pub(crate) fn opened(&self) -> &Arc<Opened> {
        &self.0
    }

    /// Gives the card up, as if it were lost: batches from now on are left to the processor.
    pub fn lose(&self) {
        self.0.lose();
    }
}
