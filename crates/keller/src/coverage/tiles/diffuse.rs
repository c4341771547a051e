//! Diffuse scattering from tile to tile: a tile scatters power, without a phase, to all tiles that it sees.
//!
//! Every tile gathers from the tiles that it sees. The first scattering of a path follows the lobe of the wall. Power
//! that was scattered before arrives from all sides, and every wall scatters it by Lambert's law: the total power is
//! right, but its directions are not where the wall has another lobe. Waves that are reflected or diffracted after they
//! were scattered are left out.
//!
//! A centre stands for its tile, so near tiles would receive more power than there is. The factor `1 / d²` is therefore
//! limited as if the larger tile were a disc in front of the other, which is exact over the centre of a disc.
//!
//! **Source.** Degli-Esposti et al. 2007 for lobes; C. M. Goral et al., "Modeling the interaction of light between
//! diffuse surfaces", SIGGRAPH 1984, doi:10.1145/800031.808601, for passing power on; J. R. Wallace et al., "A ray
//! tracing algorithm for progressive radiosity", SIGGRAPH 1989, doi:10.1145/74333.74366, for the disc. Theory page:
//! `surfaces`.

use std::f64::consts::PI;

use glam::DVec3;
use rayon::prelude::*;

use super::incident_field::{LAMBERT, Moments, Scattered, Shares, TileSide, density, is_lambert};
use crate::em::Surfaces;
use crate::em::scattering::lobe_shape;
use crate::materials::Lobe;
use crate::paths::{Environment, Limits};
use crate::scene::Scene;
use crate::tiles::row_ids;
use crate::units::{SPEED_OF_LIGHT, db_to_power};
use crate::{Control, Error, Stage};

/// The tiles, ready to scatter.
#[derive(Debug)]
pub(super) struct Scatterer {
    environment: Environment,
    places: Vec<Receiver>,
    /// By material.
    materials: Vec<Option<Rough>>,
    density: f64,
}

/// What scattering needs to know of a tile.
#[derive(Debug, Clone, Copy)]
struct Receiver {
    centre: DVec3,
    normal: DVec3,
    area: f64,
    material: usize,
}

/// A material that scatters.
#[derive(Debug)]
struct Rough {
    lobe: Lobe,
    /// Scattered shares of waves from the front and from the back.
    shares: [Shares; 2],
}

/// What both sides of a tile gather.
#[derive(Debug, Clone, Copy, Default)]
struct Gathered {
    gain: [Moments; 2],
    /// Incident power divided by [`density`] and area.
    flux: [f64; 2],
    /// What the tile scatters again, as [`Scattered::strength`].
    again: [Moments; 2],
}

/// Diffuse power.
#[derive(Debug)]
pub(super) struct Diffuse {
    /// For both sides of every tile: the gain, and the incident power relative to the Tx power.
    pub(super) of_tiles: Vec<[(Moments, f64); 2]>,
    /// Incident power that was too weak to be scattered again, as often as it might have been.
    pub(super) too_weak: f64,
}

impl Scatterer {
    /// `None` where no wall scatters.
    pub(super) fn new(
        scene: &Scene,
        surfaces: &Surfaces,
        environment: &Environment,
    ) -> Option<Self> {
        let rough = |id: usize| {
            let surface = surfaces.surface(crate::scene::MaterialId::from_index(id));
            Some(Rough {
                lobe: surface.texture().scattering?.lobe,
                shares: [Shares::of(surface, true)?, Shares::of(surface, false)?],
            })
        };
        let materials: Vec<Option<Rough>> = (0..scene.materials().len()).map(rough).collect();
        if materials.iter().all(Option::is_none) {
            return None;
        }
        let place = |tile: &crate::tiles::Tile| Receiver {
            centre: tile.centre,
            normal: scene.face_normal(tile.face),
            area: tile.area,
            material: scene.face(tile.face).material.index(),
        };
        Some(Self {
            places: environment.tiles.all().iter().map(place).collect(),
            environment: environment.clone(),
            materials,
            density: density(surfaces.frequency().wavelength()),
        })
    }

