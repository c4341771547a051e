//! Whatever is wrong with the input is one message that names it, exit code 2, and nothing left behind.

use crate::common::{Folder, SCENARIO, SQUARE};

/// Runs `keller` and expects exit code 2, `message` on standard error in one line, and an unchanged folder.
fn refuses(folder: &Folder, args: &[&str], message: &str) {
    let before = folder.names();
    let run = folder.keller(args);
    assert_eq!(run.code, Some(2), "{args:?}: {}", run.stderr);
    assert!(
        run.stderr.contains(message),
        "{args:?}\nexpected: {message}\nfound:    {}",
        run.stderr
    );
    assert_eq!(run.stdout, "", "{args:?}");
    assert_eq!(folder.names(), before, "{args:?}");
    if !run.stderr.contains("Usage:") && !run.stderr.contains("--help") {
        let lines = run
            .stderr
            .lines()
            .filter(|line| !line.starts_with("warning: "));
        assert_eq!(lines.count(), 1, "{}", run.stderr);
    }
}

#[test]
fn bad_scenarios() {
    let folder = Folder::new("scenarios");
    let swap = |from: &str, to: &str| {
        assert!(SCENARIO.contains(from), "{from}");
        SCENARIO.replace(from, to)
    };
    let paths = ["paths", "s.toml", "-o", "p.csv"];
    for (text, message) in [
        (
            swap("search =", "serch ="),
            "s.toml:9: [paths] serch: unknown key, did you mean `search`?",
        ),
        (
            swap("3.5e9", "nan"),
            "s.toml:1: frequency_hz: found nan; accepted: a number of at least 1e6, Hz",
        ),
        (
            swap("square.obj", "round.obj"),
            "s.toml:3: [scene] file: there is no file `round.obj`",
        ),
        (
            swap("[[rx]]\nposition = [4, 0, 3]", ""),
            "s.toml: rx: there is no receiver, which only `keller coverage` with [coverage] does without; accepted:",
        ),
        (
            swap("[[tx]]\nposition = [-4, 0, 3]", ""),
            "s.toml: tx: there is no transmitter;",
        ),
        (
            swap("position = [4, 0, 3]", "file = \"rx.csv\""),
            "s.toml:7: [[rx]] 0 file: rx.csv: ",
        ),
        (
            swap("[paths]", "[paths]\nmax_diffractions = -1"),
            "s.toml:9: [paths] max_diffractions: found -1; accepted: a whole number from 0 to 255",
        ),
        // These errors show only with the scene or the materials.
        (
            swap("3.5e9", "1e6"),
            "s.toml: frequency_hz: frequency 0.001 GHz is outside the range of material `concrete`: 1 to 100 or 110 to 330 GHz",
        ),
        (
            swap("position = [4, 0, 3]", "position = [4, 0, 0]"),
            "s.toml:6: rx 0 at (4, 0, 0): it is inside the wall of face 0",
        ),
        (
            swap("position = [-4, 0, 3]", "position = [-4, 0, 0]"),
            "s.toml:4: tx 0 at (-4, 0, 0): it is inside the wall",
        ),
        (
            swap("position = [4, 0, 3]", "position = [4, 0, 3e6]"),
            "s.toml:6: rx 0 at (4, 0, 3000000): ",
        ),
        (
            swap("[scene]", "[scene]\ndefault_material = \"concret\""),
            "did you mean `concrete`?",
        ),
    ] {
        folder.write("s.toml", &text);
        refuses(&folder, &paths, message);
    }
}

#[test]
fn bad_receiver_files() {
    let folder = Folder::new("receivers");
    folder.write(
        "s.toml",
        &SCENARIO.replace("position = [4, 0, 3]", "file = \"rx.csv\"\nstrict = true"),
    );
    for (csv, message) in [
        (
            "x,y,z\n1,2,3\n1,inf,3\n",
            "rx.csv:3: column y: found `inf`; accepted: a number",
        ),
        (
            "x,y,z\n1,2,3\n1,2,0\n",
            "rx.csv:3: rx 1 at (1, 2, 0): it is inside the wall",
        ),
        ("x,y,z\n", "rx.csv: there is no receiver in it"),
    ] {
        folder.write("rx.csv", csv);
        refuses(&folder, &["paths", "s.toml", "-o", "p.parquet"], message);
    }
}

#[test]
fn bad_scenes() {
    let folder = Folder::new("scenes");
    for (obj, message) in [
        ("", "square.obj"),
        ("v 0 0 0\n", "square.obj"),
        ("v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "square.obj"),
        ("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "square.obj"),
        (
            &SQUARE.replace("concrete", "cheese"),
            "material `cheese` is not known",
        ),
    ] {
        folder.write("square.obj", obj);
        refuses(&folder, &["paths", "s.toml", "-o", "p.json"], message);
    }
    refuses(&folder, &["scene", "none.obj"], "none.obj");
    refuses(&folder, &["scene", "s.dwg"], "s.dwg");
    refuses(&folder, &["paths", "none.toml"], "none.toml");
}

#[test]
fn bad_outputs_are_refused_before_the_work() {
    let folder = Folder::new("places");
    // A scene that cannot be read shows that nobody tried.
    folder.write("square.obj", "garbage");
    for (out, message) in [
        (
            "p.xlsx",
            "p.xlsx: no format for the extension .xlsx; accepted: a name that ends in .csv, .parquet or .json",
        ),
        ("none/p.csv", "none/p.csv: cannot be written: "),
        (".", "no extension says which format is wanted"),
    ] {
        refuses(&folder, &["paths", "s.toml", "-o", out], message);
    }
    refuses(&folder, &["demo", "-o", "s.toml"], "s.toml: ");
}

#[test]
fn bad_usage() {
    let folder = Folder::new("usage");
    for (args, message) in [
        (
            &["path", "s.toml"][..],
            "similar subcommands exist: 'batch', 'paths'",
        ),
        (&["paths"], "<SCENARIO>"),
        (
            &["paths", "s.toml", "--search", "fast"],
            "[possible values: auto, launch, complete, tiles, tubes, exhaustive]",
        ),
        (
            &["paths", "s.toml", "--threads", "0"],
            "0 is not in 1..=1024",
        ),
        (&["demo", "--seed", "-1"], "-1"),
        (&[], "Usage: keller"),
    ] {
        refuses(&folder, args, message);
    }
}
