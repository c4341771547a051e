//! The edges of a scene seen from above, and those that a straight line passes over or under, in order.
//!
//! Between its edges a scene is plane, so the profile of the ground and the roofs along a line has its corners where the line crosses an
//! edge: no raster of heights is needed, and a corner is as exact as the edge is.
//!
//! A grid of squares lists the edges over each. Cost: the squares on the line and the edges that they list, about ten nanoseconds
//! each. What it loses: bends of less than [`FLAT_WEDGE_ANGLE`](crate::geometry::tolerance::FLAT_WEDGE_ANGLE), which are no edges.

use glam::{DVec2, DVec3, IVec2};

use crate::scene::{EdgeId, Scene};

/// A corner of the profile along a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Corner {
    /// Horizontal distance from the start of the line, metres.
    pub(super) distance: f64,
    /// Metres.
    pub(super) height: f64,
    /// The edge that it lies on.
    pub(super) edge: EdgeId,
}

/// All edges of a scene that are not upright, in a grid.
#[derive(Debug)]
pub(super) struct Plan {
    low: DVec2,
    /// Side of a square, metres.
    size: f64,
    shape: IVec2,
    /// Where the list of each square starts in `listed`, x running fastest, and the end of the last.
    starts: Vec<u32>,
    listed: Vec<u32>,
    edges: Vec<Line>,
}

#[derive(Debug, Clone, Copy)]
struct Line {
    ends: [DVec3; 2],
    id: EdgeId,
}

/// An edge that is shorter than this seen from above, metres, is upright: no line crosses it.
const SHORTEST: f64 = 1e-3;

/// Edges reach this far over their ends, metres, so that no line slips between two of them.
const GROWTH: f64 = 1e-6;

/// How many edges a square may list in the mean; fewer make more squares to walk through.
const EDGES_IN_SQUARE: f64 = 1.0;

/// Narrower squares than this save nothing, metres.
const NARROWEST: f64 = 4.0;

impl Plan {
    pub(super) fn new(scene: &Scene) -> Self {
        let edges: Vec<Line> = scene
            .edges()
            .iter()
            .enumerate()
            .map(|(i, edge)| Line {
                ends: edge.ends,
                id: EdgeId::from_index(i),
            })
            .filter(|line| {
                let [a, b] = line.ends.map(DVec3::truncate);
                a.distance(b) > SHORTEST
            })
            .collect();
        let ends = edges.iter().flat_map(|line| line.ends);
        let (low, high) = ends.fold((DVec2::INFINITY, DVec2::NEG_INFINITY), |(low, high), p| {
            (low.min(p.truncate()), high.max(p.truncate()))
        });
        let (low, high) = if edges.is_empty() {
            (DVec2::ZERO, DVec2::ZERO)
        } else {
            (low - NARROWEST, high + NARROWEST)
        };
        let extent = (high - low).max(DVec2::splat(NARROWEST));
        let size = (extent.element_product() * EDGES_IN_SQUARE / edges.len().max(1) as f64)
            .sqrt()
            .max(NARROWEST);
        let shape = (extent / size).ceil().as_ivec2();
        let mut plan = Self {
            low,
            size,
            shape,
            starts: Vec::new(),
            listed: Vec::new(),
            edges,
        };
        plan.list();
        plan
    }

    /// Fills the lists of the squares: counts, then puts in.
    fn list(&mut self) {
        let squares = usize::try_from(self.shape.element_product()).expect("squares are few");
        let mut starts = vec![0_u32; squares + 1];
        for line in &self.edges {
            self.visit_squares(line, |square| starts[square + 1] += 1);
        }
        for square in 0..squares {
            starts[square + 1] += starts[square];
        }
        let mut next = starts.clone();
        let mut listed = vec![0; starts[squares] as usize];
        for (i, line) in self.edges.iter().enumerate() {
            self.visit_squares(line, |square| {
                listed[next[square] as usize] = u32::try_from(i).expect("edges fit in 32 bits");
                next[square] += 1;
            });
        }
        self.starts = starts;
        self.listed = listed;
    }

