//! Fills cells: the work of a coverage.

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use keller::coverage::Region;
use keller::coverage::beams::Beams;
use keller::{Control, Tx};
use keller_io::reports::coverage::{CHUNK, Figures, KeptCells};
use keller_io::scenario::CellSettings;
use keller_io::store::{Kind, Unit, UnitStore};

use super::beside::CellsBeside;
use super::engines::{self, CellEngine, Together};
use super::{cautions, choose, place};
use crate::batch::family_of;
use crate::observer::{RunStage, Tell};
use crate::work::{Share, Work};
use crate::{Error, Job};

/// Smaller blocks are not worth the cost of starting one, cells.
pub(super) const MIN_CELLS: usize = 1 << 14;

/// Finished cells are kept about this often, where engines fill any cells by themselves.
const KEEP_EVERY: Duration = Duration::from_secs(10);

/// The cells of a region, and the engine that fills them.
///
/// One trace follows all waves that any Tx at its place can bring. A variant must have the same numbers whether it is
/// computed alone or with the others, and variants differ by their Tx and by nothing else. So it is always traced for
/// all of them: then units are of the Tx of all.
#[derive(Debug)]
pub struct Cells {
    /// The job that asks for the coverage.
    job: Arc<Job>,
    /// The job of all variants that are computed together; else the same.
    all: Arc<Job>,
    /// The number there of each Tx.
    numbers: Vec<usize>,
    /// The number of the region.
    region_number: usize,
    /// The settings in `[coverage]`, with the engine chosen.
    pub settings: CellSettings,
    /// The cells.
    pub region: Region,
    tx: Vec<Tx>,
    engine: Box<dyn CellEngine>,
    /// Tx that are filled together.
    groups: Vec<Vec<usize>>,
    /// The diffuse and background power, from the first block on: runs that fill none do not need it.
    beside: OnceLock<Option<CellsBeside>>,
    /// The largest number of cells of all Tx of a block together, once memory has run short.
    block_limit: usize,
    /// The largest number of Tx, where fewer will do.
    tx_limit: usize,
    /// The largest number of cells of the next block, where it is to take some seconds only.
    pace: Option<usize>,
}

/// Finished cells of some Tx.
#[derive(Debug, Clone, PartialEq)]
pub struct CoverageBlock {
    /// Indices of the Tx.
    pub tx: Vec<usize>,
    /// Numbers of the cells.
    pub cells: Range<usize>,
    /// Their values, until they are kept.
    payload: Vec<u8>,
}

impl Cells {
    /// The cells of a region of a job. Beams may be `prepared` for it already.
    pub(super) fn new(
        job: &Arc<Job>,
        number: usize,
        prepared: Option<&Arc<Beams>>,
    ) -> Result<Self, Error> {
        let cells = Self::of(job, job, None, number, prepared)?;
        if cells.engine.together() != Together::AtOnePlace {
            return Ok(cells);
        }
        match family_of(&job.scenario, Kind::Cells)? {
            None => Ok(cells),
            Some((scenario, numbers)) => {
                Self::of(job, &job.with_tx(scenario)?, Some(numbers), number, None)
            }
        }
    }

    fn of(
        own: &Arc<Job>,
        job: &Arc<Job>,
        numbers: Option<Vec<usize>>,
        number: usize,
        prepared: Option<&Arc<Beams>>,
    ) -> Result<Self, Error> {
        let mut settings = job.regions()?[number].clone();
        let region = place::region(job, &settings)?;
        cautions::warn(job, &settings, &region);
        if settings.is_engine_auto {
            let chosen = choose::choose(job, &mut settings, &region);
            job.observer.note(chosen);
        }
        let engine = engines::prepare(job, &settings, &region, prepared)?;
        let mut cells = Self::with(job, number, settings, region, engine)?;
        cells.job = Arc::clone(own);
        cells.numbers = numbers.unwrap_or(cells.numbers);
        Ok(cells)
    }

