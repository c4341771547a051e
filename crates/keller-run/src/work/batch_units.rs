//! The units that others have finished.

use std::path::Path;

use keller_io::store::{BatchStore, Part, Unit};

use crate::Error;

/// The units of a job in the store of a batch.
#[derive(Debug)]
pub(crate) struct BatchUnits {
    store: BatchStore,
    family: usize,
}

impl BatchUnits {
    /// The units of a family of the plan.
    pub(crate) fn new(store: BatchStore, family: usize) -> Self {
        Self { store, family }
    }

    /// For each unit, whether it is there.
    pub(crate) fn are_there(&self) -> Result<Vec<bool>, Error> {
        let finished = self.store.finished()?;
        Ok(self
            .units()
            .map(|(number, _)| finished.units[number])
            .collect())
    }

    /// Each with its number.
    pub(crate) fn units(&self) -> impl Iterator<Item = (usize, &Unit)> {
        let numbered = self.store.plan().units.iter().enumerate();
        numbered.filter(|(_, unit)| unit.family == self.family)
    }

    /// The name of the store.
    pub(crate) fn name(&self) -> &Path {
        self.store.name()
    }

    /// The parts of a unit, if they are there and whole.
    pub(crate) fn get(&self, number: usize) -> Result<Option<Vec<Part>>, Error> {
        Ok(self.store.get(number)?)
    }

    /// Adds a unit.
    pub(crate) fn put(&self, number: usize, parts: &[Part]) -> Result<(), Error> {
        Ok(self.store.put(number, parts)?)
    }
}
