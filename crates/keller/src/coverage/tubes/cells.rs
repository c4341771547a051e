//! Cells of directions: a quadtree on the six faces of a cube.
//!
//! Every direction lies in exactly one cell of a level: tests are half open and on the same numbers for all cells.

use glam::{DVec2, DVec3};

/// The deepest level: cells of 2e-6 rad.
pub(super) const DEEPEST: u32 = 20;

/// A square of directions on one face of a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    /// Twice the axis (x, y, z), plus one for its negative side.
    face: u8,
    level: u32,
    at: [u32; 2],
}

/// A direction on the cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OnCube {
    face: u8,
    at: DVec2,
}

/// Where a direction (of any length but zero) meets the cube.
pub(super) fn on_cube(direction: DVec3) -> OnCube {
    let a = direction.abs();
    // On the edges of the cube the first of these counts.
    let axis = if a.x >= a.y && a.x >= a.z {
        0
    } else if a.y >= a.z {
        1
    } else {
        2
    };
    let main = direction[axis];
    let at = DVec2::new(direction[(axis + 1) % 3], direction[(axis + 2) % 3]) / main.abs();
    let side = u8::from(main < 0.0);
    OnCube {
        face: 2 * u8::try_from(axis).unwrap_or_default() + side,
        at,
    }
}

impl Cell {
    /// The six faces, cut into `4^level` cells each.
    pub(super) fn all(level: u32) -> impl Iterator<Item = Self> {
        let side = 1 << level;
        (0..6).flat_map(move |face| {
            (0..side).flat_map(move |y| {
                (0..side).map(move |x| Self {
                    face,
                    level,
                    at: [x, y],
                })
            })
        })
    }

    pub(super) fn level(self) -> u32 {
        self.level
    }

    /// Its quarters.
    pub(super) fn children(self) -> [Self; 4] {
        [0, 1, 2, 3].map(|k| Self {
            level: self.level + 1,
            at: [2 * self.at[0] + k % 2, 2 * self.at[1] + k / 2],
            ..self
        })
    }

    /// Its borders along both axes of the face: dyadic fractions, so they are exact.
    fn borders(self) -> [DVec2; 2] {
        let step = 2.0 / f64::from(1_u32 << self.level);
        let low = DVec2::new(f64::from(self.at[0]), f64::from(self.at[1])) * step - 1.0;
        [low, low + step]
    }

    /// Whether a direction lies in it.
    pub(super) fn contains(self, direction: OnCube) -> bool {
        let [low, high] = self.borders();
        // The cube's own edges belong to the cells at them.
        let below = |v: f64, high: f64| v < high || high >= 1.0;
        self.face == direction.face
            && direction.at.cmpge(low).all()
            && below(direction.at.x, high.x)
            && below(direction.at.y, high.y)
    }

    /// Directions of its middle and its corners, on the cube.
    pub(super) fn directions(self) -> [DVec3; 5] {
        let [low, high] = self.borders();
        let middle = 0.5 * (low + high);
        [
            middle,
            low,
            DVec2::new(high.x, low.y),
            high,
            DVec2::new(low.x, high.y),
        ]
        .map(|at| self.direction(at))
    }

    fn direction(self, at: DVec2) -> DVec3 {
        let axis = usize::from(self.face / 2);
        let mut direction = DVec3::ZERO;
        direction[axis] = if self.face.is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        direction[(axis + 1) % 3] = at.x;
        direction[(axis + 2) % 3] = at.y;
        direction
    }

    /// Its width as an angle, radians, about: that of its sides in the middle of the cube's face at most.
    pub(super) fn width(self) -> f64 {
        2.0 / f64::from(1_u32 << self.level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_direction_has_one_cell_of_each_level() {
        let mut state = 1_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1_u32 << 30) - 1.0
        };
        let special = [-1.0, -0.5, 0.0, 0.25, 1.0];
        let mut directions = Vec::new();
        for x in special {
            for y in special {
                directions.extend(special.map(|z| DVec3::new(x, y, z)));
            }
        }
        directions.retain(|d| *d != DVec3::ZERO);
        directions.extend((0..200).map(|_| DVec3::new(random(), random(), random())));
        for level in 0..4 {
            let cells: Vec<Cell> = Cell::all(level).collect();
            for &direction in &directions {
                let on = on_cube(direction);
                let owners = cells.iter().filter(|cell| cell.contains(on));
                assert_eq!(owners.count(), 1, "{direction}, level {level}");
            }
        }
    }

    #[test]
    fn quarters_tile_their_cell_and_corners_are_its_own() {
        for cell in Cell::all(1) {
            let [middle, ..] = cell.directions();
            assert!(cell.contains(on_cube(middle)));
            let owners = cell.children().map(|c| c.contains(on_cube(middle)));
            assert_eq!(owners.iter().filter(|is| **is).count(), 1);
            for child in cell.children() {
                assert!(cell.contains(on_cube(child.directions()[0])));
            }
        }
    }
}
