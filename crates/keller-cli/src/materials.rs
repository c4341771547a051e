//! What the walls of a scene are made of: from the names in its files and the scenario's `[materials]` to surfaces at the carrier.

use keller::em::Surfaces;
use keller::materials::{ItuMaterial, Material, Medium, resolve, unused_overrides};
use keller::scene::{MeshMaterial, Scene};
use keller::{Error, Frequency};
use keller_io::scenario::{Dispersion, OutOfRange, Scenario};

use crate::failure::Failure;
use crate::progress::Progress;

/// What every face is made of, by [`keller::scene::MaterialId`]; `defined` are the materials of the scene's files.
pub(crate) fn materials(
    scenario: &Scenario,
    defined: &[MeshMaterial],
    scene: &Scene,
    progress: &Progress,
) -> Result<Vec<Material>, Failure> {
    let overrides: Vec<(String, Material)> = scenario
        .materials
        .iter()
        .map(|m| (m.name.clone(), m.definition.clone()))
        .collect();
    let names = scene.materials().iter().map(String::as_str);
    for name in unused_overrides(names, &overrides) {
        let known = scene.materials().join(", ");
        let file = scenario.file.display();
        progress.warn(format!(
            "{file}: [materials.{name}] is not used: the scene has {known}"
        ));
    }
    // A file may list materials that no face has: they need no definition.
    let mut used = vec![false; scene.materials().len()];
    for face in scene.faces() {
        used[face.material.index()] = true;
    }
    let mut materials = vec![Material::HalfSpace(Medium::PerfectConductor); used.len()];
    let ids: Vec<usize> = (0..used.len()).filter(|id| used[*id]).collect();
    let resolved = resolve(
        ids.iter().map(|&id| {
            let material = &defined[id];
            (material.name.as_str(), material.definition.as_ref())
        }),
        &overrides,
        scenario.scene.default_material.as_deref(),
    )
    .map_err(|error| Failure::in_scenario(scenario, &error))?;
    for (id, material) in ids.into_iter().zip(resolved) {
        let material = with_thickness(material, scenario.scene.default_thickness);
        let is_bare = scenario.paths.bare_transmission || material.has_bare_transmission();
        materials[id] = material.with_bare_transmission(is_bare);
    }
    Ok(materials)
}

/// A half space becomes a slab where the scenario has a default thickness; nothing passes a perfect conductor in any case.
fn with_thickness(material: Material, default_thickness: Option<f64>) -> Material {
    match (material.wall(), default_thickness) {
        (Material::HalfSpace(medium), Some(thickness)) if *medium != Medium::PerfectConductor => {
            Material::slab(*medium, thickness)
                .with_bare_transmission(material.has_bare_transmission())
                .with_texture(material.texture())
        }
        _ => material,
    }
}

/// `materials` at the carrier. Those of ITU-R P.2040 whose range begins above the band are named in one warning, or refused.
pub(crate) fn surfaces(
    scenario: &Scenario,
    materials: &[Material],
    progress: &Progress,
) -> Result<Surfaces, Failure> {
    let surfaces = Surfaces::new(materials, scenario.frequency).map_err(|error| match error {
        Error::MaterialFrequency { .. } => Failure::Input(format!(
            "{}: {error}; give it values of your own: [materials.NAME] with permittivity and conductivity, NAME as in the scene",
            scenario.file.display()
        )),
        error => Failure::in_scenario(scenario, &error),
    })?;
    let lowest = lowest_frequency(scenario);
    let mut extrapolated: Vec<ItuMaterial> = Vec::new();
    for medium in materials.iter().flat_map(Material::media) {
        if let Medium::Itu(material) = medium
            && material.is_extrapolated(lowest)
            && !extrapolated.contains(&material)
        {
            extrapolated.push(material);
        }
    }
    if extrapolated.is_empty() {
        return Ok(surfaces);
    }
    let names: Vec<String> = extrapolated
        .iter()
        .map(|material| format!("`{}` ({})", material.name(), material.ranges()))
        .collect();
    let found = format!(
        "{}: {} GHz is below the range of {} in ITU-R P.2040",
        scenario.file.display(),
        lowest.ghz(),
        names.join(", ")
    );
    match scenario.scene.itu_below_range {
        OutOfRange::Allow => {}
        OutOfRange::Warn => progress.warn(format!(
            "{found}: extrapolated; [scene] itu_below_range = \"allow\" silences this, \"forbid\" makes it an error"
        )),
        OutOfRange::Forbid => {
            return Err(Failure::Input(format!(
                "{found}, and [scene] itu_below_range forbids that: give [materials.NAME] with permittivity and conductivity"
            )));
        }
    }
    Ok(surfaces)
}

/// The lowest frequency at which materials are evaluated.
fn lowest_frequency(scenario: &Scenario) -> Frequency {
    let lowest = scenario.channel.band.frequencies().next();
    match (scenario.channel.dispersion, lowest) {
        (Dispersion::Full, Some(lowest)) => lowest,
        _ => scenario.frequency,
    }
}
