//! Sums of steps along half-lines from one place, looked up by direction.
//!
//! Where shadows end along a line of sight, the number of walls changes by a step for all cells on one side of it. These
//! half-lines all come from the transmitter, so which of them lie below a cell depends on its direction alone, as long as
//! no half-line begins or ends. A sweep goes from the transmitter outwards, column by column, over a table of directions:
//! it holds the sum of the steps below each, in blocks, so that the beginning of a half-line changes few numbers. A cell
//! takes its sum from the table. Only where a half-line passes within the same narrow range of directions, it is held
//! against the cell itself.
//!
//! **Cost.** A lookup a cell, and some hundred numbers for every half-line that begins or ends, eight or more at a time.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use std::ops::Range;

use glam::DVec2;

use super::raster::first_from;

/// Directions of one side of the transmitter, from straight down to straight up.
const NUM_DIRECTIONS: usize = 1 << 16;

/// Directions in a block, and blocks.
const BLOCK: usize = 1 << 8;

/// Marks a direction in which cells must be held against half-lines by themselves. Steps count twice beside it.
const CLOSE: i16 = 1;

/// No further half-line.
const END: u32 = u32::MAX;

/// Part of a half-line from the transmitter, and the change for the cells above it.
#[derive(Debug, Clone, Copy, PartialEq)]
struct HalfLine {
    /// Rows for each column.
    slope: f64,
    /// The directions in which cells may lie on either side of it: from, and without.
    close: [u32; 2],
    step: i16,
}

/// An entry in a list of half-lines: its number, and the next entry.
type Entry = (u32, u32);

/// Half-lines on one side of a transmitter, and the sums of their steps.
#[derive(Debug, Clone)]
pub(super) struct Silhouettes {
    lines: Vec<HalfLine>,
    /// Of every direction: the steps within its block below it, twice, and [`CLOSE`].
    in_block: Box<[i16; NUM_DIRECTIONS]>,
    /// Of every block: the steps in the blocks below it.
    blocks: [i16; BLOCK],
    /// Of every direction that is close to half-lines: the first entry of their list.
    first_close: Box<[u32; NUM_DIRECTIONS]>,
    close: Vec<Entry>,
    /// Of every column: the first entries of the lists of half-lines that begin and that end before it.
    first_events: Vec<[u32; 2]>,
    events: Vec<Entry>,
    /// Of every row: how far above the transmitter, cells; and the direction in the present column.
    rises: Vec<f32>,
    directions: Vec<u16>,
    /// The rows of the present column that are close to half-lines.
    close_rows: Vec<u32>,
}

impl Default for Silhouettes {
    fn default() -> Self {
        // On the heap from the start: the stack may be too small.
        let in_block = vec![0; NUM_DIRECTIONS].into_boxed_slice().try_into();
        let first_close = vec![END; NUM_DIRECTIONS].into_boxed_slice().try_into();
        Self {
            lines: Vec::new(),
            in_block: in_block.expect("an entry for each direction"),
            blocks: [0; BLOCK],
            first_close: first_close.expect("an entry for each direction"),
            close: Vec::new(),
            first_events: Vec::new(),
            events: Vec::new(),
            rises: Vec::new(),
            directions: Vec::new(),
            close_rows: Vec::new(),
        }
    }
}

/// Adds a step to all sums from one on.
#[inline(always)]
fn add_from(sums: &mut [i16], from: usize, step: i16) {
    /// So many are computed at once.
    const LANES: usize = 32;
    let first = from / LANES;
    for (k, lanes) in sums.chunks_exact_mut(LANES).enumerate().skip(first) {
        for (lane, sum) in lanes.iter_mut().enumerate() {
            let step = if k * LANES + lane >= from { step } else { 0 };
            *sum = sum.wrapping_add(step);
        }
    }
}

/// The number of a thing, of which there are few.
fn number(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32")
}

/// Directions from level to straight up, or down: nothing comes after the last.
const HALF: f32 = (NUM_DIRECTIONS / 2 - 1) as f32;

/// The direction of level, which comes after those down.
const LEVEL: f32 = (NUM_DIRECTIONS / 2) as f32;

/// The direction `up` rows above the transmitter and `along` columns beside it.
#[inline(always)]
fn direction(up: f64, along: f64) -> f64 {
    up / (up.abs() + along.abs()) * f64::from(HALF) + f64::from(LEVEL)
}

impl Silhouettes {
    /// None yet, for so many columns and rows around a transmitter in that row.
    #[inline(always)]
    pub(super) fn clear(&mut self, [num_columns, num_rows]: [usize; 2], row: f64) {
        self.lines.clear();
        self.in_block.fill(0);
        self.blocks.fill(0);
        self.close.clear();
        self.first_events.clear();
        self.first_events.resize(num_columns, [END; 2]);
        self.events.clear();
        self.rises.clear();
        #[expect(clippy::cast_possible_truncation, reason = "see `CLOSENESS`")]
        self.rises
            .extend((0..num_rows).map(|k| (k as f64 - row) as f32));
        self.directions.resize(num_rows, 0);
        self.close_rows.resize(num_rows, 0);
    }

