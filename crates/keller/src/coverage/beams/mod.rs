//! Coverage at street level by beams: a map of a whole city in milliseconds, with losses that are fitted, not exact.
//!
//! The scene is taken in two and a half dimensions: upright walls with one height each ([`Walls`]), flat ground. To
//! every cell lead at most three kinds of path. If the cell is visible from the transmitter, that line alone counts.
//! Other cells have the straight line through walls, waves around corners from street to street, and the wave over the
//! roofs; each costs free space and some dB for each wall or diffraction ([`Losses`]).
//!
//! **Algorithm.** `walls` takes the walls from the scene, `triangulation` divides the plan between them. `visibility`
//! finds the visible part of the plan, as an outline, and `mask` the cells in it; for sources high over the roofs
//! `depth` does both. `depth` counts the walls on the straight line for all cells at once, in a `difference_image`.
//! `corners` prepares the view of each corner, and `streets` sends beams from corner to corner. `roofs` pulls a string
//! over the walls along the line to each cell, eight cells at a time (`strings`). `straight` joins free space and its
//! rest behind walls with the other paths. All of this is exact for the walls of the plan, to the centre of each cell;
//! `loss` is the model.
//!
//! **Cost.** For each city: the triangulation and the corners, some tenths of a second. For each map: microseconds for
//! the visible part, a millisecond or two for depths, a millisecond for every few hundred beams, and a tenth of a
//! microsecond a cell for roofs. Memory: some hundred bytes a wall, and a few bytes a cell.
//!
//! **Assumes** flat ground: heights count over the ground at their place. Roofs are level, waves leave streets over roofs
//! or around corners but not both, and nothing is reflected.
//!
//! # Source
//! T. Rick and T. Kuhlen, "Accelerating Radio Wave Propagation Algorithms by Implementation on Graphics Hardware", in
//! Wave Propagation, 2010. Theory page: `beams`.

mod approximate;
mod corners;
mod departure;
mod depth;
mod difference_image;
mod indoors;
mod loss;
mod map;
mod mask;
mod profile;
mod raster;
mod recording;
mod roofs;
mod sectors;
mod straight;
mod streets;
mod strings;
mod triangulation;
mod visibility;
mod walls;

pub use loss::{Bends, Combination, Losses};
pub use map::Memory;
pub use recording::{RecordedPath, Recording, Through};
pub use walls::{Wall, Walls};

use glam::DVec2;

use super::{Levels, Region};
use crate::{Control, Error, World};
use corners::Corners;
use depth::Shadows;
use raster::Raster;
use triangulation::Triangulation;

/// The paths that count, and their losses.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// The largest number of corners in a row; 0 for none.
    pub max_bends: usize,
    /// Whether waves come over the roofs.
    pub has_roofs: bool,
    /// Whether the straight line through walls counts.
    pub has_walls: bool,
    /// Whether cells in buildings are filled too, by the straight line and over the roofs.
    pub has_indoors: bool,
    /// The way in which several paths to one cell count.
    pub combination: Combination,
    /// The losses of diffractions and walls.
    pub losses: Losses,
    /// Weaker paths around corners are not followed, linear.
    pub min_gain: f64,
}

impl Default for Settings {
    /// Two corners, roofs and walls.
    fn default() -> Self {
        Self {
            max_bends: 2,
            has_roofs: true,
            has_walls: true,
            has_indoors: false,
            combination: Combination::default(),
            losses: Losses::default(),
            min_gain: 1e-20,
        }
    }
}

