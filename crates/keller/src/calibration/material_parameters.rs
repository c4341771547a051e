//! Parameters of materials, and the materials of a scene with a choice of them.

use super::background::Background;
use super::domain::{EnergyTie, Loss};
use super::parameters::Parameter;
use crate::materials::{FlatLosses, Layer, Lobe, Material, Medium, Scattering, Texture};
use crate::scene::MaterialId;
use crate::{Error, Frequency, World};

/// The quantity that a parameter is.
#[derive(Debug, Clone, PartialEq)]
pub enum Quantity {
    /// A property that some materials of the scene share.
    Material(Vec<MaterialId>, MaterialProperty),
    /// [`Background::level_db`]
    BackgroundLevel,
    /// [`Background::exponent`]
    BackgroundExponent,
}

/// A number that a material has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MaterialProperty {
    /// Real relative permittivity of its one layer.
    Permittivity,
    /// Conductivity of its one layer, S/m.
    Conductivity,
    /// Thickness of its one layer, metres.
    Thickness,
    /// Standard deviation of its surface's height, metres.
    Roughness,
    /// Amplitude that it scatters over that which a smooth wall reflects.
    Scattering,
    /// Flat loss of a passage, dB.
    TransmissionLoss,
    /// Flat loss of a reflection, dB.
    ReflectionLoss,
    /// Flat loss of a diffraction, dB.
    DiffractionLoss,
}

impl MaterialProperty {
    /// All of them, by the names of the keys of a scenario.
    pub const NAMES: [(&'static str, Self); 8] = [
        ("permittivity", Self::Permittivity),
        ("conductivity", Self::Conductivity),
        ("thickness", Self::Thickness),
        ("roughness", Self::Roughness),
        ("scattering", Self::Scattering),
        ("transmission_loss_db", Self::TransmissionLoss),
        ("reflection_loss_db", Self::ReflectionLoss),
        ("diffraction_loss_db", Self::DiffractionLoss),
    ];

    /// Its name.
    ///
    /// # Panics
    /// Never: all properties have one.
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter();
        names
            .find(|(_, property)| *property == self)
            .expect("all have a name")
            .0
    }

    /// Its value in a material at a frequency; `None` where the material does not say it: no flat loss, no thickness of a
    /// half space, no permittivity of several layers or of a perfect conductor.
    ///
    /// # Errors
    /// [`Error::MaterialFrequency`]
    pub fn of(self, material: &Material, frequency: Frequency) -> Result<Option<f64>, Error> {
        let losses = material.flat_losses();
        Ok(match self {
            Self::Permittivity | Self::Conductivity => {
                constants(material, frequency)?.map(|[permittivity, conductivity]| match self {
                    Self::Permittivity => permittivity,
                    _ => conductivity,
                })
            }
            Self::Thickness => match material.wall() {
                Material::Slab(layers) if layers.len() == 1 => Some(layers[0].thickness),
                _ => None,
            },
            Self::Roughness => Some(material.texture().roughness),
            Self::Scattering => Some(
                material
                    .texture()
                    .scattering
                    .map_or(0.0, |scattering| scattering.coefficient),
            ),
            Self::TransmissionLoss => losses.transmission_db,
            Self::ReflectionLoss => losses.reflection_db,
            Self::DiffractionLoss => Some(losses.diffraction_db),
        })
    }

    /// The material with this value.
    ///
    /// # Errors
    /// [`Error::Calibration`] for permittivity, conductivity and thickness of a wall that is not one layer;
    /// [`Error::MaterialFrequency`].
    pub fn put(
        self,
        material: &Material,
        value: f64,
        frequency: Frequency,
    ) -> Result<Material, Error> {
        let texture = material.texture();
        let losses = material.flat_losses();
        let not_one_layer = || {
            Error::Calibration(format!(
                "{}: the material is not one layer of a medium that lets waves in; accepted: roughness, scattering and losses",
                self.name()
            ))
        };
        Ok(match self {
            Self::Permittivity | Self::Conductivity => {
                let mut of_medium = constants(material, frequency)?.ok_or_else(not_one_layer)?;
                of_medium[usize::from(self == Self::Conductivity)] = value;
                let [relative_permittivity, conductivity] = of_medium;
                let medium = Medium::Constant {
                    relative_permittivity,
                    conductivity,
                };
                material.with_wall(match material.wall() {
                    Material::Slab(layers) => Material::slab(medium, layers[0].thickness),
                    _ => Material::HalfSpace(medium),
                })
            }
            Self::Thickness => {
                let medium = one_medium(material).ok_or_else(not_one_layer)?;
                material.with_wall(Material::slab(medium, value))
            }
            Self::Roughness => material.with_texture(Texture {
                roughness: value,
                ..texture
            }),
            Self::Scattering => {
                let scattering = texture.scattering.unwrap_or(Scattering {
                    coefficient: 0.0,
                    cross_polarization: 0.0,
                    lobe: Lobe::Lambertian,
                });
                material.with_texture(Texture {
                    scattering: Some(Scattering {
                        coefficient: value,
                        ..scattering
                    }),
                    ..texture
                })
            }
            Self::TransmissionLoss => material.with_flat_losses(FlatLosses {
                transmission_db: Some(value),
                ..losses
            }),
            Self::ReflectionLoss => material.with_flat_losses(FlatLosses {
                reflection_db: Some(value),
                ..losses
            }),
            Self::DiffractionLoss => material.with_flat_losses(FlatLosses {
                diffraction_db: value,
                ..losses
            }),
        })
    }
}

