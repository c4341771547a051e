//! `keller fingerprint`: devices at known places over a conductor are found there, whatever their files say, and one message for
//! what cannot be located.

use std::f64::consts::PI;
use std::fmt::Write as _;

use serde_json::Value;

use crate::common::Folder;

const TX: [(&str, [f64; 3]); 3] = [
    ("a", [3.0, 7.0, 10.0]),
    ("b", [91.0, 12.0, 14.0]),
    ("c", [37.0, 96.0, 12.0]),
];
const POWER_DBM: f64 = 20.0;

/// Level ground that conducts, three Tx, and cells of 5 m of exact paths.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write(
        "ground.obj",
        "v -500 -500 0\nv 500 -500 0\nv 500 500 0\nv -500 500 0\nusemtl ground\nf 1 2 3 4\n",
    );
    let mut scenario = "frequency_hz = 1e9\n[scene]\nfile = \"ground.obj\"\nup = \"z\"\n[materials.ground]\npec = true\n\
        [coverage]\nengine = \"points\"\nmin = [0, 0]\nmax = [100, 100]\nresolution = 5\nheights = [1.5]\n"
        .to_owned();
    for (name, at) in TX {
        writeln!(
            scenario,
            "[[tx]]\nname = \"{name}\"\nposition = {at:?}\npower_dbm = {POWER_DBM}"
        )
        .unwrap();
    }
    folder.write("s.toml", &scenario);
    succeeds(&folder, &["coverage", "s.toml", "-o", "map.npz"]);
    folder
}

/// The output of a command, which must succeed.
fn succeeds(folder: &Folder, arguments: &[&str]) -> String {
    let run = folder.keller(arguments);
    assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
    run.stdout
}

/// Path gain of the direct and the reflected ray, added as powers, dB.
fn gain(tx: [f64; 3], rx: [f64; 3]) -> f64 {
    let across = (tx[0] - rx[0]).hypot(tx[1] - rx[1]);
    let gain = |height: f64| (299_792_458.0 / 1e9 / (4.0 * PI * across.hypot(height))).powi(2);
    10.0 * (gain(tx[2] - rx[2]) + gain(tx[2] + rx[2])).log10()
}

/// Centres of cells.
const PLACES: [[f64; 3]; 3] = [[12.5, 82.5, 1.5], [57.5, 32.5, 1.5], [97.5, 97.5, 1.5]];

/// Rows of all devices at these places, each louder than the one before by `louder` dB.
fn measured(
    header: &str,
    louder: f64,
    row: impl Fn(usize, &str, [f64; 3], f64) -> String,
) -> String {
    let mut text = format!("{header}\n");
    for (device, at) in PLACES.into_iter().enumerate() {
        for (name, tx) in TX {
            let level = gain(tx, at) + louder * f64::from(u8::try_from(device).unwrap());
            writeln!(text, "{}", row(device, name, at, level)).unwrap();
        }
    }
    text
}

fn rows(folder: &Folder, arguments: &[&str]) -> Vec<Value> {
    let all = [
        &[
            "fingerprint",
            "s.toml",
            "m.csv",
            "--coverage",
            "map.npz",
            "--json",
        ],
        arguments,
    ]
    .concat();
    let table: Value = serde_json::from_str(&succeeds(folder, &all)).unwrap();
    table["devices"].as_array().unwrap().clone()
}

fn assert_found(rows: &[Value]) {
    assert_eq!(rows.len(), PLACES.len(), "a row for each device");
    for (row, at) in rows.iter().zip(PLACES) {
        for (axis, value) in ["x", "y", "z"].into_iter().zip(at) {
            assert!((row[axis].as_f64().unwrap() - value).abs() < 1e-9, "{row}");
        }
    }
}

#[test]
fn devices_are_found_where_they_are() {
    let folder = folder("fingerprint-found");
    // The file has no places, but names of devices and received powers.
    let text = measured(
        "device,tx,received_power_dbm",
        0.0,
        |device, tx, _, level| format!("phone {device},{tx},{}", level + POWER_DBM),
    );
    folder.write("m.csv", &text);
    let found = rows(&folder, &["--level-std-db", "0.5"]);
    assert_found(&found);
    assert_eq!(found[1]["device_name"], "phone 1");
    assert!(found[1]["error_m"].is_null());
    // The file has places and losses; they are 1 m from the centres.
    let text = measured("x,y,z,tx,path_loss_db", 0.0, |_, tx, [x, y, z], level| {
        format!("{},{y},{z},{tx},{}", x + 1.0, -level)
    });
    folder.write("m.csv", &text);
    let found = rows(&folder, &["--level-std-db", "0.5"]);
    assert_found(&found);
    assert!(
        found
            .iter()
            .all(|row| (row["error_m"].as_f64().unwrap() - 1.0).abs() < 1e-9)
    );
    assert!(
        found
            .iter()
            .all(|row| row["denser_probability"].as_f64() == Some(0.0))
    );
}

