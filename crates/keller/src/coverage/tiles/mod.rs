//! Coverage of surfaces: the field on every tile of every wall, roof and ground.
//!
//! A tile is met where its centre is. The search over tiles ([`crate::paths::Search::Tiles`]) knows on its way which
//! chains of reflecting planes and edges reach which tiles; each is made exact to the centre, validated and carried
//! there (`arrival`, added up by `lit`), and what rough tiles scatter of it is passed on from tile to tile along what
//! they see of each other (`diffuse`).
//!
//! Both sides of a tile have a field of their own, what falls on them from there: what the tile's own wall reflects is not in it. Of what runs
//! along that wall from one of its edges, incident and reflected wave in one, half falls on it.
//!
//! **Cost.** An exact solution a path, and what tiles see of each other once a scattering, without another ray.
//!
//! **Assumes** that a tile is lit as its centre is, and **may miss** what [`crate::paths::Search::Tiles`] misses of
//! paths with several interactions: about how much that is, each result tells ([`Recall`]).
//!
//! **Source.** Lu et al. 2019, sections II C and III C; they add up coarse rays, keller exact ones. Theory page: `surfaces`.

mod arrival;
mod diffuse;
mod incident_field;
mod recall;

use self::arrival::{TileWave, arrival};
use self::diffuse::Scatterer;
use self::incident_field::{Moments, TileSide, lit};
pub use self::recall::Recall;
use self::recall::Tally;
use super::CellPaths;
use super::points::receiver;
use crate::field::PathField;
use crate::paths::{Environment, Limits, Path, TileChains, TileFinder};
use crate::tiles::Tile;
use crate::{Control, Direction, Error, Stage, Tx, World};

/// What falls on one side of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TileField {
    /// Path gain to an isotropic receiver of both polarisations at its centre, powers of all paths added, diffuse ones
    /// among them; linear.
    pub path_gain: f64,
    /// Of that, what was scattered diffusely on its way.
    pub diffuse_gain: f64,
    /// The power that falls on this side over the power that the transmitter accepts.
    pub incident_power: f64,
    /// The paths that are not scattered.
    pub paths: CellPaths,
    /// The strongest of these.
    pub strongest: Option<StrongestPath>,
    /// Mean of the absolute delay over all power, diffuse power included, s; none without any.
    pub mean_delay: Option<f64>,
    /// Rms delay spread of the same, s.
    pub delay_spread: Option<f64>,
}

/// Of the paths to a tile that with the most power.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrongestPath {
    /// Absolute, s.
    pub delay: f64,
    /// Where it comes from, seen from the tile.
    pub arrival: Direction,
}

/// A path to the centre of a tile and the field along it.
#[derive(Debug, Clone, PartialEq)]
pub struct TileRay {
    /// Its `rx` is the number of the tile.
    pub path: Path,
    /// What of unit fields at the transmitter arrives.
    pub field: PathField,
    /// Path gain to an isotropic receiver of both polarisations, linear.
    pub gain: f64,
    /// The side that it falls on, as in [`SIDES`].
    pub side: usize,
}

/// What falls on all tiles from one transmitter.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// Both sides of every tile.
    pub fields: Vec<[TileField; 2]>,
    /// The rays that add up to them, sorted by tile and length; none if they were not wanted.
    pub rays: Vec<TileRay>,
    /// How much of the paths of several interactions may be missing.
    pub recall: Recall,
}

/// The sides of a tile, in the order in which fields name them: that to which its face's normal points, and the other.
pub const SIDES: [&str; 2] = ["front", "back"];

/// A scene and its tiles, ready for any transmitter.
///
/// ```
/// use keller::antenna::Antenna;
/// use keller::coverage::tiles::TileCoverage;
/// use keller::materials::Materials;
/// use keller::paths::{Environment, Limits};
/// use keller::scene::{Mesh, Scene};
/// use keller::tiles::Tiling;
/// use keller::{Control, DVec3, Frequency, Tx, World};
///
/// let mut mesh = Mesh::default();
/// let corners = [(0.0, 0.0), (20.0, 0.0), (20.0, 20.0), (0.0, 20.0)];
/// mesh.add_polygon("concrete", &corners.map(|(x, y)| DVec3::new(x, y, 0.0)));
/// let world = World::new(Scene::new(&mesh)?, &Materials::default(), Frequency::from_ghz(3.0)?)?;
/// let environment = Environment::new(world.shared_scene(), Tiling::of_side(5.0), &Control::default())?;
/// let coverage = TileCoverage::new(&world, &Limits::default(), environment)?;
/// let mast = Tx { position: DVec3::new(10.0, 10.0, 15.0), antenna: Antenna::default() };
/// let fields = coverage.fields(&mast, &Control::default())?;
/// assert_eq!(fields.len(), 16);
/// let lit = fields.iter().flatten().filter(|field| field.path_gain > 0.0);
/// assert_eq!(lit.count(), 16);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug)]
pub struct TileCoverage {
    world: World,
    limits: Limits,
    environment: Environment,
    finder: TileFinder,
    scatterer: Option<Scatterer>,
}

impl TileCoverage {
    /// Of the tiles of a world's scene.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] for chains that are too long.
    pub fn new(world: &World, limits: &Limits, environment: Environment) -> Result<Self, Error> {
        let finder = TileFinder::new(world, limits, environment.clone())?;
        let scatterer = (limits.max_scatterings > 0)
            .then(|| Scatterer::new(world.scene(), world.surfaces(), &environment))
            .flatten();
        Ok(Self {
            world: world.clone(),
            limits: *limits,
            environment,
            finder,
            scatterer,
        })
    }

