//! The paths of a scenario, in blocks of receivers: steps 3 to 6 of a ray's life.
//!
//! A unit is a Tx with receivers. Each block has the paths from one Tx to some receivers, in the order of the whole list. The blocks one
//! after the other are the whole list, and only one block is held at a time. The first block is small; blocks grow until they have about
//! [`PATHS_AT_ONCE`] paths, or take some seconds where they are kept in a file. Blocks of the search `tubes` are large at once. How long a
//! block takes depends on the machine, and results do not depend on blocks.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use keller::field::PathField;
use keller::parallel;
use keller::paths::{Devices, Path, PathFinder, Search, Viewpoint};
use keller_io::reports::table::PathRow;
use keller_io::store::paths::PathBlock;
use keller_io::store::{Kind, Unit};
use rayon::prelude::*;

use crate::ends::{Ends, PathEnds};
use crate::observer::{RunStage, Tell};
use crate::path_file::fits;
use crate::threshold::{for_search, has_threshold, keep_strong};
use crate::work::{Run, Share, Work};
use crate::{Error, Job, hints};

/// The approximate number of paths that are held at a time: with their fields some 100 MB.
const PATHS_AT_ONCE: usize = 1 << 17;

/// Number of receivers of the first block, before anything is known about the number of paths.
const FIRST_RX: usize = 256;

/// Maximum number of receivers of a block. The view of a Tx is sorted once for all receivers of a block.
const MAX_RX: usize = 1 << 16;

/// Number of receivers of a block of the search `tubes`, which takes nearly as long for few.
const RX_OF_TUBES: usize = 1 << 14;

/// Finished receivers are kept about this often.
const KEEP_EVERY: Duration = Duration::from_secs(10);

/// Number of receivers of the first block that is kept, before it is known how long they take.
const FIRST_KEPT: usize = 32;

/// Options of a search for paths.
#[derive(Debug, Clone, Default)]
pub struct PathRunOptions {
    /// The points between which paths run.
    pub points: PathEnds,
    /// A [file of paths](keller_io::store::paths::PathFile) to read them from, all of them, instead of a search.
    pub from: Option<PathBuf>,
    /// The receivers whose paths are found; `None` for all. Paths do not depend on it.
    pub rx: Option<Range<usize>>,
    /// Whether to give no warnings about receivers, because they are not those of the user.
    pub is_quiet: bool,
}

/// An iterator over the blocks of paths of a scenario: one Tx after the other, each with its receivers in order.
pub type PathBlocks = Run<Paths>;

/// The search for the paths of a scenario.
#[derive(Debug)]
pub struct Paths {
    job: Arc<Job>,
    /// The search, from the first block on that is searched for.
    finder: Option<Box<PathFinder>>,
    points: PathEnds,
    ends: Ends,
    tx: Devices,
    rx: Devices,
    /// The receivers that are asked for.
    wanted: Range<usize>,
    /// A point of a Tx, and its view. Kept for the next block.
    seen: Option<(usize, Viewpoint)>,
    /// Number of receivers and paths of the blocks so far.
    num_rx: usize,
    num_found: usize,
    is_reached: Vec<bool>,
    /// The largest number of receivers of the next block, where it is to take some seconds only.
    most: Option<usize>,
    is_quiet: bool,
}

