//! The paths of a scenario, in blocks of receivers: steps 3 to 6 of a ray's life.
//!
//! Each block has the paths from one Tx to some receivers, in the order of the whole list. The blocks one after the
//! other are the whole list, and only one block is held at a time. The first block is small; blocks grow until they
//! have about [`PATHS_AT_ONCE`] paths. What is finished may be kept in a file beside the result, from which a stopped
//! run resumes. There it goes in pieces of blocks, so that a stop loses some seconds at most: how long a piece takes
//! depends on the machine, and blocks must not.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use keller::field::PathField;
use keller::parallel;
use keller::paths::{Devices, Path, PathFinder, Search, Viewpoint};
use keller_io::paths::{PathBlock, PathPart};
use keller_io::table::PathRow;
use rayon::prelude::*;

use crate::ends::{Ends, Points};
use crate::observer::{Event, Stage, Tell};
use crate::path_file::{ReadPaths, fits};
use crate::sweep::SweptPaths;
use crate::threshold::{for_search, keep_strong};
use crate::{Error, Job, hints};

/// About this many paths are held at a time: with their fields some 100 MB.
const PATHS_AT_ONCE: usize = 1 << 17;

/// Number of receivers of the first block, before anything is known about the number of paths.
const FIRST_RX: usize = 256;

/// Maximum number of receivers of a block. What a Tx sees is sorted once for all receivers of a block.
const MAX_RX: usize = 1 << 16;

/// Finished receivers are kept about this often.
const KEEP_EVERY: Duration = Duration::from_secs(10);

/// Number of receivers of the first piece, before it is known how long they take.
const FIRST_PIECE: usize = 32;

/// Options of a search for paths.
#[derive(Debug, Clone, Default)]
pub struct PathOptions {
    /// The points between which paths run.
    pub points: Points,
    /// A file for finished blocks, so that a stopped run can resume.
    pub part: Option<PathBuf>,
    /// Whether to resume with the blocks in that file, if it exists.
    pub resume: bool,
    /// A [file of paths](keller_io::paths::PathFile) to read them from, all of them, instead of a search. There is no part
    /// then.
    pub from: Option<PathBuf>,
    /// The store of a sweep, from which they are taken. What it lacks is searched for and added to it.
    pub sweep: Option<PathBuf>,
    /// Only the paths to these receivers; `None` for all. Paths do not depend on it.
    pub rx: Option<Range<usize>>,
    /// Whether to give no warnings about receivers, because they are not those of the user.
    pub is_quiet: bool,
}

/// An iterator over the blocks of paths of a scenario: one Tx after the other, each with its receivers in order.
#[derive(Debug)]
pub struct PathBlocks {
    job: Arc<Job>,
    /// What searches, or the file that is read.
    source: Source,
    ends: Ends,
    tx: Devices,
    rx: Devices,
    /// The receivers that are asked for.
    wanted: Range<usize>,
    /// Where the next block begins: a Tx and an Rx.
    next: (usize, usize),
    /// A point of a Tx, and what it sees. Kept for the next block.
    seen: Option<(usize, Viewpoint)>,
    /// Number of receivers and paths of the blocks so far.
    num_rx: usize,
    num_paths: usize,
    is_reached: Vec<bool>,
    part: Option<PathPart>,
    /// Whether finished pieces are still being read.
    is_resuming: bool,
    /// How many links are in the part.
    num_kept: usize,
    /// How many receivers the next piece has.
    piece: usize,
    is_quiet: bool,
    is_done: bool,
}

/// Where blocks come from.
#[derive(Debug)]
enum Source {
    Search(Box<PathFinder>),
    File(ReadPaths),
    Sweep(Box<SweptPaths>),
}

impl Job {
    /// The paths of the scenario, block by block.
    ///
    /// # Errors
    /// [`Error::Input`] for devices that cannot be used, for searches that are too large, and for a file of paths that is
    /// damaged or of other devices, of another scene, search or version; [`Error::Part`], [`Error::Stopped`].
    pub fn paths(self: &Arc<Self>, options: &PathOptions) -> Result<PathBlocks, Error> {
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
        self.observer.report(Stage::Search, 0.0);
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
        let source = match (&options.from, &options.sweep) {
            (Some(file), _) => Source::File(ReadPaths::open(file, self, &ends)?),
            (None, Some(store)) => {
                Source::Sweep(Box::new(SweptPaths::open(store, self, options.points)?))
            }
            (None, None) => Source::Search(Box::new(self.finder(for_search(scenario))?)),
        };
        let is_searched = matches!(source, Source::Search(_));
        let part = options.part.as_ref().filter(|_| is_searched);
        let is_resuming = options.resume && part.is_some_and(|name| name.exists());
        let run = || self.digest(&[&options.points, &wanted]);
        let part = part.map(|name| {
            if is_resuming {
                PathPart::resume(name, run())
            } else {
                PathPart::create(name, run())
            }
        });
        Ok(PathBlocks {
            source,
            job: Arc::clone(self),
            ends,
            tx,
            rx,
            next: (0, wanted.start),
            wanted,
            seen: None,
            num_rx: 0,
            num_paths: 0,
            is_reached: vec![false; scenario.receivers.rx.len()],
            part: part.transpose()?,
            is_resuming,
            num_kept: 0,
            piece: FIRST_PIECE,
            is_quiet: options.is_quiet,
            is_done: false,
        })
    }

