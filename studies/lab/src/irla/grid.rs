//! The voxels of a scene, and which of them a ray passes.
//!
//! Voxels are cubes. One layer of them holds the cells of the coverage, so that the centres of cells are centres of voxels.

use glam::{DVec3, UVec3};
use keller::coverage::{Levels, Region};

/// The distance at which a ray crosses the borders that it runs along.
const NEVER: f64 = f64::INFINITY;

/// The least distance of the grid's border from the cells that it holds, in voxels.
const BEYOND: f64 = 1e-3;

/// Cubes along the axes of the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Corner of the first voxel, metres.
    pub low: DVec3,
    /// Edge of a voxel, metres.
    pub side: f64,
    /// Number of voxels along x, y and z.
    pub count: UVec3,
    /// The layer that holds the cells, counted from below.
    pub layer: u32,
}

/// A voxel on the way of a ray.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passed {
    /// Its indices.
    pub voxel: UVec3,
    /// The distance along the ray at which it enters the voxel, metres; zero in the first.
    pub enters: f64,
}

impl Grid {
    /// The voxels under, in and over the cells of `region`, from `lowest` to `highest`, metres; `None` unless the region has one
    /// level over the sea, square cells and the axes of the scene.
    pub fn new(region: &Region, [lowest, highest]: [f64; 2]) -> Option<Self> {
        let Levels::AboveSea(heights) = &region.levels else {
            return None;
        };
        let side = region.resolution.x;
        let &[height] = &heights[..] else {
            return None;
        };
        if region.resolution.y != side || region.is_turned() {
            return None;
        }
        // Whole voxels below and above the layer of the cells, so that no border is at an end.
        let whole = |metres: f64| whole((metres / side - 0.5 + BEYOND).floor().max(0.0) + 1.0);
        let layer = whole(height - lowest);
        let above = whole(highest - height);
        let [nx, ny] = region.num_columns.map(|n| u32::try_from(n).ok());
        Some(Self {
            low: region.min.extend(height - (f64::from(layer) + 0.5) * side),
            side,
            count: UVec3::new(nx?, ny?, layer + 1 + above),
            layer,
        })
    }

    /// Corner of the grid opposite to `low`, metres.
    pub fn high(&self) -> DVec3 {
        self.low + self.side * self.count.as_dvec3()
    }

    /// Number of voxels.
    pub fn num_voxels(&self) -> usize {
        self.count.to_array().iter().map(|n| *n as usize).product()
    }

    /// Number of cells.
    pub fn num_cells(&self) -> usize {
        self.count.x as usize * self.count.y as usize
    }

    /// The number of a voxel, x running fastest.
    #[inline]
    pub fn index(&self, voxel: UVec3) -> usize {
        let [nx, ny, _] = self.count.to_array().map(|n| n as usize);
        let [i, j, k] = voxel.to_array().map(|i| i as usize);
        (k * ny + j) * nx + i
    }

    /// The number of the cell in a voxel, x running fastest; `None` above and below the cells.
    #[inline]
    pub fn cell(&self, voxel: UVec3) -> Option<u32> {
        (voxel.z == self.layer).then_some(voxel.y * self.count.x + voxel.x)
    }

    /// The centre of a voxel, metres.
    #[inline]
    pub fn centre(&self, voxel: UVec3) -> DVec3 {
        self.low + self.side * (voxel.as_dvec3() + 0.5)
    }

    /// The height of the cells' centres, metres.
    pub fn height(&self) -> f64 {
        self.low.z + self.side * (f64::from(self.layer) + 0.5)
    }

    /// The voxel at a place; of places beyond the border, the nearest.
    pub fn voxel(&self, at: DVec3) -> UVec3 {
        let own = ((at - self.low) / self.side).floor();
        let last = self.count.as_dvec3() - 1.0;
        own.clamp(DVec3::ZERO, last).as_uvec3()
    }

    /// Whether a place is in the grid.
    pub fn contains(&self, at: DVec3) -> bool {
        at.cmpge(self.low).all() && at.cmplt(self.high()).all()
    }

    /// Calls `visit` with each voxel that a ray passes, from the one in which it starts, until `visit` returns false or the ray
    /// leaves the grid. Returns where it left, metres along the ray; nothing where `visit` ended it.
    ///
    /// `origin` lies in the grid; `direction` is a unit vector.
    ///
    /// # Source
    /// J. Amanatides and A. Woo, "A fast voxel traversal algorithm for ray tracing", Eurographics 1987.
    #[inline]
    pub fn walk(
        &self,
        origin: DVec3,
        direction: DVec3,
        mut visit: impl FnMut(Passed) -> bool,
    ) -> Option<f64> {
        let mut voxel = self.voxel(origin);
        let start = (origin - self.low) / self.side;
        let mut next = [NEVER; 3];
        let mut step = [NEVER; 3];
        for k in 0..3 {
            if direction[k] != 0.0 {
                let border = f64::from(voxel[k]) + f64::from(u8::from(direction[k] > 0.0));
                next[k] = ((border - start[k]) / direction[k] * self.side).max(0.0);
                step[k] = self.side / direction[k].abs();
            }
        }
        let mut enters = 0.0;
        loop {
            if !visit(Passed { voxel, enters }) {
                return None;
            }
            let axis = if next[0] <= next[1] {
                if next[0] <= next[2] { 0 } else { 2 }
            } else if next[1] <= next[2] {
                1
            } else {
                2
            };
            enters = next[axis];
            next[axis] += step[axis];
            if direction[axis] > 0.0 {
                voxel[axis] += 1;
                if voxel[axis] == self.count[axis] {
                    return Some(enters);
                }
            } else if voxel[axis] == 0 {
                return Some(enters);
            } else {
                voxel[axis] -= 1;
            }
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive number of voxels"
)]
fn whole(number: f64) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use keller::random::Random;

