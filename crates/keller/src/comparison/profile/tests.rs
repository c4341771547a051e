use std::f64::consts::TAU;

use num_complex::Complex64;

use super::*;
use crate::channel::{Window, delay_powers};
use crate::random::Random;

/// 400 frequencies over 2 GHz, which repeat after 200 ns.
const SPACING: f64 = 5e6;
const NUM_FREQUENCIES: u32 = 400;
const STEP: f64 = 0.1e-9;
const REACH: usize = 60;

/// The measured profile of paths with a delay (s) and an amplitude, later by `cable`.
fn profile(paths: &[[f64; 2]], cable: f64, grid: DelayGrid) -> Vec<f64> {
    let response: Vec<Complex64> = (0..NUM_FREQUENCIES)
        .map(|i| {
            let frequency = 3e9 + f64::from(i) * SPACING;
            let turns = |delay: f64| (-TAU * frequency * (delay + cable)) % TAU;
            let terms = paths
                .iter()
                .map(|[delay, amplitude]| amplitude * Complex64::cis(turns(*delay)));
            terms.sum()
        })
        .collect();
    let delays: Vec<f64> = grid.delays().collect();
    delay_powers(&response, SPACING, Window::Hann, &delays, grid.step)
}

fn grid() -> DelayGrid {
    DelayGrid {
        first: 0.0,
        step: STEP,
        count: 1500,
    }
}

/// A pair with exponentially distributed noise of a mean level in the measurement.
fn pair(
    paths: &[[f64; 2]],
    cable: f64,
    gain: f64,
    noise: f64,
    group: usize,
    seed: u64,
) -> ProfilePair {
    let mut random = Random(seed);
    let mut measured = profile(paths, cable, grid());
    for power in &mut measured {
        *power = *power * gain - noise * (1.0 - random.range(0.0, 1.0)).ln();
    }
    ProfilePair {
        delays: grid(),
        measured,
        predicted: profile(paths, 0.0, grid().extended(REACH)),
        reach: REACH,
        quiet_until: 25e-9,
        group,
    }
}

const PATHS: [[f64; 2]; 4] = [
    [31.04e-9, 1e-3],
    [36.73e-9, 4e-4],
    [52.2e-9, 5e-4],
    [77.7e-9, 1.5e-4],
];

#[test]
fn the_cable_delays_that_were_put_in_come_out() {
    let truth = [2.3e-9, -1.1e-9, 0.0];
    let pairs: Vec<ProfilePair> = (0..9)
        .map(|i| {
            let group = i % 3;
            let paths = PATHS.map(|[delay, a]| [delay + 1.37e-9 * i as f64, a]);
            pair(&paths, truth[group], 0.5, 1e-12, group, i as u64)
        })
        .collect();
    let found = fit_cable_delays(&pairs, 4e-9);
    for (found, truth) in found.iter().zip(truth) {
        assert!((found - truth).abs() < 1e-15, "{found} for {truth}");
    }
    // A delay beyond the accepted range gives the end of the range.
    for (found, at_end) in fit_cable_delays(&pairs, 1e-9)
        .iter()
        .zip([true, true, false])
    {
        assert_eq!((found.abs() - 1e-9).abs() < 1e-15, at_end, "{found}");
    }
}

#[test]
fn a_profile_that_is_right_but_for_its_gain_has_that_error_alone() {
    let pair = pair(&PATHS, 1.5e-9, 0.5, 1e-10, 0, 5);
    let found = ProfileComparison::of(&pair, 1.5e-9, 0.0);
    // Noise of mean 1 has the median ln 2.
    assert!(
        (found.noise / (1e-10 * 2.0_f64.ln()) - 1.0).abs() < 0.2,
        "{found:?}"
    );
    // At the weakest samples, 10 dB above its median, the noise itself adds 0.6 dB, and more where it is chosen for that.
    let error = found.mean_db.unwrap();
    assert!((2.0..3.1).contains(&error), "{found:?}");
    assert!(
        found.rms_db.unwrap() < 3.6 && found.correlation.unwrap() > 0.9,
        "{found:?}"
    );
    // Half the power rises above the noise a little later.
    let late = found.start_error().unwrap();
    assert!((0.0..=0.2e-9).contains(&late), "{late}");
    // The main lobe of a Hann window is 2 / bandwidth = 1 ns to either side, and its sidelobes are 31 dB lower: the peak
    // is only 30 dB above the noise.
    let start = found.measured_start.unwrap();
    assert!((31.54e-9..32.54e-9).contains(&start), "{start}");
    assert!(
        (found.duration - found.num_samples as f64 * STEP).abs() < 1e-18,
        "{found:?}"
    );
}

