//! The points where a path meets its edges.
//!
//! Reflecting planes between two edges are unfolded: a leg then comes from the image of a point or of an edge's line.
//! The length of the path is a sum of distances, each convex in the positions along the edges. Fermat's principle asks
//! for its minimum: at every edge the angles on both sides are equal. For one edge the path is a straight line on the
//! unrolled cone, in closed form. For several edges Newton's method uses the tridiagonal Hessian and usually takes four
//! steps (theory page: `edges`).

use glam::DVec3;

use super::convergence::{DECREASE, EQUAL_COSINES, LAST_STEP, MAX_STEPS, NEAR, SHORTEST_LEG};
use super::edge_line::{EdgeCoordinates, EdgeLine};
use crate::geometry::Plane;
use crate::scene::Edge;

/// A part of a path between its ends and edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Leg {
    /// The start of the leg, as its image in all of the leg's reflecting planes.
    pub(super) from: EdgeLine,
    pub(super) to: EdgeLine,
}

impl Leg {
    pub(super) fn from_point(point: DVec3) -> Self {
        let line = EdgeLine {
            start: point,
            along: DVec3::ZERO,
            length: 0.0,
        };
        Self {
            from: line,
            to: line,
        }
    }

    pub(super) fn from_edge(edge: &Edge) -> Self {
        let line = EdgeLine::of(edge);
        Self {
            from: line,
            to: line,
        }
    }

    pub(super) fn mirror(&mut self, plane: &Plane) {
        self.from.start = plane.mirror(self.from.start);
        self.from.along -= 2.0 * plane.normal.dot(self.from.along) * plane.normal;
    }

    pub(super) fn reach_point(&mut self, point: DVec3) {
        self.to = Self::from_point(point).to;
    }
}

/// Writes the positions along each edge, metres from its first end, into `t`; false if there is no path, or only one
/// through a point that two edges share.
///
/// A Newton step that does not shorten the path enough is replaced by a sweep, which always shortens it. Such steps
/// occur near a corner that two edges share, where the length has a kink.
pub(super) fn diffraction_points(legs: &[Leg], t: &mut Vec<f64>, system: &mut System) -> bool {
    let n = legs.len() - 1;
    t.clear();
    t.extend(legs[..n].iter().map(|leg| 0.5 * leg.to.length));
    sweep(legs, t);
    if n <= 1 {
        return t.iter().all(|t| t.is_finite());
    }
    let mut length = total(legs, t);
    for _ in 0..MAX_STEPS {
        if !length.is_finite() || !system.fill(legs, t, length) {
            return false;
        }
        let worst = system.gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        if worst <= EQUAL_COSINES {
            return true;
        }
        system.solve();
        let go = |t: &mut [f64], sign: f64| {
            for (t, s) in t.iter_mut().zip(&system.step) {
                *t += sign * s;
            }
        };
        go(t, -1.0);
        if worst < LAST_STEP {
            return t.iter().all(|t| t.is_finite());
        }
        let slopes = system.gradient.iter().zip(&system.step);
        let slope: f64 = slopes.map(|(g, s)| g * s).sum();
        let next = total(legs, t);
        if worst < NEAR || next <= length - DECREASE * slope {
            length = next;
        } else {
            go(t, 1.0);
            sweep(legs, t);
            length = total(legs, t);
        }
    }
    false
}

/// Moves the point of each edge in turn to its best position between its neighbours.
fn sweep(legs: &[Leg], t: &mut [f64]) {
    for k in 0..t.len() {
        let from = legs[k].from.at(if k == 0 { 0.0 } else { t[k - 1] });
        let edge = legs[k].to;
        // The next point is given in coordinates of the image of the edge.
        let next = &legs[k + 1];
        let to = next.to.at(t.get(k + 1).copied().unwrap_or(0.0));
        let there = EdgeCoordinates::new(to, next.from.start, next.from.along);
        t[k] = EdgeCoordinates::new(from, edge.start, edge.along).meet(there);
    }
}

fn total(legs: &[Leg], t: &[f64]) -> f64 {
    legs.iter()
        .enumerate()
        .map(|(k, leg)| span(leg, k, t).length())
        .sum()
}

/// The vector from the end of leg `k` to its start.
fn span(leg: &Leg, k: usize, t: &[f64]) -> DVec3 {
    let from = if k == 0 { 0.0 } else { t[k - 1] };
    let to = t.get(k).copied().unwrap_or(0.0);
    leg.from.at(from) - leg.to.at(to)
}

/// Newton's equations: a symmetric tridiagonal system.
#[derive(Debug, Default)]
pub(super) struct System {
    gradient: Vec<f64>,
    diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
    step: Vec<f64>,
}

impl System {
    /// Computes the gradient and Hessian of the length at `t`; false if a leg vanishes.
    fn fill(&mut self, legs: &[Leg], t: &[f64], length: f64) -> bool {
        let n = t.len();
        for v in [
            &mut self.gradient,
            &mut self.diagonal,
            &mut self.off_diagonal,
        ] {
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
                self.off_diagonal[k - 1] = (a * b - leg.from.along.dot(leg.to.along)) / r;
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
            let factor = self.off_diagonal[i - 1] / self.diagonal[i - 1];
            self.diagonal[i] -= factor * self.off_diagonal[i - 1];
            self.step[i] -= factor * self.step[i - 1];
        }
        for i in (0..n).rev() {
            let above = if i + 1 < n {
                self.off_diagonal[i] * self.step[i + 1]
            } else {
                0.0
            };
            self.step[i] = (self.step[i] - above) / self.diagonal[i];
        }
    }
}

#[cfg(test)]
mod tests;
