//! `[[tx]]`: one site each, or the rows of a CSV file of sites.

use std::path::Path;

use keller::units::db_to_power;

use super::antennas::{AntennaKeys, Antennas};
use super::devices::{none, velocity};
use super::document::Section;
use super::error::ScenarioError;
use super::site;
use super::tx::{ScenarioTx, TxKeys};
use super::tx_file;
use crate::formats::{Warning, csv_rows};

/// The default of `power_dbm`.
const POWER_DBM: f64 = 30.0;

/// Reads all of `[[tx]]`, at least one, and the warnings about them. `folder` is the scenario's.
pub(super) fn read(
    top: &Section<'_>,
    folder: &Path,
    antennas: &Antennas<'_>,
) -> Result<(Vec<ScenarioTx>, Vec<Warning>), ScenarioError> {
    let mut tx = Vec::new();
    let mut warnings = Vec::new();
    for section in top.sections("tx")? {
        let keys = AntennaKeys::read(&section)?;
        let (array, array_tracing) = antennas.array(&section)?;
        let common = TxKeys {
            name: section.text("name")?,
            power_dbm: section.number("power_dbm")?.unwrap_or(POWER_DBM),
            antenna: keys,
            array,
            array_tracing,
            velocity: velocity(&section)?.unwrap_or_default(),
        };
        let offset_db = section.number("offset_db")?.unwrap_or(0.0);
        let own = site::read(&section)?;
        let first = tx.len();
        match (own, section.text("file")?) {
            (Some(_), Some(_)) => {
                let problem = "stands beside a place: a file says where its sites stand itself";
                return Err(section.problem("file", problem));
            }
            (None, None) => return Err(section.missing("position")),
            (Some(site), None) => tx.push(ScenarioTx {
                name: common.name.map(str::to_owned),
                site,
                power_dbm: common.power_dbm,
                antenna: antennas.build(keys, &|key, problem| section.refuse(key, problem))?,
                array: common.array,
                array_tracing,
                velocity: common.velocity,
                file: section.source.file.to_owned(),
                line: section.line.unwrap_or(1),
            }),
            (None, Some(name)) => {
                let file = folder.join(name);
                let text = csv_rows::read(&file).map_err(|error| {
                    section.problem("file", format!("{}: {error}", file.display()))
                })?;
                warnings.extend(tx_file::read(&file, &text, &common, antennas, &mut tx)?);
            }
        }
        if offset_db != 0.0 {
            for tx in &mut tx[first..] {
                let gain = tx.antenna.largest_gain() * db_to_power(offset_db);
                tx.antenna.peak_gain = Some(gain);
            }
        }
    }
    if tx.is_empty() {
        return Err(none(top, "tx", "transmitter"));
    }
    Ok((tx, warnings))
}
