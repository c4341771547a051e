//! The edges near which a ray passes when it meets a face.

use glam::DVec3;

use crate::paths::Limits;
use crate::paths::search::tree_builder::MetFace;
use crate::paths::search::views::{EdgeView, Views, diffracting_edges};
use crate::scene::{Edge, EdgeId, FaceId, Scene};

/// Faces with more edges than this share none with their neighbours. They are large, so rays do not miss them.
const MAX_EDGES: usize = 50;

fn line(edge: &Edge) -> EdgeSegment {
    EdgeSegment {
        start: edge.ends[0],
        along: edge.along(),
        length: edge.length(),
    }
}

/// The smallest number of reflections by which the other end of all paths sees each edge, and any edge of each face;
/// `u32::MAX` if it does not.
#[derive(Debug)]
pub(in super::super) struct OtherEnd {
    edges: Vec<u32>,
    faces: Vec<u32>,
}

impl OtherEnd {
    /// Whether a path of at most `max_reflections` reflections may reach an edge of a face with `depth` of them.
    pub(super) fn meets_face(&self, face: FaceId, depth: usize, max_reflections: usize) -> bool {
        depth.saturating_add(self.faces[face.index()] as usize) <= max_reflections
    }

    /// Whether paths meet this edge after `depth` reflections and have at most `max_reflections` in total.
    pub(super) fn meets_edge(&self, edge: EdgeId, depth: usize, max_reflections: usize) -> bool {
        depth.saturating_add(self.edges[edge.index()] as usize) <= max_reflections
    }
}

/// The edges of every face, and of its neighbours.
#[derive(Debug, Default)]
pub(in super::super) struct FaceEdges {
    /// The index in `edges` at which each face's edges begin, and the end of the last.
    starts: Vec<u32>,
    edges: Vec<EdgeId>,
    /// The line segment of each edge of the scene.
    lines: Vec<EdgeSegment>,
}

#[derive(Debug, Clone, Copy)]
struct EdgeSegment {
    start: DVec3,
    along: DVec3,
    length: f64,
}

impl FaceEdges {
    /// The table for the edges that may diffract within `limits`.
    pub(in super::super) fn new(scene: &Scene, limits: &Limits) -> Self {
        let mut pairs: Vec<(FaceId, EdgeId)> = Vec::new();
        if limits.max_diffractions > 0 {
            for id in diffracting_edges(scene, limits) {
                let faces = scene.edges()[id.index()].faces;
                pairs.extend(faces.into_iter().flatten().map(|face| (face, id)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let own = Self::from_pairs(scene, &pairs);
        // A face that a ray barely misses is a neighbour of the face that it meets.
        let mut of_neighbours = Vec::new();
        for &(face, edge) in pairs.iter().filter(|p| own.of(p.0).len() <= MAX_EDGES) {
            let neighbours = scene.edges()[edge.index()].faces.into_iter().flatten();
            for neighbour in neighbours.filter(|&n| n != face) {
                let edges = own.of(neighbour);
                if edges.len() <= MAX_EDGES {
                    of_neighbours.extend(edges.iter().map(|&edge| (face, edge)));
                }
            }
        }
        pairs.extend(of_neighbours);
        pairs.sort_unstable();
        pairs.dedup();
        Self::from_pairs(scene, &pairs)
    }

    /// The table from sorted pairs.
    fn from_pairs(scene: &Scene, pairs: &[(FaceId, EdgeId)]) -> Self {
        let start = |face: usize| {
            let before = pairs.partition_point(|&(f, _)| f.index() < face);
            u32::try_from(before).expect("fewer than 2^32 edges")
        };
        Self {
            starts: (0..=scene.faces().len()).map(start).collect(),
            edges: pairs.iter().map(|&(_, edge)| edge).collect(),
            lines: scene.edges().iter().map(line).collect(),
        }
    }

    fn of(&self, face: FaceId) -> &[EdgeId] {
        let (start, end) = (self.starts[face.index()], self.starts[face.index() + 1]);
        &self.edges[start as usize..end as usize]
    }

    /// The other end of all paths, given by the edges visible from it.
    pub(in super::super) fn other_end(&self, scene: &Scene, views: &Views) -> OtherEnd {
        let mut edges = vec![u32::MAX; scene.edges().len()];
        for view in &views.edges {
            let fewest = &mut edges[view.edge.index()];
            *fewest = (*fewest).min(views.tree.nodes[view.node as usize].depth);
        }
        let faces = (0..scene.faces().len()).map(|face| {
            let own = self.of(FaceId::from_index(face)).iter();
            own.map(|edge| edges[edge.index()])
                .min()
                .unwrap_or(u32::MAX)
        });
        OtherEnd {
            faces: faces.collect(),
            edges,
        }
    }

    /// The edges of the faces that sequences meet, and the parts of them near the hits. `faces` is in order.
    pub(super) fn views(&self, scene: &Scene, faces: &[MetFace]) -> Vec<EdgeView> {
        let mut views: Vec<EdgeView> = Vec::new();
        // The index of the latest view of each edge.
        let mut latest = vec![usize::MAX; scene.edges().len()];
        for met in faces {
            let centre = 0.5 * (met.low + met.high).as_dvec3() + scene.origin();
            let half = 0.5 * (met.high - met.low).as_dvec3();
            for &edge in self.of(met.face) {
                let line = &self.lines[edge.index()];
                let t = (centre - line.start).dot(line.along);
                let reach = half.dot(line.along.abs());
                let interval = [(t - reach).max(0.0), (t + reach).min(line.length)];
                if interval[0] > interval[1] {
                    continue;
                }
                let latest = &mut latest[edge.index()];
                match views.get_mut(*latest) {
                    Some(known) if known.node == met.node => {
                        known.interval[0] = known.interval[0].min(interval[0]);
                        known.interval[1] = known.interval[1].max(interval[1]);
                    }
                    _ => {
                        *latest = views.len();
                        views.push(EdgeView {
                            edge,
                            node: met.node,
                            interval,
                        });
                    }
                }
            }
        }
        views
    }
}
