//! The threshold of Vaara 2022, which bounds a squared field and not a path gain.
//!
//! Eq. 15 is ten times the logarithm of the squared field of an omnidirectional source of 1 W. The thesis does not
//! say in which unit the field is.

use std::f64::consts::PI;

use keller::Frequency;
use keller::units::power_to_db;

/// The unit of the field in eq. 15.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldUnit {
    /// V/m, effective: a source of 1 W has the squared field `eta_0 / (4 pi r^2)` at the distance `r`.
    VoltPerMetre,
    /// The field at 1 m: a source has the squared field `1 / r^2`.
    AtOneMetre,
}

/// Impedance of free space, ohms.
const IMPEDANCE: f64 = 376.730_313_668;

/// The path gain between isotropic antennas, dB, at the threshold of eq. 15, dB.
///
/// An isotropic antenna takes the power of the area `lambda^2 / (4 pi)`, and a field in V/m has the power density
/// `|E|^2 / eta_0`. In free space this is Friis' law.
pub fn path_gain_db(threshold_db: f64, unit: FieldUnit, frequency: Frequency) -> f64 {
    let wavelength = frequency.wavelength();
    let gain = match unit {
        FieldUnit::VoltPerMetre => wavelength * wavelength / (4.0 * PI * IMPEDANCE),
        FieldUnit::AtOneMetre => (wavelength / (4.0 * PI)).powi(2),
    };
    threshold_db + power_to_db(gain)
}
