//! A gate is a tile that reflects a wave, or a segment of an edge that diffracts it. This module finds the points
//! behind a gate that the wave reaches.
//!
//! The code works on plain arrays and is compiled once for each set of vector instructions. The operations and their
//! order are the same in each, so the results are the same to the last bit.

#![allow(
    clippy::needless_bitwise_bool,
    reason = "all lanes are asked everything"
)]
#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use glam::Vec3;

use super::beam::{BeamSource, EdgeDiffraction, EdgeSource};
use super::cull::{Balls, Culling, DiffractionCull};
use super::lanes::{Block, Blocks, Each, LANES, Lanes, Some16, Test, along, bits, scan};
use super::window::Window;
use crate::geometry::bvh::Dispatch;

/// The tile or segment by which a wave reaches points.
#[derive(Debug, Clone, Copy)]
pub(super) enum Gate {
    /// A tile, which waves from an image behind it pass.
    Window(BeamSource, Window),
    /// A segment, at which waves diffract.
    EdgeDiffraction(EdgeDiffraction),
}

impl Gate {
    /// Puts those of `wanted` that are reached into `found`. A point represents an object that extends some metres
    /// around it. The point also counts if the wave passes within the part `margin` of that extent.
    pub(super) fn reached(
        &self,
        blocks: &Blocks,
        wanted: &[Some16],
        margin: f32,
        dispatch: Dispatch,
        found: &mut Vec<Some16>,
    ) {
        found.clear();
        found.extend_from_slice(wanted);
        self.cull(blocks, margin, dispatch, found);
        self.ask(blocks, margin, dispatch, found);
    }

    /// Leaves out blocks of `found` none of whose points is reached.
    pub(super) fn cull(
        &self,
        blocks: &Blocks,
        margin: f32,
        dispatch: Dispatch,
        found: &mut Vec<Some16>,
    ) {
        match self {
            Self::Window(source, window) => {
                match Culling::new(source, window, blocks.reach, margin) {
                    Culling::All => found.clear(),
                    Culling::Some(cull) => scan(&Balls(cull), blocks, dispatch, found),
                    Culling::None => {}
                }
            }
            Self::EdgeDiffraction(diffraction) => {
                scan(
                    &Balls(DiffractionCull {
                        diffraction,
                        margin,
                    }),
                    blocks,
                    dispatch,
                    found,
                );
            }
        }
    }

    /// Leaves those of `found` that are reached. Each is tested by itself.
    pub(super) fn ask(
        &self,
        blocks: &Blocks,
        margin: f32,
        dispatch: Dispatch,
        found: &mut Vec<Some16>,
    ) {
        match self {
            Self::Window(BeamSource::Point(image), window) => {
                let test = PointWindow::new(*image, window, margin);
                scan(&Each(test), blocks, dispatch, found);
            }
            Self::Window(BeamSource::Edge(edge), window) => {
                let test = EdgeWindow {
                    edge,
                    window,
                    margin,
                };
                scan(&Each(test), blocks, dispatch, found);
            }
            Self::EdgeDiffraction(diffraction) => {
                let test = DiffractionTest {
                    diffraction,
                    margin,
                };
                scan(&Each(test), blocks, dispatch, found);
            }
        }
    }
}

/// Tests points seen through a tile from an image behind it.
struct PointWindow {
    /// The tile's normal on the side where waves leave it, and the directions of its sides; each with the coordinate of
    /// the tile's centre.
    axes: [(Vec3, f32); 3],
    /// The position of the image: its distance behind the tile, and its coordinates along the tile's sides.
    behind: f32,
    image: [f32; 2],
    half: [f32; 2],
    margin: f32,
}

impl PointWindow {
    fn new(image: Vec3, window: &Window, margin: f32) -> Self {
        let from = image - window.centre;
        let height = window.normal.dot(from);
        let normal = if height > 0.0 {
            -window.normal
        } else {
            window.normal
        };
        let axis = |v: Vec3| (v, v.dot(window.centre));
        Self {
            axes: [axis(normal), axis(window.axes[0]), axis(window.axes[1])],
            behind: height.abs(),
            image: window.axes.map(|axis| axis.dot(from)),
            half: window.half,
            margin,
        }
    }
}

