//! What one source sees through a window: exact hidden-surface removal by walking the partition front to back.
//!
//! Everything is drawn in the window's plane, in central projection from the source. The region of the window that nothing has covered yet is kept as convex
//! cells. The walk meets the pieces nearest first; what a piece has in common with the uncovered region is visible, and leaves the region. Subtrees
//! whose box misses the region are skipped, and the walk ends when nothing is left, so a narrow beam costs what it meets until it is stopped.
//!
//! Where waves pass through walls, a covered part stays in the region until more planes cover it than the beam may cross.

use glam::{DVec2, DVec3};

use super::bsp::{Bsp, NONE};
use super::polygon::{HalfPlane, Rect, area, bounds, is_sliver, split};
use crate::paths::Transparency;
use crate::scene::{FaceId, Scene};

/// Parts of the window narrower than this are dropped, metres on a portal (or the tangent of an angle at the root). Rounding of the projection is
/// below it for all but grazing beams; what validation tolerates is a thousand times wider.
const MIN_WIDTH: f64 = 1e-10;

/// With more uncovered cells than this a piece no longer covers what lies behind it: more is seen than there is, but the work stays bounded.
const MAX_CELLS: usize = 4096;

/// A central projection from `source` to a plane at distance `reach` along `n`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) source: DVec3,
    pub(super) u: DVec3,
    pub(super) v: DVec3,
    /// Unit vector from the source towards the window's plane.
    pub(super) n: DVec3,
    /// Distance of the window's plane, metres.
    pub(super) reach: f64,
    /// Only what lies beyond this distance along `n` is seen, metres.
    pub(super) near: f64,
    /// Coordinates of the foot of the perpendicular from the source.
    pub(super) base: DVec2,
}

impl Frame {
    /// The ray from the source through a point of the window.
    pub(super) fn ray(&self, at: DVec2) -> DVec3 {
        let d = at - self.base;
        self.u * d.x + self.v * d.y + self.n * self.reach
    }
}

/// A convex piece of the window, or of something seen in it: corners `first..end` of the arena, and the walls in front.
#[derive(Debug, Clone, Copy)]
struct Cell {
    first: u32,
    end: u32,
    /// Top of its stack of walls already passed, in `View::layers`.
    layers: u32,
    rect: Rect,
}

/// A visible part of a plane, as drawn in the window.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) plane: u32,
    /// Walls before it, those of the window included.
    pub(super) walls: u32,
    first: u32,
    end: u32,
}

/// A wall on the way through the cells that name it.
#[derive(Debug, Clone, Copy)]
struct Layer {
    plane: u32,
    below: u32,
    walls: u32,
}

/// Which walls a beam goes on behind.
#[derive(Debug)]
pub(super) struct Walls {
    max: u32,
    /// By plane: whether anything in it lets waves pass. Empty where none is to be passed.
    passable: Vec<bool>,
}

impl Walls {
    /// Up to `max_transmissions` walls of those that `transparency` allows.
    pub(super) fn new(
        scene: &Scene,
        max_transmissions: usize,
        transparency: &Transparency,
    ) -> Self {
        let mut passable = Vec::new();
        if max_transmissions > 0 {
            passable.resize(scene.planes().len(), false);
            for (f, face) in scene.faces().iter().enumerate() {
                passable[face.plane.index()] |= transparency.passes(scene, FaceId::from_index(f));
            }
        }
        Self {
            max: u32::try_from(max_transmissions).unwrap_or(u32::MAX),
            passable,
        }
    }

    /// Whether a beam that has passed `passed` walls goes on behind `plane`.
    fn passes(&self, plane: u32, passed: u32) -> bool {
        passed < self.max && self.passable[plane as usize]
    }
}

/// The state of one look through a window. Reused, so that a look allocates nothing once warm.
#[derive(Debug, Default)]
pub(super) struct View {
    corners: Vec<DVec2>,
    cells: Vec<Cell>,
    fresh: Vec<Cell>,
    layers: Vec<Layer>,
    seen: Vec<Seen>,
    stack: Vec<(u32, bool)>,
    piece: Vec<DVec2>,
    core: Vec<DVec2>,
    clipped: Vec<(DVec3, f64)>,
    sides: Vec<HalfPlane>,
    core_sides: Vec<HalfPlane>,
    current: Vec<DVec2>,
    inside: Vec<DVec2>,
    outside: Vec<DVec2>,
}

impl View {
    /// Starts over with an empty window.
    pub(super) fn clear(&mut self) {
        self.corners.clear();
        self.cells.clear();
        self.layers.clear();
        self.seen.clear();
    }

