//! Coverage by beams, as a user asks for it.

use std::fmt::Write as _;

use crate::common::Folder;

/// Two houses on open ground, one of them in the way.
pub(crate) fn town(test: &str) -> Folder {
    let folder = Folder::new(test);
    let ground = "usemtl concrete\nv -90 -90 0\nv 90 -90 0\nv 90 90 0\nv -90 90 0\nf 1 2 3 4";
    let mut lines = vec![ground.to_owned()];
    for (first, [x, y]) in [(5, [-10, -20]), (13, [25, 5])] {
        for z in [0, 12] {
            let outline = [[0, 0], [20, 3], [17, 23], [-3, 20]];
            lines.extend(outline.map(|[dx, dy]| format!("v {} {} {z}", x + dx, y + dy)));
        }
        for k in 0..4 {
            let [a, b] = [first + k, first + (k + 1) % 4];
            lines.push(format!("f {a} {b} {} {}", b + 4, a + 4));
        }
        let roof = [4, 5, 6, 7].map(|k| (first + k).to_string()).join(" ");
        lines.push(format!("f {roof}"));
    }
    let obj = lines.join("\n") + "\n";
    folder.write("town.obj", &obj);
    folder
}

pub(crate) const SCENARIO: &str = "frequency_hz = 2e9\n[scene]\nfile = \"town.obj\"\nup = \"z\"\nunit = \"m\"\n\
    [[tx]]\nname = \"mast\"\nposition = [-40, 0, 6]\n\
    [coverage]\nengine = \"beams\"\nresolution = 2.5\nheights = [1.5]\nheight_above = \"ground\"\n";

#[test]
fn a_street_map_has_every_part_that_is_asked_for() {
    let folder = town("beams");
    let filled = |beams: &str| {
        folder.write("s.toml", &format!("{SCENARIO}{beams}"));
        let run = folder.keller(&["coverage", "s.toml", "-o", "s.csv", "--picture", "s.png"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let rows = folder.read("s.csv");
        folder.must("rm s.csv s.png");
        // Rows of cells without a path have no gain.
        rows.lines()
            .skip(1)
            .filter(|row| {
                row.split(',')
                    .any(|cell| cell.starts_with('-') && cell.len() > 4)
            })
            .count()
    };
    let nothing = "rooftops = false\n[beams]\ncorners = 0\nthrough_walls = false\n";
    let streets = "rooftops = false\n[beams]\ncorners = 2\nthrough_walls = false\n";
    let (sight, streets, all) = (filled(nothing), filled(streets), filled(""));
    assert!(
        sight > 100 && sight < streets && streets <= all,
        "{sight} {streets} {all}"
    );
}

#[test]
fn what_beams_cannot_do_is_told() {
    let folder = town("beams-bad");
    let told = |text: &str| {
        folder.write("s.toml", text);
        let run = folder.keller(&["coverage", "s.toml", "-o", "s.csv"]);
        (run.code, run.stderr)
    };
    let (code, stderr) = told(&SCENARIO.replace("[-40, 0, 6]", "[-40, 0, -3]"));
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("Tx mast") && stderr.contains("3.0 m below the ground"),
        "{stderr}"
    );
    let (code, stderr) = told(&SCENARIO.replace("[-40, 0, 6]", "[0, -10, 6]"));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("is inside a building"), "{stderr}");
    folder.write(
        "flat.obj",
        "usemtl concrete\nv -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3 4\n",
    );
    let (code, stderr) = told(
        &SCENARIO
            .replace("town.obj", "flat.obj")
            .replace("-40, 0", "0, 0"),
    );
    assert_eq!(code, Some(2));
    assert!(
        stderr.contains("no upright walls that stand on the ground"),
        "{stderr}"
    );
    // A pitched roof over each house.
    let pitched = folder.read("town.obj").replace(
        "f 9 10 11 12",
        "v 0 0 20\nf 9 10 21\nf 10 11 21\nf 11 12 21\nf 12 9 21",
    );
    folder.write("town.obj", &pitched);
    let (_, stderr) = told(SCENARIO);
    assert!(
        stderr.contains("is neither an upright wall on the ground nor level"),
        "{stderr}"
    );
}

