//! Reflection and transmission of a plane wave at a stack of parallel layers.
//!
//! The stack is evaluated from its back to its front. Each layer adds the Airy sum of all its internal echoes to the
//! response of the layers behind. The phase factors only decay, so thick and lossy layers neither overflow nor lose
//! accuracy, unlike in products of transfer matrices. **Cost:** one complex square root and one complex exponential a
//! layer, for both polarisations together.

use num_complex::Complex64;
use std::f64::consts::PI;

use super::TeTm;
use super::fresnel::{PERFECT_CONDUCTOR, Wave, interface};

/// A layer at one frequency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Film {
    /// Complex relative permittivity.
    pub eta: Complex64,
    /// Thickness times the vacuum wavenumber, rad.
    pub phase_thickness: f64,
}

impl Film {
    /// The number of turns of the phase through it between grazing and normal incidence.
    pub(super) fn turns_by_angle(&self) -> f64 {
        let size = self.eta.norm();
        self.phase_thickness * (size.sqrt() - (size - 1.0).max(0.0).sqrt()) / PI
    }
}

/// The medium behind the last layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Backing {
    /// A half space of this relative permittivity; 1 is air.
    Medium(Complex64),
    /// A perfect electric conductor.
    PerfectConductor,
}

/// The response of a stack to a wave that comes from air.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Response {
    /// Reflected field over incident field, both at the front of the stack.
    pub reflection: TeTm<Complex64>,
    /// Field that enters the backing, at the back of the stack, divided by the incident field at its front. For TM a
    /// ratio of magnetic fields, which between air and air is equal to that of the electric fields.
    pub transmission: TeTm<Complex64>,
}

/// Reflection and transmission of `films`, listed from the front, on `backing`. `cos_theta` is the cosine of incidence
/// in the air in front, in `[0, 1]`.
///
/// For a single film in air this is ITU-R P.2040-3, equations (43a), (43b) and (44).
///
/// ```
/// use keller::{Complex64, em::slab::{Backing, Film, stack}};
///
/// // A lossless layer of half a wavelength is a window.
/// let film = Film { eta: Complex64::new(4.0, 0.0), phase_thickness: std::f64::consts::FRAC_PI_2 };
/// let window = stack(&[film], Backing::Medium(Complex64::ONE), 1.0);
/// assert!(window.reflection.te.norm() < 1e-15);
/// ```
///
/// # Source
/// ITU-R P.2040-3, section 2.2.2.1, in the recursive form of L. G. Parratt, Phys. Rev. 95, 359 (1954),
/// doi:10.1103/PhysRev.95.359. Theory page: `slab`.
pub fn stack(films: &[Film], backing: Backing, cos_theta: f64) -> Response {
    let air = Wave::in_air(cos_theta);
    let wave_in = |film: &Film| Wave::in_medium(cos_theta, film.eta);

    let mut wave = films.last().map_or(air, wave_in);
    let mut behind = match backing {
        Backing::PerfectConductor => PERFECT_CONDUCTOR.map(|r| (r, Complex64::ZERO)),
        Backing::Medium(eta) => {
            let last = interface(wave, Wave::in_medium(cos_theta, eta));
            last.reflection.zip(last.transmission)
        }
    };
    for (i, film) in films.iter().enumerate().rev() {
        let front_wave = i.checked_sub(1).map_or(air, |front| wave_in(&films[front]));
        let face = interface(front_wave, wave);
        let once = (-Complex64::I * film.phase_thickness * wave.normal).exp();
        behind = face
            .reflection
            .zip(face.transmission)
            .zip(behind)
            .map(|(face, behind)| airy(face, behind, once));
        wave = front_wave;
    }
    Response {
        reflection: behind.map(|(reflection, _)| reflection),
        transmission: behind.map(|(_, transmission)| transmission),
    }
}

