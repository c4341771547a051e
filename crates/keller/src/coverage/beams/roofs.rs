//! Waves over the roofs, in the upright plane through transmitter and cell.
//!
//! The profile along the straight line has a point wherever the line crosses a wall, at the top of it. A string pulled
//! taut over it turns where the wave is diffracted. Crossings are exact. Walls and cells are sorted into sectors around
//! the transmitter, from near to far, and a wall is left out for all cells behind it once it lies below the line
//! between two others that all lines of the sector cross: the string never touches it ([`super::profile`]).
//!
//! # Source
//! T. Rick and T. Kuhlen, 2010, section 5.4, equations (11) to (13). There a raster of shadows says which walls a
//! profile crosses; its points are exact too.

use glam::DVec2;
use pulp::{Arch, Simd, WithSimd};

use super::profile::{Line, Profile};
use super::raster::Raster;
use super::sectors::{BySector, NUM_SECTORS, bounds, sector};
use super::strings::{Cells, Heights, Strings, Way};
use super::walls::Walls;
use crate::parallel;

/// The data that every profile shares.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roofs<'a> {
    pub(super) walls: &'a Walls,
    pub(super) raster: &'a Raster,
    /// The height of the plane over the ground, metres.
    pub(super) plane: f64,
}

/// The cells of a sector, from near to far, and the results of the ways to them.
struct OfSector<'a, F> {
    profile: Profile<'a>,
    heights: Heights,
    cells: Cells,
    of: &'a F,
}

impl<T, F: Fn(&Way) -> T> WithSimd for OfSector<'_, F> {
    type Output = Vec<(u32, T)>;

    #[allow(
        clippy::inline_always,
        reason = "compiled for the instructions of the caller"
    )]
    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> Vec<(u32, T)> {
        let mut strings = Strings::new(simd, self.heights);
        let mut found = Vec::with_capacity(self.cells.len());
        for (numbers, away) in self.cells.groups(S::F64_LANES) {
            let reach = strings.aim(away);
            let ways = strings.pull(self.profile.walls(reach));
            for (cell, way) in numbers.iter().zip(&ways) {
                found.push((*cell, (self.of)(way)));
            }
        }
        found
    }
}

impl Roofs<'_> {
    /// The results of `of` for the ways to the cells for which `is_asked`; they lie by columns.
    pub(super) fn each<T: Send>(
        &self,
        (place, height): (DVec2, f64),
        is_asked: impl Fn(usize) -> bool,
        of: impl Fn(&Way) -> T + Sync,
    ) -> Vec<(u32, T)> {
        let (lines, by_sector) = self.lines(place, height);
        let num_rows = self.raster.count[1];
        let number = |n: usize| u32::try_from(n).expect("fewer than 2^32 cells");
        let mut cells: Vec<(u32, (u32, f32))> = Vec::new();
        for column in 0..self.raster.count[0] {
            for row in 0..num_rows {
                let cell = column * num_rows + row;
                if is_asked(cell) {
                    let away = self.raster.centre(column, row) - place;
                    #[expect(clippy::cast_possible_truncation, reason = "only for the order")]
                    let square = away.length_squared() as f32;
                    cells.push((number(sector(away)), (number(cell), square)));
                }
            }
        }
        let cells = BySector::new(&cells);
        let heights = Heights {
            source: height,
            plane: self.plane,
        };
        let arch = Arch::new();
        let of_sector = |sector: usize| {
            let mut cells = cells.of(sector).to_vec();
            cells.sort_by(|(_, a), (_, b)| a.total_cmp(b));
            let away = cells.into_iter().map(|(cell, _)| {
                let (column, row) = (cell as usize / num_rows, cell as usize % num_rows);
                (cell, self.raster.centre(column, row) - place)
            });
            arch.dispatch(OfSector {
                profile: Profile::new(&lines, by_sector.of(sector), bounds(sector), height),
                heights,
                cells: Cells::new(away),
                of: &of,
            })
        };
        parallel::collect(NUM_SECTORS, 64, &|sectors, found| {
            found.extend(sectors.flat_map(of_sector));
        })
    }

    /// The walls, seen from the transmitter, the nearest first; and which of them each sector meets.
    fn lines(&self, place: DVec2, height: f64) -> (Vec<Line>, BySector<u32>) {
        let lowest = height.min(self.plane);
        let walls = self.walls.walls.iter();
        let lines = walls.filter(|wall| wall.height > lowest).map(|wall| {
            let [a, b] = self.walls.ends(wall);
            Line::new([a - place, b - place], wall.height)
        });
        let mut lines: Vec<Line> = lines.collect();
        lines.sort_by(|a, b| a.nearest.total_cmp(&b.nearest));
        let mut found: Vec<(u32, u32)> = Vec::with_capacity(4 * lines.len());
        for (number, line) in (0..).zip(&lines) {
            let ends = (line.start, line.start + line.along);
            let (from, to) = if line.moment < 0.0 {
                (ends.1, ends.0)
            } else {
                ends
            };
            // One more on both sides, for rounding.
            let first = sector(from) + NUM_SECTORS - 1;
            let count = (sector(to) + NUM_SECTORS - sector(from)) % NUM_SECTORS + 3;
            for k in 0..count {
                let sector = (first + k) % NUM_SECTORS;
                found.push((u32::try_from(sector).expect("few sectors"), number));
            }
        }
        (lines, BySector::new(&found))
    }
}
