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
    /// What the first port of an antenna sends in the direction of a unit vector.
    pub(super) fn leaving(antenna: &Antenna, direction: DVec3) -> Self {
        let [theta, phi] = spherical_basis(direction);
        let field = antenna.fields(Direction::from_vector(direction)).next();
        let [along_theta, along_phi] = field.unwrap_or_default();
        Self {
            re: theta * along_theta.re + phi * along_phi.re,
            im: theta * along_theta.im + phi * along_phi.im,
        }
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
        let Some(s) = direction.cross(normal).try_normalize() else {
            return mirrored;
        };
        let across = Self {
            re: s * self.re.dot(s),
            im: s * self.im.dot(s),
        }
        .times(r.te + r.tm);
        Self {
            re: mirrored.re + across.re,
            im: mirrored.im + across.im,
        }
    }

    fn times(self, factor: Complex64) -> Self {
        Self {
            re: self.re * factor.re - self.im * factor.im,
            im: self.re * factor.im + self.im * factor.re,
        }
    }
}
