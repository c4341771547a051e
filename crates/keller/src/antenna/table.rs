//! A pattern by directions: gain, or the field of both polarisations, on a grid of zenith and azimuth.
//!
//! Between the directions a gain is interpolated bilinearly in decibels, because lobes are near to parabolas there and files are
//! written in them; a field is interpolated bilinearly as complex numbers, which needs steps over which its phase turns little.
//! Azimuth is periodic. A look-up is two binary searches, whatever the spacing.

use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

use super::grid::{GridCell, check_angles, points, refuse, share};
use crate::Error;
use crate::units::{db_to_power, power_to_db};

/// The largest excess of the mean gain over the sphere, dB, if a table gives every direction: room for coarse steps and
/// for decimals that files have rounded.
pub const GAIN_TOLERANCE_DB: f64 = 0.5;

/// The largest excess if the table is guessed from two cuts, dB: the difference of the ways to combine cuts on sector
/// antennas.
pub const CUTS_TOLERANCE_DB: f64 = 3.0;

/// The value of a gain of zero, dBi: below every measurement, and finite so that it can be interpolated.
const SILENCE_DB: f64 = -200.0;

/// Gain or field on a grid of directions in the antenna's own frame (+x ahead, +z up).
///
/// ```
/// use keller::antenna::PatternTable;
/// use keller::DVec3;
/// use std::f64::consts::PI;
///
/// // Half of the power upwards, none lost: rows by zenith, columns by azimuth.
/// let zeniths = [0.0, 0.25 * PI, 0.5 * PI, 0.75 * PI, PI];
/// let table = PatternTable::from_gains(&zeniths, &[0.0], &[1.0; 5])?;
/// assert!((table.gain(DVec3::Z) - 1.0).abs() < 1e-12);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Plain", into = "Plain"))]
pub struct PatternTable {
    /// Ascending, radians in `[0, π]`.
    zeniths: Vec<f64>,
    /// Ascending, radians, less than one turn from first to last.
    azimuths: Vec<f64>,
    values: Values,
    peak_gain: f64,
    mean_gain: f64,
}

/// `[zenith, azimuth]`, azimuth fastest.
#[derive(Debug, Clone, PartialEq)]
enum Values {
    GainsDb(Vec<f64>),
    Fields(Vec<[Complex64; 2]>),
}

/// A table as it is written down.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct Plain {
    zeniths: Vec<f64>,
    azimuths: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gains_db: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fields: Option<Vec<[Complex64; 2]>>,
}

