//! Hands out finished units in order.

use std::collections::VecDeque;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use keller_io::store::{Part, StoreError, Unit, UnitStore, push_all};

use super::{AnyWork, BatchUnits, Share, Work};
use crate::observer::{Event, Tell};
use crate::{Error, Job, Observer};

/// Work that is being done: an iterator over the results of its units, in their order.
#[derive(Debug)]
pub struct Run<W: Work> {
    pub(crate) work: W,
    /// The store of finished units, if they are kept.
    store: Option<UnitStore>,
    /// The units that other runs have finished.
    batch: Option<BatchUnits>,
    /// The units that are not handed out yet, the next one last; those of a plan with their number.
    pending: Vec<(Unit, Option<usize>)>,
    /// Parts of a unit that came together.
    ready: VecDeque<(Unit, W::Output)>,
    /// The error if the store lacks a unit, where it must have all.
    is_read: Option<StoreError>,
    num_done: usize,
    num_items: usize,
    is_over: bool,
}

impl<W: Work> Run<W> {
    pub(crate) fn new(work: W, store: Option<UnitStore>) -> Self {
        let units = work.units(None).into_iter().map(|unit| (unit, None));
        let mut run = Self {
            work,
            store,
            batch: None,
            pending: Vec::new(),
            ready: VecDeque::new(),
            is_read: None,
            num_done: 0,
            num_items: 0,
            is_over: false,
        };
        run.set_pending(units.collect());
        run
    }

    /// The same, without any computation: all of it is in `store`, or `lacking` is the error.
    pub(crate) fn read_from(store: UnitStore, lacking: StoreError, work: W) -> Result<Self, Error> {
        let mut run = Self::new(work, Some(store));
        if run.store.as_ref().map(UnitStore::num_items) != Some(run.num_items) {
            return Err(Error::Input(lacking.to_string()));
        }
        run.is_read = Some(lacking);
        Ok(run)
    }

    fn set_pending(&mut self, mut units: Vec<(Unit, Option<usize>)>) {
        self.num_items = units.iter().map(|(unit, _)| unit.num_items()).sum();
        units.reverse();
        self.pending = units;
    }

    /// Keeps finished units in the file `name`, so that a run that is stopped can resume. If `resume`, it goes on with
    /// the units that are there already.
    ///
    /// # Errors
    /// [`Error::Store`], also for the file of another run, and for one with finished units unless `resume`.
    pub fn keep_in(&mut self, name: &Path, resume: bool) -> Result<(), Error> {
        let digest = self.work.digest();
        self.store = Some(if resume && name.exists() {
            UnitStore::resume(name, digest)?
        } else {
            UnitStore::create(name, digest)?
        });
        self.work.keep_often();
        self.tell_kept();
        Ok(())
    }

    /// The same with units of a batch, and the job of all variants that they are of, if that is another.
    pub(crate) fn with_units(
        mut self,
        batch: BatchUnits,
        together: Option<(Arc<Job>, Vec<usize>)>,
    ) -> Result<Self, Error> {
        // Its units may be those of several variants, with other numbers of Tx.
        let name = self.store.as_ref().and_then(UnitStore::name);
        assert!(
            name.is_none(),
            "a file of a run is opened once its units are known"
        );
        if let Some((job, tx)) = together {
            self.work = self.work.among(&job, tx)?;
        }
        let units = batch.units().filter(|(_, unit)| self.work.is_wanted(unit));
        let units = units.map(|(number, unit)| (unit.clone(), Some(number)));
        let units = units.collect();
        self.set_pending(units);
        self.batch = Some(batch);
        Ok(self)
    }

    fn observer(&self) -> Arc<dyn Observer> {
        Arc::clone(&self.work.job().observer)
    }

    fn step(&mut self) -> Result<Option<W::Output>, Error> {
        loop {
            if let Some((unit, output)) = self.ready.pop_front() {
                self.num_done += unit.num_items();
                self.work.see(&output);
                return Ok(Some(output));
            }
            let Some((unit, number)) = self.pending.pop() else {
                self.work.end()?;
                return Ok(None);
            };
            self.observer().check()?;
            if let Some(number) = number {
                self.make_ready(&unit, number)?;
                continue;
            }
            let part = self.part(&unit)?;
            let mut left = Vec::new();
            push_all(&mut left, unit.after(&part.0));
            let left = left.into_iter().map(|unit| (unit, None));
            self.pending.extend(left);
            self.ready.push_back(part);
        }
    }

    /// The beginning of a unit: the part that is kept of it, or one that is computed and kept now.
    fn part(&mut self, unit: &Unit) -> Result<(Unit, W::Output), Error> {
        if let Some(kept) = self.kept_part(unit)? {
            return Ok(kept);
        }
        if let Some(lacking) = self.is_read.take() {
            return Err(Error::Input(lacking.to_string()));
        }
        let wanted = match &self.store {
            Some(store) => store.before_next(unit.clone()),
            None => unit.clone(),
        };
        let share = Share::of(self.num_done, self.num_items);
        let (part, mut output) = self.work.compute(&wanted, share)?;
        if self.store.is_some() {
            self.keep(part.clone(), W::payload(&mut output))?;
        }
        Ok((part, output))
    }

