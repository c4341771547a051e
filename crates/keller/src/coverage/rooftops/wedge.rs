//! The wedge that a wave meets at an edge of a chain, in the vertical plane through both ends.

use glam::{DVec2, DVec3};
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

use crate::World;
use crate::em::utd::{Diffraction, EdgeAngles, Wedge, WedgeFace};
use crate::em::{PathCounts, Surfaces};
use crate::field::Walls;
use crate::geometry::tolerance::ALONG_FACE_ANGLE;
use crate::scene::{Edge, FaceId};

/// The angle of diffraction, radians, below which it counts as none.
const MIN_DIFFRACTION_ANGLE: f64 = 1e-3;

/// A distance from the edge, metres, that is outside all transition zones.
const FAR: f64 = 1e12;

/// Smallest sine of the angle between ray and edge. Rays closer to the edge take this value.
const ALONG_EDGE: f64 = 1e-3;

/// A wedge, and the vertical plane that cuts it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section<'a> {
    /// Horizontal unit vector in the plane, away from the start of the chain.
    ahead: DVec3,
    /// Angles count from the face towards the start of the chain and grow over the top to the other face. These are the
    /// direction from the edge into that first face, and its normal.
    inward: DVec3,
    outward: DVec3,
    wedge: Wedge<'a>,
    /// Both faces; a sheet has the same face twice.
    faces: [FaceId; 2],
}

/// The arrival of a wave at a wedge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Angle around the edge to where the wave comes from, radians, and squared sine of its angle to the edge.
    phi: f64,
    square_sine: f64,
}

/// The passage of a wave over a wedge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passage {
    pub(super) diffraction: Diffraction,
    /// Sine of the angle between ray and edge.
    pub(super) sin_beta: f64,
}

impl<'a> Section<'a> {
    /// The wedge at `edge`, cut by the vertical plane along the horizontal unit vector `ahead`.
    pub(super) fn new(world: &'a World, edge: &Edge, ahead: DVec3) -> Self {
        let first = edge.faces[0].expect("an edge has a face");
        let second = edge.faces[1].unwrap_or(first);
        // The direction from the edge into the second face is its normal turned by a right angle.
        let other = edge.outward * edge.second_outward.dot(edge.inward)
            - edge.inward * edge.second_outward.dot(edge.outward);
        let other = if edge.is_wedge() { other } else { edge.inward };
        let mut sides = [
            (first, edge.inward, edge.outward),
            (second, other, edge.second_outward),
        ];
        // If `ahead` is to the right, the open space must lie clockwise of the face from which angles count.
        let (_, inward, outward) = sides[0];
        if inward.cross(outward).dot(DVec3::Z.cross(ahead)) < 0.0 {
            sides.swap(0, 1);
        }
        let face = |(face, _, outward): (FaceId, DVec3, DVec3)| WedgeFace {
            surface: world.surface(face),
            shows_front: world.normal(face).dot(outward) > 0.0,
        };
        let (_, inward, outward) = sides[0];
        let walls = if edge.is_wedge() { 2 } else { 1 };
        Self {
            ahead,
            inward,
            outward,
            wedge: Wedge {
                n: edge.exterior_angle / PI,
                faces: sides.map(face),
                is_sheet: !edge.is_wedge(),
                lets_through: world
                    .surfaces()
                    .passages()
                    .allow(walls, PathCounts::ONE_EDGE),
            },
            faces: sides.map(|(face, _, _)| face),
        }
    }

    /// The arrival of a wave that travels along `into` in the plane.
    pub(super) fn enter(&self, into: DVec2) -> Entry {
        let (phi, square_sine) = self.turn(-into);
        Entry { phi, square_sine }
    }

