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
    /// The place; [`super::Scenario::positions`] gives the position in the scene.
    pub site: Site,
    /// The transmitted power, dBm.
    pub power_dbm: f64,
    /// The antenna.
    pub antenna: Antenna,
    /// The positions of its elements, if it has more than one: each has `antenna`.
    pub array: Option<Array>,
    /// The part of the elements in tracing.
    pub array_tracing: ArrayTracing,
    /// The velocity, m/s.
    pub velocity: DVec3,
    /// The file that defines it: the scenario itself, or a CSV file of sites.
    pub file: PathBuf,
    /// The line of that file that defines it.
    pub line: usize,
}

impl ScenarioTx {
    /// The place where it is defined, as `file:line`.
    pub fn origin(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }
}

/// The values of a `[[tx]]` for all its sites. A row of a file of sites may have others.
#[derive(Debug)]
pub(super) struct TxKeys<'a> {
    pub(super) name: Option<&'a str>,
    pub(super) power_dbm: f64,
    pub(super) antenna: AntennaKeys<'a>,
    pub(super) array: Option<Array>,
    pub(super) array_tracing: ArrayTracing,
    pub(super) velocity: DVec3,
}
