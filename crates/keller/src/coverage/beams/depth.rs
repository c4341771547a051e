//! How many walls the straight line to every cell crosses, for all cells at once.
//!
//! A wall casts a shadow on the plane: behind it, and as far as its height reaches. The number of shadows over a cell is
//! the number of walls. It changes only where a shadow ends, and where two walls meet and go on to the same side, one's
//! shadow begins where the other's ends. So only walls, ends of shadows and silhouettes are drawn, as steps along every
//! row, and each row is added up once. Any number of walls and any height of the source cost the same.
//!
//! # Source
//! T. Rick and T. Kuhlen, "Accelerating Radio Wave Propagation Algorithms by Implementation on Graphics Hardware", 2010,
//! equations (1) to (4) and section 5.2. There each shadow is filled by itself.

use std::ops::Range;

use glam::DVec2;

use super::raster::{Raster, rows_between};
use super::walls::Walls;

/// The walls, and at every corner those that end there.
#[derive(Debug, Clone, Default)]
pub(super) struct Shadows {
    /// Where the list of each corner starts in `at_corner`, and the end of the last.
    starts: Vec<u32>,
    /// Twice the number of a wall, and one more for its second end.
    at_corner: Vec<u32>,
}

/// The numbers of walls, and the memory to find them again and again.
#[derive(Debug, Clone, Default)]
pub(super) struct DepthImage {
    /// By columns.
    pub(super) counts: Vec<i16>,
    /// What begins left of the first column, from a row on.
    base: Vec<i16>,
    /// Of every wall: on which side of it the source lies, and where its shadow begins and ends, in distances of the wall.
    seen: Vec<Seen>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Seen {
    sign: i16,
    from: f64,
    to: f64,
}

impl Shadows {
    pub(super) fn new(walls: &Walls) -> Self {
        let mut starts = vec![0; walls.corners.len() + 1];
        for end in walls.walls.iter().flat_map(|wall| wall.ends) {
            starts[end as usize + 1] += 1;
        }
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        let mut next = starts.clone();
        let mut at_corner = vec![0; 2 * walls.walls.len()];
        for (number, wall) in walls.walls.iter().enumerate() {
            for (end, corner) in wall.ends.into_iter().enumerate() {
                let slot = &mut next[corner as usize];
                let which = 2 * number + end;
                at_corner[*slot as usize] = u32::try_from(which).expect("fewer than 2^31 walls");
                *slot += 1;
            }
        }
        Self { starts, at_corner }
    }