    /// Everything that arrives after it was scattered. Where less than `min_gain` of it arrives, it is not scattered
    /// again.
    pub(super) fn scatter(
        &self,
        scene: &Scene,
        (limits, min_gain): (&Limits, f64),
        lit: &[[TileSide; 2]],
        control: &Control,
    ) -> Result<Diffuse, Error> {
        let mut too_weak = 0.0;
        let most = limits.interactions();
        let count = limits.max_scatterings.min(most);
        control.report(Stage::Scatter, 0.0);
        // From the last scattering back to the first: each round includes what comes after it.
        let mut found = vec![Gathered::default(); self.places.len()];
        for (done, number) in (1..=count).rev().enumerate() {
            let is_allowed = |path: &&Scattered| path.num_interactions + number <= most;
            let sources: Vec<[Moments; 2]> = (0..self.places.len())
                .map(|tile| {
                    [0, 1].map(|side| {
                        let all = if self.is_lambert(tile) {
                            &lit[tile][side].scattered[..]
                        } else {
                            &[]
                        };
                        let first = all.iter().filter(is_allowed).map(|path| path.strength);
                        let gathered = &found[tile];
                        let again = if gathered.gain[side].power < min_gain {
                            too_weak += number as f64 * self.incident(gathered, tile, side);
                            Moments::default()
                        } else {
                            gathered.again[side]
                        };
                        first.fold(again, |sum, more| sum + more)
                    })
                })
                .collect();
            let round = Round {
                scatterer: self,
                scene,
                sources: &sources,
                lit,
                most_before: most - number,
            };
            found = (0..self.places.len())
                .into_par_iter()
                .map(|tile| {
                    control.check()?;
                    Ok(round.gather(tile))
                })
                .collect::<Result<_, Error>>()?;
            control.report(Stage::Scatter, (done + 1) as f64 / count as f64);
        }
        let of_tile = |(tile, gathered): (usize, &Gathered)| {
            [0, 1].map(|side| (gathered.gain[side], self.incident(gathered, tile, side)))
        };
        Ok(Diffuse {
            of_tiles: found.iter().enumerate().map(of_tile).collect(),
            too_weak,
        })
    }

    /// The incident power on one side of a tile, relative to the Tx power.
    fn incident(&self, gathered: &Gathered, tile: usize, side: usize) -> f64 {
        gathered.flux[side] * self.places[tile].area * self.density
    }

    fn rough(&self, tile: usize) -> Option<&Rough> {
        self.materials[self.places[tile].material].as_ref()
    }

    fn is_lambert(&self, tile: usize) -> bool {
        self.rough(tile).is_some_and(|rough| is_lambert(rough.lobe))
    }
}

/// One scattering of all power.
struct Round<'a> {
    scatterer: &'a Scatterer,
    scene: &'a Scene,
    /// What walls scatter by Lambert's law.
    sources: &'a [[Moments; 2]],
    /// The incident fields, which the other lobes scatter for the first time.
    lit: &'a [[TileSide; 2]],
    /// Paths of more interactions are not scattered in this round.
    most_before: usize,
}

impl Round<'_> {
    /// What a tile gathers from all tiles that it sees.
    fn gather(&self, tile: usize) -> Gathered {
        let Scatterer {
            environment,
            places,
            ..
        } = self.scatterer;
        let mut gathered = Gathered::default();
        let here = places[tile];
        let rough = self.scatterer.rough(tile);
        let clutter = self.scene.clutter();
        for other in row_ids(environment.rows.row(tile)).flatten() {
            let other = other as usize;
            let Some(sender) = self.scatterer.rough(other) else {
                continue;
            };
            let there = places[other];
            let way = there.centre - here.centre;
            let squared = way.length_squared();
            let distance = squared.sqrt();
            let into = way / distance;
            let (cos_here, side) = turned(here.normal.dot(into));
            let strength = self.sent(other, sender, -into);
            if strength.power <= 0.0 {
                continue;
            }
            let disc = here.area.max(there.area) / PI;
            let mut share = there.area / (squared + disc);
            if !clutter.volumes().is_empty() {
                share *= db_to_power(-clutter.loss_db([there.centre, here.centre]));
            }
            let gain = strength.later(distance / SPEED_OF_LIGHT) * share;
            gathered.gain[side] += gain;
            gathered.flux[side] += gain.power * cos_here;
            if let Some(rough) = rough {
                let share = rough.shares[side].at(cos_here);
                gathered.again[side] += gain * (LAMBERT * cos_here * share);
            }
        }
        gathered
    }

    /// What a tile scatters in a direction, for 1 m² at 1 m.
    fn sent(&self, tile: usize, rough: &Rough, out: DVec3) -> Moments {
        let normal = self.scatterer.places[tile].normal;
        let (cos_out, side) = turned(normal.dot(out));
        let mut sent = self.sources[tile][side] * cos_out;
        if !is_lambert(rough.lobe) {
            let paths = self.lit[tile][side].scattered.iter();
            for path in paths.filter(|path| path.num_interactions <= self.most_before) {
                let specular = 2.0 * path.into.dot(normal) * normal - path.into;
                let (ahead, back) = (out.dot(specular), out.dot(path.into));
                sent += path.strength * lobe_shape(rough.lobe, cos_out, ahead, back);
            }
        }
        sent
    }
}

/// The cosine to the normal on the side of the direction, and the index of that side.
fn turned(cosine: f64) -> (f64, usize) {
    (cosine.abs().min(1.0), usize::from(cosine < 0.0))
}
