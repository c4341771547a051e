//! The cells of a plane, column by column.

use std::ops::Range;

use glam::DVec2;

use crate::coverage::Region;

/// The columns and rows of a region in its own axes. Columns follow one another along x; the cells of a column, along y,
/// lie together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Raster {
    /// The numbers of cells along x and y.
    pub(super) count: [usize; 2],
    /// Sizes of a cell, metres.
    pub(super) resolution: DVec2,
}

impl Raster {
    pub(super) fn new(region: &Region) -> Self {
        Self {
            count: region.num_columns,
            resolution: region.resolution,
        }
    }

    pub(super) fn num_cells(&self) -> usize {
        self.count[0] * self.count[1]
    }

    /// A place in cells: the centre of the first is zero.
    pub(super) fn cells(&self, at: DVec2) -> DVec2 {
        at / self.resolution - 0.5
    }

    /// The centre of a cell, metres.
    pub(super) fn centre(&self, column: usize, row: usize) -> DVec2 {
        (DVec2::new(column as f64, row as f64) + 0.5) * self.resolution
    }

    /// The values of all cells, which lie by columns, in the order of a region: row by row.
    pub(super) fn by_rows<T: Copy>(&self, values: &[T]) -> Vec<T> {
        let [nx, ny] = self.count;
        let cells = (0..ny).flat_map(|row| (0..nx).map(move |column| column * ny + row));
        cells.map(|cell| values[cell]).collect()
    }
}

/// The whole numbers from `low` up to and without `high`, of those below `count`.
pub(super) fn rows_between(low: f64, high: f64, count: usize) -> Range<usize> {
    let [low, high] = [low, high].map(|end| first_from(end, count));
    low..high.max(low)
}

/// The first whole number from `x` on, of zero to `count`. Machines round up in a function of their own, which is slow.
#[inline]
pub(super) fn first_from(x: f64, count: usize) -> usize {
    if x >= count as f64 {
        return count;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "below zero it is zero"
    )]
    let whole = x as u32 as usize;
    whole + usize::from(x > whole as f64)
}
