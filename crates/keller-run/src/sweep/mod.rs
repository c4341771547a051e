//! Sweeps: the work of a run cut into units, which workers on any machines compute in any order.
//!
//! A [plan](plan_sweep) lists the units. [`Sweep::run`] computes one of them as the run itself would, and keeps it in
//! the store. A run that is given the store takes the units from it, in the order in which it would have computed them,
//! and computes what is missing. So it writes the bytes of a run on one machine.

mod paths;
mod plan;
mod worker;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use keller::tiles::Tiles;
use keller_io::coverage::Digest;
use keller_io::scenario::Scenario;
use keller_io::surfaces::FinishedTx;
use keller_io::sweep::{Plan, SweepError, SweepStore, UnitResult, Work};

pub(crate) use paths::SweptPaths;
pub use plan::{PlanOptions, plan_sweep};

use crate::observer::{Observer, Tell};
use crate::scene::{prepare_scene, read_scene};
use crate::visibility::visibility_digest;
use crate::{Error, Job};
use worker::Worker;

/// A store, with the job whose units it holds.
#[derive(Debug)]
pub struct Sweep {
    job: Arc<Job>,
    store: SweepStore,
    /// Once a unit is computed.
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
        let scenario = scenario.unwrap_or(&store.plan().scenario);
        let scenario = Scenario::load(&std::path::absolute(scenario)?)?;
        let prepared = match read_scene(&store.scene(), &scenario.scene, &*observer)? {
            Some(prepared) => prepared,
            None => prepare_scene(&scenario.scene, &*observer, &|_| Ok(()))?,
        };
        let job = Job::new(scenario, prepared, None, observer)?;
        Self::new(job, store)
    }

    /// The sweep in the folder `place`, if its units are of this job and kind.
    pub(crate) fn of_job(
        place: &Path,
        job: &Arc<Job>,
        work: Work,
        has_rays: bool,
    ) -> Result<Self, Error> {
        let store = SweepStore::open(place)?;
        let plan = store.plan();
        let problem = if plan.work != work {
            format!(
                "this plan is for `keller {}`, not for `keller {}`; accepted: the command that it was made for",
                plan.work.command(),
                work.command()
            )
        } else if plan.has_rays != has_rays && has_rays {
            "this plan keeps no rays: plan again with --rays".to_owned()
        } else {
            let sweep = Self::new(Arc::clone(job), store)?;
            sweep.tell_missing()?;
            return Ok(sweep);
        };
        Err(refused(&store, problem))
    }

    fn new(job: Arc<Job>, store: SweepStore) -> Result<Self, Error> {
        let plan = store.plan();
        if !plan.is_of(digest(&job, plan.work, plan.has_rays)?) {
            let problem = format!(
                "this plan is of another state of {} or of its scene: take back the change, or plan again in another store",
                plan.scenario.display()
            );
            return Err(refused(&store, problem));
        }
        Ok(Self {
            job,
            store,
            worker: None,
        })
    }

    /// Says how many units a run has to compute itself.
    fn tell_missing(&self) -> Result<(), Error> {
        let finished = self.store.finished()?;
        let num_missing = finished.units.len() - finished.count();
        if num_missing > 0 {
            self.job.observer.note(format!(
                "{}: {num_missing} of {} units are missing and are computed here",
                self.store.place().display(),
                finished.units.len()
            ));
        }
        Ok(())
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
        let (unit, work) = (&self.plan().units[number], self.plan().work);
        let tx = |index: &usize| self.job.tx[*index].name.clone();
        let tx: Vec<_> = unit.tx.iter().map(tx).collect();
        let tx = match &tx[..] {
            [] => String::new(),
            [one] => format!("Tx {one}"),
            [first, .., last] => format!("{} Tx, {first} to {last}", tx.len()),
        };
        let range = match work {
            Work::Surfaces => String::new(),
            _ => format!(
                "{} {} to {}",
                work.items(),
                unit.range.start,
                unit.range.end
            ),
        };
        let parts = [tx, range].into_iter().filter(|part| !part.is_empty());
        parts.collect::<Vec<_>>().join(", ")
    }

    /// Computes a unit and keeps it, whether or not it is there.
    ///
    /// # Errors
    /// Those of the run itself, [`Error::Sweep`].
    ///
    /// # Panics
    /// If there is no such unit.
    pub fn run(&mut self, number: usize) -> Result<UnitResult, Error> {
        let plan = self.store.plan();
        let unit = &plan.units[number];
        let worker = match &mut self.worker {
            Some(worker) if worker.is_for(unit) => worker,
            other => other.insert(Worker::new(&self.job, plan, unit.region)?),
        };
        let result = worker.run(unit)?;
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
            self.job.observer.check()?;
            let start = Instant::now();
            let is_new = !self.store.has(number);
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

    /// The fields on all tiles from a Tx.
    pub(crate) fn surfaces(&mut self, tx: usize) -> Result<FinishedTx, Error> {
        match self.take(tx)? {
            UnitResult::Surfaces(finished) => Ok(*finished),
            _ => unreachable!("units are of the kind that was asked for"),
        }
    }
}

fn refused(store: &SweepStore, problem: String) -> Error {
    Error::Sweep(SweepError::Refused {
        file: store.place().to_owned(),
        problem,
    })
}

/// Of all that the units of a job follow from.
fn digest(job: &Job, work: Work, has_rays: bool) -> Result<[u8; 16], Error> {
    let mut more = Digest::new();
    more.add(&has_rays);
    match work {
        Work::Cells => more.add(&job.placed_regions()?),
        Work::Surfaces => more.add(&job.scenario.tiles.tiling(job.world.scene())),
        Work::Paths | Work::Channels => {}
        Work::Visibility => {
            let scene = job.world.scene();
            let tiles = Tiles::new(scene, job.scenario.tiles.tiling(scene))?;
            return Ok(visibility_digest(scene, &tiles));
        }
    }
    Ok(job.digest(&[&work, &more.finish()]))
}
