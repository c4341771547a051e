//! `keller antenna`: figures of a pattern, its table and its drawing; what is wrong is one message.

use crate::common::Folder;

const OMNI: &str = "elevation_deg,gain_dbi\n-90,-20\n-45,-1\n0,2\n45,-1\n90,-20\n";

#[test]
fn the_element_of_38_901_has_the_figures_of_its_table() {
    let folder = Folder::new("element");
    let run = folder.keller(&["antenna", "tr38901"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for line in [
        "largest gain 8.00 dBi",
        "directivity by integration 9.83 dBi",
        "horizontal beamwidth 65.1°",
        "vertical beamwidth 65.1°",
        "front to back 30.00 dB",
    ] {
        let words = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(line), "{line}\n{}", run.stdout);
    }
}

#[test]
fn a_written_table_reads_back_as_the_same_antenna() {
    let folder = Folder::new("table");
    folder.write("omni.csv", OMNI);
    let first = folder.keller(&["antenna", "omni.csv", "-o", "all.csv", "--json"]);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let second = folder.keller(&["antenna", "all.csv", "--json"]);
    assert_eq!(second.code, Some(0), "{}", second.stderr);
    let figures = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let (first, second) = (figures(&first.stdout), figures(&second.stdout));
    assert_eq!(
        (&first["content"], &second["content"]),
        (&"cuts".into(), &"gains".into())
    );
    for key in [
        "gain_dbi",
        "directivity_dbi",
        "vertical_beamwidth_deg",
        "tilt_deg",
    ] {
        let (a, b) = (first[key].as_f64().unwrap(), second[key].as_f64().unwrap());
        assert!((a - b).abs() < 1e-3, "{key}: {a} {b}");
    }
    assert!(first["horizontal_beamwidth_deg"].is_null());
    // Halfway between 2 and -1 dBi in 45° is 3.01 dB down after 45° x 3.01 / 3, just beyond; 18.99 dB in the next 45°.
    let half = 45.0 + 45.0 * (10.0 * 2.0_f64.log10() - 3.0) / 19.0;
    assert!((first["vertical_beamwidth_deg"].as_f64().unwrap() - 2.0 * half).abs() < 1e-6);
}

#[test]
fn a_drawing_has_both_cuts() {
    let folder = Folder::new("drawing");
    let run = folder.keller(&["antenna", "dipole", "-o", "dipole.svg"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let svg = folder.read("dipole.svg");
    assert_eq!(svg.matches("<polygon").count(), 2);
    assert!(svg.contains("2.15 dBi") && svg.ends_with("</svg>\n"));
    let says = |words: &str| svg.matches(&format!(">{words}</text>")).count();
    // Rings of both cuts in dBi, 10 dB apart.
    for ring in ["2.2", "-7.8", "-17.8", "-27.8"] {
        assert_eq!(says(ring), 2, "{ring}");
    }
    // Azimuths go all round; elevations are the same ahead and behind.
    for (angle, count) in [
        ("0°", 3),
        ("30°", 3),
        ("90°", 2),
        ("180°", 1),
        ("-150°", 1),
        ("-60°", 3),
    ] {
        assert_eq!(says(angle), count, "{angle}");
    }
    // The azimuth of 90° is on the left, the elevation of 90° at the top.
    let place = |text: &str, nth: usize| {
        let at = svg
            .match_indices(&format!(">{text}</text>"))
            .nth(nth)
            .unwrap()
            .0;
        let line = svg[..at].rsplit_once('\n').unwrap().1;
        let value = |key: &str| -> f64 {
            let rest = line.split_once(&format!("{key}=\"")).unwrap().1;
            rest.split_once('"').unwrap().0.parse().unwrap()
        };
        [value("x"), value("y")]
    };
    assert_eq!(place("90°", 0), [20.0, 272.0]);
    assert_eq!(place("90°", 1), [720.0, 52.0]);
}

#[test]
fn what_is_wrong_is_one_message_and_leaves_nothing() {
    let folder = Folder::new("wrong");
    folder.write("omni.csv", OMNI);
    folder.write("bad.csv", &OMNI.replace("0,2", "0,two"));
    let before = folder.names();
    for (args, message) in [
        (
            &["antenna", "bad.csv"][..],
            "keller: bad.csv:4: column gain_dbi: found `two`; accepted: a number",
        ),
        (&["antenna", "no.msi"], "keller: no.msi: "),
        (&["antenna", "dipol"], "keller: dipol: "),
        (
            &["antenna", "omni.csv", "-o", "a.png"],
            "keller: a.png: no form for this name; accepted",
        ),
        (
            &["antenna", "omni.csv", "-o", "no/a.csv"],
            "keller: no/a.csv: cannot be written",
        ),
    ] {
        let run = folder.keller(args);
        assert_eq!(run.code, Some(2), "{args:?}: {}", run.stderr);
        assert!(run.stderr.starts_with(message), "{message}\n{}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1);
        assert_eq!(folder.names(), before, "{args:?}");
    }
}

#[test]
fn paths_use_pattern_files() {
    // The direct path leaves the Tx horizontally, where the omni has 2 dBi and the isotropic antenna 0.
    let folder = Folder::new("paths");
    folder.write("omni.csv", OMNI);
    let gain = |antenna: &str| -> f64 {
        let scenario =
            crate::common::SCENARIO.replace("[[rx]]", &format!("antenna = \"{antenna}\"\n[[rx]]"));
        folder.write("a.toml", &scenario);
        let run = folder.keller(&["paths", "a.toml", "--json"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let table: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        table["paths"][0]["gain_db"].as_f64().unwrap()
    };
    let difference = gain("omni.csv") - gain("isotropic");
    assert!((difference - 2.0).abs() < 1e-9, "{difference}");
}
