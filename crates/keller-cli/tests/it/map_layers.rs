//! `--layer` chooses what maps, contours, models and KMZ hold, and rasters that planners stack lie cell on cell.

use std::io::Read as _;

use serde_json::Value;

use crate::common::Folder;
use crate::maps::{ORIGIN, SCENARIO, folder, keller, rows};

/// The scenario of [`folder`] with a second Tx near the first one.
fn with_two_tx(folder: &Folder) {
    let second = "[[tx]]\nname = \"roof\"\nposition = [8, -3, 9]\npower_dbm = 20\n[paths]";
    folder.write("c.toml", &SCENARIO.replace("[paths]", second));
}

#[test]
fn contours_and_models_hold_the_layer_that_is_asked_for() {
    let folder = folder("layers-files");
    with_two_tx(&folder);
    for (layer, quantity, unit) in [
        ("gain", "path gain", Some("dB")),
        ("loss", "path loss", Some("dB")),
        ("power", "received power", Some("dBm")),
        ("sinr", "SINR", Some("dB")),
        ("server", "best server", None),
    ] {
        let line = format!("coverage c.toml --layer {layer} --contours c.geojson --glb c.glb");
        keller(&folder, &line);
        let contours: Value = serde_json::from_str(&folder.read("c.geojson")).unwrap();
        assert_eq!(contours["quantity"], quantity);
        assert_eq!(contours["unit"].as_str(), unit, "{layer}");
        let features = contours["features"].as_array().unwrap();
        assert!(!features.is_empty(), "{layer}");
        for feature in features {
            let properties = &feature["properties"];
            assert_eq!(properties["quantity"], quantity);
            assert_eq!(properties["unit"].as_str(), unit, "{layer}");
            let level = properties["level"].as_f64();
            let is_right = match layer {
                "gain" => level < Some(-40.0),
                "loss" => level > Some(40.0),
                "power" => level > Some(-60.0) && level < Some(0.0),
                "sinr" => level > Some(-40.0) && level < Some(100.0),
                _ => {
                    level.is_none()
                        && ["mast", "roof"].contains(&properties["tx"].as_str().unwrap())
                }
            };
            assert!(is_right, "{layer}: {properties}");
        }
        let model = folder.read_bytes("c.glb");
        let length = u32::from_le_bytes(model[12..16].try_into().unwrap());
        let model: Value = serde_json::from_slice(&model[20..20 + length as usize]).unwrap();
        let mut nodes = model["nodes"].as_array().unwrap().iter();
        let map = nodes
            .find(|node| !node["extras"]["quantity"].is_null())
            .unwrap();
        assert_eq!(map["extras"]["quantity"], quantity);
        assert_eq!(map["extras"]["unit"].as_str(), unit, "{layer}");
        let names = map["extras"]["servers"].as_array().map(Vec::len);
        assert_eq!(names, (layer == "server").then_some(2));
        assert!(map["name"].as_str().unwrap().starts_with(quantity), "{map}");
    }
}

#[test]
fn contours_of_a_layer_lie_around_the_cells_that_have_it() {
    let folder = folder("layers-contours");
    with_two_tx(&folder);
    keller(
        &folder,
        "coverage c.toml -o c.csv --layer loss --contours l.geojson --levels 60,64",
    );
    if !folder.has_reader("gdal", "ogrinfo --version") {
        return;
    }
    let all = rows(&folder, "c.csv");
    let losses = |x: f64, y: f64| {
        let cell = all
            .iter()
            .filter(move |row| row("z") == 3.5 && row("x") == x && row("y") == y);
        cell.map(|row| -row("path_gain_db"))
            .fold(f64::INFINITY, f64::min)
    };
    for row in all.iter().filter(|row| row("z") == 3.5).step_by(3) {
        let (lon, lat) = (row("longitude"), row("latitude"));
        let found = folder.must(&format!(
            "ogrinfo -ro -q -al -geom=NO -spat {lon} {lat} {lon} {lat} l.geojson"
        ));
        let levels: Vec<f64> = found
            .lines()
            .filter_map(|line| line.trim().strip_prefix("level (Real) = "))
            .map(|level| level.parse().unwrap())
            .collect();
        let loss = losses(row("x"), row("y"));
        let expected = [64.0, 60.0].into_iter().filter(|level| loss <= *level);
        assert_eq!(levels, expected.collect::<Vec<_>>(), "around {loss} dB");
    }
}