impl Test for PointWindow {
    #[inline(always)]
    fn ask(&self, block: &Block) -> u16 {
        let [h, a, b] = self
            .axes
            .map(|(axis, offset)| along(&block.at, axis, offset));
        let mut answers = [false; LANES];
        for (k, answer) in answers.iter_mut().enumerate() {
            // The intersection of the line from the image with the tile, multiplied by the distances of both from the
            // tile.
            let sum = h[k] + self.behind;
            let grown = self.margin * self.behind * block.reach[k];
            let x = self.image[0] * h[k] + self.behind * a[k];
            let y = self.image[1] * h[k] + self.behind * b[k];
            *answer = (h[k] > 0.0)
                & (x.abs() <= self.half[0] * sum + grown)
                & (y.abs() <= self.half[1] * sum + grown);
        }
        bits(answers)
    }
}

/// The points of the edge, metres along it, at which the diffracted paths from a source to sixteen points meet it; and
/// the share of a point's sideways step by which that intersection moves.
#[inline(always)]
fn meets(edge: &EdgeSource, block: &Block) -> (Lanes, Lanes) {
    let from = edge.from - edge.start;
    let za = from.dot(edge.along);
    let ra = (from - za * edge.along).length();
    let mut d = block.at;
    for (axis, start) in d.iter_mut().zip(edge.start.to_array()) {
        for c in axis {
            *c -= start;
        }
    }
    let w = edge.along;
    let mut t = [0.0; LANES];
    let mut share = [0.0; LANES];
    for k in 0..LANES {
        let z = d[0][k] * w.x + d[1][k] * w.y + d[2][k] * w.z;
        let squared = d[0][k] * d[0][k] + d[1][k] * d[1][k] + d[2][k] * d[2][k];
        let r = (squared - z * z).max(0.0).sqrt();
        let s = 1.0 / (ra + r).max(f32::MIN_POSITIVE);
        t[k] = (za * r + z * ra) * s;
        share[k] = ra * s;
    }
    (t, share)
}

/// Tests points seen through a tile from an edge behind it.
struct EdgeWindow<'a> {
    edge: &'a EdgeSource,
    window: &'a Window,
    margin: f32,
}

impl EdgeWindow<'_> {
    /// The coordinates along a vector of points and of the edge's start, from the tile's centre, metres; and that
    /// component of the edge's direction.
    #[inline(always)]
    fn coordinates(&self, block: &Block, v: Vec3) -> (Lanes, f32, f32) {
        let (edge, centre) = (self.edge, self.window.centre);
        (
            along(&block.at, v, v.dot(centre)),
            v.dot(edge.start - centre),
            v.dot(edge.along),
        )
    }
}

impl Test for EdgeWindow<'_> {
    #[inline(always)]
    fn ask(&self, block: &Block) -> u16 {
        let (edge, window) = (self.edge, self.window);
        let (t, share) = meets(edge, block);
        let [h, a, b] = [
            self.coordinates(block, window.normal),
            self.coordinates(block, window.axes[0]),
            self.coordinates(block, window.axes[1]),
        ];
        let mut answers = [false; LANES];
        for (k, answer) in answers.iter_mut().enumerate() {
            let grown = self.margin * block.reach[k];
            let behind = h.1 + t[k] * h.2;
            let sum = h.0[k].abs() + behind.abs();
            // The terms are those of an image, with the diffraction point on the edge as the source.
            let x = (a.1 + t[k] * a.2) * h.0[k].abs() + behind.abs() * a.0[k];
            let y = (b.1 + t[k] * b.2) * h.0[k].abs() + behind.abs() * b.0[k];
            let grown_here = grown * behind.abs();
            *answer = (h.0[k] * behind < 0.0)
                & (t[k] >= -grown * share[k])
                & (t[k] <= edge.length + grown * share[k])
                & (x.abs() <= window.half[0] * sum + grown_here)
                & (y.abs() <= window.half[1] * sum + grown_here);
        }
        bits(answers)
    }
}

/// Tests points reached by diffraction at a segment.
struct DiffractionTest<'a> {
    diffraction: &'a EdgeDiffraction,
    margin: f32,
}

impl Test for DiffractionTest<'_> {
    #[inline(always)]
    fn ask(&self, block: &Block) -> u16 {
        let diffraction = self.diffraction;
        let (t, share) = meets(&diffraction.edge, block);
        let [first, second] = diffraction
            .outwards
            .map(|outward| along(&block.at, outward, outward.dot(diffraction.edge.start)));
        let mut answers = [false; LANES];
        for (k, answer) in answers.iter_mut().enumerate() {
            let grown = self.margin * block.reach[k];
            *answer = (t[k] >= diffraction.interval[0] - grown * share[k])
                & (t[k] <= diffraction.interval[1] + grown * share[k])
                & ((first[k] >= -grown) | (second[k] >= -grown));
        }
        bits(answers)
    }
}
