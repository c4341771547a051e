//! Coverage over the rooftops: the wave that diffracts over several edges in the vertical plane through Tx and cell.
//!
//! A string pulled taut over the profile between Tx and cell touches the edges that diffract the wave; other edges
//! reach into its first Fresnel zones. The field is Kirchhoff's repeated integral over all these edges. It includes the
//! reflection of a roof between the two edges of that roof, so it also holds for rows of any number of edges near
//! grazing. At large angles, a factor of the uniform theory (UTD) corrects each edge. For a cell with a free line close
//! over roofs, the same integral runs over the edges close under the free line.
//!
//! **Algorithm.** One line in plan to each column of cells gives its profile (`plan`). One taut string serves all
//! heights of the column (`string`, `column`). All cells of a narrow sector whose strings share edges also share the
//! field up to the last common edge, in the plane through the sector's centre (`sector`, `chains`). A column whose own
//! plane cuts the edges too differently is computed in its own plane. `wave` takes the field from edge to edge,
//! `aperture` evaluates one integral, `reflection` is the addition of a roof, and `wedge` cuts an edge with the
//! vertical plane. A column is filled from the top down, until its cells are too weak.
//!
//! **Cost.** For every column, some nanoseconds for each edge of the sector. For every edge of a sector's strings, ten
//! to a hundred microseconds. For every cell in their shadow that is not too weak, some microseconds. Asking for only
//! some cells still computes their columns from the top down, so parts that cut columns cost more together than the
//! whole region at once. Memory: four numbers a column, the edges by sectors, and the cells of a sector.
//!
//! **Assumes** that the wave stays in the vertical plane: it takes no way around a house, and edges met obliquely do
//! not turn polarisations, an error of 1 dB at 60°. Ground between houses is left out. There is no chain from or to a
//! place under a roof. A cell is doubtful ([`Filled::is_doubtful`]) if its chain has edges nearer to each other than a
//! wavelength, edges met at less than 30°, or roofs over whose ridge the wave is diffracted by more than 17°.
//!
//! # Source
//! Theory page: `rooftops`.

mod aperture;
mod chains;
mod column;
mod fields;
mod reflection;
mod sector;
mod string;
mod wave;
mod wedge;

use std::f64::consts::TAU;
use std::ops::Range;

use glam::{DVec2, DVec3};

use super::Region;
use super::plan::Plan;
use crate::parallel;
use crate::scene::Scene;
use crate::{Control, Error, Tx, World};
use chains::Outcome;
use sector::Sector;

/// The choice of chains, and their computation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// The smallest number of edges of a chain, at least 1. It must be so large that no chain is also found as an
    /// explicit diffraction. Free lines and chains of one edge are still computed where other edges close under them
    /// change the field; they then replace the corresponding paths.
    pub min_edges: usize,
    /// Whether paths with one reflection are found elsewhere. For a free line close over roofs, the chain then replaces
    /// these reflections too.
    pub has_reflections: bool,
    /// A chain ends at the first edge where it is 10 dB weaker than this, linear path gain; 0 for no limit.
    pub min_gain: f64,
    /// Whether every column has its own chain and every cell is computed. Otherwise all columns of a narrow sector
    /// share the fields at edges, smooth quantities are read from tables, and cells are skipped where knife edges or a
    /// cell above show that they are far too weak. The exact computation is the slow reference of the tests.
    pub is_exact: bool,
}

impl Default for Settings {
    /// Single edges are left to explicit diffraction, and reflections are found elsewhere.
    fn default() -> Self {
        Self {
            min_edges: 2,
            has_reflections: true,
            min_gain: 0.0,
            is_exact: false,
        }
    }
}

/// The contribution of the chains to some cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Filled {
    /// Linear path gains; zero where there is no chain.
    pub gains: Vec<f64>,
    /// Linear path gain of the paths that are found elsewhere and that the chain replaces; zero elsewhere. Where the
    /// string touches one edge and others close under it weaken the path by that edge, it is the gain of that path, if
    /// paths by one edge are left to others. Where edges lie close under a free line, it is the gain of the free line
    /// and of the paths by these edges and by the roofs between them.
    pub replaced: Vec<f64>,
    /// Whether the chain is outside the range of the theory, see the [module](self).
    pub is_doubtful: Vec<bool>,
}

