//! The columns of a file of measurements, and one of its rows.

use std::path::Path;

use keller_geo::shown::shown;

use super::error::ScenarioError;
use super::measured_ranges::{MAX_DELAY, MAX_LEVEL_DB, MAX_UNCERTAINTY_DB};
use super::npz_rows::Profiles;
use super::place_columns::{PlaceColumns, checked, column, each_row, header_error, is_header};
use super::{Scenario, ScenarioTx, npz_rows, parquet_rows};
use crate::formats::csv_rows;

/// The columns of quantities, of which a file has one.
const QUANTITIES: [(&str, Quantity); 3] = [
    ("path_gain_db", Quantity::PathGain),
    ("path_loss_db", Quantity::PathLoss),
    ("received_power_dbm", Quantity::ReceivedPower),
];
const TX: &str = "tx";
const SETS: [&str; 2] = ["set", "route"];
const DEVICES: [&str; 2] = ["device", "name"];
const UNCERTAINTY: &str = "uncertainty_db";
pub(super) const LIMIT: &str = "below_noise";
const DELAY_SPREAD: &str = "delay_spread_s";

/// A measured level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    PathGain,
    PathLoss,
    ReceivedPower,
}

/// The names of columns other than those of places.
pub(super) fn known_columns() -> Vec<&'static str> {
    let quantities = QUANTITIES.iter().map(|(name, _)| *name);
    let more = [TX].into_iter().chain(SETS).chain([DEVICES[0]]);
    quantities
        .chain(more)
        .chain([UNCERTAINTY, LIMIT, DELAY_SPREAD])
        .collect()
}

/// Gives every row of a file, its header first, to `take` with its line. Returns the profiles of the file.
pub(super) fn rows_of(
    file: &Path,
    take: impl FnMut(usize, &csv::StringRecord) -> Result<(), ScenarioError>,
) -> Result<Profiles, ScenarioError> {
    let is = |format: &str| {
        let extension = file.extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case(format))
    };
    if is("parquet") {
        return parquet_rows::each_row(file, checked(file, take)).map(|()| Profiles::None);
    }
    if is("npz") {
        return npz_rows::each_row(file, checked(file, take));
    }
    let text = csv_rows::read(file).map_err(|error| ScenarioError::new(file, None, "", error))?;
    each_row(file, &text, take).map(|()| Profiles::None)
}

/// The columns of a file.
pub(super) struct Header {
    /// The columns of places; `None` for files without places.
    pub(super) places: Option<PlaceColumns>,
    /// The column of names of places or devices.
    pub(super) name: Option<usize>,
    pub(super) quantity: Quantity,
    pub(super) level: usize,
    pub(super) level_name: &'static str,
    pub(super) tx: Option<usize>,
    pub(super) set: Option<usize>,
    /// The set of rows that name none.
    pub(super) file_set: String,
    pub(super) uncertainty: Option<usize>,
    pub(super) limit: Option<usize>,
    pub(super) delay_spread: Option<usize>,
    pub(super) unknown: Vec<String>,
}

impl Header {
    /// Whether a file has columns of places.
    pub(super) fn says_places(file: &Path) -> Result<bool, ScenarioError> {
        let mut says = None;
        rows_of(file, |_, record| {
            says.get_or_insert_with(|| PlaceColumns::are_in(record));
            Ok(())
        })?;
        Ok(says.unwrap_or(true))
    }

    /// The columns of a header, which must have places or must not.
    pub(super) fn new(
        file: &Path,
        line: usize,
        record: &csv::StringRecord,
        scenario: &Scenario,
        has_places: bool,
    ) -> Result<Self, ScenarioError> {
        let refuse = |problem: String| {
            let header = record.iter().collect::<Vec<_>>().join(",");
            let problem = format!("{problem} the header `{}`", shown(&header));
            ScenarioError::new(file, Some(line), "", problem)
        };
        if !is_header(record) {
            return Err(refuse(
                "the first row shall name the columns; numbers are in".to_owned(),
            ));
        }
        let places = has_places
            .then(|| PlaceColumns::of_header(record))
            .transpose()
            .map_err(|problem| header_error(file, line, record, problem))?;
        let find = |name: &str| column(record, name);
        let mut quantities = QUANTITIES
            .iter()
            .filter_map(|(name, quantity)| Some((*name, *quantity, find(name)?)));
        let accepted = QUANTITIES.map(|(name, _)| name).join(", ");
        let (level_name, quantity, level) = quantities
            .next()
            .ok_or_else(|| refuse(format!("no level (accepted: one of {accepted}) is in")))?;
        if let Some((other, ..)) = quantities.next() {
            return Err(refuse(format!("{level_name} stands beside {other} in")));
        }
        let tx = find(TX);
        if tx.is_none() && scenario.tx.len() > 1 {
            let problem = format!(
                "column {TX}, the name or index of one of {} Tx, is not in",
                scenario.tx.len()
            );
            return Err(refuse(problem));
        }
        let set = SETS.into_iter().find_map(find);
        let [uncertainty, limit, delay_spread] = [UNCERTAINTY, LIMIT, DELAY_SPREAD].map(find);
        let name = DEVICES.into_iter().find_map(find);
        let known = [Some(level), tx, set, uncertainty, limit, delay_spread, name];
        let is_place = |index| places.as_ref().is_some_and(|places| places.uses(index));
        let unknown = (0..record.len())
            .filter(|index| !is_place(*index) && !known.contains(&Some(*index)))
            .map(|index| format!("`{}`", shown(&record[index])));
        Ok(Self {
            unknown: unknown.collect(),
            places,
            name,
            quantity,
            level,
            level_name,
            tx,
            set,
            file_set: file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            uncertainty,
            limit,
            delay_spread,
        })
    }
}

