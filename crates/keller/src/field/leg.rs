//! The way of a wave from one edge to the next: through the air, or along a face that both edges bound.
//!
//! A closed body has air on one side of each of its faces. A sheet has air on both, and where two edges bound it, a wave runs along either
//! side: two strands, which start at the angles 0 and `2 pi` around the first edge and are equally strong at a perfect conductor.
//! Where a wave runs along a sheet from one edge and on through the air beyond, or comes so, it is the mean of both sides: beyond a sheet
//! there is nothing to part them.

use glam::DVec3;

use super::Walls;
use super::frame::Frame;
use crate::paths::{Interaction, Vertex};
use crate::scene::Edge;

/// How a wave gets from one edge to the next: in one strand, in two on both sides of a sheet, or not at all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leg {
    strands: [Option<Strand>; 2],
    /// Whether one face goes all the way.
    is_along_face: bool,
}

/// The way of a strand.
#[derive(Debug, Clone, Copy)]
struct Strand {
    /// Its angles around the first edge and around the second, radians.
    departure: f64,
    arrival: f64,
    /// How much of its field meets the second edge.
    share: f64,
}

/// A wave that runs along a face from edge to edge is incident and reflected wave in one: half of it is incident.
///
/// # Source
/// Kouyoumjian and Pathak 1974, after equation (33). Theory page: `diffraction`.
const INCIDENT_SHARE_ALONG_FACE: f64 = 0.5;

/// Unit normals of one plane, seen from two edges, differ by less than an angle of this cosine; planes that meet along the ray by more.
const SAME_PLANE: f64 = 0.99;

impl Leg {
    /// From the first edge to the second by `vertices`, of which the first is at the one edge and the last at the other.
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
        // Reflecting planes turn a face over with the wave that runs along it.
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
            // Where the air is on opposite sides of the face, nothing gets from one edge to the other.
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

    /// Whether the wave runs along one face all the way.
    pub(super) fn is_along_face(&self) -> bool {
        self.is_along_face
    }

    /// The angle at which each strand leaves the first edge.
    pub(super) fn departures(&self) -> [Option<f64>; 2] {
        self.strands.map(|way| Some(way?.departure))
    }

    /// The angle from which each strand comes to the second edge, and how much of its field meets it.
    pub(super) fn arrivals(&self) -> [Option<(f64, f64)>; 2] {
        self.strands
            .map(|way| way.map(|way| (way.arrival, way.share)))
    }

    /// The angles of the face between them around both edges, if the wave runs along one side of a face alone.
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
    /// The faces of the edge that it runs along: the angle of each around the edge, and its unit normal on the side of the air.
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

    /// The angles of both sides, if it runs along a sheet.
    fn of_sheet(&self) -> Option<[f64; 2]> {
        let [(zero, _), (open, _)] = [self.faces[0]?, self.faces[1]?];
        Some([zero, open])
    }
}
