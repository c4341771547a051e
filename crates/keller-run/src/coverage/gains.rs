//! Holds the gains of finished cells in memory, or in a file from which a stopped run resumes.

use std::io;
use std::ops::Range;

use keller_io::coverage::{Part, Store};

use crate::Error;

/// The gains of all Tx, and the figures of their paths, as rows of cells.
#[derive(Debug)]
pub(super) enum Gains {
    Held(Held),
    Part(Part),
}

/// Rows in memory.
#[derive(Debug)]
pub(super) struct Held(Vec<Vec<f64>>);

impl Gains {
    /// Empty rows in memory.
    pub(super) fn held(num_rows: usize) -> Self {
        Self::Held(Held(vec![Vec::new(); num_rows]))
    }

    /// The place from which rows are read.
    pub(super) fn store(&self) -> &dyn Store {
        match self {
            Self::Held(held) => held,
            Self::Part(part) => part,
        }
    }

    /// Adds the values of some cells to a row.
    pub(super) fn put(
        &mut self,
        row: usize,
        cells: Range<usize>,
        values: &[f64],
    ) -> Result<(), Error> {
        match self {
            Self::Held(held) => held.0[row].extend_from_slice(values),
            Self::Part(part) => part.put(row, cells, values)?,
        }
        Ok(())
    }

    /// The next missing cells of these rows: at most `most`, or the smallest possible block.
    pub(super) fn next(
        &self,
        rows: &[usize],
        num_cells: usize,
        most: usize,
    ) -> Option<Range<usize>> {
        match self {
            Self::Part(part) => part.missing(rows, most).into_iter().next(),
            Self::Held(held) => {
                let first = held.0[rows[0]].len();
                let block = first..first.saturating_add(most.max(1)).min(num_cells);
                Some(block).filter(|block| !block.is_empty())
            }
        }
    }

    /// The filled share, 0 to 1.
    pub(super) fn done(&self, num_cells: usize) -> f64 {
        match self {
            Self::Part(part) => part.done(),
            Self::Held(held) => {
                let filled: usize = held.0.iter().map(Vec::len).sum();
                filled as f64 / (held.0.len() * num_cells) as f64
            }
        }
    }
}

impl Store for Held {
    fn row(&self, row: usize, cells: Range<usize>, values: &mut Vec<f64>) -> io::Result<()> {
        values.clear();
        values.extend_from_slice(&self.0[row][cells]);
        Ok(())
    }
}
