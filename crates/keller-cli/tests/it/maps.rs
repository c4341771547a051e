//! Coverages as other programs read them: GDAL and xarray, where they are installed.
//!
//! `KELLER_READERS`, a list such as `gdal xarray`, names those that must be there; `KELLER_PYTHON` is a Python that has xarray.

use crate::common::Folder;
use keller::DVec3;
use keller::scene::{Mesh, MeshTriangle};
use keller_geo::crs::Georeference;
use keller_io::formats::import::Object;
use keller_io::reports::export::{Beside, glb};
use serde_json::Value;

/// The place of (0, 0, 0): easting, northing and height.
pub(crate) const ORIGIN: [f64; 3] = [691_000.0, 5_334_000.0, 515.0];

/// Twelve by six cells of 4 m by 3 m; those to the west and east lie over no ground.
pub(crate) const SCENARIO: &str = r#"# "ä" & <b>
frequency_hz = 3.5e9
[scene]
file = "town.glb"
[[tx]]
name = "mast"
position = [-4, 1, 6]
[paths]
search = "exhaustive"
[coverage]
min = [-24, -9]
max = [24, 9]
resolution = [4, 3]
heights = [1.5, 8]
height_above = "ground"
noise_dbm = -90
path_loss_limit_db = 65
"#;

/// A folder with a ground of 36 m by 30 m, 2 m above zero, and its scenario.
pub(crate) fn folder(test: &str) -> Folder {
    let mut mesh = Mesh::default();
    let material = mesh.material_index("itu_concrete");
    let corners = [[-18, -15], [18, -15], [18, 15], [-18, 15]];
    mesh.vertices
        .extend(corners.map(|[x, y]| DVec3::new(x.into(), y.into(), 2.0)));
    mesh.triangles
        .extend([[0, 1, 2], [0, 2, 3]].map(|vertices| MeshTriangle { vertices, material }));
    let ground = Object {
        name: "ground".to_owned(),
        triangles: 0..2,
    };
    let place = Georeference {
        crs: "EPSG:25832".to_owned(),
        origin: ORIGIN,
    };
    let beside = Beside {
        georeference: Some(&place),
        ..Beside::default()
    };
    let folder = Folder::new(test);
    folder.write_bytes(
        "town.glb",
        &glb(&mesh, std::slice::from_ref(&ground), &beside),
    );
    folder.write_bytes("nowhere.glb", &glb(&mesh, &[ground], &Beside::default()));
    folder.write("c.toml", SCENARIO);
    folder.write("n.toml", &SCENARIO.replace("town.glb", "nowhere.glb"));
    folder
}

pub(crate) fn keller(folder: &Folder, line: &str) -> String {
    let args: Vec<&str> = line.split(' ').collect();
    let run = folder.keller(&args);
    assert_eq!(run.code, Some(0), "{line}: {}", run.stderr);
    run.stderr
}

/// The rows of a table as numbers, by the names of its columns.
pub(crate) fn rows(folder: &Folder, file: &str) -> Vec<impl Fn(&str) -> f64 + use<>> {
    let text = folder.read(file);
    let mut lines = text.lines().map(|l| l.split(',').map(str::to_owned));
    let names: Vec<String> = lines.next().unwrap().collect();
    let rows = lines.map(move |line| {
        let line: Vec<String> = line.collect();
        let names = names.clone();
        move |name: &str| {
            let column = names.iter().position(|n| n == name).unwrap();
            line[column].parse::<f64>().unwrap_or(f64::NAN)
        }
    });
    rows.collect()
}

