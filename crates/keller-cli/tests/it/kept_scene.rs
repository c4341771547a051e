//! A scene that is kept from run to run gives what a scene built anew gives, and is made anew when it must be.

use crate::common::{Folder, SCENARIO};

fn keeping() -> String {
    SCENARIO.replace(
        "file = \"square.obj\"",
        "file = \"square.obj\"\ncache = \"square.keller\"",
    )
}

#[test]
fn a_kept_scene_changes_no_result() {
    let folder = Folder::new("kept");
    folder.write("k.toml", &keeping());
    let anew = folder.keller(&["paths", "s.toml", "-o", "anew.csv"]);
    assert_eq!(anew.code, Some(0), "{}", anew.stderr);
    let mut told = Vec::new();
    for table in ["first.csv", "second.csv"] {
        let run = folder.keller(&["paths", "k.toml", "-o", table]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        folder.must(&format!("cmp anew.csv {table}"));
        assert!(!run.stderr.contains("rebuilt"), "{}", run.stderr);
        let warnings = run.stderr.lines().filter(|l| l.starts_with("warning"));
        told.push(warnings.map(str::to_owned).collect::<Vec<_>>());
    }
    assert_eq!(told[0], told[1], "the same warnings");
    folder.must("test -f square.keller && ! ls .square.keller.*");
    let before = folder.must("md5sum square.keller");
    for command in ["scene", "paths"] {
        let [new, kept] = ["s.toml", "k.toml"].map(|file| folder.keller(&[command, file]));
        assert_eq!(new.stdout, kept.stdout, "{command}");
    }
    assert_eq!(
        before,
        folder.must("md5sum square.keller"),
        "not written again"
    );
}

#[test]
fn a_kept_scene_that_does_not_fit_is_made_anew() {
    let folder = Folder::new("stale");
    folder.write("k.toml", &keeping());
    let paths = || {
        let run = folder.keller(&["paths", "k.toml"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run
    };
    let first = paths();
    let square = folder.must("cat square.obj");
    folder.write("square.obj", &square.replace(" 0\n", " 1\n"));
    let moved = paths();
    let note = "note: the scene cache `square.keller` is rebuilt: `square.obj` has changed";
    assert!(moved.stderr.contains(note), "{}", moved.stderr);
    assert_ne!(moved.stdout, first.stdout, "the walls of now count");
    assert_eq!(paths().stdout, moved.stdout, "and are kept");
    folder.must("truncate -s -9 square.keller");
    let broken = paths();
    let warning = "warning: the scene cache `square.keller` is damaged and is rebuilt";
    assert!(broken.stderr.contains(warning), "{}", broken.stderr);
    assert_eq!(broken.stdout, moved.stdout);
    assert!(!paths().stderr.contains("rebuilt"), "whole again");
}

#[test]
fn a_kept_scene_is_written_over_nothing_else() {
    let folder = Folder::new("foreign");
    for name in ["square.obj", "notes.txt"] {
        folder.write("notes.txt", "mine");
        folder.write("k.toml", &keeping().replace("square.keller", name));
        let run = folder.keller(&["paths", "k.toml"]);
        assert_eq!(run.code, Some(2), "{name}: {}", run.stderr);
        let message = format!("`{name}` is no scene that keller has kept");
        assert!(run.stderr.contains(&message), "{name}: {}", run.stderr);
    }
    assert_eq!(folder.must("cat notes.txt"), "mine");
    // Nor is it an output.
    folder.write("k.toml", &keeping());
    let run = folder.keller(&["paths", "k.toml", "-o", "square.keller"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}
