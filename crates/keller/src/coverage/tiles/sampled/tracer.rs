//! Follows rays from edges, by reflections and through walls, and returns the power that they bring to tiles.

use glam::DVec3;

use super::super::exact::Exact;
use super::edges::Emitters;
use super::flight::Flight;
use super::source::Source;
use crate::World;
use crate::field::{Bent, FaceInteraction};
use crate::paths::InteractionCounts;
use crate::power::rays::{self, RayStart, WallHit};
use crate::power::sides::Side;
use crate::tiles::Tiles;
use crate::units::SPEED_OF_LIGHT;

/// A tile that a ray grazes counts as if it were met at this cosine, so that no single ray brings much.
const MIN_COSINE: f64 = 0.02;

/// The power that a ray brings to a tile on which it falls.
#[derive(Debug, Clone, Copy)]
pub(super) struct Landing {
    pub(super) side: Side,
    /// Gain to an isotropic receiver of both polarisations, and the gain that the wall scatters, both as means over the
    /// tile.
    pub(super) gain: f64,
    pub(super) scattered: f64,
    /// Cosine to the tile's normal.
    pub(super) cosine: f64,
    /// Unit vector to where it comes from.
    pub(super) into: DVec3,
    pub(super) delay: f64,
    pub(super) used: InteractionCounts,
    /// The wave, if an edge may send it on, and a random number for it.
    pub(super) source: Option<(f64, Source)>,
}

/// Follows rays.
#[derive(Debug)]
pub(super) struct Tracer<'a> {
    pub(super) world: &'a World,
    pub(super) tiles: &'a Tiles,
    pub(super) emitters: &'a Emitters<'a>,
    pub(super) exact: &'a Exact,
}

impl Tracer<'_> {
    /// The power that the rays with these numbers bring.
    pub(super) fn trace(&self, numbers: std::ops::Range<u32>) -> Vec<Landing> {
        let first = numbers.start;
        let mut bends = vec![None; numbers.len()];
        let mut flights = Vec::new();
        for number in numbers {
            if let Some((bent, flight)) = self.emitters.ray(number, self.exact) {
                bends[(number - first) as usize] = Some(bent);
                flights.push(flight);
            }
        }
        let mut landings = Vec::new();
        let start = |flight: &Flight| RayStart {
            origin: flight.origin,
            direction: flight.walls.direction(),
            left: flight.left,
        };
        rays::follow(self.world.scene(), flights, start, |flight, hit, next| {
            let bent = bends[(flight.number - first) as usize].as_ref();
            if let (Some(hit), Some(bent)) = (hit, bent) {
                landings.extend(self.land(bent, flight, hit, next));
            }
        });
        landings
    }

    /// The power that a ray brings to the wall that it meets. Adds the rays that go on from there.
    fn land(
        &self,
        bent: &Bent,
        flight: &Flight,
        hit: &WallHit,
        next: &mut Vec<Flight>,
    ) -> Option<Landing> {
        let scene = self.world.scene();
        let direction = flight.walls.direction();
        let WallHit {
            face,
            point,
            distance,
            ..
        } = *hit;
        let normal = scene.face_normal(face);
        let surface = self.world.surface(face);
        let flight = Flight {
            origin: point,
            ahead: flight.ahead + distance,
            front: flight.front.advanced(distance),
            leg: flight.leg + distance,
            left: rays::leaving(Some(scene.plane_of(face))),
            weight: flight.weight * hit.clutter_share,
            ..*flight
        };
        for kind in [FaceInteraction::Reflection, FaceInteraction::Transmission] {
            if let Some(used) = self.exact.limits().after(&flight.used, kind.into()) {
                let mut flight = flight;
                flight.walls.meet(kind, normal, surface);
                flight.used = used;
                if kind == FaceInteraction::Reflection {
                    flight.front = flight.front.mirrored(normal);
                    flight.mirror = Some(scene.plane_of(face));
                    flight.leg = 0.0;
                }
                next.push(flight);
            }
        }
        let used = flight.used;
        let number = self.tiles.at(face, point)?;
        if self.exact.holds(&used) {
            return None;
        }
        let tile = &self.tiles.all()[number];
        let side = Side::met(number, scene.face_normal(tile.face), normal, direction);
        let cosine = direction.dot(normal).abs().min(1.0);
        let wave = bent.through(&flight.walls, flight.behind, flight.ahead);
        let per_area = flight.weight / (tile.area * cosine.max(MIN_COSINE));
        let gain = per_area * wave.power();
        let length = flight.before + flight.ahead;
        let may_bend = self.emitters.are_beside(number) && self.exact.bent(&used).is_some();
        let source = may_bend.then(|| {
            let source = Source {
                used,
                into: -direction,
                front: flight.front,
                length,
                mirror: flight.mirror,
                leg: flight.leg,
                ..Source::without_wave(number).with_ports(wave.received())
            };
            (random(flight.number, used), source.times(per_area))
        });
        let scatters = surface.texture().scattering.is_some();
        let scattered = if scatters {
            per_area * wave.scattered_power(normal, surface)
        } else {
            0.0
        };
        Some(Landing {
            side,
            gain,
            scattered,
            cosine,
            into: -direction,
            delay: length / SPEED_OF_LIGHT,
            used,
            source,
        })
    }
}

/// A random number between 0 and 1 of a ray at one of its walls.
fn random(ray: u32, used: InteractionCounts) -> f64 {
    let walls = (used.reflections + 64 * used.transmissions) as u64;
    crate::random::Random(u64::from(ray) << 32 | walls).range(0.0, 1.0)
}
