//! Footprints: the area that surfaces cover seen from above, and its range of heights, on a grid of small cells.
//!
//! A cell is covered if its centre is. So the area of a footprint errs by at most half a cell along its outline, and much
//! less where the grid lies along the outline, as it does for a model in its own axes. Upright walls cover nothing.

use glam::{DVec2, DVec3};

/// Cells of a plan.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    low: DVec2,
    cell: f64,
    size: [usize; 2],
}

/// Cells along the longer side of a grid.
const CELLS: f64 = 600.0;

/// The smallest side of a cell, metres: finer than any model of a building is true to reality.
const MIN_CELL: f64 = 0.05;

impl Grid {
    /// A grid over the box between two corners, metres.
    pub(super) fn over(bounds: [DVec2; 2]) -> Self {
        Self::around(bounds, 0.0)
    }

    /// A grid with the same cells, and more of them up to `margin` metres around the box, so that shapes near its
    /// border have cells too.
    pub(super) fn around([low, high]: [DVec2; 2], margin: f64) -> Self {
        let size = high - low;
        let cell = (size.max_element() / CELLS).max(MIN_CELL);
        // Sides of whole cells: the rest of a cell is divided to both ends.
        let cells = (size / cell - 1e-9).ceil().max(DVec2::ONE);
        let more = (margin / cell).ceil();
        let low = low - 0.5 * (cells * cell - size) - more * cell;
        let cells = cells + 2.0 * more;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 1 to about 700"
        )]
        Self {
            low,
            cell,
            size: [cells.x as usize, cells.y as usize],
        }
    }

    /// Area of a cell, m².
    pub(super) fn cell_area(&self) -> f64 {
        self.cell * self.cell
    }

    /// Its corners, metres.
    pub(super) fn bounds(&self) -> [DVec2; 2] {
        let size = DVec2::new(self.size[0] as f64, self.size[1] as f64);
        [self.low, self.low + size * self.cell]
    }

    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        self.size[0] * self.size[1]
    }

    /// The cell that contains a point.
    pub(super) fn cell_of(&self, at: DVec2) -> Option<usize> {
        let [x, y] = ((at - self.low) / self.cell).floor().to_array();
        let is_inside = x >= 0.0 && y >= 0.0 && x < self.size[0] as f64 && y < self.size[1] as f64;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is inside"
        )]
        is_inside.then(|| y as usize * self.size[0] + x as usize)
    }

    /// The centre of a cell.
    pub(super) fn centre(&self, cell: usize) -> DVec2 {
        let index = DVec2::new((cell % self.size[0]) as f64, (cell / self.size[0]) as f64);
        self.low + (index + 0.5) * self.cell
    }

    /// The cells that are marked or lie within `distance` of one, metres along the axes of the grid.
    pub(super) fn grown(&self, marked: &[bool], distance: f64) -> Vec<bool> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "distances are a few cells"
        )]
        let reach = (distance / self.cell).round() as usize;
        let [width, height] = self.size;
        let mut along = vec![false; marked.len()];
        let mut grown = vec![false; marked.len()];
        for (cell, _) in marked.iter().enumerate().filter(|(_, is)| **is) {
            let (x, row) = (cell % width, cell / width * width);
            along[row + x.saturating_sub(reach)..=row + (x + reach).min(width - 1)].fill(true);
        }
        for (cell, _) in along.iter().enumerate().filter(|(_, is)| **is) {
            let (x, y) = (cell % width, cell / width);
            for y in y.saturating_sub(reach)..=(y + reach).min(height - 1) {
                grown[y * width + x] = true;
            }
        }
        grown
    }

    /// The marked cells farther than `distance` from those that are not, metres. Cells outside the grid are not marked.
    pub(super) fn shrunk(&self, marked: &[bool], distance: f64) -> Vec<bool> {
        let rest: Vec<bool> = marked.iter().map(|is| !is).collect();
        self.grown(&rest, distance).iter().map(|is| !is).collect()
    }

    /// The rows and columns that a box reaches into.
    fn window(&self, [low, high]: [DVec2; 2]) -> [[usize; 2]; 2] {
        let index = |at: f64, count: usize| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "clamped to the grid"
            )]
            let index = at.clamp(0.0, count as f64) as usize;
            index
        };
        let (low, high) = ((low - self.low) / self.cell, (high - self.low) / self.cell);
        [
            [index(low.x, self.size[0]), index(low.y, self.size[1])],
            [
                index(high.x.ceil(), self.size[0]),
                index(high.y.ceil(), self.size[1]),
            ],
        ]
    }
}

/// The cells that surfaces cover, with their lowest and highest surface.
#[derive(Debug, Clone)]
pub(super) struct Footprint {
    /// Sorted by cell: the cell, and the heights of its lowest and highest surface, metres.
    pub(super) cells: Vec<(usize, [f64; 2])>,
}

impl Footprint {
    /// The footprint of triangles.
    pub(super) fn of(grid: &Grid, triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let mut hits: Vec<(usize, f64)> = Vec::new();
        for corners in triangles {
            add(grid, &corners, &mut hits);
        }
        hits.sort_unstable_by_key(|&(cell, _)| cell);
        let cells = hits.chunk_by(|a, b| a.0 == b.0).map(|same| {
            let heights = same.iter().fold(
                [f64::INFINITY, f64::NEG_INFINITY],
                |[low, high], &(_, z)| [low.min(z), high.max(z)],
            );
            (same[0].0, heights)
        });
        Self {
            cells: cells.collect(),
        }
    }

