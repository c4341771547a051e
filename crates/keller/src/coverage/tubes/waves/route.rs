//! Waves along the walls and around the first edge that the tubes of a bundle share: the same for a trace and for a
//! replay in other materials. `several_edges` has the waves behind a later edge.
//!
//! Cost: a reflection or transmission for each wall, and half a microsecond for the edge.

use std::f64::consts::PI;

use glam::DVec3;

use crate::World;
use crate::coverage::tubes::tube::bundle::{TubeInteraction, around_last_edge};
use crate::coverage::tubes::tube::edge_image::EdgeImage;
use crate::em::PathCounts;
use crate::field::{Bent, FaceInteraction, PlaneWave, PowerMatrix};

/// The walls and edges of a scene in some materials, at some frequency.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct TracedWalls<'a> {
    /// The world as [`Accuracy::world`](crate::coverage::tubes::Accuracy) has it.
    pub(in crate::coverage::tubes) world: &'a World,
    /// The world, or each of several worlds, without tables. If a wave runs along a face to the next edge, its terms
    /// cancel to a rest that is smaller than the errors of tables.
    pub(in crate::coverage::tubes) exact: &'a [World],
}

/// The wave of the Tx where it meets a point of an edge.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct WaveAtEdge<'a, 'i> {
    walls: TracedWalls<'a>,
    image: &'i EdgeImage,
    /// The distance of the point along the edge, metres.
    s: f64,
    wave: PlaneWave,
    /// The interactions of the path.
    counts: PathCounts,
}

/// The wave of the centre ray of a tube from an edge, for all cells of the tube.
#[derive(Debug)]
pub(in crate::coverage::tubes) struct CentreAtEdge<'a> {
    diffracted: Bent<'a>,
    /// The part of unit fields that the walls behind the edge leave.
    units: PlaneWave,
}

impl<'a> TracedWalls<'a> {
    /// Takes a wave through the walls of interactions. Edges have no effect.
    pub(in crate::coverage::tubes) fn pass(
        &self,
        wave: &mut PlaneWave,
        interactions: &[TubeInteraction],
    ) {
        for interaction in interactions {
            if let TubeInteraction::Wall { kind, face } = *interaction {
                let normal = self.world.scene().face_normal(face);
                wave.meet(kind, normal, self.world.surface(face));
            }
        }
    }

    /// The wave where it meets an edge, `s` metres along the edge. `tx_wave` is the wave that leaves the Tx along a
    /// unit vector.
    pub(super) fn at_edge<'i>(
        &self,
        tx_wave: impl Fn(DVec3) -> PlaneWave,
        interactions: &[TubeInteraction],
        image: &'i EdgeImage,
        s: f64,
    ) -> WaveAtEdge<'a, 'i> {
        let (before, _) = around_last_edge(interactions);
        let mut wave = tx_wave(image.departure_to(s));
        self.pass(&mut wave, before);
        WaveAtEdge {
            walls: *self,
            image,
            s,
            wave,
            counts: counts_of(interactions),
        }
    }

    /// The wave `ahead` metres behind a place of an edge, without spreading. Arguments as in [`Self::at_edge`].
    pub(in crate::coverage::tubes) fn behind_edge(
        &self,
        tx_wave: impl Fn(DVec3) -> PlaneWave,
        interactions: &[TubeInteraction],
        image: &EdgeImage,
        [s, phi]: [f64; 2],
        ahead: f64,
    ) -> PlaneWave {
        let at_edge = self.at_edge(tx_wave, interactions, image, s);
        let mut wave = at_edge.diffracted(phi).seen_from(at_edge.behind(), ahead);
        self.pass(&mut wave, around_last_edge(interactions).1);
        wave
    }

    /// The wave of a tube whose centre ray leaves an edge at `place`, with arguments as in [`Self::at_edge`]. `tx_wave`
    /// must give two fields.
    pub(in crate::coverage::tubes) fn centre_at_edge(
        &self,
        tx_wave: impl Fn(DVec3) -> PlaneWave,
        interactions: &[TubeInteraction],
        image: &EdgeImage,
        [s, phi]: [f64; 2],
    ) -> CentreAtEdge<'a> {
        let diffracted = self
            .at_edge(tx_wave, interactions, image, s)
            .diffracted(phi);
        let mut units = diffracted.unit_fields();
        self.pass(&mut units, around_last_edge(interactions).1);
        CentreAtEdge { diffracted, units }
    }

    /// The path gain between isotropic antennas one metre apart, (λ / 4π)².
    pub(in crate::coverage::tubes) fn wavelength_factor(&self) -> f64 {
        (self.world.frequency().wavelength() / (4.0 * PI)).powi(2)
    }
}

impl<'a> WaveAtEdge<'a, '_> {
    /// The wave as it leaves at the angle `phi` around the edge.
    pub(super) fn diffracted(&self, phi: f64) -> Bent<'a> {
        let world = self.walls.world;
        let edge = &world.scene().edges()[self.image.edge.index()];
        let out = self.image.unfolded_ray([self.s, phi]).direction;
        self.wave.bend(edge, out, world, self.counts)
    }

    /// The wave before it is diffracted.
    pub(in crate::coverage::tubes) fn wave(&self) -> &PlaneWave {
        &self.wave
    }

    /// The length of the path up to here, metres.
    pub(in crate::coverage::tubes) fn behind(&self) -> f64 {
        self.image.arrival(self.s).behind
    }
}

/// The numbers of interactions of a path.
fn counts_of(interactions: &[TubeInteraction]) -> PathCounts {
    let passes = |interaction: &&TubeInteraction| {
        matches!(
            interaction,
            TubeInteraction::Wall {
                kind: FaceInteraction::Transmission,
                ..
            }
        )
    };
    let transmissions = interactions.iter().filter(passes).count();
    PathCounts {
        interactions: interactions.len() - transmissions,
        transmissions,
    }
}

impl CentreAtEdge<'_> {
    /// The power for all fields of the Tx in a cell of the tube. The path is `behind` metres long before the edge, which
    /// it meets with the sine `sin_beta`, and the cell lies at the angle `phi` around the edge, `ahead` metres behind it.
    /// Spreading is left out.
    pub(in crate::coverage::tubes) fn power_matrix(
        &self,
        [phi, sin_beta]: [f64; 2],
        [behind, ahead]: [f64; 2],
    ) -> PowerMatrix {
        self.diffracted
            .power_matrix_at([phi, sin_beta], [behind, ahead], &self.units)
    }
}
