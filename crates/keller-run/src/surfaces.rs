//! Coverages of surfaces (`engine = "tiles"`), one Tx after the other.
//!
//! The diffuse field and the background are added at the centres of the tiles, whatever the tiles of `[diffuse]` are.
//! The background arrives evenly from all around, so each side of a tile has half of it.

use std::f64::consts::PI;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use keller::coverage::tiles::{TileCoverage, TileField};
use keller::paths::{Environment, Limits};
use keller::tiles::Tiles;
use keller::units::db_to_power;
use keller::{Control, Tx};
use keller_io::scenario::CoverageSettings;
use keller_io::surfaces::{FinishedTx, SurfaceMap, SurfacePart};
use keller_io::table::RayRow;
use rayon::prelude::*;

use crate::coverage::of_curved_surfaces;
use crate::diffuse::DiffuseOfTx;
use crate::observer::{Stage, Tell};
use crate::sweep::SweptSurfaces;
use crate::{Error, Job};

/// Options of a coverage of surfaces.
#[derive(Debug, Clone, Default)]
pub struct SurfaceOptions {
    /// Whether to return the rays to every tile beside the fields.
    pub has_rays: bool,
    /// A file for finished Tx, so that a stopped run can resume.
    pub part: Option<PathBuf>,
    /// Whether to resume with the Tx in that file, if it exists.
    pub resume: bool,
    /// The store of a sweep, from which finished Tx are taken. What it lacks is computed and added to it.
    pub sweep: Option<PathBuf>,
}

/// An iterator over the fields on the surfaces of a scene, Tx after Tx.
#[derive(Debug)]
pub struct SurfaceRun {
    job: Arc<Job>,
    tx: Vec<Tx>,
    coverage: TileCoverage,
    diffuse: Option<DiffuseOfTx>,
    has_rays: bool,
    part: Option<SurfacePart>,
    finished: std::vec::IntoIter<FinishedTx>,
    sweep: Option<Box<SweptSurfaces>>,
    next: usize,
}

impl Job {
    /// The limits of paths to surfaces.
    pub(crate) fn surface_limits(&self) -> Result<&Limits, Error> {
        self.only_limits("engine = \"tiles\" of [coverage]", "")
    }

    /// The fields on the surfaces of the scene, Tx after Tx.
    ///
    /// # Errors
    /// [`Error::Input`] for a scenario that cannot be run, [`Error::Visibility`], [`Error::Part`], [`Error::Stopped`].
    pub fn surfaces(self: &Arc<Self>, options: &SurfaceOptions) -> Result<SurfaceRun, Error> {
        let tx = self.transmitters()?;
        let limits = self.surface_limits()?;
        of_curved_surfaces(self, "tiles", limits);
        if limits.max_scatterings > 0 && !self.world.scatters() {
            self.observer.warn(format!(
                "{}: [paths] max_scatterings has no effect: no material of the scene has `scattering`",
                self.scenario.file.display()
            ));
        }
        let sweep = options
            .sweep
            .as_ref()
            .map(|store| SweptSurfaces::open(store, self, options.has_rays).map(Box::new));
        let sweep = sweep.transpose()?;
        let (mut part, mut finished) = (None, Vec::new());
        if let Some(name) = options.part.as_ref().filter(|_| sweep.is_none()) {
            let run = self.digest(&[&options.has_rays]);
            if options.resume && name.exists() {
                let (resumed, of_before) = SurfacePart::resume(name, run)?;
                (part, finished) = (Some(resumed), of_before);
            } else {
                part = Some(SurfacePart::create(name, run)?);
            }
        }
        let min_gain = min_gain_db(self).map(db_to_power);
        let largest_gain = tx.iter().map(|tx| tx.antenna.largest_gain());
        let environment = Environment {
            min_gain: min_gain.map(|gain| gain / largest_gain.fold(0.0, f64::max)),
            is_complete: self.scenario.tiles.complete.unwrap_or(false),
            // What limits allow, `[diffuse]` leaves to paths: none of them may be lost.
            is_complete_through_walls: self.scenario.diffuse.is_some(),
            ..self.environment()?
        };
        let mut coverage = TileCoverage::new(&self.world, limits, environment)?;
        if let Some(most) = self.scenario.tiles.exact_interactions {
            coverage = coverage.with_exact(most)?;
            self.check_sampling(most, coverage.samples(), limits)?;
        }
        Ok(SurfaceRun {
            coverage: coverage.with_min_gain(min_gain.unwrap_or(0.0)),
            // Fields from a sweep have it already.
            diffuse: match sweep {
                Some(_) => None,
                None => self.diffuse_of_tx(0)?,
            },
            job: Arc::clone(self),
            tx,
            has_rays: options.has_rays,
            part,
            finished: finished.into_iter(),
            sweep,
            next: 0,
        })
    }

