//! The arrays of a coverage, which every format of arrays writes.

use std::io::{self, Write};
use std::ops::Range;

use keller::coverage::Levels;
use keller::units::power_to_db;

use super::layer::Layer;
use super::{CoverageMap, Figure, pieces};

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
    /// Few, of all cells alike.
    Real(Vec<f64>),
    PathGain,
    Figure(Figure),
    Layer(Layer),
}

impl MapArray {
    /// Whether its values are `int64` instead of `float64`.
    pub(super) fn is_whole(&self) -> bool {
        match self.values {
            Values::Real(_) | Values::PathGain => false,
            Values::Figure(figure) => figure.is_whole(),
            Values::Layer(layer) => layer.is_whole(),
        }
    }
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
    /// | `path_gain_db` | tx, z, y, x | with the transmitter's antenna and an isotropic receiver of both polarisations; minus infinity where no path leads; absent if only what cells receive from all is wanted |
    /// | every [`Figure`] | tx, z, y, x | of the paths, if they are there |
    /// | `best_server` | z, y, x | whole: index of the Tx received best |
    /// | `received_power_dbm` | z, y, x | from the best server |
    /// | `second_server`, `second_power_dbm` | z, y, x | the same of the second best; only of several Tx |
    /// | `total_power_dbm` | z, y, x | from all Tx together; only of several Tx |
    /// | `sinr_db` | z, y, x | of the best server; only if the noise is given |
    pub(super) fn arrays(&self) -> Vec<MapArray> {
        let region = self.region;
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
            let ground = self.ground.to_vec();
            let about = ["m", "height of the ground"];
            arrays.push(real("ground", about, &["y", "x"], &[ny, nx], ground));
        }
        let power: Vec<f64> = self.tx.iter().map(|tx| tx.power_dbm).collect();
        let about = ["dBm", "power of the transmitter"];
        arrays.push(real("tx_power_dbm", about, &["tx"], &[power.len()], power));
        if self.has_gains_of_tx {
            arrays.push(MapArray {
                name: "path_gain_db",
                unit: "dB",
                long_name: "path gain",
                dimensions: &["tx", "z", "y", "x"],
                shape: vec![self.tx.len(), nz, ny, nx],
                values: Values::PathGain,
            });
        }
        let figures = Figure::ALL.iter().filter(|_| self.has_multipath);
        for &figure in figures {
            let [name, unit, long_name] = figure.names();
            arrays.push(MapArray {
                name,
                unit,
                long_name,
                dimensions: &["tx", "z", "y", "x"],
                shape: vec![self.tx.len(), nz, ny, nx],
                values: Values::Figure(figure),
            });
        }
        for layer in self.layers() {
            let names = layer.names();
            arrays.push(MapArray {
                name: names.name,
                unit: names.unit,
                long_name: names.long_name,
                dimensions: &["z", "y", "x"],
                shape: vec![nz, ny, nx],
                values: Values::Layer(layer),
            });
        }
        arrays
    }

    /// Writes the values of an array with these numbers, 8 bytes each, little-endian. They must not be of several Tx.
    pub(super) fn write_values(
        &self,
        array: &MapArray,
        numbers: Range<usize>,
        writer: &mut dyn Write,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        match &array.values {
            Values::Real(values) => {
                bytes.extend(values[numbers].iter().flat_map(|v| v.to_le_bytes()));
                writer.write_all(&bytes)
            }
            Values::PathGain => {
                let num_cells = self.region.num_cells();
                let tx = numbers.start / num_cells;
                let cells = numbers.start - tx * num_cells..numbers.end - tx * num_cells;
                self.each_gains(tx, cells, |_, gains| {
                    bytes.clear();
                    bytes.extend(gains.iter().flat_map(|g| power_to_db(*g).to_le_bytes()));
                    writer.write_all(&bytes)
                })
            }
            Values::Figure(figure) => {
                let num_cells = self.region.num_cells();
                let tx = numbers.start / num_cells;
                let cells = numbers.start - tx * num_cells..numbers.end - tx * num_cells;
                let mut values = Vec::new();
                for piece in pieces(cells) {
                    self.figures(*figure, tx, piece, &mut values)?;
                    bytes.clear();
                    for value in &values {
                        bytes.extend(if figure.is_whole() {
                            index(*value).to_le_bytes()
                        } else {
                            value.to_le_bytes()
                        });
                    }
                    writer.write_all(&bytes)?;
                }
                Ok(())
            }
            Values::Layer(layer) => {
                let noise = self.noise_power().unwrap_or(0.0);
                for piece in pieces(numbers) {
                    bytes.clear();
                    for cell in self.servers(piece)? {
                        let value = layer.value(&cell, noise);
                        bytes.extend(if layer.is_whole() {
                            index(value).to_le_bytes()
                        } else {
                            value.to_le_bytes()
                        });
                    }
                    writer.write_all(&bytes)?;
                }
                Ok(())
            }
        }
    }
}

/// -1 where nobody serves and where no receiver can be.
fn index(value: f64) -> i64 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "indices of Tx and numbers of paths are small and whole"
    )]
    let index = value as i64;
    if value.is_nan() { -1 } else { index }
}
