//! The faces that touch each face, as a table.

use crate::scene::{FaceId, Scene};

/// Faces with more triangle sides than this have no entry, because they have too many neighbours to test.
const MAX_BORDERS: usize = 16;

/// The neighbours of every face, except of faces with very many borders.
#[derive(Debug, Default)]
pub(in crate::coverage::tubes) struct FaceNeighbours {
    /// The index in `list` at which the neighbours of each face start; empty if neighbours are not needed.
    first: Vec<u32>,
    /// Each with the two vertices of the border between.
    list: Vec<(FaceId, [u32; 2])>,
}

impl FaceNeighbours {
    pub(in crate::coverage::tubes) fn new(scene: &Scene) -> Self {
        let mut sides: Vec<([u32; 2], FaceId)> = Vec::with_capacity(3 * scene.triangles().len());
        for (&[a, b, c], &face) in scene.triangles().iter().zip(scene.triangle_faces()) {
            sides.extend([[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], face)));
        }
        sides.sort_unstable();
        let mut pairs: Vec<(FaceId, FaceId, [u32; 2])> = Vec::new();
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            for &(ends, face) in group {
                let others = group.iter().map(|(_, other)| *other);
                let others = others.filter(|o| scene.plane_of(*o) != scene.plane_of(face));
                pairs.extend(others.map(|other| (face, other, ends)));
            }
        }
        pairs.sort_unstable();
        let mut first = vec![0; scene.faces().len() + 1];
        let mut list = Vec::new();
        for group in pairs.chunk_by(|a, b| a.0 == b.0) {
            if group.len() <= MAX_BORDERS {
                list.extend(group.iter().map(|&(_, other, ends)| (other, ends)));
                first[group[0].0.index() + 1] = u32::try_from(group.len()).unwrap_or_default();
            }
        }
        for face in 1..first.len() {
            first[face] += first[face - 1];
        }
        Self { first, list }
    }

    /// The neighbours of a face in other planes, each with the two vertices of the border between.
    pub(in crate::coverage::tubes) fn of(&self, face: FaceId) -> &[(FaceId, [u32; 2])] {
        let range = self.first.get(face.index()..face.index() + 2);
        range.map_or(&[], |range| {
            &self.list[range[0] as usize..range[1] as usize]
        })
    }
}
