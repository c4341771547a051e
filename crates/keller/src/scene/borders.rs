//! Borders: the sides at which faces end, cut where others end on them.

use glam::DVec3;
use rayon::prelude::*;
use smallvec::SmallVec;

use super::cuts::{Piece, cut_at_vertices};
use super::regions::{Side, Sides};
use super::{FaceId, Scene};
use crate::Error;
use crate::control::Part;
use crate::geometry::tolerance::{COPLANAR_DISTANCE, WELD_DISTANCE};

/// The border of one face between two vertices.
#[derive(Debug, Clone, Copy)]
pub(super) struct Border {
    pub(super) ends: [u32; 2],
    pub(super) face: FaceId,
    /// Unit vector in the face, away from the border and into the face.
    pub(super) inward: DVec3,
    /// Its origin: the number of a side before borders are cut, then of a border.
    pub(super) number: u32,
}

/// The sides at which a face ends. A side is none of them if two triangles of one plane share it and lie on either side
/// of it.
pub(super) fn borders(scene: &Scene, sides: &Sides, part: Part<'_>) -> Result<Vec<Side>, Error> {
    let found = sides.by_edge(part, |edge, found: &mut Vec<Side>| {
        // Most sides lie between two triangles of one face.
        let group = (0u32..).zip(edge).map(|(number, side)| Border {
            number,
            ..border(scene, side)
        });
        let group: SmallVec<[Border; 4]> = group.collect();
        let kept = without_flat_pairs(&group, scene);
        found.extend(kept.iter().map(|b| edge[b.number as usize]));
    })?;
    Ok(found.concat())
}

/// The border that a side of a triangle is.
pub(super) fn border(scene: &Scene, side: &Side) -> Border {
    let triangle = side.triangle as usize;
    let face = scene.triangle_faces[triangle];
    let [a, b] = side.ends.map(|v| scene.vertices[v as usize]);
    let third = scene.triangles[triangle]
        .into_iter()
        .find(|v| !side.ends.contains(v))
        .expect("a triangle has three corners");
    let along = (b - a).normalize();
    let normal = scene.planes[scene.faces[face.index()].plane.index()].normal;
    let across = normal.cross(along).normalize();
    let inward = if across.dot(scene.vertices[third as usize] - a) < 0.0 {
        -across
    } else {
        across
    };
    Border {
        ends: side.ends,
        face,
        inward,
        number: 0,
    }
}

/// Drops borders across which their plane continues. The rest is sorted by plane and face.
pub(super) fn without_flat_pairs(group: &[Border], scene: &Scene) -> SmallVec<[Border; 4]> {
    let plane = |b: &Border| scene.plane_of(b.face);
    let mut kept: SmallVec<[Border; 4]> = group
        .iter()
        .filter(|b| {
            !group
                .iter()
                .any(|other| plane(other) == plane(b) && other.inward.dot(b.inward) < 0.0)
        })
        .copied()
        .collect();
    kept.sort_by_key(|b| (plane(b), b.face));
    kept
}

/// Cuts borders at every border vertex within weld distance. Returns the pieces, sorted by their ends, and the number
/// of cuts.
pub(super) fn cut(
    scene: &Scene,
    borders: &[Side],
    part: Part<'_>,
) -> Result<(Vec<Piece>, usize), Error> {
    let lines: Vec<[u32; 2]> = borders.iter().map(|border| border.ends).collect();
    let (mut pieces, num_cuts) = cut_at_vertices(&lines, &scene.vertices, part)?;
    let face = |piece: &Piece| scene.triangle_faces[borders[piece.line as usize].triangle as usize];
    pieces.par_sort_by(|a, b| a.ends.cmp(&b.ends).then_with(|| face(a).cmp(&face(b))));
    Ok((pieces, num_cuts))
}

/// Whether the centre of a border piece lies on a face that does not end there.
pub(super) fn lies_on_further_face(group: &[Border], scene: &Scene) -> bool {
    let [a, b] = group[0].ends.map(|v| scene.vertices[v as usize]);
    let centre = 0.5 * (a + b);
    scene.any_face_near(centre, COPLANAR_DISTANCE + WELD_DISTANCE, |face| {
        group.iter().all(|b| b.face != face)
    })
}
