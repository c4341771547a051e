//! The cells of the region, and which of their centres lie in a part of space.
//!
//! The grid works on the lattice of the region: in steps of its resolution along its own axes, the centres of cells are
//! whole numbers along x and y, and also along z if the levels lie at even steps above sea level. Uneven levels, and those above
//! ground, are searched column by column.
//!
//! Cost: in proportion to the cells found, and to the layers of the lattice that a hull crosses.

use std::ops::Range;

use glam::{DVec2, DVec3};

use crate::coverage::tubes::tube::tube_ray::TubeRay;
use crate::coverage::{Levels, Region};

/// Rounding of lattice coordinates.
const ROUNDING: f64 = 1e-6;

/// The region as tubes see it.
#[derive(Debug)]
pub(in crate::coverage::tubes) struct RegionGrid<'a> {
    region: &'a Region,
    ground: &'a [f64],
    /// Heights in rising order, each with the number of its level.
    heights: Vec<(f64, usize)>,
    /// The smallest box along the scene's axes around all centres, metres.
    bounds: [DVec3; 2],
    /// The centre of the first cell in the region's own axes and the steps to the next, metres; without even levels,
    /// the lattice has steps of a metre along z.
    first: DVec3,
    step: DVec3,
    is_even: bool,
}

/// The part of space between four rays that are cut off at both ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hull {
    pub(in crate::coverage::tubes) edges: [TubeRay; 4],
    /// The start and the end of each ray, in units of its direction.
    pub(in crate::coverage::tubes) ends: [[f64; 2]; 4],
    /// The distance by which the part of space bulges beyond the rays, metres.
    pub(in crate::coverage::tubes) margin: f64,
}

impl<'a> RegionGrid<'a> {
    pub(in crate::coverage::tubes) fn new(region: &'a Region, ground: &'a [f64]) -> Self {
        let heights = region.levels.heights().iter().copied();
        let mut heights: Vec<(f64, usize)> = heights.zip(0..).collect();
        heights.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (ground_low, ground_high) = match region.levels {
            Levels::AboveSea(_) => (0.0, 0.0),
            Levels::AboveGround(_) => range(ground.iter().copied().filter(|g| g.is_finite())),
        };
        let (low, high) = range(heights.iter().map(|(height, _)| *height));
        let [nx, ny] = region.num_columns;
        let corners = [[0, 0], [nx - 1, 0], [0, ny - 1], [nx - 1, ny - 1]];
        let corners = corners.map(|[i, j]| region.column(i, j));
        let bounds = [
            corners.iter().fold(DVec2::INFINITY, |low, at| low.min(*at)),
            corners
                .iter()
                .fold(DVec2::NEG_INFINITY, |high, at| high.max(*at)),
        ];
        let bounds = [
            bounds[0].extend(low + ground_low),
            bounds[1].extend(high + ground_high),
        ];
        let even = match &region.levels {
            Levels::AboveSea(heights) => even_step(heights),
            Levels::AboveGround(_) => None,
        };
        Self {
            region,
            ground,
            heights,
            bounds,
            first: region.own_column(0, 0).extend(even.map_or(0.0, |_| low)),
            step: region.resolution.extend(even.unwrap_or(1.0)),
            is_even: even.is_some(),
        }
    }

    /// The number of columns of cells.
    pub(in crate::coverage::tubes) fn num_columns(&self) -> usize {
        self.region.num_columns.iter().product()
    }