#[test]
fn vegetation_is_told_to_be_left_out() {
    let folder = town("beams-clutter");
    folder.write("lines.txt", "-40 0 6\n");
    let told = |clutter: &str, more: &[&str]| {
        folder.write("s.toml", &format!("{SCENARIO}{clutter}"));
        let run = folder.keller(&[&["coverage", "s.toml"], more].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stderr
    };
    let wood = "[[clutter]]\npolygon = [[60, 60], [80, 60], [80, 80]]\nheight = 9\nattenuation_db_per_m = 0.5\n";
    let positions = ["--positions", "lines.txt", "-o", "m.npy"];
    for more in [&[][..], &positions] {
        for (count, volumes) in [(1, "1 volume,"), (2, "2 volumes,")] {
            let stderr = told(&wood.repeat(count), more);
            let expected = format!(
                "s.toml: [coverage] engine = \"beams\": vegetation and other clutter is left out ({volumes} of [[clutter]]"
            );
            assert_eq!(stderr.matches(&expected).count(), 1, "{stderr}");
        }
        assert!(!told("", more).contains("clutter"));
    }
    folder.write(
        "s.toml",
        &format!("{SCENARIO}{wood}").replace("\"beams\"", "\"tubes\""),
    );
    let run = folder.keller(&["coverage", "s.toml"]);
    assert!(!run.stderr.contains("clutter"), "{}", run.stderr);
}

#[test]
fn many_tx_fill_the_same_file_with_any_number_of_threads() {
    let folder = town("beams-many");
    let (head, cells) = SCENARIO.split_once("[[tx]]").unwrap();
    let (_, cells) = cells.split_once("[coverage]").unwrap();
    let mut text = head.to_owned();
    for k in 0..40 {
        let (x, y, z) = (-80 + 4 * k, -40 - k, 3 + k % 20);
        write!(text, "[[tx]]\nposition = [{x}, {y}, {z}]\n").unwrap();
    }
    folder.write("s.toml", &format!("{text}[coverage]{cells}"));
    for threads in ["1", "2"] {
        let file = format!("{threads}.npz");
        let run = folder.keller(&["coverage", "s.toml", "-o", &file, "--threads", threads]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let same = folder.shell("cmp 1.npz 2.npz");
    assert_eq!(same.code, Some(0), "{}{}", same.stdout, same.stderr);
}

/// Losses that a map was made with, in the text of a calibrated scenario.
fn losses_in(text: &str) -> Vec<f64> {
    let numbers = ["corner_loss_db", "roof_loss_db", "wall_loss_db"].map(|key| {
        let line = text.lines().find(|line| line.starts_with(key)).unwrap();
        let list = line.split_once('[').unwrap().1.trim_end_matches(']');
        let numbers = list.split(',').map(|number| number.trim().parse().unwrap());
        numbers.collect::<Vec<f64>>()
    });
    numbers.concat()
}

#[test]
fn losses_are_fitted_to_a_map_and_to_measurements() {
    let folder = town("beams-fit");
    let hidden =
        "[beams]\ncorner_loss_db = [4, 20, -1]\nroof_loss_db = [3, 20, 1]\nwall_loss_db = [2, 5]\n";
    folder.write("hidden.toml", &format!("{SCENARIO}{hidden}"));
    let run = folder.keller(&[
        "coverage",
        "hidden.toml",
        "-o",
        "hidden.npz",
        "--picture",
        "h.png",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    folder.write(
        "s.toml",
        &format!("{SCENARIO}[calibrate]\nerror_db = 0.1 # small\n"),
    );
    let fit = "calibrate s.toml --reference hidden.npz -o fitted.toml --report fit.html --threads";
    let args: Vec<&str> = fit.split(' ').collect();
    let mut printed = Vec::new();
    for threads in ["1", "2"] {
        let run = folder.keller(&[&args[..], &[threads]].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        printed.push(folder.read("fitted.toml"));
    }
    assert_eq!(printed[0], printed[1]);
    assert!(printed[0].contains("cells of hidden.npz") && printed[0].contains("# small"));
    let near = |found: Vec<f64>| {
        // A line crosses two walls or none here: the losses of one wall alone cannot be separated.
        let house = found[6] + 2.0 * found[7];
        let found = [&found[..6], &[house]].concat();
        for (is, was) in found.iter().zip([4.0, 20.0, -1.0, 3.0, 20.0, 1.0, 12.0]) {
            assert!((is - was).abs() < 0.5, "{found:?}");
        }
    };
    near(losses_in(&printed[0]));
    assert!(folder.read("fit.html").contains("corner_loss_db"));
    // The same cells as measurements, in a file of another program.
    let run = folder.keller(&[
        "coverage",
        "hidden.toml",
        "-o",
        "hidden.csv",
        "--picture",
        "h.png",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let csv = folder.read("hidden.csv");
    let header: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).unwrap();
    let columns = ["x", "y", "z", "path_gain_db"].map(column);
    let mut rows = vec!["x,y,z,tx,path_gain_db".to_owned()];
    for line in csv.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [x, y, z, gain] = columns.map(|column| cells[column]);
        if gain.parse::<f64>().is_ok_and(f64::is_finite) {
            rows.push(format!("{x},{y},{z},mast,{gain}"));
        }
    }
    // One far outside, and one in the air.
    rows.push("500,0,1.5,mast,-90".to_owned());
    rows.push("0,-60,40,mast,-90".to_owned());
    folder.write("cells.csv", &rows.join("\n"));
    let run = folder.keller(&[
        "calibrate",
        "s.toml",
        "cells.csv",
        "-o",
        "measured.toml",
        "--json",
    ]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    near(losses_in(&folder.read("measured.toml")));
    let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(found["unreached"], 2);
    assert!(found["rmse"].as_f64().unwrap() < 0.05 && found["rmse_start"].as_f64().unwrap() > 1.0);
}

#[test]
fn exact_engines_teach() {
    let folder = town("beams-taught");
    let paths = "[paths]\nmax_reflections = 1\nmax_diffractions = 1\nmax_interactions = 2\n";
    folder.write(
        "s.toml",
        &format!("{SCENARIO}{paths}[calibrate]\nlosses = [\"corner_loss_db\", \"roof_loss_db\"]\n"),
    );
    for teacher in ["tubes", "points"] {
        let args = [
            "calibrate",
            "s.toml",
            "--reference",
            teacher,
            "--cells",
            "150",
            "-o",
            "t.toml",
            "--json",
        ];
        let run = folder.keller(&args);
        assert_eq!(run.code, Some(0), "{teacher}: {}", run.stderr);
        let found: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let [before, after] = ["rmse_start", "rmse"].map(|key| found[key].as_f64().unwrap());
        assert!(
            after <= before && after < 12.0,
            "{teacher}: {before} {after} dB"
        );
        let count = found["measurements"].as_u64().unwrap();
        assert!((50..=150).contains(&count), "{teacher}: {count}");
        // Losses that were not asked for are not in the text.
        assert!(!folder.read("t.toml").contains("wall_loss_db"));
    }
}

#[test]
fn what_teaches_nothing_is_told() {
    let folder = town("beams-untaught");
    folder.write("s.toml", SCENARIO);
    let tubes = SCENARIO.replace("beams", "tubes");
    folder.write("tubes.toml", &tubes);
    let mut cases = vec![
        (
            "s.toml --reference nothing.npz",
            "accepted by --reference: tubes, points",
        ),
        ("tubes.toml --reference tubes", "has no engine = \"beams\""),
        (
            "s.toml --reference tubes --trace-cache h.paths",
            "leave it out",
        ),
        ("s.toml", "MEASURED"),
        (
            "s.toml far.csv",
            "nothing can be learned: of 1 measurements, 1 lie outside",
        ),
    ];
    folder.write("far.csv", "x,y,z,tx,path_gain_db\n900,0,1.5,mast,-90\n");
    let sections = [
        ("losses = [\"wall\"]", "found `wall`"),
        ("losses = []", "found none"),
        (
            "[calibrate.background]\nlevel_db = [-90, -60]",
            "engine = \"beams\" of [coverage] knows none",
        ),
    ];
    for (number, (section, told)) in sections.into_iter().enumerate() {
        let file = format!("bad{number}.toml");
        folder.write(&file, &format!("{SCENARIO}[calibrate]\n{section}\n"));
        cases.push((
            Box::leak(format!("{file} --reference tubes").into_boxed_str()),
            told,
        ));
    }
    folder.write(
        "not.toml",
        &format!("{tubes}[calibrate]\nlosses = [\"wall_loss_db\"]\n"),
    );
    cases.push(("not.toml far.csv", "which this scenario does not have"));
    for (args, told) in cases {
        let args: Vec<&str> = ["calibrate"].into_iter().chain(args.split(' ')).collect();
        let run = folder.keller(&args);
        assert_eq!(run.code, Some(2), "{args:?}: {}", run.stderr);
        assert!(run.stderr.contains(told), "{args:?}: {}", run.stderr);
    }
}
