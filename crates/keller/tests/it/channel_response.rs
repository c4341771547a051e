//! Laws of responses over frequency and delay, whatever the paths they are made of.
use std::f64::consts::PI;

use crate::common::reflections::{BOTH_V, Link, V, frequency, over_band, taps, two_ray};
use keller::antenna::{Antenna, Polarization};
use keller::channel::{
    Antennas, Band, ImpulseResponse, Window, binned_profile, delay_response, replay,
};
use keller::materials::{ItuMaterial, Material, Medium};
use keller::scene::MaterialId;
use keller::{Complex64, DVec3};

#[test]
fn two_rays_interfere_over_the_band_as_in_the_closed_form() {
    let link = two_ray(Medium::PerfectConductor);
    let band = Band::new(frequency(3e9), 4e9, 257).unwrap();
    let h = replay(
        &link.paths(),
        &over_band(&link, &band),
        BOTH_V,
        &link.motion(),
        &[0.0],
    );
    let (direct, reflected) = (100.0_f64.hypot(7.0), 100.0_f64.hypot(13.0));
    for (f, h) in band.frequencies().zip(&h.values) {
        // Vertical fields keep their sign at a conductor below.
        let k = f.wavenumber();
        let sum = Complex64::cis(-k * direct) / direct + Complex64::cis(-k * reflected) / reflected;
        let expected = sum * f.wavelength() / (4.0 * PI);
        // Phases of some 1e4 radians are known to 1e-12.
        assert!(
            (h - expected).norm() < 1e-10 * expected.norm().max(1e-4),
            "{h}"
        );
    }
}

#[test]
fn a_dispersive_wall_reflects_each_frequency_as_its_permittivity_there_says() {
    // Straight down and up again: R = (1 - sqrt eta) / (1 + sqrt eta) across the plane of incidence, with the ITU's eta(f).
    let mut link = two_ray(Medium::Itu(ItuMaterial::WetGround));
    link.rx = DVec3::new(1e-3, 0.0, 10.0);
    let paths = &link.paths()[1..];
    let band = Band::new(frequency(5.5e9), 9e9, 10).unwrap();
    let across = Antenna {
        polarization: Polarization::H,
        ..V
    };
    let antennas = Antennas::single(&across, &across);
    let worlds = over_band(&link, &band);
    let h = replay(paths, &worlds, antennas, &link.motion(), &[0.0]);
    for (f, h) in band.frequencies().zip(&h.values) {
        let eta = Complex64::new(
            30.0 * f.ghz().powf(-0.4),
            -17.98 * 0.15 * f.ghz().powf(1.3) / f.ghz(),
        );
        let r = (1.0 - eta.sqrt()) / (1.0 + eta.sqrt());
        let gain = (r.norm() * f.wavelength() / (4.0 * PI * 20.0)).powi(2);
        // 17.98 is rounded, and the incidence not quite normal.
        assert!((h.norm_sqr() / gain - 1.0).abs() < 2e-4, "{} GHz", f.ghz());
    }
}

#[test]
fn without_dispersion_both_ways_to_a_response_agree() {
    let link = Link::skew(Medium::PerfectConductor);
    let (carrier, times) = (frequency(5e9), [0.0, 1e-3, 7e-3]);
    let band = Band::new(carrier, 2e9, 31).unwrap();
    let paths = link.paths();
    let at_carrier = ImpulseResponse::new(&paths, &link.world.at(carrier), BOTH_V, &link.motion());
    let quick = at_carrier.over(&band, &times);
    let worlds = over_band(&link, &band);
    let full = replay(&paths, &worlds, BOTH_V, &link.motion(), &times);
    assert_eq!(quick.shape, [1, 1, 3, 31]);
    assert_eq!(full.shape, quick.shape);
    for time in 0..times.len() {
        let pairs = quick.over_frequency(0, 0, time).iter();
        let pairs = pairs.zip(full.over_frequency(0, 0, time));
        for (f, (quick, full)) in band.frequencies().zip(pairs) {
            // An isotropic antenna takes less at a shorter wavelength; that alone is left.
            let scaled = quick * (carrier.hz() / f.hz());
            assert!((scaled - full).norm() < 1e-9 * full.norm(), "{time} {f:?}");
        }
    }
}

