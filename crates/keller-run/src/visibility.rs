//! Computes the visibility between the tiles of a scene, row by row, into a file.

use std::path::Path;
use std::sync::Arc;

use keller::scene::Scene;
use keller::tiles::{RowBuilder, Tiles, VisibilityQuery, row_ids};
use keller_io::coverage::Digest;
use keller_io::sweep::{SweepError, SweepStore, UnitResult, Work};
use keller_io::visibility::{BLOCK, Header, VisibilityError, VisibilityWriter};

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
        let num_tiles = self.tiles.len();
        let mut query = None;
        let mut next = 0;
        for (number, unit) in plan.units.iter().enumerate() {
            if unit.family != family {
                continue;
            }
            let range = unit.range.clone();
            let is_whole = range.end == num_tiles || range.end.is_multiple_of(BLOCK);
            if range.start != next || range.end <= next || range.end > num_tiles || !is_whole {
                return Err(SweepError::changed(place).into());
            }
            next = range.end;
            let done = self.writer.num_done();
            if range.end <= done {
                continue;
            }
            observer.check()?;
            let found = store.get(number)?;
            let rows = match found {
                Some(UnitResult::Visibility(rows)) if fits(&rows, num_tiles) => rows,
                _ => {
                    let query =
                        query.get_or_insert_with(|| VisibilityQuery::new(&self.scene, &self.tiles));
                    let told = |_, done| (Stage::Visibility, done);
                    let rows =
                        observer.watch_as(told, |control| query.rows(range.clone(), control))?;
                    let result = UnitResult::Visibility(rows.clone());
                    store.put(number, &result)?;
                    rows
                }
            };
            // Another run may have ended amid them.
            let mut wanted = RowBuilder::default();
            for row in done.saturating_sub(range.start)..range.len() {
                wanted.push_row(&rows, row);
            }
            self.writer.put(&wanted)?;
        }
        if next == num_tiles {
            Ok(())
        } else {
            Err(SweepError::changed(place).into())
        }
    }

    /// Moves the complete file to its place and returns its size, bytes.
    ///
    /// # Errors
    /// [`Error::Visibility`]
    pub fn finish(self) -> Result<u64, Error> {
        Ok(self.writer.finish()?)
    }
}

/// Whether rows that were read back are of so many tiles: each ascends and ends before their number.
fn fits(rows: &RowBuilder, num_tiles: usize) -> bool {
    let ends = |row: &[u8]| row_ids(row).last().map_or(0, |run| run.end as usize);
    (0..rows.ends.len()).all(|row| ends(rows.row(row)) <= num_tiles)
}

/// Of all that the visibility between tiles follows from.
pub(crate) fn visibility_digest(scene: &Scene, tiles: &Tiles) -> [u8; 16] {
    let mut digest = Digest::new();
    digest.add(&Header::new(scene, tiles));
    digest.finish()
}
