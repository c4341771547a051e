//! Coverages of cells, filled block by block.
//!
//! [`Job::coverage`] chooses and prepares the engine. [`CoverageRun::next_block`] fills the next cells of one Tx, of all
//! Tx at one place, or by beams of several Tx. A block is as large as the observer's memory allows, and starts again with
//! fewer Tx or cells if memory runs short. Finished blocks are held in memory or written to a file, from which a stopped
//! run resumes.

mod beam_maps;
mod beside;
mod buildings;
mod cautions;
mod choose;
mod family;
mod filler;
mod fineness;
mod gains;
pub(crate) mod models;
mod place;
mod sizes;
mod transmitters;
mod units;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use keller::coverage::beams::Beams;
use keller::coverage::points::Points;
use keller::coverage::rooftops::{self, Rooftops};
use keller::coverage::{Engine, Region, tubes};
use keller::paths::Limits;
use keller::units::db_to_power;
use keller::{Control, Tx};
use keller_io::coverage::{CoverageMap, Figures, Part, rows_of};
use keller_io::scenario::{CellSettings, CoverageSettings};

use crate::observer::{Event, Stage, Tell};
use crate::{Error, Job};
pub use beam_maps::BeamMaps;
pub use buildings::cells_in_buildings;

use beside::CellsBeside;
pub(crate) use cautions::of_curved_surfaces;
use family::FamilyRun;
use filler::{Filler, Filling};
use gains::Gains;
use sizes::MIN_CELLS;

/// Default path loss, dB, at which tubes end: nobody receives less.
pub(crate) const TUBES_LIMIT_DB: f64 = 150.0;

/// A coverage that is being filled.
#[derive(Debug)]
pub struct CoverageRun {
    job: Arc<Job>,
    /// Among the regions of the job.
    number: usize,
    /// Of a variant that shares traces with others.
    family: Option<FamilyRun>,
    /// The settings in `[coverage]`, with the engine chosen.
    pub settings: CellSettings,
    /// The cells.
    pub region: Region,
    tx: Vec<Tx>,
    filler: Filler,
    /// From the first block on: whoever fills none needs no diffuse field.
    beside: Option<CellsBeside>,
    gains: Gains,
    /// Tx that are filled together. The groups before `group` are finished.
    groups: Vec<Vec<usize>>,
    group: usize,
    max_cells: Option<usize>,
}

/// Finished cells of some Tx.
#[derive(Debug, Clone, PartialEq)]
pub struct CoverageBlock {
    /// Indices of the Tx.
    pub tx: Vec<usize>,
    /// Numbers of the cells.
    pub cells: Range<usize>,
}

impl Job {
    /// The regions of cells in the scenario's `[coverage]` or `[[coverage]]`.
    ///
    /// # Errors
    /// [`Error::Input`] if there is none, or it describes surfaces.
    pub fn regions(&self) -> Result<&[CellSettings], Error> {
        let file = self.scenario.file.display();
        match &self.scenario.coverage {
            Some(CoverageSettings::Cells(regions)) => Ok(regions),
            Some(CoverageSettings::Surfaces(_)) => {
                let problem = "engine = \"tiles\" computes surfaces, not cells";
                Err(Error::Input(format!("{file}: [coverage]: {problem}")))
            }
            None => {
                let problem = "[coverage] is missing; it defines the region and its cells";
                Err(Error::Input(format!("{file}: {problem}")))
            }
        }
    }

    /// The coverage of one of the [`Self::regions`], ready to be filled.
    ///
    /// # Errors
    /// [`Error::Input`] and [`Error::Scenario`] if it cannot be filled.
    ///
    /// # Panics
    /// If there is no such region.
    pub fn coverage(self: &Arc<Self>, region: usize) -> Result<CoverageRun, Error> {
        self.coverage_in(region, None)
    }

    /// The same of the only region, by what `maps` have prepared. This must be their [job](BeamMaps::job_at).
    ///
    /// # Errors
    /// [`Error::Input`] if it cannot be filled.
    pub fn coverage_from(self: &Arc<Self>, maps: &BeamMaps) -> Result<CoverageRun, Error> {
        self.coverage_in(0, Some(maps.prepared()))
    }

