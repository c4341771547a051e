//! Sweeps: the work of a run cut into units, which workers on any machines compute in any order.
//!
//! A [plan](plan_sweep) lists the units. [`Sweep::run`] computes one of them as the run itself would, and keeps it in
//! the store. A run that is given the store takes the units from it, in the order in which it would have computed them,
//! and computes what is missing. So it writes the bytes of a run on one machine.

mod check;
mod jobs;
mod paths;
mod plan;
mod surfaces;
mod units;
mod worker;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use keller_io::sweep::{Plan, SweepError, SweepStore, Unit, UnitResult, Work};

pub(crate) use jobs::family_of;
pub(crate) use paths::SweptPaths;
pub use plan::{PlanOptions, plan_sweep};
pub(crate) use surfaces::SweptSurfaces;

use crate::observer::{Observer, Tell};
use crate::{Error, Job, Machine};
use check::{check, other_state, refused};
use jobs::Jobs;
use worker::Worker;

/// A store, with the jobs whose units it holds.
#[derive(Debug)]
pub struct Sweep {
    jobs: Jobs,
    /// The job of the family that was asked for last.
    job: Option<(usize, Arc<Job>)>,
    store: SweepStore,
    /// Once a unit of that family is computed.
    worker: Option<Worker>,
}

/// A unit that is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnitDone {
    /// Its number.
    pub number: usize,
    /// Whether it was computed just now.
    pub is_new: bool,
    /// How long that took.
    pub seconds: f64,
}

impl Sweep {
    /// The sweep in the folder `place`. Its scenario is that of the plan, or the same in the file `scenario`.
    ///
    /// # Errors
    /// [`Error::Sweep`] for a store that cannot be used, also because the scenario or the scene has changed; the errors
    /// of [`Job::open`].
    pub fn open(
        place: &Path,
        scenario: Option<&Path>,
        observer: Arc<dyn Observer>,
    ) -> Result<Self, Error> {
        let store = SweepStore::open(place)?;
        let file = std::path::absolute(scenario.unwrap_or(&store.plan().scenario))?;
        let mut sweep = Self::new(Jobs::new(file, observer), store);
        // What does not fit is told now.
        sweep.job(0)?;
        Ok(sweep)
    }

    /// The same, which uses the machine as told.
    #[must_use]
    pub fn on(mut self, machine: Machine) -> Self {
        self.jobs.machine = machine;
        (self.job, self.worker) = (None, None);
        self
    }

    /// The sweep in the folder `place`, if it has the units of this job and kind, and the number of each of its Tx in the
    /// units.
    pub(crate) fn of_job(
        place: &Path,
        job: &Arc<Job>,
        work: Work,
        has_rays: bool,
    ) -> Result<(Self, Vec<usize>), Error> {
        let store = SweepStore::open(place)?;
        let (plan, scenario) = (store.plan(), &job.scenario);
        if plan.work != work {
            let problem = format!(
                "this plan is for `keller {}`, not for `keller {}`; accepted: the command that it was made for",
                plan.work.command(),
                work.command()
            );
            return Err(refused(&store, problem));
        }
        if has_rays && !plan.has_rays {
            let problem = "this plan keeps no rays: plan again with --rays";
            return Err(refused(&store, problem.to_owned()));
        }
        let Some(number) = plan.family_of(scenario.variant) else {
            return Err(refused(&store, other_state(&scenario.file)));
        };
        let mut jobs = Jobs::new(scenario.file.clone(), Arc::clone(&job.observer));
        jobs.machine = job.machine.clone();
        let variants = &plan.families[number].variants;
        let (job, tx) = if variants.len() > 1 {
            let family = jobs::family(&scenario.file, variants)?;
            let tx = jobs::tx_of(scenario, &family);
            let tx = tx.ok_or_else(|| refused(&store, other_state(&scenario.file)))?;
            (job.with_tx(family)?, tx)
        } else {
            (Arc::clone(job), (0..scenario.tx.len()).collect())
        };
        check(&store, number, &job)?;
        let sweep = Self {
            job: Some((number, job)),
            ..Self::new(jobs, store)
        };
        sweep.tell_missing(number)?;
        Ok((sweep, tx))
    }

    fn new(jobs: Jobs, store: SweepStore) -> Self {
        Self {
            jobs,
            job: None,
            store,
            worker: None,
        }
    }

    /// The job of a family.
    fn job(&mut self, family: usize) -> Result<Arc<Job>, Error> {
        match &self.job {
            Some((number, job)) if *number == family => Ok(Arc::clone(job)),
            _ => {
                // One scene and its index may fill the memory.
                (self.job, self.worker) = (None, None);
                let variants = &self.store.plan().families[family].variants;
                let job = self.jobs.of(variants, Some(&self.store))?;
                check(&self.store, family, &job)?;
                self.job = Some((family, Arc::clone(&job)));
                Ok(job)
            }
        }
    }

    /// Says how many units a run has to compute itself.
    fn tell_missing(&self, family: usize) -> Result<(), Error> {
        let finished = self.store.finished()?;
        let units = self.plan().units.iter().zip(finished.units);
        let of_family: Vec<bool> = units
            .filter(|(unit, _)| unit.family == family)
            .map(|(_, is_there)| is_there)
            .collect();
        let num_missing = of_family.iter().filter(|is_there| !**is_there).count();
        if num_missing > 0 {
            self.jobs.observer().note(format!(
                "{}: {num_missing} of {} units are missing and are computed here",
                self.store.name().display(),
                of_family.len()
            ));
        }
        Ok(())
    }

    /// The units of the family of a job, with their numbers.
    pub(crate) fn units_of_job(&self) -> Vec<(usize, Unit)> {
        let family = self.job.as_ref().map(|(family, _)| *family);
        let numbered = self.plan().units.iter().cloned().enumerate();
        numbered
            .filter(|(_, unit)| Some(unit.family) == family)
            .collect()
    }

    /// Its files.
    pub fn store(&self) -> &SweepStore {
        &self.store
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        self.store.plan()
    }

    /// Says in words what a unit computes.
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
        let range = match plan.work {
            Work::Surfaces => String::new(),
            work => format!(
                "{} {} to {}",
                work.items(),
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
    /// Those of the run itself, [`Error::Sweep`].
    ///
    /// # Panics
    /// If there is no such unit.
    pub fn run(&mut self, number: usize) -> Result<UnitResult, Error> {
        let family = self.plan().units[number].family;
        let job = self.job(family)?;
        let plan = self.store.plan();
        let unit = &plan.units[number];
        let worker = match &mut self.worker {
            Some(worker) if worker.is_for(unit) => worker,
            other => {
                *other = None;
                other.insert(Worker::new(&job, plan, unit.region)?)
            }
        };
        let result = worker.run(unit)?;
        let result = result.ok_or_else(|| SweepError::changed(self.store.name()))?;
        self.store.put(number, &result)?;
        Ok(result)
    }

    /// Computes those of some units that are missing, and tells of each of them, also of those that are there. It looks
    /// again before each: another worker may have computed it.
    ///
    /// # Errors
    /// Those of [`Self::run`], [`Error::Stopped`].
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

    /// The result of a unit. It is computed if it is missing or damaged.
    pub(crate) fn take(&mut self, number: usize) -> Result<UnitResult, Error> {
        match self.store.get(number)? {
            Some(result) => Ok(result),
            None => self.run(number),
        }
    }
}
