//! A grid of voxels: its border, and which voxels a ray pierces.

use glam::DVec3;
use keller::coverage::{Levels, Region};

/// Equal boxes along the axes of the scene, numbered as the cells of a [`Region`], x fastest.
#[derive(Debug, Clone)]
pub struct VoxelGrid {
    min: DVec3,
    size: DVec3,
    shape: [usize; 3],
}

impl VoxelGrid {
    /// The cells of a region along the axes of the scene whose levels lie evenly above the scene's zero; otherwise
    /// none.
    pub fn of(region: &Region) -> Option<Self> {
        let Levels::AboveSea(heights) = &region.levels else {
            return None;
        };
        let (first, last) = (*heights.first()?, *heights.last()?);
        if region.is_turned() {
            return None;
        }
        let step = match heights.len() {
            1 => region.resolution.x,
            n => (last - first) / (n - 1) as f64,
        };
        let is_even = heights
            .iter()
            .enumerate()
            .all(|(k, h)| (first + k as f64 * step - h).abs() < 1e-6);
        (step > 0.0 && is_even).then(|| Self {
            min: region.min.extend(first - 0.5 * step),
            size: region.resolution.extend(step),
            shape: region.shape(),
        })
    }

    /// Number of voxels.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether there is no voxel.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Edges of a voxel, metres.
    pub fn size(&self) -> DVec3 {
        self.size
    }

    /// The centre of a voxel, metres.
    pub fn centre(&self, number: usize) -> DVec3 {
        let [nx, ny, _] = self.shape;
        let at = [number % nx, number / nx % ny, number / (nx * ny)].map(|n| n as f64 + 0.5);
        self.min + DVec3::from(at) * self.size
    }

    /// The grid about the same centre that is `times` as long in every direction, as over-launching has it with 11
    /// (section 4.9.3). `times` is odd.
    #[must_use]
    pub fn enlarged(&self, times: usize) -> Self {
        let extent = DVec3::from(self.shape.map(|n| n as f64)) * self.size;
        Self {
            min: self.min - 0.5 * (times as f64 - 1.0) * extent,
            shape: self.shape.map(|n| n * times),
            ..self.clone()
        }
    }

    /// A grid of so many voxels in every direction about that of a point, which lie where the voxels of this grid
    /// would.
    #[must_use]
    pub fn around(&self, point: DVec3, voxels: usize) -> Self {
        let own = ((point - self.min) / self.size).floor();
        Self {
            min: self.min + (own - voxels as f64) * self.size,
            shape: [2 * voxels + 1; 3],
            ..self.clone()
        }
    }

    /// Number of voxels on the border.
    pub fn num_on_border(&self) -> usize {
        let inner: usize = self.shape.iter().map(|n| n.saturating_sub(2)).product();
        self.len() - inner
    }

    /// The centre of a voxel on the border, by its number there, and the axis across the border.
    pub fn on_border(&self, mut number: usize) -> (DVec3, usize) {
        // Floor and ceiling whole, then the others without what they share.
        let mut low = [0; 3];
        let mut count = self.shape;
        for axis in [2, 1, 0] {
            let others = [(axis + 1) % 3, (axis + 2) % 3];
            let layer = count[others[0]] * count[others[1]];
            let sides = if count[axis] > 1 { 2 } else { 1 };
            if number < layer * sides {
                let mut at = low;
                if number / layer == 1 {
                    at[axis] += count[axis] - 1;
                }
                let within = number % layer;
                at[others[0]] += within % count[others[0]];
                at[others[1]] += within / count[others[0]];
                let at = DVec3::from(at.map(|n| n as f64 + 0.5));
                return (self.min + at * self.size, axis);
            }
            number -= layer * sides;
            low[axis] = 1;
            count[axis] = count[axis].saturating_sub(2);
        }
        (self.centre(0), 2)
    }

    /// The distance after which a ray has left the grid for good, metres along a unit vector; zero if it never meets
    /// it.
    pub fn exit(&self, origin: DVec3, direction: DVec3) -> f64 {
        self.span(origin, direction).map_or(0.0, |[_, to]| to)
    }

    fn span(&self, origin: DVec3, direction: DVec3) -> Option<[f64; 2]> {
        let max = self.min + DVec3::from(self.shape.map(|n| n as f64)) * self.size;
        let (mut from, mut to) = (0.0_f64, f64::INFINITY);
        for k in 0..3 {
            if direction[k] == 0.0 {
                if origin[k] < self.min[k] || origin[k] >= max[k] {
                    return None;
                }
                continue;
            }
            let [a, b] = [self.min[k], max[k]].map(|side| (side - origin[k]) / direction[k]);
            from = from.max(a.min(b));
            to = to.min(a.max(b));
        }
        (from < to).then_some([from, to])
    }

