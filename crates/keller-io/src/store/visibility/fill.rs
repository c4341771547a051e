//! Computes the rows that a visibility file does not have yet.

use keller::tiles::VisibilityQuery;
use keller::{Control, Error};

use super::{VisibilityError, VisibilityWriter};

/// Rows that are looked for before they are written, if there are [`STEPS`] times as many: a kill costs no more.
const MAX_ROWS: usize = 16 * 1024;

/// And at least so many: of fewer, neighbours in space are far from each other.
const MIN_ROWS: usize = 1024;

/// Later rows know of earlier ones, so steps are many.
const STEPS: usize = 8;

impl VisibilityWriter {
    /// Looks for the rows that are missing and writes them, step by step. Memory holds what 16 384 tiles see.
    ///
    /// # Errors
    /// [`VisibilityError::Write`]; [`VisibilityError::Stopped`], after which the file can be gone on with.
    ///
    /// # Panics
    /// If `query` looks from other tiles than the file's.
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
                // Of all pairs: later rows ask for fewer.
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
