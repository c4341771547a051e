//! The views of a device: sequences of reflecting planes, and the edges visible by them.

use glam::DVec2;

use crate::paths::scatter::cells::PatchSquare;
use crate::paths::{Limits, SequenceTree};
use crate::scene::{EdgeId, Scene};

/// The edges that may diffract: wedges, and free edges if the limits say so.
pub(in crate::paths) fn diffracting_edges(
    scene: &Scene,
    limits: &Limits,
) -> impl Iterator<Item = EdgeId> {
    let with_free = limits.free_edges;
    scene
        .edges()
        .iter()
        .enumerate()
        .filter(move |(_, edge)| with_free || edge.is_wedge())
        .map(|(e, _)| EdgeId::from_index(e))
}

/// The largest number of edges that are all tried directly from both ends, visible or not.
const MAX_GUESSED: usize = 300;

/// Whether edges that no ray has found are tried as well. Where they are few, one try for each costs next to nothing.
pub(in crate::paths) fn guesses_edges(scene: &Scene) -> bool {
    scene.edges().len() <= MAX_GUESSED
}

/// A part of an edge that may be visible by a sequence of reflecting planes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::paths) struct EdgeView {
    pub(in crate::paths) edge: EdgeId,
    /// The node of the tree of sequences.
    pub(in crate::paths) node: u32,
    /// The interval along the edge, metres from its first end.
    pub(in crate::paths) interval: [f64; 2],
}

/// The cells of rough walls that rays from a device hit, and the reflections by which they do.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::paths) struct IlluminatedSquares {
    pub(in crate::paths) tree: SequenceTree,
    /// Square and node of the tree, sorted.
    pub(in crate::paths) cells: Vec<(PatchSquare, u32)>,
}

/// The sequences of reflecting planes by which a device may be visible, and the edges that may be visible by them.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::paths) struct Views {
    pub(in crate::paths) tree: SequenceTree,
    pub(in crate::paths) edges: Vec<EdgeView>,
    /// Whether it has all edges that are visible from the device without reflections.
    pub(in crate::paths) has_all_direct: bool,
    /// Two corners of a box around the visible part of the last plane of each sequence, in coordinates of
    /// [`Plane::axes`](crate::geometry::Plane::axes); empty unless asked for.
    pub(in crate::paths) parts: Vec<[DVec2; 2]>,
    /// The largest share of the wanted power that each sequence brings that is too weak to be continued; `None` for
    /// others. It has the length of `parts`.
    pub(in crate::paths) unfollowed: Vec<Option<f32>>,
}

impl Views {
    /// The views of a device before any search.
    pub(in crate::paths) fn nothing(from: glam::DVec3) -> Self {
        Self {
            has_all_direct: false,
            ..Self::of(SequenceTree::root(from))
        }
    }

    /// Sequences of planes without edges, where no edge is searched for.
    pub(in crate::paths) fn of(tree: SequenceTree) -> Self {
        Self {
            tree,
            edges: Vec::new(),
            has_all_direct: true,
            parts: Vec::new(),
            unfollowed: Vec::new(),
        }
    }
}
