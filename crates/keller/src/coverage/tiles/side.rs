//! Sides of tiles by number.

use glam::DVec3;

/// A side of a tile. The front of tile `t` has the index `2 t`, its back `2 t + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Side(usize);

impl Side {
    pub(super) fn new(tile: usize, is_back: bool) -> Self {
        Self(2 * tile + usize::from(is_back))
    }

    /// The side of a tile that a ray along `direction` meets on a face with the unit `normal`. The tile's own normal is
    /// `of_tile`: a tile of terrain has several faces, which may look to different sides.
    pub(super) fn met(tile: usize, of_tile: DVec3, normal: DVec3, direction: DVec3) -> Self {
        let is_turned = normal.dot(of_tile) < 0.0;
        Self::new(tile, (normal.dot(direction) > 0.0) != is_turned)
    }

    pub(super) fn from_index(index: usize) -> Self {
        Self(index)
    }

    pub(super) fn index(self) -> usize {
        self.0
    }

    pub(super) fn tile(self) -> usize {
        self.0 / 2
    }

    pub(super) fn is_back(self) -> bool {
        !self.0.is_multiple_of(2)
    }
}
