//! Diffuse scattering by effective roughness, and how roughness weakens the specular reflection.
//!
//! A patch of wall scatters a given share of the power that a smooth wall would reflect. A lobe distributes it over
//! directions. The lobe is normalised so that it integrates to that share over the half space in front, for every
//! incidence. Patches are small compared with their distances, and their powers add: a single patch's phase has no
//! meaning.

use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

pub use super::roughness::rayleigh_factor;
use super::{Surface, TeTm};
use crate::geometry::sampling::{around, at_cosine};
use crate::materials::{Lobe, MAX_LOBE_EXPONENT};
use crate::random::Random;

/// The scattered field at 1 m divided by the incident field, for a patch of `area` m². The components are those
/// perpendicular to and in the plane that each ray spans with the normal (rows out, columns in). Zero unless both rays
/// are in front.
///
/// `into` points from the patch to where the wave comes from, `out` to where it goes. Both are unit vectors, as is
/// `normal`, which points to the side of the wave. `from_front` says whether that side is the front of the face.
///
/// # Source
/// Degli-Esposti et al. 2007, equations (5) to (14), with the power that a smooth wall reflects as the total. Theory
/// page: `scattering`.
pub fn scattered(
    surface: &Surface,
    normal: DVec3,
    from_front: bool,
    into: DVec3,
    out: DVec3,
    area: f64,
) -> [[Complex64; 2]; 2] {
    let (cos_in, cos_out) = (into.dot(normal).min(1.0), out.dot(normal).min(1.0));
    let Some(scattering) = surface.texture().scattering else {
        return [[Complex64::ZERO; 2]; 2];
    };
    if cos_in <= 0.0 || cos_out <= 0.0 {
        return [[Complex64::ZERO; 2]; 2];
    }
    let specular = 2.0 * into.dot(normal) * normal - into;
    let density = lobe(
        scattering.lobe,
        cos_in,
        cos_out,
        out.dot(specular),
        out.dot(into),
    );
    let amplitude = scattering.coefficient * (area * density).sqrt();
    let TeTm { te, tm } = surface.smooth_reflection(cos_in, from_front);
    let kept = amplitude * (1.0 - scattering.cross_polarization).sqrt();
    let crossed = amplitude * scattering.cross_polarization.sqrt();
    [[te * kept, tm * crossed], [te * -crossed, tm * kept]]
}

/// The share of the incident power that a wall scatters into all directions together, for the components perpendicular
/// to and in the plane of incidence.
///
/// # Source
/// Degli-Esposti et al. 2007, as for [`scattered`].
pub fn scattered_share(surface: &Surface, cos_theta: f64, from_front: bool) -> TeTm<f64> {
    let scattering = surface.texture().scattering;
    let coefficient = scattering.map_or(0.0, |scattering| scattering.coefficient);
    let smooth = surface.smooth_reflection(cos_theta, from_front);
    smooth.map(|r| coefficient * coefficient * r.norm_sqr())
}

/// Scattered power per steradian, relative to the power that falls on the patch at normal incidence. The integral over
/// the half space in front is the cosine of incidence, `cos_in`.
///
/// `cos_specular` and `cos_back` are the cosines of the angles to the specular direction and to the incoming ray.
///
/// # Source
/// Degli-Esposti et al. 2007, equations (5), (10), (13). Theory page: `scattering`.
pub fn lobe(lobe: Lobe, cos_in: f64, cos_out: f64, cos_specular: f64, cos_back: f64) -> f64 {
    match lobe {
        Lobe::Lambertian => cos_in * cos_out / PI,
        _ => lobe_scale(lobe, cos_in) * lobe_shape(lobe, cos_out, cos_specular, cos_back),
    }
}

/// The factor of [`lobe`] that depends on the incidence alone; the other factor is [`lobe_shape`].
pub(crate) fn lobe_scale(lobe: Lobe, cos_in: f64) -> f64 {
    match lobe {
        Lobe::Lambertian => cos_in / PI,
        Lobe::Directive { forward } => cos_in / lobe_norm(forward, cos_in),
        Lobe::Backscattering {
            forward,
            back,
            forward_share,
        } => {
            let norm = forward_share * lobe_norm(forward, cos_in)
                + (1.0 - forward_share) * lobe_norm(back, cos_in);
            cos_in / norm
        }
    }
}

/// The factor of [`lobe`] that depends on where the wave goes.
pub(crate) fn lobe_shape(lobe: Lobe, cos_out: f64, cos_specular: f64, cos_back: f64) -> f64 {
    let shape = |cosine: f64, exponent: u32| {
        let exponent = exponent.cast_signed();
        (0.5 * (1.0 + cosine.clamp(-1.0, 1.0))).powi(exponent)
    };
    match lobe {
        Lobe::Lambertian => cos_out,
        Lobe::Directive { forward } => shape(cos_specular, forward),
        Lobe::Backscattering {
            forward,
            back,
            forward_share,
        } => {
            let ahead = forward_share * shape(cos_specular, forward);
            let behind = (1.0 - forward_share) * shape(cos_back, back);
            ahead + behind
        }
    }
}

