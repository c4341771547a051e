//! The part of a grid where values are at least a level, as polygons.
//!
//! Marching squares give closed rings that run half way between cells; then their points move to where the values
//! between two cells equal the level. They stay half way next to a cell without a value (a wall, or no path).

use std::collections::HashMap;

use glam::{DVec2, UVec2};
use keller::coverage::Region;

/// A closed ring: the last point is the first.
pub(super) type Ring = Vec<DVec2>;

/// The polygons, metres: each an outer ring counter-clockwise, then its holes clockwise. `values` are `[ny, nx]`; those
/// that are not finite are below any level.
pub(super) fn polygons(values: &[f64], region: &Region, level: f64) -> Vec<Vec<Ring>> {
    let [nx, ny] = region.num_columns;
    let grid = Grid {
        values,
        width: nx,
        height: ny,
    };
    let metres = |at: DVec2| region.to_scene(at * region.resolution);
    let (mut outer, mut holes) = (Vec::new(), Vec::new());
    for ring in grid.rings(level) {
        let ring: Ring = (ring.into_iter())
            .map(|p| metres(grid.placed(p, level)))
            .collect();
        let area = area(&ring);
        if area > 0.0 {
            outer.push((area, vec![ring]));
        } else if area < 0.0 {
            holes.push(ring);
        }
    }
    // A hole belongs to the smallest ring around it: there may be islands in lakes on islands.
    outer.sort_by(|a, b| a.0.total_cmp(&b.0));
    let boxes: Vec<[DVec2; 2]> = outer
        .iter()
        .map(|(_, polygon)| bounds(&polygon[0]))
        .collect();
    for hole in holes {
        let at = hole[0];
        let owner = boxes
            .iter()
            .zip(&mut outer)
            .find(|([low, high], (_, polygon))| {
                at.cmpge(*low).all() && at.cmple(*high).all() && contains(&polygon[0], at)
            });
        if let Some((_, (_, polygon))) = owner {
            polygon.push(hole);
        }
    }
    outer.into_iter().map(|(_, polygon)| polygon).collect()
}

struct Grid<'a> {
    values: &'a [f64],
    width: usize,
    height: usize,
}

impl Grid<'_> {
    /// The closed rings half way between cells of at least this level, on their left, and others; in cells from the
    /// corner of the first.
    fn rings(&self, level: f64) -> Vec<Vec<DVec2>> {
        let is_in = |i: usize, j: usize| {
            let is_cell = (1..=self.width).contains(&i) && (1..=self.height).contains(&j);
            is_cell && self.values[(j - 1) * self.width + i - 1] >= level
        };
        // Each point of a ring leads to the next one; both are counted in half cells.
        let mut next: HashMap<[usize; 2], [usize; 2]> = HashMap::new();
        let mut starts = Vec::new();
        for j in 0..=self.height {
            for i in 0..=self.width {
                // Around a corner of cells: the four cells, and the point between each and the one after it.
                let cells = [
                    is_in(i, j),
                    is_in(i + 1, j),
                    is_in(i + 1, j + 1),
                    is_in(i, j + 1),
                ];
                let between = |k: usize| match k {
                    0 => [2 * i, (2 * j).wrapping_sub(1)],
                    1 => [2 * i + 1, 2 * j],
                    2 => [2 * i, 2 * j + 1],
                    _ => [(2 * i).wrapping_sub(1), 2 * j],
                };
                for k in (0..4).filter(|k| cells[*k] && !cells[(k + 1) % 4]) {
                    // The search goes back around the cells that are connected to this one.
                    let first = (1..4).find(|back| !cells[(k + 4 - back) % 4]).unwrap_or(1);
                    starts.push(between(k));
                    next.insert(between(k), between((k + 4 - first) % 4));
                }
            }
        }
        let mut rings = Vec::new();
        for start in starts {
            let mut ring = vec![start];
            while let Some(at) = next.remove(&ring[ring.len() - 1]) {
                ring.push(at);
            }
            if ring.len() > 1 {
                let place = |[x, y]: [usize; 2]| 0.5 * DVec2::new(x as f64, y as f64);
                rings.push(ring.into_iter().map(place).collect());
            }
        }
        rings
    }

    /// Moves a point from half way between two cells, in cells from the corner of the first, to where the values
    /// between equal `level`.
    fn placed(&self, at: DVec2, level: f64) -> DVec2 {
        let is_between_columns = at.x.fract() == 0.0;
        let cell = at.floor().as_uvec2();
        let step = if is_between_columns {
            UVec2::X
        } else {
            UVec2::Y
        };
        // No value lies beyond the border.
        let (Some(before), Some(after)) =
            (self.value(cell.checked_sub(step)), self.value(Some(cell)))
        else {
            return at;
        };
        let share = (level - before) / (after - before);
        at + (share - 0.5) * step.as_dvec2()
    }

    /// The value of a cell, if it exists and has one.
    fn value(&self, cell: Option<UVec2>) -> Option<f64> {
        let [i, j] = cell?.to_array().map(|k| k as usize);
        let is_cell = i < self.width && j < self.height;
        let value = is_cell.then(|| self.values[j * self.width + i])?;
        value.is_finite().then_some(value)
    }
}

