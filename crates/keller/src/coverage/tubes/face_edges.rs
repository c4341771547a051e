//! The edges of every face of the scene, as a table.

use crate::scene::{EdgeId, FaceId, Scene};

/// The edges of every face.
#[derive(Debug)]
pub(super) struct FaceEdges {
    /// Where the edges of each face start in the list.
    first: Vec<u32>,
    edges: Vec<EdgeId>,
}

impl FaceEdges {
    pub(super) fn new(scene: &Scene) -> Self {
        let mut pairs: Vec<(FaceId, EdgeId)> = Vec::new();
        for (id, edge) in (0..).map(EdgeId::from_index).zip(scene.edges()) {
            pairs.extend(edge.faces.into_iter().flatten().map(|face| (face, id)));
        }
        pairs.sort_unstable();
        let mut first = vec![0; scene.faces().len() + 1];
        for (face, _) in &pairs {
            first[face.index() + 1] += 1;
        }
        for face in 1..first.len() {
            first[face] += first[face - 1];
        }
        Self {
            first,
            edges: pairs.into_iter().map(|(_, edge)| edge).collect(),
        }
    }

    pub(super) fn of(&self, face: FaceId) -> &[EdgeId] {
        let [from, to] = [0, 1].map(|k| self.first[face.index() + k] as usize);
        &self.edges[from..to]
    }
}
