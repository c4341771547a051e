//! The parts of a scene visible from one source through a window, by exact hidden-surface removal on a front-to-back
//! walk of the partition.
//!
//! Everything is drawn in the window's plane, in central projection from the source. The walk reaches the nearest
//! pieces first. The part of a piece that overlaps the uncovered [`Region`] of the window is visible and is subtracted
//! from the region. Subtrees whose box misses the region are skipped, and the walk ends when nothing of the region is
//! left. The cost of a narrow beam is therefore the number of pieces that it meets until it is blocked. If the region
//! falls into many cells, half of them are put aside and finished later from the same point of the walk.

use glam::{DVec2, DVec3};

use super::bounds::Bounds;
use super::bsp::{Bsp, NONE};
use super::polygon::{Rect, bounds, is_sliver};
use super::projection::Projection;
use super::pyramid::Pyramid;
use super::region::{MIN_WIDTH, Piece, Region, WindowCell};
use super::walls::Walls;
use crate::geometry::polygon::{area, hull};

/// A region with more cells than this is finished in two halves, because every box is compared with every cell.
const MAX_CELLS: usize = 16;

/// A pending step of the walk: the pieces in a node's plane, or the node's whole subtree.
#[derive(Debug, Clone, Copy)]
enum Step {
    Own(u32),
    Subtree(u32),
}

/// The state of one view through a window. It is reused, so that later views allocate nothing.
#[derive(Debug, Default)]
pub(super) struct View {
    pub(super) region: Region,
    stack: Vec<Step>,
    /// The indices in `aside_steps` and `aside_cells` at which each part of the window that was put aside begins.
    aside: Vec<(usize, usize)>,
    aside_steps: Vec<Step>,
    aside_cells: Vec<WindowCell>,
    pyramid: Pyramid,
    piece: Piece,
    corners: Vec<(DVec3, f64)>,
    points: Vec<DVec2>,
    hull: Vec<DVec2>,
}

impl View {
    /// Finds the parts visible from the frame's source through the region. Pieces in the plane `ignored`, that of the
    /// window, are skipped. The beam continues behind `walls`.
    pub(super) fn update(&mut self, bsp: &Bsp, frame: &Projection, ignored: u32, walls: &Walls) {
        if bsp.nodes.is_empty() || self.region.cells.is_empty() {
            return;
        }
        self.stack.clear();
        self.stack.push(Step::Subtree(0));
        self.enclose(frame);
        self.walk(bsp, frame, ignored, walls);
        while let Some((step, cell)) = self.aside.pop() {
            self.stack.clear();
            self.stack.extend(self.aside_steps.drain(step..));
            self.region.cells.clear();
            self.region.cells.extend(self.aside_cells.drain(cell..));
            self.enclose(frame);
            self.walk(bsp, frame, ignored, walls);
        }
    }

    /// Continues the walk until its end, or until the whole region is covered.
    fn walk(&mut self, bsp: &Bsp, frame: &Projection, ignored: u32, walls: &Walls) {
        while let Some(step) = self.stack.pop() {
            if self.region.cells.len() > MAX_CELLS {
                self.stack.push(step);
                self.put_half_aside(frame);
                continue;
            }
            match step {
                Step::Own(index) => {
                    let node = &bsp.nodes[index as usize];
                    for part in node.first..node.end {
                        let plane = bsp.parts[part as usize].plane;
                        if plane != ignored && self.draw(bsp, frame, part) {
                            self.region.cover(&self.piece, walls);
                        }
                    }
                    if self.region.cells.is_empty() {
                        return;
                    }
                }
                Step::Subtree(index) => {
                    let node = &bsp.nodes[index as usize];
                    if !self.may_show(frame, &node.bounds) {
                        continue;
                    }
                    let side = node.normal.dot(frame.source) - node.offset;
                    let (near, far) = if side > 0.0 {
                        (node.front, node.back)
                    } else {
                        (node.back, node.front)
                    };
                    if far != NONE {
                        self.stack.push(Step::Subtree(far));
                    }
                    if node.first < node.end {
                        self.stack.push(Step::Own(index));
                    }
                    if near != NONE {
                        self.stack.push(Step::Subtree(near));
                    }
                }
            }
        }
    }

