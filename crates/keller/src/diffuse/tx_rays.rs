//! Rays from a Tx: power in exact paths goes on, all else becomes a diffuse source.

use glam::DVec3;

use super::caster::Caster;
use crate::antenna::Antenna;
use crate::direction::Direction;
use crate::em::scattering::sample_lobe;
use crate::geometry::sampling::sphere;
use crate::parallel;
use crate::paths::{InteractionCounts, InteractionKind, Limits};
use crate::power::rays::{self, RayStart, WallHit};
use crate::power::sides::Side;
use crate::random::Random;
use crate::{Control, Error};

/// The power of a Tx before it is diffuse, by where it goes, W for 1 W into the antenna.
#[derive(Debug, Clone)]
pub(super) struct TxSource {
    /// The power that leaves each side diffusely and is in no exact path.
    pub(super) diffuse: Vec<f64>,
    /// The power lost in walls.
    pub(super) absorbed: f64,
    /// The power gone into the open, or lost in clutter.
    pub(super) escaped: f64,
}

/// A ray with less than this share of its first power ends.
const MIN_SHARE: f64 = 1e-7;

/// Rays that are traced one after the other. Their sums are added in order, so results do not depend on threads.
const CHUNK: usize = 512;

/// Rays that leave a wall where a wave is scattered for the first time.
const FIRST_SCATTERED: u32 = 4;

/// The exact paths with a scattering that are used with the field, within their limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScatteredPaths {
    /// The paths of [`PathFinder`](crate::paths::PathFinder): scattered at most twice, and not reflected in between.
    ToDevices,
    /// The paths of [`Tubes`](crate::coverage::tubes::Tubes): they end at their first scattering.
    ToCells,
    /// All paths, as those of surfaces by [tiles](crate::coverage::tiles).
    ToSurfaces,
}

/// The exact paths that are used with the field.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExactPaths<'a> {
    /// The limits, of which paths keep at least one set.
    pub(super) alternatives: &'a [Limits],
    pub(super) scattered: ScatteredPaths,
}

impl ExactPaths<'_> {
    /// The history of a wave after one interaction more, if there is an exact path with the same interactions.
    fn after(&self, history: &RayHistory, next: InteractionKind) -> Option<RayHistory> {
        let is_first = history.counts.scatterings == 0;
        let is_found = match self.scattered {
            _ if is_first => true,
            ScatteredPaths::ToSurfaces => true,
            ScatteredPaths::ToCells => false,
            ScatteredPaths::ToDevices => {
                let may_be_scattered =
                    history.counts.scatterings == 1 && !history.is_reflected_since;
                next != InteractionKind::Scattering || may_be_scattered
            }
        };
        let counts = history.counts.with(next);
        let is_reflected = next == InteractionKind::Reflection && !is_first;
        let is_path = is_found && self.alternatives.iter().any(|limits| limits.allow(&counts));
        is_path.then_some(RayHistory {
            counts,
            is_reflected_since: history.is_reflected_since || is_reflected,
        })
    }
}

/// The interactions that a wave has had.
#[derive(Debug, Clone, Copy, Default)]
struct RayHistory {
    counts: InteractionCounts,
    /// Whether it was reflected after a scattering.
    is_reflected_since: bool,
}

/// A ray on its way.
#[derive(Debug, Clone, Copy)]
struct Branch {
    start: RayStart,
    power: f64,
    /// Rays into which walls split it end below this power.
    min_power: f64,
    history: RayHistory,
    /// Number of the ray among those that are traced together.
    number: usize,
}

impl TxSource {
    fn empty(sides: usize) -> Self {
        Self {
            diffuse: vec![0.0; sides],
            absorbed: 0.0,
            escaped: 0.0,
        }
    }

