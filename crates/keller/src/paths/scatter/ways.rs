//! The ways by which a wave comes from one end of a path to a patch, and how strong it may be there.
//!
//! A way goes by reflections alone, which show an image of the end, or by one edge or more with reflecting planes
//! anywhere among them. The estimate knows no frequency: a reflection keeps [`REFLECTION_SHARE`] of the power, and an
//! edge sends on what falls on a strip beside it, more the less the ray bends (theory page: `searches`).

use glam::DVec3;

use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::paths::Step;
use crate::paths::solve::Waypoint;
use crate::paths::solve::edge_line::Beside;
use crate::scene::{Edge, EdgeId, PlaneId, Scene};

/// What a reflection keeps of the power, as a rough estimate.
pub(super) const REFLECTION_SHARE: f64 = 0.3;

/// What an edge makes of a unit power density, by the square of the sine of half the angle by which the ray bends: metres. A wedge
/// in a wave of 1 GHz; shorter waves bend less.
const EDGE_STRIP: f64 = 0.005;

/// No edge keeps more: half of the field, on its shadow boundary.
const MAX_AT_EDGE: f64 = 0.25;

/// A way from an end to patches.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way {
    /// By the reflecting planes of a node of the end's tree.
    Reflections(usize),
    /// By the end's approach of this number.
    Edges(usize),
}

/// A way by one edge or more.
#[derive(Debug)]
pub(super) struct Approach {
    /// From the end on.
    pub(super) steps: Vec<Step>,
    pub(super) reflections: u32,
    pub(super) edges: u32,
    last: EdgeId,
    /// Where the wave comes from to its only edge; of several, the estimate knows the last alone.
    source: Option<EdgeImage>,
}

/// An image of the end as a wedge sees it.
#[derive(Debug, Clone, Copy)]
struct EdgeImage {
    beside: Beside,
    /// Where the wave goes on to, across the edge.
    onward: Onward,
}

/// How a way shows the end to a part of a wall, at worst and at best.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaveBounds {
    /// How high above the wall's plane the last image or edge shows, metres, and by how much that varies.
    pub(super) above: f64,
    pub(super) slack: f64,
    /// How far away it shows, metres.
    pub(super) distance: f64,
    /// At most this power density for a unit of power over 4 pi steradians, 1/m².
    pub(super) density: f64,
}

impl WaveBounds {
    /// The cosine of incidence, at most, for a part of the wall that reaches `half` metres around.
    pub(super) fn cosine(&self, half: f64) -> f64 {
        let near = (self.distance - half - self.slack).max(1e-3);
        ((self.above.abs() + half + self.slack) / near).min(1.0)
    }

    /// Whether both may show above the same side of the wall.
    pub(super) fn shares_side(&self, other: &Self) -> bool {
        let highest = |g: &Self| g.above + g.slack;
        let lowest = |g: &Self| g.above - g.slack;
        (highest(self) > 0.0 && highest(other) > 0.0) || (lowest(self) < 0.0 && lowest(other) < 0.0)
    }
}

/// What comes to the centre of a patch by a way that was solved.
#[derive(Debug, Clone, Copy)]
pub(super) struct PatchWave {
    /// How high above the wall's plane it comes from, metres.
    pub(super) above: f64,
    /// Of incidence, with the sign of `above`.
    pub(super) cosine: f64,
    /// The estimate for a unit of power over 4 pi steradians, 1/m².
    pub(super) density: f64,
}

impl Approach {
    /// The way from `end` by `steps`, among which is an edge; `None` where the end lies on its first edge.
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
        let beside = Beside::new(image, edge.ends[0], edge.along());
        if beside.away < ON_FACE_DISTANCE {
            return None;
        }
        let source = (count == 1).then(|| EdgeImage {
            beside,
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

    /// The strongest wave that may come to within `half` metres of `centre`, a point of the wall with the unit
    /// `normal`; `None` if none can.
    pub(super) fn wave_bounds(
        &self,
        scene: &Scene,
        centre: DVec3,
        normal: DVec3,
        half: f64,
    ) -> Option<WaveBounds> {
        // The wall as the last edge sees it, behind the reflecting planes in between.
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
        let there = Beside::new(point, start, along);
        let share = share_of_reflections(self.reflections);
        let Some(EdgeImage { beside, onward }) = self.source else {
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
        // Where the path meets the edge grows with each coordinate or falls with it: the corners have the extremes.
        let near_away = (there.away - half).max(1e-3);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for along in [there.along - half, there.along + half] {
            for away in [near_away, there.away + half] {
                let t = beside.meet(Beside { along, away });
                (low, high) = (low.min(t), high.max(t));
            }
        }
        if high < 0.0 || low > length {
            return None;
        }
        let to_edge = start + beside.meet(there).clamp(0.0, length) * along - point;
        let whole = (there.along - beside.along).hypot(there.away + beside.away);
        let whole = (whole - half).max(1e-3);
        let across = point - start - there.along * along;
        let bend = (onward.min_bend(across) - 0.8 * half / near_away).max(0.0);
        let by_strip = EDGE_STRIP / (bend * bend * whole * beside.away * near_away);
        Some(WaveBounds {
            above: normal.dot(to_edge),
            slack: (high.min(length) - low.max(0.0)).max(0.0),
            distance: to_edge.length(),
            density: share * by_strip.min(at_most(1) / (whole * whole)),
        })
    }
}

/// What comes from `end` by `waypoints`, an edge among them, to `point` of the wall with the unit `normal`.
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
                let bend = sine * Onward::new(edge, into).min_bend(next - waypoint.point);
                product *= leg * bend * bend / EDGE_STRIP;
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

/// Unit vectors across an edge, in which a wave goes on past it: straight on, and off its faces.
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

    /// The sine of half the angle around the edge between where the wave goes, and the nearest way of going on.
    fn min_bend(&self, out: DVec3) -> f64 {
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

fn narrow(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 steps")
}