    /// Calls `visit` with every voxel that a ray pierces up to `end`, and with where it enters, metres along a unit
    /// vector. (J. Amanatides and A. Woo, "A fast voxel traversal algorithm for ray tracing", 1987; section 4.7.)
    pub fn traverse(
        &self,
        origin: DVec3,
        direction: DVec3,
        end: f64,
        mut visit: impl FnMut(usize, f64),
    ) {
        let Some([from, to]) = self.span(origin, direction) else {
            return;
        };
        let end = end.min(to);
        let start = (origin + from * direction - self.min) / self.size;
        let mut at = [0_usize; 3];
        let (mut next, mut step) = ([f64::INFINITY; 3], [f64::INFINITY; 3]);
        for k in 0..3 {
            at[k] = floor(start[k]).min(self.shape[k] - 1);
            if direction[k] != 0.0 {
                let side = at[k] + usize::from(direction[k] > 0.0);
                next[k] = (self.min[k] + side as f64 * self.size[k] - origin[k]) / direction[k];
                step[k] = self.size[k] / direction[k].abs();
            }
        }
        let mut entry = from;
        while entry < end {
            visit(
                (at[2] * self.shape[1] + at[1]) * self.shape[0] + at[0],
                entry,
            );
            let axis = if next[0] <= next[1] && next[0] <= next[2] {
                0
            } else if next[1] <= next[2] {
                1
            } else {
                2
            };
            entry = next[axis];
            next[axis] += step[axis];
            if direction[axis] > 0.0 {
                at[axis] += 1;
                if at[axis] == self.shape[axis] {
                    return;
                }
            } else if at[axis] == 0 {
                return;
            } else {
                at[axis] -= 1;
            }
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number that is not negative"
)]
fn floor(value: f64) -> usize {
    value.max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use keller::random::Random;

    fn grid() -> VoxelGrid {
        VoxelGrid {
            min: DVec3::new(-3.0, 2.0, 1.0),
            size: DVec3::new(2.0, 1.5, 1.0),
            shape: [6, 5, 4],
        }
    }

    #[test]
    fn the_border_has_every_outer_voxel_once() {
        for grid in [grid(), grid().enlarged(3)] {
            let mut found: Vec<[i64; 3]> = (0..grid.num_on_border())
                .map(|n| {
                    ((grid.on_border(n).0 - grid.min) / grid.size)
                        .floor()
                        .as_i64vec3()
                        .to_array()
                })
                .collect();
            found.sort_unstable();
            let count = found.len();
            found.dedup();
            assert_eq!(found.len(), count, "each once");
            let is_outer = |at: &[i64; 3]| {
                (0..3).any(|k| at[k] == 0 || usize::try_from(at[k] + 1) == Ok(grid.shape[k]))
            };
            assert!(found.iter().all(is_outer), "all lie on the border");
        }
    }

    #[test]
    fn a_ray_pierces_the_voxels_whose_boxes_it_crosses() {
        let grid = grid();
        let mut random = Random(7);
        for _ in 0..2000 {
            let origin = random.point(DVec3::new(-5.0, 0.0, 0.0), DVec3::new(11.0, 11.0, 6.0));
            let mut direction = random.point(DVec3::splat(-1.0), DVec3::ONE);
            if random.below(4) == 0 {
                direction[random.below(3)] = 0.0;
            }
            let direction = direction.normalize();
            let end = random.range(0.0, 20.0);
            let mut found = Vec::new();
            grid.traverse(origin, direction, end, |number, _| found.push(number));
            found.sort_unstable();
            let crossed = |number: &usize| {
                let half = 0.5 * grid.size;
                let (mut from, mut to) = (0.0_f64, end);
                for k in 0..3 {
                    let offset = grid.centre(*number)[k] - origin[k];
                    if direction[k] == 0.0 {
                        if offset.abs() > half[k] {
                            return false;
                        }
                        continue;
                    }
                    let [a, b] = [offset - half[k], offset + half[k]].map(|d| d / direction[k]);
                    from = from.max(a.min(b));
                    to = to.min(a.max(b));
                }
                to - from > 1e-9
            };
            let exact: Vec<usize> = (0..grid.len()).filter(crossed).collect();
            assert!(
                exact.iter().all(|n| found.binary_search(n).is_ok()),
                "none is left out"
            );
            assert!(
                found.len() <= exact.len() + 3,
                "none but touched ones is added"
            );
        }
    }
}
