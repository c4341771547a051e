//! How much of a coverage is filled at a time.

use keller_io::coverage::Figures;

use crate::failure::Failure;
use crate::memory;

/// What a cell takes while a block is filled: its sum, and as much again for what engines keep beside it.
const CELL_BYTES: u64 = 16;

/// What it takes where figures of its paths are asked for: their sums, and what follows from them, together for a while.
const MULTIPATH_CELL_BYTES: u64 = 448;

/// What it takes where chains over rooftops are added: what they bring, what they replace, and which are doubtful, as bytes and as numbers.
const ROOFTOPS_CELL_BYTES: u64 = CELL_BYTES + 25;

/// Smaller blocks than this are not worth their beginning, cells.
pub(super) const LEAST_CELLS: u64 = 1 << 14;

/// How many cells may be filled at a time, at first: what engines take beside them is known only when they run. Call this when the scene is
/// there.
pub(super) fn most_cells(figures: Figures) -> Result<usize, Failure> {
    let cell_bytes = match figures {
        Figures::Multipath => MULTIPATH_CELL_BYTES,
        Figures::Rooftops => ROOFTOPS_CELL_BYTES,
        Figures::Nothing => CELL_BYTES,
    };
    memory::need(LEAST_CELLS * cell_bytes, "one block of cells")?;
    let most = (memory::left() / cell_bytes).max(LEAST_CELLS);
    Ok(usize::try_from(most).unwrap_or(usize::MAX))
}
