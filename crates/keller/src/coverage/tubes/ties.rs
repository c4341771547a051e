//! Cells whose middles lie on the very border of a tube: borders are edges of walls, so the middles of cells on whole numbers often do. Rays
//! in f32 decide such ties by their rounding; here they are decided as for single paths, by validation in f64.

use glam::DVec3;

use super::bundle::{Bundle, Met};
use super::tracer::{Tracer, Wall};
use super::verify::Candidate;
use crate::field::FaceInteraction;
use crate::paths::{Interaction, InteractionKind, Judge, Step};

impl Tracer<'_> {
    /// Keeps the cells to whose middles the path by the walls of a bundle really leads.
    pub(super) fn judge(&self, bundle: &Bundle, candidates: &mut Vec<Candidate>) {
        if candidates.is_empty() {
            return;
        }
        let mut judge = Judge::new(self.scene, self.limits, self.transparency);
        let mut points = Vec::new();
        candidates.retain(|candidate| {
            self.points(bundle, candidate.middle, &mut points);
            let steps = bundle.met.iter().filter_map(|met| match *met {
                Met::Wall {
                    kind: FaceInteraction::Reflection,
                    face,
                } => Some(Step::Reflection(self.scene.plane_of(face))),
                Met::Wall { .. } => None,
                Met::Edge(edge) => Some(Step::Diffraction(edge)),
            });
            let steps = steps.zip(points.iter().copied());
            let found = judge.interactions(self.position, steps, candidate.middle);
            found.is_some_and(|found| {
                let is_it = |(found, met): (&Interaction, &Met)| match *met {
                    Met::Wall { kind, face } => {
                        let wall = |face| Wall::of(self.scene, face).plane;
                        let is_same = |found| wall(found) == wall(face);
                        found.kind() == InteractionKind::from(kind)
                            && found.face().is_some_and(is_same)
                    }
                    Met::Edge(edge) => found.edge() == Some(edge),
                };
                found.len() == bundle.met.len() && found.iter().zip(&bundle.met).all(is_it)
            })
        });
    }

    /// Where the path by the walls of a bundle to `end` is reflected and diffracted, in its order.
    fn points(&self, bundle: &Bundle, end: DVec3, points: &mut Vec<DVec3>) {
        points.clear();
        let (mut from, mut to) = (bundle.source.locate(end).origin, end);
        for met in bundle.met.iter().rev() {
            match *met {
                Met::Wall {
                    kind: FaceInteraction::Reflection,
                    face,
                } => {
                    let plane = self.scene.plane(self.scene.plane_of(face));
                    to = plane.between(to, from);
                    from = plane.mirror(from);
                    points.push(to);
                }
                Met::Wall { .. } => {}
                Met::Edge(_) => {
                    to = from;
                    points.push(to);
                    from = bundle.source.position();
                }
            }
        }
        points.reverse();
    }
}
