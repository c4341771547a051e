//! Waves along the walls and the edge that the tubes of a bundle share: the same for a trace and for a replay in other
//! materials.
//!
//! Cost: a reflection or transmission for each wall, and half a microsecond for the edge.

use std::f64::consts::PI;

use glam::DVec3;

use super::bundle::{TubeInteraction, around_edge};
use super::virtual_source::EdgeImage;
use crate::em::Surfaces;
use crate::field::{Bent, PlaneWave, PowerMatrix};
use crate::scene::Scene;

/// The walls and edges of a scene in some materials, at some frequency.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walls<'a> {
    pub(super) scene: &'a Scene,
    pub(super) surfaces: &'a Surfaces,
}

/// The wave of the centre ray of a tube from an edge, for all cells of the tube.
#[derive(Debug)]
pub(super) struct CentreAtEdge<'a> {
    bent: Bent<'a>,
    /// What the walls behind the edge leave of unit fields.
    units: PlaneWave,
    /// The distance of the image of the Tx from the line of the edge, metres.
    away: f64,
}

impl<'a> Walls<'a> {
    /// Takes a wave through the walls of interactions. Edges have no effect.
    pub(super) fn pass(&self, wave: &mut PlaneWave, interactions: &[TubeInteraction]) {
        for interaction in interactions {
            if let TubeInteraction::Wall { kind, face } = *interaction {
                let surface = self.surfaces.surface(self.scene.face(face).material);
                wave.meet(kind, self.scene.face_normal(face), surface);
            }
        }
    }

    /// The wave where it leaves a place of an edge, and the length of its path to there, metres. `tx_wave` is the wave
    /// that leaves the Tx along a unit vector.
    pub(super) fn at_edge(
        &self,
        tx_wave: impl Fn(DVec3) -> PlaneWave,
        interactions: &[TubeInteraction],
        image: &EdgeImage,
        place: [f64; 2],
    ) -> (Bent<'a>, f64) {
        let line = image.unfolded_ray(place);
        let (before, _) = around_edge(interactions);
        let mut wave = tx_wave(image.departure(line.origin));
        self.pass(&mut wave, before);
        let edge = &self.scene.edges()[image.edge.index()];
        let bent = wave.bend(edge, line.direction, self.scene, self.surfaces);
        (bent, image.behind(place[0]))
    }

    /// The wave `ahead` metres behind a place of an edge, without spreading. Arguments as in [`Self::at_edge`].
    pub(super) fn behind_edge(
        &self,
        tx_wave: impl Fn(DVec3) -> PlaneWave,
        interactions: &[TubeInteraction],
        image: &EdgeImage,
        place: [f64; 2],
        ahead: f64,
    ) -> PlaneWave {
        let (bent, behind) = self.at_edge(tx_wave, interactions, image, place);
        let mut wave = bent.seen_from(behind, ahead);
        self.pass(&mut wave, around_edge(interactions).1);
        wave
    }

    /// The wave of a tube whose centre ray leaves an edge at `place`, with arguments as in [`Self::at_edge`]. `tx_wave`
    /// must give two fields.
    pub(super) fn centre_at_edge(
        &self,
        tx_wave: impl Fn(DVec3) -> PlaneWave,
        interactions: &[TubeInteraction],
        image: &EdgeImage,
        place: [f64; 2],
    ) -> CentreAtEdge<'a> {
        let (bent, _) = self.at_edge(tx_wave, interactions, image, place);
        let mut units = bent.unit_fields();
        self.pass(&mut units, around_edge(interactions).1);
        CentreAtEdge {
            bent,
            units,
            away: image.away(),
        }
    }

    /// The path gain between isotropic antennas one metre apart, (λ / 4π)².
    pub(super) fn wavelength_factor(&self) -> f64 {
        (self.surfaces.frequency().wavelength() / (4.0 * PI)).powi(2)
    }
}

impl CentreAtEdge<'_> {
    /// The power for all fields of the Tx in a cell of the tube, at the angle `phi` around the edge and `ahead` metres
    /// behind it. The path is `behind` metres long before the edge. Spreading is left out.
    pub(super) fn power_matrix(&self, phi: f64, [behind, ahead]: [f64; 2]) -> PowerMatrix {
        let angles = [phi, self.away / behind];
        self.bent
            .power_matrix_at(angles, [behind, ahead], &self.units)
    }
}
