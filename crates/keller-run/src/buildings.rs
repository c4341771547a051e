//! Puts the models of `[[building]]` into the mesh of a scene, in place of the buildings that they replace.

use std::ops::Range;
use std::path::Path;

use glam::DVec2;
use keller::DVec3;
use keller::clutter::Volume;
use keller::scene::Mesh;
use keller::scene::building::{City, Fit, Misfit, Placement, Replaces};
use keller_io::formats::Warning;
use keller_io::formats::import::{Imported, Object, import_many_with};
use keller_io::scenario::{BuildingGround, BuildingReplaces, ScenarioBuilding, SceneSettings};
use keller_io::store::scene_cache::{PlacedBuilding, ReplacedBuilding};

use crate::Error;
use crate::observer::{Observer, RunStage, Tell};

/// The largest number of other buildings that a building is reported to stand in. More add no information, and a
/// thousand models at one place would take a million comparisons.
const MAX_COLLISIONS: usize = 3;

/// Puts the buildings of `settings` into `imported`, the contents of the scene files. Misfits are added to its
/// warnings.
///
/// # Errors
/// [`Error::Import`] of a model, [`Error::Scenario`] for a building that has no place or replaces nothing that can be
/// identified, [`Error::Stopped`].
pub(crate) fn place(
    settings: &SceneSettings,
    imported: &mut Imported,
    observer: &dyn Observer,
) -> Result<Vec<PlacedBuilding>, Error> {
    if settings.buildings.is_empty() {
        return Ok(Vec::new());
    }
    let objects: Vec<Range<usize>> = imported
        .objects
        .iter()
        .map(|object| object.triangles.clone())
        .collect();
    let ready = observer.watch_as(
        |_, _| (RunStage::Import, 1.0),
        |control| City::new(&imported.mesh, &objects, control),
    );
    let city = ready.map_err(|error| in_files(settings, error))?;
    let mut placed: Vec<PlacedBuilding> = Vec::new();
    let mut models: Vec<(&Path, Imported)> = Vec::new();
    let mut plans: Vec<Plan> = Vec::new();
    let mut gone = Vec::new();
    let scene = scene(settings, imported);
    for building in &settings.buildings {
        observer.check()?;
        let mut model = read(building)?;
        let ground = |at: DVec2| city.ground(at);
        let placement = building.placement(scene, &ground, model.georeference.as_ref())?;
        let replaces = replaces(building, imported, scene)?;
        let fit = city.fit(&model.mesh, &placement, &replaces);
        let fit = fit.map_err(|error| refuse(building, error))?;
        gone.extend_from_slice(&fit.replaced);
        let mut told = told(building, placement, &fit, imported, &model.mesh);
        put_at(&mut model, &placement, building)?;
        let plan = plan(&model.mesh);
        let before = models.iter().zip(&placed).zip(&plans);
        let near = before.filter(|(_, other)| may_touch(&plan, other));
        let collisions = near
            .filter_map(|(((_, other), before), _)| collision(&model.mesh, &other.mesh, before));
        told.misfits.extend(collisions.take(MAX_COLLISIONS));
        plans.push(plan);
        for misfit in &told.misfits {
            model.warnings.push(Warning {
                file: building.model.clone(),
                message: format!("[[building]] `{}`: {misfit}", building.name),
            });
        }
        models.push((&building.model, model));
        placed.push(told);
    }
    gone.sort_unstable();
    gone.dedup();
    imported.mesh = std::mem::take(&mut imported.mesh).without(&gone);
    let stays = |t: usize| t - gone.partition_point(|g| *g < t);
    for object in &mut imported.objects {
        object.triangles = stays(object.triangles.start)..stays(object.triangles.end);
    }
    imported
        .objects
        .retain(|object| !object.triangles.is_empty());
    for ((file, mut model), building) in models.into_iter().zip(&placed) {
        model.objects.push(Object {
            name: building.name.clone(),
            triangles: 0..model.mesh.triangles.len(),
        });
        imported.append(model, file)?;
    }
    Ok(placed)
}

/// Reports the parts of the scene that the buildings have replaced.
pub(crate) fn tell(buildings: &[PlacedBuilding], observer: &dyn Observer) {
    /// The largest number of names in a message; the others are counted.
    const MOST: usize = 3;
    for building in buildings.iter().filter(|b| !b.replaced.is_empty()) {
        let mut names: Vec<String> = building.replaced.iter().take(MOST).map(described).collect();
        let more = building.replaced.len() - names.len();
        names.extend((more > 0).then(|| format!("and {more} more")));
        observer.note(format!(
            "[[building]] `{}`, {:.1} m² seen from above, replaces {}",
            building.name,
            building.footprint,
            names.join(", ")
        ));
    }
}

