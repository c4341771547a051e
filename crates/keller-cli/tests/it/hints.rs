//! Hints about scenarios that are not wrong but not what the user meant either.

use crate::common::{Folder, SCENARIO};

/// A closed box of 8 m by 8 m by 4 m around the origin, next to the square of [`crate::common::SQUARE`].
const BOX: &str = "usemtl brick\nv -4 -4 0\nv 4 -4 0\nv 4 4 0\nv -4 4 0\nv -4 -4 4\nv 4 -4 4\nv 4 4 4\nv -4 4 4\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// A wall of 8 m by 6 m between Tx and Rx that stands alone.
const SCREEN: &str = "usemtl brick\nv 0 -4 0\nv 0 4 0\nv 0 4 6\nv 0 -4 6\nf 1 2 3 4\n";

#[test]
fn materials_below_their_range_are_named_with_the_key_that_silences_or_forbids_them() {
    let folder = Folder::new("lte-800");
    let text = SCENARIO.replace("3.5e9", "800e6");
    folder.write("s.toml", &text);
    let run = folder.keller(&["paths", "s.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let expected = "warning: s.toml: 0.8 GHz is below the range of `concrete` (1 to 100 or 110 to 330 GHz) in ITU-R P.2040: extrapolated; [scene] itu_below_range = \"allow\" silences this, \"forbid\" makes it an error";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    assert_eq!(run.stderr.matches("P.2040").count(), 1, "{}", run.stderr);

    let with = |choice: &str| {
        let key = format!("[scene]\nitu_below_range = \"{choice}\"");
        folder.write("s.toml", &text.replace("[scene]", &key));
        folder.keller(&["paths", "s.toml"])
    };
    let run = with("allow");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stderr.contains("P.2040"), "{}", run.stderr);
    let run = with("forbid");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("itu_below_range = \"forbid\" does not allow"),
        "{}",
        run.stderr
    );

    folder.write("s.toml", &SCENARIO.replace("3.5e9", "105e9"));
    let run = folder.keller(&["paths", "s.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let expected = "frequency 105 GHz is outside the range of material `concrete`: 1 to 100 or 110 to 330 GHz; define [materials.NAME] with permittivity and conductivity";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn an_rx_at_the_place_of_a_tx_is_named() {
    let folder = Folder::new("same-place");
    folder.write(
        "s.toml",
        &SCENARIO.replace("position = [4, 0, 3]", "position = [-4, 0, 3]"),
    );
    let run = folder.keller(&["paths", "s.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let expected = "warning: s.toml:6: rx 0 has the same position as tx 0, (-4, 0, 3)";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn points_of_a_grid_inside_walls_are_left_out_and_the_others_keep_their_numbers() {
    let folder = Folder::new("grid-in-wall");
    folder.write("square.obj", BOX);
    let grid = "grid = { min = [2, 0.5], max = [6, 0.5], spacing = 2, height = 1 }";
    let text = SCENARIO
        .replace("position = [4, 0, 3]", grid)
        .replace("position = [-4, 0, 3]", "position = [9, 0, 3]");
    folder.write("s.toml", &text);
    let run = folder.keller(&["paths", "s.toml", "-o", "p.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let expected = "1 of 3 receivers are grid points inside walls or without ground below (rx 1 is the first); they are skipped";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    // The Tx sees rx 2; rx 0 is inside the box.
    let table = folder.read("p.csv");
    let rx: Vec<&str> = table
        .lines()
        .skip(1)
        .filter_map(|l| l.split(',').nth(1))
        .collect();
    assert!(!rx.is_empty() && rx.iter().all(|rx| *rx == "2"), "{table}");
    let expected = "1 of 2 receivers have no path (rx 0 is the first): 1 are behind opaque walls, such as `brick`";
    assert!(run.stderr.contains(expected), "{}", run.stderr);

    folder.write("s.toml", &text.replace(grid, "position = [4, 0.5, 1]"));
    let run = folder.keller(&["paths", "s.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("inside the wall of face"),
        "{}",
        run.stderr
    );
}

#[test]
fn receivers_of_a_file_in_walls_are_left_out_and_listed() {
    let folder = Folder::new("file-in-wall");
    folder.write("square.obj", BOX);
    let text = SCENARIO
        .replace("position = [4, 0, 3]", "file = \"rx.csv\"")
        .replace("position = [-4, 0, 3]", "position = [9, 0, 3]");
    folder.write("s.toml", &text);
    // The receivers are on the wall, inside the box, outside, and on the roof.
    folder.write(
        "rx.csv",
        "x,y,z,name\n4,0.5,1,wall\n1,1,1,room\n7,0.5,1,yard\n1,0.5,4,roof\n",
    );
    for command in ["paths", "channel"] {
        let out = format!("{command}.csv");
        let run = folder.keller(&[command, "s.toml", "-o", &out, "--json"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let expected = "rx.csv:2: 2 of 4 receivers have no place in the scene and are left out: 2 on or in a wall (rx 0 of rx.csv:2, rx 3 of rx.csv:5)";
        assert!(run.stderr.contains(expected), "{}", run.stderr);
        let summary: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let left_out = summary["receivers_left_out"].as_array().unwrap();
        let told = |key: &str| -> Vec<String> {
            left_out.iter().map(|one| one[key].to_string()).collect()
        };
        assert_eq!(told("rx"), ["0", "3"]);
        assert_eq!(told("line"), ["2", "5"]);
        assert_eq!(told("name"), ["\"wall\"", "\"roof\""]);
        assert_eq!(summary["receivers_reached"], 1, "{summary}");
        let table = folder.read(&out);
        let header: Vec<&str> = table.lines().next().unwrap().split(',').collect();
        let column = header.iter().position(|name| *name == "rx").unwrap();
        let paths = header.iter().position(|name| *name == "num_paths");
        for row in table.lines().skip(1) {
            let row: Vec<&str> = row.split(',').collect();
            let is_empty = paths.is_some_and(|paths| row[paths] == "0");
            assert!(is_empty || row[column] == "2", "{row:?}");
        }
        let expected = "1 of 2 receivers have no path (rx 1 is the first)";
        assert!(run.stderr.contains(expected), "{}", run.stderr);
        let expected = "1 are inside closed bodies, such as buildings (rx 1 is the first)";
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    folder.write(
        "s.toml",
        &text.replace("\"rx.csv\"", "\"rx.csv\"\nstrict = true"),
    );
    let run = folder.keller(&["paths", "s.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("rx.csv:2: rx 0 at (4, 0.5, 1)"),
        "{}",
        run.stderr
    );
    folder.write("s.toml", &text);
    folder.write("rx.csv", "4,0.5,1\n");
    let run = folder.keller(&["paths", "s.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("none of the 1 receivers has a place"),
        "{}",
        run.stderr
    );
    folder.write(
        "s.toml",
        &SCENARIO.replace(
            "position = [4, 0, 3]",
            "position = [4, 0, 3]\nstrict = true",
        ),
    );
    let run = folder.keller(&["paths", "s.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("strict"), "{}", run.stderr);
}

#[test]
fn a_receiver_indoors_is_explained_by_the_walls_that_it_is_behind() {
    let folder = Folder::new("indoors");
    folder.write("square.obj", BOX);
    let text = SCENARIO
        .replace("position = [4, 0, 3]", "position = [1, 0.5, 1]")
        .replace("position = [-4, 0, 3]", "position = [9, 0, 3]")
        .replace("[scene]", "[scene]\ndefault_thickness = 0.2");
    folder.write("s.toml", &text);
    let run = folder.keller(&["paths", "s.toml"]);
    let expected = "1 of 1 receivers have no path (rx 0 is the first): 1 are behind walls that waves can pass, up to 1 walls, but [paths] max_transmissions is 0";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    folder.write("s.toml", &format!("{text}max_transmissions = 1\n"));
    let run = folder.keller(&["paths", "s.toml"]);
    assert!(!run.stderr.contains("have no path"), "{}", run.stderr);
}

/// A conducting half plane whose edge stands at (-0.5, 0.5), between a Tx and an Rx.
const HALF_PLANE: &str =
    "v -0.5 0.5 -20\nv -0.5 0.5 20\nv -0.5 -9 20\nv -0.5 -9 -20\nusemtl w\nf 1 2 3 4\n";

#[test]
fn diffraction_without_reflections_is_found_and_a_total_that_forbids_it_is_named() {
    let folder = Folder::new("diffraction-alone");
    folder.write("half.obj", HALF_PLANE);
    let text = |limits: &str| {
        format!(
            "frequency_hz = 10e9\n[scene]\nfile = \"half.obj\"\nup = \"z\"\n[materials.w]\npec = true\n\
             [[tx]]\nposition = [-1, -0.5, 0]\n[[rx]]\nposition = [0, 1, 0.25]\n[paths]\nfree_edges = true\n{limits}\n"
        )
    };
    folder.write("s.toml", &text("max_reflections = 0\nmax_diffractions = 1"));
    let run = folder.keller(&["paths", "s.toml", "-o", "p.csv"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(!run.stderr.contains("have no path"), "{}", run.stderr);
    let table = folder.read("p.csv");
    let mut rows = table
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>());
    let header = rows.next().unwrap();
    let column = |name: &str| header.iter().position(|found| *found == name).unwrap();
    let points: Vec<Vec<f64>> = rows
        .filter(|row| row[column("types")] == "D")
        .map(|row| {
            let numbers = row[column("points")].split(' ');
            numbers.map(|number| number.parse().unwrap()).collect()
        })
        .collect();
    // Keller's cone: both ends are sqrt(1.25) and sqrt(0.5) from the edge.
    let [behind, ahead] = [1.25_f64.sqrt(), 0.5_f64.sqrt()];
    let z = 0.25 * behind / (behind + ahead);
    let is_there = |p: &&Vec<f64>| {
        (p[0] + 0.5).abs() < 1e-6 && (p[1] - 0.5).abs() < 1e-6 && (p[2] - z).abs() < 1e-6
    };
    assert_eq!(points.iter().filter(is_there).count(), 1, "{table}");

    folder.write(
        "s.toml",
        &text("max_interactions = 0\nmax_diffractions = 1"),
    );
    let run = folder.keller(&["paths", "s.toml"]);
    let expected = "[paths] max_diffractions is 1, but max_interactions = 0 allows fewer; 1 are behind opaque walls";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn open_sheets_that_do_not_diffract_are_named_until_the_scenario_decides() {
    let folder = Folder::new("free-edges");
    let bent = format!("{SCENARIO}max_diffractions = 1\n");
    folder.write("s.toml", &bent);
    let run = folder.keller(&["paths", "s.toml"]);
    assert!(
        !run.stderr.contains("open walls"),
        "a ground ends: {}",
        run.stderr
    );
    folder.write("square.obj", SCREEN);
    let run = folder.keller(&["paths", "s.toml"]);
    let expected = "28 m of 28 m of edges are free edges of open walls, which diffract only with [paths] free_edges = true";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
    for choice in ["true", "false"] {
        folder.write("s.toml", &format!("{bent}free_edges = {choice}\n"));
        let run = folder.keller(&["paths", "s.toml"]);
        assert!(!run.stderr.contains("open walls"), "{}", run.stderr);
    }
    // A closed body has no such borders.
    folder.write("square.obj", BOX);
    let text = bent
        .replace("[-4, 0, 3]", "[9, 0, 3]")
        .replace("[4, 0, 3]", "[0, 9, 3]");
    folder.write("s.toml", &text);
    let run = folder.keller(&["paths", "s.toml"]);
    assert!(!run.stderr.contains("open walls"), "{}", run.stderr);
}

#[test]
fn a_coverage_says_which_engine_it_took() {
    let folder = Folder::new("auto-engine");
    let coverage = "[coverage]\nmin = [-5, -5]\nmax = [5, 5]\nheights = [1.5]\nresolution = 1\n";
    let fine = coverage.replace("resolution = 1", "resolution = 0.05");
    for (text, expected) in [
        (
            coverage,
            "chooses points (exact paths to the centre of each of the 100 cells)",
        ),
        (
            &fine,
            "chooses tubes; \"points\" would find the exact paths to the centre of each of the 40000 cells",
        ),
    ] {
        folder.write("s.toml", &format!("{SCENARIO}{text}"));
        let run = folder.keller(&["coverage", "s.toml"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let expected = format!("note: s.toml: [coverage] engine = \"auto\" {expected}");
        assert!(run.stderr.contains(&expected), "{}", run.stderr);
    }
    folder.write(
        "s.toml",
        &format!("{SCENARIO}{coverage}engine = \"points\"\n"),
    );
    let run = folder.keller(&["coverage", "s.toml"]);
    assert!(!run.stderr.contains("note:"), "{}", run.stderr);
}