    /// Fills in how many walls the line from `source`, at `height`, to each cell of the plane at `plane` crosses; metres
    /// over the ground.
    pub(super) fn draw(
        &self,
        walls: &Walls,
        raster: &Raster,
        (source, height): (DVec2, f64),
        plane: f64,
        image: &mut DepthImage,
    ) {
        let [num_columns, num_rows] = raster.count;
        image.counts.clear();
        image.counts.resize((num_columns + 1) * num_rows, 0);
        image.base.clear();
        image.base.resize(num_rows + 1, 0);
        let centre = raster.cells(source);
        let at = |corner: u32| (walls.corners[corner as usize] - source) / raster.resolution;
        image.seen.clear();
        for wall in &walls.walls {
            let [a, b] = wall.ends.map(at);
            let turn = walls.ends(wall).map(|end| end - source);
            let turn = turn[0].perp_dot(turn[1]);
            let seen = Seen {
                sign: if turn > 0.0 {
                    1
                } else {
                    -i16::from(turn < 0.0)
                },
                ..shadow(wall.height, height, plane)
            };
            image.seen.push(seen);
            if seen.sign == 0 || seen.from >= seen.to {
                continue;
            }
            image.line(
                raster,
                centre + seen.from * a,
                centre + seen.from * b,
                -seen.sign,
            );
            if seen.to.is_finite() {
                image.line(
                    raster,
                    centre + seen.to * a,
                    centre + seen.to * b,
                    seen.sign,
                );
            } else {
                image.far_left(raster, centre, [a, b], seen.sign);
            }
        }
        for corner in 0..walls.corners.len() {
            let here = self.starts[corner] as usize..self.starts[corner + 1] as usize;
            let here = &self.at_corner[here];
            let away = at(u32::try_from(corner).expect("checked"));
            // Shadows of the same extent: usually all that end here, so most corners have no step.
            for (k, which) in here.iter().enumerate() {
                let seen = image.seen[*which as usize / 2];
                let is_same = |other: &&u32| {
                    let other = image.seen[**other as usize / 2];
                    other.from == seen.from && other.to == seen.to
                };
                if seen.from >= seen.to || here[..k].iter().any(|other| is_same(&other)) {
                    continue;
                }
                let of_end = |which: &u32| {
                    let sign = image.seen[*which as usize / 2].sign;
                    if which.is_multiple_of(2) { sign } else { -sign }
                };
                let step: i16 = here[k..].iter().filter(is_same).map(of_end).sum();
                if step != 0 {
                    image.ray(raster, centre, away, [seen.from, seen.to], step);
                }
            }
        }
        image.add_up(raster);
    }
}

/// The number of walls that a count of an image says. On the line of a wall rounding may count one too few: nothing is less
/// than none.
#[inline]
pub(super) fn num_walls(count: i16) -> u16 {
    count.max(0).cast_unsigned()
}

/// From where to where the shadow of a wall lies on the plane, in distances of the wall from the source.
fn shadow(wall: f64, source: f64, plane: f64) -> Seen {
    let (from, to) = if source >= plane {
        // The line sinks: it is below the top of the wall as long as it meets the plane soon enough behind it.
        if wall <= plane {
            (1.0, 1.0)
        } else if wall < source {
            (1.0, (source - plane) / (source - wall))
        } else {
            (1.0, f64::INFINITY)
        }
    } else if wall <= source {
        (1.0, 1.0)
    } else if wall < plane {
        ((plane - source) / (wall - source), f64::INFINITY)
    } else {
        (1.0, f64::INFINITY)
    };
    Seen { sign: 0, from, to }
}

impl DepthImage {
    /// Draws the end of a shadow from `a` to `b`, in cells: all cells right of it change by `step` where it goes down, and
    /// by its opposite where it goes up.
    fn line(&mut self, raster: &Raster, a: DVec2, b: DVec2, step: i16) {
        let rows = rows_between(a.y.min(b.y), a.y.max(b.y), raster.count[1]);
        if rows.is_empty() {
            return;
        }
        let slope = (b.x - a.x) / (b.y - a.y);
        let step = if b.y < a.y { step } else { -step };
        self.steps(raster, rows, a, slope, step);
    }

    /// Changes the first cell right of a line in every one of some rows. The line goes through `at`.
    fn steps(&mut self, raster: &Raster, rows: Range<usize>, at: DVec2, slope: f64, step: i16) {
        /// Whole numbers with so many binary places are added up faster than others are rounded up.
        const PLACES: u32 = 40;
        const ONE: f64 = (1_u64 << PLACES) as f64;
        let stride = raster.count[1];
        let first = at.x + (rows.start as f64 - at.y) * slope;
        #[expect(clippy::cast_possible_truncation, reason = "no row has so many cells")]
        let (first, slope) = ((first * ONE).ceil() as i64, (slope * ONE) as i64);
        let mut x = first.saturating_add((1 << PLACES) - 1);
        for row in rows {
            let column = usize::try_from(x >> PLACES).unwrap_or(0);
            // Behind the last column there is one more, and nothing behind that.
            if let Some(count) = self.counts.get_mut(column * stride + row) {
                *count = count.wrapping_add(step);
            }
            x = x.wrapping_add(slope);
        }
    }

