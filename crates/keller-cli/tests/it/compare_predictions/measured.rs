//! Impulse responses in archives of numpy, and uncertainties that weigh.

use serde_json::Value;

use super::{
    NamedArray, WAVELENGTH, bytes, folder, incoherent, json, lengths, measured, npz, number,
    places, plain,
};
use std::f64::consts::PI;

/// Profiles with two taps, those of the two rays, 2 dB weaker than predicted.
#[test]
fn impulse_responses_have_levels_and_delay_spreads() {
    const C: f64 = 299_792_458.0;
    const STEP: f64 = 1e-12;
    let folder = folder("profiles");
    let places = places();
    let (mut power, mut position, mut spreads) = (Vec::new(), Vec::new(), Vec::new());
    let num_delays = 400;
    // Delays count from the direct ray, which is what many sounders know.
    for at in &places {
        let [direct, image] = lengths(*at);
        let gains = [direct, image].map(|d| (WAVELENGTH / (4.0 * PI * d)).powi(2));
        let mut profile = vec![0.0; num_delays];
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small bin"
        )]
        let bin = ((image - direct) / C / (20.0 * STEP)).round() as usize;
        profile[0] = gains[0] / 10.0_f64.powf(0.2);
        profile[bin] += gains[1] / 10.0_f64.powf(0.2);
        power.extend(profile);
        position.extend(*at);
        let p = gains[0] / (gains[0] + gains[1]);
        spreads.push((image - direct) / C * (p * (1.0 - p)).sqrt());
    }
    let delay: Vec<f64> = (0..400_u16).map(|k| 20.0 * STEP * f64::from(k)).collect();
    let [power, position, delay] = [power, position, delay].map(|values| bytes(&values));
    let names: Vec<u8> = places
        .iter()
        .flat_map(|_| "mast".chars().flat_map(|c| u32::from(c).to_le_bytes()))
        .collect();
    let sets: Vec<u8> = (0..10_i32).flat_map(|i| (i % 2).to_le_bytes()).collect();
    folder.write_bytes(
        "m.npz",
        &npz(&[
            ("power", "<f8", "(10, 400)", &power),
            ("delay", "<f8", "(400,)", &delay),
            ("position", "<f8", "(10, 3)", &position),
            ("tx", "<U4", "(10,)", &names),
            ("set", "<i4", "(10,)", &sets),
            ("weather", "<f8", "(2, 2)", &bytes(&[0.0; 4])),
        ]),
    );
    let found = json(&folder, &["m.npz"]);
    assert_eq!(plain(&found, "count"), 10.0);
    assert!((plain(&found, "mean") - 2.0).abs() < 1e-9, "{found}");
    assert!(plain(&found, "standard_deviation") < 1e-9, "{found}");
    let mean = spreads.iter().sum::<f64>() / 10.0;
    // Bins are 20 ps wide.
    assert!(
        (number(&found["delay_spreads"], &["mean_measured_s"]) - mean).abs() < 1e-11,
        "{found}"
    );
    assert!(
        number(&found["delay_spreads"], &["rmse_s"]) < 1e-11,
        "{found}"
    );
    let names: Vec<&str> = found["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"set 0") && names.contains(&"set 1"),
        "{names:?}"
    );
    let run = folder.keller(&["compare", "s.toml", "m.npz"]);
    assert!(
        run.stderr.contains("columns that are not used: `weather`"),
        "{}",
        run.stderr
    );
}

