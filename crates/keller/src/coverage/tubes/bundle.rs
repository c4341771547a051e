//! The tubes of one sequence of walls.

use glam::{DMat3, DVec3};

use super::cells::Cell;
use super::verify::Doubts;
use crate::field::PlaneWave;
use crate::geometry::Plane;
use crate::paths::InteractionKind;
use crate::scene::{FaceId, PlaneId};

/// The transmitter, seen in the mirrors of a sequence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Image {
    pub(super) position: DVec3,
    /// From directions of the transmitter to those of the image.
    pub(super) turn: DMat3,
}

/// A wall that a bundle has met.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    pub(super) kind: InteractionKind,
    /// One of the faces met; the others have its plane, its material and its side.
    pub(super) face: FaceId,
}

/// One tube where it begins or leaves a wall.
#[derive(Debug, Clone, Copy)]
pub(super) struct Front {
    pub(super) cell: Cell,
    /// Where only a part of it may have come this way: every cell of the region in it must be looked at.
    pub(super) doubts: Doubts,
    /// Gain at one metre from the image, linear.
    pub(super) power: f64,
    /// The wave of its middle, if it came this way as a tube of its own.
    pub(super) wave: Option<PlaneWave>,
}

/// All tubes that came to the same wall by the same mirrors and walls.
#[derive(Debug, Clone)]
pub(super) struct Bundle {
    pub(super) image: Image,
    /// The wall that they leave.
    pub(super) start: Option<PlaneId>,
    pub(super) reflections: usize,
    pub(super) transmissions: usize,
    pub(super) met: Vec<Met>,
    /// In the order of their cells' places.
    pub(super) fronts: Vec<Front>,
}

impl Image {
    /// Seen in one more mirror.
    pub(super) fn mirrored(self, plane: &Plane) -> Self {
        let n = plane.normal;
        let mirror = DMat3::IDENTITY - 2.0 * DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        Self {
            position: plane.mirror(self.position),
            turn: mirror * self.turn,
        }
    }

    /// Where a ray of this direction from the image meets a plane, in units of the direction.
    pub(super) fn meets(&self, plane: &Plane, direction: DVec3) -> f64 {
        -plane.distance(self.position) / plane.normal.dot(direction)
    }
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

    /// Adds the next front, and joins quarters to cells as long as these are no wider than `widest` says, metres.
    pub(super) fn push(&mut self, next: Arrived, widest: impl Fn(&Arrived) -> f64) {
        self.fronts.push(next);
        while let Some(whole) = self.whole() {
            if whole.front.cell.width() * whole.distance > widest(&whole) {
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
                power: quarters.iter().map(|q| q.front.power).fold(0.0, f64::max),
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
