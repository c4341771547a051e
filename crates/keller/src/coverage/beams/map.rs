//! Maps of one transmitter: the cells that it sees, the number of walls in between, and the power that arrives.

use std::borrow::Borrow;
use std::f64::consts::PI;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DVec2, DVec3};

use super::departure::{Departure, KeptDeparture};
use super::depth::{Depth, num_walls};
use super::loss::power;
use super::mask::Mask;
use super::roofs::Roofs;
use super::straight::Straight;
use super::streets::{Masks, Sender, Streets};
use super::strings::Way;
use super::triangulation::NOTHING;
use super::visibility::{Heights, Visibility};
use super::walls::on_lattice;
use super::{Beams, Plane, indoors};
use crate::{Control, Error, Stage, Tx, parallel};

/// Heights that differ by less are the same, metres.
const LEVEL: f64 = 1e-6;

/// A transmitter in the axes of the plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source {
    /// The position, metres.
    pub(super) place: DVec2,
    /// The height over the ground, metres.
    pub(super) height: f64,
}

/// The memory of a map, which the next one uses again.
#[derive(Debug, Default)]
pub struct Memory {
    pub(super) visibility: Visibility,
    pub(super) visible: Mask,
    pub(super) depth: Depth,
    pub(super) masks: Masks,
    departure: KeptDeparture,
    gains: Vec<f32>,
}

impl Memory {
    /// Whether the cell with this column and row was visible, in the last map of visibility.
    pub fn is_lit(&self, column: usize, row: usize) -> bool {
        self.visible.has(column, row)
    }
}

