//! `[[tx]]`, and what a Tx and an Rx have in common: antenna, polarisation, orientation.

use keller::DVec3;
use keller::antenna::{Antenna, Orientation, Pattern, Polarization};
use keller::geometry::tolerance::MAX_COORDINATE;

use super::document::Section;
use super::error::ScenarioError;
use super::keys;

/// One `[[tx]]` of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Tx {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Where it stands, metres.
    pub position: DVec3,
    /// What it sends, dBm.
    pub power_dbm: f64,
    /// What it sends with.
    pub antenna: Antenna,
    /// The line of the scenario it is defined at.
    pub line: usize,
}

/// All of `[[tx]]`, at least one.
pub(super) fn read(top: &Section<'_>) -> Result<Vec<Tx>, ScenarioError> {
    let tx = top
        .sections("tx", keys::TX)?
        .iter()
        .map(|section| {
            let position = position(section)?.ok_or_else(|| section.missing("position"))?;
            Ok(Tx {
                name: section.text("name")?.map(str::to_owned),
                position,
                power_dbm: section.number("power_dbm", |_| true)?.unwrap_or(30.0),
                antenna: antenna(section)?,
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

/// `position` of a device.
pub(super) fn position(section: &Section<'_>) -> Result<Option<DVec3>, ScenarioError> {
    let position = section.vector("position", is_coordinate)?;
    Ok(position.map(DVec3::from_array))
}

/// Whether a coordinate lies where the simulator still has its accuracy.
pub(super) fn is_coordinate(value: f64) -> bool {
    value.abs() <= MAX_COORDINATE
}

/// `antenna`, `polarization` and `orientation_deg` of a device.
pub(super) fn antenna(section: &Section<'_>) -> Result<Antenna, ScenarioError> {
    let patterns: [(&str, Pattern); 3] = [
        ("isotropic", Pattern::Isotropic),
        ("dipole", Pattern::HalfWaveDipole),
        ("short_dipole", Pattern::ShortDipole),
    ];
    if let Some(name) = section.text("antenna")? {
        let not_yet = match name {
            "tr38901" => "this pattern is",
            file if file.contains(['.', '/', '\\']) => "pattern files are",
            _ => "",
        };
        if !not_yet.is_empty() {
            return Err(section.refuse(
                "antenna",
                format!("found \"{name}\": {not_yet} not available yet"),
            ));
        }
    }
    let orientation_deg = section.vector("orientation_deg", |_| true)?;
    Ok(Antenna {
        pattern: section.choice("antenna", &patterns)?.unwrap_or_default(),
        polarization: polarization(section)?,
        orientation: orientation_deg
            .map(Orientation::from_degrees)
            .unwrap_or_default(),
        ..Antenna::default()
    })
}

/// `polarization` of a device: a name, or a slant in degrees.
fn polarization(section: &Section<'_>) -> Result<Polarization, ScenarioError> {
    const NAMES: [(&str, Polarization); 4] = [
        ("V", Polarization::V),
        ("H", Polarization::H),
        ("VH", Polarization::VH),
        ("cross", Polarization::Cross),
    ];
    if let Some(slant_deg) = section.number_if_any("polarization")? {
        return Ok(Polarization::Slant(slant_deg.to_radians()));
    }
    let named = section.choice("polarization", &NAMES)?;
    Ok(named.unwrap_or_default())
}
