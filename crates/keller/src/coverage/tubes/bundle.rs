//! The tubes of one sequence of walls.

use super::cells::Cell;
use super::source::Source;
use super::strength::Strength;
use super::verify::Doubts;
use crate::field::PlaneWave;
use crate::geometry::bvh::Ray;
use crate::paths::InteractionKind;
use crate::scene::{EdgeId, FaceId, PlaneId, Scene};

/// What a bundle has met.
#[derive(Debug, Clone, Copy)]
pub(super) enum Met {
    Wall {
        kind: InteractionKind,
        /// One of the faces met; the others have its plane, its material and its side.
        face: FaceId,
    },
    Edge(EdgeId),
}

/// One tube where it begins or leaves a wall.
#[derive(Debug, Clone, Copy)]
pub(super) struct Front {
    pub(super) cell: Cell,
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

/// Fronts in the order of their places, to be joined again where all quarters of a cell came to the same wall.
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
    pub(super) fn push(&mut self, next: Arrived, is_narrow: impl Fn(&Arrived) -> bool) {
        self.fronts.push(next);
        while let Some(whole) = self.whole() {
            if !is_narrow(&whole) {
                break;
            }
            self.fronts.truncate(self.fronts.len() - 4);
            self.fronts.push(whole);
        }
    }

    /// The cell whose quarters are the last four fronts.
    fn whole(&self) -> Option<Arrived> {
        let quarters = self.fronts.last_chunk::<4>()?;
        let cell = quarters[3].front.cell.parent()?;
        let is_clear = quarters[0].front.doubts.is_none();
        let are_quarters = quarters
            .iter()
            .zip(cell.children())
            .all(|(q, child)| q.front.cell == child && q.front.doubts.is_none() == is_clear);
        are_quarters.then(|| Arrived {
            front: Front {
                cell,
                doubts: quarters
                    .iter()
                    .fold(Doubts::default(), |doubts, q| doubts.both(q.front.doubts)),
                strength: quarters[0].front.strength,
                wave: None,
            },
            distance: quarters.iter().map(|q| q.distance).fold(0.0, f64::max),
        })
    }

    pub(super) fn into_fronts(self) -> Vec<Front> {
        self.fronts
            .into_iter()
            .map(|arrived| arrived.front)
            .collect()
    }
}
