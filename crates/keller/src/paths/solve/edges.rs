//! Where a path meets its edges.
//!
//! Mirrors between two edges are unfolded: a leg comes from the image of a point or of an edge's line. The length of the path is
//! then a sum of distances, each convex in the positions along the edges, and Fermat's principle asks for its minimum: at every edge
//! the angles to it on both sides are equal. One edge: the path is a straight line on the cone unrolled, closed form. Several:
//! Newton's method with the tridiagonal Hessian and halved steps, four steps as a rule (theory page: `edges`).

use glam::DVec3;

use crate::geometry::Plane;
use crate::scene::Edge;

/// A straight line with a unit direction, or a point, whose direction and length are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::paths) struct Line {
    start: DVec3,
    along: DVec3,
    pub(super) length: f64,
}

impl Line {
    pub(in crate::paths) fn of(edge: &Edge) -> Self {
        Self {
            start: edge.ends[0],
            along: edge.along(),
            length: edge.length(),
        }
    }

    /// The point so far along it, metres.
    pub(in crate::paths) fn at(&self, t: f64) -> DVec3 {
        self.start + t * self.along
    }
}

/// A part of a path between its ends and edges.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Leg {
    /// Where it comes from, as its image behind all of the leg's mirrors.
    pub(super) from: Line,
    pub(super) to: Line,
}

