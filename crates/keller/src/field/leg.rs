//! The way of a wave from one edge to the next: through the air, or along a face that both edges bound.
//!
//! A closed body has air on one side of each of its faces. A sheet has air on both sides, and where two edges bound it,
//! a wave travels along either side. These are two strands, which start at the angles 0 and `2 pi` around the first
//! edge and are equally strong at a perfect conductor. Where a wave travels along a sheet from one edge and on through
//! the air beyond, or the other way round, it is the mean of both sides: beyond a sheet nothing separates them.

use glam::DVec3;

use super::Walls;
use super::frame::Frame;
use crate::paths::{Interaction, Vertex};
use crate::scene::Edge;

/// The way of a wave from one edge to the next: in one strand, in two on both sides of a sheet, or none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leg {
    strands: [Option<Strand>; 2],
    /// Whether the wave travels along one face all the way.
    is_along_face: bool,
}

/// One strand of a wave between two edges.
#[derive(Debug, Clone, Copy)]
struct Strand {
    /// Its angles around the first edge and around the second, radians.
    departure: f64,
    arrival: f64,
    /// Share of its field that meets the second edge.
    share: f64,
}

/// A wave that travels along a face from edge to edge is incident and reflected wave in one: half of it is incident.
///
/// # Source
/// Kouyoumjian and Pathak 1974, after equation (33). Theory page: `diffraction`.
const INCIDENT_SHARE_ALONG_FACE: f64 = 0.5;

/// Unit normals of one plane, as computed at two edges, differ by less than the angle with this cosine. The normals of
/// planes that meet along the ray differ by more.
const SAME_PLANE: f64 = 0.99;

impl Leg {
    /// The leg from the first edge to the second by `vertices`, the first of which is at the first edge and the last at
    /// the second.
    pub(super) fn between(
        [first, second]: [&Edge; 2],
        vertices: &[Vertex],
        walls: &impl Walls,
    ) -> Self {
        let [from, between @ .., to] = vertices else {
            unreachable!("two edges are two vertices")
        };
        let turns = || between.iter().filter(|i| i.turns());
        let after = turns().next().unwrap_or(to);
        let before = turns().next_back().unwrap_or(from);
        let departures = Angles::of(first, after.point - from.point);
        let arrivals = Angles::of(second, before.point - to.point);
        // Reflecting planes reflect a face together with the wave that travels along it.
        let mirrored = |normal: DVec3| {
            let reflections = vertices
                .iter()
                .filter_map(|vertex| match vertex.interaction {
                    Interaction::Reflection(face) => Some(walls.normal(face)),
                    _ => None,
                });
            reflections.fold(normal, |normal, mirror| {
                normal - 2.0 * normal.dot(mirror) * mirror
            })
        };
        let mut leg = Self {
            strands: [None; 2],
            is_along_face: false,
        };
        let mut number = 0;
        let mut add = |departure, arrival, share| {
            leg.strands[number] = Some(Strand {
                departure,
                arrival,
                share,
            });
            number += 1;
        };
        let mut is_one_face = false;
        for (departure, normal) in departures.faces() {
            let normal = mirrored(normal);
            for (arrival, other) in arrivals.faces() {
                let cosine = normal.dot(other);
                is_one_face |= cosine.abs() > SAME_PLANE;
                if cosine > SAME_PLANE {
                    add(departure, arrival, INCIDENT_SHARE_ALONG_FACE);
                }
            }
        }
        if is_one_face {
            // If the air is on opposite sides of the face, no wave gets from one edge to the other.
            leg.is_along_face = true;
        } else if let Some([zero, open]) = departures.of_sheet() {
            add(zero, arrivals.phi, 0.5);
            add(open, arrivals.phi, 0.5);
        } else if let Some([zero, open]) = arrivals.of_sheet() {
            add(departures.phi, zero, 0.5);
            add(departures.phi, open, 0.5);
        } else {
            add(departures.phi, arrivals.phi, 1.0);
        }
        leg
    }

    /// Whether the wave travels along one face all the way.
    pub(super) fn is_along_face(&self) -> bool {
        self.is_along_face
    }

    /// The angle at which each strand leaves the first edge.
    pub(super) fn departures(&self) -> [Option<f64>; 2] {
        self.strands.map(|way| Some(way?.departure))
    }

    /// The angle at which each strand arrives at the second edge, and the share of its field that meets the edge.
    pub(super) fn arrivals(&self) -> [Option<(f64, f64)>; 2] {
        self.strands
            .map(|way| way.map(|way| (way.arrival, way.share)))
    }

    /// The angles, around both edges, of the face between them, if the wave travels along only one side of a face.
    pub(super) fn only_side(&self) -> Option<[f64; 2]> {
        match self.strands {
            [Some(way), None] if self.is_along_face => Some([way.departure, way.arrival]),
            _ => None,
        }
    }
}

/// A ray at an edge.
#[derive(Debug, Clone, Copy)]
struct Angles {
    phi: f64,
    /// The faces of the edge along which it travels: the angle of each around the edge, and its unit normal on the side
    /// of the air.
    faces: [Option<(f64, DVec3)>; 2],
}

impl Angles {
    fn of(edge: &Edge, to: DVec3) -> Self {
        let frame = Frame::new(edge);
        let phi = frame.ray(to.normalize_or_zero()).phi;
        let normals = [edge.outward, edge.second_outward];
        let faces = frame.faces_along(phi);
        Self {
            phi,
            faces: [0, 1].map(|side| Some((faces[side]?, normals[side]))),
        }
    }

    fn faces(&self) -> impl Iterator<Item = (f64, DVec3)> {
        self.faces.into_iter().flatten()
    }

    /// The angles of both sides, if it travels along a sheet.
    fn of_sheet(&self) -> Option<[f64; 2]> {
        let [(zero, _), (open, _)] = [self.faces[0]?, self.faces[1]?];
        Some([zero, open])
    }
}
