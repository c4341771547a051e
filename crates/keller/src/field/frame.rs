//! An edge's own axes, and rays and walls in them.

use glam::DVec3;
use std::f64::consts::{PI, TAU};

use super::Walls;
use crate::em::PathCounts;
use crate::em::utd::{Wedge, WedgeFace};
use crate::geometry::tolerance::ALONG_FACE_ANGLE;
use crate::scene::Edge;

/// A ray nearer than this to a face lies in it, radians. It covers the rounding of the edge points.
const GRAZING_ANGLE: f64 = 1e-9;

/// The edge's own axes, and angles around it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    inward: DVec3,
    outward: DVec3,
    open: f64,
}

/// A ray in these axes, seen from the edge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ray {
    pub(crate) direction: DVec3,
    pub(crate) sin_beta: f64,
    pub(crate) cos_beta: f64,
    pub(crate) phi: f64,
    /// Unit vector of growing `phi`.
    pub(crate) phi_hat: DVec3,
}

impl Frame {
    pub(crate) fn new(edge: &Edge) -> Self {
        Self {
            inward: edge.inward,
            outward: edge.outward,
            open: edge.exterior_angle,
        }
    }

    /// The ray from the edge to `direction`, a unit vector. A ray that rounding has put inside the wedge is moved onto
    /// the face.
    pub(crate) fn ray(&self, direction: DVec3) -> Ray {
        let (x, y) = (direction.dot(self.inward), direction.dot(self.outward));
        let angle = y.atan2(x).rem_euclid(TAU);
        let phi = if angle <= self.open {
            angle
        } else if angle > 0.5 * (self.open + TAU) {
            0.0
        } else {
            self.open
        };
        let phi = match phi {
            phi if phi < GRAZING_ANGLE => 0.0,
            phi if self.open - phi < GRAZING_ANGLE => self.open,
            phi => phi,
        };
        let (sin, cos) = phi.sin_cos();
        Ray {
            direction,
            sin_beta: x.hypot(y),
            cos_beta: direction.dot(self.inward.cross(self.outward)),
            phi,
            phi_hat: cos * self.outward - sin * self.inward,
        }
    }

    /// The ray, moved to the angle `phi`.
    pub(super) fn at(&self, ray: Ray, phi: f64) -> Ray {
        if phi == ray.phi {
            return ray;
        }
        let (sin, cos) = phi.sin_cos();
        Ray {
            phi,
            phi_hat: cos * self.outward - sin * self.inward,
            ..ray
        }
    }

    /// The angles of the faces along which a ray at `phi` travels: of both faces where they are two sides of one sheet.
    pub(super) fn faces_along(&self, phi: f64) -> [Option<f64>; 2] {
        let is_sheet = TAU - self.open < ALONG_FACE_ANGLE;
        let [first, second] = [phi < ALONG_FACE_ANGLE, self.open - phi < ALONG_FACE_ANGLE];
        [
            (first || is_sheet && second).then_some(0.0),
            (second || is_sheet && first).then_some(self.open),
        ]
    }
}

/// The faces of `edge` with their surfaces, as a path of `counts` meets them.
pub(crate) fn wedge<'a>(edge: &Edge, walls: &'a impl Walls, counts: PathCounts) -> Wedge<'a> {
    let first = edge.faces[0].expect("an edge has a face");
    let (sin, cos) = edge.exterior_angle.sin_cos();
    let num_walls = if edge.faces[1].is_some() { 2 } else { 1 };
    let face = |face, open_side: DVec3| WedgeFace {
        surface: walls.surface(face),
        shows_front: walls.normal(face).dot(open_side) > 0.0,
    };
    Wedge {
        n: edge.exterior_angle / PI,
        faces: [
            face(first, edge.outward),
            face(
                edge.faces[1].unwrap_or(first),
                sin * edge.inward - cos * edge.outward,
            ),
        ],
        is_sheet: edge.faces[1].is_none(),
        lets_through: walls.surfaces().passages().allow(num_walls, counts),
    }
}
