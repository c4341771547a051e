//! Coverage at street level by beams: a map of a whole city in milliseconds, with losses that are fitted, not exact.
//!
//! The scene is taken in two and a half dimensions: upright walls with one height each ([`Walls`]), flat ground. To every
//! cell lead at most three kinds of path. Where the transmitter is in sight, that line alone counts. Elsewhere there are
//! the straight line through walls, waves around corners from street to street, and the wave over the roofs; each costs
//! free space and some dB for each wall or bend ([`Losses`]).
//!
//! **Algorithm.** `walls` takes the walls from the scene, `triangulation` divides the plan between them. `sight` finds
//! what a place sees, as an outline, and `mask` the cells in it; for sources high over the roofs `depth` does both.
//! `depth` counts the walls on the straight line for all cells at once. `corners` prepares what each corner sees, and
//! `streets` sends beams from corner to corner. `roofs` pulls a string over the walls along the line to each cell. All of
//! this is exact for the walls of the plan, to the centre of each cell; `loss` is the model.
//!
//! **Cost.** Once a city: the triangulation and the corners, some tenths of a second. Once a map: microseconds for what is
//! in sight, a millisecond for depths, a millisecond for every few hundred beams, and a tenth of a microsecond for each
//! wall on the way to each cell for roofs. Memory: some hundred bytes a wall, and a few bytes a cell.
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
mod indoors;
mod loss;
mod mask;
mod raster;
mod roofs;
mod sight;
mod streets;
mod triangulation;
mod walls;

pub use loss::{Combination, Losses};
pub use walls::{Wall, Walls};

use std::f64::consts::PI;
use std::ops::Range;

use glam::DVec2;
use rayon::prelude::*;

use self::corners::Corners;
use self::depth::{DepthImage, Shadows};
use self::mask::Mask;
use self::raster::Raster;
use self::roofs::Roofs;
use self::sight::{Heights, Sight};
use self::streets::{Masks, Sender, Streets};
use self::triangulation::{NOTHING, Triangulation};
use self::walls::on_lattice;
use super::{Levels, Region};
use crate::antenna::Antenna;
use crate::{Control, DVec3, Error, Stage, Tx, World};

use self::departure::Departure;

/// Which paths count, and what they cost.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// The most corners in a row; 0 for none.
    pub max_bends: usize,
    /// Whether waves come over the roofs.
    pub has_roofs: bool,
    /// Whether the straight line through walls counts.
    pub has_walls: bool,
    /// Whether cells in buildings are filled too, by the straight line and over the roofs.
    pub has_indoors: bool,
    /// How several paths to one cell count.
    pub combination: Combination,
    /// What bends and walls cost.
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
#[derive(Debug)]
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
#[derive(Debug)]
struct Plane {
    /// Over the ground, metres.
    height: f64,
    corners: Corners,
    /// What each cell is, by columns.
    kinds: Vec<Kind>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Outdoors,
    Indoors,
    /// No receiver can be there.
    Blocked,
}

/// A transmitter in the axes of the plan.
#[derive(Debug, Clone, Copy)]
struct Source {
    /// Metres.
    place: DVec2,
    /// Over the ground, metres.
    height: f64,
}

