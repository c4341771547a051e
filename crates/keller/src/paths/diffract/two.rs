//! Paths of two diffractions with only walls between them: each edge visible from the transmitter with each edge
//! visible from the receiver, by Newton's method in two unknowns.

use glam::DVec3;

use super::Encounter;
use super::seen::SeenEdges;
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::paths::Step;
use crate::paths::solve::Waypoint;
use crate::paths::solve::edge_line::EdgeLine;
use crate::paths::solve::edge_pair::Pair;
use crate::scene::{EdgeId, PlaneId, Scene};

impl Encounter<'_> {
    /// Adds the paths of at most `max_reflections` reflections.
    pub(super) fn meet_at_two_edges(&mut self, max_reflections: usize) {
        let meeting = self.meeting;
        let scene = meeting.job.scene;
        for index in 0..self.rx.seen.edges().len() {
            let second = self.rx.seen.edges()[index] as usize;
            let one = Surrounded::new(scene, second);
            for other in &meeting.firsts {
                let first = other.edge;
                if first == second || !one.may_see(other) {
                    continue;
                }
                let lines = [&other.line, &one.line];
                let pair = Pair::new(lines[0], lines[1]);
                for i in 0..self.rx.seen.of(second).len() {
                    let b = self.rx.seen.of(second)[i];
                    for a in meeting.tx.seen.of(first) {
                        if (a.depth + b.depth) as usize > max_reflections {
                            break;
                        }
                        let Some(t) = pair.solve(a.at_edge, b.at_edge, a.interval, b.interval)
                        else {
                            continue;
                        };
                        let points = [0, 1].map(|k| lines[k].at(t[k]));
                        self.waypoints.clear();
                        let (node, ways) = (a.node as usize, &mut self.waypoints);
                        if !meeting.tx.planes.reflection_points(node, points[0], ways) {
                            continue;
                        }
                        ways.reverse();
                        for (edge, point) in [first, second].into_iter().zip(points) {
                            ways.push(Waypoint {
                                step: Step::Diffraction(EdgeId::from_index(edge)),
                                point,
                            });
                        }
                        let node = b.node as usize;
                        if self.rx.planes.reflection_points(node, points[1], ways) {
                            self.validate();
                        }
                    }
                }
            }
        }
    }
}

/// An edge and the open space around it, prepared for comparison with many other edges.
#[derive(Debug)]
pub(super) struct Surrounded {
    edge: usize,
    line: EdgeLine,
    ends: [DVec3; 2],
    /// A point on the open side of either of two planes through the edge is in the open space. These are the planes'
    /// normals and their distances from the origin, metres.
    open: [(DVec3, f64); 2],
    planes: [Option<PlaneId>; 2],
}

impl Surrounded {
    /// The edges visible from one end.
    pub(super) fn all(scene: &Scene, seen: &SeenEdges) -> Vec<Self> {
        let edges = seen.edges().iter();
        edges.map(|&edge| Self::new(scene, edge as usize)).collect()
    }

    fn new(scene: &Scene, number: usize) -> Self {
        let edge = &scene.edges()[number];
        let side = |outward: DVec3| (outward, outward.dot(edge.ends[0]) - ON_FACE_DISTANCE);
        Self {
            edge: number,
            line: EdgeLine::of(edge),
            ends: edge.ends,
            open: [edge.outward, edge.second_outward].map(side),
            planes: edge.faces.map(|face| Some(scene.plane_of(face?))),
        }
    }

    /// Whether each of two edges has a point in the open space around the other, or both bound one plane.
    fn may_see(&self, other: &Self) -> bool {
        self.has_before(other) && other.has_before(self) || {
            let shares = |plane: &Option<PlaneId>| plane.is_some() && other.planes.contains(plane);
            self.planes.iter().any(shares)
        }
    }

    /// Whether the other edge has a point in the open space. The closed side of a wedge is convex, so an edge with both
    /// ends in it lies wholly in it.
    fn has_before(&self, other: &Self) -> bool {
        let is_open = |end: &DVec3| self.open.iter().any(|(n, offset)| n.dot(*end) >= *offset);
        other.ends.iter().any(is_open)
    }
}
