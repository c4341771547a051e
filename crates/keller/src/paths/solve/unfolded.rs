//! A sequence unfolded for any receiver. The images in its reflecting planes are found once, and each receiver then
//! costs a straight line.
//!
//! In front of a reflecting plane there is a point or an edge. Its image is a point, or a line along which
//! [`super::edges`] finds the position.

use glam::DVec3;

use super::Waypoint;
use super::edge_line::{EdgeCoordinates, EdgeLine};
use super::edge_pair::Pair;
use super::edges::{Leg, System, diffraction_points};
use super::images::may_be_tie;
use crate::geometry::Plane;
use crate::geometry::tolerance::TIE_DISTANCE;
use crate::paths::Step;
use crate::scene::{EdgeId, PlaneId, Scene};

/// A step, with the quantities that do not depend on the receiver.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// A reflecting plane, and the image in it.
    Reflection(PlaneId, Plane, EdgeLine),
    Edge(EdgeId, EdgeLine),
}

/// A chain of reflecting planes and edges from a transmitter, solved for one receiver after the other, and the buffers
/// for it.
///
/// ```
/// use keller::DVec3;
/// use keller::paths::{Step, Unfolded};
/// use keller::scene::{FaceId, Mesh, Scene};
///
/// let mut ground = Mesh::default();
/// ground.add_polygon("concrete", &[[-9., -9.], [9., -9.], [9., 9.], [-9., 9.]].map(|[x, y]| DVec3::new(x, y, 0.)));
/// let scene = Scene::new(&ground)?;
/// let plane = scene.plane_of(FaceId::from_index(0));
/// let (mut chain, mut points) = (Unfolded::default(), Vec::new());
/// chain.set(&scene, DVec3::new(-4., 0., 3.), &[Step::Reflection(plane)]);
/// assert!(chain.reach(DVec3::new(4., 0., 3.), &mut points));
/// assert!(points[0].point.distance(DVec3::ZERO) < 1e-12);
/// # Ok::<(), keller::Error>(())
/// ```
///
/// # Source
/// Theory page: `images`, `edges`.
#[derive(Debug, Default)]
pub struct Unfolded {
    turns: Vec<Turn>,
    legs: Vec<Leg>,
    /// The transmitter's image in the coordinates of the first edge, and both edges, if there are one or two.
    from: EdgeCoordinates,
    pair: Option<Pair>,
    parameters: Vec<f64>,
    system: System,
}

impl Unfolded {
    /// Sets the chain from `tx`, in metres, by `steps`, which are reflections and diffractions in `scene`.
    ///
    /// # Panics
    /// If a step is a scattering, or names no plane or edge of the scene.
    pub fn set(&mut self, scene: &Scene, tx: DVec3, steps: &[Step]) {
        self.turns.clear();
        // A leg leads from an end or an edge, by reflections, to an end or an edge. Its start is represented by its
        // image.
        self.legs.clear();
        let mut leg = Leg::from_point(tx);
        for &step in steps {
            self.turns.push(match step {
                Step::Reflection(id) => {
                    let plane = *scene.plane(id);
                    leg.mirror(&plane);
                    Turn::Reflection(id, plane, leg.from)
                }
                Step::Diffraction(id) => {
                    let next = Leg::from_edge(&scene.edges()[id.index()]);
                    leg.to = next.from;
                    self.legs.push(leg);
                    leg = next;
                    Turn::Edge(id, leg.from)
                }
                Step::Scattering(..) => unreachable!("paths are cut where they scatter"),
            });
        }
        self.legs.push(leg);
        if let [first, _, ..] = &self.legs[..] {
            self.from = EdgeCoordinates::new(first.from.start, first.to.start, first.to.along);
        }
        self.pair = match &self.legs[..] {
            [_, between, _] => Some(Pair::new(&between.from, &between.to)),
            _ => None,
        };
    }

