//! The crossings of a line with closed surfaces, without a gap at sides and corners.
//!
//! Seen along the line, every triangle is one in the plane, and the line is the origin. A triangle's winding number
//! around the origin is the sum of its sides' crossings of the positive x axis: upwards if a corner is below the axis
//! and the next is not, with the origin to the left; downwards the other way round. Which side of the axis a corner is
//! on, and on which side of the origin a side passes, is decided once for all triangles that share them, and two
//! triangles go along a common side in opposite directions. So the winding numbers of a closed surface add up to
//! nothing whatever the rounding, and a line that touches a side, a corner or a face counts as passing a hair next to
//! it, always on the same side: of two volumes with a common face, a line in that face is in one.
//!
//! # Source
//! The shear that turns the line into an axis: Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", Journal of Computer
//! Graphics Techniques 2(1), 2013. The count: K. Weiler, "An Incremental Angle Point in Polygon Test", and E. Haines, "Point in Polygon
//! Strategies", Graphics Gems IV, 1994.

use glam::{DVec2, DVec3};

use super::Volume;

/// The line through the two ends of a segment, with its parameter 0 at one of them and 1 at the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct StraightLine {
    start: DVec3,
    along: DVec3,
    /// The axis along which it goes furthest, and the other two.
    axes: [usize; 3],
    /// The displacement along the other two axes per metre of the first.
    shear: DVec2,
}

impl StraightLine {
    /// The line from the lower to the upper of two ends, so that it is the same there and back; `None` if they are one.
    pub(super) fn through(a: DVec3, b: DVec3) -> Option<Self> {
        let is_up = a.to_array() <= b.to_array();
        let (start, end) = if is_up { (a, b) } else { (b, a) };
        let along = end - start;
        let first = along.abs().max_position();
        let axes = [first, (first + 1) % 3, (first + 2) % 3];
        let shear = DVec2::new(along[axes[1]], along[axes[2]]) / along[first];
        (along != DVec3::ZERO && along.is_finite()).then_some(Self {
            start,
            along,
            axes,
            shear,
        })
    }

    pub(super) fn start(&self) -> DVec3 {
        self.start
    }

    /// The vector from the end at 0 to the end at 1.
    pub(super) fn along(&self) -> DVec3 {
        self.along
    }

    /// The distance between the ends, metres.
    pub(super) fn length(&self) -> f64 {
        self.along.length()
    }

    /// Calls `visit` with the parameter of every crossing before the end at 1, and with the winding number that it adds.
    pub(super) fn cross(&self, volume: &Volume, visit: &mut impl FnMut(f64, i32)) {
        volume.index.meet_line_before_end(self, &mut |triangle| {
            let corners =
                volume.triangles[triangle].map(|v| self.seen(volume.vertices[v as usize]));
            let winding = winding(corners.map(|(at, _)| at));
            if winding != 0 {
                let depth = depth(corners);
                visit(depth / self.along[self.axes[0]], winding);
            }
        });
    }

    /// A point as seen along the line, and how far it is along the first axis.
    fn seen(&self, point: DVec3) -> (DVec2, f64) {
        let offset = point - self.start;
        let [first, second, third] = self.axes.map(|axis| offset[axis]);
        (DVec2::new(second, third) - self.shear * first, first)
    }
}

/// The number of times that a triangle goes round the origin, counter-clockwise.
fn winding([a, b, c]: [DVec2; 3]) -> i32 {
    crossing(a, b) + crossing(b, c) + crossing(c, a)
}

/// 1 if the side goes up through the positive x axis, -1 if down. Exactly the negative of that of the side the other way round.
fn crossing(p: DVec2, q: DVec2) -> i32 {
    match (p.y >= 0.0, q.y >= 0.0) {
        (false, true) if p.perp_dot(q) > 0.0 => 1,
        (true, false) if p.perp_dot(q) < 0.0 => -1,
        _ => 0,
    }
}

/// The coordinate along the first axis at which the origin lies in a triangle; within the triangle, whatever the
/// rounding.
fn depth([(a, za), (b, zb), (c, zc)]: [(DVec2, f64); 3]) -> f64 {
    let weights = [b.perp_dot(c), c.perp_dot(a), a.perp_dot(b)];
    let [wa, wb, wc] = weights;
    let depth = (wa * za + wb * zb + wc * zc) / (wa + wb + wc);
    let (low, high) = (za.min(zb).min(zc), za.max(zb).max(zc));
    if depth.is_finite() {
        depth.clamp(low, high)
    } else {
        0.5 * (low + high)
    }
}
