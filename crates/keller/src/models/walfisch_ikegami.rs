//! COST 231 Walfisch-Ikegami: over rows of houses and down into a street.

use super::{City, Link, Range};
use crate::Error;

/// The range in which COST 231 states the model.
pub(super) const RANGE: Range = Range {
    frequency: [800e6, 2000e6],
    distance: [20.0, 5e3],
    tx_height: [4.0, 50.0],
    rx_height: [1.0, 3.0],
};

/// Rows of houses and the street of the Rx, as far as the model knows them. The default is the advice of COST 231 where
/// nothing is known, for houses of four floors and a roof: 15 m high, 30 m from row to row, a street of half of that,
/// crossed at a right angle.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Streets {
    roof_height: f64,
    street_width: f64,
    building_separation: f64,
    street_angle_deg: f64,
    is_metropolitan: bool,
}

impl Default for Streets {
    fn default() -> Self {
        Self {
            roof_height: 15.0,
            street_width: 15.0,
            building_separation: 30.0,
            street_angle_deg: 90.0,
            is_metropolitan: false,
        }
    }
}

impl Streets {
    /// Heights of roofs that are accepted, metres: over every Rx of the model.
    pub const ROOF_HEIGHTS: [f64; 2] = [3.5, 500.0];
    /// Widths and separations that are accepted, metres.
    pub const WIDTHS: [f64; 2] = [1.0, 1000.0];

    /// Roofs `roof_height` metres over the ground, streets `street_width` metres wide, houses `building_separation`
    /// metres from centre to centre, streets at `street_angle_deg` degrees to the line from Tx to Rx, in a [`City`].
    ///
    /// # Errors
    /// [`Error::Model`] outside [`Self::ROOF_HEIGHTS`], [`Self::WIDTHS`], or 0 to 90 degrees.
    pub fn new(
        roof_height: f64,
        street_width: f64,
        building_separation: f64,
        street_angle_deg: f64,
        city: City,
    ) -> Result<Self, Error> {
        for (name, value, [min, max]) in [
            ("roof height", roof_height, Self::ROOF_HEIGHTS),
            ("street width", street_width, Self::WIDTHS),
            ("building separation", building_separation, Self::WIDTHS),
            ("street angle", street_angle_deg, [0.0, 90.0]),
        ] {
            if !(min..=max).contains(&value) {
                return Err(Error::Model(format!(
                    "{name} {value} is not accepted; it must be from {min} to {max}"
                )));
            }
        }
        Ok(Self {
            roof_height,
            street_width,
            building_separation,
            street_angle_deg,
            is_metropolitan: city == City::Large,
        })
    }

    /// Height of the roofs, metres.
    pub fn roof_height(&self) -> f64 {
        self.roof_height
    }
}

/// Path loss by COST 231 Walfisch-Ikegami, dB.
///
/// With line of sight along a street `42.6 + 26 log d + 20 log f`, which meets free space at 20 m. Otherwise
/// `L_0 + L_rts + L_msd`, or `L_0` alone where the rest is below zero: free space, from the last roof down into the
/// street, and over the rows of houses. f is in MHz, d in km, heights and widths in m.
///
/// # Source
/// COST 231 final report (1999), chapter 4, section "COST 231 - Walfisch-Ikegami-Model". Range: 800 to 2000 MHz, 20 m
/// to 5 km, Tx at 4 to 50 m, Rx at 1 to 3 m. It is made for a Tx over the roofs.
pub fn walfisch_ikegami_db(link: &Link, streets: &Streets) -> f64 {
    let (log_f, log_d) = (link.mhz().log10(), link.km().log10());
    if link.is_visible {
        return 42.6 + 26.0 * log_d + 20.0 * log_f;
    }
    let l_0 = 32.4 + 20.0 * log_d + 20.0 * log_f;
    // From roof to street; an Rx over the roofs has no such loss.
    let below_roof = streets.roof_height - link.rx_height;
    let l_rts = if below_roof > 0.0 {
        let width = 10.0 * streets.street_width.log10();
        -16.9 - width + 10.0 * log_f + 20.0 * below_roof.log10() + orientation_loss(streets)
    } else {
        0.0
    };
    // Over the rows of houses.
    let over_roof = link.tx_height - streets.roof_height;
    let (l_bsh, k_d) = if over_roof > 0.0 {
        (-18.0 * (1.0 + over_roof).log10(), 18.0)
    } else {
        (0.0, 18.0 - 15.0 * over_roof / streets.roof_height)
    };
    let k_a = if over_roof > 0.0 {
        54.0
    } else {
        54.0 - 0.8 * over_roof * (link.km() / 0.5).min(1.0)
    };
    let slope = if streets.is_metropolitan { 1.5 } else { 0.7 };
    let k_f = -4.0 + slope * (link.mhz() / 925.0 - 1.0);
    let separation = 9.0 * streets.building_separation.log10();
    let l_msd = l_bsh + k_a + k_d * log_d + k_f * log_f - separation;
    l_0 + (l_rts + l_msd).max(0.0)
}

