//! Writes that the system refuses: one message with an exit code of its own, and no file left behind.
//!
//! A limit of the shell on the size of files stands for a full disk.

#![cfg(unix)]
use std::path::Path;

use crate::common::{Folder, SCENARIO};

/// A place with a coverage, and one of surfaces.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    let cells = "[coverage]\nengine = \"points\"\nmin = [-9, -9]\nmax = [9, 9]\nresolution = 6\nheights = [1.5]\n";
    folder.write("c.toml", &format!("{SCENARIO}{cells}"));
    folder.write(
        "t.toml",
        &format!("{SCENARIO}[coverage]\nengine = \"surfaces\"\n"),
    );
    folder
}

#[test]
fn a_full_disk_is_told_once_with_an_exit_code_of_its_own() {
    let folder = folder("full-disk");
    let before = folder.names();
    for (line, file) in [
        ("paths s.toml -o p.csv", "p.csv"),
        ("paths s.toml -o p.json", "p.json"),
        ("paths s.toml -o p.parquet", "p.parquet"),
        ("paths s.toml --picture m.svg", "m.svg"),
        ("channel s.toml -o l.csv", "l.csv"),
        ("channel s.toml -o l.npz", "l.npz"),
        ("channel s.toml --profile p.png", "p.png"),
        ("coverage c.toml -o c.tif", "c.tif.part"),
        ("coverage c.toml -o c.zarr", "c.zarr.part"),
        ("coverage t.toml -o t.parquet", "t.parquet"),
        ("coverage t.toml -o t.npz", "t.npz"),
        ("coverage t.toml --glb t.glb", "t.glb"),
        ("import square.obj -o i.glb", "i.glb"),
        ("antenna dipole -o a.svg", "a.svg"),
        ("visibility square.obj -o v", "v"),
    ] {
        let keller = env!("CARGO_BIN_EXE_keller");
        let run = folder.shell(&format!("ulimit -f 0; exec '{keller}' {line}"));
        let said: Vec<&str> = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("keller: "))
            .collect();
        assert_eq!(
            (run.code, said.len()),
            (Some(3), 1),
            "{line}: {}",
            run.stderr
        );
        let message = said[0].replace('`', "");
        assert!(
            message.starts_with(&format!("keller: {file}")),
            "{line}: {message}"
        );
        assert_eq!(
            message.matches("File too large").count(),
            1,
            "{line}: {message}"
        );
        assert_eq!(message.matches(file).count(), 1, "{line}: {message}");
        let left = folder.names();
        let left: Vec<&String> = left.iter().filter(|name| !before.contains(name)).collect();
        // A part file keeps its place until the next run.
        assert!(
            left.iter()
                .all(|name| Path::new(name).extension().is_some_and(|e| e == "part")),
            "{line}: {left:?}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_may_be_full_too() {
    let folder = folder("full-output");
    for line in [
        "paths s.toml --json",
        "paths s.toml",
        "channel s.toml --json",
        "coverage c.toml --json",
        "antenna dipole",
    ] {
        let keller = env!("CARGO_BIN_EXE_keller");
        let run = folder.shell(&format!("exec '{keller}' {line} > /dev/full"));
        let expected =
            "keller: standard output: cannot be written: No space left on device (os error 28)\n";
        assert_eq!(
            (run.code, run.stderr.as_str()),
            (Some(3), expected),
            "{line}"
        );
    }
}
