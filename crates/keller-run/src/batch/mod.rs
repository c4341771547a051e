//! Batches: the work of a run cut into units, which workers on any machines compute in any order.
//!
//! A [plan](plan_batch) lists the units. [`Batch::run`] computes one of them as the run itself would, and keeps it in
//! the store. A run that is given the store takes the units from it, in the order in which it would have computed them,
//! and computes what is missing. So it writes the bytes of a run on one machine.

mod check;
mod jobs;
mod plan;
mod units;
mod work;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use keller_io::store::{BatchStore, Kind, Plan, StoreError};

pub(crate) use jobs::family_of;
pub use plan::{PlanOptions, plan_batch};

use crate::observer::{Observer, Tell};
use crate::work::{AnyWork, Share};
use crate::{Error, Job, Machine};
use check::check;
use jobs::Jobs;
use work::work_of;

/// A store, with the jobs whose units it holds.
#[derive(Debug)]
pub struct Batch {
    jobs: Jobs,
    /// The job of the family that was asked for last.
    job: Option<(usize, Arc<Job>)>,
    store: BatchStore,
    /// The work that computes units of a region of that family, once it has been prepared.
    work: Option<(usize, Box<dyn AnyWork>)>,
}

/// A unit that is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitDone {
    /// Its number.
    pub number: usize,
    /// Whether it was computed just now.
    pub is_new: bool,
    /// The time that it took, seconds.
    pub seconds: f64,
}

impl Batch {
    /// The batch in the folder `place`. Its scenario is that of the plan, or the same in the file `scenario`.
    ///
    /// # Errors
    /// [`Error::Store`] for a store that cannot be used, also because the scenario or the scene has changed; the errors
    /// of [`Job::open`].
    pub fn open(
        place: &Path,
        scenario: Option<&Path>,
        observer: Arc<dyn Observer>,
    ) -> Result<Self, Error> {
        let store = BatchStore::open(place)?;
        let file = std::path::absolute(scenario.unwrap_or(&store.plan().scenario))?;
        let mut batch = Self::new(Jobs::new(file, observer), store);
        // A scenario that does not fit is reported now.
        batch.job(0)?;
        Ok(batch)
    }

    /// The same batch, which uses the machine as `machine` says.
    #[must_use]
    pub fn on(mut self, machine: Machine) -> Self {
        self.jobs.machine = machine;
        (self.job, self.work) = (None, None);
        self
    }

    fn new(jobs: Jobs, store: BatchStore) -> Self {
        Self {
            jobs,
            job: None,
            store,
            work: None,
        }
    }

    /// The job of a family.
    fn job(&mut self, family: usize) -> Result<Arc<Job>, Error> {
        match &self.job {
            Some((number, job)) if *number == family => Ok(Arc::clone(job)),
            _ => {
                // One scene and its index may fill the memory.
                (self.job, self.work) = (None, None);
                let variants = &self.store.plan().families[family].variants;
                let job = self.jobs.of(variants, Some(&self.store))?;
                check(&self.store, family, &job)?;
                self.job = Some((family, Arc::clone(&job)));
                Ok(job)
            }
        }
    }

    /// Its files.
    pub fn store(&self) -> &BatchStore {
        &self.store
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        self.store.plan()
    }

    /// Describes the computation of a unit in words.
    ///
    /// # Panics
    /// If there is no such unit.
    pub fn describe(&self, number: usize) -> String {
        let (plan, unit) = (self.plan(), &self.plan().units[number]);
        let variants = match &plan.families[unit.family].variants[..] {
            [] => String::new(),
            [one] => format!("variant {one}"),
            several => format!("{} variants", several.len()),
        };
        let tx = match &unit.tx[..] {
            [] => String::new(),
            [one] => format!("Tx {one}"),
            several => format!("{} Tx", several.len()),
        };
        let range = match plan.kind {
            Kind::Surfaces => String::new(),
            kind => format!(
                "{} {} to {}",
                kind.items(),
                unit.range.start,
                unit.range.end
            ),
        };
        let parts = [variants, tx, range].into_iter();
        parts
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Computes a unit and keeps it, whether or not it is there.
    ///
    /// # Errors
    /// The errors of the run itself, [`Error::Store`].
    ///
    /// # Panics
    /// If there is no such unit.
    pub fn run(&mut self, number: usize) -> Result<(), Error> {
        let family = self.plan().units[number].family;
        let job = self.job(family)?;
        let plan = self.store.plan();
        let unit = &plan.units[number];
        let work = match &mut self.work {
            Some((region, work)) if *region == unit.region => work,
            other => {
                *other = None;
                let work = work_of(&job, plan.kind, plan.has_rays, unit.region)?;
                &mut other.insert((unit.region, work)).1
            }
        };
        let parts = work.parts(unit, Share::of(0, unit.num_items()))?;
        let parts = parts.ok_or_else(|| StoreError::changed(self.store.name()))?;
        Ok(self.store.put(number, &parts)?)
    }

    /// Computes those of some units that are missing, and reports each of them, also those that are there. It looks
    /// again before each: another worker may have computed it.
    ///
    /// # Errors
    /// The errors of [`Self::run`], [`Error::Stopped`].
    ///
    /// # Panics
    /// If there is no such unit.
    pub fn run_missing(
        &mut self,
        units: &[usize],
        tell: &mut dyn FnMut(&UnitDone),
    ) -> Result<(), Error> {
        for &number in units {
            self.jobs.observer().check()?;
            let start = Instant::now();
            let is_new = !self.store.has(number)?;
            if is_new {
                self.run(number)?;
            }
            tell(&UnitDone {
                number,
                is_new,
                seconds: start.elapsed().as_secs_f64(),
            });
        }
        Ok(())
    }
}
