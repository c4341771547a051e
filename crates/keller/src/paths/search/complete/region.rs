//! The part of a window that is still uncovered, as convex cells, and the parts that have been seen in it.
//!
//! A piece is subtracted from every cell that it overlaps. Subtracting a convex polygon is exact and leaves convex
//! cells. Where waves pass through walls, the covered part remains, with one more wall in front of it, until there are
//! too many walls.

use glam::DVec2;

use super::bsp::{NONE, count};
use super::polygon::{HalfPlane, Rect, bounds, is_sliver, sides, split};
use super::walls::Walls;

/// Parts of the window narrower than this are dropped: metres on a portal, or the tangent of an angle at the
/// transmitter. The rounding of the projection is smaller for all but grazing beams. The tolerance of validation is a
/// thousand times larger.
pub(super) const MIN_WIDTH: f64 = 1e-10;

/// A convex part of the window: corners `first..end` of the arena.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowCell {
    first: u32,
    end: u32,
    /// Index in `Region::layers` of the last wall passed on the way to this cell.
    layers: u32,
    pub(super) rect: Rect,
}

/// A visible part of a piece, as drawn in the window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    /// Index of the part in the partition.
    pub(super) part: u32,
    /// Number of walls in front of it, including those passed before the window.
    pub(super) walls: u32,
    first: u32,
    end: u32,
}

/// A part of the partition, as drawn in the window.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) part: u32,
    pub(super) plane: u32,
    /// The polygon that it hides, counter-clockwise.
    pub(super) hides: Vec<DVec2>,
    /// The polygon that reflects, inside the one that it hides; may be empty.
    pub(super) reflects: Vec<DVec2>,
}

/// A wall on the way to the cells that refer to it.
#[derive(Debug, Clone, Copy)]
struct Layer {
    plane: u32,
    below: u32,
    walls: u32,
}

/// The uncovered cells. The buffers of a view are kept and reused, so that later views allocate nothing.
#[derive(Debug, Default)]
pub(super) struct Region {
    pub(super) cells: Vec<WindowCell>,
    corners: Vec<DVec2>,
    layers: Vec<Layer>,
    seen: Vec<Seen>,
    fresh: Vec<WindowCell>,
    hiding_sides: Vec<HalfPlane>,
    reflecting_sides: Vec<HalfPlane>,
    current: Vec<DVec2>,
    inside: Vec<DVec2>,
    outside: Vec<DVec2>,
}

impl Region {
    /// Removes all cells and all that was seen.
    pub(super) fn clear(&mut self) {
        self.corners.clear();
        self.cells.clear();
        self.layers.clear();
        self.seen.clear();
    }

    /// Adds a convex counter-clockwise polygon that is reached through `walls` walls.
    pub(super) fn open(&mut self, polygon: &[DVec2], walls: u32) {
        let layers = count(self.layers.len());
        self.layers.push(Layer {
            plane: NONE,
            below: NONE,
            walls,
        });
        let cell = store(&mut self.corners, polygon, layers);
        self.cells.push(cell);
    }

    /// The parts seen since [`Self::clear`], nearest first.
    pub(super) fn seen(&self) -> impl Iterator<Item = (Seen, &[DVec2])> {
        self.seen
            .iter()
            .map(|s| (*s, &self.corners[s.first as usize..s.end as usize]))
    }

    /// The corners of a cell.
    pub(super) fn corners(&self, cell: &WindowCell) -> &[DVec2] {
        &self.corners[cell.first as usize..cell.end as usize]
    }

    /// Whether a rectangle overlaps that of an uncovered cell.
    pub(super) fn meets(&self, rect: &Rect) -> bool {
        self.cells.iter().any(|cell| cell.rect.overlaps(rect))
    }

    /// Subtracts the piece from the region, and notes its visible parts.
    pub(super) fn cover(&mut self, piece: &Piece, walls: &Walls) {
        let rect = bounds(&piece.hides);
        sides(&piece.hides, &mut self.hiding_sides);
        sides(&piece.reflects, &mut self.reflecting_sides);
        self.fresh.clear();
        let mut kept = 0;
        for i in 0..self.cells.len() {
            let cell = self.cells[i];
            let is_hit = cell.rect.overlaps(&rect)
                && self.overlaps(&cell, &piece.hides)
                && self.take(&cell, piece, walls);
            if !is_hit {
                self.cells[kept] = cell;
                kept += 1;
            }
        }
        self.cells.truncate(kept);
        self.cells.append(&mut self.fresh);
    }

