//! The search of a scenario. The search over tiles needs the visibility between tiles, which is computed or read from a
//! file.

use std::sync::Arc;

use keller::Control;
use keller::paths::{Environment, Limits, PathFinder, Search};
use keller::tiles::Tiles;
use keller_io::store::visibility::{Header, VisibilityFile};

use crate::observer::{RunStage, Tell};
use crate::threshold::for_tubes;
use crate::{Error, Job};

impl Job {
    /// The search that the scenario chooses for its scene.
    pub fn search(&self) -> Search {
        self.scenario.paths.search(self.world.scene())
    }

    /// Finds the paths of the scenario. Paths whose gain is certainly below `min_gain` (linear, between isotropic
    /// antennas) may be left out.
    ///
    /// # Errors
    /// [`Error::Input`] for a search that is too large, [`Error::Visibility`], [`Error::Stopped`].
    pub fn finder(&self, min_gain: Option<f64>) -> Result<PathFinder, Error> {
        let paths = &self.scenario.paths;
        if self.search() != Search::Tiles {
            let options = paths.options(self.world.scene());
            let finder =
                |control: &Control<'_>| PathFinder::of_alternatives(&self.world, &options, control);
            let thresholds = for_tubes(&self.scenario);
            return Ok(self.observer.watch(finder)?.with_thresholds(thresholds));
        }
        if paths.largest(|limits| limits.max_transmissions) > 0 {
            self.observer.warn(format!(
                "{}: [paths] max_transmissions: the search `tiles` allows transmissions only on the direct path",
                self.scenario.file.display()
            ));
        }
        let environment = Environment {
            min_gain,
            ..self.environment()?
        };
        let finders = paths
            .all_limits()
            .iter()
            .map(|limits| PathFinder::over_tiles(&self.world, limits, environment.clone()));
        Ok(PathFinder::of_any(finders.collect::<Result<_, _>>()?))
    }

    /// The limits of `[paths]`, for `who` that follows a single set of them. `instead` names the accepted alternatives.
    ///
    /// # Errors
    /// [`Error::Input`] for alternatives that do not all lie within one of them.
    pub(crate) fn only_limits(&self, who: &str, instead: &str) -> Result<&Limits, Error> {
        let paths = &self.scenario.paths;
        paths.only_limits().ok_or_else(|| {
            let line = paths
                .alternatives_line
                .map_or(String::new(), |line| format!(":{line}"));
            Error::Input(format!(
                "{}{line}: [paths] alternatives: found {} tables; accepted with {who}, which follows one set of limits: no alternatives{instead}",
                self.scenario.file.display(),
                paths.alternatives.len()
            ))
        })
    }

    /// The tiles of the scene and the visibility between them.
    ///
    /// # Errors
    /// [`Error::Input`] for tiles that cannot be cut, [`Error::Visibility`], [`Error::Stopped`].
    pub fn environment(&self) -> Result<Environment, Error> {
        let scene = self.world.shared_scene();
        let tiling = self.scenario.tiles.tiling(scene);
        let Some(file) = &self.scenario.tiles.visibility else {
            let environment = self.observer.watch_as(
                |_, done| (RunStage::Visibility, done),
                |control| Environment::new(scene, tiling, control),
            );
            return Ok(environment?);
        };
        let tiles = Tiles::new(scene, tiling)?;
        let rows = VisibilityFile::open(file, &Header::new(scene, &tiles))?;
        Ok(Environment::with_rows(tiles, Arc::new(rows)))
    }
}
