//! The points where a path meets two edges. If it is reflected between them, the image of the first edge stands for
//! that edge. Everything that depends only on the edges is computed once, so that paths between many pairs of ends cost
//! little.
//!
//! The method is Newton's in two unknowns, as in `edges` for any number. Bounds first reject pairs of ends whose path
//! misses an edge.

use super::convergence::{DECREASE, EQUAL_COSINES, LAST_STEP, MAX_STEPS, NEAR, SHORTEST_LEG};
use super::edge_line::{EdgeCoordinates, EdgeLine};

/// Two edges, or images of them with nothing in between, and the quantities on which their distance depends.
#[derive(Debug, Clone, Copy)]
pub(in crate::paths) struct Pair {
    /// Squared distance of the first ends; the components, along each edge, of the vector from the second's first end
    /// to the first's; and the cosine of the angle between the edges.
    square: f64,
    along: [f64; 2],
    cosine: f64,
    lengths: [f64; 2],
    /// The position on each edge's line that is nearest to the other line; NaN where the lines are parallel.
    nearest: [f64; 2],
}

/// Bounds reject a pair only if they lie farther than this outside the wanted interval, metres. It is far more than
/// rounding.
const INTERVAL_MARGIN: f64 = 1e-3;

impl Pair {
    /// The quantities of two edges that do not depend on a path's ends.
    pub(in crate::paths) fn new(first: &EdgeLine, second: &EdgeLine) -> Self {
        let way = first.start - second.start;
        let (u, v) = (first.along, second.along);
        let ([p, q], k) = ([way.dot(u), way.dot(v)], u.dot(v));
        let square_sine = 1.0 - k * k;
        Self {
            square: way.length_squared(),
            along: [p, q],
            cosine: k,
            nearest: [(k * q - p) / square_sine, (q - k * p) / square_sine],
            lengths: [first.length, second.length],
        }
    }

    /// The positions along both edges of a path between two images, `from` in coordinates of the first edge and `to` in
    /// those of the second; `None` if it does not meet the edges within the intervals.
    pub(in crate::paths) fn solve(
        &self,
        from: EdgeCoordinates,
        to: EdgeCoordinates,
        first: [f64; 2],
        second: [f64; 2],
    ) -> Option<[f64; 2]> {
        let [p, q] = self.along;
        let k = self.cosine;
        let distance = |s: f64, t: f64| {
            (self.square + s * s + t * t + 2.0 * (s * p - t * q - s * t * k)).max(0.0)
        };
        // Points of each edge in coordinates of the other edge, and the best position on each edge for a point of the
        // other.
        let at_first = |t: f64| {
            let along = t * k - p;
            let away = (distance(0.0, t) - along * along).max(0.0).sqrt();
            EdgeCoordinates { along, away }
        };
        let at_second = |s: f64| {
            let along = q + s * k;
            let away = (distance(s, 0.0) - along * along).max(0.0).sqrt();
            EdgeCoordinates { along, away }
        };
        let misses = |[low, high]: [f64; 2], [from, to]: [f64; 2]| {
            to < low - INTERVAL_MARGIN || from > high + INTERVAL_MARGIN
        };
        let [near_first, near_second] = self.nearest;
        if misses(first, met(from, second, near_second, at_first))
            || misses(second, met(to, first, near_first, at_second))
        {
            return None;
        }
        let best_first = |t: f64| from.meet(at_first(t));
        let best_second = |s: f64| at_second(s).meet(to);
        let mut s = best_first(0.5 * self.lengths[1]);
        let mut t = best_second(s);
        let length = |s: f64, t: f64| {
            let (ds, dt) = (s - from.along, t - to.along);
            (ds * ds + from.away * from.away).sqrt()
                + distance(s, t).sqrt()
                + (dt * dt + to.away * to.away).sqrt()
        };
        let mut is_solved = false;
        for _ in 0..MAX_STEPS {
            let (ds, dt) = (s - from.along, t - to.along);
            let r1 = (ds * ds + from.away * from.away).sqrt();
            let r2 = (dt * dt + to.away * to.away).sqrt();
            let d = distance(s, t).sqrt();
            if !(d > SHORTEST_LEG * (r1 + r2) && r1 > 0.0 && r2 > 0.0) {
                return None;
            }
            let (a, b) = ((s - t * k + p) / d, (t - s * k - q) / d);
            let (g1, g2) = (ds / r1 + a, dt / r2 + b);
            let worst = g1.abs().max(g2.abs());
            is_solved = worst <= LAST_STEP;
            if worst <= EQUAL_COSINES {
                break;
            }
            let h11 = from.away * from.away / (r1 * r1 * r1) + (1.0 - a * a) / d;
            let h22 = to.away * to.away / (r2 * r2 * r2) + (1.0 - b * b) / d;
            let h12 = -(k + a * b) / d;
            let determinant = h11 * h22 - h12 * h12;
            let (step_s, step_t) = (
                (h22 * g1 - h12 * g2) / determinant,
                (h11 * g2 - h12 * g1) / determinant,
            );
            let promise = DECREASE * (g1 * step_s + g2 * step_t);
            if worst < NEAR || length(s - step_s, t - step_t) <= r1 + d + r2 - promise {
                (s, t) = (s - step_s, t - step_t);
            } else {
                s = best_first(t);
                t = best_second(s);
            }
            if is_solved {
                break;
            }
        }
        let is_within = |t: f64, [low, high]: [f64; 2]| low <= t && t <= high;
        (is_solved && is_within(s, first) && is_within(t, second)).then_some([s, t])
    }
}

/// The interval of an edge in which it is met by paths from `from` to the part `[low, high]` of another line.
/// `coordinates` gives a point of the other line in coordinates of the edge. At `nearest` the other line is nearest to
/// the edge's own line.
///
/// The position on the edge rises with the other end's position along the edge, and is monotonic in that end's distance
/// from it.
fn met(
    from: EdgeCoordinates,
    [low, high]: [f64; 2],
    nearest: f64,
    coordinates: impl Fn(f64) -> EdgeCoordinates,
) -> [f64; 2] {
    let [a, b] = [low, high].map(&coordinates);
    let near = coordinates(nearest.max(low).min(high)).away;
    let aways = [near.min(a.away).min(b.away), a.away.max(b.away)];
    let at = |along: f64| aways.map(|away| from.meet(EdgeCoordinates { along, away }));
    let (first, last) = (at(a.along.min(b.along)), at(a.along.max(b.along)));
    [first[0].min(first[1]), last[0].max(last[1])]
}
