//! Comparisons of measured power-delay profiles with predicted ones, over a perfectly conducting ground.

use std::f64::consts::PI;

use serde_json::Value;

use super::{GROUND, SCENARIO, WAVELENGTH, bytes, json, lengths, npz, number, places};
use crate::common::Folder;

const C: f64 = 299_792_458.0;
const CARRIER: f64 = 1e9;
const BANDWIDTH: f64 = 1e9;
const NUM_FREQUENCIES: u16 = 400;
const STEP: f64 = 0.25e-9;
const NUM_DELAYS: u16 = 1300;

/// The time by which measured power arrives later than predicted, s. The power itself is half of the predicted one.
const CABLE: f64 = 3e-9;
const BAND: &str = "[channel]\nbandwidth_hz = 1e9\nnum_frequencies = 400\nwindow = \"hann\"\n";

fn folder(test: &str, band: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("ground.obj", GROUND);
    folder.write("s.toml", &format!("{SCENARIO}{band}"));
    folder
}

/// Path gain in bins of delay of the two rays: the Fourier sum, by its definition.
fn profile(at: [f64; 3], delays: &[f64]) -> Vec<f64> {
    let n = f64::from(NUM_FREQUENCIES);
    let spacing = BANDWIDTH / n;
    let weights: Vec<f64> = (0..NUM_FREQUENCIES)
        .map(|i| 1.0 - (2.0 * PI * (f64::from(i) + 0.5) / n).cos())
        .collect();
    let squares: f64 = weights.iter().map(|w| w * w).sum();
    let power = |delay: f64| {
        let (mut re, mut im) = (0.0, 0.0);
        for (i, weight) in weights.iter().enumerate() {
            let frequency = CARRIER + (i as f64 - (n - 1.0) / 2.0) * spacing;
            for length in lengths(at) {
                let amplitude = weight * WAVELENGTH / (4.0 * PI * length);
                let phase = 2.0 * PI * frequency * (delay - length / C);
                re += amplitude * phase.cos();
                im += amplitude * phase.sin();
            }
        }
        (re * re + im * im) * STEP * spacing / squares
    };
    delays.iter().map(|delay| power(*delay)).collect()
}

/// Profiles as a sounder records them, with exponentially distributed noise of this mean.
fn write(folder: &Folder, noise: f64, delay: &[f64]) {
    let mut state = 1_u64;
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let (mut power, mut position) = (Vec::new(), Vec::new());
    let before: Vec<f64> = delay.iter().map(|delay| delay - CABLE).collect();
    for at in places() {
        let profile = profile(at, &before);
        power.extend(profile.iter().map(|p| 0.5 * p - noise * uniform().ln()));
        position.extend(at);
    }
    let [power, position, delays] = [&power, &position, delay].map(bytes);
    let count = delay.len();
    folder.write_bytes(
        "m.npz",
        &npz(&[
            ("power", "<f8", &format!("(10, {count})"), &power),
            ("delay", "<f8", &format!("({count},)"), &delays),
            ("position", "<f8", "(10, 3)", &position),
        ]),
    );
}

fn grid() -> Vec<f64> {
    (0..NUM_DELAYS).map(|i| STEP * f64::from(i)).collect()
}

