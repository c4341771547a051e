//! A plane wave at one plane interface.
//!
//! Media are given by their complex relative permittivity `eta`, whose imaginary part is zero or negative. Angles are
//! given by the cosine of incidence in air, which determines the tangential wavenumber in every parallel layer.

use num_complex::Complex64;

use super::TeTm;

/// Reflection of a perfect electric conductor at every angle: the limit of [`half_space`] as `eta` goes to infinity.
pub const PERFECT_CONDUCTOR: TeTm<Complex64> = TeTm {
    te: Complex64::new(-1.0, 0.0),
    tm: Complex64::new(1.0, 0.0),
};

/// Reflection of a half space of relative permittivity `eta` in air; `cos_theta` is the cosine of incidence, in
/// `[0, 1]`.
///
/// ```
/// use keller::{Complex64, em::fresnel};
///
/// let r = fresnel::half_space(1.0, Complex64::new(4.0, 0.0));
/// assert!((r.te.re + 1.0 / 3.0).abs() < 1e-15 && (r.tm.re - 1.0 / 3.0).abs() < 1e-15);
/// ```
///
/// # Source
/// ITU-R P.2040-3, equations (31a), (31b) with air in front. Theory page: `fresnel`.
pub fn half_space(cos_theta: f64, eta: Complex64) -> TeTm<Complex64> {
    let air = Wave::in_air(cos_theta);
    interface(air, Wave::in_medium(cos_theta, eta)).reflection
}

/// A plane wave in one of several parallel layers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wave {
    /// Complex relative permittivity of the layer.
    eta: Complex64,
    /// Wavenumber along the normal of the interfaces in units of the vacuum wavenumber, `sqrt(eta) cos(theta)` inside
    /// the layer. Its imaginary part is zero or negative, so that `e^{-j k0 normal z}` decays.
    pub(super) normal: Complex64,
}

impl Wave {
    /// The wave in air.
    pub(super) fn in_air(cos_theta: f64) -> Self {
        Self {
            eta: Complex64::ONE,
            normal: Complex64::new(cos_theta, 0.0),
        }
    }

    /// The wave after refraction into a layer of `eta`, by Snell's law.
    pub(super) fn in_medium(cos_theta: f64, eta: Complex64) -> Self {
        // eta - sin^2(theta), written so that vacuum gives cos(theta) without cancellation.
        let squared = eta - 1.0 + cos_theta * cos_theta;
        Self {
            eta,
            normal: root(squared),
        }
    }
}

/// The principal square root, without the trigonometric functions of a polar form.
fn root(z: Complex64) -> Complex64 {
    let larger = f64::midpoint(z.norm_sqr().sqrt(), z.re.abs()).sqrt();
    if larger == 0.0 {
        return Complex64::ZERO;
    }
    let smaller = z.im.abs() / (2.0 * larger);
    let (re, im) = if z.re >= 0.0 {
        (larger, smaller)
    } else {
        (smaller, larger)
    };
    Complex64::new(re, im.copysign(z.im))
}

/// Reflection and transmission at one interface. For TM they are ratios of magnetic fields, so that both polarisations
/// obey `transmission = 1 + reflection` and stacks combine by one rule.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interface {
    pub(super) reflection: TeTm<Complex64>,
    pub(super) transmission: TeTm<Complex64>,
}

/// The interface from the layer of `from` to the layer of `to`, with the same plane wave in both.
///
/// # Source
/// ITU-R P.2040-3, equations (31a), (31b). Numerator and denominator of the second are multiplied by the refractive
/// indices.
pub(super) fn interface(from: Wave, to: Wave) -> Interface {
    let te = ratios(from.normal, to.normal);
    let tm = ratios(to.eta * from.normal, from.eta * to.normal);
    Interface {
        reflection: TeTm { te: te.0, tm: tm.0 },
        transmission: TeTm { te: te.1, tm: tm.1 },
    }
}

