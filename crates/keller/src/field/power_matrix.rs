//! The received power of a path for any field that leaves the transmitter.

use num_complex::Complex64;

use super::vector::ComplexVector;

/// The received power for any field at the transmitter: a Hermitian form in the field's theta and phi components.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PowerMatrix {
    /// Power of the unit field along theta, and of that along phi.
    pub(crate) diagonal: [f64; 2],
    /// Mixed term of both fields.
    pub(crate) cross: Complex64,
}

impl PowerMatrix {
    /// The form for the received fields of the unit fields along theta and phi.
    pub(super) fn of([theta, phi]: [ComplexVector; 2]) -> Self {
        let power = |field: ComplexVector| field.re.length_squared() + field.im.length_squared();
        Self {
            diagonal: [power(theta), power(phi)],
            cross: Complex64::new(
                theta.re.dot(phi.re) + theta.im.dot(phi.im),
                theta.re.dot(phi.im) - theta.im.dot(phi.re),
            ),
        }
    }

    /// The received power of a field.
    pub(crate) fn power_of(&self, [theta, phi]: [Complex64; 2]) -> f64 {
        let [of_theta, of_phi] = self.diagonal;
        let both = (theta.conj() * phi * self.cross).re;
        // Rounding may make a zero negative.
        (theta.norm_sqr() * of_theta + phi.norm_sqr() * of_phi + 2.0 * both).max(0.0)
    }

    /// The largest received power of a field of unit power: the larger eigenvalue.
    pub(crate) fn largest(&self) -> f64 {
        let [theta, phi] = self.diagonal;
        let half = 0.5 * (theta - phi);
        0.5 * (theta + phi) + (half * half + self.cross.norm_sqr()).sqrt()
    }

    /// The largest received power of both unit fields together, over all their phases.
    pub(crate) fn of_both(&self) -> f64 {
        let [theta, phi] = self.diagonal;
        theta + phi + 2.0 * self.cross.norm_sqr().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn it_gives_the_power_of_every_field_and_the_largest_of_all() {
        let arrives = [
            ComplexVector {
                re: DVec3::new(0.3, -0.2, 0.1),
                im: DVec3::new(0.0, 0.4, -0.5),
            },
            ComplexVector {
                re: DVec3::new(-0.1, 0.25, 0.6),
                im: DVec3::new(0.2, 0.1, 0.0),
            },
        ];
        let matrix = PowerMatrix::of(arrives);
        let mut max_power = 0.0_f64;
        for a in 0..60 {
            for b in 0..60 {
                let (tilt, turn) = (f64::from(a) * 0.053, f64::from(b) * 0.105);
                let field = [
                    Complex64::from(tilt.cos()),
                    Complex64::from_polar(tilt.sin(), turn),
                ];
                let sum = arrives[0] * field[0] + arrives[1] * field[1];
                let expected = sum.re.length_squared() + sum.im.length_squared();
                assert!((matrix.power_of(field) - expected).abs() < 1e-12);
                max_power = max_power.max(expected);
            }
        }
        assert!(max_power <= matrix.largest() && max_power > 0.99 * matrix.largest());
    }
}