    /// Adds a half-line from the transmitter along `away`, which is not upright, over some columns. Cells above it change by
    /// `step`.
    #[inline(always)]
    pub(super) fn push(&mut self, away: DVec2, columns: Range<usize>, step: i16) {
        /// Directions of cells are found in single precision, to this and to a half by rounding.
        const CLOSENESS: f64 = 0.52;
        let here = direction(away.y, away.x);
        let close = [here - CLOSENESS, here + CLOSENESS];
        // Columns come from the transmitter outwards.
        let (begin, end) = if away.x > 0.0 {
            (columns.start, columns.end)
        } else {
            (columns.end - 1, columns.start.wrapping_sub(1))
        };
        for (column, is_end) in [(begin, 0), (end, 1)] {
            if let Some(first) = self.first_events.get_mut(column) {
                let next = std::mem::replace(&mut first[is_end], number(self.events.len()));
                self.events.push((number(self.lines.len()), next));
            }
        }
        self.lines.push(HalfLine {
            slope: away.y / away.x,
            close: close.map(|end| number(first_from(end, NUM_DIRECTIONS))),
            step,
        });
    }

    /// Goes on to a column, which must be the next outwards, and adds the steps below each of its cells to `sums`. The
    /// transmitter lies at `centre`, in cells.
    #[inline(always)]
    pub(super) fn add_to(&mut self, sums: &mut [i16], column: usize, centre: DVec2) {
        self.begin_and_end(column);
        let along = column as f64 - centre.x;
        self.find_directions(along);
        let mut num_close = 0;
        for (row, (sum, direction)) in sums.iter_mut().zip(&self.directions).enumerate() {
            let in_block = self.in_block[usize::from(*direction)];
            let below = (in_block >> 1).wrapping_add(self.blocks[usize::from(*direction) / BLOCK]);
            *sum = sum.wrapping_add(below);
            #[expect(clippy::cast_possible_truncation, reason = "fewer than 2^32 rows")]
            if let Some(close) = self.close_rows.get_mut(num_close) {
                *close = row as u32;
            }
            num_close += usize::from(in_block & CLOSE != 0);
        }
        for row in &self.close_rows[..num_close] {
            let row = *row as usize;
            let mut next = self.first_close[usize::from(self.directions[row])];
            while let Some((line, after)) = self.close.get(next as usize) {
                let line = &self.lines[*line as usize];
                let is_above = centre.y + along * line.slope <= row as f64;
                sums[row] = sums[row].wrapping_add(if is_above { line.step } else { 0 });
                next = *after;
            }
        }
    }

    /// Takes in the half-lines that begin before a column, and leaves out those that end.
    #[inline(always)]
    fn begin_and_end(&mut self, column: usize) {
        let [mut begin, mut end] = self.first_events[column];
        while let Some(&(which, next)) = self.events.get(begin as usize) {
            let line = self.lines[which as usize];
            self.change(line, line.step);
            for direction in line.close[0] as usize..line.close[1] as usize {
                let (mark, first) = (
                    &mut self.in_block[direction],
                    &mut self.first_close[direction],
                );
                let after = if *mark & CLOSE == 0 { END } else { *first };
                *mark |= CLOSE;
                *first = number(self.close.len());
                self.close.push((which, after));
            }
            begin = next;
        }
        while let Some(&(which, next)) = self.events.get(end as usize) {
            let line = self.lines[which as usize];
            self.change(line, -line.step);
            // It stays close to its directions, without a step.
            self.lines[which as usize].step = 0;
            end = next;
        }
    }

    /// Changes the sums above a half-line by a step.
    #[inline(always)]
    fn change(&mut self, line: HalfLine, step: i16) {
        let last = line.close[1] as usize - 1;
        let block = last / BLOCK;
        let in_block = &mut self.in_block[block * BLOCK..(block + 1) * BLOCK];
        add_from(in_block, last % BLOCK + 1, 2 * step);
        add_from(&mut self.blocks, block + 1, step);
    }

    /// Finds the directions of the cells so many columns beside the transmitter.
    #[inline(always)]
    fn find_directions(&mut self, along: f64) {
        /// Adding this rounds a number in single precision to a whole one, which its last bits hold.
        const WHOLE: f32 = 8_388_608.0;
        #[expect(clippy::cast_possible_truncation, reason = "see `CLOSENESS`")]
        let along = along.abs() as f32;
        for (direction, up) in self.directions.iter_mut().zip(&self.rises) {
            let share = up / (up.abs() + along);
            #[expect(clippy::cast_possible_truncation, reason = "the last bits")]
            let number = (share * HALF + (WHOLE + LEVEL)).to_bits() as u16;
            *direction = number;
        }
    }
}
