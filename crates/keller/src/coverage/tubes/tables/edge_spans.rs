//! The stretches of every edge between the faces that pierce or bury it, as a table.
//!
//! A house on a slope has edges that are open above the ground and buried below it. A tube that left both parts of such
//! an edge would have corner rays on both sides of the ground, and none of them might meet the ground between them, in
//! front of the house. So each stretch counts as an edge of its own.
//!
//! Cost: one ray and one query along each edge.

use crate::coverage::tubes::tube::edge_image::oriented;
use crate::geometry::tolerance::MIN_STRETCH_LENGTH;
use crate::parallel;
use crate::scene::{Crossing, Edge, EdgeId, Scene};

/// Stretches end this far before the piercing face, metres, so that their last rays begin in the open.
const OFF_FACE: f64 = 1e-4;

/// Edges that a thread takes at a time.
const AT_ONCE: usize = 64;

/// The stretches of every edge.
#[derive(Debug, Default)]
pub(in crate::coverage::tubes) struct EdgeSpans {
    /// The index in `spans` at which the stretches of each edge start.
    first: Vec<u32>,
    spans: Vec<[f64; 2]>,
}

impl EdgeSpans {
    pub(in crate::coverage::tubes) fn new(scene: &Scene) -> Self {
        let of_edge = |edge: usize| spans(scene, EdgeId::from_index(edge));
        let of_edges: Vec<Vec<[f64; 2]>> =
            parallel::map_cheap(scene.edges().len(), AT_ONCE, of_edge);
        let mut first = vec![0];
        let mut spans = Vec::with_capacity(of_edges.len());
        for of_edge in of_edges {
            spans.extend(of_edge);
            first.push(u32::try_from(spans.len()).unwrap_or(u32::MAX));
        }
        Self { first, spans }
    }

    /// The stretches of an edge, each with its start and end along the edge, metres from the first of its oriented
    /// ends.
    pub(in crate::coverage::tubes) fn of(&self, edge: EdgeId) -> &[[f64; 2]] {
        let [from, to] = [0, 1].map(|k| self.first[edge.index() + k] as usize);
        &self.spans[from..to]
    }
}

fn spans(scene: &Scene, id: EdgeId) -> Vec<[f64; 2]> {
    let edge: &Edge = &scene.edges()[id.index()];
    let length = edge.length();
    let [from, to] = oriented(edge);
    let mut skip = scene.planes_behind(id).to_vec();
    skip.extend(edge.faces.iter().flatten().map(|&f| scene.plane_of(f)));
    let mut crossings: Vec<Crossing> = Vec::new();
    let all = scene.crossings(from, to, &skip, usize::MAX, &mut crossings);
    assert!(all.is_some(), "there is no limit");
    let pierced = crossings.iter().map(|crossing| crossing.t * length);
    let pierced =
        pierced.filter(|at| *at > MIN_STRETCH_LENGTH && *at < length - MIN_STRETCH_LENGTH);
    let mut closed: Vec<[f64; 2]> = pierced.map(|at| [at - OFF_FACE, at + OFF_FACE]).collect();
    let is_turned = from != edge.ends[0];
    closed.extend(scene.buried_stretches(id).into_iter().map(|[start, end]| {
        if is_turned {
            [length - end, length - start]
        } else {
            [start, end]
        }
    }));
    closed.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut spans = Vec::new();
    let mut start = 0.0;
    for [from, to] in closed.into_iter().chain([[length, length]]) {
        if from - start > MIN_STRETCH_LENGTH {
            spans.push([start, from]);
        }
        start = to.max(start);
    }
    spans
}
