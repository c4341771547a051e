//! Samples at angles, checked: a circle, a half circle, or a whole sphere of them, each angle once and none missing.

use keller::Complex64;
use keller::antenna::Cut;
use keller::units::{db_to_power, power_to_db};

use super::error::Problem;
use super::{Body, Data, SphereValues};

/// The difference below which two angles are one, degrees: files round to a thousandth.
const SAME_DEG: f64 = 1e-4;

/// The largest ratio of two steps that count as even: rounding, never a missing sample.
const UNEVEN: f64 = 1.5;

/// The largest difference of the values at 0° and 360°, dB, if a file gives both.
const SEAM_DB: f64 = 0.1;

/// The largest gain that is no slip of the pen, dBi; values below its negative are silence.
pub(super) const MAX_GAIN_DB: f64 = 300.0;

/// One sample of a cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    /// The angle in degrees, in the sense of the core: azimuth, or zenith going on behind.
    pub(super) angle_deg: f64,
    pub(super) gain_db: f64,
    pub(super) line: usize,
}

/// The rule for the angles of a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spacing {
    /// One step holds throughout.
    Even,
    /// Steps are smaller where the pattern is steeper.
    Free,
}

/// The cut of `samples`: a whole circle, or, if all are within 0 to 180° and `may_be_half`, the front half.
pub(super) fn cut(
    name: &str,
    samples: &[Sample],
    spacing: Spacing,
    may_be_half: bool,
) -> Result<Cut, Problem> {
    let is_half = may_be_half
        && samples
            .iter()
            .all(|s| (-SAME_DEG..=180.0 + SAME_DEG).contains(&s.angle_deg));
    let place = |sample: &Sample| {
        if is_half {
            sample.angle_deg.clamp(0.0, 180.0)
        } else {
            turned(sample.angle_deg)
        }
    };
    let mut placed: Vec<(f64, Sample)> = samples.iter().map(|s| (place(s), *s)).collect();
    // The sort is stable: the first of equal angles in the file stays first.
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut kept: Vec<(f64, Sample)> = Vec::with_capacity(placed.len());
    for (angle, sample) in placed {
        match kept.last() {
            Some((last, first)) if angle - last < SAME_DEG => {
                // Both ends of a full turn are one direction.
                let is_seam = (first.angle_deg - sample.angle_deg).abs() > 180.0
                    && (first.gain_db - sample.gain_db).abs() <= SEAM_DB;
                if !is_seam {
                    return Err(Problem::line(
                        sample.line,
                        format!(
                            "this {name} angle has been given before, at line {}; accepted: each once",
                            first.line
                        ),
                    ));
                }
            }
            _ => kept.push((angle, sample)),
        }
    }
    let angles: Vec<f64> = kept.iter().map(|(angle, _)| *angle).collect();
    let end = if is_half { 180.0 } else { 360.0 };
    check_steps(name, &angles, (0.0, end), !is_half, spacing)?;
    Ok(Cut {
        angles: angles.iter().map(|a| a.to_radians()).collect(),
        gains_db: kept.iter().map(|(_, sample)| sample.gain_db).collect(),
    })
}

/// The angle in `[0, 360)`.
fn turned(angle_deg: f64) -> f64 {
    let angle = angle_deg.rem_euclid(360.0);
    if angle > 360.0 - SAME_DEG { 0.0 } else { angle }
}

