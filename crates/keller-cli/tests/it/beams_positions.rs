//! Maps by beams for one position of a Tx after the other, as a user asks for them.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use crate::beams::{SCENARIO, town};

/// A Tx near the first, with an antenna that looks to one side.
const SECTOR: &str =
    "[[tx]]\nname = \"sector\"\nantenna = \"tr38901\"\nazimuth_deg = 30\nposition = [60, -50, 9]\n";

/// The numbers of the array that `bytes` begin with, its shape, and what follows it.
fn npy(bytes: &[u8]) -> (Vec<f32>, String, &[u8]) {
    let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..start]).unwrap();
    assert!(header.contains("'<f4'"), "{header}");
    let (_, shape) = header.split_once("'shape': (").unwrap();
    let shape = shape.split_once(')').unwrap().0;
    let count: usize = shape
        .split(',')
        .filter_map(|n| n.trim().parse::<usize>().ok())
        .product();
    let (data, rest) = bytes[start..].split_at(4 * count);
    (floats(data), shape.to_owned(), rest)
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let chunks = bytes.as_chunks().0.iter();
    chunks.map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

fn assert_same(ours: &[f32], theirs: &[f32]) {
    let is_same = |(a, b): (&f32, &f32)| a == b || a.is_nan() && b.is_nan();
    assert_eq!(ours.len(), theirs.len(), "cells");
    let num_same = ours
        .iter()
        .zip(theirs)
        .filter(|pair| is_same(*pair))
        .count();
    assert_eq!(num_same, ours.len(), "cells of the same gain");
    let num_reached = ours.iter().filter(|gain| gain.is_finite()).count();
    assert!(num_reached > ours.len() / 4, "{num_reached} cells reached");
}

