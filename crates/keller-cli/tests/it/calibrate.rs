//! `keller calibrate`: losses of walls that a closed form knows come back, the calibrated scenario is one that runs, and what
//! cannot be calibrated is one message.

use std::f64::consts::PI;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::Folder;

/// Sheets across the way at these x, at odd angles, of two materials in turn. The scenario does not know their losses.
const SHEETS: [f64; 4] = [4.0, 9.0, 15.0, 22.0];
const LOSSES: [f64; 2] = [3.25, 8.5];
const TX: [f64; 3] = [0.5, 1.0, 2.0];
const OFFSET: f64 = -4.75;

const SCENARIO: &str = r#"# Losses to be found.
frequency_hz = 2.4e9
[scene]
file = "sheets.obj"
up = "z"
[materials.board]
itu = "plasterboard"
thickness = 0.1
transmission_loss_db = 6 # a guess
[materials.brick]
itu = "brick"
thickness = 0.1
[[tx]]
name = "desk"
position = [0.5, 1.0, 2.0]
power_dbm = 20
[paths]
max_reflections = 0
max_transmissions = 4
"#;

const CALIBRATE: &str = r#"
[calibrate]
offset = "one"
[calibrate.materials.board]
transmission_loss_db = [0, 30]
[calibrate.materials.brick]
transmission_loss_db = [0, 30]
"#;

fn sheet_at(sheet: usize, [y, z]: [f64; 2]) -> f64 {
    SHEETS[sheet] + 0.03 * y - 0.02 * z
}

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    let mut model = String::new();
    for (sheet, material) in ["board", "brick", "board", "brick"].into_iter().enumerate() {
        writeln!(model, "usemtl {material}").unwrap();
        for corner in [[-50.0, -50.0], [50.0, -50.0], [50.0, 50.0], [-50.0, 50.0]] {
            let [y, z] = corner;
            writeln!(model, "v {} {y} {z}", sheet_at(sheet, corner)).unwrap();
        }
        writeln!(model, "f -4 -3 -2 -1").unwrap();
    }
    folder.write("sheets.obj", &model);
    folder.write("s.toml", &format!("{SCENARIO}{CALIBRATE}"));
    folder.write("m.csv", &measured(OFFSET, |_, gain| gain.to_string()));
    folder
}

/// Places behind none to all of the sheets.
fn places() -> impl Iterator<Item = [f64; 3]> {
    (0..60_u8).map(|k| {
        let k = f64::from(k);
        [1.0 + 0.43 * k, 3.0 * (0.7 * k).sin(), 1.2 + 0.01 * k]
    })
}

/// Path gain in free space less the losses of the sheets on the way, dB.
fn gain(place: [f64; 3]) -> f64 {
    let distance = TX
        .iter()
        .zip(place)
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt();
    let free = 20.0 * (299_792_458.0 / 2.4e9 / (4.0 * PI * distance)).log10();
    let beyond = |[x, y, z]: [f64; 3], sheet: usize| x > sheet_at(sheet, [y, z]);
    let crossed = (0..SHEETS.len()).filter(|sheet| beyond(place, *sheet) != beyond(TX, *sheet));
    free - crossed.map(|sheet| LOSSES[sheet % 2]).sum::<f64>()
}

/// Measurements that are the closed form and an offset.
fn measured(offset: f64, write: impl Fn(usize, f64) -> String) -> String {
    let mut text = "x,y,z,tx,route,path_gain_db\n".to_owned();
    for (index, place) in places().enumerate() {
        let [x, y, z] = place;
        let route = ["left", "right"][index % 2];
        writeln!(
            text,
            "{x},{y},{z},desk,{route},{}",
            write(index, gain(place) + offset)
        )
        .unwrap();
    }
    text
}

