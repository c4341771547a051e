//! What finished rows of visibility say about later tiles.

use std::ops::Range;

use super::rows::row_ids;

/// What earlier rows say of some tiles: two tiles agree about seeing each other.
#[derive(Debug)]
pub struct Earlier {
    start: usize,
    /// Of each tile, the earlier ones that see it.
    of: Vec<Vec<u32>>,
    /// The first tile that nothing is known of.
    end: u32,
}

impl Earlier {
    /// Nothing yet, of these tiles. All rows before them are to be added, in their order.
    ///
    /// # Panics
    /// If there are 2^32 tiles.
    pub fn new(tiles: Range<usize>) -> Self {
        let end = u32::try_from(tiles.start).expect("fewer than 2^32 tiles");
        Self {
            start: tiles.start,
            of: vec![Vec::new(); tiles.len()],
            end,
        }
    }

    /// Adds what the row of a tile says of these.
    pub fn add(&mut self, tile: u32, row: &[u8]) {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let mine = count(self.start)..count(self.start + self.of.len());
        for run in row_ids(row) {
            if run.start >= mine.end {
                return;
            }
            for seen in run.start.max(mine.start)..run.end.min(mine.end) {
                self.of[(seen - mine.start) as usize].push(tile);
            }
        }
    }

    pub(super) fn tiles(&self) -> Range<usize> {
        self.start..self.start + self.of.len()
    }

    /// The tiles before these that see one of them.
    pub(super) fn of(&self, tile: usize) -> &[u32] {
        &self.of[tile - self.start]
    }

    /// The first tile that is still to be asked for.
    pub(super) fn end(&self) -> u32 {
        self.end
    }
}
