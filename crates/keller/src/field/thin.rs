//! Two edges of one wall that are closer together than a thirtieth of a wavelength. The wave then does not distinguish
//! them.
//!
//! The joint theory of two edges comes within half a decibel of the exact limit of no thickness. Here the rest: at the
//! thinnest walls the wave meets one edge with the outer faces of both. In the limit that is the edge of a sheet. With the field `E_1` of that edge and the field `E_12` of the two edges in turn, the
//! path has `s E_1 + (1 - s) E_12`. The share `s` falls from 1 at zero thickness to 0 at [`MAX_THICKNESS`]. Where both
//! edges are visible from an end, there is also the path by one of them alone; its field is part of `E_1` and is
//! subtracted. Cost: that of three more paths, and a comparison of lengths where no edges are near to each other.
//!
//! # Source
//! Theory page: `thin-walls`.

use glam::{DMat3, DVec3};
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

use super::frame::Frame;
use super::leg::Leg;
use super::{Matrix, Walls, between, phase};
use crate::em::Surfaces;
use crate::paths::{Interaction, Vertex};
use crate::scene::{Edge, EdgeId, FaceId, MaterialId};

/// The distance from which on two edges are separate, wavelengths.
///
/// Compared with the method of moments, the field of the two edges of a conductor is 0.2 dB too weak at this distance,
/// that of the one edge up to 0.8 dB too strong. At no distance the first is 0.5 dB too weak, the second exact.
const MAX_THICKNESS: f64 = 0.03;

/// The cosine between their directions below which two edges are separate, whatever their distance.
const MIN_COSINE: f64 = 0.95;

/// Two edges on a path that are nearly one.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThinWall {
    /// The index of the interaction at the first edge; the next one is at the second.
    first: usize,
    /// The share `s` of the merged edge.
    share: f64,
    /// The merged edge.
    edge: Edge,
    /// Whether the first edge is visible from the next point, and whether the second is visible from the previous one.
    is_seen: [bool; 2],
}

impl ThinWall {
    /// The first thin wall on the way from `start` by `vertices` to `end`.
    pub(super) fn find(
        start: DVec3,
        vertices: &[Vertex],
        end: DVec3,
        walls: &impl Walls,
    ) -> Option<Self> {
        vertices.windows(2).enumerate().find_map(|(first, pair)| {
            let before = first.checked_sub(1).map_or(start, |i| vertices[i].point);
            let after = vertices.get(first + 2).map_or(end, |i| i.point);
            Self::of([pair[0], pair[1]], [before, after], walls).map(|thin| Self { first, ..thin })
        })
    }

    fn of(pair: [Vertex; 2], [before, after]: [DVec3; 2], walls: &impl Walls) -> Option<Self> {
        let [Some(one), Some(two)] = pair.map(|vertex| vertex.interaction.edge()) else {
            return None;
        };
        let gap = pair[1].point - pair[0].point;
        let [one, two] = [one, two].map(|id| walls.edge(id));
        let thickness = gap.cross(one.along()).length() / walls.surfaces().frequency().wavelength();
        let cosine = one.along().dot(two.along()).abs();
        if thickness >= MAX_THICKNESS || cosine <= MIN_COSINE {
            return None;
        }
        let common = Leg::between([&one, &two], &pair, walls).only_side()?;
        let open = one.exterior_angle + two.exterior_angle - PI;
        if open > TAU + SAME_ANGLE {
            return None;
        }
        let of_face = |edge: &Edge, common: f64, to: DVec3| {
            let phi = Frame::new(edge).ray(to.normalize_or_zero()).phi;
            (phi - common).abs()
        };
        let is_parallel = (cosine - MIN_COSINE) / (1.0 - MIN_COSINE);
        let part = (thickness / MAX_THICKNESS).powi(2);
        Some(Self {
            first: 0,
            share: is_parallel * (1.0 - part * part).powi(2),
            edge: merged([&one, &two], common, open.min(TAU)),
            is_seen: [
                of_face(&two, common[1], after - pair[1].point) < PI,
                of_face(&one, common[0], before - pair[0].point) < PI,
            ],
        })
    }

