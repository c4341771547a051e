//! Finds paths by the search `tiles`: coarse paths from tile to tile, made exact and validated.

use glam::DVec3;
use rayon::prelude::*;

use super::coarse::{Coarse, CoarsePaths, Environment};
use super::from_tiles::FromTiles;
use super::refine::{CoarseReport, refine};
use super::to_tiles::TileChains;
use crate::paths::job::{Job, Transmitter};
use crate::paths::search::tiles::TileWaves;
use crate::paths::search::views::Views;
use crate::paths::solve::images::PlaneBoxes;
use crate::paths::{Limits, Path};
use crate::tiles::Tiles;
use crate::{Control, Error, World};

/// Finds coarse paths over tiles, and makes them exact.
#[derive(Debug)]
pub struct TileFinder {
    world: World,
    limits: Limits,
    boxes: PlaneBoxes,
    coarse: Coarse,
    /// The search from the tiles for chains to them, if they are also looked for from there.
    from_tiles: Option<FromTiles>,
}

impl TileFinder {
    /// A finder in an environment of its scene.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] for chains that are too long.
    pub fn new(world: &World, limits: &Limits, environment: Environment) -> Result<Self, Error> {
        let from_tiles = environment.complete_up_to(limits).map(|num_edges| {
            let limits = Limits {
                max_diffractions: if num_edges == 0 {
                    0
                } else {
                    limits.max_diffractions
                },
                ..*limits
            };
            FromTiles::new(world, &limits)
        });
        Ok(Self {
            world: world.clone(),
            limits: *limits,
            boxes: PlaneBoxes::new(world.scene()),
            from_tiles,
            coarse: Coarse::new(world, limits, environment)?,
        })
    }

    /// Every valid path that follows from the coarse ones.
    pub(in crate::paths) fn paths(
        &self,
        job: &Job,
        tx: &Transmitter,
        rx: &[DVec3],
    ) -> Result<Vec<Path>, Error> {
        let found = self.coarse.paths(tx.position, rx, job.control)?;
        Ok(refine(job, tx, rx, &found)?.0)
    }

    /// The coarse paths from a transmitter to receivers.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn coarse(&self, tx: DVec3, rx: &[DVec3], control: &Control) -> Result<CoarsePaths, Error> {
        self.coarse.paths(tx, rx, control)
    }

    /// The coarse paths of at most one interaction. They need no pairs of tiles, so none is lost.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn first_order(
        &self,
        tx: DVec3,
        rx: &[DVec3],
        control: &Control,
    ) -> Result<CoarsePaths, Error> {
        self.coarse.first_order_paths(tx, rx, control)
    }

    /// The waves from a transmitter, to be followed from tile to tile in an order of one's own.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn waves(
        &self,
        tx: DVec3,
        rx: &[DVec3],
        control: &Control,
    ) -> Result<TileWaves<'_>, Error> {
        TileWaves::new(self.coarse.search(), tx, rx, control)
    }

    /// Coarse paths made exact, and the report on them; sorted by (rx, length).
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If `coarse` has chains that are not of this scene, scatter or lead to receivers that are not in `rx`.
    pub fn refine(
        &self,
        tx: DVec3,
        rx: &[DVec3],
        coarse: &CoarsePaths,
        control: &Control,
    ) -> Result<(Vec<Path>, CoarseReport), Error> {
        let views = Views::nothing(tx);
        let (job, from) = (self.job(control), transmitter(tx, &views));
        let (mut paths, report) = refine(&job, &from, rx, coarse)?;
        paths.par_sort_by(Path::order);
        Ok((paths, report))
    }

    /// The same finder with another margin, the largest distance of a tile's centre from the illuminated part for the
    /// tile to count, as a share of the tile's size. 0 requires the centre to be illuminated, as in Vaara 2022, and
    /// finds fewer paths; 1, the default, takes all tiles of which any part may be illuminated.
    #[must_use]
    pub fn with_margin(mut self, margin: f32) -> Self {
        self.coarse.set_margin(margin);
        self
    }

    /// The world in which it finds paths.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The limits of its paths.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The tiles over which it searches.
    pub fn tiles(&self) -> &Tiles {
        self.coarse.tiles()
    }

    /// The chains that may lead from a point to the centres of tiles.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn chains_to_tiles(&self, tx: DVec3, control: &Control) -> Result<TileChains, Error> {
        let from_tiles = self.from_tiles.as_ref();
        TileChains::new(&self.coarse, from_tiles, tx, &self.job(control))
    }

    /// The values of `each` for the number of a tile and, for each of some finders and the chains that it found, the
    /// exact paths to its centre; for all tiles in order. In these paths `rx` is the number of the tile and `tx` is 0. They
    /// are sorted by length, and none is scattered.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn paths_to_tiles<T: Send>(
        finders: &[Self],
        chains: &[TileChains],
        each: impl Fn(usize, Vec<Vec<Path>>) -> T + Sync,
        control: &Control,
    ) -> Result<Vec<T>, Error> {
        let jobs: Vec<Job> = finders.iter().map(|finder| finder.job(control)).collect();
        let searches: Vec<(&TileChains, &Job)> = chains.iter().zip(&jobs).collect();
        TileChains::each(&searches, each, control)
    }

    fn job<'b>(&'b self, control: &'b Control) -> Job<'b> {
        Job {
            scene: self.world.scene(),
            limits: &self.limits,
            transparency: self.world.transparency(),
            boxes: &self.boxes,
            control,
        }
    }
}

fn transmitter(position: DVec3, views: &Views) -> Transmitter<'_> {
    Transmitter {
        index: 0,
        position,
        views,
    }
}
