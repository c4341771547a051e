//! Cuts against exact apertures, and refused cuts.

use super::*;
use crate::antenna::Pattern;
use crate::direction::Direction;

const ALL: [Combination; 3] = [Combination::Sum, Combination::Weighted, Combination::Hybrid];

fn circle(gain_db: impl Fn(f64) -> f64) -> Cut {
    let angles: Vec<f64> = (0..360).map(|d| f64::from(d).to_radians()).collect();
    let gains_db = angles.iter().map(|a| gain_db(*a)).collect();
    Cut { angles, gains_db }
}

fn gain_db(table: &PatternTable, zenith: f64, azimuth: f64) -> f64 {
    power_to_db(table.gain(Direction { zenith, azimuth }.unit_vector()))
}

/// A uniform rectangular aperture of `width` by `height` wavelengths with Huygens' element factor, dB, at least -40.
///
/// Balanis, "Antenna Theory", 4th ed., Table 12.1.
fn aperture(width: f64, height: f64) -> impl Fn(f64, f64) -> f64 {
    let sinc = |x: f64| {
        if x == 0.0 {
            1.0
        } else {
            (PI * x).sin() / (PI * x)
        }
    };
    move |zenith, azimuth| {
        let r = Direction { zenith, azimuth }.unit_vector();
        let field = sinc(width * r.y) * sinc(height * r.z) * 0.5 * (1.0 + r.x);
        power_to_db(field * field).max(-40.0)
    }
}

fn cuts_of(pattern: &impl Fn(f64, f64) -> f64) -> [Cut; 2] {
    let horizontal = circle(|azimuth| pattern(FRAC_PI_2, azimuth));
    let vertical = circle(|angle| {
        if angle <= PI {
            pattern(angle, 0.0)
        } else {
            pattern(TAU - angle, PI)
        }
    });
    [horizontal, vertical]
}

#[test]
fn every_combination_gives_both_cuts_back() {
    let pattern = aperture(0.8, 5.0);
    let [h, v] = cuts_of(&pattern);
    for combination in ALL {
        let table = PatternTable::from_cuts(10.0, Some(&h), Some(&v), combination).unwrap();
        for degrees in (-179..=180).map(f64::from) {
            let azimuth = degrees.to_radians();
            let found = gain_db(&table, FRAC_PI_2, azimuth);
            let expected = 10.0 + pattern(FRAC_PI_2, azimuth);
            assert!((found - expected).abs() < 1e-6, "{combination:?} {degrees}");
        }
        for degrees in (0..=180).map(f64::from) {
            let zenith = degrees.to_radians();
            let found = gain_db(&table, zenith, 0.0);
            let expected = 10.0 + pattern(zenith, 0.0);
            assert!((found - expected).abs() < 1e-6, "{combination:?} {degrees}");
        }
    }
}

#[test]
fn the_sum_of_the_cuts_of_38_901_is_its_pattern_where_it_is_not_cut_off() {
    let element = |zenith, azimuth| {
        power_to_db(Pattern::Tr38901.gain(Direction { zenith, azimuth }.unit_vector())) - 8.0
    };
    let h = circle(|azimuth| element(FRAC_PI_2, azimuth));
    let v = Cut {
        angles: (0..=180).map(|d| f64::from(d).to_radians()).collect(),
        gains_db: (0..=180)
            .map(|d| element(f64::from(d).to_radians(), 0.0))
            .collect(),
    };
    let gain = crate::units::db_to_power(8.0);
    let table = PatternTable::from_cuts(gain, Some(&h), Some(&v), Combination::Sum).unwrap();
    for (zenith_deg, azimuth_deg) in [(60.0_f64, 40.0_f64), (120.0, -60.0), (75.0, 10.0)] {
        let (zenith, azimuth) = (zenith_deg.to_radians(), azimuth_deg.to_radians());
        let error = gain_db(&table, zenith, azimuth) - 8.0 - element(zenith, azimuth);
        assert!(error.abs() < 1e-6, "{zenith_deg} {azimuth_deg}: {error}");
    }
}

#[test]
fn an_omni_needs_no_horizontal_cut_and_stays_an_omni_with_one() {
    let dipole = |zenith: f64| {
        let direction = Direction {
            zenith,
            azimuth: 0.0,
        };
        power_to_db(Pattern::HalfWaveDipole.gain(direction.unit_vector()) / 1.6409).max(-60.0)
    };
    let v = Cut {
        angles: (0..=180).map(|d| f64::from(d).to_radians()).collect(),
        gains_db: (0..=180)
            .map(|d| dipole(f64::from(d).to_radians()))
            .collect(),
    };
    let h = circle(|_| 0.0);
    for combination in ALL {
        for horizontal in [None, Some(&h)] {
            let table = PatternTable::from_cuts(1.6409, horizontal, Some(&v), combination).unwrap();
            let found = gain_db(&table, 1.0, 2.5);
            let expected = power_to_db(1.6409) + dipole(1.0);
            assert!((found - expected).abs() < 0.01, "{combination:?}: {found}");
            assert!((table.mean_gain() - 1.0).abs() < 2e-3);
        }
    }
}

#[test]
fn the_sum_is_nearest_for_panels_and_the_weighted_mean_for_single_wide_elements() {
    // Mean absolute error over the sphere, dB, against the exact pattern of an aperture.
    let errors = |width: f64, height: f64| {
        let pattern = aperture(width, height);
        let [h, v] = cuts_of(&pattern);
        ALL.map(|combination| {
            let table = PatternTable::from_cuts(0.1, Some(&h), Some(&v), combination).unwrap();
            let (mut sum, mut weight) = (0.0, 0.0);
            for i in 0..90 {
                let zenith = (f64::from(i) + 0.5) * PI / 90.0;
                for j in 0..180 {
                    let azimuth = (f64::from(j) + 0.5) * TAU / 180.0;
                    let found = (gain_db(&table, zenith, azimuth) + 10.0).max(-40.0);
                    sum += zenith.sin() * (found - pattern(zenith, azimuth)).abs();
                    weight += zenith.sin();
                }
            }
            sum / weight
        })
    };
    let [sum, weighted, hybrid] = errors(0.8, 5.0);
    assert!(
        sum < hybrid && hybrid < weighted,
        "{sum} {weighted} {hybrid}"
    );
    let [sum, weighted, hybrid] = errors(0.6, 0.6);
    assert!(
        weighted < hybrid && hybrid < sum,
        "{sum} {weighted} {hybrid}"
    );
}

#[test]
fn half_a_cut_is_refused() {
    let whole = circle(|_| 0.0);
    let half = Cut {
        angles: whole.angles[..180].to_vec(),
        gains_db: whole.gains_db[..180].to_vec(),
    };
    let error = |h, v| PatternTable::from_cuts(1.0, h, v, Combination::Sum).unwrap_err();
    let message = error(Some(&half), None).to_string();
    assert!(message.contains("no azimuth between 179"), "{message}");
    let message = error(None, Some(&whole)).to_string();
    assert!(message.contains("needs a horizontal one"), "{message}");
    assert!(error(None, None).to_string().contains("neither cut"));
}
