//! The scene of a run: built from its files, or as a run before this one has kept it.

use std::path::{Path, PathBuf};

use keller_io::scenario::SceneSettings;
use keller_io::scene_file::{Found, Prepared, Wanted, read, write};

use crate::failure::Failure;
use crate::files::Outputs;
use crate::interrupt;
use crate::job;
use crate::progress::Progress;
use crate::summary::Stage;

/// Steps 1 and 2: the scene that `settings` name, without clutter, and what else its files told. No file that it is read from may be one of
/// `outputs`. `in_file` says which file an error of the scene is of.
pub(crate) fn prepare(
    settings: &SceneSettings,
    outputs: &Outputs,
    progress: &Progress,
    in_file: impl FnOnce(keller::Error) -> Failure,
) -> Result<Prepared, Failure> {
    progress.report(Stage::Import, 0.0);
    let wanted = Wanted {
        files: &settings.files,
        options: settings.meshes,
    };
    let cache = settings.cache.as_deref();
    if let Some(file) = cache
        && let Some(kept) = kept(file, &wanted, progress)?
    {
        for warning in &kept.warnings {
            progress.warn(warning);
        }
        interrupt::check()?;
        outputs.check(kept.sources.iter().map(PathBuf::as_path))?;
        return Ok(kept);
    }
    let imported = job::import(settings, progress)?;
    interrupt::check()?;
    outputs.check(imported.sources.iter().map(PathBuf::as_path))?;
    if let Some(file) = cache {
        // The name may be that of a file that is missing now and is read where it is not.
        let read = imported
            .contents
            .iter()
            .map(|content| content.file.as_path());
        Outputs::default()
            .with("[scene] cache", Some(file))
            .check(read)?;
    }
    let prepared = Prepared {
        scene: job::scene(&imported.mesh, progress).map_err(in_file)?,
        materials: imported.mesh.materials,
        volumes: imported.volumes,
        georeference: imported.georeference,
        warnings: imported.warnings,
        sources: imported.sources,
        contents: imported.contents,
    };
    drop(imported.mesh.vertices);
    drop(imported.mesh.triangles);
    if let Some(file) = cache {
        // The run needs it no more: the next one is slower, that is all.
        if let Err(error) = write(file, &wanted, &prepared) {
            progress.warn(format!(
                "cannot keep the scene in `{}`: {error}",
                file.display()
            ));
        }
        interrupt::check()?;
    }
    Ok(prepared)
}

/// The scene in `file`, if it is the one that is wanted.
fn kept(
    file: &Path,
    wanted: &Wanted<'_>,
    progress: &Progress,
) -> Result<Option<Prepared>, Failure> {
    let found = read(file, wanted).map_err(|error| Failure::Input(error.to_string()))?;
    let shown = file.display();
    match found {
        Found::Fitting(prepared) => return Ok(Some(*prepared)),
        Found::Nothing => {}
        Found::Stale(why) => progress.note(format!("`{shown}` is made anew: {why}")),
        Found::Damaged(why) => {
            progress.warn(format!("`{shown}` is damaged and is made anew: {why}"));
        }
    }
    Ok(None)
}