#[cfg(feature = "serde")]
impl From<PatternTable> for Plain {
    fn from(table: PatternTable) -> Self {
        let (gains_db, fields) = match table.values {
            Values::GainsDb(gains) => (Some(gains), None),
            Values::Fields(fields) => (None, Some(fields)),
        };
        Self {
            zeniths: table.zeniths,
            azimuths: table.azimuths,
            gains_db,
            fields,
        }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Plain> for PatternTable {
    type Error = Error;

    fn try_from(plain: Plain) -> Result<Self, Error> {
        let Plain {
            zeniths,
            azimuths,
            gains_db,
            fields,
        } = plain;
        match (gains_db, fields) {
            (None, Some(fields)) => Self::from_fields(&zeniths, &azimuths, &fields),
            (Some(gains), None) => {
                if gains.iter().any(|gain| !gain.is_finite()) {
                    return Err(refuse("a gain is not a finite number of dB".to_owned()));
                }
                Self::from_combined(&zeniths, &azimuths, gains)
            }
            _ => Err(refuse("either `gains_db` or `fields` is needed".to_owned())),
        }
    }
}

impl PatternTable {
    /// A table of linear gains `[zenith, azimuth]`, azimuth fastest. Angles ascend and cover the sphere in steps of at most 45°;
    /// one azimuth alone stands for all.
    ///
    /// # Errors
    /// [`Error::Pattern`] for angles or gains that are not so, and for a mean gain over the sphere above 1 by more than
    /// [`GAIN_TOLERANCE_DB`].
    pub fn from_gains(zeniths: &[f64], azimuths: &[f64], gains: &[f64]) -> Result<Self, Error> {
        if let Some(gain) = gains.iter().find(|g| !(g.is_finite() && **g >= 0.0)) {
            return Err(refuse(format!(
                "the gain {gain} is not a number of 0 or more"
            )));
        }
        let gains_db = gains.iter().map(|g| power_to_db(*g)).collect();
        Self::new(
            zeniths,
            azimuths,
            Values::gains(gains_db),
            GAIN_TOLERANCE_DB,
        )
    }

    /// A table of fields `(F_theta, F_phi)`, laid out as in [`PatternTable::from_gains`].
    ///
    /// # Errors
    /// The errors of [`PatternTable::from_gains`].
    pub fn from_fields(
        zeniths: &[f64],
        azimuths: &[f64],
        fields: &[[Complex64; 2]],
    ) -> Result<Self, Error> {
        if fields.iter().flatten().any(|f| !f.is_finite()) {
            return Err(refuse("a field is not a finite number".to_owned()));
        }
        let values = Values::Fields(fields.to_vec());
        Self::new(zeniths, azimuths, values, GAIN_TOLERANCE_DB)
    }

    /// A table of gains in dBi that was combined from cuts.
    pub(super) fn from_combined(
        zeniths: &[f64],
        azimuths: &[f64],
        gains_db: Vec<f64>,
    ) -> Result<Self, Error> {
        Self::new(
            zeniths,
            azimuths,
            Values::gains(gains_db),
            CUTS_TOLERANCE_DB,
        )
    }

    fn new(
        zeniths: &[f64],
        azimuths: &[f64],
        values: Values,
        tolerance_db: f64,
    ) -> Result<Self, Error> {
        check_angles(zeniths, azimuths)?;
        let wanted = zeniths.len() * azimuths.len();
        if values.len() != wanted {
            return Err(refuse(format!(
                "{} values for {} zeniths and {} azimuths; accepted: {wanted}",
                values.len(),
                zeniths.len(),
                azimuths.len()
            )));
        }
        let mut table = Self {
            zeniths: zeniths.to_vec(),
            azimuths: azimuths.to_vec(),
            peak_gain: values.peak_gain(),
            values,
            mean_gain: 0.0,
        };
        table.mean_gain = table.integrate();
        let excess_db = power_to_db(table.mean_gain);
        let peak_db = power_to_db(table.peak_gain);
        if !peak_db.is_finite() || peak_db <= SILENCE_DB {
            return Err(refuse("there is no gain above zero in it".to_owned()));
        }
        if excess_db.is_nan() || excess_db > tolerance_db {
            return Err(refuse(format!(
                "a peak gain of {peak_db:.2} dBi is {excess_db:.2} dB more than the pattern itself allows: by integration over \
                 the sphere its directivity is {:.2} dBi; accepted: at most {tolerance_db} dB above that",
                peak_db - excess_db
            )));
        }
        Ok(table)
    }

    /// Gain in `direction`, a unit vector, linear.
    pub fn gain(&self, direction: DVec3) -> f64 {
        let cell = self.cell(direction);
        match &self.values {
            Values::GainsDb(gains_db) => db_to_power(cell.interpolate(|i| gains_db[i])),
            Values::Fields(fields) => cell.field(fields).iter().map(Complex64::norm_sqr).sum(),
        }
    }

    /// The field `(F_theta, F_phi)` in `direction`, a unit vector; where only gains are known, their amplitude along theta.
    pub fn field(&self, direction: DVec3) -> [Complex64; 2] {
        match &self.values {
            Values::GainsDb(_) => [self.gain(direction).sqrt().into(), Complex64::ZERO],
            Values::Fields(fields) => self.cell(direction).field(fields),
        }
    }

    /// The largest gain, linear.
    pub fn peak_gain(&self) -> f64 {
        self.peak_gain
    }

    /// Mean gain over the sphere, linear.
    pub fn mean_gain(&self) -> f64 {
        self.mean_gain
    }

    /// The zeniths of the grid, radians.
    pub fn zeniths(&self) -> &[f64] {
        &self.zeniths
    }

    /// The azimuths of the grid, radians.
    pub fn azimuths(&self) -> &[f64] {
        &self.azimuths
    }

    /// Whether both polarisations are known, with their phase.
    pub fn has_fields(&self) -> bool {
        matches!(self.values, Values::Fields(_))
    }

    /// The cell of the grid in which `direction` lies. The nearest one holds beyond the first and last zenith.
    fn cell(&self, direction: DVec3) -> GridCell {
        let zenith = direction.x.hypot(direction.y).atan2(direction.z);
        let columns = self.azimuths.len();
        let above = self.zeniths.partition_point(|z| *z <= zenith);
        let (upper, lower) = (above.saturating_sub(1), above.min(self.zeniths.len() - 1));
        let down = share(zenith, self.zeniths[upper], self.zeniths[lower]);
        let first = self.azimuths[0];
        let azimuth = first + (direction.y.atan2(direction.x) - first).rem_euclid(TAU);
        let right = self.azimuths.partition_point(|a| *a <= azimuth);
        let left = right.saturating_sub(1);
        let (right, end) = match self.azimuths.get(right) {
            Some(next) => (right, *next),
            None => (0, first + TAU),
        };
        let across = share(azimuth, self.azimuths[left], end);
        GridCell {
            corners: [
                upper * columns + left,
                upper * columns + right,
                lower * columns + left,
                lower * columns + right,
            ],
            down,
            across,
        }
    }

    /// Mean gain over the sphere: by cells of the grid, so that uneven grids integrate well too.
    fn integrate(&self) -> f64 {
        let mut bounds = vec![0.0];
        bounds.extend(&self.zeniths);
        bounds.push(PI);
        let columns = self.azimuths.len();
        let mut total = 0.0;
        for (row, band) in bounds.windows(2).enumerate() {
            let height = band[1] - band[0];
            if height <= 0.0 {
                continue;
            }
            let upper = row.saturating_sub(1);
            let lower = row.min(self.zeniths.len() - 1);
            for left in 0..columns {
                let right = (left + 1) % columns;
                let end = self.azimuths[right] + if right == 0 { TAU } else { 0.0 };
                let width = end - self.azimuths[left];
                let corners = [(upper, left), (upper, right), (lower, left), (lower, right)]
                    .map(|(row, column)| row * columns + column);
                for (down, share_down) in points(height) {
                    let weight = (band[0] + down * height).sin() * height * width * share_down;
                    for (across, share_across) in points(width) {
                        let cell = GridCell {
                            corners,
                            down,
                            across,
                        };
                        total += weight * share_across * self.values.gain(&cell);
                    }
                }
            }
        }
        total / (2.0 * TAU)
    }
}

impl Values {
    /// Gains in dBi, with silence where nothing is radiated.
    fn gains(mut gains_db: Vec<f64>) -> Self {
        for gain_db in &mut gains_db {
            *gain_db = gain_db.max(SILENCE_DB);
        }
        Self::GainsDb(gains_db)
    }

    fn len(&self) -> usize {
        match self {
            Self::GainsDb(gains_db) => gains_db.len(),
            Self::Fields(fields) => fields.len(),
        }
    }

    fn peak_gain(&self) -> f64 {
        match self {
            Self::GainsDb(gains_db) => {
                db_to_power(gains_db.iter().copied().fold(SILENCE_DB, f64::max))
            }
            Self::Fields(fields) => fields
                .iter()
                .map(|f| f[0].norm_sqr() + f[1].norm_sqr())
                .fold(0.0, f64::max),
        }
    }

    fn gain(&self, cell: &GridCell) -> f64 {
        match self {
            Self::GainsDb(gains_db) => db_to_power(cell.interpolate(|i| gains_db[i])),
            Self::Fields(fields) => cell.field(fields).iter().map(Complex64::norm_sqr).sum(),
        }
    }
}

#[cfg(test)]
mod tests;
