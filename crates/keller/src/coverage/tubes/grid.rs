//! The cells of a region whose middles lie in a piece of a tube.

use glam::DVec3;

use super::super::{Levels, Region};

/// The region as tubes see it.
#[derive(Debug)]
pub(super) struct Grid<'a> {
    region: &'a Region,
    ground: &'a [f64],
    /// Heights in their order, each with its level.
    heights: Vec<(f64, usize)>,
    /// What holds all middles.
    bounds: [DVec3; 2],
}

/// A pyramid of directions from a point, cut off at both ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pyramid {
    /// Its tip, metres.
    pub(super) tip: DVec3,
    /// Its edges, any lengths.
    pub(super) edges: [DVec3; 4],
    /// Where the edges start and end, in units of each.
    pub(super) ends: [[f64; 2]; 4],
}

impl<'a> Grid<'a> {
    pub(super) fn new(region: &'a Region, ground: &'a [f64]) -> Self {
        let heights = region.levels.heights().iter().copied();
        let mut heights: Vec<(f64, usize)> = heights.zip(0..).collect();
        heights.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (ground_low, ground_high) = match region.levels {
            Levels::AboveSea(_) => (0.0, 0.0),
            Levels::AboveGround(_) => range(ground.iter().copied().filter(|g| g.is_finite())),
        };
        let (low, high) = range(heights.iter().map(|(height, _)| *height));
        let [nx, ny] = region.num_columns;
        let bounds = [
            region.column(0, 0).extend(low + ground_low),
            region.column(nx - 1, ny - 1).extend(high + ground_high),
        ];
        Self {
            region,
            ground,
            heights,
            bounds,
        }
    }

    /// The smallest and the largest of all middles.
    pub(super) fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// Calls `visit` with the number and the middle of every cell whose middle lies in a pyramid, and of some beside it.
    pub(super) fn near(&self, pyramid: &Pyramid, mut visit: impl FnMut(usize, DVec3)) {
        let corners = (0..4).flat_map(|k| {
            let edge = pyramid.edges[k];
            pyramid.ends[k].map(|t| pyramid.tip + t * edge)
        });
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for corner in corners {
            (low, high) = (low.min(corner), high.max(corner));
        }
        if low.cmpgt(self.bounds[1]).any() || high.cmplt(self.bounds[0]).any() {
            return;
        }
        let columns = [0, 1].map(|axis| self.columns(axis, low[axis], high[axis]));
        // Layer by layer across the horizontal axis in which it runs, if it runs in one.
        let axis = usize::from(pyramid.edges[0].y.abs() > pyramid.edges[0].x.abs());
        let Some(slopes) = Slopes::new(pyramid, axis) else {
            for j in columns[1].clone() {
                for i in columns[0].clone() {
                    self.column([i, j], low.z, high.z, &mut visit);
                }
            }
            return;
        };
        let (layers, across) = (columns[axis].clone(), &columns[1 - axis]);
        for layer in layers {
            let at = self.region.min[axis] + (layer as f64 + 0.5) * self.region.resolution[axis];
            let [side, height] = slopes.at(at);
            let own = self.columns(1 - axis, side[0], side[1]);
            for other in own.start.max(across.start)..own.end.min(across.end) {
                let place = if axis == 0 {
                    [layer, other]
                } else {
                    [other, layer]
                };
                let (from, to) = (height[0].max(low.z), height[1].min(high.z));
                self.column(place, from, to, &mut visit);
            }
        }
    }

    /// The cells of a column between two heights.
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
        let first = self.heights.partition_point(|(h, _)| ground + h < low);
        for &(height, k) in &self.heights[first..] {
            let z = ground + height;
            // Nothing is known of NaN.
            let is_within = z <= high;
            if !is_within {
                break;
            }
            visit((k * ny + j) * nx + i, self.region.column(i, j).extend(z));
        }
    }

    /// The columns whose middles may lie between two coordinates, but for rounding.
    fn columns(&self, axis: usize, low: f64, high: f64) -> std::ops::Range<usize> {
        let size = self.region.resolution[axis];
        let first = self.region.min[axis] + 0.5 * size;
        let count = self.region.num_columns[axis];
        let place = |at: f64| ((at - first) / size).clamp(-1.0, count as f64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the number of columns and one"
        )]
        let index = |at: f64| (at + 1.0) as usize;
        index(place(low) - 1e-6)..index(place(high) + 1e-6).min(count)
    }
}

/// How a pyramid lies across an axis: the least and the largest slope of its edges to the side and upwards.
struct Slopes {
    tip: f64,
    from: [f64; 2],
    side: [f64; 2],
    up: [f64; 2],
}

impl Slopes {
    /// Nothing if the edges do not all run along the axis.
    fn new(pyramid: &Pyramid, axis: usize) -> Option<Self> {
        /// Steeper than this is no slope.
        const STEEPEST: f64 = 4.0;
        let sign = pyramid.edges[0][axis].signum();
        let mut found = Self {
            tip: pyramid.tip[axis],
            from: [pyramid.tip[1 - axis], pyramid.tip.z],
            side: [f64::INFINITY, f64::NEG_INFINITY],
            up: [f64::INFINITY, f64::NEG_INFINITY],
        };
        for edge in pyramid.edges {
            let along = edge[axis];
            if along * sign <= 0.0 {
                return None;
            }
            let (side, up) = (edge[1 - axis] / along, edge.z / along);
            found.side = [found.side[0].min(side), found.side[1].max(side)];
            found.up = [found.up[0].min(up), found.up[1].max(up)];
        }
        let steepest = found.up[0].abs().max(found.up[1].abs());
        (steepest <= STEEPEST).then_some(found)
    }

    /// Between which coordinates to the side and upwards it lies at a coordinate along the axis.
    fn at(&self, at: f64) -> [[f64; 2]; 2] {
        let run = at - self.tip;
        let bounds = |from: f64, [low, high]: [f64; 2]| {
            let (a, b) = (from + run * low, from + run * high);
            // Rounding of the slopes.
            let margin = 1e-9 * run.abs();
            [a.min(b) - margin, a.max(b) + margin]
        };
        [
            bounds(self.from[0], self.side),
            bounds(self.from[1], self.up),
        ]
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    })
}
