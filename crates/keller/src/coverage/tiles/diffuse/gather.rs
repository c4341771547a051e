//! Gathers at a tile the power that all tiles send: from those that it sees, and behind further interactions.
//!
//! Each visible tile counts by itself. Waves that walls reflect and let through arrive along rays from the centre of
//! the tile. Some rays cover the half space before each of its sides evenly. Others are aimed at bright tiles
//! ([`super::aims`]): at their mirror images, and through walls. All follow the same way backwards: at each wall a ray
//! goes on as its reflection, and straight on behind the wall, with the share of power that the wall passes on. From
//! its second wall on, it brings the power that the tile that it meets sends along it. Rays that come round edges start
//! at the edges instead ([`super::edges`]) and go on in the same way.

use glam::DVec3;

use super::super::incident_field::{LAMBERT, Moments};
use super::super::lobe_parts::{Arriving, Axes};
use super::Scatterer;
use super::aims::{Aim, Aims, NEGLIGIBLE, Way, place_on, rays_for};
use super::bend::Bend;
use super::budget::{Leg, Plan};
use super::directions::{AIMED, RAYS, half_space};
use super::emission::Emission;
use super::exchange::sight;
use super::gathered::{Gathered, MIN_COSINE};
use super::wall_light::{WallLight, by_plane};
use crate::World;
use crate::geometry::sampling::Points;
use crate::materials::Lobe;
use crate::power::rays::{self, RayStart, WallHit};
use crate::power::sides::Side;
use crate::scene::{FaceId, PlaneId, Scene};
use crate::tiles::row_ids;
use crate::units::{SPEED_OF_LIGHT, db_to_power};

use std::f64::consts::TAU;

/// One scattering of all power.
#[derive(Debug, Clone, Copy)]
pub(super) struct Round<'a> {
    pub(super) scatterer: &'a Scatterer,
    pub(super) world: &'a World,
    pub(super) scene: &'a Scene,
    pub(super) emission: &'a Emission<'a>,
    /// The power that arrives at walls.
    pub(super) light: &'a WallLight,
    pub(super) plan: &'a Plan,
    /// For each open space, whether anything is sent in it.
    pub(super) lit: &'a [bool],
    /// Whether gathered power is scattered again.
    pub(super) keeps: bool,
    /// Rays that can bring no more than this gain are left out.
    pub(super) min_gain: f64,
}

/// A ray on its way back from a tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branch {
    pub(super) origin: DVec3,
    pub(super) direction: DVec3,
    /// The numbers of the planes that it leaves.
    pub(super) left: [u32; 2],
    /// Share of power that comes back to the tile, apart from the share of an edge.
    pub(super) weight: f64,
    /// Length from the tile.
    pub(super) length: f64,
    pub(super) leg: Leg,
    pub(super) way: Way,
    /// Number of the ray.
    pub(super) first: usize,
}

/// The rays that leave a tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rays<'a> {
    /// The number of rays of even directions, or of edges.
    pub(super) num: u32,
    pub(super) aims: &'a Aims,
    /// The aim of each ray; `None` for those of even directions and of edges.
    pub(super) aimed: &'a [Option<Aim>],
    /// The edge behind which each of them starts; none where they start at the tile.
    pub(super) bends: &'a [Bend],
}

/// The point where a ray from a tile or an edge arrives.
#[derive(Debug, Clone, Copy)]
struct Landing {
    side: Side,
    /// The area over which places on this part of the tile are spread, m².
    area: f64,
    cosine: f64,
    /// Length from the tile that receives.
    length: f64,
}

impl Rays<'_> {
    /// The weight of the power that a ray brings, as a part of its weight: its own density over that of all rays that
    /// may arrive there by the same way.
    fn part(&self, branch: &Branch, landing: &Landing) -> f64 {
        let (even, stretch) = self.bends.get(branch.first).map_or_else(
            || (f64::from(self.num) / TAU, landing.length.powi(2)),
            |bend| (bend.density, bend.stretch(landing.length)),
        );
        let aimed =
            self.aims.num_to(branch.way, landing.side) * stretch / (landing.cosine * landing.area);
        match self.aimed[branch.first] {
            _ if even + aimed <= 0.0 => 0.0,
            None => even / (even + aimed),
            Some(aim) if (aim.way, aim.side) == (branch.way, landing.side) => 1.0 / (even + aimed),
            Some(_) => 0.0,
        }
    }
}

