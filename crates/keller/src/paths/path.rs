//! A path, and the interactions of the wave along it.

use glam::DVec3;

use super::sequence::{PatchArea, Sequence, Step};
use crate::scene::{EdgeId, FaceId, Scene};

/// One exact path from a Tx to an Rx. It is geometry only; [`crate::field`] computes the field along it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Path {
    /// Index of the transmitter.
    pub tx: usize,
    /// Index of the receiver.
    pub rx: usize,
    /// Position of the transmitter, metres.
    pub tx_position: DVec3,
    /// Position of the receiver, metres.
    pub rx_position: DVec3,
    /// The interactions and their points from Tx to Rx, including transmissions.
    pub vertices: Vec<Vertex>,
    /// Unfolded length, metres.
    pub length: f64,
}

impl Path {
    /// The interactions from Tx to Rx, including transmissions.
    pub fn interactions(&self) -> impl DoubleEndedIterator<Item = Interaction> + ExactSizeIterator {
        self.vertices.iter().map(|vertex| vertex.interaction)
    }

    /// The points between Tx and Rx, metres.
    pub fn inner_points(&self) -> impl DoubleEndedIterator<Item = DVec3> + ExactSizeIterator {
        self.vertices.iter().map(|vertex| vertex.point)
    }

    /// All points from the Tx to the Rx, metres.
    pub fn points(&self) -> impl Iterator<Item = DVec3> {
        std::iter::once(self.tx_position)
            .chain(self.inner_points())
            .chain([self.rx_position])
    }

    /// Whether the path has no interaction.
    pub fn is_line_of_sight(&self) -> bool {
        self.vertices.is_empty()
    }

    /// The letters of its interactions from Tx to Rx, as given by [`InteractionKind::letter`], or `LOS` if it has none.
    pub fn types(&self) -> String {
        if self.is_line_of_sight() {
            return "LOS".to_owned();
        }
        self.interactions().map(|i| i.kind().letter()).collect()
    }

    /// Its identity: two paths between the same ends are the same if their sequences are.
    pub fn sequence(&self, scene: &Scene) -> Sequence {
        self.interactions()
            .filter_map(|interaction| interaction.step(scene))
            .collect()
    }

    /// The order of results: by Tx, Rx and length. Equal lengths, as in a symmetric room, are ordered by the
    /// interactions.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        (self.tx, self.rx)
            .cmp(&(other.tx, other.rx))
            .then(self.length.total_cmp(&other.length))
            .then_with(|| self.interactions().cmp(other.interactions()))
    }
}

/// One interaction of a [`Path`], and its point.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Vertex {
    /// The kind of interaction, and its face or edge.
    pub interaction: Interaction,
    /// The point, metres.
    pub point: DVec3,
}

impl Vertex {
    /// Whether the path changes its direction there.
    pub(crate) fn turns(&self) -> bool {
        self.interaction.turns()
    }
}

/// An interaction of a wave at one point of its path, and the face or edge of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Interaction {
    /// Specular reflection at a face.
    Reflection(FaceId),
    /// Straight through a face.
    Transmission(FaceId),
    /// A diffraction at an edge, onto the Keller cone.
    Diffraction(EdgeId),
    /// Diffuse scattering at a patch of a rough face.
    Scattering(FaceId, PatchArea),
}

impl Interaction {
    /// The kind of interaction.
    pub fn kind(self) -> InteractionKind {
        match self {
            Self::Reflection(_) => InteractionKind::Reflection,
            Self::Transmission(_) => InteractionKind::Transmission,
            Self::Diffraction(_) => InteractionKind::Diffraction,
            Self::Scattering(..) => InteractionKind::Scattering,
        }
    }

    /// The number of the face or edge in the scene's list.
    pub fn object_index(self) -> usize {
        match self {
            Self::Reflection(face) | Self::Transmission(face) | Self::Scattering(face, _) => {
                face.index()
            }
            Self::Diffraction(edge) => edge.index(),
        }
    }

    /// The face of the interaction; `None` at an edge.
    pub fn face(self) -> Option<FaceId> {
        match self {
            Self::Reflection(face) | Self::Transmission(face) | Self::Scattering(face, _) => {
                Some(face)
            }
            Self::Diffraction(_) => None,
        }
    }

    /// The edge of the interaction; `None` at a face.
    pub fn edge(self) -> Option<EdgeId> {
        match self {
            Self::Diffraction(edge) => Some(edge),
            Self::Reflection(_) | Self::Transmission(_) | Self::Scattering(..) => None,
        }
    }

    /// The step of a sequence that it is; `None` for walls that are merely passed.
    pub fn step(self, scene: &Scene) -> Option<Step> {
        match self {
            Self::Reflection(face) => Some(Step::Reflection(scene.plane_of(face))),
            Self::Diffraction(edge) => Some(Step::Diffraction(edge)),
            Self::Scattering(face, area) => Some(Step::Scattering(face, area)),
            Self::Transmission(_) => None,
        }
    }

    /// Whether the path changes its direction there.
    pub(crate) fn turns(self) -> bool {
        self.kind() != InteractionKind::Transmission
    }
}

/// The kind of an interaction, without its face or edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum InteractionKind {
    /// Specular reflection at a face.
    Reflection,
    /// Straight through a face.
    Transmission,
    /// A diffraction at an edge, onto the Keller cone.
    Diffraction,
    /// Diffuse scattering at a patch of a rough face.
    Scattering,
}

impl From<Step> for InteractionKind {
    fn from(step: Step) -> Self {
        match step {
            Step::Reflection(_) => Self::Reflection,
            Step::Diffraction(_) => Self::Diffraction,
            Step::Scattering(..) => Self::Scattering,
        }
    }
}

impl InteractionKind {
    /// The letter used in path tables: `R`, `T`, `D`, `S`.
    pub fn letter(self) -> char {
        match self {
            Self::Reflection => 'R',
            Self::Transmission => 'T',
            Self::Diffraction => 'D',
            Self::Scattering => 'S',
        }
    }
}

/// The unit vector from `from` to the next turn among the vertices `rest`, or to `end`; `None` if that turn is at
/// `from`. Walls passed at one point, for instance where two walls cross, have no direction between them; they get the
/// direction to the next turn.
pub(crate) fn ahead(from: DVec3, rest: &[Vertex], end: DVec3) -> Option<DVec3> {
    let turn = rest.iter().find(|vertex| vertex.turns());
    (turn.map_or(end, |vertex| vertex.point) - from).try_normalize()
}
