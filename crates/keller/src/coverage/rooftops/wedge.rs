//! An edge of a chain: the wedge that a wave in the vertical plane through both ends meets.

use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};

use crate::em::Surfaces;
use crate::em::utd::{Diffraction, EdgeAngles, Wedge, WedgeFace};
use crate::field::Walls;
use crate::scene::{Edge, FaceId, Scene};

/// From edge to edge of one face a wave runs along it within this, radians.
const ALONG_FACE: f64 = 1e-3;

/// A ray with a smaller sine to the edge is taken to have this one.
const ALONG_EDGE: f64 = 1e-3;

/// A wedge and the vertical plane through it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section<'a> {
    /// The horizontal unit vector in the plane, away from the start of the chain.
    ahead: DVec3,
    /// From the edge into the face from which angles count, the one that looks to the start of the chain, and its normal. They grow
    /// over the top towards the other.
    inward: DVec3,
    outward: DVec3,
    wedge: Wedge<'a>,
    /// Both faces; twice the same for a sheet.
    pub(super) faces: [FaceId; 2],
}

/// A wave that comes to a wedge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The angle around the edge to where it comes from, and the squared sine to the edge.
    phi: f64,
    square_sine: f64,
    pub(super) is_along_face: bool,
}

/// A wave that passes a wedge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    pub(super) diffraction: Diffraction,
    /// Sine of the angle between ray and edge.
    pub(super) sin_beta: f64,
    pub(super) leaves_along_face: bool,
    /// The argument of the transition function of the nearest shadow boundary of the incident wave, for a distance parameter of 1 m.
    pub(super) boundary_argument: f64,
}

impl<'a> Section<'a> {
    /// Of `edge` with the vertical plane along the horizontal unit vector `ahead`.
    pub(super) fn new(scene: &Scene, surfaces: &'a Surfaces, edge: &Edge, ahead: DVec3) -> Self {
        let first = edge.faces[0].expect("an edge has a face");
        let second = edge.faces[1].unwrap_or(first);
        // The second face seen from the edge is its normal turned by a right angle.
        let other = edge.outward * edge.second_outward.dot(edge.inward)
            - edge.inward * edge.second_outward.dot(edge.outward);
        let other = if edge.is_wedge() { other } else { edge.inward };
        let mut sides = [
            (first, edge.inward, edge.outward),
            (second, other, edge.second_outward),
        ];
        // Seen with `ahead` to the right, the open space must lie clockwise of the face from which angles count.
        let (_, inward, outward) = sides[0];
        if inward.cross(outward).dot(DVec3::Z.cross(ahead)) < 0.0 {
            sides.swap(0, 1);
        }
        let face = |(face, _, outward): (FaceId, DVec3, DVec3)| WedgeFace {
            surface: surfaces.surface(scene.material(face)),
            shows_front: scene.normal(face).dot(outward) > 0.0,
        };
        let (_, inward, outward) = sides[0];
        Self {
            ahead,
            inward,
            outward,
            wedge: Wedge {
                n: edge.exterior_angle / PI,
                faces: sides.map(face),
                is_sheet: !edge.is_wedge(),
            },
            faces: sides.map(|(face, _, _)| face),
        }
    }

    /// How a wave that comes along `into`, the direction of travel in the plane, meets the wedge.
    pub(super) fn enter(&self, into: DVec2) -> Entry {
        let (phi, square_sine) = self.turn(-into);
        Entry {
            phi,
            square_sine,
            is_along_face: self.is_along_face(phi),
        }
    }

    /// What happens to a wave that leaves along `out`, the direction of travel in the plane.
    pub(super) fn pass(&self, entry: &Entry, out: DVec2, surfaces: &Surfaces) -> Passage {
        let (phi_out, square_sine) = self.turn(out);
        let phi_in = entry.phi;
        // Off Keller's cone neither angle to the edge is right; their mean is the same from both ends.
        let sin_beta = (entry.square_sine * square_sine).sqrt().sqrt();
        let sin_beta = sin_beta.max(ALONG_EDGE);
        let angles = EdgeAngles {
            sin_beta,
            cos_beta: 0.0,
            phi_in,
            phi_out,
        };
        let wavenumber = surfaces.frequency().wavenumber();
        let diffraction = Diffraction::new(&self.wedge, angles, wavenumber, surfaces.lossy_wedge());
        Passage {
            boundary_argument: diffraction.boundary_argument(sin_beta * sin_beta),
            diffraction,
            sin_beta,
            leaves_along_face: self.is_along_face(phi_out),
        }
    }

    /// The angle around the edge of a ray from it, and the squared sine to it.
    fn turn(&self, ray: DVec2) -> (f64, f64) {
        let open = self.wedge.n * PI;
        let ray = ray.x * self.ahead + ray.y * DVec3::Z;
        let (x, y) = (ray.dot(self.inward), ray.dot(self.outward));
        let angle = y.atan2(x);
        let angle = if angle < 0.0 { angle + TAU } else { angle };
        // Rounding may put it inside.
        let phi = if angle <= open {
            angle
        } else if angle > 0.5 * (open + TAU) {
            0.0
        } else {
            open
        };
        (phi, x * x + y * y)
    }

    fn is_along_face(&self, phi: f64) -> bool {
        phi < ALONG_FACE || self.wedge.n * PI - phi < ALONG_FACE
    }
}