impl Job {
    /// The paths of the scenario, block by block.
    ///
    /// # Errors
    /// [`Error::Input`] for devices that cannot be used, for searches that are too large, and for a file of paths that is
    /// damaged or of other devices, of another scene, search or version; [`Error::Store`], [`Error::Stopped`].
    pub fn paths(self: &Arc<Self>, options: &PathRunOptions) -> Result<PathBlocks, Error> {
        let scenario = &self.scenario;
        let ends = Ends::new(options.points, scenario, &self.positions)?;
        let all = 0..scenario.receivers.rx.len();
        let wanted = options.rx.clone().unwrap_or(all.clone());
        if wanted.start > wanted.end
            || wanted.end > all.end
            || (options.from.is_some() && wanted != all)
        {
            return Err(Error::Input(format!(
                "receivers {} to {}: accepted: a part of 0 to {}",
                wanted.start, wanted.end, all.end
            )));
        }
        self.observer.report(RunStage::Search, 0.0);
        if !options.is_quiet {
            hints::coinciding(scenario, &self.positions, &*self.observer);
        }
        hints::scattering(scenario, &self.world, &*self.observer);
        if let (true, Some(first)) = (
            ends.rx.positions().is_empty(),
            self.positions.left_out.first(),
        ) {
            return Err(Error::Input(format!(
                "{}: none of the {} receivers has a place in the scene: all stand on or in walls, or over no ground; rx {} stands {}",
                scenario.receivers.origin(first.rx),
                all.end,
                first.rx,
                first.reason.name()
            )));
        }
        let of_ends = |error| ends.error(scenario, error);
        let scene = self.world.scene();
        let tx = Devices::tx(scene, ends.tx.positions()).map_err(of_ends)?;
        let rx = Devices::rx(scene, ends.rx.positions()).map_err(of_ends)?;
        let file = options.from.as_ref();
        let file = file.map(|file| self.path_file(file, &ends)).transpose()?;
        let work = Paths {
            finder: None,
            job: Arc::clone(self),
            points: options.points,
            ends,
            tx,
            rx,
            wanted,
            seen: None,
            num_rx: 0,
            num_found: 0,
            is_reached: vec![false; scenario.receivers.rx.len()],
            most: None,
            is_quiet: options.is_quiet,
        };
        match file {
            None => {
                let mut run = Run::new(work, None);
                run.work.prepare()?;
                Ok(run)
            }
            Some(file) => {
                let damaged = file.damaged();
                Run::read_from(file.into_store(), damaged, work)
            }
        }
    }

    /// Step 7: the rows of a table of paths, with the field along each.
    ///
    /// # Panics
    /// If there are 2^32 devices.
    pub fn path_rows(&self, block: &PathBlock) -> Vec<PathRow> {
        self.observer.report(RunStage::Field, 1.0);
        let (tx, receivers) = (&self.scenario.tx[block.tx], &self.scenario.receivers);
        // Devices without a place have no point, so numbers of points differ from numbers of devices.
        let number = |device| u32::try_from(device).expect("tables number devices in 32 bits");
        let row = |(rx, path): (usize, &Path)| {
            let field = PathField::new(path, &self.world);
            let gain = field.gain(&tx.antenna, receivers.antenna(rx));
            PathRow {
                tx: number(block.tx),
                rx: number(rx),
                tx_device: self.tx[block.tx].clone(),
                rx_device: self.rx[rx].clone(),
                ..PathRow::new(path, &field, gain)
            }
        };
        let paths = block
            .links()
            .flat_map(|(rx, paths)| paths.iter().map(move |path| (rx, path)));
        let paths: Vec<(usize, &Path)> = paths.collect();
        parallel::map_slice(&paths, |path| row(*path))
    }
}

impl Paths {
    /// Whether each receiver of the scenario has a path in one of the blocks so far, however weak. False for those that
    /// are not asked for.
    pub fn is_reached(&self) -> &[bool] {
        &self.is_reached
    }

    /// Prepares the search, so that requests it cannot fulfil are reported now.
    pub(crate) fn prepare(&mut self) -> Result<(), Error> {
        if self.finder.is_none() {
            let finder = self.job.finder(for_search(&self.job.scenario))?;
            self.finder = Some(Box::new(finder));
        }
        Ok(())
    }

    /// The number of receivers of the next block, with so many left.
    fn num_next(&self, left: usize) -> usize {
        if matches!(self.job.search(), Search::Tubes(_)) {
            return RX_OF_TUBES.min(left);
        }
        let count = match self.num_rx {
            0 => FIRST_RX,
            // The number that the paths so far suggest, but not many times more than before.
            known => {
                let wanted = PATHS_AT_ONCE * known / self.num_found.max(1);
                wanted.clamp(1, 8 * known.min(MAX_RX)).min(MAX_RX)
            }
        };
        count.min(self.most.unwrap_or(count)).min(left)
    }

    /// Learns how long so many receivers took.
    fn learn(&mut self, num_rx: usize, took: Duration) {
        if let Some(most) = &mut self.most {
            let next = KEEP_EVERY.as_nanos() * num_rx as u128 / took.as_nanos().max(1);
            let next = usize::try_from(next).unwrap_or(usize::MAX);
            // Each thread has receivers of its own.
            let threads = rayon::current_num_threads();
            *most = next.clamp(threads, 8 * num_rx.max(threads));
        }
    }