    fn coverage_in(
        self: &Arc<Self>,
        number: usize,
        prepared: Option<&Arc<Beams>>,
    ) -> Result<CoverageRun, Error> {
        let mut settings = self.regions()?[number].clone();
        let region = place::region(self, &settings)?;
        cautions::warn(self, &settings, &region);
        if settings.is_engine_auto {
            let chosen = choose::choose(self, &mut settings, &region);
            self.observer.note(chosen);
        }
        let tx = self.transmitters()?;
        let filler = self.filler(&settings, &region, prepared)?;
        let groups = filler.groups(&tx);
        let num_rows = tx.len() * rows_of(0, tx.len(), filler.figures).len();
        let num_cells = region.num_cells();
        let family = if filler.shares_traces() {
            FamilyRun::new(self, number)?
        } else {
            None
        };
        Ok(CoverageRun {
            job: Arc::clone(self),
            number,
            family,
            settings,
            region,
            tx,
            filler,
            beside: None,
            gains: Gains::held(num_rows, 0..num_cells),
            groups,
            group: 0,
            max_cells: None,
        })
    }

    /// The engine, ready to fill cells.
    fn filler(
        &self,
        settings: &CellSettings,
        region: &Region,
        prepared: Option<&Arc<Beams>>,
    ) -> Result<Filler, Error> {
        let world = &self.world;
        let engine = match settings.engine {
            Engine::Tubes {
                accuracy,
                has_rooftops,
            } => {
                let limits = self.only_limits(
                    "engine = \"tubes\" of [coverage]",
                    ", or engine = \"points\"",
                )?;
                of_curved_surfaces(self, "tubes", limits);
                if has_rooftops {
                    self.check_rooftops(limits)?;
                }
                let min_gain = settings.path_loss_limit_db.unwrap_or(TUBES_LIMIT_DB);
                let of_tubes = tubes::Settings {
                    limits: *limits,
                    accuracy,
                    min_gain: db_to_power(-min_gain),
                };
                let of_rooftops = rooftops::Settings {
                    // Tubes include the chains of one edge if they diffract at all.
                    min_edges: if limits.max_diffractions > 0 { 2 } else { 1 },
                    has_reflections: limits.max_reflections > 0,
                    min_gain: of_tubes.min_gain,
                    is_exact: false,
                };
                let rooftops = has_rooftops.then(|| Rooftops::new(world, region, of_rooftops));
                let tubes = tubes::Tubes::new(world, region, of_tubes);
                let tubes = fineness::refined(self, tubes, settings)?;
                Filling::Tubes {
                    tubes: Box::new(tubes),
                    rooftops: rooftops.transpose()?.map(Box::new),
                }
            }
            Engine::Beams { .. } => {
                let beams = match prepared {
                    Some(beams) => Arc::clone(beams),
                    None => Arc::new(beam_maps::prepare(self, settings, region)?),
                };
                cautions::of_plan(self, &beams);
                cautions::below_ground(self, &beams)?;
                Filling::Beams(beams)
            }
            Engine::Model(model) => {
                let models = models::prepare(self, settings, region, model)?;
                Filling::Models(Box::new(models))
            }
            Engine::Points => {
                Filling::Points(Box::new(Points::new(world, region, self.finder(None)?)))
            }
        };
        Ok(Filler {
            engine,
            figures: match settings.engine {
                _ if settings.multipath => Figures::Multipath,
                Engine::Tubes { has_rooftops, .. } if has_rooftops => Figures::Rooftops,
                _ => Figures::Nothing,
            },
        })
    }

    /// All regions that beams fill, prepared.
    ///
    /// # Errors
    /// [`Error::Input`] if there is none; those of [`Self::coverage`].
    pub(crate) fn beams_of_regions(&self) -> Result<Vec<Beams>, Error> {
        let mut all = Vec::new();
        for settings in self.regions()? {
            if settings.is_of_beams() {
                let region = place::region(self, settings)?;
                let beams = beam_maps::prepare(self, settings, &region)?;
                cautions::of_plan(self, &beams);
                cautions::below_ground(self, &beams)?;
                all.push(beams);
            }
        }
        if all.is_empty() {
            return Err(Error::Input(format!(
                "{}: [coverage]: no region has engine = \"beams\", whose losses are to be calibrated",
                self.scenario.file.display()
            )));
        }
        Ok(all)
    }

