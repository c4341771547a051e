//! Step 4: the exact interaction points of a chain of reflections, by images. Closed form, no iteration.
//!
//! The straight line from the last image to the receiver meets the last mirror at the last reflection point; from there the line
//! to the image before meets the mirror before, and so on (theory page: images).

use glam::DVec3;

use super::SequenceTree;
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::scene::{PlaneId, Scene};

/// The boxes around the faces of each plane: a point outside is on no face, and that is cheap to see.
#[derive(Debug)]
pub(super) struct PlaneBoxes(Vec<[DVec3; 2]>);

impl PlaneBoxes {
    pub(super) fn new(scene: &Scene) -> Self {
        let mut boxes = vec![[DVec3::INFINITY, DVec3::NEG_INFINITY]; scene.planes().len()];
        for (t, &face) in scene.triangle_faces().iter().enumerate() {
            let [low, high] = &mut boxes[scene.plane_of(face).index()];
            for corner in scene.corners(t) {
                *low = low.min(corner);
                *high = high.max(corner);
            }
        }
        // The plane is fitted, so points on it may lie a little outside the box of its corners.
        let slack = 1e3 * ON_FACE_DISTANCE;
        for [low, high] in &mut boxes {
            *low -= slack;
            *high += slack;
        }
        Self(boxes)
    }

    fn contains(&self, plane: PlaneId, point: DVec3) -> bool {
        let [low, high] = self.0[plane.index()];
        point.cmpge(low).all() && point.cmple(high).all()
    }
}

/// The reflection points of node `node` for a receiver, last one first, into `points`; false if there is no such path.
pub(super) fn reflection_points(
    scene: &Scene,
    boxes: &PlaneBoxes,
    tree: &SequenceTree,
    node: usize,
    rx: DVec3,
    points: &mut Vec<(PlaneId, DVec3)>,
) -> bool {
    points.clear();
    let mut target = rx;
    let mut at = node;
    while at != 0 {
        let node = &tree.nodes[at];
        let plane = scene.plane(node.plane);
        let (from, to) = (plane.distance(node.image), plane.distance(target));
        if from * to >= 0.0 {
            return false;
        }
        let point = node.image + (target - node.image) * (from / (from - to));
        if !boxes.contains(node.plane, point) {
            return false;
        }
        points.push((node.plane, point));
        target = point;
        at = node.parent as usize;
    }
    true
}
