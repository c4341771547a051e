//! The common settings of a Tx and an Rx: antenna, polarisation, orientation, array.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use keller::antenna::{
    Antenna, Array, ArrayTracing, CUTS_TOLERANCE_DB, Combination, GAIN_TOLERANCE_DB, Orientation,
    Pattern, Polarization,
};
use keller::units::{db_to_power, power_to_db};
use keller::{DVec3, Frequency};
use keller_geo::input;
use keller_geo::shown::shown;

use super::document::Section;
use super::error::ScenarioError;
use super::keys;
use crate::formats::Warning;
use crate::formats::pattern::{self, Content, PatternFile};

/// The largest difference from the frequencies of its measurement, as a share of them, at which a pattern may be used
/// without a warning.
const FREQUENCY_TOLERANCE: f64 = 0.2;

/// Reads antennas; a pattern file that many devices name is read once and shared.
pub(super) struct Antennas<'a> {
    folder: &'a Path,
    frequency: Frequency,
    files: RefCell<Vec<(PathBuf, Combination, PatternFile)>>,
}

impl<'a> Antennas<'a> {
    /// A reader for a scenario in `folder`.
    pub(super) fn new(folder: &'a Path, frequency: Frequency) -> Self {
        Self {
            folder,
            frequency,
            files: RefCell::default(),
        }
    }

    /// The antenna of a device.
    pub(super) fn antenna(&self, section: &Section<'_>) -> Result<Antenna, ScenarioError> {
        self.build(AntennaKeys::read(section)?, &|key, problem| {
            section.refuse(key, problem)
        })
    }

