//! The exact interaction points of a chain of reflections, by images. Closed form, no iteration.
//!
//! The straight line from the last image to the receiver meets the last reflecting plane at the last reflection point.
//! From there the line to the previous image meets the previous reflecting plane, and so on (theory page: `images`).
//! Nearly every sequence already fails at its last reflecting plane, so that plane is tried for many receivers at once
//! ([`ReflectingPlanes::survivors`]).

use glam::DVec3;

use super::Waypoint;
use crate::geometry::Plane;
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::paths::corners::corner_zone;
use crate::paths::{SequenceTree, Step};
use crate::scene::{PlaneId, Scene};

/// The last reflecting plane of every sequence of a tree, laid out for [`Self::survivors`].
#[derive(Debug)]
pub(in crate::paths) struct ReflectingPlanes(Vec<ReflectingPlane>);

/// The last image and the last reflecting plane of one sequence.
#[derive(Debug, Clone, Copy)]
struct ReflectingPlane {
    parent: u32,
    plane: PlaneId,
    image: DVec3,
    normal: DVec3,
    offset: f64,
    /// Signed distance of the image from the plane, metres.
    from: f64,
    /// The box around all faces of the plane. A point outside is on no face, which is a cheap test.
    low: DVec3,
    high: DVec3,
}

impl ReflectingPlane {
    fn plane(&self) -> Plane {
        Plane {
            normal: self.normal,
            offset: self.offset,
        }
    }
}

/// The positions of receivers, one array for each coordinate.
#[derive(Debug, Default)]
pub(in crate::paths) struct Receivers {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
}

impl Receivers {
    pub(in crate::paths) fn new(positions: &[DVec3]) -> Self {
        Self {
            x: positions.iter().map(|p| p.x).collect(),
            y: positions.iter().map(|p| p.y).collect(),
            z: positions.iter().map(|p| p.z).collect(),
        }
    }
}

impl ReflectingPlanes {
    pub(in crate::paths) fn new(scene: &Scene, boxes: &PlaneBoxes, tree: &SequenceTree) -> Self {
        let planes = tree.nodes.iter().map(|node| {
            let plane = scene.plane(node.plane);
            let [low, high] = boxes.0[node.plane.index()];
            ReflectingPlane {
                parent: node.parent,
                plane: node.plane,
                image: node.image,
                normal: plane.normal,
                offset: plane.offset,
                from: plane.distance(node.image),
                low,
                high,
            }
        });
        Self(planes.collect())
    }

    /// Marks the receivers that may see the last image in the last reflecting plane of `node`. The root is marked for
    /// all.
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "a branch would take the receivers one by one"
    )]
    pub(in crate::paths) fn survivors(&self, node: usize, rx: &Receivers, shown: &mut Vec<bool>) {
        shown.clear();
        if node == 0 {
            shown.resize(rx.x.len(), true);
            return;
        }
        let m = &self.0[node];
        shown.extend(rx.x.iter().zip(&rx.y).zip(&rx.z).map(|((&x, &y), &z)| {
            let rx = DVec3::new(x, y, z);
            let to = m.normal.dot(rx) - m.offset;
            // The code has no branch, so that several receivers are processed at once.
            let point = m.image + (rx - m.image) * (m.from / (m.from - to));
            (m.from * to < 0.0)
                & (point.x >= m.low.x)
                & (point.y >= m.low.y)
                & (point.z >= m.low.z)
                & (point.x <= m.high.x)
                & (point.y <= m.high.y)
                & (point.z <= m.high.z)
        }));
    }

    /// Appends the reflection points of `node` for a receiver to `points`, the last reflection first; false if there is
    /// no such path.
    pub(in crate::paths) fn reflection_points(
        &self,
        node: usize,
        rx: DVec3,
        points: &mut Vec<Waypoint>,
    ) -> bool {
        let mut target = rx;
        let mut at = node;
        let mut next: Option<&ReflectingPlane> = None;
        while at != 0 {
            let m = &self.0[at];
            let to = m.normal.dot(target) - m.offset;
            let point = m.image + (target - m.image) * (m.from / (m.from - to));
            if m.from * to >= 0.0
                && !next.is_some_and(|next| {
                    let planes = [m.plane(), next.plane()];
                    let length = self.0[node].image.distance(rx);
                    may_be_tie(planes, [m.image, point, target], length)
                })
            {
                return false;
            }
            if !(point.cmpge(m.low).all() && point.cmple(m.high).all()) {
                return false;
            }
            points.push(Waypoint {
                step: Step::Reflection(m.plane),
                point,
            });
            target = point;
            at = m.parent as usize;
            next = Some(m);
        }
        true
    }
}

/// Whether a path may meet two reflecting planes at their common edge, so that rounding decides their order, though it meets them in
/// the other order at most: the image in the first plane, the point on it and that on the second, and the length of the path.
/// Validation then decides.
pub(super) fn may_be_tie(
    [first, second]: [Plane; 2],
    [image, one, two]: [DVec3; 3],
    length: f64,
) -> bool {
    let Some(zone) = corner_zone([first.normal, second.normal], length) else {
        return false;
    };
    first.distance(image).abs() > zone
        && (first.distance(two).abs() <= zone || second.distance(one).abs() <= zone)
}

/// The box around the faces of each plane, by [`PlaneId`].
#[derive(Debug)]
pub(in crate::paths) struct PlaneBoxes(Vec<[DVec3; 2]>);

impl PlaneBoxes {
    /// Whether a point of a plane is near one of the plane's faces.
    pub(in crate::paths) fn hold(&self, plane: PlaneId, point: DVec3) -> bool {
        let [low, high] = self.0[plane.index()];
        point.cmpge(low).all() && point.cmple(high).all()
    }

    pub(in crate::paths) fn new(scene: &Scene) -> Self {
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
}