#[test]
fn gdal_finds_every_cell_where_it_lies() {
    let folder = folder("maps-gdal");
    keller(&folder, "coverage c.toml -o c.tif");
    keller(&folder, "coverage c.toml -o c.csv");
    if !folder.has_reader("gdal", "gdalinfo --version") {
        return;
    }
    let info: Value = serde_json::from_str(&folder.must("gdalinfo -json c.tif")).unwrap();
    assert_eq!(info["size"], serde_json::json!([12, 6]));
    let wkt = info["coordinateSystem"]["wkt"].as_str().unwrap();
    assert!(wkt.ends_with("ID[\"EPSG\",25832]]"), "{wkt}");
    assert_eq!(info["metadata"][""]["scenario"], SCENARIO);
    assert_eq!(info["metadata"][""]["keller"], env!("CARGO_PKG_VERSION"));
    let bands: Vec<[&str; 3]> = info["bands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|band| {
            ["description", "unit", "noDataValue"].map(|key| band[key].as_str().unwrap_or_default())
        })
        .collect();
    let named = |name, unit| [name, unit, "NaN"];
    assert_eq!(
        bands,
        [
            named("path gain of Tx mast, 1.5 m above the ground", "dB"),
            named("path gain of Tx mast, 8 m above the ground", "dB"),
            named("best server, 1.5 m above the ground", "1"),
            named("SINR, 1.5 m above the ground", "dB"),
            named("best server, 8 m above the ground", "1"),
            named("SINR, 8 m above the ground", "dB"),
        ]
    );
    let values = |line: String| -> Vec<f64> {
        let text = folder.must(&format!("gdallocationinfo -valonly {line}"));
        text.lines().map(|v| v.trim().parse().unwrap()).collect()
    };
    let rows = rows(&folder, "c.csv");
    let at_height = |z: f64| rows.iter().filter(move |row| row("z") == z);
    assert!(at_height(10.0).count() > 20, "cells at the second height");
    for row in at_height(10.0).step_by(5) {
        let (east, north) = (ORIGIN[0] + row("x"), ORIGIN[1] + row("y"));
        let by_place = values(format!("-geoloc c.tif {east} {north}"));
        for (band, column) in [(1, "path_gain_db"), (5, "sinr_db")] {
            assert!(
                (by_place[band] - row(column)).abs() < 1e-4,
                "{column}: {by_place:?}"
            );
        }
        assert_eq!(by_place[4], 0.0, "the only Tx serves");
        // Cells are found by the degrees that tables have. NaN is not equal to itself.
        let (lon, lat) = (row("longitude"), row("latitude"));
        let by_degrees = values(format!("-wgs84 c.tif {lon} {lat}"));
        assert_eq!(format!("{by_degrees:?}"), format!("{by_place:?}"));
    }
    // There is no value over no ground, and where no path is strong enough.
    let beyond = values("-l_srs EPSG:25832 c.tif 690978 5334000".to_owned());
    assert!(beyond.iter().all(|v| v.is_nan()), "{beyond:?}");
    let is_weak = |v: &[f64]| v[0].is_nan() && v[2] == -1.0;
    let weak = (0..12).flat_map(|i| (0..6).map(move |j| format!("c.tif {i} {j}")));
    assert!(
        weak.map(values).any(|v| is_weak(&v)),
        "no cell is without a path"
    );
}

/// A map with more than 512 cells along a side has overviews.
#[test]
fn large_maps_are_cloud_optimized() {
    let folder = folder("maps-cloud");
    let wide = SCENARIO
        .replace("resolution = [4, 3]", "resolution = [0.07, 1.1]")
        .replace("heights = [1.5, 8]", "heights = [1.5]");
    folder.write("c.toml", &wide);
    keller(&folder, "coverage c.toml -o c.tif");
    if folder.has_reader("gdal", "gdalinfo --version") {
        let info: Value = serde_json::from_str(&folder.must("gdalinfo -json c.tif")).unwrap();
        for band in info["bands"].as_array().unwrap() {
            assert_eq!(band["block"], serde_json::json!([512, 32]));
            assert_eq!(band["overviews"].as_array().unwrap().len(), 1, "{band}");
        }
        // Every value of the overview is one of the map.
        folder.must(
            "gdal_translate -q -of XYZ -ovr 0 c.tif o.xyz && gdal_translate -q -of XYZ c.tif c.xyz",
        );
        let values = |file: &str| -> Vec<String> {
            let text = folder.read(file);
            let last = |line: &str| line.rsplit_once(' ').unwrap().1.to_owned();
            text.lines().map(last).collect()
        };
        let (overview, map) = (values("o.xyz"), values("c.xyz"));
        assert_eq!([overview.len(), map.len()], [343 * 9, 686 * 17]);
        assert!(overview.iter().all(|value| map.contains(value)));
    }
    let python = crate::common::python();
    if folder.has_reader("cogeo", &format!("{python} -c 'import rio_cogeo'")) {
        let reference =
            "from rio_cogeo.cogeo import cog_validate; print(cog_validate(\"c.tif\", strict=True))";
        let said = folder.must(&format!("{python} -c '{reference}'"));
        assert_eq!(said.trim(), "(True, [], [])");
    }
}