    /// The cells of a region that an engine of the caller's fills.
    pub(super) fn by(
        job: &Arc<Job>,
        number: usize,
        prepare: impl FnOnce(&Region) -> Result<Box<dyn CellEngine>, Error>,
    ) -> Result<Self, Error> {
        let settings = job.regions()?[number].clone();
        let region = place::region(job, &settings)?;
        let engine = prepare(&region)?;
        Self::with(job, number, settings, region, engine)
    }

    fn with(
        job: &Arc<Job>,
        number: usize,
        settings: CellSettings,
        region: Region,
        engine: Box<dyn CellEngine>,
    ) -> Result<Self, Error> {
        let tx = job.transmitters()?;
        Ok(Self {
            job: Arc::clone(job),
            all: Arc::clone(job),
            numbers: (0..tx.len()).collect(),
            region_number: number,
            groups: engine.together().groups(&tx),
            settings,
            region,
            tx,
            engine,
            beside: OnceLock::new(),
            block_limit: usize::MAX,
            tx_limit: usize::MAX,
            pace: None,
        })
    }

    /// The job whose coverage it is.
    pub(super) fn own(&self) -> &Job {
        &self.job
    }

    pub(super) fn ground(&self) -> &[f64] {
        self.engine.ground()
    }

    /// The figures of each cell in addition to the gains.
    pub(super) fn figures(&self) -> Figures {
        self.engine.figures()
    }

    /// Rows of a Tx: its gains and each figure.
    pub(super) fn rows_of_tx(&self) -> usize {
        1 + self.figures().list().len()
    }

    /// The number of Tx.
    pub fn num_tx(&self) -> usize {
        self.numbers.len()
    }

