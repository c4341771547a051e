//! Where the gains of a coverage are, read a piece at a time.

use std::fmt;
use std::io;
use std::ops::Range;

use keller::coverage::Coverage;
use keller::coverage::layers::Servers;

/// The gains of a coverage, in memory or in a file.
pub trait Store: fmt::Debug {
    /// Makes `gains` the linear path gains of a Tx in the cells with these numbers, as [`Coverage::path_gain`] has them.
    ///
    /// # Errors
    /// If they cannot be read.
    fn gains(&self, tx: usize, cells: Range<usize>, gains: &mut Vec<f64>) -> io::Result<()>;

    /// What these cells receive from all transmitters, if that has been put down already.
    ///
    /// # Errors
    /// If it cannot be read.
    fn servers(&self, cells: Range<usize>) -> io::Result<Option<Vec<Servers>>> {
        let _ = cells;
        Ok(None)
    }
}

impl Store for Coverage {
    fn gains(&self, tx: usize, cells: Range<usize>, gains: &mut Vec<f64>) -> io::Result<()> {
        gains.clear();
        gains.extend_from_slice(&self.of_tx(tx)[cells]);
        Ok(())
    }
}
