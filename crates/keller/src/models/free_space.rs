//! Free space.

use std::f64::consts::PI;

use crate::Frequency;
use crate::units::amplitude_to_db;

/// Free-space path loss between isotropic antennas, dB: `20 log10(4 π d / λ)`, at `distance` metres between the
/// antennas.
///
/// # Source
/// ITU-R P.525-4, equation (3). It holds in the far field of both antennas, at any frequency.
pub fn free_space_db(frequency: Frequency, distance: f64) -> f64 {
    amplitude_to_db(4.0 * PI * distance / frequency.wavelength())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kilometre_at_a_gigahertz_costs_92_45_db() {
        // ITU-R P.525-4, equation (4): 32.4 + 20 log f (MHz) + 20 log d (km), to one digit.
        let loss = free_space_db(Frequency::from_ghz(1.0).unwrap(), 1000.0);
        assert!((loss - 92.45).abs() < 0.01, "{loss}");
        let loss = free_space_db(Frequency::from_ghz(2.0).unwrap(), 10.0);
        assert!((loss - (32.45 + 66.02 - 40.0)).abs() < 0.01, "{loss}");
    }
}
