//! `keller coverage` in blocks: bounded memory, Ctrl-C and `--resume`, and warnings.

use std::fmt::Write as _;

use crate::common::{Folder, SCENARIO};

/// A house of concrete without a floor next to the square.
const HOUSE: &str = "usemtl concrete\nv 20 -5 0\nv 30 -5 0\nv 30 5 0\nv 20 5 0\nv 20 -5 9\nv 30 -5 9\nv 30 5 9\nv 20 5 9\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// Tubes with the figures of all paths of a cell: these take memory by the cell, so that little memory means many
/// blocks.
const TUBES: &str = "engine = \"tubes\"\naccuracy = \"quick\"\nmultipath = true\n";

/// Cells this narrow suit the paths to every cell.
const POINTS: &str = "engine = \"points\"\n";

/// Several Tx over the square, and a region of `columns` times 400 cells above it.
fn scenario(num_tx: usize, columns: usize, more: &str) -> String {
    let mut tx = String::new();
    for k in 0..num_tx {
        writeln!(
            tx,
            "[[tx]]\nposition = [-{k}.5, {k}, 3]\npower_dbm = {}",
            30 - k
        )
        .unwrap();
    }
    let head = SCENARIO.replace("[[tx]]\nposition = [-4, 0, 3]\n", &tx);
    let resolution = 16.0 / columns as f64;
    format!(
        "{head}[coverage]\nmin = [-8, -8]\nmax = [8, 8]\nresolution = [{resolution}, 0.04]\nheights = [2]\nnoise_dbm = -90\n{more}"
    )
}

/// Two stores that hold the same.
fn assert_same(folder: &Folder, a: &str, b: &str) {
    let run = folder.shell(&format!("diff -r {a} {b}"));
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
}

#[test]
fn results_depend_neither_on_memory_nor_on_threads() {
    let one = scenario(1, 400, TUBES);
    same_with_little_memory("coverage-memory", &one);
}

/// The sectors of a mast share a trace, however many blocks they need.
#[test]
fn nor_do_those_of_tx_at_one_place() {
    let mut text = scenario(2, 450, TUBES);
    for k in 0..2 {
        let sector = format!(
            "position = [-0.5, 0, 3]\nantenna = \"tr38901\"\norientation_deg = [{}, 5, 0]",
            180 * k
        );
        text = text.replace(&format!("position = [-{k}.5, {k}, 3]"), &sector);
    }
    same_with_little_memory("coverage-memory-place", &text);
}