#[test]
fn a_map_for_each_line_is_that_of_a_tx_there() {
    let folder = town("beams-positions");
    let both = SCENARIO.replace("[coverage]", &format!("{SECTOR}[coverage]"));
    let both = both.replace("heights = [1.5]", "heights = [1.5, 14]");
    let limit = "path_loss_limit_db = 95\n";
    folder.write("s.toml", &format!("{both}{limit}"));
    // The same Tx where the lines say.
    let moved = both
        .replace("[-40, 0, 6]", "[-33.5, 41, 20]")
        .replace("[60, -50, 9]", "[2, 50, 3]");
    folder.write("moved.toml", &format!("{moved}{limit}"));
    let run = folder.keller(&["coverage", "moved.toml", "-o", "moved.npz"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let expected = floats(&folder.npz("moved.npz", "path_gain_db").2);
    let [first, second] = [0, 1].map(|k| &expected[k * expected.len() / 2..][..expected.len() / 2]);

    let lines = "-33.5 41 20\n\n# The other one.\n sector\t2 50 3e0\nmast -33.5 41 20";
    folder.write("lines.txt", lines);
    let program = env!("CARGO_BIN_EXE_keller");
    folder.must(&format!(
        "{program} coverage s.toml --positions - --threads 1 < lines.txt > maps 2> told"
    ));
    let told = folder.read("told");
    assert!(told.contains("3 maps of 10368 cells"), "{told}");
    let maps = folder.read_bytes("maps");
    let mut rest = &maps[..];
    for expected in [first, second, first] {
        let (map, shape, after) = npy(rest);
        assert_eq!(shape, "2, 72, 72,");
        assert_same(&map, expected);
        rest = after;
    }
    assert!(rest.is_empty());
    assert!(first.contains(&f32::NEG_INFINITY));
    // A pipe that a shell makes is read as its file is.
    folder.must(&format!(
        "bash -c '{program} coverage s.toml --positions <(cat lines.txt) > piped' 2> told"
    ));
    assert!(
        folder.read_bytes("piped") == maps,
        "{}",
        folder.read("told")
    );

    let run = folder.keller(&[
        "coverage",
        "s.toml",
        "--positions",
        "lines.txt",
        "-o",
        "maps.npy",
    ]);
    assert_eq!((run.code, &run.stdout[..]), (Some(0), ""), "{}", run.stderr);
    let stacked = folder.read_bytes("maps.npy");
    let (stacked, shape, rest) = npy(&stacked);
    assert_eq!(shape, "3, 2, 72, 72,");
    assert!(rest.is_empty());
    assert_same(&stacked, &[first, second, first].concat());
}

#[test]
fn a_map_comes_before_the_next_line_is_read() {
    let folder = town("beams-conversation");
    folder.write("s.toml", SCENARIO);
    let mut program = Command::new(env!("CARGO_BIN_EXE_keller"))
        .args(["coverage", "s.toml", "--positions", "-"])
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (mut input, mut output) = (
        program.stdin.take().unwrap(),
        program.stdout.take().unwrap(),
    );
    for x in [-40, -50, -60] {
        writeln!(input, "{x} 0 6").unwrap();
        let mut bytes = vec![0; 128 + 4 * 72 * 72];
        output.read_exact(&mut bytes).unwrap();
        let (map, _, rest) = npy(&bytes);
        assert!(rest.is_empty());
        // The brightest cell is the nearest to the Tx.
        let strongest = map.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let at = map.iter().position(|gain| *gain == strongest).unwrap();
        let east = -90.0 + 2.5 * (at as f64 % 72.0 + 0.5);
        assert!((east - f64::from(x)).abs() < 2.5, "{east} m for {x} m");
    }
    drop(input);
    assert!(program.wait().unwrap().success());
}

#[test]
fn a_line_that_asks_for_no_map_is_named() {
    let folder = town("beams-lines");
    folder.write("s.toml", SCENARIO);
    let told = |line: &str| {
        folder.write(
            "lines.txt",
            &format!("# Places\n-40 0 6\n{line}\n-40 0 6\n"),
        );
        let program = env!("CARGO_BIN_EXE_keller");
        let run = folder.shell(&format!(
            "{program} coverage s.toml --positions - < lines.txt > maps"
        ));
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        let maps = folder.read_bytes("maps");
        assert!(npy(&maps).2.is_empty(), "{line}: one map, whole");
        let run = folder.keller(&[
            "coverage",
            "s.toml",
            "--positions",
            "lines.txt",
            "-o",
            "m.npy",
        ]);
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        assert!(
            run.stderr.contains("lines.txt:3: "),
            "{line}: {}",
            run.stderr
        );
        assert!(!folder.names().iter().any(|name| name.contains("m.npy")));
        run.stderr
    };
    for line in ["here", "1 2", "mast 1 2", "1, 2, 3", "1 2 3m"] {
        assert!(told(line).contains("accepted: x y z in metres"), "{line}");
    }
    for line in ["roof 1 2 3", "0 1 2 3"] {
        assert!(told(line).contains("accepted: mast"), "{line}");
    }
    assert!(told("NaN 0 2").contains("must be finite"));
    assert!(told("-40 0 -3").contains("3.0 m below the ground"));
    assert!(told("1e9 0 2").contains("outside the scene"));
}

#[test]
fn maps_of_positions_are_by_beams_alone() {
    let folder = town("beams-engines");
    folder.write("lines.txt", "-40 0 6\n");
    let told = |text: &str, more: &[&str]| {
        folder.write("s.toml", text);
        let args = ["coverage", "s.toml", "--positions", "lines.txt"];
        let run = folder.keller(&[&args, more].concat());
        assert_eq!((run.code, &run.stdout[..]), (Some(2), ""), "{}", run.stderr);
        run.stderr
    };
    let only = "maps of many positions need one [coverage] with engine = \"beams\"";
    for engine in ["tubes", "points", "auto"] {
        let text = SCENARIO.replace("beams", engine);
        let said = told(&text, &[]);
        assert!(said.contains(only) && said.contains(engine), "{said}");
    }
    let (before, _) = SCENARIO.split_once("[coverage]").unwrap();
    assert!(told(&format!("{before}[coverage]\nengine = \"surfaces\"\n"), &[]).contains(only));
    let receiver = "[[rx]]\nposition = [40, 0, 2]\n";
    assert!(told(&format!("{before}{receiver}"), &[]).contains(only));
    let two = SCENARIO.replace("[coverage]", "[[coverage]]\nname = \"a\"");
    let (_, region) = two.split_once("[[coverage]]").unwrap();
    let two = format!("{two}[[coverage]]{}", region.replace("\"a\"", "\"b\""));
    assert!(told(&two, &[]).contains("there are 2 regions"));
    let background = format!("{SCENARIO}[background]\nlevel_db = -60\nexponent = 3\n");
    assert!(told(&background, &[]).contains("[background]: maps of many positions leave it out"));
    assert!(told(SCENARIO, &["-o", "m.npz"]).contains("accepted: a name that ends in .npy"));
    assert!(told(SCENARIO, &["--picture", "m.png"]).contains("cannot be used with"));
    let missing = ["coverage", "s.toml", "--positions", "none.txt"];
    assert!(folder.keller(&missing).stderr.contains("none.txt: "));
}
