//! Coverage by path loss models, as a user asks for it.

use std::fmt::Write as _;

use serde_json::Value;

use crate::beams::town;
use crate::common::Folder;

/// A mast over the town of [`town`], and cells on its ground.
const SCENARIO: &str = "frequency_hz = 9e8\n[scene]\nfile = \"town.obj\"\nup = \"z\"\nunit = \"m\"\n\
    [[tx]]\nname = \"mast\"\nposition = [-80, 0, 32]\n\
    [coverage]\nengine = \"model\"\nmodel = \"hata-urban\"\nresolution = 10\nheights = [1.5]\n\
    height_above = \"ground\"\n";

/// The loss by Hata from that mast to 1.5 m over the ground, dB.
fn hata(x: f64, y: f64) -> f64 {
    let (log_f, log_hb) = (900_f64.log10(), 32_f64.log10());
    let a = (1.1 * log_f - 0.7) * 1.5 - (1.56 * log_f - 0.8);
    let log_d = ((x + 80.0).hypot(y) / 1000.0).log10();
    69.55 + 26.16 * log_f - 13.82 * log_hb - a + (44.9 - 6.55 * log_hb) * log_d
}

fn told(folder: &Folder, text: &str) -> (Option<i32>, String) {
    folder.write("s.toml", text);
    let run = folder.keller(&["coverage", "s.toml", "-o", "s.csv"]);
    (run.code, run.stderr)
}

#[test]
fn a_cell_has_the_loss_of_hata() {
    let folder = town("models");
    let (code, stderr) = told(&folder, SCENARIO);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(stderr.matches("1000 to 20000 m").count(), 1, "{stderr}");
    let rows = folder.read("s.csv");
    let mut rows = rows.lines().map(|row| row.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let columns = ["x", "y", "path_gain_db"].map(column);
    let rows: Vec<[f64; 3]> = rows
        .map(|row| columns.map(|column| row[column].parse().unwrap()))
        .collect();
    let [x, y, gain] = *rows
        .iter()
        .find(|[x, y, _]| *x == 75.0 && *y == 5.0)
        .unwrap();
    let loss = hata(x, y);
    assert!((gain + loss).abs() < 1e-3, "{gain} {loss}");
    // (5, -5) is in a house.
    assert!(!rows.iter().any(|[x, y, _]| *x == 5.0 && *y == -5.0));
}

#[test]
fn what_a_model_does_not_take_is_told() {
    let folder = town("models-bad");
    for (from, to, expected) in [
        (
            "hata-urban",
            "okumura",
            "s.toml:11: [coverage] model: found \"okumura\"; accepted: free-space, hata-urban, hata-urban-large",
        ),
        (
            "9e8",
            "3.5e9",
            "s.toml:9: [coverage] model = \"hata-urban\": frequency_hz = 3500000000: this model is stated for 150 to 1500 MHz; \
             accepted at this frequency: free-space, 3gpp-uma, 3gpp-umi, 3gpp-inh",
        ),
        (
            "[-80, 0, 32]",
            "[-80, 0, -3]",
            "Tx mast: the path loss model: it stands 3.0 m below the ground",
        ),
        (
            "height_above",
            "accuracy = \"exact\"\nheight_above",
            "means nothing with the engine \"model\"",
        ),
    ] {
        let (code, stderr) = told(&folder, &SCENARIO.replace(from, to));
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
    }
    let (code, stderr) = told(&folder, &SCENARIO.replace("0, 32]", "0, 6]"));
    assert_eq!(code, Some(0), "{stderr}");
    let warning =
        "Tx mast stands 6.0 m above the ground; model = \"hata-urban\" is stated for 30 to 200 m";
    assert_eq!(stderr.matches(warning).count(), 1, "{stderr}");
}

/// Measurements that Hata predicts but for 2 dB more and less.
#[test]
fn measurements_are_compared_with_models() {
    let folder = town("models-compare");
    let (scenario, _) = SCENARIO.split_once("[coverage]").unwrap();
    folder.write("s.toml", scenario);
    let mut text = "x,y,z,tx,path_gain_db\n".to_owned();
    for n in 0..12_u8 {
        let (x, y) = (-60.0 + 12.0 * f64::from(n), -70.0 + f64::from(n));
        let error = if n % 2 == 0 { 2.0 } else { -2.0 };
        writeln!(text, "{x},{y},1.5,mast,{}", error - hata(x, y)).unwrap();
    }
    folder.write("m.csv", &text);
    let compare = |args: &[&str]| folder.keller(&[&["compare", "s.toml", "m.csv"], args].concat());
    let run = compare(&[
        "--models",
        "hata-urban,free-space",
        "--json",
        "-o",
        "m.html",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    let models = found["models"].as_array().unwrap();
    let names = models.iter().map(|model| model["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["hata-urban", "free-space"]);
    let number = |value: &Value| value.as_f64().unwrap();
    let errors = &models[0]["figures"]["errors"];
    assert_eq!(errors["count"], 12);
    assert!(number(&errors["mean"]).abs() < 1e-6, "{errors}");
    assert!((number(&errors["rmse"]) - 2.0).abs() < 1e-6, "{errors}");
    // Hata is stated from 1 km on, free space everywhere.
    assert_eq!([&models[0]["outside"], &models[1]["outside"]], [12, 0]);
    // The mean absolute errors of the paths and of the model, at the same measurements.
    let beside = &models[0]["against"];
    assert_eq!(beside["count"], 12);
    assert_eq!(
        number(&beside["mean_absolute"][0]),
        number(&found["parts"][0]["offset"]["none"]["errors"]["mean_absolute"])
    );
    assert!((number(&beside["mean_absolute"][1]) - 2.0).abs() < 1e-6);
    assert!(number(&beside["difference_95"][1]) < 0.0, "{beside}");
    let page = folder.read("m.html");
    assert!(page.contains("<h2>Path loss models</h2>") && page.contains("<td>hata-urban</td>"));

    let run = compare(&["--models", "all"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let lines = run.stdout.lines();
    let of_hata = lines.clone().find(|line| line.starts_with("hata-urban "));
    let of_hata: Vec<&str> = of_hata.unwrap().split_whitespace().collect();
    assert_eq!(of_hata[1..6], ["12", "0.00", "2.00", "2.00", "2.00"]);
    assert!(of_hata[7].starts_with('-'), "{}", run.stdout);
    for (name, is_stated) in [("walfisch-ikegami", true), ("cost231-hata", false)] {
        let start = format!("{name} ");
        let has = run.stdout.lines().any(|line| line.starts_with(&start));
        assert_eq!(has, is_stated, "{}", run.stdout);
    }
    for (models, expected) in [
        (
            "okumura",
            "no model is called `okumura`; accepted: all, free-space",
        ),
        (
            "cost231-hata",
            "s.toml: the model cost231-hata: frequency_hz = 900000000: this model is stated for 1500 to 2000 MHz; accepted",
        ),
    ] {
        let run = compare(&["--models", models]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}
