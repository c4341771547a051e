//! The plan divided into triangles whose sides are the walls: beams walk through them.
//!
//! A constrained Delaunay triangulation (L. P. Chew, Algorithmica 4, 1989; the crate `spade`) of all walls and a frame
//! around them. Where walls cross, both are split; where they lie on each other, the higher one counts.

use glam::DVec2;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation as _};

use super::walls::{Walls, on_lattice};

/// The number that stands for no triangle: the outside of the frame.
pub(super) const NOTHING: u32 = u32::MAX;

/// The frame is so far from all walls and cells, metres.
const MARGIN: f64 = 3000.0;

/// A side lies on a wall if its middle is nearer than this, metres.
const ON_WALL: f64 = 1e-3;

/// A triangle, anticlockwise. Side `k` leads from corner `k` to corner `k + 1`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle {
    pub(super) corners: [u32; 3],
    /// The neighbour behind each side: a triangle times four, and its number of the same side; [`NOTHING`] outside the
    /// frame.
    pub(super) across: [u32; 3],
    /// The height of the wall on each side, metres; zero where there is none.
    pub(super) heights: [f64; 3],
}

#[derive(Debug, Clone, Default)]
pub(super) struct Triangulation {
    pub(super) points: Vec<DVec2>,
    pub(super) triangles: Vec<Triangle>,
    /// A triangle at each point.
    pub(super) triangle_at: Vec<u32>,
    /// The starts of walks: the corner of a grid, the size of its squares, their number, and a triangle for each.
    starts: Starts,
}

#[derive(Debug, Clone, Default)]
struct Starts {
    low: DVec2,
    size: f64,
    count: [usize; 2],
    triangles: Vec<u32>,
}

