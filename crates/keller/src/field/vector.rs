//! Complex vectors in space.

use glam::DVec3;
use num_complex::Complex64;

/// A phasor vector in the global frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ComplexVector {
    pub(super) re: DVec3,
    pub(super) im: DVec3,
}

impl ComplexVector {
    pub(super) const ZERO: Self = Self {
        re: DVec3::ZERO,
        im: DVec3::ZERO,
    };

    pub(super) fn from_real(re: DVec3) -> Self {
        Self {
            re,
            im: DVec3::ZERO,
        }
    }

    pub(super) fn dot(self, v: DVec3) -> Complex64 {
        Complex64::new(self.re.dot(v), self.im.dot(v))
    }
}

impl std::ops::Add for ComplexVector {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl std::ops::Sub for ComplexVector {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            re: self.re - other.re,
            im: self.im - other.im,
        }
    }
}

impl std::ops::Mul<Complex64> for ComplexVector {
    type Output = Self;

    fn mul(self, factor: Complex64) -> Self {
        Self {
            re: self.re * factor.re - self.im * factor.im,
            im: self.re * factor.im + self.im * factor.re,
        }
    }
}