#[test]
fn titles_say_the_layer_or_what_is_asked_for() {
    let folder = folder("layers-titles");
    with_two_tx(&folder);
    for (options, title) in [
        (vec![], "c: strongest path gain, dB; 3.5 GHz"),
        (
            vec!["--layer", "power"],
            "c: best server power, dBm; 3.5 GHz",
        ),
        (
            vec!["--title", "Plan <B> & more"],
            "Plan &lt;B&gt; &amp; more",
        ),
    ] {
        let mut args = vec!["coverage", "c.toml", "--picture", "m.svg"];
        args.extend(options);
        let run = folder.keller(&args);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(folder.read("m.svg").contains(title), "{title}");
    }
    for (line, problem) in [
        (
            "coverage c.toml -o c.tif --title x",
            "--title: nothing shows it",
        ),
        (
            "coverage c.toml --contours c.geojson --layer server --levels 1",
            "--levels: --layer server has none",
        ),
    ] {
        let run = folder.keller(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.stderr.contains(problem), "{line}: {}", run.stderr);
    }
}

#[test]
fn a_sector_has_an_arrow_on_the_map() {
    let folder = folder("layers-sectors");
    let sector = "position = [-4, 1, 6]\nantenna = \"tr38901\"\nazimuth_deg = 90";
    let count = || {
        keller(&folder, "coverage c.toml --picture m.svg");
        folder.read("m.svg").matches("class=\"direction\"").count()
    };
    assert_eq!(count(), 0);
    folder.write("c.toml", &SCENARIO.replace("position = [-4, 1, 6]", sector));
    // The name is on both maps, and in the legend.
    assert_eq!(count(), 3);
}

#[test]
fn regions_of_two_scenes_lie_cell_on_cell() {
    let folder = folder("layers-grid");
    let whole = SCENARIO.replace("min = [-24, -9]\nmax = [24, 9]\n", "");
    folder.write("c.toml", &whole);
    keller(&folder, "coverage c.toml -o c.csv");
    let all = rows(&folder, "c.csv");
    for row in &all {
        for (place, origin, size) in [("x", ORIGIN[0], 4.0), ("y", ORIGIN[1], 3.0)] {
            let cells = (row(place) + origin) / size;
            assert!((cells.fract() - 0.5).abs() < 1e-9, "{place}: {cells}");
        }
    }
    // The ground, which spans 36 m by 30 m, is covered up to cells that are not strong enough.
    let low = all.iter().map(|row| row("x")).fold(f64::INFINITY, f64::min);
    assert!(low <= -14.0, "{low}");
}

#[test]
fn rasters_carry_statistics_and_the_names_of_servers() {
    let folder = folder("layers-statistics");
    with_two_tx(&folder);
    keller(&folder, "coverage c.toml -o c.tif");
    assert!(
        folder
            .read("c.tif.aux.xml")
            .contains("<Category>roof</Category>")
    );
    if !folder.has_reader("gdal", "gdalinfo --version") {
        return;
    }
    let info = |file: &str, options: &str| -> Value {
        serde_json::from_str(&folder.must(&format!("gdalinfo -json {options} {file}"))).unwrap()
    };
    let own = info("c.tif", "");
    // A copy of the values alone, of which GDAL has to find the statistics itself.
    folder.must("gdal_translate -q -of EHdr -b 1 c.tif b.bil && rm -f b.bil.aux.xml b.stx");
    let found = info("b.bil", "-stats");
    for (key, name) in [
        ("STATISTICS_MINIMUM", "minimum"),
        ("STATISTICS_MAXIMUM", "maximum"),
        ("STATISTICS_MEAN", "mean"),
        ("STATISTICS_STDDEV", "stdDev"),
    ] {
        let text = own["bands"][0]["metadata"][""][key].as_str();
        let own: f64 = text.unwrap().parse().unwrap();
        // It prints three digits.
        let found = found["bands"][0][name].as_f64().unwrap();
        assert!((own - found).abs() < 1e-3, "{key}: {own} {found}");
    }
    let bands = own["bands"].as_array().unwrap();
    let is_server = |band: &Value| band["description"].as_str().unwrap().contains("server,");
    let names: Vec<bool> = bands
        .iter()
        .map(|band| !band["categories"].is_null())
        .collect();
    let servers: Vec<bool> = bands.iter().map(is_server).collect();
    assert_eq!(names, servers);
}

