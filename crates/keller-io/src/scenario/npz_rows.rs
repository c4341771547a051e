//! Rows of measurements in archives of numpy: power-delay profiles, and columns as arrays.
//!
//! `power[place, delay]` with `delay[delay]` becomes the columns `path_gain_db` and `delay_spread_s`: the sum of a
//! profile is the path gain, and its rms width is the delay spread. The profiles themselves are handed out too if their
//! delays are equally spaced. `position[place, 3]` becomes `x`, `y` and `z`. An array with one value for each place is
//! the column of its name.

use std::path::Path;

use keller::comparison::DelayGrid;
use keller::units::power_to_db;
use keller_geo::shown::shown;

use super::delay_profiles::DelayProfiles;
use super::error::ScenarioError;
use super::measured_ranges::{MAX_DELAY, MAX_POWER};
use crate::formats::npy::Header;
use crate::formats::npz_archive::NpzArchive;

const POWER: &str = "power";
const DELAY: &str = "delay";
const POSITION: &str = "position";

/// The accepted arrays of an archive.
const ACCEPTED: &str = "`power[places, delays]` (path gain in each bin, linear) with `delay[delays]` (s), or `path_gain_db[places]`; places as \
    `position[places, 3]` or `x`, `y`, `z`; and `tx[places]` and more of the columns of CSV files";

/// The number of the first place's row.
pub(super) const FIRST_PLACE: usize = 2;

/// The profiles of an archive.
#[derive(Debug)]
pub(super) enum Profiles {
    /// There are none.
    None,
    /// The delays are no grid.
    Uneven,
    /// The profiles as they were measured.
    Even(DelayProfiles),
}

/// Gives the header and every row of `file` to `take`, with a number: 1 for the header, [`FIRST_PLACE`] for the first
/// place. Returns the profiles.
pub(super) fn each_row(
    file: &Path,
    mut take: impl FnMut(usize, &csv::StringRecord) -> Result<(), ScenarioError>,
) -> Result<Profiles, ScenarioError> {
    let refuse = |problem: String| ScenarioError::new(file, None, "", problem);
    let Rows {
        columns,
        profiles,
        num_places,
    } = rows(file).map_err(|problem| {
        // Some errors of the archive itself name the accepted contents already.
        let end = if problem.contains("accepted") {
            String::new()
        } else {
            format!("; accepted: {ACCEPTED}")
        };
        refuse(format!("{problem}{end}"))
    })?;
    let header = columns.iter().map(|(name, _)| name.as_str());
    take(1, &header.collect())?;
    let mut record = csv::StringRecord::new();
    for place in 0..num_places {
        record.clear();
        for (_, column) in &columns {
            column.put(place, &mut record);
        }
        take(place + FIRST_PLACE, &record)?;
    }
    Ok(profiles)
}

/// A value for each place.
#[derive(Debug)]
enum Column {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
    /// An array of another shape or kind, which is reported as a column that is not used.
    None,
}

impl Column {
    /// Appends the value of a place as CSV writes it.
    fn put(&self, place: usize, record: &mut csv::StringRecord) {
        match self {
            Self::Numbers(values) => record.push_field(&text(values[place])),
            Self::Texts(values) => record.push_field(&values[place]),
            Self::None => record.push_field(""),
        }
    }
}

/// The contents of an archive.
struct Rows {
    columns: Vec<(String, Column)>,
    profiles: Profiles,
    num_places: usize,
}

/// All columns and the profiles, or what is wrong with the archive. All shapes fit each other before anything is
/// unpacked.
fn rows(file: &Path) -> Result<Rows, String> {
    let mut archive = NpzArchive::open(file)?;
    let mut headers = Vec::new();
    for name in archive.names().to_vec() {
        // An array of another kind than those known has no header that can be read, or no values.
        let header = archive.header(&name);
        if [POSITION, POWER, DELAY].contains(&name.as_str()) {
            header?;
        } else {
            headers.push((name, header.ok()));
        }
    }
    let num_places = num_places(&mut archive, &headers)?;
    let mut columns: Vec<(String, Column)> = Vec::new();
    let mut profiles = Profiles::None;
    if archive.has(POSITION) {
        let values = archive.array(POSITION)?.values;
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let along = values.iter().skip(axis).step_by(3);
            columns.push((name.to_owned(), Column::Numbers(along.copied().collect())));
        }
    }
    if archive.has(POWER) {
        let ([levels, spreads], found) = read_profiles(&mut archive)?;
        profiles = found;
        columns.push(("path_gain_db".to_owned(), Column::Numbers(levels)));
        columns.push(("delay_spread_s".to_owned(), Column::Numbers(spreads)));
    }
    for (name, header) in headers {
        let column = match header {
            Some(header) if header.shape.len() == 1 => match archive.texts(&name)? {
                Some(texts) => Column::Texts(texts),
                None => Column::Numbers(archive.array(&name)?.values),
            },
            _ => Column::None,
        };
        columns.push((name, column));
    }
    Ok(Rows {
        columns,
        profiles,
        num_places,
    })
}

