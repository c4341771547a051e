//! The channel of a link: statistics, ports, arrays.
use std::f64::consts::{PI, TAU};

use crate::common::reflections::{BOTH_V, V, World, frequency, taps, two_ray};
use keller::antenna::{Antenna, Polarization};
use keller::channel::{Antennas, Band, ImpulseResponse};
use keller::materials::{ItuMaterial, Medium};
use keller::paths::Path;
use keller::units::SPEED_OF_LIGHT;
use keller::{Complex64, DVec3, Frequency};

#[test]
fn statistics_of_two_known_paths_are_known() {
    let link = two_ray(Medium::PerfectConductor);
    let world = link.world.at(frequency(1e9));
    let paths = link.paths();
    let response = ImpulseResponse::new(&paths, &world, BOTH_V, &link.motion());
    let found = response.statistics();
    let (d1, d2) = (100.0_f64.hypot(7.0), 100.0_f64.hypot(13.0));
    let (p1, p2) = (d1.powi(-2), d2.powi(-2));
    let gain = (frequency(1e9).wavelength() / (4.0 * PI)).powi(2);
    assert!((found.incoherent_gain / (gain * (p1 + p2)) - 1.0).abs() < 1e-12);
    let phase = TAU * (d2 - d1) / frequency(1e9).wavelength();
    let coherent = gain * (p1 + p2 + 2.0 * (p1 * p2).sqrt() * phase.cos());
    assert!((found.coherent_gain / coherent - 1.0).abs() < 1e-9);
    let spreads = found.spreads.unwrap();
    assert!((spreads.k_factor / (p1 / p2) - 1.0).abs() < 1e-12);
    let share = p2 / (p1 + p2);
    let gap = (d2 - d1) / SPEED_OF_LIGHT;
    assert!((spreads.mean_delay - (d1 / SPEED_OF_LIGHT + share * gap)).abs() < 1e-20);
    let expected = gap * (share * (1.0 - share)).sqrt();
    assert!((spreads.delay_spread - expected).abs() < 1e-20);
    // Both rays lie in one vertical plane.
    assert!(spreads.departure[1] < 1e-7 && spreads.arrival[1] < 1e-7);
    let (down1, down2) = ((7.0_f64 / 100.0).atan(), (13.0_f64 / 100.0).atan());
    let resultant = (1.0 - 2.0 * share * (1.0 - share) * (1.0 - (down2 - down1).cos())).sqrt();
    let expected = (-2.0 * resultant.ln()).sqrt();
    assert!((spreads.departure[0] - expected).abs() < 1e-9);
    assert_eq!(spreads.doppler_spread, 0.0);
}

#[test]
fn the_strongest_path_takes_the_part_of_a_missing_line_of_sight() {
    let amplitudes = [1.0, 3.0, 2.0].map(|a| Complex64::new(a, 0.0));
    let mut response = taps(frequency(1e9), &[1.0, 2.0, 3.0], &amplitudes);
    let k = |r: &ImpulseResponse| r.statistics().spreads.unwrap().k_factor;
    assert!((k(&response) - 9.0 / 5.0).abs() < 1e-15);
    response.taps[0].is_line_of_sight = true;
    assert!((k(&response) - 1.0 / 13.0).abs() < 1e-15);
    assert_eq!(
        k(&taps(frequency(1e9), &[1.0], &amplitudes[..1])),
        f64::INFINITY
    );
}

#[test]
fn ports_share_power_as_gains_do() {
    let link = two_ray(Medium::Itu(ItuMaterial::Concrete));
    let world = link.world.at(frequency(2e9));
    let cross = Antenna {
        polarization: Polarization::Cross,
        ..V
    };
    let both = Antenna {
        polarization: Polarization::VH,
        ..V
    };
    let antennas = Antennas::single(&cross, &both);
    let paths = link.paths();
    let response = ImpulseResponse::new(&paths, &world, antennas, &link.motion());
    assert_eq!((response.num_ports, response.amplitudes.len()), ([2, 2], 8));
    for (path, power) in paths.iter().zip(response.powers()) {
        let field = keller::field::transport(path, &world);
        let gain = field.gain(&cross, &both);
        assert!((power / gain - 1.0).abs() < 1e-13);
    }
}

#[test]
fn nothing_received_is_zero_and_not_a_number_less() {
    let empty = taps(frequency(1e9), &[], &[]);
    let statistics = empty.statistics();
    assert_eq!(statistics.coherent_gain, 0.0);
    assert_eq!(statistics.spreads, None);
    let silent = taps(frequency(1e9), &[1.0], &[Complex64::ZERO]).statistics();
    assert_eq!((silent.num_paths, silent.spreads), (1, None));
    let band = Band::new(frequency(1e9), 1e6, 3).unwrap();
    assert_eq!(empty.over(&band, &[0.0]).values, [Complex64::ZERO; 3]);
}

#[test]
fn an_array_at_the_rx_sees_the_phase_of_its_elements() {
    // Free space: the amplitude of each element is that of a receiver of its own, but for the curvature of the wave.
    let wavelength = 0.1;
    let array = keller::antenna::Array::planar(2, 3, [0.5 * wavelength, 0.5 * wavelength]).unwrap();
    let frequency = Frequency::from_hz(keller::units::SPEED_OF_LIGHT / wavelength).unwrap();
    let link = |rx_position: DVec3| Path {
        tx: 0,
        rx: 0,
        tx_position: DVec3::ZERO,
        rx_position,
        vertices: vec![],
        length: rx_position.length(),
    };
    let centre = DVec3::new(300.0, 400.0, 120.0);
    let antennas = Antennas {
        rx_array: Some(&array),
        ..BOTH_V
    };
    assert_eq!(antennas.num_ports(), [6, 1]);
    let world = World {
        planes: Vec::new(),
        materials: Vec::new(),
        velocities: Vec::new(),
        edge: [DVec3::ZERO, DVec3::Z],
    }
    .at(frequency);
    let field = keller::field::transport(&link(centre), &world);
    let found = antennas.amplitudes(&field, frequency);
    for (element, amplitude) in array
        .positions(centre, keller::antenna::Orientation::default())
        .zip(&found)
    {
        let alone = keller::field::transport(&link(element), &world);
        let alone = BOTH_V.amplitudes(&alone, frequency)[0];
        let phase = (amplitude / alone).arg().abs();
        assert!(phase < 2e-3, "element at {element}: {phase} rad");
    }
}
