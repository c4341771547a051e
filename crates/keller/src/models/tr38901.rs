//! 3GPP TR 38.901: urban macro, urban micro in street canyons, and indoor office.

use super::{Link, Range};
use crate::units::SPEED_OF_LIGHT;

/// Urban macro: the document places the Tx at 25 m.
pub(super) const UMA: Range = Range {
    frequency: [0.5e9, 100e9],
    distance: [10.0, 5e3],
    tx_height: [25.0, 25.0],
    rx_height: [1.5, 22.5],
};

/// Urban micro: the document places the Tx at 10 m.
pub(super) const UMI: Range = Range {
    tx_height: [10.0, 10.0],
    ..UMA
};

/// Indoor office, by the distance between the antennas.
pub(super) const INH: Range = Range {
    frequency: [0.5e9, 100e9],
    distance: [1.0, 150.0],
    tx_height: [0.0, f64::INFINITY],
    rx_height: [0.0, f64::INFINITY],
};

/// The effective height of the environment, metres. In urban macro cells TR 38.901 draws it by lot for an Rx above
/// 13 m; as a simplification, keller takes the value that holds below for all heights.
const ENVIRONMENT_HEIGHT: f64 = 1.0;

/// Path loss of urban macro cells (`UMa`), dB.
///
/// With line of sight `28 + 22 log d + 20 log f` up to the breakpoint `d_BP = 4 h'_BS h'_UT f / c`, and
/// `28 + 40 log d + 20 log f - 9 log(d_BP² + (h_BS - h_UT)²)` beyond; without it at least
/// `13.54 + 39.08 log d + 20 log f - 0.6 (h_UT - 1.5)`. d is the distance between the antennas in m, f in GHz.
///
/// # Source
/// 3GPP TR 38.901 (v17.0.0), Table 7.4.1-1, `UMa`, with note 1. Range: 0.5 to 100 GHz, 10 m to 5 km, Tx at 25 m, Rx at
/// 1.5 to 22.5 m. Shadow fading is not in it.
pub fn uma_db(link: &Link) -> f64 {
    let los = dual_slope_db(link, 28.0, 22.0, 9.0);
    if link.is_visible {
        return los;
    }
    let rx = 0.6 * (link.rx_height - 1.5);
    let nlos = 13.54 + 39.08 * log_distance(link) + 20.0 * log_ghz(link) - rx;
    los.max(nlos)
}

/// Path loss of urban micro cells in street canyons (`UMi`), dB.
///
/// With line of sight `32.4 + 21 log d + 20 log f` up to the breakpoint, and
/// `32.4 + 40 log d + 20 log f - 9.5 log(d_BP² + (h_BS - h_UT)²)` beyond; without it at least
/// `22.4 + 35.3 log d + 21.3 log f - 0.3 (h_UT - 1.5)`. Symbols as in [`uma_db`].
///
/// # Source
/// 3GPP TR 38.901 (v17.0.0), Table 7.4.1-1, `UMi` - Street Canyon, with note 1. Range: 0.5 to 100 GHz, 10 m to 5 km, Tx
/// at 10 m, Rx at 1.5 to 22.5 m. Shadow fading is not in it.
pub fn umi_db(link: &Link) -> f64 {
    let los = dual_slope_db(link, 32.4, 21.0, 9.5);
    if link.is_visible {
        return los;
    }
    let rx = 0.3 * (link.rx_height - 1.5);
    let nlos = 22.4 + 35.3 * log_distance(link) + 21.3 * log_ghz(link) - rx;
    los.max(nlos)
}

/// Path loss in an indoor office (`InH`), dB: with line of sight `32.4 + 17.3 log d + 20 log f`, without it at least
/// `17.3 + 38.3 log d + 24.9 log f`. Symbols as in [`uma_db`].
///
/// # Source
/// 3GPP TR 38.901 (v17.0.0), Table 7.4.1-1, `InH` - Office. Range: 0.5 to 100 GHz, 1 to 150 m between the antennas.
/// Shadow fading is not in it.
pub fn inh_db(link: &Link) -> f64 {
    let los = 32.4 + 17.3 * log_distance(link) + 20.0 * log_ghz(link);
    if link.is_visible {
        return los;
    }
    los.max(17.3 + 38.3 * log_distance(link) + 24.9 * log_ghz(link))
}

