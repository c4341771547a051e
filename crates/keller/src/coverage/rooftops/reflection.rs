//! The reflection that a flat roof adds to the field which passes along it from one of its edges to the other.
//!
//! At grazing angles a roof acts as a surface impedance, one number for each polarisation. For small angles the field
//! of a point source over such a plane is known in closed form: the image of the source minus a line of images below
//! it, which is an error function. On lines turned by 45° this factor is smooth, so it is read from a table of some
//! dozens of values for each roof and length.
//!
//! # Source
//! Theory page: `rooftops`.

use num_complex::Complex64;
use std::f64::consts::PI;
use std::sync::LazyLock;

use super::fields::EIGHTH_TURN;
use crate::em::TeTm;

/// A roof of one length, for one of the two fields.
#[derive(Debug, Clone)]
pub(super) enum Roof {
    /// A constant factor of the image: -1 where the field vanishes on the roof, 1 where the roof reflects all of it, 0
    /// where it is lost.
    Constant(f64),
    /// The factor of the image over the sum of the distances of both points from the roof, in steps of [`STEP`].
    Lossy(Vec<Complex64>),
}

/// Step of a table, in widths of the bell curve times the square root of two, and the number of steps.
const STEP: f64 = 0.1;
const NUM_STEPS: usize = 42;

/// Reflection coefficients closer than this are the same.
const SAME_REFLECTION: f64 = 1e-6;

impl Roof {
    /// The roofs of both fields, TE and TM: `length` metres of a surface whose coefficients are `reflection` at a small
    /// `sine` of the grazing angle.
    pub(super) fn both(
        TeTm { te, tm }: TeTm<Complex64>,
        sine: f64,
        length: f64,
        wavenumber: f64,
    ) -> [Self; 2] {
        [te, tm].map(|reflection| {
            for constant in [-1.0, 0.0, 1.0] {
                if (reflection - constant).norm() < SAME_REFLECTION {
                    return Self::Constant(constant);
                }
            }
            let impedance = sine * (1.0 - reflection) / (1.0 + reflection);
            let p = impedance * EIGHTH_TURN * (0.5 * wavenumber * length).sqrt();
            let factor = |i: usize| 1.0 - 2.0 * PI.sqrt() * p * scaled_erfc(p + STEP * i as f64);
            Self::Lossy((0..=NUM_STEPS).map(factor).collect())
        })
    }

    /// The factors of the image for both fields, where the exponent of the bell curve is the square of `x`.
    pub(super) fn reflected(roofs: &[Self; 2], x: f64) -> [Complex64; 2] {
        let place = (x / STEP).min((NUM_STEPS - 1) as f64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 0 to the number of steps"
        )]
        let node = (place as usize).clamp(1, NUM_STEPS - 2);
        let t = place - node as f64;
        // Lagrange's cubic through four values.
        let weights = [
            -t * (t - 1.0) * (t - 2.0) / 6.0,
            (t + 1.0) * (t - 1.0) * (t - 2.0) / 2.0,
            -(t + 1.0) * t * (t - 2.0) / 2.0,
            (t + 1.0) * t * (t - 1.0) / 6.0,
        ];
        [0, 1].map(|k| match &roofs[k] {
            Self::Constant(factor) => Complex64::from(*factor),
            Self::Lossy(table) => (0..4).map(|i| table[node + i - 1] * weights[i]).sum(),
        })
    }
}

/// `e^{z^2} erfc(z)` for a real part of 0 or more, with an error below 1e-9.
///
/// # Source
/// J. A. C. Weideman, "Computation of the complex error function", SIAM J. Numer. Anal. 31(5), 1994,
/// doi:10.1137/0731077.
fn scaled_erfc(z: Complex64) -> Complex64 {
    let (length, coefficients) = &*WEIDEMAN;
    let below = *length + z;
    let x = (*length - z) / below;
    let sum = coefficients
        .iter()
        .rev()
        .fold(Complex64::ZERO, |sum, a| sum * x + a);
    2.0 * sum / (below * below) + 1.0 / (PI.sqrt() * below)
}

const NUM_TERMS: usize = 24;

static WEIDEMAN: LazyLock<(f64, [f64; NUM_TERMS])> = LazyLock::new(|| {
    let length = (NUM_TERMS as f64 / 2_f64.sqrt()).sqrt();
    let num = 2 * NUM_TERMS;
    let mut coefficients = [0.0; NUM_TERMS];
    for (n, coefficient) in coefficients.iter_mut().enumerate() {
        let mut sum = length * length;
        for k in 1..num {
            let angle = PI * k as f64 / num as f64;
            let t = length * (0.5 * angle).tan();
            let value = (-t * t).exp() * (length * length + t * t);
            sum += 2.0 * value * ((n + 1) as f64 * angle).cos();
        }
        *coefficient = sum / (2 * num) as f64;
    }
    (length, coefficients)
});

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz and Stegun, tables 7.1 and 7.9 (`w(z)` at `z = j zeta`).
    #[test]
    fn the_complex_error_function_has_its_tabulated_values() {
        for (z, re, im) in [
            (Complex64::new(0.0, 0.0), 1.0, 0.0),
            (Complex64::new(1.0, 0.0), 0.427_583_576, 0.0),
            (Complex64::new(1.0, -1.0), 0.304_744_205, 0.208_218_938),
            (Complex64::new(20.0, 0.0), 0.028_174_3, 0.0),
        ] {
            let found = scaled_erfc(z);
            assert!(
                (found - Complex64::new(re, im)).norm() < 1e-7,
                "{z}: {found}"
            );
        }
    }
}
