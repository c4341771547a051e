//! Where a path meets its edges.
//!
//! Mirrors between two edges are unfolded: a leg comes from the image of a point or of an edge's line. The length of the path is
//! then a sum of distances, each convex in the positions along the edges, and Fermat's principle asks for its minimum: at every edge
//! the angles to it on both sides are equal. One edge: the path is a straight line on the cone unrolled, closed form. Several:
//! Newton's method with the tridiagonal Hessian and halved steps, four steps as a rule (theory page: `edges`).

use glam::DVec3;

use crate::geometry::Plane;
use crate::scene::Edge;

/// A straight line with a unit direction, or a point, whose direction is zero.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Line {
    start: DVec3,
    along: DVec3,
}

impl Line {
    fn at(&self, t: f64) -> DVec3 {
        self.start + t * self.along
    }
}

/// A part of a path between its ends and edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Leg {
    /// Where it comes from, as its image behind all of the leg's mirrors.
    from: Line,
    to: Line,
}

impl Leg {
    pub(super) fn from_point(point: DVec3) -> Self {
        let line = Line {
            start: point,
            along: DVec3::ZERO,
        };
        Self {
            from: line,
            to: line,
        }
    }

    pub(super) fn from_edge(edge: &Edge) -> Self {
        let line = Line {
            start: edge.ends[0],
            along: edge.along(),
        };
        Self {
            from: line,
            to: line,
        }
    }

    pub(super) fn mirror(&mut self, plane: &Plane) {
        self.from.start = plane.mirror(self.from.start);
        self.from.along -= 2.0 * plane.normal.dot(self.from.along) * plane.normal;
    }

    pub(super) fn reach_edge(&mut self, edge: &Edge) {
        self.to = Self::from_edge(edge).to;
    }

    pub(super) fn reach_point(&mut self, point: DVec3) {
        self.to = Self::from_point(point).to;
    }
}

/// A point in the coordinates of an edge: how far along it from its first end, and how far away from its line, metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::paths) struct Beside {
    pub(in crate::paths) along: f64,
    pub(in crate::paths) away: f64,
}

impl Beside {
    /// `point` beside the line from `start` along the unit vector `along`.
    pub(in crate::paths) fn new(point: DVec3, start: DVec3, along: DVec3) -> Self {
        let offset = point - start;
        let z = offset.dot(along);
        Self {
            along: z,
            away: (offset - z * along).length(),
        }
    }

    /// Where the path from here by the edge to `other` meets the edge.
    pub(in crate::paths) fn meet(self, other: Self) -> f64 {
        (self.along * other.away + other.along * self.away) / (self.away + other.away)
    }
}

/// More Newton steps than a solution ever took.
const MAX_STEPS: usize = 40;

/// The sum of cosines at an edge, below which they are equal: some units of rounding.
const EQUAL_COSINES: f64 = 1e-14;

/// A leg shorter than this share of the path makes its direction rounding: edges that touch.
const SHORTEST_LEG: f64 = 1e-12;

/// The positions along each edge, metres from its first end, into `t`; false where there is no path, or only one through a point
/// that two edges share.
pub(super) fn diffraction_points(legs: &[Leg], t: &mut Vec<f64>) -> bool {
    let n = legs.len() - 1;
    t.clear();
    guess(legs, t);
    if n <= 1 {
        return t.iter().all(|t| t.is_finite());
    }
    let mut length = total(legs, t);
    if !length.is_finite() {
        return false;
    }
    let mut system = System::default();
    for _ in 0..MAX_STEPS {
        if !system.fill(legs, t, length) {
            return false;
        }
        let worst = system.gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        if worst <= EQUAL_COSINES {
            return true;
        }
        system.solve();
        let mut share = 1.0;
        loop {
            let next: f64 = {
                for (t, s) in t.iter_mut().zip(&system.step) {
                    *t -= share * s;
                }
                total(legs, t)
            };
            // Near the minimum the length is flat to rounding, and any full step is right.
            if next <= length * (1.0 + f64::EPSILON * 4.0) {
                length = next;
                break;
            }
            for (t, s) in t.iter_mut().zip(&system.step) {
                *t += share * s;
            }
            share *= 0.5;
            if share < 1e-6 {
                return worst <= 1e-9;
            }
        }
        if share == 1.0 && worst < 1e-8 {
            // Newton doubles the digits: the step just taken reached the last.
            return t.iter().all(|t| t.is_finite());
        }
    }
    false
}

/// A first guess: each edge in turn as if it were the only one before the middle of what the next leg reaches.
fn guess(legs: &[Leg], t: &mut Vec<f64>) {
    for k in 0..legs.len() - 1 {
        let from = if k == 0 {
            legs[0].from.at(0.0)
        } else {
            legs[k].from.at(t[k - 1])
        };
        // What comes after the edge, folded back to before the mirrors of the next leg: measured against the image of the edge.
        let next = &legs[k + 1];
        let edge = legs[k].to;
        let there = Beside::new(next.to.start, next.from.start, next.from.along);
        t.push(Beside::new(from, edge.start, edge.along).meet(there));
    }
}

fn total(legs: &[Leg], t: &[f64]) -> f64 {
    legs.iter()
        .enumerate()
        .map(|(k, leg)| span(leg, k, t).length())
        .sum()
}

/// From the end of leg `k` to its start.
fn span(leg: &Leg, k: usize, t: &[f64]) -> DVec3 {
    let from = if k == 0 { 0.0 } else { t[k - 1] };
    let to = t.get(k).copied().unwrap_or(0.0);
    leg.from.at(from) - leg.to.at(to)
}

/// Newton's equations: a symmetric tridiagonal system.
#[derive(Debug, Default)]
struct System {
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    step: Vec<f64>,
}

impl System {
    /// Gradient and Hessian of the length at `t`; false when a leg vanishes.
    fn fill(&mut self, legs: &[Leg], t: &[f64], length: f64) -> bool {
        let n = t.len();
        for v in [&mut self.gradient, &mut self.diagonal, &mut self.beside] {
            v.clear();
            v.resize(n, 0.0);
        }
        for (k, leg) in legs.iter().enumerate() {
            let way = span(leg, k, t);
            let r = way.length();
            if r <= SHORTEST_LEG * length {
                return false;
            }
            let w = way / r;
            let (a, b) = (w.dot(leg.from.along), w.dot(leg.to.along));
            if k > 0 {
                self.gradient[k - 1] += a;
                self.diagonal[k - 1] += (1.0 - a * a) / r;
            }
            if k < n {
                self.gradient[k] -= b;
                self.diagonal[k] += (1.0 - b * b) / r;
            }
            if k > 0 && k < n {
                self.beside[k - 1] = (a * b - leg.from.along.dot(leg.to.along)) / r;
            }
        }
        true
    }

    /// Solves for the step, by elimination.
    fn solve(&mut self) {
        let n = self.gradient.len();
        self.step.clear();
        self.step.extend_from_slice(&self.gradient);
        for i in 1..n {
            let factor = self.beside[i - 1] / self.diagonal[i - 1];
            self.diagonal[i] -= factor * self.beside[i - 1];
            self.step[i] -= factor * self.step[i - 1];
        }
        for i in (0..n).rev() {
            let above = if i + 1 < n {
                self.beside[i] * self.step[i + 1]
            } else {
                0.0
            };
            self.step[i] = (self.step[i] - above) / self.diagonal[i];
        }
    }
}
