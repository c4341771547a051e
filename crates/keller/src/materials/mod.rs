//! The materials of walls: media, layers, and the table of ITU-R P.2040-4.
//!
//! A [`Material`] is a description that holds at every frequency; [`crate::em::Surface`] holds its properties at one.

mod flat_losses;
mod itu;
mod names;
mod resolve;
mod texture;

pub use flat_losses::{FlatLosses, MAX_FLAT_LOSS_DB};
pub use itu::{ItuEdition, ItuMaterial, ItuParameters};
// The functions are public for keller's own crates; they may change at any time.
#[doc(hidden)]
pub use names::{base_name, canonical_name};
pub use resolve::{Materials, known_names};
pub use texture::{Lobe, MAX_LOBE_EXPONENT, Scattering, Texture};

use num_complex::Complex64;
use std::f64::consts::TAU;

use crate::{Error, Frequency, units::VACUUM_PERMITTIVITY};

/// The structure of a wall.
///
/// ```
/// use keller::materials::Material;
///
/// let ground = Material::from_name("itu_concrete").expect("a known name");
/// let wall = Material::slab(ground.media().next().expect("one medium"), 0.2);
/// assert!(ground.is_opaque() && !wall.is_opaque());
/// wall.check("wall")?;
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Material {
    /// A wall so thick that nothing comes back from its far side and nothing passes through.
    HalfSpace(Medium),
    /// Layers in air, from the face's front (where its normal points) to its back.
    Slab(Vec<Layer>),
    /// A material that reflects diffusely.
    Textured {
        /// The wall without its texture.
        wall: Box<Self>,
        /// The roughness and the scattering.
        texture: Texture,
    },
    /// A slab whose transmission keeps the phase of the air that it displaces, as other tools have it.
    DisplacedAirIgnored(Box<Self>),
    /// A material of which some interactions cost a known number of dB.
    Flat {
        /// The wall without its losses.
        wall: Box<Self>,
        /// The losses of its interactions.
        losses: FlatLosses,
    },
}

/// One layer of a slab.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layer {
    /// The medium of the layer.
    pub medium: Medium,
    /// Its thickness, metres.
    pub thickness: f64,
}

/// A homogeneous, non-magnetic medium.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Medium {
    /// A material of ITU-R P.2040-4, Table 3, in its frequency ranges and, extrapolated, below them.
    Itu(ItuMaterial),
    /// Real relative permittivity and conductivity, the same at every frequency.
    Constant {
        /// Real relative permittivity, 1 or more.
        relative_permittivity: f64,
        /// Conductivity, S/m, 0 or more.
        conductivity: f64,
    },
    /// A perfect electric conductor.
    PerfectConductor,
}

// The upper limits lie far beyond any material. They keep every value that follows from them finite.
const MAX_THICKNESS: f64 = 1e6;
const MAX_PERMITTIVITY: f64 = 1e6;
const MAX_CONDUCTIVITY: f64 = 1e12;

impl Material {
    /// A wall of one layer, `thickness` in metres.
    pub fn slab(medium: Medium, thickness: f64) -> Self {
        Self::Slab(vec![Layer { medium, thickness }])
    }

    /// The half space that a well-known name stands for: a row of the ITU table, or `pec`.
    pub fn from_name(name: &str) -> Option<Self> {
        Medium::from_name(name).map(Self::HalfSpace)
    }

    /// The wall itself, as if it were smooth and had no flat losses.
    pub fn wall(&self) -> &Self {
        match self {
            Self::Textured { wall, .. }
            | Self::DisplacedAirIgnored(wall)
            | Self::Flat { wall, .. } => wall.wall(),
            layers => layers,
        }
    }

    /// The texture of the wall; the outermost one counts.
    pub fn texture(&self) -> Texture {
        match self {
            Self::Textured { texture, .. } => *texture,
            Self::DisplacedAirIgnored(wall) | Self::Flat { wall, .. } => wall.texture(),
            Self::HalfSpace(_) | Self::Slab(_) => Texture::default(),
        }
    }

    /// Its flat losses; the outermost ones count.
    pub fn flat_losses(&self) -> FlatLosses {
        match self {
            Self::Flat { losses, .. } => *losses,
            Self::DisplacedAirIgnored(wall) | Self::Textured { wall, .. } => wall.flat_losses(),
            Self::HalfSpace(_) | Self::Slab(_) => FlatLosses::default(),
        }
    }

    /// Whether the phase and the delay of the transmitted wave include the displaced air too.
    pub fn ignores_displaced_air(&self) -> bool {
        match self {
            Self::DisplacedAirIgnored(_) => true,
            Self::Textured { wall, .. } | Self::Flat { wall, .. } => wall.ignores_displaced_air(),
            Self::HalfSpace(_) | Self::Slab(_) => false,
        }
    }

    /// This wall, whose transmission keeps the phase of the air that it displaces, or does not.
    #[must_use]
    pub fn with_displaced_air_ignored(&self, is_air_ignored: bool) -> Self {
        Self::of(
            self.wall().clone(),
            is_air_ignored,
            self.texture(),
            self.flat_losses(),
        )
    }

