//! Coverages of cells, filled block by block.
//!
//! [`Job::coverage`] chooses and prepares the [engine](engines). A unit is some cells of one Tx, of all Tx at one place, or by beams of
//! several Tx: [`Cells`] fills it. A block is as large as the observer's memory allows, and starts again with fewer Tx or cells if memory
//! runs short.

mod beam_maps;
mod beside;
mod buildings;
mod cautions;
mod cells;
mod choose;
mod engines;
mod fineness;
pub(crate) mod models;
mod place;
mod sizes;
mod transmitters;

use std::rc::Rc;
use std::sync::Arc;

use keller::coverage::Region;
use keller::coverage::beams::Beams;
use keller::units::db_to_power;
use keller_io::reports::coverage::CoverageMap;
use keller_io::scenario::{CellSettings, CoverageSettings};
use keller_io::store::UnitStore;

use crate::work::Run;
use crate::{Error, Job};
pub use beam_maps::BeamMaps;
pub use buildings::cells_in_buildings;
pub use cells::{Cells, CoverageBlock};
pub use engines::{CellEngine, Rows, Together};

pub(crate) use cautions::of_curved_surfaces;
pub(crate) use engines::tubes::LIMIT_DB as TUBES_LIMIT_DB;

/// A coverage that is being filled.
pub type CoverageRun = Run<Cells>;

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
                let problem = "engine = \"surfaces\" computes surfaces, not cells";
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

    /// The same of the only region, with the maps that `maps` have prepared. This must be their
    /// [job](BeamMaps::job_at).
    ///
    /// # Errors
    /// [`Error::Input`] if it cannot be filled.
    pub fn coverage_from(self: &Arc<Self>, maps: &BeamMaps) -> Result<CoverageRun, Error> {
        self.coverage_in(0, Some(maps.prepared()))
    }

    /// The same, filled by an engine of the caller's, whatever the settings say of engines. `prepare` makes it for the cells, which it
    /// gets.
    ///
    /// # Errors
    /// [`Error::Input`] if it cannot be filled, and those of `prepare`.
    pub fn coverage_by(
        self: &Arc<Self>,
        region: usize,
        prepare: impl FnOnce(&Region) -> Result<Box<dyn CellEngine>, Error>,
    ) -> Result<CoverageRun, Error> {
        let cells = Cells::by(self, region, prepare)?;
        Ok(Run::new(cells, Some(UnitStore::in_memory())))
    }

    fn coverage_in(
        self: &Arc<Self>,
        number: usize,
        prepared: Option<&Arc<Beams>>,
    ) -> Result<CoverageRun, Error> {
        let cells = Cells::new(self, number, prepared)?;
        Ok(Run::new(cells, Some(UnitStore::in_memory())))
    }

    /// The cells of all regions, where they stand in the scene.
    pub(crate) fn placed_regions(&self) -> Result<Vec<Region>, Error> {
        let regions = self.regions()?.iter();
        regions.map(|region| place::region(self, region)).collect()
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
}

impl CoverageRun {
    /// The map of the gains, once all are filled.
    ///
    /// # Panics
    /// If finished cells are not kept.
    pub fn filled_map(&self) -> CoverageMap<'_> {
        let store = self.store().expect("finished cells are kept");
        CoverageMap {
            region: &self.region,
            ground: self.ground(),
            gains: Rc::new(self.kept_cells(store)),
            tx: self.own().map_tx(),
            noise_dbm: self.settings.noise_dbm,
            min_gain: self
                .settings
                .path_loss_limit_db
                .map_or(0.0, |limit| db_to_power(-limit)),
            has_gains_of_tx: self.settings.per_tx,
            figures: self.figures(),
            is_volume: self.settings.heights.is_none(),
            frame: self.own().frame.as_ref(),
        }
    }
}
