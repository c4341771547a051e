//! `[coverage] multipath = true`: the figures of all paths of a cell together, in files.

use std::sync::OnceLock;

use crate::common::{Folder, SCENARIO};

/// The scenario with cells and more keys of `[coverage]` in place of its receiver.
fn scenario(cells: &str, more: &str) -> String {
    let head = SCENARIO.replace("[[rx]]\nposition = [4, 0, 3]\n", "");
    let head = head.replace("search = \"exhaustive\"", "max_interactions = 1");
    format!("{head}[coverage]\nheights = [3]\nmultipath = true\n{cells}{more}")
}

/// The first row of a table, by column.
fn first_row(folder: &Folder, file: &str) -> impl Fn(&str) -> f64 {
    let text = folder.read(file);
    let mut lines = text.lines().map(|line| {
        let values = line.split(',').map(ToOwned::to_owned);
        values.collect::<Vec<String>>()
    });
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    move |name| {
        let place = names.iter().position(|n| n == name);
        let place = place.unwrap_or_else(|| panic!("{name} in {names:?}"));
        values[place].parse().unwrap()
    }
}

#[test]
fn a_cell_has_what_the_channel_to_its_centre_has() {
    let folder = Folder::new("multipath-cell");
    // Off the centre of the square, so that no angle is special.
    let receiver = "position = [4, 1, 3]\npolarization = \"VH\"";
    let channel = SCENARIO.replace("position = [4, 0, 3]", receiver);
    folder.write("channel.toml", &channel);
    let run = folder.keller(&["channel", "channel.toml", "-o", "channel.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let channel = first_row(&folder, "channel.csv");
    let cells = "min = [3.9, 0.9]\nmax = [4.1, 1.1]\nresolution = 0.2\n";
    let engines = [
        ("engine = \"points\"\n", 1e-9),
        ("engine = \"tubes\"\naccuracy = \"exact\"\n", 5e-3),
    ];
    for (engine, tolerance) in engines {
        folder.write("c.toml", &scenario(cells, engine));
        let run = folder.keller(&["coverage", "c.toml", "-o", "c.csv"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let cell = first_row(&folder, "c.csv");
        assert_eq!((cell("num_paths"), cell("line_of_sight")), (2.0, 1.0));
        for (own, reference, scale) in [
            ("path_gain_db", "gain_incoherent_db", 10.0),
            ("coherent_gain_db", "gain_coherent_db", 10.0),
            ("mean_delay_s", "mean_delay_s", 1e-8),
            ("delay_spread_s", "delay_spread_s", 1e-8),
            ("zsd", "zsd", 1.0),
            ("asd", "asd", 1.0),
            ("zsa", "zsa", 1.0),
            ("asa", "asa", 1.0),
        ] {
            let (own_value, expected) = (cell(own), channel(reference));
            assert!(
                (own_value - expected).abs() < tolerance * scale,
                "{engine}: {own} {own_value} for {expected}"
            );
        }
        // Both paths come from the azimuth of the Tx, 8 m west and 1 m south.
        let azimuth = f64::atan2(-1.0, -8.0);
        assert!((cell("aoa") - azimuth).abs() < 1e-6, "{}", cell("aoa"));
        let free_space =
            20.0 * (0.085_654_988 / (4.0 * std::f64::consts::PI * 65.0_f64.sqrt())).log10();
        assert!(
            (cell("strongest_gain_db") - free_space).abs() < 1e-3,
            "{} for {free_space}",
            cell("strongest_gain_db")
        );
    }
    // The same in arrays, whose counts are whole.
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.zarr"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let cell = first_row(&folder, "c.csv");
    assert_eq!(folder.zarr("c.zarr", "num_paths"), [2.0]);
    for array in ["coherent_gain_db", "delay_spread_s", "zoa", "zsa"] {
        let (value, expected) = (folder.zarr("c.zarr", array)[0], cell(array));
        // The figures have 32 bits.
        assert!(
            (value / expected - 1.0).abs() < 6e-8,
            "{array}: {value} for {expected}"
        );
    }
    let about = folder.read("c.zarr/delay_spread_s/.zattrs");
    assert!(about.contains("\"units\": \"s\""), "{about}");
}

/// The same for all tests.
static LEAST: OnceLock<String> = OnceLock::new();

/// Cells enough for several blocks in little memory, and the least `--memory` that is accepted, with room for a second of 16 384 cells.
fn in_blocks(folder: &Folder) -> String {
    let cells = "min = [-8, -8]\nmax = [8, 8]\nresolution = [0.05, 0.05]\n";
    let more = "engine = \"tubes\"\naccuracy = \"quick\"\n";
    folder.write("c.toml", &scenario(cells, more));
    let least = || folder.min_memory(&["coverage", "c.toml", "-o", "least.zarr", "--threads", "1"]);
    LEAST.get_or_init(least).clone()
}

#[test]
fn blocks_and_threads_change_not_a_byte() {
    let folder = Folder::new("multipath-blocks");
    // Several blocks of the 102 400 cells.
    let memory = in_blocks(&folder);
    let fill = |out: &str, more: &[&str]| {
        let run = folder.keller(&[&["coverage", "c.toml", "-o", out], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    };
    fill("whole.zarr", &[]);
    fill("small.zarr", &["--memory", &memory, "--threads", "1"]);
    let run = folder.shell("diff -r whole.zarr small.zarr");
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
}

/// A run that is asked to stop, or killed while a block is written, ends with the bytes of one that was left alone.
#[cfg(unix)]
#[test]
fn what_was_stopped_or_killed_goes_on() {
    let folder = Folder::new("multipath-resume");
    let memory = in_blocks(&folder);
    let whole = folder.keller(&["coverage", "c.toml", "-o", "whole.zarr"]);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let keller = env!("CARGO_BIN_EXE_keller");
    for (signal, code) in [("INT", 130), ("KILL", 137)] {
        let out = format!("{signal}.zarr");
        // The run is stopped as soon as the first block has its checksum, behind the header of 64 bytes. The run is
        // nice, so that the observer is in time on a busy machine too.
        let run = folder.shell(&format!(
            "nice -n 19 {keller} coverage c.toml -o {out} --memory {memory} --threads 1 & p=$!
             until [ -f {out}.part ] && [ \"$(od -An -tx8 -j64 -N8 {out}.part | tr -d ' 0\\n')\" ]; do
                 kill -0 $p || break; sleep 0.002; done
             kill -{signal} $p; wait $p"
        ));
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert!(!folder.names_in("").contains(&out), "{out} is not whole");
        let kept = run.stderr.contains(&format!("is kept in {out}.part"));
        assert_eq!(kept, signal == "INT", "{}", run.stderr);
        let again = folder.keller(&["coverage", "c.toml", "-o", &out, "--resume"]);
        assert_eq!(again.code, Some(0), "{}", again.stderr);
        let run = folder.shell(&format!("diff -r whole.zarr {out}"));
        assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
        assert!(!folder.names_in("").contains(&format!("{out}.part")));
    }
}

#[test]
fn what_has_no_multipath_is_refused_with_a_way_out() {
    let folder = Folder::new("multipath-refused");
    let cells = "min = [-1, -1]\nmax = [1, 1]\nresolution = 1\nengine = \"tubes\"\n";
    for (more, told) in [
        (
            "rooftops = true\n",
            "multipath: stands beside `rooftops = true`, whose chains bring gains only: leave out one of the two",
        ),
        (
            "per_tx = false\n",
            "multipath: stands beside `per_tx = false`, which leaves out what it is of: leave out one of the two",
        ),
    ] {
        folder.write("c.toml", &scenario(cells, more));
        for out in ["c.tif", "c.csv", "c.zarr", "c.png"] {
            let run = folder.keller(&["coverage", "c.toml", "-o", out]);
            assert_eq!(run.code, Some(2), "{}", run.stderr);
            assert!(run.stderr.contains(told), "{}", run.stderr);
            assert!(!folder.names_in("").contains(&out.to_owned()), "{out}");
        }
    }
}