    /// Adds a convex polygon, counter-clockwise, to the window, reached through `walls` walls.
    pub(super) fn open(&mut self, polygon: &[DVec2], walls: u32) {
        self.layers.push(Layer {
            plane: NONE,
            below: NONE,
            walls,
        });
        let layers = count(self.layers.len() - 1);
        let cell = store(&mut self.corners, polygon, layers);
        self.cells.push(cell);
    }

    /// What was seen by [`Self::look`], nearest first.
    pub(super) fn seen(&self) -> impl Iterator<Item = (Seen, &[DVec2])> {
        self.seen
            .iter()
            .map(|s| (*s, &self.corners[s.first as usize..s.end as usize]))
    }

    /// Looks from the frame's source through the open window. Pieces in the plane `ignored`, the window's own, are not there; a beam goes on
    /// behind `walls`.
    pub(super) fn look(&mut self, bsp: &Bsp, frame: &Frame, ignored: u32, walls: &Walls) {
        if bsp.nodes.is_empty() || self.cells.is_empty() {
            return;
        }
        self.stack.clear();
        self.stack.push((0, false));
        while let Some((index, own)) = self.stack.pop() {
            let node = &bsp.nodes[index as usize];
            if own {
                for part in &bsp.parts[node.first as usize..node.end as usize] {
                    if part.plane == ignored {
                        continue;
                    }
                    let hides = &bsp.vertices[part.first as usize..part.middle as usize];
                    let mut piece = std::mem::take(&mut self.piece);
                    let is_drawn = self.project(frame, hides, &mut piece);
                    self.piece = piece;
                    if is_drawn && self.is_uncovered(&bounds(&self.piece)) {
                        let reflects = &bsp.vertices[part.middle as usize..part.end as usize];
                        let mut core = std::mem::take(&mut self.core);
                        if !self.project(frame, reflects, &mut core) {
                            core.clear();
                        }
                        self.core = core;
                        self.cover(part.plane, walls);
                        if self.cells.is_empty() {
                            return;
                        }
                    }
                }
                continue;
            }
            if !self.may_show(frame, node.center, node.half) {
                continue;
            }
            let side = node.normal.dot(frame.source) - node.offset;
            let (near, far) = if side > 0.0 {
                (node.front, node.back)
            } else {
                (node.back, node.front)
            };
            if far != NONE {
                self.stack.push((far, false));
            }
            if node.first < node.end {
                self.stack.push((index, true));
            }
            if near != NONE {
                self.stack.push((near, false));
            }
        }
    }

    /// Whether anything in the box could be drawn in the uncovered region.
    fn may_show(&self, frame: &Frame, center: DVec3, half: DVec3) -> bool {
        let c = center - frame.source;
        let extent = |axis: DVec3| axis.abs().dot(half);
        let (z, ez) = (frame.n.dot(c), extent(frame.n));
        let z_far = z + ez;
        if z_far <= frame.near {
            return false;
        }
        let z_near = (z - ez).max(frame.near);
        let (k_near, k_far) = (frame.reach / z_near, frame.reach / z_far);
        let range = |axis: DVec3, base: f64| {
            let (x, ex) = (axis.dot(c), extent(axis));
            let (low, high) = (x - ex, x + ex);
            (
                base + low * if low < 0.0 { k_near } else { k_far },
                base + high * if high < 0.0 { k_far } else { k_near },
            )
        };
        let (u_min, u_max) = range(frame.u, frame.base.x);
        let (v_min, v_max) = range(frame.v, frame.base.y);
        let rect = Rect {
            min: DVec2::new(u_min, v_min),
            max: DVec2::new(u_max, v_max),
        };
        self.cells.iter().any(|cell| cell.rect.overlaps(&rect))
    }

    /// Draws a polygon in the window's plane, counter-clockwise, into `out`; false when nothing is left of it.
    fn project(&mut self, frame: &Frame, corners: &[DVec3], out: &mut Vec<DVec2>) -> bool {
        self.clipped.clear();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for &corner in corners {
            let r = corner - frame.source;
            let z = frame.n.dot(r);
            low = low.min(z);
            high = high.max(z);
            self.clipped.push((r, z));
        }
        if high <= frame.near {
            return false;
        }
        out.clear();
        let draw = |r: DVec3, z: f64| {
            let k = frame.reach / z;
            frame.base + DVec2::new(frame.u.dot(r) * k, frame.v.dot(r) * k)
        };
        if low >= frame.near {
            out.extend(self.clipped.iter().map(|&(r, z)| draw(r, z)));
        } else {
            let (mut a, mut za) = *self.clipped.last().expect("a polygon has corners");
            for &(b, zb) in &self.clipped {
                if (za < frame.near) != (zb < frame.near) {
                    let t = (frame.near - za) / (zb - za);
                    out.push(draw(a + (b - a) * t, frame.near));
                }
                if zb >= frame.near {
                    out.push(draw(b, zb));
                }
                (a, za) = (b, zb);
            }
        }
        let signed = area(out);
        if signed < 0.0 {
            out.reverse();
        }
        !is_sliver(out, MIN_WIDTH)
    }

