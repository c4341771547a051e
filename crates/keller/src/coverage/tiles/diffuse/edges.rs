//! Gathers the power that arrives round edges.
//!
//! A tile looks for edges among those that border the tiles that it sees. Rays leave from points of these edges, on the
//! cone from which an edge sends power to the tile, and are followed backwards like those of [`super::gather`]. Half of
//! them have angles around the edge where the edge sends much ([`super::cone`]), from points all over the edges. The
//! others are aimed at places where much may come from ([`super::edge_light`], [`super::aims`]), by the point of the edge
//! that belongs to them.
//!
//! The numbers of rays are fixed. They are shared among the edges of a tile: the nearer an edge is and the more power
//! arrives there, the more rays it gets. So the cost of a tile depends little on how many edges it sees.
//!
//! **Leaves out** edges of the tile's own plane, along which no power passes through the tile's area; waves that are
//! reflected, or pass a wall, between the edge and the tile; and more than one edge between two scatterings. **May
//! miss** edges that are visible where the centres of the tiles at both of their sides are not.
//!
//! Theory page: `surfaces`.

use std::f64::consts::PI;

use glam::DVec3;

use super::super::cone::Cone;
use super::super::edge_rays::{ALONG_EDGE, clearance};
use super::Scatterer;
use super::aims::{Aim, Aims, Way, place_on};
use super::bend::{BENT, Bend};
use super::edge_light::{EdgeLight, by_edge};
use super::emission::Emission;
use super::gather::{Branch, Collector, Rays, Round};
use super::gathered::Gathered;
use super::place::Place;
use super::ray_shares::{Sighted, deal, share_out};
use crate::em::PathCounts;
use crate::em::utd::{Diffraction, EdgeAngles};
use crate::field::{EdgeFrame, wedge};
use crate::geometry::bvh::Ray;
use crate::geometry::sampling::Points;
use crate::geometry::tolerance::IN_PLANE_DISTANCE;
use crate::paths::{Environment, Limits};
use crate::power::sides::Side;
use crate::scene::{Edge, EdgeId, Scene};
use crate::tiles::{Segments, row_ids};
use crate::units::db_to_power;

/// Rays of a tile with angles where edges send much.
const AROUND: u32 = 256;

/// Rays of a tile to places where much may come from.
const AIMED: u32 = 256;

/// A factor that gives, times the root of wavelength times distance, an upper bound of the integral of diffracted power
/// over the angles around an edge, m. Each of four terms alone has `1 / pi`, and the square of their sum is at most
/// four times the sum of their squares. Terms of walls that let waves through may have twice that.
const MOST: f64 = 32.0 / PI;

/// The edges that diffract, in segments between the borders of tiles.
#[derive(Debug)]
pub(super) struct Edges {
    segments: Segments,
    wavelength: f64,
}

/// A point of an edge from which a ray leaves.
#[derive(Debug, Clone, Copy)]
struct Turn {
    edge: EdgeId,
    point: DVec3,
    /// Unit vector from the tile to the edge, and the length of that way.
    into: DVec3,
    length: f64,
    /// Distance of the tile from the line of the edge.
    distance: f64,
    to: To,
}

/// The direction in which a ray leaves.
#[derive(Debug, Clone, Copy)]
enum To {
    /// The angle behind this part of all angles around the edge.
    Around(f64),
    /// A place, along a unit vector.
    Aim(DVec3, Aim),
}

impl Edges {
    pub(super) fn new(
        scene: &Scene,
        environment: &Environment,
        limits: &Limits,
        wavelength: f64,
    ) -> Self {
        let diffracts = |edge: &Edge| limits.free_edges || edge.is_wedge();
        Self {
            segments: Segments::new(scene, &environment.tiles, diffracts),
            wavelength,
        }
    }

    /// The power at edges when all sides send what `emission` says, and tiles gather this much of it.
    pub(super) fn light(
        &self,
        scene: &Scene,
        scatterer: &Scatterer,
        emission: &Emission,
        gathered: &[[Gathered; 2]],
    ) -> EdgeLight {
        let tiles = (&scatterer.environment, &scatterer.places);
        EdgeLight::new(
            (scene, &self.segments),
            tiles,
            emission,
            gathered,
            self.wavelength,
        )
    }

