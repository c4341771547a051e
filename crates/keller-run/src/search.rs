//! The search of a scenario. The search over tiles needs the visibility between tiles, which is computed or read from a
//! file.

use std::sync::Arc;

use keller::Control;
use keller::paths::{Environment, PathFinder, Search};
use keller::tiles::Tiles;
use keller_io::visibility::{Header, VisibilityFile};

use crate::observer::{Stage, Tell};
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
        let (search, limits) = (self.search(), &self.scenario.paths.limits);
        if search != Search::Tiles {
            let finder =
                |control: &Control<'_>| PathFinder::new(&self.world, limits, search, control);
            return Ok(self.observer.watch(finder)?);
        }
        if limits.max_transmissions > 0 {
            self.observer.warn(format!(
                "{}: [paths] max_transmissions: the search `tiles` allows transmissions only on the direct path",
                self.scenario.file.display()
            ));
        }
        let environment = Environment {
            min_gain,
            ..self.environment()?
        };
        Ok(PathFinder::over_tiles(&self.world, limits, environment)?)
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
                |_, done| (Stage::Visibility, done),
                |control| Environment::new(scene, tiling, control),
            );
            return Ok(environment?);
        };
        let tiles = Tiles::new(scene, tiling)?;
        let rows = VisibilityFile::open(file, &Header::new(scene, &tiles))?;
        Ok(Environment::with_rows(tiles, Arc::new(rows)))
    }
}
