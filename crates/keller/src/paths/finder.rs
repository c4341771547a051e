//! Finds paths for one transmitter after the other, and for as many receivers at a time as the caller wants.

use glam::DVec3;
use rayon::prelude::*;

use super::by_tiles::{Environment, TileFinder};
use super::by_tubes::{Thresholds, TubeFinder};
use super::by_views::by_views;
use super::devices::Devices;
use super::job::{Job, Transmitter};
use super::joints::reflect_at_joints;
use super::scatter::scatter;
use super::search::Searcher;
use super::search::views::Views;
use super::solve::images::PlaneBoxes;
use super::union::{outermost, union};
use super::{Limits, Path, PathOptions, Search};
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
    boxes: PlaneBoxes,
    /// The searches; there is at least one.
    alternatives: Vec<Alternative>,
}

/// A search under its limits.
#[derive(Debug)]
struct Alternative {
    limits: Limits,
    search: Search,
    method: Method,
}

/// The source of sequences.
#[derive(Debug)]
enum Method {
    /// The views of the transmitter and, where waves diffract or scatter, those of the receivers.
    Views(Searcher),
    /// Fronts from tile to tile. Diffuse scattering is found by launched rays in addition.
    Tiles(Box<TileFinder>, Option<Searcher>),
    /// Tubes, which note the receivers that they pass. Diffuse scattering is found by launched rays in addition.
    Tubes(Box<TubeFinder>, Option<Searcher>),
}

/// A transmitter and its views.
#[derive(Debug)]
pub struct Viewpoint {
    index: usize,
    position: DVec3,
    /// One for each alternative.
    views: Vec<Views>,
}

