//! The measured points of a view, from a table of measurements and predictions.

use std::path::Path;

use keller::DVec3;

use super::format::{MeasuredColumn, MeasuredPoints};
use super::{View, ViewError, label, name_of, unit};
use crate::reports::table::StoredTable;

/// The columns that distinguish a table of measurements from others.
pub(super) const COLUMNS: [&str; 4] = ["x", "y", "z", "measured_gain_db"];

const SHOWN: [&str; 8] = [
    "error_db",
    "measured_gain_db",
    "predicted_gain_db",
    "distance_m",
    "num_paths",
    "line_of_sight",
    "measured_delay_spread_s",
    "predicted_delay_spread_s",
];

impl View {
    /// Adds the points of a table.
    pub(super) fn add_measured_table(
        &mut self,
        file: &Path,
        table: &StoredTable,
    ) -> Result<(), ViewError> {
        let [x, y, z] = ["x", "y", "z"].map(|name| table.numbers(name));
        let (x, y, z) = (x?, y?, z?);
        let points: Vec<DVec3> = (0..table.len())
            .map(|row| DVec3::new(x[row], y[row], z[row]))
            .collect();
        self.enclose(points.iter().copied());
        let names = if table.has(&["tx_name", "rx_name"]) {
            let (tx, rx) = (table.texts("tx_name")?, table.texts("rx_name")?);
            let name = |(tx, rx): (String, String)| format!("Tx {tx}, place {rx}");
            Some(tx.into_iter().zip(rx).map(name).collect())
        } else {
            None
        };
        let mut columns = Vec::new();
        for key in SHOWN.into_iter().filter(|key| table.has(&[key])) {
            columns.push(MeasuredColumn {
                key: key.to_owned(),
                label: label(key),
                unit: unit(key).to_owned(),
                kind: if key == "error_db" {
                    "residual"
                } else {
                    "number"
                },
                values: self.parts.reals(&table.numbers(key)?, vec![table.len()]),
            });
        }
        self.measured.push(MeasuredPoints {
            source: name_of(file),
            count: table.len(),
            positions: self.parts.points(points),
            names,
            columns,
        });
        Ok(())
    }
}
