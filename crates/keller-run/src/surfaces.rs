//! Coverages of surfaces (`engine = "surfaces"`), one Tx after the other.
//!
//! A unit is a Tx. The diffuse field and the background are added at the centres of the tiles, whatever the tiles of `[diffuse]` are.
//! The background arrives evenly from all around, so each side of a tile has half of it.

use std::f64::consts::PI;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use keller::coverage::tiles::{TileCoverage, TileField};
use keller::diffuse::ScatteredPaths;
use keller::paths::{Environment, Limits};
use keller::tiles::Tiles;
use keller::units::db_to_power;
use keller::{Control, Tx};
use keller_io::reports::surfaces::{FinishedTx, SurfaceMap};
use keller_io::reports::table::RayRow;
use keller_io::scenario::CoverageSettings;
use keller_io::store::{Kind, Unit};
use rayon::prelude::*;

use crate::coverage::of_curved_surfaces;
use crate::diffuse::DiffuseOfTx;
use crate::observer::{RunStage, Tell};
use crate::work::{Run, Share, Work};
use crate::{Error, Job};

/// An iterator over the fields on the surfaces of a scene, Tx after Tx.
pub type SurfaceRun = Run<Surfaces>;

/// The fields on the surfaces of a scene.
#[derive(Debug)]
pub struct Surfaces {
    job: Arc<Job>,
    tx: Vec<Tx>,
    coverage: TileCoverage,
    /// The diffuse field, from the first Tx on that is computed.
    diffuse: OnceLock<Option<DiffuseOfTx>>,
    has_rays: bool,
}

impl Job {
    /// The limits of paths to surfaces.
    pub(crate) fn surface_limits(&self) -> Result<&Limits, Error> {
        self.only_limits("engine = \"surfaces\" of [coverage]", "")
    }

    /// The fields on the surfaces of the scene, Tx after Tx, with the rays to every tile if `has_rays`.
    ///
    /// # Errors
    /// [`Error::Input`] for a scenario that cannot be run, [`Error::Visibility`], [`Error::Stopped`].
    pub fn surfaces(self: &Arc<Self>, has_rays: bool) -> Result<SurfaceRun, Error> {
        Ok(Run::new(Surfaces::new(self, has_rays)?, None))
    }
}

impl Surfaces {
    pub(crate) fn new(job: &Arc<Job>, has_rays: bool) -> Result<Self, Error> {
        let tx = job.transmitters()?;
        let limits = job.surface_limits()?;
        of_curved_surfaces(job, "surfaces", limits);
        if limits.max_scatterings > 0 && !job.world.scatters() {
            job.observer.warn(format!(
                "{}: [paths] max_scatterings has no effect: no material of the scene has `scattering`",
                job.scenario.file.display()
            ));
        }
        let min_gain = min_gain_db(job).map(db_to_power);
        let largest_gain = tx.iter().map(|tx| tx.antenna.largest_gain());
        let environment = Environment {
            min_gain: min_gain.map(|gain| gain / largest_gain.fold(0.0, f64::max)),
            is_complete: job.scenario.tiles.search_from_tiles.unwrap_or(false),
            ..job.environment()?
        };
        let mut coverage = TileCoverage::new(&job.world, limits, environment)?;
        if let Some(most) = job.scenario.tiles.sample_beyond {
            coverage = coverage.with_exact(most)?;
            job.check_sampling(most, coverage.samples(), limits)?;
        }
        Ok(Self {
            coverage: coverage.with_min_gain(min_gain.unwrap_or(0.0)),
            diffuse: OnceLock::new(),
            job: Arc::clone(job),
            tx,
            has_rays,
        })
    }
}

impl Job {
    /// Refuses numbers of exact interactions that leave out waves, and says which have no effect or are rough.
    fn check_sampling(&self, most: usize, samples: bool, limits: &Limits) -> Result<(), Error> {
        /// Paths from edge to edge are found one by one from this number on.
        const EDGE_TO_EDGE: usize = 3;
        let file = self.scenario.file.display();
        let key = format!("{file}: [tiles] sample_beyond = {most}");
        let edges = limits.max_diffractions.min(limits.max_interactions);
        if !samples {
            self.observer.warn(format!(
                "{key} has no effect: [paths] allows no longer path with a diffraction"
            ));
        } else if most < EDGE_TO_EDGE && edges > 1 {
            return Err(Error::Input(format!(
                "{key} with max_diffractions = {} of [paths] leaves out the waves that run along roofs and walls from one edge to the next, which rays do not sample; accepted: at least {EDGE_TO_EDGE}, or max_diffractions = 1",
                limits.max_diffractions
            )));
        } else if most < EDGE_TO_EDGE {
            self.observer.warn(format!(
                "{key} is rough: of each four sides of tiles, one may be off by more than 3 dB, in the dark most of all; \
                 {EDGE_TO_EDGE} is more accurate"
            ));
        }
        Ok(())
    }
}

/// The smallest gain that counts, dB.
fn min_gain_db(job: &Job) -> Option<f64> {
    match &job.scenario.coverage {
        Some(CoverageSettings::Surfaces(settings)) => {
            settings.path_loss_limit_db.map(|limit| -limit)
        }
        _ => None,
    }
}

impl Surfaces {
    /// The tiles.
    pub fn tiles(&self) -> &Tiles {
        &self.coverage.environment().tiles
    }

