//! Turns a binary tree into one of eight-wide nodes: dynamic programming over the surface-area cost picks which binary
//! nodes become wide nodes and leaves.
//!
//! # Source
//! Ylitie, Karras and Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs" (2017), section 3.

use obvhs::bvh2::Bvh2;
use rayon::prelude::*;

use super::{
    Triangle,
    node::{Bounds, Child, MAX_LEAF, Node, Triangles},
    simd::LANES,
};

/// Cost of a wide node's visit, the unit of the others.
const NODE_COST: f32 = 1.0;

/// Cost of a leaf's visit, however many triangles it has.
const LEAF_COST: f32 = 0.6;

/// Cost of each triangle of a leaf: memory, mostly.
const TRIANGLE_COST: f32 = 0.1;

/// A count of triangles that no leaf takes.
const TOO_MANY: u8 = 9;
const _: () = assert!(
    TOO_MANY as usize == MAX_LEAF + 1,
    "one more than a leaf takes"
);

/// A tree of eight-wide nodes.
#[derive(Default)]
pub(super) struct Collapsed {
    pub(super) nodes: Vec<Node>,
    pub(super) leaves: Triangles,
    pub(super) depth: usize,
}

/// The wide form of a binary tree.
pub(super) fn collapse(tree: &Bvh2, triangles: &[Triangle]) -> Collapsed {
    let mut collapsed = Collapsed {
        leaves: Triangles::with_capacity(triangles.len()),
        ..Collapsed::default()
    };
    if !tree.nodes.is_empty() {
        Collapse::new(tree).run(triangles, &mut collapsed);
    }
    collapsed
}

/// The choice of wide nodes and leaves among the nodes of a binary tree.
struct Collapse<'a> {
    tree: &'a Bvh2,
    /// `cost[n][i - 1]`: of the subtree at binary node n if it may use up to i children of the wide node above.
    cost: Vec<[f32; LANES - 1]>,
    /// Triangles below each binary node, up to `TOO_MANY`.
    count: Vec<u8>,
}

impl<'a> Collapse<'a> {
    fn new(tree: &'a Bvh2) -> Self {
        let mut collapse = Collapse {
            tree,
            cost: vec![[0.0; LANES - 1]; tree.nodes.len()],
            count: vec![0; tree.nodes.len()],
        };
        let mut order = Vec::with_capacity(tree.nodes.len());
        let mut stack = vec![0];
        while let Some(node) = stack.pop() {
            order.push(node);
            if !tree.nodes[node as usize].is_leaf() {
                let children = tree.nodes[node as usize].first_index;
                stack.extend([children, children + 1]);
            }
        }
        for &node in order.iter().rev() {
            collapse.weigh(node as usize);
        }
        collapse
    }

    /// Fills in the cost of a node; its children are done.
    fn weigh(&mut self, node: usize) {
        let area = self.tree.nodes[node].aabb().half_area();
        if self.tree.nodes[node].is_leaf() {
            self.count[node] = 1;
            self.cost[node] = [area * leaf_cost(1); LANES - 1];
            return;
        }
        let [left, right] = self.children(node);
        let count = (self.count[left] + self.count[right]).min(TOO_MANY);
        self.count[node] = count;
        let inner = area * NODE_COST + self.split(node, LANES).0;
        self.cost[node][0] = inner.min(self.as_leaf(node));
        for i in 2..LANES {
            self.cost[node][i - 1] = self.split(node, i).0.min(self.cost[node][i - 2]);
        }
    }

    fn children(&self, node: usize) -> [usize; 2] {
        let first = self.tree.nodes[node].first_index as usize;
        [first, first + 1]
    }

    fn as_leaf(&self, node: usize) -> f32 {
        let count = usize::from(self.count[node]);
        if count > MAX_LEAF {
            return f32::INFINITY;
        }
        self.tree.nodes[node].aabb().half_area() * leaf_cost(count)
    }

    /// The cheapest way to share `slots` wide children between the two binary ones: cost, and the left one's part.
    fn split(&self, node: usize, slots: usize) -> (f32, usize) {
        let [left, right] = self.children(node);
        (1..slots)
            .map(|i| {
                (
                    self.cost[left][i.min(7) - 1] + self.cost[right][(slots - i).min(7) - 1],
                    i,
                )
            })
            .reduce(|best, next| if next.0 < best.0 { next } else { best })
            .unwrap_or((f32::INFINITY, 1))
    }

    fn run(&self, triangles: &[Triangle], to: &mut Collapsed) {
        to.nodes.push(Node::EMPTY);
        let mut stack = vec![(0, 0, 1)];
        let mut children = Vec::with_capacity(LANES);
        while let Some((wide, binary, depth)) = stack.pop() {
            to.depth = to.depth.max(depth);
            children.clear();
            self.gather(binary, &mut children);
            // Occlusion rays take the lowest lane first: measured, small boxes there save one visit in twenty.
            let area = |&child: &usize| self.tree.nodes[child].aabb().half_area();
            children.sort_by(|a, b| area(a).total_cmp(&area(b)));
            for (lane, &child) in children.iter().enumerate() {
                let aabb = self.tree.nodes[child].aabb();
                let bounds = Bounds {
                    min: aabb.min.into(),
                    max: aabb.max.into(),
                };
                let at = if self.becomes_leaf(child) {
                    to.leaves.push_leaf(triangles, &self.primitives(child))
                } else {
                    to.nodes.push(Node::EMPTY);
                    stack.push((to.nodes.len() - 1, child, depth + 1));
                    Child::node(to.nodes.len() - 1)
                };
                to.nodes[wide].set(lane, bounds, at);
            }
        }
        to.nodes.par_iter_mut().for_each(Node::set_order);
        to.nodes.shrink_to_fit();
    }

    fn becomes_leaf(&self, node: usize) -> bool {
        self.tree.nodes[node].is_leaf() || self.cost[node][0] == self.as_leaf(node)
    }

    /// The binary nodes that become the children of the wide node made of `binary`.
    fn gather(&self, binary: usize, children: &mut Vec<usize>) {
        if self.becomes_leaf(binary) {
            // Only the root comes here as a leaf.
            children.push(binary);
            return;
        }
        let mut open = vec![(binary, LANES)];
        while let Some((node, mut slots)) = open.pop() {
            if node != binary {
                while slots > 1 && self.cost[node][slots - 2] == self.cost[node][slots - 1] {
                    slots -= 1;
                }
                if slots == 1 {
                    children.push(node);
                    continue;
                }
            }
            let (_, part) = self.split(node, slots);
            let [left, right] = self.children(node);
            open.extend([(right, (slots - part).min(7)), (left, part.min(7))]);
        }
    }

    /// The triangles below a node that becomes a leaf.
    fn primitives(&self, node: usize) -> Vec<u32> {
        let mut indices = Vec::with_capacity(MAX_LEAF);
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let binary = &self.tree.nodes[node];
            if binary.is_leaf() {
                indices.push(self.tree.primitive_indices[binary.first_index as usize]);
            } else {
                stack.extend(self.children(node));
            }
        }
        indices
    }
}

fn leaf_cost(triangles: usize) -> f32 {
    LEAF_COST + TRIANGLE_COST * triangles as f32
}
