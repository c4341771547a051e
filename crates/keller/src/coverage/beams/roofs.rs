//! Waves over the roofs, in the upright plane through transmitter and cell.
//!
//! The profile along the straight line has a point wherever the line crosses a wall, at the top of it. A string pulled
//! taut over it bends where the wave does. Crossings are exact: lines in plan, sorted into sectors around the transmitter.
//!
//! # Source
//! T. Rick and T. Kuhlen, 2010, section 5.4, equations (11) to (13). There the profile is that of a raster.

use std::f64::consts::LN_10;

use glam::DVec2;
use rayon::prelude::*;

use super::departure::Departure;
use super::loss::Losses;
use super::raster::Raster;
use super::walls::Walls;

/// Around the transmitter.
const NUM_SECTORS: usize = 4096;

/// What every profile shares.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roofs<'a> {
    pub(super) walls: &'a Walls,
    pub(super) raster: &'a Raster,
    pub(super) losses: &'a Losses,
    /// Wavelength over 4 pi, squared, m².
    pub(super) at_a_metre: f64,
    /// The height of the plane over the ground, metres.
    pub(super) plane: f64,
}

/// A wall as its sector has it, from the transmitter.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: DVec2,
    along: DVec2,
    moment: f64,
    height: f64,
    /// The least distance, squared, m².
    nearest: f64,
}

/// Which of [`NUM_SECTORS`] a direction lies in, as a number with its fraction: rising with the azimuth, without its
/// arc tangent.
fn turn(away: DVec2) -> f64 {
    let share = away.y / (away.x.abs() + away.y.abs());
    let quarters = if away.x < 0.0 { 2.0 - share } else { share };
    quarters.rem_euclid(4.0) * (NUM_SECTORS as f64 / 4.0)
}

fn sector(away: DVec2) -> usize {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative"
    )]
    let number = turn(away) as usize;
    number.min(NUM_SECTORS - 1)
}

impl Roofs<'_> {
    /// The linear gains of cells, which lie by columns; `is_asked` says which.
    pub(super) fn fill(
        &self,
        (place, height): (DVec2, f64),
        departure: &Departure,
        is_asked: impl Fn(usize) -> bool,
    ) -> Vec<(u32, f32)> {
        let (starts, lines) = self.lines(place, height);
        let num_rows = self.raster.count[1];
        let mut cells: Vec<(u32, u32)> = Vec::new();
        let mut of_sector = vec![0_u32; NUM_SECTORS + 1];
        for column in 0..self.raster.count[0] {
            for row in 0..num_rows {
                let cell = column * num_rows + row;
                if is_asked(cell) {
                    let sector = sector(self.raster.centre(column, row) - place);
                    of_sector[sector + 1] += 1;
                    let number = |n: usize| u32::try_from(n).expect("fewer than 2^32 cells");
                    cells.push((number(sector), number(cell)));
                }
            }
        }
        cells.sort_unstable();
        for k in 1..=NUM_SECTORS {
            of_sector[k] += of_sector[k - 1];
        }
        (0..NUM_SECTORS)
            .into_par_iter()
            .with_min_len(64)
            .flat_map_iter(|sector| {
                let lines = &lines[starts[sector]..starts[sector + 1]];
                let here = of_sector[sector] as usize..of_sector[sector + 1] as usize;
                let mut tops = Vec::new();
                let found: Vec<(u32, f32)> = cells[here]
                    .iter()
                    .map(|(_, cell)| {
                        let [column, row] = [*cell as usize / num_rows, *cell as usize % num_rows];
                        let away = self.raster.centre(column, row) - place;
                        tops_along(lines, away, [height, self.plane], &mut tops);
                        #[expect(clippy::cast_possible_truncation, reason = "enough for a gain")]
                        let gain = self.gain(departure, away, height, &tops) as f32;
                        (*cell, gain)
                    })
                    .collect();
                found
            })
            .collect()
    }

    /// The walls by sectors, the nearest first, and where each sector starts.
    fn lines(&self, place: DVec2, height: f64) -> (Vec<usize>, Vec<Line>) {
        let lowest = height.min(self.plane);
        let mut found: Vec<(u32, Line)> = Vec::new();
        for wall in self.walls.walls.iter().filter(|wall| wall.height > lowest) {
            let [a, b] = self.walls.ends(wall).map(|end| end - place);
            let along = b - a;
            let share = (-a.dot(along) / along.length_squared()).clamp(0.0, 1.0);
            let line = Line {
                start: a,
                along,
                moment: a.perp_dot(along),
                height: wall.height,
                nearest: (a + share * along).length_squared(),
            };
            let (mut from, mut to) = if line.moment > 0.0 { (a, b) } else { (b, a) };
            if line.moment == 0.0 {
                (from, to) = (a, b);
            }
            // One more on both sides, for rounding.
            let first = sector(from) + NUM_SECTORS - 1;
            let count = (sector(to) + NUM_SECTORS - sector(from)) % NUM_SECTORS + 3;
            for k in 0..count {
                let sector = (first + k) % NUM_SECTORS;
                found.push((u32::try_from(sector).expect("few sectors"), line));
            }
        }
        found.sort_by(|(s, a), (t, b)| s.cmp(t).then(a.nearest.total_cmp(&b.nearest)));
        let starts = (0..=NUM_SECTORS)
            .map(|sector| found.partition_point(|(known, _)| (*known as usize) < sector))
            .collect();
        (starts, found.into_iter().map(|(_, line)| line).collect())
    }

    /// The gain over a profile, linear.
    fn gain(&self, departure: &Departure, away: DVec2, height: f64, tops: &[DVec2]) -> f64 {
        let distance = away.length();
        let string = Taut::new(
            DVec2::new(0.0, height),
            DVec2::new(distance, self.plane),
            tops,
        );
        let [mut length, mut loss_db] = [0.0; 2];
        let mut before: Option<f64> = None;
        let mut first = None;
        for step in string {
            length += step.length();
            let slope = (step.y / step.x).atan();
            if let Some(before) = before {
                loss_db += self.losses.roof(before - slope);
            }
            before = Some(slope);
            first = first.or(Some(step));
        }
        let first = first.unwrap_or(DVec2::X);
        let of_tx = departure.gain(away * (first.x / distance), first.y);
        of_tx * self.at_a_metre / (length * length) * (-loss_db * LN_10 / 10.0).exp()
    }
}

