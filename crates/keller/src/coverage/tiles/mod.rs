//! Coverage of surfaces: the field on every tile of every wall, roof and ground.
//!
//! The field is computed at the centre of each tile. The search over tiles ([`crate::paths::Search::Tiles`]) finds
//! which chains of reflecting planes and edges reach which tiles. Each chain is made exact to the centre, validated,
//! and its field transported there (`arrival`; `incident_field` adds the fields). What rough tiles scatter is passed on
//! from tile to tile by their visibility (`diffuse`).
//!
//! Each side of a tile has its own field, the field incident from that side. It leaves out what the tile's own wall
//! reflects. Of a wave that runs along that wall from one of its edges, incident and reflected wave in one, half the
//! field counts.
//!
//! **Cost.** An exact solution for each path, and one use of the stored visibility for each scattering, without further
//! rays.
//!
//! **Assumes** that the field at the centre of a tile holds for the whole tile. **May miss** the paths of several
//! interactions that [`crate::paths::Search::Tiles`] misses; each result estimates how much that is ([`Recall`]).
//!
//! **Source.** Lu et al. 2019, sections II C and III C. They add up coarse rays; keller adds up exact ones. Theory
//! page: `surfaces`.

mod arrival;
mod diffuse;
mod incident_field;
mod recall;
mod used;

use std::sync::OnceLock;

use self::arrival::{TileWave, arrival};
use self::diffuse::{DiffuseSide, Scatterer};
use self::incident_field::{Moments, TileSide, density, lit};
pub use self::recall::Recall;
use self::recall::Tally;
use super::CellPaths;
use super::points::receiver;
use crate::field::PathField;
use crate::paths::{Environment, Limits, Path, TileChains, TileFinder};
use crate::tiles::Tile;
use crate::{Control, Direction, Error, Stage, Tx, World};

/// The field incident on one side of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct TileField {
    /// Path gain to an isotropic receiver of both polarisations at the tile's centre: the sum of the powers of all
    /// paths, diffuse ones included; linear.
    pub path_gain: f64,
    /// The part of it that was scattered diffusely on its way.
    pub diffuse_gain: f64,
    /// Power incident on this side, relative to the power that the Tx antenna accepts.
    pub incident_power: f64,
    /// The paths that are not scattered.
    pub paths: CellPaths,
    /// The strongest of these.
    pub strongest: Option<StrongestPath>,
    /// Mean absolute delay of all power, diffuse power included, s; `None` without power.
    pub mean_delay: Option<f64>,
    /// Rms delay spread of the same power, s.
    pub delay_spread: Option<f64>,
    /// Upper bound of the path gain of the paths that were found and left out as too weak
    /// ([`TileCoverage::with_min_gain`]). It is not known on which side some of them arrive: these count on both.
    pub omitted_gain: f64,
}

/// The path to a tile with the most power.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StrongestPath {
    /// Absolute delay, s.
    pub delay: f64,
    /// Where it comes from, as seen from the tile.
    pub arrival: Direction,
}

/// A path to the centre of a tile, and the field along it.
#[derive(Debug, Clone, PartialEq)]
pub struct TileRay {
    /// The path; its `rx` is the number of the tile.
    pub path: Path,
    /// What arrives of unit fields at the Tx.
    pub field: PathField,
    /// Path gain to an isotropic receiver of both polarisations, linear.
    pub gain: f64,
    /// Index into [`SIDES`] of the side on which it is incident.
    pub side: usize,
}

/// The field on all tiles from one Tx.
#[derive(Debug, Clone, PartialEq)]
pub struct Survey {
    /// Both sides of every tile.
    pub fields: Vec<[TileField; 2]>,
    /// The rays that add up to the fields, sorted by tile and length; empty unless requested.
    pub rays: Vec<TileRay>,
    /// How much of the paths of several interactions may be missing.
    pub recall: Recall,
}

/// The sides of a tile, in the order of all pairs of fields: the one to which the normal of its face points, and the
/// other.
pub const SIDES: [&str; 2] = ["front", "back"];

/// A scene and its tiles, ready for any Tx.
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
    /// Made when it is first asked for.
    scatterer: OnceLock<Option<Scatterer>>,
    min_gain: f64,
}

