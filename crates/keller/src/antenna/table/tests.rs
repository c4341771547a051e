//! Tables against closed forms, and refused tables.

use super::*;
use crate::antenna::{Antenna, Pattern, Polarization};
use crate::direction::Direction;
use std::sync::Arc;

fn degrees(from: u16, to: u16, step: usize) -> Vec<f64> {
    (from..=to)
        .step_by(step)
        .map(|d| f64::from(d).to_radians())
        .collect()
}

fn sampled(pattern: &Pattern, step: usize) -> PatternTable {
    let (zeniths, azimuths) = (degrees(0, 180, step), degrees(0, 359, step));
    let gains: Vec<f64> = zeniths
        .iter()
        .flat_map(|&zenith| {
            azimuths
                .iter()
                .map(move |&azimuth| pattern.gain(Direction { zenith, azimuth }.unit_vector()))
        })
        .collect();
    PatternTable::from_gains(&zeniths, &azimuths, &gains).unwrap()
}

fn random_directions() -> impl Iterator<Item = DVec3> {
    // A spiral of irrational pitch meets no grid.
    (0..2000).map(|i| {
        let z = 1.0 - (f64::from(i) + 0.5) / 1000.0;
        let (sin, cos) = (2.399_963 * f64::from(i)).sin_cos();
        let r = (1.0 - z * z).sqrt();
        DVec3::new(r * cos, r * sin, z)
    })
}

#[test]
fn a_table_of_a_closed_form_gives_it_back_between_its_samples() {
    // Second derivative 24 / 65² dB per square degree, both ways, over 8: 0.0014 dB for steps of 1°. Where the form is cut
    // off at 30 dB it has a kink: one step of its slope, 24 * 103 / 65² dB.
    let table = sampled(&Pattern::Tr38901, 1);
    for direction in random_directions() {
        let exact = power_to_db(Pattern::Tr38901.gain(direction));
        let found = power_to_db(table.gain(direction));
        let tolerance = if exact > -21.0 { 0.002 } else { 0.6 };
        assert!(
            (found - exact).abs() < tolerance,
            "{direction}: {found} {exact}"
        );
    }
    let error_db = power_to_db(table.mean_gain() / Pattern::Tr38901.mean_gain());
    assert!(error_db.abs() < 0.002, "{error_db}");
}

#[test]
fn the_mean_gain_of_lossless_antennas_is_one_on_any_grid() {
    for (pattern, step, tolerance) in [
        (Pattern::Isotropic, 45, 0.002),
        (Pattern::Isotropic, 1, 1e-9),
        (Pattern::HalfWaveDipole, 1, 1e-3),
        (Pattern::ShortDipole, 1, 1e-3),
    ] {
        let mean = sampled(&pattern, step).mean_gain();
        assert!((mean - 1.0).abs() < tolerance, "{pattern:?} {step}: {mean}");
    }
    // Uneven in both angles.
    let zeniths = [0.0, 0.1, 0.7, 1.0, 1.5, 1.6, 2.2, 2.9];
    let azimuths = [-3.0, -2.9, -2.2, -1.5, -1.0, -0.3, 0.4, 0.5, 1.2, 1.9, 2.5];
    let table = PatternTable::from_gains(&zeniths, &azimuths, &[1.0; 88]).unwrap();
    assert!(
        (table.mean_gain() - 1.0).abs() < 1e-4,
        "{}",
        table.mean_gain()
    );
}

#[test]
fn azimuth_is_periodic_wherever_the_grid_begins() {
    let gain = |azimuth: f64| 0.5 + 0.4 * azimuth.cos();
    let zeniths = degrees(0, 180, 30);
    let tables = [0.0, -PI, 1.0].map(|first| {
        let azimuths: Vec<f64> = (0..36).map(|i| first + TAU * f64::from(i) / 36.0).collect();
        let gains: Vec<f64> = (0..7)
            .flat_map(|_| azimuths.iter().map(|a| gain(*a)))
            .collect();
        PatternTable::from_gains(&zeniths, &azimuths, &gains).unwrap()
    });
    for i in 0..720 {
        let azimuth = f64::from(i) * PI / 360.0 - PI;
        let direction = DVec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        for table in &tables {
            let error = power_to_db(table.gain(direction) / gain(azimuth));
            assert!(error.abs() < 0.1, "{azimuth}: {error}");
        }
    }
}

#[test]
fn a_field_along_phi_is_a_horizontal_antenna_and_keeps_its_phase() {
    let (zeniths, azimuths) = (degrees(0, 180, 5), degrees(0, 355, 5));
    let phase = Complex64::cis(0.7);
    let fields = vec![[Complex64::ZERO, phase]; zeniths.len() * azimuths.len()];
    let table = PatternTable::from_fields(&zeniths, &azimuths, &fields).unwrap();
    let measured = Antenna {
        pattern: Pattern::Table(Arc::new(table)),
        ..Antenna::default()
    };
    let ideal = Antenna {
        polarization: Polarization::H,
        ..Antenna::default()
    };
    for vector in random_directions() {
        let direction = Direction::from_vector(vector);
        let found = measured.fields(direction).next().unwrap();
        let expected = ideal.fields(direction).next().unwrap();
        for (f, e) in found.into_iter().zip(expected) {
            assert!((f - e * phase).norm() < 1e-12);
        }
    }
}

#[test]
fn what_no_antenna_has_is_refused_with_its_numbers() {
    let (zeniths, azimuths) = (degrees(0, 180, 10), degrees(0, 350, 10));
    let count = zeniths.len() * azimuths.len();
    let message = |zeniths: &[f64], azimuths: &[f64], gains: &[f64]| {
        PatternTable::from_gains(zeniths, azimuths, gains)
            .unwrap_err()
            .to_string()
    };
    let twice = message(&zeniths, &azimuths, &vec![2.0; count]);
    assert!(
        twice.contains("a peak gain of 3.01 dBi is 3.01 dB more") && twice.contains("0.00 dBi"),
        "{twice}"
    );
    for (zeniths, azimuths, gains, expected) in [
        (
            &zeniths[..],
            &azimuths[..],
            vec![1.0; 3],
            "3 values for 19 zeniths and 36 azimuths",
        ),
        (&zeniths, &azimuths, vec![f64::NAN; count], "the gain NaN"),
        (&zeniths, &azimuths, vec![-1.0; count], "the gain -1"),
        (&zeniths, &azimuths, vec![0.0; count], "no gain above zero"),
        (
            &zeniths[..10],
            &azimuths,
            vec![1.0; 360],
            "no zenith between 90.0000° and 180",
        ),
        (
            &zeniths,
            &azimuths[..20],
            vec![1.0; 380],
            "no azimuth between 190.0000° and 360",
        ),
        (&[], &azimuths, vec![], "there is no zenith"),
        (
            &[0.0, 0.0],
            &azimuths,
            vec![1.0; 72],
            "the zenith 0° follows 0°",
        ),
        (
            &[-0.1, 0.5],
            &azimuths,
            vec![1.0; 72],
            "accepted: 0 to 180°",
        ),
    ] {
        let found = message(zeniths, azimuths, &gains);
        assert!(found.contains(expected), "{expected}\n{found}");
    }
}
