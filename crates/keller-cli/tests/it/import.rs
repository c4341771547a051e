//! `keller import` as a user meets it.

use crate::common::{Folder, Run};
use serde_json::Value;

/// A GeoJSON of one rectangle a line: west, south, east, north, and properties.
fn geojson(rectangles: &[([f64; 4], &str)]) -> String {
    let feature = |(number, ([w, s, e, n], properties)): (usize, &([f64; 4], &str))| {
        format!(
            r#"{{"type": "Feature", "id": "house {number}", "properties": {{{properties}}}, "geometry": {{"type": "Polygon",
                "coordinates": [[[{w}, {s}], [{e}, {s}], [{e}, {n}], [{w}, {n}], [{w}, {s}]]]}}}}"#
        )
    };
    let features: Vec<String> = rectangles.iter().enumerate().map(feature).collect();
    format!(
        r#"{{"type": "FeatureCollection", "features": [{}]}}"#,
        features.join(",")
    )
}

/// A house of about 15 m by 22 m.
fn house(lon: f64, lat: f64) -> [f64; 4] {
    [lon, lat, lon + 2e-4, lat + 2e-4]
}

fn json(run: &Run) -> Value {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn footprints_become_a_scene_with_paths_in_it() {
    let folder = Folder::new("import-footprints");
    let street = geojson(&[
        (house(11.5750, 48.1370), r#""height": "12 m""#),
        (
            house(11.5750, 48.1375),
            r#""height": "40 ft", "building:material": "brick""#,
        ),
        (house(11.5757, 48.1370), r#""building:levels": 5"#),
    ]);
    folder.write("street.geojson", &street);
    let run = folder.keller(&[
        "import",
        "street.geojson",
        "-o",
        "street.glb",
        "--picture",
        "street.png",
        "--json",
    ]);
    let facts = json(&run);
    assert_eq!(facts["crs"], "EPSG:32632");
    assert_eq!(facts["buildings"], 3);
    assert_eq!(facts["ground"]["plane_m"], 0.0);
    for defect in [
        "cracks",
        "t_junctions",
        "non_manifold_edges",
        "overlapping_triangles",
    ] {
        assert_eq!(facts[defect], 0, "{defect}");
    }
    // The centre of the place, to a millionth of a degree or so: the origin lies on a whole metre.
    let at = |k: usize| facts["longitude_latitude"][k].as_f64().unwrap();
    assert!(
        (at(0) - 11.575_45).abs() < 2e-5 && (at(1) - 48.137_35).abs() < 2e-5,
        "{facts}"
    );
    assert!(folder.read_bytes("street.png").starts_with(b"\x89PNG"));

    let scene = json(&folder.keller(&["scene", "street.glb", "--json"]));
    // Three boxes on a rectangle.
    assert_eq!(
        (&scene["faces"], &scene["wedges"]),
        (&16.into(), &24.into())
    );
    let top = scene["bounds"]["max"][2].as_f64().unwrap();
    assert!((top - 15.0).abs() < 1e-6, "five storeys are 15 m: {top}");
    let names: Vec<&str> = scene["materials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["wall", "roof", "brick", "ground"]);

    // Once more through a file: ids, materials and place are kept.
    let again = json(&folder.keller(&["import", "street.glb", "-o", "again.glb", "--json"]));
    assert_eq!(again["crs"], "EPSG:32632");
    let text = |name: &str| String::from_utf8_lossy(&folder.read_bytes(name)).into_owned();
    for part in ["house 0", "house 2", "ground", "\"itu\":\"concrete\""] {
        assert!(text("again.glb").contains(part), "{part}");
    }

    // A link between the houses has the line of sight, and a reflection at the ground at least.
    folder.write(
        "street.toml",
        "frequency_hz = 3.5e9\n[scene]\nfile = \"street.glb\"\n[[tx]]\nposition = [0, -40, 10]\n[[rx]]\nposition = [0, 30, 1.5]\n[paths]\nmax_interactions = 2\n",
    );
    let run = folder.keller(&["paths", "street.toml", "--json"]);
    let paths = json(&run);
    let types: Vec<&str> = paths["paths"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["types"].as_str().unwrap())
        .collect();
    assert!(types.contains(&"LOS") && types.contains(&"R"), "{types:?}");
}

#[test]
fn houses_stand_on_terrain_in_another_system() {
    let folder = Folder::new("import-terrain");
    folder.write(
        "h.geojson",
        &geojson(&[(house(11.5750, 48.1370), r#""height": 12"#)]),
    );
    // A slope of 5 % to the east around there, in UTM zone 32; the .prj names it.
    let row: Vec<String> = (0..60)
        .map(|column| (500.0 + 0.5 * f64::from(column)).to_string())
        .collect();
    let rows = vec![row.join(" "); 60].join("\n");
    folder.write(
        "t.asc",
        &format!("ncols 60\nnrows 60\nxllcorner 691300\nyllcorner 5334400\ncellsize 10\n{rows}\n"),
    );
    folder.write("t.prj", "EPSG:25832");
    let facts = json(&folder.keller(&["import", "h.geojson", "t.asc", "-o", "s.glb", "--json"]));
    assert_eq!(facts["buildings"], 1, "{facts}");
    let heights = facts["ground"]["heights"].as_u64().unwrap();
    let triangles = facts["ground"]["triangles"].as_u64().unwrap();
    assert!(heights > 400 && triangles < 10, "{facts}");
    assert_eq!(facts["cracks"], 0);
}

#[test]
fn a_place_may_lie_across_the_antimeridian() {
    let folder = Folder::new("import-antimeridian");
    let houses = geojson(&[
        (house(179.9995, 1.0), r#""height": 12"#),
        (house(-179.9995, 1.0), r#""height": 12"#),
        (house(11.575, 1.0), r#""height": 12"#),
    ]);
    folder.write("a.geojson", &houses);
    let within = |bounds: &str| {
        let args = [
            "import",
            "a.geojson",
            "-o",
            "s.glb",
            "--json",
            "--bounds",
            bounds,
        ];
        json(&folder.keller(&args))["buildings"].clone()
    };
    assert_eq!(within("179.9,0.9,-179.9,1.1"), 2);
    assert_eq!(within("-180,0.9,-179.9,1.1"), 1);
    assert_eq!(within("11.5,0.9,11.6,1.1"), 1);
    let run = folder.keller(&["import", "a.geojson", "--bounds", "11.6,48.1,-11.5,48.2"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn what_is_unknown_is_assumed_aloud() {
    let folder = Folder::new("import-unknown");
    folder.write(
        "h.geojson",
        &geojson(&[([0.0, 0.0, 20.0, 10.0], r#""height": "tall""#)]),
    );
    let run = folder.keller(&["import", "h.geojson", "--crs", "local"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("not known"), "{}", run.stdout);
    for part in ["house 0", "`tall`", "10 m", "--crs"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    assert!(folder.names().contains(&"scene.glb".to_owned()));
}

#[test]
fn one_file_may_be_told_its_system() {
    let folder = Folder::new("import-crs");
    folder.write(
        "m.geojson",
        &geojson(&[(
            [691_200.0, 5_334_200.0, 691_220.0, 5_334_210.0],
            r#""height": 9"#,
        )]),
    );
    folder.write(
        "d.geojson",
        &geojson(&[(house(11.5757, 48.1370), r#""height": 9"#)]),
    );
    for crs in [
        "m.geojson=EPSG:25832",
        "m.geojson=+proj=utm +zone=32 +ellps=GRS80 +units=m",
    ] {
        let facts =
            json(&folder.keller(&["import", "m.geojson", "d.geojson", "--crs", crs, "--json"]));
        assert_eq!(facts["buildings"], 2);
        assert!(facts["size_m"][0].as_f64().unwrap() < 1000.0, "{facts}");
    }
}

/// Files as name and text, arguments of `keller import`, and the text that the error must contain.
type Bad<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a [&'a str]);

/// Each is one error with exit code 2 that leaves nothing behind.
fn check_refusals(test: &str, cases: &[Bad<'_>]) {
    for (number, (files, args, parts)) in cases.iter().enumerate() {
        let folder = Folder::new(&format!("{test}-{number}"));
        for (name, text) in *files {
            folder.write(name, text);
        }
        let before = folder.names();
        let run = folder.keller(&[&["import"], *args].concat());
        assert_eq!(run.code, Some(2), "{args:?}: {} {}", run.stdout, run.stderr);
        let is_error = |line: &&str| line.starts_with("keller: ") || line.starts_with("error: ");
        let errors = run.stderr.lines().filter(is_error);
        assert_eq!(errors.count(), 1, "{args:?}: {}", run.stderr);
        for part in *parts {
            assert!(
                run.stderr.contains(part),
                "{args:?} lacks `{part}`: {}",
                run.stderr
            );
        }
        assert_eq!(folder.names(), before, "{args:?}");
    }
}

#[test]
fn bad_files_are_one_clear_error() {
    let ok = geojson(&[(house(11.575, 48.137), r#""height": 12"#)]);
    let swapped = geojson(&[(house(48.137, 111.575), r#""height": 12"#)]);
    let polar = geojson(&[(house(10.0, 86.0), r#""height": 12"#)]);
    let apart = geojson(&[(house(-1.5, 47.2), r#""height": 12"#)]);
    let grid = "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2 3\n4 5\n";
    let far_grid =
        "ncols 3\nnrows 2\nxllcorner 100000\nyllcorner 5000000\ncellsize 10\n1 2 3\n4 5 6\n";
    check_refusals(
        "import-bad-file",
        &[
            (
                &[],
                &["absent.geojson"],
                &["absent.geojson", "cannot be read"],
            ),
            (
                &[("a.dwg", "x")],
                &["a.dwg"],
                &["a.dwg", ".dwg", ".geojson"],
            ),
            (
                &[("a.geojson", "{\"type\": ")],
                &["a.geojson"],
                &["a.geojson", "line 1"],
            ),
            (
                &[("a.geojson", &swapped)],
                &["a.geojson"],
                &["a.geojson", "house 0", "swapped"],
            ),
            (
                &[("a.geojson", &polar)],
                &["a.geojson"],
                &["a.geojson", "84 N"],
            ),
            (
                &[("a.geojson", &ok), ("b.geojson", &apart)],
                &["a.geojson", "b.geojson"],
                &["b.geojson", "km", "--crs"],
            ),
            (
                &[("a.geojson", &ok)],
                &["a.geojson", "--crs", "a.geojson=EPSG:1"],
                &["a.geojson", "EPSG:1"],
            ),
            (
                &[("a.geojson", &ok), ("t.asc", grid)],
                &["a.geojson", "t.asc"],
                &["t.asc", "5 of the 3 x 2"],
            ),
            (
                &[("a.geojson", &ok), ("t.asc", far_grid)],
                &["a.geojson", "t.asc", "--crs", "EPSG:25832"],
                &["t.asc", "no height where the buildings are", "--crs"],
            ),
            (&[("a.osm", "<osm><way id=\"1\"/>")], &["a.osm"], &["a.osm"]),
            (&[("a.shp", "nonsense")], &["a.shp"], &["a.shp"]),
            (&[("a.pbf", "nonsense")], &["a.pbf"], &["a.pbf"]),
            (&[("a.tif", "nonsense")], &["a.tif"], &["a.tif"]),
            (
                &[("a.res", "1 2 3\n")],
                &["a.res"],
                &["a.res", "line 1", "eight"],
            ),
        ],
    );
}

#[test]
fn bad_arguments_are_one_clear_error() {
    let ok = geojson(&[(house(11.575, 48.137), r#""height": 12"#)]);
    let ok: &[(&str, &str)] = &[("a.geojson", &ok)];
    check_refusals(
        "import-bad-argument",
        &[
            (
                ok,
                &["a.geojson", "-o", "scene.obj"],
                &["scene.obj", ".glb"],
            ),
            (ok, &["a.geojson", "--picture", "v.svg"], &["v.svg", ".png"]),
            (
                ok,
                &["a.geojson", "--bounds", "0,0,1,1"],
                &["no building", "11.57"],
            ),
            (
                ok,
                &["a.geojson", "--bounds", "0,0,1"],
                &["--bounds", "four numbers"],
            ),
            (ok, &["a.geojson", "--margin=-1"], &["--margin", "metres"]),
        ],
    );
}

/// Blocks 60 m apart and turned by odd angles on a square ground, as OBJ with y up, in parts of a metre.
fn town_with_y_up(metres: f64) -> String {
    use std::fmt::Write;
    let mut obj = String::from("# made by hand\n");
    let mut vertices = 0;
    let mut add = |corners: &[[f64; 3]], faces: &[&[usize]]| {
        for [x, y, z] in corners {
            writeln!(obj, "v {} {} {}", x / metres, z / metres, -y / metres).unwrap();
        }
        for face in faces {
            let corners: Vec<String> = face.iter().map(|i| (vertices + i).to_string()).collect();
            writeln!(obj, "f {}", corners.join(" ")).unwrap();
        }
        vertices += corners.len();
    };
    let ground = [
        [-40., -40., 0.],
        [280., -40., 0.],
        [280., 220., 0.],
        [-40., 220., 0.],
    ];
    add(&ground, &[&[1, 2, 3, 4]]);
    for k in 0..20_u32 {
        let (x, y) = (60.0 * f64::from(k % 5), 60.0 * f64::from(k / 5));
        let (sin, cos) = (0.37 * f64::from(k)).sin_cos();
        let height = 8.0 + 1.5 * f64::from(k);
        let corner = |u: f64, v: f64, z: f64| [x + cos * u - sin * v, y + sin * u + cos * v, z];
        let around = [[-9., -14.], [9., -14.], [9., 14.], [-9., 14.]];
        let corners: Vec<[f64; 3]> = [0.0, height]
            .into_iter()
            .flat_map(|z| around.map(|[u, v]| corner(u, v, z)))
            .collect();
        let faces: [&[usize]; 5] = [
            &[5, 6, 7, 8],
            &[1, 2, 6, 5],
            &[2, 3, 7, 6],
            &[3, 4, 8, 7],
            &[4, 1, 5, 8],
        ];
        add(&corners, &faces);
    }
    obj
}

#[test]
fn meshes_that_lie_on_their_side_or_count_millimetres_are_suspected_aloud() {
    let folder = Folder::new("import-axes");
    folder.write("town.obj", &town_with_y_up(1.0));
    folder.write("mm.obj", &town_with_y_up(0.001));
    let size = |run: &Run| {
        let facts = json(run);
        let bound = |end: &str, axis: usize| facts["bounds"][end][axis].as_f64().unwrap();
        [0, 1, 2].map(|axis| (bound("max", axis) - bound("min", axis)).round())
    };
    let upright = [320.0, 260.0, 37.0];
    let run = folder.keller(&["scene", "town.obj", "--json"]);
    assert_eq!(size(&run), upright);
    for words in ["its shape says y", "turned to z up", "`--up z`"] {
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    let run = folder.keller(&["scene", "town.obj", "--json", "--up", "y"]);
    assert_eq!((size(&run), &*run.stderr), (upright, ""));
    let run = folder.keller(&["scene", "town.obj", "--json", "--up", "z"]);
    assert_eq!((size(&run), &*run.stderr), ([320.0, 37.0, 260.0], ""));
    let run = folder.keller(&["scene", "mm.obj", "--json"]);
    assert!(
        run.stderr.contains("in `mm` it is 320 m wide"),
        "{}",
        run.stderr
    );
    let run = folder.keller(&["scene", "mm.obj", "--json", "--mesh-unit", "mm"]);
    assert_eq!(size(&run), upright);
    // A scenario says the same with keys, and the command line has the last word.
    let scenario = "frequency_hz = 1e9\n[scene]\nfile = \"mm.obj\"\nup = \"y\"\nunit = \"mm\"\n\
                    default_material = \"concrete\"\n[[tx]]\nposition = [25, 25, 50]\n[[rx]]\nposition = [90, 30, 2]\n";
    folder.write("s.toml", scenario);
    let run = folder.keller(&["scene", "s.toml", "--json"]);
    assert_eq!((size(&run), &*run.stderr), (upright, ""));
    let run = folder.keller(&["scene", "s.toml", "--json", "--mesh-unit", "cm"]);
    assert_eq!(size(&run), [3200.0, 2600.0, 365.0]);
    let import = [
        "import",
        "mm.obj",
        "-o",
        "town.glb",
        "--up",
        "y",
        "--mesh-unit",
        "mm",
        "--json",
    ];
    let facts = json(&folder.keller(&import));
    let sizes = [0, 1, 2].map(|axis| facts["size_m"][axis].as_f64().unwrap().round());
    assert_eq!(sizes, upright);
    assert_eq!(
        size(&folder.keller(&["scene", "town.glb", "--json"])),
        upright
    );
}
