//! Computes the visibility between the tiles of a scene, row by row, into a file.

use std::path::Path;
use std::sync::Arc;

use keller::scene::Scene;
use keller::tiles::{Tiles, VisibilityQuery};
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

    /// Moves the complete file to its place and returns its size, bytes.
    ///
    /// # Errors
    /// [`Error::Visibility`]
    pub fn finish(self) -> Result<u64, Error> {
        Ok(self.writer.finish()?)
    }
}
