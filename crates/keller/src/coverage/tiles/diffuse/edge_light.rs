//! Estimates the power that arrives at edges in one scattering, by which rays are shared among edges and directions.

use std::f64::consts::PI;

use glam::DVec3;

use super::aims::{Aim, HIDDEN, MIN_COSINE, Way};
use super::emission::Emission;
use super::gathered::Gathered;
use super::place::Places;
use super::ray_shares::Sighted;
use crate::field::EdgeFrame;
use crate::parallel;
use crate::paths::Environment;
use crate::power::sides::Side;
use crate::scene::{Edge, EdgeId, Scene};
use crate::tiles::{Segments, row_ids};

/// Sides of tiles that are kept for each edge, the strongest.
const SOURCES: usize = 64;

/// The estimated power next to a boundary of the reflected wave, as a part of that next to one of the incident wave.
const REFLECTED: f64 = 0.25;

/// The estimated power at edges.
#[derive(Debug)]
pub(super) struct EdgeLight {
    /// The power that arrives at the tiles at the border of each segment.
    arriving: Vec<f64>,
    /// The strongest sources of each edge.
    sources: Vec<Vec<Source>>,
    wavelength: f64,
}

/// A side of a tile as an edge sees it.
#[derive(Debug, Clone, Copy)]
struct Source {
    side: u32,
    /// The gain of the power that its whole area sends at 1 m, over the cosine to its normal.
    sent: f32,
    area: f32,
    /// Its centre has these cylindrical coordinates: along the edge, away from its line, and around it.
    along: f32,
    away: f32,
    phi: f32,
    /// The parts of its normal along the edge and straight to its line.
    normal: [f32; 2],
}

impl Source {
    /// A side of a tile that lies in the open of an edge.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an estimate needs few digits"
    )]
    fn new(edge: &Edge, places: &Places, emission: &Emission, side: Side) -> Option<Self> {
        let place = places.tile(side.tile());
        let to = place.centre - edge.ends[0];
        let along = to.dot(edge.along());
        let radial = to - along * edge.along();
        let away = radial.length();
        let is_open = away > 0.0 && edge.is_open_towards(radial, 0.0);
        let normal = places.normal(side);
        is_open.then(|| Self {
            side: u32::try_from(side.index()).expect("sides fit in 32 bits"),
            sent: (emission.strength(side) * place.area) as f32,
            area: place.area as f32,
            along: along as f32,
            away: away as f32,
            phi: EdgeFrame::new(edge).ray(to).phi as f32,
            normal: [
                normal.dot(edge.along()) as f32,
                -normal.dot(radial / away) as f32,
            ],
        })
    }
}

impl EdgeLight {
    /// The power at edges when all sides send what `emission` says, and tiles gather this much of it.
    pub(super) fn new(
        (scene, segments): (&Scene, &Segments),
        tiles: (&Environment, &Places),
        emission: &Emission,
        gathered: &[[Gathered; 2]],
        wavelength: f64,
    ) -> Self {
        let at = |tile: &u32| -> f64 {
            let sides = &gathered[*tile as usize];
            sides.iter().map(|side| side.gain.power).sum()
        };
        let all = segments.all().iter();
        let arriving = all.map(|segment| segment.parents.iter().flatten().map(at).sum());
        let of_edge = |edge| sources((scene, segments), tiles, emission, EdgeId::from_index(edge));

        Self {
            arriving: arriving.collect(),
            sources: parallel::map(scene.edges().len(), of_edge),
            wavelength,
        }
    }

    pub(super) fn arriving(&self, segment: usize) -> f64 {
        self.arriving[segment]
    }

