//! Rows of CSV tables with the places of devices: their lines, and the columns that hold places.

use std::path::Path;

use keller::DVec3;
use keller_geo::shown::{has_control, not_a_name, shown};

use super::error::ScenarioError;
use super::site::{Coordinates, Height, Horizontal, check_lon_lat, is_coordinate};
use crate::formats::csv_rows;

/// The columns that a header must have.
pub(super) const PLACES: &str = "the columns x, y, or longitude, latitude, and one of z, height_above_ground, altitude, in any order, more beside them";

/// Gives every row of `text`, the content of `file`, to `take` with its line. `#` begins a comment line; empty lines
/// count as lines.
pub(super) fn each_row(
    file: &Path,
    text: &str,
    take: impl FnMut(usize, &csv::StringRecord) -> Result<(), ScenarioError>,
) -> Result<(), ScenarioError> {
    let refuse = |line: usize, problem: String| {
        ScenarioError::new(file, Some(line), "", format!("the row {problem}"))
    };
    csv_rows::each_row(text, true, refuse, checked(file, take))
}

/// Gives rows to `take` that have no control characters; if the first is a header, it names no column twice.
pub(super) fn checked(
    file: &Path,
    mut take: impl FnMut(usize, &csv::StringRecord) -> Result<(), ScenarioError>,
) -> impl FnMut(usize, &csv::StringRecord) -> Result<(), ScenarioError> {
    let mut is_first = true;
    move |line, record| {
        let refuse = |problem| Err(ScenarioError::new(file, Some(line), "", problem));
        if let Some(field) = record.iter().find(|field| has_control(field)) {
            return refuse(format!("found {}", not_a_name(field)));
        }
        if std::mem::take(&mut is_first)
            && is_header(record)
            && let Err(problem) = csv_rows::check_names(record)
        {
            return refuse(format!("{problem}; accepted: each once"));
        }
        take(line, record)
    }
}

/// Whether a row names columns: none of its first three fields is a number.
pub(super) fn is_header(record: &csv::StringRecord) -> bool {
    record.iter().take(3).all(|v| v.parse::<f64>().is_err())
}

/// The error that a header is not accepted because of `column`.
pub(super) fn header_error(
    file: &Path,
    line: usize,
    header: &csv::StringRecord,
    (column, problem): (&str, &str),
) -> ScenarioError {
    let header = header.iter().collect::<Vec<_>>().join(",");
    let problem = format!(
        "{problem} the header `{}`; accepted: {PLACES}",
        shown(&header)
    );
    ScenarioError::new(file, Some(line), format!("column {column}"), problem)
}

/// The columns that hold places.
pub(super) struct PlaceColumns {
    /// The meaning of the three coordinates.
    pub(super) coordinates: Coordinates,
    /// The indices of the columns of the three coordinates.
    at: [usize; 3],
    /// The index of the column of names.
    pub(super) name: Option<usize>,
}

/// The columns of a table without a header: x, y, z.
impl Default for PlaceColumns {
    fn default() -> Self {
        Self {
            coordinates: Coordinates::default(),
            at: [0, 1, 2],
            name: None,
        }
    }
}

impl PlaceColumns {
    /// The columns of a header, or the name of a faulty one and its fault.
    pub(super) fn of_header(
        header: &csv::StringRecord,
    ) -> Result<Self, (&'static str, &'static str)> {
        const MISSING: &str = "not in";
        const TWICE: &str = "beside another for the same in";
        let find = |name: &str| column(header, name);
        let lon_lat = [["longitude", "lon"], ["latitude", "lat"]]
            .map(|names| names.into_iter().find_map(find));
        let horizontal = match lon_lat {
            [None, None] => Horizontal::Local,
            _ => Horizontal::LonLat,
        };
        let [first, second] = match horizontal {
            Horizontal::Local => ["x", "y"].map(find),
            Horizontal::LonLat => lon_lat,
        };
        if horizontal == Horizontal::LonLat && (find("x").is_some() || find("y").is_some()) {
            return Err(("longitude", TWICE));
        }
        let [first_name, second_name] = horizontal.names();
        let mut heights = [Height::Local, Height::AboveGround, Height::Altitude]
            .into_iter()
            .filter_map(|height| Some((height, find(height.name())?)));
        let first = first.ok_or((first_name, MISSING))?;
        let second = second.ok_or((second_name, MISSING))?;
        let (height, third) = heights.next().ok_or((Height::Local.name(), MISSING))?;
        if let Some((other, _)) = heights.next() {
            return Err((other.name(), TWICE));
        }
        Ok(Self {
            coordinates: Coordinates { horizontal, height },
            at: [first, second, third],
            name: find("name"),
        })
    }

    /// Whether a header has any column of places.
    pub(super) fn are_in(header: &csv::StringRecord) -> bool {
        let heights = [Height::Local, Height::AboveGround, Height::Altitude];
        let horizontal = ["x", "y", "longitude", "lon", "latitude", "lat"];
        let heights = heights.into_iter().map(Height::name);
        let mut names = horizontal.into_iter().chain(heights);
        names.any(|name| column(header, name).is_some())
    }

    /// Whether a column holds a place or a name.
    pub(super) fn uses(&self, column: usize) -> bool {
        self.at.contains(&column) || self.name == Some(column)
    }

    /// The names of the columns of a header that hold neither.
    pub(super) fn unused(&self, header: &csv::StringRecord) -> Vec<String> {
        let names = header.iter().enumerate();
        let unused = names.filter(|(column, name)| !self.uses(*column) && !name.is_empty());
        unused.map(|(_, name)| name.to_owned()).collect()
    }

    /// The coordinates of a row, or the name of a column without one and its content.
    pub(super) fn at(&self, record: &csv::StringRecord) -> Result<DVec3, (&'static str, String)> {
        let Coordinates { horizontal, height } = self.coordinates;
        let [first, second] = horizontal.names();
        let number = |name: &'static str, column: usize| {
            let field = record.get(column).unwrap_or_default();
            let number = field.parse().ok().filter(|v| is_coordinate(*v));
            number.ok_or_else(|| {
                let unit = match name {
                    "longitude" | "latitude" => "a number, degrees",
                    _ => "a number of at most 1e7, metres",
                };
                (name, format!("found `{}`; accepted: {unit}", shown(field)))
            })
        };
        let [x, y, z] = self.at;
        let at = DVec3::new(
            number(first, x)?,
            number(second, y)?,
            number(height.name(), z)?,
        );
        if horizontal == Horizontal::LonLat {
            check_lon_lat([at.x, at.y]).map_err(|(name, problem)| {
                let range = "longitudes from -180 to 180, latitudes from -90 to 90 degrees";
                (name, format!("{problem}; accepted: {range}"))
            })?;
        }
        Ok(at)
    }
}

/// The column of `name` in a header.
pub(super) fn column(header: &csv::StringRecord, name: &str) -> Option<usize> {
    header.iter().position(|v| v.eq_ignore_ascii_case(name))
}