#[test]
fn profiles_of_two_rays_are_found_later_by_the_cable_and_half_as_strong() {
    let folder = folder("profiles-two-rays", BAND);
    write(&folder, 1e-13, &grid());
    let half = 10.0 * 2.0_f64.log10();
    for delay in ["tx", "link", "3e-9"] {
        let found = json(&folder, &["m.npz", "--cable-delay", delay]);
        let all = &found["profiles"]["parts"][0];
        assert_eq!(
            (&all["name"], &all["count"], &all["compared"]),
            (&"all".into(), &10.into(), &10.into())
        );
        assert!(
            (number(all, &["cable_delay_s"]) - CABLE).abs() < 1e-15,
            "{all}"
        );
        assert!((number(all, &["mean"]) - half).abs() < 0.1, "{all}");
        assert!((number(all, &["rmse"]) - half).abs() < 0.15, "{all}");
        assert!(number(all, &["correlation"]) > 0.999, "{all}");
        for link in found["profiles"]["links"].as_array().unwrap() {
            // Half the power rises above the noise at the same sample, or at one of the next.
            let late = number(link, &["measured_start_s"]) - number(link, &["predicted_start_s"]);
            assert!((-1e-15..4.1 * STEP).contains(&late), "{link}");
            // The median of the noise is ln 2 of its mean.
            let noise = 10.0 * (1e-13 * 2.0_f64.ln()).log10();
            assert!((number(link, &["noise_db"]) - noise).abs() < 2.0, "{link}");
        }
        let light = lengths(places()[3])[0] / C;
        let found = number(&found["profiles"]["links"][3], &["light_s"]);
        assert!((found - light).abs() < 1e-18, "{found} for {light}");
    }
    // Everything is too early without the cable.
    let found = json(&folder, &["m.npz", "--cable-delay", "0", "--smooth", "0"]);
    let all = &found["profiles"]["parts"][0];
    let late = number(all, &["first_arrival_error_s"]);
    assert!((CABLE..CABLE + 4.1 * STEP).contains(&late), "{all}");
    assert!(number(all, &["rmse"]) > 8.0, "{all}");
    let run = folder.keller(&[
        "compare",
        "s.toml",
        "m.npz",
        "-o",
        "r.html",
        "--max-cable-delay",
        "1e-9",
    ]);
    assert!(
        run.stdout.contains(
            "the delay of cables is at the end of what was tried, 1.00 ns, for 10 profiles"
        ),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("cables / ns  with a start"),
        "{}",
        run.stdout
    );
    let page = folder.read("r.html");
    assert_eq!(
        page.matches("later by 1.00 ns").count(),
        10,
        "a picture of each"
    );
}

#[test]
fn profiles_without_noise_agree_to_all_digits() {
    let folder = folder("profiles-exact", BAND);
    write(&folder, 0.0, &grid());
    let args = [
        "m.npz",
        "--cable-delay",
        "3e-9",
        "--noise-until",
        "0",
        "--smooth",
        "1e-9",
    ];
    let found = json(&folder, &args);
    let all = &found["profiles"]["parts"][0];
    assert!(
        (number(all, &["mean"]) - 10.0 * 2.0_f64.log10()).abs() < 1e-3,
        "{all}"
    );
    assert!(number(all, &["correlation"]) > 0.999_999, "{all}");
    // The sums of whole profiles are the powers of both rays, but for their interference.
    let level = &found["parts"][0]["offset"]["none"]["errors"];
    assert!((number(level, &["mean"]) - 3.0).abs() < 1.5, "{level}");
}

#[test]
fn profiles_that_no_band_fits_are_told_and_levels_compared() {
    let told = |band: &str, delay: &[f64]| {
        let folder = folder("profiles-bands", band);
        write(&folder, 1e-13, delay);
        let run = folder.keller(&["compare", "s.toml", "m.npz"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let found: Value = json(&folder, &["m.npz"]);
        assert_eq!(
            (&found["profiles"], &found["parts"][0]["count"]),
            (&Value::Null, &10.into())
        );
        run.stdout + &run.stderr
    };
    let band = |num_frequencies: u32, bandwidth: f64| {
        format!("[channel]\nbandwidth_hz = {bandwidth:?}\nnum_frequencies = {num_frequencies}\n")
    };
    let cases = [
        (
            String::new(),
            grid(),
            "[channel] of the scenario says no bandwidth_hz",
        ),
        (
            band(100, 1e9),
            grid(),
            "num_frequencies of [channel] of at least 325",
        ),
        (
            band(1000, 1.0e9),
            (0..40_u8).map(|i| 5e-9 * f64::from(i)).collect(),
            "bins of 5.000e-9 s are wider than one over the bandwidth_hz of [channel], 1.000e-9 s",
        ),
        (
            band(1000, 1.0e9),
            (0..40_u8).map(|i| 1e-9 * f64::from(i).powf(1.1)).collect(),
            "profiles are not compared: `delay` is not equally spaced",
        ),
    ];
    for (band, delay, message) in cases {
        let found = told(&band, &delay);
        assert!(
            found.contains(message),
            "expected: {message}\nfound: {found}"
        );
    }
}

#[test]
fn times_in_other_units_are_one_message() {
    let folder = folder("profiles-arguments", BAND);
    folder.write("m.csv", "x,y,z,path_gain_db\n20,5,1.5,-60\n");
    for (argument, value, message) in [
        ("--smooth", "2", "seconds from 0 to 1 are needed"),
        ("--cable-delay", "12.5", "tx, link, or seconds from -1 to 1"),
        ("--noise-until", "nan", "seconds from 0 to 1 are needed"),
    ] {
        let run = folder.keller(&["compare", "s.toml", "m.csv", argument, value]);
        assert!(
            run.code == Some(2) && run.stderr.contains(message),
            "{}",
            run.stderr
        );
    }
}
