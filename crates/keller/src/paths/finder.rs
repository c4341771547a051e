//! Steps 3 to 6 for one transmitter after the other, and as many receivers at a time as the caller wants.

use std::sync::{Arc, Mutex, PoisonError};

use glam::DVec3;
use rayon::prelude::*;

use super::beside::look_beside;
use super::coarse::{Coarse, CoarsePaths, Environment};
use super::connect::connect;
use super::diffract::diffract;
use super::refine::{CoarseReport, Refiner, Starts, converge, refine, starts};
use super::scatter::scatter;
use super::search::Searcher;
use super::search::views::Views;
use super::solve::images::PlaneBoxes;
use super::to_tiles::TileChains;
use super::{Limits, Path, Search, Transparency};
use crate::scene::Scene;
use crate::tiles::Tiling;
use crate::{Control, Error};

/// Finds the paths of a scene. What a transmitter sees is looked for once, and serves any number of receivers.
#[derive(Debug)]
pub struct PathFinder<'a> {
    scene: &'a Scene,
    limits: &'a Limits,
    transparency: &'a Transparency,
    searcher: Searcher<'a>,
    boxes: PlaneBoxes,
    /// That of the search `tiles`: made when it is first needed, which takes time and may fail.
    coarse: Option<Mutex<Option<Arc<Coarse<'a>>>>>,
}

/// A transmitter and what it sees.
#[derive(Debug)]
pub struct Viewpoint {
    index: usize,
    position: DVec3,
    views: Views,
}

impl<'a> PathFinder<'a> {
    /// Gets the search ready: for `complete` that takes a part of a second in a city.
    pub fn new(
        scene: &'a Scene,
        limits: &'a Limits,
        transparency: &'a Transparency,
        search: Search,
    ) -> Self {
        Self {
            scene,
            limits,
            transparency,
            searcher: Searcher::new(search, scene, limits, transparency),
            boxes: PlaneBoxes::new(scene),
            coarse: (search == Search::Tiles).then(Mutex::default),
        }
    }

