//! Limits as alternatives: every command that searches for paths has the union, and the others say what they accept.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::common::Folder;

/// A ground and two upright walls that meet at a corner of 90 degrees.
const YARD: &str = "usemtl concrete\nv -20 -20 0\nv 20 -20 0\nv 20 20 0\nv -20 20 0\nf 1 2 3 4\n\
v -5 0 0\nv 0 0 0\nv 0 0 6\nv -5 0 6\nf 5 6 7 8\nv 0 5 0\nv 0 5 6\nf 6 9 10 7\n";

const DEVICES: &str = "frequency_hz = 3.5e9\n[scene]\nfile = \"yard.obj\"\nup = \"z\"\n\
[[tx]]\nposition = [-3.7, -2.3, 3.1]\n[[rx]]\nposition = [2.9, 3.3, 1.5]\npolarization = \"VH\"\n[[rx]]\nposition = [3.1, -4.7, 2.2]\npolarization = \"VH\"\n";

const TWO: &str = "max_interactions = 2\nmax_reflections = 2\n";
const BENT: &str =
    "max_interactions = 2\nmax_reflections = 1\nmax_diffractions = 1\nfree_edges = true\n";

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("yard.obj", YARD);
    let tables = [TWO, BENT].map(|table| format!("[[paths.alternatives]]\n{table}"));
    folder.write("two.toml", &format!("{DEVICES}[paths]\n{TWO}"));
    folder.write("bent.toml", &format!("{DEVICES}[paths]\n{BENT}"));
    folder.write(
        "either.toml",
        &format!("{DEVICES}{}{}", tables[0], tables[1]),
    );
    folder
}

/// Rows of the table of paths: receiver, types, and points.
fn rows(folder: &Folder, scenario: &str, more: &[&str]) -> Vec<String> {
    let run = folder.keller(&[&["paths", scenario, "-o", "paths.csv"], more].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let table = folder.read("paths.csv");
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let columns = ["rx", "types", "points", "gain_db"];
    let columns = columns.map(|name| header.iter().position(|h| *h == name).unwrap());
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        columns.map(|column| fields[column]).join(" ")
    };
    lines.map(row).collect()
}

#[test]
fn paths_are_those_of_either_limits_once() {
    let folder = folder("alternatives-paths");
    for more in [
        &[][..],
        &["--search", "exhaustive"],
        &["--search", "launch"],
    ] {
        let [two, bent, either] =
            ["two.toml", "bent.toml", "either.toml"].map(|file| rows(&folder, file, more));
        let union: BTreeSet<&String> = two.iter().chain(&bent).collect();
        assert!(
            two.len() < union.len() && bent.len() < union.len(),
            "{union:?}"
        );
        assert_eq!(either.len(), union.len(), "{more:?}");
        assert_eq!(either.iter().collect::<BTreeSet<_>>(), union, "{more:?}");
    }
}

#[test]
fn channels_coverages_and_comparisons_take_all_of_them() {
    let folder = folder("alternatives-all");
    let either = folder.read("either.toml");
    let run = folder.keller(&["channel", "either.toml", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let links: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let paths = rows(&folder, "either.toml", &[]);
    let gain = |rx: usize| {
        let own = paths
            .iter()
            .filter(|row| row.starts_with(&format!("{rx} ")));
        let gains = own.map(|row| row.rsplit(' ').next().unwrap().parse::<f64>().unwrap());
        10.0 * gains
            .map(|db| 10.0_f64.powf(db / 10.0))
            .sum::<f64>()
            .log10()
    };
    let text = links.to_string();
    assert!(text.contains("gain_incoherent_db"), "{text}");

    // Cells and measurements at the receivers have the gain of their paths together.
    let cells = "[coverage]\nmin = [1.9, 2.3]\nmax = [3.9, 4.3]\nresolution = 2\nheights = [1.5]\n";
    folder.write("c.toml", &format!("{either}{cells}"));
    let run = folder.keller(&["coverage", "c.toml", "-o", "c.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("chooses points"), "{}", run.stderr);
    let table = folder.read("c.csv");
    let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let column = header.iter().position(|h| *h == "path_gain_db").unwrap();
    let cell: f64 = table
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .nth(column)
        .unwrap()
        .parse()
        .unwrap();
    assert!((cell - gain(0)).abs() < 1e-3, "{cell} {}", gain(0));

    let mut measured = "x,y,z,path_gain_db\n".to_owned();
    for (rx, at) in ["2.9,3.3,1.5", "3.1,-4.7,2.2"].iter().enumerate() {
        writeln!(measured, "{at},{}", gain(rx) - 2.0).unwrap();
    }
    folder.write("m.csv", &measured);
    let run = folder.keller(&["compare", "either.toml", "m.csv", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let errors = &found["parts"][0]["offset"]["none"]["errors"];
    assert!(
        (errors["mean"].as_f64().unwrap() - 2.0).abs() < 1e-6,
        "{errors}"
    );
    assert!(
        errors["standard_deviation"].as_f64().unwrap() < 1e-6,
        "{errors}"
    );
}

#[test]
fn engines_with_one_set_of_limits_say_what_they_accept() {
    let folder = folder("alternatives-engines");
    let either = folder.read("either.toml");
    let cells = "[coverage]\nresolution = 4\nheights = [1.5]\nengine = \"tubes\"\n";
    for (coverage, message) in [
        (
            cells,
            "c.toml:13: [paths] alternatives: found 2 tables; accepted with engine = \"tubes\" of [coverage], which follows one set of limits: no alternatives, or engine = \"points\"",
        ),
        (
            "[coverage]\nengine = \"surfaces\"\n",
            "c.toml:13: [paths] alternatives: found 2 tables; accepted with engine = \"surfaces\" of [coverage], which follows one set of limits: no alternatives",
        ),
    ] {
        folder.write("c.toml", &format!("{either}{coverage}"));
        let run = folder.keller(&["coverage", "c.toml", "-o", "c.npz"]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(
            run.stderr.contains(message),
            "expected: {message}\nfound: {}",
            run.stderr
        );
        // The same scenario has paths.
        assert_eq!(folder.keller(&["paths", "c.toml", "--json"]).code, Some(0));
    }
    // Alternatives that lie within one of them are that one.
    let nested = "[paths]\nalternatives = [{ max_reflections = 1 }, { max_reflections = 2 }]\n";
    folder.write("nested.toml", &format!("{DEVICES}{nested}{cells}"));
    folder.write("plain.toml", &format!("{DEVICES}[paths]\n{TWO}{cells}"));
    let gains = ["nested.toml", "plain.toml"].map(|file| {
        let run = folder.keller(&["coverage", file, "-o", "c.csv"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        folder.read("c.csv")
    });
    assert_eq!(gains[0], gains[1]);
}