    /// Its area, m².
    pub(super) fn area(&self, grid: &Grid) -> f64 {
        self.cells.len() as f64 * grid.cell_area()
    }

    /// Mean height from the lowest to the highest surface, metres.
    pub(super) fn thickness(&self) -> f64 {
        let all = self.cells.iter().map(|(_, [low, high])| high - low);
        all.sum::<f64>() / (self.cells.len() as f64).max(1.0)
    }

    /// The area that is marked, m².
    pub(super) fn area_in(&self, grid: &Grid, marked: &[bool]) -> f64 {
        let inside = self.cells.iter().filter(|(cell, _)| marked[*cell]);
        inside.count() as f64 * grid.cell_area()
    }

    /// Marks its cells.
    pub(super) fn mark(&self, marked: &mut [bool]) {
        self.cells.iter().for_each(|&(cell, _)| marked[cell] = true);
    }
}

/// Adds the cells whose centres lie under or over a triangle, with its height there.
fn add(grid: &Grid, corners: &[DVec3; 3], hits: &mut Vec<(usize, f64)>) {
    let [a, b, c] = corners.map(DVec3::truncate);
    let double_area = (b - a).perp_dot(c - a);
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    // Upright, up to the rounding of turned coordinates.
    if double_area.abs() <= 1e-9 * longest * longest.max(1.0) {
        return;
    }
    let [first, last] = grid.window([a.min(b).min(c), a.max(b).max(c)]);
    for y in first[1]..last[1] {
        for x in first[0]..last[0] {
            let cell = y * grid.size[0] + x;
            let at = grid.centre(cell);
            let weights = [(b, c), (c, a), (a, b)]
                .map(|(from, to)| (to - from).perp_dot(at - from) / double_area);
            if weights.iter().all(|weight| *weight >= -1e-12) {
                let height = weights.iter().zip(corners).map(|(w, corner)| w * corner.z);
                hits.push((cell, height.sum()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(side: f64, turn: f64, height: impl Fn(DVec2) -> f64) -> [[DVec3; 3]; 2] {
        let by = DVec2::from_angle(turn);
        let [a, b, c, d] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|corner| {
            let at = by.rotate(side * DVec2::from(corner));
            at.extend(height(at))
        });
        [[a, b, c], [a, c, d]]
    }

    fn grid_over(triangles: &[[DVec3; 3]]) -> Grid {
        let corners = || triangles.iter().flatten().map(|corner| corner.truncate());
        Grid::over([
            corners().fold(DVec2::INFINITY, DVec2::min),
            corners().fold(DVec2::NEG_INFINITY, DVec2::max),
        ])
    }

    #[test]
    fn the_area_is_that_of_the_projection_at_any_angle() {
        for turn in [0.0, 0.3, 33.5_f64.to_radians(), 2.0, -1.1] {
            // A slope does not change the area seen from above.
            let square = square(17.3, turn, |at| 0.7 * at.x - 0.2 * at.y);
            let grid = grid_over(&square);
            let area = Footprint::of(&grid, square.into_iter()).area(&grid);
            assert!((area - 17.3 * 17.3).abs() < 0.01 * area, "{turn}: {area}");
        }
    }

    #[test]
    fn a_footprint_along_the_grid_is_exact() {
        let square = square(12.0, 0.0, |_| 3.0);
        let grid = grid_over(&square);
        let found = Footprint::of(&grid, square.into_iter());
        assert!((found.area(&grid) - 144.0).abs() < 1e-9);
    }

    #[test]
    fn heights_follow_the_slope_and_fronts_do_not_matter() {
        let mut square = square(10.0, 0.4, |at| 1.0 + 0.5 * at.x + 0.25 * at.y);
        let grid = grid_over(&square);
        let up = Footprint::of(&grid, square.into_iter());
        for corners in &mut square {
            corners.swap(1, 2);
        }
        let down = Footprint::of(&grid, square.into_iter());
        assert_eq!(up.cells.len(), down.cells.len());
        for (cell, [low, high]) in up.cells {
            let at = grid.centre(cell);
            let wanted = 1.0 + 0.5 * at.x + 0.25 * at.y;
            assert!((low - wanted).abs() < 1e-9 && (high - wanted).abs() < 1e-9);
        }
    }

    #[test]
    fn upright_walls_cover_nothing() {
        let by = DVec2::from_angle(0.7);
        let [a, b] = [DVec2::ZERO, by * 10.0];
        let wall = [a.extend(0.0), b.extend(0.0), b.extend(9.0)];
        let grid = Grid::over([DVec2::ZERO, DVec2::splat(10.0)]);
        assert!(Footprint::of(&grid, [wall].into_iter()).cells.is_empty());
    }

    #[test]
    fn growing_and_shrinking_move_the_outline() {
        let grid = Grid::over([DVec2::ZERO, DVec2::splat(30.0)]);
        let inner = [[10.0, 10.0], [20.0, 10.0], [20.0, 20.0], [10.0, 20.0]]
            .map(|[x, y]| DVec3::new(x, y, 0.0));
        let [a, b, c, d] = inner;
        let found = Footprint::of(&grid, [[a, b, c], [a, c, d]].into_iter());
        let mut marked = vec![false; grid.len()];
        found.mark(&mut marked);
        let area =
            |marked: &[bool]| marked.iter().filter(|is| **is).count() as f64 * grid.cell_area();
        assert!((area(&grid.grown(&marked, 1.0)) - 144.0).abs() < 1e-6);
        assert!((area(&grid.shrunk(&marked, 1.0)) - 64.0).abs() < 1e-6);
    }
}