/// `L_ori`, dB: by the angle between the street and the line from Tx to Rx.
fn orientation_loss(streets: &Streets) -> f64 {
    let phi = streets.street_angle_deg;
    if phi < 35.0 {
        -10.0 + 0.354 * phi
    } else if phi < 55.0 {
        2.5 + 0.075 * (phi - 35.0)
    } else {
        4.0 - 0.114 * (phi - 55.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frequency;
    use crate::models::Walls;
    use crate::models::free_space_db;

    fn link(mhz: f64, distance: f64, is_visible: bool) -> Link {
        Link {
            frequency: Frequency::from_hz(mhz * 1e6).unwrap(),
            distance,
            tx_height: 12.5,
            rx_height: 1.5,
            is_visible,
            walls: Walls::default(),
            diffraction_db: 0.0,
        }
    }

    /// 3GPP TR 25.996, section 5.2 works the model out for its urban micro cells: Tx at 12.5 m, roofs at 12 m, houses
    /// every 50 m, streets of 25 m at 30 degrees, metropolitan.
    #[test]
    fn micro_cells_of_tr_25996_come_out() {
        let streets = Streets::new(12.0, 25.0, 50.0, 30.0, City::Large).unwrap();
        for mhz in [900.0_f64, 1500.0, 1900.0] {
            for metres in [50.0_f64, 200.0, 1000.0, 4000.0] {
                let (log_d, log_f) = (metres.log10(), mhz.log10());
                let nlos = -55.9 + 38.0 * log_d + (24.5 + 1.5 * mhz / 925.0) * log_f;
                let found = walfisch_ikegami_db(&link(mhz, metres, false), &streets);
                assert!((found - nlos).abs() < 0.1, "{mhz} {metres} {found} {nlos}");
                let los = -35.4 + 26.0 * log_d + 20.0 * log_f;
                let found = walfisch_ikegami_db(&link(mhz, metres, true), &streets);
                assert!((found - los).abs() < 0.05, "{mhz} {metres} {found} {los}");
            }
        }
    }

    #[test]
    fn line_of_sight_along_a_street_begins_with_free_space_at_twenty_metres() {
        let near = link(1800.0, 20.0, true);
        let loss = walfisch_ikegami_db(&near, &Streets::default());
        assert!((loss - free_space_db(near.frequency, 20.0)).abs() < 0.1);
    }

    #[test]
    fn a_mast_that_passes_the_roofs_changes_nothing_at_once() {
        let at = |tx_height| Link {
            tx_height,
            ..link(900.0, 800.0, false)
        };
        let [below, above] = [15.0 - 1e-9, 15.0 + 1e-9]
            .map(|height| walfisch_ikegami_db(&at(height), &Streets::default()));
        assert!((below - above).abs() < 1e-6, "{below} {above}");
    }

    #[test]
    fn streets_that_nobody_has_are_refused() {
        for (values, message) in [
            ([2.0, 15.0, 30.0, 90.0], "roof height 2"),
            ([15.0, 0.0, 30.0, 90.0], "street width 0"),
            ([15.0, 15.0, f64::NAN, 90.0], "building separation NaN"),
            ([15.0, 15.0, 30.0, 91.0], "street angle 91"),
        ] {
            let [roof, width, separation, angle] = values;
            let error = Streets::new(roof, width, separation, angle, City::Medium).unwrap_err();
            assert!(error.to_string().contains(message), "{error}");
        }
        assert!(Streets::new(3.5, 1.0, 1000.0, 0.0, City::Medium).is_ok());
    }
}
