//! The visibility between tiles. Two tiles see each other if only their own planes lie between their centres, and
//! neither centre lies in the plane of the other.

use std::sync::Arc;

use super::earlier::Earlier;
use super::rows::RowBuilder;
use super::set::Tiles;
use super::visibility_query::VisibilityQuery;
use crate::scene::Scene;
use crate::{Control, Error};

/// A source of visibility between tiles: memory, or a file.
pub trait VisibilityRows: Send + Sync + std::fmt::Debug {
    /// The row of a tile, to be read with [`super::row_ids`].
    fn row(&self, tile: usize) -> &[u8];
}

/// All rows, in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Visibility(RowBuilder);

/// Rows are computed in about this many blocks, so that later ones use the results of earlier ones.
const BLOCKS: usize = 8;

/// A smaller block would not occupy all threads.
const MIN_ROWS: usize = 1024;

impl Visibility {
    /// Computes the visibility between all tiles of a scene.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    ///
    /// # Panics
    /// If there are 2^32 tiles.
    pub fn new(scene: &Arc<Scene>, tiles: &Tiles, control: &Control) -> Result<Self, Error> {
        let visibility = VisibilityQuery::new(scene, tiles);
        let num = tiles.len();
        let mut rows = Self::default();
        while rows.0.ends.len() < num {
            let start = rows.0.ends.len();
            let end = num.min(start + (num / BLOCKS).max(MIN_ROWS));
            let mut earlier = Earlier::new(start..end);
            for tile in 0..start {
                let number = u32::try_from(tile).expect("fewer than 2^32 tiles");
                earlier.add(number, rows.row(tile));
            }
            let report = |stage, done: f64| {
                // Progress is the share of all pairs: later rows ask for fewer of them.
                let left = |tile: f64| (1.0 - tile / num as f64).powi(2);
                let tile = start as f64 + done * (end - start) as f64;
                control.report(stage, 1.0 - left(tile));
            };
            let here = Control {
                progress: Some(&report),
                ..*control
            };
            rows.0.append(&visibility.rows_after(&earlier, &here)?);
        }
        Ok(rows)
    }

    /// The number of pairs that see each other, each counted twice.
    pub fn num_pairs(&self) -> u64 {
        self.0.num_pairs
    }

    /// Size of all rows, in memory or in a file, bytes.
    pub fn num_bytes(&self) -> usize {
        self.0.bytes.len()
    }
}

impl VisibilityRows for Visibility {
    fn row(&self, tile: usize) -> &[u8] {
        let place = |end: u64| usize::try_from(end).unwrap_or(usize::MAX);
        let start = tile.checked_sub(1).map_or(0, |k| place(self.0.ends[k]));
        &self.0.bytes[start..place(self.0.ends[tile])]
    }
}