    /// The number of the segment of an edge at a place, metres from the first end.
    fn segment_at(&self, edge: EdgeId, place: f64) -> Option<usize> {
        let mut all = self.segments.of_edge(edge).map(|number| number as usize);
        all.find(|number| place < self.segments.all()[*number].interval[1])
    }
}

impl Round<'_> {
    /// The power that both sides of a tile gather, with that which comes round edges.
    pub(super) fn gather_round_edges(
        &self,
        (edges, light): (&Edges, &EdgeLight),
        tile: usize,
        gathered: [Gathered; 2],
    ) -> [Gathered; 2] {
        let [front, back] = gathered;
        let mut collectors = [(front, false), (back, true)]
            .map(|(gathered, is_back)| Collector::with(self, Side::new(tile, is_back), gathered));
        let mut sighted = self.sighted(edges, tile);
        self.leave_out_weak(edges, &mut sighted, &mut collectors);
        share_out(&mut sighted, |segment| light.arriving(segment));
        let aims = self.aims_by_edges(light, tile, &sighted);
        let mut turns = self.around(tile, &sighted);
        turns.extend(self.aimed_by_edges(tile, &sighted, &aims));
        let turns = self.visible(tile, turns);
        let normal = self.scatterer.places.tile(tile).normal;
        for (is_back, collector) in [false, true].into_iter().zip(&mut collectors) {
            let is_here = |turn: &&Turn| (turn.into.dot(normal) < 0.0) == is_back;
            let here: Vec<&Turn> = turns.iter().filter(is_here).collect();
            let all = here.iter().enumerate();
            let bent = all.map(|(number, turn)| self.bent(edges, &sighted, turn, number));
            let (bends, branches): (Vec<Bend>, Vec<Branch>) = bent.unzip();
            let aimed = here.iter().map(|turn| match turn.to {
                To::Around(_) => None,
                To::Aim(_, aim) => Some(aim),
            });
            let aimed: Vec<Option<Aim>> = aimed.collect();
            let rays = Rays {
                num: AROUND,
                aims: &aims,
                aimed: &aimed,
                bends: &bends,
            };
            let (arrived, omitted) = self.follow(branches, rays);
            collector.gathered.omitted += omitted;
            for (turn, slots) in here.iter().zip(arrived.chunks(self.plan.num_slots)) {
                collector.slots.copy_from_slice(slots);
                collector.settle(self, turn.into, turn.into.dot(normal).abs());
            }
        }
        collectors.map(|collector| collector.gathered)
    }

    /// The segments at the borders of the tiles that a tile sees, without shares. Those along which the tile itself
    /// lies, and those from which nothing can come, are left out.
    fn sighted(&self, edges: &Edges, tile: usize) -> Vec<Sighted> {
        let Scatterer {
            environment,
            places,
            ..
        } = self.scatterer;
        let reachable =
            [false, true].map(|is_back| self.is_reachable_round_edges(Side::new(tile, is_back)));
        if reachable == [false; 2] {
            return Vec::new();
        }
        let seen = row_ids(environment.rows.row(tile)).flatten();
        let of_seen = seen.flat_map(|other| edges.segments.of_tile(other as usize));
        let mut numbers: Vec<u32> = of_seen.copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let place = places.tile(tile);
        let sighted = numbers.into_iter().filter_map(|number| {
            let segment = &edges.segments.all()[number as usize];
            let edge = &self.scene.edges()[segment.edge.index()];
            let mut faces = edge.faces.into_iter().flatten();
            let to_tile = place.centre - edge.ends[0];
            let is_own = faces.any(|face| self.scene.plane_of(face) == place.plane);
            if is_own || !edge.is_open_towards(to_tile, -IN_PLANE_DISTANCE) {
                return None;
            }
            let along = edge.along();
            let foot = to_tile.dot(along);
            let distance = (to_tile - foot * along).length();
            if distance < IN_PLANE_DISTANCE {
                return None;
            }
            let centre =
                edge.ends[0] + f64::midpoint(segment.interval[0], segment.interval[1]) * along;
            let is_back = (centre - place.centre).dot(place.normal) < 0.0;
            reachable[usize::from(is_back)].then(|| Sighted {
                segment: number as usize,
                edge: segment.edge,
                distance,
                foot,
                ends: segment.interval.map(|end| ((end - foot) / distance).atan()),
                is_back,
                share: 0.0,
            })
        });
        sighted.collect()
    }

    /// Leaves out all segments if they cannot bring the smallest gain together.
    fn leave_out_weak(
        &self,
        edges: &Edges,
        sighted: &mut Vec<Sighted>,
        collectors: &mut [Collector; 2],
    ) {
        let bound = MOST * edges.wavelength.sqrt() * self.emission.brightest();
        let most = |one: &Sighted| bound * one.spread();
        let sum: f64 = sighted.iter().map(most).sum();
        if sum > 0.0 && sum >= self.min_gain {
            return;
        }
        for one in sighted.drain(..) {
            let collector = &mut collectors[usize::from(one.is_back)];
            collector.gathered.omitted += most(&one);
        }
    }

    /// Points all over the segments. Neighbours follow each other.
    fn around(&self, tile: usize, sighted: &[Sighted]) -> Vec<Turn> {
        let place = self.scatterer.places.tile(tile);
        let points = Points::new(tile as u64);
        let [shift, ..] = points.at(0);
        let dealt = deal(sighted.iter().map(|one| one.share), AROUND, shift);
        let turns = (0..).zip(dealt).map(|(ray, (own, part))| {
            let own = &sighted[own];
            let angle = own.ends[0] + part * (own.ends[1] - own.ends[0]);
            let edge = &self.scene.edges()[own.edge.index()];
            let point = edge.ends[0] + (own.foot + own.distance * angle.tan()) * edge.along();
            let [_, around, ..] = points.at(ray);
            turn(place, own, point, To::Around(around))
        });
        turns.collect()
    }

    /// The aims of a tile by edges.
    fn aims_by_edges(&self, light: &EdgeLight, tile: usize, sighted: &[Sighted]) -> Aims {
        let here = self.scatterer.places.tile(tile).centre;
        let mut aims = Vec::new();
        for segments in sighted.chunk_by(|a, b| a.edge == b.edge) {
            let edge = &self.scene.edges()[segments[0].edge.index()];
            light.aims((here, edge), segments, &mut aims);
        }
        Aims::new(aims, AIMED)
    }

    /// Points from which rays leave to places where much may come from.
    fn aimed_by_edges(&self, tile: usize, sighted: &[Sighted], aims: &Aims) -> Vec<Turn> {
        let Scatterer {
            environment,
            places,
            ..
        } = self.scatterer;
        let points = Points::new(tile as u64);
        let [shift, ..] = points.at(1);
        let turns = (0..).zip(aims.dealt(shift)).filter_map(|(ray, aim)| {
            let Way::By(edge) = aim.way else { return None };
            let edge = EdgeId::from_index(edge as usize);
            let own = sighted.binary_search_by_key(&edge, |one| one.edge).ok()?;
            let own = &sighted[own];
            let [x, y, choice, _] = points.at(ray);
            let from = place_on(environment, aim.side.tile(), [x, y, choice])?;
            let point = edge_point(&self.scene.edges()[edge.index()], own, from)?;
            let to = To::Aim((from - point).normalize(), aim);
            Some(turn(places.tile(tile), own, point, to))
        });
        turns.collect()
    }

    /// The points that a tile sees.
    fn visible(&self, tile: usize, mut turns: Vec<Turn>) -> Vec<Turn> {
        let place = self.scatterer.places.tile(tile);
        let scene = self.scene;
        let from = (place.centre - scene.origin()).as_vec3();
        let is_along = |turn: &Turn| {
            let edge = &self.scene.edges()[turn.edge.index()];
            let sine = turn.into.cross(edge.along()).length();
            sine < ALONG_EDGE
                || (turn.length * turn.into.dot(place.normal)).abs() < IN_PLANE_DISTANCE
        };
        turns.retain(|turn| !is_along(turn));
        let rays = turns.iter().map(|turn| {
            let to = (turn.point - scene.origin()).as_vec3();
            let [first, _] = scene.groups_of(turn.edge);
            Ray::between(from, to).skipping([place.plane.group(), first])
        });
        let rays: Vec<Ray> = rays.collect();
        let mut hits = vec![None; rays.len()];
        scene.index().closest_hits(&rays, &mut hits);
        let is_visible = |turn: &Turn, met: u32| {
            // A plane with the edge in it is met at the edge alone.
            let [_, second] = scene.groups_of(turn.edge);
            let behind = scene.planes_behind(turn.edge);
            met == second || behind.iter().any(|plane| plane.group() == met)
        };
        let both = turns.into_iter().zip(hits);
        both.filter(|(turn, hit)| hit.is_none_or(|hit| is_visible(turn, hit.group)))
            .map(|(turn, _)| turn)
            .collect()
    }

    /// The ray that leaves a point of an edge, and its diffraction there.
    fn bent(
        &self,
        edges: &Edges,
        sighted: &[Sighted],
        turn: &Turn,
        number: usize,
    ) -> (Bend, Branch) {
        let edge = &self.scene.edges()[turn.edge.index()];
        let frame = EdgeFrame::new(edge);
        let tile = frame.ray(-turn.into);
        let square_sine = tile.sin_beta * tile.sin_beta;
        // The distance parameter of a wave from far away.
        let far = turn.length * square_sine;
        let width = 0.5 * (edges.wavelength / far).sqrt();
        let cone = Cone::new(edge.exterior_angle, tile.phi, width);
        let along = edge.along();
        let (phi, density, direction) = match turn.to {
            To::Around(part) => {
                let (phi, density) = cone.at(part);
                let (sin, cos) = phi.sin_cos();
                let across = tile.sin_beta * (cos * edge.inward + sin * edge.outward);
                (phi, density, turn.into.dot(along) * along + across)
            }
            To::Aim(direction, _) => {
                let phi = frame.ray(direction).phi;
                (phi, cone.density(phi), direction)
            }
        };
        let angles = EdgeAngles {
            sin_beta: tile.sin_beta,
            cos_beta: tile.cos_beta,
            phi_in: phi,
            phi_out: tile.phi,
        };
        let wedge = wedge(edge, self.world, PathCounts::ONE_EDGE);
        let wavenumber = self.world.frequency().wavenumber();
        let diffraction = Diffraction::new(
            &wedge,
            angles,
            wavenumber,
            self.world.surfaces().lossy_wedge(),
        );
        let at = edges.segment_at(turn.edge, (turn.point - edge.ends[0]).dot(along));
        let own = at.and_then(|at| sighted.binary_search_by_key(&at, |one| one.segment).ok());
        let of_segment = own.map_or(0.0, |own| {
            let Sighted { ends, share, .. } = &sighted[own];
            f64::from(AROUND) * share / (ends[1] - ends[0])
        });
        let density = density * of_segment;
        let mut weight = square_sine / turn.distance;
        if matches!(turn.to, To::Around(_)) {
            weight /= density;
        }
        let clutter = self.scene.clutter();
        if !clutter.volumes().is_empty() {
            let tile = turn.point - turn.length * turn.into;
            weight *= db_to_power(-clutter.loss_db([turn.point, tile]));
        }
        let clearance = clearance(self.scene, turn.edge);
        let bend = Bend {
            square_sine,
            before: turn.length,
            distance: turn.distance,
            most: diffraction.most_power(far),
            diffraction,
            density,
        };
        let branch = Branch {
            origin: turn.point + clearance * direction,
            direction,
            left: self.scene.groups_of(turn.edge),
            weight,
            length: turn.length + clearance,
            leg: BENT,
            way: by_edge(turn.edge),
            first: number,
        };
        (bend, branch)
    }
}

fn turn(place: &Place, sighted: &Sighted, point: DVec3, to: To) -> Turn {
    let way = point - place.centre;
    let length = way.length();
    Turn {
        edge: sighted.edge,
        point,
        into: way / length,
        length,
        distance: sighted.distance,
        to,
    }
}

/// The point of an edge by which a wave from a point goes to the tile that sees a segment of that edge.
fn edge_point(edge: &Edge, sighted: &Sighted, from: DVec3) -> Option<DVec3> {
    let along = edge.along();
    let to = from - edge.ends[0];
    let foot = to.dot(along);
    let distance = (to - foot * along).length();
    let place =
        sighted.foot + (foot - sighted.foot) * sighted.distance / (sighted.distance + distance);
    let is_open =
        distance > IN_PLANE_DISTANCE && edge.is_open_towards(to - foot * along, -IN_PLANE_DISTANCE);
    (is_open && 0.0 < place && place < edge.length()).then(|| edge.ends[0] + place * along)
}
