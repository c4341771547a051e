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

/// Rows in memory, filled from the first cell to the last.
#[derive(Debug)]
pub(super) struct Held {
    rows: Vec<Vec<f64>>,
    cells: Range<usize>,
}

impl Gains {
    /// Empty rows of some cells, in memory.
    pub(super) fn held(num_rows: usize, cells: Range<usize>) -> Self {
        Self::Held(Held {
            rows: vec![Vec::new(); num_rows],
            cells,
        })
    }

    /// The rows that memory holds.
    pub(super) fn into_rows(self) -> Vec<Vec<f64>> {
        match self {
            Self::Held(held) => held.rows,
            Self::Part(_) => Vec::new(),
        }
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
            Self::Held(held) => held.rows[row].extend_from_slice(values),
            Self::Part(part) => part.put(row, cells, values)?,
        }
        Ok(())
    }

    /// The next missing cells of these rows: at most `most`, or the smallest possible block.
    pub(super) fn next(&self, rows: &[usize], most: usize) -> Option<Range<usize>> {
        match self {
            Self::Part(part) => part.missing(rows, most).into_iter().next(),
            Self::Held(held) => {
                let first = held.cells.start + held.rows[rows[0]].len();
                let block = first..first.saturating_add(most.max(1)).min(held.cells.end);
                Some(block).filter(|block| !block.is_empty())
            }
        }
    }

    /// The filled share, 0 to 1.
    pub(super) fn done(&self) -> f64 {
        match self {
            Self::Part(part) => part.done(),
            Self::Held(held) => {
                let filled: usize = held.rows.iter().map(Vec::len).sum();
                filled as f64 / (held.rows.len() * held.cells.len()) as f64
            }
        }
    }
}

impl Store for Held {
    fn row(&self, row: usize, cells: Range<usize>, values: &mut Vec<f64>) -> io::Result<()> {
        values.clear();
        let first = self.cells.start;
        values.extend_from_slice(&self.rows[row][cells.start - first..cells.end - first]);
        Ok(())
    }
}