    /// This wall with another texture.
    #[must_use]
    pub fn with_texture(&self, texture: Texture) -> Self {
        let is_air_ignored = self.ignores_displaced_air();
        Self::of(
            self.wall().clone(),
            is_air_ignored,
            texture,
            self.flat_losses(),
        )
    }

    /// This wall with other flat losses.
    #[must_use]
    pub fn with_flat_losses(&self, losses: FlatLosses) -> Self {
        let is_air_ignored = self.ignores_displaced_air();
        Self::of(self.wall().clone(), is_air_ignored, self.texture(), losses)
    }

    /// Another wall with this texture and these losses.
    #[must_use]
    pub fn with_wall(&self, wall: Self) -> Self {
        Self::of(
            wall,
            self.ignores_displaced_air(),
            self.texture(),
            self.flat_losses(),
        )
    }

    /// A wall with the properties that it has in addition to its layers.
    fn of(wall: Self, is_air_ignored: bool, texture: Texture, losses: FlatLosses) -> Self {
        let wall = if is_air_ignored {
            Self::DisplacedAirIgnored(Box::new(wall))
        } else {
            wall
        };
        let wall = if losses == FlatLosses::default() {
            wall
        } else {
            Self::Flat {
                wall: Box::new(wall),
                losses,
            }
        };
        if texture.is_smooth() {
            return wall;
        }
        Self::Textured {
            wall: Box::new(wall),
            texture,
        }
    }

    /// The media it is made of, front to back.
    pub fn media(&self) -> impl Iterator<Item = Medium> {
        let (half_space, layers) = match self.wall() {
            Self::Textured { .. } | Self::DisplacedAirIgnored(_) | Self::Flat { .. } => {
                (None, &[][..])
            }
            Self::HalfSpace(medium) => (Some(*medium), &[][..]),
            Self::Slab(layers) => (None, &layers[..]),
        };
        half_space
            .into_iter()
            .chain(layers.iter().map(|layer| layer.medium))
    }

    /// Whether nothing passes through it at any frequency: a half space, or a slab with a perfect conductor in it,
    /// unless a flat loss gives the transmitted power.
    pub fn is_opaque(&self) -> bool {
        if self.flat_losses().transmission_db.is_some() {
            return false;
        }
        matches!(self.wall(), Self::HalfSpace(_))
            || self.media().any(|m| m == Medium::PerfectConductor)
    }

    /// Checks every value in it; `name` is what the error calls it.
    ///
    /// # Errors
    /// [`Error::MaterialParameter`] for a relative permittivity outside 1 to 1e6, a conductivity outside 0 to 1e12 S/m, a
    /// thickness that is not positive or beyond 1e6 m, a slab without layers, and the errors of [`Texture::check`] and
    /// [`FlatLosses::check`].
    pub fn check(&self, name: &str) -> Result<(), Error> {
        let fail = |parameter, value, accepted| Error::MaterialParameter {
            material: name.to_owned(),
            parameter,
            value,
            accepted,
        };
        self.texture().check(name)?;
        self.flat_losses().check(name)?;
        if let Self::Slab(layers) = self.wall() {
            if layers.is_empty() {
                return Err(fail("number of layers", 0.0, "a slab has one or more"));
            }
            if let Some(layer) = layers
                .iter()
                .find(|l| !(l.thickness > 0.0 && l.thickness <= MAX_THICKNESS))
            {
                return Err(fail(
                    "thickness",
                    layer.thickness,
                    "it must be positive and at most 1e6, in metres",
                ));
            }
        }
        for medium in self.media() {
            let Medium::Constant {
                relative_permittivity,
                conductivity,
            } = medium
            else {
                continue;
            };
            if !(1.0..=MAX_PERMITTIVITY).contains(&relative_permittivity) {
                return Err(fail(
                    "permittivity",
                    relative_permittivity,
                    "the relative permittivity must be 1 to 1e6",
                ));
            }
            if !(0.0..=MAX_CONDUCTIVITY).contains(&conductivity) {
                return Err(fail(
                    "conductivity",
                    conductivity,
                    "it must be 0 to 1e12, in S/m",
                ));
            }
        }
        Ok(())
    }
}

impl Medium {
    /// The medium that a well-known name stands for: a row of the ITU table, or `pec` (`perfect_conductor`).
    /// Spelling is as free as in [`ItuMaterial::from_name`].
    pub fn from_name(name: &str) -> Option<Self> {
        match base_name(name).as_str() {
            "pec" | "perfect_conductor" | "perfect_electric_conductor" => {
                Some(Self::PerfectConductor)
            }
            _ => ItuMaterial::from_name(name).map(Self::Itu),
        }
    }

    /// Real relative permittivity, and conductivity in S/m; `None` for a perfect conductor.
    ///
    /// # Errors
    /// [`Error::MaterialFrequency`] outside an ITU material's ranges.
    pub fn constants(self, frequency: Frequency) -> Result<Option<[f64; 2]>, Error> {
        if let Self::Constant {
            relative_permittivity,
            conductivity,
        } = self
        {
            return Ok(Some([relative_permittivity, conductivity]));
        }
        let omega = TAU * frequency.hz();
        let eta = self.relative_permittivity(frequency)?;
        Ok(eta.map(|eta| [eta.re, -eta.im * omega * VACUUM_PERMITTIVITY]))
    }

