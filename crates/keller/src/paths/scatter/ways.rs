//! The ways by which a wave travels from one end of a path to a patch, and how strong it may be there.
//!
//! A way either has reflections alone, so that the end appears as an image, or has one edge or more with any
//! reflections among them. The estimate does not depend on the frequency. A reflection keeps [`REFLECTION_SHARE`] of
//! the power. An edge passes on the power that falls on a strip next to it; the strip is wider the less the ray turns
//! (theory page: `searches`).

use glam::DVec3;

use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::paths::Step;
use crate::paths::solve::Waypoint;
use crate::paths::solve::edge_line::EdgeCoordinates;
use crate::scene::{Edge, EdgeId, PlaneId, Scene};

/// Share of the power that a reflection keeps, as a rough estimate.
pub(super) const REFLECTION_SHARE: f64 = 0.3;

/// Width of the strip whose power an edge passes on, times the square of the sine of half the angle by which the ray
/// turns, metres. The value is that of a wedge at 1 GHz; shorter waves diffract less.
const EDGE_STRIP: f64 = 0.005;

/// Largest share of the power that an edge passes on: half of the field, on its shadow boundary.
const MAX_AT_EDGE: f64 = 0.25;

/// A way from an end to patches.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    /// The reflecting planes of a node of the end's tree.
    Reflections(usize),
    /// Edges; the index of an [`Approach`] of the end.
    Edges(usize),
}

/// A way by one edge or more.
#[derive(Debug)]
pub(super) struct Approach {
    /// The steps, from the end on.
    pub(super) steps: Vec<Step>,
    pub(super) reflections: u32,
    pub(super) edges: u32,
    last: EdgeId,
    /// The image of the end at its only edge; `None` if there are several edges, where the estimate uses only the last.
    source: Option<EdgeImage>,
}

/// An image of the end as seen from a wedge.
#[derive(Debug, Clone, Copy)]
struct EdgeImage {
    at_edge: EdgeCoordinates,
    /// The directions in which the wave continues past the edge.
    onward: Onward,
}

/// Bounds of the wave that arrives by a way at a part of a wall.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaveBounds {
    /// Height of the last image or edge above the wall's plane, metres, and how much that height may vary.
    pub(super) above: f64,
    pub(super) slack: f64,
    /// Distance to the last image or edge, metres.
    pub(super) distance: f64,
    /// Upper bound of the power density for a unit of power over 4 pi steradians, 1/m².
    pub(super) density: f64,
}

impl WaveBounds {
    /// Upper bound of the cosine of incidence on a part of the wall that extends `half` metres around its centre.
    pub(super) fn cosine(&self, half: f64) -> f64 {
        let near = (self.distance - half - self.slack).max(1e-3);
        ((self.above.abs() + half + self.slack) / near).min(1.0)
    }

    /// Whether both waves may come from the same side of the wall.
    pub(super) fn shares_side(&self, other: &Self) -> bool {
        let highest = |g: &Self| g.above + g.slack;
        let lowest = |g: &Self| g.above - g.slack;
        (highest(self) > 0.0 && highest(other) > 0.0) || (lowest(self) < 0.0 && lowest(other) < 0.0)
    }
}

/// The wave that arrives at the centre of a patch by a solved way.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatchWave {
    /// Height above the wall's plane of the point from which it comes, metres.
    pub(super) above: f64,
    /// Cosine of incidence, with the sign of `above`.
    pub(super) cosine: f64,
    /// Estimated power density for a unit of power over 4 pi steradians, 1/m².
    pub(super) density: f64,
}

impl Approach {
    /// The way from `end` by `steps`, which include an edge; `None` where the end lies on the first edge.
    pub(super) fn new(scene: &Scene, end: DVec3, steps: Vec<Step>) -> Option<Self> {
        let mut image = end;
        for step in &steps {
            match *step {
                Step::Reflection(plane) => image = scene.plane(plane).mirror(image),
                Step::Diffraction(_) | Step::Scattering(..) => break,
            }
        }
        let of_edges = || {
            steps.iter().filter_map(|step| match *step {
                Step::Diffraction(edge) => Some(edge),
                Step::Reflection(_) | Step::Scattering(..) => None,
            })
        };
        let (first, last, count) = (
            of_edges().next()?,
            of_edges().next_back()?,
            of_edges().count(),
        );
        let edge = &scene.edges()[first.index()];
        let at_edge = EdgeCoordinates::new(image, edge.ends[0], edge.along());
        if at_edge.away < ON_FACE_DISTANCE {
            return None;
        }
        let source = (count == 1).then(|| EdgeImage {
            at_edge,
            onward: Onward::new(edge, edge.ends[0] - image),
        });
        Some(Self {
            reflections: narrow(steps.len() - count),
            edges: narrow(count),
            last,
            source,
            steps,
        })
    }

