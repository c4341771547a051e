//! The maps of a view, from a coverage of cells.

use std::path::Path;

use glam::DVec2;
use keller::DVec3;

use super::format::{CellLayer, CellMap};
use super::parts::range;
use super::{View, ViewError, label, name_of, unit};
use crate::stored_arrays::StoredArrays;

/// Arrays of each Tx, of cells alone.
const OF_TX: [&str; 9] = [
    "path_gain_db",
    "delay_spread_s",
    "mean_delay_s",
    "strongest_gain_db",
    "coherent_gain_db",
    "num_paths",
    "line_of_sight",
    "asa",
    "doubtful_rooftops",
];

/// Arrays of all Tx together, and of these the indices of Tx.
const OF_ALL: [&str; 6] = [
    "received_power_dbm",
    "best_server",
    "sinr_db",
    "second_power_dbm",
    "second_server",
    "total_power_dbm",
];
const SERVERS: [&str; 2] = ["best_server", "second_server"];

/// A coverage along its own axes.
struct Cells {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    corner: DVec2,
    x_axis: DVec2,
    ground: Option<Vec<f64>>,
    tx: Vec<String>,
}

impl Cells {
    fn read(arrays: &mut StoredArrays) -> Result<Self, String> {
        let [x, y, z] = ["x", "y", "z"].map(|name| arrays.array(name));
        let (x, y, z) = (x?.values, y?.values, z?.values);
        if [&x, &y, &z].iter().any(|axis| axis.is_empty()) {
            return Err("it has no cells".to_owned());
        }
        let mut pair = |name: &str, absent: DVec2| -> Result<DVec2, String> {
            if !arrays.has(name) {
                return Ok(absent);
            }
            let pair = <[f64; 2]>::try_from(arrays.array(name)?.values).map(DVec2::from);
            pair.map_err(|_| format!("{name} holds no two numbers"))
        };
        let corner = pair("corner", DVec2::ZERO)?;
        let x_axis = pair("x_axis", DVec2::X)?;
        let ground = if arrays.has("ground") {
            let ground = arrays.array("ground")?.values;
            if ground.len() != x.len() * y.len() {
                return Err("ground does not fit x and y".to_owned());
            }
            Some(ground)
        } else {
            None
        };
        Ok(Self {
            tx: arrays.texts("tx_name")?,
            x,
            y,
            z,
            corner,
            x_axis,
            ground,
        })
    }

    /// The centre of a column in the scene.
    fn at(&self, x: f64, y: f64) -> DVec2 {
        self.corner + self.x_axis.rotate(DVec2::new(x, y))
    }

    /// The vectors to the next cells along both axes. A single row is as wide as its cells are long.
    fn steps(&self) -> [DVec2; 2] {
        let step = |axis: &[f64]| match axis {
            [first, .., last] => Some((last - first) / (axis.len() - 1) as f64),
            _ => None,
        };
        let (along, across) = (step(&self.x), step(&self.y));
        let [along, across] = [along.or(across), across.or(along)].map(|step| step.unwrap_or(1.0));
        [self.x_axis * along, self.x_axis.perp() * across]
    }

    /// The values of an array of cells, Tx after Tx where it is of each.
    fn values(
        &self,
        arrays: &mut StoredArrays,
        name: &str,
        num_tx: usize,
    ) -> Result<Vec<f64>, String> {
        let values = arrays.array(name)?.values;
        let expected = num_tx * self.x.len() * self.y.len() * self.z.len();
        if values.len() != expected {
            let found = values.len();
            return Err(format!("{name} has {found} values for {expected} cells"));
        }
        Ok(values)
    }
}

impl View {
    /// Adds the cells of a coverage.
    pub(super) fn add_cells(
        &mut self,
        file: &Path,
        arrays: &mut StoredArrays,
    ) -> Result<(), ViewError> {
        let refuse = |problem| ViewError::File {
            file: file.to_owned(),
            problem,
        };
        let map = self.cell_map(name_of(file), arrays).map_err(refuse)?;
        if map.layers.is_empty() {
            return Err(refuse("it has no array of cells".to_owned()));
        }
        self.maps.push(map);
        Ok(())
    }

    fn cell_map(&mut self, source: String, arrays: &mut StoredArrays) -> Result<CellMap, String> {
        let cells = Cells::read(arrays)?;
        let (nx, ny) = (cells.x.len(), cells.y.len());
        let mut layers = Vec::new();
        let known = OF_TX.into_iter().filter(|key| arrays.has(key));
        for key in known.collect::<Vec<_>>() {
            let values = cells.values(arrays, key, cells.tx.len())?;
            for (tx, own) in values.chunks(values.len() / cells.tx.len()).enumerate() {
                layers.push(self.cell_layer(key, Some(tx), own, [nx, ny]));
            }
        }
        let known = OF_ALL.into_iter().filter(|key| arrays.has(key));
        for key in known.collect::<Vec<_>>() {
            let mut values = cells.values(arrays, key, 1)?;
            if SERVERS.contains(&key) {
                // -1 is nobody.
                for value in values.iter_mut().filter(|value| **value < 0.0) {
                    *value = f64::NAN;
                }
            }
            layers.push(self.cell_layer(key, None, &values, [nx, ny]));
        }
        let corners = [(0, 0), (nx - 1, 0), (0, ny - 1), (nx - 1, ny - 1)];
        let corners = corners.map(|(i, j)| (cells.at(cells.x[i], cells.y[j]), j * nx + i));
        let heights = [cells.z[0], cells.z[cells.z.len() - 1]];
        for (at, column) in corners {
            let ground = cells.ground.as_ref().map_or(0.0, |ground| ground[column]);
            let ends = heights.map(|height| at.extend(ground + height));
            self.enclose(ends.into_iter().filter(|end: &DVec3| end.is_finite()));
        }
        let [dx, dy] = cells.steps();
        let ground = cells.ground.as_ref();
        Ok(CellMap {
            source,
            first: cells.at(cells.x[0], cells.y[0]).to_array(),
            dx: dx.to_array(),
            dy: dy.to_array(),
            nx,
            ny,
            ground: ground.map(|ground| self.parts.reals(ground, vec![ny, nx])),
            heights: cells.z,
            tx: cells.tx,
            layers,
        })
    }

    fn cell_layer(
        &mut self,
        key: &str,
        tx: Option<usize>,
        values: &[f64],
        [nx, ny]: [usize; 2],
    ) -> CellLayer {
        let range = range(values);
        let slices = values.chunks(nx * ny);
        CellLayer {
            key: key.to_owned(),
            label: label(key),
            unit: unit(key).to_owned(),
            kind: if SERVERS.contains(&key) {
                "server"
            } else {
                "number"
            },
            tx,
            range,
            slices: slices
                .map(|slice| self.parts.coded(slice, vec![ny, nx], range))
                .collect(),
        }
    }
}
