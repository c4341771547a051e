//! Validates paths: every point must lie on a face or edge, every edge must be reached and left through open space, and
//! every segment must be free except for the walls that it may pass.

use glam::DVec3;
use smallvec::SmallVec;

use super::corners::{face_at_corner, settle};
use super::grazing::{is_on_one_side, sides_along};
use super::job::{Job, Transmitter};
use super::sequence::Step;
use super::solve::Waypoint;
use super::{Interaction, Limits, Path, Vertex};
use crate::geometry::tolerance::{MIN_SEGMENT_LENGTH, ON_FACE_DISTANCE};
use crate::scene::{Crossing, EdgeId, FaceId, PlaneId, Scene};
use crate::world::Transparency;

/// Checks for engines that propose paths in other ways whether a path exists. A wave that meets the common edge of two
/// walls has either order there: such engines give it one of both themselves.
#[derive(Debug)]
pub(crate) struct PathCheck<'a> {
    validator: Validator<'a>,
    waypoints: Vec<Waypoint>,
}

impl<'a> PathCheck<'a> {
    pub(crate) fn new(
        scene: &'a Scene,
        limits: &'a Limits,
        transparency: &'a Transparency,
    ) -> Self {
        Self {
            validator: Validator {
                keeps_ties: true,
                ..Validator::of(scene, limits, transparency)
            },
            waypoints: Vec::new(),
        }
    }

    /// The interactions of the path from `tx` by these steps, at these exact points, to `rx`, including the walls that
    /// it passes; `None` if the path is not valid.
    pub(crate) fn interactions(
        &mut self,
        tx: DVec3,
        by: impl Iterator<Item = (Step, DVec3)>,
        rx: DVec3,
    ) -> Option<Vec<Interaction>> {
        self.waypoints.clear();
        self.waypoints
            .extend(by.map(|(step, point)| Waypoint { step, point }));
        let found = self.validator.validate(tx, &self.waypoints, rx, None)?;
        Some(found.iter().map(|vertex| vertex.interaction).collect())
    }
}

/// The state that all paths of a job share, with its buffers.
#[derive(Debug)]
pub(super) struct Validator<'a> {
    scene: &'a Scene,
    limits: &'a Limits,
    transparency: &'a Transparency,
    /// Whether ties between two orders at a corner are valid in both.
    keeps_ties: bool,
    /// The waypoints, where ties at corners move them.
    settled: Vec<Waypoint>,
    /// The interactions at the waypoints.
    turns: Vec<Interaction>,
    crossings: Vec<Crossing>,
    /// Planes that the current segment leaves, then those that it reaches.
    skip: Vec<PlaneId>,
    /// The points of the path before the current segment.
    before: Vec<DVec3>,
    vertices: Vec<Vertex>,
    /// The reflection of the next path that is at a joint.
    at_joint: Option<AtJoint>,
}

/// A reflection where facets of a curved surface meet.
#[derive(Debug)]
pub(super) struct AtJoint {
    /// The index of its waypoint.
    pub(super) index: usize,
    /// The facet at which it counts.
    pub(super) face: FaceId,
    /// The planes of all facets there.
    pub(super) planes: SmallVec<[PlaneId; 6]>,
}

impl<'a> Validator<'a> {
    pub(super) fn new(job: &Job<'a>) -> Self {
        Self::of(job.scene, job.limits, job.transparency)
    }

    fn of(scene: &'a Scene, limits: &'a Limits, transparency: &'a Transparency) -> Self {
        Self {
            scene,
            limits,
            transparency,
            keeps_ties: false,
            settled: Vec::new(),
            turns: Vec::new(),
            crossings: Vec::new(),
            skip: Vec::new(),
            before: Vec::new(),
            vertices: Vec::new(),
            at_joint: None,
        }
    }

    /// The path from a transmitter by `waypoints` to the receiver `r` at `rx`; `None` if it is blocked.
    pub(super) fn path(
        &mut self,
        tx: &Transmitter,
        waypoints: &[Waypoint],
        r: usize,
        rx: DVec3,
    ) -> Option<Path> {
        self.path_to(tx, waypoints, r, rx, None)
    }