fn described(replaced: &ReplacedBuilding) -> String {
    let [x, y] = replaced.centre;
    let name = match &replaced.object {
        Some(name) => format!("a building of `{name}`"),
        None => "a building".to_owned(),
    };
    format!(
        "{name} around x = {x:.1}, y = {y:.1} ({:.1} of its {:.1} m²)",
        replaced.inside, replaced.area
    )
}

/// The model, without the parts that are to be left out.
fn read(building: &ScenarioBuilding) -> Result<Imported, Error> {
    let files = std::slice::from_ref(&building.model);
    let mut model = import_many_with(files, building.meshes)?;
    let mut gone: Vec<usize> = Vec::new();
    for name in &building.leave_out {
        let before = gone.len();
        for object in model.objects.iter().filter(|object| object.name == *name) {
            gone.extend(object.triangles.clone());
        }
        let materials = &model.mesh.materials;
        let all = model.mesh.triangles.iter().enumerate();
        let of_name = all.filter(|(_, t)| materials[t.material as usize].name == *name);
        gone.extend(of_name.map(|(t, _)| t));
        if gone.len() == before {
            let materials = materials.iter().map(|m| m.name.as_str());
            let known = materials.chain(model.objects.iter().map(|o| o.name.as_str()));
            let problem = format!(
                "no material and no object of the model is called `{name}`; there are {}",
                list(known)
            );
            return Err(building.error("leave_out", problem).into());
        }
    }
    model.mesh = model.mesh.without(&gone);
    if model.mesh.triangles.is_empty() {
        let problem = "the model has no triangles left";
        let key = if gone.is_empty() { "file" } else { "leave_out" };
        return Err(building.error(key, problem).into());
    }
    // They are not those of the triangles that are left.
    model.objects.clear();
    Ok(model)
}

/// The ground and the surroundings in which buildings are placed.
fn scene<'a>(settings: &'a SceneSettings, imported: &'a Imported) -> BuildingGround<'a> {
    let start = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    let vertices = imported.mesh.vertices.iter();
    BuildingGround {
        files: &settings.files,
        georeference: imported.georeference.as_ref(),
        bounds: vertices.fold(start, |[low, high], v| [low.min(*v), high.max(*v)]),
    }
}

fn replaces(
    building: &ScenarioBuilding,
    imported: &Imported,
    scene: BuildingGround<'_>,
) -> Result<Replaces, Error> {
    Ok(match &building.replaces {
        BuildingReplaces::Overlap => Replaces::Overlap,
        BuildingReplaces::Nothing => Replaces::Nothing,
        BuildingReplaces::Places(places) => {
            Replaces::Places(places.iter().copied().map(DVec2::from).collect())
        }
        BuildingReplaces::LonLat(places) => {
            Replaces::Places(building.replaced_places(scene, places)?)
        }
        BuildingReplaces::Objects(names) => {
            let mut all = Vec::new();
            for name in names {
                let before = all.len();
                let objects = imported.objects.iter().enumerate();
                let of_name = objects.filter(|(_, object)| object.name == *name);
                all.extend(of_name.map(|(index, _)| index));
                if all.len() == before {
                    let known = imported.objects.iter().map(|object| object.name.as_str());
                    let problem = format!(
                        "no object of the scene files is called `{name}`; there are {}",
                        list(known)
                    );
                    return Err(building.error("replaces", problem).into());
                }
            }
            Replaces::Objects(all)
        }
    })
}

/// Names, each once; many are counted.
pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 12;
    let mut all: Vec<&str> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
            if all.len() > MOST {
                all[MOST] = "and more";
                break;
            }
        }
    }
    if all.is_empty() {
        return "none".to_owned();
    }
    all.join(", ")
}

