//! One of the four terms of the diffraction coefficient, `cot(u) F(k L a)`. Each term belongs to one shadow boundary.
//!
//! With the angle `epsilon` from the boundary, `u = epsilon / (2 n)` and `a = 2 sin^2(epsilon / 2)`. At the boundary
//! the cotangent is infinite and the transition function vanishes. Both share one zero, so their product is computed
//! with the quotient of the two sines.

use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

use super::transition::{
    ASYMPTOTIC_FROM, EIGHTH_TURN, asymptotic, scaled_erfc, tabulated, transition,
};

/// The position of an observer relative to one shadow boundary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Boundary {
    /// Sign of the cotangent.
    sign: f64,
    /// Exterior angle over pi.
    n: f64,
    /// `sin(epsilon / 2)`.
    sine: f64,
    cosine: f64,
    /// `sin(epsilon / (2 n))`.
    sine_u: f64,
    /// `1 / tan(epsilon / (2 n))`, finite.
    cotangent: f64,
}

/// Sine and cosine of half an angle, and of the `2n`-th part of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Turn {
    half: (f64, f64),
    part: (f64, f64),
}

/// The angle from a boundary within which an observer counts as on its dark side, radians, because walls reach a little
/// over their borders and block the ray there. The limits below are exact to rounding at this angle.
const ON_BOUNDARY: f64 = 1e-9;

impl Boundary {
    /// The term with `cot((pi + delta) / 2n)` if `sign` is 1, with `cot((pi - delta) / 2n)` if it is -1.
    pub(super) fn new(delta: f64, sign: f64, n: f64) -> Self {
        let turns = ((delta + sign * PI) / (TAU * n)).round();
        let epsilon = delta - TAU * n * turns + sign * PI;
        let epsilon = if epsilon.abs() < ON_BOUNDARY {
            -sign * ON_BOUNDARY
        } else {
            epsilon
        };
        let (sine, cosine) = (0.5 * epsilon).sin_cos();
        let (sine_u, cosine_u) = (epsilon / (2.0 * n)).sin_cos();
        Self {
            sign,
            n,
            sine,
            cosine,
            sine_u,
            cotangent: cosine_u / sine_u,
        }
    }

    /// Sines and cosines that turn an observer by an angle, radians.
    pub(super) fn turn(&self, by: f64) -> Turn {
        Turn {
            half: (0.5 * by).sin_cos(),
            part: (by / (2.0 * self.n)).sin_cos(),
        }
    }

    /// The position of an observer who has turned further around the edge; not on the boundary.
    pub(super) fn turned(&self, turn: &Turn) -> Self {
        let add = |(sin, cos): (f64, f64), (by_sin, by_cos): (f64, f64)| {
            (sin * by_cos + cos * by_sin, cos * by_cos - sin * by_sin)
        };
        let (sine, cosine) = add((self.sine, self.cosine), turn.half);
        let (sine_u, cosine_u) = add((self.sine_u, self.cotangent * self.sine_u), turn.part);
        // Both sines vanish together.
        let min = 0.5 * ON_BOUNDARY;
        let (sine, sine_u) = if sine_u.abs() < min {
            (-self.sign * min * self.n, -self.sign * min)
        } else {
            (sine, sine_u)
        };
        Self {
            sine,
            cosine,
            sine_u,
            cotangent: cosine_u / sine_u,
            ..*self
        }
    }

    /// `cot(u) F(k L a)`, with `kl` the wavenumber times the distance parameter.
    pub(super) fn value(&self, kl: f64) -> Complex64 {
        let x = self.argument(kl);
        if x > ASYMPTOTIC_FROM {
            self.sign * self.cotangent * asymptotic(x)
        } else {
            let product = self.sine.abs() * self.cotangent;
            self.sign * product * (TAU * kl).sqrt() * EIGHTH_TURN * scaled_erfc(x)
        }
    }

