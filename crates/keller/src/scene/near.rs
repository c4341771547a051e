//! Finds the boxes that overlap a box. The boxes are stored along a space-filling curve, in groups of eight and groups
//! of groups.
//!
//! The curve is that of Morton ("A computer oriented geodetic data base", 1966), which interleaves the bits of the
//! coordinates. Only the number of each box is stored, so the tree takes 8 bytes a box. **Cost:** one sort.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// The corners of a box in f32, rounded outwards.
pub(crate) type Bounds = [Vec3; 2];

/// The boxes to search.
#[derive(Debug)]
pub(crate) struct Nearby {
    /// The numbers of the boxes along the curve.
    order: Vec<u32>,
    /// The box around each eight boxes of `order`, then around each eight of these, and so on until at most eight are
    /// left.
    levels: Vec<Vec<Bounds>>,
}

/// Number of boxes, or groups, in a group.
const WIDTH: usize = 8;

const NOTHING: Bounds = [Vec3::INFINITY, Vec3::NEG_INFINITY];

impl Nearby {
    /// Builds the tree of `count` boxes.
    pub(crate) fn new(count: usize, bounds: impl Fn(usize) -> Bounds + Sync) -> Self {
        Self::of(count, &bounds)
    }

    /// Compiled once, for lists too long to be copied.
    fn of(count: usize, bounds: &(dyn Fn(usize) -> Bounds + Sync)) -> Self {
        let all = (0..count)
            .into_par_iter()
            .map(bounds)
            .reduce(|| NOTHING, union);
        let size = (all[1] - all[0]).max_element().max(f32::MIN_POSITIVE);
        let mut order: Vec<(u64, u32)> = (0..count)
            .into_par_iter()
            .map(|i| {
                let [low, high] = bounds(i);
                let centre = 0.5 * (low + high) - all[0];
                let number = u32::try_from(i).expect("fewer than 2^32 boxes");
                (on_curve(centre / size), number)
            })
            .collect();
        order.par_sort_unstable();
        let order: Vec<u32> = order.par_iter().map(|&(_, number)| number).collect();
        let around = |group: &[u32]| {
            let boxes = group.iter().map(|&i| bounds(i as usize));
            boxes.fold(NOTHING, union)
        };
        let mut level: Vec<Bounds> = order.par_chunks(WIDTH).map(around).collect();
        let mut levels = Vec::new();
        while level.len() > WIDTH {
            let around = |group: &[Bounds]| group.iter().copied().fold(NOTHING, union);
            let next = level.par_chunks(WIDTH).map(around).collect();
            levels.push(std::mem::replace(&mut level, next));
        }
        levels.push(level);
        Self { order, levels }
    }

    /// All numbers in the order of the curve: neighbours in space are mostly near each other.
    pub(super) fn in_order(&self) -> &[u32] {
        &self.order
    }

    /// Calls `visit` with every box that overlaps `bounds`, and with others near it.
    pub(crate) fn each_meeting(&self, bounds: Bounds, visit: &mut impl FnMut(usize)) {
        let top = self.levels.len() - 1;
        self.visit_group(top, 0, bounds, visit);
    }

    /// Visits the boxes of one group. `group` numbers it on the level above.
    fn visit_group(
        &self,
        level: usize,
        group: usize,
        bounds: Bounds,
        visit: &mut impl FnMut(usize),
    ) {
        let groups = &self.levels[level];
        let first = group * WIDTH;
        let end = (first + WIDTH).min(groups.len());
        for (i, group) in groups[first..end].iter().enumerate() {
            let meets = group[0].cmple(bounds[1]).all() && bounds[0].cmple(group[1]).all();
            if !meets {
                continue;
            }
            let inside = first + i;
            if level > 0 {
                self.visit_group(level - 1, inside, bounds, visit);
                continue;
            }
            let last = (inside + 1) * WIDTH;
            for &number in &self.order[inside * WIDTH..last.min(self.order.len())] {
                visit(number as usize);
            }
        }
    }
}

/// The f32 box around an f64 one, rounded outwards and `pad` metres larger.
pub(crate) fn outwards([low, high]: [DVec3; 2], pad: f64) -> Bounds {
    let pad = DVec3::splat(pad) + f64::from(f32::EPSILON) * low.abs().max(high.abs());
    [(low - pad).as_vec3(), (high + pad).as_vec3()]
}

fn union(a: Bounds, b: Bounds) -> Bounds {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// The position of a point of the unit cube along the curve.
fn on_curve(point: Vec3) -> u64 {
    /// Number of steps along an axis.
    const STEPS: f32 = (1 << 21) as f32 - 1.0;
    let spread = |coordinate: f32| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the cast saturates, and any place on the curve will do"
        )]
        let mut bits = u64::from((coordinate * STEPS) as u32) & 0x1f_ffff;
        for (shift, mask) in [
            (32, 0x001f_0000_0000_ffff),
            (16, 0x001f_0000_ff00_00ff),
            (8, 0x100f_00f0_0f00_f00f),
            (4, 0x10c3_0c30_c30c_30c3),
            (2, 0x1249_2492_4924_9249),
        ] {
            bits = (bits | bits << shift) & mask;
        }
        bits
    };
    spread(point.x) | spread(point.y) << 1 | spread(point.z) << 2
}
