//! The tubes of one sequence of walls.

use super::clipped_cell::ClippedCell;
use super::direction_cells::DirectionCell;
use super::gain_by_distance::GainByDistance;
use super::verification::UncertainSegments;
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

/// The groups of the faces that end at an edge.
pub(super) fn groups_at(scene: &Scene, edge: EdgeId) -> [u32; 2] {
    let faces = scene.edges()[edge.index()].faces;
    faces.map(|face| face.map_or(Ray::NO_GROUP, |face| group(scene.plane_of(face))))
}

/// The group of the triangles in a plane.
pub(super) fn group(plane: PlaneId) -> u32 {
    u32::try_from(plane.index()).unwrap_or(Ray::NO_GROUP)
}

/// Fronts in the order of their places, to be joined again where all that is left of a cell came to the same wall.
#[derive(Debug)]
pub(super) struct QuarterMerger {
    tubes: Vec<MergedTube>,
}

/// A front at the wall that it begins at.
#[derive(Debug, Clone, Copy)]
pub(super) struct MergedTube {
    pub(super) tube: Tube,
    /// From the image, metres.
    pub(super) distance: f64,
}

impl QuarterMerger {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            tubes: Vec::with_capacity(capacity),
        }
    }

    /// Adds the next front, and joins quarters to cells as long as these are narrow enough.
    pub(super) fn push(&mut self, next: &MergedTube, is_narrow: impl Fn(&MergedTube) -> bool) {
        self.close(Some(next.tube.directions.cell), is_narrow);
        self.tubes.push(*next);
    }

    /// Joins the quarters of all cells that `next` does not lie in.
    fn close(&mut self, next: Option<DirectionCell>, is_narrow: impl Fn(&MergedTube) -> bool) {
        while let Some((from, whole)) = self.whole(next) {
            if !is_narrow(&whole) {
                break;
            }
            self.tubes.truncate(from);
            self.tubes.push(whole);
        }
    }

    /// The cell, but for what is cut off, whose quarters are the last fronts, and where these begin.
    fn whole(&self, next: Option<DirectionCell>) -> Option<(usize, MergedTube)> {
        let last = self.tubes.last()?.tube;
        let cell = last.directions.cell.parent()?;
        if next.is_some_and(|next| next.is_within(cell)) {
            return None;
        }
        let is_quarter = |a: &&MergedTube| a.tube.directions.cell.parent() == Some(cell);
        let num = self.tubes.iter().rev().take_while(is_quarter).count();
        let from = self.tubes.len() - num;
        let quarters = &self.tubes[from..];
        let is_clear = last.uncertain.is_none();
        if quarters
            .iter()
            .any(|q| q.tube.uncertain.is_none() != is_clear)
        {
            return None;
        }
        let pieces: Vec<ClippedCell> = quarters.iter().map(|q| q.tube.directions).collect();
        let tube = Tube {
            directions: ClippedCell::whole(&pieces)?,
            uncertain: quarters
                .iter()
                .fold(UncertainSegments::default(), |uncertain, q| {
                    uncertain.both(q.tube.uncertain)
                }),
            path_gain: quarters[0].tube.path_gain,
            wave: None,
        };
        let distance = quarters.iter().map(|q| q.distance).fold(0.0, f64::max);
        Some((from, MergedTube { tube, distance }))
    }

    pub(super) fn into_tubes(mut self, is_narrow: impl Fn(&MergedTube) -> bool) -> Vec<Tube> {
        self.close(None, is_narrow);
        let tubes = self.tubes.into_iter();
        tubes.map(|merged| merged.tube).collect()
    }
}
