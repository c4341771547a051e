//! The edges visible from one end of a path, edge by edge.

use std::ops::Range;

use crate::geometry::tolerance::{ON_FACE_DISTANCE, TIE_DISTANCE};
use crate::paths::job::Job;
use crate::paths::search::views::{EdgeView, Views, diffracting_edges, guesses_edges};
use crate::paths::solve::edge_line::EdgeCoordinates;
use crate::scene::Scene;

/// The views of one end, edge by edge, those by few reflections first.
#[derive(Debug, Default)]
pub(in crate::paths) struct SeenEdges {
    /// The index in `entries` at which the entries of each edge begin, and the end of the last.
    starts: Vec<u32>,
    entries: Vec<ViewedEdge>,
    /// The edges that have entries.
    edges: Vec<u32>,
}

/// An edge as visible by one sequence of reflecting planes.
#[derive(Debug, Clone, Copy)]
pub(in crate::paths) struct ViewedEdge {
    pub(in crate::paths) edge: u32,
    pub(in crate::paths) depth: u32,
    pub(in crate::paths) node: u32,
    /// The image of the end, in coordinates of the edge.
    pub(super) at_edge: EdgeCoordinates,
    /// The visible interval along the edge, metres.
    pub(super) interval: [f64; 2],
}

impl SeenEdges {
    pub(in crate::paths) fn new(job: &Job, views: &Views) -> Self {
        let scene = job.scene;
        let max_reflections = job.limits.reflections_beside_diffraction().unwrap_or(0);
        let mut entries: Vec<ViewedEdge> = Vec::with_capacity(views.edges.len());
        for view in &views.edges {
            entries.extend(ViewedEdge::new(scene, views, view, max_reflections));
        }
        if !views.has_all_direct && guesses_edges(scene) {
            let mut is_met = vec![false; scene.edges().len()];
            for view in views.edges.iter().filter(|view| view.node == 0) {
                is_met[view.edge.index()] = true;
            }
            for edge in diffracting_edges(scene, job.limits).filter(|e| !is_met[e.index()]) {
                let view = EdgeView {
                    edge,
                    node: 0,
                    interval: [0.0, scene.edges()[edge.index()].length()],
                };
                entries.extend(ViewedEdge::new(scene, views, &view, max_reflections));
            }
        }
        let (starts, entries) = by_edge(entries, scene.edges().len());
        let mut edges: Vec<u32> = entries.iter().map(|seen| seen.edge).collect();
        edges.dedup();
        Self {
            starts,
            entries,
            edges,
        }
    }

    /// The entries of an edge.
    pub(super) fn of(&self, edge: usize) -> &[ViewedEdge] {
        &self.entries[self.range(edge)]
    }

    /// The range of an edge's entries among all entries.
    pub(super) fn range(&self, edge: usize) -> Range<usize> {
        self.starts[edge] as usize..self.starts[edge + 1] as usize
    }

    /// The edges that have entries, in order.
    pub(super) fn edges(&self) -> &[u32] {
        &self.edges
    }

    pub(in crate::paths) fn entries(&self) -> &[ViewedEdge] {
        &self.entries
    }
}

/// Sorts the entries by edge, then by depth and node. Also returns where the entries of each edge begin.
fn by_edge(mut entries: Vec<ViewedEdge>, num_edges: usize) -> (Vec<u32>, Vec<ViewedEdge>) {
    let order = |seen: &ViewedEdge| (seen.depth, seen.node);
    if !entries.is_sorted_by_key(order) {
        entries.sort_unstable_by_key(|seen| (seen.depth, seen.node, seen.edge));
    }
    let mut starts = vec![0_u32; num_edges + 1];
    for seen in &entries {
        starts[seen.edge as usize + 1] += 1;
    }
    for i in 1..starts.len() {
        starts[i] += starts[i - 1];
    }
    let mut next = starts.clone();
    let mut numbers = vec![0_u32; entries.len()];
    for (i, seen) in (0..).zip(&entries) {
        let at = &mut next[seen.edge as usize];
        numbers[*at as usize] = i;
        *at += 1;
    }
    let sorted = numbers.into_iter().map(|i| entries[i as usize]).collect();
    (starts, sorted)
}

impl ViewedEdge {
    /// The entry of a view, if at most `max_reflections` reflections lead to it and the edge is open towards the image.
    fn new(scene: &Scene, views: &Views, view: &EdgeView, max_reflections: usize) -> Option<Self> {
        let edge = &scene.edges()[view.edge.index()];
        let node = &views.tree.nodes[view.node as usize];
        let is_on_plane = view.node != 0
            && edge
                .faces
                .iter()
                .flatten()
                .any(|&face| scene.plane_of(face) == node.plane);
        let is_seen = node.depth as usize <= max_reflections
            && !is_on_plane
            && edge.is_open_towards(node.image - edge.ends[0], ON_FACE_DISTANCE);
        is_seen.then(|| Self {
            edge: u32::try_from(view.edge.index()).expect("edges fit in 32 bits"),
            depth: node.depth,
            node: view.node,
            at_edge: EdgeCoordinates::new(node.image, edge.ends[0], edge.along()),
            // The ends of an edge are left to validation.
            interval: [
                view.interval[0] - TIE_DISTANCE,
                view.interval[1] + TIE_DISTANCE,
            ],
        })
    }
}