#[test]
fn maps_of_placed_scenes_come_with_a_world_file_or_as_kmz() {
    let folder = folder("layers-globe");
    let one = SCENARIO.replace("heights = [1.5, 8]", "heights = [1.5]");
    folder.write("c.toml", &one);
    folder.write("n.toml", &one.replace("town.glb", "nowhere.glb"));
    keller(&folder, "coverage c.toml --picture m.png");
    keller(&folder, "coverage n.toml --picture n.png");
    assert!(!folder.names().contains(&"n.pgw".to_owned()));
    let world: Vec<f64> = folder
        .read("m.pgw")
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    // Square pixels, north up, from a corner left of and above the region.
    let [size, 0.0, 0.0, down, left, top] = world[..] else {
        panic!("{world:?}");
    };
    assert!(size > 0.0 && (size + down).abs() < 1e-9, "{world:?}");
    assert!(
        left < ORIGIN[0] - 24.0 && top > ORIGIN[1] + 9.0,
        "{world:?}"
    );

    keller(&folder, "coverage c.toml -o m.kmz");
    let file = std::fs::File::open(folder.path("m.kmz")).unwrap();
    let mut zip = zip::ZipArchive::new(file).unwrap();
    let mut kml = String::new();
    zip.by_name("doc.kml")
        .unwrap()
        .read_to_string(&mut kml)
        .unwrap();
    assert!(
        kml.contains("<GroundOverlay>") && kml.contains("<name>mast</name>"),
        "{kml}"
    );
    for name in ["level-0.png", "legend.png"] {
        let mut bytes = Vec::new();
        zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"), "{name}");
    }
    let run = folder.keller(&["coverage", "n.toml", "--picture", "n.kmz"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr.contains("KMZ lies on the globe"),
        "{}",
        run.stderr
    );
}

/// Two facets of ground that rise from 500 m to 520 m.
const HILL: &str = "usemtl wet_ground\nv -50 -50 500\nv 0 -50 505\nv 50 -50 520\nv -50 50 500\nv 0 50 505\nv 50 50 520\n\
    f 1 2 5 4\nf 2 3 6 5\n";

#[test]
fn heights_count_from_a_terrain_unless_the_scenario_says_otherwise() {
    let folder = Folder::new("layers-terrain");
    folder.write("square.obj", HILL);
    let scenario = |more: &str| {
        format!(
            "frequency_hz = 3.5e9\n[scene]\nfile = \"square.obj\"\n[[tx]]\nposition = [0, 0]\nheight_above_ground = 10\n\
             [paths]\nmax_interactions = 1\n[coverage]\nresolution = 10\nheights = [1.5]\n{more}"
        )
    };
    for (name, more) in [
        ("a", ""),
        ("g", "height_above = \"ground\"\n"),
        ("s", "height_above = \"sea\"\n"),
    ] {
        folder.write(&format!("{name}.toml"), &scenario(more));
        keller(&folder, &format!("coverage {name}.toml -o {name}.csv"));
    }
    let text = |name: &str| folder.read(&format!("{name}.csv"));
    assert_eq!(text("a"), text("g"));
    assert!(text("a").lines().count() > 50, "{}", text("a"));
    assert_eq!(text("s").lines().count(), 1);
    // The region is above the lowest point of the scene, yet below all its ground.
    let low = scenario("height_above = \"sea\"\nmin = [10, -40]\nmax = [40, 40]\n");
    folder.write("l.toml", &low.replace("[1.5]", "[502]"));
    let said = keller(&folder, "coverage l.toml -o l.csv");
    assert!(said.contains("all cells lie below the terrain"), "{said}");
    assert!(said.contains("height_above = \"ground\""), "{said}");
}
