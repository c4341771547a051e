//! Rays by which edges send on the waves at the tiles along them.
//!
//! A wave that arrives at a tile also arrives at the segments of edges at its border. From a short length of an edge
//! and a small angle around it, the edge sends on the power density that arrives, times that length and angle, the
//! squared amplitude of its diffraction and the squared sine of the angle to the edge, wherever that goes. Theory page:
//! `sampled`.

use glam::DVec3;

use super::super::cone::Cone;
use super::super::edge_rays::{ALONG_EDGE, clearance};
use super::super::exact::Exact;
use super::flight::Flight;
use super::source::Source;
use crate::World;
use crate::em::PathCounts;
use crate::field::{Bent, EdgeFrame};
use crate::geometry::bvh::Ray;
use crate::geometry::sampling::Points;
use crate::tiles::{Segment, Segments, Tiles};

/// Rays to where a wave was turned last end so much before it, as a part of the whole way to where it starts.
const SHORT: f64 = 1e-4;

/// A reflection counts as if it kept this share of the power, when rays are shared out.
const REFLECTED: f64 = 0.15;

/// The edges of tiles, and the waves that arrive there.
#[derive(Debug)]
pub(super) struct Emitters<'a> {
    world: &'a World,
    tiles: &'a Tiles,
    segments: &'a Segments,
    sources: &'a [Source],
    /// The source and the segment of each pair.
    pairs: Vec<[u32; 2]>,
    /// The number of rays up to each pair, itself included. These are no whole numbers.
    rays_up_to: Vec<f64>,
    points: Points,
}