    /// Whether a cell and the piece, whose sides are set, overlap: no side of either separates them.
    fn overlaps(&self, cell: &WindowCell, piece: &[DVec2]) -> bool {
        let corners = self.corners(cell);
        let is_outside = |side: &HalfPlane, points: &[DVec2]| {
            points.iter().all(|&p| side.excess(p) >= -MIN_WIDTH)
        };
        if self.hiding_sides.iter().any(|s| is_outside(s, corners)) {
            return false;
        }
        let mut a = *corners.last().expect("a cell has corners");
        for &b in corners {
            if HalfPlane::along_side(a, b, corners).is_some_and(|side| is_outside(&side, piece)) {
                return false;
            }
            a = b;
        }
        true
    }

    /// Notes the overlap of a cell and the piece as visible, and puts the rest of the cell into `self.fresh`. Returns
    /// false if the cell stays as it is.
    fn take(&mut self, cell: &WindowCell, piece: &Piece, walls: &Walls) -> bool {
        let passed = self.layers[cell.layers as usize].walls;
        let fresh = self.fresh.len();
        self.current.clear();
        self.current
            .extend_from_slice(&self.corners[cell.first as usize..cell.end as usize]);
        for side in &self.hiding_sides {
            if self.current.iter().all(|&p| side.excess(p) <= MIN_WIDTH) {
                continue;
            }
            self.inside.clear();
            self.outside.clear();
            split(&self.current, side, &mut self.inside, &mut self.outside);
            if !is_sliver(&self.outside, MIN_WIDTH) {
                self.fresh
                    .push(store(&mut self.corners, &self.outside, cell.layers));
            }
            std::mem::swap(&mut self.current, &mut self.inside);
        }
        let is_empty = is_sliver(&self.current, MIN_WIDTH);
        if !is_empty {
            self.note(piece, passed);
        }
        // A plane counts once, however many of its pieces overlap. A second piece of the plane changes nothing behind
        // it.
        if is_empty || self.is_passed(cell.layers, piece.plane) {
            self.fresh.truncate(fresh);
            return false;
        }
        if walls.passes(piece.plane, passed) {
            let layers = count(self.layers.len());
            self.layers.push(Layer {
                plane: piece.plane,
                below: cell.layers,
                walls: passed + 1,
            });
            let behind = store(&mut self.corners, &self.current, layers);
            self.fresh.push(behind);
        }
        true
    }

    /// Notes the part of `self.current` that lies in the reflecting part of the piece.
    fn note(&mut self, piece: &Piece, walls: u32) {
        if piece.reflects.len() < 3 {
            return;
        }
        let first = self.corners.len();
        self.corners.extend_from_slice(&self.current);
        for side in &self.reflecting_sides {
            let part = &self.corners[first..];
            if part.iter().all(|&p| side.excess(p) <= 0.0) {
                continue;
            }
            self.inside.clear();
            self.outside.clear();
            split(part, side, &mut self.inside, &mut self.outside);
            self.corners.truncate(first);
            self.corners.extend_from_slice(&self.inside);
        }
        if is_sliver(&self.corners[first..], MIN_WIDTH) {
            self.corners.truncate(first);
            return;
        }
        self.seen.push(Seen {
            part: piece.part,
            walls,
            first: count(first),
            end: count(self.corners.len()),
        });
    }

    /// Whether `plane` is among the walls already passed.
    fn is_passed(&self, mut layers: u32, plane: u32) -> bool {
        while layers != NONE {
            let layer = self.layers[layers as usize];
            if layer.plane == plane {
                return true;
            }
            layers = layer.below;
        }
        false
    }
}

/// Appends `polygon` to the arena.
fn store(corners: &mut Vec<DVec2>, polygon: &[DVec2], layers: u32) -> WindowCell {
    let first = count(corners.len());
    corners.extend_from_slice(polygon);
    WindowCell {
        first,
        end: count(corners.len()),
        layers,
        rect: bounds(polygon),
    }
}
