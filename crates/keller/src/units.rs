//! Physical constants, frequency, and the two borders where decibels cross.

use std::f64::consts::TAU;

use crate::Error;

/// Speed of light in vacuum, m/s (exact, SI).
pub const SPEED_OF_LIGHT: f64 = 299_792_458.0;

/// Vacuum permittivity, F/m (CODATA 2018).
pub const VACUUM_PERMITTIVITY: f64 = 8.854_187_812_8e-12;

/// A carrier frequency: positive, finite, in Hz.
///
/// ```
/// let f = keller::Frequency::from_hz(3.5e9)?;
/// assert!((f.wavelength() - 0.0857).abs() < 1e-4);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub struct Frequency(f64);

impl TryFrom<f64> for Frequency {
    type Error = Error;

    fn try_from(hz: f64) -> Result<Self, Error> {
        Self::from_hz(hz)
    }
}

impl From<Frequency> for f64 {
    fn from(frequency: Frequency) -> Self {
        frequency.hz()
    }
}

impl Frequency {
    /// The frequency of `hz` Hz.
    ///
    /// # Errors
    /// [`Error::Frequency`] if `hz` is not positive and finite.
    pub fn from_hz(hz: f64) -> Result<Self, Error> {
        if hz.is_finite() && hz > 0.0 {
            Ok(Self(hz))
        } else {
            Err(Error::Frequency(hz))
        }
    }

    /// The frequency of `ghz` GHz.
    ///
    /// # Errors
    /// The errors of [`Self::from_hz`].
    pub fn from_ghz(ghz: f64) -> Result<Self, Error> {
        Self::from_hz(ghz * 1e9)
    }

    /// The frequency in Hz.
    pub fn hz(self) -> f64 {
        self.0
    }

    /// The frequency in GHz, as material tables want it.
    pub fn ghz(self) -> f64 {
        self.0 / 1e9
    }

    /// Wavelength in vacuum, metres.
    pub fn wavelength(self) -> f64 {
        SPEED_OF_LIGHT / self.0
    }

    /// Wavenumber in vacuum, rad/m.
    pub fn wavenumber(self) -> f64 {
        TAU / self.wavelength()
    }
}

/// Decibels of a power ratio.
pub fn power_to_db(ratio: f64) -> f64 {
    10.0 * ratio.log10()
}

/// The power ratio of `db` decibels.
pub fn db_to_power(db: f64) -> f64 {
    10.0_f64.powf(db / 10.0)
}

/// Decibels of an amplitude ratio.
pub fn amplitude_to_db(ratio: f64) -> f64 {
    20.0 * ratio.log10()
}

/// The amplitude ratio of `db` decibels.
pub fn db_to_amplitude(db: f64) -> f64 {
    10.0_f64.powf(db / 20.0)
}
