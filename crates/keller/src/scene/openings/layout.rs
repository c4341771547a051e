//! Rows of rectangles on a wall.

use glam::DVec2;

use super::against::Against;
use super::walls::Wall;
use super::{LeftOut, Openings};
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

/// The openings that a wall gets: those that fit. Those that do not are counted.
pub(super) fn layout(
    wall: &Wall,
    against: &Against,
    openings: &Openings,
    left_out: &mut LeftOut,
) -> Vec<Rectangle> {
    let Openings {
        width,
        height,
        sill,
        margin,
        ..
    } = *openings;
    let [low, high] = wall.extent();
    let mut laid = Vec::new();
    for row in 0_u32.. {
        let floor = low.y + f64::from(row) * openings.storey.unwrap_or(0.0);
        let (foot, top) = (floor + sill, floor + sill + height);
        if top + margin > high.y + WELD_DISTANCE || (row > 0 && openings.storey.is_none()) {
            break;
        }
        let mut posts = against.posts([foot, top]);
        posts.retain(|at| *at > low.x && *at < high.x);
        posts.insert(0, low.x);
        posts.push(high.x);
        for bay in posts.windows(2) {
            for at in centres([bay[0], bay[1]], openings) {
                let opening = Rectangle {
                    low: DVec2::new(at - 0.5 * width, foot),
                    high: DVec2::new(at + 0.5 * width, top),
                };
                let clear = Rectangle {
                    low: opening.low - DVec2::new(margin, 0.0),
                    high: opening.high + margin,
                };
                let is_inside = wall.contains(opening.centre())
                    && !wall
                        .border
                        .iter()
                        .any(|ends| clear.meets(ends.map(|v| wall.flat[v as usize])));
                if !is_inside {
                    left_out.outside += 1;
                } else if against.joins(&clear) {
                    left_out.joined += 1;
                } else if against.covers(&opening) {
                    left_out.covered += 1;
                } else {
                    laid.push(opening);
                }
            }
        }
    }
    laid
}

/// The centres of a row between two ends.
fn centres([from, to]: [f64; 2], openings: &Openings) -> impl Iterator<Item = f64> {
    let room = to - from - openings.width - 2.0 * openings.margin + WELD_DISTANCE;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and no wall is that long"
    )]
    let number = if room < 0.0 {
        0
    } else {
        1 + (room / openings.every) as u32
    };
    let first = 0.5 * (from + to) - 0.5 * openings.every * (f64::from(number) - 1.0);
    let every = openings.every;
    (0..number).map(move |k| first + every * f64::from(k))
}