    /// Traces `count` rays from an antenna.
    pub(super) fn trace(
        caster: Caster,
        position: DVec3,
        antenna: &Antenna,
        exact: &ExactPaths,
        count: u32,
        control: &Control,
    ) -> Result<Self, Error> {
        let sides = caster.patches.num_sides();
        let directions: Vec<DVec3> = sphere(count).collect();
        let chunks: Vec<&[DVec3]> = directions.chunks(CHUNK).collect();
        let parts: Vec<Self> = parallel::try_map(chunks.len(), |number| {
            control.check()?;
            let mut part = Self::empty(sides);
            let branches = chunks[number].iter().enumerate();
            let branches = branches.map(|(k, direction)| {
                let power = mean_gain(antenna, *direction) / f64::from(count);
                Branch {
                    start: RayStart::new(position, *direction, None),
                    power,
                    min_power: MIN_SHARE * power,
                    history: RayHistory::default(),
                    number: k,
                }
            });
            let branches = branches.filter(|branch| branch.power > 0.0).collect();
            let mut randoms: Vec<Random> = (0..chunks[number].len())
                .map(|k| Random((number * CHUNK + k) as u64))
                .collect();
            let meet = |branch: &Branch, hit: Option<&WallHit>, next: &mut Vec<Branch>| {
                let random = &mut randoms[branch.number];
                part.meet((caster, exact), branch, hit, random, next);
            };
            rays::follow(caster.scene, branches, |branch| branch.start, meet);
            Ok::<_, Error>(part)
        })?;
        let mut sum = Self::empty(sides);
        for part in parts {
            let all = sum.diffuse.iter_mut().zip(part.diffuse);
            all.for_each(|(a, b)| *a += b);
            sum.absorbed += part.absorbed;
            sum.escaped += part.escaped;
        }
        Ok(sum)
    }

    /// Takes the power that a ray brings to the wall that it meets, and adds the rays into which the wall splits it.
    fn meet(
        &mut self,
        (caster, exact): (Caster, &ExactPaths),
        ray: &Branch,
        hit: Option<&WallHit>,
        random: &mut Random,
        next: &mut Vec<Branch>,
    ) {
        let direction = ray.start.direction;
        let met = hit.and_then(|hit| Some((hit, caster.met(direction, hit)?)));
        let Some((hit, met)) = met else {
            self.escaped += ray.power;
            return;
        };
        let arrived = ray.power * met.share;
        self.escaped += ray.power - arrived;
        let patches = caster.patches;
        let split = patches.power(met.side).split(met.cosine);
        let patch = patches.of_side(met.side);
        let plane = Some(caster.scene.plane_of(patch.face));
        let mut left = arrived;
        // The power of exact paths goes on; all else is diffuse from the side that it leaves.
        let mut part = |kind, share: f64, side: Side| {
            let power = arrived * share;
            left -= power;
            let history = exact.after(&ray.history, kind);
            let history = history.filter(|_| power > ray.min_power);
            if history.is_none() {
                self.diffuse[side.index()] += power;
            }
            history.map(|history| Branch {
                start: RayStart::new(hit.point, direction, plane),
                power,
                history,
                ..*ray
            })
        };
        let reflected = part(InteractionKind::Reflection, split.reflected, met.side);
        let towards = |direction, branch: Branch| Branch {
            start: RayStart {
                direction,
                ..branch.start
            },
            ..branch
        };
        next.extend(
            reflected.map(|branch| towards(rays::reflected(direction, patch.normal), branch)),
        );
        let behind = met.side.opposite();
        next.extend(part(
            InteractionKind::Transmission,
            split.transmitted,
            behind,
        ));
        if let Some(branch) = part(InteractionKind::Scattering, split.scattered, met.side) {
            let is_first = ray.history.counts.scatterings == 0;
            let count = if is_first { FIRST_SCATTERED } else { 1 };
            let (lobe, normal) = (patches.lobe(met.side), patches.normal(met.side));
            next.extend((0..count).map(|_| Branch {
                power: branch.power / f64::from(count),
                ..towards(sample_lobe(lobe, normal, direction, random), branch)
            }));
        }
        self.absorbed += left;
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
