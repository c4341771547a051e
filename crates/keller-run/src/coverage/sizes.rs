//! How many bytes a coverage takes.

use keller_io::coverage::{Figures, MANY_TX, Part, rows_of};

use super::CoverageRun;
use super::beside::CellsBeside;

/// Bytes a cell takes while a block is filled: its sum, and as much again for what engines keep beside it.
const CELL_BYTES: u64 = 16;

/// Bytes a cell takes if figures of its paths are requested: their sums and the results together, for a while.
const MULTIPATH_CELL_BYTES: u64 = 448;

/// Bytes a cell takes if chains over rooftops are added: their gains, what they replace, and which are doubtful, both
/// as bytes and as numbers.
const ROOFTOPS_CELL_BYTES: u64 = CELL_BYTES + 25;

/// Bytes a cell takes beside that if there is a diffuse field or a background.
const BESIDE_CELL_BYTES: u64 = 8;

/// Smaller blocks are not worth the cost of starting one, cells.
pub(super) const MIN_CELLS: usize = 1 << 14;

impl CoverageRun {
    /// Bytes that the gains of all Tx take in memory.
    pub fn num_bytes(&self) -> u64 {
        8 * self.num_rows() as u64 * self.region.num_cells() as u64
    }

    /// Bytes that the smallest block takes while it is filled.
    pub fn min_bytes(&self) -> u64 {
        MIN_CELLS as u64 * self.cell_bytes()
    }

    /// Bytes that a file of finished blocks takes.
    pub fn num_part_bytes(&self) -> u64 {
        let num_tx = self.tx.len();
        Part::num_bytes(self.num_rows(), self.region.num_cells(), num_tx >= MANY_TX)
    }

    /// The number of Tx.
    pub fn num_tx(&self) -> usize {
        self.tx.len()
    }

    /// Number of values for each cell: the gain of every Tx, and the figures beside it.
    pub fn num_rows(&self) -> usize {
        self.tx.len() * rows_of(0, self.tx.len(), self.filler.figures).len()
    }

    pub(super) fn cell_bytes(&self) -> u64 {
        let of_engine = match self.filler.figures {
            Figures::Multipath => MULTIPATH_CELL_BYTES,
            Figures::Rooftops => ROOFTOPS_CELL_BYTES,
            Figures::Nothing => CELL_BYTES,
        };
        if CellsBeside::is_asked_for(&self.job) {
            of_engine + BESIDE_CELL_BYTES
        } else {
            of_engine
        }
    }
}