    /// Complex relative permittivity `eps' - j sigma / (omega eps0)`; `None` for a perfect conductor.
    ///
    /// # Errors
    /// [`Error::MaterialFrequency`] outside an ITU material's ranges.
    pub fn relative_permittivity(self, frequency: Frequency) -> Result<Option<Complex64>, Error> {
        match self {
            Self::Itu(material) => material.relative_permittivity(frequency).map(Some),
            Self::Constant {
                relative_permittivity,
                conductivity,
            } => Ok(Some(complex_permittivity(
                relative_permittivity,
                conductivity,
                frequency,
            ))),
            Self::PerfectConductor => Ok(None),
        }
    }
}

/// `eps' - j sigma / (omega eps0)`, for fields that vary as `e^{+j omega t}`.
///
/// # Source
/// ITU-R P.2040-3, equation (9b). Theory page: `materials`.
fn complex_permittivity(permittivity: f64, conductivity: f64, frequency: Frequency) -> Complex64 {
    let omega = TAU * frequency.hz();
    Complex64::new(permittivity, -conductivity / (omega * VACUUM_PERMITTIVITY))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(relative_permittivity: f64, conductivity: f64) -> Medium {
        Medium::Constant {
            relative_permittivity,
            conductivity,
        }
    }

    #[test]
    fn values_that_no_material_has_are_refused_by_name() {
        let good = Layer {
            medium: constant(1.0, 0.0),
            thickness: 0.1,
        };
        assert_eq!(Material::Slab(vec![good]).check("good"), Ok(()));
        assert_eq!(
            Material::HalfSpace(Medium::PerfectConductor).check("good"),
            Ok(())
        );
        let with_thickness = |thickness| Material::Slab(vec![good, Layer { thickness, ..good }]);
        for (bad, key) in [
            (Material::Slab(vec![]), "number of layers = 0"),
            (with_thickness(0.0), "thickness = 0"),
            (with_thickness(-0.1), "thickness = -0.1"),
            (with_thickness(f64::INFINITY), "thickness = inf"),
            (with_thickness(f64::NAN), "thickness = NaN"),
            (
                Material::HalfSpace(constant(0.9, 0.0)),
                "permittivity = 0.9",
            ),
            (
                Material::HalfSpace(constant(f64::NAN, 0.0)),
                "permittivity = NaN",
            ),
            (
                Material::slab(constant(2.0, -1e-9), 0.1),
                "conductivity = -0.000000001",
            ),
            (
                Material::slab(constant(2.0, f64::INFINITY), 0.1),
                "conductivity = inf",
            ),
        ] {
            let message = bad.check("north wall").unwrap_err().to_string();
            assert!(
                message.contains("`north wall`") && message.contains(key),
                "{message}"
            );
        }
    }

    #[test]
    fn only_half_spaces_and_perfect_conductors_are_opaque() {
        let glass = Medium::Itu(ItuMaterial::Glass);
        let layer = |medium| Layer {
            medium,
            thickness: 0.01,
        };
        assert!(Material::HalfSpace(glass).is_opaque());
        assert!(Material::slab(Medium::PerfectConductor, 1e-5).is_opaque());
        assert!(Material::Slab(vec![layer(glass), layer(Medium::PerfectConductor)]).is_opaque());
        assert!(!Material::Slab(vec![layer(glass), layer(glass)]).is_opaque());
    }

    #[test]
    fn a_rough_wall_is_the_same_wall_and_its_texture_is_checked() {
        let glass = Material::slab(Medium::Itu(ItuMaterial::Glass), 0.01);
        let texture = Texture {
            scattering: Some(Scattering {
                coefficient: 0.3,
                cross_polarization: 0.1,
                lobe: Lobe::Directive { forward: 4 },
            }),
            roughness: 0.001,
        };
        let rough = glass.with_texture(texture);
        assert_eq!((rough.wall(), rough.texture()), (&glass, texture));
        assert_eq!(rough.check("wall"), Ok(()));
        assert!(!rough.is_opaque() && rough.media().eq(glass.media()));
        assert_eq!(rough.with_texture(Texture::default()), glass);
        let bad = Texture {
            roughness: f64::NAN,
            ..texture
        };
        let message = glass
            .with_texture(bad)
            .check("wall")
            .unwrap_err()
            .to_string();
        assert!(message.contains("roughness"), "{message}");
    }

    #[test]
    fn losses_have_a_negative_imaginary_part() {
        // 1 S/m at 18 GHz is about 1 in units of omega eps0.
        let f = Frequency::from_hz(17.975_103_6e9).unwrap();
        let eta = constant(4.0, 1.0)
            .relative_permittivity(f)
            .unwrap()
            .unwrap();
        assert!((eta - Complex64::new(4.0, -1.0)).norm() < 1e-8, "{eta}");
    }
}
