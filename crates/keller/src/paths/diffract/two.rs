//! Paths of two diffractions with nothing but walls between them: each edge that the transmitter sees with each that the receiver
//! sees, by Newton's method on two unknowns.

use super::Encounter;
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::paths::solve::edges::Pair;
use crate::paths::solve::{Step, Waypoint};
use crate::scene::{EdgeId, Scene};

impl Encounter<'_> {
    pub(super) fn meet_at_two_edges(&mut self) {
        let meeting = self.meeting;
        let scene = meeting.job.scene;
        let limits = meeting.job.limits;
        let most = (limits.interactions() - 2).min(limits.max_reflections);
        for index in 0..self.rx.seen.edges().len() {
            let second = self.rx.seen.edges()[index] as usize;
            for &first in meeting.tx.seen.edges() {
                let first = first as usize;
                if first == second || !may_see_each_other(scene, first, second) {
                    continue;
                }
                let edges = [first, second].map(|e| &scene.edges()[e]);
                let pair = Pair::new(edges[0], edges[1]);
                for i in 0..self.rx.seen.of(second).len() {
                    let b = self.rx.seen.of(second)[i];
                    for a in meeting.tx.seen.of(first) {
                        if (a.depth + b.depth) as usize > most {
                            break;
                        }
                        let Some(t) = pair.solve(a.beside, b.beside, a.interval, b.interval) else {
                            continue;
                        };
                        let points = [0, 1].map(|k| edges[k].ends[0] + t[k] * edges[k].along());
                        self.waypoints.clear();
                        let (node, ways) = (a.node as usize, &mut self.waypoints);
                        if !meeting.tx.mirrors.reflection_points(node, points[0], ways) {
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
                        if self.rx.mirrors.reflection_points(node, points[1], ways) {
                            self.validate();
                        }
                    }
                }
            }
        }
    }
}

/// Whether each of two edges has a point in the open space around the other.
fn may_see_each_other(scene: &Scene, first: usize, second: usize) -> bool {
    let [a, b] = [first, second].map(|e| &scene.edges()[e]);
    let planes = |edge: &crate::scene::Edge| edge.faces.map(|f| f.map(|f| scene.plane_of(f)));
    let (pa, pb) = (planes(a), planes(b));
    if pa.iter().any(|plane| plane.is_some() && pb.contains(plane)) {
        return true;
    }
    // The closed side of a wedge is convex, so an edge with both ends in it is all in it.
    let sees = |x: &crate::scene::Edge, y: &crate::scene::Edge| {
        y.ends
            .iter()
            .any(|&end| x.is_open_towards(end - x.ends[0], ON_FACE_DISTANCE))
    };
    sees(a, b) && sees(b, a)
}