    /// The same for the end of a shadow without an end, where that lies infinitely far left.
    fn far_left(&mut self, raster: &Raster, centre: DVec2, [a, b]: [DVec2; 2], step: i16) {
        let is_left = if a.y * b.y < 0.0 {
            // Where the wall crosses the row of the source.
            a.perp_dot(b) * (b.y - a.y) < 0.0
        } else {
            (a.y == 0.0 && a.x < 0.0) || (b.y == 0.0 && b.x < 0.0)
        };
        if !is_left {
            return;
        }
        let end = |at: DVec2| {
            if at.y == 0.0 {
                centre.y
            } else {
                at.y * f64::INFINITY
            }
        };
        let (from, to) = (end(a), end(b));
        let rows = rows_between(from.min(to), from.max(to), raster.count[1]);
        let step = if to < from { step } else { -step };
        self.base[rows.start] = self.base[rows.start].wrapping_add(step);
        self.base[rows.end] = self.base[rows.end].wrapping_sub(step);
    }

    /// The same along a line from `centre` through `centre + away`, between two distances of that.
    fn ray(
        &mut self,
        raster: &Raster,
        centre: DVec2,
        away: DVec2,
        [from, to]: [f64; 2],
        step: i16,
    ) {
        let num_rows = raster.count[1];
        let start = centre.y + from * away.y;
        let end = if to.is_finite() {
            centre.y + to * away.y
        } else if away.y > 0.0 {
            f64::INFINITY
        } else if away.y < 0.0 {
            f64::NEG_INFINITY
        } else {
            return;
        };
        let mut rows = rows_between(start.min(end), start.max(end), num_rows);
        if rows.is_empty() {
            return;
        }
        let slope = away.x / away.y;
        let is_down = away.y < 0.0;
        let step = if is_down { step } else { -step };
        // Beyond the last column nothing is drawn, and before the first, the whole row changes.
        let row_at = |x: f64| centre.y + (x - centre.x) / slope;
        let last = (raster.count[0] - 1) as f64;
        let (x_first, x_last) = {
            let x = |row: usize| centre.x + (row as f64 - centre.y) * slope;
            (x(rows.start), x(rows.end - 1))
        };
        if slope == 0.0 && x_first < -1.0 {
            self.base[rows.start] = self.base[rows.start].wrapping_add(step);
            self.base[rows.end] = self.base[rows.end].wrapping_sub(step);
            return;
        }
        if slope == 0.0 && x_first > last + 1.0 {
            return;
        }
        if x_first.min(x_last) < -1.0 {
            // The rows in which the line is left of the first column, with one to spare.
            let turn = row_at(-1.0);
            let outside = if x_first < x_last {
                let end = rows_between(turn, f64::INFINITY, num_rows).start;
                rows.start..end.clamp(rows.start, rows.end)
            } else {
                let begin = rows_between(turn, f64::INFINITY, num_rows).start + 1;
                begin.clamp(rows.start, rows.end)..rows.end
            };
            self.base[outside.start] = self.base[outside.start].wrapping_add(step);
            self.base[outside.end] = self.base[outside.end].wrapping_sub(step);
            rows = if outside.start == rows.start {
                outside.end..rows.end
            } else {
                rows.start..outside.start
            };
        }
        if x_first.max(x_last) > last + 1.0 {
            let turn = rows_between(row_at(last + 1.0), f64::INFINITY, num_rows).start;
            rows = if x_first < x_last {
                rows.start..rows.end.min(turn + 1)
            } else {
                rows.start.max(turn.saturating_sub(1))..rows.end
            };
        }
        self.steps(raster, rows, centre, slope, step);
    }

    /// Turns steps into counts.
    fn add_up(&mut self, raster: &Raster) {
        let num_rows = raster.count[1];
        let mut all = 0_i16;
        for row in 0..num_rows {
            all = all.wrapping_add(self.base[row]);
            self.counts[row] = self.counts[row].wrapping_add(all);
        }
        for column in 1..raster.count[0] {
            let (known, rest) = self.counts.split_at_mut(column * num_rows);
            let known = &known[(column - 1) * num_rows..];
            for (count, before) in rest[..num_rows].iter_mut().zip(known) {
                *count = count.wrapping_add(*before);
            }
        }
        self.counts.truncate(raster.num_cells());
    }
}
