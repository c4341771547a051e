//! `keller compare` with predictions of a coverage and with coherent averages, against closed forms.

mod measured;
mod profiles;

use std::f64::consts::PI;
use std::fmt::Write as _;
use std::io::{Cursor, Write as _};

use serde_json::Value;

use crate::common::Folder;

const GROUND: &str =
    "v -500 -500 0\nv 500 -500 0\nv 500 500 0\nv -500 500 0\nusemtl ground\nf 1 2 3 4\n";
const TX: [f64; 3] = [0.0, 0.0, 10.0];
const WAVELENGTH: f64 = 299_792_458.0 / 1e9;
const SCENARIO: &str = "frequency_hz = 1e9\n[scene]\nfile = \"ground.obj\"\nup = \"z\"\n[materials.ground]\npec = true\n\
[[tx]]\nname = \"mast\"\nposition = [0, 0, 10]\n";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("ground.obj", GROUND);
    folder.write("s.toml", SCENARIO);
    folder
}

/// Lengths of the direct and the reflected ray.
fn lengths([x, y, z]: [f64; 3]) -> [f64; 2] {
    let across = (TX[0] - x).hypot(TX[1] - y);
    [TX[2] - z, TX[2] + z].map(|height| across.hypot(height))
}

/// Path gain of both rays over a perfect conductor, added as powers, dB.
fn incoherent(at: [f64; 3]) -> f64 {
    let gains = lengths(at).map(|length| (WAVELENGTH / (4.0 * PI * length)).powi(2));
    10.0 * gains.iter().sum::<f64>().log10()
}

/// The same added with their phases, linear: a vertical field keeps its sign in the conductor.
fn coherent(at: [f64; 3]) -> f64 {
    let [direct, image] = lengths(at);
    let phase = 2.0 * PI / WAVELENGTH * (image - direct);
    let sum = direct.powi(-2) + image.powi(-2) + 2.0 * phase.cos() / (direct * image);
    (WAVELENGTH / (4.0 * PI)).powi(2) * sum
}

/// The mean of [`coherent`] over a disc, by a fine grid, dB.
fn coherent_on_disc([x, y, z]: [f64; 3], radius: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for i in -100..=100 {
        for j in -100..=100 {
            let [dx, dy] = [i, j].map(|k| radius * f64::from(k) / 100.0);
            if dx.hypot(dy) <= radius {
                sum += coherent([x + dx, y + dy, z]);
                count += 1.0;
            }
        }
    }
    10.0 * (sum / count).log10()
}

/// An array of numpy: name, type, shape and bytes.
type NamedArray<'a> = (&'a str, &'a str, &'a str, &'a [u8]);

