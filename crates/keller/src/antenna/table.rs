//! A pattern by directions: gain, or the field of both polarisations, on a grid of zenith and azimuth.
//!
//! Between the directions a gain is interpolated bilinearly in decibels, because lobes are near to parabolas there and files are
//! written in them; a field is interpolated bilinearly as complex numbers, which needs steps over which its phase turns little.
//! Azimuth is periodic. A look-up is two binary searches, whatever the spacing.

use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

use crate::Error;
use crate::units::{db_to_power, power_to_db};

/// How far the mean gain over the sphere may exceed 1, dB, when a table gives every direction: room for coarse steps and for
/// decimals that files have rounded.
pub const GAIN_TOLERANCE_DB: f64 = 0.5;

/// How far it may do so when the table is guessed from two cuts, dB: what the ways to combine cuts differ by on sector antennas.
pub const CUTS_TOLERANCE_DB: f64 = 3.0;

/// Steps larger than this leave lobes between them that nobody knows, radians; a little over 45° so that those pass.
const MAX_STEP: f64 = 0.251 * PI;

/// Rounding of angles that were degrees in a file, radians.
const ANGLE_ROUNDING: f64 = 1e-9;

/// Where a gain of zero is put, dBi: below every measurement, and finite so that it can be interpolated.
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
    /// As [`PatternTable::from_gains`].
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

    /// Where `direction` lies in the grid. Beyond the first and last zenith the nearest holds.
    fn cell(&self, direction: DVec3) -> Cell {
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
        Cell {
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
                        let cell = Cell {
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

/// Points from 0 to 1, and their weights, at which to integrate along `length` radians: two of Gauss and Legendre in each piece.
fn points(length: f64) -> impl Iterator<Item = (f64, f64)> {
    /// Gain is interpolated in decibels, so it may change tenfold in a long piece.
    const PIECE: f64 = PI / 36.0;
    const GAUSS: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];
    // Steps are below MAX_STEP, or the whole turn of a single azimuth: 72 pieces at most.
    let pieces = (1..=72)
        .find(|n| length <= PIECE * f64::from(*n))
        .unwrap_or(72);
    let weight = 0.5 / f64::from(pieces);
    (0..pieces).flat_map(move |piece| {
        GAUSS.map(|point| ((f64::from(piece) + point) / f64::from(pieces), weight))
    })
}

/// Four corners of the grid and where between them.
struct Cell {
    /// Upper left, upper right, lower left, lower right.
    corners: [usize; 4],
    /// From upper to lower, 0 to 1.
    down: f64,
    /// From left to right, 0 to 1.
    across: f64,
}

impl Cell {
    fn interpolate<T>(&self, value: impl Fn(usize) -> T) -> T
    where
        T: std::ops::Mul<f64, Output = T> + std::ops::Add<Output = T>,
    {
        let row = |left, right| value(left) * (1.0 - self.across) + value(right) * self.across;
        let [a, b, c, d] = self.corners;
        row(a, b) * (1.0 - self.down) + row(c, d) * self.down
    }

    fn field(&self, fields: &[[Complex64; 2]]) -> [Complex64; 2] {
        [0, 1].map(|part| self.interpolate(|i| fields[i][part]))
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

    fn gain(&self, cell: &Cell) -> f64 {
        match self {
            Self::GainsDb(gains_db) => db_to_power(cell.interpolate(|i| gains_db[i])),
            Self::Fields(fields) => cell.field(fields).iter().map(Complex64::norm_sqr).sum(),
        }
    }
}

/// How far `value` is from `start` to `end`, 0 to 1; 0 if they are one.
fn share(value: f64, start: f64, end: f64) -> f64 {
    if end > start {
        ((value - start) / (end - start)).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

fn check_angles(zeniths: &[f64], azimuths: &[f64]) -> Result<(), Error> {
    let degrees = f64::to_degrees;
    for (name, angles) in [("zenith", zeniths), ("azimuth", azimuths)] {
        if angles.is_empty() {
            return Err(refuse(format!("there is no {name} in it")));
        }
        if let Some(angle) = angles.iter().find(|a| !a.is_finite()) {
            return Err(refuse(format!("the {name} {angle} is not a finite number")));
        }
        if let Some(pair) = angles.windows(2).find(|w| w[1] <= w[0]) {
            return Err(refuse(format!(
                "the {name} {}° follows {}°; accepted: ascending angles",
                degrees(pair[1]),
                degrees(pair[0])
            )));
        }
        if let Some(pair) = angles.windows(2).find(|w| w[1] - w[0] > MAX_STEP) {
            return Err(too_far(name, pair[0], pair[1]));
        }
    }
    let (top, bottom) = (zeniths[0], zeniths[zeniths.len() - 1]);
    if top < -ANGLE_ROUNDING || bottom > PI + ANGLE_ROUNDING {
        return Err(refuse(format!(
            "the zeniths go from {}° to {}°; accepted: 0 to 180°",
            degrees(top),
            degrees(bottom)
        )));
    }
    if top > MAX_STEP {
        return Err(too_far("zenith", 0.0, top));
    }
    if PI - bottom > MAX_STEP {
        return Err(too_far("zenith", bottom, PI));
    }
    let (first, last) = (azimuths[0], azimuths[azimuths.len() - 1]);
    let rest = first + TAU - last;
    if rest <= ANGLE_ROUNDING {
        return Err(refuse(format!(
            "the azimuths go from {}° to {}°; accepted: less than one turn, each direction once",
            degrees(first),
            degrees(last)
        )));
    }
    if azimuths.len() > 1 && rest > MAX_STEP {
        return Err(too_far("azimuth", last, first + TAU));
    }
    Ok(())
}

fn too_far(name: &str, from: f64, to: f64) -> Error {
    refuse(format!(
        "no {name} between {:.4}° and {:.4}°; accepted: steps of at most 45° that cover the sphere",
        from.to_degrees(),
        to.to_degrees()
    ))
}

pub(super) fn refuse(problem: String) -> Error {
    Error::Pattern(problem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::antenna::{Antenna, Pattern, Polarization};
    use crate::direction::Direction;
    use std::sync::Arc;

    fn degrees(from: u16, to: u16, step: usize) -> Vec<f64> {
        (from..=to)
            .step_by(step)
            .map(|d| f64::from(d).to_radians())
            .collect()
    }

    fn sampled(pattern: &Pattern, step: usize) -> PatternTable {
        let (zeniths, azimuths) = (degrees(0, 180, step), degrees(0, 359, step));
        let gains: Vec<f64> = zeniths
            .iter()
            .flat_map(|&zenith| {
                azimuths
                    .iter()
                    .map(move |&azimuth| pattern.gain(Direction { zenith, azimuth }.unit_vector()))
            })
            .collect();
        PatternTable::from_gains(&zeniths, &azimuths, &gains).unwrap()
    }

    fn random_directions() -> impl Iterator<Item = DVec3> {
        // A spiral of irrational pitch meets no grid.
        (0..2000).map(|i| {
            let z = 1.0 - (f64::from(i) + 0.5) / 1000.0;
            let (sin, cos) = (2.399_963 * f64::from(i)).sin_cos();
            let r = (1.0 - z * z).sqrt();
            DVec3::new(r * cos, r * sin, z)
        })
    }

    #[test]
    fn a_table_of_a_closed_form_gives_it_back_between_its_samples() {
        // Second derivative 24 / 65² dB per square degree, both ways, over 8: 0.0014 dB for steps of 1°. Where the form is cut
        // off at 30 dB it has a kink: one step of its slope, 24 * 103 / 65² dB.
        let table = sampled(&Pattern::Tr38901, 1);
        for direction in random_directions() {
            let exact = power_to_db(Pattern::Tr38901.gain(direction));
            let found = power_to_db(table.gain(direction));
            let tolerance = if exact > -21.0 { 0.002 } else { 0.6 };
            assert!(
                (found - exact).abs() < tolerance,
                "{direction}: {found} {exact}"
            );
        }
        let error_db = power_to_db(table.mean_gain() / Pattern::Tr38901.mean_gain());
        assert!(error_db.abs() < 0.002, "{error_db}");
    }

    #[test]
    fn the_mean_gain_of_lossless_antennas_is_one_on_any_grid() {
        for (pattern, step, tolerance) in [
            (Pattern::Isotropic, 45, 0.002),
            (Pattern::Isotropic, 1, 1e-9),
            (Pattern::HalfWaveDipole, 1, 1e-3),
            (Pattern::ShortDipole, 1, 1e-3),
        ] {
            let mean = sampled(&pattern, step).mean_gain();
            assert!((mean - 1.0).abs() < tolerance, "{pattern:?} {step}: {mean}");
        }
        // Uneven in both angles.
        let zeniths = [0.0, 0.1, 0.7, 1.0, 1.5, 1.6, 2.2, 2.9];
        let azimuths = [-3.0, -2.9, -2.2, -1.5, -1.0, -0.3, 0.4, 0.5, 1.2, 1.9, 2.5];
        let table = PatternTable::from_gains(&zeniths, &azimuths, &[1.0; 88]).unwrap();
        assert!(
            (table.mean_gain() - 1.0).abs() < 1e-4,
            "{}",
            table.mean_gain()
        );
    }

    #[test]
    fn azimuth_is_periodic_wherever_the_grid_begins() {
        let gain = |azimuth: f64| 0.5 + 0.4 * azimuth.cos();
        let zeniths = degrees(0, 180, 30);
        let tables = [0.0, -PI, 1.0].map(|first| {
            let azimuths: Vec<f64> = (0..36).map(|i| first + TAU * f64::from(i) / 36.0).collect();
            let gains: Vec<f64> = (0..7)
                .flat_map(|_| azimuths.iter().map(|a| gain(*a)))
                .collect();
            PatternTable::from_gains(&zeniths, &azimuths, &gains).unwrap()
        });
        for i in 0..720 {
            let azimuth = f64::from(i) * PI / 360.0 - PI;
            let direction = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
            for table in &tables {
                let error = power_to_db(table.gain(direction) / gain(azimuth));
                assert!(error.abs() < 0.1, "{azimuth}: {error}");
            }
        }
    }

    #[test]
    fn a_field_along_phi_is_a_horizontal_antenna_and_keeps_its_phase() {
        let (zeniths, azimuths) = (degrees(0, 180, 5), degrees(0, 355, 5));
        let phase = Complex64::cis(0.7);
        let fields = vec![[Complex64::ZERO, phase]; zeniths.len() * azimuths.len()];
        let table = PatternTable::from_fields(&zeniths, &azimuths, &fields).unwrap();
        let measured = Antenna {
            pattern: Pattern::Table(Arc::new(table)),
            ..Antenna::default()
        };
        let ideal = Antenna {
            polarization: Polarization::H,
            ..Antenna::default()
        };
        for vector in random_directions() {
            let direction = Direction::from_vector(vector);
            let found = measured.fields(direction).next().unwrap();
            let expected = ideal.fields(direction).next().unwrap();
            for (f, e) in found.into_iter().zip(expected) {
                assert!((f - e * phase).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn what_no_antenna_has_is_refused_with_its_numbers() {
        let (zeniths, azimuths) = (degrees(0, 180, 10), degrees(0, 350, 10));
        let count = zeniths.len() * azimuths.len();
        let message = |zeniths: &[f64], azimuths: &[f64], gains: &[f64]| {
            PatternTable::from_gains(zeniths, azimuths, gains)
                .unwrap_err()
                .to_string()
        };
        let twice = message(&zeniths, &azimuths, &vec![2.0; count]);
        assert!(
            twice.contains("a peak gain of 3.01 dBi is 3.01 dB more") && twice.contains("0.00 dBi"),
            "{twice}"
        );
        for (zeniths, azimuths, gains, expected) in [
            (
                &zeniths[..],
                &azimuths[..],
                vec![1.0; 3],
                "3 values for 19 zeniths and 36 azimuths",
            ),
            (&zeniths, &azimuths, vec![f64::NAN; count], "the gain NaN"),
            (&zeniths, &azimuths, vec![-1.0; count], "the gain -1"),
            (&zeniths, &azimuths, vec![0.0; count], "no gain above zero"),
            (
                &zeniths[..10],
                &azimuths,
                vec![1.0; 360],
                "no zenith between 90.0000° and 180",
            ),
            (
                &zeniths,
                &azimuths[..20],
                vec![1.0; 380],
                "no azimuth between 190.0000° and 360",
            ),
            (&[], &azimuths, vec![], "there is no zenith"),
            (
                &[0.0, 0.0],
                &azimuths,
                vec![1.0; 72],
                "the zenith 0° follows 0°",
            ),
            (
                &[-0.1, 0.5],
                &azimuths,
                vec![1.0; 72],
                "accepted: 0 to 180°",
            ),
        ] {
            let found = message(zeniths, azimuths, &gains);
            assert!(found.contains(expected), "{expected}\n{found}");
        }
    }
}
