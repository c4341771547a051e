//! `keller compare`: errors against a closed form, whatever quantity a file has, and one message for what cannot be compared.

mod refused;

use std::f64::consts::PI;
use std::fmt::Write as _;

use serde_json::Value;

use crate::common::Folder;

const GROUND: &str =
    "v -500 -500 0\nv 500 -500 0\nv 500 500 0\nv -500 500 0\nusemtl ground\nf 1 2 3 4\n";
const TX: [[f64; 3]; 2] = [[0.0, 0.0, 10.0], [60.0, -20.0, 15.0]];
const POWER_DBM: [f64; 2] = [30.0, 43.0];

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("ground.obj", GROUND);
    let mut scenario = "frequency_hz = 1e9\n[scene]\nfile = \"ground.obj\"\nup = \"z\"\n[materials.ground]\npec = true\n".to_owned();
    for (name, (at, power)) in ["near", "far <&>"].iter().zip(TX.iter().zip(POWER_DBM)) {
        writeln!(
            scenario,
            "[[tx]]\nname = \"{name}\"\nposition = {at:?}\npower_dbm = {power}"
        )
        .unwrap();
    }
    folder.write("s.toml", &scenario);
    folder
}

/// Path gain of the direct and the reflected ray over a perfect conductor, added as powers, dB.
fn two_rays(tx: [f64; 3], rx: [f64; 3]) -> f64 {
    let across = (tx[0] - rx[0]).hypot(tx[1] - rx[1]);
    let gain = |height: f64| (299_792_458.0 / 1e9 / (4.0 * PI * across.hypot(height))).powi(2);
    10.0 * (gain(tx[2] - rx[2]) + gain(tx[2] + rx[2])).log10()
}

/// Places along a line, and the error of the measurement at each, dB.
fn places() -> Vec<([f64; 3], f64)> {
    (0..12_u8)
        .map(|i| {
            let t = f64::from(i);
            let error = [1.0, -2.0, 4.0][usize::from(i) % 3];
            ([20.0 + 7.0 * t, 5.0 - t, 1.5], error)
        })
        .collect()
}

/// A file of measurements that are `places` off, for both Tx; `write` makes the columns of a row.
fn measured(header: &str, write: impl Fn(usize, [f64; 3], f64) -> String) -> String {
    let mut text = format!("{header}\n");
    for (tx, at) in TX.iter().enumerate() {
        for (place, error) in places() {
            let [x, y, z] = place;
            // Predictions are too strong by the error.
            let gain = two_rays(*at, place) - error;
            writeln!(text, "{x},{y},{z},{}", write(tx, place, gain)).unwrap();
        }
    }
    text
}

