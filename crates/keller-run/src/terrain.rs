//! Simplifies the terrain of a scene, and reports the result.

use keller::scene::{Scene, SimplifiedTerrain};
use keller_io::formats::Warning;
use keller_io::scenario::SceneSettings;

use crate::Error;
use crate::observer::{Observer, RunStage, Tell};

/// The scene with the terrain that `settings` ask for, and figures of the simplification. Parts that had to stay are
/// added to `warnings`.
///
/// # Errors
/// [`Error::Stopped`].
pub(crate) fn simplify(
    scene: Scene,
    settings: &SceneSettings,
    warnings: &mut Vec<Warning>,
    observer: &dyn Observer,
) -> Result<(Scene, Option<SimplifiedTerrain>), Error> {
    let Some(max_error) = settings.terrain_error_m else {
        return Ok((scene, None));
    };
    let simplified = observer.watch_as(
        |_, done| (RunStage::Scene, done),
        |control| scene.with_simplified_terrain(max_error, control),
    );
    let (scene, terrain) = simplified.map_err(|error| match error {
        keller::Error::Cancelled => Error::Stopped,
        error => Error::Input(format!("{}: {error}", settings.files[0].display())),
    })?;
    let problem = match terrain {
        SimplifiedTerrain {
            num_before: 0,
            num_left: 0,
            ..
        } => Some("no terrain was found that could be simplified".to_owned()),
        SimplifiedTerrain { num_left: 0, .. } => None,
        SimplifiedTerrain { num_left, .. } => Some(format!(
            "{num_left} triangles of terrain stay as they are, because there is another height over or beside them"
        )),
    };
    warnings.extend(problem.map(|problem| Warning {
        file: settings.files[0].clone(),
        message: format!("[scene] terrain_error_m: {problem}"),
    }));
    Ok((scene, Some(terrain)))
}

/// Reports the number of triangles before and after.
pub(crate) fn tell(
    terrain: Option<SimplifiedTerrain>,
    settings: &SceneSettings,
    observer: &dyn Observer,
) {
    let (Some(terrain), Some(error)) = (terrain, settings.terrain_error_m) else {
        return;
    };
    if terrain.num_before > 0 {
        observer.note(format!(
            "[scene] terrain_error_m: {} triangles of terrain became {} within {error} m",
            terrain.num_before, terrain.num_after
        ));
    }
}
