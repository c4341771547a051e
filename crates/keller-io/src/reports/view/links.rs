//! The links of a view, from a table of channels.

use std::path::Path;

use super::format::{LinkColumn, ViewLinks};
use super::{View, ViewError, label, name_of, unit};
use crate::reports::table::StoredTable;

/// The columns that distinguish a table of channels from others.
pub(super) const COLUMNS: [&str; 3] = ["tx", "rx", "gain_incoherent_db"];

/// The columns that are shown unchanged: names and places of devices are known from the scenario.
const SHOWN: [&str; 18] = [
    "received_power_dbm",
    "gain_incoherent_db",
    "gain_coherent_db",
    "num_paths",
    "k_factor_db",
    "mean_delay_s",
    "delay_spread_s",
    "line_of_sight",
    "asa",
    "zsa",
    "asd",
    "zsd",
    "mean_doppler_hz",
    "doppler_spread_hz",
    "diffuse_gain_db",
    "diffuse_decay_time_s",
    "background_gain_db",
    "omitted_db",
];

impl View {
    /// Adds the links of a table to the last snapshot.
    pub(super) fn add_link_table(
        &mut self,
        file: &Path,
        table: &StoredTable,
    ) -> Result<(), ViewError> {
        let [num_tx, num_rx] = self.num_devices();
        let (tx, rx) = (table.indices("tx")?, table.indices("rx")?);
        let is_known = |(tx, rx): (&u32, &u32)| (*tx as usize) < num_tx && (*rx as usize) < num_rx;
        if !tx.iter().zip(&rx).all(is_known) {
            return Err(ViewError::File {
                file: file.to_owned(),
                problem: format!(
                    "it has links of devices that the scenario lacks: it has {num_tx} Tx and {num_rx} Rx; accepted: results of the scenario that is shown"
                ),
            });
        }
        let mut columns = Vec::new();
        for key in SHOWN.into_iter().filter(|key| table.has(&[key])) {
            let mut values = vec![f64::NAN; num_tx * num_rx];
            for (row, value) in table.numbers(key)?.into_iter().enumerate() {
                values[tx[row] as usize * num_rx + rx[row] as usize] = value;
            }
            columns.push(LinkColumn {
                key: key.to_owned(),
                label: label(key),
                unit: unit(key).to_owned(),
                values: self.parts.reals(&values, vec![num_tx, num_rx]),
            });
        }
        if let Some(last) = self.snapshots.last_mut() {
            last.links = Some(ViewLinks {
                source: name_of(file),
                columns,
            });
        }
        Ok(())
    }
}
