//! The edges that one end of a path sees, edge by edge.

use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::paths::Job;
use crate::paths::search::views::{EdgeView, Views, diffracting_edges};
use crate::paths::solve::edges::Beside;
use crate::scene::Scene;

/// In scenes of more edges than this, edges that nothing speaks for are not paired with others.
pub(super) const MOST_GUESSED: usize = 300;

/// What one end sees, edge by edge, by few mirrors first.
#[derive(Debug, Default)]
pub(super) struct SeenEdges {
    /// Where the entries of an edge begin; one more than there are edges.
    starts: Vec<u32>,
    entries: Vec<Seen>,
    /// The edges that have entries, and those that have more than guesses.
    edges: Vec<u32>,
    firm: Vec<u32>,
}

/// An edge as seen by one sequence of mirrors.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) edge: u32,
    pub(super) depth: u32,
    pub(super) node: u32,
    /// The image of the end, in coordinates of the edge.
    pub(super) beside: Beside,
    /// From where to where along the edge, metres.
    pub(super) interval: [f64; 2],
    /// Whether nothing speaks for it but that there is such an edge.
    pub(super) is_guess: bool,
}

impl SeenEdges {
    pub(super) fn new(job: &Job, views: &Views) -> Self {
        let scene = job.scene;
        let most = job.limits.reflections_beside_diffraction().unwrap_or(0);
        let mut entries: Vec<Seen> = Vec::with_capacity(views.edges.len());
        for view in &views.edges {
            entries.extend(Seen::new(scene, views, view, most));
        }
        if !views.has_all_direct {
            // Rays may miss an edge, but at the edges that are seen without mirrors one try each costs next to nothing.
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
                entries.extend(Seen::new(scene, views, &view, most).map(|seen| Seen {
                    is_guess: true,
                    ..seen
                }));
            }
        }
        entries.sort_unstable_by_key(|seen| (seen.edge, seen.depth, seen.node));
        let mut starts = vec![0_u32; scene.edges().len() + 1];
        for seen in &entries {
            starts[seen.edge as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let edges = |keep: &dyn Fn(&Seen) -> bool| {
            let kept = entries.iter().filter(|seen| keep(seen));
            let mut edges: Vec<u32> = kept.map(|seen| seen.edge).collect();
            edges.dedup();
            edges
        };
        Self {
            edges: edges(&|_| true),
            firm: edges(&|seen| !seen.is_guess),
            starts,
            entries,
        }
    }

    /// The entries of an edge.
    pub(super) fn of(&self, edge: usize) -> &[Seen] {
        &self.entries[self.starts[edge] as usize..self.starts[edge + 1] as usize]
    }

    /// The edges that have entries, in order.
    pub(super) fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// The edges that something speaks for, in order.
    pub(super) fn firm_edges(&self) -> &[u32] {
        &self.firm
    }

    pub(super) fn entries(&self) -> &[Seen] {
        &self.entries
    }
}

impl Seen {
    /// The view, if the edge can be met from there, by at most so many mirrors.
    fn new(scene: &Scene, views: &Views, view: &EdgeView, most: usize) -> Option<Self> {
        let edge = &scene.edges()[view.edge.index()];
        let node = &views.tree.nodes[view.node as usize];
        let is_on_mirror = view.node != 0
            && edge
                .faces
                .iter()
                .flatten()
                .any(|&face| scene.plane_of(face) == node.plane);
        let is_seen = node.depth as usize <= most
            && !is_on_mirror
            && edge.is_open_towards(node.image - edge.ends[0], ON_FACE_DISTANCE);
        is_seen.then(|| Self {
            edge: u32::try_from(view.edge.index()).expect("edges fit in 32 bits"),
            depth: node.depth,
            node: view.node,
            beside: Beside::new(node.image, edge.ends[0], edge.along()),
            interval: view.interval,
            is_guess: false,
        })
    }
}