#[test]
fn contours_in_gdal_lie_around_the_cells_that_reach_them() {
    let folder = folder("maps-contours");
    keller(
        &folder,
        "coverage c.toml -o c.csv --contours c.geojson --levels -64,-60,-62",
    );
    if !folder.has_reader("gdal", "ogrinfo --version") {
        return;
    }
    for row in rows(&folder, "c.csv").iter().filter(|row| row("z") == 3.5) {
        let (lon, lat) = (row("longitude"), row("latitude"));
        let found = folder.must(&format!(
            "ogrinfo -ro -q -al -geom=NO -spat {lon} {lat} {lon} {lat} c.geojson"
        ));
        let levels: Vec<f64> = found
            .lines()
            .filter_map(|line| line.trim().strip_prefix("level (Real) = "))
            .map(|level| level.parse().unwrap())
            .collect();
        let gain = row("path_gain_db");
        let expected = [-64.0, -62.0, -60.0]
            .into_iter()
            .filter(|level| gain >= *level);
        assert_eq!(levels, expected.collect::<Vec<_>>(), "around {gain} dB");
    }
}

#[test]
fn xarray_has_dimensions_coordinates_and_units() {
    let folder = folder("maps-xarray");
    keller(&folder, "coverage c.toml -o c.zarr");
    keller(&folder, "coverage c.toml -o c.npz");
    keller(&folder, "coverage c.toml -o c.csv");
    let second = "[[tx]]\nname = \"roof\"\nposition = [8, -3, 9]\npower_dbm = 20\n[paths]";
    folder.write("l.toml", &SCENARIO.replace("[paths]", second));
    keller(&folder, "coverage l.toml -o l.zarr");
    let python = crate::common::python();
    if !folder.has_reader("xarray", &format!("{python} -c 'import xarray, zarr'")) {
        return;
    }
    folder.write("read.py", include_str!("maps.py"));
    folder.must(&format!("{python} read.py"));
}

