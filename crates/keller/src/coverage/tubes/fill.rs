//! The cells of a region whose middles lie in a piece of a tube.

use std::sync::atomic::{AtomicU64, Ordering};

use glam::{DVec2, DVec3};

use super::super::{Levels, Region};

/// Sums of gains as whole numbers, so that they do not depend on the order in which threads add.
#[derive(Debug)]
pub(super) struct Sums {
    cells: Vec<AtomicU64>,
    /// The gain of one.
    unit: f64,
}

impl Sums {
    /// Of `len` cells, exact to a millionth of the gain `least`.
    pub(super) fn new(len: usize, least: f64) -> Self {
        Self {
            cells: (0..len).map(|_| AtomicU64::new(0)).collect(),
            unit: least * 1e-6,
        }
    }

    pub(super) fn add(&self, cell: usize, gain: f64) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "gains are positive, and what is too large is made the largest"
        )]
        let whole = (gain / self.unit).round().min(1e18) as u64;
        self.cells[cell].fetch_add(whole, Ordering::Relaxed);
    }

    pub(super) fn gain(&self, cell: usize) -> f64 {
        #[expect(
            clippy::cast_precision_loss,
            reason = "sixteen digits are more than they are worth"
        )]
        let whole = self.cells[cell].load(Ordering::Relaxed) as f64;
        whole * self.unit
    }
}

/// The region as tubes see it.
#[derive(Debug)]
pub(super) struct Grid<'a> {
    region: &'a Region,
    ground: &'a [f64],
    /// What holds all middles.
    bounds: [DVec3; 2],
}

impl<'a> Grid<'a> {
    pub(super) fn new(region: &'a Region, ground: &'a [f64]) -> Self {
        let heights = region.levels.heights();
        let (low, high) = range(heights.iter().copied());
        let (ground_low, ground_high) = match region.levels {
            Levels::AboveSea(_) => (0.0, 0.0),
            Levels::AboveGround(_) => range(ground.iter().copied().filter(|g| g.is_finite())),
        };
        let [nx, ny] = region.num_columns;
        let bounds = [
            region.column(0, 0).extend(low + ground_low),
            region.column(nx - 1, ny - 1).extend(high + ground_high),
        ];
        Self {
            region,
            ground,
            bounds,
        }
    }

    /// The smallest and the largest of all middles.
    pub(super) fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// Calls `visit` with the number and the middle of every cell whose middle may lie between `ends`: four corner rays, each from its
    /// start to its end.
    pub(super) fn near(&self, ends: [[DVec3; 2]; 4], mut visit: impl FnMut(usize, DVec3)) {
        let (low, high) = ends
            .iter()
            .flatten()
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &p| {
                (low.min(p), high.max(p))
            });
        let [i, j] = [0, 1].map(|axis| self.columns(axis, low[axis], high[axis]));
        if i.is_empty() || j.is_empty() {
            return;
        }
        // Column by column along the axis in which the tube runs, where its cut is narrow.
        let along = usize::from((high.y - low.y).abs() > (high.x - low.x).abs());
        let (layers, across) = if along == 0 { (i, j) } else { (j, i) };
        for layer in layers {
            let at = self.region.column(layer, layer)[along];
            let Some([from, to]) = cut(ends, along, at, self.region.resolution[along]) else {
                continue;
            };
            let own = self.columns(1 - along, from[1 - along], to[1 - along]);
            for other in own.start.max(across.start)..own.end.min(across.end) {
                let [i, j] = if along == 0 {
                    [layer, other]
                } else {
                    [other, layer]
                };
                self.column([i, j], from.z, to.z, &mut visit);
            }
        }
    }

    fn column(
        &self,
        [i, j]: [usize; 2],
        low: f64,
        high: f64,
        visit: &mut impl FnMut(usize, DVec3),
    ) {
        let [nx, ny] = self.region.num_columns;
        let ground = match self.region.levels {
            Levels::AboveSea(_) => 0.0,
            Levels::AboveGround(_) => self.ground[j * nx + i],
        };
        let at: DVec2 = self.region.column(i, j);
        for (k, height) in self.region.levels.heights().iter().enumerate() {
            let z = ground + height;
            if z >= low && z <= high {
                visit((k * ny + j) * nx + i, at.extend(z));
            }
        }
    }

    /// The columns whose middles may lie between two coordinates, one to spare on each side for rounding.
    fn columns(&self, axis: usize, low: f64, high: f64) -> std::ops::Range<usize> {
        let first = self.region.min[axis] + 0.5 * self.region.resolution[axis];
        let place = |at: f64| (at - first) / self.region.resolution[axis];
        let count = self.region.num_columns[axis];
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the number of columns"
        )]
        let index = |at: f64| at.clamp(0.0, count as f64) as usize;
        index((place(low) - 1e-6).ceil())..index((place(high) + 1e-6).floor() + 1.0)
    }
}

/// The bounds of the piece of a tube within half a cell of `at` along an axis.
fn cut(ends: [[DVec3; 2]; 4], axis: usize, at: f64, size: f64) -> Option<[DVec3; 2]> {
    let (low, high) = (at - 1e-6 * size, at + 1e-6 * size);
    let mut bounds = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    let mut add = |p: DVec3| bounds = [bounds[0].min(p), bounds[1].max(p)];
    // The piece is convex, and its edges are the corner rays and the sides of both ends.
    let mut edge = |p: DVec3, q: DVec3| {
        let (from, to) = (p[axis], q[axis]);
        if from.max(to) < low || from.min(to) > high {
            return;
        }
        if from == to {
            add(p);
            add(q);
            return;
        }
        for limit in [low, high] {
            add(p.lerp(q, ((limit - from) / (to - from)).clamp(0.0, 1.0)));
        }
    };
    for k in 0..4 {
        edge(ends[k][0], ends[k][1]);
        let next = ends[(k + 1) % 4];
        edge(ends[k][0], next[0]);
        edge(ends[k][1], next[1]);
    }
    let margin = 1e-6 * size;
    (bounds[0].x <= bounds[1].x).then(|| [bounds[0] - margin, bounds[1] + margin])
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    })
}