/// The memory of a map, for the next one.
#[derive(Debug, Default)]
struct Scratch {
    sight: Sight,
    lit: Mask,
    depth: DepthImage,
    masks: Masks,
    gains: Vec<f32>,
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
        if let Some(name) = settings.losses.wrong_way() {
            return Err(Error::Beams(format!(
                "{name}: a loss that falls as the bend or the number of walls grows is not accepted"
            )));
        }
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
                // Where levels do not follow the ground, it is taken as level.
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
            shadows: Shadows::new(&walls),
            walls,
            net,
            planes,
        })
    }

    /// The region.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Heights as [`Coverage::ground`](super::Coverage::ground) has them.
    pub fn ground(&self) -> &[f64] {
        &self.ground
    }

    /// The walls of the plan.
    pub fn walls(&self) -> &Walls {
        &self.walls
    }

    /// The number of corners at a level.
    pub fn num_corners(&self, level: usize) -> usize {
        self.planes[level].corners.corners.len()
    }

    /// The same with other settings.
    ///
    /// # Errors
    /// [`Error::Beams`] for losses that fall with the angle.
    pub fn with_settings(mut self, settings: Settings) -> Result<Self, Error> {
        if let Some(name) = settings.losses.wrong_way() {
            return Err(Error::Beams(format!("{name}: a loss that falls is not accepted")));
        }
        self.settings = settings;
        Ok(self)
    }

    /// Linear path gains of a Tx in the cells with the numbers `cells`, as [`Coverage::path_gain`](super::Coverage::path_gain)
    /// has them. [`Devices::tx`](crate::paths::Devices::tx) must accept `tx`.
    ///
    /// # Errors
    /// [`Error::Beams`] for a Tx over no ground or below it, [`Error::Cancelled`].
    ///
    /// # Panics
    /// If the region has no such cells.
    pub fn gains(
        &self,
        tx: &Tx,
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Vec<f64>, Error> {
        assert!(
            cells.end <= self.region.num_cells(),
            "the region has {} cells",
            self.region.num_cells()
        );
        let source = self.source(tx.position)?;
        let departure = Departure::new(&tx.antenna, self.region.rotation());
        let per_level = self.raster.num_cells();
        let mut scratch = Scratch::default();
        let mut gains = Vec::with_capacity(cells.len());
        for level in cells.start / per_level..cells.end.div_ceil(per_level) {
            control.check()?;
            let done = (level - cells.start / per_level) as f64 / self.planes.len() as f64;
            control.report(Stage::Coverage, done);
            self.fill(source, &departure, level, &mut scratch);
            let by_rows = self.raster.by_rows(&scratch.gains);
            let first = level * per_level;
            let here = cells.start.max(first) - first..cells.end.min(first + per_level) - first;
            gains.extend(by_rows[here].iter().map(|gain| f64::from(*gain)));
        }
        Ok(gains)
    }

    /// [`Self::gains`] of all cells for many Tx, several at a time.
    ///
    /// # Errors
    /// As [`Self::gains`].
    pub fn gains_of_all(&self, tx: &[Tx], control: &Control<'_>) -> Result<Vec<Vec<f64>>, Error> {
        let quiet = Control {
            progress: None,
            ..*control
        };
        let of = |tx: &Tx| self.gains(tx, 0..self.region.num_cells(), &quiet);
        tx.par_iter().map(of).collect()
    }

    /// Which cells of a level are in sight of a place, row by row.
    ///
    /// # Errors
    /// As [`Self::gains`].
    pub fn line_of_sight(&self, position: DVec3, level: usize) -> Result<Vec<bool>, Error> {
        let source = self.source(position)?;
        let mut scratch = Scratch::default();
        self.look(source, level, &mut scratch);
        let [_, ny] = self.raster.count;
        let cells = 0..self.raster.num_cells();
        let is_lit = |cell: usize| scratch.lit.word(cell / ny, cell % ny / 64) >> (cell % ny % 64) & 1 == 1;
        Ok(self.raster.by_rows(&cells.map(is_lit).collect::<Vec<bool>>()))
    }

    /// How many walls the straight line from a place to each cell of a level crosses, row by row.
    ///
    /// # Errors
    /// As [`Self::gains`].
    pub fn depth(&self, position: DVec3, level: usize) -> Result<Vec<u16>, Error> {
        let source = self.source(position)?;
        let mut image = DepthImage::default();
        let from = (source.place, source.height);
        let plane = self.planes[level].height;
        self.shadows.draw(&self.walls, &self.raster, from, plane, &mut image);
        let counts = self.raster.by_rows(&image.counts);
        Ok(counts.into_iter().map(i16::cast_unsigned).collect())
    }

    /// Where a Tx stands in the axes of the region, on the lattice of the walls, and how high over the ground; metres.
    ///
    /// # Errors
    /// As [`Self::gains`].
    pub fn place(&self, position: DVec3) -> Result<(DVec2, f64), Error> {
        let Source { place, height } = self.source(position)?;
        Ok((place, height))
    }

    fn source(&self, position: DVec3) -> Result<Source, Error> {
        let scene = self.world.scene();
        let at = position.truncate();
        let ground = scene.ground(at).unwrap_or_else(|| indoors::level_ground(scene, &self.region));
        let height = position.z - ground;
        if height < 0.0 {
            return Err(Error::Beams(format!(
                "the Tx at {position} is {:.1} m below the ground",
                -height
            )));
        }
        Ok(Source {
            place: on_lattice(self.region.to_own(at)),
            height,
        })
    }

    /// Finds the cells in sight, and the corners; returns whether depths were drawn for it.
    fn look(&self, source: Source, level: usize, scratch: &mut Scratch) -> bool {
        let plane = &self.planes[level];
        let heights = Heights {
            source: source.height,
            plane: plane.height,
        };
        let Scratch {
            sight, lit, depth, ..
        } = scratch;
        if source.height >= plane.height && sight.of_place(&self.net, source.place, heights) {
            lit.fill(&self.raster, &sight.outline);
            for &([right, left], wall) in &sight.low_walls {
                let reach = (source.height - plane.height) / (source.height - wall);
                let far = [left, right].map(|end| source.place + reach * (end - source.place));
                lit.clear(&self.raster, [right, left, far[0], far[1]]);
            }
            return false;
        }
        let from = (source.place, source.height);
        self.shadows
            .draw(&self.walls, &self.raster, from, plane.height, depth);
        lit.of_zeros(&self.raster, &depth.counts);
        sight.points.clear();
        sight.low_walls.clear();
        let all = 0..u32::try_from(self.net.points.len()).expect("fewer than 2^32 points");
        sight.points.extend(all);
        true
    }

    /// The corners among the points that were met which the source sees, rising.
    fn corners_in_sight(&self, source: Source, level: usize, points: &[u32]) -> Vec<u32> {
        let plane = &self.planes[level];
        let corners = points.iter().map(|point| plane.corners.of_point[*point as usize]);
        let mut corners: Vec<u32> = corners.filter(|corner| *corner != NOTHING).collect();
        corners.sort_unstable();
        corners.dedup();
        corners.retain(|corner| {
            let to = plane.corners.corners[*corner as usize].place;
            let is_below = |wall: f64, share: f64| {
                let line = source.height + (plane.height - source.height) * share;
                // The walls of the corner itself end there.
                wall <= line || share > 1.0 - 1e-9
            };
            self.net.each_crossed(source.place, to, is_below)
        });
        corners
    }

    /// Fills the gains of a level, by columns.
    fn fill(&self, source: Source, departure: &Departure, level: usize, scratch: &mut Scratch) {
        let plane = &self.planes[level];
        let num_rows = self.raster.count[1];
        let settings = &self.settings;
        let has_depth = self.look(source, level, scratch);
        if settings.has_walls && !has_depth {
            let from = (source.place, source.height);
            let depth = &mut scratch.depth;
            self.shadows
                .draw(&self.walls, &self.raster, from, plane.height, depth);
        }
        scratch.gains.clear();
        scratch.gains.resize(self.raster.num_cells(), 0.0);
        let at_a_metre = (self.world.frequency().wavelength() / (4.0 * PI)).powi(2);
        if settings.max_bends > 0 {
            let corners = self.corners_in_sight(source, level, &scratch.sight.points);
            let streets = Streets {
                corners: &plane.corners,
                raster: &self.raster,
                losses: &settings.losses,
                combination: settings.combination,
                max_bends: settings.max_bends,
                at_a_metre,
                min_gain: settings.min_gain,
            };
            let sender = Sender {
                place: source.place,
                rise: source.height - plane.height,
                departure,
                sight: &scratch.lit,
                corners: &corners,
            };
            streets.fill(&sender, &mut scratch.masks, &mut scratch.gains);
        }
        let is_lit = |cell: usize| {
            let (column, row) = (cell / num_rows, cell % num_rows);
            scratch.lit.word(column, row / 64) >> (row % 64) & 1 == 1
        };
        let kinds = &plane.kinds;
        let is_filled = |cell: usize| match kinds[cell] {
            Kind::Outdoors => true,
            Kind::Indoors => settings.has_indoors,
            Kind::Blocked => false,
        };
        let join = |gain: &mut f32, more: f32| match settings.combination {
            Combination::Sum => *gain += more,
            Combination::Strongest => *gain = gain.max(more),
        };
        if settings.has_roofs {
            let roofs = Roofs {
                walls: &self.walls,
                raster: &self.raster,
                losses: &settings.losses,
                at_a_metre,
                plane: plane.height,
            };
            let from = (source.place, source.height);
            let is_asked = |cell: usize| is_filled(cell) && !is_lit(cell);
            for (cell, gain) in roofs.fill(from, departure, is_asked) {
                join(&mut scratch.gains[cell as usize], gain);
            }
        }
        let rise = plane.height - source.height;
        let of_walls: Vec<f64> = (0..=MAX_DEPTH)
            .map(|count| streets::power(settings.losses.walls(count)))
            .collect();
        for (cell, gain) in scratch.gains.iter_mut().enumerate() {
            if !is_filled(cell) {
                *gain = match kinds[cell] {
                    Kind::Blocked => f32::NAN,
                    Kind::Indoors | Kind::Outdoors => 0.0,
                };
                continue;
            }
            let lit = is_lit(cell);
            if !lit && !settings.has_walls {
                continue;
            }
            let away = self.raster.centre(cell / num_rows, cell % num_rows) - source.place;
            let free = at_a_metre / (away.length_squared() + rise * rise).max(1e-6);
            let straight = departure.gain(away, rise) * free;
            #[expect(clippy::cast_possible_truncation, reason = "enough for a gain")]
            if lit {
                *gain = straight as f32;
            } else {
                let count = usize::from(scratch.depth.counts[cell].cast_unsigned());
                join(gain, (straight * of_walls[count.min(of_walls.len() - 1)]) as f32);
            }
        }
    }

    /// The antenna's gain towards a place, linear: what [`Self::gains`] counts for a line of sight.
    #[doc(hidden)]
    pub fn departure_gain(antenna: &Antenna, direction: DVec3) -> f64 {
        Departure::new(antenna, 0.0).gain(direction.truncate(), direction.z)
    }
}

/// Behind more walls nothing is left.
const MAX_DEPTH: u32 = 300;
