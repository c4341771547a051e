//! Builds the eight-wide tree of triangles: obvhs builds a binary tree (locally ordered clustering, then reinsertion),
//! and dynamic programming over the surface-area cost picks which of its nodes become wide nodes and leaves. Many
//! triangles are halved along the longest axis of their centres until there are few enough in each part; every part
//! gets a tree of its own, by one thread, under wide nodes of these halves.
//!
//! # Source
//! Meister and Bittner, "Parallel Locally-Ordered Clustering" (2018) and "Parallel Reinsertion" (2018), as in obvhs;
//! Ylitie, Karras and Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs" (2017), section 3.

use std::ops::Range;

use glam::{DVec3, Vec3, Vec3A};
use obvhs::{
    Boundable,
    aabb::Aabb,
    bvh2::{Bvh2, node::Bvh2Node, reinsertion::ReinsertionOptimizer},
    ploc::{PlocBuilder, PlocSearchDistance, SortPrecision},
};

use rayon::prelude::*;

use super::{
    Triangle,
    collapse::{Collapsed, collapse},
    node::{Bounds, Child, Node, Triangles},
};
use crate::parallel;
/// The number of binary nodes that reinsertion tries to place better in its first round: a number that takes a tenth of
/// a second, but at least this share.
const REINSERTIONS: f32 = 20_000.0;
const MIN_REINSERTION_RATIO: f32 = 0.02;

/// Deepest tree that clustering may make; cities have 10 to 20 levels. A balanced tree takes the place of a deeper one
/// (clustering merges one of several concentric triangles a round), so that the traversals' fixed stacks always
/// suffice.
pub(super) const MAX_DEPTH: usize = 64;

/// The largest number of triangles of a part: its tree takes 60 MB while it is built.
const PART: usize = 1 << 18;

/// Levels of the halves of the largest number of triangles that there may be, in wide nodes of two children at worst.
const HALVES_DEPTH: usize = 10;
const _: () = assert!(
    Child::MAX_INDEX < PART << HALVES_DEPTH,
    "so many halves make parts of all triangles"
);

/// Nodes with the root first, and the triangles. No nodes if there are no triangles.
pub(super) fn build(
    count: usize,
    triangle: &(dyn Fn(usize) -> Triangle + Sync),
) -> (Vec<Node>, Triangles) {
    build_in_parts(count, triangle, PART)
}

/// Builds the same tree with no more than `max_triangles` triangles in a part.
pub(super) fn build_in_parts(
    count: usize,
    triangle: &(dyn Fn(usize) -> Triangle + Sync),
    max_triangles: usize,
) -> (Vec<Node>, Triangles) {
    let mut order: Vec<u32> = (0..u32::try_from(count).expect("fewer than 2^32 triangles"))
        .into_par_iter()
        .filter(|&index| has_area(&triangle(index as usize)))
        .collect();
    assert!(
        order.len() <= Child::MAX_INDEX,
        "the index holds at most 2^28 triangles"
    );
    let share = (REINSERTIONS / order.len() as f32).clamp(MIN_REINSERTION_RATIO, 1.0);
    let mut built = if order.len() <= max_triangles {
        tree(&order, triangle, share, MAX_DEPTH)
    } else {
        let centres: Vec<Vec3> = order
            .par_iter()
            .map(|&index| centre(&triangle(index as usize)))
            .collect();
        // The positions in `order` take the place of triangles until the halves are known.
        let mut positions: Vec<u32> = (0..).take(order.len()).collect();
        let halves = Halves::cut(&mut positions, 0, &centres, max_triangles);
        drop(centres);
        let taken = positions.par_iter().map(|&at| order[at as usize]).collect();
        order = taken;
        drop(positions);
        halves.build(&order, triangle, share)
    };
    built.leaves.finish();
    (built.nodes, built.leaves)
}

/// The tree of some triangles; reinsertion tries to place better this share of its binary nodes.
fn tree(
    indices: &[u32],
    triangle: &dyn Fn(usize) -> Triangle,
    share: f32,
    max_depth: usize,
) -> Collapsed {
    let triangles: Vec<Triangle> = indices.iter().map(|&i| triangle(i as usize)).collect();
    let boxes: Vec<Indexed> = triangles.iter().map(Indexed).collect();
    let mut collapsed = collapse(&clustered_tree(&boxes, share), &triangles);
    if collapsed.depth > max_depth {
        collapsed = collapse(&balanced_tree(&boxes), &triangles);
    }
    for name in &mut collapsed.leaves.names {
        name.triangle = indices[name.triangle as usize];
    }
    collapsed
}

