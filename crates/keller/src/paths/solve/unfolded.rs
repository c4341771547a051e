//! A sequence unfolded for any receiver: its reflecting planes' images are found once, and each receiver then costs a
//! straight line.
//!
//! What comes before a reflecting plane is a point or an edge, and so is its image: a point, or a line along which the
//! position is found by [`super::edges`].

use glam::DVec3;

use super::Waypoint;
use super::edge_line::EdgeLine;
use super::edges::{Leg, System, diffraction_points};
use crate::geometry::Plane;
use crate::geometry::tolerance::TIE_DISTANCE;
use crate::paths::Step;
use crate::scene::{EdgeId, PlaneId, Scene};

/// One step with what is known before the receiver is.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// A reflecting plane, and what is seen in it.
    Reflection(PlaneId, Plane, EdgeLine),
    Edge(EdgeId, EdgeLine),
}

/// A sequence from a transmitter, and room to solve it in.
#[derive(Debug, Default)]
pub(in crate::paths) struct Unfolded {
    turns: Vec<Turn>,
    legs: Vec<Leg>,
    parameters: Vec<f64>,
    system: System,
}

impl Unfolded {
    /// Takes the sequence from `tx` by `steps`.
    pub(in crate::paths) fn set(&mut self, scene: &Scene, tx: DVec3, steps: &[Step]) {
        self.turns.clear();
        // A leg leads from an end or an edge, by reflections, to an end or an edge: what it comes from is seen as its
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
    }

    /// The points of the sequence on the way to `rx`, in their order, into `waypoints`; false if there is no such path. Points lie on
    /// their edges, and on the planes of their reflecting planes: whether they lie on a face is for validation.
    pub(in crate::paths) fn reach(&mut self, rx: DVec3, waypoints: &mut Vec<Waypoint>) -> bool {
        let is_solved = self.meet_edges(rx)
            && self.legs.iter().zip(&self.parameters).all(|(leg, t)| {
                // What happens at its ends is for validation.
                let on_edge = -TIE_DISTANCE..=leg.to.length + TIE_DISTANCE;
                on_edge.contains(t)
            });
        is_solved && self.unfold(rx, waypoints, |_, _| None)
    }

    /// The same where there is no such path: the nearest ends of edges, and points under what a reflecting plane should
    /// show but cannot.
    #[cfg_attr(
        not(feature = "lab"),
        allow(dead_code, reason = "the lab alone uses it")
    )]
    pub(in crate::paths) fn approach(&mut self, rx: DVec3, waypoints: &mut Vec<Waypoint>) {
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

    /// The positions along the edges.
    fn meet_edges(&mut self, rx: DVec3) -> bool {
        if let Some(leg) = self.legs.last_mut() {
            leg.reach_point(rx);
        }
        diffraction_points(&self.legs, &mut self.parameters, &mut self.system)
    }

    /// From the receiver back, image by image; `instead` says where a reflecting plane is met that does not show its
    /// image, if it may be.
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
        for turn in self.turns.iter().rev() {
            let step = match turn {
                Turn::Reflection(id, plane, image) => {
                    let image = image.at(t.unwrap_or(0.0));
                    let (from, to) = (plane.distance(image), plane.distance(target));
                    target = if from * to < 0.0 {
                        image + (target - image) * (from / (from - to))
                    } else if let Some(point) = instead(plane, target) {
                        point
                    } else {
                        return false;
                    };
                    Step::Reflection(*id)
                }
                Turn::Edge(id, line) => {
                    target = line.at(t.expect("one parameter an edge"));
                    t = parameters.next().copied();
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
