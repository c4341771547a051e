//! `[[tx]]`, and what a Tx and an Rx have in common: antenna, polarisation, orientation.

use keller::DVec3;
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
    pub device: Device,
    /// The line of the scenario it is defined at.
    pub line: usize,
}

/// The antenna of a Tx or Rx and how it is held.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Device {
    /// Its pattern.
    pub antenna: Antenna,
    /// Its polarisation.
    pub polarization: Polarization,
    /// Bearing, downtilt and slant, radians (3GPP TR 38.901, clause 7.1).
    pub orientation: [f64; 3],
}

/// The pattern of an antenna element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Antenna {
    /// The same gain, 1, in every direction.
    #[default]
    Isotropic,
    /// A half-wave dipole along the device's own z axis.
    Dipole,
    /// The element of 3GPP TR 38.901, Table 7.3-1.
    Tr38901,
}

/// The polarisation of an antenna.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Polarization {
    /// One vertical port.
    #[default]
    V,
    /// One horizontal port.
    H,
    /// Two ports: vertical and horizontal.
    Vh,
    /// Two ports, slanted by -45 and +45 degrees.
    Cross,
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
                device: device(section)?,
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
pub(super) fn device(section: &Section<'_>) -> Result<Device, ScenarioError> {
    const ANTENNAS: [(&str, Antenna); 3] = [
        ("isotropic", Antenna::Isotropic),
        ("dipole", Antenna::Dipole),
        ("tr38901", Antenna::Tr38901),
    ];
    const POLARIZATIONS: [(&str, Polarization); 4] = [
        ("V", Polarization::V),
        ("H", Polarization::H),
        ("VH", Polarization::Vh),
        ("cross", Polarization::Cross),
    ];
    if let Some(name) = section.text("antenna")?
        && name.contains(['.', '/', '\\'])
    {
        return Err(section.refuse(
            "antenna",
            format!("found \"{name}\": pattern files are not available yet"),
        ));
    }
    let orientation_deg: [f64; 3] = section
        .vector("orientation_deg", |_| true)?
        .unwrap_or_default();
    Ok(Device {
        antenna: section.choice("antenna", &ANTENNAS)?.unwrap_or_default(),
        polarization: section
            .choice("polarization", &POLARIZATIONS)?
            .unwrap_or_default(),
        orientation: orientation_deg.map(f64::to_radians),
    })
}