impl TileCoverage {
    /// Prepares the tiles of a world's scene.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] if the chains are too long.
    pub fn new(world: &World, limits: &Limits, environment: Environment) -> Result<Self, Error> {
        if limits.max_scatterings > 0 {
            Scatterer::check(limits)?;
        }
        let finder = TileFinder::new(world, limits, environment.clone())?;
        Ok(Self {
            world: world.clone(),
            limits: *limits,
            environment,
            finder,
            scatterer: OnceLock::new(),
            min_gain: 0.0,
        })
    }

    /// The same, without paths of less gain than `min_gain` (linear, with the antenna of the Tx), and without diffuse
    /// power that would be scattered again where less than that arrives. The search leaves such paths out early where
    /// [`Environment::min_gain`] is at most `min_gain` over the largest gain of the Tx antennas.
    #[must_use]
    pub fn with_min_gain(self, min_gain: f64) -> Self {
        Self { min_gain, ..self }
    }

    /// The tiles and their visibility.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The field on both sides of every tile. It does not depend on the number of threads.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn fields(&self, tx: &Tx, control: &Control) -> Result<Vec<[TileField; 2]>, Error> {
        Ok(self.survey(tx, false, control)?.fields)
    }

    /// The fields, and the rays that add up to them as in [`Self::rays`], from a single search.
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

    /// The field on both sides of every tile, the rays that add up to it if `wants_rays`, and how much the search may
    /// have missed.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn survey(&self, tx: &Tx, wants_rays: bool, control: &Control) -> Result<Survey, Error> {
        let largest_gain = tx.antenna.largest_gain();
        let each = |number: usize, tile: &Tile, paths: Vec<Path>, chains: &TileChains| {
            let (paths, arrivals, weak) = self.strong(self.arrivals(tx, tile, &paths), paths);
            let tally = Tally::of(self.world.scene(), chains, tile.area, &paths, &arrivals);
            let mut lit = self.lit(tx, tile, &arrivals);
            for (side, weak) in lit.iter_mut().zip(weak) {
                side.field.omitted_gain = weak + largest_gain * chains.left_out(number);
            }
            let rays = if wants_rays {
                rays(paths, arrivals)
            } else {
                Vec::new()
            };
            (lit, tally, rays)
        };
        let mut sum = Tally::default();
        let (mut lit, mut rays) = (Vec::new(), Vec::new());
        let chains = self.finder.chains_to_tiles(tx.position, control)?;
        for (of_tile, tally, of_rays) in self.each(&chains, each, control)? {
            lit.push(of_tile);
            sum.add(&tally);
            rays.extend(of_rays);
        }
        let omitted = self.omitted(&lit);
        let (fields, too_weak_again) = self.with_diffuse(&lit, control)?;
        let density = density(self.world.frequency().wavelength());
        let not_followed = largest_gain * chains.not_followed() * density;
        let not_scattered = self.num_scatterings(control)? as f64 * omitted * density;
        Ok(Survey {
            fields,
            rays,
            recall: Recall {
                unfollowed_power: not_followed + not_scattered + too_weak_again,
                ..sum.recall()
            },
        })
    }

    /// How tiles scatter; `None` where none does.
    fn scatterer(&self, control: &Control) -> Result<Option<&Scatterer>, Error> {
        if let Some(scatterer) = self.scatterer.get() {
            return Ok(scatterer.as_ref());
        }
        let (scene, surfaces) = (self.world.scene(), self.world.surfaces());
        let scatterer = Scatterer::new(scene, surfaces, &self.environment, &self.limits, control)?;
        // If another thread was faster, both have found the same.
        Ok(self.scatterer.get_or_init(|| scatterer).as_ref())
    }

    /// How often power is scattered.
    fn num_scatterings(&self, control: &Control) -> Result<usize, Error> {
        Ok(self.scatterer(control)?.map_or(0, Scatterer::count))
    }

    /// The sum of the gains that are left out of paths times area, m².
    fn omitted(&self, lit: &[[TileSide; 2]]) -> f64 {
        let tiles = self.environment.tiles.all().iter();
        let of_tile = |(tile, [front, back]): (&Tile, &[TileSide; 2])| {
            tile.area * (front.field.omitted_gain + back.field.omitted_gain)
        };
        tiles.zip(lit).map(of_tile).sum()
    }

    /// The paths that are strong enough, with their waves, and the sum of the gains of the others on each side.
    fn strong(
        &self,
        waves: Vec<TileWave>,
        paths: Vec<Path>,
    ) -> (Vec<Path>, Vec<TileWave>, [f64; 2]) {
        let mut weak = [0.0; 2];
        let both = paths.into_iter().zip(waves);
        let is_strong = |(_, wave): &(Path, TileWave)| {
            // A gain that is not a number stays in sight.
            let is_weak = wave.gain < self.min_gain;
            if is_weak {
                weak[wave.side] += wave.gain;
            }
            !is_weak
        };
        let (paths, waves) = both.filter(is_strong).unzip();
        (paths, waves, weak)
    }

    /// All paths to the centres of all tiles that are not scattered, sorted by tile and length. `rx` is the number of
    /// the tile, and `tx` is 0. A path along a tile's wall ends 0.1 mm before the centre, on the side on which it runs.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn paths(&self, tx: &Tx, control: &Control) -> Result<Vec<Path>, Error> {
        let chains = self.finder.chains_to_tiles(tx.position, control)?;
        let of_tiles = self.each(&chains, |_, _, paths, _| paths, control)?;
        Ok(of_tiles.into_iter().flatten().collect())
    }

    /// All rays to all tiles as in [`Self::paths`], each with the field along it and the side on which it is incident.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn rays(&self, tx: &Tx, control: &Control) -> Result<Vec<TileRay>, Error> {
        let each = |_, tile: &Tile, paths: Vec<Path>, _: &TileChains| {
            let (paths, arrivals, _) = self.strong(self.arrivals(tx, tile, &paths), paths);
            rays(paths, arrivals)
        };
        let chains = self.finder.chains_to_tiles(tx.position, control)?;
        let of_tiles = self.each(&chains, each, control)?;
        Ok(of_tiles.into_iter().flatten().collect())
    }

    /// Applies `each` to the number of each tile, to the tile and to the paths to its centre.
    fn each<T: Send>(
        &self,
        chains: &TileChains,
        each: impl Fn(usize, &Tile, Vec<Path>, &TileChains) -> T + Sync,
        control: &Control,
    ) -> Result<Vec<T>, Error> {
        let tiles = self.environment.tiles.all();
        let each = |number: usize, paths| each(number, &tiles[number], paths, chains);
        self.finder.paths_to_tiles(chains, each, control)
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

    /// The fields on tiles, with what is scattered of them added; and the power that is too weak to be scattered again.
    fn with_diffuse(
        &self,
        lit: &[[TileSide; 2]],
        control: &Control,
    ) -> Result<(Vec<[TileField; 2]>, f64), Error> {
        control.report(Stage::Coverage, 1.0);
        let mut too_weak = 0.0;
        let mut fields: Vec<[TileField; 2]> = lit
            .iter()
            .map(|sides| [sides[0].field, sides[1].field])
            .collect();
        if let Some(scatterer) = self.scatterer(control)? {
            let world = (self.world.scene(), self.world.surfaces());
            let diffuse = scatterer.scatter(world, self.min_gain, lit, control)?;
            too_weak = diffuse.too_weak;
            let sides = fields.iter_mut().flatten();
            for (field, diffuse) in sides.zip(diffuse.of_tiles.iter().flatten()) {
                field.add_diffuse(diffuse);
            }
        }
        Ok((fields, too_weak))
    }
}

/// The paths, with the waves that they bring.
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
    fn add_diffuse(&mut self, diffuse: &DiffuseSide) {
        let all = Moments::of(self) + diffuse.gain;
        self.path_gain += diffuse.gain.power;
        self.diffuse_gain = diffuse.gain.power;
        self.incident_power += diffuse.incident;
        self.omitted_gain += diffuse.omitted;
        (self.mean_delay, self.delay_spread) = all.mean_and_spread();
    }
}
