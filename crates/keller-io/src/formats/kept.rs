//! keller's own entries in the `extras` of glTF files, which other programs ignore: the place of the scene on earth,
//! the definitions of its materials, and a mark on drawings of results, which are no part of the scene.
//!
//! The attribute `_POSITION_LOW` of meshes holds the low parts that 32-bit positions lack: they are added before the
//! node's transform.
//!
//! A material with an attenuation is none of walls: the closed body that has it is a volume of clutter.
//!
//! | where | keys |
//! |---|---|
//! | the scene | `crs`, a coordinate reference system; `origin`, the coordinates of (0, 0, 0) in it, metres |
//! | a material | of `[materials.NAME]`: `itu`, `permittivity`, `conductivity`, `pec`, `thickness`, `layers` |
//! | a material of clutter | `attenuation_db_per_m`, `max_attenuation_db` |
//! | a node | `drawing`: true if it shows results and no wall |

use keller::clutter::Volume;
use keller::materials::{ItuMaterial, Layer, Material, Medium};
use keller_geo::crs::Georeference;
use serde::{Deserialize, Serialize};

/// The attribute with the low parts of 32-bit positions, without the underscore of attributes that glTF does not
/// define.
pub(crate) const POSITION_LOW: &str = "POSITION_LOW";

/// The key of nodes that show results and no wall.
pub(crate) const DRAWING: &str = "drawing";

/// The place of a scene on earth.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct KeptPlace {
    crs: String,
    origin: [f64; 3],
}

impl From<&Georeference> for KeptPlace {
    fn from(georeference: &Georeference) -> Self {
        Self {
            crs: georeference.crs.clone(),
            origin: georeference.origin,
        }
    }
}

impl From<KeptPlace> for Georeference {
    fn from(kept: KeptPlace) -> Self {
        Self {
            crs: kept.crs,
            origin: kept.origin,
        }
    }
}

/// The material of a volume of clutter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptClutter {
    pub(crate) attenuation_db_per_m: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) max_attenuation_db: Option<f64>,
}

impl KeptClutter {
    /// The key that makes a material one of clutter.
    pub(crate) const KEY: &str = "attenuation_db_per_m";
}

impl From<&Volume> for KeptClutter {
    fn from(volume: &Volume) -> Self {
        Self {
            attenuation_db_per_m: volume.attenuation_db_per_m(),
            max_attenuation_db: volume.max_attenuation_db(),
        }
    }
}

/// The material of a wall, without its roughness.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct KeptMaterial {
    #[serde(flatten)]
    medium: KeptMedium,
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<Vec<KeptLayer>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct KeptLayer {
    #[serde(flatten)]
    medium: KeptMedium,
    thickness: f64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct KeptMedium {
    #[serde(skip_serializing_if = "Option::is_none")]
    itu: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permittivity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conductivity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pec: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thickness: Option<f64>,
}

impl From<&Material> for KeptMaterial {
    fn from(material: &Material) -> Self {
        match material.wall() {
            Material::HalfSpace(medium) => Self {
                medium: (*medium).into(),
                layers: None,
            },
            Material::Slab(layers) => Self {
                medium: KeptMedium::default(),
                layers: Some(layers.iter().map(KeptLayer::from).collect()),
            },
            Material::Textured { wall, .. }
            | Material::DisplacedAirIgnored(wall)
            | Material::Flat { wall, .. } => Self::from(wall.as_ref()),
        }
    }
}

impl KeptMaterial {
    /// The definition; `None` if there is none, or an invalid one.
    pub(crate) fn definition(self) -> Option<Material> {
        let material = if let Some(layers) = self.layers {
            let layer = |layer: KeptLayer| {
                Some(Layer {
                    medium: layer.medium.medium()?,
                    thickness: layer.thickness,
                })
            };
            Material::Slab(layers.into_iter().map(layer).collect::<Option<_>>()?)
        } else {
            let thickness = self.medium.thickness;
            let medium = self.medium.medium()?;
            thickness.map_or(Material::HalfSpace(medium), |t| Material::slab(medium, t))
        };
        material.check("").is_ok().then_some(material)
    }
}

impl From<&Layer> for KeptLayer {
    fn from(layer: &Layer) -> Self {
        Self {
            medium: layer.medium.into(),
            thickness: layer.thickness,
        }
    }
}

impl From<Medium> for KeptMedium {
    fn from(medium: Medium) -> Self {
        match medium {
            Medium::Itu(material) => Self {
                itu: Some(material.name().to_owned()),
                ..Self::default()
            },
            Medium::Constant {
                relative_permittivity,
                conductivity,
            } => Self {
                permittivity: Some(relative_permittivity),
                conductivity: Some(conductivity),
                ..Self::default()
            },
            Medium::PerfectConductor => Self {
                pec: Some(true),
                ..Self::default()
            },
        }
    }
}

impl KeptMedium {
    fn medium(&self) -> Option<Medium> {
        match (&self.itu, self.permittivity, self.pec) {
            (Some(name), None, None | Some(false)) => ItuMaterial::from_name(name).map(Medium::Itu),
            (None, Some(relative_permittivity), None | Some(false)) => Some(Medium::Constant {
                relative_permittivity,
                conductivity: self.conductivity.unwrap_or(0.0),
            }),
            (None, None, Some(true)) => Some(Medium::PerfectConductor),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn definition(value: Value) -> Option<Material> {
        let kept: KeptMaterial = serde_json::from_value(value).unwrap();
        kept.definition()
    }

    #[test]
    fn definitions_come_back() {
        let glass = Medium::Itu(ItuMaterial::from_name("glass").unwrap());
        let constant = Medium::Constant {
            relative_permittivity: 5.31,
            conductivity: 0.03,
        };
        let layer = |medium, thickness| Layer { medium, thickness };
        for material in [
            Material::HalfSpace(glass),
            Material::HalfSpace(Medium::PerfectConductor),
            Material::HalfSpace(constant),
            Material::slab(constant, 0.3),
            Material::Slab(vec![layer(glass, 0.004), layer(constant, 0.1)]),
        ] {
            let kept = serde_json::to_value(KeptMaterial::from(&material)).unwrap();
            assert_eq!(definition(kept), Some(material));
        }
    }

    #[test]
    fn what_cannot_be_a_material_is_none() {
        let slab = definition(json!({ "itu": "brick", "thickness": 0.1 }));
        let brick = Medium::Itu(ItuMaterial::from_name("brick").unwrap());
        assert_eq!(slab, Some(Material::slab(brick, 0.1)));
        for none in [
            json!({}),
            json!({ "colour": 3 }),
            json!({ "itu": "cheese" }),
            json!({ "itu": "brick", "pec": true }),
            json!({ "permittivity": 0.2 }),
            json!({ "layers": [] }),
            json!({ "itu": "brick", "thickness": -1.0 }),
        ] {
            assert_eq!(definition(none.clone()), None, "{none}");
        }
    }
}
