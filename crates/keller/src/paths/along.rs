//! Waves that travel along a wall from one of the wall's own edges. Their incident and reflected waves are one.
//!
//! Theory page: `surfaces`.

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::coarse::Coarse;
use super::search::tiles::CoarseChain;
use super::sequence::Step;
use super::{Limits, Path, Vertex};
use crate::geometry::tolerance::COPLANAR_DISTANCE;
use crate::scene::{EdgeId, FaceId, PlaneId, Scene};
use crate::tiles::{Segments, VisibilityQuery};

/// A wave that travels along a wall from one of the wall's edges.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AlongWall {
    /// Unit normal of the wall on the side on which the wave travels.
    pub(crate) outwards: DVec3,
    /// The index of the diffraction among the path's vertices.
    pub(crate) diffraction: usize,
}

impl AlongWall {
    /// How a path arrives along the plane in which its end lies; `None` if it arrives from a side, or along the plane
    /// but not from one of its edges.
    pub(crate) fn of(scene: &Scene, path: &Path, plane: PlaneId) -> Option<Self> {
        let edge = |vertex: &Vertex| vertex.interaction.edge();
        let diffraction = path.vertices.iter().rposition(|v| edge(v).is_some())?;
        let id = edge(&path.vertices[diffraction])?;
        let from = path.vertices[diffraction].point;
        let behind = path.vertices[diffraction + 1..].iter();
        let mut points = behind.map(|i| i.point).chain([path.rx_position]);
        let first = points.next()?;
        let (outwards, other) = sides_along(scene, id, plane, first - from)?;
        let plane = scene.plane(plane);
        let is_near = |point: DVec3| plane.distance(point).abs() < FLAT;
        // At a sheet, the side on which the path ends.
        let is_before = |n: &DVec3| plane.distance(path.rx_position) * plane.normal.dot(*n) > 0.0;
        points.all(is_near).then(|| Self {
            outwards: other.filter(is_before).unwrap_or(outwards),
            diffraction,
        })
    }
}

/// A wave nearer than this to a wall's plane travels along the wall, metres.
pub(super) const ALONG: f64 = 1e-4;

/// Edges and points of one plane lie within this distance of it, metres: both may be off by a weld distance.
pub(super) const FLAT: f64 = 2.0 * COPLANAR_DISTANCE;

/// The unit normal of an edge's face in `plane`, on its open side, if the vector `to` from the edge runs along that
/// face. At a sheet it gives the normals of both sides.
pub(super) fn sides_along(
    scene: &Scene,
    id: EdgeId,
    plane: PlaneId,
    to: DVec3,
) -> Option<(DVec3, Option<DVec3>)> {
    let edge = &scene.edges()[id.index()];
    let [first, second] = [edge.outward, edge.second_outward];
    let faces = edge.faces.into_iter().zip(edge.inwards());
    let mut sides = faces.zip([
        (first, (!edge.is_wedge()).then_some(second)),
        (second, None),
    ]);
    let is_it = |face: Option<FaceId>, inward: DVec3, outward: DVec3| {
        face.is_some_and(|face| scene.plane_of(face) == plane)
            && to.dot(inward) > 0.0
            && to.dot(outward).abs() < FLAT
    };
    let along = sides.find(|((face, inward), (outward, _))| is_it(*face, *inward, *outward));
    along.map(|(_, sides)| sides)
}

/// Whether `to`, a vector from one edge to another in a plane that contains a face of each, runs on a side of that face
/// that is open around both edges. At a convex corner of a house its walls are open outside, at a concave one inside.
pub(crate) fn is_on_one_side(scene: &Scene, [from, other]: [EdgeId; 2], to: DVec3) -> bool {
    let faces = scene.edges()[from.index()].faces.into_iter().flatten();
    let mut planes = faces.map(|face| scene.plane_of(face));
    planes.all(|plane| {
        let sides = [(from, to), (other, -to)].map(|(edge, to)| {
            let (first, second) = sides_along(scene, edge, plane, to)?;
            Some([Some(first), second])
        });
        let [Some(own), Some(others)] = sides else {
            return true;
        };
        let own = own.into_iter().flatten();
        let mut pairs = own.flat_map(|n| others.into_iter().flatten().map(move |m| n.dot(m)));
        pairs.any(|cosine| cosine > 0.0)
    })
}

