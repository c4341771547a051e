//! Patterns: the field an antenna radiates in each direction of its own frame.

use glam::DVec3;
use num_complex::Complex64;
use std::f64::consts::PI;
use std::sync::Arc;

use super::PatternTable;
use crate::Error;
use crate::units::db_to_power;

/// Pattern in the antenna's own frame, whose +x is where the antenna looks and whose +z is up.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Pattern {
    /// One gain in every direction: 0 dBi.
    #[default]
    Isotropic,
    /// An infinitely short dipole along z: 1.76 dBi.
    ShortDipole,
    /// A dipole of half a wavelength along z: 2.15 dBi.
    HalfWaveDipole,
    /// The sector element of 3GPP TR 38.901: 65° wide both ways, 8 dBi, 30 dB front to back.
    Tr38901,
    /// Gain or field by direction, as a pattern file gives it. Shared: a clone costs nothing.
    Table(Arc<PatternTable>),
}

impl Pattern {
    /// Every pattern that needs no file, by its name.
    pub const NAMES: [(&'static str, Self); 4] = [
        ("isotropic", Self::Isotropic),
        ("dipole", Self::HalfWaveDipole),
        ("short_dipole", Self::ShortDipole),
        ("tr38901", Self::Tr38901),
    ];

    /// The pattern called `isotropic`, `dipole`, `short_dipole` or `tr38901`, in any case.
    ///
    /// # Errors
    /// [`Error::Antenna`] for anything else.
    pub fn from_name(name: &str) -> Result<Self, Error> {
        let lower = name.to_lowercase();
        let known = Self::NAMES.into_iter().find(|(known, _)| *known == lower);
        known
            .map(|(_, pattern)| pattern)
            .ok_or_else(|| Error::Antenna {
                parameter: "antenna",
                value: name.to_owned(),
                accepted: "`isotropic`, `dipole` (half-wave), `short_dipole` or `tr38901`",
            })
    }

    /// Gain in `direction`, a unit vector in the antenna's frame, linear.
    ///
    /// # Source
    /// C. A. Balanis, "Antenna Theory", 4th ed., 2016, equations (4-26a) and (4-84), normalised to the directivities (4-31a) and
    /// (4-91). 3GPP TR 38.901, Table 7.3-1. Theory page: `antennas`.
    pub fn gain(&self, direction: DVec3) -> f64 {
        match self {
            Self::Isotropic => 1.0,
            Self::ShortDipole => 1.5 * (direction.x.powi(2) + direction.y.powi(2)),
            Self::HalfWaveDipole => half_wave_dipole(direction),
            Self::Tr38901 => tr38901(direction),
            Self::Table(table) => table.gain(direction),
        }
    }

    /// The field `(F_theta, F_phi)` in `direction`, a unit vector in the antenna's frame; the square of its length is the gain.
    ///
    /// Only a table of both polarisations has a phase and a phi part; every other pattern is its amplitude along theta, which the
    /// polarisation of the port then turns.
    pub fn field(&self, direction: DVec3) -> [Complex64; 2] {
        match self {
            Self::Table(table) => table.field(direction),
            closed_form => [closed_form.gain(direction).sqrt().into(), Complex64::ZERO],
        }
    }

    /// The largest gain in any direction, linear.
    pub fn peak_gain(&self) -> f64 {
        match self {
            Self::Isotropic => 1.0,
            Self::ShortDipole => 1.5,
            Self::HalfWaveDipole => HALF_WAVE_DIRECTIVITY,
            Self::Tr38901 => db_to_power(TR38901_GAIN_DB),
            Self::Table(table) => table.peak_gain(),
        }
    }

    /// Mean gain over the sphere, linear: the radiated share of the power that is fed to the antenna.
    pub fn mean_gain(&self) -> f64 {
        match self {
            Self::Isotropic | Self::ShortDipole | Self::HalfWaveDipole => 1.0,
            Self::Tr38901 => TR38901_MEAN_GAIN,
            Self::Table(table) => table.mean_gain(),
        }
    }
}

/// Directivity of the half-wave dipole, 4 / Cin(2 pi).
const HALF_WAVE_DIRECTIVITY: f64 = 1.640_922_376_984_585;

fn half_wave_dipole(direction: DVec3) -> f64 {
    // cos(π/2 cos θ) / sin θ = sin(π sin²(θ/2)) / sin θ, without the 0/0 along the axis.
    let sin_zenith = direction.x.hypot(direction.y);
    let from_axis = sin_zenith.atan2(direction.z.abs());
    let (sin_half, cos_half) = (0.5 * from_axis).sin_cos();
    if sin_half == 0.0 {
        return 0.0;
    }
    let shape = (PI * sin_half * sin_half).sin() / (2.0 * sin_half * cos_half);
    HALF_WAVE_DIRECTIVITY * shape * shape
}

/// `G_E,max` of TR 38.901, Table 7.3-1, dBi.
const TR38901_GAIN_DB: f64 = 8.0;

/// Mean over the sphere of the element of Table 7.3-1: it loses a third of the power that is fed to it, its directivity
/// is 9.83 dBi.
const TR38901_MEAN_GAIN: f64 = 0.656_796;

/// 3GPP TR 38.901, Table 7.3-1: `8 - min(-(A_V + A_H), 30)` dBi with cuts of 12 (angle / 65°)² dB, each at most 30 dB.
fn tr38901(direction: DVec3) -> f64 {
    /// `θ_3dB = φ_3dB = 65°`.
    const BEAMWIDTH: f64 = 65.0 * PI / 180.0;
    /// `SLA_V = A_max`, dB.
    const MAX_ATTENUATION_DB: f64 = 30.0;
    let cut = |angle: f64| (12.0 * (angle / BEAMWIDTH).powi(2)).min(MAX_ATTENUATION_DB);
    let elevation = direction.z.atan2(direction.x.hypot(direction.y));
    let azimuth = direction.y.atan2(direction.x);
    let attenuation = (cut(elevation) + cut(azimuth)).min(MAX_ATTENUATION_DB);
    db_to_power(TR38901_GAIN_DB - attenuation)
}
