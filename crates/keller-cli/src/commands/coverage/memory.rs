//! How much of a coverage is filled at a time.

use crate::failure::Failure;
use crate::memory;

/// What a cell takes while a block is filled: its sum, and as much again for what engines keep beside it.
const CELL_BYTES: u64 = 16;

/// What it takes where figures of its paths are asked for: their sums, and what follows from them, together for a while.
const MULTIPATH_CELL_BYTES: u64 = 448;

/// Smaller blocks than this are not worth their beginning, cells.
pub(super) const LEAST_CELLS: u64 = 1 << 14;

/// How many cells may be filled at a time, at first: what engines take beside them is known only when they run. Call this when the scene is
/// there.
pub(super) fn most_cells(has_multipath: bool) -> Result<usize, Failure> {
    let cell_bytes = if has_multipath {
        MULTIPATH_CELL_BYTES
    } else {
        CELL_BYTES
    };
    memory::need(LEAST_CELLS * cell_bytes, "one block of cells")?;
    let most = (memory::left() / cell_bytes).max(LEAST_CELLS);
    Ok(usize::try_from(most).unwrap_or(usize::MAX))
}
