//! Steps 1 and 2: the scene of a run, built from its files, or kept by an earlier run.

use std::io;
use std::path::{Path, PathBuf};

use keller::clutter::Clutter;
use keller::scene::{Mesh, Scene};
use keller_io::formats::import::{import, import_many_with};
use keller_io::scenario::{ScenarioBuilding, ScenarioOpening, SceneSettings};
use keller_io::store::scene_cache::{CompiledScene, Found, Wanted, read, write};

use crate::observer::{Observer, RunStage, Tell};
use crate::{Error, buildings, openings, terrain};

/// Reads the scene in a file of any supported format: `.xml` of Mitsuba and Sionna, `.ply`, `.obj`, `.stl`, `.gltf`,
/// `.glb`.
///
/// # Errors
/// [`Error::Import`], and [`Error::Input`] for a scene without triangles.
pub fn open_scene(file: &Path) -> Result<Scene, Error> {
    let imported = import(file)?;
    let scene = Scene::new(&imported.mesh)
        .map_err(|error| Error::Input(format!("{}: {error}", file.display())))?;
    Ok(scene.with_clutter(Clutter::new(imported.volumes)))
}

/// Builds the scene of a mesh and reports progress.
///
/// # Errors
/// The errors of [`Scene::with_control`].
pub fn build_scene(mesh: &Mesh, observer: &dyn Observer) -> Result<Scene, keller::Error> {
    observer.report(RunStage::Scene, 0.0);
    observer.watch_as(
        |_, done| (RunStage::Scene, done),
        |control| Scene::with_control(mesh, control),
    )
}

/// The scene of the files that `settings` name, with the buildings that stand in it and the openings in its walls,
/// without clutter, and the other contents of these files. Unusual contents and misfits are reported as warnings.
///
/// `check` is called with the files before the scene is built, and may refuse them: a program does not overwrite its
/// input.
///
/// # Errors
/// [`Error::Import`], [`Error::Input`] for a scene without triangles and for a cache that is one of the files,
/// [`Error::Scenario`] for a building that cannot be placed, the errors of `check`, [`Error::Stopped`].
pub fn prepare_scene(
    settings: &SceneSettings,
    observer: &dyn Observer,
    check: &dyn Fn(&[&Path]) -> Result<(), Error>,
) -> Result<CompiledScene, Error> {
    observer.report(RunStage::Import, 0.0);
    let made_of = MadeOf::new(settings);
    let wanted = made_of.wanted();
    let cache = settings.cache.as_deref();
    if let Some(file) = cache
        && let Some(kept) = kept(file, &wanted, observer)?
    {
        for warning in &kept.warnings {
            observer.warn(warning.to_string());
        }
        buildings::tell(&kept.buildings, observer);
        openings::tell(&kept.openings, observer);
        terrain::tell(kept.terrain, settings, observer);
        observer.check()?;
        check(&paths(&kept.sources))?;
        return Ok(kept);
    }
    let mut imported = import_many_with(&settings.files, settings.meshes)?;
    let buildings = buildings::place(settings, &mut imported, observer)?;
    let cut_openings = openings::cut(settings, &mut imported, observer)?;
    for warning in &imported.warnings {
        observer.warn(warning.to_string());
    }
    buildings::tell(&buildings, observer);
    openings::tell(&cut_openings, observer);
    observer.check()?;
    check(&paths(&imported.sources))?;
    if let Some(file) = cache {
        // The name may be that of an input file that is missing here and read from another place.
        let mut read = imported.contents.iter().map(|content| &content.file);
        if read.any(|read| is_same(read, file)) {
            return Err(Error::Input(format!(
                "[scene] cache {}: this file is an input of the run and would be overwritten; accepted: another name",
                file.display()
            )));
        }
    }
    let scene = build_scene(&imported.mesh, observer).map_err(|error| match error {
        keller::Error::Cancelled => Error::Stopped,
        error => Error::Input(format!("{}: {error}", settings.files[0].display())),
    })?;
    let num_warnings = imported.warnings.len();
    let warnings = &mut imported.warnings;
    let (scene, terrain) = terrain::simplify(scene, settings, warnings, observer)?;
    for warning in &imported.warnings[num_warnings..] {
        observer.warn(warning.to_string());
    }
    terrain::tell(terrain, settings, observer);
    let scene = match settings.terrain_wedge_deg {
        Some(angle) => scene.without_terrain_wedges_below(angle.to_radians()),
        None => scene,
    };
    let compiled = CompiledScene {
        scene: scene.into(),
        materials: imported.mesh.materials,
        volumes: imported.volumes,
        georeference: imported.georeference,
        warnings: imported.warnings,
        sources: imported.sources,
        contents: imported.contents,
        buildings,
        openings: cut_openings,
        terrain,
    };
    drop(imported.mesh.vertices);
    drop(imported.mesh.triangles);
    if let Some(file) = cache {
        // An error only warns: this run needs the file no more, and the next run is only slower.
        if let Err(error) = write(file, &wanted, &compiled) {
            observer.warn(format!(
                "cannot write the scene cache `{}`: {error}",
                file.display()
            ));
        }
        observer.check()?;
    }
    Ok(compiled)
}

