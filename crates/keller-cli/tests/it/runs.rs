//! Mishaps of a run: outputs that are inputs, signals, leftovers, inputs that never end, too little memory.

#![cfg(unix)]

use std::fmt::Write as _;

use crate::common::{Folder, Run, SCENARIO};

const KELLER: &str = env!("CARGO_BIN_EXE_keller");

fn told(run: &Run, code: i32, message: &str) {
    assert_eq!(run.code, Some(code), "{}", run.stderr);
    assert!(
        run.stderr.contains(message),
        "expected: {message}\nfound:    {}",
        run.stderr
    );
    assert_eq!(run.stderr.matches(message).count(), 1, "{}", run.stderr);
}

#[test]
fn no_output_is_an_input_or_another_output() {
    let folder = Folder::new("files");
    folder.write("rx.csv", "x,y,z\n4,0,3\n");
    folder.write(
        "panel.csv",
        "elevation_deg,gain_dbi\n-90,-20\n-45,-1\n0,2\n45,-1\n90,-20\n",
    );
    let with_files = SCENARIO
        .replace("[[rx]]\nposition = [4, 0, 3]", "[[rx]]\nfile = \"rx.csv\"")
        .replace("[[tx]]\n", "[[tx]]\nantenna = \"panel.csv\"\n");
    folder.write("f.toml", &with_files);
    folder.write("m.geojson", HOUSE);
    let run = folder.keller(&["import", "m.geojson", "-o", "town.glb"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let in_town = SCENARIO
        .replace("square.obj", "town.glb")
        .replace("3]", "30]");
    let cells = "[coverage]\nmin = [-9, -9]\nmax = [9, 9]\nresolution = 3\nheights = [2]\n";
    folder.write("c.toml", &format!("{in_town}{cells}"));
    let links = folder.shell(
        "mkdir sub; ln -s rx.csv link.csv; ln rx.csv hard.csv; ln -s ../panel.csv sub/p.csv; ln -s sub way; ln square.obj o.bin",
    );
    assert_eq!(links.code, Some(0), "{}", links.stderr);
    let before = folder.shell("md5sum *.* sub/*").stdout;
    for (line, message) in [
        (
            "paths f.toml -o rx.csv",
            "-o rx.csv: this run reads that file",
        ),
        (
            "paths f.toml -o link.csv",
            "-o link.csv: this run reads that file, as rx.csv",
        ),
        (
            "channel f.toml -o hard.csv",
            "-o hard.csv: this run reads that file, as rx.csv",
        ),
        (
            "paths f.toml -o sub/../panel.csv",
            "-o sub/../panel.csv: this run reads",
        ),
        (
            "paths f.toml -o way/p.csv",
            "this run reads that file, as panel.csv",
        ),
        ("antenna panel.csv -o way/p.csv", "this run reads that file"),
        (
            "coverage c.toml --glb town.glb",
            "--glb town.glb: this run reads that file",
        ),
        (
            "import town.glb m.geojson -o sub/../town.glb",
            "this run reads that file",
        ),
        (
            "visibility square.obj -o o.bin",
            "-o o.bin: this run reads that file",
        ),
        (
            "visibility s.toml -o s.toml",
            "-o s.toml: this run reads that file",
        ),
        (
            "visibility s.toml -o square.obj",
            "-o square.obj: this run reads that file",
        ),
        (
            "channel f.toml --picture a.svg --profile sub/../a.svg",
            "--profile sub/../a.svg: --picture a.svg is the same file",
        ),
        (
            "coverage c.toml -o way/a.glb --glb sub/a.glb --contours b.geojson",
            "--glb sub/a.glb: -o way/a.glb is the same file",
        ),
        (
            "coverage c.toml -o way/a.png --contours sub/a.png",
            "--contours sub/a.png: -o way/a.png is the same file",
        ),
    ] {
        let run = folder.keller(&line.split(' ').collect::<Vec<_>>());
        told(&run, 2, message);
        assert_eq!(folder.shell("md5sum *.* sub/*").stdout, before, "{line}");
    }
}

const HOUSE: &str = r#"{"type": "Feature", "properties": {"height": 12}, "geometry": {"type": "Polygon", "coordinates": [[[11.57, 48.13], [11.5702, 48.13], [11.5702, 48.1301], [11.57, 48.1301], [11.57, 48.13]]]}}"#;

#[test]
fn what_never_ends_is_no_input() {
    let folder = Folder::new("endless");
    let made = folder.shell(
        "mkfifo pipe.obj pipe.csv; ln -s /dev/zero zero.obj; ln -s /dev/zero zero.csv; ln -s /dev/zero zero.tif; ln -s /dev/zero zero.geojson",
    );
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let rx = |file: &str| {
        SCENARIO.replace(
            "[[rx]]\nposition = [4, 0, 3]",
            &format!("[[rx]]\nfile = \"{file}\""),
        )
    };
    folder.write("rx.toml", &rx("pipe.csv"));
    folder.write("rz.toml", &rx("zero.csv"));
    folder.write("scene.toml", &SCENARIO.replace("square.obj", "zero.obj"));
    folder.write(
        "antenna.toml",
        &SCENARIO.replace("[[tx]]", "[[tx]]\nantenna = \"zero.csv\""),
    );
    for line in [
        "paths /dev/zero",
        "paths rx.toml",
        "paths rz.toml",
        "paths scene.toml",
        "paths antenna.toml",
        "scene zero.obj",
        "scene pipe.obj",
        "antenna pipe.csv",
        "visibility /dev/zero",
        "import zero.tif",
        "import zero.geojson",
        "import pipe.obj",
    ] {
        let run = folder.shell(&format!("timeout 10 {KELLER} {line}"));
        assert_eq!(run.code, Some(2), "{line}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
}

/// A hilly sheet of `n` times `n` quadrangles.
fn hills(n: u32) -> String {
    let mut obj = String::from("usemtl concrete\n");
    for y in 0..=n {
        for x in 0..=n {
            let z = (0.37 * f64::from(x)).sin() + (0.29 * f64::from(y)).cos();
            writeln!(obj, "v {x} {y} {z}").unwrap();
        }
    }
    for y in 0..n {
        for x in 1..=n {
            let at = y * (n + 1) + x;
            writeln!(obj, "f {at} {} {} {}", at + 1, at + n + 2, at + n + 1).unwrap();
        }
    }
    obj
}

#[test]
fn too_little_memory_is_told_and_leaves_nothing() {
    let folder = Folder::new("memory");
    folder.write("hills.obj", &hills(100));
    let before = folder.names();
    told(
        &folder.keller(&["scene", "hills.obj", "--memory", "1MiB"]),
        2,
        "--memory 1.0 MiB: the program alone takes",
    );
    let memory = folder.min_memory(&["import", "hills.obj", "-o", "hills.glb"]);
    assert_eq!(folder.shell("rm hills.glb").code, Some(0));
    // The memory measured from outside is within the limit.
    let run = folder.keller(&[
        "import",
        "hills.obj",
        "-o",
        "hills.glb",
        "--json",
        "--memory",
        &memory,
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let peak = run.stdout.split("\"peak_memory_bytes\": ").nth(1).unwrap();
    let peak: f64 = peak.split([',', '\n']).next().unwrap().parse().unwrap();
    let cap: f64 = memory.trim_end_matches("MB").parse().unwrap();
    // The program looks at the resident memory after each MiB that it allocates.
    let between_looks = f64::from(1 << 20);
    assert!(peak <= 1e6 * cap + between_looks, "{peak} of {cap} MB");
    assert_eq!(folder.shell("rm hills.glb").code, Some(0));
    let half = format!("{}MB", cap / 2.0);
    let run = folder.keller(&["import", "hills.obj", "-o", "hills.glb", "--memory", &half]);
    told(&run, 3, "not enough");
    assert_eq!(folder.names(), before);
    // Nor is it an abort where the system says no.
    folder.write("hills.obj", &hills(300));
    let run = folder.shell(&format!(
        "ulimit -d 20000; RAYON_NUM_THREADS=1 {KELLER} import hills.obj -o hills.glb"
    ));
    told(&run, 3, "out of memory");
    assert_eq!(folder.names(), before);
}

#[test]
fn every_signal_ends_a_run_at_once_and_clean() {
    let folder = Folder::new("signals");
    // Long enough in every profile.
    folder.write("hills.obj", &hills(400));
    let before = folder.names();
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
        // A program under `nohup` is meant not to hear the signal.
        if signal == "HUP" && folder.shell("kill -HUP $$; exit 0").code == Some(0) {
            continue;
        }
        let run = folder.shell(&format!(
            "{KELLER} import hills.obj -o hills.glb & p=$!
             until ls .hills.glb.*.tmp >/dev/null 2>&1; do kill -0 $p || break; sleep 0.01; done
             sleep 0.5; s=$(date +%s%N); kill -{signal} $p; wait $p; c=$?
             echo $(( ($(date +%s%N) - s) / 1000000 )) >&2; exit $c"
        ));
        assert_eq!(run.code, Some(code), "{}", run.stderr);
        assert!(
            run.stderr.contains("keller: stopped, nothing written"),
            "{}",
            run.stderr
        );
        let waited: u32 = run.stderr.lines().last().unwrap().parse().unwrap();
        assert!(waited < 3000, "{waited} ms");
        assert_eq!(folder.names(), before);
    }
}

#[test]
fn the_next_run_removes_what_a_killed_one_has_left() {
    let folder = Folder::new("leftovers");
    for name in [
        ".p.csv.4000000.tmp",
        ".p.csv.meta.json.4000000.tmp",
        ".q.csv.4000000.tmp",
    ] {
        folder.write(name, "tx,");
    }
    let run = folder.keller(&["paths", "s.toml", "-o", "p.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let names = folder.names();
    assert_eq!(
        names,
        [
            ".q.csv.4000000.tmp",
            "p.csv",
            "p.csv.meta.json",
            "s.toml",
            "square.obj"
        ]
    );
}

#[test]
fn resume_without_a_file_is_an_error() {
    let folder = Folder::new("resume-nothing");
    let cells = "[coverage]\nmin = [-9, -9]\nmax = [9, 9]\nresolution = 3\nheights = [2]\n";
    folder.write("c.toml", &format!("{SCENARIO}{cells}"));
    told(
        &folder.keller(&["coverage", "c.toml", "--resume"]),
        2,
        "--resume: without a file to write",
    );
}

#[test]
fn a_disk_that_is_too_small_is_told_before_the_work() {
    let folder = Folder::new("room");
    let before = folder.names();
    let cells = "[coverage]\nmin = [100, 100, 1]\nmax = [118, 118, 11]\nresolution = [0.018, 0.018, 0.01]\n";
    let tx: Vec<String> = (0..400)
        .map(|k| format!("[[tx]]\nposition = [0.{k}, 0.1, 3]\n"))
        .collect();
    let tx = tx.concat();
    // The cells lie outside the scene, so that nothing is looked at.
    folder.write("s.toml", &format!("{SCENARIO}{tx}{cells}"));
    let run = folder.keller(&["coverage", "s.toml", "-o", "c.npz"]);
    told(&run, 2, "-o c.npz: the result takes");
    assert_eq!(folder.names(), before);
}

#[test]
fn surfaces_go_on_where_a_run_was_stopped() {
    let folder = Folder::new("surfaces-resume");
    let mut text = SCENARIO.replace("[[rx]]\nposition = [4, 0, 3]\n", "");
    text = text.replace(
        "search = \"exhaustive\"",
        "max_interactions = 2\nmax_diffractions = 1",
    );
    for k in 0..7 {
        text = text.replacen(
            "[paths]",
            &format!("[[tx]]\nposition = [{k}.3, 1.1, 3]\n[paths]"),
            1,
        );
    }
    folder.write(
        "s.toml",
        &format!("{text}[tiles]\nside = 0.3\n[coverage]\nengine = \"surfaces\"\n"),
    );
    let args = [
        "coverage",
        "s.toml",
        "-o",
        "whole.npz",
        "--rays",
        "whole.csv",
    ];
    let whole = folder.keller(&args);
    assert_eq!(whole.code, Some(0), "{}", whole.stderr);
    let run = folder.shell(&format!(
        "{KELLER} coverage s.toml -o s.npz --rays s.csv & p=$!
         until [ -f s.npz.part ] && [ $(stat -c %s s.npz.part) -gt 100 ]; do
             kill -0 $p || break; sleep 0.002; done
         kill -TERM $p; wait $p"
    ));
    assert_eq!(run.code, Some(143), "{}", run.stderr);
    assert!(
        run.stderr.contains("of the surfaces is kept in s.npz.part"),
        "{}",
        run.stderr
    );
    let again = ["coverage", "s.toml", "-o", "s.npz", "--rays", "s.csv"];
    told(&folder.keller(&again), 2, "go on with --resume");
    let run = folder.keller(&[&again[..], &["--resume"]].concat());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for end in ["npz", "csv"] {
        assert!(
            folder.read_bytes(&format!("s.{end}")) == folder.read_bytes(&format!("whole.{end}")),
            "{end}"
        );
    }
    let left = folder
        .names()
        .into_iter()
        .filter(|name| name.contains(".part") || name.contains(".tmp"));
    assert_eq!(left.count(), 0);
}

#[test]
fn what_the_command_line_says_of_reference_systems_is_held_against_the_files() {
    let folder = Folder::new("crs");
    folder.write("m.geojson", HOUSE);
    let utm = HOUSE.replace(
        "{\"type\": \"Feature\"",
        "{\"crs\": {\"type\": \"name\", \"properties\": {\"name\": \"EPSG:4326\"}}, \"type\": \"Feature\"",
    );
    folder.write("own.geojson", &utm);
    let import = |file: &str, crs: &str| folder.keller(&["import", file, "--crs", crs]);
    told(
        &import("m.geojson", "n.geojson=EPSG:25832"),
        2,
        "there is no such file in this import; accepted: m.geojson",
    );
    told(&import("own.geojson", "EPSG:0"), 2, "--crs EPSG:0: ");
    let run = import("own.geojson", "EPSG:25832");
    told(
        &run,
        0,
        "warning: --crs EPSG:25832: it is for files that name no coordinate reference system, and all name one: `own.geojson` is in EPSG:4326",
    );
    let run = import("own.geojson", "own.geojson=urn:ogc:def:crs:EPSG::4326");
    assert!(!run.stderr.contains("--crs has it"), "{}", run.stderr);
    let run = import("own.geojson", "EPSG:4326");
    assert_eq!(
        (run.code, run.stderr.contains("--crs")),
        (Some(0), false),
        "{}",
        run.stderr
    );
    let run = import("own.geojson", "own.geojson=local");
    assert!(
        run.stderr
            .contains("`own.geojson`: the file names EPSG:4326; --crs has it in local instead"),
        "{}",
        run.stderr
    );
}

/// A grid of so many receivers around the walls of [`SCENARIO`], so that there are several blocks of them.
fn many_receivers(folder: &Folder) {
    let grid = "[[rx]]\ngrid = { min = [-3, -3], max = [9, 9], spacing = 0.06, height = 1.5 }\n";
    let text = SCENARIO.replace("[[rx]]\nposition = [4, 0, 3]\n", grid);
    assert_ne!(text, SCENARIO, "there is a receiver to replace");
    folder.write("p.toml", &text);
}

/// A run that was stopped, of paths or of channels, goes on behind its finished receivers and writes what a whole run writes.
#[cfg(unix)]
#[test]
fn paths_and_channels_go_on_where_a_run_was_stopped() {
    let folder = Folder::new("paths-resume");
    many_receivers(&folder);
    for (command, end) in [
        ("paths", "csv"),
        ("paths", "parquet"),
        ("channel", "csv"),
        ("channel", "npz"),
    ] {
        let (whole, out) = (format!("whole-{command}.{end}"), format!("{command}.{end}"));
        let run = folder.keller(&[command, "p.toml", "-o", &whole]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        // The first block is in the file before the disk has it for sure, and only then it counts as kept.
        let stopped_after = |pause: f64| {
            folder.shell(&format!(
                "rm -f {out} {out}.part; {KELLER} {command} p.toml -o {out} & p=$!
                 until [ -f {out}.part ] && [ $(stat -c %s {out}.part) -gt 100 ]; do
                     kill -0 $p || break; sleep 0.002; done
                 sleep {pause:.3}; kill -INT $p; wait $p"
            ))
        };
        let mut pause = 0.0;
        let mut run = stopped_after(pause);
        for _ in 0..20 {
            if run.stderr.contains("nothing written") {
                // The signal came too early.
                pause = 2.0 * pause + 0.005;
            } else if run.code == Some(0) {
                // The signal came too late.
                pause *= 0.6;
            } else {
                break;
            }
            run = stopped_after(pause);
        }
        assert_eq!(run.code, Some(130), "{}", run.stderr);
        let kept = format!("of the paths is kept in {out}.part");
        assert!(run.stderr.contains(&kept), "{}", run.stderr);
        assert!(
            !folder.names().contains(&out),
            "{out} is whole or not there"
        );
        let again = [command, "p.toml", "-o", &out];
        told(&folder.keller(&again), 2, "go on with --resume");
        let run = folder.keller(&[&again[..], &["--resume", "--threads", "1"]].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let same = folder.read_bytes(&out) == folder.read_bytes(&whole);
        assert!(same, "{out} and {whole} differ");
        assert!(!folder.names().contains(&format!("{out}.part")), "{out}");
    }
}
