//! A bundle: the tubes that share one sequence of interactions.
//!
//! The tubes of a bundle are traced together, so that neighbouring tubes share their corner rays.

use super::clipped_cell::ClippedCell;
use super::gain_by_distance::GainByDistance;
use super::segment_rays::{group, groups_at};
use super::uncertain_segments::UncertainSegments;
use super::virtual_source::VirtualSource;
use crate::field::{FaceInteraction, PlaneWave};
use crate::geometry::bvh::Ray;
use crate::paths::{Interaction, InteractionCounts};
use crate::scene::{EdgeId, FaceId, PlaneId, Scene};

/// An interaction of a bundle.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) enum TubeInteraction {
    Wall {
        kind: FaceInteraction,
        /// One of the faces of the wall.
        face: FaceId,
    },
    Edge(EdgeId),
}

impl TubeInteraction {
    /// This interaction as one of a path.
    pub(in crate::coverage::tubes) fn of_path(self) -> Interaction {
        match self {
            Self::Wall { kind, face } => match kind {
                FaceInteraction::Reflection => Interaction::Reflection(face),
                FaceInteraction::Transmission => Interaction::Transmission(face),
            },
            Self::Edge(edge) => Interaction::Diffraction(edge),
        }
    }
}

/// A tube where it leaves the Tx, a wall or an edge.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct Tube {
    pub(in crate::coverage::tubes) directions: ClippedCell,
    /// The segments on which only a part of the tube may have come this way.
    pub(in crate::coverage::tubes) uncertain: UncertainSegments,
    pub(in crate::coverage::tubes) path_gain: GainByDistance,
    /// The wave of its centre ray. `None` after the tube was split or joined, because it then has a new centre ray.
    pub(in crate::coverage::tubes) wave: Option<PlaneWave>,
}

/// All tubes that came to the same wall or edge by the same interactions.
#[derive(Debug, Clone)]
pub(in crate::coverage::tubes) struct Bundle {
    pub(in crate::coverage::tubes) source: VirtualSource,
    /// The wall that they leave; none for the Tx and edges.
    pub(in crate::coverage::tubes) start: Option<PlaneId>,
    pub(in crate::coverage::tubes) interactions: Vec<TubeInteraction>,
    pub(in crate::coverage::tubes) counts: InteractionCounts,
    /// The deepest level of the cells of its tubes.
    pub(in crate::coverage::tubes) deepest: u32,
    /// The tubes in the order of the quadtree.
    pub(in crate::coverage::tubes) tubes: Vec<Tube>,
}

/// The interactions before the last edge, and those from that edge on.
pub(in crate::coverage::tubes) fn around_last_edge(
    interactions: &[TubeInteraction],
) -> (&[TubeInteraction], &[TubeInteraction]) {
    let is_edge = |interaction: &TubeInteraction| matches!(interaction, TubeInteraction::Edge(_));
    let index = interactions.iter().rposition(is_edge);
    interactions.split_at(index.unwrap_or(interactions.len()))
}

impl Bundle {
    /// This bundle without tubes.
    pub(in crate::coverage::tubes) fn without_tubes(&self) -> Self {
        Self {
            source: self.source.clone(),
            interactions: self.interactions.clone(),
            tubes: Vec::new(),
            ..*self
        }
    }

    /// Adds an interaction to the sequence.
    pub(in crate::coverage::tubes) fn push(&mut self, interaction: TubeInteraction) {
        self.interactions.push(interaction);
        self.counts = self.counts.with(interaction.of_path().kind());
    }

    /// The interactions before its last edge, and those from that edge on.
    pub(in crate::coverage::tubes) fn interactions_around_edge(
        &self,
    ) -> (&[TubeInteraction], &[TubeInteraction]) {
        around_last_edge(&self.interactions)
    }

    /// The groups of triangles through which its rays pass: those that they start on.
    pub(in crate::coverage::tubes) fn skip(&self, scene: &Scene) -> [u32; 2] {
        match (self.start, &self.source) {
            (Some(plane), _) => [group(plane), Ray::NO_GROUP],
            (None, VirtualSource::Point(_)) => [Ray::NO_GROUP; 2],
            (None, VirtualSource::Edge(edge)) => groups_at(scene, edge.edge),
        }
    }
}
