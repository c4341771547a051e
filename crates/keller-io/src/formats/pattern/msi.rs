//! Planet patterns (`.msi`, `.pln`): keys, then `HORIZONTAL 360` and `VERTICAL 360` with a row `angle attenuation`
//! each.
//!
//! Angles are degrees: horizontal ones turn with the clock from straight ahead, vertical ones down from the horizon
//! ahead. Attenuations are decibels of 0 or more below GAIN. GAIN without a unit is dBd. The cuts of an antenna with
//! electrical tilt have the tilt in them already; `TILT` only states it.

use super::error::Problem;
use super::samples::{Sample, Spacing, cut};
use super::text::{DBD_DB, leading_number, number, quoted};
use super::{Body, Data};

pub(super) fn parse(text: &str) -> Result<Data, Problem> {
    let mut horizontal = None;
    let mut vertical = None;
    let mut gain_dbi = None;
    let mut data = Data::from(Body::Cuts {
        gain_dbi: 0.0,
        horizontal: None,
        vertical: None,
    });
    let mut lines = text.lines().zip(1..).peekable();
    while let Some((line, line_number)) = lines.next() {
        let line = line.trim();
        let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let value = value.trim();
        let section = match key.to_uppercase().as_str() {
            "" => continue,
            "HORIZONTAL" => (&mut horizontal, "horizontal"),
            "VERTICAL" => (&mut vertical, "vertical"),
            "NAME" => {
                data.name = Some(value.to_owned());
                continue;
            }
            "FREQUENCY" => {
                data.frequencies_hz = frequencies_hz(value);
                if data.frequencies_hz.is_none() && !value.is_empty() {
                    let problem = format!("FREQUENCY {} is not understood", quoted(value));
                    data.warnings.push(problem);
                }
                continue;
            }
            "GAIN" => {
                gain_dbi = Some(gain(value, line_number, &mut data.warnings)?);
                continue;
            }
            "TILT" | "ELECTRICAL_TILT" => {
                let tilt = leading_number(value).map(|(tilt_deg, _)| tilt_deg);
                data.stated_tilt_deg = tilt.or(data.stated_tilt_deg);
                continue;
            }
            _ if line_number == 1 => {
                // Some makers leave the word NAME out.
                data.name = Some(line.to_owned());
                continue;
            }
            _ if key.parse::<f64>().is_ok() => {
                return Err(Problem::line(
                    line_number,
                    format!(
                        "found the row {} outside HORIZONTAL and VERTICAL, or more rows than they announce",
                        quoted(line)
                    ),
                ));
            }
            _ => continue,
        };
        let (cut, name) = section;
        if cut.is_some() {
            let problem = format!("a second {key} section; accepted: one of each");
            return Err(Problem::line(line_number, problem));
        }
        let count: usize = value.parse().map_err(|_| {
            let problem = format!(
                "{key}: found {}; accepted: the number of rows, 360",
                quoted(value)
            );
            Problem::line(line_number, problem)
        })?;
        let mut samples = Vec::new();
        while samples.len() < count {
            let Some((row, row_number)) = lines.next_if(|(row, _)| is_row(row)) else {
                return Err(Problem::line(
                    line_number,
                    format!("{key} announces {count} rows, {} follow", samples.len()),
                ));
            };
            if !row.trim().is_empty() {
                samples.push(sample(row, row_number, name == "horizontal")?);
            }
        }
        *cut = Some(self::cut(name, &samples, Spacing::Even, false)?);
    }
    for (cut, key) in [(&horizontal, "HORIZONTAL"), (&vertical, "VERTICAL")] {
        if cut.is_none() {
            return Err(Problem::file(format!(
                "there is no {key} section; accepted: `{key} 360` and 360 rows `angle attenuation`"
            )));
        }
    }
    let gain_dbi = gain_dbi.ok_or_else(|| {
        Problem::file("there is no GAIN; accepted: `GAIN 15.5 dBi` or `GAIN 13.35 dBd`")
    })?;
    data.stated_gain_dbi = Some(gain_dbi);
    data.body = Body::Cuts {
        gain_dbi,
        horizontal,
        vertical,
    };
    Ok(data)
}

/// Whether a line belongs to the rows of a section: it has nothing but numbers, or nothing.
fn is_row(line: &str) -> bool {
    let begins_word = |c: char| c.is_alphabetic();
    !line.trim().starts_with(begins_word) || line.trim().to_lowercase().starts_with("nan")
}

fn sample(row: &str, line: usize, is_horizontal: bool) -> Result<Sample, Problem> {
    let words: Vec<&str> = row.split_whitespace().collect();
    let [angle, attenuation] = words[..] else {
        return Err(Problem::line(
            line,
            format!(
                "found the row {}; accepted: `angle attenuation`",
                quoted(row.trim())
            ),
        ));
    };
    let angle_deg = number(angle, line, "angle")?;
    if !(-360.0..=360.0).contains(&angle_deg) {
        let problem = format!("the angle is {angle_deg}°; accepted: 0 to 359");
        return Err(Problem::line(line, problem));
    }
    let attenuation_db = number(attenuation, line, "attenuation")?;
    if attenuation_db < 0.0 {
        return Err(Problem::line(
            line,
            format!(
                "the attenuation is {attenuation_db} dB; accepted: 0 or more, since it counts down from GAIN"
            ),
        ));
    }
    Ok(Sample {
        angle_deg: if is_horizontal {
            -angle_deg
        } else {
            90.0 + angle_deg
        },
        gain_db: -attenuation_db,
        line,
    })
}

fn gain(value: &str, line: usize, warnings: &mut Vec<String>) -> Result<f64, Problem> {
    let accepted = || {
        Problem::line(
            line,
            format!(
                "GAIN: found {}; accepted: `15.5 dBi` or `13.35 dBd`",
                quoted(value)
            ),
        )
    };
    let (gain_db, unit) = leading_number(value).ok_or_else(accepted)?;
    match unit.to_lowercase().as_str() {
        "dbi" => Ok(gain_db),
        "dbd" => Ok(gain_db + DBD_DB),
        "" => {
            warnings.push(format!(
                "GAIN {gain_db} has no unit and is taken for dBd, as the format has it: {:.2} dBi",
                gain_db + DBD_DB
            ));
            Ok(gain_db + DBD_DB)
        }
        _ => Err(accepted()),
    }
}

/// The lowest and highest frequency of `1940`, `1710-1880`, `2437 MHz` or `2.437 GHz`, Hz: megahertz if no unit is
/// given.
fn frequencies_hz(value: &str) -> Option<[f64; 2]> {
    let lower = value.to_lowercase();
    let (numbers, unit) = match lower.find(|c: char| c.is_alphabetic()) {
        Some(at) => lower.split_at(at),
        None => (lower.as_str(), "mhz"),
    };
    let scale = match unit.trim() {
        "mhz" => 1e6,
        "ghz" => 1e9,
        "khz" => 1e3,
        "hz" => 1.0,
        _ => return None,
    };
    let number = |text: &str| {
        let value: f64 = text.trim().parse().ok()?;
        (value.is_finite() && value > 0.0).then_some(value * scale)
    };
    match numbers.split_once('-') {
        None => number(numbers).map(|f| [f, f]),
        Some((low, high)) => Some([number(low)?, number(high)?]),
    }
}
