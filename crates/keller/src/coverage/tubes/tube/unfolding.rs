//! The vertices of the path of a bundle to a point.
//!
//! They follow from the image method, from the end back to the Tx: the straight line from the image to the end meets
//! the last reflecting plane in the last point; that point is the end of the segment before, whose own image is the
//! reflection of this one at the plane. An edge is the end of the segment before it, which comes from the source that
//! illuminates the edge.

use glam::DVec3;

use super::bundle::{Bundle, TubeInteraction};
use super::edge_image::EdgeLight;
use crate::field::FaceInteraction;
use crate::paths::Vertex;
use crate::scene::Scene;

/// Appends the vertices of the path that comes by these interactions from a light to `end`, the last one first; returns
/// where the path begins.
pub(in crate::coverage::tubes) fn vertices_from_end(
    scene: &Scene,
    interactions: &[TubeInteraction],
    light: &EdgeLight,
    end: DVec3,
    vertices: &mut Vec<Vertex>,
) -> DVec3 {
    let (mut light, mut from, mut to) = (light, light.origin(end), end);
    for interaction in interactions.iter().rev() {
        let point = match *interaction {
            TubeInteraction::Wall { kind, face } => {
                let plane = scene.plane(scene.plane_of(face));
                let point = plane.between(to, from);
                if kind == FaceInteraction::Reflection {
                    (from, to) = (plane.mirror(from), point);
                }
                point
            }
            TubeInteraction::Edge(_) => {
                light = light.before();
                (from, to) = (light.origin(from), from);
                to
            }
        };
        let interaction = interaction.of_path();
        vertices.push(Vertex { interaction, point });
    }
    from
}

/// Appends the vertices of the path of a bundle to `end`, the last one first; returns where the path begins.
pub(in crate::coverage::tubes) fn vertices_of(
    scene: &Scene,
    bundle: &Bundle,
    end: DVec3,
    vertices: &mut Vec<Vertex>,
) -> DVec3 {
    let light = bundle.source.light();
    vertices_from_end(scene, &bundle.interactions, &light, end, vertices)
}

/// The loss in clutter along the path to `end`, dB.
pub(in crate::coverage::tubes) fn clutter_loss_db(
    scene: &Scene,
    bundle: &Bundle,
    end: DVec3,
) -> f64 {
    let mut vertices = Vec::new();
    let from = vertices_of(scene, bundle, end, &mut vertices);
    let between = vertices.iter().map(|vertex| vertex.point);
    scene
        .clutter()
        .loss_db([end].into_iter().chain(between).chain([from]))
}
