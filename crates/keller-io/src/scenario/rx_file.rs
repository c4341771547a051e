//! Receivers in a CSV file.

use std::path::Path;

use keller::DVec3;

use super::error::ScenarioError;
use super::place_columns::{PlaceColumns, each_row, header_error, is_header};
use super::site::Coordinates;
use crate::formats::Warning;

/// The contents of a file.
pub(super) struct RxTable {
    pub(super) coordinates: Coordinates,
    pub(super) rows: Vec<RxRow>,
    /// A warning of columns without a meaning, if there are any.
    pub(super) warning: Option<Warning>,
}

/// One receiver.
pub(super) struct RxRow {
    pub(super) at: DVec3,
    pub(super) name: Option<Box<str>>,
    pub(super) line: u32,
}

/// The receivers of `text`, the content of `file`. A first row without a number in its first three fields is a header,
/// which names the columns; without a header the first three columns are x, y, z. `#` begins a comment line.
pub(super) fn read(file: &Path, text: &str) -> Result<RxTable, ScenarioError> {
    let mut columns = PlaceColumns::default();
    let mut rows = Vec::new();
    let mut unused: Vec<String> = Vec::new();
    let mut is_first = true;
    each_row(file, text, |line, record| {
        if std::mem::take(&mut is_first) && is_header(record) {
            columns = PlaceColumns::of_header(record)
                .map_err(|problem| header_error(file, line, record, problem))?;
            unused = columns.unused(record);
            return Ok(());
        }
        let at = columns.at(record).map_err(|(column, problem)| {
            ScenarioError::new(file, Some(line), format!("column {column}"), problem)
        })?;
        let name = columns.name.and_then(|column| record.get(column));
        rows.push(RxRow {
            at,
            name: name.filter(|name| !name.is_empty()).map(Into::into),
            line: u32::try_from(line).unwrap_or(u32::MAX),
        });
        Ok(())
    })?;
    if rows.is_empty() {
        let problem = "there is no receiver in it; accepted: one row x,y,z a receiver";
        return Err(ScenarioError::new(file, None, "", problem));
    }
    Ok(RxTable {
        coordinates: columns.coordinates,
        rows,
        warning: (!unused.is_empty()).then(|| Warning {
            file: file.to_owned(),
            message: format!(
                "columns that mean nothing here: {}; known are a name and those of places; `velocity` is a key of [[rx]]",
                unused.join(", ")
            ),
        }),
    })
}
