//! The edge behind which a ray starts on its way back from a tile.

use super::budget::Leg;
use super::edge_light::EdgeLight;
use super::place::Side;
use crate::em::utd::Diffraction;
use crate::scene::EdgeId;

/// The leg of a wave that is diffracted alone.
pub(super) const BENT: Leg = Leg {
    reflections: 0,
    transmissions: 0,
    diffractions: 1,
};

/// The edge behind which a ray starts.
#[derive(Debug)]
pub(super) struct Bend {
    pub(super) edge: EdgeId,
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
    /// Rays to places where much comes from, of this edge.
    pub(super) num_aimed: f64,
    /// Where the ray is meant to arrive.
    pub(super) aim: Option<Side>,
}

/// Where a ray from an edge first arrives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Landing {
    pub(super) side: Side,
    /// The area over which places on this part of the tile are spread, m².
    pub(super) area: f64,
    pub(super) cosine: f64,
    /// Length from the tile that receives.
    pub(super) length: f64,
}

impl Bend {
    /// The share of power that the edge sends on, metres, before spreading, of a wave that comes from so far from the
    /// tile.
    pub(super) fn power(&self, length: f64) -> f64 {
        let behind = length - self.before;
        let distance = self.square_sine * self.before * behind / length;
        self.diffraction.power(distance)
    }

    /// The weight of what a ray brings from where it first arrives, as a part of its weight: its own density over that
    /// of all rays that may arrive there.
    pub(super) fn part(&self, light: &EdgeLight, landing: &Landing) -> f64 {
        let behind = landing.length - self.before;
        // The area that belongs to a square of angles along and around the edge.
        let stretch = landing.length / self.before * behind * self.distance / landing.cosine;
        let share = light.sources(self.edge).share(landing.side);
        let all = self.density + self.num_aimed * share * stretch / landing.area;
        match self.aim {
            _ if all <= 0.0 => 0.0,
            None => self.density / all,
            Some(aim) if aim == landing.side => 1.0 / all,
            Some(_) => 0.0,
        }
    }

    /// Whether the ray ends where it first arrives.
    pub(super) fn ends(&self) -> bool {
        self.aim.is_some()
    }
}
