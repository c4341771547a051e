//! `[materials.NAME]`: the user's definition of a wall's material.

use keller::materials::{
    FlatLosses, ItuMaterial, Layer, Lobe, Material, Medium, Scattering, Texture,
};
use keller_geo::shown::shown;

use super::document::Section;
use super::error::ScenarioError;
use super::keys;

/// One `[materials.NAME]` of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioMaterial {
    /// The name, as the scene file uses it.
    pub name: String,
    /// The definition.
    pub definition: Material,
    /// The line of the scenario that defines it.
    pub line: usize,
}

/// Reads all of `[materials]`, in the order of the file.
pub(super) fn read(top: &Section<'_>) -> Result<Vec<ScenarioMaterial>, ScenarioError> {
    top.named_sections("materials")?
        .into_iter()
        .map(|(name, section)| {
            Ok(ScenarioMaterial {
                name: name.to_owned(),
                definition: material(&section)?,
                line: section.line.unwrap_or(1),
            })
        })
        .collect()
}

fn material(section: &Section<'_>) -> Result<Material, ScenarioError> {
    let is_air_ignored = section.flag("ignore_displaced_air")?.unwrap_or(false);
    let losses = flat_losses(section)?;
    let wall = wall(section, &losses)?
        .with_displaced_air_ignored(is_air_ignored)
        .with_flat_losses(losses);
    Ok(wall.with_texture(Texture {
        scattering: scattering(section)?,
        roughness: section.number("roughness")?.unwrap_or(0.0),
    }))
}

fn flat_losses(section: &Section<'_>) -> Result<FlatLosses, ScenarioError> {
    let loss = |key| section.number(key);
    let losses = FlatLosses {
        transmission_db: loss("transmission_loss_db")?,
        reflection_db: loss("reflection_loss_db")?,
        diffraction_db: loss("diffraction_loss_db")?.unwrap_or(0.0),
    };
    losses
        .check("")
        .map_err(|_| {
            section.problem(
                "reflection_loss_db",
                "and `transmission_loss_db` shall leave no more than what arrives: with 3 dB the one, the other is 3.02 dB or more",
            )
        })
        .map(|()| losses)
}

