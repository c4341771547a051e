//! Measurements in CSV and Parquet files and archives of numpy: the received signal, its Tx, and the place.
//!
//! A file has a header. Its columns name places as those of `[[rx]]` files do, the Tx, and one quantity; more columns
//! may name a set, an uncertainty, a delay spread, and which rows are limits only, because the signal lay below the
//! receiver's noise. A warning lists columns of other names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use keller::DVec3;
use keller::antenna::{Antenna, ArrayTracing};
use keller::comparison::DelayGrid;

use super::Scenario;
use super::delay_profiles::{DelayProfiles, ProfileIndex};
use super::error::ScenarioError;
use super::measured_columns::{Header, LIMIT, Quantity, Row, known_columns, rows_of};
use super::npz_rows;
use super::npz_rows::Profiles;
use super::positions::Positions;
use super::receivers::{Receivers, Rx, RxGroup};
use super::site::Coordinates;
use crate::formats::Warning;

/// Measurements at some places.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurements {
    /// All measurements, file after file.
    pub rows: Vec<Measured>,
    /// The receivers at their places, each place once in a file.
    pub receivers: Receivers,
    /// Whether the files give the places of receivers; else all are at zero.
    pub has_places: bool,
    /// The names of sets: those of the column `set` or `route`, else of files.
    pub sets: Vec<String>,
    /// The power-delay profiles, those of a file together.
    pub profiles: Vec<DelayProfiles>,
    /// The warnings about the files.
    pub warnings: Vec<Warning>,
}

/// The signal that was received from one Tx at one place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// Index of the Tx.
    pub tx: usize,
    /// Index of the receiver in [`Measurements::receivers`].
    pub rx: usize,
    /// The path gain, dB: for a received power, less the power of the Tx.
    pub gain_db: f64,
    /// Whether the signal lay below the receiver's noise, which is at `gain_db`.
    pub is_limit: bool,
    /// The standard deviation of the measurement, dB, if the file gives it; 0 if it is exact.
    pub uncertainty_db: Option<f64>,
    /// The delay spread, s, if the file gives it; 0 for a single path.
    pub delay_spread: Option<f64>,
    /// The place of its power-delay profile, if the file has one.
    pub profile: Option<ProfileIndex>,
    /// Index of the set.
    pub set: usize,
    /// The line of its file.
    pub line: u32,
}

impl Measurements {
    /// Reads the measurements in `files` of the signals from a scenario's Tx, at places that the files give. Receivers
    /// have the antenna of the scenario's first `[[rx]]`, else an isotropic one.
    ///
    /// # Errors
    /// [`ScenarioError`], with file, line and column.
    pub fn load(files: &[PathBuf], scenario: &Scenario) -> Result<Self, ScenarioError> {
        let mut all = Self::none(true);
        for file in files {
            all.read(file, scenario, None)?;
        }
        Ok(all)
    }

    /// Reads the same by device: a receiver is all rows with the same `device` (or `name`) and place, of all files.
    /// Files may have no columns of places: then rows without a name are one receiver a file, and [`Self::has_places`]
    /// is false.
    ///
    /// # Errors
    /// [`ScenarioError`], with file, line and column; also if some files have places and others have not.
    pub fn load_devices(files: &[PathBuf], scenario: &Scenario) -> Result<Self, ScenarioError> {
        let mut has_places = None;
        for file in files {
            let own = Header::says_places(file)?;
            if *has_places.get_or_insert(own) != own {
                let problem = "this file and the first one differ in whether they have columns of places; accepted: places in all files or in none";
                return Err(ScenarioError::new(file, None, "", problem));
            }
        }
        let mut all = Self::none(has_places.unwrap_or(true));
        let mut devices = Known::default();
        for file in files {
            all.read(file, scenario, Some(&mut devices))?;
        }
        Ok(all)
    }

    fn none(has_places: bool) -> Self {
        Self {
            has_places,
            rows: Vec::new(),
            receivers: Receivers {
                rx: Vec::new(),
                groups: Vec::new(),
            },
            sets: Vec::new(),
            profiles: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The predictions of a reference, which replace measurements: `rows` at `places`, metres of the scene, in a set
    /// called `name`.
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
            leaves_out: true,
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
            has_places: true,
            sets: vec![name.to_owned()],
            profiles: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Leaves out measurements at places that positions lack, and returns their number.
    ///
    /// # Errors
    /// [`ScenarioError`] if none is left.
    pub fn keep_placed(&mut self, positions: &Positions) -> Result<usize, ScenarioError> {
        let before = self.rows.len();
        self.rows.retain(|row| positions.has_rx(row.rx));
        match positions.left_out.first() {
            Some(first) if self.rows.is_empty() => {
                let problem = format!(
                    "no measurement has a place in the scene: all stand on or in walls, or over no ground; the first stands {}",
                    first.reason.name()
                );
                let Rx { group, line, .. } = &self.receivers.rx[first.rx];
                let file = &self.receivers.groups[*group as usize].file;
                let line = usize::try_from(*line).ok();
                Err(ScenarioError::new(file, line, "", problem))
            }
            _ => Ok(before - self.rows.len()),
        }
    }

    /// The delays and the power (path gain in each bin, linear) of a measurement's profile, if it has one.
    pub fn profile(&self, row: &Measured) -> Option<(DelayGrid, &[f64])> {
        let ProfileIndex { file, place } = row.profile?;
        let profiles = self.profiles.get(file)?;
        Some((profiles.delays, profiles.of(place)))
    }

    /// Appends the measurements of `file`: a receiver for each of its places, or for each device that is not among
    /// `devices`.
    fn read(
        &mut self,
        file: &Path,
        scenario: &Scenario,
        devices: Option<&mut Known>,
    ) -> Result<(), ScenarioError> {
        let mut header: Option<Header> = None;
        let is_by_device = devices.is_some();
        let mut of_file = Known::default();
        let known = devices.unwrap_or(&mut of_file);
        let (first, mut num_empty) = (self.rows.len(), 0);
        let profiles = rows_of(file, |line, record| {
            let Some(header) = &header else {
                let read = Header::new(file, line, record, scenario, self.has_places)?;
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
            let name = row.text(header.name);
            let at = match &header.places {
                Some(places) => places
                    .at(record)
                    .map_err(|(column, problem)| row.error(column, problem))?,
                None => DVec3::ZERO,
            };
            let tx = row.tx(header.tx, &scenario.tx)?;
            let name = match header.places {
                None => Some(name.unwrap_or(&header.file_set)),
                Some(_) => name,
            };
            let device = name.filter(|_| is_by_device).map(ToOwned::to_owned);
            let rx = *known.entry((key(at), device)).or_insert_with(|| {
                self.receivers.rx.push(Rx {
                    at,
                    name: name.map(Into::into),
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
                uncertainty_db: row.uncertainty(header)?,
                delay_spread: row.delay_spread(header)?,
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

    /// Begins a file: the group of its receivers, and the warning about its columns.
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
            coordinates: header
                .places
                .as_ref()
                .map_or_else(Coordinates::default, |places| places.coordinates),
            file: file.to_owned(),
            is_grid: false,
            leaves_out: true,
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

fn warning(file: &Path, message: String) -> Warning {
    Warning {
        file: file.to_owned(),
        message,
    }
}

/// The receivers so far, by place and, if devices are distinguished, by name.
type Known = HashMap<([u64; 3], Option<String>), usize>;

/// The bits of a place.
fn key(at: DVec3) -> [u64; 3] {
    at.to_array().map(f64::to_bits)
}
