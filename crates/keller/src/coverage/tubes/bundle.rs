//! The tubes that share one sequence of interactions.

use super::clipped_cell::ClippedCell;
use super::gain_by_distance::GainByDistance;
use super::segment_rays::{group, groups_at};
use super::uncertain_segments::UncertainSegments;
use super::virtual_source::VirtualSource;
use crate::field::PlaneWave;
use crate::geometry::bvh::Ray;
use crate::paths::InteractionKind;
use crate::scene::{EdgeId, FaceId, PlaneId, Scene};

/// What a bundle has met.
#[derive(Debug, Clone, Copy)]
pub(super) enum TubeInteraction {
    Wall {
        kind: InteractionKind,
        /// One of the faces met; the others have its plane, its material and its side.
        face: FaceId,
    },
    Edge(EdgeId),
}

/// One tube where it begins or leaves a wall.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tube {
    pub(super) directions: ClippedCell,
    /// Where only a part of it may have come this way: every cell of the region in it must be looked at.
    pub(super) uncertain: UncertainSegments,
    pub(super) path_gain: GainByDistance,
    /// The wave of its centre, if it came this way as a tube of its own.
    pub(super) wave: Option<PlaneWave>,
}

/// All tubes that came to the same wall by the same mirrors and walls.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    pub(super) source: VirtualSource,
    /// The wall that they leave.
    pub(super) start: Option<PlaneId>,
    pub(super) reflections: usize,
    pub(super) transmissions: usize,
    pub(super) diffractions: usize,
    pub(super) interactions: Vec<TubeInteraction>,
    /// In the order of their cells' places.
    pub(super) tubes: Vec<Tube>,
}

impl Bundle {
    /// What it has met before its edge, and behind.
    pub(super) fn interactions_around_edge(&self) -> (&[TubeInteraction], &[TubeInteraction]) {
        let is_edge =
            |interaction: &TubeInteraction| matches!(interaction, TubeInteraction::Edge(_));
        let index = self.interactions.iter().position(is_edge);
        self.interactions
            .split_at(index.unwrap_or(self.interactions.len()))
    }

    /// Groups of triangles that its rays do not meet where they begin.
    pub(super) fn skip(&self, scene: &Scene) -> [u32; 2] {
        match (self.start, &self.source) {
            (Some(plane), _) => [group(plane), Ray::NO_GROUP],
            (None, VirtualSource::Point(_)) => [Ray::NO_GROUP; 2],
            (None, VirtualSource::Edge(edge)) => groups_at(scene, edge.edge),
        }
    }
}