/// A direction in which a wave is scattered that comes along the unit vector `direction`, with the density of the lobe.
/// The unit vector `normal` points to the side where it comes from.
pub(crate) fn sample_lobe(
    lobe: Lobe,
    normal: DVec3,
    direction: DVec3,
    random: &mut Random,
) -> DVec3 {
    let mut next = || random.range(0.0, 1.0);
    let lobes = match lobe {
        Lobe::Lambertian => return around(normal, [next(), next()]),
        Lobe::Directive { forward } => [(forward, 1.0), (1, 0.0)],
        Lobe::Backscattering {
            forward,
            back,
            forward_share,
        } => [(forward, forward_share), (back, 1.0 - forward_share)],
    };
    let specular = direction - 2.0 * direction.dot(normal) * normal;
    // A lobe has the power `4 pi / (alpha + 1)` over the whole sphere, and half of it or more before the wall.
    let [(forward, ahead), (back, behind)] = lobes.map(|(exponent, weight)| {
        (
            f64::from(exponent) + 1.0,
            weight / (f64::from(exponent) + 1.0),
        )
    });
    loop {
        let (axis, power) = if next() * (ahead + behind) < ahead {
            (specular, forward)
        } else {
            (-direction, back)
        };
        let cosine = 2.0 * next().powf(1.0 / power) - 1.0;
        let sampled = at_cosine(axis, cosine, next());
        if sampled.dot(normal) > 0.0 {
            return sampled;
        }
    }
}

