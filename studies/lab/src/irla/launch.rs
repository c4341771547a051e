//! Rays from the Tx to every voxel of the border of the grid.
//!
//! # Source
//! Hu 2020, section 4.8, has rays launched so; of IRLA's own rays section 3.2.2 does not say how many there are.

use glam::{DVec3, UVec3};
use keller::{Direction, Tx};

use super::grid::Grid;
use super::ray::{Field, Ray};

/// The border of the grid, with so many rays along each side of a voxel.
#[derive(Debug, Clone, Copy)]
pub(super) struct Border {
    low: DVec3,
    high: DVec3,
    count: UVec3,
    spacing: DVec3,
}

/// A side of the border: the axis across it, and whether it is the upper one.
type Side = (usize, bool);

/// The order in which rays are launched.
const SIDES: [Side; 6] = [
    (0, false),
    (0, true),
    (1, false),
    (1, true),
    (2, false),
    (2, true),
];

impl Border {
    pub(super) fn new(grid: &Grid, density: f64) -> Self {
        let (low, high) = (grid.low, grid.high());
        let count = (density * grid.count.as_dvec3()).ceil().max(DVec3::ONE);
        Self {
            low,
            high,
            count: count.as_uvec3(),
            spacing: (high - low) / count,
        }
    }

    /// Length of the border of the plan, in rays.
    pub(super) fn perimeter(&self) -> f64 {
        2.0 * f64::from(self.count.x + self.count.y)
    }

    /// The rows of rays: a side and a number on it.
    pub(super) fn rows(&self) -> Vec<(Side, u32)> {
        let of_side = |side: Side| {
            let [_, v] = axes(side.0);
            (0..self.count[v]).map(move |row| (side, row))
        };
        SIDES.into_iter().flat_map(of_side).collect()
    }

    /// The rays of a row, which `tx` sends.
    pub(super) fn row(&self, tx: &Tx, (side, row): (Side, u32)) -> impl Iterator<Item = Ray> {
        let [u, _] = axes(side.0);
        (0..self.count[u]).filter_map(move |i| self.ray(tx, side, [i, row]))
    }

    fn ray(&self, tx: &Tx, (axis, is_upper): Side, at: [u32; 2]) -> Option<Ray> {
        let [u, v] = axes(axis);
        let mut target = self.low;
        if is_upper {
            target[axis] = self.high[axis];
        }
        for (axis, at) in [u, v].into_iter().zip(at) {
            target[axis] += self.spacing[axis] * (f64::from(at) + 0.5);
        }
        let away = target - tx.position;
        let direction = away.try_normalize()?;
        let spread = [u, v].map(|axis| {
            let mut next = away;
            next[axis] += self.spacing[axis];
            (next.normalize() - direction).as_vec3()
        });
        let components = tx
            .antenna
            .fields(Direction::from_vector(direction))
            .next()?;
        Some(Ray {
            origin: tx.position,
            direction,
            length: 0.0,
            field: Field::of_components(direction, components),
            spread,
            column: self.column(tx.position, direction),
        })
    }

    /// The position of the plan's border in a direction, in rays anticlockwise; zero straight up and down.
    fn column(&self, from: DVec3, direction: DVec3) -> f64 {
        let reach = |k: usize| {
            let side = if direction[k] > 0.0 {
                self.high[k]
            } else {
                self.low[k]
            };
            (side - from[k]) / direction[k]
        };
        let [x, y] = [0, 1].map(|k| {
            if direction[k] == 0.0 {
                f64::INFINITY
            } else {
                reach(k)
            }
        });
        if x.min(y).is_infinite() {
            return 0.0;
        }
        let at = (from + x.min(y) * direction - self.low) / self.spacing;
        let [nx, ny] = [self.count.x, self.count.y].map(f64::from);
        match (x < y, direction.x > 0.0, direction.y > 0.0) {
            (false, _, false) => at.x.clamp(0.0, nx),
            (true, true, _) => nx + at.y.clamp(0.0, ny),
            (false, _, true) => nx + ny + (nx - at.x).clamp(0.0, nx),
            (true, false, _) => 2.0 * nx + ny + (ny - at.y).clamp(0.0, ny),
        }
    }
}

/// The axes along a side.
fn axes(across: usize) -> [usize; 2] {
    match across {
        0 => [1, 2],
        1 => [0, 2],
        _ => [0, 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use keller::antenna::Antenna;

    fn border(density: f64) -> (Border, Tx) {
        let grid = Grid {
            low: DVec3::new(-1.0, 2.0, 0.0),
            side: 0.5,
            count: UVec3::new(8, 6, 4),
            layer: 2,
        };
        let tx = Tx {
            position: DVec3::new(0.1, 3.2, 0.9),
            antenna: Antenna::default(),
        };
        (Border::new(&grid, density), tx)
    }

    #[test]
    fn every_voxel_of_the_border_gets_its_rays() {
        for (density, [x, y, z]) in [(1.0, [8, 6, 4]), (3.0, [24, 18, 12]), (0.3, [3, 2, 2])] {
            let (border, tx) = border(density);
            let rows = border.rows().into_iter();
            let rays: Vec<Ray> = rows.flat_map(|row| border.row(&tx, row)).collect();
            assert_eq!(rays.len(), 2 * (x * y + x * z + y * z));
            for ray in &rays {
                assert!((ray.direction.length() - 1.0).abs() < 1e-12);
                assert!(ray.column >= 0.0 && ray.column <= border.perimeter());
            }
        }
    }

    #[test]
    fn columns_run_once_around_the_plan() {
        let (border, tx) = border(1.0);
        // The columns are anticlockwise from the corner in the south-west.
        let columns: Vec<f64> = (0..360)
            .map(|degrees| {
                let angle = f64::from(degrees).to_radians() - 2.31;
                border.column(
                    tx.position,
                    DVec3::new(angle.cos(), angle.sin(), 0.2).normalize(),
                )
            })
            .collect();
        let falls = columns.windows(2).filter(|pair| pair[1] < pair[0]).count();
        assert!(falls <= 1, "{columns:?}");
        let [first, last] = [0.0, border.perimeter()];
        assert!(columns.iter().all(|column| (first..=last).contains(column)));
    }
}
