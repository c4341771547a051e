//! The arrays of a coverage, which every format of arrays writes.

use std::io::{self, Write};
use std::ops::Range;

use keller::units::power_to_db;

use super::coordinates::CoverageCoordinates;
use super::map_array::{MapArray, Number, Values};
use super::{CoverageMap, Figure, pieces};

impl CoverageMap<'_> {
    /// Every array of numbers that a file holds: coordinates first. Coordinates are `float64`, all others `float32` or
    /// small integers. Values are NaN where no receiver can be, -1 where no Tx serves.
    ///
    /// | name | dimensions | |
    /// |---|---|---|
    /// | `x`, `y` | x; y | centres of the cells, m; in a turned region along its own axes, from its corner |
    /// | `easting`, `northing` | x; y | the same in the scene's coordinate reference system, m; only if that is known |
    /// | `corner`, `x_axis` | axis | of a turned region alone: origin of its axes, m, and the unit vector of its rows |
    /// | `scene_x`, `scene_y` | y, x | of a turned region alone: centres of the cells in the scene, m; `easting` and `northing` have these dimensions too |
    /// | `z` | z | their heights over the scene's zero, or over `ground`, m |
    /// | `ground` | y, x | height of the ground, m; only if heights are over it |
    /// | `tx_power_dbm` | tx | |
    /// | `tx_name` | tx | text; see [`Self::tx_names`] |
    /// | `path_gain_db` | tx, z, y, x | with the transmitter's antenna and an isotropic receiver of both polarisations; minus infinity where no path leads; absent if only the power from all Tx is wanted |
    /// | every [`Figure`] | tx, z, y, x | of the paths, if the coverage has them |
    /// | `best_server` | z, y, x | whole: index of the Tx received best |
    /// | `received_power_dbm` | z, y, x | from the best server; absent if it is the path gain plus `tx_power_dbm` of the only Tx |
    /// | `second_server`, `second_power_dbm` | z, y, x | the same for the second best; only for several Tx |
    /// | `total_power_dbm` | z, y, x | from all Tx together; only for several Tx |
    /// | `sinr_db` | z, y, x | of the best server; only if the noise is given |
    pub(super) fn arrays(&self) -> Vec<MapArray> {
        let [nx, ny, nz] = self.region.shape();
        let coordinates = CoverageCoordinates {
            region: self.region,
            ground: self.ground,
            frame: self.frame,
        };
        let mut arrays = coordinates.arrays();
        let power: Vec<f64> = self.tx.iter().map(|tx| tx.power_dbm).collect();
        let about = ["dBm", "power of the transmitter"];
        arrays.push(MapArray::real(
            "tx_power_dbm",
            about,
            &["tx"],
            &[power.len()],
            power,
        ));
        if self.has_gains_of_tx {
            arrays.push(MapArray {
                name: "path_gain_db",
                unit: "dB",
                long_name: "path gain",
                dimensions: &["tx", "z", "y", "x"],
                shape: vec![self.tx.len(), nz, ny, nx],
                number: Number::Real32,
                values: Values::PathGain,
            });
        }
        for &figure in self.figures.list() {
            let [name, unit, long_name] = figure.names();
            arrays.push(MapArray {
                name,
                unit,
                long_name,
                dimensions: &["tx", "z", "y", "x"],
                shape: vec![self.tx.len(), nz, ny, nx],
                number: match figure {
                    Figure::LineOfSight | Figure::DoubtfulRooftops => Number::Whole8,
                    _ if figure.is_whole() => Number::Whole32,
                    _ => Number::Real32,
                },
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
                number: if layer.is_whole() {
                    Number::of_servers(self.tx.len())
                } else {
                    Number::Real32
                },
                values: Values::Layer(layer),
            });
        }
        arrays
    }

    /// The names of the transmitters, in their order.
    pub(super) fn tx_names(&self) -> Vec<&str> {
        self.tx.iter().map(|tx| &*tx.name).collect()
    }

    /// Makes `values` those of an array in the cells with these numbers. They must not be of several Tx.
    pub(super) fn read_values(
        &self,
        array: &MapArray,
        numbers: Range<usize>,
        values: &mut Vec<f64>,
    ) -> io::Result<()> {
        let num_cells = self.region.num_cells();
        let tx = numbers.start / num_cells;
        let cells = || numbers.start - tx * num_cells..numbers.end - tx * num_cells;
        match &array.values {
            Values::Real(all) => {
                values.clear();
                values.extend_from_slice(&all[numbers]);
            }
            Values::PathGain => {
                self.read(tx, cells(), values)?;
                for gain in values {
                    *gain = power_to_db(*gain);
                }
            }
            Values::Figure(figure) => self.read_figure(*figure, tx, cells(), values)?,
            Values::Layer(layer) => {
                let noise = self.noise_power().unwrap_or(0.0);
                let servers = self.servers(numbers)?;
                values.clear();
                values.extend(servers.iter().map(|cell| layer.value(cell, noise)));
            }
        }
        Ok(())
    }

    /// Writes the values of an array in the cells with these numbers. They must not be of several Tx.
    pub(super) fn write_values(
        &self,
        array: &MapArray,
        numbers: Range<usize>,
        writer: &mut dyn Write,
    ) -> io::Result<()> {
        let (mut values, mut bytes) = (Vec::new(), Vec::new());
        for piece in pieces(numbers) {
            self.read_values(array, piece, &mut values)?;
            bytes.clear();
            for value in &values {
                array.number.put(*value, &mut bytes);
            }
            writer.write_all(&bytes)?;
        }
        Ok(())
    }
}
