//! Points, and which of them lie around a ray: receivers, and the middles of parts of edges.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "numbers of squares"
)]

use std::ops::Range;

use glam::{DVec3, Vec3};

use super::shape::Axis;

/// A box along the axes of the scene, metres from the scene's origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) low: Vec3,
    pub(super) high: Vec3,
}

impl Bounds {
    /// The part of a ray within `margin` of the box, metres.
    pub(super) fn crossing(
        &self,
        axis: &Axis,
        [from, to]: [f32; 2],
        margin: f32,
    ) -> Option<[f32; 2]> {
        let inverse = axis.direction.recip();
        let a = (self.low - margin - axis.origin) * inverse;
        let b = (self.high + margin - axis.origin) * inverse;
        // A ray along a side of the box makes a NaN, which minimum and maximum pass over.
        let enter = a.min(b).max_element().max(from);
        let leave = a.max(b).min_element().min(to);
        (enter <= leave).then_some([enter, leave])
    }

    /// The distance of its farthest corner from a point, metres.
    pub(super) fn farthest(&self, from: Vec3) -> f32 {
        (self.low - from)
            .abs()
            .max((self.high - from).abs())
            .length()
    }
}

/// Points in the squares of a grid seen from above.
#[derive(Debug)]
pub(super) struct Points {
    /// Positions, metres from the scene's origin, square by square.
    at: Vec<Vec3>,
    /// Their numbers in the caller's list.
    numbers: Vec<u32>,
    /// The index in `at` at which the points of each square begin, and the end of the last.
    starts: Vec<u32>,
    pub(super) bounds: Bounds,
    /// The largest radius of a point, metres.
    pub(super) radius: f32,
    /// The side of a square, metres.
    side: f32,
    num_squares: [usize; 2],
}

/// The number of squares is about this many times that of the points.
const SQUARES: f32 = 2.0;

/// The largest number of squares along each side.
const MAX_SQUARES: f32 = 4096.0;

impl Points {
    /// Points with radii of at most `radius` metres.
    pub(super) fn new(points: &[DVec3], radius: f32, origin: DVec3) -> Self {
        let local = |at: &DVec3| (*at - origin).as_vec3();
        let bounds = Bounds {
            low: points.iter().map(local).fold(Vec3::INFINITY, Vec3::min),
            high: points.iter().map(local).fold(Vec3::NEG_INFINITY, Vec3::max),
        };
        let extent = (bounds.high - bounds.low).max(Vec3::ONE);
        let even = (extent.x * extent.y / (SQUARES * points.len().max(1) as f32)).sqrt();
        let side = even.max(1.0).max(extent.x.max(extent.y) / MAX_SQUARES);
        let num_squares = [extent.x, extent.y].map(|length| (length / side) as usize + 1);
        let square = |at: &DVec3| {
            let away = (local(at) - bounds.low) / side;
            let [i, j] = [away.x, away.y].map(|c| c as usize);
            j.min(num_squares[1] - 1) * num_squares[0] + i.min(num_squares[0] - 1)
        };
        let mut order: Vec<(usize, u32)> = points.iter().map(square).zip(0..).collect();
        order.sort_unstable();
        let start = |square| order.partition_point(|(of, _)| *of < square) as u32;
        Self {
            at: order
                .iter()
                .map(|(_, k)| local(&points[*k as usize]))
                .collect(),
            numbers: order.iter().map(|(_, k)| *k).collect(),
            starts: (0..=num_squares[0] * num_squares[1]).map(start).collect(),
            bounds,
            radius,
            side,
            num_squares,
        }
    }

    /// Calls `visit` with the number and the position of each point within `margin` of a part of a ray, and of some more.
    pub(super) fn near(
        &self,
        axis: &Axis,
        part: [f32; 2],
        margin: f32,
        mut visit: impl FnMut(u32, Vec3),
    ) {
        let Some(part) = self.bounds.crossing(axis, part, margin) else {
            return;
        };
        let [a, b] = part.map(|t| ((axis.at(t) - self.bounds.low) / self.side).truncate());
        let margin = margin / self.side;
        let squares = |low: f32, high: f32, count: usize| -> Range<usize> {
            let first = (low - margin).max(0.0) as usize;
            let end = (high + margin + 1.0).clamp(0.0, count as f32) as usize;
            first..end
        };
        // Row by row across the axis along which the ray runs most.
        let way = (b - a).abs();
        let [along, across] = if way.x >= way.y { [0, 1] } else { [1, 0] };
        let [from, to] = [a[along].min(b[along]), a[along].max(b[along])];
        let slope = if to > from {
            (b[across] - a[across]) / (b[along] - a[along])
        } else {
            0.0
        };
        for i in squares(from, to, self.num_squares[along]) {
            let ends = [i as f32 - margin, i as f32 + 1.0 + margin];
            let [p, q] = ends.map(|end| a[across] + slope * (end.clamp(from, to) - a[along]));
            for j in squares(p.min(q), p.max(q), self.num_squares[across]) {
                let [x, y] = if along == 0 { [i, j] } else { [j, i] };
                let square = y * self.num_squares[0] + x;
                let of_square = self.starts[square] as usize..self.starts[square + 1] as usize;
                for k in of_square {
                    visit(self.numbers[k], self.at[k]);
                }
            }
        }
    }
}