    /// Finds the paths from a Tx to some receivers.
    fn find(&mut self, tx: usize, rx: Range<usize>, share: Share) -> Result<PathBlock, Error> {
        self.prepare()?;
        let job = &self.job;
        let finder = self.finder.as_ref().expect("it is prepared");
        let points = self.ends.rx.of_devices(rx.clone());
        let of_points = self.rx.part(points.clone());
        let mut paths = Vec::new();
        let elements = self.ends.tx.of_device(tx);
        let items = rx.len() as f64 / elements.len() as f64;
        for (index, point) in elements.clone().enumerate() {
            let told = |stage: keller::Stage, part: f64| {
                let done = share.at((index as f64 + part) * items);
                (stage.into(), done)
            };
            let found = job.observer.watch_as(told, |control| {
                let is_seen = self.seen.as_ref().is_some_and(|(of, _)| *of == point);
                if !is_seen {
                    self.seen = None;
                    let seen = finder.views_from(&self.tx, point, control)?;
                    self.seen = Some((point, seen));
                }
                let (_, seen) = self.seen.as_ref().expect("it was just looked for");
                finder.paths(seen, &of_points, control)
            });
            let found = found.map_err(|error| self.ends.error(&job.scenario, error))?;
            paths.extend(found.into_iter().map(|mut path| {
                path.rx += points.start;
                path
            }));
        }
        let of = |path: &Path| self.ends.rx.device(path.rx);
        let mut is_reached = vec![false; rx.len()];
        for path in &paths {
            is_reached[of(path) - rx.start] = true;
        }
        let (mut paths, omitted) =
            keep_strong(&job.scenario, &self.ends, &job.world, rx.clone(), paths);
        // Searches that follow a threshold do not report how much power they leave out.
        let is_known = match job.search() {
            Search::Tiles => for_search(&job.scenario).is_none(),
            Search::Tubes(_) => !has_threshold(&job.scenario),
            _ => true,
        };
        // The paths of one pair of points stay in order.
        paths.par_sort_by_key(|path| of(path));
        let mut counts = vec![0; rx.len()];
        for path in &paths {
            counts[of(path) - rx.start] += 1;
        }
        Ok(PathBlock {
            tx,
            rx,
            is_reached,
            counts,
            paths,
            omitted: omitted.filter(|_| is_known),
        })
    }
}

impl Work for Paths {
    type Output = PathBlock;

    const RESULTS: &'static str = "the paths";

    fn kind(&self) -> Kind {
        match self.points {
            PathEnds::Devices => Kind::Paths,
            PathEnds::Elements => Kind::Channels,
        }
    }

    fn units(&self, most: Option<usize>) -> Vec<Unit> {
        let most = most
            .unwrap_or(usize::MAX)
            .clamp(1, self.wanted.len().max(1));
        let starts = self.wanted.clone().step_by(most);
        let ranges = starts.map(|first| first..self.wanted.end.min(first + most));
        let of_tx = |tx: usize| {
            ranges.clone().map(move |range| Unit {
                family: 0,
                region: 0,
                tx: vec![tx],
                range,
            })
        };
        (0..self.job.scenario.tx.len()).flat_map(of_tx).collect()
    }

    fn compute(&mut self, unit: &Unit, share: Share) -> Result<(Unit, PathBlock), Error> {
        let (first, start) = (unit.range.start, Instant::now());
        let range = first..first + self.num_next(unit.range.len());
        let block = self.find(unit.tx[0], range, share)?;
        self.learn(block.rx.len(), start.elapsed());
        Ok((block.unit(), block))
    }

    fn payload(block: &mut PathBlock) -> Vec<u8> {
        block.to_bytes()
    }

    fn read(&self, unit: &Unit, payload: Vec<u8>) -> Option<PathBlock> {
        let block = PathBlock::from_bytes(&payload)?;
        let is_its = block.unit().begins_with(unit) && block.rx == unit.range;
        (is_its && fits(&block, &self.ends, self.job.world.scene())).then_some(block)
    }

    fn job(&self) -> &Arc<Job> {
        &self.job
    }

    fn digest(&self) -> [u8; 16] {
        self.job.digest(&[&self.points, &self.wanted])
    }

    fn keep_often(&mut self) {
        self.most = Some(FIRST_KEPT);
    }

    fn see(&mut self, block: &PathBlock) {
        self.num_rx += block.rx.len();
        self.num_found += block.paths.len();
        for (rx, is_reached) in block.rx.clone().zip(&block.is_reached) {
            self.is_reached[rx] |= is_reached;
        }
    }

    fn end(&mut self) -> Result<(), Error> {
        if self.wanted.len() == self.is_reached.len() && !self.is_quiet {
            let job = &self.job;
            let (world, positions) = (&job.world, &job.positions);
            hints::unreached(
                &job.scenario,
                world,
                positions,
                &*job.observer,
                &self.is_reached,
            );
        }
        Ok(())
    }
}