    /// The lower and upper corner of the smallest box around all centres, metres.
    pub(in crate::coverage::tubes) fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// Calls `visit` with the number and the centre of every cell whose centre lies in a hull, and of some cells around
    /// it.
    pub(super) fn near(&self, hull: &Hull, mut visit: impl FnMut(usize, DVec3)) {
        let edges = hull.edges.map(|line| self.on_lattice(&line));
        let margin = hull.margin / self.step;
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for (edge, ends) in edges.iter().zip(hull.ends) {
            for corner in ends.map(|t| edge.at(t)) {
                (low, high) = (low.min(corner), high.max(corner));
            }
        }
        (low, high) = (low - margin, high + margin);
        let [lowest, highest] = self.bounds.map(|corner| corner.z);
        let heights = [low.z, high.z].map(|z| z * self.step.z + self.first.z);
        if heights[1] < lowest - ROUNDING || heights[0] > highest + ROUNDING {
            return;
        }
        let [nx, ny, nz] = self.region.shape();
        let whole = [
            within(low.x, high.x, nx),
            within(low.y, high.y, ny),
            // Uneven levels are searched column by column.
            if self.is_even {
                within(low.z, high.z, nz)
            } else {
                0..1
            },
        ];
        if whole.iter().any(Range::is_empty) {
            return;
        }
        let axes = if self.is_even { 3 } else { 2 };
        let Some(slopes) = Slopes::new(&edges, margin, axes) else {
            for j in whole[1].clone() {
                for i in whole[0].clone() {
                    self.column([i, j], whole[2].clone(), [low.z, high.z], &mut visit);
                }
            }
            return;
        };
        // Layer by layer across the axis in which it runs.
        for layer in whole[slopes.axis].clone() {
            let [[a_low, a_high], [b_low, b_high]] = slopes.at(layer as f64);
            let [a, b] = slopes.others;
            let of_a = clip(within(a_low, a_high, usize::MAX), &whole[a]);
            if of_a.is_empty() {
                continue;
            }
            if slopes.axis == 2 {
                let of_b = clip(within(b_low, b_high, usize::MAX), &whole[b]);
                for j in of_b {
                    for i in of_a.clone() {
                        self.call([i, j, layer], &mut visit);
                    }
                }
                continue;
            }
            let heights = [b_low.max(low.z), b_high.min(high.z)];
            let levels = if self.is_even {
                clip(within(b_low, b_high, usize::MAX), &whole[2])
            } else {
                0..1
            };
            if levels.is_empty() {
                continue;
            }
            for other in of_a {
                let place = if slopes.axis == 0 {
                    [layer, other]
                } else {
                    [other, layer]
                };
                self.column(place, levels.clone(), heights, &mut visit);
            }
        }
    }

    /// Calls `visit` with the number and the centre of every cell whose centre lies in a box, metres, and of some cells
    /// around it.
    pub(in crate::coverage::tubes) fn within(
        &self,
        [low, high]: [DVec3; 2],
        mut visit: impl FnMut(usize, DVec3),
    ) {
        let [nx, ny, nz] = self.region.shape();
        let corners = [
            low,
            high,
            DVec3::new(low.x, high.y, low.z),
            DVec3::new(high.x, low.y, high.z),
        ];
        let corners = corners.map(|corner| self.place(corner));
        let from = corners.into_iter().fold(DVec3::INFINITY, DVec3::min);
        let to = corners.into_iter().fold(DVec3::NEG_INFINITY, DVec3::max);
        let levels = if self.is_even {
            within(from.z, to.z, nz)
        } else {
            0..1
        };
        for j in within(from.y, to.y, ny) {
            for i in within(from.x, to.x, nx) {
                self.column([i, j], levels.clone(), [low.z, high.z], &mut visit);
            }
        }
    }

    /// Calls `visit` with the number and the centre of every cell that a line pierces between two of its points, where
    /// levels are even.
    pub(super) fn pierced(
        &self,
        line: &TubeRay,
        [start, end]: [f64; 2],
        mut visit: impl FnMut(usize, DVec3),
    ) {
        if !self.is_even {
            return;
        }
        // The unit is a step of the lattice, and cells lie between whole numbers.
        let TubeRay { origin, direction } = self.on_lattice(line);
        let origin = origin + 0.5;
        let size = DVec3::from(self.region.shape().map(|n| n as f64));
        let (a, b) = (-origin / direction, (size - origin) / direction);
        let mut t = a.min(b).max_element().max(start);
        let end = a.max(b).min_element().min(end);
        while t < end {
            // Rounded, a point on a border may lie on its wrong side.
            let at = (origin + (t + 1e-9 * (end - t)) * direction).floor();
            let at = at.clamp(DVec3::ZERO, size - 1.0);
            let next = at + DVec3::select(direction.cmpgt(DVec3::ZERO), DVec3::ONE, DVec3::ZERO);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a cell of the region"
            )]
            self.call(at.to_array().map(|c| c as usize), &mut visit);
            let never = direction.cmpeq(DVec3::ZERO);
            let borders = DVec3::select(never, DVec3::INFINITY, (next - origin) / direction);
            t = borders
                .min_element()
                .max(t + 1e-9 * (end - t))
                .max(t.next_up());
        }
    }

    /// A point of the scene in steps of the lattice.
    fn place(&self, at: DVec3) -> DVec3 {
        let own = self.region.to_own(at.truncate()).extend(at.z);
        (own - self.first) / self.step
    }

    /// A line in steps of the lattice.
    fn on_lattice(&self, line: &TubeRay) -> TubeRay {
        let axis = self.region.axis;
        let plan = line.direction.truncate();
        let direction = DVec3::new(axis.dot(plan), axis.perp_dot(plan), line.direction.z);
        TubeRay {
            origin: self.place(line.origin),
            direction: direction / self.step,
        }
    }

    /// Visits cells of a column: those of the given levels if levels are even, or else those between two heights,
    /// metres.
    fn column(
        &self,
        [i, j]: [usize; 2],
        levels: Range<usize>,
        [low, high]: [f64; 2],
        visit: &mut impl FnMut(usize, DVec3),
    ) {
        if self.is_even {
            for k in levels {
                self.call([i, j, k], visit);
            }
            return;
        }
        let [nx, ny] = self.region.num_columns;
        let ground = match self.region.levels {
            Levels::AboveSea(_) => 0.0,
            Levels::AboveGround(_) => self.ground[j * nx + i],
        };
        let first = self.heights.partition_point(|(h, _)| ground + h < low);
        for &(height, k) in &self.heights[first..] {
            let z = ground + height;
            // Comparisons with NaN are false.
            let is_within = z <= high;
            if !is_within {
                break;
            }
            visit((k * ny + j) * nx + i, self.region.column(i, j).extend(z));
        }
    }

    /// Visits a cell where levels are even: they then rise with their number.
    fn call(&self, [i, j, k]: [usize; 3], visit: &mut impl FnMut(usize, DVec3)) {
        let [nx, ny] = self.region.num_columns;
        let centre = self.region.column(i, j).extend(self.heights[k].0);
        visit((k * ny + j) * nx + i, centre);
    }
}