    /// The field at the end of the way. `apart` is the field for two edges that are far from each other.
    pub(super) fn field(
        &self,
        start: DVec3,
        vertices: &[Vertex],
        end: DVec3,
        walls: &Merging<'_, impl Walls>,
        apart: Matrix,
    ) -> Matrix {
        let wavelength = walls.surfaces().frequency().wavelength();
        let whole = length(start, vertices, end);
        // The field with the two edges replaced by the vertices `by`, and with the phase of that shorter or longer
        // path.
        let instead = |walls: &Merging<'_, _>, by: &[Vertex]| {
            let (head, tail) = vertices.split_at(self.first);
            let vertices = [head, by, &tail[2..]].concat();
            let lag = phase(length(start, &vertices, end) - whole, wavelength);
            let lag = Complex64::cis(-lag);
            between(start, &vertices, end, walls).map(|row| row.map(|a| lag * a))
        };
        let pair = [vertices[self.first], vertices[self.first + 1]];
        let (merged, id) = walls.with(self.edge);
        let one = Vertex {
            interaction: Interaction::Diffraction(id),
            point: 0.5 * (pair[0].point + pair[1].point),
        };
        let mut together = instead(&merged, &[one]);
        for (is_seen, alone) in self.is_seen.into_iter().zip(pair) {
            if is_seen {
                together = added(together, instead(walls, &[alone]), -1.0);
            }
        }
        // If both are visible there is also the way by the second edge first.
        let share = if self.is_seen == [true; 2] { 0.5 } else { 1.0 };
        let scaled = |m: Matrix, by: f64| m.map(|row| row.map(|a| by * a));
        added(
            scaled(apart, 1.0 - self.share),
            together,
            share * self.share,
        )
    }
}

/// Angles of faces that differ by less than this are equal, radians: thin walls have parallel sides but for rounding.
const SAME_ANGLE: f64 = 1e-3;

fn added(a: Matrix, b: Matrix, factor: f64) -> Matrix {
    let cell = |i: usize, j: usize| a[i][j] + factor * b[i][j];
    [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
}

fn length(start: DVec3, vertices: &[Vertex], end: DVec3) -> f64 {
    let (mut length, mut last) = (0.0, start);
    for point in vertices.iter().map(|i| i.point).chain([end]) {
        length += last.distance(point);
        last = point;
    }
    length
}

/// One edge with the outer faces of both, with the exterior angle `open` between them. `common` has the angles of the
/// face between them around each.
fn merged([one, two]: [&Edge; 2], common: [f64; 2], open: f64) -> Edge {
    let outer = |edge: &Edge, common: f64| {
        let inwards = edge.inwards();
        if common > 0.0 {
            (edge.faces[0], inwards[0], edge.outward)
        } else {
            let second = edge.faces[1].or(edge.faces[0]);
            (second, inwards[1], edge.second_outward)
        }
    };
    let (first, inward, outward) = outer(one, common[0]);
    let (second, _, second_outward) = outer(two, common[1]);
    Edge {
        ends: one.ends,
        faces: [first, second],
        exterior_angle: open,
        inward,
        outward,
        second_outward,
    }
}

/// Walls whose edges may be merged from two.
#[derive(Debug)]
pub(super) struct Merging<'a, W> {
    walls: &'a W,
    merged: Vec<Edge>,
}

impl<'a, W> Merging<'a, W> {
    pub(super) fn none(walls: &'a W) -> Self {
        Self {
            walls,
            merged: Vec::new(),
        }
    }

    /// Adds one more merged edge, and returns its id.
    fn with(&self, edge: Edge) -> (Self, EdgeId) {
        let mut merged = self.merged.clone();
        let id = EdgeId::from_index(LAST_ID - merged.len());
        merged.push(edge);
        let walls = self.walls;
        (Self { walls, merged }, id)
    }
}

/// Edges of scenes count up from 0, merged ones down from here.
const LAST_ID: usize = u32::MAX as usize;

impl<W: Walls> Walls for Merging<'_, W> {
    fn surfaces(&self) -> &Surfaces {
        self.walls.surfaces()
    }

    fn normal(&self, face: FaceId) -> DVec3 {
        self.walls.normal(face)
    }

    fn material(&self, face: FaceId) -> MaterialId {
        self.walls.material(face)
    }

    fn is_facet(&self, face: FaceId) -> bool {
        self.walls.is_facet(face)
    }

    fn curvature(&self, face: FaceId, point: DVec3, normal: DVec3) -> Option<DMat3> {
        self.walls.curvature(face, point, normal)
    }

    fn edge(&self, edge: EdgeId) -> Edge {
        let merged = self.merged.get(LAST_ID - edge.index());
        merged.copied().unwrap_or_else(|| self.walls.edge(edge))
    }
}
