//! Coverage of surfaces: the field on every tile of every wall, roof and ground.
//!
//! The field is computed at the centre of each tile. The search over tiles ([`crate::paths::Search::Tiles`]) finds
//! which chains of reflecting planes and edges reach which tiles. Each chain is made exact to the centre, validated,
//! and its field transported there (`arrival`; `incident_field` adds the fields). What rough tiles scatter is passed on
//! from tile to tile by their visibility (`diffuse`).
//!
//! Each side of a tile has its own field, the field incident from that side. It leaves out reflections by the tile's
//! own wall. Of a wave that runs along that wall from one of its edges, incident and reflected wave in one, half the
//! field counts.
//!
//! **Cost.** An exact solution for each path, and one use of the stored visibility for each scattering, without further
//! rays.
//!
//! **Assumes** that the field at the centre of a tile holds for the whole tile. **May miss** the paths of several
//! interactions that [`crate::paths::Search::Tiles`] misses; each result estimates how much that is ([`Recall`]).
//!
//! **Source.** Lu et al. 2019, sections II.B and III.C. They add up coarse rays; keller adds up exact ones. Theory
//! page: `surfaces`.

mod arrival;
mod cone;
mod diffuse;
mod edge_rays;
mod exact;
mod incident_field;
mod lobe_parts;
mod recall;
mod results;
mod sampled;
mod searches;

use std::sync::OnceLock;