    /// The path to a point of a wall, whose plane does not block it.
    pub(super) fn path_to(
        &mut self,
        tx: &Transmitter,
        waypoints: &[Waypoint],
        r: usize,
        rx: DVec3,
        wall: Option<PlaneId>,
    ) -> Option<Path> {
        let vertices = self.validate(tx.position, waypoints, rx, wall)?;
        let mut length = 0.0;
        let mut from = tx.position;
        for point in waypoints.iter().map(|w| w.point).chain([rx]) {
            length += from.distance(point);
            from = point;
        }
        Some(Path {
            tx: tx.index,
            rx: r,
            tx_position: tx.position,
            rx_position: rx,
            vertices,
            length,
        })
    }

    /// [`Self::path`] to the receiver with this index and position, with a reflection at a joint.
    pub(super) fn path_at_joint(
        &mut self,
        tx: &Transmitter,
        waypoints: &[Waypoint],
        (r, rx): (usize, DVec3),
        at: AtJoint,
    ) -> Option<Path> {
        self.at_joint = Some(at);
        self.path(tx, waypoints, r, rx)
    }

    /// The vertices of the path from `tx` by `waypoints` to `rx`, including transmissions; `None` if it is blocked. If
    /// `rx` lies in the plane `wall`, that plane does not block the path.
    pub(super) fn validate(
        &mut self,
        tx: DVec3,
        waypoints: &[Waypoint],
        rx: DVec3,
        wall: Option<PlaneId>,
    ) -> Option<Vec<Vertex>> {
        let mut settled = std::mem::take(&mut self.settled);
        let vertices = settle(self.scene, tx, waypoints, rx, self.keeps_ties, &mut settled)
            .and_then(|waypoints| self.validate_settled(tx, waypoints, rx, wall));
        self.settled = settled;
        vertices
    }

    fn validate_settled(
        &mut self,
        tx: DVec3,
        waypoints: &[Waypoint],
        rx: DVec3,
        wall: Option<PlaneId>,
    ) -> Option<Vec<Vertex>> {
        let scene = self.scene;
        self.turns.clear();
        let at_joint = self.at_joint.take();
        let joint_at = |k: usize| at_joint.as_ref().filter(|joint| joint.index == k);
        for (k, waypoint) in waypoints.iter().enumerate() {
            self.turns.push(match waypoint.step {
                Step::Reflection(plane) => Interaction::Reflection(match joint_at(k) {
                    Some(joint) => joint.face,
                    None => scene
                        .reflecting_face_at(plane, waypoint.point)
                        .or_else(|| face_at_corner(scene, tx, waypoints, k, rx))?,
                }),
                Step::Diffraction(edge) => {
                    let before = k.checked_sub(1).map(|k| &waypoints[k]);
                    let after = waypoints.get(k + 1);
                    let is_open = self.is_open(edge, waypoint.point, before, tx, None)
                        && self.is_open(edge, waypoint.point, after, rx, wall);
                    if !is_open || !scene.diffracts_at(edge, waypoint.point) {
                        return None;
                    }
                    Interaction::Diffraction(edge)
                }
                Step::Scattering(face, area) => Interaction::Scattering(face, area),
            });
        }

        self.vertices.clear();
        let mut budget = self.limits.transmissions_beside(waypoints.len());
        let mut start = tx;
        self.skip.clear();
        self.before.clear();
        let mut num_left = 0;
        for k in 0..=waypoints.len() {
            let next = waypoints.get(k);
            let end = next.map_or(rx, |w| w.point);
            if let Some(waypoint) = next {
                let planes = self.planes(waypoint.step);
                self.skip.extend(planes.into_iter().flatten());
                if let Some(joint) = joint_at(k) {
                    self.skip.extend_from_slice(&joint.planes);
                }
                if let Step::Diffraction(edge) = waypoint.step {
                    self.skip.extend_from_slice(scene.planes_behind(edge));
                }
            } else {
                self.skip.extend(wall);
            }
            if start.distance(end) < MIN_SEGMENT_LENGTH {
                return None;
            }
            let (before, skip) = (&self.before, &self.skip);
            scene.crossings_behind(before, start, end, skip, budget, &mut self.crossings)?;
            budget -= self.crossings.len();
            // A patch may lie on another wall. Rounding would decide on which side of that wall it is, and it has parts
            // on both sides. Such paths are therefore refused.
            let is_patch = |waypoint: Option<&Waypoint>| {
                waypoint.is_some_and(|w| matches!(w.step, Step::Scattering(..)))
            };
            let length = start.distance(end);
            let is_at = |t: f64, patch| is_patch(patch) && t * length < MIN_SEGMENT_LENGTH;
            let last = k.checked_sub(1).map(|k| &waypoints[k]);
            if (self.crossings.iter()).any(|c| is_at(c.t, last) || is_at(1.0 - c.t, next)) {
                return None;
            }
            for crossing in &self.crossings {
                if !self.transparency.passes(scene, crossing.face) {
                    return None;
                }
                self.vertices.push(Vertex {
                    interaction: Interaction::Transmission(crossing.face),
                    point: start.lerp(end, crossing.t),
                });
            }
            if let Some(waypoint) = next {
                self.vertices.push(Vertex {
                    interaction: self.turns[k],
                    point: waypoint.point,
                });
            }
            // The planes that this segment reaches are those that the next one leaves.
            self.skip.drain(..num_left);
            num_left = self.skip.len();
            self.before.push(start);
            start = end;
        }
        // Asked last, because nearly no edge is buried.
        let is_buried = |waypoint: &Waypoint| match waypoint.step {
            Step::Diffraction(edge) => scene.is_buried_at(edge, waypoint.point),
            _ => false,
        };
        (!waypoints.iter().any(is_buried)).then(|| self.vertices.clone())
    }

