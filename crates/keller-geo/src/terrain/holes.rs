//! Cells without a height: small holes are filled, large ones stay open.

use super::HeightGrid;

/// The numbers of filled and open holes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Holes {
    /// The number of holes that were filled.
    pub(super) filled: usize,
    /// The number of cells that they had.
    pub(super) filled_cells: usize,
    /// The number of cells that stay open in holes that reach the grid's border: they lie outside the data rather than
    /// in it.
    pub(super) beyond_cells: usize,
    /// The number of other holes that stay open.
    pub(super) open: usize,
    /// The number of cells that they have.
    pub(super) open_cells: usize,
}

/// Gives the cells of each hole of at most `max_cells` the height of the nearest cell that has one, going from cell to cell.
///
/// A hole is a set of cells that touch along sides. Takes 4 bytes a missing cell.
pub(super) fn fill(grid: &mut HeightGrid, max_cells: usize) -> Holes {
    let columns = grid.columns;
    let rows = grid.rows();
    let neighbours = |cell: usize| {
        let (x, y) = (cell % columns, cell / columns);
        [
            (x > 0).then(|| cell - 1),
            (x + 1 < columns).then(|| cell + 1),
            (y > 0).then(|| cell - columns),
            (y + 1 < rows).then(|| cell + columns),
        ]
        .into_iter()
        .flatten()
    };
    let heights = &mut grid.heights;
    let mut is_seen: Vec<bool> = Vec::new();
    let mut found = Holes::default();
    for start in 0..heights.len() {
        if !heights[start].is_nan() {
            continue;
        }
        if is_seen.is_empty() {
            is_seen = vec![false; heights.len()];
        }
        if is_seen[start] {
            continue;
        }
        let mut hole = vec![cell_id(start)];
        is_seen[start] = true;
        let mut next = 0;
        while let Some(&cell) = hole.get(next) {
            next += 1;
            for other in neighbours(cell as usize) {
                if heights[other].is_nan() && !is_seen[other] {
                    is_seen[other] = true;
                    hole.push(cell_id(other));
                }
            }
        }
        if hole.len() > max_cells {
            let is_at_border = |&cell: &u32| neighbours(cell as usize).count() < 4;
            if hole.iter().any(is_at_border) {
                found.beyond_cells += hole.len();
                continue;
            }
            found.open += 1;
            found.open_cells += hole.len();
            continue;
        }
        found.filled += 1;
        found.filled_cells += hole.len();
        // Ring by ring from the border inwards.
        while !hole.is_empty() {
            let mut ring: Vec<(u32, f32)> = Vec::new();
            hole.retain(|&cell| {
                let neighbour = neighbours(cell as usize)
                    .map(|other| heights[other])
                    .find(|height| !height.is_nan());
                ring.extend(neighbour.map(|height| (cell, height)));
                neighbour.is_none()
            });
            if ring.is_empty() {
                // Nothing has a height.
                break;
            }
            for (cell, height) in ring {
                heights[cell as usize] = height;
            }
        }
    }
    found
}

fn cell_id(cell: usize) -> u32 {
    u32::try_from(cell).expect("grids have at most 2^30 cells")
}
