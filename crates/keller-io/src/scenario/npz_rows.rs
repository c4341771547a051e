//! Rows of measurements in archives of numpy: power-delay profiles, and columns as arrays.
//!
//! `power[place, delay]` with `delay[delay]` becomes the columns `path_gain_db` and `delay_spread_s`: the sum of a
//! profile is the path gain, and its rms width is the delay spread. The profiles themselves are handed out too if their
//! delays are equally spaced. `position[place, 3]` becomes `x`, `y` and `z`. An array with one value for each place is the
//! column of its name.

use std::path::Path;

use keller::comparison::DelayGrid;
use keller::units::power_to_db;

use super::delay_profiles::DelayProfiles;
use super::error::ScenarioError;
use crate::npy::Array;
use crate::npz_archive::NpzArchive;

const POWER: &str = "power";
const DELAY: &str = "delay";
const POSITION: &str = "position";

/// What archives may hold.
const ACCEPTED: &str = "`power[places, delays]` (path gain in each bin, linear) with `delay[delays]` (s), or `path_gain_db[places]`; places as \
    `position[places, 3]` or `x`, `y`, `z`; and `tx[places]` and more of the columns of CSV files";

/// The number of the first place's row.
pub(super) const FIRST_PLACE: usize = 2;

/// The profiles of an archive.
#[derive(Debug)]
pub(super) enum Profiles {
    /// There are none.
    None,
    /// Their delays are no grid.
    Uneven,
    /// As they were measured.
    Even(DelayProfiles),
}

/// Gives the header and every row of `file` to `take`, with a number: 1 for the header, [`FIRST_PLACE`] for the first
/// place. What comes back are the profiles.
pub(super) fn each_row(
    file: &Path,
    mut take: impl FnMut(usize, &csv::StringRecord) -> Result<(), ScenarioError>,
) -> Result<Profiles, ScenarioError> {
    let refuse = |problem: String| ScenarioError::new(file, None, "", problem);
    let (columns, profiles) = columns(file).map_err(|problem| {
        // Problems of the archive itself say already what is accepted.
        let end = if problem.contains("accepted") {
            String::new()
        } else {
            format!("; accepted: {ACCEPTED}")
        };
        refuse(format!("{problem}{end}"))
    })?;
    let header = columns.iter().map(|(name, _)| name.as_str());
    take(1, &header.collect())?;
    let num_places = columns.iter().map(|(_, values)| values.len()).max();
    for place in 0..num_places.unwrap_or(0) {
        let fields = columns.iter();
        let fields = fields.map(|(_, values)| values.get(place).map_or("", String::as_str));
        take(place + FIRST_PLACE, &fields.collect())?;
    }
    Ok(profiles)
}

/// A name, and a text for each place.
type Column = (String, Vec<String>);

/// All columns and the profiles, or what is wrong with the archive.
fn columns(file: &Path) -> Result<(Vec<Column>, Profiles), String> {
    let mut archive = NpzArchive::open(file)?;
    let mut columns: Vec<Column> = Vec::new();
    let mut num_places = None;
    let mut profiles = Profiles::None;
    if archive.has(POSITION) {
        let Array { shape, values } = archive.array(POSITION)?;
        let [count, 3] = shape[..] else {
            return Err(format!("{POSITION} has the shape {shape:?}"));
        };
        num_places = Some(count);
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let along = values.iter().skip(axis).step_by(3);
            columns.push((name.to_owned(), along.copied().map(text).collect()));
        }
    }
    if archive.has(POWER) {
        let ([levels, spreads], found) = read_profiles(&mut archive)?;
        profiles = found;
        num_places = num_places.or(Some(levels.len()));
        columns.push(("path_gain_db".to_owned(), levels));
        columns.push(("delay_spread_s".to_owned(), spreads));
    }
    for name in archive.names().to_vec() {
        if [POSITION, POWER, DELAY].contains(&name.as_str()) {
            continue;
        }
        let (shape, values) = match archive.texts(&name)? {
            Some(texts) => (vec![texts.len()], texts),
            None => match archive.array(&name) {
                Ok(Array { shape, values }) => (shape, values.into_iter().map(text).collect()),
                // Arrays of other kinds are told as columns that are not used.
                Err(_) => (Vec::new(), Vec::new()),
            },
        };
        if let [count] = shape[..] {
            num_places = num_places.or(Some(count));
            columns.push((name, values));
        } else {
            columns.push((name, Vec::new()));
        }
    }
    let count = num_places.ok_or("there is no array with a value for each place")?;
    for (name, values) in &columns {
        if !values.is_empty() && values.len() != count {
            return Err(format!(
                "{name} has {} values for {count} places",
                values.len()
            ));
        }
    }
    Ok((columns, profiles))
}

/// Path gains, dB, and delay spreads, s, of all profiles, and these themselves. A profile without power has neither.
fn read_profiles(archive: &mut NpzArchive) -> Result<([Vec<String>; 2], Profiles), String> {
    let power = archive.array(POWER)?;
    if !archive.has(DELAY) {
        return Err(format!("{POWER} is there, but {DELAY} is not"));
    }
    let delays = archive.array(DELAY)?;
    let [count, num_delays] = power.shape[..] else {
        return Err(format!("{POWER} has the shape {:?}", power.shape));
    };
    if delays.shape != [num_delays] || num_delays == 0 {
        return Err(format!(
            "{DELAY} has the shape {:?} beside {POWER} with {:?}",
            delays.shape, power.shape
        ));
    }
    if let Some(bad) = delays.values.iter().find(|delay| !delay.is_finite()) {
        return Err(format!("{DELAY} holds {bad}"));
    }
    if let Some(at) = power
        .values
        .iter()
        .position(|p| !(p.is_finite() && *p >= 0.0))
    {
        return Err(format!(
            "{POWER}[{}, {}] is {}; powers are linear, not decibels, and 0 where there is only noise",
            at / num_delays,
            at % num_delays,
            power.values[at]
        ));
    }
    let mut found = [Vec::with_capacity(count), Vec::with_capacity(count)];
    for profile in power.values.chunks_exact(num_delays) {
        let [level, spread] = level_and_spread(profile, &delays.values);
        found[0].push(level);
        found[1].push(spread);
    }
    let profiles = match DelayGrid::of(&delays.values) {
        Some(delays) => Profiles::Even(DelayProfiles {
            delays,
            power: power.values,
        }),
        None => Profiles::Uneven,
    };
    Ok((found, profiles))
}

/// Path gain, dB, and rms delay spread, s, as texts; empty where there is none.
fn level_and_spread(profile: &[f64], delays: &[f64]) -> [String; 2] {
    let total: f64 = profile.iter().sum();
    if total <= 0.0 {
        return [String::new(), String::new()];
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
    [text(power_to_db(total)), text(spread)]
}

/// A number as CSV has it; whole numbers without a point, so that they may be indices.
fn text(number: f64) -> String {
    if number.is_nan() {
        String::new()
    } else if number.fract() == 0.0 && number.abs() < 1e15 {
        format!("{number:.0}")
    } else {
        format!("{number:?}")
    }
}