    fn is_uncovered(&self, rect: &Rect) -> bool {
        self.cells.iter().any(|cell| cell.rect.overlaps(rect))
    }

    /// Takes `self.piece` out of the uncovered region, and notes what of it was seen.
    fn cover(&mut self, plane: u32, walls: &Walls) {
        let rect = bounds(&self.piece);
        sides(&self.piece, &mut self.sides);
        sides(&self.core, &mut self.core_sides);
        self.fresh.clear();
        let covers = self.cells.len() <= MAX_CELLS;
        let mut kept = 0;
        for i in 0..self.cells.len() {
            let cell = self.cells[i];
            let keep = !cell.rect.overlaps(&rect)
                || !self.meets_piece(&cell)
                || !self.take(&cell, plane, walls, covers);
            if keep {
                self.cells[kept] = cell;
                kept += 1;
            }
        }
        self.cells.truncate(kept);
        self.cells.append(&mut self.fresh);
    }

    /// Whether a cell and the piece overlap: no side of either separates them.
    fn meets_piece(&self, cell: &Cell) -> bool {
        let corners = &self.corners[cell.first as usize..cell.end as usize];
        let apart = |half: &HalfPlane, points: &[DVec2]| {
            points.iter().all(|&p| half.excess(p) >= -MIN_WIDTH)
        };
        if self.sides.iter().any(|side| apart(side, corners)) {
            return false;
        }
        let mut a = *corners.last().expect("a cell has corners");
        for &b in corners {
            if HalfPlane::along_side(a, b, corners).is_some_and(|side| apart(&side, &self.piece)) {
                return false;
            }
            a = b;
        }
        true
    }

    /// Notes the overlap of a cell and the piece as seen, and puts what is left of the cell into `self.fresh`. False when the cell stays as it is.
    fn take(&mut self, cell: &Cell, plane: u32, walls: &Walls, covers: bool) -> bool {
        let top = self.layers[cell.layers as usize];
        let fresh = self.fresh.len();
        self.current.clear();
        self.current
            .extend_from_slice(&self.corners[cell.first as usize..cell.end as usize]);
        for i in 0..self.sides.len() {
            let side = self.sides[i];
            if self.current.iter().all(|&p| side.excess(p) <= MIN_WIDTH) {
                continue;
            }
            self.inside.clear();
            self.outside.clear();
            split(&self.current, side, &mut self.inside, &mut self.outside);
            if covers && !is_sliver(&self.outside, MIN_WIDTH) {
                self.fresh
                    .push(store(&mut self.corners, &self.outside, cell.layers));
            }
            std::mem::swap(&mut self.current, &mut self.inside);
        }
        if is_sliver(&self.current, MIN_WIDTH) {
            self.fresh.truncate(fresh);
            return false;
        }
        self.note(plane, top.walls);
        if !covers || self.is_passed(cell.layers, plane) {
            self.fresh.truncate(fresh);
            return false;
        }
        if walls.passes(plane, top.walls) {
            self.layers.push(Layer {
                plane,
                below: cell.layers,
                walls: top.walls + 1,
            });
            let layers = count(self.layers.len() - 1);
            let cell = store(&mut self.corners, &self.current, layers);
            self.fresh.push(cell);
        }
        true
    }

    /// Notes what of `self.current` is in the part of the piece that reflects.
    fn note(&mut self, plane: u32, walls: u32) {
        if self.core.is_empty() {
            return;
        }
        let first = self.corners.len();
        self.corners.extend_from_slice(&self.current);
        for side in &self.core_sides {
            let seen = &self.corners[first..];
            if seen.iter().all(|&p| side.excess(p) <= 0.0) {
                continue;
            }
            self.inside.clear();
            self.outside.clear();
            split(seen, *side, &mut self.inside, &mut self.outside);
            self.corners.truncate(first);
            self.corners.extend_from_slice(&self.inside);
        }
        if is_sliver(&self.corners[first..], MIN_WIDTH) {
            self.corners.truncate(first);
            return;
        }
        self.seen.push(Seen {
            plane,
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

/// The half-planes whose common part is `polygon`.
fn sides(polygon: &[DVec2], out: &mut Vec<HalfPlane>) {
    out.clear();
    for i in 0..polygon.len() {
        let (a, b) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        out.extend(HalfPlane::along_side(a, b, polygon));
    }
}

/// Appends `polygon` to the arena.
fn store(corners: &mut Vec<DVec2>, polygon: &[DVec2], layers: u32) -> Cell {
    let first = count(corners.len());
    corners.extend_from_slice(polygon);
    Cell {
        first,
        end: count(corners.len()),
        layers,
        rect: bounds(polygon),
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 entries")
}
