//! A coverage as rows of a table.

use std::io;

use keller::coverage::layers::Server;
use keller::units::power_to_db;

use super::{CoverageMap, Figure, Figures, PIECE, pieces, watts};
use crate::formats::OutputError;
use crate::reports::table::{CellRow, MultipathRow, Row, Table};

/// Takes a row and the number of its cell.
type Show<'a> = dyn FnMut(usize, CellRow) -> io::Result<()> + 'a;

/// The contribution of a Tx to a cell.
#[derive(Clone, Copy)]
struct Brought {
    path_gain_db: f64,
    /// The linear ratio.
    sinr: Option<f64>,
    /// The value of [`CellRow::is_doubtful`].
    is_doubtful: Option<bool>,
}

impl CoverageMap<'_> {
    /// Writes a row for every cell that a Tx reaches, sorted by Tx and cell, x running fastest; without the gains of
    /// every Tx it writes one for every cell that is reached at all, of its best server, sorted by cell.
    ///
    /// # Errors
    /// [`OutputError::Write`], also if gains cannot be read.
    ///
    /// # Panics
    /// If there are more than 2^32 transmitters.
    pub fn write_rows(&self, mut table: Table<'_, CellRow>) -> Result<(), OutputError> {
        let written = self.each_row(&mut |_, row| table.write_row(&row));
        finish(table, written)
    }

    /// Writes the same with every [`Figure`] of the paths, which must be there.
    ///
    /// # Errors
    /// [`OutputError::Write`], also if numbers cannot be read.
    ///
    /// # Panics
    /// If there are more than 2^32 transmitters.
    pub fn write_multipath_rows(
        &self,
        mut table: Table<'_, MultipathRow>,
    ) -> Result<(), OutputError> {
        let mut values = vec![Vec::new(); Figure::MULTIPATH.len()];
        // The first cell of `values`, and their Tx.
        let mut held = None;
        let num_cells = self.region.num_cells();
        let written = self.each_row(&mut |cell, row| {
            let tx = row.tx as usize;
            let first = cell - cell % PIECE;
            if held != Some((first, tx)) {
                let piece = first..num_cells.min(first + PIECE);
                for (figure, values) in Figure::MULTIPATH.into_iter().zip(&mut values) {
                    self.read_figure(figure, tx, piece.clone(), values)?;
                }
                held = Some((first, tx));
            }
            let mut figures = [0.0; Figure::MULTIPATH.len()];
            for (figure, values) in figures.iter_mut().zip(&values) {
                *figure = values[cell - first];
            }
            table.write_row(&MultipathRow { cell: row, figures })
        });
        finish(table, written)
    }

    /// Shows all rows in their order, each with the number of its cell.
    fn each_row(&self, show: &mut Show<'_>) -> io::Result<()> {
        if self.has_gains_of_tx {
            (0..self.tx.len()).try_for_each(|tx| self.rows_of_tx(tx, show))
        } else {
            self.rows_of_best(show)
        }
    }

    fn rows_of_tx(&self, tx: usize, show: &mut Show<'_>) -> io::Result<()> {
        let power = watts(self.tx[tx].power_dbm);
        self.each_gains(tx, 0..self.region.num_cells(), |first, gains| {
            let servers = match self.noise_dbm {
                None => Vec::new(),
                Some(_) => self.servers(first..first + gains.len())?,
            };
            let mut doubtful = Vec::new();
            if self.figures == Figures::Rooftops {
                let cells = first..first + gains.len();
                self.read_figure(Figure::DoubtfulRooftops, tx, cells, &mut doubtful)?;
            }
            for (k, gain) in gains.iter().copied().enumerate() {
                let is_reached = gain > 0.0;
                if !is_reached {
                    continue;
                }
                let sinr = self.noise_power().map(|noise| {
                    let power = power * gain;
                    servers[k].sinr_of(Server { tx, power }, noise)
                });
                let is_doubtful = doubtful.get(k).map(|value| *value > 0.0);
                let row = Brought {
                    path_gain_db: power_to_db(gain),
                    sinr,
                    is_doubtful,
                };
                self.row(first + k, tx, row, show)?;
            }
            Ok(())
        })
    }

    fn rows_of_best(&self, show: &mut Show<'_>) -> io::Result<()> {
        for piece in pieces(0..self.region.num_cells()) {
            for (cell, servers) in piece.clone().zip(self.servers(piece)?) {
                let Some(Server { tx, power }) = servers.best else {
                    continue;
                };
                let gain_db = power_to_db(power / watts(self.tx[tx].power_dbm));
                let sinr = self.noise_power().map(|noise| servers.sinr(noise));
                let row = Brought {
                    path_gain_db: gain_db,
                    sinr,
                    is_doubtful: None,
                };
                self.row(cell, tx, row, show)?;
            }
        }
        Ok(())
    }

    /// Shows the row of a cell that has a centre.
    fn row(&self, cell: usize, tx: usize, brought: Brought, show: &mut Show<'_>) -> io::Result<()> {
        let Some(centre) = self.centre(cell) else {
            return Ok(());
        };
        let frame = self.frame;
        let lon_lat = frame.and_then(|frame| frame.to_lon_lat(centre.truncate()).ok());
        let row = CellRow {
            tx: u32::try_from(tx).expect("tables count in 32 bits"),
            centre: centre.to_array(),
            path_gain_db: brought.path_gain_db,
            received_power_dbm: self.tx[tx].power_dbm + brought.path_gain_db,
            sinr_db: brought.sinr.map(power_to_db),
            is_doubtful: brought.is_doubtful,
            lon_lat: lon_lat.map(|at| at.to_array()),
            tx_name: self.tx[tx].name.clone(),
        };
        show(cell, row)
    }
}

fn finish<R: Row>(table: Table<'_, R>, written: io::Result<()>) -> Result<(), OutputError> {
    match written {
        Ok(()) => table.finish(),
        Err(source) => Err(table.failure(source)),
    }
}
