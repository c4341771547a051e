//! `array_tracing = "each"` as a user meets it.

use crate::common::{Folder, SCENARIO};

/// The scenario with an array of `elements` at the Rx (turned by 90°) and two ports.
fn with_array(elements: &str, tracing: &str) -> String {
    let array = format!(
        "position = [4, 0, 3]\npolarization = \"VH\"\norientation_deg = [90, 0, 0]\n\
         array = {{ elements_m = {elements} }}\narray_tracing = \"{tracing}\""
    );
    let band = "[channel]\nbandwidth_hz = 100e6\nnum_frequencies = 4\n[paths]";
    SCENARIO
        .replace("position = [4, 0, 3]", &array)
        .replace("[paths]", band)
}

/// The values of the row of `text` at `line`, by the names of its header.
fn number(text: &str, line: usize, name: &str) -> f64 {
    let rows: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    let column = rows[0].iter().position(|n| *n == name).unwrap();
    rows[line][column].parse().unwrap()
}

#[test]
fn each_has_the_shapes_of_phase_and_exact_distances() {
    let folder = Folder::new("each-shapes");
    // Turned by 90°: the second element is 3 m nearer to the Tx, along -x.
    let elements = "[[0, 0, 0], [0, 3, 0]]";
    for tracing in ["phase", "each"] {
        folder.write(&format!("{tracing}.toml"), &with_array(elements, tracing));
        for extension in ["csv", "npz"] {
            let scenario = format!("{tracing}.toml");
            let out = format!("{tracing}.{extension}");
            let run = folder.keller(&["channel", &scenario, "-o", &out]);
            assert_eq!(run.code, Some(0), "{}", run.stderr);
        }
    }
    let shape = |file: &str, name: &str| folder.npz(file, name).1;
    for name in [
        "a",
        "tau",
        "phi_r",
        "valid",
        "num_paths",
        "h",
        "pdp",
        "interactions",
    ] {
        assert_eq!(shape("phase.npz", name), shape("each.npz", name), "{name}");
    }
    assert_eq!(shape("each.npz", "a"), "1, 4, 1, 1, 2,");
    // The paths are the line of sight, and the reflection from the ground.
    assert_eq!(folder.npz("each.npz", "interactions").2, [0, 1]);
    let [phase, each] = ["phase.npz", "each.npz"].map(|file| folder.npz(file, "vertices").2);
    assert_eq!(phase, each, "the first element is in the centre");
    let [phase, each] = ["phase.csv", "each.csv"].map(|name| folder.read(name));
    for text in [&phase, &each] {
        assert_eq!(number(text, 1, "num_paths"), 2.0);
    }
    // The line of sight alone is 1/8² and 1/5² where one trace has 1/8² twice; the ground adds less than it.
    let gain = |text| number(text, 1, "gain_incoherent_db");
    let direct = 10.0 * ((1.0 / 64.0 + 1.0 / 25.0) / (2.0 / 64.0_f64)).log10();
    assert!((gain(&each) - gain(&phase) - direct).abs() < 0.5);
}

#[test]
fn paths_are_those_of_the_devices_either_way() {
    let folder = Folder::new("each-paths");
    let elements = "[[0, 1, 0], [0, 3, 0]]";
    folder.write("phase.toml", &with_array(elements, "phase"));
    folder.write("each.toml", &with_array(elements, "each"));
    folder.keller(&["paths", "phase.toml", "-o", "phase.csv"]);
    folder.keller(&["paths", "each.toml", "-o", "each.csv"]);
    assert_eq!(folder.read("phase.csv"), folder.read("each.csv"));
    assert_eq!(folder.read("each.csv").lines().count(), 3);
}

#[test]
fn a_link_is_the_same_among_others_and_on_any_number_of_threads() {
    let folder = Folder::new("each-threads");
    let alone = with_array("[[0, 0, 0], [0, 1, 0], [0, 2, 0.5]]", "each");
    let tx = "[[tx]]\nposition = [-4, 0, 3]\n\
              array = { rows = 2, columns = 2 }\narray_tracing = \"each\"";
    let alone = alone.replace("[[tx]]\nposition = [-4, 0, 3]", tx);
    let among = alone
        .replace(
            "[[rx]]",
            &format!("{tx}\n[[rx]]\nposition = [1, 2, 2]\n[[rx]]"),
        )
        .replacen(tx, "[[tx]]\nposition = [0, 5, 2]\n", 1);
    folder.write("alone.toml", &alone);
    folder.write("among.toml", &among);
    for (scenario, threads, out) in [
        ("alone.toml", "1", "alone.csv"),
        ("among.toml", "1", "among.csv"),
        ("among.toml", "3", "threads.csv"),
    ] {
        let run = folder.keller(&["channel", scenario, "--threads", threads, "-o", out]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    assert_eq!(folder.read("among.csv"), folder.read("threads.csv"));
    let (alone, among) = (folder.read("alone.csv"), folder.read("among.csv"));
    // Link 1,1 of 0,0 0,1 1,0 1,1.
    // Between the numbers of the devices and their names and places.
    let values = |line: &str| {
        let all: Vec<String> = line.split(',').map(str::to_owned).collect();
        all[2..all.len() - 6].to_vec()
    };
    assert!(among.lines().nth(4).unwrap().starts_with("1,1,2,"));
    assert_eq!(
        values(among.lines().nth(4).unwrap()),
        values(alone.lines().nth(1).unwrap())
    );
}

#[test]
fn an_element_inside_a_wall_is_named() {
    let folder = Folder::new("each-inside");
    let inside = with_array("[[0, 0, 0], [0, 0, -3]]", "each");
    folder.write("in.toml", &inside);
    let run = folder.keller(&["channel", "in.toml", "-o", "c.csv"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let expected = "in.toml:6: rx 0 element 1 at (4, 0, 0): it is inside the wall of face 0 (`concrete`); devices must keep";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert_eq!(folder.names(), ["in.toml", "s.toml", "square.obj"]);
    // The mode `phase` finds nothing there.
    folder.write("ok.toml", &inside.replace("\"each\"", "\"phase\""));
    let run = folder.keller(&["channel", "ok.toml"]);
    assert_eq!((run.code, run.stdout.lines().count()), (Some(0), 2));
}
