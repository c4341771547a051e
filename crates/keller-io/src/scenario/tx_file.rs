//! Sites in a CSV file: the place, orientation, power and antenna of each Tx.

use std::path::Path;

use super::antennas::{AntennaKeys, Antennas, bearing_deg};
use super::error::ScenarioError;
use super::keys;
use super::place_columns::{PlaceColumns, column, each_row, header_error, is_header};
use super::site::Site;
use super::tx::{ScenarioTx, TxKeys};
use crate::formats::Warning;

/// The columns other than those of places: keys of `[[tx]]`, which accept the same.
const COLUMNS: [&str; 5] = [
    "azimuth_deg",
    "downtilt_deg",
    "electrical_tilt_deg",
    "power_dbm",
    "antenna",
];

/// Appends the sites of `text`, the content of `file`, to `tx`. The first row is a header; empty fields of a row have
/// the values of `common`. Returns the warnings about the file.
pub(super) fn read(
    file: &Path,
    text: &str,
    common: &TxKeys<'_>,
    antennas: &Antennas<'_>,
    tx: &mut Vec<ScenarioTx>,
) -> Result<Option<Warning>, ScenarioError> {
    let mut header: Option<Header> = None;
    let first = tx.len();
    each_row(file, text, |line, record| {
        let Some(header) = &header else {
            header = Some(Header::new(file, line, record)?);
            return Ok(());
        };
        let row = Row {
            file,
            line,
            header,
            record,
        };
        tx.push(row.tx(common, antennas)?);
        Ok(())
    })?;
    if tx.len() == first {
        let problem = "there is no site in it; accepted: a header and one row a site";
        return Err(ScenarioError::new(file, None, "", problem));
    }
    let unused = header.map_or_else(Vec::new, |header| header.unused);
    Ok((!unused.is_empty()).then(|| Warning {
        file: file.to_owned(),
        message: format!(
            "columns that mean nothing here: {}; known beside name and those of places: {}",
            unused.join(", "),
            COLUMNS.join(", ")
        ),
    }))
}

/// The columns of a file.
struct Header {
    places: PlaceColumns,
    /// The indices of [`COLUMNS`].
    others: [Option<usize>; COLUMNS.len()],
    /// The names of columns without a meaning.
    unused: Vec<String>,
}

impl Header {
    fn new(file: &Path, line: usize, record: &csv::StringRecord) -> Result<Self, ScenarioError> {
        if !is_header(record) {
            let problem = "the first row names no columns; accepted: a header such as `name,x,y,height_above_ground,azimuth_deg,downtilt_deg,power_dbm`";
            return Err(ScenarioError::new(file, Some(line), "", problem));
        }
        let places = PlaceColumns::of_header(record)
            .map_err(|problem| header_error(file, line, record, problem))?;
        let others = COLUMNS.map(|name| column(record, name));
        let used = |index: usize| {
            places.uses(index) || others.contains(&Some(index)) || record[index].is_empty()
        };
        let unused = (0..record.len()).filter(|index| !used(*index));
        Ok(Self {
            unused: unused.map(|index| record[index].to_owned()).collect(),
            places,
            others,
        })
    }
}

/// One site.
struct Row<'a> {
    file: &'a Path,
    line: usize,
    header: &'a Header,
    record: &'a csv::StringRecord,
}

impl Row<'_> {
    fn tx(
        &self,
        common: &TxKeys<'_>,
        antennas: &Antennas<'_>,
    ) -> Result<ScenarioTx, ScenarioError> {
        let places = &self.header.places;
        let at = places
            .at(self.record)
            .map_err(|(column, problem)| self.error(column, problem))?;
        let name = places.name.and_then(|column| self.record.get(column));
        let name = name.filter(|name| !name.is_empty()).or(common.name);
        let mut keys: AntennaKeys<'_> = common.antenna;
        if let Some(azimuth_deg) = self.number("azimuth_deg")? {
            keys.orientation_deg[0] = bearing_deg(azimuth_deg);
        }
        if let Some(downtilt_deg) = self.number("downtilt_deg")? {
            keys.orientation_deg[1] = downtilt_deg;
        }
        if let Some(tilt_deg) = self.number("electrical_tilt_deg")? {
            keys.electrical_tilt_deg = tilt_deg;
        }
        keys.antenna = self.field("antenna").unwrap_or(keys.antenna);
        let power_dbm = self.number("power_dbm")?;
        let refuse = |key: &'static str, problem: String| {
            let accepted = keys::find(keys::TX, key).accepted();
            self.error(key, format!("{problem}; accepted: {accepted}"))
        };
        Ok(ScenarioTx {
            name: name.map(str::to_owned),
            site: Site {
                at,
                coordinates: places.coordinates,
            },
            power_dbm: power_dbm.unwrap_or(common.power_dbm),
            antenna: antennas.build(keys, &refuse)?,
            array: common.array.clone(),
            array_tracing: common.array_tracing,
            velocity: common.velocity,
            file: self.file.to_owned(),
            line: self.line,
        })
    }

    /// The content of a column, if it is not empty.
    fn field(&self, name: &str) -> Option<&str> {
        let index = COLUMNS.iter().position(|known| *known == name)?;
        let field = self.record.get(self.header.others[index]?)?;
        (!field.is_empty()).then_some(field)
    }

    fn number(&self, name: &'static str) -> Result<Option<f64>, ScenarioError> {
        let Some(field) = self.field(name) else {
            return Ok(None);
        };
        let key = keys::find(keys::TX, name);
        let number = field.parse().ok().filter(|v| key.kind.shape.has(*v));
        number.map(Some).ok_or_else(|| {
            let accepted = key.accepted();
            self.error(name, format!("found `{field}`; accepted: {accepted}"))
        })
    }

    fn error(&self, column: &str, problem: String) -> ScenarioError {
        ScenarioError::new(
            self.file,
            Some(self.line),
            format!("column {column}"),
            problem,
        )
    }
}