    /// Bounds of the wave that arrives within `half` metres of `centre`, a point of the wall with the unit `normal`;
    /// `None` if no wave can arrive.
    pub(super) fn wave_bounds(
        &self,
        scene: &Scene,
        centre: DVec3,
        normal: DVec3,
        half: f64,
    ) -> Option<WaveBounds> {
        // Mirror the wall at the planes after the last edge, so that the edge sees it in a straight line.
        let (mut point, mut normal) = (centre, normal);
        for step in self.steps.iter().rev() {
            let Step::Reflection(plane) = *step else {
                break;
            };
            let plane = scene.plane(plane);
            point = plane.mirror(point);
            normal -= 2.0 * normal.dot(plane.normal) * plane.normal;
        }
        let edge = &scene.edges()[self.last.index()];
        let (start, along, length) = (edge.ends[0], edge.along(), edge.length());
        let there = EdgeCoordinates::new(point, start, along);
        let share = share_of_reflections(self.reflections);
        let Some(EdgeImage { at_edge, onward }) = self.source else {
            let nearest = start + there.along.clamp(0.0, length) * along;
            let distance = point.distance(nearest);
            let near = (distance - half).max(1e-3);
            return Some(WaveBounds {
                above: normal.dot(nearest - point),
                slack: length,
                distance,
                density: share * at_most(self.edges) / (near * near),
            });
        };
        // The point where the path meets the edge is monotonic in each coordinate, so the corners give its extremes.
        let near_away = (there.away - half).max(1e-3);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for along in [there.along - half, there.along + half] {
            for away in [near_away, there.away + half] {
                let t = at_edge.meet(EdgeCoordinates { along, away });
                (low, high) = (low.min(t), high.max(t));
            }
        }
        if high < 0.0 || low > length {
            return None;
        }
        let to_edge = start + at_edge.meet(there).clamp(0.0, length) * along - point;
        let whole = (there.along - at_edge.along).hypot(there.away + at_edge.away);
        let whole = (whole - half).max(1e-3);
        let across = point - start - there.along * along;
        let turn = (onward.min_turn(across) - 0.8 * half / near_away).max(0.0);
        let by_strip = EDGE_STRIP / (turn * turn * whole * at_edge.away * near_away);
        Some(WaveBounds {
            above: normal.dot(to_edge),
            slack: (high.min(length) - low.max(0.0)).max(0.0),
            distance: to_edge.length(),
            density: share * by_strip.min(at_most(1) / (whole * whole)),
        })
    }
}

/// The wave from `end` by `waypoints`, which include an edge, at `point` of the wall with the unit `normal`.
pub(super) fn arrival(
    scene: &Scene,
    end: DVec3,
    waypoints: &[Waypoint],
    point: DVec3,
    normal: DVec3,
) -> PatchWave {
    let (mut from, mut leg, mut whole, mut product) = (end, 0.0, 0.0, 1.0);
    let (mut reflections, mut edges) = (0, 0);
    for (k, waypoint) in waypoints.iter().enumerate() {
        leg += from.distance(waypoint.point);
        match waypoint.step {
            Step::Diffraction(edge) => {
                let next = waypoints.get(k + 1).map_or(point, |w| w.point);
                let edge = &scene.edges()[edge.index()];
                let into = waypoint.point - from;
                let sine = into.cross(edge.along()).length() / into.length();
                let turn = sine * Onward::new(edge, into).min_turn(next - waypoint.point);
                product *= leg * turn * turn / EDGE_STRIP;
                whole += leg;
                leg = 0.0;
                edges += 1;
            }
            Step::Reflection(_) | Step::Scattering(..) => reflections += 1,
        }
        from = waypoint.point;
    }
    leg += from.distance(point);
    whole += leg;
    let above = normal.dot(from - point);
    let by_strips = 1.0 / (whole * leg * product);
    PatchWave {
        above,
        cosine: above / from.distance(point),
        density: share_of_reflections(reflections)
            * by_strips.min(at_most(edges) / (whole * whole)),
    }
}

/// The directions across an edge in which a wave continues without diffraction: straight on, and reflected at either
/// face. They are unit vectors.
#[derive(Debug, Clone, Copy)]
struct Onward {
    along: DVec3,
    ways: [DVec3; 3],
}

impl Onward {
    fn new(edge: &Edge, into: DVec3) -> Self {
        let along = edge.along();
        let straight = (into - into.dot(along) * along).normalize_or_zero();
        let off = |normal: DVec3| straight - 2.0 * straight.dot(normal) * normal;
        Self {
            along,
            ways: [straight, off(edge.outward), off(edge.second_outward)],
        }
    }

    /// The sine of half the angle, around the edge, between the outgoing direction and the nearest of these directions.
    fn min_turn(&self, out: DVec3) -> f64 {
        let across = (out - out.dot(self.along) * self.along).normalize_or_zero();
        let distances = self.ways.map(|way| way.distance_squared(across));
        0.5 * distances[0].min(distances[1]).min(distances[2]).sqrt()
    }
}

/// One reflection step per plane.
pub(super) fn reflection_steps(planes: Vec<PlaneId>) -> impl Iterator<Item = Step> {
    planes.into_iter().map(Step::Reflection)
}

pub(super) fn share_of_reflections(reflections: u32) -> f64 {
    REFLECTION_SHARE.powi(i32::try_from(reflections).unwrap_or(i32::MAX))
}

fn at_most(edges: u32) -> f64 {
    MAX_AT_EDGE.powi(i32::try_from(edges).unwrap_or(i32::MAX))
}

pub(super) fn narrow(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 entries")
}