/// PL1 up to the breakpoint and PL2 beyond it.
fn dual_slope_db(link: &Link, constant: f64, slope: f64, breakpoint_slope: f64) -> f64 {
    let effective = |height: f64| (height - ENVIRONMENT_HEIGHT).max(0.0);
    let (h_bs, h_ut) = (link.tx_height, link.rx_height);
    let breakpoint = 4.0 * effective(h_bs) * effective(h_ut) * link.frequency.hz() / SPEED_OF_LIGHT;
    // An antenna at the height of the environment has no breakpoint that differs from the Tx: one slope remains.
    let steps = if link.distance <= breakpoint || breakpoint == 0.0 {
        slope * log_distance(link)
    } else {
        let at = breakpoint.powi(2) + (h_bs - h_ut).powi(2);
        40.0 * log_distance(link) - breakpoint_slope * at.log10()
    };
    constant + steps + 20.0 * log_ghz(link)
}

fn log_distance(link: &Link) -> f64 {
    link.slant_distance().log10()
}

fn log_ghz(link: &Link) -> f64 {
    link.frequency.ghz().log10()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frequency;
    use crate::models::Walls;

    fn loss(model: fn(&Link) -> f64, tx_height: f64, distance: f64, is_visible: bool) -> f64 {
        model(&Link {
            frequency: Frequency::from_ghz(5.0).unwrap(),
            distance,
            tx_height,
            rx_height: 1.5,
            is_visible,
            walls: Walls::default(),
            diffraction_db: 0.0,
        })
    }

    /// ns-3, `src/propagation/test/three-gpp-propagation-loss-model-test-suite.cc`, whose tolerance is 0.05 dB. ns-3
    /// runs only the first two of the urban micro cells: the other six are written there, but not added to its list.
    #[test]
    fn losses_are_those_that_ns_3_has() {
        type Case = (fn(&Link) -> f64, f64, [(f64, f64, f64); 4]);
        let cases: [Case; 3] = [
            (
                uma_db,
                25.0,
                [
                    (10.0, 72.9380, 82.5131),
                    (100.0, 86.2362, 106.1356),
                    (1000.0, 109.7252, 144.7641),
                    (5000.0, 137.6794, 172.0753),
                ],
            ),
            (
                umi_db,
                10.0,
                [
                    (10.0, 69.8591, 76.7563),
                    (100.0, 88.4122, 107.9432),
                    (1000.0, 119.3114, 143.1886),
                    (5000.0, 147.2696, 167.8617),
                ],
            ),
            (
                inh_db,
                3.0,
                [
                    (1.0, 50.8072, 50.8072),
                    (10.0, 63.7630, 73.1894),
                    (50.0, 75.7750, 99.7824),
                    (100.0, 80.9802, 111.3062),
                ],
            ),
        ];
        for (model, tx_height, links) in cases {
            for (distance, los, nlos) in links {
                let found = loss(model, tx_height, distance, true);
                assert!((found - los).abs() < 0.05, "{distance} {found} {los}");
                let found = loss(model, tx_height, distance, false);
                assert!((found - nlos).abs() < 0.05, "{distance} {found} {nlos}");
            }
        }
    }

    /// The two slopes of urban macro cells meet, because 40 - 22 = 2 * 9. Those of urban micro cells meet likewise.
    #[test]
    fn the_slopes_meet_at_the_breakpoint() {
        for (model, tx_height) in [(uma_db as fn(&Link) -> f64, 25.0), (umi_db, 10.0)] {
            let breakpoint = 4.0 * (tx_height - 1.0) * 0.5 * 5e9 / SPEED_OF_LIGHT;
            let [near, far] =
                [1e-6, -1e-6].map(|step| loss(model, tx_height, breakpoint - step, true));
            assert!((near - far).abs() < 1e-6, "{near} {far}");
        }
    }
}
