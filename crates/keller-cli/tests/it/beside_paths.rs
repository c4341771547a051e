//! Power beyond all paths: the contributions of `[diffuse]` and `[background]` to results, against closed forms.

use std::f64::consts::{FRAC_PI_2, PI};
use std::fmt::Write as _;

use keller::Complex64;
use keller::em::fresnel::half_space;
use serde_json::Value;

use crate::common::Folder;

const WAVELENGTH: f64 = 299_792_458.0 / 2.4e9;
const PERMITTIVITY: f64 = 4.0;
const CONDUCTIVITY: f64 = 20.0;
const SIZE: [f64; 3] = [5.0, 4.0, 3.0];
const TX: [f64; 3] = [1.1, 1.3, 1.7];

/// The scenario of a closed room, without limits of paths and without diffuse or background power.
const ROOM: &str = "frequency_hz = 2.4e9\n[scene]\nfile = \"room.obj\"\nup = \"z\"\n\
[materials.wall]\npermittivity = 4.0\nconductivity = 20.0\n[[tx]]\nname = \"ap\"\nposition = [1.1, 1.3, 1.7]\n";

/// The direct path alone.
const DIRECT: &str = "[paths]\nsearch = \"complete\"\nmax_interactions = 0\nmax_reflections = 0\n";

const DIFFUSE: &str = "[diffuse]\nside = 0.8\n";

/// The largest difference of the mean gain from that of an even field, dB: the first wall reflects at the angle of the
/// ray.
const EVENNESS_DB: f64 = 0.5;

/// Places of receivers, not on any grid.
const PLACES: [[f64; 3]; 5] = [
    [3.7, 2.9, 1.2],
    [0.7, 3.1, 2.2],
    [4.3, 0.6, 0.8],
    [2.6, 2.1, 1.5],
    [3.1, 3.5, 2.6],
];

/// A box of six quadrilaterals, some of which look outwards.
fn room() -> String {
    let mut obj = String::from("usemtl wall\n");
    for corner in 0..8 {
        let at = [0, 1, 2].map(|axis| f64::from(corner >> axis & 1) * SIZE[axis]);
        writeln!(obj, "v {} {} {}", at[0], at[1], at[2]).unwrap();
    }
    obj + "f 1 2 4 3\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 7 5\nf 2 6 8 4\n"
}

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("room.obj", &room());
    let mut measured = String::from("x,y,z,tx,path_gain_db\n");
    for [x, y, z] in PLACES {
        writeln!(measured, "{x},{y},{z},ap,-50").unwrap();
    }
    folder.write("m.csv", &measured);
    folder
}

/// The rows of a CSV table, by the names of its columns.
fn table(text: &str) -> Vec<Value> {
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let fields = names.iter().zip(line.split(','));
        fields
            .map(|(name, field)| {
                let number = field.parse::<f64>().map_or(Value::Null, Value::from);
                ((*name).to_owned(), number)
            })
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    lines.map(row).collect()
}

fn numbers(rows: &[Value], column: &str) -> Vec<f64> {
    let number = |row: &Value| {
        let found = row.get(column);
        found
            .and_then(Value::as_f64)
            .unwrap_or_else(|| panic!("{column} of {row}"))
    };
    rows.iter().map(number).collect()
}