fn wall(section: &Section<'_>, losses: &FlatLosses) -> Result<Material, ScenarioError> {
    let has_medium = MEDIUM_KEYS.iter().any(|key| section.has(key)) || section.has("layers");
    if !has_medium && losses.reflection_db.is_some() && losses.transmission_db.is_some() {
        // Layers would add nothing.
        return Ok(Material::HalfSpace(Medium::PerfectConductor));
    }
    if !section.has("layers") {
        let medium = medium(section)?;
        return Ok(match thickness(section)? {
            // No wave passes a perfect conductor, however thin.
            Some(thickness) if medium != Medium::PerfectConductor => {
                Material::Slab(vec![Layer { medium, thickness }])
            }
            _ => Material::HalfSpace(medium),
        });
    }
    for key in MEDIUM_KEYS.into_iter().chain(["thickness"]) {
        if section.has(key) {
            return Err(section.problem(key, "cannot stand beside `layers`: give one of them"));
        }
    }
    let layers = section
        .sections("layers")?
        .iter()
        .map(|layer| {
            Ok(Layer {
                medium: medium(layer)?,
                thickness: thickness(layer)?.ok_or_else(|| layer.missing("thickness"))?,
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    if layers.is_empty() {
        return Err(section.refuse("layers", "found none"));
    }
    Ok(Material::Slab(layers))
}

/// The values of the other keys of scattering, which need `scattering`.
fn scattering(section: &Section<'_>) -> Result<Option<Scattering>, ScenarioError> {
    let share = |key| section.number(key);
    let exponent = |key| -> Result<Option<u32>, ScenarioError> {
        let exponent = section.whole(key)?;
        Ok(exponent.and_then(|exponent| u32::try_from(exponent).ok()))
    };
    let coefficient = share("scattering")?;
    let cross_polarization = share("cross_polarization")?;
    let pattern = section.text("scattering_pattern")?;
    let forward = exponent("scattering_alpha")?;
    let back = exponent("scattering_alpha_back")?;
    let forward_share = share("scattering_forward_share")?;

    let used: &[&str] = match pattern {
        None | Some("lambertian") => &[],
        Some("directive") => &LOBE_KEYS[..1],
        Some("backscattering") => &LOBE_KEYS,
        Some(other) => {
            return Err(section.refuse("scattering_pattern", format!("found \"{other}\"")));
        }
    };
    for key in LOBE_KEYS {
        if section.has(key) && !used.contains(&key) {
            let pattern = pattern.unwrap_or("lambertian");
            return Err(section.problem(
                key,
                format!("means nothing with the scattering_pattern \"{pattern}\""),
            ));
        }
    }
    let forward = forward.unwrap_or(DEFAULT_LOBE_EXPONENT);
    let lobe = match used.len() {
        0 => Lobe::Lambertian,
        1 => Lobe::Directive { forward },
        _ => Lobe::Backscattering {
            forward,
            back: back.unwrap_or(DEFAULT_LOBE_EXPONENT),
            forward_share: forward_share.unwrap_or(DEFAULT_FORWARD_SHARE),
        },
    };
    if coefficient.is_none() {
        let beside = ["cross_polarization", "scattering_pattern"];
        if let Some(key) = beside.into_iter().chain(LOBE_KEYS).find(|k| section.has(k)) {
            return Err(section.problem(key, "needs `scattering` beside it"));
        }
    }
    Ok(coefficient
        .filter(|v| *v > 0.0)
        .map(|coefficient| Scattering {
            coefficient,
            cross_polarization: cross_polarization.unwrap_or(0.0),
            lobe,
        }))
}

const LOBE_KEYS: [&str; 3] = [
    "scattering_alpha",
    "scattering_alpha_back",
    "scattering_forward_share",
];

/// The default exponent of the lobe, which Degli-Esposti et al. 2007 found for buildings.
const DEFAULT_LOBE_EXPONENT: u32 = 4;

/// The default share of power that is scattered forward.
const DEFAULT_FORWARD_SHARE: f64 = 0.8;

const MEDIUM_KEYS: [&str; 4] = ["itu", "permittivity", "conductivity", "pec"];

fn medium(section: &Section<'_>) -> Result<Medium, ScenarioError> {
    let itu = section.text("itu")?;
    let permittivity = section.number("permittivity")?;
    let conductivity = section.number("conductivity")?;
    let pec = section.flag("pec")?.unwrap_or(false);
    match (itu, permittivity, pec) {
        (Some(_), None, false) if conductivity.is_some() => Err(section.problem(
            "conductivity",
            "cannot stand beside `itu`: give `permittivity` and `conductivity`, or `itu`",
        )),
        (Some(name), None, false) => {
            ItuMaterial::from_name(name).map(Medium::Itu).ok_or_else(|| {
                let known = || ItuMaterial::ALL.iter().map(|m| m.name());
                let hint = keys::suggestion(name, known());
                let hint = if hint.is_empty() { ";" } else { &hint };
                let list = known().collect::<Vec<_>>().join(", ");
                section.problem(
                    "itu",
                    format!("no material \"{name}\" in ITU-R P.2040{hint} accepted: {list}", name = shown(name)),
                )
            })
        }
        (None, Some(relative_permittivity), false) => Ok(Medium::Constant {
            relative_permittivity,
            conductivity: conductivity.unwrap_or(0.0),
        }),
        (None, None, true) if conductivity.is_none() => Ok(Medium::PerfectConductor),
        (None, None, false) if conductivity.is_some() => Err(section.missing("permittivity")),
        (None, None, false) => Err(section.problem(
            "itu",
            "nothing says what it is made of; accepted: one of itu, permittivity (with conductivity), pec = true, layers",
        )),
        _ => Err(section.problem(
            "itu",
            "more than one definition; accepted: one of itu, permittivity (with conductivity), pec = true",
        )),
    }
}

fn thickness(section: &Section<'_>) -> Result<Option<f64>, ScenarioError> {
    section.number("thickness")
}
