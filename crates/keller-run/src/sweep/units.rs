//! The units of a sweep that are those of a run.

use std::path::Path;
use std::sync::Arc;

use keller_io::store::{Kind, SweepStore, Unit};

use super::check::{check, other_state, refused};
use super::jobs;
use crate::observer::Tell;
use crate::{Error, Job};

/// The units of a job in the store of a sweep.
#[derive(Debug)]
pub(crate) struct SweepUnits {
    store: SweepStore,
    family: usize,
}

/// The job of several variants that are computed together, and of each Tx of one of them its number there.
pub(crate) type Together = (Arc<Job>, Vec<usize>);

impl SweepUnits {
    /// Those in the folder `place`, if its plan has the units of this job and kind; and the job that they are of, if that is another.
    pub(crate) fn of_job(
        place: &Path,
        job: &Arc<Job>,
        kind: Kind,
        has_rays: bool,
    ) -> Result<(Self, Option<Together>), Error> {
        let store = SweepStore::open(place)?;
        let (plan, scenario) = (store.plan(), &job.scenario);
        if plan.kind != kind {
            let problem = format!(
                "this plan is for `keller {}`, not for `keller {}`; accepted: the command that it was made for",
                plan.kind.command(),
                kind.command()
            );
            return Err(refused(&store, problem));
        }
        if has_rays && !plan.has_rays {
            let problem = "this plan keeps no rays: plan again with --rays";
            return Err(refused(&store, problem.to_owned()));
        }
        let Some(family) = plan.family_of(scenario.variant) else {
            return Err(refused(&store, other_state(&scenario.file)));
        };
        let variants = &plan.families[family].variants;
        let together = if variants.len() > 1 {
            let all = jobs::family(&scenario.file, variants)?;
            let tx = jobs::tx_of(scenario, &all);
            let tx = tx.ok_or_else(|| refused(&store, other_state(&scenario.file)))?;
            Some((job.with_tx(all)?, tx))
        } else {
            None
        };
        let of = together.as_ref().map_or(job, |(job, _)| job);
        check(&store, family, of)?;
        let units = Self { store, family };
        units.tell_missing(job)?;
        Ok((units, together))
    }

    /// Says how many units a run has to compute itself.
    fn tell_missing(&self, job: &Job) -> Result<(), Error> {
        let finished = self.store.finished()?;
        let of_job = || self.units().map(|(number, _)| finished.units[number]);
        let num_missing = of_job().filter(|is_there| !is_there).count();
        if num_missing > 0 {
            job.observer.note(format!(
                "{}: {num_missing} of {} units are missing and are computed here",
                self.name().display(),
                of_job().count()
            ));
        }
        Ok(())
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
    pub(crate) fn get(&self, number: usize) -> Result<Option<Vec<(Unit, Vec<u8>)>>, Error> {
        Ok(self.store.get(number)?)
    }

    /// Adds a unit.
    pub(crate) fn put(&self, number: usize, parts: &[(Unit, Vec<u8>)]) -> Result<(), Error> {
        Ok(self.store.put(number, parts)?)
    }
}