    /// Whether the neighbour of a point of an edge lies in the open space around the edge, or along the edge's face in
    /// the plane `wall`, on which the path ends. The neighbour is a waypoint, or else an end of the path.
    fn is_open(
        &self,
        id: EdgeId,
        point: DVec3,
        neighbour: Option<&Waypoint>,
        end: DVec3,
        wall: Option<PlaneId>,
    ) -> bool {
        let mine = self.planes(Step::Diffraction(id));
        let edge = &self.scene.edges()[id.index()];
        let to = neighbour.map_or(end, |w| w.point) - point;
        if to.cross(edge.along()).length() <= ON_FACE_DISTANCE {
            // A wave does not travel along the edge itself, for instance between the parts of one ridge.
            return false;
        }
        let is_along_wall =
            wall.is_some_and(|wall| sides_along(self.scene, id, wall, to).is_some());
        if let Some(waypoint) = neighbour {
            let shares = |plane: &Option<PlaneId>| plane.is_some() && mine.contains(plane);
            match waypoint.step {
                // A wave does not reach an edge by reflection at a plane that contains the edge, nor along a face to
                // the line where a reflecting plane meets that face.
                Step::Reflection(plane)
                    if mine.contains(&Some(plane))
                        || (!is_along_wall && edge.is_along_face(to, ON_FACE_DISTANCE)) =>
                {
                    return false;
                }
                // The segment lies along a face that both edges share, for instance over a roof. Rounding must not put
                // one edge below that face.
                Step::Diffraction(other)
                    if self.planes(Step::Diffraction(other)).iter().any(shares) =>
                {
                    return is_on_one_side(self.scene, [id, other], to);
                }
                _ => {}
            }
        }
        is_along_wall || edge.is_open_towards(to, ON_FACE_DISTANCE)
    }

    fn planes(&self, step: Step) -> [Option<PlaneId>; 2] {
        match step {
            Step::Reflection(plane) => [Some(plane), None],
            Step::Scattering(face, _) => [Some(self.scene.plane_of(face)), None],
            Step::Diffraction(edge) => {
                let plane = |face: FaceId| self.scene.plane_of(face);
                self.scene.edges()[edge.index()].faces.map(|f| f.map(plane))
            }
        }
    }
}