impl Leg {
    pub(super) fn from_point(point: DVec3) -> Self {
        let line = Line {
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
        let line = Line::of(edge);
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

/// More steps than a solution ever took; where the shortest way is through a point that two edges share, there is none.
const MAX_STEPS: usize = 200;

/// The sum of cosines at an edge, below which they are equal: some units of rounding.
const EQUAL_COSINES: f64 = 1e-14;

/// So near to equal, a full step is right, though the length is too flat to show it.
const NEAR: f64 = 1e-5;

/// Newton doubles the digits: the step from here reaches the last.
const LAST_STEP: f64 = 1e-7;

/// A step must shorten the path by this part of what its slope promises.
const DECREASE: f64 = 0.1;

/// A leg shorter than this share of the path makes its direction rounding: edges that touch.
const SHORTEST_LEG: f64 = 1e-12;

/// The positions along each edge, metres from its first end, into `t`; false where there is no path, or only one through a point
/// that two edges share.
///
/// A Newton step that does not shorten the path as it should is replaced by a sweep, which always shortens it: near a corner that
/// two edges share, the length has a kink.
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

/// Moves the point of each edge in turn to where it is best between its neighbours.
fn sweep(legs: &[Leg], t: &mut [f64]) {
    for k in 0..t.len() {
        let from = legs[k].from.at(if k == 0 { 0.0 } else { t[k - 1] });
        let edge = legs[k].to;
        // What comes after the edge is seen beside the image of the edge.
        let next = &legs[k + 1];
        let to = next.to.at(t.get(k + 1).copied().unwrap_or(0.0));
        let there = Beside::new(to, next.from.start, next.from.along);
        t[k] = Beside::new(from, edge.start, edge.along).meet(there);
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
pub(super) struct System {
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

/// Two edges with nothing between them: what their distance depends on.
#[derive(Debug, Clone, Copy)]
pub(in crate::paths) struct Pair {
    /// Squared distance of the first ends; components of the way from the second's first end to the first's along each edge; and
    /// the cosine between the edges.
    square: f64,
    along: [f64; 2],
    cosine: f64,
    lengths: [f64; 2],
    /// Where on each edge's line that of the other is nearest; not a number where they are parallel.
    nearest: [f64; 2],
}

/// So far beside an interval the bounds of a place are not trusted, metres: far more than rounding.
const BESIDE_INTERVAL: f64 = 1e-3;

impl Pair {
    pub(in crate::paths) fn new(first: &Line, second: &Line) -> Self {
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

    /// The positions along both edges of the path from one image, given beside the first edge, to another, given beside the second;
    /// none if it does not meet them within the intervals.
    pub(in crate::paths) fn solve(
        &self,
        from: Beside,
        to: Beside,
        first: [f64; 2],
        second: [f64; 2],
    ) -> Option<[f64; 2]> {
        let [p, q] = self.along;
        let k = self.cosine;
        let distance = |s: f64, t: f64| {
            (self.square + s * s + t * t + 2.0 * (s * p - t * q - s * t * k)).max(0.0)
        };
        // Places of each edge beside the other, and the best one there for them.
        let beside_first = |t: f64| {
            let along = t * k - p;
            let away = (distance(0.0, t) - along * along).max(0.0).sqrt();
            Beside { along, away }
        };
        let beside_second = |s: f64| {
            let along = q + s * k;
            let away = (distance(s, 0.0) - along * along).max(0.0).sqrt();
            Beside { along, away }
        };
        let misses = |[low, high]: [f64; 2], [from, to]: [f64; 2]| {
            to < low - BESIDE_INTERVAL || from > high + BESIDE_INTERVAL
        };
        let [near_first, near_second] = self.nearest;
        if misses(first, met(from, second, near_second, beside_first))
            || misses(second, met(to, first, near_first, beside_second))
        {
            return None;
        }
        let best_first = |t: f64| from.meet(beside_first(t));
        let best_second = |s: f64| beside_second(s).meet(to);
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

/// Between which places of an edge the paths meet it that come from `from` and go on to a line there is `beside` it, within an interval of
/// that line, on which `nearest` is nearest to the edge's own line.
///
/// The place rises with how far along the other end is, and falls or rises with how far away it is.
fn met(
    from: Beside,
    [low, high]: [f64; 2],
    nearest: f64,
    beside: impl Fn(f64) -> Beside,
) -> [f64; 2] {
    let [a, b] = [low, high].map(&beside);
    let near = beside(nearest.max(low).min(high)).away;
    let aways = [near.min(a.away).min(b.away), a.away.max(b.away)];
    let at = |along: f64| aways.map(|away| from.meet(Beside { along, away }));
    let (first, last) = (at(a.along.min(b.along)), at(a.along.max(b.along)));
    [first[0].min(first[1]), last[0].max(last[1])]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in [-1, 1), the same on every run.
    fn random(state: &mut u64) -> f64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn random_point(state: &mut u64, reach: f64) -> DVec3 {
        reach * DVec3::new(random(state), random(state), random(state))
    }

    fn edge(ends: [DVec3; 2]) -> Edge {
        Edge {
            ends,
            faces: [None, None],
            exterior_angle: 6.0,
            inward: DVec3::X,
            outward: DVec3::Y,
            second_outward: DVec3::Z,
        }
    }

    /// The largest difference of the cosines on both sides of an edge.
    fn worst_cosine(points: &[DVec3], edges: &[Edge]) -> f64 {
        let cosines = points.windows(3).zip(edges).map(|(p, edge)| {
            let (before, after) = ((p[1] - p[0]).normalize(), (p[2] - p[1]).normalize());
            (before - after).dot(edge.along()).abs()
        });
        cosines.fold(0.0, f64::max)
    }

    #[test]
    fn both_solvers_meet_two_edges_at_equal_angles() {
        let mut state = 1;
        let mut within = 0;
        for case in 0..20_000 {
            let (tx, rx) = (
                random_point(&mut state, 30.0),
                random_point(&mut state, 30.0),
            );
            let mut starts = [
                random_point(&mut state, 10.0),
                random_point(&mut state, 10.0),
            ];
            // Every fourth shares a corner: the shortest way may be by that.
            let is_corner = case % 4 == 0;
            if is_corner {
                starts[1] = starts[0];
            }
            let ways = [random_point(&mut state, 8.0), random_point(&mut state, 8.0)];
            // Every third pair is parallel, as roofs are.
            let second = if case % 3 == 0 { ways[0] } else { ways[1] };
            let edges = [
                edge([starts[0], starts[0] + ways[0]]),
                edge([starts[1], starts[1] + second]),
            ];
            let mut legs = vec![
                Leg::from_point(tx),
                Leg::from_edge(&edges[0]),
                Leg::from_edge(&edges[1]),
            ];
            legs[0].to = legs[1].from;
            legs[1].to = legs[2].from;
            legs[2].reach_point(rx);
            let mut t = Vec::new();
            let is_solved = diffraction_points(&legs, &mut t, &mut System::default());
            let is_on = |k: usize| (0.0..=edges[k].length()).contains(&t[k]);
            if is_corner && !(is_solved && is_on(0) && is_on(1)) {
                // The way around the corner, or by the edges' continuations beyond it.
                continue;
            }
            assert!(is_solved, "case {case} is not solved");
            let path = |t: [f64; 2]| {
                let at = |k: usize| edges[k].ends[0] + t[k] * edges[k].along();
                [tx, at(0), at(1), rx]
            };
            let worst = worst_cosine(&path([t[0], t[1]]), &edges);
            assert!(worst < 1e-9, "case {case}: {worst}");

            let beside = |point, k: usize| Beside::new(point, edges[k].ends[0], edges[k].along());
            let everywhere = [f64::NEG_INFINITY, f64::INFINITY];
            let found = Pair::new(&Line::of(&edges[0]), &Line::of(&edges[1])).solve(
                beside(tx, 0),
                beside(rx, 1),
                everywhere,
                everywhere,
            );
            let [_, first, second, _] = path([t[0], t[1]]);
            if first.distance(second) < 1e-3 {
                // Edges that all but touch: the pair's distance is rounding.
                continue;
            }
            let found = found.unwrap_or_else(|| {
                panic!(
                    "case {case} is not solved for a pair {t:?} {}",
                    first.distance(second)
                )
            });
            let difference = (found[0] - t[0]).abs().max((found[1] - t[1]).abs());
            assert!(difference < 1e-6, "case {case}: {found:?} and {t:?}");
            within += usize::from((0.0..edges[0].length()).contains(&t[0]));
        }
        assert!(within > 1000, "{within} cases are of use");
    }

    #[test]
    fn a_pair_is_given_up_only_where_its_path_misses_an_edge() {
        let mut state = 11;
        let everywhere = [f64::NEG_INFINITY, f64::INFINITY];
        let (mut within, mut beside) = (0, 0);
        for case in 0..20_000 {
            let starts = [30.0; 2].map(|reach| random_point(&mut state, reach));
            let way = random_point(&mut state, 12.0);
            // Some are parallel.
            let other = if case % 4 == 0 {
                -0.7 * way
            } else {
                random_point(&mut state, 20.0)
            };
            let edges = [
                edge([starts[0], starts[0] + way]),
                edge([starts[1], starts[1] + other]),
            ];
            let [tx, rx] = [(); 2].map(|()| random_point(&mut state, 60.0));
            let beside_edge =
                |point, k: usize| Beside::new(point, edges[k].ends[0], edges[k].along());
            let pair = Pair::new(&Line::of(&edges[0]), &Line::of(&edges[1]));
            let ends = [beside_edge(tx, 0), beside_edge(rx, 1)];
            let Some(t) = pair.solve(ends[0], ends[1], everywhere, everywhere) else {
                continue;
            };
            for _ in 0..4 {
                let intervals = t.map(|t| {
                    let low = t + 6.0 * random(&mut state) - 3.0;
                    [low, low + 6.0 * random(&mut state).abs()]
                });
                let is_within = (0..2).all(|k| intervals[k][0] <= t[k] && t[k] <= intervals[k][1]);
                let found = pair.solve(ends[0], ends[1], intervals[0], intervals[1]);
                assert_eq!(
                    found,
                    is_within.then_some(t),
                    "case {case}: {t:?}, {intervals:?}"
                );
                if is_within {
                    within += 1;
                } else {
                    beside += 1;
                }
            }
        }
        assert!(within > 4_000 && beside > 40_000, "{within}, {beside}");
    }

    /// `cargo test --release -p keller --lib -- --ignored --nocapture rates` prints them.
    #[test]
    #[ignore = "a measurement, for release builds"]
    #[expect(clippy::print_stdout, reason = "a report is what it is for")]
    fn rates_of_the_solvers() {
        const COUNT: usize = 1000;
        let mut state = 5;
        let mut ends = |reach: f64| -> Vec<Beside> {
            (0..COUNT)
                .map(|_| Beside::new(random_point(&mut state, reach), DVec3::ZERO, DVec3::Z))
                .collect()
        };
        let (tx, rx) = (ends(50.0), ends(30.0));
        let start = std::time::Instant::now();
        let mut on_edge = 0_usize;
        for a in &rx {
            for b in &tx {
                let t = a.meet(*b);
                on_edge += usize::from((-3.0..=3.0).contains(&t));
            }
        }
        let rate = (COUNT * COUNT) as f64 / start.elapsed().as_secs_f64();
        println!(
            "one edge: {:.0} million a second ({on_edge} on it)",
            rate * 1e-6
        );

        let edges = [
            edge([DVec3::new(4.0, -5.0, 8.0), DVec3::new(6.0, 9.0, 8.0)]),
            edge([DVec3::new(15.0, -5.0, 9.0), DVec3::new(13.0, 9.0, 9.5)]),
        ];
        let pair = Pair::new(&Line::of(&edges[0]), &Line::of(&edges[1]));
        let start = std::time::Instant::now();
        let mut solved = 0_usize;
        let everywhere = [f64::NEG_INFINITY, f64::INFINITY];
        for a in &rx {
            for b in &tx {
                solved += usize::from(pair.solve(*a, *b, everywhere, everywhere).is_some());
            }
        }
        let rate = (COUNT * COUNT) as f64 / start.elapsed().as_secs_f64();
        println!(
            "two edges: {:.1} million a second ({solved} solved)",
            rate * 1e-6
        );
    }
}
