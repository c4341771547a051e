//! The intelligent ray launching algorithm (IRLA), as Hu 2020 describes it in section 3.2.2, with every simplification to be
//! switched off by itself.
//!
//! **Algorithm.** `launch` sends rays from the Tx to every voxel of the border of a grid. `raster` holds the walls in
//! voxels, one wall in each. `trace` follows the rays of one sequence of walls together, voxel by voxel (`grid`), which
//! finds the next wall and the cells on the way at once. After the first interaction rays go on in the plan
//! (`projection`), and rays are interpolated between neighbours that part by more than a voxel (`filling`).
//! `collection` adds up the power that waves bring to the cells.
//!
//! **Not said in the document, and chosen here:** the number of rays (one to every voxel of the border, times
//! [`Settings::density`]); the normal of a wall in voxels (that of the true wall); where in a voxel a wall stands (where the ray
//! enters the voxel); that a ray passes the voxels of the plane that it left last; which of several walls stays in a voxel
//! (`raster`); how rays become level (`projection`); how waves combine (their powers add, and of one wave the ray nearest to a
//! cell's centre counts). A further simplification of the
//! document is that rays bring their level to every cell that they pass; [`Collection`] switches it off in space. There is no diffraction here, on either side of the comparison.
//!
//! **Cost:** in proportion to rays times interactions; with voxels, also to the voxels on their way. Memory: the voxels, and the
//! rays of the largest waves. **May miss** walls lost in the raster, paths that leave the plan after their first interaction, and
//! paths that leave the grid and come back.

mod collection;
mod filling;
mod grid;
mod launch;
mod projection;
mod raster;
mod ray;
#[cfg(test)]
mod tests;
mod trace;

pub use grid::{Grid, Passed};
pub use raster::Raster;

use keller::coverage::Region;
use keller::{Error, Tx, World};

use trace::Tracer;

/// Options of the model: which simplifications hold, and which waves count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Whether walls are taken from voxels; otherwise from the scene, exactly.
    pub is_raster: bool,
    /// Whether rays go on in the plan after their first interaction.
    pub is_projected: bool,
    /// Whether gaps between rays are filled.
    pub fills_gaps: bool,
    /// Rays launched along each side of a voxel of the border; below one, a ray stands for several voxels.
    pub density: f64,
    /// The rays that bring power to a cell.
    pub collection: Collection,
    /// The largest number of reflections of a wave.
    pub max_reflections: usize,
    /// The largest number of walls that it passes.
    pub max_transmissions: usize,
    /// Weaker waves do not count, linear.
    pub min_gain: f64,
}

/// The rays that bring power to a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collection {
    /// All that pass through it, as the document has it.
    Pierced,
    /// In space, the rays in whose part of their wave the cell's centre lies; in the plan, all that pass.
    Owned,
}

impl Default for Settings {
    /// All simplifications, one ray a voxel.
    fn default() -> Self {
        Self {
            is_raster: true,
            is_projected: true,
            fills_gaps: true,
            density: 1.0,
            collection: Collection::Pierced,
            max_reflections: 3,
            max_transmissions: 5,
            min_gain: 1e-13,
        }
    }
}

/// The cost of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statistics {
    /// Sequences of walls.
    pub waves: u64,
    /// Rays from wall to wall.
    pub rays: u64,
    /// Rays among these that fill gaps.
    pub filled: u64,
    /// The largest memory that rays and cells took at a time, without the raster; it depends on the number of threads.
    pub memory_bytes: usize,
}

/// A world and the cells of a region, prepared for any number of Tx.
///
/// ```
/// use keller::coverage::{Levels, Region};
/// use keller::materials::Materials;
/// use keller::scene::{Mesh, Scene};
/// use keller::{DVec2, DVec3, Frequency, Tx, World};
/// use keller_lab::irla::{Irla, Settings};
///
/// let mut mesh = Mesh::default();
/// mesh.add_polygon("concrete", &[[4., 0.], [4., 9.], [4.2, 9.], [4.2, 0.]].map(|[x, y]| DVec3::new(x, y, 0.0)));
/// mesh.add_polygon("concrete", &[[1., 0.], [9., 0.], [9., 3.], [1., 3.]].map(|[y, z]| DVec3::new(4.1, y, z)));
/// let world = World::new(Scene::new(&mesh)?, &Materials::default(), Frequency::from_ghz(3.4)?)?;
/// let levels = Levels::AboveSea(vec![1.5]);
/// let region = Region::planes(DVec2::ZERO, DVec2::splat(9.0), DVec2::splat(0.5), levels)?;
/// let irla = Irla::new(&world, &region, Settings::default())?;
/// let tx = Tx { position: DVec3::new(1.3, 4.6, 2.0), antenna: Default::default() };
/// let (gains, _) = irla.gains(&tx)?;
/// let [before, behind] = [6, 9].map(|column| gains[9 * 18 + column]);
/// assert!(0.0 < behind && behind < before);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Irla {
    world: World,
    grid: Grid,
    raster: Option<Raster>,
    settings: Settings,
}

impl Irla {
    /// Prepares a world for the cells of a region, which must have one level over the sea, square cells and the axes of the scene.
    /// Walls outside of the region do not count, but the whole height of the scene does.
    ///
    /// # Errors
    /// [`Error::Region`] for another region, or a density that is not positive.
    pub fn new(world: &World, region: &Region, settings: Settings) -> Result<Self, Error> {
        let [low, high] = world.scene().bounds();
        let grid = Grid::new(region, [low.z, high.z]).ok_or_else(|| {
            Error::Region(
                "IRLA needs one level over the sea, square cells and the axes of the scene"
                    .to_owned(),
            )
        })?;
        if !(settings.density > 0.0 && settings.density.is_finite()) {
            return Err(Error::Region(format!(
                "{} rays for each voxel of the border: the number must be positive",
                settings.density
            )));
        }
        let raster = settings
            .is_raster
            .then(|| Raster::new(&grid, world.scene()));
        Ok(Self {
            world: world.clone(),
            grid,
            raster,
            settings,
        })
    }

    /// The voxels.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The walls in them, if they are taken from there.
    pub fn raster(&self) -> Option<&Raster> {
        self.raster.as_ref()
    }

    /// Linear gains of all cells of the region, `[ny, nx]`, x running fastest: those of the centres, for a receiver that takes
    /// both polarisations from all sides. Zero where no ray comes.
    ///
    /// # Errors
    /// [`Error::Region`] for a Tx outside of the voxels.
    pub fn gains(&self, tx: &Tx) -> Result<(Vec<f64>, Statistics), Error> {
        if !self.grid.contains(tx.position) {
            return Err(Error::Region(format!(
                "the Tx at {} is not in the voxels from {} to {}",
                tx.position,
                self.grid.low,
                self.grid.high()
            )));
        }
        let raster = self.raster.as_ref();
        Ok(Tracer::new(&self.world, &self.grid, raster, self.settings).run(tx))
    }
}
