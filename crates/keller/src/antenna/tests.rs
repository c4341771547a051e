//! Antennas as a whole: frames, ports, closed forms.

use super::*;
use std::f64::consts::FRAC_PI_2;

fn directions() -> impl Iterator<Item = Direction> {
    (0..=12).flat_map(|i| {
        (-5..=6).map(move |j| Direction {
            zenith: PI * f64::from(i) / 12.0,
            azimuth: PI * f64::from(j) / 6.0,
        })
    })
}

fn fields(antenna: &Antenna, direction: Direction) -> Vec<[Complex64; 2]> {
    antenna.fields(direction).collect()
}

fn turned(polarization: Polarization, orientation_deg: [f64; 3]) -> Antenna {
    Antenna {
        pattern: Pattern::Isotropic,
        polarization,
        orientation: Orientation::from_degrees(orientation_deg),
        ..Antenna::default()
    }
}

fn is_near(field: [Complex64; 2], expected: [f64; 2]) -> bool {
    field
        .iter()
        .zip(expected)
        .all(|(f, e)| (f - e).norm() < 1e-14)
}

#[test]
fn an_unturned_antenna_radiates_pure_theta_or_phi() {
    for direction in directions() {
        let v = fields(&turned(Polarization::V, [0.0; 3]), direction);
        let h = fields(&turned(Polarization::H, [0.0; 3]), direction);
        assert!(is_near(v[0], [1.0, 0.0]), "{direction:?} {v:?}");
        assert!(is_near(h[0], [0.0, 1.0]), "{direction:?} {h:?}");
    }
}

#[test]
fn turning_an_isotropic_antenna_keeps_its_gain() {
    for direction in directions() {
        for field in fields(&turned(Polarization::Cross, [30.0, 12.0, 77.0]), direction) {
            let gain = field[0].norm_sqr() + field[1].norm_sqr();
            assert!((gain - 1.0).abs() < 1e-14, "{direction:?}");
        }
    }
}

#[test]
fn a_v_antenna_slanted_by_a_right_angle_is_horizontal_where_it_looks() {
    // Rx(90°) takes +z to -y, so theta (down) becomes +y, which is phi at azimuth 0.
    let ahead = Direction {
        zenith: FRAC_PI_2,
        azimuth: 0.0,
    };
    let field = fields(&turned(Polarization::V, [0.0, 0.0, 90.0]), ahead)[0];
    assert!(is_near(field, [0.0, 1.0]), "{field:?}");
}

#[test]
fn bearing_and_downtilt_turn_the_beam_to_azimuth_and_below_the_horizon() {
    let orientation = Orientation::from_degrees([90.0, 30.0, 0.0]);
    let beam = Direction::from_vector(orientation.global_from_local() * DVec3::X);
    assert!((beam.azimuth - FRAC_PI_2).abs() < 1e-15);
    assert!((beam.zenith - 120.0_f64.to_radians()).abs() < 1e-15);
}

#[test]
fn a_tilted_dipole_is_silent_along_its_axis() {
    for pattern in [Pattern::ShortDipole, Pattern::HalfWaveDipole] {
        let antenna = Antenna {
            pattern: pattern.clone(),
            polarization: Polarization::V,
            orientation: Orientation::from_degrees([0.0, 90.0, 0.0]),
            ..Antenna::default()
        };
        let axis = Direction::from_vector(DVec3::X);
        assert!(fields(&antenna, axis)[0][0].norm() < 1e-15);
        assert!(pattern.gain(DVec3::Z) == 0.0 && pattern.gain(-DVec3::Z) == 0.0);
    }
}

#[test]
fn every_pattern_radiates_what_it_is_fed() {
    // The mean gain over the sphere, by the midpoint rule in zenith.
    for pattern in [
        Pattern::Isotropic,
        Pattern::ShortDipole,
        Pattern::HalfWaveDipole,
    ] {
        let n = 20_000;
        let step = PI / f64::from(n);
        let mean: f64 = (0..n)
            .map(|i| {
                let (sin, cos) = ((f64::from(i) + 0.5) * step).sin_cos();
                0.5 * step * sin * pattern.gain(DVec3::new(sin, 0.0, cos))
            })
            .sum();
        assert!((mean - 1.0).abs() < 1e-8, "{pattern:?}: {mean}");
    }
}

#[test]
fn the_half_wave_dipole_has_2_15_dbi() {
    let gain_db = crate::units::power_to_db(Pattern::HalfWaveDipole.gain(DVec3::Y));
    assert!((gain_db - 2.15).abs() < 0.005, "{gain_db}");
}

