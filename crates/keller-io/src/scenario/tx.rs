//! A Tx as a scenario defines it.

use std::path::PathBuf;

use keller::DVec3;
use keller::antenna::{Antenna, Array, ArrayTracing};

use super::antennas::AntennaKeys;
use super::site::Site;

/// One `[[tx]]` of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioTx {
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

impl ScenarioTx {
    /// Where it is defined, as `file:line`.
    pub fn origin(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }
}

/// What a `[[tx]]` says of all its sites. A row of a file of sites may say otherwise.
#[derive(Debug)]
pub(super) struct TxKeys<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) power_dbm: f64,
    pub(super) antenna: AntennaKeys<'a>,
    pub(super) array: Option<Array>,
    pub(super) array_tracing: ArrayTracing,
    pub(super) velocity: DVec3,
}
