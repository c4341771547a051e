//! Coverages as files: tables with a row for each cell and Tx, arrays, and maps that other programs open.

mod arrays;
mod cell_axes;
mod cell_values;
mod contours;
mod coordinates;
mod figure;
mod geotiff;
mod kept_cells;
mod kmz;
mod layer;
mod map_array;
pub(crate) mod model;
mod npz;
mod pictured;
mod rings;
mod rows;
mod servers_bytes;
mod stored;
mod zarr;

use std::io;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use keller::DVec3;
use keller::coverage::layers::Servers;
use keller::coverage::{Levels, Region};
use keller_geo::crs::Frame;

pub(crate) use cell_axes::CellAxes;
pub use cell_values::CellValues;
pub use coordinates::CoverageCoordinates;
pub use figure::{Figure, Figures, rows, rows_of};
pub use kept_cells::{CHUNK, KeptCells};
pub use kmz::KmzOptions;
pub use pictured::PicturedLayer;
pub use stored::{NearestGain, NearestPlace, StoredError, StoredGains};

/// The number of cells that are held at a time, of one Tx.
const PIECE: usize = 1 << 16;

/// The number of Tx from which on it takes fewer bytes to read the powers that a cell receives from all than to read
/// their gains.
pub const MANY_TX: usize = 5;

/// A coverage with its Tx and its place. Gains are read piece by piece, so that writers need little memory.
#[derive(Debug, Clone)]
pub struct CoverageMap<'a> {
    /// The cells.
    pub region: &'a Region,
    /// The heights of [`keller::coverage::Coverage::ground`].
    pub ground: &'a [f64],
    /// The gains.
    pub gains: Rc<dyn CellValues + 'a>,
    /// The transmitters, in the order of the gains.
    pub tx: Vec<MapTx>,
    /// The noise in the band of a receiver, dBm, if it is known.
    pub noise_dbm: Option<f64>,
    /// The smallest gain that counts, linear.
    pub min_gain: f64,
    /// Whether files hold the gains of every Tx, or only the powers that cells receive from all.
    pub has_gains_of_tx: bool,
    /// The figures other than the gains, for files to hold.
    pub figures: Figures,
    /// Whether the cells fill a volume; if not, they are planes, such as one over each floor.
    pub is_volume: bool,
    /// The place of the coordinates on earth, if that is known.
    pub frame: Option<&'a Frame>,
}

/// A transmitter of a [`CoverageMap`].
#[derive(Debug, Clone, PartialEq)]
pub struct MapTx {
    /// The name in files: its own, or its number if it has none.
    pub name: Arc<str>,
    /// The position, metres.
    pub position: DVec3,
    /// The transmitted power, dBm.
    pub power_dbm: f64,
}

impl CoverageMap<'_> {
    /// Shows linear gains of a Tx in cells piece by piece, each with the number of its first cell: zero where no path
    /// leads or the gain does not count, NaN where no receiver can be.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn each_gains<E: From<io::Error>>(
        &self,
        tx: usize,
        cells: Range<usize>,
        mut show: impl FnMut(usize, &[f64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut gains = Vec::new();
        for piece in pieces(cells) {
            self.read(tx, piece.clone(), &mut gains)?;
            show(piece.start, &gains)?;
        }
        Ok(())
    }

    /// Computes the powers that cells receive from all Tx once for all writers, if there are many Tx, and stores them
    /// with the gains, if these are in a file.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn keep_servers(&self) -> io::Result<()> {
        self.gains.keep_servers(&mut |cells| self.servers(cells))
    }

    /// The height of a level, in words.
    pub fn height_name(&self, level: usize) -> String {
        let levels = &self.region.levels;
        let height = levels.heights()[level];
        match levels {
            Levels::AboveGround(_) => format!("{height} m above the ground"),
            Levels::AboveSea(_) => format!("{height} m above zero"),
        }
    }

    /// The centre of a cell, metres; `None` without ground below.
    fn centre(&self, cell: usize) -> Option<DVec3> {
        self.region.centre(self.region.cell(cell), self.ground)
    }

    fn read(&self, tx: usize, cells: Range<usize>, gains: &mut Vec<f64>) -> io::Result<()> {
        self.gains.row(tx, cells, gains)?;
        for gain in gains {
            if *gain < self.min_gain {
                *gain = 0.0;
            }
        }
        Ok(())
    }

    /// The powers that cells receive from all Tx.
    fn servers(&self, cells: Range<usize>) -> io::Result<Vec<Servers>> {
        if let Some(servers) = self.gains.servers(cells.clone())? {
            return Ok(servers);
        }
        let mut servers = vec![Servers::default(); cells.len()];
        let mut gains = Vec::new();
        for (index, tx) in self.tx.iter().enumerate() {
            let power = watts(tx.power_dbm);
            self.read(index, cells.clone(), &mut gains)?;
            for (servers, gain) in servers.iter_mut().zip(&gains) {
                servers.add(index, power * gain);
            }
        }
        Ok(servers)
    }

    /// The power of the noise, W.
    fn noise_power(&self) -> Option<f64> {
        self.noise_dbm.map(watts)
    }
}

/// The cells, cut into pieces that may be held.
fn pieces(cells: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let end = cells.end;
    let piece = move |first: usize| first..(first + PIECE).min(end);
    cells.step_by(PIECE).map(piece)
}

fn watts(dbm: f64) -> f64 {
    10.0_f64.powf((dbm - 30.0) / 10.0)
}

#[cfg(test)]
mod read_back;
#[cfg(test)]
mod tests;
