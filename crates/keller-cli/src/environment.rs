//! The search that a scenario asks for, and where it goes by tiles the tiles and what they see of each other: looked for, or from a file.

use std::sync::Arc;

use keller::Control;
use keller::paths::{Environment, PathFinder, PowerThreshold, Search, Transparency};
use keller::scene::Scene;
use keller::tiles::Tiles;
use keller_io::scenario::Scenario;
use keller_io::visibility::{Header, VisibilityFile};

use crate::failure::Failure;
use crate::progress::Progress;
use crate::stop;
use crate::summary::Stage;

/// Who finds the paths of a scenario. What is surely under the `threshold` may be left out.
pub(crate) fn finder<'a>(
    scenario: &'a Scenario,
    scene: &'a Scene,
    transparency: &'a Transparency,
    threshold: Option<PowerThreshold>,
    progress: &Progress,
) -> Result<PathFinder<'a>, Failure> {
    let search = scenario.paths.search(scene);
    let finder = PathFinder::new(scene, &scenario.paths.limits, transparency, search);
    if search == Search::Tiles {
        if scenario.paths.limits.max_transmissions > 0 {
            progress.warn(format!(
                "{}: [paths] max_transmissions: the search `tiles` passes walls on the direct way alone",
                scenario.file.display()
            ));
        }
        let environment = Environment {
            threshold,
            ..environment(scenario, scene, progress)?
        };
        Ok(finder.with_environment(environment)?)
    } else {
        Ok(finder)
    }
}

/// The tiles of a scene and what they see of each other.
pub(crate) fn environment(
    scenario: &Scenario,
    scene: &Scene,
    progress: &Progress,
) -> Result<Environment, Failure> {
    let report = |_, done: f64| progress.report(Stage::Visibility, done);
    let control = Control {
        cancelled: Some(stop::flag()),
        progress: Some(&report),
    };
    let tiling = scenario.tiles.tiling(scene);
    let Some(file) = &scenario.tiles.visibility else {
        return Ok(Environment::new(scene, tiling, &control)?);
    };
    let tiles = Tiles::new(scene, tiling)?;
    let rows = VisibilityFile::open(file, &Header::new(scene, &tiles))?;
    Ok(Environment::with_rows(tiles, Arc::new(rows)))
}