/// The rows of the table that a command writes.
fn run(folder: &Folder, args: &[&str]) -> Vec<Value> {
    let run = folder.keller(&[args, &["-o", "out.csv"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    table(&folder.read("out.csv"))
}

/// Predictions for the places of the measurements, dB.
fn compared(folder: &Folder, scenario: &str, more: &[&str]) -> Vec<f64> {
    folder.write("s.toml", scenario);
    let rows = run(folder, &[&["compare", "s.toml", "m.csv"], more].concat());
    numbers(&rows, "predicted_gain_db")
}

fn distance(at: [f64; 3]) -> f64 {
    let squares = at.iter().zip(TX).map(|(a, b)| (a - b).powi(2));
    squares.sum::<f64>().sqrt()
}

/// Gain of the direct path between isotropic antennas, linear.
fn direct(at: [f64; 3]) -> f64 {
    (WAVELENGTH / (4.0 * PI * distance(at))).powi(2)
}

fn db(gain: f64) -> f64 {
    10.0 * gain.log10()
}

fn linear(db: f64) -> f64 {
    10.0_f64.powf(db / 10.0)
}

/// The share of diffuse power that the walls absorb, by a plain sum over the angle.
fn absorptance() -> f64 {
    const VACUUM: f64 = 8.854_187_8e-12;
    let loss = CONDUCTIVITY / (2.0 * PI * 2.4e9 * VACUUM);
    let steps = 20_000;
    let width = FRAC_PI_2 / f64::from(steps);
    let terms = (0..steps).map(|k| {
        let angle = (f64::from(k) + 0.5) * width;
        let r = half_space(angle.cos(), Complex64::new(PERMITTIVITY, -loss));
        (1.0 - 0.5 * (r.te.norm_sqr() + r.tm.norm_sqr())) * (2.0 * angle).sin() * width
    });
    terms.sum()
}

/// The gain of all that walls have reflected in the room, linear, by Andersen et al. 2007.
fn reverberant_gain() -> f64 {
    let [x, y, z] = SIZE;
    let (alpha, area) = (absorptance(), 2.0 * (x * y + y * z + z * x));
    WAVELENGTH * WAVELENGTH * (1.0 - alpha) / (2.0 * PI * alpha * area)
}

/// The mean ratio of two sets of gains, dB.
fn mean_ratio(found: impl IntoIterator<Item = f64>, wanted: f64) -> f64 {
    let found: Vec<f64> = found.into_iter().collect();
    db(found.iter().sum::<f64>() / found.len() as f64 / wanted)
}

#[test]
fn comparisons_have_the_reverberant_gain_of_a_room_beside_the_direct_path() {
    let folder = folder("beside-compare");
    let alone = compared(&folder, &format!("{ROOM}{DIRECT}"), &[]);
    for (gain, at) in alone.iter().zip(PLACES) {
        assert!((gain - db(direct(at))).abs() < 1e-9, "{gain}");
    }
    let scenario = format!("{ROOM}{DIRECT}{DIFFUSE}");
    let found = compared(&folder, &scenario, &[]);
    let beside = found
        .iter()
        .zip(&alone)
        .map(|(all, path)| linear(*all) - linear(*path));
    let off = mean_ratio(beside, reverberant_gain());
    assert!(off.abs() < EVENNESS_DB, "{off}");

    // The diffuse field is the prediction where no path arrives.
    let unseen = scenario.replace("[paths]\n", "[paths]\nline_of_sight = false\n");
    let off = mean_ratio(
        compared(&folder, &unseen, &[])
            .iter()
            .map(|gain| linear(*gain)),
        reverberant_gain(),
    );
    assert!(off.abs() < EVENNESS_DB, "{off}");

    let scenario = format!("{scenario}[background]\nlevel_db = -40\nexponent = 3\n");
    let more = compared(&folder, &scenario, &["--threads", "1"]);
    for ((all, without), at) in more.iter().zip(&found).zip(PLACES) {
        let background = linear(-40.0 - 30.0 * distance(at).log10());
        let wanted = db(linear(*without) + background);
        assert!((all - wanted).abs() < 1e-9, "{all} {wanted}");
    }
    // A coherent mean over a small disc has the same diffuse and background power.
    let [coherent, coherent_alone] = [&scenario[..], &format!("{ROOM}{DIRECT}")].map(|scenario| {
        compared(
            &folder,
            scenario,
            &["--average", "coherent", "--radius", "0.1"],
        )
    });
    let gains = more
        .iter()
        .zip(&alone)
        .zip(coherent.iter().zip(&coherent_alone));
    for ((all, path), (coherent, coherent_path)) in gains {
        let wanted = linear(*all) - linear(*path);
        let found = linear(*coherent) - linear(*coherent_path);
        assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}");
    }
}

/// Receivers at the places, in a scenario.
fn receivers() -> String {
    let mut text = String::new();
    for at in PLACES {
        writeln!(text, "[[rx]]\nposition = {at:?}").unwrap();
    }
    text
}

#[test]
fn channels_have_the_power_beside_their_paths_in_columns_and_arrays() {
    let folder = folder("beside-channel");
    let devices = format!("{ROOM}{}", receivers());
    folder.write("plain.toml", &format!("{devices}{DIRECT}"));
    let plain = run(&folder, &["channel", "plain.toml"]);
    assert!(plain[0].get("diffuse_gain_db").is_none(), "{}", plain[0]);
    folder.write("diffuse.toml", &format!("{devices}{DIRECT}{DIFFUSE}"));
    let rows = run(&folder, &["channel", "diffuse.toml"]);
    let wanted = compared(&folder, &format!("{ROOM}{DIRECT}{DIFFUSE}"), &[]);
    let diffuse = numbers(&rows, "diffuse_gain_db");
    let gains = numbers(&rows, "gain_incoherent_db").into_iter().zip(wanted);
    for ((gain, wanted), (beside, at)) in gains.zip(diffuse.iter().zip(PLACES)) {
        assert!((gain - wanted).abs() < 1e-9, "{gain} {wanted}");
        assert!((linear(gain) / (direct(at) + linear(*beside)) - 1.0).abs() < 1e-9);
    }
    // Columns that are no sums of powers are those of the paths alone.
    for column in ["gain_coherent_db", "mean_delay_s", "num_paths", "asa"] {
        assert_eq!(numbers(&rows, column), numbers(&plain, column), "{column}");
    }
    // Eyring's formula, with the correction of Kuttruff for the variance of the distance between walls.
    let [x, y, z] = SIZE;
    let exponent = -(1.0 - absorptance()).ln();
    let exponent = exponent * (1.0 - 0.5 * 0.4 * exponent);
    let eyring = 4.0 * x * y * z / (299_792_458.0 * 2.0 * (x * y + y * z + z * x) * exponent);
    for time in numbers(&rows, "diffuse_decay_time_s") {
        assert!((time / eyring - 1.0).abs() < 0.03, "{time} {eyring}");
    }

    // Arrays, runs with other threads and tables for people have the same.
    let all = format!("{devices}{DIRECT}{DIFFUSE}[background]\nlevel_db = -55\n");
    folder.write("all.toml", &all);
    let rows = run(&folder, &["channel", "all.toml", "--threads", "1"]);
    assert_eq!(numbers(&rows, "diffuse_gain_db"), diffuse);
    for (gain, at) in numbers(&rows, "background_gain_db").iter().zip(PLACES) {
        assert!((gain - (-55.0 - 20.0 * distance(at).log10())).abs() < 1e-9);
    }
    let npz = folder.keller(&["channel", "all.toml", "-o", "all.npz"]);
    assert_eq!(npz.code, Some(0), "{}", npz.stderr);
    for name in ["diffuse_gain_db", "background_gain_db"] {
        let (kind, shape, bytes) = folder.npz("all.npz", name);
        assert_eq!((&*kind, &*shape), ("<f8", "5, 1,"), "{name}");
        let values = bytes.as_chunks::<8>().0.iter();
        let values: Vec<f64> = values.map(|value| f64::from_le_bytes(*value)).collect();
        assert_eq!(values, numbers(&rows, name), "{name}");
    }
    let text = folder.keller(&["channel", "all.toml"]);
    assert!(text.stdout.contains("background dB"), "{}", text.stdout);
}

/// Two Tx, and receivers of both polarisations at the centres of the cells of `CELLS`.
fn cells_and_receivers() -> String {
    let mut text = format!("{ROOM}[[tx]]\nposition = [4.2, 3.3, 0.9]\nantenna = \"dipole\"\n");
    for (x, y) in [(1.25, 0.75), (2.25, 0.75), (1.25, 1.75), (2.25, 1.75)] {
        writeln!(
            text,
            "[[rx]]\nposition = [{x}, {y}, 1.3]\npolarization = \"VH\""
        )
        .unwrap();
    }
    text
}

const CELLS: &str =
    "[coverage]\nmin = [0.75, 0.25]\nmax = [2.75, 2.25]\nresolution = 1\nheights = [1.3]\n";

/// Every way to ask for a place finds the same diffuse and background power there.
#[test]
fn cells_have_what_receivers_at_their_centres_have() {
    let folder = folder("beside-cells");
    let head = cells_and_receivers();
    let paths = "[paths]\nsearch = \"complete\"\nmax_interactions = 1\n";
    let more = format!("{DIFFUSE}[background]\nlevel_db = -60\nexponent = 1.5\n");
    folder.write("s.toml", &format!("{head}{paths}{more}"));
    let links = run(&folder, &["channel", "s.toml"]);
    let wanted: Vec<f64> = links
        .iter()
        .map(|row| {
            let of = |name: &str| linear(numbers(std::slice::from_ref(row), name)[0]);
            of("diffuse_gain_db") + of("background_gain_db")
        })
        .collect();
    let all = numbers(&links, "gain_incoherent_db");
    for engine in ["points", "tubes"] {
        let cells = format!("{head}{paths}{CELLS}engine = \"{engine}\"\n");
        folder.write("without.toml", &cells);
        folder.write("with.toml", &format!("{cells}{more}"));
        let without = run(&folder, &["coverage", "without.toml"]);
        let with = run(&folder, &["coverage", "with.toml"]);
        let one = run(&folder, &["coverage", "with.toml", "--threads", "1"]);
        assert_eq!(with, one);
        assert_eq!((with.len(), without.len()), (8, 8));
        let [without, with] = [without, with].map(|rows| numbers(&rows, "path_gain_db"));
        for (k, (with, without)) in with.iter().zip(&without).enumerate() {
            let found = linear(*with) - linear(*without);
            assert!((found / wanted[k] - 1.0).abs() < 1e-9, "{engine} {k}");
            if engine == "points" {
                assert!((with - all[k]).abs() < 1e-9, "{with} {}", all[k]);
            }
        }
    }
    // The best server, and comparisons of measurements with a coverage, know it too.
    let multipath = format!("{head}{paths}{CELLS}{more}engine = \"points\"\nmultipath = true\n");
    let multipath = multipath
        .replace(DIFFUSE, "")
        .replace("[coverage]", &format!("{DIFFUSE}[coverage]"));
    folder.write(
        "multipath.toml",
        &multipath.replace("[background]\nlevel_db = -60\nexponent = 1.5\n", ""),
    );
    let rows = run(&folder, &["coverage", "multipath.toml"]);
    for (row, gain) in links.iter().zip(numbers(&rows, "path_gain_db")) {
        let of = |name: &str| linear(numbers(std::slice::from_ref(row), name)[0]);
        let wanted = of("gain_incoherent_db") - of("background_gain_db");
        assert!((linear(gain) / wanted - 1.0).abs() < 1e-9, "{gain}");
    }
    assert_eq!(numbers(&rows, "num_paths"), numbers(&links, "num_paths"));
}

/// The power that falls on the walls of a closed room is the absorbed power, divided by the share that walls absorb.
#[test]
fn surfaces_receive_what_the_walls_of_a_room_absorb() {
    let folder = folder("beside-surfaces");
    let tiles = "[tiles]\nside = 0.7\n[coverage]\nengine = \"surfaces\"\n";
    let direct = DIRECT.replace("search = \"complete\"\n", "");
    let scenario = format!("{ROOM}{direct}{tiles}");
    folder.write("without.toml", &scenario);
    let without = run(&folder, &["coverage", "without.toml"]);
    folder.write("with.toml", &format!("{scenario}{DIFFUSE}"));
    let with = run(&folder, &["coverage", "with.toml"]);
    let sum = |rows: &[Value]| -> f64 {
        let powers = numbers(rows, "incident_power_db").into_iter().map(linear);
        powers.sum()
    };
    let alpha = absorptance();
    let ratio = (sum(&with) - sum(&without)) / ((1.0 - alpha) / alpha);
    assert!(db(ratio).abs() < EVENNESS_DB, "{ratio}");
    // A side takes both polarisations, from half of all directions.
    assert_eq!(with.len(), without.len(), "the outer sides stay dark");
    let off = mean_ratio(
        numbers(&with, "diffuse_gain_db").into_iter().map(linear),
        reverberant_gain(),
    );
    assert!(off.abs() < EVENNESS_DB, "{off}");
    // The tiles between which power is exchanged need not be those of surfaces.
    let coarse = format!("{scenario}{}", DIFFUSE.replace("0.8", "0.5"));
    folder.write("with.toml", &coarse);
    let ratio = sum(&run(&folder, &["coverage", "with.toml"])) / sum(&with);
    assert!((ratio - 1.0).abs() < 0.02, "{ratio}");

    folder.write(
        "with.toml",
        &format!("{scenario}[background]\nlevel_db = -50\n"),
    );
    for row in run(&folder, &["coverage", "with.toml"]) {
        let of = |name: &str| row[name].as_f64().unwrap();
        let distance = distance([of("x"), of("y"), of("z")]);
        let background = 0.5 * linear(-50.0 - 20.0 * distance.max(1.0).log10());
        let is_inside = of("num_paths") > 0.0;
        let direct = if is_inside {
            linear(of("strongest_gain_db"))
        } else {
            0.0
        };
        let found = linear(of("path_gain_db")) / (direct + background);
        assert!((found - 1.0).abs() < 1e-9, "{row}");
    }
}

/// Every file without the sections is the same as with the sections switched off.
#[test]
fn switched_off_sections_change_no_byte() {
    let folder = folder("beside-off");
    let off =
        "[diffuse]\nenabled = false\nside = 0.8\n[background]\nlevel_db = -40\nenabled = false\n";
    let head = format!("{}{DIRECT}{CELLS}", cells_and_receivers());
    let read = |name: &str| {
        folder.write(
            "s.toml",
            &format!("{head}{}", if name == "off" { off } else { "" }),
        );
        ["channel", "coverage"].map(|command| {
            run(&folder, &[command, "s.toml"]);
            folder.read("out.csv")
        })
    };
    assert_eq!(read("off"), read("absent"));
}

/// However often paths are scattered, whatever engine finds them: all power is in the paths or in the field, once.
#[test]
fn no_engine_loses_or_doubles_what_walls_scatter() {
    let folder = folder("beside-scattered");
    let head = ROOM.replace(
        "permittivity = 4.0\nconductivity = 20.0\n",
        "permittivity = 6.0\nconductivity = 2.0\nscattering = 0.8\n",
    );
    // The field has no polarisation.
    let head = format!("{head}polarization = \"VH\"\n");
    let cells = "min = [0.5, 0.5]\nmax = [4.5, 3.5]\nresolution = 0.5\nheights = [1.2]\n";
    let surfaces = "[tiles]\nside = 0.5\n";
    for (engine, most, more) in [
        ("points", 2, cells),
        ("tubes", 1, cells),
        ("surfaces", 3, surfaces),
    ] {
        let power = |interactions: usize, scatterings: usize| {
            let paths = format!(
                "[paths]\nmax_interactions = {interactions}\nmax_scatterings = {scatterings}\n"
            );
            let coverage = format!("[coverage]\nengine = \"{engine}\"\n{more}");
            folder.write("s.toml", &format!("{head}{paths}{DIFFUSE}{coverage}"));
            let rows = run(&folder, &["coverage", "s.toml"]);
            let column = if engine == "surfaces" {
                "incident_power_db"
            } else {
                "path_gain_db"
            };
            // No wave falls on the outsides of the walls.
            let powers = rows
                .iter()
                .filter_map(|row| row[column].as_f64())
                .map(linear);
            powers.sum::<f64>()
        };
        let wanted = power(1, 0);
        for [interactions, scatterings] in [[2, 0], [1, 1], [2, 1], [2, 2], [3, 3]] {
            if scatterings > most {
                continue;
            }
            let ratio = power(interactions, scatterings) / wanted;
            let told = format!("{engine}, {interactions} and {scatterings}: {ratio}");
            assert!((ratio - 1.0).abs() < 0.01, "{told}");
        }
    }
}

#[test]
fn a_room_that_keeps_all_power_and_a_tx_in_a_wall_are_errors() {
    let folder = folder("beside-doubtful");
    let head = format!("{ROOM}{}", receivers());
    let mirrors = head.replace("permittivity = 4.0\nconductivity = 20.0\n", "pec = true\n");
    folder.write("s.toml", &format!("{mirrors}{DIRECT}{DIFFUSE}"));
    let run = folder.keller(&["channel", "s.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("s.toml: the diffuse field"),
        "{}",
        run.stderr
    );
    let inside = head.replace("[1.1, 1.3, 1.7]", "[0, 1.3, 1.7]");
    folder.write("s.toml", &format!("{inside}{DIRECT}{DIFFUSE}"));
    let run = folder.keller(&["channel", "s.toml"]);
    assert!(run.stderr.contains("s.toml:8: tx 0 at"), "{}", run.stderr);
}
