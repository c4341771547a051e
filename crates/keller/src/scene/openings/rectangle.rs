//! Rectangles along the axes of a wall.

use glam::DVec2;

use crate::geometry::tolerance::WELD_DISTANCE;

/// A part of a wall, in its axes, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rectangle {
    pub(super) low: DVec2,
    pub(super) high: DVec2,
}

impl Rectangle {
    /// Its corners, counter-clockwise.
    pub(super) fn corners(&self) -> [DVec2; 4] {
        let Self { low, high } = *self;
        [
            low,
            DVec2::new(high.x, low.y),
            high,
            DVec2::new(low.x, high.y),
        ]
    }

    pub(super) fn centre(&self) -> DVec2 {
        0.5 * (self.low + self.high)
    }

    pub(super) fn contains(&self, point: DVec2) -> bool {
        point.cmpge(self.low).all() && point.cmple(self.high).all()
    }

    /// Whether a line passes through its inside, farther from its border than vertices are welded.
    pub(super) fn meets(&self, [a, b]: [DVec2; 2]) -> bool {
        let (low, high) = (self.low + WELD_DISTANCE, self.high - WELD_DISTANCE);
        let (mut enters, mut leaves) = (0.0_f64, 1.0_f64);
        for (from, to, low, high) in [(a.x, b.x, low.x, high.x), (a.y, b.y, low.y, high.y)] {
            let step = to - from;
            if step == 0.0 {
                if from <= low || from >= high {
                    return false;
                }
                continue;
            }
            let at = [(low - from) / step, (high - from) / step];
            enters = enters.max(at[0].min(at[1]));
            leaves = leaves.min(at[0].max(at[1]));
        }
        enters < leaves || (a == b && enters <= leaves)
    }

    /// Whether a triangle overlaps its inside.
    pub(super) fn overlaps(&self, triangle: &[DVec2; 3]) -> bool {
        let [a, b, c] = *triangle;
        let holds = |p: DVec2| {
            let sides = [(a, b), (b, c), (c, a)].map(|(a, b)| (b - a).perp_dot(p - a));
            sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)
        };
        [[a, b], [b, c], [c, a]]
            .iter()
            .any(|side| self.meets(*side))
            || holds(self.centre())
    }
}