/// `(a - b) / (a + b)` and `2 a / (a + b)`. Both `a` and `b` vanish only if a grazing wave meets more air, where it is
/// not changed.
fn ratios(a: Complex64, b: Complex64) -> (Complex64, Complex64) {
    let sum = a + b;
    if sum == Complex64::ZERO {
        return (Complex64::ZERO, Complex64::ONE);
    }
    ((a - b) / sum, 2.0 * a / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_the_principal_ones() {
        let parts = [0.0, -0.0, 1e-9, -1e-9, 0.3, -0.3, 7.0, -7.0, 1e6, -1e6];
        for re in parts {
            for im in parts {
                let z = Complex64::new(re, im);
                let error = (root(z) - z.sqrt()).norm();
                assert!(error <= 1e-14 * z.norm().sqrt(), "{z}: {}", root(z));
            }
        }
    }

    /// Permittivities from lossless and thin to metal.
    fn etas() -> impl Iterator<Item = Complex64> {
        [
            (1.0, 0.0),
            (1.5, -0.02),
            (2.0, 0.0),
            (5.24, -0.6),
            (30.0, -80.0),
            (1.0, -1.8e8),
        ]
        .into_iter()
        .map(|(re, im)| Complex64::new(re, im))
    }

    #[test]
    fn normal_incidence_has_the_textbook_value_and_opposite_signs() {
        for eta in etas() {
            let n = eta.sqrt();
            let r = half_space(1.0, eta);
            assert!((r.te - (1.0 - n) / (1.0 + n)).norm() < 1e-14, "{eta}");
            assert!((r.te + r.tm).norm() < 1e-14, "{eta}");
        }
    }

    #[test]
    fn grazing_incidence_reflects_everything_with_sign_minus_one() {
        for eta in etas().filter(|eta| *eta != Complex64::ONE) {
            let r = half_space(0.0, eta);
            assert_eq!((r.te, r.tm), (-Complex64::ONE, -Complex64::ONE), "{eta}");
        }
    }

    #[test]
    fn air_reflects_nothing_at_any_angle() {
        for i in 0..=10 {
            let r = half_space(f64::from(i) / 10.0, Complex64::ONE);
            assert_eq!((r.te, r.tm), (Complex64::ZERO, Complex64::ZERO));
        }
    }

    #[test]
    fn brewster_angle_has_no_tm_reflection() {
        for permittivity in [1.5, 2.0, 5.24, 81.0_f64] {
            let cos_theta = (1.0 / (1.0 + permittivity)).sqrt();
            let r = half_space(cos_theta, Complex64::new(permittivity, 0.0));
            assert!(r.tm.norm() < 1e-14, "eps {permittivity}: {}", r.tm);
            assert!(r.te.norm() > 0.1, "eps {permittivity}: {}", r.te);
        }
    }

    #[test]
    fn nothing_is_reflected_stronger_than_it_came() {
        for eta in etas() {
            for i in 0..=1000 {
                let r = half_space(f64::from(i) / 1000.0, eta);
                assert!(r.te.norm() <= 1.0 + 1e-15, "{eta}");
                assert!(r.tm.norm() <= 1.0 + 1e-15, "{eta}");
            }
        }
    }

    #[test]
    fn growing_conductivity_tends_to_the_perfect_conductor() {
        for cos_theta in [1.0, 0.7, 0.1] {
            let distance = |eta| {
                let r = half_space(cos_theta, Complex64::new(1.0, eta));
                (r.te - PERFECT_CONDUCTOR.te).norm() + (r.tm - PERFECT_CONDUCTOR.tm).norm()
            };
            // The error falls as the square root of the conductivity.
            let (coarse, fine) = (distance(-1e10), distance(-1e12));
            assert!(fine < 1e-4 && (coarse / fine - 10.0).abs() < 0.01);
        }
    }

    #[test]
    fn power_is_conserved_at_a_lossless_interface() {
        let eta = Complex64::new(4.0, 0.0);
        for i in 1..=20 {
            let cos_theta = f64::from(i) / 20.0;
            let (air, glass) = (Wave::in_air(cos_theta), Wave::in_medium(cos_theta, eta));
            let Interface {
                reflection: r,
                transmission: t,
            } = interface(air, glass);
            // Flux along the normal: Re(kz) |E|^2 for TE, Re(kz / eta) |H|^2 for TM.
            let te = r.te.norm_sqr() + glass.normal.re / cos_theta * t.te.norm_sqr();
            let tm = r.tm.norm_sqr() + (glass.normal / eta).re / cos_theta * t.tm.norm_sqr();
            assert!((te - 1.0).abs() < 1e-14 && (tm - 1.0).abs() < 1e-14);
        }
    }
}
