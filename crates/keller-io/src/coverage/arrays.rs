//! The arrays of a coverage, which every format of arrays writes.

use keller::coverage::Levels;
use keller::units::power_to_db;

use super::CoverageMap;

/// An array of a file.
#[derive(Debug)]
pub(super) struct MapArray {
    pub(super) name: &'static str,
    pub(super) unit: &'static str,
    pub(super) long_name: &'static str,
    pub(super) dimensions: &'static [&'static str],
    pub(super) shape: Vec<usize>,
    /// The last dimension running fastest.
    pub(super) values: Values,
}

#[derive(Debug)]
pub(super) enum Values {
    Real(Vec<f64>),
    Whole(Vec<i64>),
}

impl CoverageMap<'_> {
    /// Every array that a file holds: coordinates first. NaN where no receiver can be, -1 where nobody serves.
    ///
    /// | name | dimensions | |
    /// |---|---|---|
    /// | `x`, `y` | x; y | middles of the cells, m |
    /// | `easting`, `northing` | x; y | the same in the scene's coordinate reference system, m; only if that is known |
    /// | `z` | z | their heights over the scene's zero, or over `ground`, m |
    /// | `ground` | y, x | height of the ground, m; only if heights are over it |
    /// | `tx_power_dbm` | tx | |
    /// | `path_gain_db` | tx, z, y, x | with the transmitter's antenna and an isotropic receiver of both polarisations; minus infinity where no path leads |
    /// | `best_server` | z, y, x | whole: index of the Tx received best |
    /// | `received_power_dbm` | z, y, x | from the best server |
    /// | `sinr_db` | z, y, x | of the best server; only if the noise is given |
    pub(super) fn arrays(&self) -> Vec<MapArray> {
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
        let x: Vec<f64> = (0..nx).map(|i| region.column(i, 0).x).collect();
        let y: Vec<f64> = (0..ny).map(|j| region.column(0, j).y).collect();
        let on_earth = self.frame.map(|frame| {
            let origin = frame.origin();
            [(&x, origin.x), (&y, origin.y)].map(|(v, o)| v.iter().map(|v| v + o).collect())
        });
        let z = region.levels.heights().to_vec();
        let mut arrays = vec![
            real("x", ["m", "east"], &["x"], &[nx], x),
            real("y", ["m", "north"], &["y"], &[ny], y),
            real("z", ["m", height], &["z"], &[nz], z),
        ];
        if let Some([easting, northing]) = on_earth {
            arrays.push(real("easting", ["m", "easting"], &["x"], &[nx], easting));
            arrays.push(real("northing", ["m", "northing"], &["y"], &[ny], northing));
        }
        if is_above_ground {
            let ground = self.coverage.ground.clone();
            let about = ["m", "height of the ground"];
            arrays.push(real("ground", about, &["y", "x"], &[ny, nx], ground));
        }
        let power: Vec<f64> = self.tx.iter().map(|tx| tx.power_dbm).collect();
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
        let best = self.best_server();
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
}
