//! The tubes of one sequence of walls.

use glam::{DMat3, DVec3};

use super::cells::Cell;
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
    /// Whether only a part of it comes this way, so that every cell of the region in it must be looked at.
    pub(super) is_doubtful: bool,
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
    fronts: Vec<(Front, f64)>,
    /// Cells no wider than this, metres, are made.
    widest: f64,
}

impl Joined {
    pub(super) fn new(widest: f64) -> Self {
        Self {
            fronts: Vec::new(),
            widest,
        }
    }

    /// Adds the next front, which meets the wall so far from the image.
    pub(super) fn push(&mut self, front: Front, distance: f64) {
        self.fronts.push((front, distance));
        while let Some(whole) = self.whole() {
            self.fronts.truncate(self.fronts.len() - 4);
            self.fronts.push(whole);
        }
    }

    /// The cell whose quarters are the last four fronts.
    fn whole(&self) -> Option<(Front, f64)> {
        let [.., a, b, c, d] = self.fronts.as_slice() else {
            return None;
        };
        let cell = d.0.cell.parent()?;
        let quarters = [a, b, c, d];
        let are_quarters = quarters
            .iter()
            .zip(cell.children())
            .all(|((front, _), child)| front.cell == child && front.is_doubtful == a.0.is_doubtful);
        let distance = quarters.iter().map(|(_, d)| *d).fold(0.0, f64::max);
        if !are_quarters || cell.width() * distance > self.widest {
            return None;
        }
        let power = quarters.iter().map(|(front, _)| front.power);
        let front = Front {
            cell,
            is_doubtful: a.0.is_doubtful,
            power: power.fold(0.0, f64::max),
            wave: None,
        };
        Some((front, distance))
    }

    pub(super) fn into_fronts(self) -> Vec<Front> {
        self.fronts.into_iter().map(|(front, _)| front).collect()
    }
}
