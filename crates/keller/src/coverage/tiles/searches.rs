//! The searches that find exact paths to tiles, together.

use super::exact::Exact;
use crate::paths::{Environment, Path, TileChains, TileFinder};
use crate::{Control, DVec3, Error, World};

/// Searches of which each is asked for its own paths, so that none is found twice.
#[derive(Debug)]
pub(super) struct Searches {
    exact: Exact,
    finders: Vec<TileFinder>,
}

impl Searches {
    /// The searches for the paths that are exact.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] if the chains are too long.
    pub(super) fn new(
        world: &World,
        environment: &Environment,
        exact: Exact,
    ) -> Result<Self, Error> {
        let searches = exact.searches();
        let finders = searches.iter().enumerate().map(|(number, limits)| {
            let environment = Environment {
                // The first search has all paths without a diffraction.
                is_complete_through_walls: number == 0,
                ..environment.clone()
            };
            TileFinder::new(world, limits, environment)
        });
        Ok(Self {
            exact,
            finders: finders.collect::<Result<_, _>>()?,
        })
    }

    /// The chains that each search finds from a point to the centres of tiles.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn chains(&self, tx: DVec3, control: &Control) -> Result<Vec<TileChains>, Error> {
        let of_one = |(number, finder): (usize, &TileFinder)| {
            let told = |stage, done: f64| {
                control.report(stage, (number as f64 + done) / self.finders.len() as f64);
            };
            let control = Control {
                progress: Some(&told),
                ..*control
            };
            finder.chains_to_tiles(tx, &control)
        };
        self.finders.iter().enumerate().map(of_one).collect()
    }

    /// The values of `each` for the number of each tile and the paths that each search has to its centre.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(super) fn each<T: Send>(
        &self,
        chains: &[TileChains],
        each: impl Fn(usize, Vec<Vec<Path>>) -> T + Sync,
        control: &Control,
    ) -> Result<Vec<T>, Error> {
        let each = |number: usize, mut paths: Vec<Vec<Path>>| {
            for (search, paths) in paths.iter_mut().enumerate() {
                paths.retain(|path| self.exact.is_of(search, path));
            }
            each(number, paths)
        };
        TileFinder::paths_to_tiles(&self.finders, chains, each, control)
    }
}