fn centre(triangle: &Triangle) -> Vec3 {
    Indexed(triangle).aabb().center().into()
}

/// Triangles that were halved until there are few in each part.
enum Halves {
    /// A part of the list.
    Part(Range<usize>),
    /// Up to eight halves, under one wide node.
    Wide(Vec<Self>),
}

impl Halves {
    /// Brings the triangles of each part together; `order` begins at `first` of the list.
    fn cut(order: &mut [u32], first: usize, centres: &[Vec3], max_triangles: usize) -> Self {
        if order.len() <= max_triangles {
            order.sort_unstable();
            return Self::Part(first..first + order.len());
        }
        let eighths = Self::halve(order, first, centres, max_triangles, 3);
        let cut =
            |(first, order): (usize, &mut [u32])| Self::cut(order, first, centres, max_triangles);
        Self::Wide(eighths.into_par_iter().map(cut).collect())
    }

    /// Halves parts of more than `max_triangles` triangles, up to so many times.
    fn halve<'a>(
        order: &'a mut [u32],
        first: usize,
        centres: &[Vec3],
        max_triangles: usize,
        times: u32,
    ) -> Vec<(usize, &'a mut [u32])> {
        if times == 0 || order.len() <= max_triangles {
            return vec![(first, order)];
        }
        let around = |[low, high]: [Vec3; 2], at: Vec3| [low.min(at), high.max(at)];
        let nothing = [Vec3::INFINITY, Vec3::NEG_INFINITY];
        let [low, high] = order
            .par_iter()
            .with_min_len(PART)
            .fold(|| nothing, |all, &i| around(all, centres[i as usize]))
            .reduce(|| nothing, |a, b| around(around(a, b[0]), b[1]));
        let axis = (high - low).max_position();
        let key = |&i: &u32| centres[i as usize][axis];
        let half = order.len() / 2;
        order.select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        let (left, right) = order.split_at_mut(half);
        let (mut left, right) = rayon::join(
            || Self::halve(left, first, centres, max_triangles, times - 1),
            || Self::halve(right, first + half, centres, max_triangles, times - 1),
        );
        left.extend(right);
        left
    }

    /// The trees of all parts, and the nodes above them.
    fn build(
        &self,
        order: &[u32],
        triangle: &(dyn Fn(usize) -> Triangle + Sync),
        share: f32,
    ) -> Collapsed {
        let mut parts = Vec::new();
        self.list_parts(&mut parts);
        let trees: Vec<Collapsed> = parallel::map_slice(&parts, |part| {
            tree(
                &order[part.clone()],
                triangle,
                share,
                MAX_DEPTH - HALVES_DEPTH,
            )
        });
        let num_nodes: usize = trees.iter().map(|tree| tree.nodes.len()).sum();
        let mut whole = Collapsed {
            nodes: Vec::with_capacity(self.num_wide() + num_nodes),
            leaves: Triangles::with_capacity(order.len()),
            depth: 0,
        };
        whole.nodes.push(Node::EMPTY);
        let mut under = Vec::new();
        self.place(0, &mut trees.iter(), &mut whole, &mut under);
        for (tree, slot) in trees.into_iter().zip(under) {
            let (nodes, leaves) = (whole.nodes.len(), whole.leaves.names.len());
            let Slot { node, lane } = slot;
            whole.nodes[node].children[lane] = Child::node(nodes);
            whole.nodes.extend(tree.nodes.into_iter().map(|mut node| {
                node.move_children(nodes, leaves);
                node
            }));
            whole.leaves.append(tree.leaves);
        }
        whole
    }

    fn list_parts(&self, parts: &mut Vec<Range<usize>>) {
        match self {
            Self::Part(part) => parts.push(part.clone()),
            Self::Wide(halves) => halves.iter().for_each(|half| half.list_parts(parts)),
        }
    }

    fn num_wide(&self) -> usize {
        match self {
            Self::Part(_) => 0,
            Self::Wide(halves) => 1 + halves.iter().map(Self::num_wide).sum::<usize>(),
        }
    }

    /// Sets wide node `at` and those below it; lists where each part hangs. Returns the box around it.
    fn place<'a>(
        &self,
        at: usize,
        trees: &mut impl Iterator<Item = &'a Collapsed>,
        whole: &mut Collapsed,
        under: &mut Vec<Slot>,
    ) -> Bounds {
        let Self::Wide(halves) = self else {
            unreachable!("parts are no wide nodes");
        };
        let mut all = Bounds::EMPTY;
        for (lane, half) in halves.iter().enumerate() {
            let (bounds, child) = match half {
                Self::Part(_) => {
                    under.push(Slot { node: at, lane });
                    let root = &trees.next().expect("a tree a part").nodes[0];
                    let bounds = root.children().fold(Bounds::EMPTY, |all, c| all.union(c.0));
                    (bounds, Child::ROOT)
                }
                Self::Wide(_) => {
                    let below = whole.nodes.len();
                    whole.nodes.push(Node::EMPTY);
                    (half.place(below, trees, whole, under), Child::node(below))
                }
            };
            whole.nodes[at].set(lane, bounds, child);
            all = all.union(bounds);
        }
        whole.nodes[at].set_order();
        all
    }
}