fn json(folder: &Folder, args: &[&str]) -> Value {
    let run = folder.keller(&[&["calibrate", "s.toml", "m.csv"], args, &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn values(found: &Value) -> Vec<f64> {
    let parameters = found["parameters"].as_array().unwrap();
    parameters
        .iter()
        .map(|p| p["value"].as_f64().unwrap())
        .collect()
}

#[test]
fn losses_and_offset_of_a_closed_form_come_back_and_the_calibrated_scenario_has_them() {
    let folder = folder("calibrate-closed-form");
    let args = [
        "-o",
        "c.toml",
        "--report",
        "report.html",
        "--fold-by",
        "set",
    ];
    let found = json(&folder, &args);
    for (value, loss) in values(&found).into_iter().zip(LOSSES) {
        assert!((value - loss).abs() < 1e-3, "{value} {loss}");
    }
    assert!((found["offsets_db"][0].as_f64().unwrap() - OFFSET).abs() < 1e-3);
    assert!(found["rmse"].as_f64().unwrap() < 1e-3);
    assert_eq!(found["folds"]["count"], 2);
    assert!(found["folds"]["errors"]["rmse"].as_f64().unwrap() < 0.01);
    let text = folder.read("c.toml");
    assert!(
        text.contains("# Losses to be found.") && text.contains("# a guess"),
        "{text}"
    );
    let run = folder.keller(&["compare", "c.toml", "m.csv", "--json"]);
    let compared: Value = serde_json::from_str(&run.stdout).unwrap();
    let errors = &compared["parts"][0]["offset"]["none"]["errors"];
    assert_eq!(errors["count"], 60);
    assert!(errors["rmse"].as_f64().unwrap() < 0.005, "{errors}");
    let page = folder.read("report.html");
    for part in [
        "<svg",
        "Correlations",
        "Before",
        "After",
        "board transmission_loss_db",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

/// Two rooms whose wall also changes the diffuse field: its loss comes back though the field is followed by its tangent.
#[test]
fn a_loss_is_found_where_most_power_is_diffuse() {
    let folder = Folder::new("calibrate-diffuse");
    let office = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/office");
    folder.write(
        "office.obj",
        &fs::read_to_string(office.join("office.obj")).unwrap(),
    );
    let text = fs::read_to_string(office.join("scenario.toml")).unwrap();
    let (text, _) = text.split_once("[coverage]").unwrap();
    let rx = text.find("[[rx]]").unwrap()..text.find("[paths]").unwrap();
    let with_loss = |loss: f64| {
        let text = text.replace(&text[rx.clone()], "");
        text.replace(
            "[materials.partition]",
            &format!("[materials.partition]\ntransmission_loss_db = {loss}"),
        )
    };
    let mut places = "x,y,z\n".to_owned();
    for k in 0..40_u8 {
        let k = f64::from(k);
        writeln!(
            places,
            "{},{},1.1",
            0.4 + 0.21 * k,
            2.0 + 1.7 * (1.3 * k).sin()
        )
        .unwrap();
    }
    folder.write("places.csv", &places);
    let truth = format!("{}\n[[rx]]\nfile = \"places.csv\"\n", with_loss(11.0));
    folder.write("truth.toml", &truth);
    folder.must(&format!(
        "{} channel truth.toml -o truth.csv",
        env!("CARGO_BIN_EXE_keller")
    ));
    let mut rows = csv_rows(&folder.read("truth.csv")).into_iter();
    let header = rows.next().unwrap();
    let column = |name: &str| header.iter().position(|own| own == name).unwrap();
    let columns = ["gain_incoherent_db", "diffuse_gain_db"].map(column);
    let mut measured = "x,y,z,path_gain_db\n".to_owned();
    for (place, row) in places.lines().skip(1).zip(rows) {
        let power = columns
            .map(|column| 10.0_f64.powf(row[column].parse::<f64>().unwrap_or(-400.0) / 10.0));
        let level = 10.0 * (power[0] + power[1]).log10();
        // One place is in the cupboard.
        if level > -200.0 {
            writeln!(measured, "{place},{level}").unwrap();
        }
    }
    folder.write("m.csv", &measured);
    folder.write(
        "s.toml",
        &format!(
            "{}\n[calibrate.materials.partition]\ntransmission_loss_db = [0, 30]\n",
            with_loss(3.0)
        ),
    );
    let found = json(&folder, &["-o", "c.toml", "--fold-by", "none"]);
    let loss = values(&found)[0];
    assert!((loss - 11.0).abs() < 0.2, "{loss}");
    assert!(found["rmse"].as_f64().unwrap() < 0.05, "{}", found["rmse"]);
    assert!(found["rmse_start"].as_f64().unwrap() > 1.0);
}

fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split(',').map(str::to_owned).collect())
        .collect()
}

#[test]
fn every_search_finds_them() {
    let folder = folder("calibrate-searches");
    for (optimiser, within) in [("genetic", 0.02), ("annealing", 0.1), ("random", 0.5)] {
        let args = [
            "--optimiser",
            optimiser,
            "--generations",
            "300",
            "--evaluations",
            "20000",
            "--fold-by",
            "none",
        ];
        let found = json(&folder, &args);
        for (value, loss) in values(&found).into_iter().zip(LOSSES) {
            assert!((value - loss).abs() < within, "{optimiser}: {value} {loss}");
        }
        assert_eq!(
            found,
            json(&folder, &[&args[..], &["--threads", "1"]].concat()),
            "{optimiser}"
        );
    }
}

#[test]
fn paths_that_are_kept_give_the_same_and_those_of_another_scene_are_refused() {
    let folder = folder("calibrate-trace-cache");
    let first = json(&folder, &["--trace-cache", "paths.bin", "--threads", "1"]);
    assert_eq!(
        first,
        json(&folder, &["--trace-cache", "paths.bin", "--threads", "2"])
    );
    assert_eq!(first, json(&folder, &[]));
    // Other numbers and comments have the same paths: those of the file.
    let scenario = format!("# Again.\n{SCENARIO}{CALIBRATE}").replace("loss_db = 6", "loss_db = 4");
    folder.write("s.toml", &scenario.replace("[0, 30]", "[0, 25]"));
    let again = json(&folder, &["--trace-cache", "paths.bin"]);
    for (a, b) in values(&again).into_iter().zip(values(&first)) {
        assert!((a - b).abs() < 1e-3, "{a} {b}");
    }
    let model = folder.read("sheets.obj").replace("50", "49");
    folder.write("sheets.obj", &model);
    let run = folder.keller(&["calibrate", "s.toml", "m.csv", "--trace-cache", "paths.bin"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("paths.bin"), "{}", run.stderr);
}

#[test]
fn what_is_below_the_noise_or_hardly_matters_is_told() {
    let folder = folder("calibrate-told");
    let more = "[calibrate.materials.board]\nroughness = [0, 0.01]\ntransmission_loss_db = [0, 30]";
    let scenario = format!("{SCENARIO}{CALIBRATE}").replace(
        "[calibrate.materials.board]\ntransmission_loss_db = [0, 30]",
        more,
    );
    folder.write("s.toml", &scenario);
    // Half of the values that are far off are limits.
    let rows = measured(OFFSET, |_, gain| {
        if gain < -86.0 {
            "-86.0,true".to_owned()
        } else {
            format!("{gain},false")
        }
    });
    folder.write(
        "m.csv",
        &rows.replace("path_gain_db", "path_gain_db,below_noise"),
    );
    let run = folder.keller(&["calibrate", "s.toml", "m.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout
            .contains("nothing that was measured depends on board roughness: it stays at 0"),
        "{}",
        run.stdout
    );
    let found = json(&folder, &[]);
    let values = values(&found);
    assert!(
        (values[1] - LOSSES[0]).abs() < 1e-2 && (values[2] - LOSSES[1]).abs() < 1e-2,
        "{values:?}"
    );
    // Positive path loss in the column of gains.
    folder.write("m.csv", &measured(OFFSET, |_, gain| (-gain).to_string()));
    let run = folder.keller(&["calibrate", "s.toml", "m.csv"]);
    assert!(
        run.stderr.contains("units or signs may be mixed up"),
        "{}",
        run.stderr
    );
}

#[test]
fn what_cannot_be_calibrated_is_one_message() {
    let folder = folder("calibrate-wrong");
    let with = |scenario: &str, measured: &str, args: &[&str]| {
        folder.write("s.toml", scenario);
        folder.write("m.csv", measured);
        let run = folder.keller(&[&["calibrate", "s.toml", "m.csv"], args].concat());
        assert_eq!(run.code, Some(2), "{}{}", run.stdout, run.stderr);
        run.stderr
    };
    let scenario = format!("{SCENARIO}{CALIBRATE}");
    let rows = measured(OFFSET, |_, gain| gain.to_string());
    assert!(with(SCENARIO, &rows, &[]).contains("no section [calibrate]"));
    let unknown = scenario.replace("calibrate.materials.brick", "calibrate.materials.brik");
    let told = with(&unknown, &rows, &[]);
    assert!(
        told.contains("s.toml:26")
            && told.contains("no material `brik`")
            && told.contains("board, brick"),
        "{told}"
    );
    let told = with(&scenario, &rows.replace(",desk,", ",chair,"), &[]);
    assert!(
        told.contains("m.csv:2") && told.contains("found `chair`"),
        "{told}"
    );
    let limits = measured(OFFSET, |_, _| "-90,true".to_owned());
    let told = with(
        &scenario,
        &limits.replace("path_gain_db", "path_gain_db,below_noise"),
        &[],
    );
    assert!(
        told.contains("nothing can be learned") && told.contains("60 lie below"),
        "{told}"
    );
    // Nothing passes: places behind walls have no path.
    let closed = scenario.replace("max_transmissions = 4", "max_transmissions = 0");
    let far: Vec<&str> = rows
        .lines()
        .enumerate()
        .filter(|(k, _)| *k == 0 || *k > 20)
        .map(|(_, l)| l)
        .collect();
    let told = with(&closed, &far.join("\n"), &[]);
    assert!(told.contains("no path arrives"), "{told}");
    let opaque = scenario
        .replace("transmission_loss_db = [0, 30]", "permittivity = [2, 5]")
        .replace("[calibrate]\noffset = \"one\"", "[calibrate]");
    let near: Vec<&str> = rows.lines().take(4).collect();
    let told = with(&opaque, &near.join("\n"), &[]);
    assert!(
        told.contains("nothing that [calibrate] names has a part"),
        "{told}"
    );
    for (args, part) in [
        (["-o", "c.json"], "ends in .toml"),
        (["-o", "/tmp/c.toml"], "in that folder"),
        (["-o", "s.toml"], "would overwrite it"),
        (["--report", "r.pdf"], ".html or .json"),
    ] {
        let told = with(&scenario, &rows, &args);
        assert!(told.contains(part), "{told}");
    }
    let array = scenario.replace(
        "power_dbm = 20",
        "power_dbm = 20\narray = { rows = 2, columns = 1 }",
    );
    let told = with(&array, &rows, &[]);
    assert!(told.contains("array"), "{told}");
}

#[test]
#[cfg(unix)]
fn a_stopped_search_writes_the_best_so_far() {
    let folder = folder("calibrate-stopped");
    let keller = env!("CARGO_BIN_EXE_keller");
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        if signal == "HUP" && folder.shell("kill -HUP $$; exit 0").code == Some(0) {
            continue;
        }
        let run = folder.shell(&format!(
            "{keller} calibrate s.toml m.csv -o c.toml --report c.json --optimiser annealing --evaluations 4000000000 & \
             pid=$!; sleep 2; kill -{signal} $pid; wait $pid"
        ));
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert!(
            run.stderr.ends_with(
                "keller: stopped; the best parameters so far are in c.toml and c.json\n"
            ),
            "{}",
            run.stderr
        );
        assert!(
            run.stdout.contains("the search was stopped"),
            "{}",
            run.stdout
        );
        assert!(folder.read("c.toml").contains("transmission_loss_db"));
        assert!(folder.read("c.json").contains("\"stopped\": true"));
        folder.must("rm c.toml c.json");
    }
}

/// A signal after the search, while files are made, ends it with the code of the signal and with what was found.
#[test]
#[cfg(unix)]
fn a_signal_behind_the_search_is_heard() {
    let folder = folder("calibrate-late");
    let rows = folder.read("m.csv");
    let (header, rows) = rows.split_once('\n').unwrap();
    folder.write("m.csv", &format!("{header}\n{}", rows.repeat(40)));
    let args = "calibrate s.toml m.csv -o c.toml --report c.html --fold-by none";
    let args: Vec<&str> = args.split(' ').collect();
    let start = Instant::now();
    let run = folder.keller(&args);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let whole = start.elapsed();
    let mut num_heard = 0;
    for share in [0.3, 0.5, 0.6, 0.7, 0.8] {
        let mut run = Command::new(env!("CARGO_BIN_EXE_keller"))
            .args(&args)
            .current_dir(folder.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(whole.mul_f64(share));
        if run.try_wait().unwrap().is_some() {
            continue;
        }
        let (start, id) = (Instant::now(), run.id());
        folder.shell(&format!("kill -TERM {id}"));
        let code = run.wait().unwrap().code();
        // It may have been at its end.
        let is_late = code == Some(0) && start.elapsed() < Duration::from_millis(50);
        assert!(code == Some(143) || is_late, "{code:?} at {share}");
        num_heard += u32::from(code == Some(143));
    }
    assert!(num_heard > 0);
}
