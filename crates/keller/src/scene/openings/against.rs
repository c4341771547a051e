//! The surfaces that stand against a wall: the lines at which they join it, and those that lie in its plane.

use glam::{DVec2, DVec3};

use super::corners;
use super::rectangle::Rectangle;
use super::walls::Wall;
use crate::scene::Mesh;
use crate::scene::near::{Nearby, outwards};

/// Surfaces nearer to the plane of a wall than this join it, metres: models leave gaps of rounding.
const TOUCHES: f64 = 0.01;

/// Lines within this of each other are one, metres.
const SAME_LINE: f64 = 0.001;

/// The surfaces that stand against a wall, in the wall's axes.
#[derive(Debug, Default)]
pub(super) struct Against {
    /// The lines along which other surfaces meet its plane. A point is a line between equal ends.
    pub(super) lines: Vec<[DVec2; 2]>,
    /// Triangles of other surfaces in its plane.
    covers: Vec<[DVec2; 3]>,
}

impl Against {
    pub(super) fn of(wall: &Wall, mesh: &Mesh, near: &Nearby) -> Self {
        let mut against = Self::default();
        let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let fold = |[low, high]: [DVec3; 2], p: &DVec3| [low.min(*p), high.max(*p)];
        let around = wall.vertices.iter().fold(start, fold);
        let mut found = Vec::new();
        near.each_meeting(outwards(around, TOUCHES), &mut |t| found.push(t));
        found.sort_unstable();
        for t in found {
            if wall.triangles.binary_search(&t).is_ok() {
                continue;
            }
            let at = corners(mesh, t);
            let heights = at.map(|p| wall.height(p));
            let flat = at.map(|p| wall.flat(p));
            let touching: Vec<usize> = (0..3).filter(|&k| heights[k].abs() <= TOUCHES).collect();
            match touching.len() {
                3 => against.covers.push(flat),
                2 => against.lines.push([flat[touching[0]], flat[touching[1]]]),
                _ => against
                    .lines
                    .extend(crossing(&flat, &heights, touching.first())),
            }
        }
        against
    }

    /// Whether a line at which another surface joins passes through a rectangle.
    pub(super) fn joins(&self, rectangle: &Rectangle) -> bool {
        self.lines.iter().any(|line| rectangle.meets(*line))
    }

    /// Whether another surface in the plane overlaps a rectangle.
    pub(super) fn covers(&self, rectangle: &Rectangle) -> bool {
        self.covers.iter().any(|cover| rectangle.overlaps(cover))
    }

    /// The places along the wall at which other surfaces join it all the way between two heights, ascending.
    pub(super) fn posts(&self, [low, high]: [f64; 2]) -> Vec<f64> {
        let mut upright: Vec<(f64, f64, f64)> = Vec::new();
        for [a, b] in &self.lines {
            if (a.x - b.x).abs() <= SAME_LINE && (a.y - b.y).abs() > SAME_LINE {
                upright.push((0.5 * (a.x + b.x), a.y.min(b.y), a.y.max(b.y)));
            }
        }
        upright.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut posts = Vec::new();
        for same in upright.chunk_by_mut(|a, b| b.0 - a.0 <= SAME_LINE) {
            same.sort_by(|a, b| a.1.total_cmp(&b.1));
            let mut reached = low;
            for &mut (_, from, to) in &mut *same {
                if from <= reached + SAME_LINE {
                    reached = reached.max(to);
                }
            }
            if reached >= high - SAME_LINE {
                posts.push(same[0].0);
            }
        }
        posts
    }
}

/// The segment in which a triangle crosses the plane. At most one corner, `on`, lies on it.
fn crossing(flat: &[DVec2; 3], heights: &[f64; 3], on: Option<&usize>) -> Option<[DVec2; 2]> {
    let mut ends: Vec<DVec2> = on.map(|&k| flat[k]).into_iter().collect();
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        let is_on = |k: usize| on == Some(&k);
        if !is_on(i) && !is_on(j) && (heights[i] > 0.0) != (heights[j] > 0.0) {
            ends.push(flat[i].lerp(flat[j], heights[i] / (heights[i] - heights[j])));
        }
    }
    Some([*ends.first()?, *ends.last()?])
}
