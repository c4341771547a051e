//! Sizes of a coverage in memory and files, bytes.

use keller_io::reports::coverage::{CHUNK, Figures, MANY_TX};
use keller_io::store::UnitStore;

use super::beside::CellsBeside;
use super::cells::{Cells, MIN_CELLS};

/// Bytes a cell takes while a block is filled: its sum, and as much again for the working data of engines.
const CELL_BYTES: u64 = 16;

/// Bytes a cell takes if figures of its paths are requested: their sums and the results together, for a while.
const MULTIPATH_CELL_BYTES: u64 = 448;

/// Bytes a cell takes if chains over rooftops are added: their gains, the gains that they replace, and which are
/// doubtful, both as bytes and as numbers.
const ROOFTOPS_CELL_BYTES: u64 = CELL_BYTES + 25;

/// Additional bytes that a cell takes if there is a diffuse field or a background.
const BESIDE_CELL_BYTES: u64 = 8;

impl Cells {
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
        /// Bytes of the sum and the servers of all Tx in a cell.
        const SERVERS_BYTES: u64 = 32;
        let num_cells = self.region.num_cells() as u64;
        let num_tx = self.num_tx() as u64;
        let servers = if self.num_tx() >= MANY_TX {
            num_cells.saturating_mul(SERVERS_BYTES)
        } else {
            0
        };
        let num_units = num_tx.saturating_mul(num_cells.div_ceil(CHUNK as u64));
        UnitStore::num_bytes(self.num_bytes().saturating_add(servers), num_units, 1)
    }

    /// Number of values for each cell: the gain of every Tx, and its figures.
    pub fn num_rows(&self) -> usize {
        self.num_tx() * self.rows_of_tx()
    }

    pub(super) fn cell_bytes(&self) -> u64 {
        let of_engine = match self.figures() {
            Figures::Multipath => MULTIPATH_CELL_BYTES,
            Figures::Rooftops => ROOFTOPS_CELL_BYTES,
            Figures::Nothing => CELL_BYTES,
        };
        if CellsBeside::is_asked_for(self.own()) {
            of_engine + BESIDE_CELL_BYTES
        } else {
            of_engine
        }
    }
}
