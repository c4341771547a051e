//! Step 5: is the path really there? Every point on a face, every segment free but for the walls it may pass.

use glam::DVec3;

use super::{Interaction, InteractionKind, Limits, Object, Transparency};
use crate::geometry::tolerance::MIN_SEGMENT_LENGTH;
use crate::scene::{Crossing, PlaneId, Scene};

/// The interactions of the path Tx, `points` (last one first), Rx, transmissions among them; `None` if it is blocked.
pub(super) fn validate(
    scene: &Scene,
    tx: DVec3,
    points: &[(PlaneId, DVec3)],
    rx: DVec3,
    limits: &Limits,
    transparency: &Transparency,
    crossings: &mut Vec<Crossing>,
) -> Option<Vec<Interaction>> {
    let mut reflections = Vec::with_capacity(points.len());
    for &(plane, point) in points.iter().rev() {
        reflections.push((plane, point, scene.face_at(plane, point)?));
    }

    let mut interactions = Vec::with_capacity(points.len());
    let mut budget = limits.transmissions_beside(points.len());
    let (mut start, mut left) = (tx, None);
    for k in 0..=reflections.len() {
        let next = reflections.get(k).copied();
        let end = next.map_or(rx, |(_, point, _)| point);
        let reached = next.map(|(plane, ..)| plane);
        if start.distance(end) < MIN_SEGMENT_LENGTH {
            return None;
        }
        scene.crossings(start, end, [left, reached], budget, crossings)?;
        budget -= crossings.len();
        for crossing in crossings.iter() {
            if !transparency.passes(scene, crossing.face) {
                return None;
            }
            interactions.push(Interaction {
                kind: InteractionKind::Transmission,
                point: start.lerp(end, crossing.t),
                object: Object::Face(crossing.face),
            });
        }
        interactions.extend(next.map(|(_, point, face)| Interaction {
            kind: InteractionKind::Reflection,
            point,
            object: Object::Face(face),
        }));
        (start, left) = (end, reached);
    }
    Some(interactions)
}