use self::arrival::{TileWave, arrival};
use self::diffuse::Scatterer;
use self::exact::Exact;
use self::incident_field::{TileSide, density, lit};
pub use self::recall::Recall;
use self::recall::Tally;
pub use self::results::{SIDES, StrongestPath, Survey, TileField, TileRay};
use self::sampled::{Sampler, Source};
use self::searches::Searches;
use super::CellPaths;
use super::points::receiver;
use crate::paths::{Environment, Limits, Path, TileChains};
use crate::tiles::Tile;
use crate::{Control, Error, Stage, Tx, World};

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
    searches: Searches,
    /// The sampler of long paths.
    sampler: Option<Sampler>,
    /// The scatterer, made when it is first asked for.
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
        Ok(Self {
            world: limits.world(world),
            limits: *limits,
            searches: Searches::new(world, &environment, Exact::new(limits, None))?,
            sampler: None,
            environment,
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

    /// The same, but of paths with a diffraction only those of at most `most` interactions are found one by one, where
    /// every diffraction but the first counts as one interaction more. Rays sample the power of the others, so that the
    /// time hardly depends on how many there are. Sampled power counts in gains and delays, and is scattered; it is not in
    /// [`TileField::paths`], [`TileField::strongest`] and [`TileRay`].
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] if the chains are too long.
    pub fn with_exact(self, most: usize) -> Result<Self, Error> {
        let exact = Exact::new(&self.limits, Some(most));
        let sampler = || Sampler::new(&self.world, &self.environment, exact);
        Ok(Self {
            searches: Searches::new(&self.world, &self.environment, exact)?,
            sampler: exact.leaves_some().then(sampler),
            ..self
        })
    }

    /// Whether rays sample any paths.
    pub fn samples(&self) -> bool {
        self.sampler.is_some()
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
        let chains = self.searches.chains(tx.position, control)?;
        let each = |number: usize, tile: &Tile, paths: Vec<Vec<Path>>| {
            let left_out = chains.iter().map(|chains| chains.left_out(number));
            let left_out = largest_gain * left_out.sum::<f64>();
            let Arrived {
                paths,
                waves,
                weak,
                tally,
            } = self.arrive(tx, tile, &chains, paths);
            let mut lit = self.lit(tx, tile, &waves);
            for (side, weak) in lit.iter_mut().zip(weak) {
                side.field.omitted_gain = weak + left_out;
            }
            let sources = self.sources(tx, (number, tile), &paths, &waves);
            let rays = if wants_rays {
                rays(paths, waves)
            } else {
                Vec::new()
            };
            (lit, tally, rays, sources)
        };
        let mut sum = Tally::default();
        let (mut lit, mut rays, mut sources) = (Vec::new(), Vec::new(), Vec::new());
        for (of_tile, tally, of_rays, of_edges) in self.each(&chains, each, control)? {
            lit.push(of_tile);
            sum.add(&tally);
            rays.extend(of_rays);
            sources.extend(of_edges);
        }
        if let Some(sampler) = &self.sampler {
            let place = (&self.world, &self.environment);
            sampler.add(place, sources, self.min_gain, &mut lit, control)?;
        }
        let area = self.environment.tiles.all().iter().map(|tile| tile.area);
        let omitted = self.omitted(&lit);
        let (fields, too_weak_again) = self.with_diffuse(&lit, control)?;
        let density = density(self.world.frequency().wavelength());
        let not_followed: f64 = chains.iter().map(TileChains::not_followed).sum();
        let not_followed = largest_gain * not_followed * density;
        let not_scattered = self.num_scatterings(control)? as f64 * omitted * density;
        Ok(Survey {
            fields,
            rays,
            recall: Recall {
                unfollowed_power: not_followed + not_scattered + too_weak_again,
                ..sum.recall(area.sum())
            },
        })
    }

    /// The scatterer of tiles; `None` where no tile scatters.
    fn scatterer(&self, control: &Control) -> Result<Option<&Scatterer>, Error> {
        if let Some(scatterer) = self.scatterer.get() {
            return Ok(scatterer.as_ref());
        }
        let scatterer = Scatterer::new(&self.world, &self.environment, &self.limits, control)?;
        // If another thread was faster, both have found the same.
        Ok(self.scatterer.get_or_init(|| scatterer).as_ref())
    }

    /// The number of times that power is scattered.
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
            // A gain that is not a number is kept, so that it is seen.
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
        let chains = self.searches.chains(tx.position, control)?;
        let of_tiles = self.each(&chains, |_, _, paths| in_order(paths), control)?;
        Ok(of_tiles.into_iter().flatten().collect())
    }

    /// All rays to all tiles as in [`Self::paths`], each with the field along it and the side on which it is incident.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn rays(&self, tx: &Tx, control: &Control) -> Result<Vec<TileRay>, Error> {
        let chains = self.searches.chains(tx.position, control)?;
        let each = |_, tile: &Tile, paths: Vec<Vec<Path>>| {
            let Arrived { paths, waves, .. } = self.arrive(tx, tile, &chains, paths);
            rays(paths, waves)
        };
        let of_tiles = self.each(&chains, each, control)?;
        Ok(of_tiles.into_iter().flatten().collect())
    }

    /// Applies `each` to the number of each tile, to the tile and to the paths that each search finds to its centre.
    fn each<T: Send>(
        &self,
        chains: &[TileChains],
        each: impl Fn(usize, &Tile, Vec<Vec<Path>>) -> T + Sync,
        control: &Control,
    ) -> Result<Vec<T>, Error> {
        let tiles = self.environment.tiles.all();
        let each = |number: usize, paths| each(number, &tiles[number], paths);
        self.searches.each(chains, each, control)
    }

    /// The paths to a tile that are strong enough, of those that each search finds.
    fn arrive(
        &self,
        tx: &Tx,
        tile: &Tile,
        chains: &[TileChains],
        paths: Vec<Vec<Path>>,
    ) -> Arrived {
        let mut sum = Arrived::default();
        let mut all = Vec::new();
        for (chains, paths) in chains.iter().zip(paths) {
            let (paths, waves, weak) = self.strong(self.arrivals(tx, tile, &paths), paths);
            sum.tally.add(&Tally::of(
                self.world.scene(),
                chains,
                tile.area,
                &paths,
                &waves,
            ));
            for (sum, weak) in sum.weak.iter_mut().zip(weak) {
                *sum += weak;
            }
            all.extend(paths.into_iter().zip(waves));
        }
        if chains.len() > 1 {
            all.sort_by(|(a, _), (b, _)| a.order(b));
        }
        (sum.paths, sum.waves) = all.into_iter().unzip();
        sum
    }

    /// The waves that edges at the border of a tile may send on by rays.
    fn sources(
        &self,
        tx: &Tx,
        tile: (usize, &Tile),
        paths: &[Path],
        waves: &[TileWave],
    ) -> Vec<Source> {
        let Some(sampler) = &self.sampler else {
            return Vec::new();
        };
        let both = paths.iter().zip(waves);
        // A wave along the tile's wall does not fall on it.
        let falling = both.filter(|(_, wave)| !wave.is_along);
        falling
            .map(|(path, wave)| Source::of_path(self.world.scene(), tile, &tx.antenna, path, wave))
            .filter(|source| sampler.wants(tile.0, source))
            .collect()
    }

    fn arrivals(&self, tx: &Tx, tile: &Tile, paths: &[Path]) -> Vec<TileWave> {
        let rx = receiver();
        let antennas = [&tx.antenna, &rx];
        let arrival = |path| arrival(&self.world, antennas, tile, path);
        paths.iter().map(arrival).collect()
    }

    fn lit(&self, tx: &Tx, tile: &Tile, arrivals: &[TileWave]) -> [TileSide; 2] {
        lit(&self.world, tx, tile, arrivals)
    }

    /// The fields on tiles, with scattered power added; and the power that is too weak to be scattered again.
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
            let diffuse = scatterer.scatter(&self.world, self.min_gain, lit, control)?;
            too_weak = diffuse.too_weak;
            let sides = fields.iter_mut().flatten();
            for (field, diffuse) in sides.zip(diffuse.of_tiles.iter().flatten()) {
                diffuse.add_to(field);
            }
        }
        Ok((fields, too_weak))
    }
}

/// The paths to a tile that are strong enough.
#[derive(Debug, Default)]
struct Arrived {
    paths: Vec<Path>,
    waves: Vec<TileWave>,
    /// The sum of the gains of the others on each side.
    weak: [f64; 2],
    tally: Tally,
}

/// The paths of all searches, sorted by length.
fn in_order(paths: Vec<Vec<Path>>) -> Vec<Path> {
    let mut all: Vec<Path> = paths.into_iter().flatten().collect();
    all.sort_by(Path::order);
    all
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
