//! Maps by beams of any position of a Tx, in a region that is prepared once.
//!
//! A [`CoverageRun`](super::CoverageRun) prepares the city anew, in tenths of a second. [`BeamMaps`] keeps it, so that
//! each further position costs a map only, which takes milliseconds.

use std::sync::Arc;

use keller::coverage::beams::{Beams, Memory, Settings};
use keller::coverage::{Engine, Region};
use keller::paths::Devices;
use keller::units::{db_to_power, power_to_db};
use keller::{Control, DVec3, Tx};
use keller_io::reports::coverage::CoverageCoordinates;
use keller_io::scenario::{CellSettings, CoverageSettings, Scenario};
use rayon::prelude::*;

use super::{cautions, place};
use crate::observer::{RunStage, Tell};
use crate::{Error, Job};

/// Default path loss, dB, at which waves from corner to corner end.
const LIMIT_DB: f64 = 200.0;

/// A region with `engine = "beams"`, prepared for any position of the Tx of a scenario.
///
/// ```no_run
/// use std::sync::Arc;
/// use keller::DVec3;
/// use keller_run::Job;
///
/// let job = Job::open("city.toml".as_ref(), Arc::new(()))?;
/// let mut maps = job.beam_maps()?;
/// for x in 0..100 {
///     let gains = maps.path_gain_db(0, DVec3::new(f64::from(x), 20.0, 30.0))?;
///     let served = gains.iter().filter(|gain| **gain > -110.0).count();
///     println!("{x} m: {served} cells");
/// }
/// # Ok::<(), keller_run::Error>(())
/// ```
#[derive(Debug)]
pub struct BeamMaps {
    job: Arc<Job>,
    settings: CellSettings,
    beams: Arc<Beams>,
    /// Every Tx of the scenario, where it stood in its last map.
    tx: Vec<Tx>,
    memory: Memory,
}

impl Job {
    /// The only region of a scenario with `engine = "beams"`, prepared for any position of a Tx.
    ///
    /// # Errors
    /// [`Error::Input`] where [`BeamMaps::check_scenario`] refuses the scenario, or for a scene without upright walls;
    /// [`Error::Stopped`].
    pub fn beam_maps(self: &Arc<Self>) -> Result<BeamMaps, Error> {
        let settings = settings_of(&self.scenario)?.clone();
        let region = place::region(self, &settings)?;
        cautions::of_region(self, &settings, &region);
        cautions::of_arrays(self);
        let beams = prepare(self, &settings, &region)?;
        cautions::of_plan(self, &beams);
        let tx = self.scenario.tx.iter().zip(&self.positions.tx);
        let tx = tx.map(|(tx, position)| Tx {
            position: *position,
            antenna: tx.antenna.clone(),
        });
        Ok(BeamMaps {
            tx: tx.collect(),
            job: Arc::clone(self),
            settings,
            beams: Arc::new(beams),
            memory: Memory::default(),
        })
    }
}

impl BeamMaps {
    /// Checks that the maps of a scenario may be asked for by positions, before its scene is read.
    ///
    /// # Errors
    /// [`Error::Input`] unless its coverage is one region with `engine = "beams"`, and for `[diffuse]` and
    /// `[background]`, which these maps do not have.
    pub fn check_scenario(scenario: &Scenario) -> Result<(), Error> {
        settings_of(scenario).map(|_| ())
    }

    /// The settings in `[coverage]`.
    pub fn settings(&self) -> &CellSettings {
        &self.settings
    }

    /// The cells.
    pub fn region(&self) -> &Region {
        self.beams.region()
    }

    /// The number of levels, of rows along y, and of columns along x.
    pub fn shape(&self) -> [usize; 3] {
        let [nx, ny, nz] = self.region().shape();
        [nz, ny, nx]
    }