    /// A map without fields yet.
    pub fn empty_map(&self) -> SurfaceMap<'_> {
        SurfaceMap {
            scene: self.job.world.scene(),
            tiles: self.tiles(),
            fields: Vec::with_capacity(self.tx.len()),
            recalls: Vec::with_capacity(self.tx.len()),
            tx: self.job.map_tx(),
            min_gain_db: min_gain_db(&self.job),
            frame: self.job.frame.as_ref(),
        }
    }

    /// Whether something finished that was read back has all tiles, and rays of this Tx to them alone.
    fn fits(&self, tx: usize, done: &FinishedTx) -> bool {
        let (tiles, num_faces) = (self.tiles(), self.job.world.scene().faces().len());
        let is_of_tx = |ray: &RayRow| {
            (ray.tile as usize) < tiles.len()
                && (ray.face as usize) < num_faces
                && ray.path.tx as usize == tx
        };
        done.fields.len() == tiles.len() && done.rays.iter().all(is_of_tx)
    }

    /// The fields on all tiles from one Tx.
    fn of_tx(&self, index: usize, share: Share) -> Result<FinishedTx, Error> {
        if self.diffuse.get().is_none() {
            self.diffuse
                .set(self.job.diffuse_of_tx(ScatteredPaths::ToSurfaces, 0)?)
                .ok();
        }
        let tx = &self.tx[index];
        let told = |stage, done: f64| {
            let stage = match stage {
                keller::Stage::Scatter => RunStage::Scatter,
                keller::Stage::Search => RunStage::Search,
                _ => RunStage::Coverage,
            };
            (stage, share.at(done))
        };
        let survey = |control: &Control<'_>| self.coverage.survey(tx, self.has_rays, control);
        let survey = self.job.observer.watch_as(told, survey)?;
        let mut fields = survey.fields;
        self.add_beside(index, &mut fields, share)?;
        Ok(FinishedTx {
            rays: self.empty_map().ray_rows(index, &survey.rays),
            fields,
            recall: survey.recall,
        })
    }

    /// Adds the diffuse power to the fields of a Tx.
    fn add_beside(
        &self,
        tx: usize,
        fields: &mut [[TileField; 2]],
        share: Share,
    ) -> Result<(), Error> {
        let job = &self.job;
        let background = job.scenario.background;
        let diffuse = self.diffuse.get().and_then(Option::as_ref);
        if diffuse.is_none() && background.is_none() {
            return Ok(());
        }
        let scene = job.world.scene();
        let wavelength = job.world.frequency().wavelength();
        let (tiles, num_tiles) = (self.tiles().all(), fields.len());
        let done = AtomicUsize::new(0);
        let told = |_, done: f64| (RunStage::Diffuse, share.at(done));
        let add = |control: &Control<'_>| {
            let each = fields.par_iter_mut().zip(tiles);
            each.try_for_each(|(sides, tile)| {
                control.check()?;
                let front = scene.face_normal(tile.face);
                for (field, normal) in sides.iter_mut().zip([front, -front]) {
                    if let Some(diffuse) = diffuse {
                        let views = diffuse
                            .field
                            .views_from_wall(tile.centre, normal, tile.face);
                        let [gain, flux] = views.map(|view| diffuse.of_tx[tx].gain_of(&view));
                        field.path_gain += gain;
                        field.diffuse_gain += gain;
                        field.incident_power += flux * tile.area;
                    }
                    if let Some(background) = background {
                        let distance = self.tx[tx].position.distance(tile.centre);
                        let gain = 0.5 * background.gain(distance);
                        field.path_gain += gain;
                        // An even field has the flux π L and, over half of all directions, the gain λ² / 2 L.
                        field.incident_power += 2.0 * PI / wavelength.powi(2) * gain * tile.area;
                    }
                }
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                control.report(keller::Stage::Diffuse, done as f64 / num_tiles as f64);
                Ok::<(), keller::Error>(())
            })
        };
        Ok(job.observer.watch_as(told, add)?)
    }
}

impl Work for Surfaces {
    type Output = FinishedTx;

    const RESULTS: &'static str = "the surfaces";

    fn kind(&self) -> Kind {
        Kind::Surfaces
    }

    fn has_rays(&self) -> bool {
        self.has_rays
    }

    fn units(&self, _: Option<usize>) -> Vec<Unit> {
        surface_units(&self.job)
    }

    fn compute(&mut self, unit: &Unit, share: Share) -> Result<(Unit, FinishedTx), Error> {
        Ok((unit.clone(), self.of_tx(unit.tx[0], share)?))
    }

    fn payload(finished: &mut FinishedTx) -> Vec<u8> {
        finished.to_bytes()
    }

    fn read(&self, unit: &Unit, payload: Vec<u8>) -> Option<FinishedTx> {
        let mut finished = FinishedTx::from_bytes(&payload)?;
        if !self.has_rays {
            finished.rays.clear();
        }
        self.fits(unit.tx[0], &finished).then_some(finished)
    }

    fn job(&self) -> &Arc<Job> {
        &self.job
    }

    fn digest(&self) -> [u8; 16] {
        self.job.digest(&[&self.has_rays])
    }
}

/// A unit for each Tx: all tiles at once.
pub(crate) fn surface_units(job: &Job) -> Vec<Unit> {
    let unit = |tx: usize| Unit {
        family: 0,
        region: 0,
        tx: vec![tx],
        range: 0..1,
    };
    (0..job.scenario.tx.len()).map(unit).collect()
}
