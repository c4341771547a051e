//! The materials of a scene: from the names in its files and the scenario's `[materials]` to a world at the carrier.

use std::sync::Arc;

use keller::em::Passages;
use keller::materials::{
    ItuEdition, ItuMaterial, Material, Materials, Medium, base_name, canonical_name,
};
use keller::scene::Scene;
use keller::{DVec3, Error as CoreError, Frequency, World};
use keller_io::scenario::{Dispersion, OutOfRange, PathSettings, Scenario};

use crate::Error;
use crate::observer::{Observer, Tell};

/// The scene with its materials at the carrier. ITU-R P.2040 materials whose range begins above the band cause one
/// warning that names them, or an error.
pub(crate) fn world(
    scenario: &Scenario,
    scene: Arc<Scene>,
    observer: &dyn Observer,
) -> Result<World, Error> {
    let named = scenario.materials.iter();
    let materials = Materials {
        named: named
            .map(|m| (m.name.clone(), m.definition.clone()))
            .collect(),
        default: scenario.scene.default_material.clone(),
        default_thickness: scenario.scene.default_thickness,
        ignore_displaced_air: scenario.paths.ignore_displaced_air,
    };
    for name in materials.unused(scene.materials().iter().map(String::as_str)) {
        observer.warn(format!(
            "{}: [materials.{name}] is not used: the scene has {}",
            scenario.file.display(),
            scene.materials().join(", ")
        ));
    }
    let world = World::new(scene, &materials, scenario.frequency).map_err(|error| match error {
        CoreError::MaterialFrequency { .. } => Error::Input(format!(
            "{}: frequency_hz: {error}; define [materials.NAME] with permittivity and conductivity, where NAME is the name in the scene",
            scenario.file.display()
        )),
        error => Error::in_scenario(scenario, &error),
    })?;
    check_edition(scenario, &world)?;
    check_ranges(scenario, &world, observer)?;
    Ok(world.with_passages(passages(&scenario.paths)))
}

/// The numbers of walls that paths may pass by any of the alternatives.
fn passages(paths: &PathSettings) -> Passages {
    Passages {
        max_transmissions: paths.largest(|limits| limits.max_transmissions),
        max_depth: paths.largest(|limits| limits.max_depth),
    }
}

/// The materials of ITU-R P.2040 that walls are made of, each once.
fn itu_materials(world: &World) -> Vec<ItuMaterial> {
    let mut found = Vec::new();
    for medium in world.materials().iter().flat_map(Material::media) {
        if let Medium::Itu(material) = medium
            && !found.contains(&material)
        {
            found.push(material);
        }
    }
    found
}

/// An error for a material or a frequency that the scenario's edition of ITU-R P.2040 does not have. Extrapolation
/// below a range is not an error.
fn check_edition(scenario: &Scenario, world: &World) -> Result<(), Error> {
    let edition = scenario.scene.itu_edition;
    if edition == ItuEdition::default() {
        return Ok(());
    }
    let carrier = [scenario.frequency].into_iter();
    let band = scenario.channel.band.frequencies();
    let is_full = scenario.channel.dispersion == Dispersion::Full;
    let frequencies: Vec<Frequency> = carrier.chain(band.filter(|_| is_full)).collect();
    for material in itu_materials(world) {
        let is_known = |frequency: &&Frequency| {
            material.is_stated_in(edition, **frequency)
                || material.is_extrapolated(**frequency)
                    && !material.parameters_in(edition).is_empty()
        };
        if let Some(unknown) = frequencies.iter().find(|frequency| !is_known(frequency)) {
            return Err(Error::Input(format!(
                "{}: [scene] itu_edition = \"{}\" does not have `{}` at {} GHz: it states {}; use \"{}\", or define [materials.NAME] \
                 with permittivity and conductivity",
                scenario.file.display(),
                edition.name(),
                material.name(),
                unknown.ghz(),
                material.ranges_in(edition),
                ItuEdition::default().name(),
            )));
        }
    }
    Ok(())
}

/// Warns of materials below their range, or returns an error, as the scenario says.
fn check_ranges(scenario: &Scenario, world: &World, observer: &dyn Observer) -> Result<(), Error> {
    let lowest = lowest_frequency(scenario);
    let mut extrapolated = itu_materials(world);
    extrapolated.retain(|material| material.is_extrapolated(lowest));
    if extrapolated.is_empty() {
        return Ok(());
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
        OutOfRange::Warn => observer.warn(format!(
            "{found}: extrapolated; [scene] itu_below_range = \"allow\" silences this, \"forbid\" makes it an error"
        )),
        OutOfRange::Forbid => {
            return Err(Error::Input(format!(
                "{found}, which [scene] itu_below_range = \"forbid\" does not allow; define [materials.NAME] with permittivity and conductivity"
            )));
        }
    }
    Ok(())
}

/// The lowest frequency at which materials are evaluated.
fn lowest_frequency(scenario: &Scenario) -> Frequency {
    let lowest = scenario.channel.band.frequencies().next();
    match (scenario.channel.dispersion, lowest) {
        (Dispersion::Full, Some(lowest)) => lowest,
        _ => scenario.frequency,
    }
}

/// The velocity of each material of the scene.
pub(crate) fn velocities(scenario: &Scenario, scene: &Scene) -> Result<Vec<DVec3>, Error> {
    let names = scene.materials();
    let mut velocities = vec![DVec3::ZERO; names.len()];
    for moving in &scenario.moving {
        let exact = names.iter().position(|name| *name == moving.material);
        let wanted = canonical_name(&moving.material);
        let called = |of: fn(&str) -> String| names.iter().position(|n| of(n) == wanted);
        let found = exact
            .or_else(|| called(canonical_name))
            .or_else(|| called(base_name));
        let Some(material) = found else {
            return Err(Error::Input(format!(
                "{}:{}: [[moving]] material: found \"{}\"; the scene has {}",
                scenario.file.display(),
                moving.line,
                moving.material,
                names.join(", ")
            )));
        };
        velocities[material] = moving.velocity;
    }
    Ok(velocities)
}