    /// Puts half of the uncovered cells aside, with the pending steps.
    fn put_half_aside(&mut self, frame: &Projection) {
        let centre = |cell: &WindowCell| cell.rect.min + cell.rect.max;
        let mut around = Rect::EMPTY;
        for cell in &self.region.cells {
            around.include(centre(cell));
        }
        let size = around.max - around.min;
        let key = |cell: &WindowCell| {
            let c = centre(cell);
            if size.x > size.y { c.x } else { c.y }
        };
        let cells = &mut self.region.cells;
        let half = cells.len() / 2;
        cells.select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)));
        self.aside
            .push((self.aside_steps.len(), self.aside_cells.len()));
        self.aside_steps.extend_from_slice(&self.stack);
        self.aside_cells.extend(cells.drain(half..));
        self.enclose(frame);
    }

    /// Fits the pyramid around the region.
    fn enclose(&mut self, frame: &Projection) {
        self.points.clear();
        for cell in &self.region.cells {
            self.points.extend_from_slice(self.region.corners(cell));
        }
        hull(&mut self.points, &mut self.hull);
        self.pyramid.enclose(frame, &self.hull);
    }

    /// Whether anything in the box could be drawn in the uncovered region. The rectangle is the sharper test for boxes
    /// larger than the beam, the pyramid for oblique beams.
    fn may_show(&self, frame: &Projection, bounds: &Bounds) -> bool {
        self.pyramid.may_meet(bounds)
            && frame
                .shadow(bounds)
                .is_some_and(|rect| self.region.meets(&rect))
    }

    /// Draws a part into `self.piece`; false if none of it lies in the region.
    fn draw(&mut self, bsp: &Bsp, frame: &Projection, index: u32) -> bool {
        let part = &bsp.parts[index as usize];
        if !self.may_show(frame, &part.bounds) {
            return false;
        }
        let piece = &mut self.piece;
        let hides = &bsp.vertices[part.first as usize..part.split as usize];
        if !draw_polygon(frame, hides, &mut self.corners, &mut piece.hides)
            || !self.region.meets(&bounds(&piece.hides))
        {
            return false;
        }
        let reflects = &bsp.vertices[part.split as usize..part.end as usize];
        if !draw_polygon(frame, reflects, &mut self.corners, &mut piece.reflects) {
            piece.reflects.clear();
        }
        (piece.part, piece.plane) = (index, part.plane);
        true
    }
}

/// Draws the part of a polygon beyond the window into `out`, counter-clockwise; false if nothing remains.
fn draw_polygon(
    frame: &Projection,
    polygon: &[DVec3],
    corners: &mut Vec<(DVec3, f64)>,
    out: &mut Vec<DVec2>,
) -> bool {
    corners.clear();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for &corner in polygon {
        let r = corner - frame.source;
        let z = frame.n.dot(r);
        low = low.min(z);
        high = high.max(z);
        corners.push((r, z));
    }
    if high <= frame.near {
        return false;
    }
    out.clear();
    if low >= frame.near {
        out.extend(corners.iter().map(|&(r, z)| frame.draw(r, z)));
    } else {
        let (mut a, mut za) = *corners.last().expect("a polygon has corners");
        for &(b, zb) in corners.iter() {
            if (za < frame.near) != (zb < frame.near) {
                let t = (frame.near - za) / (zb - za);
                out.push(frame.draw(a + (b - a) * t, frame.near));
            }
            if zb >= frame.near {
                out.push(frame.draw(b, zb));
            }
            (a, za) = (b, zb);
        }
    }
    if area(out) < 0.0 {
        out.reverse();
    }
    !is_sliver(out, MIN_WIDTH)
}
