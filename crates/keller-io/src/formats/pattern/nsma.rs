//! NSMA patterns (`.adf`, `.nsm`): lines `KEY:,value`, then cuts of rows `angle,gain`.
//!
//! Azimuths turn with the clock from straight ahead, elevations up from the horizon ahead, both in degrees. Gains are
//! decibels relative to MDGAIN (DBR) or absolute (DBI, DBD), as GUNITS says. Only cuts of the antenna's own
//! polarisation are used. A file without a vertical cut is a dish: its horizontal one holds in both planes. Points may
//! lie as close as the maker likes.
//!
//! Source: NSMA, Recommendation WG16.99.050, "Antenna Systems: Standard Format for Digitized Antenna Patterns", 1999.

use keller::antenna::Cut;

use super::error::Problem;
use super::samples::{Sample, Spacing, cut};
use super::text::{DBD_DB, leading_number, number, quoted};
use super::{Body, Data};

/// The largest excess of a relative pattern over its own gain, dB: rounding.
const MAX_RELATIVE_DB: f64 = 0.5;

/// The cut that is being read.
#[derive(Debug, Default)]
struct Open {
    plane: String,
    polarization: String,
    announced: Option<usize>,
    line: usize,
    rows: Vec<(f64, f64, usize)>,
}

pub(super) fn parse(text: &str) -> Result<Data, Problem> {
    let mut data = Data::from(Body::Cuts {
        gain_dbi: 0.0,
        horizontal: None,
        vertical: None,
    });
    let mut gains: [Option<f64>; 3] = [None; 3];
    let mut units = (0.0, None);
    let mut frequencies = [None; 2];
    let mut cuts: Vec<Open> = Vec::new();
    for (line, line_number) in text.lines().zip(1..) {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let Some((key, value)) = line.split_once(':') else {
            let Some(open) = cuts.last_mut() else {
                return Err(Problem::line(
                    line_number,
                    format!("found {}; accepted: `KEY:,value`", quoted(line)),
                ));
            };
            open.rows.push(row(line, line_number)?);
            continue;
        };
        let value = value
            .trim()
            .trim_start_matches(',')
            .trim()
            .trim_end_matches(',')
            .trim();
        let megahertz = || {
            leading_number(value)
                .map(|(mhz, _)| mhz * 1e6)
                .filter(|f| *f > 0.0)
        };
        match key.trim().to_uppercase().as_str() {
            "MODNUM" => data.name = Some(value.to_owned()),
            "LOWFRQ" => frequencies[0] = megahertz(),
            "HGHFRQ" => frequencies[1] = megahertz(),
            "GUNITS" => units = self::units(value, line_number)?,
            "MDGAIN" => gains[0] = leading_number(value).map(|(gain, _)| gain),
            "HGGAIN" => gains[1] = leading_number(value).map(|(gain, _)| gain),
            "LWGAIN" => gains[2] = leading_number(value).map(|(gain, _)| gain),
            "ELTILT" => data.stated_tilt_deg = leading_number(value).map(|(tilt, _)| tilt),
            "PATCUT" => cuts.push(Open {
                plane: value.to_uppercase(),
                line: line_number,
                ..Open::default()
            }),
            "POLARI" => {
                if let Some(open) = cuts.last_mut() {
                    open.polarization = value.to_uppercase();
                }
            }
            "NUPOIN" => {
                let count = value.parse().map_err(|_| {
                    let problem =
                        format!("NUPOIN: found {}; accepted: a whole number", quoted(value));
                    Problem::line(line_number, problem)
                })?;
                if let Some(open) = cuts.last_mut() {
                    open.announced = Some(count);
                }
            }
            "ENDFIL" => break,
            _ => {}
        }
    }
    let gain_dbi = gains
        .into_iter()
        .flatten()
        .next()
        .map(|gain| gain + units.0);
    let gain_dbi = gain_dbi.ok_or_else(|| {
        Problem::file("there is no gain; accepted: a number at MDGAIN, LWGAIN or HGGAIN")
    })?;
    data.stated_gain_dbi = Some(gain_dbi);
    data.frequencies_hz = match frequencies {
        [Some(low), Some(high)] => Some([low, high]),
        [one, other] => one.or(other).map(|f| [f, f]),
    };
    let offset_db = units.1.map_or(0.0, |absolute: f64| absolute - gain_dbi);
    let [horizontal, vertical] = chosen(cuts, offset_db, &mut data.warnings)?;
    let vertical = vertical.or_else(|| {
        data.warnings.push(
            "there is no vertical cut: the horizontal one is taken for both, as for a dish"
                .to_owned(),
        );
        horizontal.as_ref().map(as_vertical)
    });
    data.body = Body::Cuts {
        gain_dbi,
        horizontal,
        vertical,
    };
    Ok(data)
}

