//! Waves that travel along a wall from one of the wall's own edges. Their incident and reflected waves are one.
//!
//! Theory page: `surfaces`.

use glam::DVec3;

use super::{Path, Vertex};
use crate::geometry::tolerance::SHARED_PLANE_DISTANCE;
use crate::scene::{EdgeId, FaceId, PlaneId, Scene};

/// A wave that travels along a wall from one of the wall's edges.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AlongWall {
    /// Unit normal of the wall on the side on which the wave travels.
    pub(crate) outwards: DVec3,
    /// The index of the diffraction among the path's vertices.
    pub(crate) diffraction: usize,
}

impl AlongWall {
    /// The arrival of a path along the plane in which its end lies; `None` if it arrives from a side, or along the
    /// plane but not from one of its edges.
    pub(crate) fn of(scene: &Scene, path: &Path, plane: PlaneId) -> Option<Self> {
        let edge = |vertex: &Vertex| vertex.interaction.edge();
        let diffraction = path.vertices.iter().rposition(|v| edge(v).is_some())?;
        let id = edge(&path.vertices[diffraction])?;
        let from = path.vertices[diffraction].point;
        let behind = path.vertices[diffraction + 1..].iter();
        let mut points = behind.map(|i| i.point).chain([path.rx_position]);
        let first = points.next()?;
        let (outwards, other) = sides_along(scene, id, plane, first - from)?;
        let plane = scene.plane(plane);
        let is_near = |point: DVec3| plane.distance(point).abs() < SHARED_PLANE_DISTANCE;
        // The side of a sheet is that on which the path ends.
        let is_before = |n: &DVec3| plane.distance(path.rx_position) * plane.normal.dot(*n) > 0.0;
        points.all(is_near).then(|| Self {
            outwards: other.filter(is_before).unwrap_or(outwards),
            diffraction,
        })
    }
}

/// The unit normal of an edge's face in `plane`, on its open side, if the vector `to` from the edge runs along that
/// face. At a sheet it gives the normals of both sides.
pub(super) fn sides_along(
    scene: &Scene,
    id: EdgeId,
    plane: PlaneId,
    to: DVec3,
) -> Option<(DVec3, Option<DVec3>)> {
    let edge = &scene.edges()[id.index()];
    let [first, second] = [edge.outward, edge.second_outward];
    let faces = edge.faces.into_iter().zip(edge.inwards());
    let mut sides = faces.zip([
        (first, (!edge.is_wedge()).then_some(second)),
        (second, None),
    ]);
    let is_it = |face: Option<FaceId>, inward: DVec3, outward: DVec3| {
        face.is_some_and(|face| scene.plane_of(face) == plane)
            && to.dot(inward) > 0.0
            && to.dot(outward).abs() < SHARED_PLANE_DISTANCE
    };
    let along = sides.find(|((face, inward), (outward, _))| is_it(*face, *inward, *outward));
    along.map(|(_, sides)| sides)
}

/// Whether `to`, a vector from one edge to another in a plane that contains a face of each, runs on a side of that face
/// that is open around both edges. At a convex corner of a house its walls are open outside, at a concave one inside.
pub(crate) fn is_on_one_side(scene: &Scene, [from, other]: [EdgeId; 2], to: DVec3) -> bool {
    let faces = scene.edges()[from.index()].faces.into_iter().flatten();
    let mut planes = faces.map(|face| scene.plane_of(face));
    planes.all(|plane| {
        let sides = [(from, to), (other, -to)].map(|(edge, to)| {
            let (first, second) = sides_along(scene, edge, plane, to)?;
            Some([Some(first), second])
        });
        let [Some(own), Some(others)] = sides else {
            return true;
        };
        let own = own.into_iter().flatten();
        let mut pairs = own.flat_map(|n| others.into_iter().flatten().map(move |m| n.dot(m)));
        pairs.any(|cosine| cosine > 0.0)
    })
}
