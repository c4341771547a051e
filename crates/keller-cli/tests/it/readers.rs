//! Tables, archives and models as other programs read them: pandas, numpy, trimesh and the validator of glTF, where
//! they are installed.
//!
//! `KELLER_READERS`, a list such as `tables gltf`, names those that must be there; `KELLER_PYTHON` is a Python that has the packages, and
//! Node finds its own through `NODE_PATH`.

use crate::common::Folder;
use serde_json::Value;

/// A house and a wood at a place on the earth.
const PLACE: &str = r#"{ "type": "FeatureCollection", "features": [
{ "type": "Feature", "id": "house", "properties": { "height": 9 }, "geometry": { "type": "Polygon", "coordinates":
  [[[11.5701, 48.1301], [11.57035, 48.13008], [11.5704, 48.1302], [11.57012, 48.13023], [11.5701, 48.1301]]] } },
{ "type": "Feature", "id": "oaks", "properties": { "natural": "wood", "height": 12 }, "geometry": { "type": "Polygon", "coordinates":
  [[[11.5706, 48.1301], [11.57085, 48.13007], [11.57088, 48.13019], [11.5706, 48.1301]]] } } ] }"#;

const SCENARIO: &str = r#"frequency_hz = 3.5e9
[scene]
file = "town.glb"
[[tx]]
name = "mast, \"west\""
longitude = 11.5700
latitude = 48.1301
height_above_ground = 25
[[tx]]
longitude = 11.5705
latitude = 48.1302
height_above_ground = 12
[[rx]]
name = "square"
longitude = 11.5705
latitude = 48.13
height_above_ground = 1.5
[[rx]]
longitude = 11.57045
latitude = 48.13015
height_above_ground = 1.5
[paths]
max_reflections = 1
max_diffractions = 1
search = "exhaustive"
[coverage]
engine = "points"
resolution = 40
heights = [1.5]
"#;

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.write("place.geojson", PLACE);
    folder.write("s.toml", SCENARIO);
    let volume = "min = [-20, -20, 0]\nmax = [20, 20, 12]\nresolution = [20, 20, 4]\n";
    let volume = SCENARIO.replace("resolution = 40\nheights = [1.5]\n", volume);
    folder.write("v.toml", &volume);
    let tiles = SCENARIO.replace(
        "engine = \"points\"\nresolution = 40\nheights = [1.5]",
        "engine = \"surfaces\"",
    );
    folder.write("t.toml", &tiles);
    keller(&folder, "import place.geojson -o town.glb");
    folder
}

fn keller(folder: &Folder, line: &str) {
    let run = folder.keller(&line.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
}

#[test]
fn the_validator_of_gltf_finds_nothing_wrong_with_any_model() {
    let folder = folder("readers-gltf");
    keller(&folder, "import square.obj -o plain.glb");
    keller(&folder, "coverage s.toml --glb map.glb");
    keller(&folder, "coverage v.toml -o volume.glb");
    keller(&folder, "coverage t.toml --glb surfaces.glb");
    let files = ["town", "plain", "map", "volume", "surfaces"];
    if folder.has_reader("gltf", "node -e 'require(\"gltf-validator\")'") {
        folder.write("validate.js", include_str!("validate.js"));
        for file in files {
            let said = folder.must(&format!("node validate.js {file}.glb"));
            let issues: Value = serde_json::from_str(&said).unwrap();
            let counts = ["numErrors", "numWarnings"].map(|key| issues[key].as_u64());
            assert_eq!(counts, [Some(0); 2], "{file}: {issues:#}");
        }
    }
    let python = crate::common::python();
    if folder.has_reader("trimesh", &format!("{python} -c 'import trimesh'")) {
        for file in files {
            let count = "sum(len(g.faces) for g in trimesh.load(\"FILE.glb\", force=\"scene\").geometry.values())";
            let count = count.replace("FILE", file);
            let said = folder.must(&format!("{python} -c 'import trimesh; print({count})'"));
            assert!(said.trim().parse::<usize>().unwrap() >= 2, "{file}: {said}");
        }
    }
}

#[test]
fn pandas_and_numpy_read_names_places_and_interactions() {
    let folder = folder("readers-tables");
    for command in ["paths", "channel"] {
        for extension in ["csv", "parquet", "json"] {
            keller(
                &folder,
                &format!("{command} s.toml -o {command}.{extension}"),
            );
        }
    }
    keller(&folder, "channel s.toml -o channel.npz");
    keller(&folder, "coverage s.toml -o cells.parquet");
    let python = crate::common::python();
    if folder.has_reader(
        "tables",
        &format!("{python} -c 'import numpy, pandas, pyarrow'"),
    ) {
        folder.write("read.py", include_str!("readers.py"));
        folder.must(&format!("{python} read.py"));
    }
}
