//! Power that no path brings, as a function of the distance alone.

use crate::units::db_to_power;

/// The mean power that clutter scatters: it adds to the power of all paths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Background {
    /// Path gain at 1 m, dB.
    pub level_db: f64,
    /// The number of times 10 dB by which it falls from one decade of the distance to the next.
    pub exponent: f64,
}

impl Background {
    /// Its path gain at a distance in metres, linear. Nearer than 1 m it is that at 1 m.
    pub fn gain(&self, distance: f64) -> f64 {
        db_to_power(self.level_db - 10.0 * self.exponent * distance.max(1.0).log10())
    }
}