    /// Its tiles.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// What falls on both sides of every tile. It does not depend on the number of threads.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn fields(&self, tx: &Tx, control: &Control) -> Result<Vec<[TileField; 2]>, Error> {
        Ok(self.survey(tx, false, control)?.fields)
    }

    /// The same and the rays that add up to it, as [`Self::rays`] has them, by one search.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn fields_and_rays(
        &self,
        tx: &Tx,
        control: &Control,
    ) -> Result<(Vec<[TileField; 2]>, Vec<TileRay>), Error> {
        let survey = self.survey(tx, true, control)?;
        Ok((survey.fields, survey.rays))
    }

    /// What falls on both sides of every tile, the rays that add up to it if they are wanted, and how much the search may have missed.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn survey(&self, tx: &Tx, wants_rays: bool, control: &Control) -> Result<Survey, Error> {
        let each = |tile: &Tile, paths: Vec<Path>, chains: &TileChains| {
            let arrivals = self.arrivals(tx, tile, &paths);
            let tally = Tally::of(self.world.scene(), chains, tile.area, &paths, &arrivals);
            let lit = self.lit(tx, tile, &arrivals);
            let rays = if wants_rays {
                rays(paths, arrivals)
            } else {
                Vec::new()
            };
            (lit, tally, rays)
        };
        let mut sum = Tally::default();
        let (mut lit, mut rays) = (Vec::new(), Vec::new());
        for (of_tile, tally, of_rays) in self.each(tx, each, control)? {
            lit.push(of_tile);
            sum.add(&tally);
            rays.extend(of_rays);
        }
        Ok(Survey {
            fields: self.with_diffuse(&lit, control)?,
            rays,
            recall: sum.recall(),
        })
    }

    /// All paths to the centres of all tiles that are not scattered: `rx` is the number of the tile, `tx` is 0. Sorted
    /// by tile and length. What runs along a tile's wall ends 0.1 mm before the centre, on the side that it runs on.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn paths(&self, tx: &Tx, control: &Control) -> Result<Vec<Path>, Error> {
        let of_tiles = self.each(tx, |_, paths, _| paths, control)?;
        Ok(of_tiles.into_iter().flatten().collect())
    }

    /// All rays to all tiles, as [`Self::paths`] has them, each with the field along it and the side that it falls on.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn rays(&self, tx: &Tx, control: &Control) -> Result<Vec<TileRay>, Error> {
        let each = |tile: &Tile, paths: Vec<Path>, _: &TileChains| {
            let arrivals = self.arrivals(tx, tile, &paths);
            rays(paths, arrivals)
        };
        let of_tiles = self.each(tx, each, control)?;
        Ok(of_tiles.into_iter().flatten().collect())
    }

    /// What `each` makes of the paths to the centre of each tile.
    fn each<T: Send>(
        &self,
        tx: &Tx,
        each: impl Fn(&Tile, Vec<Path>, &TileChains) -> T + Sync,
        control: &Control,
    ) -> Result<Vec<T>, Error> {
        let chains = self.finder.chains_to_tiles(tx.position, control)?;
        let tiles = self.environment.tiles.all();
        let each = |number: usize, paths| each(&tiles[number], paths, &chains);
        self.finder.paths_to_tiles(&chains, each, control)
    }

    fn arrivals(&self, tx: &Tx, tile: &Tile, paths: &[Path]) -> Vec<TileWave> {
        let rx = receiver();
        let antennas = [&tx.antenna, &rx];
        let arrival = |path| {
            arrival(
                self.world.scene(),
                self.world.surfaces(),
                antennas,
                tile,
                path,
            )
        };
        paths.iter().map(arrival).collect()
    }

    fn lit(&self, tx: &Tx, tile: &Tile, arrivals: &[TileWave]) -> [TileSide; 2] {
        lit(
            self.world.scene(),
            self.world.surfaces(),
            tx,
            tile,
            arrivals,
        )
    }

    /// What falls on tiles that are lit so, with what is scattered of it.
    fn with_diffuse(
        &self,
        lit: &[[TileSide; 2]],
        control: &Control,
    ) -> Result<Vec<[TileField; 2]>, Error> {
        control.report(Stage::Coverage, 1.0);
        let mut fields: Vec<[TileField; 2]> = lit
            .iter()
            .map(|sides| [sides[0].field, sides[1].field])
            .collect();
        if let Some(scatterer) = &self.scatterer {
            let limits = &self.limits;
            let diffuse = scatterer.scatter(self.world.scene(), limits, lit, control)?;
            for (fields, diffuse) in fields.iter_mut().zip(diffuse) {
                for (field, (gain, incident)) in fields.iter_mut().zip(diffuse) {
                    field.add_diffuse(gain, incident);
                }
            }
        }
        Ok(fields)
    }
}

/// Paths with what they bring.
fn rays(paths: Vec<Path>, arrivals: Vec<TileWave>) -> Vec<TileRay> {
    let ray = |(path, arrival): (Path, TileWave)| TileRay {
        path,
        gain: arrival.gain,
        field: arrival.field,
        side: arrival.side,
    };
    paths.into_iter().zip(arrivals).map(ray).collect()
}

impl TileField {
    /// Adds what was scattered on its way.
    fn add_diffuse(&mut self, diffuse: Moments, incident: f64) {
        let all = Moments::of(self) + diffuse;
        self.path_gain += diffuse.power;
        self.diffuse_gain = diffuse.power;
        self.incident_power += incident;
        (self.mean_delay, self.delay_spread) = all.mean_and_spread();
    }
}
