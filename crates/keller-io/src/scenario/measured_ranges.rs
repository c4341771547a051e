//! The ranges of measurements: numbers beyond these are mistakes, such as a missing value written as -9999 or another
//! unit.

/// The largest magnitude of a level, dB or dBm: no receiver hears a loss of 500 dB.
pub(super) const MAX_LEVEL_DB: f64 = 500.0;

/// The largest path gain in a bin of delay, linear: that of [`MAX_LEVEL_DB`].
pub(super) const MAX_POWER: f64 = 1e50;

/// The largest delay and delay spread, s: a wave goes 300 000 km meanwhile.
pub(super) const MAX_DELAY: f64 = 1.0;

/// The largest standard deviation of a level, dB.
pub(super) const MAX_UNCERTAINTY_DB: f64 = 100.0;