    /// The values of the finished cells in a store.
    pub(super) fn kept_cells<'s>(&self, store: &'s UnitStore) -> KeptCells<'s> {
        let num_cells = self.region.num_cells();
        KeptCells::new(store, &self.numbers, self.rows_of_tx(), num_cells)
    }

    /// Whether Tx are filled together that could be filled apart.
    fn can_split(&self) -> bool {
        matches!(self.engine.together(), Together::Any(_))
    }

    /// Sets how much memory allows, before the first block: results that are held later make no block smaller.
    fn set_limits(&mut self) {
        if self.block_limit < usize::MAX {
            return;
        }
        let memory = self.all.observer.memory_left();
        let fit = |bytes: u64| usize::try_from(memory / bytes.max(1)).unwrap_or(usize::MAX);
        let cell_bytes = self.cell_bytes();
        let of_result = cell_bytes.saturating_mul(self.region.num_cells() as u64);
        // One Tx at least is filled, however large its map is.
        self.tx_limit = fit(of_result.saturating_add(self.engine.bytes_of_tx())).max(1);
        self.block_limit = fit(cell_bytes).max(MIN_CELLS);
    }

    /// The beginning of a unit that memory allows, and time where that counts.
    fn part_of(&self, unit: &Unit) -> Unit {
        let mut tx = &unit.tx[..];
        if self.can_split() {
            tx = &tx[..tx.len().min(self.tx_limit)];
        }
        let most = self.block_limit / tx.len();
        let most = match self.engine.cells_at_once() {
            None => most,
            Some(at_once) => most.min(at_once).min(self.pace.unwrap_or(at_once)),
        };
        let most = (most / CHUNK).max(1) * CHUNK;
        let first = unit.range.start;
        Unit {
            tx: tx.to_vec(),
            range: first..unit.range.end.min(first.saturating_add(most)),
            ..*unit
        }
    }

    /// Makes blocks smaller than this part, after memory ran short in it; `false` if there is nothing smaller.
    fn ask_for_less(&mut self, part: &Unit) -> bool {
        let (num_tx, num_cells) = (part.tx.len(), part.range.len());
        // Each block of beams costs whole maps again: better fewer Tx than fewer cells.
        if self.can_split() && num_tx > 1 {
            self.tx_limit = num_tx / 2;
            return true;
        }
        self.block_limit = num_cells.div_ceil(2) * num_tx;
        num_cells > MIN_CELLS
    }

    fn fill(&mut self, unit: &Unit, share: Share) -> Result<(Unit, CoverageBlock), Error> {
        let job = Arc::clone(&self.all);
        let observer = &job.observer;
        if self.beside.get().is_none() {
            self.beside
                .set(CellsBeside::new(&job, self.settings.engine)?)
                .ok();
        }
        if let Some(Some(beside)) = self.beside.get_mut() {
            // Groups may be split later.
            let num_groups = if matches!(self.engine.together(), Together::Any(_)) {
                self.tx.len()
            } else {
                self.groups.len()
            };
            beside.prepare(num_groups, self.region.num_cells(), &job);
        }
        self.set_limits();
        loop {
            let (part, start) = (self.part_of(unit), Instant::now());
            observer.report(RunStage::Coverage, share.at(0.0));
            match self.payload_of(&part, share) {
                Ok(payload) => {
                    self.learn(part.range.len(), start.elapsed());
                    let block = self.block(&part, payload);
                    return Ok((part, block));
                }
                Err(keller::Error::Cancelled) if observer.ran_short() => {
                    if !self.ask_for_less(&part) {
                        return Err(Error::Memory(observer.out_of_memory()));
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// The values of some cells, as they are kept.
    fn payload_of(&mut self, part: &Unit, share: Share) -> Result<Vec<u8>, keller::Error> {
        let (cells, job) = (part.range.clone(), &self.all);
        // The trace of some may be that of all at their place.
        let is_its = |group: &&Vec<usize>| !self.can_split() && group.contains(&part.tx[0]);
        let group = self.groups.iter().find(is_its).unwrap_or(&part.tx);
        let senders: Vec<&Tx> = group.iter().map(|index| &self.tx[*index]).collect();
        let items = part.num_items() as f64;
        let told = |_, done: f64| (RunStage::Coverage, share.at(items * done));
        let fill = |control: &Control<'_>| self.engine.rows(&senders, cells.clone(), control);
        let rows = job.observer.watch_as(told, fill)?;
        let told = |_, done: f64| (RunStage::Diffuse, share.at(items * done));
        let more = |control: &Control<'_>| match self.beside.get_mut() {
            Some(Some(beside)) => {
                let place = (&self.region, self.engine.ground());
                beside.gains(&part.tx, cells.clone(), place, job, control)
            }
            _ => Ok(Vec::new()),
        };
        let beside = job.observer.watch_as(told, more)?;
        let rows_of_tx = 1 + self.engine.figures().list().len();
        let wanted = rows.enumerate().filter_map(|(number, mut row)| {
            let tx = group[number / rows_of_tx];
            let own = part.tx.iter().position(|of_part| *of_part == tx)?;
            // The first row of each Tx has its gains.
            if let (0, Some(beside)) = (number % rows_of_tx, beside.get(own)) {
                let more = row.iter_mut().zip(beside);
                more.for_each(|(gain, more)| *gain += more);
            }
            Some(row)
        });
        let num_bytes = 8 * part.num_items() * rows_of_tx;
        Ok(KeptCells::payload(wanted, num_bytes))
    }

    /// Learns how long so many cells took.
    fn learn(&mut self, num_cells: usize, took: Duration) {
        if let Some(pace) = &mut self.pace {
            let next = KEEP_EVERY.as_nanos() * num_cells as u128 / took.as_nanos().max(1);
            *pace = usize::try_from(next).unwrap_or(usize::MAX);
        }
    }

    fn block(&self, unit: &Unit, payload: Vec<u8>) -> CoverageBlock {
        let numbers = self.numbers.iter().enumerate();
        let own = numbers.filter(|(_, number)| unit.tx.contains(number));
        CoverageBlock {
            tx: own.map(|(own, _)| own).collect(),
            cells: unit.range.clone(),
            payload,
        }
    }
}

impl Work for Cells {
    type Output = CoverageBlock;

    const RESULTS: &'static str = "the coverage";

    fn kind(&self) -> Kind {
        Kind::Cells
    }

    fn units(&self, most: Option<usize>) -> Vec<Unit> {
        let num_cells = self.region.num_cells();
        let most = most.filter(|_| self.engine.cells_at_once().is_some());
        let most = most.unwrap_or(num_cells).div_ceil(CHUNK).max(1) * CHUNK;
        let ranges = (0..num_cells).step_by(most);
        let ranges = ranges.map(|first| first..num_cells.min(first + most));
        let of_group = |tx: &Vec<usize>| {
            let own = tx.iter().filter(|tx| self.numbers.contains(tx));
            let tx: Vec<usize> = own.copied().collect();
            let ranges = ranges.clone().filter(|_| !tx.is_empty());
            let unit = |range| Unit {
                family: 0,
                region: self.region_number,
                tx: tx.clone(),
                range,
            };
            ranges.map(unit).collect::<Vec<_>>()
        };
        self.groups.iter().flat_map(of_group).collect()
    }

    fn compute(&mut self, unit: &Unit, share: Share) -> Result<(Unit, CoverageBlock), Error> {
        let observer = Arc::clone(&self.all.observer);
        observer.takes_memory(Some(&self.engine.takes_memory()));
        let filled = match self.fill(unit, share) {
            // The work before the first block cannot do with less.
            Err(Error::Stopped) if observer.ran_short() => {
                Err(Error::Memory(observer.out_of_memory()))
            }
            filled => filled,
        };
        observer.takes_memory(None);
        filled
    }

    fn payload(block: &mut CoverageBlock) -> Vec<u8> {
        std::mem::take(&mut block.payload)
    }

    fn read(&self, unit: &Unit, payload: Vec<u8>) -> Option<CoverageBlock> {
        let num_rows = unit.tx.len() * self.rows_of_tx();
        let is_its = KeptCells::is_payload(&payload, num_rows, unit.range.len());
        is_its.then(|| self.block(unit, payload))
    }

    fn job(&self) -> &Arc<Job> {
        &self.job
    }

    fn digest(&self) -> [u8; 16] {
        let is_of_variants = !Arc::ptr_eq(&self.job, &self.all);
        let of_all = is_of_variants.then(|| self.all.digest(&[&self.region]));
        self.job.digest(&[&self.region, &of_all])
    }

    fn has(&self, unit: &Unit) -> bool {
        let num_cells = self.region.num_cells();
        let is_any = self.engine.cells_at_once().is_some();
        unit.region == self.region_number
            && self.groups.contains(&unit.tx)
            && unit.range.end <= num_cells
            && (is_any || unit.range == (0..num_cells))
    }

    fn own(&self, unit: &Unit) -> Unit {
        let own = unit.tx.iter().filter(|tx| self.numbers.contains(tx));
        Unit {
            tx: own.copied().collect(),
            range: unit.range.clone(),
            ..*unit
        }
    }

    fn own_payload(&self, unit: &Unit, payload: Vec<u8>) -> Option<Vec<u8>> {
        let num_rows = unit.tx.len() * self.rows_of_tx();
        if !KeptCells::is_payload(&payload, num_rows, unit.range.len()) {
            return None;
        }
        if unit.tx.iter().all(|tx| self.numbers.contains(tx)) {
            return Some(payload);
        }
        let each = payload.chunks(payload.len() / unit.tx.len());
        let own = unit.tx.iter().zip(each);
        let own = own.filter(|(tx, _)| self.numbers.contains(tx));
        Some(own.flat_map(|(_, bytes)| bytes).copied().collect())
    }

    fn is_wanted(&self, unit: &Unit) -> bool {
        unit.region == self.region_number && unit.tx.iter().any(|tx| self.numbers.contains(tx))
    }

    fn among(self, job: &Arc<Job>, tx: Vec<usize>) -> Result<Self, Error> {
        Self::of(&self.job, job, Some(tx), self.region_number, None)
    }

    fn keep_often(&mut self) {
        self.pace = Some(CHUNK);
    }

    fn end(&mut self) -> Result<(), Error> {
        // Memory may have run short just as the last block was done.
        self.all.observer.ran_short();
        self.all.observer.check()
    }
}
