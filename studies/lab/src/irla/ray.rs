//! A ray and the field along it.

use glam::{DVec3, Vec3};
use keller::em::{Surface, TeTm};
use keller::spherical_basis;
use num_complex::Complex64;

/// A ray from its last interaction on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ray {
    /// The point where it starts, metres.
    pub(super) origin: DVec3,
    /// A unit vector.
    pub(super) direction: DVec3,
    /// The length of the way from the Tx to `origin`, metres.
    pub(super) length: f64,
    /// The field without distance and phase: the square of its length is the gain of the antenna and of all walls so far.
    pub(super) field: Field,
    /// The change of direction to the next launched ray along either side of the border, radians.
    pub(super) spread: [Vec3; 2],
    /// The position to which the ray was launched, along the border of the plan, in voxels.
    pub(super) column: f64,
}

/// A complex vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Field {
    pub(super) re: DVec3,
    pub(super) im: DVec3,
}

/// The kinds of a wave behind a wall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Reflection,
    Transmission,
}

impl Ray {
    /// The point that all rays of its wave seem to come from, metres.
    #[inline]
    pub(super) fn image(&self) -> DVec3 {
        self.origin - self.length * self.direction
    }

    /// The gain at a distance from the image that free space of `wavelength` metres leaves.
    #[inline]
    pub(super) fn gain(&self, distance: f64, wavelength: f64) -> f64 {
        let spread = wavelength / (4.0 * std::f64::consts::PI * distance);
        self.field.power() * spread * spread
    }

    /// Whether a point that lies `apart` from the ray's line at a distance from the image belongs to the part of the wave that the
    /// ray stands for.
    pub(super) fn owns(&self, apart: DVec3, distance: f64) -> bool {
        /// Neighbours overlap by this part, because distances are rounded.
        const SLACK: f64 = 0.02;
        let [u, v] = self.spread.map(|spread| spread.as_dvec3() * distance);
        // Least squares: apart = a u + b v.
        let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
        let (ua, va) = (u.dot(apart), v.dot(apart));
        let determinant = uu * vv - uv * uv;
        let [a, b] = [vv * ua - uv * va, uu * va - uv * ua];
        a.abs().max(b.abs()) <= (0.5 + SLACK) * determinant
    }

    /// The ray behind a wall with the unit `normal` that it meets `t` metres on. For rays in the plan, `normal` is level.
    pub(super) fn behind(
        &self,
        t: f64,
        normal: DVec3,
        kind: Kind,
        coefficient: TeTm<Complex64>,
    ) -> Self {
        let mirrored = |v: DVec3| v - 2.0 * v.dot(normal) * normal;
        let mirrored_spread = |v: Vec3| mirrored(v.as_dvec3()).as_vec3();
        let field = self.field.behind(self.direction, normal, kind, coefficient);
        let origin = self.origin + t * self.direction;
        let (direction, spread) = match kind {
            Kind::Reflection => (
                mirrored(self.direction).normalize(),
                self.spread.map(mirrored_spread),
            ),
            Kind::Transmission => (self.direction, self.spread),
        };
        Self {
            origin,
            direction,
            length: self.length + t,
            field,
            spread,
            column: self.column,
        }
    }
}

/// Reflection and transmission of a wall with the unit `normal`.
pub(super) fn coefficients(
    direction: DVec3,
    normal: DVec3,
    surface: &Surface,
) -> [TeTm<Complex64>; 2] {
    let cosine = direction.dot(normal);
    surface.reflection_and_transmission(cosine.abs().min(1.0), cosine < 0.0)
}

impl Field {
    /// The field with these components along the spherical unit vectors of a direction.
    pub(super) fn of_components(direction: DVec3, [theta, phi]: [Complex64; 2]) -> Self {
        let [along_theta, along_phi] = spherical_basis(direction);
        Self {
            re: theta.re * along_theta + phi.re * along_phi,
            im: theta.im * along_theta + phi.im * along_phi,
        }
    }

    /// The square of its length.
    #[inline]
    pub(super) fn power(&self) -> f64 {
        self.re.length_squared() + self.im.length_squared()
    }

    pub(super) fn dot(&self, unit: DVec3) -> Complex64 {
        Complex64::new(self.re.dot(unit), self.im.dot(unit))
    }

    pub(super) fn lerp(&self, other: &Self, share: f64) -> Self {
        Self {
            re: self.re.lerp(other.re, share),
            im: self.im.lerp(other.im, share),
        }
    }

    fn times(&self, factor: Complex64) -> Self {
        Self {
            re: factor.re * self.re - factor.im * self.im,
            im: factor.re * self.im + factor.im * self.re,
        }
    }

    fn plus(&self, unit: DVec3, factor: Complex64) -> Self {
        Self {
            re: self.re + factor.re * unit,
            im: self.im + factor.im * unit,
        }
    }

    /// The field behind a wall, as in keller's own transport: `-r_tm M e + (r_te + r_tm) (e . s) s` and
    /// `t_tm e + (t_te - t_tm) (e . s) s`, where `M` mirrors and `s` is perpendicular to the plane of incidence. Theory
    /// page: `transport`.
    fn behind(
        &self,
        direction: DVec3,
        normal: DVec3,
        kind: Kind,
        coefficient: TeTm<Complex64>,
    ) -> Self {
        let TeTm { te, tm } = coefficient;
        let (whole, across) = match kind {
            Kind::Reflection => {
                let mirrored = |v: DVec3| v - 2.0 * v.dot(normal) * normal;
                let mirrored = Self {
                    re: mirrored(self.re),
                    im: mirrored(self.im),
                };
                (mirrored.times(-tm), te + tm)
            }
            Kind::Transmission => (self.times(tm), te - tm),
        };
        match direction.cross(normal).try_normalize() {
            Some(s) => whole.plus(s, self.dot(s) * across),
            None => whole,
        }
    }
}
