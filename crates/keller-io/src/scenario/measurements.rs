//! Measurements in CSV and Parquet files and archives of numpy: what was received from which Tx, and where.
//!
//! A file has a header. Its columns say places as those of `[[rx]]` files do, the Tx, and one quantity; more columns may
//! name a set, an uncertainty, a delay spread, and which rows are limits only, because the signal lay below the receiver's
//! noise. Columns of other names are told.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use keller::DVec3;
use keller::antenna::{Antenna, ArrayTracing};
use keller::comparison::DelayGrid;
use keller_geo::shown::shown;

use super::delay_profiles::{DelayProfiles, ProfileIndex};
use super::error::ScenarioError;
use super::npz_rows::Profiles;
use super::place_columns::{PlaceColumns, column, each_row, header_error, is_header};
use super::receivers::{Receivers, Rx, RxGroup};
use super::site::Coordinates;
use super::{Scenario, Tx};
use super::{npz_rows, parquet_rows};
use crate::Warning;

/// The columns of quantities, of which a file has one.
const QUANTITIES: [(&str, Quantity); 3] = [
    ("path_gain_db", Quantity::PathGain),
    ("path_loss_db", Quantity::PathLoss),
    ("received_power_dbm", Quantity::ReceivedPower),
];
const TX: &str = "tx";
const SETS: [&str; 2] = ["set", "route"];
const UNCERTAINTY: &str = "uncertainty_db";
const LIMIT: &str = "below_noise";
const DELAY_SPREAD: &str = "delay_spread_s";

/// Levels beyond this are mistakes, dB.
const MAX_LEVEL: f64 = 1e4;

/// A level that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quantity {
    PathGain,
    PathLoss,
    ReceivedPower,
}

/// Measurements at some places.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurements {
    /// All of them, file after file.
    pub rows: Vec<Measured>,
    /// The receivers at their places, each place once in a file.
    pub receivers: Receivers,
    /// Names of sets: those of the column `set` or `route`, else of files.
    pub sets: Vec<String>,
    /// Power-delay profiles, those of a file together.
    pub profiles: Vec<DelayProfiles>,
    /// What looks wrong.
    pub warnings: Vec<Warning>,
}

/// What was received from one Tx at one place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Index of the Tx.
    pub tx: usize,
    /// Index of the receiver in [`Measurements::receivers`].
    pub rx: usize,
    /// Path gain, dB: of a received power, less the power of the Tx.
    pub gain_db: f64,
    /// Whether the signal lay below the receiver's noise, which is at `gain_db`.
    pub is_limit: bool,
    /// Standard deviation of the measurement, dB, if the file says it.
    pub uncertainty_db: Option<f64>,
    /// Delay spread, s, if the file says it.
    pub delay_spread: Option<f64>,
    /// Where its power-delay profile is, if the file has one.
    pub profile: Option<ProfileIndex>,
    /// Index of the set.
    pub set: usize,
    /// The line of its file.
    pub line: u32,
}

impl Measurements {
    /// The measurements in `files` of what the Tx of a scenario send. Receivers have the antenna of the scenario's first
    /// `[[rx]]`, else an isotropic one.
    ///
    /// # Errors
    /// [`ScenarioError`], with file, line and column.
    pub fn load(files: &[PathBuf], scenario: &Scenario) -> Result<Self, ScenarioError> {
        let mut all = Self {
            rows: Vec::new(),
            receivers: Receivers {
                rx: Vec::new(),
                groups: Vec::new(),
            },
            sets: Vec::new(),
            profiles: Vec::new(),
            warnings: Vec::new(),
        };
        for file in files {
            all.read(file, scenario)?;
        }
        Ok(all)
    }

