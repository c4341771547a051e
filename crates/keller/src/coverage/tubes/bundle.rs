//! The tubes of one sequence of walls.

use super::cells::Cell;
use super::piece::Piece;
use super::source::Source;
use super::strength::Strength;
use super::verify::Doubts;
use crate::field::{FaceInteraction, PlaneWave};
use crate::geometry::bvh::Ray;
use crate::scene::{EdgeId, FaceId, PlaneId, Scene};

/// What a bundle has met.
#[derive(Debug, Clone, Copy)]
pub(super) enum Met {
    Wall {
        kind: FaceInteraction,
        /// One of the faces met; the others have its plane, its material and its side.
        face: FaceId,
    },
    Edge(EdgeId),
}

/// One tube where it begins or leaves a wall.
#[derive(Debug, Clone, Copy)]
pub(super) struct Front {
    pub(super) piece: Piece,
    /// Where only a part of it may have come this way: every cell of the region in it must be looked at.
    pub(super) doubts: Doubts,
    pub(super) strength: Strength,
    /// The wave of its middle, if it came this way as a tube of its own.
    pub(super) wave: Option<PlaneWave>,
}

/// All tubes that came to the same wall by the same mirrors and walls.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    pub(super) source: Source,
    /// The wall that they leave.
    pub(super) start: Option<PlaneId>,
    pub(super) reflections: usize,
    pub(super) transmissions: usize,
    pub(super) diffractions: usize,
    pub(super) met: Vec<Met>,
    /// In the order of their cells' places.
    pub(super) fronts: Vec<Front>,
}

impl Bundle {
    /// What it has met before its edge, and behind.
    pub(super) fn met_around_edge(&self) -> (&[Met], &[Met]) {
        let is_edge = |met: &Met| matches!(met, Met::Edge(_));
        let index = self.met.iter().position(is_edge);
        self.met.split_at(index.unwrap_or(self.met.len()))
    }

    /// Groups of triangles that its rays do not meet where they begin.
    pub(super) fn skip(&self, scene: &Scene) -> [u32; 2] {
        match (self.start, &self.source) {
            (Some(plane), _) => [group(plane), Ray::NO_GROUP],
            (None, Source::Point(_)) => [Ray::NO_GROUP; 2],
            (None, Source::Edge(edge)) => groups_at(scene, edge.edge),
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
pub(super) struct Joined {
    fronts: Vec<Arrived>,
}

/// A front at the wall that it begins at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arrived {
    pub(super) front: Front,
    /// From the image, metres.
    pub(super) distance: f64,
}

impl Joined {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self {
            fronts: Vec::with_capacity(capacity),
        }
    }

    /// Adds the next front, and joins quarters to cells as long as these are narrow enough.
    pub(super) fn push(&mut self, next: &Arrived, is_narrow: impl Fn(&Arrived) -> bool) {
        self.close(Some(next.front.piece.cell), is_narrow);
        self.fronts.push(*next);
    }

    /// Joins the quarters of all cells that `next` does not lie in.
    fn close(&mut self, next: Option<Cell>, is_narrow: impl Fn(&Arrived) -> bool) {
        while let Some((from, whole)) = self.whole(next) {
            if !is_narrow(&whole) {
                break;
            }
            self.fronts.truncate(from);
            self.fronts.push(whole);
        }
    }

    /// The cell, but for what is cut off, whose quarters are the last fronts, and where these begin.
    fn whole(&self, next: Option<Cell>) -> Option<(usize, Arrived)> {
        let last = self.fronts.last()?.front;
        let cell = last.piece.cell.parent()?;
        if next.is_some_and(|next| next.is_within(cell)) {
            return None;
        }
        let is_quarter = |a: &&Arrived| a.front.piece.cell.parent() == Some(cell);
        let num = self.fronts.iter().rev().take_while(is_quarter).count();
        let from = self.fronts.len() - num;
        let quarters = &self.fronts[from..];
        let is_clear = last.doubts.is_none();
        if quarters
            .iter()
            .any(|q| q.front.doubts.is_none() != is_clear)
        {
            return None;
        }
        let pieces: Vec<Piece> = quarters.iter().map(|q| q.front.piece).collect();
        let front = Front {
            piece: Piece::whole(&pieces)?,
            doubts: quarters
                .iter()
                .fold(Doubts::default(), |doubts, q| doubts.both(q.front.doubts)),
            strength: quarters[0].front.strength,
            wave: None,
        };
        let distance = quarters.iter().map(|q| q.distance).fold(0.0, f64::max);
        Some((from, Arrived { front, distance }))
    }

    pub(super) fn into_fronts(mut self, is_narrow: impl Fn(&Arrived) -> bool) -> Vec<Front> {
        self.close(None, is_narrow);
        let fronts = self.fronts.into_iter();
        fronts.map(|arrived| arrived.front).collect()
    }
}