/// The integral of `((1 + cos psi) / 2)^alpha` over a half space. `psi` is the angle to an axis whose angle to the
/// normal of the half space has the cosine `cos_axis`.
///
/// # Source
/// Degli-Esposti et al. 2007, equations (11) and (12). Theory page: `scattering`.
fn lobe_norm(alpha: u32, cos_axis: f64) -> f64 {
    let sin_squared = (1.0 - cos_axis * cos_axis).max(0.0);
    // `inner` is the sum over w of C(2w, w) (sin^2 / 4)^w, which grows with j. The binomials of alpha follow from one
    // another.
    let (mut total, mut binomial) = (0.0, 1.0);
    let (mut inner, mut central, mut next_w) = (0.0, 1.0, 0_u32);
    for j in 0..=alpha.min(MAX_LOBE_EXPONENT) {
        let share = if j % 2 == 0 {
            1.0
        } else {
            while next_w <= (j - 1) / 2 {
                inner += central;
                next_w += 1;
                let w = f64::from(next_w);
                central *= 0.25 * sin_squared * 2.0 * (2.0 * w - 1.0) / w;
            }
            cos_axis * inner
        };
        total += binomial * TAU / f64::from(j + 1) * share;
        binomial *= f64::from(alpha - j) / f64::from(j + 1);
    }
    total / 2.0_f64.powi(alpha.cast_signed())
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use glam::DVec4;

    use super::*;
    use crate::Frequency;
    use crate::materials::{Material, Scattering, Texture};

    const LOBES: [Lobe; 6] = [
        Lobe::Lambertian,
        Lobe::Directive { forward: 1 },
        Lobe::Directive { forward: 4 },
        Lobe::Directive { forward: 20 },
        Lobe::Backscattering {
            forward: 7,
            back: 2,
            forward_share: 0.6,
        },
        Lobe::Backscattering {
            forward: 3,
            back: 20,
            forward_share: 0.0,
        },
    ];

    fn direction(theta: f64, phi: f64) -> DVec3 {
        DVec3::new(
            theta.sin() * phi.cos(),
            theta.sin() * phi.sin(),
            theta.cos(),
        )
    }

    /// The integral over the upper half space, by the midpoint rule in cosine and azimuth.
    fn over_half_space(f: impl Fn(DVec3) -> f64) -> f64 {
        let (m, n) = (400, 400);
        let mut total = 0.0;
        for i in 0..m {
            let theta = ((f64::from(i) + 0.5) / f64::from(m)).acos();
            for j in 0..n {
                total += f(direction(theta, TAU * (f64::from(j) + 0.5) / f64::from(n)));
            }
        }
        total * TAU / f64::from(m * n)
    }

    fn rough(coefficient: f64, cross_polarization: f64, lobe: Lobe) -> Surface {
        let wall = Box::new(Material::from_name("concrete").unwrap());
        let texture = Texture {
            scattering: Some(Scattering {
                coefficient,
                cross_polarization,
                lobe,
            }),
            roughness: 0.0,
        };
        let frequency = Frequency::from_hz(3e9).unwrap();
        Surface::new(&Material::Textured { wall, texture }, frequency).unwrap()
    }

    #[test]
    fn each_lobe_holds_the_power_that_falls_on_the_patch() {
        for shape in LOBES {
            for theta in [0.0, 0.5, 1.1, 1.5] {
                let into = direction(theta, 0.3);
                let specular = DVec3::new(-into.x, -into.y, into.z);
                let power = over_half_space(|out| {
                    lobe(shape, into.z, out.z, out.dot(specular), out.dot(into))
                });
                assert!(
                    (power / into.z - 1.0).abs() < 1e-4,
                    "{shape:?} {theta}: {power}"
                );
            }
        }
    }

    /// The test covers every lobe, angle and share of cross-polarisation.
    #[test]
    fn reflected_and_scattered_power_are_what_a_smooth_wall_reflects() {
        let column = |m: [[Complex64; 2]; 2], j: usize| m[0][j].norm_sqr() + m[1][j].norm_sqr();
        for shape in LOBES {
            for (theta, cross_polarization) in [(0.0, 0.2), (0.8, 0.0), (0.8, 1.0), (1.4, 0.2)] {
                let surface = rough(0.6, cross_polarization, shape);
                let into = direction(theta, 0.0);
                let smooth = surface.smooth_reflection(into.z, true);
                let specular = surface.reflection(into.z, true);
                for (j, (whole, left)) in [(smooth.te, specular.te), (smooth.tm, specular.tm)]
                    .into_iter()
                    .enumerate()
                {
                    let power = over_half_space(|out| {
                        column(scattered(&surface, DVec3::Z, true, into, out, 1.0), j)
                    });
                    let total = left.norm_sqr() + power / into.z;
                    assert!(
                        (total / whole.norm_sqr() - 1.0).abs() < 1e-4,
                        "{shape:?} {theta} {cross_polarization} {j}"
                    );
                    let TeTm { te, tm } = scattered_share(&surface, into.z, true);
                    assert!((power / into.z / [te, tm][j] - 1.0).abs() < 1e-4);
                }
            }
        }
    }

    #[test]
    fn sampled_directions_have_the_moments_of_the_lobe() {
        const COUNT: u32 = 20_000;
        for shape in LOBES {
            for theta in [0.0, 0.8, 1.4] {
                let into = direction(theta, 0.3);
                let specular = DVec3::new(-into.x, -into.y, into.z);
                // Heights, angles to both axes, and the component across the plane of incidence.
                let moments = |out: DVec3| {
                    let across = out.dot(direction(FRAC_PI_2, 0.3 + FRAC_PI_2));
                    DVec4::new(out.z, out.dot(specular), out.dot(into), across * across)
                };
                let density = |out: DVec3| {
                    lobe(shape, into.z, out.z, out.dot(specular), out.dot(into)) / into.z
                };
                let wanted =
                    [0, 1, 2, 3].map(|k| over_half_space(|out| density(out) * moments(out)[k]));
                let mut random = Random(3);
                let sampled = (0..COUNT).map(|_| {
                    let out = sample_lobe(shape, DVec3::Z, -into, &mut random);
                    assert!(out.z > 0.0);
                    moments(out)
                });
                let found = sampled.sum::<DVec4>() / f64::from(COUNT);
                let difference = found - DVec4::from_array(wanted);
                assert!(
                    difference.abs().max_element() < 0.02,
                    "{shape:?} {theta}: {difference}"
                );
            }
        }
    }

    #[test]
    fn the_lobe_of_lambert_is_reciprocal() {
        let [a, b] = [direction(0.4, 0.0), direction(1.2, 2.0)];
        let there = lobe(Lobe::Lambertian, a.z, b.z, 0.0, 0.0);
        assert_eq!(there, lobe(Lobe::Lambertian, b.z, a.z, 0.0, 0.0));
    }

    #[test]
    fn lobes_point_where_they_should() {
        let into = direction(0.7, 0.0);
        let specular = DVec3::new(-into.x, -into.y, into.z);
        let at = |shape, out: DVec3| lobe(shape, into.z, out.z, out.dot(specular), out.dot(into));
        let forward = Lobe::Directive { forward: 8 };
        assert!(at(forward, specular) > 10.0 * at(forward, into), "forward");
        let back = Lobe::Backscattering {
            forward: 8,
            back: 8,
            forward_share: 0.2,
        };
        assert!(
            (at(back, into) / at(back, specular) - 4.0).abs() < 0.3,
            "both peaks"
        );
    }

    #[test]
    fn without_scattering_or_behind_the_wall_there_is_nothing() {
        let (up, down) = (direction(0.3, 0.0), -direction(0.5, 1.0));
        let none = [[Complex64::ZERO; 2]; 2];
        let wall = rough(0.5, 0.1, Lobe::Lambertian);
        assert_eq!(scattered(&wall, DVec3::Z, true, up, down, 1.0), none);
        let concrete = Material::from_name("concrete").unwrap();
        let smooth = Surface::new(&concrete, Frequency::from_hz(3e9).unwrap()).unwrap();
        assert_eq!(scattered(&smooth, DVec3::Z, true, up, up, 1.0), none);
    }
}
