//! `keller visibility`: the contents of a file do not depend on how often it was begun, and no other file passes for
//! it.

use crate::common::{Folder, SCENARIO, street};

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("street.obj", &street());
    folder
}

/// Sides of 1.4 m: more tiles than are looked from at a time.
const MAKE: [&str; 6] = ["visibility", "street.obj", "--tile", "1.4", "-o", "f.vis"];

/// Stops the run with a signal as soon as there is the mark of a block, which follows the header of 64 bytes and its head.
fn stop(folder: &Folder, signal: &str, more: &str) -> crate::common::Run {
    let keller = env!("CARGO_BIN_EXE_keller");
    let command = MAKE.join(" ");
    folder.shell(&format!(
        "{keller} {command} {more} & p=$!
         mark() {{ od -An -tx8 -j$((64 + $(od -An -td8 -j40 -N8 f.vis.part))) -N8 f.vis.part; }}
         until [ -s f.vis.part ] && [ \"$(mark | tr -d ' 0\\n')\" ]; do
             kill -0 $p || break; sleep 0.002; done
         kill -{signal} $p; wait $p"
    ))
}

#[cfg(unix)]
#[test]
fn a_killed_run_goes_on_and_ends_with_the_same_bytes() {
    let folder = folder("visibility-kill");
    let whole = folder.keller(&[&MAKE[..5], &["whole.vis"]].concat());
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let whole = folder.read_bytes("whole.vis");
    for (signal, threads) in [("KILL", "1"), ("INT", "2"), ("KILL", "3")] {
        let run = stop(&folder, signal, "--threads 1");
        assert_ne!(
            run.code,
            Some(0),
            "{signal}: it ended before it was stopped"
        );
        if signal == "INT" {
            assert_eq!(run.code, Some(130), "{}", run.stderr);
            let is_told = run.stderr.contains("the same command goes on");
            assert!(
                is_told && run.stderr.contains("f.vis.part"),
                "{}",
                run.stderr
            );
        }
        let names = folder.names();
        assert!(names.contains(&"f.vis.part".to_owned()), "{names:?}");
        assert!(!names.contains(&"f.vis".to_owned()), "{names:?}");
        // Another tiling does not go on with it.
        let run = folder.keller(&["visibility", "street.obj", "--tile", "2", "-o", "f.vis"]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains("sides of 1.4 m"), "{}", run.stderr);
        let run = folder.keller(&[&MAKE[..], &["--threads", threads]].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stderr.contains("goes on after"), "{}", run.stderr);
        assert!(folder.read_bytes("f.vis") == whole, "{signal}: other bytes");
        assert!(!folder.names().contains(&"f.vis.part".to_owned()));
        folder.shell("rm f.vis");
    }
}

/// The system sends this signal to whoever reads a mapped file where there is none any more.
#[cfg(unix)]
#[test]
fn a_file_that_is_cut_while_it_is_read_ends_the_run_with_a_message() {
    let folder = folder("visibility-cut");
    let run = stop(&folder, "BUS", "--threads 1");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let told = "keller: a visibility file was cut by another program while it was read";
    assert!(run.stderr.contains(told), "{}", run.stderr);
}

#[test]
fn a_file_says_what_it_holds() {
    let folder = folder("visibility-facts");
    let made = folder.keller(&[
        "visibility",
        "street.obj",
        "--tile",
        "5",
        "--ground-tile",
        "9",
        "-o",
        "f.vis",
        "--json",
    ]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let told = folder.keller(&["visibility", "f.vis", "--json"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    for key in [
        "\"tiles\"",
        "\"pairs\"",
        "\"tile_m\"",
        "\"ground_tile_m\"",
        "\"bytes\"",
    ] {
        let line = |text: &str| {
            text.lines()
                .find(|l| l.contains(key))
                .map(|l| l.trim_end_matches(',').to_owned())
        };
        assert_eq!(line(&made.stdout), line(&told.stdout), "{key}");
        assert!(line(&told.stdout).is_some(), "{key}: {}", told.stdout);
    }
    // A house of 10 m by 8 m has two by two tiles of 5 m on its lowest walls.
    assert!(
        made.stdout.contains("\"ground_tile_m\": 9.0"),
        "{}",
        made.stdout
    );
    // Smaller tiles near two points.
    let finer = "30,0,20,2.5";
    let command = ["visibility", "street.obj", "--tile", "5", "-o", "h.vis"];
    let more = ["--refine", finer, "--refine=-5,-40,0,6,1.25"];
    let made = folder.keller(&[&command[..], &more].concat());
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let told = folder.keller(&["visibility", "h.vis"]);
    let points = "tiles of 5 m, finer around 2 points";
    assert!(told.stdout.contains(points), "{}", told.stdout);
    let refused = folder.keller(&[&command[..], &["--refine", "1,2,3"]].concat());
    assert_ne!(refused.code, Some(0));
    let needed = "four or five numbers are needed, such as 20,35,50,2";
    assert!(refused.stderr.contains(needed), "{}", refused.stderr);
    // The side of tiles, if none is given, follows from the scene, which has fewer than 3000 tiles of 10 m.
    let made = folder.keller(&["visibility", "street.obj", "-o", "g.vis"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let side = (165.0 * 80.0 + 20.0 * 100.0 + 20.0 * 40.0 * 10.0_f64) / 3000.0;
    let side = (side.sqrt() * 100.0).floor() / 100.0;
    assert!(
        made.stderr.contains(&format!("of {side} m")),
        "{}",
        made.stderr
    );
}

#[test]
fn what_is_no_visibility_file_is_refused_with_the_reason() {
    let folder = folder("visibility-refused");
    let made = folder.keller(&["visibility", "street.obj", "--tile", "5", "-o", "f.vis"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let whole = folder.read_bytes("f.vis");
    let older = [&b"keller visible\r\n\x02\0\0\0"[..], &[0; 200]].concat();
    let mut damaged = whole.clone();
    damaged[60] ^= 1;
    for (bytes, reason) in [
        (&b"something else"[..], "no visibility file"),
        (&b""[..], "empty"),
        (&older[..], "version of the format is older"),
        (&damaged[..], "header is damaged"),
        (&whole[..40], "ends after 40 bytes"),
        (&whole[..100], "ends after 100 bytes"),
        (&whole[..whole.len() - 7], "ends after"),
    ] {
        folder.write_bytes("g.vis", bytes);
        let run = folder.keller(&["visibility", "g.vis"]);
        assert_eq!(run.code, Some(2), "{reason}: {}", run.stderr);
        let is_told = run.stderr.contains("g.vis") && run.stderr.contains(reason);
        assert!(is_told, "{reason}: {}", run.stderr);
    }
}

#[test]
fn what_cannot_be_is_told_before_the_work() {
    let folder = folder("visibility-unusable");
    for (args, reason) in [
        (&["visibility", "street.obj"][..], "-o FILE is missing"),
        (
            &["visibility", "street.obj", "-o", "no/f.vis"],
            "no/f.vis.part",
        ),
        (&["visibility", "street.obj", "-o", "."], "folder"),
        (
            &["visibility", "street.obj", "-o", "f.vis", "--tile", "0"],
            "positive number",
        ),
        (
            &[
                "visibility",
                "street.obj",
                "-o",
                "f.vis",
                "--tile",
                "0.0001",
            ],
            "times as long",
        ),
        (
            &[
                "visibility",
                "street.obj",
                "-o",
                "f.vis",
                "--min-area",
                "NaN",
            ],
            "--min-area",
        ),
        (&["visibility", "nothing.obj", "-o", "f.vis"], "nothing.obj"),
    ] {
        let run = folder.keller(args);
        assert!(matches!(run.code, Some(1 | 2)), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(reason), "{args:?}: {}", run.stderr);
    }
    assert!(folder.names().iter().all(|name| !name.starts_with('f')));
}

/// `search = "tiles"` finds the same paths over a square as the slow search, with a file and without, and accepts no
/// file of other tiles.
#[test]
fn paths_by_tiles_take_the_file() {
    let folder = Folder::new("visibility-paths");
    folder.write("s.toml", &format!("{SCENARIO}[tiles]\nside = 2\n"));
    let with_file = format!("{SCENARIO}[tiles]\nside = 2\nvisibility = \"s.vis\"\n");
    folder.write("f.toml", &with_file);
    folder.write("g.toml", &with_file.replace("side = 2", "side = 3"));
    let made = folder.keller(&["visibility", "s.toml", "--tile", "2", "-o", "s.vis"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let paths = |scenario: &str, search: &str| {
        let run = folder.keller(&["paths", scenario, "--search", search]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout
    };
    let slow = paths("s.toml", "exhaustive");
    assert!(slow.lines().count() > 1, "{slow}");
    assert_eq!(paths("s.toml", "tiles"), slow);
    assert_eq!(paths("f.toml", "tiles"), slow);
    let run = folder.keller(&["paths", "g.toml", "--search", "tiles"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("s.vis"), "{}", run.stderr);
}
