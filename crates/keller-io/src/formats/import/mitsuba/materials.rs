//! A scene file's statements about its materials, by the rules in [`super`].

use keller::materials::{ItuMaterial, Layer, Material, Medium};
use keller_geo::shown::shown;

use super::document::{Document, Node};
use crate::formats::ImportError;
use crate::formats::import::{DEFAULT_MATERIAL, Warning, plain_name};

/// The thickness of a wall for which the file gives none, metres: the default of Sionna RT.
const DEFAULT_THICKNESS: f64 = 0.1;

/// The thickness from which on a wall counts as a half space, metres: a wave that came back from its far side would
/// have lost 660 dB in concrete, and 30 dB even in ceiling board, the least lossy building material of the table, at 1
/// GHz; more above.
const HALF_SPACE: f64 = 10.0;

/// The conductivity from which on a material counts as a perfect conductor, S/m: the best real ones have 6e7.
const CONDUCTOR: f64 = 1e9;

/// A material of the scene.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SceneMaterial {
    pub(super) name: String,
    pub(super) definition: Option<Material>,
}

impl SceneMaterial {
    /// The material that a `<bsdf>` describes; one without an id anywhere is named after its ITU type, or else
    /// `default`.
    ///
    /// # Errors
    /// A parameter that no material has.
    pub(super) fn read(
        document: &Document,
        node: &Node,
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, ImportError> {
        let layers = node.descendants_tagged("bsdf");
        let id = layers.iter().find_map(|layer| layer.attribute("id"));
        let radio = layers
            .iter()
            .find_map(|layer| match layer.attribute("type") {
                Some("itu-radio-material") => Some((*layer, true)),
                Some("radio-material") => Some((*layer, false)),
                _ => None,
            });
        let name = plain_name(id.unwrap_or(DEFAULT_MATERIAL)).to_owned();
        let Some((radio, is_itu)) = radio else {
            let definition = named_slab(document, node, &name)?;
            warn_of_numbers(document, &layers, &name, warnings);
            return Ok(Self { name, definition });
        };
        if let Some(scattering) = radio.property("scattering_coefficient")
            && value(document, scattering)? != 0.0
        {
            warnings.push(Warning::new(
                document.path(radio),
                format!(
                    "the scattering of material `{name}` is not read; a scenario can set it in [materials.{name}]",
                    name = shown(&name)
                ),
            ));
        }
        if !is_itu {
            let medium = constant_medium(document, radio)?;
            let definition = Some(wall(document, radio, medium)?);
            return Ok(Self { name, definition });
        }
        let Some(kind) = radio
            .property("type")
            .and_then(|kind| kind.attribute("value"))
        else {
            let problem = format!(
                "the itu-radio-material `{name}` has no string `type`",
                name = shown(&name)
            );
            return Err(document.malformed(radio, problem));
        };
        let name = if id.is_none() { kind.to_owned() } else { name };
        let itu = ItuMaterial::from_name(kind).map(Medium::Itu);
        if itu.is_none() {
            warnings.push(Warning::new(
                document.path(radio),
                format!(
                    "material `{name}` has the type `{kind}`, which is not in ITU-R P.2040-4; a scenario has to define it in [materials.{name}]",
                    name = shown(&name),
                    kind = shown(kind)
                ),
            ));
        }
        let definition = itu.map(|itu| wall(document, radio, itu)).transpose()?;
        Ok(Self { name, definition })
    }
}

/// Warns of numbers about radio in a material of another type, which are not read.
fn warn_of_numbers(document: &Document, layers: &[&Node], name: &str, warnings: &mut Vec<Warning>) {
    let of_radio = |property: &str| {
        let property = property.to_lowercase();
        [
            "permittivity",
            "conductivity",
            "permeability",
            "loss_tangent",
            "eta_r",
        ]
        .iter()
        .any(|word| property.contains(word))
    };
    for layer in layers {
        let numbers = layer.children.iter();
        let numbers = numbers.filter_map(|child| child.attribute("name"));
        let unread: Vec<&str> = numbers.filter(|name| of_radio(name)).collect();
        if !unread.is_empty() {
            let kind = layer.attribute("type").unwrap_or("(none)");
            let message = format!(
                "the numbers of material `{name}` are not read ({}): its type is `{kind}`, and numbers are read of radio-material; a scenario can set them in [materials.{name}]",
                unread.join(", "),
                name = shown(name),
                kind = shown(kind)
            );
            warnings.push(Warning::new(document.path(layer), message));
        }
    }
}

/// The wall of `medium` that `radio` describes.
fn wall(document: &Document, radio: &Node, medium: Medium) -> Result<Material, ImportError> {
    let thickness = match radio.property("thickness") {
        Some(property) => positive(document, property, value(document, property)?)?,
        None => DEFAULT_THICKNESS,
    };
    Ok(
        if thickness >= HALF_SPACE || medium == Medium::PerfectConductor {
            Material::HalfSpace(medium)
        } else {
            Material::Slab(vec![Layer { medium, thickness }])
        },
    )
}

/// The slab of a material of which the file gives only the looks, but whose name is in ITU-R P.2040 and which has a
/// thickness.
fn named_slab(
    document: &Document,
    node: &Node,
    name: &str,
) -> Result<Option<Material>, ImportError> {
    match (ItuMaterial::from_name(name), node.property("thickness")) {
        (Some(itu), Some(_)) => wall(document, node, Medium::Itu(itu)).map(Some),
        _ => Ok(None),
    }
}

fn constant_medium(document: &Document, radio: &Node) -> Result<Medium, ImportError> {
    let conductivity = match radio.property("conductivity") {
        Some(property) => {
            let conductivity = value(document, property)?;
            if conductivity < 0.0 {
                let problem = format!("the conductivity {conductivity} S/m is below 0");
                return Err(document.malformed(property, problem));
            }
            conductivity
        }
        None => 0.0,
    };
    let relative_permittivity = match radio.property("relative_permittivity") {
        Some(property) => positive(document, property, value(document, property)?)?,
        None => 1.0,
    };
    Ok(if conductivity >= CONDUCTOR {
        Medium::PerfectConductor
    } else {
        Medium::Constant {
            relative_permittivity,
            conductivity,
        }
    })
}

fn value(document: &Document, property: &Node) -> Result<f64, ImportError> {
    document.number(property, document.required(property, "value")?)
}

fn positive(document: &Document, property: &Node, value: f64) -> Result<f64, ImportError> {
    if value > 0.0 {
        return Ok(value);
    }
    let name = property.attribute("name").unwrap_or("value");
    Err(document.malformed(
        property,
        format!(
            "`{name}` is {value}, but must be above 0",
            name = shown(name)
        ),
    ))
}
