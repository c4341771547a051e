//! The plan of a storey: lines of walls inside an outline, and the triangles between them.
//!
//! Lines run along the longest side of the outline and across it. The triangles are those of a constrained Delaunay
//! triangulation (the crate `spade`), which cuts the lines where they meet. **Cost:** the number of rooms times that of
//! the outline's corners.

use glam::DVec2;
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use crate::place::{Polygon, rings};

/// The core's share of the outline's area.
const CORE_SHARE: f64 = 0.1;

/// A core is no narrower, metres: a staircase.
const MIN_CORE: f64 = 2.0;

/// The width that is kept free between the core and the outer walls, metres.
const AROUND_CORE: f64 = 1.0;

/// Walls of rooms nearer than this to another wall along all their length are left out, metres.
const NEAR: f64 = 0.3;

/// A point nearer than this to a line is on it, metres.
const ON_LINE: f64 = 1e-6;

/// The number of places along each axis of an outline at which its middle is looked for.
const PLACES: u32 = 24;

/// The largest number of lines along an axis, so that no wrong unit fills the memory.
const MAX_LINES: f64 = 1000.0;

/// The kind of a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Facade,
    Core,
    Inner,
}

/// The plan of a storey, local metres.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) vertices: Vec<DVec2>,
    /// The floor, counter-clockwise.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Walls between vertices. The inside of the building is to the left of facades, the rooms to the right of the core.
    pub(super) walls: Vec<(Part, [u32; 2])>,
}

impl Plan {
    /// The plan inside an outline with rooms of about this size, metres; none if the outline crosses itself.
    pub(super) fn new(outline: &Polygon, rooms: Option<f64>) -> Option<Self> {
        let frame = Frame::along(outline);
        let local = |ring: &Vec<DVec2>| ring.iter().map(|p| frame.to_local(*p)).collect();
        let outline = Polygon {
            outer: local(&outline.outer),
            holes: outline.holes.iter().map(local).collect(),
        };
        let border: Vec<[DVec2; 2]> = outline
            .rings()
            .flat_map(|ring| rings::sides(ring))
            .map(|(a, b)| [a, b])
            .collect();
        let core = core(&outline, &border);
        let core_sides: Vec<[DVec2; 2]> = core
            .iter()
            .flat_map(|ring| rings::sides(ring))
            .map(|(a, b)| [a, b])
            .collect();
        let mut lines = [border.clone(), core_sides.clone()].concat();
        if let Some(rooms) = rooms {
            lines.extend(grid(rings::bounds(&outline.outer), rooms));
        }
        let net = net(&lines, border.len())?;

        let is_inside = |point: DVec2| rings::polygon_contains(&outline, point);
        let is_in_core = |point: DVec2| {
            core.as_ref()
                .is_some_and(|ring| rings::contains(ring, point))
        };
        let mut plan = Self {
            vertices: net.vertices().map(|v| point(v.position())).collect(),
            triangles: Vec::new(),
            walls: Vec::new(),
        };
        let index = |k: usize| u32::try_from(k).expect("a mesh has fewer than 2^32 vertices");
        for face in net.inner_faces() {
            let corners = face.vertices().map(|v| index(v.fix().index()));
            let [a, b, c] = corners.map(|v| plan.vertices[v as usize]);
            let height =
                (b - a).perp_dot(c - a) / a.distance(b).max(b.distance(c)).max(c.distance(a));
            if height > ON_LINE && is_inside((a + b + c) / 3.0) {
                plan.triangles.push(corners);
            }
        }
        for edge in net
            .undirected_edges()
            .filter(|edge| edge.is_constraint_edge())
        {
            let ends = edge.vertices().map(|v| index(v.fix().index()));
            let [a, b] = ends.map(|v| plan.vertices[v as usize]);
            let middle = 0.5 * (a + b);
            let left = middle + 1e-3 * (b - a).perp().normalize_or_zero();
            let turned = [ends[1], ends[0]];
            if is_on(middle, &border) {
                let ends = if is_inside(left) { ends } else { turned };
                plan.walls.push((Part::Facade, ends));
            } else if is_on(middle, &core_sides) {
                let ends = if is_in_core(left) { ends } else { turned };
                plan.walls.push((Part::Core, ends));
            } else if is_inside(middle) && !is_in_core(middle) {
                let others = border.iter().chain(&core_sides);
                let is_near =
                    |side: &[DVec2; 2]| [a, middle, b].iter().all(|p| distance(*p, *side) < NEAR);
                if !others.clone().any(is_near) {
                    plan.walls.push((Part::Inner, ends));
                }
            }
        }
        for vertex in &mut plan.vertices {
            *vertex = frame.to_place(*vertex);
        }
        Some(plan)
    }
}

