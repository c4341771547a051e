//! `keller paths -o FILE.paths`, and the results that follow from the file without a search.

use std::fs;

use crate::common::Folder;

#[test]
fn results_of_a_file_of_paths_are_those_of_a_search() {
    let folder = Folder::new("path-file");
    let keller = |line: &str| {
        let run = folder.keller(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
        run.stdout
    };
    keller("paths s.toml -o town.paths");
    let shown = keller("paths s.toml --paths town.paths");
    assert_eq!(shown, keller("paths s.toml"));
    for [command, end] in [
        ["paths", "csv"],
        ["paths", "parquet"],
        ["channel", "npz"],
        ["paths", "paths"],
    ] {
        keller(&format!("{command} s.toml -o found.{end}"));
        keller(&format!(
            "{command} s.toml -o read.{end} --paths town.paths"
        ));
        let [found, read] =
            ["found", "read"].map(|name| fs::read(folder.path(&format!("{name}.{end}"))).unwrap());
        assert!(found == read, "{command} to .{end}: other bytes");
    }
    folder.write("m.csv", "x,y,z,path_gain_db\n4,0,3,-61\n");
    let found = keller("compare s.toml m.csv");
    assert_eq!(keller("compare s.toml m.csv --paths town.paths"), found);
}

#[test]
fn files_that_do_not_fit_are_one_message() {
    let folder = Folder::new("path-file-bad");
    let scenario = folder.read("s.toml");
    assert_eq!(
        folder.keller(&["paths", "s.toml", "-o", "town.paths"]).code,
        Some(0)
    );
    let whole = fs::read(folder.path("town.paths")).unwrap();
    let refused = |args: &[&str], message: &str| {
        let run = folder.keller(args);
        assert!(
            run.code == Some(2) && run.stderr.contains(message) && run.stderr.lines().count() <= 6,
            "expected: {message}\nfound: {}",
            run.stderr
        );
    };
    let read = ["channel", "s.toml", "--paths", "town.paths"];
    folder.write_bytes("town.paths", &whole[..whole.len() - 1]);
    refused(&read, "town.paths: the file ends too early");
    let mut changed = whole.clone();
    let centre = whole.len() / 2;
    changed[centre] ^= 1;
    folder.write_bytes("town.paths", &changed);
    refused(&read, "town.paths: the file is damaged");
    folder.write_bytes("town.paths", &whole);
    folder.write("s.toml", &scenario.replace("[4, 0, 3]", "[4, 0, 4]"));
    refused(
        &read,
        "these paths run between other Tx and Rx than those of s.toml",
    );
    folder.write("s.toml", &scenario);
    folder.write("m.csv", "x,y,z,path_gain_db\n4,0,5,-61\n");
    refused(
        &["compare", "s.toml", "m.csv", "--paths", "town.paths"],
        "run between other Tx and Rx",
    );
    refused(
        &["paths", "s.toml", "--paths", "none.paths"],
        "none.paths: ",
    );
    refused(
        &[
            "paths",
            "s.toml",
            "--paths",
            "town.paths",
            "-o",
            "town.paths",
        ],
        "this run reads that file",
    );
    refused(
        &[
            "paths",
            "s.toml",
            "--paths",
            "town.paths",
            "--resume",
            "-o",
            "a.csv",
        ],
        "cannot be used with",
    );
}
