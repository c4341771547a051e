//! Points on the edges of small faces, in blocks of space.
//!
//! A face narrower than a tube may lie between all its rays. Its points are looked up in the tubes
//! (`overlooked_faces`).

use std::ops::Range;

use glam::DVec3;

use super::edge_lists::EdgeLists;
use crate::coverage::tubes::Accuracy;
use crate::scene::{Edge, EdgeId, Scene};

/// Points at the ends of an edge lie this far inside them, as a share of its length.
const INSIDE: f64 = 0.02;

/// The side of a block, in distances of points.
const BLOCK: f64 = 8.0;

/// Faces with more edges than this count as large, because each of their edges would be compared with all others.
const MAX_EDGES: usize = 64;

/// Points on the edges of small faces.
#[derive(Debug, Default)]
pub(in crate::coverage::tubes) struct SmallFaces {
    /// Block by block.
    points: Vec<(DVec3, EdgeId)>,
    blocks: Vec<Block>,
}

/// Points that lie close together, within a sphere.
#[derive(Debug)]
struct Block {
    centre: DVec3,
    /// The radius, metres.
    radius: f64,
    points: Range<usize>,
}

impl SmallFaces {
    /// The edges of faces narrower than tubes of this accuracy that are split for cells of `cell_size` metres, at most
    /// so far apart.
    pub(in crate::coverage::tubes) fn new(
        scene: &Scene,
        face_edges: &EdgeLists,
        accuracy: Accuracy,
        cell_size: f64,
    ) -> Self {
        let width = accuracy.fineness().widest * cell_size;
        let of_face = |face| face_edges.of(face);
        let is_small =
            |edges: &[EdgeId]| edges.len() <= MAX_EDGES && narrowest(scene, edges) < width;
        let is_small: Vec<bool> = (0..scene.faces().len())
            .map(|face| is_small(of_face(face)))
            .collect();
        let mut points = Vec::new();
        for (id, edge) in (0..).map(EdgeId::from_index).zip(scene.edges()) {
            let mut faces = edge.faces.iter().flatten();
            if faces.any(|face| is_small[face.index()]) {
                points.extend(points_along(edge, width).map(|at| (at, id)));
            }
        }
        let block_of = |at: DVec3| (at / (BLOCK * width)).floor().as_i64vec3().to_array();
        points.sort_by_cached_key(|(at, id)| (block_of(*at), *id));
        let mut first = 0;
        let blocks = points.chunk_by(|(a, _), (b, _)| block_of(*a) == block_of(*b));
        let blocks = blocks.map(|block| {
            let points = first..first + block.len();
            first = points.end;
            let centre = block.iter().map(|(at, _)| *at).sum::<DVec3>() / block.len() as f64;
            let distances = block.iter().map(|(at, _)| at.distance(centre));
            let radius = distances.fold(0.0, f64::max);
            Block {
                centre,
                radius,
                points,
            }
        });
        let blocks = blocks.collect();
        Self { points, blocks }
    }

    /// The points with their edges, without blocks that are not near: each is asked by its centre and its radius, metres.
    pub(in crate::coverage::tubes) fn points_near(
        &self,
        is_near: impl Fn(DVec3, f64) -> bool,
    ) -> impl Iterator<Item = &(DVec3, EdgeId)> {
        let near = self
            .blocks
            .iter()
            .filter(move |block| is_near(block.centre, block.radius));
        near.flat_map(|block| &self.points[block.points.clone()])
    }
}

/// The extent of a face across that of its edges along which it is narrowest, metres.
fn narrowest(scene: &Scene, edges: &[EdgeId]) -> f64 {
    let edges = || edges.iter().map(|edge| &scene.edges()[edge.index()]);
    let across = |edge: &Edge| {
        let along = edge.along();
        let ends = edges().flat_map(|other| other.ends);
        let away = ends.map(|end| (end - edge.ends[0]).cross(along).length());
        away.fold(0.0, f64::max)
    };
    edges().map(across).fold(f64::INFINITY, f64::min)
}

/// Points along an edge, `step` metres apart at most.
fn points_along(edge: &Edge, step: f64) -> impl Iterator<Item = DVec3> {
    let [a, b] = edge.ends;
    let num = (a.distance(b) / step).ceil().max(2.0);
    let shares = (0_u32..).map(f64::from).take_while(move |k| *k <= num);
    shares.map(move |k| a.lerp(b, (k / num).clamp(INSIDE, 1.0 - INSIDE)))
}