    /// The arrays that say where the cells lie, as files of coverages have them.
    pub fn coordinates(&self) -> CoverageCoordinates<'_> {
        CoverageCoordinates {
            region: self.region(),
            ground: self.beams.ground(),
            frame: self.job.frame.as_ref(),
        }
    }

    /// The index of a Tx.
    ///
    /// # Errors
    /// [`Error::Input`] if none is called `name`.
    pub fn tx_called(&self, name: &str) -> Result<usize, Error> {
        let all = &self.job.tx;
        let found = all.iter().position(|tx| &*tx.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(|tx| &*tx.name).collect();
            let names = names.join(", ");
            let name = keller_geo::shown::shown(name);
            Error::Input(format!("there is no Tx \"{name}\"; accepted: {names}"))
        })
    }

    /// Checks that a Tx can stand at `position`, metres.
    ///
    /// # Errors
    /// [`Error::Input`] below the ground, on a wall, and far away from the scene.
    pub fn check_position(&self, position: DVec3) -> Result<(), Error> {
        let checked = Devices::tx(self.job.world.scene(), [position]).and(Ok(()));
        let checked = checked.and_then(|()| self.beams.place(position).map(|_| ()));
        checked.map_err(|error| match error {
            keller::Error::DevicePosition { reason, .. } => {
                let [x, y, z] = position.to_array();
                Error::Input(format!("the Tx at ({x}, {y}, {z}): {reason}"))
            }
            error => error.into(),
        })
    }

    /// The path gains of the Tx with the index `tx` at `position`, metres, in dB: row by row, level by level, in the
    /// [shape](Self::shape). Minus infinity where no path leads, NaN where no receiver can be. They are those of a
    /// [`CoverageRun`](super::CoverageRun) of a Tx there, to the last bit.
    ///
    /// # Errors
    /// [`Error::Input`] where [`Self::check_position`] refuses the position; [`Error::Stopped`].
    ///
    /// # Panics
    /// If there is no such Tx.
    pub fn path_gain_db(&mut self, tx: usize, position: DVec3) -> Result<Vec<f32>, Error> {
        self.check_position(position)?;
        let [nz, ny, nx] = self.shape();
        let limit = self.settings.path_loss_limit_db;
        let min_gain = limit.map_or(0.0, |limit| db_to_power(-limit));
        let tx = &mut self.tx[tx];
        tx.position = position;
        let mut all = vec![0.0; nz * ny * nx];
        for (level, of_level) in all.chunks_exact_mut(ny * nx).enumerate() {
            self.job.observer.check()?;
            let by_columns = self.beams.gains_by_columns(tx, level, &mut self.memory)?;
            let fill_row = |(row, values): (usize, &mut [f32])| {
                for (column, value) in values.iter_mut().enumerate() {
                    *value = in_db(by_columns[column * ny + row], min_gain);
                }
            };
            of_level
                .par_chunks_exact_mut(nx)
                .enumerate()
                .for_each(fill_row);
        }
        Ok(all)
    }

    /// The job of a scenario that differs from that of these maps in its `[[tx]]` alone; [`Job::coverage_from`] fills
    /// its coverage. A later map is of the Tx of these maps still.
    ///
    /// # Errors
    /// [`Error::Scenario`] for a Tx without a place in the scene, [`Error::Input`] where [`Self::check_position`] refuses
    /// that.
    ///
    /// # Panics
    /// If the scenarios differ in the region.
    pub fn job_at(&self, scenario: Scenario) -> Result<Arc<Job>, Error> {
        assert!(
            scenario.coverage == self.job.scenario.coverage
                && scenario.beams == self.job.scenario.beams,
            "the region must be the one that was prepared"
        );
        let job = self.job.with_tx(scenario)?;
        for position in &job.positions.tx {
            self.check_position(*position)?;
        }
        Ok(job)
    }

    pub(super) fn prepared(&self) -> &Arc<Beams> {
        &self.beams
    }
}

/// The city, prepared for a region.
pub(super) fn prepare(job: &Job, settings: &CellSettings, region: &Region) -> Result<Beams, Error> {
    let limit = settings.path_loss_limit_db.unwrap_or(LIMIT_DB);
    let settings = Settings {
        has_roofs: matches!(settings.engine, Engine::Beams { has_rooftops: true }),
        min_gain: db_to_power(-limit),
        ..job.scenario.beams
    };
    let prepare = |control: &Control<'_>| Beams::new(&job.world, region, settings, control);
    let told = |_, done: f64| (RunStage::Scene, done);
    let beams = job.observer.watch_as(told, prepare);
    beams.map_err(|error| match error {
        keller::Error::Cancelled => Error::Stopped,
        error => Error::in_scenario(&job.scenario, &error),
    })
}

/// The region of a scenario whose maps may be asked for by positions.
fn settings_of(scenario: &Scenario) -> Result<&CellSettings, Error> {
    let file = scenario.file.display();
    let refused = |line: Option<usize>, problem: String| {
        let line = line.map_or(String::new(), |line| format!(":{line}"));
        Err(Error::Input(format!("{file}{line}: {problem}")))
    };
    let only = "maps of many positions need one [coverage] with engine = \"beams\"";
    let settings = match &scenario.coverage {
        Some(CoverageSettings::Cells(regions)) => match &regions[..] {
            [settings] => settings,
            _ => return refused(None, format!("there are {} regions; {only}", regions.len())),
        },
        Some(CoverageSettings::Surfaces(_)) => {
            return refused(None, format!("[coverage] engine = \"surfaces\": {only}"));
        }
        None => return refused(None, format!("[coverage] is missing: {only}")),
    };
    let engine = match settings.engine {
        _ if settings.is_engine_auto => "auto",
        Engine::Beams { .. } => "beams",
        Engine::Model(_) => "model",
        Engine::Points => "points",
        Engine::Tubes { .. } => "tubes",
    };
    if engine != "beams" {
        let problem = format!("[coverage] engine = \"{engine}\": {only}");
        return refused(Some(settings.line), problem);
    }
    let beside = [
        ("diffuse", scenario.diffuse.is_some()),
        ("background", scenario.background.is_some()),
    ];
    if let Some((section, _)) = beside.iter().find(|(_, is_there)| *is_there) {
        let problem = format!(
            "[{section}]: maps of many positions leave it out; accepted: none, or a coverage of each position"
        );
        return refused(None, problem);
    }
    Ok(settings)
}

/// A linear gain as files have it.
fn in_db(gain: f32, min_gain: f64) -> f32 {
    let gain = f64::from(gain);
    let gain = if gain < min_gain { 0.0 } else { gain };
    #[expect(clippy::cast_possible_truncation, reason = "decibels have few digits")]
    let gain_db = power_to_db(gain) as f32;
    gain_db
}
