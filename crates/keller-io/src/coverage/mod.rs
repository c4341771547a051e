//! Coverages as files: a row a cell and Tx, or arrays.

mod npz;
mod zarr;

use keller::coverage::{Coverage, Levels, layers};
use keller::units::power_to_db;

use crate::table::CellRow;

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

/// An array of a file.
#[derive(Debug)]
struct MapArray {
    name: &'static str,
    unit: &'static str,
    long_name: &'static str,
    dimensions: &'static [&'static str],
    shape: Vec<usize>,
    /// The last dimension running fastest.
    values: Values,
}

#[derive(Debug)]
enum Values {
    Real(Vec<f64>),
    Whole(Vec<i64>),
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

    /// Every array that a file holds: coordinates first. NaN where no receiver can be, -1 where nobody serves.
    ///
    /// | name | dimensions | |
    /// |---|---|---|
    /// | `x`, `y` | x; y | middles of the cells, m |
    /// | `z` | z | their heights over the scene's zero, or over `ground`, m |
    /// | `ground` | y, x | height of the ground, m; only if heights are over it |
    /// | `tx_power_dbm` | tx | |
    /// | `path_gain_db` | tx, z, y, x | with the transmitter's antenna and an isotropic receiver of both polarisations; minus infinity where no path leads |
    /// | `best_server` | z, y, x | whole: index of the Tx received best |
    /// | `received_power_dbm` | z, y, x | from the best server |
    /// | `sinr_db` | z, y, x | of the best server; only if the noise is given |
    fn arrays(&self) -> Vec<MapArray> {
        let region = &self.coverage.region;
        let [nx, ny, nz] = region.shape();
        let real = |name, about: [&'static str; 2], dimensions, shape: &[usize], values| MapArray {
            name,
            unit: about[0],
            long_name: about[1],
            dimensions,
            shape: shape.to_vec(),
            values: Values::Real(values),
        };
        let is_above_ground = matches!(region.levels, Levels::AboveGround(_));
        let height = if is_above_ground {
            "height above ground"
        } else {
            "height above the scene's zero"
        };
        let x = (0..nx).map(|i| region.column(i, 0).x).collect();
        let y = (0..ny).map(|j| region.column(0, j).y).collect();
        let z = region.levels.heights().to_vec();
        let mut arrays = vec![
            real("x", ["m", "east"], &["x"], &[nx], x),
            real("y", ["m", "north"], &["y"], &[ny], y),
            real("z", ["m", height], &["z"], &[nz], z),
        ];
        if is_above_ground {
            let ground = self.coverage.ground.clone();
            let about = ["m", "height of the ground"];
            arrays.push(real("ground", about, &["y", "x"], &[ny, nx], ground));
        }
        let power = self.tx_power_dbm.clone();
        let about = ["dBm", "power of the transmitter"];
        arrays.push(real("tx_power_dbm", about, &["tx"], &[power.len()], power));
        let gains = self.path_gain_db().collect();
        let about = ["dB", "path gain"];
        let shape = [self.coverage.num_tx, nz, ny, nx];
        arrays.push(real(
            "path_gain_db",
            about,
            &["tx", "z", "y", "x"],
            &shape,
            gains,
        ));

        let cells: &[&str] = &["z", "y", "x"];
        let shape = [nz, ny, nx];
        let noise = self.noise_dbm.map_or(0.0, watts);
        let best = layers::best_server(self.coverage, &self.tx_power(), noise);
        let server = |tx: &Option<usize>| tx.map_or(-1, |tx| i64::try_from(tx).unwrap_or(i64::MAX));
        arrays.push(MapArray {
            name: "best_server",
            unit: "1",
            long_name: "index of the transmitter received best",
            dimensions: cells,
            shape: shape.to_vec(),
            values: Values::Whole(best.tx.iter().map(server).collect()),
        });
        let power = best.power.iter().map(|p| power_to_db(*p) + 30.0).collect();
        let about = ["dBm", "power received from the best server"];
        arrays.push(real("received_power_dbm", about, cells, &shape, power));
        if self.noise_dbm.is_some() {
            let sinr = best.sinr.iter().map(|s| power_to_db(*s)).collect();
            let about = [
                "dB",
                "signal of the best server over interference and noise",
            ];
            arrays.push(real("sinr_db", about, cells, &shape, sinr));
        }
        arrays
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
