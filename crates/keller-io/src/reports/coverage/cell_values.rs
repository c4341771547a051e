//! The numbers of a coverage, read a piece at a time from memory or from the file of its run.

use std::fmt;
use std::io;
use std::ops::Range;

use keller::coverage::Coverage;
use keller::coverage::layers::Servers;

/// The numbers of a coverage, in memory or in a file: rows of one for each cell. The first are the linear path gains of
/// every Tx, as [`Coverage::path_gain`] has them. Then come all available [`super::Figure`]s, each for every Tx in
/// turn.
pub trait CellValues: fmt::Debug {
    /// Makes `values` those of a row in the cells with these numbers.
    ///
    /// # Errors
    /// If they cannot be read.
    fn row(&self, row: usize, cells: Range<usize>, values: &mut Vec<f64>) -> io::Result<()>;

    /// The powers that these cells receive from all transmitters, if they have been stored already.
    ///
    /// # Errors
    /// If it cannot be read.
    fn servers(&self, cells: Range<usize>) -> io::Result<Option<Vec<Servers>>> {
        let _ = cells;
        Ok(None)
    }

    /// Stores the powers that all cells receive from all transmitters, if reading them then takes less than computing
    /// them again.
    ///
    /// # Errors
    /// If it cannot be written.
    fn keep_servers(
        &self,
        servers: &mut dyn FnMut(Range<usize>) -> io::Result<Vec<Servers>>,
    ) -> io::Result<()> {
        let _ = servers;
        Ok(())
    }
}

impl<T: CellValues + ?Sized> CellValues for &T {
    fn row(&self, row: usize, cells: Range<usize>, values: &mut Vec<f64>) -> io::Result<()> {
        (**self).row(row, cells, values)
    }

    fn servers(&self, cells: Range<usize>) -> io::Result<Option<Vec<Servers>>> {
        (**self).servers(cells)
    }

    fn keep_servers(
        &self,
        servers: &mut dyn FnMut(Range<usize>) -> io::Result<Vec<Servers>>,
    ) -> io::Result<()> {
        (**self).keep_servers(servers)
    }
}

impl CellValues for Coverage {
    fn row(&self, row: usize, cells: Range<usize>, values: &mut Vec<f64>) -> io::Result<()> {
        values.clear();
        values.extend_from_slice(&self.of_tx(row)[cells]);
        Ok(())
    }
}
