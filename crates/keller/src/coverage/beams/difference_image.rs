//! Counts over all cells from the lines at which they change.
//!
//! A line changes all cells right of it, so it is drawn as one step in each of its rows, and every row is added up once. The
//! image exists only a band of rows at a time, which fits in the nearest cache: all lines take their steps in the band, and
//! adding it up writes the counts and clears it for the next. A line costs one addition for each row in which it is within
//! the image, and about 10 ns for each band. Left of the first column, rows change as a whole.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use std::cmp::Ordering;
use std::ops::Range;

use glam::DVec2;
use pulp::Arch;

use super::raster::{Raster, rows_between};

/// Rows of a band. A column of a band is one line of the cache.
pub(super) const BAND: usize = 32;

/// Binary places of fixed point numbers. Whole numbers are added up faster than others are rounded up.
const PLACES: u32 = 40;
const ONE: i64 = 1 << PLACES;

/// The largest number of cells of a row, so that sums of fixed point numbers stay in their range.
const MAX_COLUMNS: usize = 1 << 21;

/// The memory to count again and again.
#[derive(Debug, Clone, Default)]
pub(super) struct DifferenceImage {
    /// The counts by columns.
    counts: Vec<i16>,
    /// The sum of the steps that begin left of the first column, from a row on.
    base: Vec<i16>,
    /// The steps in each column of a band.
    band: Vec<Stripe>,
    /// The lines that begin in each band.
    begin: Vec<Vec<Line>>,
    /// The lines that began in bands before and go on.
    active: Vec<Line>,
}

#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Stripe([i16; BAND]);

/// A line within the image.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// Its column in the next row, fixed point; the whole part is that of the first cell right of the line.
    column: i64,
    /// Columns to the next row, fixed point.
    slope: i64,
    /// The first row, and the one behind the last.
    rows: [u32; 2],
    step: i16,
}

/// Steps at fixed places, by bands.
#[derive(Debug, Clone, Default)]
pub(super) struct FixedSteps {
    /// The index in `steps` at which each band starts, and the end of the last.
    starts: Vec<usize>,
    /// The column times [`BAND`] plus the row in the band, and the number of the value that is added there.
    steps: Vec<[u32; 2]>,
}

impl FixedSteps {
    /// The steps of rows, columns, and numbers of values, in any order.
    pub(super) fn new(raster: &Raster, each: impl Iterator<Item = ([usize; 2], usize)>) -> Self {
        let mut bands = vec![Vec::new(); raster.count[1].div_ceil(BAND)];
        let short = |number: usize| u32::try_from(number).expect("fewer than 2^32 steps in a band");
        for ([row, column], value) in each {
            bands[row / BAND].push([short(column * BAND + row % BAND), short(value)]);
        }
        let mut all = Self::default();
        all.starts.push(0);
        for band in bands {
            all.steps.extend(band);
            all.starts.push(all.steps.len());
        }
        all
    }

    fn of_band(&self, band: usize) -> &[[u32; 2]] {
        &self.steps[self.starts[band]..self.starts[band + 1]]
    }
}

impl DifferenceImage {
    /// The sums, by columns.
    pub(super) fn counts(&self) -> &[i16] {
        &self.counts
    }

    /// Forgets all lines.
    pub(super) fn clear(&mut self, raster: &Raster) {
        let [num_columns, num_rows] = raster.count;
        assert!(
            num_columns < MAX_COLUMNS,
            "{num_columns} columns of cells are too many"
        );
        self.base.clear();
        self.base.resize(num_rows + 1, 0);
        self.band.clear();
        self.band.resize(num_columns, Stripe::default());
        self.begin.iter_mut().for_each(Vec::clear);
        self.begin.resize(num_rows.div_ceil(BAND), Vec::new());
        self.active.clear();
        self.counts.resize(raster.num_cells(), 0);
    }

    /// Draws a line from `a` to `b`, in cells: all cells right of it change by `step` where it goes to higher rows, and by
    /// its opposite where it goes to lower ones.
    pub(super) fn line(&mut self, raster: &Raster, [a, b]: [DVec2; 2], step: i16) {
        let rows = rows_between(a.y.min(b.y), a.y.max(b.y), raster.count[1]);
        let slope = (b.x - a.x) / (b.y - a.y);
        let step = if b.y < a.y { -step } else { step };
        self.rows_of_line(raster, rows, a, slope, step);
    }

    /// Changes all cells of some rows.
    pub(super) fn whole_rows(&mut self, rows: Range<usize>, step: i16) {
        self.base[rows.start] = self.base[rows.start].wrapping_add(step);
        self.base[rows.end] = self.base[rows.end].wrapping_sub(step);
    }