#[test]
fn other_walls_are_a_replay_of_the_same_paths() {
    let mut link = two_ray(Medium::PerfectConductor);
    let (carrier, paths) = (frequency(2e9), link.paths());
    let before = link.world.at(carrier);
    link.world.materials = vec![Material::HalfSpace(Medium::Itu(ItuMaterial::Concrete))];
    let after = link.world.at(carrier);
    let reflected = after.surfaces.surface(MaterialId::from_index(0)).clone();
    let h = replay(
        &paths[1..],
        &[before, after],
        BOTH_V,
        &link.motion(),
        &[0.0],
    );
    let sine = 13.0 / 100.0_f64.hypot(13.0);
    let r = reflected.reflection(sine, true);
    assert!((h.values[1] / h.values[0] - r.tm).norm() < 1e-9, "{h:?}");
}

#[test]
fn the_response_over_delay_has_the_taps_where_and_as_large_as_they_are() {
    let band = Band::new(frequency(5e9), 1e9, 128).unwrap();
    let amplitudes = [
        Complex64::new(0.3, -0.4),
        Complex64::new(-1.0, 0.1),
        Complex64::new(0.0, 0.02),
    ];
    let response = taps(band.carrier(), &[3e-9, 17e-9, 100e-9], &amplitudes);
    let h = response.over(&band, &[0.0]);
    let delays: Vec<f64> = (0..128).map(|i| f64::from(i) * 1e-9).collect();
    let over_delay = delay_response(&h.values, band.spacing(), Window::Rectangular, &delays);
    for (i, found) in over_delay.iter().enumerate() {
        let expected = match i {
            3 => amplitudes[0].norm(),
            17 => amplitudes[1].norm(),
            100 => amplitudes[2].norm(),
            _ => 0.0,
        };
        assert!((found.norm() - expected).abs() < 1e-11, "{i}: {found}");
    }
}

#[test]
fn a_window_keeps_peaks_and_lowers_sidelobes() {
    let band = Band::new(frequency(5e9), 1e9, 256).unwrap();
    let h = taps(band.carrier(), &[50e-9], &[Complex64::I]).over(&band, &[0.0]);
    let delays: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.1e-9).collect();
    // Harris 1978, Table I: highest sidelobe, and the bins from the peak to the first zero.
    for (window, sidelobe_db, first_zero) in [
        (Window::Rectangular, -13.2, 1.0),
        (Window::Hann, -31.4, 2.0),
        (Window::Blackman, -58.0, 3.0),
    ] {
        let over_delay = delay_response(&h.values, band.spacing(), window, &delays);
        let powers: Vec<f64> = over_delay.iter().map(Complex64::norm_sqr).collect();
        assert!((powers[500] - 1.0).abs() < 1e-11, "{window:?}");
        let outside = delays.iter().zip(&powers);
        let highest = outside
            .filter(|(delay, _)| (*delay - 50e-9).abs() > (first_zero - 0.05) * 1e-9)
            .map(|(_, power)| *power)
            .fold(0.0, f64::max);
        let found_db = 10.0 * highest.log10();
        assert!(
            (found_db - sidelobe_db).abs() < 0.3,
            "{window:?}: {found_db} dB"
        );
    }
}

#[test]
fn power_over_delay_is_power_over_frequency() {
    let band = Band::new(frequency(5e9), 1e9, 100).unwrap();
    let amplitudes = [Complex64::new(0.3, -0.4), Complex64::new(-1.0, 0.1)];
    let h = taps(band.carrier(), &[3.21e-9, 17.7e-9], &amplitudes).over(&band, &[0.0]);
    let delays: Vec<f64> = (0..100).map(|i| f64::from(i) * 1e-9).collect();
    let over_delay = delay_response(&h.values, band.spacing(), Window::Rectangular, &delays);
    let power = |values: &[Complex64]| values.iter().map(Complex64::norm_sqr).sum::<f64>();
    let mean_over_band = power(&h.values) / 100.0;
    assert!((power(&over_delay) - mean_over_band).abs() < 1e-11);
}

#[test]
fn bins_hold_all_the_power_there_is() {
    let (delays, powers) = ([0.0, 9.9e-9, 10.1e-9, 29e-9], [1.0, 2.0, 4.0, 8.0]);
    assert_eq!(binned_profile(&delays, &powers, 10e-9, 3), [3.0, 4.0, 8.0]);
    assert_eq!(binned_profile(&delays, &powers, 1.0, 1), [15.0]);
}