    /// The antenna that `keys` describe. `refuse` makes an error of a key and its fault.
    pub(super) fn build(
        &self,
        keys: AntennaKeys<'_>,
        refuse: &dyn Fn(&'static str, String) -> ScenarioError,
    ) -> Result<Antenna, ScenarioError> {
        let (pattern, tolerance_db) = self.pattern(keys.antenna, keys.cuts, refuse)?;
        if let Some(gain_dbi) = keys.gain_dbi {
            let directivity_db = power_to_db(pattern.peak_gain() / pattern.mean_gain());
            if gain_dbi > directivity_db + tolerance_db {
                let problem = format!(
                    "found {gain_dbi}: the pattern's directivity is {directivity_db:.2} dBi by integration over the sphere, and no antenna has more gain"
                );
                return Err(refuse("gain_dbi", problem));
            }
        }
        Ok(Antenna {
            pattern,
            polarization: keys.polarization,
            orientation: Orientation::from_degrees(keys.orientation_deg),
            electrical_tilt: keys.electrical_tilt_deg.to_radians(),
            peak_gain: keys.gain_dbi.map(db_to_power),
        })
    }

    /// The values of `array` and `array_tracing` of a device.
    pub(super) fn array(
        &self,
        section: &Section<'_>,
    ) -> Result<(Option<Array>, ArrayTracing), ScenarioError> {
        let tracing = section.choice("array_tracing", &ArrayTracing::NAMES)?;
        let tracing = tracing.unwrap_or_default();
        let Some(table) = section.section("array")? else {
            if section.has("array_tracing") {
                return Err(section.problem("array_tracing", "there is no `array` beside it"));
            }
            return Ok((None, tracing));
        };
        let array = if let Some(elements) = table.vectors::<3>("elements_m")? {
            let planar = ["rows", "columns", "spacing_wavelengths"];
            if let Some(key) = planar.into_iter().find(|key| table.has(key)) {
                return Err(table.problem(key, "cannot stand beside `elements_m`"));
            }
            Array::from_elements(elements.into_iter().map(DVec3::from_array).collect())
        } else {
            let count = |key| table.whole(key)?.ok_or_else(|| table.missing(key));
            let (rows, columns) = (count("rows")?, count("columns")?);
            let spacing = table.vector("spacing_wavelengths")?;
            let spacing: [f64; 2] = spacing.unwrap_or([0.5, 0.5]);
            let wavelength = self.frequency.wavelength();
            Array::planar(rows, columns, spacing.map(|s| s * wavelength))
        };
        match array {
            Ok(array) => Ok((Some(array), tracing)),
            Err(error) => Err(section.problem("array", error.to_string())),
        }
    }

    /// The pattern files that were read.
    pub(super) fn file_names(&self) -> Vec<PathBuf> {
        let files = self.files.borrow();
        files.iter().map(|(path, ..)| path.clone()).collect()
    }

    /// The warnings about the pattern files.
    pub(super) fn warnings(self) -> Vec<Warning> {
        let files = self.files.into_inner();
        files
            .into_iter()
            .flat_map(|(path, _, file)| {
                let off = frequency_warning(&path, &file, self.frequency);
                file.warnings.into_iter().chain(off)
            })
            .collect()
    }

    /// The pattern that `antenna` names, and the largest excess of its gain over the one that its integral allows, dB.
    fn pattern(
        &self,
        name: &str,
        combination: Option<Combination>,
        refuse: &dyn Fn(&'static str, String) -> ScenarioError,
    ) -> Result<(Pattern, f64), ScenarioError> {
        if !name.contains(['.', '/', '\\']) {
            if combination.is_some() {
                let problem = format!(
                    "only a pattern file has cuts to combine, and `{name}` is none",
                    name = shown(name)
                );
                return Err(refuse("cuts", problem));
            }
            let known = Pattern::NAMES.into_iter().find(|(known, _)| *known == name);
            return known
                .map(|(_, pattern)| (pattern, GAIN_TOLERANCE_DB))
                .ok_or_else(|| {
                    let hint = keys::suggestion(name, Pattern::NAMES.iter().map(|(n, _)| *n));
                    refuse("antenna", format!("found \"{}\"{hint}", shown(name)))
                });
        }
        let path = self.folder.join(name);
        let combination = combination.unwrap_or_default();
        let known = self
            .files
            .borrow()
            .iter()
            .find(|(file, how, _)| *file == path && *how == combination)
            .map(|(_, _, file)| file.clone());
        let file = if let Some(file) = known {
            file
        } else {
            if let Some(problem) = input::why_no_file(&path) {
                return Err(refuse("antenna", problem));
            }
            let file = pattern::load(&path, combination)
                .map_err(|error| ScenarioError::of_pattern(&error))?;
            let entry = (path, combination, file.clone());
            self.files.borrow_mut().push(entry);
            file
        };
        let tolerance_db = match file.content {
            Content::Cuts => CUTS_TOLERANCE_DB,
            Content::Gains | Content::Fields => GAIN_TOLERANCE_DB,
        };
        Ok((file.pattern, tolerance_db))
    }
}

/// The keys of a device about its antenna.
#[derive(Debug, Clone, Copy)]
pub(super) struct AntennaKeys<'a> {
    /// The name of a pattern, or of its file.
    pub(super) antenna: &'a str,
    /// The way in which the cuts of a file are combined.
    pub(super) cuts: Option<Combination>,
    /// The largest gain, which replaces the pattern's own, dBi.
    pub(super) gain_dbi: Option<f64>,
    /// The electrical tilt downwards, all round, degrees.
    pub(super) electrical_tilt_deg: f64,
    /// Its polarisation.
    pub(super) polarization: Polarization,
    /// Bearing, downtilt and slant, degrees: see [`Orientation::from_degrees`].
    pub(super) orientation_deg: [f64; 3],
}

impl<'a> AntennaKeys<'a> {
    /// The keys of a device.
    pub(super) fn read(section: &Section<'a>) -> Result<Self, ScenarioError> {
        let tilt_deg = section.number("electrical_tilt_deg")?;
        Ok(Self {
            antenna: section.text("antenna")?.unwrap_or("isotropic"),
            cuts: section.choice("cuts", &Combination::NAMES)?,
            gain_dbi: section.number("gain_dbi")?,
            electrical_tilt_deg: tilt_deg.unwrap_or(0.0),
            polarization: polarization(section)?,
            orientation_deg: orientation_deg(section)?,
        })
    }
}

/// The bearing, counted from +x towards +y, of an azimuth that counts clockwise from north, +y; degrees.
pub(super) fn bearing_deg(azimuth_deg: f64) -> f64 {
    90.0 - azimuth_deg
}

/// The `orientation_deg` of a device, or the one that follows from `azimuth_deg` and `downtilt_deg`.
fn orientation_deg(section: &Section<'_>) -> Result<[f64; 3], ScenarioError> {
    let azimuth_deg = section.number("azimuth_deg")?;
    let downtilt_deg = section.number("downtilt_deg")?;
    match section.vector("orientation_deg")? {
        Some(orientation) => {
            let beside = ["azimuth_deg", "downtilt_deg"];
            match beside.into_iter().find(|key| section.has(key)) {
                Some(key) => {
                    let problem = "stands beside `orientation_deg`, which says it already: give one of the two";
                    Err(section.problem(key, problem))
                }
                None => Ok(orientation),
            }
        }
        None => Ok([
            azimuth_deg.map_or(0.0, bearing_deg),
            downtilt_deg.unwrap_or(0.0),
            0.0,
        ]),
    }
}

/// A warning if a pattern was measured at frequencies far from the scenario's.
fn frequency_warning(path: &Path, file: &PatternFile, frequency: Frequency) -> Option<Warning> {
    let [low, high] = file.frequencies_hz?;
    let is_near = frequency.hz() >= low * (1.0 - FREQUENCY_TOLERANCE)
        && frequency.hz() <= high * (1.0 + FREQUENCY_TOLERANCE);
    (!is_near).then(|| Warning {
        file: path.to_owned(),
        message: format!(
            "the pattern holds for {} to {} MHz, the scenario is at {} MHz",
            low / 1e6,
            high / 1e6,
            frequency.hz() / 1e6
        ),
    })
}

/// The `polarization` of a device: a name, or a slant in degrees.
fn polarization(section: &Section<'_>) -> Result<Polarization, ScenarioError> {
    if let Some(slant_deg) = section.number_found("polarization") {
        return Ok(Polarization::Slant(slant_deg.to_radians()));
    }
    let named = section.choice("polarization", &keys::POLARIZATIONS)?;
    Ok(named.unwrap_or_default())
}
