//! Takes the fields on surfaces from the store of a sweep.

use std::path::Path;
use std::sync::Arc;

use keller_io::surfaces::FinishedTx;
use keller_io::sweep::{UnitResult, Work};

use super::Sweep;
use crate::{Error, Job};

/// The fields in a store.
#[derive(Debug)]
pub(crate) struct SweptSurfaces {
    sweep: Sweep,
    /// The number of the unit of each Tx.
    units: Vec<usize>,
}

impl SweptSurfaces {
    pub(crate) fn open(place: &Path, job: &Arc<Job>, has_rays: bool) -> Result<Self, Error> {
        let (sweep, _) = Sweep::of_job(place, job, Work::Surfaces, has_rays)?;
        let numbers = sweep.units_of_job().into_iter().map(|(number, _)| number);
        Ok(Self {
            units: numbers.collect(),
            sweep,
        })
    }

    /// The fields on all tiles from a Tx, if they are as `fits` wants; else they are damaged, and computed again.
    pub(crate) fn of_tx(
        &mut self,
        tx: usize,
        fits: impl Fn(&FinishedTx) -> bool,
    ) -> Result<FinishedTx, Error> {
        match self.sweep.take(self.units[tx])? {
            UnitResult::Surfaces(finished) if fits(&finished) => Ok(*finished),
            _ => match self.sweep.run(self.units[tx])? {
                UnitResult::Surfaces(finished) => Ok(*finished),
                _ => unreachable!("units are of the kind that was asked for"),
            },
        }
    }
}
