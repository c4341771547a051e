//! Computes the visibility between the tiles of a scene, row by row, into a file.

use std::path::Path;
use std::sync::Arc;

use keller::scene::Scene;
use keller::tiles::{Tiles, VisibilityQuery};
use keller_io::coverage::Digest;
use keller_io::sweep::{SweepError, SweepStore, UnitResult, Work};
use keller_io::visibility::{Header, VisibilityError, VisibilityWriter};

use crate::Error;
use crate::observer::{Observer, Stage, Tell};

/// A file of visibility that is being filled. A run that stops leaves its finished rows beside the file, and the next
/// run resumes with them.
#[derive(Debug)]
pub struct VisibilityRun {
    scene: Arc<Scene>,
    tiles: Tiles,
    writer: VisibilityWriter,
}

impl VisibilityRun {
    /// Opens the file `out` for the tiles of a scene.
    ///
    /// # Errors
    /// [`Error::Visibility`]
    pub fn open(out: &Path, scene: Arc<Scene>, tiles: Tiles) -> Result<Self, Error> {
        let writer = VisibilityWriter::open(out, Header::new(&scene, &tiles))?;
        Ok(Self {
            scene,
            tiles,
            writer,
        })
    }

    /// The rows written so far.
    pub fn writer(&self) -> &VisibilityWriter {
        &self.writer
    }

    /// Computes the missing rows.
    ///
    /// # Errors
    /// [`Error::Visibility`], [`Error::Stopped`].
    pub fn fill(&mut self, observer: &dyn Observer) -> Result<(), Error> {
        let query = VisibilityQuery::new(&self.scene, &self.tiles);
        let told = |_, done| (Stage::Visibility, done);
        match observer.watch_as(told, |control| self.writer.fill(&query, control)) {
            Ok(()) => Ok(()),
            Err(VisibilityError::Stopped) => Err(Error::Stopped),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes the missing rows from the store of a sweep in the folder `place`. What it lacks is computed and added to it.
    ///
    /// # Errors
    /// [`Error::Sweep`] for a store that cannot be used, [`Error::Visibility`], [`Error::Stopped`].
    pub fn fill_from_sweep(&mut self, place: &Path, observer: &dyn Observer) -> Result<(), Error> {
        let store = SweepStore::open(place)?;
        let plan = store.plan();
        let digest = visibility_digest(&self.scene, &self.tiles);
        let family = plan.families.iter().position(|family| family.is_of(digest));
        let Some(family) = family.filter(|_| plan.work == Work::Visibility) else {
            return Err(Error::Sweep(SweepError::Refused {
                file: place.to_owned(),
                problem: "this plan is not for the visibility between these tiles of this scene: name the scenario that was planned, or plan again in another store".to_owned(),
            }));
        };
        let mut query = None;
        for (number, unit) in plan.units.iter().enumerate() {
            if unit.family != family || unit.range.end <= self.writer.num_done() {
                continue;
            }
            observer.check()?;
            let found = store.get(number)?;
            let rows = if let Some(UnitResult::Visibility(rows)) = found {
                rows
            } else {
                let query =
                    query.get_or_insert_with(|| VisibilityQuery::new(&self.scene, &self.tiles));
                let told = |_, done| (Stage::Visibility, done);
                let rows =
                    observer.watch_as(told, |control| query.rows(unit.range.clone(), control))?;
                let result = UnitResult::Visibility(rows.clone());
                store.put(number, &result)?;
                rows
            };
            self.writer.put(&rows)?;
        }
        Ok(())
    }

    /// Moves the complete file to its place and returns its size, bytes.
    ///
    /// # Errors
    /// [`Error::Visibility`]
    pub fn finish(self) -> Result<u64, Error> {
        Ok(self.writer.finish()?)
    }
}

/// Of all that the visibility between tiles follows from.
pub(crate) fn visibility_digest(scene: &Scene, tiles: &Tiles) -> [u8; 16] {
    let mut digest = Digest::new();
    digest.add(&Header::new(scene, tiles));
    digest.finish()
}