    /// Adds the aims of a place at the segments of one edge that it sees.
    pub(super) fn aims(
        &self,
        (here, edge): (DVec3, &Edge),
        segments: &[Sighted],
        aims: &mut Vec<Aim>,
    ) {
        let Sighted {
            edge: id,
            foot,
            distance,
            ..
        } = segments[0];
        let seen = [segments[0].ends[0], segments[segments.len() - 1].ends[1]];
        let seen = seen.map(|end| foot + distance * end.tan());
        let phi = EdgeFrame::new(edge).ray(here - edge.ends[0]).phi;
        let [open, width] = [
            edge.exterior_angle,
            0.5 * (self.wavelength / distance).sqrt(),
        ];
        let boundaries = [
            (phi - PI, 1.0),
            (phi + PI, 1.0),
            (PI - phi, REFLECTED),
            (2.0 * open - PI - phi, REFLECTED),
        ];
        for source in &self.sources[id.index()] {
            let [along, away, area] = [source.along, source.away, source.area].map(f64::from);
            let place = foot + (along - foot) * distance / (distance + away);
            if !(0.0..=edge.length()).contains(&place) {
                continue;
            }
            let squared = (place - along).powi(2) + away * away;
            let before = squared.sqrt();
            let behind = ((place - foot).powi(2) + distance * distance).sqrt();
            let [normal_along, normal_across] = source.normal.map(f64::from);
            let cosine = ((place - along) * normal_along + away * normal_across) / before;
            if cosine < -MIN_COSINE {
                continue;
            }
            // Diffracted power falls as the square of the angle to a boundary, as Keller's coefficient does near it.
            let bent = boundaries.iter().map(|(boundary, share)| {
                share / (width + (f64::from(source.phi) - boundary).abs()).powi(2)
            });
            let bent = self.wavelength / (4.0 * PI * PI) * bent.sum::<f64>();
            let mut power =
                f64::from(source.sent) * cosine.max(MIN_COSINE) / (squared + area) * bent * before
                    / (behind * (before + behind));
            if !(seen[0]..=seen[1]).contains(&place) {
                power *= HIDDEN;
            }
            if power > 0.0 {
                aims.push(Aim {
                    way: by_edge(id),
                    side: Side::from_index(source.side as usize),
                    power,
                });
            }
        }
    }
}

/// The way by an edge.
pub(super) fn by_edge(edge: EdgeId) -> Way {
    Way::By(u32::try_from(edge.index()).expect("edges fit in 32 bits"))
}

/// The strongest sources among the tiles visible from those at the border of an edge.
fn sources(
    (scene, segments): (&Scene, &Segments),
    (environment, places): (&Environment, &Places),
    emission: &Emission,
    id: EdgeId,
) -> Vec<Source> {
    let edge = &scene.edges()[id.index()];
    let own = segments.of_edge(id);
    let own = own.map(|segment| &segments.all()[segment as usize]);
    let parents = own.flat_map(|segment| segment.parents.into_iter().flatten());
    let rows = &environment.rows;
    let seen = parents.flat_map(|tile| row_ids(rows.row(tile as usize)).flatten());
    let mut seen: Vec<u32> = seen.collect();
    seen.sort_unstable();
    seen.dedup();
    let (along, length) = (edge.along(), edge.length());
    let of_tile = |tile: u32| {
        let place = places.tile(tile as usize);
        let foot = (place.centre - edge.ends[0]).dot(along).clamp(0.0, length);
        let points = [edge.ends[0], edge.ends[0] + foot * along, edge.ends[1]];
        // The plane of the tile may divide the edge.
        [false, true].into_iter().filter_map(move |is_back| {
            let side = Side::new(tile as usize, is_back);
            let normal = places.normal(side);
            let share = |point: &DVec3| {
                let way = *point - place.centre;
                let squared = way.length_squared();
                let cosine = way.dot(normal) / squared.sqrt();
                (cosine > 0.0).then(|| cosine.max(MIN_COSINE) * place.area / (squared + place.area))
            };
            let power = points.iter().filter_map(share).fold(0.0, f64::max);
            let power = power * emission.strength(side);
            (power > 0.0).then_some((side.id(), power))
        })
    };
    let mut all: Vec<(u32, f64)> = seen.into_iter().flat_map(of_tile).collect();
    if all.len() > SOURCES {
        let by_power = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        all.select_nth_unstable_by(SOURCES, by_power);
        all.truncate(SOURCES);
        all.sort_unstable_by_key(|(side, _)| *side);
    }
    let sides = all
        .into_iter()
        .map(|(side, _)| Side::from_index(side as usize));
    sides
        .filter_map(|side| Source::new(edge, places, emission, side))
        .collect()
}
