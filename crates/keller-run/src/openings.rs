//! Cuts the windows and doors of `[[opening]]` into the mesh of a scene.

use keller::materials::{base_name, canonical_name};
use keller::scene::openings::{Cut, LeftOut, cut as cut_walls};
use keller_io::formats::Warning;
use keller_io::formats::import::Imported;
use keller_io::scenario::{ScenarioOpening, SceneSettings};
use keller_io::store::scene_cache::CutOpenings;

use crate::Error;
use crate::buildings::{in_files, list};
use crate::observer::{Observer, RunStage, Tell};

/// Stands for a triangle of no object.
const NO_OBJECT: usize = usize::MAX;

/// Cuts the openings of `settings` into `imported`, the scene with its buildings, one section after the other. Sections
/// that find no wall or no room are added to its warnings.
///
/// # Errors
/// [`Error::Input`] for a mesh that makes no scene, [`Error::Stopped`].
pub(crate) fn cut(
    settings: &SceneSettings,
    imported: &mut Imported,
    observer: &dyn Observer,
) -> Result<Vec<CutOpenings>, Error> {
    if settings.openings.is_empty() {
        return Ok(Vec::new());
    }
    let mut object_of = vec![NO_OBJECT; imported.mesh.triangles.len()];
    for (number, object) in imported.objects.iter().enumerate() {
        object_of[object.triangles.clone()].fill(number);
    }
    let mut all = Vec::with_capacity(settings.openings.len());
    for opening in &settings.openings {
        observer.check()?;
        let is_wall = asked(opening, imported, &object_of);
        let pane = opening.material.as_deref();
        let found = observer.watch_as(
            |_, _| (RunStage::Import, 1.0),
            |control| cut_walls(&imported.mesh, &is_wall, &opening.openings, pane, control),
        );
        let found = found.map_err(|error| in_files(settings, error))?;
        if let Some(problem) = problem(opening, &found, &is_wall, imported) {
            imported.warnings.push(Warning {
                file: opening.file.clone(),
                message: format!("{}: {problem}", opening.label()),
            });
        }
        all.push(CutOpenings {
            material: opening.material.clone(),
            walls: found.walls,
            opened: found.opened,
            openings: found.openings,
            area: found.area,
            wall_area: found.wall_area,
        });
        object_of = found.from.iter().map(|t| object_of[*t]).collect();
        imported.mesh = found.mesh;
    }
    // Ranges of triangles mean nothing any more.
    imported.objects.clear();
    Ok(all)
}

/// Reports the cuts.
pub(crate) fn tell(all: &[CutOpenings], observer: &dyn Observer) {
    for (index, cut) in all.iter().enumerate().filter(|(_, cut)| cut.openings > 0) {
        let share = 100.0 * cut.area / cut.wall_area;
        observer.note(format!(
            "[[opening]] {index}: {} openings of {} in {} of {} walls, {:.1} m², {share:.1} % of these walls",
            cut.openings,
            cut.material.as_deref().unwrap_or("nothing"),
            cut.opened,
            cut.walls,
            cut.area,
        ));
    }
}

/// For each triangle, whether the section asks for it.
fn asked(opening: &ScenarioOpening, imported: &Imported, object_of: &[usize]) -> Vec<bool> {
    let names: Vec<String> = opening.walls.iter().map(|n| canonical_name(n)).collect();
    let materials = imported.mesh.materials.iter();
    let has_material: Vec<bool> = materials
        .map(|material| {
            let is_called = |name: String| names.contains(&name);
            names.is_empty()
                || is_called(canonical_name(&material.name))
                || is_called(base_name(&material.name))
        })
        .collect();
    let objects = imported.objects.iter();
    let has_object: Vec<bool> = objects
        .map(|object| opening.buildings.is_empty() || opening.buildings.contains(&object.name))
        .collect();
    let triangles = imported.mesh.triangles.iter().zip(object_of);
    let is_asked = triangles.map(|(triangle, object)| {
        let of_none = opening.buildings.is_empty();
        has_material[triangle.material as usize]
            && has_object.get(*object).copied().unwrap_or(of_none)
    });
    is_asked.collect()
}

/// Why there are no openings, or fewer than a reader would think.
fn problem(
    opening: &ScenarioOpening,
    cut: &Cut,
    is_wall: &[bool],
    imported: &Imported,
) -> Option<String> {
    let names = |names: &[String]| names.join("`, `");
    if let Some(name) = opening.walls.iter().find(|name| {
        let materials = imported.mesh.materials.iter();
        let mut known = materials
            .flat_map(|material| [canonical_name(&material.name), base_name(&material.name)]);
        !known.any(|known| known == canonical_name(name))
    }) {
        let known = imported.mesh.materials.iter().map(|m| m.name.as_str());
        return Some(format!(
            "no material is called `{name}`; there are {}",
            list(known)
        ));
    }
    if let Some(name) = opening.buildings.iter().find(|name| {
        let mut objects = imported.objects.iter();
        !objects.any(|object| object.name == **name)
    }) {
        let known = imported.objects.iter().map(|object| object.name.as_str());
        return Some(format!(
            "no [[building]] and no object of the scene files is called `{name}`; there are {}",
            list(known)
        ));
    }
    if cut.walls == 0 {
        let found = match (is_wall.contains(&true), opening.buildings.is_empty()) {
            (true, _) => "nothing that it asks for is an upright wall".to_owned(),
            (false, true) => format!("no surface is of `{}`", names(&opening.walls)),
            (false, false) => format!(
                "no surface of `{}` is of `{}`",
                names(&opening.buildings),
                names(&opening.walls)
            ),
        };
        return Some(format!("there are no openings: {found}"));
    }
    let reasons = reasons(&cut.left_out);
    if cut.openings > 0 {
        let walls = cut.left_out.walls;
        return (walls > 0)
            .then(|| format!("{walls} of {} walls get no openings: {OVERLAP}", cut.walls));
    }
    let size = opening.openings;
    let room = format!(
        "there are no openings: none of {} walls has room for {} m x {} m at a sill of {} m with {} m around it",
        cut.walls, size.width, size.height, size.sill, size.margin
    );
    Some(if reasons.is_empty() {
        room
    } else {
        format!("{room} ({})", reasons.join(", "))
    })
}

/// The reason for walls that cannot be cut.
const OVERLAP: &str = "they are bent, or parts of them lie on each other";

fn reasons(left_out: &LeftOut) -> Vec<String> {
    let all = [
        (left_out.outside, "would reach over a border"),
        (left_out.joined, "would lie where another surface joins"),
        (
            left_out.covered,
            "would lie behind a surface in the same plane",
        ),
    ];
    let all = all.into_iter().filter(|(number, _)| *number > 0);
    let mut all: Vec<String> = all
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    if left_out.walls > 0 {
        all.push(format!("{} walls cannot be cut: {OVERLAP}", left_out.walls));
    }
    all
}