/// The facts about a building that stands in the scene.
fn told(
    building: &ScenarioBuilding,
    placement: Placement,
    fit: &Fit,
    imported: &Imported,
    model: &Mesh,
) -> PlacedBuilding {
    let name_of = |object: &usize| imported.objects[*object].name.clone();
    let misfits = fit.misfits.iter().map(|misfit| match misfit {
        Misfit::OwnGround { material, .. } => {
            let name = &model.materials[*material].name;
            format!("{misfit}; `leave_out = [\"{name}\"]` leaves it out")
        }
        Misfit::Neighbour {
            object: Some(object),
            ..
        } => format!("{misfit} (`{}`)", name_of(object)),
        _ => misfit.to_string(),
    });
    let replaced = fit.hulls.iter().map(|hull| ReplacedBuilding {
        object: hull.object.as_ref().map(name_of),
        centre: hull.centre.to_array(),
        area: hull.area,
        inside: hull.inside,
    });
    PlacedBuilding {
        name: building.name.clone(),
        placement,
        bounds: fit.bounds,
        floors: fit.floors.clone(),
        footprint: fit.footprint,
        replaced: replaced.collect(),
        misfits: misfits.collect(),
    }
}

/// Turns and moves a model to its place.
fn put_at(
    model: &mut Imported,
    placement: &Placement,
    building: &ScenarioBuilding,
) -> Result<(), Error> {
    placement.place(&mut model.mesh);
    for volume in &mut model.volumes {
        let vertices = volume.vertices().iter();
        let vertices: Vec<DVec3> = vertices.map(|v| placement.to_scene(*v)).collect();
        *volume = Volume::new(
            &vertices,
            volume.triangles(),
            volume.attenuation_db_per_m(),
            volume.max_attenuation_db(),
        )
        .map_err(|error| building.error("file", error.to_string()))?;
    }
    // It lies where the scene lies.
    model.georeference = None;
    Ok(())
}

/// The smallest and largest x and y, metres.
type Plan = [DVec2; 2];

/// The plan of a mesh.
fn plan(mesh: &Mesh) -> Plan {
    let corners = mesh.triangles.iter().flat_map(|t| t.vertices);
    let start = [DVec2::INFINITY, DVec2::NEG_INFINITY];
    corners.fold(start, |[low, high], v| {
        let at = mesh.vertices[v as usize].truncate();
        [low.min(at), high.max(at)]
    })
}

/// Whether surfaces with these plans can lie above each other; most pairs of buildings cannot, and to find out where two do takes
/// a footprint of each.
fn may_touch([low, high]: &Plan, other: &Plan) -> bool {
    /// The distance within which plans may touch, as a share of the larger side, and metres: more than a cell of a
    /// footprint.
    const MARGIN: (f64, f64) = (0.01, 1.0);
    let margin = MARGIN.0 * (*high - *low).max_element() + MARGIN.1;
    (*low - margin).cmple(other[1]).all() && (*high + margin).cmpge(other[0]).all()
}

/// A message about the area of a model that stands in one placed before, if any does; both are in the scene.
fn collision(model: &Mesh, other: &Mesh, before: &PlacedBuilding) -> Option<String> {
    let city = City::new(other, &[], &keller::Control::default()).ok()?;
    let fit = city.fit(model, &Placement::default(), &Replaces::Nothing);
    let areas = fit
        .ok()?
        .misfits
        .into_iter()
        .filter_map(|misfit| match misfit {
            Misfit::Neighbour { area, .. } => Some(area),
            _ => None,
        });
    let area = areas.reduce(f64::max)?;
    let name = &before.name;
    Some(format!("{area:.1} m² of it stand in [[building]] `{name}`"))
}

/// An error of the scene files.
pub(crate) fn in_files(settings: &SceneSettings, error: keller::Error) -> Error {
    match error {
        keller::Error::Cancelled => Error::Stopped,
        error => Error::Input(format!("{}: {error}", settings.files[0].display())),
    }
}

/// An error of a building.
fn refuse(building: &ScenarioBuilding, error: keller::Error) -> Error {
    match error {
        keller::Error::Cancelled => Error::Stopped,
        keller::Error::Building(problem) => building.error("replaces", problem).into(),
        error => building.error("file", error.to_string()).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only plans that touch are compared cell by cell.
    #[test]
    fn plans_that_touch_are_told_from_those_that_lie_apart() {
        let square = |x: f64, y: f64| [DVec2::new(x, y), DVec2::new(x + 10.0, y + 10.0)];
        for (other, touches) in [
            (square(5.0, 5.0), true),
            (square(10.0, 0.0), true),
            (square(-10.0, 0.0), true),
            (square(2.0, -10.5), true),
            (square(30.0, 0.0), false),
            (square(0.0, -30.0), false),
        ] {
            assert_eq!(may_touch(&square(0.0, 0.0), &other), touches, "{other:?}");
            assert_eq!(may_touch(&other, &square(0.0, 0.0)), touches, "{other:?}");
        }
    }
}
