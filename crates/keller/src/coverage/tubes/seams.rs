//! The borders of faces that diffract nothing, yet part what lies behind them: where the facades of two houses make one
//! plane, and where a wall between rooms meets a facade from behind.
//!
//! Edges of the scene are wedges and free borders. A tube that is cut along these alone would pass two houses at once
//! where their facades are flush, with the losses of one of them.

use std::cmp::Ordering;

use glam::DVec3;

use super::edge_lists::EdgeLists;
use crate::scene::{Edge, FaceId, Scene};

/// Faces with more seams than this have none, because each tube would test all of them.
const MAX_SEAMS: usize = 64;

/// A point this far from a line lies on it, metres.
const ON_LINE: f64 = 1e-4;

/// The seams of every face, as a table.
#[derive(Debug, Default)]
pub(super) struct Seams {
    /// Where those of each face start.
    first: Vec<u32>,
    ends: Vec<[DVec3; 2]>,
}

impl Seams {
    pub(super) fn new(scene: &Scene, face_edges: &EdgeLists) -> Self {
        let mut sides: Vec<([u32; 2], FaceId)> = Vec::with_capacity(3 * scene.triangles().len());
        for (&[a, b, c], &face) in scene.triangles().iter().zip(scene.triangle_faces()) {
            sides.extend([[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], face)));
        }
        sides.sort_unstable();
        let mut found: Vec<(FaceId, [DVec3; 2])> = Vec::new();
        for group in sides.chunk_by(|a, b| a.0 == b.0) {
            let mut ends = group[0].0.map(|vertex| scene.vertices()[vertex as usize]);
            ends.sort_by(|a, b| by_place(*a, *b));
            for of_face in group.chunk_by(|a, b| a.1 == b.1) {
                let face = of_face[0].1;
                let edges = face_edges.of(face.index()).iter();
                let mut edges = edges.map(|edge| &scene.edges()[edge.index()]);
                if of_face.len() == 1 && !edges.any(|edge| covers(edge, ends)) {
                    found.push((face, ends));
                }
            }
        }
        found.sort_by(|(a, [a_low, a_high]), (b, [b_low, b_high])| {
            let by_ends = || by_place(*a_low, *b_low).then(by_place(*a_high, *b_high));
            a.cmp(b).then_with(by_ends)
        });
        let mut first = vec![0; scene.faces().len() + 1];
        let mut ends = Vec::new();
        for group in found.chunk_by(|a, b| a.0 == b.0) {
            if group.len() <= MAX_SEAMS {
                ends.extend(group.iter().map(|(_, ends)| *ends));
                first[group[0].0.index() + 1] = u32::try_from(group.len()).unwrap_or_default();
            }
        }
        for face in 1..first.len() {
            first[face] += first[face - 1];
        }
        Self { first, ends }
    }

    /// The ends of the seams of a face, metres.
    pub(super) fn of(&self, face: FaceId) -> &[[DVec3; 2]] {
        let [from, to] = [0, 1].map(|k| self.first[face.index() + k] as usize);
        &self.ends[from..to]
    }
}

/// An order that does not depend on numbers of vertices.
fn by_place(a: DVec3, b: DVec3) -> Ordering {
    let pairs = a.to_array().into_iter().zip(b.to_array());
    let mut orders = pairs.map(|(a, b)| a.total_cmp(&b));
    orders
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Whether a line runs along an edge.
fn covers(edge: &Edge, ends: [DVec3; 2]) -> bool {
    let along = edge.along();
    let length = edge.length();
    ends.iter().all(|end| {
        let away = *end - edge.ends[0];
        let at = away.dot(along);
        (-ON_LINE..length + ON_LINE).contains(&at) && (away - at * along).length() < ON_LINE
    })
}
