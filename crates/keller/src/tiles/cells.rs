//! The cells of a grid. Those near the points of [`Finer`] are divided into equal parts.
//!
//! A cell is divided as a whole, and its parts are cells of their own: tiles lie in them, and edges are cut at their
//! borders. The other cells of the grid stay as they are.

use glam::{DVec2, DVec3};
use rustc_hash::FxHashMap;

use super::tiling::{Finer, Frame};

/// A cell of a grid, or a part of one that is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct CellId {
    /// The cell of the grid.
    pub(super) cell: [u32; 2],
    /// The part of it; `[0, 0]` in a cell that is whole.
    pub(super) part: [u32; 2],
}

impl CellId {
    /// The key by which cells are sorted row by row, and the parts of a cell row by row.
    pub(super) fn row_by_row(self) -> [u32; 4] {
        let [[x, y], [u, v]] = [self.cell, self.part];
        [y, x, v, u]
    }
}

/// The numbers of parts into which the cells of a grid are divided along both axes. Cells that are not listed are
/// whole.
#[derive(Debug, Clone, Default)]
pub(super) struct Divisions(FxHashMap<[u32; 2], [u32; 2]>);

/// A cell that reaches less than this into the radius is not near, metres: cells whose borders touch it stay whole.
const TOUCH: f64 = 1e-6;

/// Parts may be longer than asked for by this share: rounding makes no further part.
const ROUNDING: f64 = 1e-9;

impl Divisions {
    /// Whether all cells are whole.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Divides the cells of a frame in which the part of a face inside `bounds`, in coordinates of the frame, is near.
    pub(super) fn add(&mut self, frame: &Frame, [low, high]: [DVec2; 2], finer: &[Finer]) {
        for finer in finer {
            // A coordinate differs by no more than the distance.
            let local = frame.local(finer.at.extend(finer.z.unwrap_or(frame.corner.z)));
            let reach = if finer.z.is_some() || frame.is_plan() {
                [local - finer.radius, local + finer.radius]
            } else {
                // The point may be at any height.
                [low, high]
            };
            let [from, to] = [low.max(reach[0]), high.min(reach[1])];
            if from.cmpgt(to).any() {
                continue;
            }
            let [first, last] = [from, to].map(|corner| frame.cell_of(corner));
            for y in first[1]..=last[1] {
                for x in first[0]..=last[0] {
                    let corner = frame.low([x, y]);
                    let bounds = [corner.max(low), (corner + frame.cell).min(high)];
                    if distance(frame, bounds, finer) < finer.radius - TOUCH {
                        self.divide([x, y], frame, finer.side);
                    }
                }
            }
        }
    }

    /// Divides a cell so that no part is longer than `side`.
    fn divide(&mut self, cell: [u32; 2], frame: &Frame, side: f64) {
        let wanted = [0, 1].map(|k| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a cast of floats saturates"
            )]
            let parts = (frame.cell[k] / side * (1.0 - ROUNDING)).ceil() as u32;
            parts.max(1)
        });
        if wanted != [1, 1] {
            let known = self.0.entry(cell).or_insert([1, 1]);
            *known = [0, 1].map(|k| known[k].max(wanted[k]));
        }
    }

    /// The number of parts of a cell along both axes.
    pub(super) fn of(&self, cell: [u32; 2]) -> [u32; 2] {
        self.0.get(&cell).copied().unwrap_or([1, 1])
    }

    /// The corners of a cell in the coordinates of a frame.
    pub(super) fn bounds(&self, frame: &Frame, CellId { cell, part }: CellId) -> [DVec2; 2] {
        let low = frame.low(cell);
        let num = self.of(cell);
        if num == [1, 1] {
            return [low, low + frame.cell];
        }
        let num = DVec2::from(num.map(f64::from));
        let part = DVec2::from(part.map(f64::from));
        [part, part + 1.0].map(|parts| low + frame.cell * parts / num)
    }

    /// The cell of a point; for a point outside the rectangle, the nearest one.
    pub(super) fn at(&self, frame: &Frame, local: DVec2) -> CellId {
        let cell = frame.cell_of(local);
        CellId {
            cell,
            part: self.part_at(frame, cell, local),
        }
    }

    /// The part of a cell nearest to a point.
    fn part_at(&self, frame: &Frame, cell: [u32; 2], local: DVec2) -> [u32; 2] {
        let num = self.of(cell);
        let from = local - frame.low(cell);
        [0, 1].map(|k| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a cast of floats saturates"
            )]
            let part = (from[k] * f64::from(num[k]) / frame.cell[k])
                .floor()
                .max(0.0) as u32;
            part.min(num[k] - 1)
        })
    }

    /// Calls `visit` with the parts of a cell that a box may reach, row by row.
    pub(super) fn each_in(
        &self,
        frame: &Frame,
        cell: [u32; 2],
        [low, high]: [DVec2; 2],
        mut visit: impl FnMut(CellId),
    ) {
        let [first, last] = [low, high].map(|corner| self.part_at(frame, cell, corner));
        for v in first[1]..=last[1] {
            for u in first[0]..=last[0] {
                visit(CellId { cell, part: [u, v] });
            }
        }
    }
}

/// The distance of a point, or of the vertical line through it, from the part of a frame's plane inside a box.
fn distance(frame: &Frame, [low, high]: [DVec2; 2], finer: &Finer) -> f64 {
    let corners = [low, low.with_x(high.x), high, high.with_x(low.x)];
    let corners = corners.map(|corner| {
        let corner = frame.in_space(corner);
        corner.with_z(if finer.z.is_some() { corner.z } else { 0.0 })
    });
    distance_from(corners, finer.at.extend(finer.z.unwrap_or(0.0)))
}

/// The distance of a point from a parallelogram, which may have no area.
fn distance_from(corners: [DVec3; 4], point: DVec3) -> f64 {
    let [u, v] = [corners[1] - corners[0], corners[3] - corners[0]];
    let normal = u.cross(v);
    let from = point - corners[0];
    let area = normal.length_squared();
    if area > 0.0 {
        // The coordinates along both sides, from 0 to 1 inside.
        let [a, b] = [from.cross(v), u.cross(from)].map(|part| part.dot(normal) / area);
        if [a, b].iter().all(|at| (0.0..=1.0).contains(at)) {
            return from.dot(normal).abs() / area.sqrt();
        }
    }
    let sides = (0..4).map(|k| {
        let [from, to] = [corners[k], corners[(k + 1) % 4]];
        let along = to - from;
        let at = (point - from).dot(along) / along.length_squared();
        let at = if at.is_finite() {
            at.clamp(0.0, 1.0)
        } else {
            0.0
        };
        point.distance(from + at * along)
    });
    sides.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_from_a_rectangle_in_space() {
        let corners = [(0., 0.), (4., 0.), (4., 3.), (0., 3.)].map(|(x, y)| DVec3::new(x, y, 1.0));
        for (point, expected) in [
            ((2.0, 1.0, 3.5), 2.5),
            ((2.0, -2.0, 1.0), 2.0),
            ((7.0, 7.0, 1.0), 5.0),
            ((4.0, 3.0, 0.0), 1.0),
        ] {
            let point = DVec3::from(point);
            assert!((distance_from(corners, point) - expected).abs() < 1e-12);
        }
        // A wall from above is a line.
        let wall = [(0., 0.), (4., 0.), (4., 0.), (0., 0.)].map(|(x, y)| DVec3::new(x, y, 0.0));
        assert!((distance_from(wall, DVec3::new(7.0, 4.0, 0.0)) - 5.0).abs() < 1e-12);
    }
}