#[test]
fn a_missing_path_and_a_late_one_are_seen() {
    let whole = pair(&PATHS, 0.0, 1.0, 1e-10, 0, 2);
    let without_first = ProfilePair {
        predicted: profile(&PATHS[1..], 0.0, grid().extended(REACH)),
        ..whole.clone()
    };
    let found = ProfileComparison::of(&without_first, 0.0, 2e-9);
    let early = found.start_error().unwrap();
    assert!((early + (36.73e-9 - 31.04e-9)).abs() < 0.3e-9, "{early}");
    assert!(found.mean_db.unwrap() < -5.0, "{found:?}");
    let right = ProfileComparison::of(&whole, 0.0, 2e-9);
    assert!(
        right.rms_db.unwrap() < 0.7 && found.rms_db.unwrap() > 10.0,
        "{found:?}"
    );
    // A prediction without power is compared with the noise, and has no first arrival.
    let none = ProfilePair {
        predicted: vec![0.0; whole.predicted.len()],
        ..whole
    };
    let found = ProfileComparison::of(&none, 0.0, 2e-9);
    assert_eq!(
        (
            found.predicted_start,
            found.start_error(),
            found.correlation
        ),
        (None, None, Some(0.0))
    );
    assert!(found.mean_db.unwrap() < -10.0, "{found:?}");
    // If nothing is alike, nothing is added.
    assert_eq!(fit_cable_delays(&[none], 4e-9), [0.0]);
}

#[test]
fn noise_that_was_cut_off_needs_none() {
    let mut cut = pair(&PATHS, 0.0, 1.0, 0.0, 0, 1);
    for power in &mut cut.measured {
        if *power < 1e-11 {
            *power = 0.0;
        }
    }
    let count = cut.measured.iter().filter(|power| **power > 0.0).count();
    assert_eq!(cut.noise(), Some(0.0));
    let found = ProfileComparison::of(&cut, 0.0, 0.0);
    assert_eq!(found.num_samples, count);
    assert!(
        found.noise >= 1e-11 && found.rms_db.unwrap() < 1e-9,
        "{found:?}"
    );
    // Delays that begin with the first path leave no time to hear the noise.
    let late = ProfilePair {
        quiet_until: 1e-9,
        ..cut
    };
    assert_eq!(late.noise(), None);
    assert_eq!(ProfileComparison::of(&late, 0.0, 0.0).num_samples, count);
    let empty = ProfilePair {
        measured: vec![0.0; 1500],
        ..late
    };
    let found = ProfileComparison::of(&empty, 0.0, 2e-9);
    assert_eq!(
        (found.num_samples, found.mean_db, found.measured_start),
        (0, None, None)
    );
    assert_eq!(found.noise, 0.0);
}

#[test]
fn smoothing_is_a_mean_over_what_is_there() {
    let profile = [6.0, 0.0, 3.0, 0.0, 0.0];
    // Two steps wide: a sample to either side.
    assert_eq!(smoothed(&profile, 2e-9, 1e-9), [3.0, 3.0, 1.0, 1.0, 0.0]);
    assert_eq!(smoothed(&profile, 0.0, 1e-9), profile);
    assert_eq!(smoothed(&profile, 1.0, 1e-9), [1.8; 5]);
}

#[test]
fn summaries_are_means_over_links_that_have_the_figure() {
    let of = |rms_db: Option<f64>, start: Option<f64>| ProfileComparison {
        cable_delay: 0.0,
        noise: 1.0,
        measured_start: Some(5e-9),
        predicted_start: start,
        num_samples: usize::from(rms_db.is_some()),
        duration: 0.0,
        correlation: None,
        mean_db: rms_db.map(|rms| -rms),
        rms_db,
    };
    let all = [
        of(Some(4.0), Some(4e-9)),
        of(Some(8.0), Some(8e-9)),
        of(None, None),
    ];
    let found = ProfileSummary::of(&all);
    assert_eq!(
        (found.count, found.num_compared, found.num_starts),
        (3, 2, 2)
    );
    assert_eq!(
        (found.mean_db, found.rms_db, found.correlation),
        (Some(-6.0), Some(6.0), None)
    );
    assert!((found.start_error.unwrap() - 2e-9).abs() < 1e-20);
    assert_eq!(ProfileSummary::of(&[]).rms_db, None);
}

#[test]
fn grids_are_equally_spaced() {
    let delays: Vec<f64> = (0..1000).map(|i| f64::from(i) * 0.05e-9).collect();
    let grid = DelayGrid::of(&delays).unwrap();
    assert_eq!(grid.count, 1000);
    assert!((grid.step - 0.05e-9).abs() < 1e-20);
    for bad in [
        &[][..],
        &[1.0],
        &[1.0, 1.0],
        &[2.0, 1.0],
        &[0.0, 1.0, 2.5],
        &[0.0, f64::NAN, 2.0],
    ] {
        assert_eq!(DelayGrid::of(bad), None, "{bad:?}");
    }
    let long = grid.extended(3);
    assert_eq!(long.count, 1006);
    assert!((long.first + 3.0 * grid.step).abs() < 1e-20);
}