impl Round<'_> {
    /// The power that both sides of a tile gather, apart from that which comes round edges.
    pub(super) fn gather(&self, tile: usize) -> [Gathered; 2] {
        let mut gathered =
            [false, true].map(|is_back| Collector::new(self, Side::new(tile, is_back)));
        self.gather_in_sight(tile, &mut gathered);
        gathered.map(|mut collector| {
            self.along_rays(&mut collector);
            collector.gathered
        })
    }

    /// Whether anything is sent in the space before a side, or may come into it through walls.
    fn is_reachable(&self, side: Side) -> bool {
        let scatterer = self.scatterer;
        scatterer.passes_walls || self.lit[scatterer.exchange.components()[side.index()] as usize]
    }

    /// Whether anything may come round edges to a side: all that looks into the open may be joined by edges.
    pub(super) fn is_reachable_round_edges(&self, side: Side) -> bool {
        self.is_reachable(side) || self.scatterer.exchange.sees_open(side)
    }

    fn gather_in_sight(&self, tile: usize, gathered: &mut [Collector; 2]) {
        let Scatterer {
            environment,
            places,
            exchange,
            ..
        } = self.scatterer;
        let clutter = self.scene.clutter();
        let reads = self.plan.leg(Leg::default());
        let Some(leg) = reads else { return };
        for other in row_ids(environment.rows.row(tile)).flatten() {
            let other = other as usize;
            if [false, true]
                .iter()
                .all(|back| self.emission.is_dark(Side::new(other, *back)))
            {
                continue;
            }
            let sight = sight(places, tile, other);
            if self.emission.is_dark(sight.there) {
                continue;
            }
            let mut share = exchange.factor(sight.here, sight.there)
                * if places.is_lambert(sight.there.index()) {
                    sight.share
                } else {
                    sight.even_share
                };
            if !clutter.volumes().is_empty() {
                let ends = [other, tile].map(|tile| places.tile(tile).centre);
                share *= db_to_power(-clutter.loss_db(ends));
            }
            let delay = sight.distance / SPEED_OF_LIGHT;
            let collector = &mut gathered[usize::from(sight.here.is_back())];
            self.emission.add_to(
                &mut collector.slots,
                sight.there,
                (-sight.into, sight.cos_there),
                (share, delay),
                (self.plan, leg),
            );
            collector.settle(self, sight.into, sight.cos_here);
        }
    }

    /// Adds the power that arrives behind reflections and walls.
    fn along_rays(&self, collector: &mut Collector) {
        let (scatterer, side) = (self.scatterer, collector.side);
        if !self.plan.has_legs(false) || !self.is_reachable(side) {
            return;
        }
        let place = scatterer.places.tile(side.tile());
        let normal = scatterer.places.normal(side);
        let even = half_space(&scatterer.ray_order, normal, side.index());
        let even = even.into_iter().map(|direction| (direction, None));
        let aims = self.aims(side, collector.gathered.gain.power);
        let aimed = self.aimed(side, &aims);
        let aimed = aimed
            .into_iter()
            .map(|(direction, aim)| (direction, Some(aim)));
        let (directions, aimed): (Vec<DVec3>, Vec<Option<Aim>>) = even.chain(aimed).unzip();
        let starts = directions.iter().zip(&aimed).enumerate();
        let start = |(first, (direction, aim)): (usize, (&DVec3, &Option<Aim>))| Branch {
            origin: place.centre,
            direction: *direction,
            left: rays::leaving(Some(place.plane)),
            weight: aim.map_or(TAU / f64::from(RAYS), |_| 1.0),
            length: 0.0,
            leg: Leg::default(),
            way: Way::Open,
            first,
        };
        let branches: Vec<Branch> = starts.map(start).collect();
        let rays = Rays {
            num: RAYS,
            aims: &aims,
            aimed: &aimed,
            bends: &[],
        };
        let (arrived, omitted) = self.follow(branches, rays);
        collector.gathered.omitted += omitted;
        for (direction, slots) in directions.iter().zip(arrived.chunks(self.plan.num_slots)) {
            collector.slots.copy_from_slice(slots);
            collector.settle(self, *direction, normal.dot(*direction));
        }
    }

    /// The aims of a side that has this gain from the visible tiles.
    fn aims(&self, side: Side, gain: f64) -> Aims {
        let Scatterer {
            environment,
            places,
            blocks,
            ..
        } = self.scatterer;
        let once = |reflections, transmissions| Leg {
            reflections,
            transmissions,
            diffractions: 0,
        };
        let (tiles, floor) = ((environment, places), NEGLIGIBLE * gain);
        let mut aims = Vec::new();
        if self.plan.leg(once(1, 0)).is_some() {
            aims = self.light.reflected(blocks, tiles, side, floor);
        }
        if self.plan.leg(once(0, 1)).is_some() {
            aims.extend(self.light.through_walls(blocks, tiles, side, floor));
        }
        if aims.is_empty() {
            return Aims::default();
        }
        let sum: f64 = aims.iter().map(|aim| aim.power).sum();
        Aims::new(aims, rays_for(AIMED, sum / (sum + gain)))
    }

    /// The directions of the rays that a side aims.
    fn aimed(&self, side: Side, aims: &Aims) -> Vec<(DVec3, Aim)> {
        let Scatterer {
            environment,
            places,
            ..
        } = self.scatterer;
        let points = Points::new(side.index() as u64);
        let [shift, ..] = points.at(0);
        let (centre, normal) = (places.tile(side.tile()).centre, places.normal(side));
        let aimed = (1..).zip(aims.dealt(shift)).filter_map(|(ray, aim)| {
            let [x, y, choice, _] = points.at(ray);
            let place = place_on(environment, aim.side.tile(), [x, y, choice])?;
            let image = match aim.way {
                Way::By(plane) => self
                    .scene
                    .plane(PlaneId::from_index(plane as usize))
                    .mirror(place),
                _ => place,
            };
            let direction = (image - centre).try_normalize()?;
            (direction.dot(normal) > 0.0).then_some((direction, aim))
        });
        aimed.collect()
    }

    /// The power that each ray brings, slots after slots, and an upper bound of the power that is left out. The
    /// branches are the starts of the rays, in the order of their numbers.
    pub(super) fn follow(&self, branches: Vec<Branch>, all: Rays) -> (Vec<Moments>, f64) {
        let num_slots = self.plan.num_slots;
        let mut arrived = vec![Moments::default(); branches.len() * num_slots];
        let mut omitted = 0.0;
        let start = |branch: &Branch| RayStart {
            origin: branch.origin,
            direction: branch.direction,
            left: branch.left,
        };
        rays::follow(self.scene, branches, start, |branch, hit, next| {
            if let Some(hit) = hit {
                let slots = branch.first * num_slots;
                let slots = &mut arrived[slots..slots + num_slots];
                omitted += self.meet((branch, all), hit, slots, next);
            }
        });
        (arrived, omitted)
    }

    /// Adds the power that a ray brings from the wall that it meets, and the rays that go on from there. Returns a
    /// bound of the power that is left out.
    fn meet(
        &self,
        (branch, rays): (&Branch, Rays),
        hit: &WallHit,
        slots: &mut [Moments],
        next: &mut Vec<Branch>,
    ) -> f64 {
        let scatterer = self.scatterer;
        let WallHit { face, point, .. } = *hit;
        let normal = self.scene.face_normal(face);
        let cosine = -normal.dot(branch.direction);
        let is_back = cosine < 0.0;
        let weight = branch.weight * hit.clutter_share;
        let length = branch.length + hit.distance;
        let bend = rays.bends.get(branch.first);
        if branch.leg != Leg::default()
            && let Some(leg) = self.plan.leg(branch.leg)
            && let Some(tile) = scatterer.environment.tiles.at(face, point)
        {
            let side = scatterer.places.side_met(tile, normal, branch.direction);
            if !self.emission.is_dark(side) {
                let cosine = cosine.abs().max(MIN_COSINE);
                let landing = Landing {
                    side,
                    area: self.area_of(tile, face),
                    cosine,
                    length,
                };
                let power = bend.map_or(1.0, |bend| bend.power(length));
                let weight = rays.part(branch, &landing) * power * weight;
                self.emission.add_to(
                    slots,
                    side,
                    (-branch.direction, cosine.min(1.0)),
                    (weight / cosine, length / SPEED_OF_LIGHT),
                    (self.plan, leg),
                );
            }
        }
        let material = self.scene.face(face).material;
        let split = scatterer
            .places
            .power(material, is_back)
            .split(cosine.abs());
        let on = Branch {
            origin: point,
            left: rays::leaving(Some(self.scene.plane_of(face))),
            length,
            ..*branch
        };
        let reflected = Branch {
            way: branch.way.reflected(by_plane(self.scene.plane_of(face))),
            direction: rays::reflected(branch.direction, normal),
            weight: weight * split.reflected,
            leg: Leg {
                reflections: branch.leg.reflections + 1,
                ..branch.leg
            },
            ..on
        };
        let transmitted = Branch {
            way: branch.way.transmitted(),
            weight: weight * split.transmitted,
            leg: Leg {
                transmissions: branch.leg.transmissions + 1,
                ..branch.leg
            },
            ..on
        };
        let mut omitted = 0.0;
        for branch in [reflected, transmitted] {
            if branch.weight <= 0.0 || self.plan.leg(branch.leg).is_none() {
                continue;
            }
            if let Some(aim) = rays.aimed[branch.first] {
                if branch.way.leads_to(aim.way) {
                    next.push(branch);
                }
                continue;
            }
            // All rays like this one together would bring less than the smallest gain.
            let most =
                branch.weight * bend.map_or(1.0, |bend| bend.most) * self.emission.brightest();
            if most * f64::from(rays.num) < self.min_gain {
                omitted += most;
            } else {
                next.push(branch);
            }
        }
        omitted
    }
}

