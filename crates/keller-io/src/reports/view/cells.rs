//! The maps of a view, from a coverage of cells.

use std::path::Path;

use glam::DVec2;
use keller::DVec3;

use super::format::{CellLayer, CellMap};
use super::parts::range;
use super::{View, ViewError, label, name_of, unit};
use crate::formats::stored_arrays::StoredArrays;
use crate::reports::coverage::CellAxes;

/// The names of arrays for each Tx, of cells alone.
const OF_TX: [&str; 16] = [
    "path_gain_db",
    "delay_spread_s",
    "mean_delay_s",
    "strongest_gain_db",
    "coherent_gain_db",
    "num_paths",
    "line_of_sight",
    "zod",
    "aod",
    "zoa",
    "aoa",
    "zsd",
    "asd",
    "zsa",
    "asa",
    "doubtful_rooftops",
];

/// The names of arrays for all Tx together, and among these of the indices of Tx.
const OF_ALL: [&str; 6] = [
    "received_power_dbm",
    "best_server",
    "sinr_db",
    "second_power_dbm",
    "second_server",
    "total_power_dbm",
];
const SERVERS: [&str; 2] = ["best_server", "second_server"];

/// The values of an array of cells, Tx after Tx if it has several.
fn values(
    arrays: &mut StoredArrays,
    name: &str,
    cells: &CellAxes,
    num_tx: usize,
) -> Result<Vec<f64>, String> {
    let expected = num_tx * cells.axes.iter().map(Vec::len).product::<usize>();
    let found = arrays.count(name)?;
    if found != expected {
        return Err(format!("{name} has {found} values for {expected} cells"));
    }
    Ok(arrays.array(name)?.values)
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
        let cells = CellAxes::read(arrays)?;
        let names = arrays.texts("tx_name")?;
        let [x, y, z] = &cells.axes;
        let (nx, ny) = (x.len(), y.len());
        let mut layers = Vec::new();
        let known = OF_TX.into_iter().filter(|key| arrays.has(key));
        for key in known.collect::<Vec<_>>() {
            let all = values(arrays, key, &cells, names.len())?;
            for (tx, own) in all.chunks(nx * ny * z.len()).enumerate() {
                layers.push(self.cell_layer(key, Some(tx), own, [nx, ny]));
            }
        }
        let known = OF_ALL.into_iter().filter(|key| arrays.has(key));
        for key in known.collect::<Vec<_>>() {
            let mut all = values(arrays, key, &cells, 1)?;
            if SERVERS.contains(&key) {
                // The index -1 stands for no Tx.
                for value in all.iter_mut().filter(|value| **value < 0.0) {
                    *value = f64::NAN;
                }
            }
            layers.push(self.cell_layer(key, None, &all, [nx, ny]));
        }
        let place = |i: usize, j: usize| cells.in_scene(DVec2::new(x[i], y[j]));
        for (i, j) in [(0, 0), (nx - 1, 0), (0, ny - 1), (nx - 1, ny - 1)] {
            let ground = cells.ground.as_ref();
            let ground = ground.map_or(0.0, |ground| ground[j * nx + i]);
            let ends = [z[0], z[z.len() - 1]].map(|height| place(i, j).extend(ground + height));
            self.enclose(ends.into_iter().filter(|end: &DVec3| end.is_finite()));
        }
        // The size of a single cell is unknown.
        let [along, across] = cells.size().unwrap_or([1.0; 2]);
        let ground = cells.ground.as_ref();
        Ok(CellMap {
            source,
            first: place(0, 0).to_array(),
            dx: cells.direction(DVec2::X * along).to_array(),
            dy: cells.direction(DVec2::Y * across).to_array(),
            nx,
            ny,
            ground: ground.map(|ground| self.parts.reals(ground, vec![ny, nx])),
            heights: z.clone(),
            limit_db: self.limit_db,
            tx: names,
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