fn row(line: &str, line_number: usize) -> Result<(f64, f64, usize), Problem> {
    let mut words = line.split([',', ';', ' ', '\t']).filter(|w| !w.is_empty());
    let (Some(angle), Some(gain)) = (words.next(), words.next()) else {
        return Err(Problem::line(
            line_number,
            format!("found the row {}; accepted: `angle,gain`", quoted(line)),
        ));
    };
    let angle_deg = number(angle, line_number, "angle")?;
    if !(-360.0..=360.0).contains(&angle_deg) {
        let problem = format!("the angle is {angle_deg}°; accepted: -180 to 180");
        return Err(Problem::line(line_number, problem));
    }
    Ok((angle_deg, number(gain, line_number, "gain")?, line_number))
}

/// The difference to add to gains for dBi, and to the pattern's values if they are absolute.
fn units(value: &str, line: usize) -> Result<(f64, Option<f64>), Problem> {
    let upper = value.to_uppercase();
    let (gain, pattern) = upper.split_once('/').unwrap_or((upper.as_str(), "DBR"));
    let over_isotropic = |unit: &str| match unit.trim() {
        "DBI" => Some(0.0),
        "DBD" => Some(DBD_DB),
        _ => None,
    };
    let pattern = match pattern.trim() {
        "DBR" => Some(None),
        unit => over_isotropic(unit).map(Some),
    };
    over_isotropic(gain).zip(pattern).ok_or_else(|| {
        let problem = format!(
            "GUNITS: found {}; accepted: DBI/DBR, DBD/DBR, DBI/DBI, DBD/DBD",
            quoted(value)
        );
        Problem::line(line, problem)
    })
}

/// The horizontal and the vertical cut of one polarisation: V/V if there is one, else the first that a horizontal cut
/// has.
fn chosen(
    cuts: Vec<Open>,
    offset_db: f64,
    warnings: &mut Vec<String>,
) -> Result<[Option<Cut>; 2], Problem> {
    let is_own = |open: &Open| match open.polarization.split_once('/') {
        Some((sent, received)) => sent.trim() == received.trim(),
        None => true,
    };
    let is_horizontal = |open: &Open| matches!(open.plane.as_str(), "H" | "AZ");
    let own: Vec<&str> = cuts
        .iter()
        .filter(|open| is_own(open) && is_horizontal(open))
        .map(|open| open.polarization.as_str())
        .collect();
    let polarization = own.iter().find(|p| **p == "V/V").or(own.first());
    let Some(polarization) = polarization.map(|p| (*p).to_owned()) else {
        return Err(Problem::file(
            "there is no horizontal cut of the antenna's own polarisation; accepted: PATCUT H or AZ with POLARI such as V/V",
        ));
    };
    let mut found = [None, None];
    for open in cuts {
        let plane = match open.plane.as_str() {
            "H" | "AZ" => 0,
            "V" | "EL" => 1,
            _ => 2,
        };
        if plane == 2 || open.polarization != polarization {
            warnings.push(format!(
                "line {}: the cut {} {} is not used",
                open.line, open.plane, open.polarization
            ));
            continue;
        }
        if found[plane].is_some() {
            return Err(Problem::line(
                open.line,
                format!(
                    "a second cut {} {}; accepted: one of each",
                    open.plane, open.polarization
                ),
            ));
        }
        found[plane] = Some(read(&open, offset_db, plane == 0)?);
    }
    Ok(found)
}

fn read(open: &Open, offset_db: f64, is_horizontal: bool) -> Result<Cut, Problem> {
    if let Some(announced) = open.announced.filter(|n| *n != open.rows.len()) {
        return Err(Problem::line(
            open.line,
            format!(
                "NUPOIN announces {announced} points, {} follow",
                open.rows.len()
            ),
        ));
    }
    let samples = open.rows.iter().map(|&(angle_deg, gain, line)| {
        let gain_db = gain + offset_db;
        if gain_db > MAX_RELATIVE_DB {
            return Err(Problem::line(
                line,
                format!("the gain is {gain_db} dB above the antenna's own; accepted: 0 or less"),
            ));
        }
        Ok(Sample {
            angle_deg: if is_horizontal {
                -angle_deg
            } else {
                90.0 - angle_deg
            },
            gain_db,
            line,
        })
    });
    let samples = samples.collect::<Result<Vec<_>, _>>()?;
    let name = if is_horizontal {
        "horizontal"
    } else {
        "vertical"
    };
    cut(name, &samples, Spacing::Free, !is_horizontal)
}

/// The horizontal cut turned into the vertical plane: its left becomes up.
fn as_vertical(horizontal: &Cut) -> Cut {
    let mut samples: Vec<(f64, f64)> = horizontal
        .angles
        .iter()
        .map(|azimuth| (90.0 - azimuth.to_degrees()).rem_euclid(360.0).to_radians())
        .zip(horizontal.gains_db.iter().copied())
        .collect();
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (angles, gains_db) = samples.into_iter().unzip();
    Cut { angles, gains_db }
}
