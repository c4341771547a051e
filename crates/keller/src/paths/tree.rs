//! The result of every search: sequences of reflecting planes as a prefix tree.

use glam::DVec3;

use crate::scene::{PlaneId, Scene};

/// A prefix tree of plane sequences from one transmitter. Node 0 is the transmitter itself (the empty sequence).
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceTree {
    /// The sequences; parents come before their children.
    pub nodes: Vec<TreeNode>,
}

/// One sequence: that of its parent, extended by one reflection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeNode {
    /// Index of the node of the sequence without its last reflecting plane; the root is its own parent.
    pub parent: u32,
    /// The last reflecting plane; meaningless in the root.
    pub plane: PlaneId,
    /// Number of reflections.
    pub depth: u32,
    /// The image of the transmitter by all planes of the sequence, in order.
    pub image: DVec3,
}

impl SequenceTree {
    /// The tree of the empty sequence.
    pub fn root(tx: DVec3) -> Self {
        let root = TreeNode {
            parent: 0,
            plane: PlaneId::from_index(0),
            depth: 0,
            image: tx,
        };
        Self { nodes: vec![root] }
    }

    /// Adds the sequence of `parent` and one more reflection; returns its node.
    ///
    /// # Panics
    /// If the tree would have 2^32 nodes.
    pub fn push(&mut self, scene: &Scene, parent: usize, plane: PlaneId) -> usize {
        let before = self.nodes[parent];
        self.nodes.push(TreeNode {
            parent: u32::try_from(parent).expect("fewer than 2^32 sequences"),
            plane,
            depth: before.depth + 1,
            image: scene.plane(plane).mirror(before.image),
        });
        self.nodes.len() - 1
    }

    /// The planes of a node's sequence, from the transmitter on.
    pub fn sequence(&self, node: usize) -> Vec<PlaneId> {
        let mut planes = Vec::new();
        let mut at = node;
        while at != 0 {
            planes.push(self.nodes[at].plane);
            at = self.nodes[at].parent as usize;
        }
        planes.reverse();
        planes
    }
}
