//! `keller new`: its scenario can be run as it is; `--quiet` and `--threads` of every command.

use crate::common::{Folder, street};

/// A room of 6 m by 4 m by 3 m, seen from inside, of two materials.
const ROOM: &str = "v 0 0 0\nv 6 0 0\nv 6 4 0\nv 0 4 0\nv 0 0 3\nv 6 0 3\nv 6 4 3\nv 0 4 3\nusemtl concrete\nf 1 2 3 4\nf 8 7 6 5\n\
                    usemtl my paint\nf 2 1 5 6\nf 3 2 6 7\nf 4 3 7 8\nf 1 4 8 5\n";

#[test]
fn a_new_scenario_runs_as_it_is() {
    let folder = Folder::new("new");
    folder.write("room.obj", ROOM);
    folder.write("street.obj", &street());
    folder.shell("mkdir deeper");
    for (scene, out) in [
        ("room.obj", "room.toml"),
        ("street.obj", "street.toml"),
        ("room.obj", "deeper/room.toml"),
    ] {
        let run = folder.keller(&["new", scene, "-o", out, "--quiet"]);
        assert_eq!((run.code, &run.stderr[..]), (Some(0), ""), "{out}");
        assert!(
            run.stdout.contains(&format!("keller paths {out}")),
            "{}",
            run.stdout
        );
        for command in [
            &["paths", out, "-o", "paths.csv"][..],
            &["coverage", out, "-o", "map.png"],
        ] {
            let run = folder.keller(command);
            assert_eq!(run.code, Some(0), "{command:?}: {}", run.stderr);
        }
        assert!(folder.read("paths.csv").lines().count() > 100, "{out}");
    }
    // A Tx is under the ceiling of a room, above the roofs of a street; materials that are not known are named.
    let room = folder.read("room.toml");
    assert!(room.contains("position = [3, 2, 2.8] "), "{room}");
    assert!(room.contains("# [materials.\"my paint\"]"), "{room}");
    assert!(room.contains("files = [\"room.obj\"]"), "{room}");
    assert!(
        folder
            .read("street.toml")
            .contains("above the highest roof")
    );
    // Options of the mesh hold for the scenario too: a room of 6 m that is 3 m wide upwards.
    let run = folder.keller(&[
        "new",
        "room.obj",
        "-o",
        "turned.toml",
        "--up",
        "y",
        "--mesh-unit",
        "ft",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let turned = folder.read("turned.toml");
    assert!(turned.contains("up = \"y\"\nunit = \"ft\"\n"), "{turned}");
    let run = folder.keller(&["scene", "turned.toml"]);
    assert!(run.stdout.contains("1.22"), "4 feet high: {}", run.stdout);
    let run = folder.keller(&["new", "room.toml", "-o", "again.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("this is a scenario already"),
        "{}",
        run.stderr
    );
    // A scenario of somebody is worth more than a new one.
    let run = folder.keller(&["new", "street.obj", "-o", "room.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("is not replaced"), "{}", run.stderr);
    assert_eq!(folder.read("room.toml"), room);
    let run = folder.keller(&["new", "room.obj", "-o", "low.toml", "--frequency", "3.5"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("did you mean 3.5e9?"), "{}", run.stderr);
    assert!(!folder.names().contains(&"low.toml".to_owned()));
}

#[test]
fn a_quiet_run_says_only_what_is_wrong() {
    let folder = Folder::new("quiet");
    folder.write("room.obj", ROOM);
    folder.must(&format!(
        "{} new room.obj --threads 1",
        env!("CARGO_BIN_EXE_keller")
    ));
    let args = [
        "paths",
        "scenario.toml",
        "-o",
        "paths.csv",
        "--threads",
        "1",
    ];
    let loud = folder.keller(&args);
    assert_eq!(loud.code, Some(0), "{}", loud.stderr);
    assert!(loud.stderr.contains("1 thread"), "{}", loud.stderr);
    let table = folder.read("paths.csv");
    for quiet in ["-q", "--quiet"] {
        let run = folder.keller(&[&args[..], &[quiet]].concat());
        assert_eq!((run.code, &run.stderr[..]), (Some(0), ""));
        assert!(folder.read("paths.csv") == table, "other paths");
    }
    let run = folder.keller(&["scene", "none.obj", "-q"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("none.obj"), "{}", run.stderr);
}

#[test]
fn options_with_old_names_say_the_new_ones() {
    let folder = Folder::new("renamed");
    for (args, told) in [
        (
            &["paths", "s.toml", "--map", "a.png"][..],
            "--map is called --picture now",
        ),
        (
            &["import", "a.osm", "--view=a.png"],
            "--view is called --picture now",
        ),
        (
            &["channel", "s.toml", "--plot", "a.png"],
            "--plot is called --profile now",
        ),
        (
            &["coverage", "s.toml", "--model", "a.glb"],
            "--model is called --glb now",
        ),
        (
            &["paths", "s.toml", "--device=auto"],
            "--device is called --gpu now",
        ),
        (&["devices", "--json"], "devices is called gpus now"),
        (
            &["calibrate", "s.toml", "m.csv", "--histories=h.paths"],
            "--histories is called --trace-cache now",
        ),
        (
            &["import", "a.osm", "--unit", "ft"],
            "--unit is called --height-unit now",
        ),
        (
            &["batch", "run", "store", "--units=0-3"],
            "--units is called --only now",
        ),
        (
            &["batch", "plan", "s.toml", "--items", "9"],
            "--items is called --unit-size now",
        ),
        (
            &["batch", "plan", "s.toml", "--for", "paths"],
            "--for is called --result now",
        ),
        (
            &["fingerprint", "s.toml", "m.csv", "--offset=3"],
            "--offset is called --offset-std-db now",
        ),
        (
            &["-q", "compare", "s.toml", "m.csv", "--offset", "tx"],
            "--offset is called --fit-offset now",
        ),
        (
            &["fingerprint", "s.toml", "m.csv", "--deviation", "5"],
            "--deviation is called --level-std-db now",
        ),
        (&["sweep", "status", "store"], "sweep is called batch now"),
        (
            &["paths", "s.toml", "--sweep", "store"],
            "--sweep is called --batch now",
        ),
    ] {
        let run = folder.keller(args);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert_eq!(run.stderr, format!("keller: {told}\n"));
    }
}
