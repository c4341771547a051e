//! Rows of some tiles as bytes, in files and in stores.

use keller::tiles::{RowBuilder, row_ids};

use crate::formats::bytes::ByteWriter;

/// Rows as bytes: the number of tiles that they name, the end of each of them, and all of them.
///
/// # Panics
/// If memory could not hold the bytes.
pub fn rows_as_bytes(rows: &RowBuilder) -> Vec<u8> {
    let mut writer = ByteWriter::default();
    writer.count(usize::try_from(rows.num_pairs).expect("rows are in memory"));
    for end in &rows.ends {
        writer.count(usize::try_from(*end).expect("rows are in memory"));
    }
    writer.raw(&rows.bytes);
    writer.into_bytes()
}

/// So many rows that [`rows_as_bytes`] wrote; `None` if they are damaged, or name other tiles than the first
/// `num_tiles`.
pub fn rows_of_bytes(bytes: &[u8], num_rows: usize, num_tiles: usize) -> Option<RowBuilder> {
    let rows = Rows::new(bytes, num_rows).filter(|rows| rows.are_sound(num_tiles))?;
    Some(RowBuilder {
        bytes: rows.bytes.to_vec(),
        ends: rows.ends.iter().copied().map(u64::from_le_bytes).collect(),
        num_pairs: rows.num_pairs,
    })
}

/// The rows that [`rows_as_bytes`] wrote, read in place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows<'b> {
    /// The number of tiles that they name.
    pub(super) num_pairs: u64,
    /// The end of each of them in `bytes`.
    ends: &'b [[u8; 8]],
    bytes: &'b [u8],
}

impl<'b> Rows<'b> {
    /// The rows in `bytes`; `None` if there are fewer bytes than so many rows have.
    pub(super) fn new(bytes: &'b [u8], num_rows: usize) -> Option<Self> {
        let (num_pairs, rest) = bytes.split_first_chunk()?;
        let (ends, bytes) = rest.split_at_checked(num_rows.checked_mul(8)?)?;
        Some(Self {
            num_pairs: u64::from_le_bytes(*num_pairs),
            ends: ends.as_chunks().0,
            bytes,
        })
    }

    /// The bytes of a row; `None` if it does not lie here.
    pub(super) fn row(&self, row: usize) -> Option<&'b [u8]> {
        let end = |row: usize| usize::try_from(u64::from_le_bytes(*self.ends.get(row)?)).ok();
        let start = row.checked_sub(1).map_or(Some(0), end)?;
        self.bytes.get(start..end(row)?)
    }

    /// Whether every row lies here, and they name the stated number of tiles, all of the first `num_tiles`.
    pub(super) fn are_sound(&self, num_tiles: usize) -> bool {
        let mut num_pairs = 0;
        let mut is_sound = |row: &[u8]| {
            row_ids(row).all(|run| {
                num_pairs += u64::from(run.end - run.start);
                run.end as usize <= num_tiles
            })
        };
        let all = (0..self.ends.len()).all(|row| self.row(row).is_some_and(&mut is_sound));
        let length = self.ends.last().map_or(0, |end| u64::from_le_bytes(*end));
        all && length == self.bytes.len() as u64 && num_pairs == self.num_pairs
    }
}