    /// Step 7: the rows of a table of paths, with the field along each.
    ///
    /// # Panics
    /// If there are 2^32 devices.
    pub fn path_rows(&self, block: &PathBlock) -> Vec<PathRow> {
        self.observer.report(Stage::Field, 1.0);
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

impl PathBlocks {
    /// Whether each receiver of the scenario has a path in one of the blocks so far, however weak. False for those that
    /// are not asked for.
    pub fn is_reached(&self) -> &[bool] {
        &self.is_reached
    }

    /// What is kept of the run if it stops now, and how to resume; `None` if nothing is kept.
    pub fn kept(&self) -> Option<String> {
        let part = self.part.as_ref().filter(|part| part.num_blocks() > 0)?;
        let num_links = self.tx_count() * self.wanted.len();
        let share = 100.0 * self.num_kept as f64 / num_links.max(1) as f64;
        Some(format!(
            "the paths of {share:.1} % of the links are kept in {}; run the same command with --resume to continue",
            part.name().display()
        ))
    }

    /// Removes the file of finished blocks, once the results are written.
    ///
    /// # Errors
    /// [`Error::Part`]
    pub fn finish(self) -> Result<(), Error> {
        Ok(self.part.map_or(Ok(()), PathPart::remove)?)
    }

    fn tx_count(&self) -> usize {
        self.job.scenario.tx.len()
    }

    /// The paths from a Tx to some receivers: those that were kept, and then those that are found and kept now.
    fn find_and_keep(&mut self, tx: usize, rx: Range<usize>) -> Result<PathBlock, Error> {
        let mut all: Option<PathBlock> = None;
        while all.as_ref().is_none_or(|all| all.rx.end < rx.end) {
            let left = all.as_ref().map_or(rx.start, |all| all.rx.end)..rx.end;
            let piece = match self.kept_piece(tx, left.clone())? {
                Some(piece) => piece,
                None => self.find_piece(tx, left)?,
            };
            match &mut all {
                Some(all) => all.append(piece),
                None => all = Some(piece),
            }
        }
        Ok(all.expect("there is one piece at least"))
    }

    /// Finds the paths to the first of some receivers, to as many as take some seconds, and keeps them.
    fn find_piece(&mut self, tx: usize, left: Range<usize>) -> Result<PathBlock, Error> {
        self.job.observer.check()?;
        let end = match self.part {
            Some(_) => left.end.min(left.start + self.piece),
            None => left.end,
        };
        let start = Instant::now();
        let found = self.find(tx, left.start..end)?;
        let found = found.expect("a search does not end");
        if let Some(part) = &mut self.part {
            part.put(&found)?;
            self.has_kept(found.rx.len());
            let nanoseconds = start.elapsed().as_nanos().max(1);
            let next = KEEP_EVERY.as_nanos() * found.rx.len() as u128 / nanoseconds;
            let next = usize::try_from(next).unwrap_or(usize::MAX);
            // Each thread has receivers of its own.
            let threads = rayon::current_num_threads();
            self.piece = next.clamp(threads, 8 * self.piece.max(threads));
        }
        Ok(found)
    }

    /// So many more links are kept.
    fn has_kept(&mut self, num_links: usize) {
        self.num_kept += num_links;
        if let Some(kept) = self.kept() {
            self.job.observer.tell(Event::Kept(kept));
        }
    }

    /// The next piece of the part file, while finished ones are being read.
    fn kept_piece(&mut self, tx: usize, left: Range<usize>) -> Result<Option<PathBlock>, Error> {
        let Some(part) = self.part.as_mut().filter(|_| self.is_resuming) else {
            return Ok(None);
        };
        let Some(piece) = part.next_block()? else {
            self.is_resuming = false;
            return Ok(None);
        };
        let scene = self.job.world.scene();
        let is_next = (piece.tx, piece.rx.start) == (tx, left.start) && piece.rx.end <= left.end;
        let is_some = piece.rx.start < piece.rx.end || left.is_empty();
        if is_next && is_some && fits(&piece, &self.ends, scene) {
            self.has_kept(piece.rx.len());
            return Ok(Some(piece));
        }
        Err(Error::Input(format!(
            "{}: what is finished here is damaged: remove the file to begin anew",
            part.name().display()
        )))
    }

    /// The paths from a Tx to some receivers, found in blocks, as one block.
    pub(crate) fn unit(&mut self, tx: usize, rx: Range<usize>) -> Result<PathBlock, Error> {
        let mut all: Option<PathBlock> = None;
        (self.next, self.wanted.end) = ((tx, rx.start), rx.end);
        while all.is_none() || self.next.1 < rx.end {
            self.job.observer.check()?;
            let block = self
                .find(tx, self.next_rx())?
                .expect("a search does not end");
            self.num_rx += block.rx.len();
            self.num_paths += block.paths.len();
            self.next.1 = block.rx.end;
            match &mut all {
                Some(all) => all.append(block),
                None => all = Some(block),
            }
        }
        Ok(all.expect("there is one block at least"))
    }

    /// The receivers of the next block.
    fn next_rx(&self) -> Range<usize> {
        let count = match self.num_rx {
            0 => FIRST_RX,
            // The number that the paths so far suggest, but not many times more than before.
            known => {
                let wanted = PATHS_AT_ONCE * known / self.num_paths.max(1);
                wanted.clamp(1, 8 * known.min(MAX_RX)).min(MAX_RX)
            }
        };
        let first = self.next.1;
        first..self.wanted.end.min(first + count)
    }

    /// Finds the paths of a block, or reads the next one. `None` where nothing is left to read.
    fn find(&mut self, tx: usize, rx: Range<usize>) -> Result<Option<PathBlock>, Error> {
        let num_tx = self.tx_count();
        let job = &self.job;
        let finder = match &mut self.source {
            Source::Search(finder) => &*finder,
            Source::File(file) => {
                let scene = job.world.scene();
                return file.next(scene, &self.ends, self.next, num_tx, &self.wanted);
            }
            Source::Sweep(swept) => return swept.block(tx, rx).map(Some),
        };
        let points = self.ends.rx.of_devices(rx.clone());
        let of_points = self.rx.part(points.clone());
        let (mut paths, num_rx) = (Vec::new(), self.wanted.len());
        let done = tx * num_rx + rx.start - self.wanted.start;
        let all = num_tx * num_rx;
        let (done, all) = (done as f64, all as f64);
        let elements = self.ends.tx.of_device(tx);
        let share = rx.len() as f64 / elements.len() as f64;
        for (index, point) in elements.clone().enumerate() {
            let told = |stage: keller::Stage, part: f64| {
                let done = done + (index as f64 + part) * share;
                (stage.into(), done / all)
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
        // The search over tiles does not tell how much power it leaves out.
        let is_known = job.search() != Search::Tiles || for_search(&job.scenario).is_none();
        // The paths of one pair of points stay in order.
        paths.par_sort_by_key(|path| of(path));
        let mut counts = vec![0; rx.len()];
        for path in &paths {
            counts[of(path) - rx.start] += 1;
        }
        Ok(Some(PathBlock {
            tx,
            rx,
            is_reached,
            counts,
            paths,
            omitted: omitted.filter(|_| is_known),
        }))
    }

    /// The next block; `None` after the last.
    fn step(&mut self) -> Result<Option<PathBlock>, Error> {
        let (is_file, is_search) = match self.source {
            Source::Search(_) => (false, true),
            Source::File(_) => (true, false),
            Source::Sweep(_) => (false, false),
        };
        let (tx, rx) = (self.next.0, self.next_rx());
        // A file is read to its end, which says that it is whole.
        let block = if tx == self.tx_count() && !is_file {
            None
        } else if is_search {
            Some(self.find_and_keep(tx, rx)?)
        } else {
            self.job.observer.check()?;
            self.find(tx, rx)?
        };
        let Some(block) = block else {
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
            return Ok(None);
        };
        self.num_rx += block.rx.len();
        self.num_paths += block.paths.len();
        for (rx, is_reached) in block.rx.clone().zip(&block.is_reached) {
            self.is_reached[rx] |= is_reached;
        }
        self.next = if block.rx.end == self.wanted.end {
            (block.tx + 1, self.wanted.start)
        } else {
            (block.tx, block.rx.end)
        };
        Ok(Some(block))
    }
}

impl Iterator for PathBlocks {
    type Item = Result<PathBlock, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        let block = self.step().transpose();
        self.is_done = !matches!(block, Some(Ok(_)));
        block
    }
}