/// Reflection and transmission of a layer with the front interface `face`, in front of `behind` (each a pair of
/// reflection and transmission). `once` is the phase and loss of one passage through the layer.
fn airy(
    face: (Complex64, Complex64),
    behind: (Complex64, Complex64),
    once: Complex64,
) -> (Complex64, Complex64) {
    let (r, t) = face;
    let echo = behind.0 * once * once;
    let echoes = 1.0 + r * echo;
    if echoes == Complex64::ZERO {
        // A grazing wave passes a layer that has no thickness or is exactly in resonance.
        return (Complex64::ZERO, once);
    }
    ((r + echo) / echoes, t * behind.1 * once / echoes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::em::fresnel;

    const AIR: Backing = Backing::Medium(Complex64::ONE);

    fn film(re: f64, im: f64, phase_thickness: f64) -> Film {
        Film {
            eta: Complex64::new(re, im),
            phase_thickness,
        }
    }

    fn cosines() -> impl Iterator<Item = f64> {
        (1..=50).map(|i| f64::from(i) / 50.0)
    }

    fn max_difference(a: Response, b: Response) -> f64 {
        [
            a.reflection.te - b.reflection.te,
            a.reflection.tm - b.reflection.tm,
            a.transmission.te - b.transmission.te,
            a.transmission.tm - b.transmission.tm,
        ]
        .into_iter()
        .map(Complex64::norm)
        .fold(0.0, f64::max)
    }

    /// ITU-R P.2040-3, equations (43a), (43b), (44), as printed.
    fn p2040_single_layer(film: Film, cos_theta: f64) -> Response {
        let j = Complex64::I;
        let q = film.phase_thickness * (film.eta - (1.0 - cos_theta * cos_theta)).sqrt();
        let first = fresnel::half_space(cos_theta, film.eta);
        let loops = |r: Complex64| 1.0 - r * r * (-j * 2.0 * q).exp();
        Response {
            reflection: first.map(|r| r * (1.0 - (-j * 2.0 * q).exp()) / loops(r)),
            transmission: first.map(|r| (1.0 - r * r) * (-j * q).exp() / loops(r)),
        }
    }

    /// The response of the stack by products of transfer matrices of the tangential fields: an independent method that
    /// is accurate for thin layers.
    fn transfer_matrices(films: &[Film], cos_theta: f64) -> Response {
        let solve = |admittance: &dyn Fn(Complex64, Complex64) -> Complex64| {
            let normal = |eta: Complex64| (eta - 1.0 + cos_theta * cos_theta).sqrt();
            let outside = admittance(Complex64::ONE, normal(Complex64::ONE));
            // E and H at the back for a transmitted wave of unit E, carried forward layer by layer.
            let (mut e, mut h) = (Complex64::ONE, outside);
            for film in films.iter().rev() {
                let kz = normal(film.eta);
                let (y, delta) = (admittance(film.eta, kz), film.phase_thickness * kz);
                (e, h) = (
                    e * delta.cos() + Complex64::I / y * delta.sin() * h,
                    Complex64::I * y * delta.sin() * e + delta.cos() * h,
                );
            }
            let incident = (e + h / outside) / 2.0;
            let reflected = (e - h / outside) / 2.0;
            (reflected / incident, 1.0 / incident)
        };
        let te = solve(&|_, kz| kz);
        let tm = solve(&|eta, kz| eta / kz);
        Response {
            // The sign of tangential E is opposite to P.2040's reference for TM.
            reflection: TeTm {
                te: te.0,
                tm: -tm.0,
            },
            transmission: TeTm { te: te.1, tm: tm.1 },
        }
    }

    #[test]
    fn one_layer_is_the_single_layer_slab_of_p2040() {
        for film in [
            film(2.0, 0.0, 1.0),
            film(5.24, -0.6, 14.0),
            film(1.5, -0.02, 0.01),
        ] {
            for cos_theta in cosines() {
                let (ours, theirs) = (
                    stack(&[film], AIR, cos_theta),
                    p2040_single_layer(film, cos_theta),
                );
                assert!(max_difference(ours, theirs) < 1e-13, "{film:?} {cos_theta}");
            }
        }
    }

    #[test]
    fn many_layers_agree_with_transfer_matrices() {
        let films = [
            film(6.31, -0.1, 0.4),
            film(1.0, 0.0, 1.2),
            film(6.31, -0.1, 0.3),
            film(2.73, -0.14, 0.9),
        ];
        for cos_theta in cosines() {
            let difference = max_difference(
                stack(&films, AIR, cos_theta),
                transfer_matrices(&films, cos_theta),
            );
            assert!(difference < 1e-13, "{cos_theta}: {difference}");
        }
    }

    #[test]
    fn cutting_a_layer_in_two_changes_nothing() {
        for whole in [film(5.24, -0.6, 14.0), film(2.0, 0.0, 3.0)] {
            let part = |share: f64| Film {
                phase_thickness: share * whole.phase_thickness,
                ..whole
            };
            for cos_theta in cosines() {
                let cut = stack(&[part(0.3), part(0.7)], AIR, cos_theta);
                assert!(max_difference(cut, stack(&[whole], AIR, cos_theta)) < 1e-13);
            }
        }
    }

    #[test]
    fn a_thick_lossy_slab_is_a_half_space_and_never_overflows() {
        for thickness in [1e3, 1e6, 1e300] {
            for cos_theta in cosines() {
                let thick = film(5.24, -0.6, thickness);
                let response = stack(&[thick, film(1.0, -1.8e8, thickness)], AIR, cos_theta);
                let half_space = fresnel::half_space(cos_theta, thick.eta);
                assert!((response.reflection.te - half_space.te).norm() < 1e-15);
                assert!((response.reflection.tm - half_space.tm).norm() < 1e-15);
                assert!(response.transmission.te.norm() < 1e-50);
            }
        }
    }

    #[test]
    fn no_thickness_transmits_everything() {
        for cos_theta in cosines().chain([0.0]) {
            for films in [
                &[][..],
                &[film(5.24, -0.6, 0.0)],
                &[film(9.0, 0.0, 0.0), film(1.0, 0.0, 0.0)],
            ] {
                let response = stack(films, AIR, cos_theta);
                assert!((response.transmission.te - 1.0).norm() < 1e-14);
                assert!((response.transmission.tm - 1.0).norm() < 1e-14);
                assert!(response.reflection.te.norm() < 1e-14);
            }
        }
    }

    #[test]
    fn power_is_kept_without_losses_and_never_gained() {
        let lossless = [
            film(2.0, 0.0, 1.3),
            film(9.0, 0.0, 0.2),
            film(1.0, 0.0, 2.0),
        ];
        let lossy = [film(5.24, -0.6, 3.0), film(2.0, 0.0, 1.0)];
        for cos_theta in cosines() {
            let power = |films: &[Film]| {
                let response = stack(films, AIR, cos_theta);
                response
                    .reflection
                    .zip(response.transmission)
                    .map(|(r, t)| r.norm_sqr() + t.norm_sqr())
            };
            let kept = power(&lossless);
            assert!((kept.te - 1.0).abs() < 1e-13 && (kept.tm - 1.0).abs() < 1e-13);
            let lost = power(&lossy);
            assert!(lost.te < 1.0 && lost.tm < 1.0);
        }
    }

    #[test]
    fn transmission_is_the_same_from_both_sides_and_reflection_is_not() {
        let mut films = [
            film(6.31, -0.1, 0.4),
            film(2.73, -0.5, 1.9),
            film(1.5, 0.0, 0.2),
        ];
        for cos_theta in cosines() {
            films.reverse();
            let there = stack(&films, AIR, cos_theta);
            films.reverse();
            let back = stack(&films, AIR, cos_theta);
            assert!((there.transmission.te - back.transmission.te).norm() < 1e-14);
            assert!((there.transmission.tm - back.transmission.tm).norm() < 1e-14);
            assert!((there.reflection.te - back.reflection.te).norm() > 1e-3);
        }
    }

    #[test]
    fn nothing_passes_a_grazing_slab_and_no_value_is_undefined() {
        for eta in [
            Complex64::new(2.0, 0.0),
            Complex64::new(5.24, -0.6),
            Complex64::new(1.0, -1.8e8),
        ] {
            let slab = Film {
                eta,
                phase_thickness: 1.0,
            };
            let grazing = stack(&[slab], AIR, 0.0);
            assert!((grazing.reflection.te + 1.0).norm() < 1e-15);
            assert!((grazing.reflection.tm + 1.0).norm() < 1e-15);
            assert_eq!(grazing.transmission.te, Complex64::ZERO);
            // The TM reflection of metal changes within 1e-4 of grazing, that of the others within 1.
            let nearly = stack(&[slab], AIR, 1e-12);
            assert!(max_difference(grazing, nearly) < 1e-7);
        }
        let air = stack(&[film(1.0, 0.0, 1.0)], AIR, 0.0);
        assert!((air.transmission.te - 1.0).norm() < 1e-15);
    }

    #[test]
    fn a_conductor_behind_a_lossless_layer_reflects_everything() {
        for cos_theta in cosines() {
            let response = stack(&[film(3.0, 0.0, 0.7)], Backing::PerfectConductor, cos_theta);
            assert!((response.reflection.te.norm() - 1.0).abs() < 1e-14);
            assert!((response.reflection.tm.norm() - 1.0).abs() < 1e-14);
            assert_eq!(response.transmission.tm, Complex64::ZERO);
        }
    }

    #[test]
    fn a_quarter_wave_layer_matches_two_media() {
        // eta_layer = sqrt(eta_backing), a quarter wavelength thick: no reflection at normal incidence.
        let quarter = film(2.0, 0.0, std::f64::consts::FRAC_PI_2 / 2.0_f64.sqrt());
        let glass = Backing::Medium(Complex64::new(4.0, 0.0));
        let response = stack(&[quarter], glass, 1.0);
        assert!(response.reflection.te.norm() < 1e-15);
    }
}
