//! Computes the rows that a visibility file does not have yet.

use keller::tiles::VisibilityQuery;
use keller::{Control, Error};

use super::{VisibilityError, VisibilityWriter};

/// The largest number of rows that are searched before they are written, if there are [`STEPS`] times as many: a kill
/// costs no more.
const MAX_ROWS: usize = 16 * 1024;

/// The smallest number of such rows: if there were fewer, neighbours in space would be far from each other.
const MIN_ROWS: usize = 1024;

/// The number of steps: later rows use earlier ones, so steps are many.
const STEPS: usize = 8;

impl VisibilityWriter {
    /// Searches the missing rows and writes them, step by step. Memory holds the visible tiles of 16 384 tiles.
    ///
    /// # Errors
    /// [`VisibilityError::Write`]; [`VisibilityError::Stopped`], after which another run can continue the file.
    ///
    /// # Panics
    /// If the tiles of `query` are not those of the file.
    pub fn fill(
        &mut self,
        query: &VisibilityQuery,
        control: &Control,
    ) -> Result<(), VisibilityError> {
        let num_tiles = self.num_tiles();
        let at_once = (num_tiles / STEPS).clamp(MIN_ROWS, MAX_ROWS);
        while let Some(rows) = self.wanted(at_once) {
            let (before, now) = (rows.start as f64, rows.len() as f64);
            let report = |stage, done: f64| {
                // Progress counts all pairs: later rows ask for fewer.
                let left = 1.0 - (before + done * now) / num_tiles as f64;
                control.report(stage, 1.0 - left * left);
            };
            let here = Control {
                progress: Some(&report),
                ..*control
            };
            let earlier = self.earlier(rows)?;
            match query.rows_after(&earlier, &here) {
                Ok(found) => self.put(&found)?,
                Err(Error::Cancelled) => return Err(VisibilityError::Stopped),
                Err(error) => unreachable!("looking only stops: {error}"),
            }
        }
        Ok(())
    }
}