    /// The passage of a wave that arrived by `entry` and leaves along `out`, the direction of travel in the plane.
    pub(super) fn pass(&self, entry: &Entry, out: DVec2, surfaces: &Surfaces) -> Passage {
        let (phi_out, square_sine) = self.turn(out);
        let phi_in = entry.phi;
        // Off Keller's cone the two angles to the edge differ. Their geometric mean is the same from both ends.
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
            diffraction,
            sin_beta,
        }
    }

    /// Squared sine of the angle between a ray and the edge.
    pub(super) fn square_sine(&self, ray: DVec2) -> f64 {
        self.turn(ray.normalize()).1
    }

    /// The face along which a ray leaves the edge, if there is one.
    pub(super) fn face_along(&self, ray: DVec2) -> Option<FaceId> {
        let (phi, _) = self.turn(ray.normalize());
        if phi < ALONG_FACE_ANGLE {
            Some(self.faces[0])
        } else if self.wedge.n * PI - phi < ALONG_FACE_ANGLE {
            Some(self.faces[1])
        } else {
            None
        }
    }

    /// The diffraction coefficients of this wedge, soft and hard, divided by those of a black screen, both far from the
    /// shadow boundary, for a wave that arrives along `into` and leaves along `out`. They are 1 where the wave is not
    /// diffracted down. `along` says whether the wave arrives along a face from the other edge of that face, and
    /// whether it leaves along a face. Then both coefficients include the image in that face; where the image cancels
    /// the field, their slopes are compared instead.
    pub(super) fn wide_angle_factor(
        &self,
        into: DVec2,
        out: DVec2,
        along: [bool; 2],
        surfaces: &Surfaces,
    ) -> [Complex64; 2] {
        let diffraction_angle = out.angle_to(into);
        if diffraction_angle < MIN_DIFFRACTION_ANGLE || along == [true; 2] {
            return [Complex64::ONE; 2];
        }
        let passage = self.pass(&self.enter(into), out, surfaces);
        let diffraction = &passage.diffraction;
        let (sin, cos) = (0.5 * diffraction_angle).sin_cos();
        let wavenumber = surfaces.frequency().wavenumber();
        // The unit vectors before and behind an edge differ in sign.
        let factor = -Complex64::cis(-0.25 * PI) / (2.0 * (TAU * wavenumber).sqrt());
        let screen = factor / sin;
        let field = diffraction.outgoing_field(FAR);
        if along == [false; 2] {
            return field.map(|field| field / screen);
        }
        let slopes = if along[0] {
            let per_metre = Complex64::new(0.0, -1.0 / (wavenumber * passage.sin_beta));
            let screen = per_metre * factor * cos / (sin * sin);
            diffraction
                .outgoing_field_of_slope(FAR)
                .map(|slope| slope / screen)
        } else {
            let [_, slope] = diffraction.outgoing(FAR);
            slope.map(|slope| -slope * (sin * sin) / (factor * cos))
        };
        let face = usize::from(along[1]);
        let surface = self.wedge.faces[face].surface;
        let reflection =
            surface.smooth_reflection(MIN_DIFFRACTION_ANGLE, self.wedge.faces[face].shows_front);
        let is_even = [reflection.te, reflection.tm].map(|r| (r - 1.0).norm() < 0.5);
        [0, 1].map(|k| {
            if is_even[k] {
                0.5 * field[k] / screen
            } else {
                slopes[k]
            }
        })
    }

    /// Angle of a ray around the edge, and squared sine of its angle to the edge.
    fn turn(&self, ray: DVec2) -> (f64, f64) {
        let open = self.wedge.n * PI;
        let ray = ray.x * self.ahead + ray.y * DVec3::Z;
        let (x, y) = (ray.dot(self.inward), ray.dot(self.outward));
        let angle = y.atan2(x);
        let angle = if angle < 0.0 { angle + TAU } else { angle };
        // Rounding may put the ray inside the wedge.
        let phi = if angle <= open {
            angle
        } else if angle > 0.5 * (open + TAU) {
            0.0
        } else {
            open
        };
        (phi, x * x + y * y)
    }
}
