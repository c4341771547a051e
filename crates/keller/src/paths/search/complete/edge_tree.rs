//! The edges visible from one point, sorted by position, for beams that ask which of them they may reach.

use glam::DVec3;

use super::bounds::Bounds;
use super::bsp::count;
use super::edges::SeenEdge;
use super::pyramid::Pyramid;
use crate::paths::search::views::{EdgeView, Views};
use crate::scene::{EdgeId, Scene};

/// Edges in a leaf.
const LEAF: usize = 4;

/// The edges visible from one point without reflections, in a tree of boxes.
#[derive(Debug)]
pub(in crate::paths) struct EdgeTree {
    nodes: Vec<Node>,
    edges: Vec<Item>,
}

/// A box around the items `first..end`; `skip` is the first node after its subtree.
#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Bounds,
    skip: u32,
    /// An empty range in inner nodes.
    first: u32,
    end: u32,
}

/// An edge's visible part, relative to the partition's origin.
#[derive(Debug, Clone, Copy)]
struct Item {
    seen: SeenEdge,
    ends: [DVec3; 2],
}

impl EdgeTree {
    /// The edges visible by node 0 of `views`, that is, without reflections.
    pub(super) fn new(scene: &Scene, origin: DVec3, views: &Views) -> Self {
        let mut edges: Vec<Item> = views
            .edges
            .iter()
            .filter(|view| view.node == 0)
            .map(|view| {
                let edge = &scene.edges()[view.edge.index()];
                let at = |t: f64| edge.ends[0] + t * edge.along() - origin;
                Item {
                    seen: SeenEdge {
                        edge: count(view.edge.index()),
                        interval: view.interval,
                    },
                    ends: view.interval.map(at),
                }
            })
            .collect();
        let mut nodes = Vec::new();
        if !edges.is_empty() {
            build(&mut edges, 0, &mut nodes);
        }
        Self { nodes, edges }
    }

    /// All edges, as visible without reflections.
    pub(super) fn views(&self) -> impl Iterator<Item = EdgeView> {
        let mut all: Vec<SeenEdge> = self.edges.iter().map(|item| item.seen).collect();
        all.sort_unstable_by_key(|seen| seen.edge);
        all.into_iter().map(|seen| EdgeView {
            edge: EdgeId::from_index(seen.edge as usize),
            node: 0,
            interval: seen.interval,
        })
    }

    /// Adds the edges that may have a point in the pyramid.
    pub(super) fn meet(&self, pyramid: &Pyramid, seen: &mut Vec<SeenEdge>) {
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if !pyramid.may_meet(&node.bounds) {
                at = node.skip as usize;
                continue;
            }
            for item in &self.edges[node.first as usize..node.end as usize] {
                if let Some([from, to]) = pyramid.clip(item.ends) {
                    let [low, high] = item.seen.interval;
                    seen.push(SeenEdge {
                        edge: item.seen.edge,
                        interval: [low + from * (high - low), low + to * (high - low)],
                    });
                }
            }
            at += 1;
        }
    }
}

/// Appends the subtree of `edges`, the first of which has the index `first` among all items.
fn build(edges: &mut [Item], first: usize, nodes: &mut Vec<Node>) {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for end in edges.iter().flat_map(|item| item.ends) {
        (low, high) = (low.min(end), high.max(end));
    }
    let node = nodes.len();
    let is_leaf = edges.len() <= LEAF;
    nodes.push(Node {
        bounds: Bounds::new(low, high),
        skip: 0,
        first: count(first),
        end: count(if is_leaf { first + edges.len() } else { first }),
    });
    if !is_leaf {
        let size = high - low;
        let axis = if size.x >= size.y && size.x >= size.z {
            DVec3::X
        } else if size.y >= size.z {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let key = |item: &Item| axis.dot(item.ends[0] + item.ends[1]);
        let half = edges.len() / 2;
        edges.sort_by(|a, b| key(a).total_cmp(&key(b)));
        let (left, right) = edges.split_at_mut(half);
        build(left, first, nodes);
        build(right, first + half, nodes);
    }
    nodes[node].skip = count(nodes.len());
}
