//! The results of units as bytes, every number to its last bit.

use keller::tiles::RowBuilder;

use super::{Unit, Work};
use crate::bytes::{ByteReader, ByteWriter};
use crate::paths::PathBlock;
use crate::surfaces::FinishedTx;

/// The result of a unit.
#[derive(Debug, Clone, PartialEq)]
pub enum UnitResult {
    /// Of each row of a coverage that the unit fills, the values of its cells: shape (rows, cells).
    Cells(Vec<Vec<f64>>),
    /// The fields on all tiles.
    Surfaces(Box<FinishedTx>),
    /// The paths to some receivers.
    Paths(PathBlock),
    /// What some tiles see.
    Visibility(RowBuilder),
}

impl UnitResult {
    /// As bytes.
    ///
    /// # Panics
    /// If memory could not hold what it holds.
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Cells(rows) => {
                let mut writer = ByteWriter::default();
                for row in rows {
                    writer.reals(row);
                }
                writer.into_bytes()
            }
            Self::Surfaces(finished) => finished.to_bytes(),
            Self::Paths(block) => block.to_bytes(),
            Self::Visibility(rows) => {
                let mut writer = ByteWriter::default();
                writer.count(usize::try_from(rows.num_pairs).expect("rows are in memory"));
                for end in &rows.ends {
                    writer.count(usize::try_from(*end).expect("rows are in memory"));
                }
                writer.raw(&rows.bytes);
                writer.into_bytes()
            }
        }
    }

    /// What [`Self::bytes`] made; `None` if the bytes are not the result of such a unit.
    pub fn parse(bytes: &[u8], work: Work, unit: &Unit) -> Option<Self> {
        let count = unit.range.len();
        match work {
            Work::Cells => {
                let (values, []) = bytes.as_chunks() else {
                    return None;
                };
                let rows = values.chunks_exact(count.max(1));
                let is_whole = rows.remainder().is_empty();
                let row = |row: &[[u8; 8]]| row.iter().copied().map(f64::from_le_bytes).collect();
                is_whole.then(|| Self::Cells(rows.map(row).collect()))
            }
            Work::Surfaces => {
                FinishedTx::from_bytes(bytes).map(|finished| Self::Surfaces(Box::new(finished)))
            }
            Work::Paths | Work::Channels => {
                let block = PathBlock::from_bytes(bytes)?;
                let is_its = unit.tx == [block.tx] && block.rx == unit.range;
                is_its.then_some(Self::Paths(block))
            }
            Work::Visibility => {
                let mut reader = ByteReader::new(bytes);
                let num_pairs = reader.count()? as u64;
                let ends = (0..count).map(|_| reader.count().map(|end| end as u64));
                let ends = ends.collect::<Option<Vec<u64>>>()?;
                let length = usize::try_from(ends.last().copied().unwrap_or(0)).ok()?;
                let rows = reader.take(length)?.to_vec();
                let is_whole = ends.is_sorted() && reader.is_at_end();
                is_whole.then_some(Self::Visibility(RowBuilder {
                    bytes: rows,
                    ends,
                    num_pairs,
                }))
            }
        }
    }
}