impl Filled {
    /// Adds the chains to the gains of all other paths, and removes the paths that they replace. Where a gain is
    /// smaller than that of the replaced paths by a fifth or more, these paths are not part of it, and the chain is
    /// only added.
    ///
    /// # Panics
    /// If the number of gains differs.
    pub fn add_to(&self, gains: &mut [f64]) {
        assert_eq!(gains.len(), self.gains.len(), "one gain a cell");
        for ((gain, more), replaced) in gains.iter_mut().zip(&self.gains).zip(&self.replaced) {
            if *gain >= 0.8 * replaced {
                *gain = (*gain - replaced).max(0.0);
            }
            *gain += more;
        }
    }
}

/// A scene and a region, ready to be filled part by part.
///
/// ```
/// use keller::coverage::{Region, rooftops::{Rooftops, Settings}};
/// use keller::{Control, DVec3, Frequency, Tx, World, materials::Materials, scene::{Mesh, Scene}};
///
/// // Two long walls that stand in the way.
/// let mut mesh = Mesh::default();
/// for x in [40.0, 80.0] {
///     let corners = [[-99.0, 0.0], [99.0, 0.0], [99.0, 12.0], [-99.0, 12.0]];
///     mesh.add_polygon("concrete", &corners.map(|[y, z]| DVec3::new(x, y, z)));
/// }
/// let world = World::new(Scene::new(&mesh)?, &Materials::default(), Frequency::from_ghz(2.0)?)?;
/// let (low, high) = (DVec3::new(90.0, -2.0, 0.0), DVec3::new(94.0, 2.0, 4.0));
/// let region = Region::volume(low, high, DVec3::splat(4.0))?;
///
/// let rooftops = Rooftops::new(&world, &region, Settings::default())?;
/// let tx = Tx { position: DVec3::new(0.0, 0.0, 2.0), antenna: Default::default() };
/// let gains = rooftops.gains(&tx, 0..region.num_cells(), &Control::default())?;
/// assert!(gains[0] > 1e-14 && gains[0] < 1e-11);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug)]
pub struct Rooftops {
    world: World,
    /// Read from tables, unless exact.
    region: Region,
    settings: Settings,
    /// The levels of the region, from the highest to the lowest.
    downwards: Vec<usize>,
    /// Heights as [`Region::ground`] returns them.
    ground: Vec<f64>,
    /// Height of the highest face over each column, metres, with x running fastest; minus infinity where there is none.
    tops: Vec<f64>,
}

impl Rooftops {
    /// Prepares a scene and a region.
    ///
    /// # Errors
    /// [`Error::Region`] if `settings` ask for chains of 0 edges.
    pub fn new(world: &World, region: &Region, settings: Settings) -> Result<Self, Error> {
        let scene = world.scene();
        if settings.min_edges == 0 {
            return Err(Error::Region(
                "min_edges must be at least 1, found 0".to_owned(),
            ));
        }
        let [nx, ny, nz] = region.shape();
        let heights = region.levels.heights();
        let mut downwards: Vec<usize> = (0..nz).collect();
        downwards.sort_by(|&a, &b| heights[b].total_cmp(&heights[a]));
        let top = |number: usize| {
            highest(scene, region.column(number % nx, number / nx)).unwrap_or(f64::NEG_INFINITY)
        };
        Ok(Self {
            world: if settings.is_exact {
                world.clone()
            } else {
                world.clone().tabulated()
            },
            region: region.clone(),
            settings,
            downwards,
            ground: region.ground(scene),
            tops: parallel::map(nx * ny, top),
        })
    }