    /// What a reference predicts, in place of measurements: `rows` at `places`, metres of the scene, in a set called `name`.
    pub fn of_reference(
        name: &str,
        rows: Vec<Measured>,
        places: &[DVec3],
        scenario: &Scenario,
    ) -> Self {
        let mut receivers = Receivers {
            rx: Vec::new(),
            groups: Vec::new(),
        };
        receivers.groups.push(RxGroup {
            antenna: Antenna::default(),
            array: None,
            array_tracing: ArrayTracing::Phase,
            velocity: DVec3::ZERO,
            coordinates: Coordinates::default(),
            file: scenario.file.clone(),
            is_grid: false,
            label: name.to_owned(),
        });
        receivers.rx = places
            .iter()
            .map(|at| Rx {
                at: *at,
                name: None,
                group: 0,
                line: 0,
            })
            .collect();
        Self {
            rows,
            receivers,
            sets: vec![name.to_owned()],
            profiles: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The delays and the power (path gain in each bin, linear) of a measurement's profile, if it has one.
    pub fn profile(&self, row: &Measured) -> Option<(DelayGrid, &[f64])> {
        let ProfileIndex { file, place } = row.profile?;
        let profiles = self.profiles.get(file)?;
        Some((profiles.delays, profiles.of(place)))
    }

    /// Appends those of `file`.
    fn read(&mut self, file: &Path, scenario: &Scenario) -> Result<(), ScenarioError> {
        let mut header: Option<Header> = None;
        let mut places: HashMap<[u64; 3], usize> = HashMap::new();
        let (first, mut num_empty) = (self.rows.len(), 0);
        let profiles = rows_of(file, |line, record| {
            let Some(header) = &header else {
                let read = Header::new(file, line, record, scenario)?;
                self.begin(file, &read, scenario);
                header = Some(read);
                return Ok(());
            };
            let row = Row { file, line, record };
            let is_limit = row.flag(header.limit)?;
            let Some(level) = row.level(header.level, header.level_name)? else {
                if is_limit {
                    let problem = format!(
                        "found nothing; accepted: the receiver's noise, because {LIMIT} is true"
                    );
                    return Err(row.error(header.level_name, problem));
                }
                num_empty += 1;
                return Ok(());
            };
            let at = header
                .places
                .at(record)
                .map_err(|(column, problem)| row.error(column, problem))?;
            let tx = row.tx(header.tx, &scenario.tx)?;
            let rx = *places.entry(key(at)).or_insert_with(|| {
                let name = header.places.name.and_then(|column| record.get(column));
                self.receivers.rx.push(Rx {
                    at,
                    name: name.filter(|name| !name.is_empty()).map(Into::into),
                    group: u32::try_from(self.receivers.groups.len() - 1).unwrap_or(u32::MAX),
                    line: u32::try_from(line).unwrap_or(u32::MAX),
                });
                self.receivers.rx.len() - 1
            });
            let set = self.set(row.text(header.set).unwrap_or(&header.file_set).to_owned());
            self.rows.push(Measured {
                tx,
                rx,
                gain_db: match header.quantity {
                    Quantity::PathGain => level,
                    Quantity::PathLoss => -level,
                    Quantity::ReceivedPower => level - scenario.tx[tx].power_dbm,
                },
                is_limit,
                uncertainty_db: row.positive(header.uncertainty, UNCERTAINTY)?,
                delay_spread: row.positive(header.delay_spread, DELAY_SPREAD)?,
                profile: None,
                set,
                line: u32::try_from(line).unwrap_or(u32::MAX),
            });
            Ok(())
        })?;
        if self.rows.len() == first {
            let problem =
                "there is no measurement in it; accepted: a header, and one row a measurement";
            return Err(ScenarioError::new(file, None, "", problem));
        }
        if num_empty > 0 {
            let problem = format!("{num_empty} rows without a level are left out");
            self.warnings.push(warning(file, problem));
        }
        match profiles {
            Profiles::None => {}
            Profiles::Uneven if scenario.channel.bandwidth_line.is_none() => {}
            Profiles::Uneven => {
                let problem = "profiles are not compared: `delay` is not equally spaced, or has a single value";
                self.warnings.push(warning(file, problem.to_owned()));
            }
            Profiles::Even(profiles) => {
                let index = self.profiles.len();
                self.profiles.push(profiles);
                for row in &mut self.rows[first..] {
                    let line = usize::try_from(row.line).unwrap_or(usize::MAX);
                    let place = line - npz_rows::FIRST_PLACE;
                    row.profile = Some(ProfileIndex { file: index, place });
                }
            }
        }
        Ok(())
    }

    /// Begins a file: the group of its receivers, and what is told of its columns.
    fn begin(&mut self, file: &Path, header: &Header, scenario: &Scenario) {
        if !header.unknown.is_empty() {
            let problem = format!(
                "columns that are not used: {}; known are {}",
                header.unknown.join(", "),
                known_columns().join(", ")
            );
            self.warnings.push(warning(file, problem));
        }
        let model = scenario.receivers.groups.first();
        self.receivers.groups.push(RxGroup {
            antenna: model.map_or_else(Antenna::default, |group| group.antenna.clone()),
            array: model.and_then(|group| group.array.clone()),
            array_tracing: model.map_or(ArrayTracing::Phase, |group| group.array_tracing),
            velocity: DVec3::ZERO,
            coordinates: header.places.coordinates,
            file: file.to_owned(),
            is_grid: false,
            label: "column".to_owned(),
        });
    }

    /// The index of a set.
    fn set(&mut self, name: String) -> usize {
        let known = self.sets.iter().position(|set| *set == name);
        known.unwrap_or_else(|| {
            self.sets.push(name);
            self.sets.len() - 1
        })
    }
}

/// Gives every row of a file, its header first, to `take` with its line. What comes back are the profiles of the file.
fn rows_of(
    file: &Path,
    take: impl FnMut(usize, &csv::StringRecord) -> Result<(), ScenarioError>,
) -> Result<Profiles, ScenarioError> {
    let is = |format: &str| {
        let extension = file.extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case(format))
    };
    if is("parquet") {
        return parquet_rows::each_row(file, take).map(|()| Profiles::None);
    }
    if is("npz") {
        return npz_rows::each_row(file, take);
    }
    let text = keller_geo::input::read_to_string(file)
        .map_err(|error| ScenarioError::new(file, None, "", error.to_string()))?;
    each_row(file, &text, take).map(|()| Profiles::None)
}

fn warning(file: &Path, message: String) -> Warning {
    Warning {
        file: file.to_owned(),
        message,
    }
}

/// The names of columns beside those of places.
fn known_columns() -> Vec<&'static str> {
    let quantities = QUANTITIES.iter().map(|(name, _)| *name);
    let more = [TX].into_iter().chain(SETS);
    quantities
        .chain(more)
        .chain([UNCERTAINTY, LIMIT, DELAY_SPREAD])
        .collect()
}