impl<'a> Emitters<'a> {
    /// Shares about `num_rays` among all pairs of a source and a segment at the border of its tile, by the root of the
    /// power that comes of them: so weak places have their rays too.
    pub(super) fn new(
        world: &'a World,
        (tiles, segments): (&'a Tiles, &'a Segments),
        (sources, exact): (&'a [Source], &Exact),
        num_rays: u32,
        seed: u64,
    ) -> Self {
        let (mut pairs, mut rays_up_to) = (Vec::new(), Vec::new());
        let mut sum = 0.0;
        for (number, source) in (0..).zip(sources) {
            let Some(bent) = exact.bent(&source.used) else {
                continue;
            };
            let missing = exact.missing(&bent);
            if !exact.limits().allow(&bent.plus(missing, 0)) {
                continue;
            }
            let missing = i32::try_from(missing).unwrap_or(i32::MAX);
            let root = (source.gain() * REFLECTED.powi(missing)).sqrt();
            if root <= 0.0 {
                continue;
            }
            for segment in segments.of_tile(source.tile as usize) {
                let [from, to] = segments.all()[*segment as usize].interval;
                sum += root * (to - from).sqrt();
                pairs.push([number, *segment]);
                rays_up_to.push(sum);
            }
        }
        for place in &mut rays_up_to {
            *place *= f64::from(num_rays) / sum;
        }
        Self {
            world,
            tiles,
            segments,
            sources,
            pairs,
            rays_up_to,
            points: Points::new(seed),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Whether edges are at the border of a tile.
    pub(super) fn are_beside(&self, tile: usize) -> bool {
        !self.segments.of_tile(tile).is_empty()
    }

    /// The ray with this number, and the wave at the edge where it starts; `None` where the wave runs along the edge.
    pub(super) fn ray(&self, number: u32, exact: &Exact) -> Option<(Bent<'a>, Flight)> {
        let at = f64::from(number) + 0.5;
        let pair = self.rays_up_to.partition_point(|up_to| *up_to <= at);
        let [of, segment] = *self.pairs.get(pair)?;
        let before = pair.checked_sub(1).map_or(0.0, |k| self.rays_up_to[k]);
        let num_rays = self.rays_up_to[pair] - before;
        let source = &self.sources[of as usize];
        let segment = &self.segments.all()[segment as usize];
        let scene = self.world.scene();
        let edge = &scene.edges()[segment.edge.index()];
        let tile = &self.tiles.all()[source.tile as usize];
        let [along, around, ..] = self.points.at(number);
        let [from, to] = segment.interval;
        let point = edge.ends[0] + (from + along * (to - from)) * edge.along();
        let start = tile.centre + source.front.start_of(point - tile.centre, source.into);
        let way = point - start;
        let behind = way.length();
        let into = way / behind;
        let share = self.share_of(source, segment, (point, start));
        let frame = EdgeFrame::new(edge);
        let arriving = frame.ray(-into);
        let squared = arriving.sin_beta * arriving.sin_beta;
        if arriving.sin_beta < ALONG_EDGE || share == 0.0 {
            return None;
        }
        let width = 0.5 * (self.world.frequency().wavelength() / (behind * squared)).sqrt();
        let cone = Cone::new(edge.exterior_angle, arriving.phi, width);
        let (phi, density) = cone.at(around);
        let (sin, cos) = phi.sin_cos();
        let across = arriving.sin_beta * (cos * edge.inward + sin * edge.outward);
        let out = into.dot(edge.along()) * edge.along() + across;
        let used = exact.bent(&source.used)?;
        let counts = PathCounts {
            interactions: used.interactions,
            transmissions: used.transmissions,
        };
        let bent = source.wave(into).bend(edge, out, self.world, counts);
        // The wave at the tile's centre spreads a little more or less on its way to the edge.
        let front = source.front.advanced(behind - source.front.behind);
        let spread = source.front.spread_to(&front);
        let weight = spread * share * squared * (to - from) / (density * num_rays);
        let clearance = clearance(scene, segment.edge);
        let flight = Flight {
            origin: point + clearance * out,
            left: scene.groups_of(segment.edge),
            walls: bent.unit_fields(),
            behind,
            ahead: clearance,
            before: source.length + behind - source.front.behind,
            front: front.bent(edge.along(), [into, out]).advanced(clearance),
            weight,
            used,
            mirror: None,
            leg: clearance,
            number,
        };
        Some((bent, flight))
    }

    /// The share of a wave at a point of a segment that is known from the tile of this source; nothing where the wave
    /// does not arrive. `start` is where it starts to spread. Where it lights both faces, it may be known from both tiles.
    fn share_of(&self, source: &Source, segment: &Segment, (point, start): (DVec3, DVec3)) -> f64 {
        let scene = self.world.scene();
        let edge = &scene.edges()[segment.edge.index()];
        let to_start = start - point;
        let lit = [edge.outward, edge.second_outward].map(|outward| to_start.dot(outward) > 0.0);
        let others = match segment.parents {
            [Some(first), Some(second)] if first != second => {
                let own = usize::from(second == source.tile);
                if !lit[own] {
                    return 0.0;
                }
                lit[1 - own].then_some([first, second][1 - own])
            }
            _ if lit == [false; 2] => return 0.0,
            _ => None,
        };
        if !self.arrives(source, point, start, scene.groups_of(segment.edge)) {
            return 0.0;
        }
        let both = others.is_some_and(|other| {
            let other = &self.tiles.all()[other as usize];
            let own = [scene.plane_of(other.face).group(), Ray::NO_GROUP];
            self.arrives(source, other.centre, start, own)
        });
        if both { 0.5 } else { 1.0 }
    }

    /// Whether nothing is on the last straight part of a wave to a point. Walls that it passes are not looked for.
    fn arrives(&self, source: &Source, point: DVec3, start: DVec3, own: [u32; 2]) -> bool {
        let scene = self.world.scene();
        if source.used.transmissions > 0 {
            return true;
        }
        let way = start - point;
        let part = match source.mirror {
            None => source.leg / source.front.behind,
            Some(mirror) => {
                let plane = scene.plane(mirror);
                let [here, there] = [point, start].map(|at| plane.distance(at));
                here / (here - there)
            }
        };
        if !(part > 0.0 && part <= 1.0) {
            return false;
        }
        let end = point + (part - SHORT) * way;
        let ends = [point, end].map(|at| (at - scene.origin()).as_vec3());
        scene
            .index()
            .is_free(&Ray::between(ends[0], ends[1]).skipping(own))
    }
}
