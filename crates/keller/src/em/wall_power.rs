//! The shares of power of an unpolarised wave that a wall reflects, scatters and lets through.

use super::Surface;
use super::scattering::scattered_share;

/// Shares of the incident power at one angle. The rest to 1 is lost in the wall.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Split {
    /// Reflected in the specular direction.
    pub(crate) reflected: f64,
    /// Scattered back to the side where it came from.
    pub(crate) scattered: f64,
    /// Passed straight on.
    pub(crate) transmitted: f64,
}

/// The shares of one side of a wall, by the cosine of incidence.
#[derive(Debug, Clone)]
pub(crate) struct WallPower {
    /// The shares at evenly spaced cosines from 0 to 1.
    at: Vec<Split>,
    /// Share of diffuse power that comes back: the mean over the hemisphere, weighted by the cosine.
    pub(crate) reflectance: f64,
    /// Share of diffuse power that goes through.
    pub(crate) transmittance: f64,
}

/// Steps of the cosine, an even number.
const STEPS: u32 = 512;

impl WallPower {
    /// The shares of a surface for waves from its front, or from its back.
    pub(crate) fn of(surface: &Surface, from_front: bool) -> Self {
        let cosine = |k: u32| f64::from(k) / f64::from(STEPS);
        let at: Vec<Split> = (0..=STEPS)
            .map(|k| split(surface, cosine(k), from_front))
            .collect();
        // The integral of 2 cos x share over the cosine, by Simpson's rule.
        let mean = |share: fn(&Split) -> f64| {
            let terms = (0..=STEPS).map(|k| {
                let weight = match k {
                    0 | STEPS => 1.0,
                    k if k % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                weight * 2.0 * cosine(k) * share(&at[k as usize])
            });
            terms.sum::<f64>() / (3.0 * f64::from(STEPS))
        };
        let reflectance = mean(|s| s.reflected + s.scattered);
        let transmittance = mean(|s| s.transmitted);
        // A lossless wall may exceed 1 by rounding.
        let excess = (reflectance + transmittance).max(1.0);
        Self {
            at,
            reflectance: reflectance / excess,
            transmittance: transmittance / excess,
        }
    }

    /// The shares at a cosine of incidence, interpolated linearly.
    pub(crate) fn split(&self, cosine: f64) -> Split {
        let place = f64::from(STEPS) * cosine.clamp(0.0, 1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the number of steps"
        )]
        let k = (place as usize).min(self.at.len() - 2);
        let t = place - k as f64;
        let (a, b) = (self.at[k], self.at[k + 1]);
        let between = |a: f64, b: f64| a + t * (b - a);
        Split {
            reflected: between(a.reflected, b.reflected),
            scattered: between(a.scattered, b.scattered),
            transmitted: between(a.transmitted, b.transmitted),
        }
    }
}

/// The shares at one angle, the mean of both polarisations.
fn split(surface: &Surface, cosine: f64, from_front: bool) -> Split {
    let [reflection, transmission] = surface.reflection_and_transmission(cosine, from_front);
    let mean = |te: f64, tm: f64| 0.5 * (te + tm);
    let scattered = scattered_share(surface, cosine, from_front);
    let split = Split {
        reflected: mean(reflection.te.norm_sqr(), reflection.tm.norm_sqr()),
        scattered: mean(scattered.te, scattered.tm),
        transmitted: mean(transmission.te.norm_sqr(), transmission.tm.norm_sqr()),
    };
    let excess = (split.reflected + split.scattered + split.transmitted).max(1.0);
    Split {
        reflected: split.reflected / excess,
        scattered: split.scattered / excess,
        transmitted: split.transmitted / excess,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frequency;
    use crate::materials::{ItuMaterial, Lobe, Material, Medium, Scattering, Texture};

    fn surface(material: &Material) -> Surface {
        Surface::new(material, Frequency::from_hz(2e9).unwrap()).unwrap()
    }

    #[test]
    fn a_lossless_slab_keeps_all_power_and_scattering_keeps_it_too() {
        let clear = Medium::Constant {
            relative_permittivity: 4.0,
            conductivity: 0.0,
        };
        let rough = Texture {
            scattering: Some(Scattering {
                coefficient: 0.6,
                cross_polarization: 0.0,
                lobe: Lobe::Lambertian,
            }),
            roughness: 0.0,
        };
        for material in [
            Material::slab(clear, 0.05),
            Material::slab(clear, 0.05).with_texture(rough),
        ] {
            let power = WallPower::of(&surface(&material), true);
            let kept = power.reflectance + power.transmittance;
            assert!((kept - 1.0).abs() < 1e-12, "{kept}");
        }
    }

    #[test]
    fn both_sides_of_a_layered_wall_let_the_same_share_through() {
        let layer = |medium, thickness| crate::materials::Layer {
            medium: Medium::Itu(medium),
            thickness,
        };
        let wall = Material::Slab(vec![
            layer(ItuMaterial::Concrete, 0.1),
            layer(ItuMaterial::Wood, 0.02),
        ]);
        let [front, back] = [true, false].map(|side| WallPower::of(&surface(&wall), side));
        assert!((front.transmittance - back.transmittance).abs() < 1e-12);
        assert!((front.reflectance - back.reflectance).abs() > 1e-3);
    }
}
