//! A coverage as an archive of numpy.

use std::io;

use super::CoverageMap;
use crate::formats::OutputFile;
use crate::formats::arrays::{ArraySink, TypedArrays};
use crate::formats::npz::NpzWriter;
use crate::formats::{About, OutputError};

impl CoverageMap<'_> {
    /// Writes everything to `out` as a deflated `.npz` of numpy, whole or not at all: `x`, `y`, `z`, `ground[y, x]` if
    /// heights are over it, `tx_power_dbm[tx]`, `tx_name[tx]`, `path_gain_db[tx, z, y, x]` if the gains of every Tx are
    /// wanted, and so every [`super::Figure`] if it is there, `best_server[z, y, x]`, and, unless it is the gain of the
    /// only Tx plus its power, `received_power_dbm[z, y, x]`; for several Tx `second_server`, `second_power_dbm` and
    /// `total_power_dbm`; if the noise is given, `sinr_db[z, y, x]`. Coordinates are `float64`, servers `int16`, all
    /// others `float32`. Values are NaN where no receiver can be, minus infinity where no path leads, -1 where no Tx
    /// serves. `keller` and `scenario` are version and scenario in UTF-8: `bytes(f["scenario"]).decode()`. If the
    /// scene's place on earth is known: `easting[x]`, `northing[y]`, their system `crs` in UTF-8, and `origin`,
    /// easting, northing and height of (0, 0, 0), metres.
    ///
    /// In a turned region `x` and `y` run along its own axes from its `corner`, whose rows have the direction `x_axis`;
    /// `scene_x[y, x]` and `scene_y[y, x]` are its cells in the scene, and `easting` and `northing` have these
    /// dimensions too.
    ///
    /// # Errors
    /// [`OutputError::Write`]
    pub fn write_npz(&self, out: OutputFile, about: &About) -> Result<(), OutputError> {
        out.write(|writer| {
            let mut npz = NpzWriter::new(writer);
            self.write_arrays(about, &mut npz)?;
            npz.finish()
        })
    }

    /// Hands the arrays of [`Self::write_npz`] to `sink`.
    ///
    /// # Errors
    /// The errors of `sink`, and of reading finished blocks back.
    pub fn write_arrays(&self, about: &About, sink: &mut dyn ArraySink) -> io::Result<()> {
        for array in self.arrays() {
            let number = array.number;
            sink.array(
                array.name,
                number.name(),
                number.size(),
                &array.shape,
                &mut |writer| {
                    let count = array.shape.iter().product();
                    // The array holds one Tx after the other.
                    let own: usize = array.shape.iter().rev().take(3).product();
                    for first in (0..count).step_by(own.max(1)) {
                        self.write_values(&array, first..first + own, writer)?;
                    }
                    Ok(())
                },
            )?;
        }
        sink.texts("tx_name", &self.tx_names())?;
        sink.about(about)
    }
}