/// Axes along the longest side of an outline.
#[derive(Debug, Clone, Copy)]
struct Frame {
    origin: DVec2,
    along: DVec2,
}

impl Frame {
    fn along(outline: &Polygon) -> Self {
        let mut longest = (DVec2::ZERO, DVec2::X);
        for (a, b) in rings::sides(&outline.outer) {
            // The first of several sides of one length counts, whatever the rounding.
            if a.distance(b) > longest.1.length() + ON_LINE || longest.1 == DVec2::X {
                longest = (a, b - a);
            }
        }
        Self {
            origin: longest.0,
            along: longest.1.try_normalize().unwrap_or(DVec2::X),
        }
    }

    fn to_local(self, point: DVec2) -> DVec2 {
        let r = point - self.origin;
        DVec2::new(self.along.dot(r), self.along.perp_dot(r))
    }

    fn to_place(self, point: DVec2) -> DVec2 {
        self.origin + point.x * self.along + point.y * self.along.perp()
    }
}

/// The core: a square in the middle of an outline, counter-clockwise. `None` if there is no room.
fn core(outline: &Polygon, border: &[[DVec2; 2]]) -> Option<Vec<DVec2>> {
    let [low, high] = rings::bounds(&outline.outer);
    let free = |p: DVec2| {
        let sides = border.iter().map(|side| distance(p, *side));
        sides.fold(f64::INFINITY, f64::min)
    };
    let wanted = (CORE_SHARE * outline.area()).sqrt();
    // Far enough from all walls; among such places that nearest to the middle.
    let enough = wanted / std::f64::consts::SQRT_2 + AROUND_CORE;
    let middle = 0.5 * (low + high);
    let mut best: Option<(f64, f64, DVec2)> = None;
    for i in 1..PLACES {
        for j in 1..PLACES {
            let share = DVec2::new(f64::from(i), f64::from(j)) / f64::from(PLACES);
            let at = low + share * (high - low);
            if !rings::polygon_contains(outline, at) {
                continue;
            }
            let (room, away) = (free(at).min(enough), at.distance(middle));
            let is_better = best.is_none_or(|(other, other_away, _)| {
                room > other + ON_LINE || (room > other - ON_LINE && away < other_away - ON_LINE)
            });
            if is_better {
                best = Some((room, away, at));
            }
        }
    }
    let (room, _, centre) = best?;
    let side = wanted.min((room - AROUND_CORE) * std::f64::consts::SQRT_2);
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(DVec2::from);
    (side >= MIN_CORE).then(|| corners.map(|corner| centre + side * corner).to_vec())
}

/// Lines that divide a box into rooms, and reach over it.
fn grid([low, high]: [DVec2; 2], rooms: f64) -> Vec<[DVec2; 2]> {
    let mut lines = Vec::new();
    let size = high - low;
    let number = (size / rooms)
        .round()
        .clamp(DVec2::ONE, DVec2::splat(MAX_LINES));
    let (before, after) = (low - 1.0, high + 1.0);
    let mut k = 1.0;
    while k < number.x {
        let x = low.x + size.x * k / number.x;
        lines.push([DVec2::new(x, before.y), DVec2::new(x, after.y)]);
        k += 1.0;
    }
    k = 1.0;
    while k < number.y {
        let y = low.y + size.y * k / number.y;
        lines.push([DVec2::new(before.x, y), DVec2::new(after.x, y)]);
        k += 1.0;
    }
    lines
}

/// The triangulation of lines, cut where they cross. The first `uncrossed` of them may not cross each other.
fn net(
    lines: &[[DVec2; 2]],
    uncrossed: usize,
) -> Option<ConstrainedDelaunayTriangulation<Point2<f64>>> {
    let mut net = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    for (number, line) in lines.iter().enumerate() {
        let [a, b] = line.map(|DVec2 { x, y }| spade::mitigate_underflow(Point2::new(x, y)));
        let (a, b) = (net.insert(a).ok()?, net.insert(b).ok()?);
        if number >= uncrossed {
            net.add_constraint_and_split(a, b, |vertex| vertex);
        } else if net.can_add_constraint(a, b) {
            net.add_constraint(a, b);
        } else {
            return None;
        }
    }
    Some(net)
}

fn point(position: Point2<f64>) -> DVec2 {
    DVec2::new(position.x, position.y)
}

fn is_on(point: DVec2, sides: &[[DVec2; 2]]) -> bool {
    sides.iter().any(|side| distance(point, *side) <= ON_LINE)
}

/// The distance from a point to a line between two ends.
fn distance(point: DVec2, [a, b]: [DVec2; 2]) -> f64 {
    let along = b - a;
    let t = ((point - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    point.distance(a + t * along)
}