#[test]
fn arrays_that_do_not_fit_are_one_message() {
    let folder = folder("profiles-bad");
    let two = bytes(&[1e-9, 2e-9]);
    let at = bytes(&[20.0, 5.0, 1.5]);
    let negative = bytes(&[1e-9, -80.0]);
    let delay = ("delay", "<f8", "(2,)", &two[..]);
    let position = ("position", "<f8", "(1, 3)", &at[..]);
    let power = ("power", "<f8", "(1, 2)", &two[..]);
    let cases: [(&[NamedArray<'_>], &str); 8] = [
        (
            &[power, position],
            "m.npz: power is there, but delay is not; accepted: `power[places, delays]`",
        ),
        (
            &[("power", "<f8", "(2,)", &two), delay, position],
            "power has the shape [2]",
        ),
        (
            &[power, ("delay", "<f8", "(1,)", &two[..8]), position],
            "delay has the shape [1] beside power with [1, 2]",
        ),
        (
            &[("power", "<f8", "(1, 2)", &negative), delay, position],
            "power[0, 1] is -80; powers are linear",
        ),
        (
            &[
                ("power", "<f8", "(2, 1)", &two),
                ("delay", "<f8", "(1,)", &two[..8]),
                position,
            ],
            "path_gain_db has 2 values for 1 places",
        ),
        (
            &[power, delay, ("position", "<f8", "(3,)", &at)],
            "position has the shape [3]",
        ),
        (&[power, delay], "column x: not in the header"),
        (&[position], "m.npz:1: no level"),
    ];
    for (arrays, message) in cases {
        folder.write_bytes("m.npz", &npz(arrays));
        let run = folder.keller(&["compare", "s.toml", "m.npz"]);
        assert!(
            run.code == Some(2) && run.stderr.contains(message),
            "expected: {message}\nfound: {}",
            run.stderr
        );
    }
    folder.write("m.npz", "no archive");
    let run = folder.keller(&["compare", "s.toml", "m.npz"]);
    assert!(
        run.stderr.contains("m.npz: this is no NPZ archive"),
        "{}",
        run.stderr
    );
}

/// A poor measurement counts for less in the second line, and for as much as ever in the table.
#[test]
fn uncertainties_weigh_in_a_line_of_their_own() {
    let folder = folder("weighted");
    let error = |i: usize| if i == 3 { 20.0 } else { [1.0, -1.0][i % 2] };
    let level = |i: usize, at| incoherent(at) - error(i);
    folder.write(
        "plain.csv",
        &measured("path_gain_db", |i, at| level(i, at).to_string()),
    );
    let sigma = |i: usize| if i == 3 { 20.0 } else { 1.0 };
    let text = measured("path_gain_db,uncertainty_db", |i, at| {
        format!("{},{}", level(i, at), sigma(i))
    });
    folder.write("m.csv", &text);
    let [without, with] = ["plain.csv", "m.csv"].map(|file| json(&folder, &[file]));
    assert_eq!(without["weighted"], Value::Null);
    assert_eq!(without["parts"][0]["offset"], with["parts"][0]["offset"]);
    let weighted = &with["weighted"];
    assert_eq!(weighted["count"], 10);
    // The weighted squares come out as expected with the prediction's own error: one less than their number.
    let variance = number(weighted, &["model_error"]).powi(2);
    assert!(variance > 0.0, "{weighted}");
    let weight = |i: usize| 1.0 / (sigma(i) * sigma(i) + variance);
    let total: f64 = (0..10).map(weight).sum();
    let mean = (0..10).map(|i| weight(i) * error(i)).sum::<f64>() / total;
    let squares: f64 = (0..10).map(|i| weight(i) * (error(i) - mean).powi(2)).sum();
    assert!((squares - 9.0).abs() < 1e-6, "{squares}");
    assert!(
        (number(weighted, &["mean"]) - mean).abs() < 1e-6,
        "{weighted}"
    );
    assert!(
        plain(&with, "rmse") > 6.0 && number(weighted, &["rmse"]) < 2.0,
        "{with}"
    );
    let run = folder.keller(&["compare", "s.toml", "m.csv", "-o", "r.html"]);
    assert!(
        run.stdout
            .contains("weighed by uncertainty, 10 measurements: mean"),
        "{}",
        run.stdout
    );
    assert!(folder.read("r.html").contains("weighed by uncertainty"));
}