    /// Changes all cells right of a line in some rows. The line goes through `at`, and by `slope` columns from row to row.
    #[inline(always)]
    pub(super) fn rows_of_line(
        &mut self,
        raster: &Raster,
        rows: Range<usize>,
        at: DVec2,
        slope: f64,
        step: i16,
    ) {
        /// The largest slope and start with which a line is in the range of fixed point numbers until it leaves the
        /// image.
        const MAX_SLOPE: f64 = (1 << 21) as f64;
        const MAX_FIRST: f64 = (1 << 21) as f64;
        if rows.is_empty() {
            return;
        }
        let first = at.x + (rows.start as f64 - at.y) * slope;
        if slope.abs() < MAX_SLOPE && first.abs() < MAX_FIRST {
            self.add(raster, rows, fixed(first), fixed(slope), step);
            return;
        }
        let beyond = raster.count[0] as f64;
        for row in rows {
            let column = at.x + (row as f64 - at.y) * slope;
            let column = fixed(column.clamp(-1.0, beyond));
            self.add(raster, row..row + 1, column, 0, step);
        }
    }

    /// Adds the line with fixed point numbers, and the column in the first row.
    #[inline(always)]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "fewer than 2^32 rows, and fewer than MAX_COLUMNS"
    )]
    fn add(&mut self, raster: &Raster, rows: Range<usize>, first: i64, slope: i64, step: i16) {
        // Rounded down it is now the first cell right of the line.
        let first = first + (ONE - 1);
        let width = (raster.count[0] as i64) << PLACES;
        let [left, within] = clipped(first, slope, rows.len(), width);
        if !left.is_empty() {
            self.whole_rows(rows.start + left.start..rows.start + left.end, step);
        }
        if within.is_empty() {
            return;
        }
        let [start, end] = [within.start, within.end].map(|row| rows.start + row);
        self.begin[start / BAND].push(Line {
            column: first + within.start as i64 * slope,
            slope,
            rows: [start as u32, end as u32],
            step,
        });
    }

    /// Adds up all lines, and `values` wherever `fixed` has a step.
    pub(super) fn add_up(&mut self, raster: &Raster, fixed: &FixedSteps, values: &[i16]) {
        let [_, num_rows] = raster.count;
        let Self {
            counts,
            base,
            band,
            begin,
            active,
        } = self;
        let mut left = 0_i16;
        Arch::new().dispatch(
            #[inline(always)]
            || {
                for (number, begin) in begin.iter_mut().enumerate() {
                    let first = number * BAND;
                    for &[at, value] in fixed.of_band(number) {
                        let count = &mut band[at as usize / BAND].0[at as usize % BAND];
                        *count = count.wrapping_add(values[value as usize]);
                    }
                    let mut num_active = 0;
                    for k in 0..active.len() {
                        let goes_on = draw(&mut active[k], band, first);
                        active[num_active] = active[k];
                        num_active += usize::from(goes_on);
                    }
                    active.truncate(num_active);
                    for line in begin.iter_mut() {
                        if draw(line, band, first) {
                            active.push(*line);
                        }
                    }
                    let rows = first..num_rows.min(first + BAND);
                    let mut of_rows = [0_i16; BAND];
                    for (of_row, change) in of_rows.iter_mut().zip(&base[rows.clone()]) {
                        left = left.wrapping_add(*change);
                        *of_row = left;
                    }
                    add_up_band(band, of_rows, counts.chunks_exact_mut(num_rows), rows);
                }
            },
        );
    }
}

#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "within MAX_COLUMNS")]
fn fixed(x: f64) -> i64 {
    (x * ONE as f64) as i64
}

/// The first number from zero to `count` from which on `x`, rising by `slope` each time, is at least `to`.
#[inline(always)]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the difference is not negative"
)]
fn first_beyond(x: i64, slope: i64, to: i64, count: usize) -> usize {
    if x >= to {
        0
    } else {
        (((to - x - 1) / slope) as usize + 1).min(count)
    }
}

/// The steps among the first `count` at which `first`, changing by `slope` each time, is negative, and those at which
/// it is neither negative nor at least `width`.
#[inline(always)]
fn clipped(first: i64, slope: i64, count: usize, width: i64) -> [Range<usize>; 2] {
    match slope.cmp(&0) {
        Ordering::Greater => {
            let [enters, leaves] = [0, width].map(|to| first_beyond(first, slope, to, count));
            [0..enters, enters..leaves]
        }
        Ordering::Less => {
            let falls_below = |to: i64| first_beyond(-first, -slope, 1 - to, count);
            let [leaves, enters] = [0, width].map(falls_below);
            [leaves..count, enters..leaves]
        }
        Ordering::Equal => {
            let [left, within] = [first < 0, (0..width).contains(&first)];
            [left, within].map(|is_all| 0..if is_all { count } else { 0 })
        }
    }
}

