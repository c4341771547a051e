//! The roughness of a wall: its diffuse scattering, and the reduction of its specular reflection.

use crate::Error;

/// The differences of a surface from a smooth one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Texture {
    /// Diffuse scattering; none if absent.
    pub scattering: Option<Scattering>,
    /// Standard deviation of the surface's height, metres.
    pub roughness: f64,
}

/// Diffuse scattering by the effective roughness of a wall: bricks, windows, pipes.
///
/// # Source
/// V. Degli-Esposti, F. Fuschini, E. M. Vitucci, G. Falciasecca, "Measurement and modelling of scattering from buildings",
/// IEEE Trans. Antennas Propag. 55(1), 2007, doi:10.1109/TAP.2006.888422. Theory page: `scattering`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scattering {
    /// Scattered over reflected amplitude of a smooth wall, 0 to 1: its square is the share of the reflected power that is scattered.
    pub coefficient: f64,
    /// Share of the scattered power in the other polarisation, 0 to 1.
    pub cross_polarization: f64,
    /// The directions into which it scatters.
    pub lobe: Lobe,
}

/// The shape of scattering.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Lobe {
    /// A lobe with the cosine of the angle from the normal, whatever the incidence.
    Lambertian,
    /// A lobe around the specular direction.
    Directive {
        /// Narrower the larger, 1 to [`MAX_LOBE_EXPONENT`].
        forward: u32,
    },
    /// Two lobes, around the specular direction and back towards the source of the wave.
    Backscattering {
        /// The exponent of the forward lobe, 1 to [`MAX_LOBE_EXPONENT`].
        forward: u32,
        /// The exponent of the backward lobe, 1 to [`MAX_LOBE_EXPONENT`].
        back: u32,
        /// Weight of the forward lobe at its peak, 0 to 1.
        forward_share: f64,
    },
}

/// The largest exponent: above it the sums of a lobe's norm lose digits.
pub const MAX_LOBE_EXPONENT: u32 = 20;

impl Texture {
    /// A polished wall.
    pub fn is_smooth(&self) -> bool {
        *self == Self::default()
    }

    /// Checks every value; `name` is what the error calls the material.
    ///
    /// # Errors
    /// [`Error::MaterialParameter`].
    pub fn check(&self, name: &str) -> Result<(), Error> {
        let check = |is_good: bool, parameter, value, accepted| {
            if is_good {
                return Ok(());
            }
            Err(Error::MaterialParameter {
                material: name.to_owned(),
                parameter,
                value,
                accepted,
            })
        };
        let share = |parameter, value: f64| {
            check(
                (0.0..=1.0).contains(&value),
                parameter,
                value,
                "it must be 0 to 1",
            )
        };
        let exponent = |parameter, value: u32| {
            check(
                (1..=MAX_LOBE_EXPONENT).contains(&value),
                parameter,
                value.into(),
                "it must be a whole number from 1 to 20",
            )
        };
        check(
            (0.0..=MAX_ROUGHNESS).contains(&self.roughness),
            "roughness",
            self.roughness,
            "it must be 0 to 1000, in metres",
        )?;
        let Some(scattering) = self.scattering else {
            return Ok(());
        };
        share("scattering", scattering.coefficient)?;
        share("cross_polarization", scattering.cross_polarization)?;
        match scattering.lobe {
            Lobe::Lambertian => Ok(()),
            Lobe::Directive { forward } => exponent("scattering_alpha", forward),
            Lobe::Backscattering {
                forward,
                back,
                forward_share,
            } => {
                exponent("scattering_alpha", forward)?;
                exponent("scattering_alpha_back", back)?;
                share("scattering_forward_share", forward_share)
            }
        }
    }
}

/// The largest roughness, far beyond any wall, metres.
const MAX_ROUGHNESS: f64 = 1e3;
