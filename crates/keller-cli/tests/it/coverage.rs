//! `keller coverage` as a user meets it.

use std::fmt::Write as _;

use crate::common::{Folder, SCENARIO};

/// One column of cells over the square, around where the receiver of the scenario stands.
const CELLS: &str = "[coverage]\nmin = [3, -1]\nmax = [5, 1]\nresolution = 2\nheights = [3, 5]\n";

#[test]
fn a_cell_of_every_output_has_what_a_receiver_there_has() {
    let folder = Folder::new("coverage-outputs");
    let scenario = SCENARIO.replace("[[rx]]\nposition = [4, 0, 3]\n", "");
    let scenario = format!(
        "{scenario}[coverage]\nmin = [3, -1]\nmax = [5, 1]\nresolution = 2\nheights = [3, 5]\nengine = \"points\"\nnoise_dbm = -90\n"
    );
    folder.write("c.toml", &scenario);
    for out in ["c.csv", "c.json", "c.parquet", "c.npz"] {
        let run = folder.keller(&["coverage", "c.toml", "-o", out, "--picture", "c.svg"]);
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (Some(0), ""),
            "{}",
            run.stderr
        );
        let [warning, summary] = run.stderr.lines().collect::<Vec<_>>()[..] else {
            panic!("a warning and the summary, not {}", run.stderr);
        };
        assert!(warning.contains("outside the region"), "{warning}");
        assert!(
            summary.starts_with("2 cells, 1 Tx (search exhaustive);"),
            "{summary}"
        );
    }
    // A store is replaced by a new one, anything else is not.
    for _ in 0..2 {
        let run = folder.keller(&["coverage", "c.toml", "-o", "c.zarr"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let gains = folder.zarr("c.zarr", "path_gain_db");
    assert_eq!(gains.len(), 2);
    assert!(
        folder
            .read("c.zarr/path_gain_db/.zattrs")
            .contains("\"tx\",\n    \"z\"")
    );
    assert!(folder.names().iter().all(|name| !name.contains(".tmp")));
    let made = folder.shell("mkdir d.zarr");
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let run = folder.keller(&["coverage", "c.toml", "-o", "d.zarr"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .contains("d.zarr: cannot be written: there is something else"),
        "{}",
        run.stderr
    );
    assert!(folder.read("c.svg").contains("data:image/png;base64,"));
    let run = folder.keller(&["coverage", "c.toml", "--picture", "c.png"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(folder.read_bytes("c.png").starts_with(b"\x89PNG"));
    let text = folder.read("c.csv");
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(
        rows[0],
        [
            "tx",
            "x",
            "y",
            "z",
            "path_gain_db",
            "received_power_dbm",
            "sinr_db",
            "longitude",
            "latitude",
            "doubtful_rooftops",
            "tx_name"
        ]
    );
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[1][..4], ["0", "4.0", "0.0", "3.0"]);
    // The same by the paths to a receiver of both polarisations there.
    let both = SCENARIO.replace(
        "position = [4, 0, 3]",
        "position = [4, 0, 3]\npolarization = \"VH\"",
    );
    folder.write("p.toml", &both);
    let run = folder.keller(&["channel", "p.toml", "-o", "p.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let channel = folder.read("p.csv");
    let gain: f64 = channel
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .nth(4)
        .unwrap()
        .parse()
        .unwrap();
    let number = |k: usize| rows[1][k].parse::<f64>().unwrap();
    assert!((number(4) - gain).abs() < 1e-9, "{} and {gain}", number(4));
    // Stores have 32 bits.
    assert!((gains[0] - number(4)).abs() < 4e-6, "in the store");
    assert!((number(5) - gain - 30.0).abs() < 1e-9, "power at 30 dBm");
    // No Tx interferes: the ratio is over the noise alone.
    assert!((number(6) - number(5) - 90.0).abs() < 1e-9, "sinr");
}

#[test]
fn what_cannot_be_filled_is_one_clear_error() {
    let folder = Folder::new("coverage-errors");
    let run = folder.keller(&["coverage", "s.toml"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains("s.toml: [coverage] is missing"),
        "{}",
        run.stderr
    );
    folder.write(
        "c.toml",
        &format!(
            "{SCENARIO}{}",
            CELLS.replace("max = [5, 1]", "max = [2, 1]")
        ),
    );
    let run = folder.keller(&["coverage", "c.toml"]);
    assert_eq!(run.code, Some(2));
    let expected =
        "c.toml:10: [coverage]: the region of the coverage cannot be used: from 3 to 2 along x";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    folder.write("c.toml", &format!("{SCENARIO}{CELLS}"));
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.xyz"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr.contains(
            ".csv, .parquet, .json, .npz, .zarr, .tif, .png, .svg, .kmz, .geojson or .glb"
        ),
        "{}",
        run.stderr
    );
    // Paths need a receiver, a coverage does not.
    let without = SCENARIO.replace("[[rx]]\nposition = [4, 0, 3]\n", "");
    folder.write("c.toml", &format!("{without}{CELLS}"));
    let run = folder.keller(&["paths", "c.toml"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("receiver"), "{}", run.stderr);
}

#[test]
fn tubes_are_as_points_and_refuse_what_they_do_not_follow() {
    let folder = Folder::new("coverage-tubes");
    let with = |more: &str| {
        format!(
            "{}{CELLS}{more}",
            SCENARIO.replace("search = \"exhaustive\"", "max_interactions = 1")
        )
    };
    folder.write("p.toml", &with(""));
    folder.write(
        "t.toml",
        &with("engine = \"tubes\"\naccuracy = \"exact\"\n"),
    );
    let gains = |scenario: &str| -> Vec<f64> {
        let run = folder.keller(&["coverage", scenario, "--json"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let table: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let rows = table["cells"].as_array().unwrap();
        rows.iter()
            .map(|row| row["path_gain_db"].as_f64().unwrap())
            .collect()
    };
    let (points, tubes) = (gains("p.toml"), gains("t.toml"));
    assert_eq!((points.len(), tubes.len()), (2, 2));
    for (p, t) in points.iter().zip(&tubes) {
        assert!((p - t).abs() < 0.05, "{p} {t}");
    }
    let bent = with("engine = \"tubes\"\nrooftops = true\n");
    let bent = bent.replace("max_interactions = 1", "max_diffractions = 2");
    folder.write("d.toml", &bent);
    let run = folder.keller(&["coverage", "d.toml"]);
    assert_eq!(run.code, Some(2));
    let problem =
        "d.toml: [coverage] rooftops = true: it adds the waves over several roofs in a row";
    assert!(run.stderr.contains(problem), "{}", run.stderr);
}

/// Three walls as thin as a third of a wavelength: edges so near to each other that the theory of rooftops does not hold.
fn thin_walls(folder: &Folder, coverage: &str) {
    let mut obj = "# Z up\n".to_owned();
    let mut num = 0;
    let mut add = |corners: [[f64; 3]; 4]| {
        for [x, y, z] in corners {
            writeln!(obj, "v {x} {y} {z}").unwrap();
        }
        writeln!(obj, "f {} {} {} {}", num + 1, num + 2, num + 3, num + 4).unwrap();
        num += 4;
    };
    add([
        [-20., -30., 0.],
        [120., -30., 0.],
        [120., 30., 0.],
        [-20., 30., 0.],
    ]);
    for x in [20.0, 40.0, 60.0] {
        let (near, far, south, north) = (x, x + 0.1, -25.0, 25.0);
        let [a, b, c, d] = [[near, south], [far, south], [far, north], [near, north]];
        for [from, to] in [[a, b], [b, c], [c, d], [d, a]] {
            add([
                [from[0], from[1], 0.0],
                [to[0], to[1], 0.0],
                [to[0], to[1], 10.0],
                [from[0], from[1], 10.0],
            ]);
        }
        add([a, b, c, d].map(|[x, y]| [x, y, 10.0]));
    }
    folder.write("walls.obj", &obj);
    folder.write(
        "c.toml",
        &format!(
            "frequency_hz = 1e9\n[scene]\nfile = \"walls.obj\"\n[materials.default]\nitu = \"concrete\"\n[[tx]]\nposition = [0, 0, 12]\n[paths]\nmax_reflections = 0\n[coverage]\nengine = \"tubes\"\nmin = [-20, -30]\nmax = [120, 30]\nheights = [1.5]\n{coverage}"
        ),
    );
}

#[test]
fn results_say_where_rooftops_are_beyond_the_theory() {
    let folder = Folder::new("coverage-doubtful");
    thin_walls(&folder, "resolution = 5\nrooftops = true\n");
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.csv", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let table = folder.read("c.csv");
    let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "doubtful_rooftops");
    let column = column.unwrap();
    // The doubtful cells are behind the first wall, and not before it.
    let doubtful: Vec<f64> = rows[1..]
        .iter()
        .filter(|row| row[column] == "1.0")
        .map(|row| row[1].parse().unwrap())
        .collect();
    assert!(
        doubtful.len() > 20 && doubtful.iter().all(|x| *x > 20.0),
        "{doubtful:?}"
    );
    let count = format!("\"doubtful_rooftop_cells\": {}", doubtful.len());
    assert!(run.stdout.contains(&count), "{}", run.stdout);
    assert!(
        run.stderr
            .contains(&format!("warning: {} cells", doubtful.len()))
    );
    // The same in arrays.
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.zarr"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let values = folder.zarr("c.zarr", "doubtful_rooftops");
    assert_eq!(
        values.iter().filter(|value| **value == 1.0).count(),
        doubtful.len()
    );
    assert!(values.iter().all(|value| [0.0, 1.0, -1.0].contains(value)));
}

#[test]
fn too_little_memory_for_tubes_says_so() {
    let folder = Folder::new("coverage-tubes-memory");
    thin_walls(&folder, "resolution = 0.2\n");
    let before = folder.names();
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.npz", "--memory", "45MB"]);
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    let said = "--memory 42.9 MiB: not enough for tubes over 700 x 300 columns:";
    assert!(run.stderr.contains(said), "{}", run.stderr);
    assert_eq!(folder.names(), before);
}
