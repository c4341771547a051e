//! Rows of some tiles as bytes.

use keller::tiles::RowBuilder;

use crate::formats::bytes::{ByteReader, ByteWriter};

/// Rows as bytes.
///
/// # Panics
/// If memory could not hold what it holds.
pub fn rows_as_bytes(rows: &RowBuilder) -> Vec<u8> {
    let mut writer = ByteWriter::default();
    writer.count(usize::try_from(rows.num_pairs).expect("rows are in memory"));
    for end in &rows.ends {
        writer.count(usize::try_from(*end).expect("rows are in memory"));
    }
    writer.raw(&rows.bytes);
    writer.into_bytes()
}

/// So many rows that [`rows_as_bytes`] wrote; `None` if they are damaged.
pub fn rows_of_bytes(bytes: &[u8], num_rows: usize) -> Option<RowBuilder> {
    let mut reader = ByteReader::new(bytes);
    let num_pairs = reader.count()? as u64;
    let ends = (0..num_rows).map(|_| reader.count().map(|end| end as u64));
    let ends = ends.collect::<Option<Vec<u64>>>()?;
    let length = usize::try_from(ends.last().copied().unwrap_or(0)).ok()?;
    let rows = reader.take(length)?.to_vec();
    let is_whole = ends.is_sorted() && reader.is_at_end();
    is_whole.then_some(RowBuilder {
        bytes: rows,
        ends,
        num_pairs,
    })
}
