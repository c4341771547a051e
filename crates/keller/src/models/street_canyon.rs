//! ITU-R P.1411: line of sight in a street canyon.

use std::f64::consts::PI;

use super::Link;

/// The lower and the upper bound of the basic transmission loss with line of sight in a street canyon, dB.
///
/// The slopes of both change at the breakpoint `R_bp = 4 h_b h_m / λ`, where free space and reflection on the ground
/// cost `L_bp = |20 log(λ² / (8 π h_b h_m))|`. The lower bound has the slopes 20 and 40, the upper one 25 and 40, and
/// lies 20 dB above it from the breakpoint on.
///
/// # Source
/// ITU-R P.1411-12 (2023), annex 1, section 4.1.2, UHF propagation: the lower and the upper bound. Range: 300 MHz to
/// 3 GHz, up to 1 km, antennas below the roofs.
pub fn street_canyon_bounds_db(link: &Link) -> [f64; 2] {
    let wavelength = link.frequency.wavelength();
    let heights = link.tx_height * link.rx_height;
    let l_bp = 20.0 * (wavelength.powi(2) / (8.0 * PI * heights)).log10().abs();
    let log_ratio = (link.slant_distance() * wavelength / (4.0 * heights)).log10();
    let [lower, upper] = if log_ratio <= 0.0 {
        [20.0, 25.0]
    } else {
        [40.0, 40.0]
    };
    [l_bp + lower * log_ratio, l_bp + 20.0 + upper * log_ratio]
}

/// The median basic transmission loss with line of sight in a street canyon, dB: 6 dB over the lower bound of
/// [`street_canyon_bounds_db`].
///
/// # Source
/// The source of [`street_canyon_bounds_db`].
pub fn street_canyon_db(link: &Link) -> f64 {
    street_canyon_bounds_db(link)[0] + 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frequency;
    use crate::models::Walls;

    /// ns-3, `src/propagation/test/itu-r-1411-los-test-suite.cc`, whose model is the mean of the bounds.
    #[test]
    fn the_mean_of_the_bounds_is_what_ns_3_expects() {
        for (hz, distance, expected) in [(2114e6, 100.0, 81.005), (1999e6, 200.0, 87.060)] {
            let [lower, upper] = street_canyon_bounds_db(&Link {
                frequency: Frequency::from_hz(hz).unwrap(),
                distance,
                tx_height: 30.0,
                rx_height: 1.0,
                is_visible: true,
                walls: Walls::default(),
                diffraction_db: 0.0,
            });
            let mean = f64::midpoint(lower, upper);
            assert!((mean - expected).abs() < 0.1, "{mean} {expected}");
            assert!(lower < upper);
        }
    }
}