    /// The beginning of a unit, if it is kept.
    fn kept_part(&mut self, unit: &Unit) -> Result<Option<(Unit, W::Output)>, Error> {
        let Some(store) = &mut self.store else {
            return Ok(None);
        };
        let Some(number) = store.beginning_of(unit) else {
            return Ok(None);
        };
        let part = store.unit(number).clone();
        let output = self.work.read(&part, store.payload(number)?);
        if output.is_none() {
            store.forget(number);
        }
        Ok(output.map(|output| (part, output)))
    }

    fn keep(&mut self, unit: Unit, payload: Vec<u8>) -> Result<(), Error> {
        let Some(store) = &mut self.store else {
            return Ok(());
        };
        store.put(unit, payload)?;
        self.tell_kept();
        Ok(())
    }

    fn tell_kept(&self) {
        if let Some(kept) = self.kept() {
            self.observer().tell(Event::Kept(kept));
        }
    }

    /// Makes all parts of a unit of a plan ready: those that are kept, those of the batch, or those that are computed now for both.
    fn make_ready(&mut self, unit: &Unit, number: usize) -> Result<(), Error> {
        let own = self.work.own(unit);
        let mut kept = Vec::new();
        let is_whole = each_part(&own, &mut |left| {
            let part = self.kept_part(left)?;
            let of = part.as_ref().map(|(of, _)| of.clone());
            kept.extend(part);
            Ok(of)
        })?;
        if is_whole {
            self.ready.extend(kept);
            return Ok(());
        }
        let changed =
            || StoreError::changed(self.batch.as_ref().map_or(Path::new(""), BatchUnits::name));
        let found = match &self.batch {
            Some(batch) => batch.get(number)?,
            None => None,
        };
        let share = Share::of(self.num_done, self.num_items);
        let outputs = if let Some(outputs) = found.and_then(|parts| self.read(parts)) {
            outputs
        } else {
            let parts = AnyWork::parts(&mut self.work, unit, share)?.ok_or_else(changed)?;
            if let Some(batch) = &self.batch {
                batch.put(number, &parts)?;
            }
            self.read(parts).ok_or_else(changed)?
        };
        for (part, mut output) in outputs {
            if self.store.is_some() {
                self.keep(part.clone(), W::payload(&mut output))?;
            }
            self.ready.push_back((part, output));
        }
        Ok(())
    }

    /// The parts cut to this job and read; `None` if one makes no sense.
    fn read(&self, parts: Vec<Part>) -> Option<Vec<(Unit, W::Output)>> {
        let read = |(part, payload): Part| {
            let payload = self.work.own_payload(&part, payload)?;
            let part = self.work.own(&part);
            let output = self.work.read(&part, payload)?;
            Some((part, output))
        };
        parts.into_iter().map(read).collect()
    }

    /// A message about the results that are kept if the run stops now, and how to resume; `None` if nothing is kept in
    /// a file.
    pub fn kept(&self) -> Option<String> {
        let store = self.store.as_ref().filter(|store| store.num_items() > 0)?;
        if self.is_read.is_some() {
            return None;
        }
        let name = store.name()?;
        let share = 100.0 * store.num_items() as f64 / self.num_items.max(1) as f64;
        Some(format!(
            "{share:.1} % of {} is kept in {}; run the same command with --resume to continue",
            W::RESULTS,
            name.display()
        ))
    }

    /// Computes all that is missing, for callers that look at kept results.
    ///
    /// # Errors
    /// The errors of the iterator.
    pub fn complete(&mut self) -> Result<(), Error> {
        self.try_for_each(|output| output.map(drop))
    }

    /// Removes the file of finished units, once the results are written or nothing is worth keeping.
    ///
    /// # Errors
    /// [`Error::Store`]
    pub fn finish(self) -> Result<(), Error> {
        let own = self.store.filter(|_| self.is_read.is_none());
        Ok(own.map_or(Ok(()), UnitStore::remove)?)
    }

    /// The store of finished units, if they are kept.
    pub(crate) fn store(&self) -> Option<&UnitStore> {
        self.store.as_ref()
    }
}

impl<W: Work> Iterator for Run<W> {
    type Item = Result<W::Output, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let output = self.step().transpose();
        self.is_over = !matches!(output, Some(Ok(_)));
        output
    }
}

/// A run can say all that its work can.
impl<W: Work> Deref for Run<W> {
    type Target = W;

    fn deref(&self) -> &W {
        &self.work
    }
}

/// Asks for the rest of a unit, part by part, until nothing is left, or there is none. Returns whether all was there.
pub(super) fn each_part(
    unit: &Unit,
    next: &mut dyn FnMut(&Unit) -> Result<Option<Unit>, Error>,
) -> Result<bool, Error> {
    let mut left = vec![unit.clone()];
    while let Some(unit) = left.pop() {
        let Some(part) = next(&unit)? else {
            return Ok(false);
        };
        push_all(&mut left, unit.after(&part));
    }
    Ok(true)
}
