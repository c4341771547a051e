//! Finds paths for one transmitter after the other, and for as many receivers at a time as the caller wants.

use glam::DVec3;
use rayon::prelude::*;

use super::beside::search_beside;
use super::coarse::Environment;
use super::connect::connect;
use super::devices::Devices;
use super::diffract::diffract;
use super::job::{Job, Transmitter};
use super::scatter::scatter;
use super::search::Searcher;
use super::search::views::Views;
use super::solve::images::PlaneBoxes;
use super::tile_finder::TileFinder;
use super::{Limits, Path, Search};
use crate::tiles::Tiling;
use crate::{Control, Error, World};

/// Finds the paths of a world. The views of a transmitter are computed once and serve any number of receivers.
///
/// ```
/// use keller::paths::{Devices, Limits, PathFinder, Search};
/// use keller::{Control, DVec3, Frequency, World, materials::Materials, scene::{Mesh, Scene}};
///
/// let mut ground = Mesh::default();
/// ground.add_polygon("concrete", &[[0., 0.], [9., 0.], [9., 9.], [0., 9.]].map(|[x, y]| DVec3::new(x, y, 0.)));
/// let world = World::new(Scene::new(&ground)?, &Materials::default(), Frequency::from_ghz(3.5)?)?;
/// let (control, limits) = (Control::default(), Limits::default());
/// let finder = PathFinder::new(&world, &limits, Search::auto(world.scene(), &limits), &control)?;
///
/// let tx = Devices::tx(world.scene(), [DVec3::new(1.0, 5.0, 4.0)])?;
/// let seen = finder.views_from(&tx, 0, &control)?;
/// for x in [5.0, 6.0, 7.0] {
///     let rx = Devices::rx(world.scene(), [DVec3::new(x, 5.0, 1.5)])?;
///     assert_eq!(finder.paths(&seen, &rx, &control)?.len(), 2);
/// }
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug)]
pub struct PathFinder {
    world: World,
    limits: Limits,
    boxes: PlaneBoxes,
    method: Method,
}

/// The source of sequences.
#[derive(Debug)]
enum Method {
    /// The views of the transmitter and, where waves diffract or scatter, those of the receivers.
    Views(Searcher),
    /// Fronts from tile to tile. Diffuse scattering is found by launched rays beside them.
    Tiles(Box<TileFinder>, Option<Searcher>),
}

/// A transmitter and its views.
#[derive(Debug)]
pub struct Viewpoint {
    index: usize,
    position: DVec3,
    views: Views,
}

impl PathFinder {
    /// Prepares the search. For `complete` this takes a part of a second in a city. For `tiles` it computes which tiles
    /// of [`Tiling::of_scene`] are visible from each other.
    ///
    /// # Errors
    /// For [`Search::Tiles`] those of [`Environment::new`] and [`Self::over_tiles`].
    pub fn new(
        world: &World,
        limits: &Limits,
        search: Search,
        control: &Control,
    ) -> Result<Self, Error> {
        if search == Search::Tiles {
            let tiling = Tiling::of_scene(world.scene());
            let environment = Environment::new(world.shared_scene(), tiling, control)?;
            return Self::over_tiles(world, limits, environment);
        }
        let searcher = Searcher::new(search, world, limits);
        Ok(Self::by(world, limits, Method::Views(searcher)))
    }

    /// A finder that uses the search [`Search::Tiles`] in this environment of its scene.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] for chains that are too long.
    pub fn over_tiles(
        world: &World,
        limits: &Limits,
        environment: Environment,
    ) -> Result<Self, Error> {
        let tiles = TileFinder::new(world, limits, environment)?;
        let rays =
            (limits.max_scatterings > 0).then(|| Searcher::new(Search::default(), world, limits));
        Ok(Self::by(
            world,
            limits,
            Method::Tiles(Box::new(tiles), rays),
        ))
    }

    fn by(world: &World, limits: &Limits, method: Method) -> Self {
        Self {
            world: world.clone(),
            limits: *limits,
            boxes: PlaneBoxes::new(world.scene()),
            method,
        }
    }

    /// The views of the transmitter `index` of `tx`.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] from the exhaustive search, [`Error::Cancelled`].
    ///
    /// # Panics
    /// If there is no such transmitter.
    pub fn views_from(
        &self,
        tx: &Devices,
        index: usize,
        control: &Control,
    ) -> Result<Viewpoint, Error> {
        let position = tx[index];
        let views = match &self.method {
            Method::Views(searcher) | Method::Tiles(_, Some(searcher)) => {
                searcher.tx_views(position, control)?
            }
            Method::Tiles(_, None) => Views::nothing(position),
        };
        Ok(Viewpoint {
            index,
            position,
            views,
        })
    }

    /// Every valid path to every receiver that the search proposes, sorted by (rx, length). The paths to a receiver do
    /// not depend on the other receivers.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`], [`Error::Cancelled`].
    pub fn paths(
        &self,
        tx: &Viewpoint,
        rx: &Devices,
        control: &Control,
    ) -> Result<Vec<Path>, Error> {
        let job = Job {
            scene: self.world.scene(),
            limits: &self.limits,
            transparency: self.world.transparency(),
            boxes: &self.boxes,
            control,
        };
        let (tx, rx) = (tx.transmitter(), rx.positions());
        let (mut paths, rays) = match &self.method {
            Method::Views(searcher) => (by_views(&job, searcher, &tx, rx)?, Some(searcher)),
            Method::Tiles(tiles, rays) => (tiles.paths(&job, &tx, rx)?, rays.as_ref()),
        };
        if let Some(searcher) = rays.filter(|_| self.limits.max_scatterings > 0) {
            paths.extend(scatter(&job, searcher, &tx, rx)?);
        }
        paths.par_sort_by(Path::order);
        Ok(paths)
    }
}

/// The paths without scattering, from the transmitter's views.
fn by_views(
    job: &Job,
    searcher: &Searcher,
    tx: &Transmitter,
    rx: &[DVec3],
) -> Result<Vec<Path>, Error> {
    let mut paths = connect(job, tx, rx)?;
    if job.limits.max_diffractions > 0 {
        paths.extend(diffract(job, searcher, tx, rx)?);
    }
    if let Some(reach) = searcher.reach_beside() {
        paths.sort_by_key(|path| path.rx);
        paths.extend(search_beside(job, tx, rx, &paths, reach)?);
    }
    Ok(paths)
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