/// The materials of a scene with values of parameters, and the background.
///
/// # Errors
/// The errors of [`MaterialProperty::put`].
pub(super) fn apply(
    quantities: &[Quantity],
    values: &[f64],
    materials: &[Material],
    background: Option<Background>,
    frequency: Frequency,
) -> Result<(Vec<Material>, Option<Background>), Error> {
    let mut materials = materials.to_vec();
    let mut background = background;
    let none = Background {
        level_db: f64::NEG_INFINITY,
        exponent: 0.0,
    };
    for (quantity, value) in quantities.iter().zip(values) {
        match quantity {
            Quantity::Material(ids, property) => {
                for id in ids {
                    let material = &mut materials[id.index()];
                    *material = property.put(material, *value, frequency)?;
                }
            }
            Quantity::BackgroundLevel => background.get_or_insert(none).level_db = *value,
            Quantity::BackgroundExponent => background.get_or_insert(none).exponent = *value,
        }
    }
    for material in &mut materials {
        let losses = material.flat_losses();
        if losses.passive() != losses {
            *material = material.with_flat_losses(losses.passive());
        }
    }
    Ok((materials, background))
}

/// The losses that energy ties, of materials that have both and of which one may change at least.
pub(super) fn energy_ties(quantities: &[Quantity], materials: &[Material]) -> Vec<EnergyTie> {
    let mut ties = Vec::new();
    for (index, material) in materials.iter().enumerate() {
        let id = MaterialId::from_index(index);
        let loss = |wanted: MaterialProperty, own: Option<f64>| {
            // The last one counts, as in `apply`.
            let changing = quantities.iter().rposition(|quantity| {
                matches!(quantity, Quantity::Material(ids, of) if *of == wanted && ids.contains(&id))
            });
            changing.map(Loss::Parameter).or(own.map(Loss::Fixed))
        };
        let own = material.flat_losses();
        let both = (
            loss(MaterialProperty::TransmissionLoss, own.transmission_db),
            loss(MaterialProperty::ReflectionLoss, own.reflection_db),
        );
        let (Some(transmission), Some(reflection)) = both else {
            continue;
        };
        let tie = EnergyTie {
            transmission,
            reflection,
        };
        let is_fixed = |loss| matches!(loss, Loss::Fixed(_));
        if !(is_fixed(transmission) && is_fixed(reflection) || ties.contains(&tie)) {
            ties.push(tie);
        }
    }
    ties
}

/// The number of wavelengths by which the way through its wall and back changes between the bounds of each parameter:
/// echoes in the wall swing as often.
pub(super) fn swings(quantities: &[Quantity], parameters: &[Parameter], world: &World) -> Vec<f64> {
    let (materials, frequency) = (world.materials(), world.frequency());
    let own = |material: &Material, property: MaterialProperty| {
        property.of(material, frequency).ok().flatten()
    };
    // The largest value of a property of a material.
    let max = |id: MaterialId, property: MaterialProperty| {
        let mut both = quantities.iter().zip(parameters);
        let changing = both.find_map(|(quantity, parameter)| match quantity {
            Quantity::Material(ids, of) if *of == property && ids.contains(&id) => {
                Some(parameter.max)
            }
            _ => None,
        });
        changing.or_else(|| own(&materials[id.index()], property))
    };
    let both = quantities.iter().zip(parameters);
    both.map(|(quantity, parameter)| {
        let Quantity::Material(ids, property) = quantity else {
            return 0.0;
        };
        let range = match property {
            MaterialProperty::Permittivity => {
                parameter.max.max(0.0).sqrt() - parameter.min.max(0.0).sqrt()
            }
            MaterialProperty::Thickness => parameter.max - parameter.min,
            _ => return 0.0,
        };
        let along = ids.iter().filter_map(|id| match property {
            MaterialProperty::Permittivity => max(*id, MaterialProperty::Thickness),
            _ => max(*id, MaterialProperty::Permittivity)
                .map(|permittivity| permittivity.max(0.0).sqrt()),
        });
        2.0 * range * along.fold(0.0, f64::max) / frequency.wavelength()
    })
    .collect()
}

/// The medium of a half space or of one layer.
fn one_medium(material: &Material) -> Option<Medium> {
    match material.wall() {
        Material::HalfSpace(medium) => Some(*medium),
        Material::Slab(layers) => match &layers[..] {
            [Layer { medium, .. }] => Some(*medium),
            _ => None,
        },
        _ => None,
    }
    .filter(|medium| *medium != Medium::PerfectConductor)
}

/// Real relative permittivity and conductivity of its one medium.
fn constants(material: &Material, frequency: Frequency) -> Result<Option<[f64; 2]>, Error> {
    let Some(medium) = one_medium(material) else {
        return Ok(None);
    };
    medium.constants(frequency)
}
