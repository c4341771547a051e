//! Coverage by beams, as a user asks for it.

use crate::common::Folder;

/// Two houses on open ground, one of them in the way.
fn town(test: &str) -> Folder {
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

const SCENARIO: &str = "frequency_hz = 2e9\n[scene]\nfile = \"town.obj\"\nup = \"z\"\nunit = \"m\"\n\
    [[tx]]\nname = \"mast\"\nposition = [-40, 0, 6]\n\
    [coverage]\nengine = \"beams\"\nresolution = 2.5\nheights = [1.5]\nheight_above = \"ground\"\n";

#[test]
fn a_street_map_has_every_part_that_is_asked_for() {
    let folder = town("beams");
    let filled = |beams: &str| {
        folder.write("s.toml", &format!("{SCENARIO}{beams}"));
        let run = folder.keller(&["coverage", "s.toml", "-o", "s.csv", "--map", "s.png"]);
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