/// The position of a child in a node.
struct Slot {
    node: usize,
    lane: usize,
}

/// The box of a triangle; its coordinates are finite.
struct Indexed<'a>(&'a Triangle);

impl Boundable for Indexed<'_> {
    fn aabb(&self) -> Aabb {
        Aabb::from_points(&self.0.vertices.map(Vec3A::from))
    }
}

fn clustered_tree(boxes: &[Indexed], share: f32) -> Bvh2 {
    if boxes.is_empty() {
        return Bvh2::default();
    }
    let count = u32::try_from(boxes.len()).unwrap_or(u32::MAX);
    let mut tree = PlocBuilder::new().build(
        PlocSearchDistance::Medium,
        boxes,
        (0..count).collect(),
        SortPrecision::U64,
        3,
    );
    ReinsertionOptimizer::default().run(&mut tree, share, None);
    tree
}

/// Zero-area triangles block nothing and are left out. The f64 products of f32 differences round little enough that a
/// triangle with two equal vertices, or with three on an axis-parallel line, gives exactly zero.
pub(crate) fn has_area(triangle: &Triangle) -> bool {
    let [a, b, c] = triangle.vertices.map(Vec3::as_dvec3);
    assert!((a + b + c).is_finite(), "triangle vertices must be finite");
    (b - a).cross(c - a) != DVec3::ZERO
}

/// A tree that halves the triangles along the longest axis of their centres.
fn balanced_tree(boxes: &[Indexed]) -> Bvh2 {
    let boxes: Vec<Aabb> = boxes.iter().map(Boundable::aabb).collect();
    let mut order: Vec<u32> = (0..).take(boxes.len()).collect();
    let mut nodes = vec![Bvh2Node::default()];
    let mut stack = vec![(0, 0, order.len())];
    while let Some((node, start, end)) = stack.pop() {
        let part = &mut order[start..end];
        let mut bounds = Aabb::INVALID;
        let mut centres = Aabb::INVALID;
        for &index in &*part {
            bounds.extend(boxes[index as usize].min);
            bounds.extend(boxes[index as usize].max);
            centres.extend(boxes[index as usize].center());
        }
        if let [_] = part {
            nodes[node] = Bvh2Node::new(bounds, 1, u32::try_from(start).unwrap_or(u32::MAX));
            continue;
        }
        let axis = Vec3::from(centres.diagonal()).max_position();
        let key = |&index: &u32| boxes[index as usize].center()[axis];
        let half = part.len() / 2;
        part.select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        let children = nodes.len();
        nodes[node] = Bvh2Node::new(bounds, 0, u32::try_from(children).unwrap_or(u32::MAX));
        nodes.extend([Bvh2Node::default(); 2]);
        stack.extend([
            (children, start, start + half),
            (children + 1, start + half, end),
        ]);
    }
    Bvh2 {
        nodes,
        primitive_indices: order,
        ..Bvh2::default()
    }
}