/// The number of places, read from the shapes of all arrays alone.
fn num_places(
    archive: &mut NpzArchive,
    headers: &[(String, Option<Header>)],
) -> Result<usize, String> {
    let mut num_places = None;
    if archive.has(POSITION) {
        let shape = archive.shape(POSITION)?;
        let [count, 3] = shape[..] else {
            return Err(format!("{POSITION} has the shape {shape:?}"));
        };
        num_places = Some((POSITION, count));
    }
    if archive.has(POWER) {
        let shape = archive.shape(POWER)?;
        if !archive.has(DELAY) {
            return Err(format!("{POWER} is there, but {DELAY} is not"));
        }
        let delays = archive.shape(DELAY)?;
        let [count, num_delays] = shape[..] else {
            return Err(format!("{POWER} has the shape {shape:?}"));
        };
        if delays != [num_delays] || num_delays == 0 {
            return Err(format!(
                "{DELAY} has the shape {delays:?} beside {POWER} with {shape:?}"
            ));
        }
        num_places.get_or_insert((POWER, count));
        check_count(num_places, "path_gain_db", count)?;
    }
    for (name, header) in headers {
        if let Some(header) = header
            && let [count] = header.shape[..]
        {
            num_places.get_or_insert((name, count));
            check_count(num_places, name, count)?;
        }
    }
    let (_, count) = num_places.ok_or("there is no array with a value for each place")?;
    Ok(count)
}

/// Checks that an array has a value for each place.
fn check_count(places: Option<(&str, usize)>, name: &str, count: usize) -> Result<(), String> {
    match places {
        Some((_, expected)) if expected != count => Err(format!(
            "{} has {count} values for {expected} places",
            shown(name)
        )),
        _ => Ok(()),
    }
}

/// Path gains, dB, and delay spreads, s, of all profiles, and these themselves. A profile without power has neither.
fn read_profiles(archive: &mut NpzArchive) -> Result<([Vec<f64>; 2], Profiles), String> {
    let delays = archive.array(DELAY)?.values;
    check_delays(&delays)?;
    let (num_delays, power) = (delays.len(), archive.array(POWER)?.values);
    let is_power = |p: &f64| (0.0..=MAX_POWER).contains(p);
    if let Some(at) = power.iter().position(|p| !is_power(p)) {
        return Err(format!(
            "{POWER}[{}, {}] is {}; powers are linear, not decibels, and 0 where there is only noise; \
             accepted: 0 to {MAX_POWER:e}",
            at / num_delays,
            at % num_delays,
            power[at]
        ));
    }
    let count = power.len() / num_delays;
    let mut found = [Vec::with_capacity(count), Vec::with_capacity(count)];
    for profile in power.chunks_exact(num_delays) {
        let [level, spread] = level_and_spread(profile, &delays);
        found[0].push(level);
        found[1].push(spread);
    }
    let profiles = match DelayGrid::of(&delays) {
        Some(delays) => Profiles::Even(DelayProfiles { delays, power }),
        None => Profiles::Uneven,
    };
    Ok((found, profiles))
}

/// Checks that delays are times that a wave may take, each later than the one before.
fn check_delays(delays: &[f64]) -> Result<(), String> {
    let is_delay = |delay: &f64| delay.abs() <= MAX_DELAY;
    if let Some(at) = delays.iter().position(|delay| !is_delay(delay)) {
        return Err(format!(
            "{DELAY}[{at}] is {}; accepted: -{MAX_DELAY} to {MAX_DELAY} s",
            delays[at]
        ));
    }
    match delays.windows(2).position(|pair| pair[0] >= pair[1]) {
        None => Ok(()),
        Some(at) => Err(format!(
            "{DELAY}[{}] is {} after {}; accepted: delays that grow",
            at + 1,
            delays[at + 1],
            delays[at]
        )),
    }
}

/// The path gain, dB, and rms delay spread, s; NaN if there is none.
fn level_and_spread(profile: &[f64], delays: &[f64]) -> [f64; 2] {
    let total: f64 = profile.iter().sum();
    if total <= 0.0 {
        return [f64::NAN; 2];
    }
    let mean = |value: &dyn Fn(f64) -> f64| {
        let weighted = profile
            .iter()
            .zip(delays)
            .map(|(p, delay)| p * value(*delay));
        weighted.sum::<f64>() / total
    };
    let centre = mean(&|delay| delay);
    let spread = mean(&|delay| (delay - centre).powi(2)).sqrt();
    [power_to_db(total), spread]
}

/// A number as CSV writes it; whole numbers without a point, so that they may be indices.
fn text(number: f64) -> String {
    if number.is_nan() {
        String::new()
    } else if number.fract() == 0.0 && number.abs() < 1e15 {
        format!("{number:.0}")
    } else {
        format!("{number:?}")
    }
}
