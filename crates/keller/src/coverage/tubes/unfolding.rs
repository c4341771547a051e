//! The points at which the path of a bundle to a point is reflected and diffracted.
//!
//! They follow from the image method, from the end back to the Tx: the straight line from the image to the end meets
//! the last reflecting plane in the last point; that point is the end of the segment before, whose image lies mirrored
//! at the plane.

use glam::DVec3;

use super::bundle::{Bundle, TubeInteraction};
use crate::field::FaceInteraction;
use crate::scene::Scene;

/// Appends the points of reflection and diffraction of the path to `end`, the last one first; returns where the path
/// begins.
pub(super) fn points_from_end(
    scene: &Scene,
    bundle: &Bundle,
    end: DVec3,
    points: &mut Vec<DVec3>,
) -> DVec3 {
    let (mut from, mut to) = (bundle.source.locate(end).origin, end);
    for interaction in bundle.interactions.iter().rev() {
        match *interaction {
            TubeInteraction::Wall {
                kind: FaceInteraction::Reflection,
                face,
            } => {
                let plane = scene.plane(scene.plane_of(face));
                to = plane.between(to, from);
                from = plane.mirror(from);
                points.push(to);
            }
            TubeInteraction::Wall { .. } => {}
            TubeInteraction::Edge(_) => {
                to = from;
                points.push(to);
                from = bundle.source.position();
            }
        }
    }
    from
}

/// The loss in clutter along the path to `end`, dB.
pub(super) fn clutter_loss_db(scene: &Scene, bundle: &Bundle, end: DVec3) -> f64 {
    let mut points = vec![end];
    let from = points_from_end(scene, bundle, end, &mut points);
    points.push(from);
    scene.clutter().loss_db(points)
}
