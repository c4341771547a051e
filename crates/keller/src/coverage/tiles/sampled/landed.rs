//! The power that rays bring to the sides of tiles.

use std::collections::BTreeMap;

use glam::DVec3;

use super::super::incident_field::{Moments, Scattered, TileSide};
use super::super::lobe_parts::Axes;
use super::tracer::Landing;
use crate::World;
use crate::em::scattering::lobe_scale;
use crate::materials::Lobe;
use crate::paths::InteractionCounts;
use crate::power::sides::Side;
use crate::tiles::Tiles;

/// The power that has arrived on all sides.
#[derive(Debug)]
pub(super) struct Landed<'a> {
    world: &'a World,
    tiles: &'a Tiles,
    sides: Vec<OnSide>,
    /// The power that walls scatter, by the interactions of the waves, by side, and by the part of the half space from
    /// which they come.
    scattered: BTreeMap<InteractionCounts, rustc_hash::FxHashMap<(u32, u8), Part>>,
}

/// The power that has arrived on a side.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct OnSide {
    pub(super) gain: Moments,
    /// The sum of gains times cosines.
    pub(super) flux: f64,
}

/// The power that is scattered of waves from one part of the half space.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    scattered: Moments,
    /// The sum of directions times power.
    into: DVec3,
}

impl<'a> Landed<'a> {
    pub(super) fn new(world: &'a World, tiles: &'a Tiles) -> Self {
        Self {
            world,
            tiles,
            sides: vec![OnSide::default(); 2 * tiles.len()],
            scattered: BTreeMap::new(),
        }
    }

    /// Unit normal that points away from a side.
    fn outwards(&self, side: Side) -> DVec3 {
        let normal = self
            .world
            .scene()
            .face_normal(self.tiles.all()[side.tile()].face);
        side.outwards(normal)
    }

    fn lobe(&self, side: Side) -> Option<Lobe> {
        let face = self.tiles.all()[side.tile()].face;
        let texture = self.world.surface(face).texture();
        texture.scattering.map(|scattering| scattering.lobe)
    }

    pub(super) fn add(&mut self, landing: &Landing) {
        let side = &mut self.sides[landing.side.index()];
        side.gain += Moments::at(landing.gain, landing.delay);
        side.flux += landing.gain * landing.cosine;
        if landing.scattered <= 0.0 {
            return;
        }
        let part = match self.lobe(landing.side) {
            None | Some(Lobe::Lambertian) => 0,
            Some(_) => Axes::of(self.outwards(landing.side)).part(landing.into),
        };
        // The order of reflections and diffractions does not matter any more.
        let used = InteractionCounts {
            is_reflected_behind_edge: false,
            ..landing.used
        };
        let of_used = self.scattered.entry(used).or_default();
        let side = u32::try_from(landing.side.index()).expect("sides fit in 32 bits");
        let part = u8::try_from(part).expect("fewer than 256 parts");
        let part = of_used.entry((side, part)).or_default();
        part.scattered += Moments::at(landing.scattered, landing.delay);
        part.into += landing.scattered * landing.into;
    }

    /// Adds everything to the power of paths. A side on which less than `min_gain` of it arrives gets nothing; that
    /// power is reported as left out. `density` is the power through a square metre for each gain.
    pub(super) fn add_to(self, lit: &mut [[TileSide; 2]], min_gain: f64, density: f64) {
        for (number, side) in self.sides.iter().enumerate() {
            let own = &mut lit[number / 2][number % 2].field;
            if side.gain.power < min_gain {
                own.omitted_gain += side.gain.power;
                continue;
            }
            let all = Moments::of(own) + side.gain;
            own.path_gain += side.gain.power;
            own.sampled_gain += side.gain.power;
            own.incident_power += side.flux * self.tiles.all()[number / 2].area * density;
            (own.mean_delay, own.delay_spread) = all.mean_and_spread();
        }
        for (used, of_used) in &self.scattered {
            let mut parts: Vec<_> = of_used.iter().collect();
            parts.sort_unstable_by_key(|(at, _)| **at);
            for ((side, _), part) in parts {
                let side = Side::from_index(*side as usize);
                let on_side = &self.sides[side.index()];
                let (Some(lobe), Some(into)) = (self.lobe(side), part.into.try_normalize()) else {
                    continue;
                };
                let cosine = into.dot(self.outwards(side));
                if on_side.gain.power < min_gain || cosine <= 0.0 {
                    continue;
                }
                lit[side.tile()][usize::from(side.is_back())]
                    .scattered
                    .push(Scattered {
                        used: *used,
                        into,
                        strength: part.scattered * (lobe_scale(lobe, cosine) / cosine),
                    });
            }
        }
    }
}