    fn grid() -> Grid {
        Grid {
            low: DVec3::new(-1.3, 0.4, 2.0),
            side: 0.7,
            count: UVec3::new(9, 6, 5),
            layer: 2,
        }
    }

    /// The distances at which a ray enters and leaves a voxel, by intersection with its six planes.
    fn inside(grid: &Grid, voxel: UVec3, origin: DVec3, direction: DVec3) -> Option<[f64; 2]> {
        let low = grid.low + grid.side * voxel.as_dvec3();
        let (mut enters, mut leaves) = (0.0_f64, f64::INFINITY);
        for k in 0..3 {
            if direction[k] == 0.0 {
                if origin[k] < low[k] || origin[k] >= low[k] + grid.side {
                    return None;
                }
                continue;
            }
            let mut at = [low[k], low[k] + grid.side].map(|side| (side - origin[k]) / direction[k]);
            at.sort_by(f64::total_cmp);
            enters = enters.max(at[0]);
            leaves = leaves.min(at[1]);
        }
        (leaves > enters + 1e-9).then_some([enters, leaves])
    }

    #[test]
    fn a_walk_passes_the_voxels_that_the_ray_cuts_in_their_order() {
        let grid = grid();
        let mut random = Random(7);
        for case in 0..400 {
            let origin = random.point(grid.low + 1e-6, grid.high() - 1e-6);
            let mut direction = random.point(DVec3::splat(-1.0), DVec3::splat(1.0));
            // Some rays are along an axis, and some along a plane.
            match case % 4 {
                0 => direction.z = 0.0,
                1 => direction = DVec3::new(0.0, direction.y, 0.0),
                _ => {}
            }
            let direction = direction.normalize();
            let mut passed = Vec::new();
            let left = grid.walk(origin, direction, |p| {
                passed.push(p);
                true
            });
            let mut expected: Vec<(f64, UVec3)> = Vec::new();
            let mut end = 0.0_f64;
            for k in 0..grid.count.z {
                for j in 0..grid.count.y {
                    for i in 0..grid.count.x {
                        let voxel = UVec3::new(i, j, k);
                        if let Some([enters, leaves]) = inside(&grid, voxel, origin, direction) {
                            expected.push((enters, voxel));
                            end = end.max(leaves);
                        }
                    }
                }
            }
            expected.sort_by(|a, b| a.0.total_cmp(&b.0));
            // A walk may pass a voxel in a single point.
            let clear: Vec<UVec3> = passed
                .iter()
                .map(|p| p.voxel)
                .filter(|voxel| expected.iter().any(|(_, other)| other == voxel))
                .collect();
            let voxels: Vec<UVec3> = expected.iter().map(|(_, voxel)| *voxel).collect();
            assert_eq!(clear, voxels, "case {case}");
            assert!(passed.len() <= voxels.len() + 2, "case {case}");
            assert!((left.unwrap() - end).abs() < 1e-9, "case {case}");
        }
    }

    #[test]
    fn a_ray_along_borders_and_through_corners_of_voxels_stays_in_neighbours() {
        let grid = Grid {
            low: DVec3::ZERO,
            side: 1.0,
            count: UVec3::splat(6),
            layer: 3,
        };
        for direction in [DVec3::ONE, DVec3::new(1.0, -1.0, 0.0), DVec3::X, -DVec3::Y] {
            let mut before: Option<UVec3> = None;
            let left = grid.walk(DVec3::splat(3.0), direction.normalize(), |p| {
                if let Some(before) = before {
                    let apart = before.as_ivec3() - p.voxel.as_ivec3();
                    assert_eq!(apart.abs().element_sum(), 1, "{direction}");
                }
                before = Some(p.voxel);
                true
            });
            assert!(left.is_some(), "{direction}");
        }
    }

    #[test]
    fn centres_of_cells_are_centres_of_voxels() {
        let region = Region::planes(
            [0.0, 0.0].into(),
            [4.0, 3.0].into(),
            [0.3, 0.3].into(),
            Levels::AboveSea(vec![1.5]),
        )
        .unwrap();
        let grid = Grid::new(&region, [0.0, 3.0]).unwrap();
        assert!(grid.low.z < 0.0 && grid.high().z > 3.0);
        for (low, high) in [(0.15, 3.45), (0.75, 3.15)] {
            // Ends on borders of voxels lie within the grid.
            let grid = Grid::new(&region, [low, high]).unwrap();
            assert!(grid.low.z < low - 0.2 && grid.high().z > high + 0.2);
        }
        let voxel = UVec3::new(4, 7, grid.layer);
        let centre = region.centre([4, 7, 0], &[]).unwrap();
        assert!(grid.centre(voxel).distance(centre) < 1e-12);
        assert_eq!(grid.voxel(centre), voxel);
        assert_eq!(grid.num_cells(), region.num_cells());
    }
}