impl Round<'_> {
    /// The area over which places on a tile's part of a face are spread, m².
    fn area_of(&self, tile: usize, face: FaceId) -> f64 {
        let tiles = &self.scatterer.environment.tiles;
        let parts = tiles.parts(tile);
        let own = parts.iter().find(|part| part.face == face);
        let area = own.zip(tiles.frame(face)).map(|(part, frame)| {
            let size = part.high - part.low;
            size.x * size.y * frame.stretch()
        });
        area.map_or(f64::INFINITY, |area| area * parts.len() as f64)
    }
}

/// Adds up the power that arrives at one side.
#[derive(Debug)]
pub(super) struct Collector {
    side: Side,
    pub(super) gathered: Gathered,
    /// The power that arrives from one direction, for each slot.
    pub(super) slots: Vec<Moments>,
    axes: Option<Axes>,
}

impl Collector {
    fn new(round: &Round, side: Side) -> Self {
        let places = &round.scatterer.places;
        let lobe = places.lobe(side.index()).filter(|_| round.keeps);
        let num_slots = if lobe.is_some() {
            round.plan.num_slots
        } else {
            0
        };
        let gathered = Gathered {
            again: vec![Moments::default(); num_slots],
            ..Gathered::default()
        };
        Self::with(round, side, gathered)
    }

