//! Receivers in a CSV file.

use std::path::Path;

use keller::DVec3;
use keller_geo::shown::shown;

use super::devices::is_coordinate;
use super::error::ScenarioError;
use super::site::{Coordinates, Height, Horizontal, check_lon_lat};

/// What a file says.
pub(super) struct RxTable {
    pub(super) coordinates: Coordinates,
    pub(super) rows: Vec<RxRow>,
}

/// One receiver.
pub(super) struct RxRow {
    pub(super) at: DVec3,
    pub(super) name: Option<Box<str>>,
    pub(super) line: u32,
}

/// What a header may say.
const ACCEPTED: &str = "the columns x, y, or longitude, latitude, and one of z, height_above_ground, altitude, in any order, more beside them";

/// The receivers of `text`, which is that of `file`. A first row without a number in its first three fields is a header, which says what
/// the columns are; without a header the first three columns are x, y, z. `#` begins a comment line.
pub(super) fn read(file: &Path, text: &str) -> Result<RxTable, ScenarioError> {
    let error = |line: u64, column: &str, problem: String| {
        let line = usize::try_from(line).ok();
        ScenarioError::new(file, line, column, problem)
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut columns = Columns::default();
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    let mut is_first = true;
    loop {
        let more = reader.read_record(&mut record).map_err(|problem| {
            let line = problem.position().map_or(0, csv::Position::line);
            error(line, "", problem.to_string())
        })?;
        if !more {
            break;
        }
        let line = record
            .position()
            .map_or(0, |start| record_line(text, start));
        if std::mem::take(&mut is_first) && record.iter().take(3).all(|v| v.parse::<f64>().is_err())
        {
            columns = Columns::of_header(&record).map_err(|(column, problem)| {
                let header = record.iter().collect::<Vec<_>>().join(",");
                let problem = format!(
                    "{problem} the header `{}`; accepted: {ACCEPTED}",
                    shown(&header)
                );
                error(line, &format!("column {column}"), problem)
            })?;
            continue;
        }
        let at = columns
            .at(&record)
            .map_err(|(column, problem)| error(line, &format!("column {column}"), problem))?;
        let name = columns.name.and_then(|column| record.get(column));
        rows.push(RxRow {
            at,
            name: name.filter(|name| !name.is_empty()).map(Into::into),
            line: u32::try_from(line).unwrap_or(u32::MAX),
        });
    }
    if rows.is_empty() {
        let problem = "there is no receiver in it; accepted: one row x,y,z a receiver";
        return Err(ScenarioError::new(file, None, "", problem));
    }
    Ok(RxTable {
        coordinates: columns.coordinates,
        rows,
    })
}

/// The line of a record: the reader's own count points before the comments and empty lines that it skipped.
fn record_line(text: &str, start: &csv::Position) -> u64 {
    let rest = usize::try_from(start.byte())
        .ok()
        .and_then(|byte| text.get(byte..));
    let skipped = rest
        .unwrap_or_default()
        .lines()
        .take_while(|line| line.is_empty() || line.starts_with('#'));
    start.line() + skipped.count() as u64
}

/// Which column is which.
struct Columns {
    coordinates: Coordinates,
    /// Those of the three coordinates.
    at: [usize; 3],
    name: Option<usize>,
}

impl Default for Columns {
    fn default() -> Self {
        Self {
            coordinates: Coordinates::default(),
            at: [0, 1, 2],
            name: None,
        }
    }
}

impl Columns {
    /// The columns of a header, or the name of one that is wrong and what is wrong with it.
    fn of_header(header: &csv::StringRecord) -> Result<Self, (&'static str, &'static str)> {
        const MISSING: &str = "not in";
        const TWICE: &str = "beside another for the same in";
        let find = |name: &str| header.iter().position(|v| v.eq_ignore_ascii_case(name));
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

    /// The coordinates of a row, or the name of a column that has none and what it has.
    fn at(&self, record: &csv::StringRecord) -> Result<DVec3, (&'static str, String)> {
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
