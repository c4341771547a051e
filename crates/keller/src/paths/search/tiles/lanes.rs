//! Points in blocks of sixteen, and tests that process a whole block at a time.
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

use glam::{DVec3, Vec3};

use crate::geometry::bvh::Dispatch;

/// The number of points of a block.
pub(super) const LANES: usize = 16;

pub(super) type Lanes = [f32; LANES];

/// Sixteen points, and how far the object that each represents extends around it, metres.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Block {
    pub(super) at: [Lanes; 3],
    pub(super) reach: Lanes,
}

/// Points in blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    all: Vec<Block>,
    /// The ball around the points of each block.
    pub(super) balls: Vec<Ball>,
    /// The largest reach of any point, metres.
    pub(super) reach: f32,
}

/// A ball around the points of a block, and the largest reach of its points, metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ball {
    pub(super) centre: Vec3,
    pub(super) radius: f32,
    pub(super) reach: f32,
}

impl Ball {
    /// The ball around points with these reaches, metres.
    pub(super) fn around(points: &[Vec3], reach: &Lanes) -> Self {
        let low = points.iter().fold(Vec3::INFINITY, |low, p| low.min(*p));
        let high = points
            .iter()
            .fold(Vec3::NEG_INFINITY, |high, p| high.max(*p));
        let centre = 0.5 * (low + high);
        let distance = |p: &Vec3| p.distance(centre);
        Self {
            centre,
            // The sum is larger than the rounding of the coordinates and of the products that contain them.
            radius: points.iter().map(distance).fold(0.0, f32::max)
                + 4e-6 * low.abs().max(high.abs()).max_element(),
            reach: reach.iter().copied().fold(0.0, f32::max),
        }
    }
}

/// Some points of a block: bit k stands for point k.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Some16 {
    pub(super) block: u32,
    pub(super) mask: u16,
}

impl Some16 {
    /// The block with a single point.
    pub(super) fn one(id: u32) -> Self {
        Self {
            block: id / 16,
            mask: 1 << (id % 16),
        }
    }

    /// Adds a point to blocks of smaller numbers.
    pub(super) fn add(all: &mut Vec<Self>, id: u32) {
        let one = Self::one(id);
        match all.last_mut() {
            Some(last) if last.block == one.block => last.mask |= one.mask,
            _ => all.push(one),
        }
    }

    /// The numbers of its points.
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
    /// The blocks of points with their reaches.
    pub(super) fn new(origin: DVec3, points: impl Iterator<Item = (DVec3, f64)>) -> Self {
        let (mut all, mut balls) = (Vec::new(), Vec::new());
        let mut points = points.peekable();
        while points.peek().is_some() {
            let mut block = Block {
                at: [[0.0; LANES]; 3],
                reach: [0.0; LANES],
            };
            let mut inside = Vec::with_capacity(LANES);
            for (k, (point, reach)) in points.by_ref().take(LANES).enumerate() {
                let local = (point - origin).as_vec3();
                for (axis, c) in block.at.iter_mut().zip(local.to_array()) {
                    axis[k] = c;
                }
                #[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
                let reach = reach as f32;
                block.reach[k] = reach;
                inside.push(local);
            }
            balls.push(Ball::around(&inside, &block.reach));
            all.push(block);
        }
        let reach = balls.iter().map(|ball| ball.reach).fold(0.0, f32::max);
        Self { all, balls, reach }
    }

    pub(super) fn block(&self, number: u32) -> &Block {
        &self.all[number as usize]
    }

    /// One of the points, metres from the origin.
    pub(super) fn point(&self, id: u32) -> Vec3 {
        let (block, lane) = (id as usize / LANES, id as usize % LANES);
        Vec3::from_array(self.all[block].at.map(|axis| axis[lane]))
    }
}

/// Work that is compiled once for each set of vector instructions. Its functions must be inlined.
pub(super) trait Kernel {
    fn run(self);
}

/// Runs a kernel with these vector instructions.
pub(super) fn run(kernel: impl Kernel, dispatch: Dispatch) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
    fn avx2(kernel: impl Kernel) {
        kernel.run();
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512vl")]
    fn avx512(kernel: impl Kernel) {
        kernel.run();
    }
    #[allow(unsafe_code, reason = "vector instructions")]
    match dispatch {
        // SAFETY: a dispatch is in use only if the machine has its instructions.
        #[cfg(target_arch = "x86_64")]
        Dispatch::Avx512 => unsafe { avx512(kernel) },
        // SAFETY: the machine has the instructions of the dispatch in use.
        #[cfg(target_arch = "x86_64")]
        Dispatch::Avx2 => unsafe { avx2(kernel) },
        _ => kernel.run(),
    }
}

/// A filter that leaves out some points.
pub(super) trait Filter {
    fn filter(&self, blocks: &Blocks, found: &mut Vec<Some16>);
}

/// Applies a filter with these vector instructions.
pub(super) fn scan<F: Filter>(
    filter: &F,
    blocks: &Blocks,
    dispatch: Dispatch,
    found: &mut Vec<Some16>,
) {
    let scan = Scan {
        filter,
        blocks,
        found,
    };
    run(scan, dispatch);
}

struct Scan<'a, F> {
    filter: &'a F,
    blocks: &'a Blocks,
    found: &'a mut Vec<Some16>,
}

impl<F: Filter> Kernel for Scan<'_, F> {
    #[inline(always)]
    fn run(self) {
        self.filter.filter(self.blocks, self.found);
    }
}

/// A test of sixteen points.
pub(super) trait Test {
    /// Bit k is the answer for point k.
    fn ask(&self, block: &Block) -> u16;
}

/// Uses a test as a filter of points.
pub(super) struct Each<T>(pub(super) T);

impl<T: Test> Filter for Each<T> {
    #[inline(always)]
    fn filter(&self, blocks: &Blocks, found: &mut Vec<Some16>) {
        let mut num_kept = 0;
        for k in 0..found.len() {
            let some = found[k];
            let mask = some.mask & self.0.ask(&blocks.all[some.block as usize]);
            found[num_kept] = Some16 { mask, ..some };
            num_kept += usize::from(mask != 0);
        }
        found.truncate(num_kept);
    }
}

/// The bits of sixteen answers.
#[inline(always)]
pub(super) fn bits(answers: [bool; LANES]) -> u16 {
    let mut mask = 0;
    for (k, answer) in answers.into_iter().enumerate() {
        mask |= u16::from(answer) << k;
    }
    mask
}

/// Coordinates of sixteen points along a vector, from `offset` on.
#[inline(always)]
pub(super) fn along(at: &[Lanes; 3], v: Vec3, offset: f32) -> Lanes {
    let mut along = [0.0; LANES];
    for (k, along) in along.iter_mut().enumerate() {
        *along = at[0][k] * v.x + at[1][k] * v.y + at[2][k] * v.z - offset;
    }
    along
}
