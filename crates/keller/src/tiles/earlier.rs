//! The information that finished rows of visibility hold about later tiles.

use std::ops::Range;

use super::rows::{push_number, row_ids, take_number};

/// The visibility of some later tiles that the rows of earlier tiles show. Visibility is mutual, so it need not be
/// computed again for the later tiles.
#[derive(Debug)]
pub struct Earlier {
    start: usize,
    /// The earlier tiles that see each tile.
    of: Vec<Seers>,
    /// The first tile whose row is not known.
    end: u32,
}

/// Ascending tile numbers, in about a byte each.
#[derive(Debug, Clone, Default)]
struct Seers {
    /// The count of numbers that are skipped before each number.
    skips: Vec<u8>,
    /// The number after the last one.
    next: u32,
}

impl Earlier {
    /// Creates this for some tiles, without rows. The rows of all tiles before them must then be added, in order.
    ///
    /// # Panics
    /// If there are 2^32 tiles.
    pub fn new(tiles: Range<usize>) -> Self {
        let end = u32::try_from(tiles.start).expect("fewer than 2^32 tiles");
        Self {
            start: tiles.start,
            of: vec![Seers::default(); tiles.len()],
            end,
        }
    }

    /// Adds the visibility of these tiles that the row of a tile shows.
    pub fn add(&mut self, tile: u32, row: &[u8]) {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mine = count(self.start)..count(self.start + self.of.len());
        for run in row_ids(row) {
            if run.start >= mine.end {
                return;
            }
            for seen in run.start.max(mine.start)..run.end.min(mine.end) {
                let seers = &mut self.of[(seen - mine.start) as usize];
                push_number(&mut seers.skips, tile - seers.next);
                seers.next = tile + 1;
            }
        }
    }

    pub(super) fn tiles(&self) -> Range<usize> {
        self.start..self.start + self.of.len()
    }

    /// The earlier tiles that see one of these tiles.
    pub(super) fn of(&self, tile: usize) -> impl Iterator<Item = u32> {
        let mut skips = self.of[tile - self.start].skips.iter();
        let mut next = 0;
        std::iter::from_fn(move || {
            let tile = next + take_number(&mut skips)?;
            next = tile + 1;
            Some(tile)
        })
    }

    /// The first tile whose visibility must still be computed.
    pub(super) fn end(&self) -> u32 {
        self.end
    }
}
