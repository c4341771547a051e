//! Rays from a Tx: what exact paths carry goes on, all else becomes a diffuse source.

use glam::DVec3;

use super::caster::Caster;
use crate::antenna::Antenna;
use crate::direction::Direction;
use crate::geometry::sampling::sphere;
use crate::parallel;
use crate::paths::{InteractionCounts, InteractionKind, Limits};
use crate::scene::PlaneId;
use crate::{Control, Error};

/// Where the power of a Tx goes before it is diffuse, W for 1 W into the antenna.
#[derive(Debug, Clone)]
pub(super) struct TxSource {
    /// What leaves each side diffusely and is in no exact path.
    pub(super) diffuse: Vec<f64>,
    /// What leaves each side diffusely and reaches receivers as exact paths with one scattering.
    pub(super) scattered: Vec<f64>,
    /// Lost in walls.
    pub(super) absorbed: f64,
    /// Gone into the open, or lost in clutter.
    pub(super) escaped: f64,
}

/// A ray with less than this share of its first power ends.
const MIN_SHARE: f64 = 1e-7;

/// Rays that are traced one after the other. Their sums are added in order, so results do not depend on threads.
const CHUNK: usize = 512;

/// A ray on its way.
#[derive(Debug, Clone, Copy)]
struct Branch {
    origin: DVec3,
    direction: DVec3,
    left: Option<PlaneId>,
    power: f64,
    counts: InteractionCounts,
}

impl TxSource {
    fn empty(sides: usize) -> Self {
        Self {
            diffuse: vec![0.0; sides],
            scattered: vec![0.0; sides],
            absorbed: 0.0,
            escaped: 0.0,
        }
    }

    /// Traces `count` rays from an antenna.
    pub(super) fn trace(
        caster: Caster,
        position: DVec3,
        antenna: &Antenna,
        alternatives: &[Limits],
        count: u32,
        control: &Control,
    ) -> Result<Self, Error> {
        let sides = caster.patches.num_sides();
        let directions: Vec<DVec3> = sphere(count).collect();
        let chunks: Vec<&[DVec3]> = directions.chunks(CHUNK).collect();
        let parts: Vec<Self> = parallel::try_map(chunks.len(), |number| {
            control.check()?;
            let mut part = Self::empty(sides);
            for direction in chunks[number] {
                let power = mean_gain(antenna, *direction) / f64::from(count);
                part.follow(caster, alternatives, position, *direction, power);
            }
            Ok::<_, Error>(part)
        })?;
        let mut sum = Self::empty(sides);
        for part in parts {
            for (all, more) in [
                (&mut sum.diffuse, part.diffuse),
                (&mut sum.scattered, part.scattered),
            ] {
                all.iter_mut().zip(more).for_each(|(a, b)| *a += b);
            }
            sum.absorbed += part.absorbed;
            sum.escaped += part.escaped;
        }
        Ok(sum)
    }

    /// Follows one ray and all rays into which walls split it.
    fn follow(
        &mut self,
        caster: Caster,
        alternatives: &[Limits],
        origin: DVec3,
        direction: DVec3,
        power: f64,
    ) {
        let mut waiting = vec![Branch {
            origin,
            direction,
            left: None,
            power,
            counts: InteractionCounts::NONE,
        }];
        while let Some(ray) = waiting.pop() {
            if ray.power <= 0.0 {
                continue;
            }
            let Some(met) = caster.first(ray.origin, ray.direction, ray.left) else {
                self.escaped += ray.power;
                continue;
            };
            let arrived = ray.power * met.share;
            self.escaped += ray.power - arrived;
            let split = caster.patches.power(met.side).split(met.cosine);
            let patch = caster.patches.of_side(met.side);
            let next = Branch {
                origin: ray.origin + met.distance * ray.direction,
                left: Some(caster.scene.plane_of(patch.face)),
                ..ray
            };
            let goes_on = |branch: &Branch| {
                let mut limits = alternatives.iter();
                branch.power > MIN_SHARE * power
                    && limits.any(|limits| limits.allow(&branch.counts))
            };
            let reflected = Branch {
                direction: ray.direction - 2.0 * ray.direction.dot(patch.normal) * patch.normal,
                power: arrived * split.reflected,
                counts: ray.counts.with(InteractionKind::Reflection),
                ..next
            };
            if goes_on(&reflected) {
                waiting.push(reflected);
            } else {
                self.diffuse[met.side] += reflected.power;
            }
            let transmitted = Branch {
                power: arrived * split.transmitted,
                counts: ray.counts.with(InteractionKind::Transmission),
                ..next
            };
            if goes_on(&transmitted) {
                waiting.push(transmitted);
            } else {
                self.diffuse[met.side ^ 1] += transmitted.power;
            }
            let scattered = arrived * split.scattered;
            let as_path = ray.counts.with(InteractionKind::Scattering);
            let is_path = alternatives.iter().any(|limits| limits.allow(&as_path));
            let source = if is_path {
                &mut self.scattered
            } else {
                &mut self.diffuse
            };
            source[met.side] += scattered;
            self.absorbed += arrived - reflected.power - transmitted.power - scattered;
        }
    }
}

/// The gain of a Tx in a direction, linear: ports share the power.
pub(super) fn mean_gain(antenna: &Antenna, direction: DVec3) -> f64 {
    antenna_gain(antenna, direction) / antenna.num_ports() as f64
}

/// The sum of the gains of all ports in a direction, linear.
pub(super) fn antenna_gain(antenna: &Antenna, direction: DVec3) -> f64 {
    let ports = antenna.fields(Direction::from_vector(direction));
    ports
        .map(|field| field.iter().map(crate::Complex64::norm_sqr).sum::<f64>())
        .sum()
}