    /// Checks that no wave over several roofs comes twice: in chains over rooftops, and by tubes from edge to edge.
    fn check_rooftops(&self, limits: &Limits) -> Result<(), Error> {
        let count = limits.max_diffractions;
        if count > 1 {
            return Err(Error::Input(format!(
                "{}: [coverage] rooftops = true: it adds the waves over several roofs in a row, which [paths] max_diffractions = {count} finds from edge to edge, and they would count twice; \
                 accepted: rooftops = false, or max_diffractions = 0 or 1",
                self.scenario.file.display()
            )));
        }
        Ok(())
    }
}

impl CoverageRun {
    /// Of this region of the run.
    fn digest(&self) -> [u8; 16] {
        let family = self.family.as_ref().map(FamilyRun::digest);
        self.job.digest(&[&self.region, &family])
    }

    /// Writes finished blocks to the new file `name` instead of holding them in memory.
    ///
    /// # Errors
    /// [`Error::Part`]
    pub fn begin_part(&mut self, name: &Path) -> Result<(), Error> {
        let (run, num_cells) = (self.digest(), self.region.num_cells());
        self.gains = Gains::Part(Part::create(name, run, self.num_rows(), num_cells)?);
        Ok(())
    }

    /// Resumes with the finished blocks in the file `name`.
    ///
    /// # Errors
    /// [`Error::Part`], also for the file of another run.
    pub fn resume_part(&mut self, name: &Path) -> Result<(), Error> {
        let (run, num_cells) = (self.digest(), self.region.num_cells());
        self.gains = Gains::Part(Part::resume(name, run, self.num_rows(), num_cells)?);
        if self.filler.can_split_groups() {
            // The stopped run may have had less memory, and so smaller groups.
            for group in &mut self.groups {
                group.retain(|&index| {
                    let rows = rows_of(index, self.tx.len(), self.filler.figures);
                    self.gains.next(&rows, 1).is_some()
                });
            }
            self.groups.retain(|group| !group.is_empty());
        }
        Ok(())
    }

    /// The number of cells of all Tx of a group together that memory allows in a block. Before the first block, groups
    /// are split so that they fit.
    fn max_cells(&mut self) -> usize {
        if let Some(most) = self.max_cells {
            return most;
        }
        let (memory, cell_bytes) = (self.job.observer.memory_left(), self.cell_bytes());
        self.split_groups(self.filler.max_tx(memory, cell_bytes));
        let most = usize::try_from(memory / cell_bytes).unwrap_or(usize::MAX);
        let most = self.filler.max_cells(most.max(MIN_CELLS));
        self.max_cells = Some(most);
        most
    }

    /// From now on at most so many Tx are filled together, where groups can be split.
    fn split_groups(&mut self, max_tx: usize) {
        let rest = self.groups.split_off(self.group);
        let parts = rest.iter().flat_map(|group| group.chunks(max_tx));
        self.groups.extend(parts.map(<[usize]>::to_vec));
    }

    /// Fills the next cells; `None` if all are filled.
    ///
    /// # Errors
    /// [`Error::Memory`] if even the smallest block takes too much, [`Error::Part`], [`Error::Stopped`].
    pub fn next_block(&mut self) -> Result<Option<CoverageBlock>, Error> {
        let observer = Arc::clone(&self.job.observer);
        if self.family.is_some() {
            return self.next_of_family();
        }
        observer.takes_memory(Some(&self.filler.takes_memory(&*observer)));
        let block = self.fill_next();
        let block = match block {
            // What comes before the first block can do with no less.
            Err(Error::Stopped) if observer.ran_short() => {
                Err(Error::Memory(observer.out_of_memory()))
            }
            block => block,
        };
        observer.takes_memory(None);
        block
    }