/// Takes the steps of a line in the band that begins with the row `first`, and says whether the line goes on behind it.
#[inline(always)]
fn draw(line: &mut Line, band: &mut [Stripe], first: usize) -> bool {
    let [start, end] = line.rows.map(|row| row as usize);
    let rows = start.saturating_sub(first)..BAND.min(end - first);
    let Line {
        slope,
        step,
        mut column,
        ..
    } = *line;
    let mut take = |row: usize| {
        #[expect(
            clippy::cast_sign_loss,
            reason = "a line is drawn within the image alone"
        )]
        let stripe = band.get_mut((column >> PLACES) as usize);
        if let Some(Stripe(steps)) = stripe {
            steps[row] = steps[row].wrapping_add(step);
        }
        column += slope;
    };
    // The compiler optimises better for a known number of rows.
    if rows.len() == BAND {
        (0..BAND).for_each(&mut take);
    } else {
        rows.for_each(&mut take);
    }
    line.column = column;
    end > first + BAND
}

/// Adds up the steps of a band into some rows of all columns, and clears them.
#[inline(always)]
fn add_up_band<'a>(
    band: &mut [Stripe],
    mut of_rows: [i16; BAND],
    columns: impl Iterator<Item = &'a mut [i16]>,
    rows: Range<usize>,
) {
    let added = |a: [i16; BAND], b: [i16; BAND]| std::array::from_fn(|k| a[k].wrapping_add(b[k]));
    if rows.len() == BAND {
        for (column, stripe) in columns.zip(band) {
            of_rows = added(of_rows, std::mem::take(stripe).0);
            column[rows.start..rows.start + BAND].copy_from_slice(&of_rows);
        }
    } else {
        for (column, stripe) in columns.zip(band) {
            of_rows = added(of_rows, std::mem::take(stripe).0);
            column[rows.clone()].copy_from_slice(&of_rows[..rows.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_clipped_as_row_by_row() {
        let count = 7;
        for width in [1, 2, 5, 11] {
            for slope in -6..=6 {
                for first in -30..=30 {
                    let at = |k: i64| first + slope * k;
                    let [left, within] = clipped(first, slope, count, width);
                    for (k, row) in (0..).zip(0..count) {
                        let message = format!("{k} from {first} by {slope} in {width}");
                        assert_eq!(left.contains(&row), at(k) < 0, "left, {message}");
                        let expected = (0..width).contains(&at(k));
                        assert_eq!(within.contains(&row), expected, "within, {message}");
                    }
                }
            }
        }
    }

    /// The lines have any slope, also such as no fixed point number holds, in images that end within a band or before
    /// the first is full.
    #[test]
    fn cells_right_of_lines_are_counted() {
        for count in [[70, 75], [3, 20], [90, 64], [1, 1]] {
            let raster = Raster {
                count,
                resolution: DVec2::ONE,
            };
            let mut image = DifferenceImage::default();
            image.clear(&raster);
            let mut expected = vec![0_i16; raster.num_cells()];
            let mut place = 0.1;
            let mut next = |scale: f64| {
                place = (place * 7.13 + 0.377) % 1.0;
                scale * (place - 0.3)
            };
            for number in 0..400_i16 {
                let scale = [90.0, 9.0, 300.0, 1e9][usize::from(number.unsigned_abs() % 4)];
                let a = DVec2::new(next(scale), next(90.0));
                let b = DVec2::new(
                    next(scale),
                    next(if number % 7 == 0 { 1e-3 } else { 130.0 }),
                );
                let step = 1 + number % 3;
                image.line(&raster, [a, b], step);
                for (cell, expected) in expected.iter_mut().enumerate() {
                    let [x, y] = [cell / count[1], cell % count[1]].map(|k| k as f64);
                    let is_right = |[low, high]: [DVec2; 2]| {
                        let share = (y - low.y) / (high.y - low.y);
                        y >= low.y && y < high.y && x >= low.x + share * (high.x - low.x)
                    };
                    *expected += step * (i16::from(is_right([a, b])) - i16::from(is_right([b, a])));
                }
            }
            image.add_up(&raster, &FixedSteps::new(&raster, std::iter::empty()), &[]);
            let wrong = image.counts().iter().zip(&expected).filter(|(a, b)| a != b);
            assert_eq!(wrong.count(), 0, "of {count:?} cells");
        }
    }
}