/// Adds to each chain that ends at an edge the tiles of that edge's own faces. Also adds such chains that lead to no
/// other tile.
pub(super) fn add_along_walls(
    coarse: &Coarse,
    tx: DVec3,
    limits: &Limits,
    found: &mut Vec<CoarseChain>,
) {
    let most = limits.max_diffractions.min(limits.interactions());
    if most == 0 {
        return;
    }
    let search = coarse.search();
    let (scene, tiles, segments) = (search.scene(), search.tiles(), search.segments());
    let is_edge = |step: &Step| matches!(step, Step::Diffraction(_));
    // `found` lacks the direct path if it is not wanted, and that path leads to tiles behind walls if it may pass any.
    let is_seen = limits.line_of_sight && limits.max_transmissions == 0;
    let seen = (!is_seen).then(|| CoarseChain {
        steps: Vec::new(),
        rx: VisibilityQuery::new(scene, tiles).seen_from(tx),
    });
    let ends_at_edge = |chain: &CoarseChain| chain.steps.last().is_some_and(is_edge);
    let mut known: FxHashMap<Vec<Step>, usize> = (0..)
        .zip(&*found)
        .filter(|(_, chain)| ends_at_edge(chain))
        .map(|(place, chain)| (chain.steps.clone(), place))
        .collect();
    let with_edges = |before: &CoarseChain| with_edges(before, segments, limits);
    for num_edges in 0..most {
        let is_meant = |chain: &&CoarseChain| {
            chain.steps.iter().filter(|step| is_edge(step)).count() == num_edges
                && (is_seen || !chain.steps.is_empty())
        };
        let mut longer: Vec<Vec<Step>> = found
            .par_iter()
            .filter(is_meant)
            .flat_map_iter(with_edges)
            .collect();
        if num_edges == 0 {
            longer.extend(seen.iter().flat_map(with_edges));
        }
        for steps in longer {
            let Some(Step::Diffraction(edge)) = steps.last() else {
                unreachable!("an edge was added")
            };
            let faces = scene.edges()[edge.index()].faces;
            let own = faces.into_iter().flatten().flat_map(|f| tiles.of_face(f));
            let own = own.map(|tile| u32::try_from(tile).expect("fewer than 2^32 tiles"));
            if let Some(place) = known.get(&steps) {
                found[*place].rx.extend(own);
            } else {
                known.insert(steps.clone(), found.len());
                let rx = own.collect();
                found.push(CoarseChain { steps, rx });
            }
        }
    }
    found.par_iter_mut().for_each(|chain| {
        chain.rx.sort_unstable();
        chain.rx.dedup();
    });
}

/// The steps of a chain, extended by each of the edges at the borders of its tiles, as far as limits allow.
fn with_edges(before: &CoarseChain, segments: &Segments, limits: &Limits) -> Vec<Vec<Step>> {
    let of_tile = |tile: &u32| segments.of_tile(*tile as usize);
    let edge = |segment: &u32| segments.all()[*segment as usize].edge;
    let mut edges: Vec<EdgeId> = before.rx.iter().flat_map(of_tile).map(edge).collect();
    edges.sort_unstable();
    edges.dedup();
    let with_edge = |edge: EdgeId| {
        let mut steps = before.steps.clone();
        steps.push(Step::Diffraction(edge));
        steps
    };
    let longer = edges.into_iter().map(with_edge);
    longer.filter(|steps| limits.allow(steps)).collect()
}