    fn fill_next(&mut self) -> Result<Option<CoverageBlock>, Error> {
        let observer = Arc::clone(&self.job.observer);
        let num_cells = self.filler.num_cells();
        let total = (num_cells * self.tx.len()) as f64;
        if self.beside.is_none() && self.group < self.groups.len() {
            self.beside = CellsBeside::new(&self.job)?;
        }
        if let Some(beside) = &mut self.beside {
            // Groups may be split later.
            let num_groups = if self.filler.can_split_groups() {
                self.tx.len()
            } else {
                self.groups.len()
            };
            beside.prepare(num_groups, num_cells, &self.job);
        }
        let mut most = self.max_cells();
        while let Some(group) = self.groups.get(self.group) {
            let rows = self.rows_of(group);
            let Some(cells) = self.gains.next(&rows, most / group.len()) else {
                self.group += 1;
                continue;
            };
            let senders: Vec<&Tx> = group.iter().map(|index| &self.tx[*index]).collect();
            let before = self.gains.done();
            let share = (cells.len() * group.len()) as f64 / total;
            let told = |_, done: f64| (Stage::Coverage, before + share * done);
            observer.report(Stage::Coverage, before);
            let fill = |control: &Control<'_>| self.filler.rows(&senders, cells.clone(), control);
            let of_paths = observer.watch_as(told, fill);
            let told = |_, done: f64| (Stage::Diffuse, before + share * done);
            let of_beside = |control: &Control<'_>| match &mut self.beside {
                None => Ok(Vec::new()),
                Some(beside) => {
                    let place = (&self.region, self.filler.ground());
                    beside.gains(group, cells.clone(), place, &self.job, control)
                }
            };
            let filled = of_paths.and_then(|values| {
                let beside = observer.watch_as(told, of_beside)?;
                Ok((values, beside))
            });
            let (values, beside) = match filled {
                Ok(filled) => filled,
                Err(keller::Error::Cancelled) if observer.ran_short() => {
                    // Each block of beams costs whole maps again: better fewer Tx than fewer cells.
                    if self.filler.can_split_groups() && group.len() > 1 {
                        let half = group.len() / 2;
                        self.split_groups(half);
                        continue;
                    }
                    if cells.len() <= MIN_CELLS {
                        return Err(Error::Memory(observer.out_of_memory()));
                    }
                    most = cells.len().div_ceil(2) * group.len();
                    self.max_cells = Some(most);
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            // The first row of each Tx has its gains.
            let rows_of_tx = rows.len() / group.len();
            for (number, (row, mut values)) in rows.into_iter().zip(values).enumerate() {
                if number.is_multiple_of(rows_of_tx)
                    && let Some(beside) = beside.get(number / rows_of_tx)
                {
                    let more = values.iter_mut().zip(beside);
                    more.for_each(|(gain, more)| *gain += more);
                }
                self.gains.put(row, cells.clone(), &values)?;
                // The others may take a while, and a run may be ended amid them.
                if number == 0
                    && let Some(kept) = self.kept()
                {
                    observer.tell(Event::Kept(kept));
                }
            }
            return Ok(Some(CoverageBlock {
                tx: group.clone(),
                cells,
            }));
        }
        // Memory may have run short just as the last block was done.
        observer.ran_short();
        observer.check()?;
        Ok(None)
    }

    /// The map of the gains, once all are filled.
    pub fn map(&self) -> CoverageMap<'_> {
        CoverageMap {
            region: &self.region,
            ground: self.filler.ground(),
            gains: self.gains.store(),
            tx: self.job.map_tx(),
            noise_dbm: self.settings.noise_dbm,
            min_gain: self
                .settings
                .path_loss_limit_db
                .map_or(0.0, |limit| db_to_power(-limit)),
            has_gains_of_tx: self.settings.per_tx,
            figures: self.filler.figures,
            is_volume: self.settings.heights.is_none(),
            frame: self.job.frame.as_ref(),
        }
    }

    /// The file of finished blocks, if there is one.
    pub fn part(&self) -> Option<&Part> {
        match &self.gains {
            Gains::Held(_) => None,
            Gains::Part(part) => Some(part),
        }
    }

    /// What is kept of the run if it stops now, and how to resume; `None` if nothing is kept.
    pub fn kept(&self) -> Option<String> {
        let part = self.part().filter(|part| part.done() > 0.0)?;
        Some(format!(
            "{:.1} % of the coverage is kept in {}; run the same command with --resume to continue",
            100.0 * part.done(),
            part.name().display()
        ))
    }

    /// Removes the file of finished blocks, once the results are written or nothing is worth keeping.
    ///
    /// # Errors
    /// [`Error::Part`]
    pub fn finish(self) -> Result<(), Error> {
        match self.gains {
            Gains::Held(_) => Ok(()),
            Gains::Part(part) => Ok(part.remove()?),
        }
    }
}