/// Twice the area of a ring; positive if the area lies on the left.
fn area(ring: &[DVec2]) -> f64 {
    ring.windows(2).map(|w| w[0].perp_dot(w[1])).sum()
}

fn bounds(ring: &[DVec2]) -> [DVec2; 2] {
    ring.iter()
        .fold([DVec2::INFINITY, DVec2::NEG_INFINITY], |[low, high], p| {
            [low.min(*p), high.max(*p)]
        })
}

/// Whether a ray to the east crosses the ring an odd number of times.
fn contains(ring: &[DVec2], at: DVec2) -> bool {
    let crosses = |w: &&[DVec2]| {
        let (a, b) = (w[0], w[1]);
        (a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x)
    };
    ring.windows(2).filter(crosses).count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use keller::coverage::Levels;

    fn region(nx: usize, ny: usize) -> Region {
        Region {
            min: DVec2::new(-7.0, 3.0),
            axis: DVec2::X,
            resolution: DVec2::new(2.0, 0.5),
            num_columns: [nx, ny],
            levels: Levels::AboveSea(vec![1.5]),
        }
    }

    #[test]
    fn a_cell_is_inside_if_it_is_strong_enough() {
        let mut random = fastrand::Rng::with_seed(5);
        for (nx, ny) in [(1, 1), (1, 6), (6, 1), (13, 17), (40, 30)] {
            let region = region(nx, ny);
            let value = |_| match random.u32(0..8) {
                0 => f64::NAN,
                1 => f64::NEG_INFINITY,
                _ => -150.0 + 100.0 * random.f64(),
            };
            let values: Vec<f64> = (0..nx * ny).map(value).collect();
            for level in [-140.0, -110.0, -100.0, -60.0, 0.0] {
                let polygons = polygons(&values, &region, level);
                for polygon in &polygons {
                    assert!(
                        area(&polygon[0]) > 0.0
                            && polygon[0][0] == polygon[0][polygon[0].len() - 1]
                    );
                    assert!(polygon[1..].iter().all(|hole| area(hole) < 0.0));
                }
                for (number, value) in values.iter().enumerate() {
                    let at = region.column(number % nx, number / nx);
                    let is_in = |polygon: &&Vec<Ring>| {
                        contains(&polygon[0], at)
                            && !polygon[1..].iter().any(|hole| contains(hole, at))
                    };
                    let found = polygons.iter().filter(is_in).count();
                    assert_eq!(found, usize::from(*value >= level), "{value} at {level} dB");
                }
            }
        }
    }

    #[test]
    fn the_level_of_a_field_that_falls_with_distance_is_a_circle() {
        let (nx, ny) = (200, 800);
        let region = region(nx, ny);
        let tx = DVec2::new(180.0, 210.0);
        let value = |n: usize| {
            let at = region.column(n % nx, n / nx);
            -40.0 - 20.0 * at.distance(tx).log10()
        };
        let values: Vec<f64> = (0..nx * ny).map(value).collect();
        let polygons = polygons(&values, &region, -80.0);
        assert_eq!(polygons.len(), 1, "one disc");
        let radius = 100.0;
        for p in &polygons[0][0] {
            assert!((p.distance(tx) - radius).abs() < 0.02, "{p}");
        }
        let disc = std::f64::consts::PI * radius * radius;
        assert!((0.5 * area(&polygons[0][0]) / disc - 1.0).abs() < 1e-3);
    }
}
