//! The edge behind which a ray starts on its way back from a tile.

use super::budget::Leg;
use crate::em::utd::Diffraction;

/// The leg of a wave that is diffracted alone.
pub(super) const BENT: Leg = Leg {
    reflections: 0,
    transmissions: 0,
    diffractions: 1,
};

/// The edge behind which a ray starts.
#[derive(Debug)]
pub(super) struct Bend {
    pub(super) diffraction: Diffraction,
    pub(super) square_sine: f64,
    /// Length from the tile to the edge, metres.
    pub(super) before: f64,
    /// Distance of the tile from the line of the edge, metres.
    pub(super) distance: f64,
    /// Upper bound of the share of power that the edge sends on, over all distances of the source, metres.
    pub(super) most: f64,
    /// Rays with angles where edges send much, per angle along and around this edge, radians.
    pub(super) density: f64,
}

impl Bend {
    /// The share of power that the edge sends on, metres, before spreading, of a wave that comes from so far from the
    /// tile.
    pub(super) fn power(&self, length: f64) -> f64 {
        let behind = length - self.before;
        let distance = self.square_sine * self.before * behind / length;
        self.diffraction.power(distance)
    }

    /// The area across the ray that belongs to a square of angles along and around the edge, at this length from the
    /// tile.
    pub(super) fn stretch(&self, length: f64) -> f64 {
        length / self.before * (length - self.before) * self.distance
    }
}