    /// [`Self::fill`] without the chains that replace paths by one edge or none: their cells are zero.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells.
    pub fn gains(
        &self,
        tx: &Tx,
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Vec<f64>, Error> {
        let Filled {
            mut gains,
            replaced,
            ..
        } = self.fill(tx, cells, control)?;
        for (gain, replaced) in gains.iter_mut().zip(replaced) {
            if replaced > 0.0 {
                *gain = 0.0;
            }
        }
        Ok(gains)
    }

    /// Linear path gains of the chains from a Tx to the cells with the numbers `cells`, zero where there is no chain.
    /// They are the same, bit for bit, for any number of threads and whichever other cells are asked for. The Tx
    /// antenna counts with its gain in the direction of the chain's first part; the Rx takes both polarisations from
    /// all directions.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells.
    ///
    /// # Source
    /// Theory page: `rooftops`.
    pub fn fill(
        &self,
        tx: &Tx,
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Filled, Error> {
        let num_cells = self.region.num_cells();
        assert!(cells.end <= num_cells, "the region has {num_cells} cells");
        control.check()?;
        let mut filled = Filled {
            gains: vec![0.0; cells.len()],
            replaced: vec![0.0; cells.len()],
            is_doubtful: vec![false; cells.len()],
        };
        if is_under_roof(self.world.scene(), tx.position) {
            return Ok(filled);
        }
        let centre = tx.position.truncate();
        let plan = Plan::new(self.world.scene(), centre, self.num_sectors(centre));
        let mut columns = vec![Vec::new(); plan.num_sectors()];
        let [nx, ny, _] = self.region.shape();
        for j in 0..ny {
            for i in 0..nx {
                let away = self.region.column(i, j) - centre;
                columns[plan.sector(away)].push([i, j]);
            }
        }
        let sectors: Vec<usize> = (0..columns.len()).collect();
        for batch in sectors.chunks(16 * rayon::current_num_threads()) {
            control.check()?;
            let fill = |&sector: &usize| self.sector(tx, &plan, sector, &columns[sector], &cells);
            let outcomes: Vec<Vec<(usize, Outcome)>> = parallel::map_slice(batch, fill);
            for (cell, outcome) in outcomes.into_iter().flatten() {
                filled.gains[cell - cells.start] = outcome.gain;
                filled.replaced[cell - cells.start] = outcome.replaced;
                filled.is_doubtful[cell - cells.start] = outcome.is_doubtful;
            }
        }
        Ok(filled)
    }

    /// Enough sectors that the farthest are about [`SECTOR_CELLS`] cells wide.
    fn num_sectors(&self, centre: DVec2) -> usize {
        let [nx, ny, _] = self.region.shape();
        let corners = [[0, 0], [nx - 1, 0], [0, ny - 1], [nx - 1, ny - 1]];
        let farthest = corners
            .map(|[i, j]| self.region.column(i, j).distance(centre))
            .into_iter()
            .fold(0.0, f64::max);
        let width = SECTOR_CELLS * self.region.resolution.min_element();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped"
        )]
        let num = (TAU * farthest / width).clamp(MIN_SECTORS, MAX_SECTORS) as usize;
        num
    }

    /// The gains of the columns of one sector, with the numbers of their cells; only those of `cells`.
    fn sector(
        &self,
        tx: &Tx,
        plan: &Plan,
        sector: usize,
        columns: &[[usize; 2]],
        cells: &Range<usize>,
    ) -> Vec<(usize, Outcome)> {
        let [nx, ny, _] = self.region.shape();
        let mut outcomes = Vec::new();
        let mut sector = Sector::new(self, tx, plan, sector);
        for &[i, j] in columns {
            let number = |k: usize| (k * ny + j) * nx + i;
            let is_asked = |&k: &usize| cells.contains(&number(k));
            let lowest = self.downwards.iter().rposition(is_asked);
            let levels = &self.downwards[..lowest.map_or(0, |lowest| lowest + 1)];
            let top = self.tops[j * nx + i];
            let centres = levels.iter().filter_map(|&k| {
                let centre = self.region.centre([i, j, k], &self.ground)?;
                (centre.z > top).then_some((number(k), centre))
            });
            sector.fill(centres, |cell, outcome| {
                if cells.contains(&cell) {
                    outcomes.push((cell, outcome));
                }
            });
        }
        outcomes
    }
}

/// Width of a sector, in cells, where it is widest.
const SECTOR_CELLS: f64 = 2.0;

/// Sectors of 0.003 radians at most, so that the planes of a sector cut edges near the Tx alike.
const MIN_SECTORS: f64 = 2048.0;

/// Keeps the lists of edges small.
const MAX_SECTORS: f64 = 8192.0;

/// The height of the highest face at a place.
fn highest(scene: &Scene, at: DVec2) -> Option<f64> {
    let [low, high] = scene.bounds();
    let (top, bottom) = (at.extend(high.z + 1.0), at.extend(low.z - 1.0));
    let mut crossings = Vec::new();
    // The number of faces is not limited here.
    let _ = scene.crossings(top, bottom, &[], usize::MAX, &mut crossings);
    crossings.first().map(|c| top.lerp(bottom, c.t).z)
}

fn is_under_roof(scene: &Scene, at: DVec3) -> bool {
    highest(scene, at.truncate()).is_some_and(|top| top > at.z)
}
