//! Points in blocks of sixteen, and which of them a source reaches by a tile or a segment: all sixteen at a time.
//!
//! Plain arrays, compiled once for each set of vector instructions: the operations and their order are the same, so are the bits.

#![allow(
    clippy::needless_bitwise_bool,
    reason = "all lanes are asked everything"
)]
#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use glam::{DVec3, Vec3};

use super::beam::{EdgeSource, Source};
use crate::geometry::bvh::Dispatch;

/// Points of a block.
pub(super) const LANES: usize = 16;

type Lanes = [f32; LANES];

/// Sixteen points, and how far what they stand for reaches around them, metres.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Block {
    at: [Lanes; 3],
    reach: Lanes,
}

/// Blocks of points.
#[derive(Debug)]
pub(super) struct Blocks(Vec<Block>);

/// Some points of a block: bit k stands for its point k.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Some16 {
    pub(super) block: u32,
    pub(super) mask: u16,
}

impl Some16 {
    /// The numbers of the points that are in it.
    pub(super) fn ids(self) -> impl Iterator<Item = u32> {
        let mut mask = self.mask;
        std::iter::from_fn(move || {
            (mask != 0).then(|| {
                let lane = mask.trailing_zeros();
                mask &= mask - 1;
                self.block * 16 + lane
            })
        })
    }
}

impl Blocks {
    /// Of points and their reaches.
    pub(super) fn new(origin: DVec3, points: impl Iterator<Item = (DVec3, f64)>) -> Self {
        let mut blocks = Vec::new();
        let nowhere = Block {
            at: [[0.0; LANES]; 3],
            reach: [0.0; LANES],
        };
        for (k, (point, reach)) in points.enumerate() {
            if k.is_multiple_of(LANES) {
                blocks.push(nowhere);
            }
            let block: &mut Block = blocks.last_mut().expect("just pushed");
            let local = (point - origin).as_vec3().to_array();
            for (axis, c) in block.at.iter_mut().zip(local) {
                axis[k % LANES] = c;
            }
            #[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
            let reach = reach as f32;
            block.reach[k % LANES] = reach;
        }
        Self(blocks)
    }

    /// One of them, metres from the origin.
    pub(super) fn point(&self, id: u32) -> Vec3 {
        let (block, lane) = (id as usize / LANES, id as usize % LANES);
        Vec3::from_array(self.0[block].at.map(|axis| axis[lane]))
    }
}

/// A tile that mirrors, in its own coordinates, metres from the scene's origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    /// The middle of its cell.
    pub(super) centre: Vec3,
    /// Unit vectors along its sides and across it.
    pub(super) axes: [Vec3; 2],
    pub(super) normal: Vec3,
    /// Half its sides.
    pub(super) half: [f32; 2],
}

/// A segment that bends what comes from a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bend {
    pub(super) edge: EdgeSource,
    /// From where to where along the edge, metres.
    pub(super) interval: [f32; 2],
    /// Normals of its faces, on their open sides.
    pub(super) outwards: [Vec3; 2],
}

/// What points are reached by.
#[derive(Debug, Clone, Copy)]
pub(super) enum Gate {
    /// What seems to come from an image, through a tile.
    Window(Source, Window),
    /// What a segment bends.
    Bend(Bend),
}

impl Gate {
    /// Those of `wanted` that are reached, into `found`: points that stand for something wide also if a part of that is, `margin` of its reach.
    pub(super) fn reached(
        &self,
        blocks: &Blocks,
        wanted: &[Some16],
        margin: f32,
        dispatch: Dispatch,
        found: &mut Vec<Some16>,
    ) {
        found.clear();
        match self {
            Self::Window(Source::Point(image), window) => {
                let test = PointWindow::new(*image, window, margin);
                scan(&test, &blocks.0, wanted, dispatch, found);
            }
            Self::Window(Source::Edge(edge), window) => {
                let test = EdgeWindow {
                    edge,
                    window,
                    margin,
                };
                scan(&test, &blocks.0, wanted, dispatch, found);
            }
            Self::Bend(bend) => scan(
                &BendTest { bend, margin },
                &blocks.0,
                wanted,
                dispatch,
                found,
            ),
        }
    }
}

/// A question asked of sixteen points.
trait Test {
    /// Bit k is the answer for point k.
    fn ask(&self, block: &Block) -> u16;
}

fn scan<T: Test>(
    test: &T,
    blocks: &[Block],
    wanted: &[Some16],
    dispatch: Dispatch,
    found: &mut Vec<Some16>,
) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    fn avx2<T: Test>(test: &T, blocks: &[Block], wanted: &[Some16], found: &mut Vec<Some16>) {
        each_block(test, blocks, wanted, found);
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl")]
    fn avx512<T: Test>(test: &T, blocks: &[Block], wanted: &[Some16], found: &mut Vec<Some16>) {
        each_block(test, blocks, wanted, found);
    }
    #[allow(unsafe_code, reason = "vector instructions")]
    match dispatch {
        // SAFETY: a dispatch is in use only if the machine has its instructions.
        #[cfg(target_arch = "x86_64")]
        Dispatch::Avx512 => unsafe { avx512(test, blocks, wanted, found) },
        // SAFETY: the same.
        #[cfg(target_arch = "x86_64")]
        Dispatch::Avx2 => unsafe { avx2(test, blocks, wanted, found) },
        _ => each_block(test, blocks, wanted, found),
    }
}