/// A city and the cells in its streets, prepared for any number of transmitters.
///
/// ```
/// use keller::coverage::{Levels, Region, beams::{Beams, Settings}};
/// use keller::{Control, DVec2, DVec3, Frequency, Tx, World, materials::Materials, scene::{Mesh, Scene}};
///
/// // A block of 20 m by 20 m, 15 m high, on open ground.
/// let mut mesh = Mesh::default();
/// let block = [[0.0, 0.0], [20.0, 0.0], [20.0, 20.0], [0.0, 20.0]].map(DVec2::from);
/// mesh.add_polygon("concrete", &[[-90.0, -90.0], [90.0, -90.0], [90.0, 90.0], [-90.0, 90.0]].map(|[x, y]| DVec3::new(x, y, 0.0)));
/// for k in 0..4 {
///     let (a, b) = (block[k], block[(k + 1) % 4]);
///     mesh.add_polygon("concrete", &[a.extend(0.0), b.extend(0.0), b.extend(15.0), a.extend(15.0)]);
/// }
/// mesh.add_polygon("concrete", &block.map(|corner| corner.extend(15.0)));
/// let world = World::new(Scene::new(&mesh)?, &Materials::default(), Frequency::from_ghz(2.0)?)?;
/// let levels = Levels::AboveGround(vec![1.5]);
/// let region = Region::planes(DVec2::splat(-80.0), DVec2::splat(80.0), DVec2::splat(5.0), levels)?;
///
/// let beams = Beams::new(&world, &region, Settings::default(), &Control::default())?;
/// let tx = Tx { position: DVec3::new(-40.0, 10.0, 5.0), antenna: Default::default() };
/// let gains = beams.gains(&tx, 0..region.num_cells(), &Control::default())?;
/// let behind = gains[16 * 32 + 28];
/// assert!(behind > 0.0 && behind < gains[16 * 32 + 2]);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Beams {
    world: World,
    region: Region,
    ground: Vec<f64>,
    settings: Settings,
    raster: Raster,
    walls: Walls,
    shadows: Shadows,
    net: Triangulation,
    planes: Vec<Plane>,
}

/// The cells at one height.
#[derive(Debug, Clone)]
struct Plane {
    /// The height over the ground, metres.
    height: f64,
    corners: Corners,
    /// The kind of each cell, by columns.
    kinds: Vec<Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Outdoors,
    Indoors,
    /// A cell where no receiver can be.
    Blocked,
}

impl Beams {
    /// Prepares a world and a region.
    ///
    /// # Errors
    /// [`Error::Beams`] for a scene without upright walls and for losses that fall with the angle;
    /// [`Error::Cancelled`].
    pub fn new(
        world: &World,
        region: &Region,
        settings: Settings,
        control: &Control<'_>,
    ) -> Result<Self, Error> {
        settings.losses.check()?;
        let scene = world.scene();
        let walls = Walls::new(scene, region);
        if walls.walls.is_empty() {
            return Err(Error::Beams(
                "the scene has no upright walls that stand on the ground".to_owned(),
            ));
        }
        control.check()?;
        let raster = Raster::new(region);
        let net = Triangulation::new(&walls, [DVec2::ZERO, region.extent()]);
        control.check()?;
        let ground = region.ground(scene);
        let heights = match &region.levels {
            Levels::AboveGround(heights) => heights.clone(),
            Levels::AboveSea(heights) => {
                // Levels that do not follow the ground are taken to be over level ground.
                let base = indoors::level_ground(scene, region);
                heights.iter().map(|height| height - base).collect()
            }
        };
        let mut planes = Vec::with_capacity(heights.len());
        let blocked = super::blocked::blocked(scene, region, &ground);
        for (level, height) in heights.into_iter().enumerate() {
            control.check()?;
            let is_outdoors = indoors::outdoors(scene, region, &net, height);
            let corners = Corners::new(&net, height, &is_outdoors);
            let mut kinds = indoors::kinds(&net, &raster, &is_outdoors);
            let [nx, ny] = raster.count;
            let of_level = level * nx * ny..(level + 1) * nx * ny;
            for cell in blocked.iter().filter(|cell| of_level.contains(cell)) {
                let column = (cell - of_level.start) % nx;
                kinds[column * ny + (cell - of_level.start) / nx] = Kind::Blocked;
            }
            planes.push(Plane {
                height,
                corners,
                kinds,
            });
        }
        Ok(Self {
            world: world.clone(),
            region: region.clone(),
            ground,
            settings,
            raster,
            shadows: Shadows::new(&walls, &raster),
            walls,
            net,
            planes,
        })
    }

    /// The region.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Heights as [`Coverage::ground`](crate::coverage::Coverage::ground) has them.
    pub fn ground(&self) -> &[f64] {
        &self.ground
    }

    /// The walls of the plan.
    pub fn walls(&self) -> &Walls {
        &self.walls
    }

    /// The number of corners at a level.
    pub fn num_corners(&self, level: usize) -> usize {
        self.planes[level].corners.all.len()
    }

    /// These beams with other settings.
    ///
    /// # Errors
    /// [`Error::Beams`] for losses that fall with the angle.
    pub fn with_settings(mut self, settings: Settings) -> Result<Self, Error> {
        settings.losses.check()?;
        self.settings = settings;
        Ok(self)
    }
}