fn same_with_little_memory(name: &str, text: &str) {
    let folder = Folder::new(name);
    folder.write(
        "c.toml",
        &text.replace("search = \"exhaustive\"", "max_interactions = 1"),
    );
    let fill = |out: &str, more: &[&str]| {
        folder.keller(&[&["coverage", "c.toml", "-o", out], more].concat())
    };
    let run = fill("whole.zarr", &[]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let peak = run.stderr.split(" MB at most").next().unwrap();
    let peak: u64 = peak.split(' ').next_back().unwrap().parse().unwrap();
    let memory = folder.min_memory(&["coverage", "c.toml", "-o", "least.zarr", "--threads", "1"]);
    let cap: u64 = memory.trim_end_matches("MB").parse().unwrap();
    assert!(peak > cap, "{peak} MB fit in {cap} MB, in one block");
    let run = fill("small.zarr", &["--memory", &memory, "--threads", "1"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_same(&folder, "whole.zarr", "small.zarr");
    let names = folder.names();
    let is_left = names.iter().any(|name| name.contains(".part"));
    assert!(!is_left, "{names:?}");
}

/// Stopped halfway, a run leaves its finished blocks, and ends as one that was not.
#[cfg(unix)]
#[test]
fn a_stopped_run_goes_on_and_ends_with_the_same_bytes() {
    let folder = Folder::new("coverage-resume");
    folder.write("c.toml", &scenario(6, 200, POINTS));
    let whole = folder.keller(&["coverage", "c.toml", "-o", "whole.zarr"]);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    // Ctrl-C as soon as the first block has its checksum, which stands behind the header of 64 bytes.
    let keller = env!("CARGO_BIN_EXE_keller");
    let stop = |more: &str| {
        folder.shell(&format!(
            "{keller} coverage c.toml -o c.zarr {more} & p=$!
             until [ -f c.zarr.part ] && [ \"$(od -An -tx8 -j64 -N8 c.zarr.part | tr -d ' 0\\n')\" ]; do
                 kill -0 $p || break; sleep 0.002; done
             kill -INT $p; wait $p"
        ))
    };
    let run = stop("");
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(
        run.stderr.contains("is kept in c.zarr.part"),
        "{}",
        run.stderr
    );
    assert_eq!(
        folder
            .names_in("")
            .iter()
            .filter(|n| n.contains(".tmp"))
            .count(),
        0
    );
    // The part file is not thrown away by a slip.
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.zarr"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("--resume"), "{}", run.stderr);
    // A changed scenario is no going on.
    folder.write("c.toml", &scenario(6, 200, POINTS).replace("30", "31"));
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.zarr", "--resume"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("c.zarr.part: what is finished here is of another command, scenario"),
        "{}",
        run.stderr
    );
    // A new run does not begin over results that may have taken hours.
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.zarr"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("c.zarr.part: finished work of another command, scenario"),
        "{}",
        run.stderr
    );
    folder.write("c.toml", &scenario(6, 200, POINTS));
    // Torn: the last gains never reached the disk.
    let torn = folder.shell("truncate -s 300000 c.zarr.part");
    assert_eq!(torn.code, Some(0), "{}", torn.stderr);
    let run = folder.keller(&[
        "coverage",
        "c.toml",
        "-o",
        "c.zarr",
        "--resume",
        "--threads",
        "1",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_same(&folder, "whole.zarr", "c.zarr");
    assert!(!folder.names().contains(&"c.zarr.part".to_owned()));
}

#[test]
fn without_the_gains_of_every_tx_the_layers_are_the_same() {
    let folder = Folder::new("coverage-layers");
    folder.write("all.toml", &scenario(6, 20, ""));
    folder.write("few.toml", &scenario(6, 20, "per_tx = false\n"));
    for name in ["all", "few"] {
        let toml = format!("{name}.toml");
        let run = folder.keller(&["coverage", &toml, "-o", &format!("{name}.zarr")]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    assert!(
        folder
            .names_in("all.zarr")
            .contains(&"path_gain_db".to_owned())
    );
    assert!(
        !folder
            .names_in("few.zarr")
            .contains(&"path_gain_db".to_owned())
    );
    let layers = [
        "best_server",
        "received_power_dbm",
        "second_server",
        "second_power_dbm",
        "total_power_dbm",
        "sinr_db",
    ];
    let values =
        |name: &str, layer: &str| -> Vec<f64> { folder.zarr(&format!("{name}.zarr"), layer) };
    for layer in layers {
        let [all, few] = ["all", "few"].map(|name| values(name, layer));
        assert_eq!(all.len(), 20 * 400, "{layer}");
        let same = all
            .iter()
            .zip(&few)
            .all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same, "{layer}");
    }
    // The total is that of the gains, and more than the best two alone.
    let gains = values("all", "path_gain_db");
    let gains: Vec<&[f64]> = gains.chunks_exact(20 * 400).collect();
    // The tolerance is half of the last place of 128 dB at both ends, for decibels in 32 bits.
    let tolerance = 4e-6;
    let watts = |dbm: f64| 10_f64.powf(dbm / 10.0);
    let seconds = values("all", "second_power_dbm");
    for (cell, total) in values("all", "total_power_dbm").into_iter().enumerate() {
        let powers: Vec<f64> = (0..6)
            .map(|tx| watts(gains[tx][cell] + 30.0 - tx as f64))
            .collect();
        let sum: f64 = powers.iter().sum();
        assert!(
            (watts(total) / sum - 1.0).abs() < tolerance,
            "{total} in {cell}"
        );
        let mut sorted = powers;
        sorted.sort_by(|a, b| b.total_cmp(a));
        let second = watts(seconds[cell]);
        assert!(
            (second / sorted[1] - 1.0).abs() < tolerance,
            "{second} in {cell}"
        );
        if cell > 100 {
            break;
        }
    }
}

#[test]
fn what_looks_wrong_is_a_warning() {
    let folder = Folder::new("coverage-warnings");
    folder.write(
        "square.obj",
        &format!(
            "{}{HOUSE}",
            crate::common::SQUARE.replace("f 1 2 3 4\n", "")
        ),
    );
    let obj = folder.read("square.obj");
    // Indices of the house count from its own first vertex.
    let obj: String = obj
        .lines()
        .map(|line| match line.strip_prefix("f ") {
            None => format!("{line}\n"),
            Some(face) => {
                let face: Vec<String> = face
                    .split(' ')
                    .map(|v| (v.parse::<usize>().unwrap() + 4).to_string())
                    .collect();
                format!("f {}\n", face.join(" "))
            }
        })
        .collect();
    folder.write("square.obj", &format!("{obj}f 1 2 3 4\n"));
    let with = |position: &str, region: &str| {
        let text = SCENARIO.replace("position = [-4, 0, 3]", position);
        folder.write(
            "c.toml",
            &format!("{text}[coverage]\n{region}\nheights = [2]\n"),
        );
        let run = folder.keller(&["coverage", "c.toml"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stderr
    };
    let around = "min = [-9, -9]\nmax = [40, 9]\nresolution = 3";
    let told = with("position = [25, 0, 4]", around);
    assert!(
        told.contains("c.toml:4: Tx 0 at (25.0, 0.0, 4.0) is inside a building"),
        "{told}"
    );
    let told = with("position = [-4, 0, 3]", around);
    assert!(!told.contains("warning"), "{told}");
    let told = with("position = [-4, 20, 3]", around);
    assert!(told.contains("stands outside the region"), "{told}");
    let told = with(
        "position = [-4, 0, 3]",
        "min = [90, 0]\nmax = [99, 9]\nresolution = 3",
    );
    assert!(told.contains("does not overlap the scene"), "{told}");
    // Heights are measured from z = 0 of the scene, which may lie far above the intended place.
    let below = around.replace("resolution", "heights = [-3]\nresolution");
    folder.write("c.toml", &format!("{SCENARIO}[coverage]\n{below}\n"));
    let run = folder.keller(&["coverage", "c.toml"]);
    assert!(run.stderr.contains("below the scene"), "{}", run.stderr);
}