#[inline(always)]
fn each_block<T: Test>(test: &T, blocks: &[Block], wanted: &[Some16], found: &mut Vec<Some16>) {
    for some in wanted {
        let mask = some.mask & test.ask(&blocks[some.block as usize]);
        if mask != 0 {
            found.push(Some16 { mask, ..*some });
        }
    }
}

/// The bits of sixteen answers.
#[inline(always)]
fn bits(answers: [bool; LANES]) -> u16 {
    let mut mask = 0;
    for (k, answer) in answers.into_iter().enumerate() {
        mask |= u16::from(answer) << k;
    }
    mask
}

/// Coordinates of sixteen points along a vector, from `offset` on.
#[inline(always)]
fn along(block: &Block, v: Vec3, offset: f32) -> Lanes {
    std::array::from_fn(|k| {
        block.at[0][k] * v.x + block.at[1][k] * v.y + block.at[2][k] * v.z - offset
    })
}

/// Through a tile from a point behind it.
struct PointWindow {
    /// Across the tile, towards where it is left; and along its sides.
    axes: [(Vec3, f32); 3],
    /// The image: how far behind the tile, and where along its sides.
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
        let [h, a, b] = self.axes.map(|(axis, offset)| along(block, axis, offset));
        bits(std::array::from_fn(|k| {
            // Where the line from the image meets the tile, times the distances of both from it.
            let sum = h[k] + self.behind;
            let grown = self.margin * self.behind * block.reach[k];
            let x = self.image[0] * h[k] + self.behind * a[k];
            let y = self.image[1] * h[k] + self.behind * b[k];
            (h[k] > 0.0)
                & (x.abs() <= self.half[0] * sum + grown)
                & (y.abs() <= self.half[1] * sum + grown)
        }))
    }
}

/// Where the way from an edge's point to sixteen others meets the edge, and how much of a step beside the others that moves.
#[inline(always)]
fn meets(edge: &EdgeSource, block: &Block) -> (Lanes, Lanes) {
    let from = edge.from - edge.start;
    let za = from.dot(edge.along);
    let ra = (from - za * edge.along).length();
    let d: [Lanes; 3] = std::array::from_fn(|axis| {
        let start = edge.start.to_array()[axis];
        std::array::from_fn(|k| block.at[axis][k] - start)
    });
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

/// Through a tile from an edge behind it.
struct EdgeWindow<'a> {
    edge: &'a EdgeSource,
    window: &'a Window,
    margin: f32,
}

impl Test for EdgeWindow<'_> {
    #[inline(always)]
    fn ask(&self, block: &Block) -> u16 {
        let (edge, window) = (self.edge, self.window);
        let (t, share) = meets(edge, block);
        let axis = |v: Vec3| {
            let start = v.dot(edge.start - window.centre);
            (
                along(block, v, v.dot(window.centre)),
                start,
                v.dot(edge.along),
            )
        };
        let [h, a, b] = [
            axis(window.normal),
            axis(window.axes[0]),
            axis(window.axes[1]),
        ];
        bits(std::array::from_fn(|k| {
            let grown = self.margin * block.reach[k];
            let behind = h.1 + t[k] * h.2;
            let sum = h.0[k].abs() + behind.abs();
            // As from a point, that of the edge.
            let x = (a.1 + t[k] * a.2) * h.0[k].abs() + behind.abs() * a.0[k];
            let y = (b.1 + t[k] * b.2) * h.0[k].abs() + behind.abs() * b.0[k];
            let grown_here = grown * behind.abs();
            (h.0[k] * behind < 0.0)
                & (t[k] >= -grown * share[k])
                & (t[k] <= edge.length + grown * share[k])
                & (x.abs() <= window.half[0] * sum + grown_here)
                & (y.abs() <= window.half[1] * sum + grown_here)
        }))
    }
}

/// By a segment.
struct BendTest<'a> {
    bend: &'a Bend,
    margin: f32,
}

impl Test for BendTest<'_> {
    #[inline(always)]
    fn ask(&self, block: &Block) -> u16 {
        let bend = self.bend;
        let (t, share) = meets(&bend.edge, block);
        let [first, second] = bend
            .outwards
            .map(|outward| along(block, outward, outward.dot(bend.edge.start)));
        bits(std::array::from_fn(|k| {
            let grown = self.margin * block.reach[k];
            (t[k] >= bend.interval[0] - grown * share[k])
                & (t[k] <= bend.interval[1] + grown * share[k])
                & ((first[k] >= -grown) | (second[k] >= -grown))
        }))
    }
}