/// Checks that ascending `angles` cover `range` without a gap.
fn check_steps(
    name: &str,
    angles: &[f64],
    range: (f64, f64),
    is_circle: bool,
    spacing: Spacing,
) -> Result<(), Problem> {
    let mut steps: Vec<(f64, f64)> = angles.windows(2).map(|w| (w[0], w[1])).collect();
    if let ([first, .., last], true) = (angles, is_circle) {
        steps.push((*last, first + 360.0));
    }
    if steps.is_empty() {
        return Err(Problem::file(format!(
            "there are fewer than two {name} angles in it; accepted: angles from {} to {}°",
            range.0, range.1
        )));
    }
    if spacing == Spacing::Free {
        return Ok(());
    }
    let mut lengths: Vec<f64> = steps.iter().map(|(a, b)| b - a).collect();
    lengths.sort_by(f64::total_cmp);
    let usual = lengths[lengths.len() / 2];
    if let Some((a, b)) = steps.iter().find(|(a, b)| b - a > UNEVEN * usual) {
        return Err(Problem::file(format!(
            "{name} angles are missing: none between {a:.4}° and {b:.4}°, where the step is {usual:.4}°; accepted: even steps"
        )));
    }
    if let Some((a, b)) = steps.iter().find(|(a, b)| UNEVEN * (b - a) < usual) {
        return Err(Problem::file(format!(
            "uneven {name} angles: {a:.4}° and {b:.4}°, where the step is {usual:.4}°; accepted: even steps"
        )));
    }
    let (first, last) = (angles[0], angles[angles.len() - 1]);
    let is_short = first - range.0 > UNEVEN * usual || range.1 - last > UNEVEN * usual;
    if !is_circle && is_short {
        return Err(Problem::file(format!(
            "{name} angles are missing: they go from {first:.4}° to {last:.4}°; accepted: {} to {}°",
            range.0, range.1
        )));
    }
    Ok(())
}

/// The value of a table's row in its direction.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// A linear gain.
    Gain(f64),
    Field([Complex64; 2]),
}

impl Value {
    fn gain_db(self) -> f64 {
        let gain = match self {
            Self::Gain(gain) => gain,
            Self::Field([theta, phi]) => theta.norm_sqr() + phi.norm_sqr(),
        };
        power_to_db(gain).max(-MAX_GAIN_DB)
    }
}

/// One row: a direction, or one angle of a cut, and the value there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) zenith_deg: Option<f64>,
    pub(super) azimuth_deg: Option<f64>,
    pub(super) value: Value,
    pub(super) line: usize,
}

/// The pattern of rows that are directions of a sphere, or of rows that are the angles of one or two cuts.
pub(super) fn data(rows: &[Row]) -> Result<Data, Problem> {
    if rows.is_empty() {
        return Err(Problem::file("there is no row of values in it"));
    }
    let is_direction = |row: &Row| row.zenith_deg.is_some() && row.azimuth_deg.is_some();
    if rows.iter().all(is_direction) {
        return sphere(rows).map(Data::from);
    }
    let mut horizontal = Vec::new();
    let mut vertical = Vec::new();
    for row in rows {
        let Value::Gain(gain) = row.value else {
            return Err(Problem::line(
                row.line,
                "fields need a zenith and an azimuth in every row; accepted: cuts of gains",
            ));
        };
        let (cut, angle_deg) = match (row.zenith_deg, row.azimuth_deg) {
            (Some(zenith), None) => (&mut vertical, zenith),
            (None, Some(azimuth)) => (&mut horizontal, azimuth),
            _ => {
                return Err(Problem::line(
                    row.line,
                    "accepted: both angles in every row, or one angle a row for cuts",
                ));
            }
        };
        cut.push(Sample {
            angle_deg,
            gain_db: Value::Gain(gain).gain_db(),
            line: row.line,
        });
    }
    let read = |name, samples: Vec<Sample>, may_be_half| {
        (!samples.is_empty())
            .then(|| cut(name, &samples, Spacing::Even, may_be_half))
            .transpose()
    };
    Ok(Data::from(Body::Cuts {
        gain_dbi: 0.0,
        horizontal: read("azimuth", horizontal, false)?,
        vertical: read("zenith", vertical, true)?,
    }))
}

