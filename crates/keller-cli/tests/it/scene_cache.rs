//! A scene that is kept from run to run gives what a scene built anew gives, and is made anew when it must be.

use crate::common::{Folder, SCENARIO};

fn keeping() -> String {
    SCENARIO.replace(
        "file = \"square.obj\"",
        "file = \"square.obj\"\ncache = \"square.keller\"",
    )
}

#[test]
fn a_scene_cache_changes_no_result() {
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
fn a_scene_cache_that_does_not_fit_is_made_anew() {
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
fn a_scene_cache_is_written_over_nothing_else() {
    let folder = Folder::new("foreign");
    folder.write("square.keller", "mine");
    folder.write("k.toml", &keeping());
    let run = folder.keller(&["paths", "k.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let message = "`square.keller` is no scene that keller has kept";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    assert_eq!(folder.must("cat square.keller"), "mine");
    // Nor is it an output.
    folder.must("rm square.keller");
    let run = folder.keller(&["paths", "k.toml", "-o", "square.keller"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

/// A scenario of a stranger writes to no other place, and under no name that another program reads.
#[cfg(unix)]
#[test]
fn a_scenario_keeps_its_scene_beside_itself_alone() {
    let folder = Folder::new("kept-where");
    folder
        .must("mkdir -p inner/below outside && cp square.obj inner && ln -s ../outside inner/away");
    let before = folder.must("ls -aR");
    let write = |name: &str| {
        let name = format!("{name:?}").replace("\\u{1b}", "\\u001b");
        folder.write(
            "inner/k.toml",
            &keeping().replace("\"square.keller\"", &name),
        );
        folder.keller(&["paths", "inner/k.toml"])
    };
    let absolute = folder.path("outside/a.keller");
    for name in [
        absolute.to_str().unwrap(),
        "../outside/a.keller",
        "below/../../a.keller",
        "away/a.keller",
        ".keller",
        ".a.keller",
        "below/.a.keller",
        "a.sh",
        "a.keller.sh",
        "a\nb.keller",
        "a\u{1b}[2J.keller",
        "",
        ".",
    ] {
        let run = write(name);
        assert_eq!(run.code, Some(2), "{name:?}: {}", run.stderr);
        for told in ["inner/k.toml:", "[scene] cache", "accepted: "] {
            assert!(run.stderr.contains(told), "{name:?}: {}", run.stderr);
        }
        let is_plain = !name.contains(char::is_control);
        assert_eq!(
            run.stderr.contains("`--scene-cache`"),
            is_plain,
            "{}",
            run.stderr
        );
        assert!(!run.stderr.contains('\u{1b}'), "{name:?}");
        folder.must("rm inner/k.toml");
        assert_eq!(folder.must("ls -aR"), before, "{name:?}");
    }
    let below = write("below/a.keller");
    assert_eq!(below.code, Some(0), "{}", below.stderr);
    folder.must("test -f inner/below/a.keller");
    // The user names any place.
    let mine = folder.keller(&["paths", "inner/k.toml", "--scene-cache", "outside/mine"]);
    assert_eq!(mine.stdout, below.stdout);
    folder.must("test -f outside/mine");
}

/// Names of a scenario may be relative or absolute, and the program may run anywhere.
#[test]
fn a_scene_cache_serves_runs_from_anywhere() {
    let folder = Folder::new("kept-anywhere");
    folder.write("k.toml", &keeping());
    let keller = env!("CARGO_BIN_EXE_keller");
    let first = folder.must(&format!("mkdir below && {keller} paths k.toml"));
    let sum = folder.must("md5sum < square.keller");
    for line in [
        "paths \"$PWD/k.toml\"",
        "batch plan k.toml -o store --result paths",
        "paths k.toml",
        "paths ../k.toml",
    ] {
        let cd = if line.contains("..") {
            "cd below && "
        } else {
            ""
        };
        let run = folder.shell(&format!("{cd}{keller} {line}"));
        assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
        assert!(!run.stderr.contains("rebuilt"), "{line}: {}", run.stderr);
        if line.starts_with("paths") {
            assert_eq!(run.stdout, first, "{line}");
        }
    }
    assert_eq!(folder.must("md5sum < square.keller"), sum);
    // A change of the file is noticed from there as well.
    let square = folder.must("cat square.obj");
    folder.write("square.obj", &square.replace(" 0\n", " 1\n"));
    let moved = folder.shell(&format!("cd below && {keller} paths ../k.toml"));
    assert!(moved.stderr.contains("has changed"), "{}", moved.stderr);
    assert_ne!(moved.stdout, first);
}
