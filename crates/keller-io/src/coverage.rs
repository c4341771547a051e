//! Coverages as files: a row a cell and Tx, or arrays.

use std::io;

use keller::coverage::{Coverage, Levels, layers};
use keller::units::power_to_db;

use crate::OutputFile;
use crate::npz::NpzWriter;
use crate::table::{About, CellRow, TableError, VERSION};

/// A coverage, and what its transmitters send.
#[derive(Debug, Clone)]
pub struct CoverageMap<'a> {
    /// The gains.
    pub coverage: &'a Coverage,
    /// What each transmitter sends, dBm.
    pub tx_power_dbm: Vec<f64>,
    /// Noise in the band of a receiver, dBm, if it is known.
    pub noise_dbm: Option<f64>,
    /// Smaller gains count as none, linear.
    pub least_gain: f64,
}

impl CoverageMap<'_> {
    /// Rows of all cells that a Tx reaches, sorted by Tx and cell, x running fastest.
    ///
    /// # Panics
    /// If there are more than 2^32 transmitters.
    pub fn rows(&self) -> impl Iterator<Item = CellRow> + '_ {
        let region = &self.coverage.region;
        let power = self.tx_power();
        (0..self.coverage.num_tx).flat_map(move |tx| {
            let gains = self.coverage.of_tx(tx);
            let power = power.clone();
            let reached = (0..region.num_cells()).filter(|&cell| self.counts(gains[cell]));
            reached.filter_map(move |cell| {
                let centre = self.coverage.centre(region.cell(cell))?;
                let path_gain_db = power_to_db(gains[cell]);
                let sinr_db = self.noise_dbm.map(|noise_dbm| {
                    let of = |other: usize| power[other] * self.coverage.of_tx(other)[cell];
                    let others = (0..power.len()).filter(|&other| other != tx).map(of);
                    power_to_db(of(tx) / (others.sum::<f64>() + watts(noise_dbm)))
                });
                Some(CellRow {
                    tx: u32::try_from(tx).expect("tables count in 32 bits"),
                    centre: centre.to_array(),
                    path_gain_db,
                    received_power_dbm: self.tx_power_dbm[tx] + path_gain_db,
                    sinr_db,
                })
            })
        })
    }

    /// Writes everything to `out` as a `.npz` of numpy, whole or not at all. Arrays, `float64` or as said, NaN where no receiver can
    /// be:
    ///
    /// | name | shape | |
    /// |---|---|---|
    /// | `path_gain_db` | `[num_tx, nz, ny, nx]` | with the transmitter's antenna and an isotropic receiver of both polarisations; minus infinity where no path leads |
    /// | `x`, `y` | `[nx]`, `[ny]` | middles of the cells, m |
    /// | `z` | `[nz]` | their heights over the scene's zero, or over `ground`, m |
    /// | `ground` | `[ny, nx]` | height of the ground, m; only if heights are over it |
    /// | `tx_power_dbm` | `[num_tx]` | |
    /// | `best_server` | `[nz, ny, nx]`, `int64` | index of the Tx received best, -1 where none is |
    /// | `received_power_dbm` | `[nz, ny, nx]` | from the best server |
    /// | `sinr_db` | `[nz, ny, nx]` | of the best server; only if the noise is given |
    /// | `keller`, `scenario` | `uint8` | version and scenario, UTF-8: `bytes(f["scenario"]).decode()` |
    ///
    /// # Errors
    /// [`TableError::Write`]
    pub fn write_npz(&self, out: OutputFile, about: &About) -> Result<(), TableError> {
        out.write(|writer| {
            let mut npz = NpzWriter::new(writer);
            self.write_arrays(&mut npz)?;
            npz.bytes("keller", VERSION)?;
            npz.bytes("scenario", &about.scenario)?;
            npz.finish()
        })
    }

    fn write_arrays<W: io::Write + io::Seek>(&self, npz: &mut NpzWriter<W>) -> io::Result<()> {
        let region = &self.coverage.region;
        let [nx, ny, nz] = region.shape();
        let gains: Vec<f64> = self.path_gain_db().collect();
        npz.real("path_gain_db", &[self.coverage.num_tx, nz, ny, nx], &gains)?;
        let x: Vec<f64> = (0..nx).map(|i| region.column(i, 0).x).collect();
        let y: Vec<f64> = (0..ny).map(|j| region.column(0, j).y).collect();
        npz.real("x", &[nx], &x)?;
        npz.real("y", &[ny], &y)?;
        npz.real("z", &[nz], region.levels.heights())?;
        if let Levels::AboveGround(_) = region.levels {
            npz.real("ground", &[ny, nx], &self.coverage.ground)?;
        }
        npz.real(
            "tx_power_dbm",
            &[self.tx_power_dbm.len()],
            &self.tx_power_dbm,
        )?;
        let noise = self.noise_dbm.map_or(0.0, watts);
        let best = layers::best_server(self.coverage, &self.tx_power(), noise);
        let servers = best.tx.iter().map(|tx| {
            tx.map_or(-1, |tx| {
                i64::try_from(tx).expect("fewer than 2^63 transmitters")
            })
        });
        npz.integers("best_server", &[nz, ny, nx], servers)?;
        let power: Vec<f64> = best.power.iter().map(|p| power_to_db(*p) + 30.0).collect();
        npz.real("received_power_dbm", &[nz, ny, nx], &power)?;
        if self.noise_dbm.is_some() {
            let sinr: Vec<f64> = best.sinr.iter().map(|s| power_to_db(*s)).collect();
            npz.real("sinr_db", &[nz, ny, nx], &sinr)?;
        }
        Ok(())
    }

    /// `[num_tx, nz, ny, nx]`; minus infinity where no path leads, NaN where no receiver can be.
    pub fn path_gain_db(&self) -> impl Iterator<Item = f64> + '_ {
        self.coverage.path_gain.iter().map(|&gain| {
            if gain.is_nan() {
                f64::NAN
            } else if self.counts(gain) {
                power_to_db(gain)
            } else {
                f64::NEG_INFINITY
            }
        })
    }

    fn counts(&self, gain: f64) -> bool {
        gain > 0.0 && gain >= self.least_gain
    }

    /// W
    fn tx_power(&self) -> Vec<f64> {
        self.tx_power_dbm.iter().map(|dbm| watts(*dbm)).collect()
    }
}

fn watts(dbm: f64) -> f64 {
    10.0_f64.powf((dbm - 30.0) / 10.0)
}
