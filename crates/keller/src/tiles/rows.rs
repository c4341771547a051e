//! Stores which tiles a tile sees, in few bytes.
//!
//! Tiles of one wall have neighbouring numbers and are mostly seen together. A row is therefore a list of runs. Each
//! run is two numbers: how many tile numbers are skipped before it, and its length minus one. Both are stored with
//! seven bits a byte (LEB128). Cities take about a byte a pair.

use std::ops::Range;

/// Rows, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowBuilder {
    /// The bytes of all rows.
    pub bytes: Vec<u8>,
    /// The end of each row in `bytes`.
    pub ends: Vec<u64>,
    /// The number of tile numbers that all rows contain together.
    pub num_pairs: u64,
}

impl RowBuilder {
    /// Adds a row of these tile numbers, which must ascend.
    pub fn push(&mut self, ids: &[u32]) {
        let mut next = 0;
        for run in ids.chunk_by(|a, b| b - a == 1) {
            push_number(&mut self.bytes, run[0] - next);
            let more = run[run.len() - 1] - run[0];
            push_number(&mut self.bytes, more);
            next = run[0] + more + 1;
        }
        self.ends.push(self.bytes.len() as u64);
        self.num_pairs += ids.len() as u64;
    }

    /// Adds all rows of `other`.
    pub fn append(&mut self, other: &Self) {
        let start = self.bytes.len() as u64;
        self.bytes.extend_from_slice(&other.bytes);
        self.ends.extend(other.ends.iter().map(|end| start + end));
        self.num_pairs += other.num_pairs;
    }

    /// The bytes of a row, for [`row_ids`].
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[u8] {
        let place = |end: u64| usize::try_from(end).expect("rows are in memory");
        let start = row.checked_sub(1).map_or(0, |k| place(self.ends[k]));
        &self.bytes[start..place(self.ends[row])]
    }

    /// Adds one row of `other`.
    ///
    /// # Panics
    /// If `other` has no such row.
    pub fn push_row(&mut self, other: &Self, row: usize) {
        let bytes = other.row(row);
        self.bytes.extend_from_slice(bytes);
        self.ends.push(self.bytes.len() as u64);
        self.num_pairs += row_ids(bytes).map(|run| run.len() as u64).sum::<u64>();
    }
}

pub(super) fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

/// The tile numbers of a row, run by run. Invalid bytes end the row early, and no run exceeds `u32::MAX`.
///
/// ```
/// use keller::tiles::{RowBuilder, row_ids};
/// let mut rows = RowBuilder::default();
/// rows.push(&[3, 4, 5, 300]);
/// let ids: Vec<u32> = row_ids(&rows.bytes).flatten().collect();
/// assert_eq!((ids, rows.bytes.len()), (vec![3, 4, 5, 300], 5));
/// ```
pub fn row_ids(bytes: &[u8]) -> impl Iterator<Item = Range<u32>> {
    let mut bytes = bytes.iter();
    let mut next = 0_u32;
    std::iter::from_fn(move || {
        let start = next.checked_add(take_number(&mut bytes)?)?;
        let end = start
            .checked_add(take_number(&mut bytes)?)?
            .checked_add(1)?;
        next = end;
        Some(start..end)
    })
}

#[inline]
pub(super) fn take_number(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u32> {
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let byte = *bytes.next()?;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were() {
        let rows: [&[u32]; 5] = [
            &[],
            &[0],
            &[0, 1, 2, 127, 128, 129, 16_384, 2_097_152],
            &[u32::MAX - 2, u32::MAX - 1],
            &[5, 6, 9],
        ];
        let mut built = RowBuilder::default();
        for row in rows {
            built.push(row);
        }
        let mut start = 0;
        for (row, end) in rows.iter().zip(&built.ends) {
            let end = usize::try_from(*end).unwrap();
            let ids: Vec<u32> = row_ids(&built.bytes[start..end]).flatten().collect();
            assert_eq!(&ids, row);
            start = end;
        }
        assert_eq!(built.num_pairs, 14);
    }

    #[test]
    fn bytes_that_are_no_row_end() {
        for bytes in [&[0x80_u8; 9][..], &[1], &[0xff, 0xff, 0xff, 0xff, 0x0f, 3]] {
            assert!(row_ids(bytes).count() <= 1);
        }
    }
}
