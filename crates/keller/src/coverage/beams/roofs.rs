//! Waves over the roofs, in the upright plane through transmitter and cell.
//!
//! The profile along the straight line has a point wherever the line crosses a wall, at the top of it. A string pulled
//! taut over it bends where the wave does. Crossings are exact. Walls and cells are sorted into sectors around the
//! transmitter, from near to far, and a wall is left out for all cells behind it once it lies below the line between two
//! others that all lines of the sector cross: the string never touches it ([`super::profile`]).
//!
//! # Source
//! T. Rick and T. Kuhlen, 2010, section 5.4, equations (11) to (13). There the profile is that of a raster.

use glam::DVec2;
use rayon::prelude::*;

use super::loss::Bends;
use super::profile::{Line, Profile, Taut};
use super::raster::Raster;
use super::walls::Walls;

/// Around the transmitter.
const NUM_SECTORS: usize = 2048;

/// What every profile shares.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roofs<'a> {
    pub(super) walls: &'a Walls,
    pub(super) raster: &'a Raster,
    /// The height of the plane over the ground, metres.
    pub(super) plane: f64,
}

/// A way over the roofs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    /// Metres.
    pub(super) length: f64,
    pub(super) bends: Bends,
    /// Of its first part, in plan, metres.
    pub(super) departure: DVec2,
    /// Of its first part, metres.
    pub(super) rise: f64,
}

/// Which of [`NUM_SECTORS`] a direction lies in, rising with the azimuth, without its arc tangent.
fn sector(away: DVec2) -> usize {
    let share = away.y / (away.x.abs() + away.y.abs());
    let quarters = if away.x < 0.0 { 2.0 - share } else { share };
    let quarters = if quarters < 0.0 {
        quarters + 4.0
    } else {
        quarters
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative"
    )]
    let number = (quarters * (NUM_SECTORS as f64 / 4.0)) as usize;
    number.min(NUM_SECTORS - 1)
}

/// The direction in which a sector begins.
fn begin(sector: usize) -> DVec2 {
    let quarters = 4.0 * sector as f64 / NUM_SECTORS as f64;
    let (along, up) = match quarters {
        q if q < 1.0 => (1.0 - q, q),
        q if q < 2.0 => (1.0 - q, 2.0 - q),
        q if q < 3.0 => (q - 3.0, 2.0 - q),
        q => (q - 3.0, q - 4.0),
    };
    DVec2::new(along, up)
}

/// Things by their sectors: where those of each begin, and the end of the last.
struct BySector<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> BySector<T> {
    fn new(found: &[(u32, T)]) -> Self {
        let mut starts = vec![0; NUM_SECTORS + 1];
        for (sector, _) in found {
            starts[*sector as usize + 1] += 1;
        }
        for k in 1..=NUM_SECTORS {
            starts[k] += starts[k - 1];
        }
        let mut next = starts.clone();
        let mut items = vec![T::default(); found.len()];
        for (sector, item) in found {
            let slot = &mut next[*sector as usize];
            items[*slot as usize] = *item;
            *slot += 1;
        }
        Self { starts, items }
    }

    fn of(&self, sector: usize) -> &[T] {
        &self.items[self.starts[sector] as usize..self.starts[sector + 1] as usize]
    }
}

impl Roofs<'_> {
    /// What `of` makes of the ways to the cells for which `is_asked`; they lie by columns.
    pub(super) fn each<T: Send>(
        &self,
        (place, height): (DVec2, f64),
        is_asked: impl Fn(usize) -> bool,
        of: impl Fn(&Way) -> T + Sync,
    ) -> Vec<(u32, T)> {
        let lines = self.lines(place, height);
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
        (0..NUM_SECTORS)
            .into_par_iter()
            .with_min_len(64)
            .flat_map_iter(|sector| {
                let mut lines = lines.of(sector).to_vec();
                lines.sort_by(|a, b| a.nearest.total_cmp(&b.nearest));
                let mut cells = cells.of(sector).to_vec();
                cells.sort_by(|(_, a), (_, b)| a.total_cmp(b));
                let bounds = [begin(sector), begin((sector + 1) % NUM_SECTORS)];
                let mut profile = Profile::new(&lines, bounds, height);
                let of = &of;
                cells.into_iter().map(move |(cell, _)| {
                    let (column, row) = (cell as usize / num_rows, cell as usize % num_rows);
                    let away = self.raster.centre(column, row) - place;
                    let tops = profile.tops(&lines, away, self.plane);
                    (cell, of(&self.way(away, height, tops)))
                })
            })
            .collect()
    }

    /// The walls by sectors, seen from the transmitter.
    fn lines(&self, place: DVec2, height: f64) -> BySector<Line> {
        let lowest = height.min(self.plane);
        let mut found: Vec<(u32, Line)> = Vec::new();
        for wall in self.walls.walls.iter().filter(|wall| wall.height > lowest) {
            let [a, b] = self.walls.ends(wall).map(|end| end - place);
            let line = Line::new([a, b], wall.height);
            let (from, to) = if line.moment < 0.0 { (b, a) } else { (a, b) };
            // One more on both sides, for rounding.
            let first = sector(from) + NUM_SECTORS - 1;
            let count = (sector(to) + NUM_SECTORS - sector(from)) % NUM_SECTORS + 3;
            for k in 0..count {
                let sector = (first + k) % NUM_SECTORS;
                found.push((u32::try_from(sector).expect("few sectors"), line));
            }
        }
        BySector::new(&found)
    }

    /// The way over a profile.
    fn way(&self, away: DVec2, height: f64, tops: &[DVec2]) -> Way {
        let distance = away.length();
        let string = Taut::new(
            DVec2::new(0.0, height),
            DVec2::new(distance, self.plane),
            tops,
        );
        let mut way = Way {
            length: 0.0,
            bends: Bends::default(),
            departure: away,
            rise: self.plane - height,
        };
        let mut before: Option<DVec2> = None;
        for step in string {
            way.length += step.length();
            if let Some(before) = before {
                // The string only ever bends down.
                let angle = step.perp_dot(before).atan2(before.dot(step));
                way.bends = way.bends.and(angle);
            } else {
                (way.departure, way.rise) = (away * (step.x / distance), step.y);
            }
            before = Some(step);
        }
        way
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directions_between_the_bounds_of_a_sector_lie_in_it() {
        for number in 0..NUM_SECTORS {
            let bounds = [begin(number), begin((number + 1) % NUM_SECTORS)];
            assert!(bounds[0].perp_dot(bounds[1]) > 0.0, "sector {number}");
            for share in [0.01, 0.5, 0.99] {
                let between = bounds[0].lerp(bounds[1], share);
                assert_eq!(sector(37.0 * between), number);
            }
        }
    }
}