#[test]
fn names_are_read_in_any_case_and_wrong_ones_list_the_right() {
    assert_eq!(Polarization::from_name("CROSS"), Ok(Polarization::Cross));
    assert_eq!(Polarization::from_name("180"), Ok(Polarization::Slant(PI)));
    assert_eq!(Pattern::from_name("Isotropic"), Ok(Pattern::Isotropic));
    let message = Pattern::from_name("tr38900").unwrap_err().to_string();
    assert!(message.contains("`tr38900`") && message.contains("`isotropic`"));
    let message = Polarization::from_name("nan").unwrap_err().to_string();
    assert!(message.contains("`nan`") && message.contains("`VH`"));
}

/// The direction at `elevation` and `azimuth`, degrees.
fn at(elevation_deg: f64, azimuth_deg: f64) -> DVec3 {
    let direction = Direction {
        zenith: (90.0 - elevation_deg).to_radians(),
        azimuth: azimuth_deg.to_radians(),
    };
    direction.unit_vector()
}

fn gain_db(pattern: &Pattern, elevation_deg: f64, azimuth_deg: f64) -> f64 {
    crate::units::power_to_db(pattern.gain(at(elevation_deg, azimuth_deg)))
}

#[test]
fn the_element_of_38_901_is_that_of_its_table() {
    let element = Pattern::Tr38901;
    for (elevation, azimuth, expected_db) in [
        (0.0, 0.0, 8.0),
        (32.5, 0.0, 5.0),
        (-32.5, 0.0, 5.0),
        (0.0, 32.5, 5.0),
        (32.5, -32.5, 2.0),
        (0.0, 180.0, -22.0),
        (90.0, 0.0, 8.0 - 12.0 * (90.0_f64 / 65.0).powi(2)),
        (80.0, 70.0, -22.0),
    ] {
        let found = gain_db(&element, elevation, azimuth);
        assert!(
            (found - expected_db).abs() < 1e-9,
            "{elevation} {azimuth}: {found}"
        );
    }
}

#[test]
fn the_element_of_38_901_loses_a_third_of_what_it_is_fed() {
    // The stated constant against the midpoint rule in both angles.
    let n = 720;
    let step = PI / f64::from(n);
    let mut mean = 0.0;
    for i in 0..n {
        let zenith = (f64::from(i) + 0.5) * step;
        for j in 0..2 * n {
            let azimuth = (f64::from(j) + 0.5) * step;
            let direction = Direction { zenith, azimuth };
            mean += zenith.sin() * Pattern::Tr38901.gain(direction.unit_vector());
        }
    }
    mean *= step * step / (4.0 * PI);
    let stated = Pattern::Tr38901.mean_gain();
    assert!((mean - stated).abs() < 1e-5, "{mean}");
}

#[test]
fn electrical_tilt_moves_the_beam_down_all_round_and_keeps_the_poles() {
    let tilted = Antenna {
        pattern: Pattern::Tr38901,
        electrical_tilt: 8.0_f64.to_radians(),
        ..Antenna::default()
    };
    let gain = |elevation, azimuth| {
        let [theta, phi] = tilted.local_field(at(elevation, azimuth));
        crate::units::power_to_db(theta.norm_sqr() + phi.norm_sqr())
    };
    for azimuth in [-120.0, 0.0, 35.0] {
        for elevation in [-50.0, -8.0, 0.0, 3.0, 52.0] {
            let shifted = gain_db(&Pattern::Tr38901, elevation + 8.0, azimuth);
            let found = gain(elevation, azimuth);
            assert!((found - shifted).abs() < 1e-9, "{elevation} {azimuth}");
        }
        for pole in [90.0, -90.0] {
            let untilted = gain_db(&Pattern::Tr38901, pole, azimuth);
            assert!((gain(pole, azimuth) - untilted).abs() < 1e-9);
            let near = gain(pole * 0.999_999, azimuth)
                - gain_db(&Pattern::Tr38901, pole * 0.999_999, azimuth);
            assert!(near.abs() < 1e-4, "no seam at the pole: {near}");
        }
    }
}

#[test]
fn a_gain_of_ones_own_scales_the_pattern_and_keeps_its_shape() {
    let own = Antenna {
        pattern: Pattern::HalfWaveDipole,
        peak_gain: Some(0.5),
        ..Antenna::default()
    };
    let plain = Antenna {
        peak_gain: None,
        ..own.clone()
    };
    let ratio = 0.5 / Pattern::HalfWaveDipole.peak_gain();
    for direction in directions() {
        let gain = |antenna| fields(antenna, direction)[0][0].norm_sqr();
        assert!((gain(&own) - ratio * gain(&plain)).abs() < 1e-15);
    }
}