/// A place by its bits.
fn key(at: DVec3) -> [u64; 3] {
    at.to_array().map(f64::to_bits)
}

/// What the columns of a file hold.
struct Header {
    places: PlaceColumns,
    quantity: Quantity,
    level: usize,
    level_name: &'static str,
    tx: Option<usize>,
    set: Option<usize>,
    /// The set of rows that name none.
    file_set: String,
    uncertainty: Option<usize>,
    limit: Option<usize>,
    delay_spread: Option<usize>,
    unknown: Vec<String>,
}

impl Header {
    fn new(
        file: &Path,
        line: usize,
        record: &csv::StringRecord,
        scenario: &Scenario,
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
        let places = PlaceColumns::of_header(record)
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
        let known = [Some(level), tx, set, uncertainty, limit, delay_spread];
        let unknown = (0..record.len())
            .filter(|index| !places.uses(*index) && !known.contains(&Some(*index)))
            .map(|index| format!("`{}`", shown(&record[index])));
        Ok(Self {
            unknown: unknown.collect(),
            places,
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
struct Row<'a> {
    file: &'a Path,
    line: usize,
    record: &'a csv::StringRecord,
}

impl Row<'_> {
    fn error(&self, column: &str, problem: String) -> ScenarioError {
        ScenarioError::new(
            self.file,
            Some(self.line),
            format!("column {column}"),
            problem,
        )
    }

    /// The text of a column that is there and not empty.
    fn text(&self, column: Option<usize>) -> Option<&str> {
        let text = self.record.get(column?)?;
        (!text.is_empty()).then_some(text)
    }

    /// The level, if the row has one.
    fn level(&self, column: usize, name: &str) -> Result<Option<f64>, ScenarioError> {
        let Some(text) = self.text(Some(column)) else {
            return Ok(None);
        };
        let level: Option<f64> = text.parse().ok();
        match level {
            Some(level) if level.is_nan() => Ok(None),
            Some(level) if level.abs() <= MAX_LEVEL => Ok(Some(level)),
            _ => Err(self.error(
                name,
                format!("found `{}`; accepted: a number of dB or dBm", shown(text)),
            )),
        }
    }

    /// A number above 0.
    fn positive(&self, column: Option<usize>, name: &str) -> Result<Option<f64>, ScenarioError> {
        let Some(text) = self.text(column) else {
            return Ok(None);
        };
        let number: Option<f64> = text.parse().ok();
        let number = number.filter(|number| *number > 0.0 && number.is_finite());
        number.map(Some).ok_or_else(|| {
            self.error(
                name,
                format!("found `{}`; accepted: a number above 0", shown(text)),
            )
        })
    }

    fn flag(&self, column: Option<usize>) -> Result<bool, ScenarioError> {
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
    fn tx(&self, column: Option<usize>, all: &[Tx]) -> Result<usize, ScenarioError> {
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
