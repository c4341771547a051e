//! The cells of a plane that lie in a beam, a bit each.
//!
//! Bits of a column lie together, so that rows are filled a word at a time: the outline of a beam turns a bit over
//! wherever it crosses a row, and every column is then its own bits turned over by those of the column before. Places
//! are in cells, the centre of the first cell at zero. A cell whose centre lies on the outline belongs to either side.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use glam::DVec2;
use pulp::Arch;

use super::raster::{Raster, first_from, rows_between};

/// The cells in a beam, in a box around them.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Mask {
    /// The first column, and the first word of each column.
    pub(super) first: [usize; 2],
    /// The number of columns, and of words of each.
    pub(super) count: [usize; 2],
    pub(super) words: Vec<u64>,
}

impl Mask {
    /// Fills in the cells within an outline, metres.
    pub(super) fn fill(&mut self, raster: &Raster, outline: &[DVec2]) {
        let places = outline.iter().map(|at| raster.cells(*at));
        let (low, high) = places
            .clone()
            .fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), at| {
                (low.min(at), high.max(at))
            });
        let columns = rows_between(low.x, high.x, raster.count[0]);
        let rows = rows_between(low.y, high.y, raster.count[1]);
        if columns.is_empty() || rows.is_empty() {
            self.first = [0; 2];
            self.count = [0; 2];
            self.words.clear();
            return;
        }
        self.first = [columns.start, rows.start / 64];
        self.count = [columns.len(), rows.end.div_ceil(64) - self.first[1]];
        let [num_columns, num_words] = self.count;
        self.words.clear();
        self.words.resize(num_columns * num_words, 0);
        let mut before = raster.cells(outline[outline.len() - 1]);
        for at in places {
            self.turn_over(raster, before, at);
            before = at;
        }
        for column in 1..num_columns {
            let (known, rest) = self.words.split_at_mut(column * num_words);
            let known = &known[(column - 1) * num_words..];
            for (word, before) in rest[..num_words].iter_mut().zip(known) {
                *word ^= before;
            }
        }
    }

    /// Fills in the cells with a zero; values lie by columns.
    pub(super) fn of_zeros(&mut self, raster: &Raster, values: &[i16]) {
        let [num_columns, num_rows] = raster.count;
        let num_words = num_rows.div_ceil(64);
        self.first = [0; 2];
        self.count = [num_columns, num_words];
        self.words.clear();
        self.words.reserve(num_columns * num_words);
        Arch::new().dispatch(|| {
            for column in values.chunks(num_rows) {
                self.words.extend(column.chunks(64).map(zeros));
            }
        });
    }

    /// Turns over the first cell behind a line in every row that it crosses.
    fn turn_over(&mut self, raster: &Raster, a: DVec2, b: DVec2) {
        let rows = rows_between(a.y.min(b.y), a.y.max(b.y), raster.count[1]);
        if rows.is_empty() {
            return;
        }
        let slope = (b.x - a.x) / (b.y - a.y);
        let [first_column, first_word] = self.first;
        let [num_columns, num_words] = self.count;
        for row in rows {
            let x = a.x + (row as f64 - a.y) * slope;
            let column = first_from(x, raster.count[0]).saturating_sub(first_column);
            if column < num_columns {
                self.words[column * num_words + row / 64 - first_word] ^= 1 << (row % 64);
            }
        }
    }

    /// Takes the cells within a convex quadrangle out, metres.
    pub(super) fn clear(&mut self, raster: &Raster, corners: [DVec2; 4]) {
        let at = corners.map(|corner| raster.cells(corner));
        let low = at.into_iter().fold(DVec2::INFINITY, DVec2::min);
        let high = at.into_iter().fold(DVec2::NEG_INFINITY, DVec2::max);
        let end = self.first[0] + self.count[0];
        let columns = rows_between(low.x, high.x, end);
        let sides = [0, 1, 2, 3].map(|k| {
            let (a, b) = (at[k], at[(k + 1) % 4]);
            (a, b.x, (b.y - a.y) / (b.x - a.x))
        });
        for column in columns.start.max(self.first[0])..columns.end {
            let x = column as f64;
            let mut range = [f64::INFINITY, f64::NEG_INFINITY];
            for (a, end, slope) in sides {
                if (a.x < x) != (end < x) {
                    let y = a.y + (x - a.x) * slope;
                    range = [range[0].min(y), range[1].max(y)];
                }
            }
            let rows = rows_between(range[0], range[1], raster.count[1]);
            self.clear_rows(column - self.first[0], rows);
        }
    }

    fn clear_rows(&mut self, column: usize, rows: std::ops::Range<usize>) {
        let [_, num_words] = self.count;
        let first = 64 * self.first[1];
        let (from, to) = (rows.start.max(first), rows.end.min(first + 64 * num_words));
        let mut row = from;
        while row < to {
            let word = row / 64;
            let end = to.min(64 * (word + 1));
            let ones = u64::MAX >> (64 - (end - row));
            self.words[column * num_words + word - self.first[1]] &= !(ones << (row % 64));
            row = end;
        }
    }

    /// The word of a column with the numbers in the whole plane; zero outside the box.
    pub(super) fn word(&self, column: usize, word: usize) -> u64 {
        let [num_columns, num_words] = self.count;
        let at = [
            column.wrapping_sub(self.first[0]),
            word.wrapping_sub(self.first[1]),
        ];
        if at[0] < num_columns && at[1] < num_words {
            self.words[at[0] * num_words + at[1]]
        } else {
            0
        }
    }

    /// Whether a cell lies in the beam.
    pub(super) fn has(&self, column: usize, row: usize) -> bool {
        self.word(column, row / 64) >> (row % 64) & 1 == 1
    }

    /// Whether the beam comes near a column.
    pub(super) fn has_column(&self, column: usize) -> bool {
        column.wrapping_sub(self.first[0]) < self.count[0]
    }

    /// Calls `visit` with the rows of a column that lie in the beam.
    pub(super) fn each_of_column(&self, column: usize, mut visit: impl FnMut(usize)) {
        if !self.has_column(column) {
            return;
        }
        let [_, num_words] = self.count;
        let first = (column - self.first[0]) * num_words;
        let words = &self.words[first..first + num_words];
        for (number, word) in (self.first[1]..).zip(words) {
            let mut bits = *word;
            while bits != 0 {
                visit(64 * number + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
    }

    pub(super) fn count_cells(&self) -> usize {
        self.words
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }

    /// Calls `visit` with the column, the number of the word, and the bits of every word that has some.
    pub(super) fn each_word(&self, mut visit: impl FnMut(usize, usize, u64)) {
        let [_, num_words] = self.count;
        for (number, bits) in self.words.iter().enumerate() {
            if *bits != 0 {
                let column = self.first[0] + number / num_words;
                visit(column, self.first[1] + number % num_words, *bits);
            }
        }
    }
}

/// Whether each of up to 64 values is zero, a bit each.
#[inline(always)]
fn zeros(values: &[i16]) -> u64 {
    /// Multiplied by this, eight bytes of zero or one have their last bits together in the first byte.
    const TOGETHER: u64 = 0x0102_0408_1020_4080;
    let mut is_zero = [0_u8; 64];
    for (is_zero, value) in is_zero.iter_mut().zip(values) {
        *is_zero = u8::from(*value == 0);
    }
    let mut word = 0;
    for (k, bytes) in is_zero.chunks_exact(8).enumerate() {
        let bytes = u64::from_le_bytes(bytes.try_into().expect("eight"));
        word |= (bytes.wrapping_mul(TOGETHER) >> 56) << (8 * k);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_found_one_by_one() {
        for count in [1, 8, 63, 64] {
            for step in 1..9 {
                let values: Vec<i16> = (0..count).map(|k| (k * step % 5) as i16 - 1).collect();
                let of_each = values.iter().enumerate();
                let expected: u64 = of_each.map(|(k, v)| u64::from(*v == 0) << k).sum();
                assert_eq!(zeros(&values), expected);
            }
        }
    }
}
