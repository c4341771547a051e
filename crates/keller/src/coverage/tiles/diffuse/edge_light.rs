//! What arrives at edges in one scattering: an estimate, by which rays are shared among edges and directions.

use glam::DVec3;
use rayon::prelude::*;

use super::emission::Emission;
use super::gathered::Gathered;
use super::place::{Places, Side};
use crate::paths::Environment;
use crate::scene::{EdgeId, Scene};
use crate::tiles::{Segments, row_ids};

/// Sides of tiles that are kept for each edge, the strongest.
const SOURCES: usize = 64;

/// A source at a smaller cosine counts as if it had this one: an edge is longer than a point.
const MIN_COSINE: f64 = 0.05;

/// The estimated power at edges.
#[derive(Debug)]
pub(super) struct EdgeLight {
    /// By segment, the power that arrives at the tiles at its border.
    arriving: Vec<f64>,
    /// By edge, the sides of tiles from which most of the power there may come, in ascending order.
    sources: Vec<Vec<u32>>,
}

impl EdgeLight {
    /// What arrives at edges when all sides send what `emission` says, and tiles gather this much of it.
    pub(super) fn new(
        (scene, segments): (&Scene, &Segments),
        tiles: (&Environment, &Places),
        emission: &Emission,
        gathered: &[[Gathered; 2]],
    ) -> Self {
        let at = |tile: &u32| -> f64 {
            let sides = &gathered[*tile as usize];
            sides.iter().map(|side| side.gain.power).sum()
        };
        let all = segments.all().iter();
        let arriving = all.map(|segment| segment.parents.iter().flatten().map(at).sum());
        let of_edge = |edge| sources((scene, segments), tiles, emission, EdgeId::from_index(edge));
        let edges = (0..scene.edges().len()).into_par_iter();
        Self {
            arriving: arriving.collect(),
            sources: edges.map(of_edge).collect(),
        }
    }

    pub(super) fn arriving(&self, segment: usize) -> f64 {
        self.arriving[segment]
    }

    /// The sides of tiles from which most of the power at an edge may come.
    pub(super) fn sources(&self, edge: EdgeId) -> impl Iterator<Item = Side> {
        let sources = self.sources[edge.index()].iter();
        sources.map(|side| Side::from_index(*side as usize))
    }
}

/// The strongest sources among the tiles visible from those at the border of an edge.
fn sources(
    (scene, segments): (&Scene, &Segments),
    (environment, places): (&Environment, &Places),
    emission: &Emission,
    id: EdgeId,
) -> Vec<u32> {
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
            let side = u32::try_from(side.index()).expect("sides fit in 32 bits");
            (power > 0.0).then_some((side, power))
        })
    };
    let mut all: Vec<(u32, f64)> = seen.into_iter().flat_map(of_tile).collect();
    if all.len() > SOURCES {
        let by_power = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        all.select_nth_unstable_by(SOURCES, by_power);
        all.truncate(SOURCES);
        all.sort_unstable_by_key(|(side, _)| *side);
    }
    all.into_iter().map(|(side, _)| side).collect()
}