    /// Writes the points of the chain on the way to `rx` into `waypoints`, in order; false if there is no such path.
    /// Diffraction points lie on their edges and reflection points on their planes. Neither whether they lie on a face
    /// nor whether walls are in the way is tested here.
    pub fn reach(&mut self, rx: DVec3, waypoints: &mut Vec<Waypoint>) -> bool {
        self.meet_edges_within(rx) && self.unfold(rx, waypoints, |_, _| None)
    }

    /// Computes the positions along the edges; false if there are none on them. The ends of an edge are left to
    /// validation.
    fn meet_edges_within(&mut self, rx: DVec3) -> bool {
        let on_edge = |leg: &Leg| [-TIE_DISTANCE, leg.to.length + TIE_DISTANCE];
        if let (Some(pair), [first, second, last]) = (&self.pair, &self.legs[..]) {
            let to = EdgeCoordinates::new(rx, last.from.start, last.from.along);
            let met = pair.solve(self.from, to, on_edge(first), on_edge(second));
            self.parameters.clear();
            self.parameters.extend(met.into_iter().flatten());
            return met.is_some();
        }
        let is_on = |(leg, t): (&Leg, &f64)| {
            let [low, high] = on_edge(leg);
            (low..=high).contains(t)
        };
        if let [first, last] = &self.legs[..] {
            let to = EdgeCoordinates::new(rx, last.from.start, last.from.along);
            let met = self.from.meet(to);
            self.parameters.clear();
            self.parameters.push(met);
            return is_on((first, &met));
        }
        self.meet_edges(rx) && self.legs.iter().zip(&self.parameters).all(is_on)
    }

    /// The waypoints of a nearly possible path if there is no exact one. It takes the nearest ends of edges, and the
    /// foot of the perpendicular on a reflecting plane that cannot reflect the path.
    pub fn approach(&mut self, rx: DVec3, waypoints: &mut Vec<Waypoint>) {
        self.meet_edges(rx);
        for (leg, t) in self.legs.iter().zip(&mut self.parameters) {
            *t = if t.is_finite() {
                t.clamp(0.0, leg.to.length)
            } else {
                0.5 * leg.to.length
            };
        }
        let foot = |plane: &Plane, target: DVec3| target - plane.distance(target) * plane.normal;
        self.unfold(rx, waypoints, |plane, target| Some(foot(plane, target)));
    }

    /// Computes the positions along the edges.
    fn meet_edges(&mut self, rx: DVec3) -> bool {
        if let Some(leg) = self.legs.last_mut() {
            leg.reach_point(rx);
        }
        diffraction_points(&self.legs, &mut self.parameters, &mut self.system)
    }

    /// Computes the points from the receiver back, image by image. `instead` gives the point on a reflecting plane that
    /// cannot reflect the path, if one is wanted.
    fn unfold(
        &self,
        rx: DVec3,
        waypoints: &mut Vec<Waypoint>,
        instead: impl Fn(&Plane, DVec3) -> Option<DVec3>,
    ) -> bool {
        waypoints.clear();
        let mut parameters = self.parameters.iter().rev();
        let mut t = parameters.next().copied();
        let mut target = rx;
        let mut next: Option<&Plane> = None;
        for turn in self.turns.iter().rev() {
            let step = match turn {
                Turn::Reflection(id, plane, image) => {
                    let image = image.at(t.unwrap_or(0.0));
                    let (from, to) = (plane.distance(image), plane.distance(target));
                    let point = image + (target - image) * (from / (from - to));
                    let length = image.distance(target) + target.distance(rx);
                    let is_tie =
                        |next: &Plane| may_be_tie([*plane, *next], [image, point, target], length);
                    target = if from * to < 0.0 || next.is_some_and(is_tie) {
                        point
                    } else if let Some(point) = instead(plane, target) {
                        point
                    } else {
                        return false;
                    };
                    next = Some(plane);
                    Step::Reflection(*id)
                }
                Turn::Edge(id, line) => {
                    target = line.at(t.expect("one parameter an edge"));
                    t = parameters.next().copied();
                    next = None;
                    Step::Diffraction(*id)
                }
            };
            waypoints.push(Waypoint {
                step,
                point: target,
            });
        }
        waypoints.reverse();
        true
    }
}
