//! Creases: borders at which the angle between two faces is too small for a wedge.
//!
//! The pass that finds the edges of a scene finds them on its way. For a scene from elsewhere, and for one whose wedges of terrain were
//! left out, they are found anew.

use std::f64::consts::FRAC_PI_2;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::borders::{self, Border};
use super::cuts::Piece;
use super::regions::Sides;
use super::{FaceId, Scene};
use crate::control::Part;
use crate::geometry::tolerance::{FLAT_WEDGE_ANGLE, SAME_PLANE_SINE};
use crate::{Control, Stage, parallel};

/// A straight piece of the border between two facets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Crease {
    /// Vertices.
    pub(super) ends: [u32; 2],
    pub(super) faces: [FaceId; 2],
    /// Whether each face lies on the side of `normal x along` of its plane, seen from the crease.
    pub(super) is_left: [bool; 2],
}

/// The borders at which two faces meet at an angle, and are no wedge.
pub(super) fn creases(scene: &Scene) -> Vec<Crease> {
    let control = Control::default();
    let part = Part::new(&control, Stage::Scene, 0.0, 1.0);
    let never = "nobody cancels it";
    let sides = Sides::new(&scene.triangles, scene.vertices.len());
    let sides_of_faces = borders::borders(scene, &sides, part).expect(never);
    drop(sides);
    let (pieces, _) = borders::cut(scene, &sides_of_faces, part).expect(never);
    // Wedges of terrain that were left out.
    let wedges: FxHashSet<[Option<FaceId>; 2]> = scene.edges.iter().map(|e| e.faces).collect();
    let is_left_out = |faces: [FaceId; 2]| {
        let either = [faces, [faces[1], faces[0]]].map(|pair| pair.map(Some));
        !either.iter().any(|pair| wedges.contains(pair))
            && faces.iter().all(|face| scene.terrain_of(*face).is_some())
    };
    let groups: Vec<&[Piece]> = pieces.chunk_by(|a, b| a.ends == b.ends).collect();
    let found = |same: &[Piece]| {
        let all: SmallVec<[Border; 4]> = same
            .iter()
            .map(|piece| Border {
                ends: piece.ends,
                ..borders::border(scene, &sides_of_faces[piece.line as usize])
            })
            .collect();
        let mut group = borders::without_flat_pairs(&all, scene);
        if group.len() < all.len() {
            return None;
        }
        group.dedup_by_key(|b| scene.plane_of(b.face));
        crease(scene, &all, &group, is_left_out)
    };
    parallel::flat_map(groups.len(), |n, creases| creases.extend(found(groups[n])))
}

/// The crease that all borders between two vertices form, if any: `group` has one border for each of their planes.
pub(super) fn crease(
    scene: &Scene,
    all: &[Border],
    group: &[Border],
    is_left_out: impl FnOnce([FaceId; 2]) -> bool,
) -> Option<Crease> {
    let [first, second] = group else {
        return None;
    };
    let (to, from) = (first.inward, -second.inward);
    let angle = to.cross(from).length().atan2(to.dot(from));
    let faces = [first.face, second.face];
    let is_joint = angle > SAME_PLANE_SINE
        && (angle < FLAT_WEDGE_ANGLE || (angle < FRAC_PI_2 && is_left_out(faces)))
        && !borders::lies_on_further_face(all, scene);
    let [a, b] = first.ends.map(|v| scene.vertices[v as usize]);
    let is_left = [first, second].map(|border| {
        let normal = scene.plane(scene.plane_of(border.face)).normal;
        normal.cross(b - a).dot(border.inward) > 0.0
    });
    is_joint.then_some(Crease {
        ends: first.ends,
        faces,
        is_left,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Mesh;
    use glam::DVec3;

    /// A vault of narrow facets, of which every second one is cut in two across, so that vertices lie in the middle of creases.
    #[test]
    fn creases_are_the_same_with_edges_and_anew() {
        let mut mesh = Mesh::default();
        let corner = |k: u32, y: f64| {
            let (sin, cos) = (0.008 * f64::from(k)).sin_cos();
            DVec3::new(100.0 * sin, y, 100.0 * cos)
        };
        let mut add = |k: u32, [low, high]: [f64; 2]| {
            let corners = [(k, low), (k + 1, low), (k + 1, high), (k, high)];
            mesh.add_polygon("wall", &corners.map(|(k, y)| corner(k, y)));
        };
        for k in 0..12 {
            if k % 2 == 0 {
                add(k, [0.0, 7.0]);
            } else {
                add(k, [0.0, 3.0]);
                add(k, [3.0, 7.0]);
            }
        }
        let scene = Scene::new(&mesh).unwrap();
        let anew = creases(&scene);
        // Each of the eleven creases is cut at 3 m.
        assert_eq!(anew.len(), 22);
        assert_eq!(scene.joints().creases(), anew);
    }
}