/// Twice the area of a triangle, positive if it is anticlockwise.
pub(super) fn side(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

impl Triangulation {
    /// The triangulation of all walls, in a frame that reaches beyond them and beyond a box.
    pub(super) fn new(walls: &Walls, bounds: [DVec2; 2]) -> Self {
        let [mut low, mut high] = bounds;
        for corner in &walls.corners {
            (low, high) = (low.min(*corner), high.max(*corner));
        }
        (low, high) = (on_lattice(low - MARGIN), on_lattice(high + MARGIN));
        let mut net = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
        let mut insert = |at: DVec2| {
            net.insert(spade::mitigate_underflow(Point2::new(at.x, at.y)))
                .expect("coordinates are finite and small")
        };
        let frame = [
            low,
            DVec2::new(high.x, low.y),
            high,
            DVec2::new(low.x, high.y),
        ];
        let frame = frame.map(&mut insert);
        let handles: Vec<_> = walls.corners.iter().map(|at| insert(*at)).collect();
        for k in 0..4 {
            net.add_constraint(frame[k], frame[(k + 1) % 4]);
        }
        for wall in &walls.walls {
            let [from, to] = wall.ends.map(|end| handles[end as usize]);
            if from != to {
                net.add_constraint_and_split(from, to, |point| point);
            }
        }
        let points: Vec<DVec2> = net
            .vertices()
            .map(|vertex| DVec2::new(vertex.position().x, vertex.position().y))
            .collect();
        let number = |index: usize| u32::try_from(index).expect("fewer than 2^32");
        let heights = Heights::new(walls, low, high);
        let mut number_of = vec![NOTHING; net.num_all_faces()];
        for (number_here, face) in net.inner_faces().enumerate() {
            number_of[face.fix().index()] = number(number_here);
        }
        let mut triangle_at = vec![NOTHING; points.len()];
        let triangles: Vec<Triangle> = net
            .inner_faces()
            .enumerate()
            .map(|(here, face)| {
                let sides = face.adjacent_edges();
                let corners = sides.map(|side| number(side.from().fix().index()));
                for corner in corners {
                    triangle_at[corner as usize] = number(here);
                }
                let across = sides.map(|side| {
                    let twin = side.rev();
                    let beyond = number_of[twin.face().fix().index()];
                    if beyond == NOTHING {
                        return NOTHING;
                    }
                    let others = twin.face().as_inner().map(|face| face.adjacent_edges());
                    let same = others.and_then(|all| all.iter().position(|other| *other == twin));
                    4 * beyond + number(same.expect("a triangle has its own side"))
                });
                let heights = sides.map(|side| {
                    let [a, b] = [side.from(), side.to()].map(|end| points[end.fix().index()]);
                    if side.is_constraint_edge() {
                        heights.on(walls, a, b)
                    } else {
                        0.0
                    }
                });
                Triangle {
                    corners,
                    across,
                    heights,
                }
            })
            .collect();
        let mut all = Self {
            points,
            triangles,
            triangle_at,
            starts: Starts::default(),
        };
        all.starts = Starts::new(&all, bounds);
        all
    }

    /// The corners of a triangle, metres.
    pub(super) fn corners(&self, triangle: u32) -> [DVec2; 3] {
        let corners = self.triangles[triangle as usize].corners;
        corners.map(|corner| self.points[corner as usize])
    }

    /// The triangles around a point, anticlockwise.
    pub(super) fn fan(&self, point: u32) -> Vec<u32> {
        let first = self.triangle_at[point as usize];
        let mut fan = vec![first];
        loop {
            let here = &self.triangles[fan[fan.len() - 1] as usize];
            let k = here.corners.iter().position(|corner| *corner == point);
            let across = here.across[(k.expect("the point is a corner") + 2) % 3];
            if across == NOTHING || across / 4 == first {
                return fan;
            }
            fan.push(across / 4);
        }
    }

    /// The triangle in which a place lies, or on whose border; `None` outside the frame.
    pub(super) fn triangle_around(&self, place: DVec2) -> Option<u32> {
        self.walk(self.starts.near(place), place)
    }

    /// The triangle around a place, from a triangle nearby.
    pub(super) fn triangle_near(&self, near: Option<u32>, place: DVec2) -> Option<u32> {
        match near {
            Some(near) => self.walk(near, place),
            None => self.triangle_around(place),
        }
    }

    fn walk(&self, start: u32, place: DVec2) -> Option<u32> {
        let mut here = start;
        // Walks end in a Delaunay triangulation; with constraints they might go round, so they have a limit.
        for step in 0..4 * self.triangles.len() {
            let corners = self.corners(here);
            // Sides take turns in being first, which breaks circles.
            let out = (0..3)
                .map(|k| (k + step) % 3)
                .find(|k| side(corners[*k], corners[(*k + 1) % 3], place) < 0.0);
            let Some(k) = out else {
                return Some(here);
            };
            let across = self.triangles[here as usize].across[k];
            if across == NOTHING {
                return None;
            }
            here = across / 4;
        }
        None
    }

    /// Calls `visit` with the height of every wall that the straight line crosses and with where on the line, 0 to 1,
    /// until it returns false. Returns whether it never did. Walls that only touch the line at a corner may be missed.
    pub(super) fn each_crossed(
        &self,
        from: DVec2,
        to: DVec2,
        mut visit: impl FnMut(f64, f64) -> bool,
    ) -> bool {
        let Some(mut here) = self.triangle_around(from) else {
            return true;
        };
        let mut entered = 3;
        for _ in 0..self.triangles.len() {
            let corners = self.corners(here);
            let triangle = &self.triangles[here as usize];
            // The walk leaves through the side on both sides of whose ends the line passes, if its end lies beyond.
            let out = (0..3).filter(|k| *k != entered).find(|&k| {
                let [a, b] = [corners[k], corners[(k + 1) % 3]];
                side(a, b, to) < 0.0 && side(from, to, a) <= 0.0 && side(from, to, b) >= 0.0
            });
            let Some(k) = out else {
                return true;
            };
            if triangle.heights[k] > 0.0 {
                let [a, b] = [corners[k], corners[(k + 1) % 3]];
                let (first, last) = (side(a, b, from), side(a, b, to));
                if !visit(triangle.heights[k], first / (first - last)) {
                    return false;
                }
            }
            let across = triangle.across[k];
            if across == NOTHING {
                return true;
            }
            (here, entered) = (across / 4, (across % 4) as usize);
        }
        true
    }
}

impl Starts {
    fn new(net: &Triangulation, [low, high]: [DVec2; 2]) -> Self {
        /// Squares along the longer side.
        const MAX_SQUARES: f64 = 64.0;
        let extent = high - low;
        let size = (extent.max_element() / MAX_SQUARES).max(1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at most 65"
        )]
        let count = [extent.x, extent.y].map(|length| (length / size).ceil().max(1.0) as usize);
        let mut triangles = Vec::with_capacity(count[0] * count[1]);
        let mut here = 0;
        for j in 0..count[1] {
            for i in 0..count[0] {
                let place = low + size * (DVec2::new(i as f64, j as f64) + 0.5);
                here = net.walk(here, place).unwrap_or(here);
                triangles.push(here);
            }
        }
        Self {
            low,
            size,
            count,
            triangles,
        }
    }

    fn near(&self, place: DVec2) -> u32 {
        let at = ((place - self.low) / self.size).floor();
        let top = DVec2::new((self.count[0] - 1) as f64, (self.count[1] - 1) as f64);
        let at = at.clamp(DVec2::ZERO, top);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to the grid"
        )]
        self.triangles[at.y as usize * self.count[0] + at.x as usize]
    }
}

