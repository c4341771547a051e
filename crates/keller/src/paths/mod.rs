//! Steps 3 to 6 of a ray's life: from two points to exact, validated paths.

mod tree;

pub use tree::{SequenceTree, TreeNode};

use glam::DVec3;

use crate::scene::FaceId;

/// How deep paths may go and of what they may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Whether the direct path (and the path straight through walls) is wanted.
    pub line_of_sight: bool,
    /// Reflections, diffractions and scatterings together.
    pub max_interactions: usize,
    /// Reflections alone.
    pub max_reflections: usize,
    /// Walls that a whole path may pass straight through, counted apart from the interactions.
    pub max_transmissions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_of_sight: true,
            max_interactions: 3,
            max_reflections: 3,
            max_transmissions: 0,
        }
    }
}

/// What happens to a wave at one point of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InteractionKind {
    /// Specular reflection at a face.
    Reflection,
    /// Straight through a face.
    Transmission,
}

impl InteractionKind {
    /// The letter used in path tables: `R`, `T`.
    pub fn letter(self) -> char {
        match self {
            Self::Reflection => 'R',
            Self::Transmission => 'T',
        }
    }
}

/// One interaction of a [`Path`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interaction {
    /// What happens.
    pub kind: InteractionKind,
    /// Where, metres.
    pub point: DVec3,
    /// At which face.
    pub face: FaceId,
}

/// One exact path from a Tx to an Rx. Geometry only: the field along it is [`crate::field`]'s.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Index of the transmitter.
    pub tx: usize,
    /// Index of the receiver.
    pub rx: usize,
    /// Where the transmitter stands, metres.
    pub tx_position: DVec3,
    /// Where the receiver stands, metres.
    pub rx_position: DVec3,
    /// The interactions from Tx to Rx, transmissions among them.
    pub interactions: Vec<Interaction>,
    /// Unfolded length, metres.
    pub length: f64,
}