    /// The same, which looks for coarse paths in this environment of its scene: that of the search `tiles` otherwise has tiles of
    /// [`crate::tiles::Tiling::of_scene`].
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] for chains that are too long.
    pub fn with_environment(mut self, environment: Environment) -> Result<Self, Error> {
        let coarse = Coarse::new(self.scene, self.limits, environment)?;
        self.coarse = Some(Mutex::new(Some(Arc::new(coarse))));
        Ok(self)
    }

    /// The coarse search, if there is one.
    fn coarse_search(&self, control: &Control) -> Result<Option<Arc<Coarse<'a>>>, Error> {
        let Some(coarse) = &self.coarse else {
            return Ok(None);
        };
        let mut coarse = coarse.lock().unwrap_or_else(PoisonError::into_inner);
        if coarse.is_none() {
            let tiling = Tiling::of_scene(self.scene);
            let environment = Environment::new(self.scene, tiling, control)?;
            let made = Coarse::new(self.scene, self.limits, environment)?;
            *coarse = Some(Arc::new(made));
        }
        Ok(coarse.clone())
    }

    /// What the transmitter `index` at `position` sees.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] from the exhaustive search, [`Error::Cancelled`].
    pub fn look_from(
        &self,
        index: usize,
        position: DVec3,
        control: &Control,
    ) -> Result<Viewpoint, Error> {
        let views = if self.coarse_search(control)?.is_some() && self.limits.max_scatterings == 0 {
            Views::nothing(position)
        } else {
            self.searcher.tx_views(position, control)?
        };
        Ok(Viewpoint {
            index,
            position,
            views,
        })
    }

    /// Every path to every receiver that the search proposes and that is really there, sorted by (rx, length). Each receiver's do not
    /// depend on the others. Positions must have passed [`super::check_devices`].
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`], [`Error::Cancelled`].
    pub fn paths(
        &self,
        tx: &Viewpoint,
        rx: &[DVec3],
        control: &Control,
    ) -> Result<Vec<Path>, Error> {
        let (job, tx) = (self.job(control), tx.transmitter());
        let mut paths = if let Some(coarse) = self.coarse_search(control)? {
            let found = coarse.paths(tx.position, rx, control)?;
            refine(&job, &tx, rx, &found, Refiner::Exact)?.0
        } else {
            self.by_views(&job, &tx, rx)?
        };
        if self.limits.max_scatterings > 0 {
            paths.extend(scatter(&job, &self.searcher, &tx, rx)?);
        }
        paths.par_sort_by(Path::order);
        Ok(paths)
    }

    /// The paths without scattering, from what the transmitter sees.
    fn by_views(&self, job: &Job, tx: &Transmitter, rx: &[DVec3]) -> Result<Vec<Path>, Error> {
        let mut paths = connect(job, tx, rx)?;
        if self.limits.max_diffractions > 0 {
            paths.extend(diffract(job, &self.searcher, tx, rx)?);
        }
        if let Some(reach) = self.searcher.reach_beside() {
            paths.sort_by_key(|path| path.rx);
            paths.extend(look_beside(job, tx, rx, &paths, reach)?);
        }
        Ok(paths)
    }

    /// The coarse paths over tiles from a transmitter to receivers.
    ///
    /// # Errors
    /// [`Error::NoTiles`] for the other searches, [`Error::Tiles`], [`Error::SearchTooLarge`], [`Error::Cancelled`].
    pub fn coarse(
        &self,
        tx: &Viewpoint,
        rx: &[DVec3],
        control: &Control,
    ) -> Result<CoarsePaths, Error> {
        let coarse = self.coarse_search(control)?.ok_or(Error::NoTiles)?;
        coarse.paths(tx.position, rx, control)
    }

    /// Coarse paths made exact, and what became of them; sorted by (rx, length).
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn refine(
        &self,
        tx: &Viewpoint,
        rx: &[DVec3],
        coarse: &CoarsePaths,
        control: &Control,
    ) -> Result<(Vec<Path>, CoarseReport), Error> {
        self.refine_by(Refiner::Exact, tx, rx, coarse, control)
    }

    /// The same by any refiner. Descents need [`Self::starts`].
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the starts are those of other coarse paths.
    pub fn refine_by(
        &self,
        refiner: Refiner,
        tx: &Viewpoint,
        rx: &[DVec3],
        coarse: &CoarsePaths,
        control: &Control,
    ) -> Result<(Vec<Path>, CoarseReport), Error> {
        let (job, from) = (self.job(control), tx.transmitter());
        let (mut paths, report) = refine(&job, &from, rx, coarse, refiner)?;
        paths.par_sort_by(Path::order);
        Ok((paths, report))
    }

    /// How many coarse paths converge: what a refiner alone does of [`Self::refine_by`], without validation.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the starts are those of other coarse paths.
    pub fn converge(
        &self,
        refiner: Refiner,
        tx: &Viewpoint,
        rx: &[DVec3],
        coarse: &CoarsePaths,
        control: &Control,
    ) -> Result<usize, Error> {
        converge(&self.job(control), &tx.transmitter(), rx, coarse, refiner)
    }

    /// The middles of the tiles that coarse paths go by: where descents start.
    ///
    /// # Errors
    /// [`Error::NoTiles`] for the other searches, [`Error::Cancelled`].
    pub fn starts(
        &self,
        tx: &Viewpoint,
        rx: &[DVec3],
        coarse: &CoarsePaths,
        control: &Control,
    ) -> Result<Starts, Error> {
        let search = self.coarse_search(control)?.ok_or(Error::NoTiles)?;
        starts(&search, tx.position, rx, coarse, control)
    }

    /// The chains that may lead from a point to the middles of tiles.
    ///
    /// # Errors
    /// [`Error::NoTiles`] for the other searches, [`Error::Tiles`], [`Error::SearchTooLarge`], [`Error::Cancelled`].
    pub fn chains_to_tiles(&self, tx: DVec3, control: &Control) -> Result<TileChains, Error> {
        let coarse = self.coarse_search(control)?.ok_or(Error::NoTiles)?;
        TileChains::new(&coarse, tx, &self.job(control))
    }

    /// What `each` makes of the number of a tile and the exact paths to its middle, for all tiles in their order. Of these paths `rx` is the
    /// number of the tile and `tx` is 0; they are sorted by length, and none is scattered.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn paths_to_tiles<T: Send>(
        &self,
        chains: &TileChains,
        each: impl Fn(usize, Vec<Path>) -> T + Sync,
        control: &Control,
    ) -> Result<Vec<T>, Error> {
        chains.each(&self.job(control), each)
    }

    fn job<'b>(&'b self, control: &'b Control) -> Job<'b> {
        Job {
            scene: self.scene,
            limits: self.limits,
            transparency: self.transparency,
            boxes: &self.boxes,
            control,
        }
    }
}

impl Viewpoint {
    fn transmitter(&self) -> Transmitter<'_> {
        Transmitter {
            index: self.index,
            position: self.position,
            views: &self.views,
        }
    }
}

/// What all stages of one call have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) scene: &'a Scene,
    pub(super) limits: &'a Limits,
    pub(super) transparency: &'a Transparency,
    pub(super) boxes: &'a PlaneBoxes,
    pub(super) control: &'a Control<'a>,
}

/// A transmitter and what it sees.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transmitter<'a> {
    pub(super) index: usize,
    pub(super) position: DVec3,
    pub(super) views: &'a Views,
}
