//! What every search returns: sequences of mirror planes, prefix by prefix.

use glam::DVec3;

use crate::scene::PlaneId;

/// A prefix tree of plane sequences, as seen from one transmitter. Node 0 is the transmitter itself (the empty sequence).
#[derive(Debug, Clone, PartialEq)]
pub struct SequenceTree {
    /// Parents come before their children.
    pub nodes: Vec<TreeNode>,
}

/// One sequence: its parent's, and one more mirror.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreeNode {
    /// Index of the node of the sequence without its last mirror; the root is its own parent.
    pub parent: u32,
    /// The last mirror; meaningless in the root.
    pub plane: PlaneId,
    /// Reflections so far.
    pub depth: u32,
    /// The transmitter mirrored at every plane of the sequence, in order.
    pub image: DVec3,
}
