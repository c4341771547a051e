//! The field of a ray without spreading and phase.

use glam::DVec3;
use keller::antenna::Antenna;
use keller::em::Surface;
use keller::{Complex64, Direction, spherical_basis};

/// An electric field in the global frame, real and imaginary part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wave {
    re: DVec3,
    im: DVec3,
}

impl Wave {
    /// The wave that the first port of an antenna sends in the direction of a unit vector.
    pub(super) fn leaving(antenna: &Antenna, direction: DVec3) -> Self {
        let [theta, phi] = spherical_basis(direction);
        let field = antenna.fields(Direction::from_vector(direction)).next();
        let [along_theta, along_phi] = field.unwrap_or_default();
        Self::of([along_theta, along_phi], [theta, phi])
    }

    /// The wave with these components along perpendicular axes.
    pub(super) fn of([a, b]: [Complex64; 2], [along_a, along_b]: [DVec3; 2]) -> Self {
        Self {
            re: along_a * a.re + along_b * b.re,
            im: along_a * a.im + along_b * b.im,
        }
    }

    /// Its component along an axis.
    pub(super) fn along(self, axis: DVec3) -> Complex64 {
        Complex64::new(self.re.dot(axis), self.im.dot(axis))
    }

    /// Its power in both polarisations.
    pub(super) fn power(self) -> f64 {
        self.re.length_squared() + self.im.length_squared()
    }

    /// The field after reflection at a face with a unit normal. Theory page: `transport`.
    pub(super) fn reflected(self, direction: DVec3, normal: DVec3, surface: &Surface) -> Self {
        let cosine = direction.dot(normal);
        let r = surface.reflection(cosine.abs().min(1.0), cosine < 0.0);
        let mirror = |e: DVec3| e - 2.0 * e.dot(normal) * normal;
        let mirrored = Self {
            re: mirror(self.re),
            im: mirror(self.im),
        }
        .times(-r.tm);
        mirrored.plus(self.across(direction, normal).times(r.te + r.tm))
    }

    /// The field behind a wall with a unit normal. Theory page: `transport`.
    pub(super) fn transmitted(self, direction: DVec3, normal: DVec3, surface: &Surface) -> Self {
        let cosine = direction.dot(normal);
        let t = surface.transmission(cosine.abs().min(1.0), cosine < 0.0);
        self.times(t.tm)
            .plus(self.across(direction, normal).times(t.te - t.tm))
    }

    /// Its part across the plane of incidence; zero where there is no such plane.
    fn across(self, direction: DVec3, normal: DVec3) -> Self {
        let s = direction.cross(normal).normalize_or_zero();
        Self {
            re: s * self.re.dot(s),
            im: s * self.im.dot(s),
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }

    pub(super) fn times(self, factor: Complex64) -> Self {
        Self {
            re: self.re * factor.re - self.im * factor.im,
            im: self.re * factor.im + self.im * factor.re,
        }
    }
}