/// The tops of walls that stand out over the straight line from the transmitter: distance and height, metres. In the
/// order of the walls.
fn tops_along(lines: &[Line], away: DVec2, [height, plane]: [f64; 2], tops: &mut Vec<DVec2>) {
    tops.clear();
    let square = away.length_squared();
    let distance = square.sqrt();
    for line in lines {
        if line.nearest > square {
            break;
        }
        // Both ends of the wall lie on different sides of the line, and the cell lies behind it.
        let first = away.perp_dot(line.start);
        let turned = away.perp_dot(line.along);
        if (first < 0.0) == (first + turned < 0.0) || (line.moment - turned) * turned >= 0.0 {
            continue;
        }
        let share = line.moment / turned;
        if share > 0.0 && line.height > height + (plane - height) * share {
            tops.push(DVec2::new(share * distance, line.height));
        }
    }
}

/// The sides of a string pulled taut over points, from one end to the other.
struct Taut<'a> {
    here: DVec2,
    end: DVec2,
    tops: &'a [DVec2],
}

impl<'a> Taut<'a> {
    fn new(start: DVec2, end: DVec2, tops: &'a [DVec2]) -> Self {
        Self {
            here: start,
            end,
            tops,
        }
    }
}

impl Iterator for Taut<'_> {
    type Item = DVec2;

    fn next(&mut self) -> Option<DVec2> {
        /// Points nearer than this in distance are one above the other, metres.
        const SAME: f64 = 1e-6;
        if self.here.x >= self.end.x {
            return None;
        }
        // The steepest way on; of two, the farther.
        let (mut best, mut step) = (self.end, self.end - self.here);
        for top in self.tops {
            let away = *top - self.here;
            let is_steeper = away.y * step.x > step.y * away.x
                || (away.y * step.x == step.y * away.x && away.x > step.x);
            if away.x > SAME && is_steeper {
                (best, step) = (*top, away);
            }
        }
        self.here = best;
        Some(step)
    }
}
