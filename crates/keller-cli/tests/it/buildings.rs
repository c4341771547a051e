//! `keller scene` says what buildings with an inside replace, and how they misfit.

use std::fmt::Write as _;

use crate::common::Folder;

/// Upright boxes from z = 0 on, each from a corner (x, y) with a size, with a roof and with plates at further heights.
fn boxes(all: &[([f64; 2], [f64; 3], &[f64])], ground: f64) -> String {
    let mut obj = String::new();
    if ground > 0.0 {
        let g = ground;
        write!(obj, "o ground\nusemtl concrete\nv -{g} -{g} 0\nv {g} -{g} 0\nv {g} {g} 0\nv -{g} {g} 0\nf -4 -3 -2 -1\n").unwrap();
    }
    for (number, ([x, y], [width, depth, height], plates)) in all.iter().enumerate() {
        let ring = [
            [*x, *y],
            [x + width, *y],
            [x + width, y + depth],
            [*x, y + depth],
        ];
        writeln!(obj, "o house {number}\nusemtl brick").unwrap();
        for k in 0..4 {
            let ([ax, ay], [bx, by]) = (ring[k], ring[(k + 1) % 4]);
            write!(obj, "v {ax} {ay} 0\nv {bx} {by} 0\nv {bx} {by} {height}\nv {ax} {ay} {height}\nf -4 -3 -2 -1\n").unwrap();
        }
        for z in plates.iter().chain([height]) {
            for [x, y] in ring {
                writeln!(obj, "v {x} {y} {z}").unwrap();
            }
            writeln!(obj, "f -4 -3 -2 -1").unwrap();
        }
    }
    obj
}

fn folder(test: &str, building: &str) -> Folder {
    let folder = Folder::new(test);
    let city = boxes(
        &[
            ([0., 0.], [10., 8., 6.], &[]),
            ([20., 0.], [10., 8., 6.], &[]),
        ],
        60.0,
    );
    folder.write("city.obj", &city);
    folder.write(
        "office.obj",
        &boxes(&[([0., 0.], [10., 8., 6.], &[0.0, 3.0])], 0.0),
    );
    let scenario = format!(
        "frequency_hz = 3.5e9\n[scene]\nfile = \"city.obj\"\nup = \"z\"\nunit = \"m\"\n[[building]]\nfile = \"office.obj\"\n\
         up = \"z\"\nunit = \"m\"\n{building}\n[[tx]]\nposition = [15, -9, 3]\n[[rx]]\nposition = [5, 4, 1.5]\n"
    );
    folder.write("b.toml", &scenario);
    folder
}

#[test]
fn a_scene_says_what_its_buildings_replace() {
    let folder = folder("buildings", "position = [20, 0, -0.5]");
    let run = folder.keller(&["scene", "b.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    for wanted in [
        "building  at x y z m        turned °  footprint m²  floors at m\n",
        "office    20.00 0.00 -0.50      0.00          80.0  0.00 3.00\n",
        "building  replaces  around x y m  footprint m²  under it m²\n",
        "office    house 1   25.00 4.00            80.0         80.0\n",
        "office    80.0 m² of it lie below the ground, by up to 0.50 m\n",
    ] {
        assert!(run.stdout.contains(wanted), "{wanted}{}", run.stdout);
    }
    let note = "replaces a building of `house 1` around x = 25.0, y = 4.0 (80.0 of its 80.0 m²)";
    assert!(run.stderr.contains(note), "{}", run.stderr);
    assert!(run.stderr.contains("warning: ") && run.stderr.contains("below the ground"));
    let json = folder.keller(&["scene", "b.toml", "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let office = &json["buildings"][0];
    assert_eq!(office["name"], "office");
    assert_eq!(office["floors"], serde_json::json!([0.0, 3.0]));
    assert_eq!(office["replaced"][0]["object"], "house 1");
    assert_eq!(office["misfits"].as_array().unwrap().len(), 1);
    // 12 triangles of one house, 10 of the other, 2 of the ground, and 4 more of the floors.
    assert_eq!(json["triangles"], 2 + 10 + 14);
    let paths = folder.keller(&["paths", "b.toml"]);
    assert_eq!(paths.code, Some(0), "{}", paths.stderr);
}

#[test]
fn no_output_is_written_over_a_model() {
    let folder = folder("model", "position = [20, 0, 0]");
    let run = folder.keller(&["paths", "b.toml", "-o", "office.obj"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let run = folder.keller(&["scene", "b.toml", "--picture", "office.obj"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}
