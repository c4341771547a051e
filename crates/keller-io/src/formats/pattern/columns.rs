//! The columns of tables of patterns in any format.

use keller::Complex64;
use keller::units::db_to_power;

use super::samples::{MAX_GAIN_DB, Row, Value};

const ANGLES: &str =
    "theta_deg, zenith_deg or elevation_deg, and phi_deg or azimuth_deg, or one of them for a cut";
const VALUES: &str =
    "one of gain_db, gain_dbi, gain_linear, or f_theta_re, f_theta_im, f_phi_re and f_phi_im";
const FIELDS: [&str; 4] = ["f_theta_re", "f_theta_im", "f_phi_re", "f_phi_im"];

/// The columns of a file: angles first, then values.
#[derive(Debug)]
pub(super) struct Columns {
    zenith: Option<&'static str>,
    azimuth: Option<&'static str>,
    names: Vec<&'static str>,
}

impl Columns {
    /// The columns among `names`, which are in lower case, or what is wrong with them.
    pub(super) fn of(names: &[String]) -> Result<Self, String> {
        let is_twice =
            |(i, name): &(usize, &String)| !name.is_empty() && names[..*i].contains(name);
        if let Some((_, name)) = names.iter().enumerate().find(is_twice) {
            return Err(format!("the column {name} is there twice"));
        }
        let among = |candidates: &[&'static str]| -> Vec<&'static str> {
            let is_there = |candidate: &&str| names.iter().any(|name| name == candidate);
            candidates.iter().copied().filter(is_there).collect()
        };
        let one = |candidates: &[&'static str]| match among(candidates)[..] {
            [] => Ok(None),
            [name] => Ok(Some(name)),
            [a, b, ..] => Err(format!(
                "both {a} and {b}; accepted: one of {}",
                candidates.join(", ")
            )),
        };
        let zenith = one(&["theta_deg", "zenith_deg", "elevation_deg"])?;
        let azimuth = one(&["phi_deg", "azimuth_deg"])?;
        let gain = one(&["gain_db", "gain_dbi", "gain_linear"])?;
        let fields = among(&FIELDS);
        let angles = [zenith, azimuth].into_iter().flatten();
        let names: Vec<&str> = match (gain, fields.len()) {
            (Some(gain), 0) => angles.chain([gain]).collect(),
            (None, 4) => angles.chain(FIELDS).collect(),
            (None, 0) => return Err(format!("no values; accepted: the column {VALUES}")),
            (None, _) => return Err(format!("only {}; accepted: {VALUES}", fields.join(", "))),
            (Some(gain), _) => {
                return Err(format!("both {gain} and {}; accepted: {VALUES}", fields[0]));
            }
        };
        if zenith.is_none() && azimuth.is_none() {
            return Err(format!("no angles; accepted: the columns {ANGLES}"));
        }
        Ok(Self {
            zenith,
            azimuth,
            names,
        })
    }

    /// The names of the columns: angles first, then values.
    pub(super) fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// The number of angles among [`Columns::names`].
    pub(super) fn num_angles(&self) -> usize {
        usize::from(self.zenith.is_some()) + usize::from(self.azimuth.is_some())
    }

    /// Whether the first angle is a zenith.
    pub(super) fn has_zenith(&self) -> bool {
        self.zenith.is_some()
    }

    /// The row of `values`, which lie as [`Columns::names`] does; angles may be absent.
    pub(super) fn row(&self, values: &[Option<f64>], line: usize) -> Result<Row, String> {
        let (angles, values) = values.split_at(self.num_angles());
        let mut angles = angles.iter().copied();
        let zenith = self.zenith.and_then(|_| angles.next().flatten());
        let azimuth = self.azimuth.and_then(|_| angles.next().flatten());
        for angle in [zenith, azimuth].into_iter().flatten() {
            if !(-360.0..=360.0).contains(&angle) {
                return Err(format!("the angle is {angle}°; accepted: -360 to 360"));
            }
        }
        let zenith = zenith.map(|angle| match self.zenith {
            Some("elevation_deg") => 90.0 - angle,
            _ => angle,
        });
        let numbers: Vec<f64> = values.iter().map(|v| v.unwrap_or(f64::NAN)).collect();
        let value = match (self.names.last().copied(), &numbers[..]) {
            (Some("gain_linear"), [gain]) if *gain >= 0.0 && gain.is_finite() => Value::Gain(*gain),
            (Some("gain_linear"), [gain]) => {
                return Err(format!(
                    "gain_linear is {gain}; accepted: a number of 0 or more"
                ));
            }
            (Some(_), [gain_db]) if *gain_db <= MAX_GAIN_DB => Value::Gain(db_to_power(*gain_db)),
            (Some(name), [gain_db]) => {
                return Err(format!(
                    "{name} is {gain_db}; accepted: a number of at most {MAX_GAIN_DB} dBi"
                ));
            }
            (_, [a, b, c, d]) if numbers.iter().all(|v| v.abs() < 1e15) => {
                Value::Field([Complex64::new(*a, *b), Complex64::new(*c, *d)])
            }
            _ => return Err("a field is not a number below 1e15".to_owned()),
        };
        Ok(Row {
            zenith_deg: zenith,
            azimuth_deg: azimuth,
            value,
            line,
        })
    }
}