/// The step between heights that rise evenly.
fn even_step(heights: &[f64]) -> Option<f64> {
    let (&first, rest) = heights.split_first()?;
    let step = rest.first().map_or(1.0, |second| second - first);
    let mut expected = (1..).map(|k| first + f64::from(k) * step);
    let is_even = rest
        .iter()
        .all(|h| expected.next().is_some_and(|e| (h - e).abs() < 1e-9 * step));
    (step > 0.0 && is_even).then_some(step)
}

/// The numbers of `0..count` from `low` to `high`, apart from rounding.
fn within(low: f64, high: f64, count: usize) -> Range<usize> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive"
    )]
    let below = |at: f64| (at.max(-1.0) + 1.0) as u32 as usize;
    below(low - ROUNDING)..below(high + ROUNDING).min(count)
}

fn clip(range: Range<usize>, to: &Range<usize>) -> Range<usize> {
    range.start.max(to.start)..range.end.min(to.end)
}

/// The straight borders of a hull in layers across one axis.
struct Slopes {
    axis: usize,
    others: [usize; 2],
    /// The lower and the upper border along each of the other axes: its value where the axis is zero, and its slope.
    borders: [[[f64; 2]; 2]; 2],
}

impl Slopes {
    /// The slopes of a hull in layers across that one of the first `axes` along which it runs most; `None` if its edges
    /// do not all run along it.
    fn new(edges: &[TubeRay; 4], margin: DVec3, axes: usize) -> Option<Self> {
        let along = edges[0].direction.abs();
        let axis = (0..axes).fold(0, |a, b| if along[b] > along[a] { b } else { a });
        let others = [[1, 2], [0, 2], [0, 1]][axis];
        let sign = edges[0].direction[axis].signum();
        if edges.iter().any(|edge| edge.direction[axis] * sign <= 0.0) {
            return None;
        }
        // The axis starts at the smallest of the origins and runs in the direction in which the hull widens.
        let from = edges.map(|edge| edge.origin[axis] * sign);
        let from = sign * from.into_iter().fold(f64::INFINITY, f64::min);
        let borders = others.map(|other| {
            let mut at = [f64::INFINITY, f64::NEG_INFINITY];
            let mut slopes = at;
            for edge in edges {
                let slope = edge.direction[other] / edge.direction[axis] * sign;
                let start = edge.origin[other] + (from - edge.origin[axis]) * slope * sign;
                at = [at[0].min(start), at[1].max(start)];
                slopes = [slopes[0].min(slope), slopes[1].max(slope)];
            }
            let border = |k: usize, margin: f64| {
                let slope = slopes[k] * sign;
                [at[k] - from * slope + margin, slope]
            };
            [border(0, -margin[other]), border(1, margin[other])]
        });
        Some(Self {
            axis,
            others,
            borders,
        })
    }

    /// The ranges of the other coordinates in the layer at a coordinate of the axis.
    fn at(&self, at: f64) -> [[f64; 2]; 2] {
        self.borders
            .map(|borders| borders.map(|[start, slope]| start + at * slope))
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
        (low.min(v), high.max(v))
    })
}