/// A grid from rows in any order.
fn sphere(rows: &[Row]) -> Result<Body, Problem> {
    let angles = |row: &Row| {
        let (zenith, azimuth) = (
            row.zenith_deg.unwrap_or(0.0),
            row.azimuth_deg.unwrap_or(0.0),
        );
        (zenith, turned(azimuth))
    };
    for row in rows {
        let (zenith, _) = angles(row);
        if !(-SAME_DEG..=180.0 + SAME_DEG).contains(&zenith) {
            return Err(Problem::line(
                row.line,
                format!("the zenith is {zenith}°; accepted: 0 to 180 (elevation: -90 to 90)"),
            ));
        }
    }
    let zeniths = distinct(rows.iter().map(|row| angles(row).0.clamp(0.0, 180.0)));
    let azimuths = distinct(rows.iter().map(|row| angles(row).1));
    check_steps("zenith", &zeniths, (0.0, 180.0), false, Spacing::Even)?;
    if azimuths.len() > 1 {
        check_steps("azimuth", &azimuths, (0.0, 360.0), true, Spacing::Even)?;
    }
    let columns = azimuths.len();
    let count = zeniths.len().saturating_mul(columns);
    // Both poles at most may have one row for all azimuths.
    if count > rows.len().saturating_add(2 * columns) {
        return Err(Problem::file(format!(
            "{} rows for {} zeniths and {columns} azimuths; accepted: a row for each pair of them",
            rows.len(),
            zeniths.len()
        )));
    }
    let mut grid: Vec<Option<&Row>> = vec![None; count];
    for row in rows {
        let (zenith, azimuth) = angles(row);
        let place = &mut grid[nearest(&zeniths, zenith) * columns + nearest(&azimuths, azimuth)];
        match place {
            None => *place = Some(row),
            Some(first) => {
                let is_seam = first.azimuth_deg != row.azimuth_deg
                    && (first.value.gain_db() - row.value.gain_db()).abs() <= SEAM_DB;
                if !is_seam {
                    return Err(Problem::line(
                        row.line,
                        format!(
                            "zenith {zenith}°, azimuth {azimuth}° has been given before, at line {}; accepted: each direction once",
                            first.line
                        ),
                    ));
                }
            }
        }
    }
    let mut values = Vec::with_capacity(count);
    for (i, place) in grid.iter().enumerate() {
        let (row, column) = (i / columns, i % columns);
        let is_pole = zeniths[row] < SAME_DEG || zeniths[row] > 180.0 - SAME_DEG;
        let pole = || {
            grid[row * columns..][..columns]
                .iter()
                .copied()
                .flatten()
                .next()
        };
        // One gain stands for a whole pole; a field cannot, since its unit vectors turn with the azimuth.
        let filled = place.or_else(|| {
            let pole = if is_pole { pole() } else { None };
            pole.filter(|row| matches!(row.value, Value::Gain(_)))
        });
        let Some(found) = filled else {
            return Err(Problem::file(format!(
                "zenith {}°, azimuth {}° is missing; accepted: a row for each pair of the {} zeniths and {columns} azimuths",
                zeniths[row],
                azimuths[column],
                zeniths.len()
            )));
        };
        values.push(found.value);
    }
    let radians = |angles: Vec<f64>| angles.into_iter().map(f64::to_radians).collect();
    Ok(Body::Sphere {
        zeniths: radians(zeniths),
        azimuths: radians(azimuths),
        values: sphere_values(&values),
    })
}

/// All gains, or all fields: a file has one kind of columns.
fn sphere_values(values: &[Value]) -> SphereValues {
    let fields: Option<Vec<_>> = values
        .iter()
        .map(|value| match value {
            Value::Field(field) => Some(*field),
            Value::Gain(_) => None,
        })
        .collect();
    match fields {
        Some(fields) => SphereValues::Fields(fields),
        None => SphereValues::Gains(values.iter().map(|v| db_to_power(v.gain_db())).collect()),
    }
}

fn distinct(angles: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut angles: Vec<f64> = angles.collect();
    angles.sort_by(f64::total_cmp);
    angles.dedup_by(|b, a| *b - *a < SAME_DEG);
    angles
}

/// The index of the angle nearest to `angle`.
fn nearest(angles: &[f64], angle: f64) -> usize {
    let above = angles.partition_point(|a| *a < angle);
    let below = above.saturating_sub(1);
    match angles.get(above) {
        Some(next) if next - angle < angle - angles[below] || above == 0 => above,
        _ => below,
    }
}