    /// The squares that a line touches, row by row.
    fn visit_squares(&self, line: &Line, mut visit: impl FnMut(usize)) {
        let [a, b] = line.ends.map(|end| (end.truncate() - self.low) / self.size);
        let [a, b] = if a.y <= b.y { [a, b] } else { [b, a] };
        let grown = GROWTH / self.size;
        let first = self.square_of(a - grown);
        let last = self.square_of(b + grown);
        for row in first.y..=last.y {
            // What of the line lies in this row.
            let at = |y: f64| {
                if b.y - a.y > grown {
                    a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y)).clamp(0.0, 1.0)
                } else if y <= a.y {
                    a.x
                } else {
                    b.x
                }
            };
            let xs = [at(f64::from(row) - grown), at(f64::from(row) + 1.0 + grown)];
            let from = self.square_of(DVec2::new(xs[0].min(xs[1]) - grown, a.y)).x;
            let to = self.square_of(DVec2::new(xs[0].max(xs[1]) + grown, a.y)).x;
            for column in from..=to {
                visit(self.number(IVec2::new(column, row)));
            }
        }
    }

    /// The square of a point in units of squares; the nearest where there is none.
    fn square_of(&self, at: DVec2) -> IVec2 {
        at.floor()
            .as_ivec2()
            .clamp(IVec2::ZERO, self.shape - IVec2::ONE)
    }

    fn number(&self, square: IVec2) -> usize {
        usize::try_from(square.y * self.shape.x + square.x).expect("squares count from zero")
    }

    /// The corners of the profile strictly between `from` and `to`, by their distance from `from`.
    pub(super) fn profile(&self, from: DVec2, to: DVec2, corners: &mut Vec<Corner>) {
        corners.clear();
        let length = from.distance(to);
        let [a, b] = [from, to].map(|p| (p - self.low) / self.size);
        let step = b - a;
        let Some([enter, leave]) = self.within(a, step) else {
            return;
        };
        let mut square = self.square_of(a + enter * step);
        let last = self.square_of(a + leave * step);
        let mut t = enter;
        loop {
            // Where the line leaves the square along either axis.
            let ahead = |k: usize| {
                let border = square[k] + i32::from(step[k] > 0.0);
                if step[k] == 0.0 || square[k] == last[k] {
                    f64::INFINITY
                } else {
                    (f64::from(border) - a[k]) / step[k]
                }
            };
            let (x, y) = (ahead(0), ahead(1));
            let next = x.min(y).max(t);
            let is_last = square == last;
            let first = corners.len();
            self.cross(
                square,
                from,
                to,
                [t, if is_last { leave } else { next }],
                |t, line, height| {
                    corners.push(Corner {
                        distance: t * length,
                        height,
                        edge: line.id,
                    });
                },
            );
            corners[first..].sort_unstable_by(|p, q| {
                p.distance.total_cmp(&q.distance).then(p.edge.cmp(&q.edge))
            });
            if is_last {
                break;
            }
            let k = usize::from(y < x);
            square[k] += if step[k] > 0.0 { 1 } else { -1 };
            t = next;
        }
    }

    /// The crossings of the line from `from` to `to` with what `square` lists, in a half-open part of the line.
    fn cross(
        &self,
        square: IVec2,
        from: DVec2,
        to: DVec2,
        [low, high]: [f64; 2],
        mut visit: impl FnMut(f64, &Line, f64),
    ) {
        let step = to - from;
        let number = self.number(square);
        let listed = self.starts[number] as usize..self.starts[number + 1] as usize;
        for &i in &self.listed[listed] {
            let line = &self.edges[i as usize];
            let [a, b] = line.ends;
            let (along, away) = ((b - a).truncate(), a.truncate() - from);
            let slant = step.perp_dot(along);
            let t = away.perp_dot(along) / slant;
            let u = away.perp_dot(step) / slant;
            // False for the NaN of parallel lines too.
            if (0.0..1.0).contains(&t)
                && t >= low
                && t < high
                && (u - 0.5).abs() <= 0.5 + GROWTH
                && t > 0.0
            {
                visit(t, line, a.z + u.clamp(0.0, 1.0) * (b.z - a.z));
            }
        }
    }

    /// The part of a line, 0 to 1, that lies over the grid; `None` if it misses it.
    fn within(&self, a: DVec2, step: DVec2) -> Option<[f64; 2]> {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for k in 0..2 {
            let most = f64::from(self.shape[k]);
            if step[k] == 0.0 {
                if a[k] < 0.0 || a[k] > most {
                    return None;
                }
                continue;
            }
            let (p, q) = (-a[k] / step[k], (most - a[k]) / step[k]);
            enter = enter.max(p.min(q));
            leave = leave.min(p.max(q));
        }
        (enter < leave).then_some([enter, leave])
    }
}