    /// [`Self::value`], which jumps at the boundary, continued from the dark side a little way into the illuminated
    /// side.
    ///
    /// `e^{jx} erfc` of the negative root is `2 e^{jx}` minus that of the positive root.
    pub(super) fn unlit_value(&self, kl: f64) -> Complex64 {
        let value = self.value(kl);
        let share = self.share_of_dark_side();
        if share == 0.0 {
            return value;
        }
        let jump = 2.0 * self.sine * self.cotangent * (TAU * kl).sqrt() * EIGHTH_TURN;
        value - share * jump * Complex64::cis(self.argument(kl))
    }

    /// The share of the dark side that is continued here: 0 on the dark side itself, 1 on the illuminated side at the
    /// boundary.
    pub(super) fn share_of_dark_side(&self) -> f64 {
        if self.sine * self.sign <= 0.0 {
            return 0.0;
        }
        let part = self.sine / FAR_IN_THE_LIGHT;
        (1.0 - (part * part).min(1.0)).powi(2)
    }

    /// The derivative of [`Self::value`] with respect to the angle, in the form of slope diffraction:
    /// `-cosec^2(u) F_s(k L a) / (2n)`.
    ///
    /// # Source
    /// Y. M. Hwang and R. G. Kouyoumjian, "A dyadic diffraction coefficient for an electromagnetic wave which is
    /// rapidly varying at an edge", USNC-URSI meeting, 1974. Theory page: `slope`.
    pub(super) fn slope(&self, kl: f64) -> Complex64 {
        let x = self.argument(kl);
        self.slope_with(kl, x, transition(x))
    }

    /// The derivative of [`Self::slope`] with respect to the angle.
    pub(super) fn curvature(&self, kl: f64) -> Complex64 {
        let x = self.argument(kl);
        self.curvature_with(kl, x, transition(x))
    }

    /// [`Self::value`] from a table.
    pub(super) fn quick_value(&self, kl: f64) -> Complex64 {
        self.sign * self.cotangent * tabulated(self.argument(kl))
    }

    /// [`Self::slope`] from a table.
    pub(super) fn quick_slope(&self, kl: f64) -> Complex64 {
        let x = self.argument(kl);
        self.slope_with(kl, x, tabulated(x))
    }

    /// [`Self::value`] and [`Self::slope`] for the cost of one transition function, read from a table.
    pub(super) fn value_and_slope(&self, kl: f64) -> [Complex64; 2] {
        let x = self.argument(kl);
        let f = tabulated(x);
        [self.sign * self.cotangent * f, self.slope_with(kl, x, f)]
    }

    /// The slope, given the transition function `f` of the argument `x`.
    fn slope_with(&self, kl: f64, x: f64, f: Complex64) -> Complex64 {
        let quotient = self.sine / self.sine_u;
        // F_s = 2 j x (1 - F); the value squared below is x cosec^2.
        let per_x = if x > FAR {
            far_slope(x) / x
        } else {
            2.0 * Complex64::I * (1.0 - f)
        };
        -self.sign / (2.0 * self.n) * 2.0 * kl * quotient * quotient * per_x
    }

    fn curvature_with(&self, kl: f64, x: f64, f: Complex64) -> Complex64 {
        let slope_by_x = |f_s: Complex64| {
            // F_s' = F_s / x - 2 j x F', with F' = j (F - 1) + F / (2 x).
            f_s / x + 2.0 * x * (f - 1.0) - Complex64::I * f
        };
        let by_angle = 2.0 * kl * self.sine * self.cosine;
        let inside = if x > FAR {
            // Far from the boundary only the cosecant changes.
            -far_slope(x) * self.cotangent / self.n
        } else {
            let f_s = 2.0 * Complex64::I * x * (1.0 - f);
            // The two large parts of F_s/x cancel near the boundary, so they are computed together.
            let parts = by_angle - x * self.cotangent / self.n;
            f_s / x * parts + (slope_by_x(f_s) - f_s / x) * by_angle
        };
        -self.sign / (2.0 * self.n) / (self.sine_u * self.sine_u) * inside
    }

    /// The argument of the joint transition function of two edges, `2 sqrt(k L) |sin(epsilon / 2)|`, and its derivative
    /// with respect to the angle. `scale` is the square root of `k L`.
    pub(super) fn joint_argument(&self, scale: f64) -> [f64; 2] {
        [
            2.0 * scale * self.sine.abs(),
            scale * self.cosine * self.sine.signum(),
        ]
    }

