//! Where the blocks of a visibility file are, and their checksums.

use std::ops::Range;

use keller::tiles::row_ids;
use twox_hash::XxHash3_64;

pub(super) const ENTRY_BYTES: usize = 24;

/// What the index says of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Where it ends in the file.
    pub(super) end: u64,
    /// How many tiles its rows name.
    pub(super) num_pairs: u64,
    checksum: u64,
}

impl Entry {
    pub(super) fn new(end: u64, num_pairs: u64, block: &[u8]) -> Self {
        let mut entry = Self {
            end,
            num_pairs,
            checksum: 0,
        };
        entry.checksum = entry.sum(block);
        entry
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        [self.end, self.num_pairs, self.checksum]
            .map(u64::to_le_bytes)
            .concat()
    }

    /// `None` of a block that was not written.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (words, _) = bytes.as_chunks();
        let [end, num_pairs, checksum] = words.first_chunk().copied()?.map(u64::from_le_bytes);
        let entry = Self {
            end,
            num_pairs,
            checksum,
        };
        Some(entry).filter(|entry| entry.checksum != 0)
    }

    pub(super) fn is_of(self, block: &[u8]) -> bool {
        self.sum(block) == self.checksum
    }

    /// Of the block and of what else is said of it; never zero, which says that it is missing.
    fn sum(self, block: &[u8]) -> u64 {
        XxHash3_64::oneshot_with_seed(self.end ^ self.num_pairs.rotate_left(32), block).max(1)
    }
}

/// Where a row is in a block of so many: its bytes.
pub(super) fn row_in(block: &[u8], row: usize, num_rows: usize) -> Option<Range<usize>> {
    let (ends, _) = block.get(..8 * num_rows)?.as_chunks();
    let end = |row: usize| usize::try_from(u64::from_le_bytes(ends[row])).ok();
    let start = row.checked_sub(1).map_or(Some(8 * num_rows), end)?;
    Some(start..end(row)?).filter(|row| row.start <= row.end && row.end <= block.len())
}

/// How many tiles the rows of a block name.
pub(super) fn num_pairs(block: &[u8], num_rows: usize) -> u64 {
    let rows = (0..num_rows).filter_map(|row| row_in(block, row, num_rows));
    let runs = rows.flat_map(|row| row_ids(&block[row]));
    runs.map(|run| u64::from(run.end - run.start)).sum()
}

/// Whether the rows of a block lie in it and name only tiles that there are.
pub(super) fn is_sound(block: &[u8], num_rows: usize, num_tiles: u64) -> bool {
    (0..num_rows).all(|row| {
        let row = row_in(block, row, num_rows);
        row.is_some_and(|row| row_ids(&block[row]).all(|run| u64::from(run.end) <= num_tiles))
    })
}
