//! Coverages as files: a row a cell and Tx, arrays, and maps that other programs open.

mod arrays;
mod contours;
mod geotiff;
mod model;
mod npz;
mod rings;
mod zarr;

use std::borrow::Cow;

use keller::DVec3;
use keller::coverage::{Coverage, Levels, layers};
use keller::units::power_to_db;
use keller_geo::crs::Frame;

use crate::table::CellRow;

/// A coverage, what it is of, and where it lies.
#[derive(Debug, Clone)]
pub struct CoverageMap<'a> {
    /// The gains.
    pub coverage: &'a Coverage,
    /// The transmitters, in the order of the gains.
    pub tx: Vec<MapTx>,
    /// Noise in the band of a receiver, dBm, if it is known.
    pub noise_dbm: Option<f64>,
    /// Smaller gains count as none, linear.
    pub least_gain: f64,
    /// Where on earth the coordinates are, if that is known.
    pub frame: Option<&'a Frame>,
}

/// A transmitter of a [`CoverageMap`].
#[derive(Debug, Clone, PartialEq)]
pub struct MapTx {
    /// As files show it.
    pub name: String,
    /// Where it stands, metres.
    pub position: DVec3,
    /// What it sends, dBm.
    pub power_dbm: f64,
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
                let lon_lat = self
                    .frame
                    .and_then(|frame| frame.to_lon_lat(centre.truncate()).ok());
                let path_gain_db = power_to_db(gains[cell]);
                let sinr_db = self.noise_dbm.map(|noise_dbm| {
                    let of = |other: usize| {
                        let gain = self.coverage.of_tx(other)[cell];
                        power[other] * if self.counts(gain) { gain } else { 0.0 }
                    };
                    let others = (0..power.len()).filter(|&other| other != tx).map(of);
                    power_to_db(of(tx) / (others.sum::<f64>() + watts(noise_dbm)))
                });
                Some(CellRow {
                    tx: u32::try_from(tx).expect("tables count in 32 bits"),
                    centre: centre.to_array(),
                    path_gain_db,
                    received_power_dbm: self.tx[tx].power_dbm + path_gain_db,
                    sinr_db,
                    lon_lat: lon_lat.map(|at| at.to_array()),
                })
            })
        })
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

    /// The strongest path gain of any transmitter at the first height, dB, `[ny, nx]`: what pictures, contours and models show. As
    /// [`Self::path_gain_db`].
    pub fn strongest_gain_db(&self) -> Vec<f64> {
        let region = &self.coverage.region;
        let [nx, ny, _] = region.shape();
        let gains: Vec<f64> = self.path_gain_db().collect();
        let strongest = |column: usize| {
            let all = (0..self.coverage.num_tx).map(|tx| gains[tx * region.num_cells() + column]);
            // NaN in one is NaN in all.
            all.fold(
                f64::NEG_INFINITY,
                |a, b| if b > a || b.is_nan() { b } else { a },
            )
        };
        (0..nx * ny).map(strongest).collect()
    }

    /// What [`Self::strongest_gain_db`] is of: the transmitter if there is one alone.
    fn strongest_of(&self) -> &str {
        match &self.tx[..] {
            [tx] => &tx.name,
            _ => "strongest",
        }
    }

    /// The height of a level, for people.
    pub fn height_name(&self, level: usize) -> String {
        let levels = &self.coverage.region.levels;
        let height = levels.heights()[level];
        match levels {
            Levels::AboveGround(_) => format!("{height} m above the ground"),
            Levels::AboveSea(_) => format!("{height} m above zero"),
        }
    }

    fn best_server(&self) -> layers::BestServer {
        let noise = self.noise_dbm.map_or(0.0, watts);
        layers::best_server(&self.counted(), &self.tx_power(), noise)
    }

    /// The coverage without the gains that do not count.
    fn counted(&self) -> Cow<'_, Coverage> {
        if self.least_gain <= 0.0 {
            return Cow::Borrowed(self.coverage);
        }
        let mut counted = self.coverage.clone();
        for gain in &mut counted.path_gain {
            if *gain < self.least_gain {
                *gain = 0.0;
            }
        }
        Cow::Owned(counted)
    }

    /// W
    fn tx_power(&self) -> Vec<f64> {
        self.tx.iter().map(|tx| watts(tx.power_dbm)).collect()
    }
}

fn watts(dbm: f64) -> f64 {
    10.0_f64.powf((dbm - 30.0) / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec2;
    use keller::coverage::Region;

    #[test]
    fn gains_below_the_limit_neither_serve_nor_interfere() {
        let coverage = Coverage {
            region: Region {
                min: DVec2::ZERO,
                resolution: DVec2::ONE,
                num_columns: [3, 1],
                levels: Levels::AboveSea(vec![1.5]),
            },
            ground: Vec::new(),
            // The first cell has a strong and a weak one, the second a weak one, the third is inside a wall.
            path_gain: vec![1e-8, 1e-11, f64::NAN, 1e-11, 0.0, f64::NAN],
            num_tx: 2,
        };
        let tx = |name: &str| MapTx {
            name: name.to_owned(),
            position: DVec3::ZERO,
            power_dbm: 30.0,
        };
        let map = CoverageMap {
            coverage: &coverage,
            tx: vec![tx("a"), tx("b")],
            noise_dbm: Some(-60.0),
            least_gain: 1e-10,
            frame: None,
        };
        let best = map.best_server();
        assert_eq!(best.tx, [Some(0), None, None]);
        // 1e-8 W over a noise of 1e-9 W.
        assert!((best.sinr[0] - 10.0).abs() < 1e-9, "{:?}", best.sinr);
        let rows: Vec<CellRow> = map.rows().collect();
        assert_eq!(rows.len(), 1);
        assert!((rows[0].sinr_db.unwrap() - 10.0).abs() < 1e-9, "{rows:?}");
        assert_eq!(map.strongest_gain_db()[..2], [-80.0, f64::NEG_INFINITY]);
        assert!(map.strongest_gain_db()[2].is_nan());
    }
}