/// One row of a file.
pub(super) struct Row<'a> {
    pub(super) file: &'a Path,
    pub(super) line: usize,
    pub(super) record: &'a csv::StringRecord,
}

impl Row<'_> {
    pub(super) fn error(&self, column: &str, problem: String) -> ScenarioError {
        ScenarioError::new(
            self.file,
            Some(self.line),
            format!("column {column}"),
            problem,
        )
    }

    /// The text of a column that is there and not empty.
    pub(super) fn text(&self, column: Option<usize>) -> Option<&str> {
        let text = self.record.get(column?)?;
        (!text.is_empty()).then_some(text)
    }

    /// The level, if the row has one.
    pub(super) fn level(&self, column: usize, name: &str) -> Result<Option<f64>, ScenarioError> {
        let Some(text) = self.text(Some(column)) else {
            return Ok(None);
        };
        let level: Option<f64> = text.parse().ok();
        match level {
            Some(level) if level.is_nan() => Ok(None),
            Some(level) if level.abs() <= MAX_LEVEL_DB => Ok(Some(level)),
            _ => Err(self.error(
                name,
                format!(
                    "found `{}`; accepted: a number of dB or dBm from -{MAX_LEVEL_DB} to {MAX_LEVEL_DB}, or nothing",
                    shown(text)
                ),
            )),
        }
    }

    /// An uncertainty, dB: 0 for an exact level.
    pub(super) fn uncertainty(&self, header: &Header) -> Result<Option<f64>, ScenarioError> {
        let range = (MAX_UNCERTAINTY_DB, "dB");
        self.not_negative(header.uncertainty, UNCERTAINTY, range)
    }

    /// A delay spread, s: 0 for a single path.
    pub(super) fn delay_spread(&self, header: &Header) -> Result<Option<f64>, ScenarioError> {
        self.not_negative(header.delay_spread, DELAY_SPREAD, (MAX_DELAY, "s"))
    }

    fn not_negative(
        &self,
        column: Option<usize>,
        name: &str,
        (max, unit): (f64, &str),
    ) -> Result<Option<f64>, ScenarioError> {
        let Some(text) = self.text(column) else {
            return Ok(None);
        };
        let number: Option<f64> = text.parse().ok();
        let number = number.filter(|number| (0.0..=max).contains(number));
        number.map(Some).ok_or_else(|| {
            self.error(
                name,
                format!(
                    "found `{}`; accepted: a number from 0 to {max} {unit}",
                    shown(text)
                ),
            )
        })
    }

    pub(super) fn flag(&self, column: Option<usize>) -> Result<bool, ScenarioError> {
        match self.text(column).map(str::to_ascii_lowercase).as_deref() {
            None | Some("0" | "false" | "no") => Ok(false),
            Some("1" | "true" | "yes") => Ok(true),
            Some(text) => {
                let problem = format!("found `{}`; accepted: true or false, 1 or 0", shown(text));
                Err(self.error(LIMIT, problem))
            }
        }
    }

    /// The index of the Tx that the row names.
    pub(super) fn tx(
        &self,
        column: Option<usize>,
        all: &[ScenarioTx],
    ) -> Result<usize, ScenarioError> {
        let Some(text) = self.text(column) else {
            if column.is_none() || all.len() == 1 {
                return Ok(0);
            }
            return Err(self.error(
                TX,
                "found nothing; accepted: the name or index of a Tx".to_owned(),
            ));
        };
        let named = all.iter().position(|tx| tx.name.as_deref() == Some(text));
        let index = named.or_else(|| text.parse().ok().filter(|index| *index < all.len()));
        index.ok_or_else(|| {
            let names: Vec<&str> = all
                .iter()
                .filter_map(|tx| tx.name.as_deref())
                .take(10)
                .collect();
            let names = if names.is_empty() {
                String::new()
            } else {
                format!(", or {}", names.join(", "))
            };
            let problem = format!(
                "found `{}`; accepted: 0 to {}{names}",
                shown(text),
                all.len() - 1
            );
            self.error(TX, problem)
        })
    }
}
