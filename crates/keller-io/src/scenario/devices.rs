//! `[[tx]]`, and how a Tx and an Rx move.

use keller::DVec3;
use keller::antenna::{Antenna, Array, ArrayTracing};
use keller::geometry::tolerance::MAX_COORDINATE;

use super::antennas::Antennas;
use super::document::Section;
use super::error::ScenarioError;
use super::keys;
use super::site::{self, Site};

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
    /// The line of the scenario it is defined at.
    pub line: usize,
}

/// All of `[[tx]]`, at least one.
pub(super) fn read(top: &Section<'_>, antennas: &Antennas<'_>) -> Result<Vec<Tx>, ScenarioError> {
    let tx = top
        .sections("tx", keys::TX)?
        .iter()
        .map(|section| {
            let site = site::read(section)?.ok_or_else(|| section.missing("position"))?;
            let (array, array_tracing) = antennas.array(section)?;
            Ok(Tx {
                name: section.text("name")?.map(str::to_owned),
                site,
                power_dbm: section.number("power_dbm", |_| true)?.unwrap_or(30.0),
                antenna: antennas.antenna(section)?,
                array,
                array_tracing,
                velocity: velocity(section)?.unwrap_or_default(),
                line: section.line.unwrap_or(1),
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    if tx.is_empty() {
        return Err(none(top, "tx", "transmitter"));
    }
    Ok(tx)
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