    /// Goes on after the power that a side has gathered in this round.
    pub(super) fn with(round: &Round, side: Side, gathered: Gathered) -> Self {
        let places = &round.scatterer.places;
        let lobe = places.lobe(side.index()).filter(|_| round.keeps);
        let has_beams = lobe.is_some_and(|lobe| !matches!(lobe, Lobe::Lambertian));
        Self {
            side,
            gathered,
            slots: vec![Moments::default(); round.plan.num_slots],
            axes: has_beams.then(|| Axes::of(places.normal(side))),
        }
    }

    /// Takes the power that has arrived in the slots from the direction `into`, of which the side has the cosine.
    pub(super) fn settle(&mut self, round: &Round, into: DVec3, cosine: f64) {
        let places = &round.scatterer.places;
        let gathered = &mut self.gathered;
        let sum = self
            .slots
            .iter()
            .fold(Moments::default(), |sum, slot| sum + *slot);
        if sum.power <= 0.0 {
            return;
        }
        gathered.gain += sum;
        gathered.flux += sum.power * cosine;
        if !gathered.again.is_empty() {
            let material = places.tile(self.side.tile()).material;
            let power = places.power(material, self.side.is_back());
            let scattered = cosine * power.split(cosine).scattered;
            let lobe = if self.axes.is_some() { 1.0 } else { LAMBERT };
            for (again, slot) in gathered.again.iter_mut().zip(&self.slots) {
                *again += *slot * (scattered * lobe);
            }
            if let Some(axes) = &self.axes {
                let none = || Box::new(Arriving::none());
                let arriving = gathered.arriving.get_or_insert_with(none);
                arriving.add(axes, into, sum.power * scattered);
            }
        }
        self.slots.fill(Moments::default());
    }
}