impl Beams {
    /// Linear path gains of a Tx in the cells with the numbers `cells`, as [`Coverage::path_gain`](crate::coverage::Coverage::path_gain)
    /// has them. [`Devices::tx`](crate::paths::Devices::tx) must accept `tx`.
    ///
    /// # Errors
    /// [`Error::Beams`] for a Tx below the ground, [`Error::Cancelled`]. Over no ground, the level of the region's counts.
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
        let per_level = self.raster.num_cells();
        let mut memory = Memory::default();
        let mut gains = Vec::with_capacity(cells.len());
        for level in cells.start / per_level..cells.end.div_ceil(per_level) {
            control.check()?;
            let done = (level - cells.start / per_level) as f64 / self.planes.len() as f64;
            control.report(Stage::Coverage, done);
            let by_columns = self.gains_by_columns(tx, level, &mut memory)?;
            let by_rows = self.raster.by_rows(by_columns);
            let first = level * per_level;
            let here = cells.start.max(first) - first..cells.end.min(first + per_level) - first;
            gains.extend(by_rows[here].iter().map(|gain| f64::from(*gain)));
        }
        Ok(gains)
    }

    /// Linear path gains of a Tx in the cells of a level, column by column, in memory that the next map uses again.
    ///
    /// # Errors
    /// [`Error::Beams`] as [`Self::gains`].
    pub fn gains_by_columns<'m>(
        &self,
        tx: &Tx,
        level: usize,
        memory: &'m mut Memory,
    ) -> Result<&'m [f32], Error> {
        let source = self.source(tx.position)?;
        let rotation = self.region.rotation();
        let departure = memory.departure.of(&tx.antenna, rotation);
        self.fill(source, &departure, level, memory);
        Ok(&memory.gains)
    }

    /// [`Self::gains`] of many Tx in the same cells, several Tx at a time. Each finished Tx is reported.
    ///
    /// # Errors
    /// The errors of [`Self::gains`].
    ///
    /// # Panics
    /// In the cases of [`Self::gains`].
    pub fn gains_of_all<T: Borrow<Tx> + Sync>(
        &self,
        tx: &[T],
        cells: Range<usize>,
        control: &Control<'_>,
    ) -> Result<Vec<Vec<f64>>, Error> {
        if let [tx] = tx {
            return Ok(vec![self.gains(tx.borrow(), cells, control)?]);
        }
        let quiet = Control {
            progress: None,
            ..*control
        };
        let num_done = AtomicUsize::new(0);
        parallel::try_map(tx.len(), |n| {
            let gains = self.gains(tx[n].borrow(), cells.clone(), &quiet)?;
            let done = num_done.fetch_add(1, Ordering::Relaxed) + 1;
            control.report(Stage::Coverage, done as f64 / tx.len() as f64);
            Ok(gains)
        })
    }

    /// Whether each cell of a level is visible from a place, row by row.
    ///
    /// # Errors
    /// The errors of [`Self::gains`].
    pub fn line_of_sight(&self, position: DVec3, level: usize) -> Result<Vec<bool>, Error> {
        let source = self.source(position)?;
        let mut memory = Memory::default();
        self.look(source, level, &mut memory);
        let [_, ny] = self.raster.count;
        let cells = 0..self.raster.num_cells();
        let is_visible = |cell: usize| memory.is_lit(cell / ny, cell % ny);
        Ok(self
            .raster
            .by_rows(&cells.map(is_visible).collect::<Vec<bool>>()))
    }

    /// The number of cells of a level that are visible from a place; [`Memory::is_lit`] says which.
    ///
    /// # Errors
    /// The errors of [`Self::gains`].
    pub fn count_in_sight(
        &self,
        position: DVec3,
        level: usize,
        memory: &mut Memory,
    ) -> Result<usize, Error> {
        self.look(self.source(position)?, level, memory);
        Ok(memory.visible.count_cells())
    }

    /// The number of visible cells of the corner of a wall with this number, which sees from the height of the cells.
    ///
    /// # Panics
    /// If there is no such corner.
    pub fn count_in_sight_of_corner(
        &self,
        corner: u32,
        level: usize,
        memory: &mut Memory,
    ) -> usize {
        let plane = &self.planes[level];
        let Memory {
            visibility,
            visible,
            ..
        } = memory;
        plane
            .corners
            .look(&self.net, corner, plane.height, visibility);
        visible.fill(&self.raster, &visibility.outline);
        visible.count_cells()
    }

    /// The number of walls that the straight line from a place to each cell of a level crosses, row by row.
    ///
    /// # Errors
    /// The errors of [`Self::gains`].
    pub fn depth(&self, position: DVec3, level: usize) -> Result<Vec<u16>, Error> {
        let mut memory = Memory::default();
        let counts = self.depth_by_columns(position, level, &mut memory)?;
        let counts = self.raster.by_rows(counts);
        Ok(counts.into_iter().map(num_walls).collect())
    }

    /// The numbers of walls column by column, in memory that the next map uses again.
    ///
    /// # Errors
    /// The errors of [`Self::gains`].
    pub fn depth_by_columns<'m>(
        &self,
        position: DVec3,
        level: usize,
        memory: &'m mut Memory,
    ) -> Result<&'m [i16], Error> {
        let source = self.source(position)?;
        let from = (source.place, source.height);
        let plane = self.planes[level].height;
        self.shadows
            .draw(&self.raster, from, plane, &mut memory.depth);
        Ok(memory.depth.counts())
    }

    /// The position of a Tx in the axes of the region, on the lattice of the walls, and its height over the ground;
    /// metres.
    ///
    /// # Errors
    /// The errors of [`Self::gains`].
    pub fn place(&self, position: DVec3) -> Result<(DVec2, f64), Error> {
        let Source { place, height } = self.source(position)?;
        Ok((place, height))
    }

    pub(super) fn source(&self, position: DVec3) -> Result<Source, Error> {
        let scene = self.world.scene();
        let at = position.truncate();
        let ground = scene
            .ground(at)
            .unwrap_or_else(|| indoors::level_ground(scene, &self.region));
        let height = position.z - ground;
        if height < 0.0 {
            return Err(Error::Beams(format!(
                "the Tx at {position} is {:.1} m below the ground",
                -height
            )));
        }
        // Rounding must not put a Tx below the plane in which it stands, if the ground rises and falls.
        let is_level = |plane: &&Plane| (plane.height - height).abs() < LEVEL;
        let plane = self.planes.iter().find(is_level);
        Ok(Source {
            place: on_lattice(self.region.to_own(at)),
            height: plane.map_or(height, |plane| plane.height),
        })
    }

    /// Finds the visible cells and corners; returns whether depths were drawn for it.
    fn look(&self, source: Source, level: usize, memory: &mut Memory) -> bool {
        let plane = &self.planes[level];
        let heights = Heights {
            source: source.height,
            plane: plane.height,
        };
        let Memory {
            visibility,
            visible,
            depth,
            ..
        } = memory;
        if source.height >= plane.height && visibility.of_place(&self.net, source.place, heights) {
            visible.fill(&self.raster, &visibility.outline);
            for &([right, left], wall) in &visibility.low_walls {
                let reach = (source.height - plane.height) / (source.height - wall);
                let far = [left, right].map(|end| source.place + reach * (end - source.place));
                visible.clear(&self.raster, [right, left, far[0], far[1]]);
            }
            return false;
        }
        let from = (source.place, source.height);
        self.shadows.draw(&self.raster, from, plane.height, depth);
        visible.of_zeros(&self.raster, depth.counts());
        visibility.points.clear();
        visibility.low_walls.clear();
        let all = 0..u32::try_from(self.net.points.len()).expect("fewer than 2^32 points");
        visibility.points.extend(all);
        true
    }

    /// The corners among the points that were met which the source sees, rising.
    pub(super) fn visible_corners(&self, source: Source, level: usize, points: &[u32]) -> Vec<u32> {
        let plane = &self.planes[level];
        let corners = points
            .iter()
            .map(|point| plane.corners.of_point[*point as usize]);
        let mut corners: Vec<u32> = corners.filter(|corner| *corner != NOTHING).collect();
        corners.sort_unstable();
        corners.dedup();
        corners.retain(|corner| {
            let to = plane.corners.all[*corner as usize].place;
            let is_below = |wall: f64, share: f64| {
                let line = source.height + (plane.height - source.height) * share;
                // The walls of the corner itself end there.
                wall <= line || share > 1.0 - 1e-9
            };
            self.net.each_crossed(source.place, to, is_below)
        });
        corners
    }

    /// [`Self::look`], and the number of walls to every cell where walls count.
    pub(super) fn look_through(&self, source: Source, level: usize, memory: &mut Memory) {
        let has_depth = self.look(source, level, memory);
        if self.settings.has_walls && !has_depth {
            let from = (source.place, source.height);
            let (depth, plane) = (&mut memory.depth, self.planes[level].height);
            self.shadows.draw(&self.raster, from, plane, depth);
        }
    }

    /// The gain of free space at a metre, linear.
    pub(super) fn at_a_metre(&self) -> f64 {
        (self.world.frequency().wavelength() / (4.0 * PI)).powi(2)
    }

    /// The data that all beams of a level share.
    pub(super) fn streets(&self, level: usize) -> Streets<'_> {
        Streets {
            corners: &self.planes[level].corners,
            raster: &self.raster,
            losses: &self.settings.losses,
            combination: self.settings.combination,
            max_bends: self.settings.max_bends,
            at_a_metre: self.at_a_metre(),
            min_gain: self.settings.min_gain,
        }
    }

    /// The data that all profiles of a level share.
    pub(super) fn roofs(&self, level: usize) -> Roofs<'_> {
        Roofs {
            walls: &self.walls,
            raster: &self.raster,
            plane: self.planes[level].height,
        }
    }

    /// Fills the gains of a level, by columns.
    fn fill(&self, source: Source, departure: &Departure, level: usize, memory: &mut Memory) {
        let plane = &self.planes[level];
        let num_rows = self.raster.count[1];
        let settings = &self.settings;
        self.look_through(source, level, memory);
        memory.gains.clear();
        memory.gains.resize(self.raster.num_cells(), 0.0);
        let at_a_metre = self.at_a_metre();
        if settings.max_bends > 0 {
            let corners = self.visible_corners(source, level, &memory.visibility.points);
            let sender = Sender {
                place: source.place,
                rise: source.height - plane.height,
                departure,
                visibility: &memory.visible,
                corners: &corners,
            };
            self.streets(level)
                .fill(&sender, &mut memory.masks, &mut memory.gains);
        }
        let visible = &memory.visible;
        let is_visible = |cell: usize| visible.has(cell / num_rows, cell % num_rows);
        let kinds = &plane.kinds;
        if settings.has_roofs {
            let from = (source.place, source.height);
            let is_asked = |cell: usize| self.is_filled(kinds[cell]) && !is_visible(cell);
            #[expect(clippy::cast_possible_truncation, reason = "enough for a gain")]
            let gain = |way: &Way| {
                let free = at_a_metre / (way.length * way.length);
                let of_tx = departure.gain(way.departure, way.rise);
                (of_tx * free * power(settings.losses.roof(way.bends))) as f32
            };
            for (cell, gain) in self.roofs(level).each(from, is_asked, gain) {
                let known = &mut memory.gains[cell as usize];
                *known = settings.combination.of(*known, gain);
            }
        }
        let straight = Straight {
            raster: &self.raster,
            place: source.place,
            rise: plane.height - source.height,
            at_a_metre,
            departure,
            combination: settings.combination,
            of_walls: settings.has_walls.then(|| {
                let max_count = memory.depth.counts().iter().copied().max();
                settings.losses.of_counts(num_walls(max_count.unwrap_or(0)))
            }),
            has_indoors: settings.has_indoors,
        };
        straight.fill(visible, memory.depth.counts(), kinds, &mut memory.gains);
    }
}