fn json(folder: &Folder, args: &[&str]) -> Value {
    let run = folder.keller(&[&["compare", "s.toml"], args, &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn number(value: &Value, path: &[&str]) -> f64 {
    path.iter()
        .fold(value, |value, key| &value[*key])
        .as_f64()
        .unwrap()
}

#[test]
fn errors_are_those_that_were_put_in() {
    let folder = folder("compare-errors");
    folder.write(
        "m.csv",
        &measured("x,y,z,tx,path_gain_db", |tx, _, gain| {
            format!("{tx},{gain}")
        }),
    );
    let found = json(&folder, &["m.csv"]);
    let errors = &found["parts"][0]["offset"]["none"]["errors"];
    // 1, -2 and 4, each as often: mean 1, absolute 7 / 3, squares 21 / 3.
    for (name, expected) in [
        ("count", 24.0),
        ("mean", 1.0),
        ("mean_absolute", 7.0 / 3.0),
        ("rmse", 7.0_f64.sqrt()),
        ("standard_deviation", 6.0_f64.sqrt()),
        ("median", 1.0),
        ("percentile_95", 4.0),
    ] {
        assert!(
            (number(errors, &[name]) - expected).abs() < 1e-6,
            "{name}: {errors}"
        );
    }
    let fitted = &found["parts"][0]["offset"]["tx"];
    assert!((fitted["offsets"][1].as_f64().unwrap() + 1.0).abs() < 1e-6);
    assert!((number(fitted, &["errors", "rmse"]) - 6.0_f64.sqrt()).abs() < 1e-6);
    let names: Vec<&str> = found["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["all", "Tx near", "Tx far <&>", "line of sight"]);
}

#[test]
fn measurements_in_walls_are_left_out() {
    let folder = folder("compare-in-walls");
    let rows = measured("x,y,z,tx,path_gain_db", |tx, _, gain| {
        format!("{tx},{gain}")
    });
    folder.write("m.csv", &rows);
    let whole = json(&folder, &["m.csv"]);
    // Two more that lie on the ground.
    folder.write("m.csv", &format!("{rows}30,2,0,0,-90\n30,2,0,1,-90\n"));
    for more in [
        &[][..],
        &["--average", "coherent", "--radius", "1"],
        &["--against", "s.toml"],
    ] {
        let run = folder.keller(&[&["compare", "s.toml", "m.csv", "--json"], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(
            run.stderr.contains("m.csv:26: 1 of 13 receivers"),
            "{}",
            run.stderr
        );
        let found: Value = serde_json::from_str(&run.stdout).unwrap();
        let of = |found: &Value| number(&found["parts"][0]["offset"]["none"]["errors"], &["count"]);
        assert_eq!(of(&found), of(&whole));
    }
    folder.write("m.csv", "x,y,z,tx,path_gain_db\n30,2,0,0,-90\n");
    let run = folder.keller(&["compare", "s.toml", "m.csv"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("no place in the scene"),
        "{}",
        run.stderr
    );
}

#[test]
fn all_quantities_and_ways_to_name_a_tx_say_the_same() {
    let folder = folder("compare-quantities");
    folder.write(
        "gain.csv",
        &measured("x,y,z,tx,path_gain_db", |tx, _, gain| {
            format!("{tx},{gain}")
        }),
    );
    folder.write(
        "loss.csv",
        &measured("x,y,z,path_loss_db,tx", |tx, _, gain| {
            format!("{},{}", -gain, ["near", "far <&>"][tx])
        }),
    );
    folder.write(
        "power.csv",
        &measured(
            "x,y,height_above_ground,tx,received_power_dbm",
            |tx, _, gain| format!("{tx},{}", gain + POWER_DBM[tx]),
        ),
    );
    let gain = json(&folder, &["gain.csv"]);
    for other in ["loss.csv", "power.csv"] {
        let found = json(&folder, &[other]);
        for name in ["mean", "rmse", "median", "correlation"] {
            let path = ["offset", "none", "errors", name];
            let [a, b] = [&gain, &found].map(|v| number(&v["parts"][0], &path));
            assert!((a - b).abs() < 1e-9, "{other} {name}: {a} {b}");
        }
    }
    // Two files at the same places: sets by their names.
    let both = json(&folder, &["gain.csv", "loss.csv"]);
    let names: Vec<&str> = both["parts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"set gain") && names.contains(&"set loss"),
        "{names:?}"
    );
}

#[test]
fn limits_and_sets_are_told() {
    let folder = folder("compare-limits");
    let text = measured(
        "x,y,z,tx,path_gain_db,route,below_noise",
        |tx, [x, ..], gain| {
            let (route, is_limit) = if x < 60.0 { ("a, b", 0) } else { ("c", 1) };
            // Half of the limits lie above the prediction, half below.
            let level = if is_limit == 1 {
                gain + [20.0, -20.0][tx]
            } else {
                gain
            };
            format!("{tx},{level},\"{route}\",{is_limit}")
        },
    );
    folder.write("m.csv", &text);
    let found = json(&folder, &["m.csv"]);
    let plain = &found["parts"][0]["offset"]["none"];
    assert_eq!(
        (&plain["limits"], &plain["limits_kept"]),
        (&12.into(), &6.into())
    );
    assert_eq!(plain["errors"]["count"], 12);
    let run = folder.keller(&[
        "compare",
        "s.toml",
        "m.csv",
        "-o",
        "report.html",
        "--fit-offset",
        "tx",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.contains("set a, b") && run.stdout.contains("12 lie below"),
        "{}",
        run.stdout
    );
    let page = folder.read("report.html");
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    assert!(
        page.matches("<svg").count() == 4 && page.contains("Tx far &lt;&amp;&gt;"),
        "{page}"
    );
    assert!(!page.contains("<&>") && !page.contains("NaN") && !page.contains("inf"));
}

#[test]
fn of_two_scenarios_the_nearer_one_is_told() {
    let folder = folder("compare-against");
    // A ground without reflections is 0 to 3 dB too weak.
    folder.write(
        "dark.toml",
        &(folder.read("s.toml") + "[paths]\nmax_reflections = 0\n"),
    );
    folder.write(
        "m.csv",
        &measured("x,y,z,tx,path_gain_db", |tx, at, _| {
            format!("{tx},{}", two_rays(TX[tx], at))
        }),
    );
    for (first, second) in [("s.toml", "dark.toml"), ("dark.toml", "s.toml")] {
        let run = folder.keller(&["compare", first, "m.csv", "--against", second]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(
            run.stdout.contains("s.toml is nearer: at 24 measurements"),
            "{}",
            run.stdout
        );
    }
    let found = json(&folder, &["m.csv", "--against", "dark.toml"]);
    let exact = |rx: [f64; 3], tx: [f64; 3]| {
        let across = (tx[0] - rx[0]).hypot(tx[1] - rx[1]);
        let [direct, image] = [tx[2] - rx[2], tx[2] + rx[2]].map(|height| across.hypot(height));
        10.0 * (1.0 + (direct / image).powi(2)).log10()
    };
    let missing = TX
        .iter()
        .flat_map(|tx| places().into_iter().map(|(rx, _)| exact(rx, *tx)));
    let expected = missing.sum::<f64>() / 24.0;
    let mean_absolute = &found["against"]["mean_absolute"];
    assert!(mean_absolute[0].as_f64().unwrap() < 1e-6);
    assert!(
        (mean_absolute[1].as_f64().unwrap() - expected).abs() < 1e-6,
        "{found}"
    );
}

/// Places count once for intervals, whichever files they are in.
#[test]
fn files_that_share_places_are_no_further_evidence() {
    let folder = folder("compare-places");
    let text = measured("x,y,z,tx,path_gain_db", |tx, _, gain| {
        format!("{tx},{gain}")
    });
    folder.write("a.csv", &text);
    folder.write("b.csv", &text);
    let interval = |files: &[&str]| {
        let found = json(&folder, files);
        found["parts"][0]["offset"]["none"]["intervals_95"]["mean"].clone()
    };
    let (one, both) = (interval(&["a.csv"]), interval(&["a.csv", "b.csv"]));
    for end in 0..2 {
        let [one, both] = [&one, &both].map(|interval| interval[end].as_f64().unwrap());
        assert!((one - both).abs() < 1e-9, "{one} {both}");
    }
}

#[test]
fn nothing_in_common_is_told() {
    let folder = folder("compare-apart");
    let mut closed = folder.read("s.toml");
    closed += "[paths]\nline_of_sight = false\nmax_reflections = 0\n";
    folder.write("closed.toml", &closed);
    folder.write(
        "m.csv",
        &measured("x,y,z,tx,path_gain_db", |tx, _, gain| {
            format!("{tx},{gain}")
        }),
    );
    let run = folder.keller(&["compare", "s.toml", "m.csv", "--against", "closed.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.contains("no measurement has paths with both"),
        "{}",
        run.stdout
    );
}

#[test]
fn rows_hold_every_measurement() {
    let folder = folder("compare-rows");
    folder.write(
        "m.csv",
        &measured("x,y,z,tx,path_gain_db", |tx, _, gain| {
            format!("{tx},{gain}")
        }),
    );
    let run = folder.keller(&["compare", "s.toml", "m.csv", "-o", "rows.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = folder.read("rows.csv");
    let header: Vec<&str> = rows.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let fields: Vec<Vec<&str>> = rows
        .lines()
        .skip(1)
        .map(|row| row.split(',').collect())
        .collect();
    assert_eq!(fields.len(), 24);
    let errors = places().into_iter().chain(places()).map(|(_, error)| error);
    for (row, error) in fields.iter().zip(errors) {
        assert!(
            (row[column("error_db")].parse::<f64>().unwrap() - error).abs() < 1e-6,
            "{row:?}"
        );
    }
}

#[test]
fn delay_spreads_are_those_of_two_rays() {
    let folder = folder("compare-delays");
    // The spread of two rays with powers p and 1 - p is the difference of their delays times the root of p (1 - p).
    let spread = |tx: [f64; 3], rx: [f64; 3]| {
        let across = (tx[0] - rx[0]).hypot(tx[1] - rx[1]);
        let [direct, image] = [tx[2] - rx[2], tx[2] + rx[2]].map(|height| across.hypot(height));
        let p = direct.powi(-2) / (direct.powi(-2) + image.powi(-2));
        (image - direct) / 299_792_458.0 * (p * (1.0 - p)).sqrt()
    };
    let text = measured("x,y,z,tx,path_gain_db,delay_spread_s", |tx, at, gain| {
        format!("{tx},{gain},{}", spread(TX[tx], at) + 3e-9)
    });
    folder.write("m.csv", &text);
    let found = json(&folder, &["m.csv"]);
    assert_eq!(found["delay_spreads"]["count"], 24);
    assert!(
        (number(&found, &["delay_spreads", "rmse_s"]) - 3e-9).abs() < 1e-15,
        "{found}"
    );
    let [measured, predicted] = ["mean_measured_s", "mean_predicted_s"]
        .map(|name| number(&found, &["delay_spreads", name]));
    assert!((measured - predicted - 3e-9).abs() < 1e-15);
    // A single path has none, and an exact level no uncertainty.
    let header = "x,y,z,tx,path_gain_db,delay_spread_s,uncertainty_db";
    let text = self::measured(header, |tx, _, gain| format!("{tx},{gain},0,0"));
    folder.write("m.csv", &text);
    let found = json(&folder, &["m.csv"]);
    assert_eq!(found["delay_spreads"]["mean_measured_s"], 0.0);
    assert_eq!(found["weighted"]["count"], 24);
    assert!(
        (number(&found, &["weighted", "mean"]) - 1.0).abs() < 1e-6,
        "{found}"
    );
}

/// A Parquet file may be that of others: pandas and pyarrow write it.
#[test]
fn parquet_says_what_csv_says() {
    let folder = folder("compare-parquet");
    folder.write(
        "m.csv",
        &measured("x,y,z,tx,path_gain_db,route", |tx, _, gain| {
            format!("{tx},{gain},{}", ["a", "b"][tx])
        }),
    );
    let python = crate::common::python();
    let write = "import pandas; t = pandas.read_csv('m.csv'); t['below_noise'] = False; t['tx'] = t.tx.astype('int32'); t.to_parquet('m.parquet')";
    if !folder.has_reader("tables", &format!("{python} -c 'import pandas, pyarrow'")) {
        return;
    }
    folder.must(&format!("{python} -c \"{write}\""));
    assert_eq!(json(&folder, &["m.parquet"]), json(&folder, &["m.csv"]));
    folder.write("bad.parquet", "PAR1 and nothing else");
    let run = folder.keller(&["compare", "s.toml", "bad.parquet"]);
    assert!(
        run.code == Some(2)
            && run
                .stderr
                .contains("bad.parquet: not Parquet that can be read"),
        "{}",
        run.stderr
    );
}
