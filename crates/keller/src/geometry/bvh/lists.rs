//! The index as lists of numbers, for storage, and back. Lists that come back are checked: a traversal of them reads
//! nothing outside them and ends.

use rayon::prelude::*;

use super::Bvh;
use super::build::MAX_DEPTH;
use super::node::{Child, FLOATS, Name, Node, Triangles};
use super::simd::LANES;
use crate::scene::{Lists, Numbers};

/// Floats and other numbers of a node; where its lanes are looked at first follows from its boxes.
const BOUNDS: usize = 6 * LANES;

impl Bvh {
    /// Shows the nodes and the triangles.
    pub(crate) fn each_list<E>(
        &self,
        put: &mut dyn FnMut(Numbers<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let bounds: Vec<f32> = self
            .nodes
            .iter()
            .flat_map(|node| node.bounds.as_flattened())
            .copied()
            .collect();
        put(Numbers::Single(&bounds))?;
        drop(bounds);
        let children = self.nodes.iter().flat_map(|node| node.children);
        let children: Vec<u32> = children.map(|child| child.0).collect();
        put(Numbers::Whole(&children))?;
        drop(children);
        put(Numbers::Single(self.triangles.all_floats()))?;
        let names = self.triangles.names.iter();
        let names: Vec<u32> = names.flat_map(|name| [name.group, name.triangle]).collect();
        put(Numbers::Whole(&names))
    }

    /// The index of such lists, whose triangles are some of `count`.
    pub(crate) fn from_lists<L: Lists>(count: usize, lists: &mut L) -> Result<Self, L::Error> {
        let bounds = lists.single()?;
        let children = lists.whole()?;
        let floats = lists.single()?;
        let names = lists.whole()?;
        let names: Vec<Name> = names
            .par_chunks_exact(2)
            .map(|name| Name {
                group: name[0],
                triangle: name[1],
            })
            .collect();
        let num_nodes = children.len() / LANES;
        let is_sound = bounds.len() == num_nodes * BOUNDS
            && children.len() == num_nodes * LANES
            && floats.len() == names.len() * FLOATS + LANES
            && floats.par_iter().all(|float| float.is_finite())
            && names
                .par_iter()
                .all(|name| (name.triangle as usize) < count)
            && names.is_empty() == (num_nodes == 0);
        if !is_sound {
            return Err(lists.refuse("its index does not fit its triangles"));
        }
        let nodes: Vec<Node> = bounds
            .par_chunks_exact(BOUNDS)
            .zip(children.par_chunks_exact(LANES))
            .map(|(bounds, children)| {
                let mut node = Node::EMPTY;
                node.bounds.as_flattened_mut().copy_from_slice(bounds);
                for (child, &number) in node.children.iter_mut().zip(children) {
                    *child = Child(number);
                }
                node.set_order();
                node
            })
            .collect();
        // Nodes lie behind those above them, so none is below itself.
        let mut depth = vec![1; num_nodes];
        for (n, node) in nodes.iter().enumerate() {
            for child in node.children {
                let at = child.index();
                let is_there = if child.is_leaf() {
                    at + child.length() <= names.len()
                } else {
                    at > n && at < num_nodes
                };
                if !is_there || depth[n] > MAX_DEPTH {
                    return Err(lists.refuse("its index is no tree"));
                }
                if !child.is_leaf() {
                    depth[at] = depth[at].max(depth[n] + 1);
                }
            }
        }
        Ok(Self::from_parts(
            nodes,
            Triangles::from_lists(floats, names),
        ))
    }

    /// Whether all triangles, by their numbers and groups, are as they should be.
    pub(crate) fn has_groups(&self, is_right: impl Fn(u32, u32) -> bool + Sync) -> bool {
        let names = self.triangles.names.par_iter();
        names
            .into_par_iter()
            .all(|name| is_right(name.triangle, name.group))
    }
}