/// Writes a compiled scene to `file`, from which [`read_scene`] takes it.
pub(crate) fn keep_scene(
    file: &Path,
    settings: &SceneSettings,
    compiled: &CompiledScene,
) -> io::Result<()> {
    write(file, &MadeOf::new(settings).wanted(), compiled)
}

/// The scene that [`keep_scene`] wrote; `None` if there is none, or it is of other files. The file is never written.
///
/// # Errors
/// [`Error::Input`] if the file cannot be read, or is something else.
pub(crate) fn read_scene(
    file: &Path,
    settings: &SceneSettings,
    observer: &dyn Observer,
) -> Result<Option<CompiledScene>, Error> {
    let found = read(file, &MadeOf::new(settings).wanted());
    let problem = match found.map_err(|error| Error::Input(error.to_string()))? {
        Found::Fitting(compiled) => return Ok(Some(*compiled)),
        Found::Nothing => return Ok(None),
        Found::Stale(why) => why,
        Found::Damaged(why) => format!("it is damaged: {why}"),
    };
    observer.note(format!(
        "the scene cache {} is not used, but built from its files: {problem}",
        file.display()
    ));
    Ok(None)
}

/// The parts that a scene is made of, as its file keeps them.
struct MadeOf<'a> {
    settings: &'a SceneSettings,
    buildings: Vec<String>,
    openings: Vec<String>,
}

impl<'a> MadeOf<'a> {
    fn new(settings: &'a SceneSettings) -> Self {
        let buildings = settings.buildings.iter().map(ScenarioBuilding::digest);
        let openings = settings.openings.iter().map(ScenarioOpening::digest);
        Self {
            settings,
            buildings: buildings.collect(),
            openings: openings.collect(),
        }
    }

    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            files: &self.settings.files,
            options: self.settings.meshes,
            buildings: &self.buildings,
            openings: &self.openings,
            terrain_wedge_deg: self.settings.terrain_wedge_deg,
            terrain_error_m: self.settings.terrain_error_m,
        }
    }
}

/// The scene in `file`, if it was made from the wanted files and options.
fn kept(
    file: &Path,
    wanted: &Wanted<'_>,
    observer: &dyn Observer,
) -> Result<Option<CompiledScene>, Error> {
    let found = read(file, wanted).map_err(|error| Error::Input(error.to_string()))?;
    let shown = file.display();
    match found {
        Found::Fitting(compiled) => return Ok(Some(*compiled)),
        Found::Nothing => {}
        Found::Stale(why) => observer.note(format!("the scene cache `{shown}` is rebuilt: {why}")),
        Found::Damaged(why) => {
            observer.warn(format!(
                "the scene cache `{shown}` is damaged and is rebuilt: {why}"
            ));
        }
    }
    Ok(None)
}

fn paths(files: &[PathBuf]) -> Vec<&Path> {
    files.iter().map(PathBuf::as_path).collect()
}

/// Whether two names mean the same file, after all links.
fn is_same(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