/// Finds the wall on which a side lies.
struct Heights {
    low: DVec2,
    count: [usize; 2],
    buckets: Vec<Vec<u32>>,
}

/// The side of a bucket, metres.
const BUCKET: f64 = 25.0;

impl Heights {
    fn new(walls: &Walls, low: DVec2, high: DVec2) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number of buckets"
        )]
        let count = ((high - low) / BUCKET)
            .ceil()
            .to_array()
            .map(|n| n as usize + 1);
        let mut all = Self {
            low,
            count,
            buckets: vec![Vec::new(); count[0] * count[1]],
        };
        for (number, wall) in walls.walls.iter().enumerate() {
            let [a, b] = walls.ends(wall);
            let [from, to] = [a.min(b) - ON_WALL, a.max(b) + ON_WALL].map(|at| all.bucket(at));
            for j in from[1]..=to[1] {
                for i in from[0]..=to[0] {
                    all.buckets[j * count[0] + i].push(u32::try_from(number).expect("checked"));
                }
            }
        }
        all
    }

    fn bucket(&self, at: DVec2) -> [usize; 2] {
        let at = ((at - self.low) / BUCKET).floor().max(DVec2::ZERO);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "not negative"
        )]
        [0, 1].map(|k| (at[k] as usize).min(self.count[k] - 1))
    }

    /// The height of the highest wall between two points of one, metres; zero if there is none.
    fn on(&self, walls: &Walls, a: DVec2, b: DVec2) -> f64 {
        let middle = 0.5 * (a + b);
        let [i, j] = self.bucket(middle);
        let near = self.buckets[j * self.count[0] + i].iter();
        let walls_here = near.map(|number| &walls.walls[*number as usize]);
        let is_on = |p: DVec2, [from, to]: [DVec2; 2]| {
            let along = (to - from).normalize();
            let away = p - from;
            along.perp_dot(away).abs() < ON_WALL
                && along.dot(away) > -ON_WALL
                && along.dot(away) < from.distance(to) + ON_WALL
        };
        let here = walls_here.filter(|wall| {
            let ends = walls.ends(wall);
            is_on(a, ends) && is_on(b, ends)
        });
        here.map(|wall| wall.height).fold(0.0, f64::max)
    }
}
