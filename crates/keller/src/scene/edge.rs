//! One edge of a scene, and the planes of further faces that end at edges.

use glam::DVec3;

use super::{FaceId, PlaneId};

/// A straight line along which a wave can diffract.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Both ends, metres.
    pub ends: [DVec3; 2],
    /// The face, or the two faces, that end here.
    pub faces: [Option<FaceId>; 2],
    /// The angle of the open space around the edge, radians: between pi and 2 pi for a wedge, 2 pi for a free edge.
    pub exterior_angle: f64,
    /// Unit vector in the first face, perpendicular to the edge and away from it. Angles around the edge start here.
    pub inward: DVec3,
    /// Unit normal of the first face on its open side. Angles around the edge grow towards it.
    pub outward: DVec3,
    /// Unit normal on its open side of the second face, or of the other side of a single face.
    pub second_outward: DVec3,
}

impl Edge {
    /// Whether two faces meet here.
    pub fn is_wedge(&self) -> bool {
        self.faces[1].is_some()
    }

    /// Length, metres.
    pub fn length(&self) -> f64 {
        self.ends[0].distance(self.ends[1])
    }

    /// Unit vector from its first end to its second.
    pub fn along(&self) -> DVec3 {
        (self.ends[1] - self.ends[0]).normalize()
    }

    /// Unit vectors from the edge into its faces, perpendicular to it; both are the same at a free edge.
    pub fn inwards(&self) -> [DVec3; 2] {
        let [a, b] = [self.inward, self.outward];
        // The second face seen from the edge is its normal turned by a right angle.
        [
            a,
            b * self.second_outward.dot(a) - a * self.second_outward.dot(b),
        ]
    }

    /// Whether a vector from the edge runs along one of its faces, at most `distance` metres off the face.
    pub fn is_along_face(&self, to: DVec3, distance: f64) -> bool {
        let [first, second] = self.inwards();
        [(first, self.outward), (second, self.second_outward)]
            .iter()
            .any(|(inward, outward)| to.dot(*inward) > 0.0 && to.dot(*outward).abs() <= distance)
    }

    /// Whether a vector from the edge points more than `depth` metres into the open space around the edge, and not into
    /// the wedge.
    pub fn is_open_towards(&self, to: DVec3, depth: f64) -> bool {
        to.dot(self.outward) >= -depth || to.dot(self.second_outward) >= -depth
    }
}

/// Planes of further faces that end at edges. Few edges have any.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Others {
    /// The edges, sorted, one entry for each plane.
    pub(super) edges: Vec<u32>,
    /// The plane of each entry, sorted for each edge.
    pub(super) planes: Vec<PlaneId>,
}

impl Others {
    /// The planes of an edge, sorted.
    pub(super) fn of(&self, edge: usize) -> &[PlaneId] {
        let first = self.edges.partition_point(|e| (*e as usize) < edge);
        let len = self.edges[first..].partition_point(|e| *e as usize == edge);
        &self.planes[first..first + len]
    }

    pub(super) fn push(&mut self, edge: usize, plane: PlaneId) {
        let edge = u32::try_from(edge).expect("fewer than 2^32 edges");
        self.edges.push(edge);
        self.planes.push(plane);
    }
}

/// The directions around an edge from which angles are measured, perpendicular to the edge and to each other.
pub(super) fn frame(ends: [DVec3; 2], inward: DVec3, open_side: DVec3) -> [DVec3; 2] {
    let along = (ends[1] - ends[0]).normalize();
    let inward = (inward - inward.dot(along) * along).normalize();
    let outward = along.cross(inward);
    [inward, outward * outward.dot(open_side).signum()]
}