impl PathFinder {
    /// Prepares the search. For `complete` this takes a part of a second in a city. For `tiles` it computes which tiles
    /// of [`Tiling::of_scene`] are visible from each other.
    ///
    /// # Errors
    /// For [`Search::Tiles`] those of [`Environment::new`] and [`Self::over_tiles`]; [`Error::SearchTooLarge`] for
    /// [`Search::Tubes`] with several diffractions.
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
        let method = match search {
            Search::Tubes(effort) => {
                let tubes = TubeFinder::new(effort, world, limits)?;
                let rays = || Searcher::new(Search::Launch(effort), world, limits);
                Method::Tubes(Box::new(tubes), (limits.max_scatterings > 0).then(rays))
            }
            _ => Method::Views(Searcher::new(search, world, limits)),
        };
        Ok(Self::by(world, limits, search, method))
    }

    /// A finder of all paths that any of some alternatives allows, each path once. Limits that lie within those of
    /// another alternative with the same search add nothing. The result does not depend on the order of the
    /// alternatives.
    ///
    /// ```
    /// use keller::paths::{Limits, PathFinder, PathOptions};
    /// # use keller::{Control, DVec3, Frequency, World, materials::Materials, scene::{Mesh, Scene}};
    /// # let mut ground = Mesh::default();
    /// # ground.add_polygon("concrete", &[[0., 0.], [9., 0.], [9., 9.], [0., 9.]].map(|[x, y]| DVec3::new(x, y, 0.)));
    /// # let world = World::new(Scene::new(&ground)?, &Materials::default(), Frequency::from_ghz(3.5)?)?;
    /// // Two reflections, or one diffraction with one reflection.
    /// let two_reflections = Limits { max_interactions: 2, ..Limits::default() };
    /// let one_edge = Limits { max_reflections: 1, max_diffractions: 1, ..two_reflections };
    /// let alternatives = [two_reflections, one_edge].map(|limits| PathOptions { limits, search: None });
    /// let finder = PathFinder::of_alternatives(&world, &alternatives, &Control::default())?;
    /// # drop(finder);
    /// # Ok::<(), keller::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Self::new`].
    ///
    /// # Panics
    /// If there is no alternative.
    pub fn of_alternatives(
        world: &World,
        alternatives: &[PathOptions],
        control: &Control,
    ) -> Result<Self, Error> {
        let chosen = alternatives
            .iter()
            .map(|options| (options.limits, options.search(world)));
        let outermost = outermost(chosen.collect(), |chosen| *chosen);
        let by_tiles = |(_, search): &(Limits, Search)| *search == Search::Tiles;
        let tiling = || Tiling::of_scene(world.scene());
        let environment = outermost
            .iter()
            .any(by_tiles)
            .then(|| Environment::new(world.shared_scene(), tiling(), control))
            .transpose()?;
        let finders = outermost.into_iter().map(|(limits, search)| {
            let environment = environment.as_ref().filter(|_| search == Search::Tiles);
            match environment {
                Some(environment) => Self::over_tiles(world, &limits, environment.clone()),
                None => Self::new(world, &limits, search, control),
            }
        });
        Ok(Self::of_any(finders.collect::<Result<_, _>>()?))
    }

    /// A finder of all paths that any of some finders of one world finds, each path once. See
    /// [`Self::of_alternatives`].
    ///
    /// # Panics
    /// If there is no finder.
    pub fn of_any(finders: Vec<Self>) -> Self {
        let mut finders = finders.into_iter();
        let mut all = finders.next().expect("there is at least one finder");
        all.alternatives
            .extend(finders.flat_map(|finder| finder.alternatives));
        all.alternatives = outermost(all.alternatives, |one| (one.limits, one.search));
        all
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
        let method = Method::Tiles(Box::new(tiles), rays);
        Ok(Self::by(world, limits, Search::Tiles, method))
    }

    /// The same finder, where weaker paths are not wanted: the search `tubes` leaves most of them out.
    #[must_use]
    pub fn with_thresholds(mut self, thresholds: Thresholds) -> Self {
        for alternative in &mut self.alternatives {
            if let Method::Tubes(tubes, _) = &mut alternative.method {
                tubes.set_thresholds(thresholds);
            }
        }
        self
    }

    fn by(world: &World, limits: &Limits, search: Search, method: Method) -> Self {
        Self {
            world: world.clone(),
            boxes: PlaneBoxes::new(world.scene()),
            alternatives: vec![Alternative {
                limits: *limits,
                search,
                method,
            }],
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
        let views = self.each(control, |_, alternative, control| {
            alternative.views(position, control)
        })?;
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
    ///
    /// # Panics
    /// If `tx` was seen by a finder with another number of alternatives.
    pub fn paths(
        &self,
        tx: &Viewpoint,
        rx: &Devices,
        control: &Control,
    ) -> Result<Vec<Path>, Error> {
        let found = self.each(control, |k, alternative, control| {
            let job = Job {
                scene: self.world.scene(),
                limits: &alternative.limits,
                transparency: self.world.transparency(),
                boxes: &self.boxes,
                control,
            };
            alternative.paths(&job, &tx.transmitter(k), rx.positions())
        })?;
        let found = self.alternatives.iter().map(|one| one.limits).zip(found);
        let mut paths = union(self.world.scene(), found.collect());
        paths.par_sort_by(Path::order);
        Ok(paths)
    }

    /// The result of `find` for every alternative. Each takes an equal share of the progress.
    fn each<T>(
        &self,
        control: &Control,
        find: impl Fn(usize, &Alternative, &Control) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let count = self.alternatives.len() as f64;
        let alternatives = self.alternatives.iter().enumerate();
        let found = alternatives.map(|(k, alternative)| {
            let report = |stage, done: f64| control.report(stage, (k as f64 + done) / count);
            let control = Control {
                progress: Some(&report),
                ..*control
            };
            find(k, alternative, &control)
        });
        found.collect()
    }
}

impl Alternative {
    /// The views of a transmitter.
    fn views(&self, position: DVec3, control: &Control) -> Result<Views, Error> {
        match &self.method {
            Method::Views(searcher)
            | Method::Tiles(_, Some(searcher))
            | Method::Tubes(_, Some(searcher)) => searcher.tx_views(position, control),
            Method::Tiles(_, None) | Method::Tubes(_, None) => Ok(Views::nothing(position)),
        }
    }

    /// The paths under these limits, in no order.
    fn paths(&self, job: &Job, tx: &Transmitter, rx: &[DVec3]) -> Result<Vec<Path>, Error> {
        let (mut paths, rays) = match &self.method {
            Method::Views(searcher) => (by_views(job, searcher, tx, rx)?, Some(searcher)),
            Method::Tiles(tiles, rays) => (tiles.paths(job, tx, rx)?, rays.as_ref()),
            Method::Tubes(tubes, rays) => (tubes.paths(job, tx, rx)?, rays.as_ref()),
        };
        paths.extend(reflect_at_joints(job, tx, rx, &paths)?);
        if let Some(searcher) = rays.filter(|_| self.limits.max_scatterings > 0) {
            paths.extend(scatter(job, searcher, tx, rx)?);
        }
        Ok(paths)
    }
}

impl Viewpoint {
    /// The transmitter as the alternative with this index sees it.
    fn transmitter(&self, alternative: usize) -> Transmitter<'_> {
        Transmitter {
            index: self.index,
            position: self.position,
            views: &self.views[alternative],
        }
    }
}