    /// Twice the cotangent times the [argument](Self::joint_argument), and its derivative with respect to the angle.
    pub(super) fn joint_value(&self, scale: f64) -> [f64; 2] {
        let factor = 4.0 * self.sign * scale * self.sine.signum();
        let slope = self.cosine * self.cotangent - self.sine / (self.n * self.sine_u * self.sine_u);
        [factor * self.cotangent * self.sine, 0.5 * factor * slope]
    }

    /// Twice the derivative of the cotangent by the angle, times the square of the
    /// [argument](Self::joint_argument), and the derivative of that.
    pub(super) fn joint_slope(&self, scale: f64) -> [f64; 2] {
        let factor = -4.0 * self.sign * scale * scale / self.n;
        let quotient = self.sine / self.sine_u;
        let cosine_u = self.cotangent * self.sine_u;
        let change = (self.cosine - quotient * cosine_u / self.n) / self.sine_u;
        [factor * quotient * quotient, factor * quotient * change]
    }

    /// The cotangent over its derivative by the angle: minus the angle from the boundary, near it.
    pub(super) fn value_over_slope(&self) -> f64 {
        -2.0 * self.n * self.cotangent * self.sine_u * self.sine_u
    }

    /// `k L a`, the argument of the transition function.
    pub(super) fn argument(&self, kl: f64) -> f64 {
        2.0 * kl * self.sine * self.sine
    }
}

/// Sine of half of 10 degrees. From 10 degrees beyond the boundary on, the dark side is not continued.
const FAR_IN_THE_LIGHT: f64 = 0.087_155_742_747_658_17;

/// The argument from which on `1 - F` would lose digits, and three terms of the series are exact to 1e-11.
const FAR: f64 = 1e4;

/// `F_s(x) = 2 j x (1 - F(x))` for arguments from [`FAR`] on, where it is nearly 1.
fn far_slope(x: f64) -> Complex64 {
    let step = 0.5 / x;
    Complex64::new(1.0 - 15.0 * step * step, 3.0 * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: [f64; 4] = [2.0, 1.75, 1.5, 1.1];

    #[test]
    fn the_product_jumps_by_the_missing_field_and_is_finite_at_the_boundary() {
        // cot F -> +- n sqrt(2 pi k L) e^{j pi/4} on the two sides.
        for n in N {
            for kl in [1e-3, 1.0, 1e6] {
                let limit = n * (TAU * kl).sqrt() * EIGHTH_TURN;
                for side in [1e-10, 1e-15, 0.0, -1e-12] {
                    let value = Boundary::new(PI + side, -1.0, n).value(kl);
                    let distance = (value - limit).norm().min((value + limit).norm());
                    assert!(distance < 1e-5 * limit.norm(), "{n} {kl} {side}: {value}");
                }
            }
        }
    }

    #[test]
    fn curvature_is_the_derivative_of_slope() {
        for n in N {
            for kl in [0.5, 7.0, 300.0] {
                for i in -20..=20 {
                    let delta = 0.1 * f64::from(i) + 0.013;
                    let h = 1e-6;
                    for sign in [1.0, -1.0] {
                        let slope = |d: f64| Boundary::new(d, sign, n).slope(kl);
                        let expected = (slope(delta + h) - slope(delta - h)) / (2.0 * h);
                        let found = Boundary::new(delta, sign, n).curvature(kl);
                        let error = (found - expected).norm() / (1.0 + expected.norm());
                        assert!(error < 1e-6, "{n} {kl} {delta}: {found} {expected}");
                    }
                }
            }
        }
    }

    #[test]
    fn far_from_the_boundary_slope_is_the_derivative_of_the_value() {
        // There F = 1, and the cotangent of the geometrical theory has the derivative -cosec^2 / (2n).
        for n in N {
            let (delta, kl, h) = (0.7, 1e7, 1e-5);
            let value = |d: f64| Boundary::new(d, 1.0, n).value(kl);
            let expected = (value(delta + h) - value(delta - h)) / (2.0 * h);
            let found = Boundary::new(delta, 1.0, n).slope(kl);
            assert!((found - expected).norm() < 1e-6, "{found} {expected}");
        }
    }
}