/// An archive of these arrays.
fn npz(arrays: &[NamedArray<'_>]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, kind, shape, data) in arrays {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(format!("{name}.npy"), options).unwrap();
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
        let length = u16::try_from(header.len()).unwrap().to_le_bytes();
        let parts: [&[u8]; 4] = [b"\x93NUMPY\x01\x00", &length, header.as_bytes(), data];
        zip.write_all(&parts.concat()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn bytes(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Places at odd distances and angles.
fn places() -> Vec<[f64; 3]> {
    (0..10_u8)
        .map(|i| {
            let (away, angle) = (17.3 + 6.1 * f64::from(i), 0.7 * f64::from(i));
            [away * angle.cos(), away * angle.sin(), 1.5]
        })
        .collect()
}

/// A file of measurements with more columns.
fn measured(header: &str, row: impl Fn(usize, [f64; 3]) -> String) -> String {
    let mut text = format!("x,y,z,{header}\n");
    for (i, at) in places().into_iter().enumerate() {
        let [x, y, z] = at;
        writeln!(text, "{x},{y},{z},{}", row(i, at)).unwrap();
    }
    text
}

fn json(folder: &Folder, args: &[&str]) -> Value {
    let run = folder.keller(&[&["compare", "s.toml"], args, &["--json"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

fn number(value: &Value, path: &[&str]) -> f64 {
    let found = path.iter().fold(value, |value, key| &value[*key]);
    found
        .as_f64()
        .unwrap_or_else(|| panic!("{path:?} of {value}"))
}

/// A figure of all measurements without an offset.
fn plain(found: &Value, name: &str) -> f64 {
    number(&found["parts"][0], &["offset", "none", "errors", name])
}

#[test]
fn a_coherent_average_is_that_of_two_rays_on_the_disc() {
    let folder = folder("average-two-rays");
    for radius in [0.2, 1.5] {
        let text = measured("path_gain_db", |_, at| {
            coherent_on_disc(at, radius).to_string()
        });
        folder.write("m.csv", &text);
        let radius = radius.to_string();
        let found = json(
            &folder,
            &["m.csv", "--average", "coherent", "--radius", &radius],
        );
        let worst = plain(&found, "percentile_95");
        assert!(worst < 0.25, "radius {radius}: {worst} dB");
    }
    // Rays that interfere are not two powers.
    folder.write(
        "m.csv",
        &measured("path_gain_db", |_, at| {
            coherent_on_disc(at, 0.2).to_string()
        }),
    );
    let found = json(&folder, &["m.csv"]);
    assert!(plain(&found, "rmse") > 1.0, "{found}");
}

#[test]
fn over_many_wavelengths_the_average_tends_to_the_sum_of_powers() {
    let folder = folder("average-wide");
    // A disc of 6 m spans many fringes at 10 GHz and 8 m above the ground; gains are 20 dB less than at 1 GHz.
    folder.write("s.toml", &SCENARIO.replace("1e9", "10e9"));
    let mut text = "x,y,z,path_gain_db\n".to_owned();
    for [x, y, _] in places() {
        writeln!(text, "{x},{y},8,{}", incoherent([x, y, 8.0]) - 20.0).unwrap();
    }
    folder.write("m.csv", &text);
    let spread = |radius: &str| {
        let found = json(
            &folder,
            &["m.csv", "--average", "coherent", "--radius", radius],
        );
        plain(&found, "rmse")
    };
    let (narrow, wide) = (spread("0.01"), spread("6"));
    assert!(wide < 0.8 && narrow > 2.0 * wide, "{narrow} {wide}");
    let threads = ["1", "3"].map(|threads| {
        json(
            &folder,
            &[
                "m.csv",
                "--average",
                "coherent",
                "--radius",
                "3",
                "--threads",
                threads,
            ],
        )
    });
    assert_eq!(threads[0], threads[1]);
}

/// A disc ends at walls: points behind them are another place.
#[test]
fn a_disc_does_not_reach_through_walls() {
    let folder = folder("average-wall");
    // A wall that hides everything with x above 20.5 from the mast.
    let wall =
        "v 20.5 -400 0\nv 20.5 400 0\nv 20.5 400 200\nv 20.5 -400 200\nusemtl ground\nf 5 6 7 8\n";
    folder.write("ground.obj", &format!("{GROUND}{wall}"));
    folder.write(
        "s.toml",
        &format!("{SCENARIO}[paths]\nmax_reflections = 0\n"),
    );
    // Half a metre before the wall the direct ray alone arrives, the same all over the disc.
    let free_space = |x: f64| 20.0 * (WAVELENGTH / (4.0 * PI * x.hypot(8.5))).log10();
    folder.write(
        "m.csv",
        &format!("x,y,z,path_gain_db\n20,0,1.5,{}\n", free_space(20.0)),
    );
    let found = json(
        &folder,
        &["m.csv", "--average", "coherent", "--radius", "2"],
    );
    let error = plain(&found, "mean");
    assert!(
        error.abs() < 0.7,
        "{error} dB; behind the wall would be 3 dB less"
    );
}

#[test]
fn a_disc_needs_both_flags() {
    let folder = folder("average-flags");
    folder.write(
        "m.csv",
        &measured("path_gain_db", |_, at| incoherent(at).to_string()),
    );
    for (args, message) in [
        (&["--average", "coherent"][..], "--radius"),
        (&["--radius", "2"], "--radius is that of --average coherent"),
        (&["--average", "coherent", "--radius", "0"], "above 0"),
        (&["--average", "coherent", "--radius", "nan"], "up to 1000"),
    ] {
        let run = folder.keller(&[&["compare", "s.toml", "m.csv"], args].concat());
        assert!(
            run.code == Some(2) && run.stderr.contains(message),
            "{args:?}: {}",
            run.stderr
        );
    }
}

/// A coverage around the places, in cells of 2 m.
const CELLS: &str = "[coverage]\nmin = [-80, -80]\nmax = [80, 80]\nresolution = 2\nheights = [1.5]\nengine = \"points\"\n";

#[test]
fn a_coverage_predicts_with_its_nearest_cell() {
    let folder = folder("coverage-cells");
    folder.write("c.toml", &format!("{SCENARIO}{CELLS}"));
    // The centre of the nearest cell, and the gain there.
    let centre = |at: [f64; 3]| {
        let [x, y] = [at[0], at[1]].map(|v| 2.0 * (v / 2.0).floor() + 1.0);
        [x, y, 1.5]
    };
    let mut text = measured("path_gain_db", |_, at| {
        (incoherent(centre(at)) - 1.0).to_string()
    });
    // Outside the region, and too far above it.
    writeln!(text, "90.5,3,1.5,-70\n20.5,3,4,-70").unwrap();
    folder.write("m.csv", &text);
    let away: Vec<f64> = places()
        .into_iter()
        .map(|at| (at[0] - centre(at)[0]).hypot(at[1] - centre(at)[1]))
        .collect();
    for out in ["c.npz", "c.zarr"] {
        let run = folder.keller(&["coverage", "c.toml", "-o", out]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let found = json(&folder, &["m.csv", "--coverage", out]);
        assert_eq!(plain(&found, "count"), 10.0, "{out}");
        assert!((plain(&found, "mean") - 1.0).abs() < 1e-4, "{out}: {found}");
        assert!(plain(&found, "standard_deviation") < 1e-4, "{out}: {found}");
        let cells = &found["cells"];
        assert_eq!(cells["without"], 2, "{out}");
        let mean = away.iter().sum::<f64>() / 10.0;
        assert!(
            (number(cells, &["mean_distance_m"]) - mean).abs() < 1e-9,
            "{cells}"
        );
        let largest = away.iter().copied().fold(0.0, f64::max);
        assert!(
            (number(cells, &["largest_distance_m"]) - largest).abs() < 1e-9,
            "{cells}"
        );
        assert_eq!(found["parts"][1]["name"], "line of sight");
    }
    let run = folder.keller(&["compare", "s.toml", "m.csv", "--coverage", "c.npz"]);
    assert!(
        run.stdout.contains("the nearest cells are")
            && run.stdout.contains("2 measurements are left out"),
        "{}",
        run.stdout
    );
    // The comparison is with the same scenario by exact paths, which is nearer to exact measurements.
    let exact = measured("path_gain_db", |_, at| incoherent(at).to_string());
    folder.write("exact.csv", &(exact + "90.5,3,1.5,-70\n"));
    let run = folder.keller(&[
        "compare",
        "s.toml",
        "exact.csv",
        "--coverage",
        "c.npz",
        "--against",
        "c.toml",
    ]);
    assert!(
        run.stdout.contains("c.toml is nearer: at 10 measurements"),
        "{}",
        run.stdout
    );
}

/// Heights above the ground, in a coverage and in measurements.
#[test]
fn cells_above_the_ground_are_found_there() {
    let folder = folder("coverage-ground");
    let cells = CELLS.replace(
        "heights = [1.5]",
        "heights = [1.5, 4]\nheight_above = \"ground\"",
    );
    folder.write("ground.obj", &GROUND.replace(" 0\n", " 7\n"));
    folder.write(
        "c.toml",
        &format!("{SCENARIO}{cells}").replace("0, 0, 10", "0, 0, 17"),
    );
    folder.write("s.toml", &SCENARIO.replace("0, 0, 10", "0, 0, 17"));
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.npz"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let mut text = "x,y,height_above_ground,path_gain_db\n".to_owned();
    for [x, y, z] in [[21.0, 3.0, 1.5], [-33.0, 15.0, 4.0]] {
        writeln!(text, "{x},{y},{z},{}", incoherent([x, y, z])).unwrap();
    }
    folder.write("m.csv", &text);
    let found = json(&folder, &["m.csv", "--coverage", "c.npz"]);
    assert!(plain(&found, "rmse") < 1e-4, "{found}");
    assert!(
        number(&found["cells"], &["largest_distance_m"]) < 1e-3,
        "{found}"
    );
}

#[test]
fn surfaces_predict_with_the_side_that_faces_the_place() {
    let folder = folder("coverage-surfaces");
    let surfaces =
        "[paths]\nmax_reflections = 0\n[coverage]\nengine = \"surfaces\"\n[tiles]\nside = 4\n";
    // A wall that the mast sees from one side only.
    let wall = "v 30 -20 0\nv 30 20 0\nv 30 20 20\nv 30 -20 20\nusemtl ground\nf 5 6 7 8\n";
    folder.write("ground.obj", &format!("{GROUND}{wall}"));
    folder.write("c.toml", &format!("{SCENARIO}{surfaces}"));
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.npz"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let gain = |at: [f64; 3]| 20.0 * (WAVELENGTH / (4.0 * PI * lengths(at)[0])).log10();
    // The centres of tiles of 4 m are at odd multiples of 2 m; places are near them, before the wall and behind it.
    let mut text = "x,y,z,path_gain_db\n".to_owned();
    for [y, z] in [[2.0, 6.0], [-10.0, 14.0]] {
        writeln!(
            text,
            "29.5,{y},{z},{}\n30.5,{y},{z},-90",
            gain([30.0, y, z])
        )
        .unwrap();
    }
    folder.write("m.csv", &text);
    let found = json(&folder, &["m.csv", "--coverage", "c.npz"]);
    assert_eq!(plain(&found, "count"), 2.0, "{found}");
    assert!(plain(&found, "rmse") < 1e-3, "{found}");
    let offset = &found["parts"][0]["offset"]["none"];
    assert_eq!(offset["unreached"], 2, "{offset}");
    assert!(
        (number(&found["cells"], &["mean_distance_m"]) - 0.5).abs() < 1e-6,
        "{found}"
    );
}

#[test]
fn coverages_that_do_not_fit_are_one_message() {
    let folder = folder("coverage-bad");
    folder.write(
        "m.csv",
        &measured("path_gain_db", |_, at| incoherent(at).to_string()),
    );
    let coverage = |name: &str, scenario: &str, out: &str| {
        folder.write(name, scenario);
        let run = folder.keller(&["coverage", name, "-o", out]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    };
    let cells = CELLS.replace("resolution = 2", "resolution = 20");
    coverage("c.toml", &format!("{SCENARIO}{cells}"), "c.npz");
    coverage("c.toml", &format!("{SCENARIO}{cells}"), "c.csv");
    coverage(
        "all.toml",
        &format!("{SCENARIO}{cells}per_tx = false\n"),
        "all.npz",
    );
    coverage(
        "other.toml",
        &format!("{SCENARIO}{cells}").replace("mast", "roof"),
        "other.npz",
    );
    coverage(
        "far.toml",
        &format!(
            "{SCENARIO}{}",
            cells
                .replace("-80, -80", "400, 400")
                .replace("80, 80]", "480, 480]")
        ),
        "far.npz",
    );
    folder.write("broken.npz", "PK and nothing else");
    folder.write("archive.npz", "");
    folder.write_bytes(
        "archive.npz",
        &npz(&[("power", "<f8", "(1,)", &1.0_f64.to_le_bytes())]),
    );
    for (file, message) in [
        ("missing.npz", "missing.npz"),
        (
            "c.csv",
            "c.csv: this format holds no gains that can be read back; accepted: a .npz or .zarr",
        ),
        ("broken.npz", "broken.npz: this is no NPZ archive"),
        ("archive.npz", "archive.npz: there is no array path_gain_db"),
        (
            "all.npz",
            "with per_tx = false only what cells receive is written",
        ),
        (
            "other.npz",
            "the coverage has no Tx `mast` of s.toml; it has roof",
        ),
        (
            "far.npz",
            "nothing can be compared: none of 10 measurements is in the coverage",
        ),
        ("no.zarr", "no.zarr: this is no Zarr store"),
    ] {
        let run = folder.keller(&["compare", "s.toml", "m.csv", "--coverage", file]);
        assert!(
            run.code == Some(2) && run.stderr.contains(message),
            "expected: {message}\nfound: {}",
            run.stderr
        );
    }
}
