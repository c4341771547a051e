//! Antenna pattern files: a manufacturer's measurements, as a pattern in all directions.
//!
//! There is one file for each format: Planet (`msi.rs`), NSMA (`nsma.rs`), CSV (`csv.rs`), NPZ (`npz.rs`). Each turns
//! bytes into data, without a disk; `samples.rs` checks that angles make a circle or a sphere, and the core turns cuts
//! into a table and compares it with its own integral. Azimuths are turned to the mathematical sense, tilts below the
//! horizon to zeniths.

mod columns;
mod csv;
mod error;
mod msi;
mod npz;
mod nsma;
mod samples;

mod text;
mod write;

pub use error::PatternError;
pub use write::{Form, write};

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use keller::Complex64;
use keller::antenna::{Combination, Cut, Pattern, PatternTable};
use keller::units::{db_to_power, power_to_db};

use crate::formats::Warning;
use error::Problem;

/// The extensions of pattern files, for messages.
pub(crate) const ACCEPTED: &str = ".msi, .pln (Planet), .adf, .nsm (NSMA), .csv, .npz";

/// The mean gain over the sphere above which a warning is given, dB: cuts give it to a decibel at best.
const MEAN_GAIN_NOTICE_DB: f64 = 1.0;

/// A pattern and what its file says about it.
#[derive(Debug, Clone, PartialEq)]
pub struct PatternFile {
    /// A [`Pattern::Table`].
    pub pattern: Pattern,
    /// The content that the table was made from.
    pub content: Content,
    /// The antenna's name.
    pub name: Option<String>,
    /// The frequencies of the measurement, lowest and highest, Hz.
    pub frequencies_hz: Option<[f64; 2]>,
    /// The gain that the file states, dBi.
    pub stated_gain_dbi: Option<f64>,
    /// The electrical tilt that the file states, degrees. It is in the cuts already.
    pub stated_tilt_deg: Option<f64>,
    /// The parts that were left out, guessed, or look wrong.
    pub warnings: Vec<Warning>,
}

/// The content of a pattern file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// One or two cuts.
    Cuts,
    /// Gain in all directions.
    Gains,
    /// The field of both polarisations in all directions.
    Fields,
}

/// The pattern in `file`, whose extension gives the format; `combination` is the way in which cuts become a pattern in
/// all directions.
///
/// # Errors
/// [`PatternError`] for a file that cannot be read or says anything that is not accepted.
pub fn load(file: &Path, combination: Combination) -> Result<PatternFile, PatternError> {
    let bytes = keller_geo::input::read(file)
        .map_err(|error| PatternError::new(file, Problem::file(error.to_string())))?;
    parse(&bytes, file, combination)
}

/// The pattern that `bytes` hold; `file` is their origin and gives the format.
///
/// ```
/// use keller::antenna::Combination;
/// use keller::DVec3;
///
/// let csv = "elevation_deg,gain_dbi\n-90,-20\n-45,-1\n0,2\n45,-1\n90,-20\n";
/// let file = keller_io::formats::pattern::parse(csv.as_bytes(), "omni.csv".as_ref(), Combination::Sum)?;
/// assert!((file.pattern.gain(DVec3::X) - 10.0_f64.powf(0.2)).abs() < 1e-12);
/// # Ok::<(), keller_io::formats::pattern::PatternError>(())
/// ```
///
/// # Errors
/// [`PatternError`] for anything that is not accepted.
pub fn parse(
    bytes: &[u8],
    file: &Path,
    combination: Combination,
) -> Result<PatternFile, PatternError> {
    let extension = file.extension().and_then(OsStr::to_str).unwrap_or_default();
    let data = if bytes.is_empty() {
        Err(Problem::file("the file is empty"))
    } else {
        match extension.to_lowercase().as_str() {
            "msi" | "pln" => text::decode(bytes).and_then(|text| msi::parse(&text)),
            "adf" | "nsm" => text::decode(bytes).and_then(|text| nsma::parse(&text)),
            "csv" => text::decode(bytes).and_then(|text| csv::parse(&text)),
            "npz" => npz::parse(bytes),
            _ => Err(Problem::file(format!(
                "the extension `{extension}` is no pattern format; accepted: {ACCEPTED}"
            ))),
        }
    };
    data.and_then(|data| data.into_file(file, combination))
        .map_err(|problem| PatternError::new(file, problem))
}

/// The result of a parser.
#[derive(Debug)]
struct Data {
    body: Body,
    name: Option<String>,
    frequencies_hz: Option<[f64; 2]>,
    stated_gain_dbi: Option<f64>,
    stated_tilt_deg: Option<f64>,
    warnings: Vec<String>,
}

#[derive(Debug)]
enum Body {
    /// Cuts, and the gain at their 0 dB, dBi.
    Cuts {
        gain_dbi: f64,
        horizontal: Option<Cut>,
        vertical: Option<Cut>,
    },
    /// A value for each direction, `[zenith, azimuth]`; radians.
    Sphere {
        zeniths: Vec<f64>,
        azimuths: Vec<f64>,
        values: SphereValues,
    },
}

#[derive(Debug)]
enum SphereValues {
    /// Linear gains.
    Gains(Vec<f64>),
    Fields(Vec<[Complex64; 2]>),
}

impl From<Body> for Data {
    /// Data of which only the values are known.
    fn from(body: Body) -> Self {
        Self {
            body,
            name: None,
            frequencies_hz: None,
            stated_gain_dbi: None,
            stated_tilt_deg: None,
            warnings: Vec::new(),
        }
    }
}

impl Data {
    fn into_file(mut self, file: &Path, combination: Combination) -> Result<PatternFile, Problem> {
        let (table, content) = match &self.body {
            Body::Cuts {
                gain_dbi,
                horizontal,
                vertical,
            } => {
                let gain = db_to_power(*gain_dbi);
                let (h, v) = (horizontal.as_ref(), vertical.as_ref());
                let table = PatternTable::from_cuts(gain, h, v, combination)?;
                let excess_db = power_to_db(table.mean_gain());
                if excess_db > MEAN_GAIN_NOTICE_DB {
                    self.warnings.push(format!(
                        "the peak gain of {:.2} dBi is {excess_db:.1} dB more than the pattern combined from the cuts allows",
                        power_to_db(table.peak_gain())
                    ));
                }
                (table, Content::Cuts)
            }
            Body::Sphere {
                zeniths,
                azimuths,
                values: SphereValues::Gains(gains),
            } => (
                PatternTable::from_gains(zeniths, azimuths, gains)?,
                Content::Gains,
            ),
            Body::Sphere {
                zeniths,
                azimuths,
                values: SphereValues::Fields(fields),
            } => (
                PatternTable::from_fields(zeniths, azimuths, fields)?,
                Content::Fields,
            ),
        };
        let warning = |message| Warning {
            file: file.to_owned(),
            message,
        };
        Ok(PatternFile {
            pattern: Pattern::Table(Arc::new(table)),
            content,
            name: self.name,
            frequencies_hz: self.frequencies_hz,
            stated_gain_dbi: self.stated_gain_dbi,
            stated_tilt_deg: self.stated_tilt_deg,
            warnings: self.warnings.into_iter().map(warning).collect(),
        })
    }
}

#[cfg(test)]
mod tests;