#[test]
fn the_map_in_a_model_is_no_part_of_the_scene() {
    let folder = folder("maps-model");
    keller(&folder, "coverage c.toml --glb c.glb");
    let of = |file: &str| -> Value {
        let run = folder.keller(&["scene", file, "--json"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let mut scene: Value = serde_json::from_str(&run.stdout).unwrap();
        let own = ["file", "files", "seconds"];
        scene
            .as_object_mut()
            .unwrap()
            .retain(|key, _| !own.contains(&key.as_str()));
        scene
    };
    assert_eq!(of("c.glb"), of("town.glb"));
    let bytes = folder.read_bytes("c.glb");
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("\"name\":\"Tx mast\"") && text.contains("COLOR_0"));
}

#[test]
fn every_layer_is_a_picture_of_its_own() {
    let folder = folder("maps-layers");
    let second = "[[tx]]\nname = \"roof <2>\"\nposition = [8, -3, 9]\n[paths]";
    folder.write("c.toml", &SCENARIO.replace("[paths]", second));
    keller(&folder, "coverage c.toml --picture gain.svg");
    let gain = folder.read("gain.svg");
    for (layer, says) in [
        ("gain", "path gain / dB"),
        ("power", "received power / dBm"),
        ("sinr", "SINR / dB"),
        ("server", "best server"),
    ] {
        keller(
            &folder,
            &format!("coverage c.toml --picture m.svg --layer {layer}"),
        );
        let svg = folder.read("m.svg");
        let has = |words: &str| svg.lines().any(|line| line.trim() == words);
        for words in [says, "mast", "roof &lt;2&gt;", "below the limit", "N"] {
            assert!(
                has(words) || svg.contains(&format!(">{words}<")),
                "{layer}: {words}"
            );
        }
        assert_eq!(svg == gain, layer == "gain", "{layer}");
    }
    folder.write("q.toml", &SCENARIO.replace("noise_dbm = -90\n", ""));
    for (line, problem) in [
        (
            "coverage q.toml --picture m.svg --layer sinr",
            "noise_dbm is missing",
        ),
        (
            "coverage c.toml -o c.tif --layer power",
            "--layer: nothing shows it",
        ),
    ] {
        let run = folder.keller(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.stderr.contains(problem), "{line}: {}", run.stderr);
    }
}

#[test]
fn a_map_is_the_same_by_its_extension_as_by_its_option() {
    let folder = folder("maps-extension");
    keller(
        &folder,
        "coverage c.toml --picture m.png --contours m.geojson --glb m.glb",
    );
    for extension in ["png", "geojson", "glb"] {
        keller(&folder, &format!("coverage c.toml -o o.{extension}"));
        let [by_option, by_extension] =
            ["m", "o"].map(|name| folder.read_bytes(&format!("{name}.{extension}")));
        assert!(by_option == by_extension, "{extension}");
    }
}

#[test]
fn a_scene_from_nowhere_gives_maps_in_its_own_metres_and_says_so() {
    let folder = folder("maps-nowhere");
    let said = keller(&folder, "coverage n.toml -o c.tif --contours c.geojson");
    assert!(
        said.contains("warning: c.tif: no scene file says where on earth it lies"),
        "{said}"
    );
    assert!(said.contains("`keller import`"), "{said}");
    let contours: Value = serde_json::from_str(&folder.read("c.geojson")).unwrap();
    let outer = &contours["features"][0]["geometry"]["coordinates"][0][0];
    let is_local =
        |at: &Value| at[0].as_f64().unwrap().abs() <= 24.0 && at[1].as_f64().unwrap().abs() <= 9.0;
    assert!(outer.as_array().unwrap().iter().all(is_local), "{outer}");
    let said = keller(&folder, "coverage n.toml -o c.csv");
    assert!(!said.contains("warning"), "{said}");
    let first = &rows(&folder, "c.csv")[0];
    assert!(first("longitude").is_nan() && first("latitude").is_nan());
    if !folder.has_reader("gdal", "gdalinfo --version") {
        return;
    }
    let info: Value = serde_json::from_str(&folder.must("gdalinfo -json c.tif")).unwrap();
    let wkt = info["coordinateSystem"]["wkt"].as_str();
    assert_eq!(wkt.unwrap_or_default(), "");
    assert_eq!(
        info["geoTransform"],
        serde_json::json!([-24.0, 4.0, 0.0, 9.0, 0.0, -3.0])
    );
}

#[test]
fn names_and_levels_that_cannot_be_are_refused() {
    let folder = folder("maps-errors");
    for (line, problem) in [
        (
            "coverage c.toml --contours c.txt",
            "c.txt: contours are GeoJSON; accepted: a name that ends in .geojson",
        ),
        (
            "coverage c.toml --glb c.obj",
            "c.obj: models are GLB; accepted: a name that ends in .glb",
        ),
        (
            "coverage c.toml --contours c.geojson --levels -60,x",
            "such as -60,-80,-100",
        ),
        ("coverage c.toml --levels -60", "--contours"),
        (
            "coverage c.toml -o a.png --picture b.png",
            "give one of them",
        ),
    ] {
        let run = folder.keller(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.stderr.contains(problem), "{line}: {}", run.stderr);
    }
}
