//! The program as a user meets it: its output, its files and its exit codes.

use crate::common::{Folder, SCENARIO};

#[test]
fn every_kind_of_output_holds_the_same_paths() {
    let folder = Folder::new("outputs");
    for out in ["p.csv", "p.json", "p.parquet"] {
        let run = folder.keller(&["paths", "s.toml", "-o", out]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(run.stdout, "");
        assert!(
            run.stderr
                .starts_with("2 paths (search exhaustive), 1 of 1 receivers reached; import "),
            "{}",
            run.stderr
        );
    }
    let csv = folder.read("p.csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 3);
    assert_eq!((rows[1][2], rows[1][4]), ("LOS", "8.0"));
    assert_eq!(
        (rows[2][2], rows[2][3], rows[2][4]),
        ("R", "0.0 0.0 0.0", "10.0")
    );
    let json: serde_json::Value = serde_json::from_str(&folder.read("p.json")).unwrap();
    assert_eq!(
        json["paths"][1]["points"],
        serde_json::json!([[0.0, 0.0, 0.0]])
    );
    assert_eq!(json["paths"][1]["objects"], serde_json::json!([0]));
    assert_eq!(json["scenario"], SCENARIO);
    let printed = folder.keller(&["paths", "s.toml", "--json"]);
    let printed: serde_json::Value = serde_json::from_str(&printed.stdout).unwrap();
    assert_eq!(printed["paths"], json["paths"]);
    let table = folder.keller(&["paths", "s.toml"]).stdout;
    let words: Vec<Vec<&str>> = table
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    assert_eq!(words[1][..4], ["0", "0", "LOS", "8.00"]);
    assert_eq!(words[2][..4], ["0", "0", "R", "10.00"]);
    let names = [
        "p.csv",
        "p.csv.meta.json",
        "p.json",
        "p.parquet",
        "s.toml",
        "square.obj",
    ];
    assert_eq!(folder.names(), names);
}

#[test]
fn with_a_file_json_prints_the_summary() {
    let folder = Folder::new("summary");
    let run = folder.keller(&["paths", "s.toml", "-o", "p.csv", "--json", "--threads", "1"]);
    let summary: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(summary["paths"], 2);
    assert_eq!(summary["receivers_reached"], 1);
    assert_eq!(summary["threads"], 1);
    assert!(
        summary["seconds"]["search"].as_f64() >= Some(0.0),
        "{summary}"
    );
}

#[test]
fn options_overrule_the_scenario() {
    let folder = Folder::new("options");
    for search in ["launch", "exhaustive"] {
        let run = folder.keller(&["paths", "s.toml", "--search", search, "--effort", "quick"]);
        assert_eq!(run.stdout.lines().count(), 3, "{search}: {}", run.stderr);
    }
}

#[test]
fn paths_below_the_threshold_are_left_out() {
    let folder = Folder::new("threshold");
    // The reflection is weaker than the direct path, which has -61.4 dB.
    folder.write(
        "s.toml",
        &SCENARIO.replace("[paths]", "[paths]\npower_threshold_db = -61.5"),
    );
    let run = folder.keller(&["paths", "s.toml"]);
    assert_eq!(run.stdout.lines().count(), 2, "{}", run.stdout);
}

#[test]
fn a_default_thickness_lets_waves_through_walls() {
    let folder = Folder::new("thickness");
    let below = SCENARIO.replace("position = [4, 0, 3]", "position = [4, 0, -3]");
    let slab = below
        .replace("[scene]", "[scene]\ndefault_thickness = 0.2")
        .replace("[paths]", "[paths]\nmax_transmissions = 1");
    for (text, paths) in [(&below, 0), (&slab, 1)] {
        folder.write("s.toml", text);
        let run = folder.keller(&["paths", "s.toml"]);
        assert_eq!(run.stdout.lines().count(), 1 + paths, "{}", run.stderr);
    }
}

/// The delay behind a slab of air, and of anything else, by its own key and by the one for all walls.
#[test]
fn a_wall_delays_what_passes_it_unless_its_transmission_is_bare() {
    let folder = Folder::new("bare");
    let below = SCENARIO
        .replace("position = [4, 0, 3]", "position = [4, 0, -3]")
        .replace(
            "[paths]",
            "[paths]\nmax_transmissions = 1\nignore_displaced_air = ALL",
        );
    let of = |permittivity: f64, own: bool, all: bool| {
        let text = below.replace("ALL", &all.to_string());
        let wall = format!(
            "[materials.concrete]\npermittivity = {permittivity}\nthickness = 0.2\nignore_displaced_air = {own}\n"
        );
        folder.write("s.toml", &format!("{text}\n{wall}"));
        let run = folder.keller(&["paths", "s.toml", "--json"]);
        let table: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let row = &table["paths"][0];
        let number = |key: &str| {
            row[key]
                .as_f64()
                .unwrap_or_else(|| panic!("{key}: {}", run.stderr))
        };
        [
            number("delay_s") * 299_792_458.0 - number("length_m"),
            number("a_vv_re"),
        ]
    };
    let [air, wall] = [of(1.0, false, false), of(4.0, false, false)];
    assert!(air[0].abs() < 1e-9 && wall[0] > 0.1, "{air:?} {wall:?}");
    let bare = of(4.0, true, false);
    assert!(bare[0].abs() < 1e-9 && bare[1] != wall[1], "{bare:?}");
    assert_eq!(of(4.0, false, true), bare);
}

#[test]
fn results_are_the_same_bytes_for_every_number_of_threads_and_dispatch() {
    let folder = Folder::new("bytes");
    let demo = folder.keller(&["demo", "--seed", "5", "--threads", "1"]);
    assert_eq!(demo.code, Some(0), "{}", demo.stderr);
    let expected = folder.read("keller-demo/paths.csv");
    for options in [["--threads", "3"], ["--dispatch", "portable"]] {
        let run = folder.keller(
            &[
                &["paths", "keller-demo/scenario.toml", "-o", "p.csv"],
                &options[..],
            ]
            .concat(),
        );
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(folder.read("p.csv") == expected, "{options:?}");
    }
}

#[test]
fn the_demo_can_be_run_again_and_looked_at() {
    let folder = Folder::new("demo");
    let run = folder.keller(&["demo", "--seed", "2", "-o", "town"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let files = [
        "district.mtl",
        "district.obj",
        "map.png",
        "paths.csv",
        "paths.csv.meta.json",
        "paths.obj",
        "rx.csv",
        "scenario.toml",
    ];
    assert_eq!(folder.names_in("town"), files);
    assert!(
        run.stdout
            .contains("run it again: keller paths town/scenario.toml -o town/paths.csv"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("LOS"), "{}", run.stdout);
    let paths = folder.read("town/paths.csv").lines().count() - 1;
    assert!(paths > 500, "{paths}");
    let lines = folder.read("town/paths.obj");
    assert_eq!(
        lines.lines().filter(|line| line.starts_with("l ")).count(),
        paths
    );
    // The demo made a scene without a defect that counts.
    let scene = folder.keller(&["scene", "town/scenario.toml", "--json"]);
    let scene: serde_json::Value = serde_json::from_str(&scene.stdout).unwrap();
    for defect in [
        "near_vertices",
        "zero_area_triangles",
        "duplicate_triangles",
        "overlapping_triangles",
    ] {
        assert_eq!(scene["defects"][defect], 0, "{defect}");
    }
}

#[test]
fn a_scene_is_described_for_people_and_for_scripts() {
    let folder = Folder::new("scene");
    let run = folder.keller(&["scene", "square.obj", "--json", "--list"]);
    let json: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(json["triangles"], 2);
    assert_eq!(json["faces"], 1);
    assert_eq!(json["wedges"], 0);
    assert_eq!(json["free_edges"], 4);
    assert_eq!(
        json["materials"],
        serde_json::json!([{ "name": "concrete", "faces": 1, "area_m2": 324.0 }])
    );
    assert_eq!(
        json["bounds"],
        serde_json::json!({ "min": [-9.0, -9.0, 0.0], "max": [9.0, 9.0, 0.0] })
    );
    assert_eq!(json["defects"]["near_vertices"], 0);
    assert_eq!(json["face_list"][0]["material"], "concrete");
    assert_eq!(
        json["face_list"][0]["normal"],
        serde_json::json!([0.0, 0.0, 1.0])
    );
    assert_eq!(json["edge_list"].as_array().map(Vec::len), Some(4));
    assert_eq!(json["edge_list"][0]["kind"], "free");

    let text = folder.keller(&["scene", "square.obj", "--list"]).stdout;
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|l| l.split_whitespace().collect())
        .collect();
    for expected in [
        &["faces", "1"][..],
        &["free", "edges", "4"],
        &["concrete", "1", "324.0"],
        &["no", "defects"],
    ] {
        assert!(
            lines.iter().any(|line| line == expected),
            "{expected:?} is not in\n{text}"
        );
    }
}

#[test]
fn help_names_every_command_and_version_the_program() {
    let folder = Folder::new("help");
    let help = folder.keller(&["--help"]);
    assert_eq!(help.code, Some(0));
    for command in ["demo", "scene", "paths"] {
        assert!(
            help.stdout.contains(&format!("  {command} ")),
            "{}",
            help.stdout
        );
    }
    let version = folder.keller(&["--version"]).stdout;
    assert_eq!(
        version.trim(),
        format!("keller {}", env!("CARGO_PKG_VERSION"))
    );
    let paths = folder.keller(&["paths", "--help"]).stdout;
    for option in [
        "--out <OUT>",
        "--json",
        "--search <SEARCH>",
        "--effort <EFFORT>",
        "--threads <N>",
    ] {
        assert!(paths.contains(option), "{option} is not in\n{paths}");
    }
    assert!(!paths.contains("--dispatch"), "{paths}");
}

#[cfg(unix)]
#[test]
fn output_that_nobody_reads_is_no_failure() {
    let folder = Folder::new("pipe");
    folder.write(
        "many.toml",
        &SCENARIO.replace(
            "position = [4, 0, 3]",
            "grid = { min = [-8, -8], max = [8, 8], spacing = 0.25, height = 2 }",
        ),
    );
    let keller = env!("CARGO_BIN_EXE_keller");
    for json in ["", "--json"] {
        let run = folder.shell(&format!(
            "set -o pipefail; {keller} paths many.toml {json} | head -n 1"
        ));
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(
            !run.stderr.contains("panicked") && !run.stderr.contains("failure"),
            "{}",
            run.stderr
        );
        assert_eq!(run.stdout.lines().count(), 1);
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_with_130_and_leaves_nothing() {
    let folder = Folder::new("interrupt");
    let town = folder.keller(&["demo", "-o", "town"]);
    assert_eq!(town.code, Some(0), "{}", town.stderr);
    let scenario = folder.read("town/scenario.toml");
    // Searches that would take minutes on any machine.
    let long = scenario.replace(
        "[paths]",
        "[paths]\nsearch = \"launch\"\neffort = \"thorough\"",
    ) + &"[[tx]]\nposition = [1, 1, 30]\n".repeat(300);
    folder.write("town/long.toml", &long);
    let before = folder.names_in("town");
    let keller = env!("CARGO_BIN_EXE_keller");
    let run = folder.shell(&format!(
        "{keller} paths town/long.toml -o town/p.csv & pid=$!; sleep 1; kill -INT $pid; wait $pid"
    ));
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(
        run.stderr.contains("stopped, nothing written"),
        "{}",
        run.stderr
    );
    assert_eq!(folder.names_in("town"), before);
}

/// A demo takes the place of another demo, and of no file that anyone has made or changed.
#[test]
fn the_demo_replaces_no_file_of_a_user() {
    let folder = Folder::new("demo-again");
    for seed in ["3", "3", "4"] {
        let run = folder.keller(&["demo", "--seed", seed, "-o", "town"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let names = folder.names_in("town");
    let refused = |out: &str, name: &str| {
        let run = folder.keller(&["demo", "--seed", "3", "-o", out]);
        assert_eq!(run.code, Some(2), "{out}: {}", run.stderr);
        let told = format!("keller: {out}/{name}: it is there and not as `keller demo` wrote it");
        assert!(run.stderr.starts_with(&told), "{}", run.stderr);
        assert!(run.stderr.contains("accepted: another folder with -o"));
    };
    for name in ["scenario.toml", "rx.csv", "district.obj", "district.mtl"] {
        let file = format!("town/{name}");
        let whole = folder.read(&file);
        // One digit, and not that of the seed.
        let (before, after) = whole.rsplit_once('4').unwrap();
        let changed = format!("{before}5{after}");
        folder.write(&file, &changed);
        refused("town", name);
        assert_eq!(folder.read(&file), changed);
        folder.write(&file, &whole);
    }
    assert_eq!(folder.names_in("town"), names);
    // Files of others, of which some have no scenario.
    for name in ["scenario.toml", "rx.csv", "paths.csv", "map.png"] {
        let own = format!("own-{name}");
        folder.must(&format!("mkdir {own}; echo mine > {own}/{name}"));
        refused(&own, name);
        assert_eq!(folder.names_in(&own), [name]);
        assert_eq!(folder.read(&format!("{own}/{name}")), "mine\n");
    }
    // Files next to it are left alone.
    folder.must("mkdir beside; echo mine > beside/notes.txt");
    let run = folder.keller(&["demo", "-o", "beside"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(folder.read("beside/notes.txt"), "mine\n");
}

#[test]
fn the_examples_have_the_paths_they_promise() {
    let folder = Folder::new("examples");
    let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    // 3 receivers and 5 by 4 in a grid, each with 1 + 6 + 18 + 38 paths.
    for (example, paths) in [("two_ray", 2), ("room", 23 * 63)] {
        let scenario = format!("{examples}/{example}/scenario.toml");
        let run = folder.keller(&["paths", &scenario, "-o", "p.csv", "--json"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let summary: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(summary["paths"], paths, "{example}");
    }
}

#[test]
fn bodies_that_are_inside_out_are_named() {
    let folder = Folder::new("inside_out");
    // Two boxes of which the second is wound inwards, and a third with one face turned.
    let mut lines = Vec::new();
    let corners = [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 0, 1],
        [1, 1, 1],
        [0, 1, 1],
    ];
    let faces = [
        [4, 3, 2, 1],
        [5, 6, 7, 8],
        [1, 2, 6, 5],
        [2, 3, 7, 6],
        [3, 4, 8, 7],
        [4, 1, 5, 8],
    ];
    let turned: [fn(usize) -> bool; 3] = [|_| false, |_| true, |face| face == 1];
    for (k, is_turned) in turned.into_iter().enumerate() {
        for [x, y, z] in corners {
            lines.push(format!("v {} {} {}", 10 * k + 3 * x, 4 * y, 5 * z));
        }
        for (number, face) in faces.iter().enumerate() {
            let mut face = face.map(|v| (8 * k + v).to_string());
            if is_turned(number) {
                face.reverse();
            }
            lines.push(format!("f {}", face.join(" ")));
        }
    }
    folder.write("boxes.obj", &lines.join("\n"));
    let json: serde_json::Value =
        serde_json::from_str(&folder.keller(&["scene", "boxes.obj", "--json"]).stdout).unwrap();
    assert_eq!(json["wedges"], 36);
    assert_eq!(json["defects"]["inward_bodies"], 1);
    assert_eq!(json["defects"]["mixed_bodies"], 1);
    let fronts: Vec<&str> = json["turned_bodies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|body| body["fronts"].as_str().unwrap())
        .collect();
    assert_eq!(fronts, ["inwards", "mixed"]);
    let text = folder.keller(&["scene", "boxes.obj"]).stdout;
    assert!(text.contains("closed bodies with all fronts inwards (inside out, or a room)"));
    assert!(!text.contains("no defects"), "{text}");
}