#[test]
fn offsets_of_devices_are_allowed_for() {
    let folder = folder("fingerprint-offset");
    let text = measured("device,tx,path_gain_db", 8.0, |device, tx, _, level| {
        format!("{device},{tx},{level}")
    });
    folder.write("m.csv", &text);
    assert_found(&rows(
        &folder,
        &["--level-std-db", "0.5", "--offset-std-db", "inf"],
    ));
    let certain = rows(&folder, &["--level-std-db", "0.5"]);
    assert_ne!(
        certain[2]["place"],
        rows(
            &folder,
            &["--offset-std-db", "inf", "--level-std-db", "0.5"]
        )[2]["place"]
    );
}

/// A device in two files is one; two devices at one place are two.
#[test]
fn devices_are_told_apart_by_name_and_place() {
    let folder = folder("fingerprint-names");
    let of_tx = |wanted: &'static str| {
        let mut text = "device,tx,path_gain_db\n".to_owned();
        for (device, at) in PLACES.into_iter().enumerate() {
            for (name, tx) in TX.into_iter().filter(|(name, _)| *name == wanted) {
                writeln!(text, "{device},{name},{}", gain(tx, at)).unwrap();
            }
        }
        text
    };
    for (file, tx) in [("m.csv", "a"), ("b.csv", "b"), ("c.csv", "c")] {
        folder.write(file, &of_tx(tx));
    }
    assert_found(&rows(&folder, &["b.csv", "c.csv", "--level-std-db", "0.5"]));
    let mut text = "x,y,z,device,tx,path_gain_db\n".to_owned();
    for (device, louder) in [("quiet", 0.0), ("loud", 9.0)] {
        for (name, tx) in TX {
            let [x, y, z] = PLACES[1];
            let level = gain(tx, PLACES[1]) + louder;
            writeln!(text, "{x},{y},{z},{device},{name},{level}").unwrap();
        }
    }
    folder.write("m.csv", &text);
    let found = rows(
        &folder,
        &["--level-std-db", "0.5", "--offset-std-db", "inf"],
    );
    let names: Vec<&str> = found
        .iter()
        .map(|row| row["device_name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["quiet", "loud"]);
    assert!(
        found
            .iter()
            .all(|row| row["num_levels"] == 3 && row["error_m"] == 0.0)
    );
}

/// The uncertainty that a file states comes on top of the deviation.
#[test]
fn uncertain_levels_leave_larger_areas() {
    let folder = folder("fingerprint-uncertain");
    let area = |uncertainty: f64, deviation: &str| {
        let text = measured(
            "device,tx,path_gain_db,uncertainty_db",
            0.0,
            |device, tx, _, level| format!("{device},{tx},{level},{uncertainty}"),
        );
        folder.write("m.csv", &text);
        rows(&folder, &["--level-std-db", deviation])[1]["area_95_m2"]
            .as_f64()
            .unwrap()
    };
    let [both, one] = [area(4.0, "3"), area(1e-6, "5")];
    assert!((both - one).abs() < 1e-9, "{both} {one}");
    assert!(area(1e-6, "3") < one);
}

#[test]
fn probabilities_are_written_and_drawn() {
    let folder = folder("fingerprint-files");
    let text = measured("device,tx,path_gain_db", 0.0, |device, tx, _, level| {
        format!("{device},{tx},{level}")
    });
    folder.write("m.csv", &text);
    let arguments = ["fingerprint", "s.toml", "m.csv", "--coverage", "map.npz"];
    let of = |more: &[&str]| succeeds(&folder, &[&arguments, more].concat());
    of(&[
        "-o",
        "where.npz",
        "--picture",
        "where.svg",
        "--picture-of",
        "1",
    ]);
    let svg = folder.read("where.svg");
    assert!(svg.contains("likeliest") && svg.contains("Device 1"));
    assert!(std::fs::metadata(folder.path("where.npz")).unwrap().len() > 1000);
    of(&["-o", "where.csv"]);
    assert_eq!(folder.read("where.csv").lines().count(), 1 + PLACES.len());
    // The result does not depend on the number of threads.
    of(&["-o", "one.csv", "--threads", "1"]);
    assert_eq!(folder.read("where.csv"), folder.read("one.csv"));
}

#[test]
fn what_cannot_be_located_is_one_message() {
    let folder = folder("fingerprint-bad");
    let placed = measured("x,y,z,tx,path_gain_db", 0.0, |_, tx, [x, y, z], level| {
        format!("{x},{y},{z},{tx},{level}")
    });
    folder.write("placed.csv", &placed);
    folder.write("free.csv", "tx,path_gain_db\na,-70\n");
    folder.write("other.csv", "tx,path_gain_db\nd,-70\n");
    let fails = |measured: &[&str], more: &[&str], message: &str| {
        let all = [
            &["fingerprint", "s.toml"],
            measured,
            &["--coverage", "map.npz"],
            more,
        ]
        .concat();
        let run = folder.keller(&all);
        assert_eq!(run.code, Some(2), "{all:?}: {}", run.stdout);
        assert!(run.stderr.contains(message), "{all:?}: {}", run.stderr);
    };
    fails(
        &["placed.csv", "free.csv"],
        &[],
        "differ in whether they have columns of places",
    );
    fails(
        &["other.csv"],
        &[],
        "found `d`; accepted: 0 to 2, or a, b, c",
    );
    fails(
        &["free.csv"],
        &["--picture", "m.svg", "--picture-of", "7"],
        "--picture-of: found `7`",
    );
    fails(
        &["free.csv"],
        &["-o", "m.tif"],
        "accepted: a name that ends in .csv, .parquet, .json or .npz",
    );
    fails(
        &["free.csv"],
        &["--level-std-db", "0"],
        "accepted: a number above 0",
    );
    fails(&["missing.csv"], &[], "missing.csv");
}

/// Both sides of all tiles of a ground and a wall are places.
#[test]
fn devices_are_found_on_surfaces() {
    let folder = Folder::new("fingerprint-surfaces");
    folder.write(
        "corner.obj",
        "usemtl concrete\nv -6 -6 0\nv 6 -6 0\nv 6 6 0\nv -6 6 0\nv 6 -6 9\nv 6 6 9\nf 1 2 3 4\nf 2 3 6 5\n",
    );
    let mut scenario = "frequency_hz = 2e9\n[scene]\nfile = \"corner.obj\"\nup = \"z\"\n[paths]\nmax_interactions = 1\n[tiles]\nside = 1\n\
        [coverage]\nengine = \"surfaces\"\n"
        .to_owned();
    for at in [[-4.1, 3.2, 3.3], [1.7, -4.9, 5.1], [3.3, 4.4, 2.2]] {
        writeln!(scenario, "[[tx]]\nposition = {at:?}").unwrap();
    }
    folder.write("s.toml", &scenario);
    succeeds(&folder, &["coverage", "s.toml", "-o", "map.npz"]);
    let (kind, shape, bytes) = folder.npz("map.npz", "path_gain_db");
    assert_eq!(kind, "<f4", "{shape}");
    let gains: Vec<f32> = bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|b| f32::from_le_bytes(*b))
        .collect();
    let num_places = gains.len() / 3;
    let of_place = |place: usize| [0, 1, 2].map(|tx| gains[tx * num_places + place]);
    let reached =
        (0..num_places).filter(|place| of_place(*place).iter().all(|gain| gain.is_finite()));
    let wanted: Vec<usize> = reached.step_by(7).collect();
    assert!(wanted.len() > 20, "{}", wanted.len());
    let mut text = "device,tx,path_gain_db\n".to_owned();
    for place in &wanted {
        for (tx, gain) in of_place(*place).into_iter().enumerate() {
            writeln!(text, "{place},{tx},{gain}").unwrap();
        }
    }
    folder.write("m.csv", &text);
    let found = rows(
        &folder,
        &["--level-std-db", "0.01", "--picture", "where.png"],
    );
    let found: Vec<usize> = found
        .iter()
        .map(|row| usize::try_from(row["place"].as_u64().unwrap()).unwrap())
        .collect();
    assert_eq!(found, wanted, "each on its own side of its own tile");
}
