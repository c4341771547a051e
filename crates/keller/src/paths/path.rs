//! A path, and what happens to the wave along it.

use glam::DVec3;

use super::sequence::{PatchArea, Sequence, Step};
use crate::scene::{EdgeId, FaceId, Scene};

/// One exact path from a Tx to an Rx. Geometry only: the field along it is [`crate::field`]'s.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Path {
    /// Index of the transmitter.
    pub tx: usize,
    /// Index of the receiver.
    pub rx: usize,
    /// Where the transmitter stands, metres.
    pub tx_position: DVec3,
    /// Where the receiver stands, metres.
    pub rx_position: DVec3,
    /// The interactions and their points from Tx to Rx, transmissions among them.
    pub vertices: Vec<Vertex>,
    /// Unfolded length, metres.
    pub length: f64,
}

impl Path {
    /// What the wave meets, from Tx to Rx, transmissions among it.
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

    /// Whether the wave meets nothing.
    pub fn is_line_of_sight(&self) -> bool {
        self.vertices.is_empty()
    }

    /// The letters of its interactions from Tx to Rx, as [`InteractionKind::letter`] has them, or `LOS` if there is none.
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

    /// The order of results: by Tx, Rx and length; equal lengths, as in a symmetric room, by what the paths meet.
    pub(super) fn order(&self, other: &Self) -> std::cmp::Ordering {
        (self.tx, self.rx)
            .cmp(&(other.tx, other.rx))
            .then(self.length.total_cmp(&other.length))
            .then_with(|| self.interactions().cmp(other.interactions()))
    }
}

/// One interaction of a [`Path`], and where it happens.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Vertex {
    /// What happens there, and at which object.
    pub interaction: Interaction,
    /// Where, metres.
    pub point: DVec3,
}

impl Vertex {
    /// Whether the path goes on in another direction.
    pub(crate) fn turns(&self) -> bool {
        self.interaction.turns()
    }
}

/// What happens to a wave at one point of its path, and at which face or edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Interaction {
    /// Specular reflection at a face.
    Reflection(FaceId),
    /// Straight through a face.
    Transmission(FaceId),
    /// At an edge, onto the Keller cone.
    Diffraction(EdgeId),
    /// Diffusely, at a patch of a rough face.
    Scattering(FaceId, PatchArea),
}

impl Interaction {
    /// What happens, without where.
    pub fn kind(self) -> InteractionKind {
        match self {
            Self::Reflection(_) => InteractionKind::Reflection,
            Self::Transmission(_) => InteractionKind::Transmission,
            Self::Diffraction(_) => InteractionKind::Diffraction,
            Self::Scattering(..) => InteractionKind::Scattering,
        }
    }

    /// The number of the face or edge, as scenes list them.
    pub fn object_index(self) -> usize {
        match self {
            Self::Reflection(face) | Self::Transmission(face) | Self::Scattering(face, _) => {
                face.index()
            }
            Self::Diffraction(edge) => edge.index(),
        }
    }

    /// The face at which it happens; `None` at an edge.
    pub fn face(self) -> Option<FaceId> {
        match self {
            Self::Reflection(face) | Self::Transmission(face) | Self::Scattering(face, _) => {
                Some(face)
            }
            Self::Diffraction(_) => None,
        }
    }

    /// The edge at which it happens; `None` at a face.
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

    /// Whether the path goes on in another direction.
    pub(crate) fn turns(self) -> bool {
        self.kind() != InteractionKind::Transmission
    }
}

/// What happens to a wave at one point of its path, wherever it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum InteractionKind {
    /// Specular reflection at a face.
    Reflection,
    /// Straight through a face.
    Transmission,
    /// At an edge, onto the Keller cone.
    Diffraction,
    /// Diffusely, at a patch of a rough face.
    Scattering,
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

/// The unit vector in which a path goes from `from` on by the vertices `rest` to `end`; `None` if it turns again where it is. Walls
/// that are passed in one point, as where two of them cross, have no direction between them: that to the next turn is theirs.
pub(crate) fn ahead(from: DVec3, rest: &[Vertex], end: DVec3) -> Option<DVec3> {
    let turn = rest.iter().find(|vertex| vertex.turns());
    (turn.map_or(end, |vertex| vertex.point) - from).try_normalize()
}