    /// Refuses numbers of exact interactions that leave out waves, and says which have no effect or are rough.
    fn check_sampling(&self, most: usize, samples: bool, limits: &Limits) -> Result<(), Error> {
        /// Paths from edge to edge are found one by one from this number on.
        const EDGE_TO_EDGE: usize = 3;
        let file = self.scenario.file.display();
        let key = format!("{file}: [tiles] exact_interactions = {most}");
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

impl SurfaceRun {
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

    /// The fields on all tiles from the next Tx; `None` after the last.
    ///
    /// # Errors
    /// [`Error::Part`], [`Error::Stopped`].
    pub fn next_tx(&mut self) -> Result<Option<FinishedTx>, Error> {
        let index = self.next;
        if index == self.tx.len() {
            return Ok(None);
        }
        self.next += 1;
        if let Some(done) = self.finished.next() {
            if self.fits(index, &done) {
                return Ok(Some(done));
            }
            let part = self.part.as_ref().map(SurfacePart::name);
            return Err(Error::Input(format!(
                "{}: what is finished here is damaged: remove the file to begin anew",
                part.unwrap_or(Path::new("")).display()
            )));
        }
        if let Some(mut sweep) = self.sweep.take() {
            let done = sweep.of_tx(index, |done| self.fits(index, done));
            self.sweep = Some(sweep);
            return done.map(Some);
        }
        let done = self.of_tx(index)?;
        if let Some(part) = &mut self.part {
            part.put(&done)?;
        }
        Ok(Some(done))
    }

    /// Whether something finished that was read back has all tiles, and rays of this Tx to them alone.
    fn fits(&self, tx: usize, done: &FinishedTx) -> bool {
        let (tiles, num_faces) = (self.tiles(), self.job.world.scene().faces().len());
        let is_of_tx = |ray: &RayRow| {
            (ray.tile as usize) < tiles.len()
                && (ray.face as usize) < num_faces
                && ray.path.tx as usize == tx
        };
        done.fields.len() == tiles.len()
            && (self.has_rays || done.rays.is_empty())
            && done.rays.iter().all(is_of_tx)
    }

    /// The fields on all tiles from one Tx.
    pub(crate) fn of_tx(&self, index: usize) -> Result<FinishedTx, Error> {
        let (tx, count) = (&self.tx[index], self.tx.len());
        let told = |stage, done: f64| {
            let stage = match stage {
                keller::Stage::Scatter => Stage::Scatter,
                keller::Stage::Search => Stage::Search,
                _ => Stage::Coverage,
            };
            (stage, (index as f64 + done) / count as f64)
        };
        let survey = |control: &Control<'_>| self.coverage.survey(tx, self.has_rays, control);
        let survey = self.job.observer.watch_as(told, survey)?;
        let mut fields = survey.fields;
        self.add_beside(index, &mut fields)?;
        Ok(FinishedTx {
            rays: self.empty_map().ray_rows(index, &survey.rays),
            fields,
            recall: survey.recall,
        })
    }

    /// Adds the power beside paths to the fields of a Tx.
    fn add_beside(&self, tx: usize, fields: &mut [[TileField; 2]]) -> Result<(), Error> {
        let job = &self.job;
        let background = job.scenario.background;
        if self.diffuse.is_none() && background.is_none() {
            return Ok(());
        }
        let scene = job.world.scene();
        let wavelength = job.world.frequency().wavelength();
        let (tiles, num_tiles) = (self.tiles().all(), fields.len());
        let done = AtomicUsize::new(0);
        let told = |_, share: f64| {
            let of_all = (tx as f64 + share) / self.tx.len() as f64;
            (Stage::Diffuse, of_all)
        };
        let add = |control: &Control<'_>| {
            let each = fields.par_iter_mut().zip(tiles);
            each.try_for_each(|(sides, tile)| {
                control.check()?;
                let front = scene.face_normal(tile.face);
                for (field, normal) in sides.iter_mut().zip([front, -front]) {
                    if let Some(diffuse) = &self.diffuse {
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

    /// What is kept of the run if it stops now, and how to resume; `None` if nothing is kept.
    pub fn kept(&self) -> Option<String> {
        let part = self.part.as_ref().filter(|part| part.num_done() > 0)?;
        Some(format!(
            "{} of {} Tx are kept in {}; run the same command with --resume to continue",
            part.num_done(),
            self.tx.len(),
            part.name().display()
        ))
    }

    /// Removes the file of finished Tx, once the results are written.
    ///
    /// # Errors
    /// [`Error::Part`]
    pub fn finish(self) -> Result<(), Error> {
        Ok(self.part.map_or(Ok(()), SurfacePart::remove)?)
    }
}
