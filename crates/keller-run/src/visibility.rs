//! Computes the visibility between the tiles of a scene, row by row, into a file.

use std::path::Path;
use std::sync::Arc;

use keller::scene::Scene;
use keller::tiles::{RowBuilder, Tiles, VisibilityQuery};
use keller_io::store::Digest;
use keller_io::store::visibility::{
    BLOCK, Header, VisibilityError, VisibilityWriter, rows_as_bytes, rows_of_bytes,
};
use keller_io::store::{BatchStore, Kind, StoreError, Unit};

use crate::observer::{Observer, RunStage, Tell};
use crate::work::{Share, Work};
use crate::{Error, Job};

/// A file of visibility that is being filled. A run that stops leaves its finished rows in a file next to it, and the
/// next run resumes with them.
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
        let told = |_, done| (RunStage::Visibility, done);
        match observer.watch_as(told, |control| self.writer.fill(&query, control)) {
            Ok(()) => Ok(()),
            Err(VisibilityError::Stopped) => Err(Error::Stopped),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes the missing rows from the store of a batch in the folder `place`. Rows that it lacks are computed and
    /// added to it.
    ///
    /// # Errors
    /// [`Error::Store`] for a store that cannot be used, [`Error::Visibility`], [`Error::Stopped`].
    pub fn fill_from_batch(&mut self, place: &Path, observer: &dyn Observer) -> Result<(), Error> {
        let store = BatchStore::open(place)?;
        let plan = store.plan();
        let digest = visibility_digest(&self.scene, &self.tiles);
        let family = plan.families.iter().position(|family| family.is_of(digest));
        let Some(family) = family.filter(|_| plan.kind == Kind::Visibility) else {
            return Err(Error::Store(StoreError::Refused {
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
                return Err(StoreError::changed(place).into());
            }
            next = range.end;
            let done = self.writer.num_done();
            if range.end <= done {
                continue;
            }
            observer.check()?;
            let found = store.get(number)?;
            let read = |(part, bytes): &(Unit, Vec<u8>)| {
                let is_whole = part.range == range;
                is_whole.then(|| rows_of_bytes(bytes, range.len(), num_tiles))?
            };
            let found = found.and_then(|parts| parts.first().and_then(read));
            let rows = if let Some(rows) = found {
                rows
            } else {
                let query =
                    query.get_or_insert_with(|| VisibilityQuery::new(&self.scene, &self.tiles));
                let told = |_, done| (RunStage::Visibility, done);
                let rows = observer.watch_as(told, |control| query.rows(range.clone(), control))?;
                store.put(number, &[(unit.clone(), rows_as_bytes(&rows))])?;
                rows
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
            Err(StoreError::changed(place).into())
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

/// The visibility between the tiles of a job, for batches.
#[derive(Debug)]
pub(crate) struct VisibilityRows {
    job: Arc<Job>,
    tiles: Tiles,
    /// The query, from the first unit on.
    query: Option<Box<VisibilityQuery>>,
}

impl VisibilityRows {
    pub(crate) fn new(job: &Arc<Job>) -> Result<Self, Error> {
        let scene = job.world.scene();
        Ok(Self {
            tiles: Tiles::new(scene, job.scenario.tiles.tiling(scene))?,
            job: Arc::clone(job),
            query: None,
        })
    }
}

impl Work for VisibilityRows {
    type Output = RowBuilder;

    const RESULTS: &'static str = "the visibility";

    fn kind(&self) -> Kind {
        Kind::Visibility
    }

    fn units(&self, most: Option<usize>) -> Vec<Unit> {
        let num_tiles = self.tiles.len();
        let most = most.unwrap_or(num_tiles).div_ceil(BLOCK).max(1) * BLOCK;
        let unit = |first: usize| Unit {
            family: 0,
            region: 0,
            tx: Vec::new(),
            range: first..num_tiles.min(first + most),
        };
        (0..num_tiles).step_by(most).map(unit).collect()
    }

    fn compute(&mut self, unit: &Unit, _: Share) -> Result<(Unit, RowBuilder), Error> {
        let scene = self.job.world.shared_scene();
        let query = || Box::new(VisibilityQuery::new(scene, &self.tiles));
        let query = self.query.get_or_insert_with(query);
        let told = |_, done| (RunStage::Visibility, done);
        let rows = |control: &keller::Control<'_>| query.rows(unit.range.clone(), control);
        let rows = self.job.observer.watch_as(told, rows)?;
        Ok((unit.clone(), rows))
    }

    fn payload(rows: &mut RowBuilder) -> Vec<u8> {
        rows_as_bytes(rows)
    }

    fn read(&self, unit: &Unit, payload: Vec<u8>) -> Option<RowBuilder> {
        rows_of_bytes(&payload, unit.range.len(), self.tiles.len())
    }

    fn job(&self) -> &Arc<Job> {
        &self.job
    }

    fn digest(&self) -> [u8; 16] {
        visibility_digest(self.job.world.scene(), &self.tiles)
    }
}

/// The digest of all that the visibility between tiles follows from.
pub(crate) fn visibility_digest(scene: &Scene, tiles: &Tiles) -> [u8; 16] {
    let mut digest = Digest::new();
    digest.add(&Header::new(scene, tiles));
    digest.finish()
}
