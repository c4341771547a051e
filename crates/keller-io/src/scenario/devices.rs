//! `[[tx]]`, and how a Tx and an Rx move.

use std::path::{Path, PathBuf};

use keller::DVec3;
use keller::antenna::{Antenna, Array, ArrayTracing};
use keller::geometry::tolerance::MAX_COORDINATE;

use super::antennas::{AntennaKeys, Antennas};
use super::document::Section;
use super::error::ScenarioError;
use super::keys;
use super::site::{self, Site};
use super::tx_file;
use crate::Warning;

/// One `[[tx]]` of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Tx {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Where it shall stand; [`super::Scenario::positions`] says where that is in the scene.
    pub site: Site,
    /// What it sends, dBm.
    pub power_dbm: f64,
    /// What it sends with.
    pub antenna: Antenna,
    /// Where its elements stand, if it has more than one: each has `antenna`.
    pub array: Option<Array>,
    /// How the elements take part in tracing.
    pub array_tracing: ArrayTracing,
    /// How it moves, m/s.
    pub velocity: DVec3,
    /// The file that it is defined in: the scenario itself, or a CSV file of sites.
    pub file: PathBuf,
    /// The line of that file it is defined at.
    pub line: usize,
}

impl Tx {
    /// Where it is defined, as `file:line`.
    pub fn origin(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }
}

/// What `power_dbm` is if nothing says so.
const POWER_DBM: f64 = 30.0;

/// All of `[[tx]]`, at least one, and what looks wrong about them. `folder` is the scenario's.
pub(super) fn read(
    top: &Section<'_>,
    folder: &Path,
    antennas: &Antennas<'_>,
) -> Result<(Vec<Tx>, Vec<Warning>), ScenarioError> {
    let mut tx = Vec::new();
    let mut warnings = Vec::new();
    for section in top.sections("tx", keys::TX)? {
        let keys = AntennaKeys::read(&section)?;
        let (array, array_tracing) = antennas.array(&section)?;
        let common = TxKeys {
            name: section.text("name")?,
            power_dbm: section.number("power_dbm", |_| true)?.unwrap_or(POWER_DBM),
            antenna: keys,
            array,
            array_tracing,
            velocity: velocity(&section)?.unwrap_or_default(),
        };
        let own = site::read(&section)?;
        match (own, section.text("file")?) {
            (Some(_), Some(_)) => {
                let problem = "stands beside a place: a file says where its sites stand itself";
                return Err(section.problem("file", problem));
            }
            (None, None) => return Err(section.missing("position")),
            (Some(site), None) => tx.push(Tx {
                name: common.name.map(str::to_owned),
                site,
                power_dbm: common.power_dbm,
                antenna: antennas.build(keys, &|key, problem| section.refuse(key, problem))?,
                array: common.array,
                array_tracing,
                velocity: common.velocity,
                file: section.source.file.to_owned(),
                line: section.line.unwrap_or(1),
            }),
            (None, Some(name)) => {
                let file = folder.join(name);
                let text = std::fs::read_to_string(&file).map_err(|error| {
                    section.problem("file", format!("{}: {error}", file.display()))
                })?;
                warnings.extend(tx_file::read(&file, &text, &common, antennas, &mut tx)?);
            }
        }
    }
    if tx.is_empty() {
        return Err(none(top, "tx", "transmitter"));
    }
    Ok((tx, warnings))
}

/// What a `[[tx]]` says of all its sites beside where they stand.
#[derive(Debug)]
pub(super) struct TxKeys<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) power_dbm: f64,
    pub(super) antenna: AntennaKeys<'a>,
    pub(super) array: Option<Array>,
    pub(super) array_tracing: ArrayTracing,
    pub(super) velocity: DVec3,
}

/// The error that a scenario has no device of this kind.
pub(super) fn none(top: &Section<'_>, key: &str, device: &str) -> ScenarioError {
    top.refuse(key, format!("there is no {device}"))
}

/// `velocity` of whatever moves.
pub(super) fn velocity(section: &Section<'_>) -> Result<Option<DVec3>, ScenarioError> {
    /// Well below the speed of light: shifts are first order in the velocity.
    const MAX_SPEED: f64 = 1e6;
    let velocity = section.vector("velocity", |v| v.abs() <= MAX_SPEED)?;
    Ok(velocity.map(DVec3::from_array))
}

/// Whether a coordinate lies where the simulator still has its accuracy.
pub(super) fn is_coordinate(value: f64) -> bool {
    value.abs() <= MAX_COORDINATE
}
