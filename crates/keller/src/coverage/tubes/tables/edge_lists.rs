//! The edges of every face of the scene, or of every plane, as a table.

use crate::scene::{EdgeId, FaceId, Scene};

/// Lists of edges by the number of the face or plane that they end.
#[derive(Debug, Default)]
pub(in crate::coverage::tubes) struct EdgeLists {
    /// The index in `edges` at which each list starts.
    first: Vec<u32>,
    edges: Vec<EdgeId>,
}

impl EdgeLists {
    /// The edges of every face.
    pub(in crate::coverage::tubes) fn of_faces(scene: &Scene) -> Self {
        Self::new(scene, scene.faces().len(), FaceId::index)
    }

    /// The edges of the faces of every plane.
    pub(in crate::coverage::tubes) fn of_planes(scene: &Scene) -> Self {
        let plane = |face| scene.plane_of(face).index();
        Self::new(scene, scene.planes().len(), plane)
    }

    fn new(scene: &Scene, count: usize, number: impl Fn(FaceId) -> usize) -> Self {
        let mut pairs: Vec<(usize, EdgeId)> = Vec::new();
        for (id, edge) in (0..).map(EdgeId::from_index).zip(scene.edges()) {
            let faces = edge.faces.into_iter().flatten();
            pairs.extend(faces.map(|face| (number(face), id)));
        }
        pairs.sort_unstable();
        let mut first = vec![0; count + 1];
        for (number, _) in &pairs {
            first[number + 1] += 1;
        }
        for number in 1..first.len() {
            first[number] += first[number - 1];
        }
        Self {
            first,
            edges: pairs.into_iter().map(|(_, edge)| edge).collect(),
        }
    }

    pub(in crate::coverage::tubes) fn of(&self, number: usize) -> &[EdgeId] {
        let [from, to] = [0, 1].map(|k| self.first[number + k] as usize);
        &self.edges[from..to]
    }
}
