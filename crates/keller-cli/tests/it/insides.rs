//! Turns a map into a scenario with a made-up inside that has windows.

use serde_json::Value;

use crate::common::{Folder, Run};

/// Two houses of about 30 m x 15 m; the first has a height of 9.6 m.
const MAP: &str = r#"{"type": "FeatureCollection", "features": [
    {"type": "Feature", "id": "office", "properties": {"height": 9.6}, "geometry": {"type": "Polygon", "coordinates":
        [[[11.5750, 48.1370], [11.57540, 48.13705], [11.57537, 48.13718], [11.57497, 48.13713], [11.5750, 48.1370]]]}},
    {"type": "Feature", "id": "school", "properties": {"height": 12}, "geometry": {"type": "Polygon", "coordinates":
        [[[11.5760, 48.1370], [11.57640, 48.1370], [11.57640, 48.13714], [11.5760, 48.13714], [11.5760, 48.1370]]]}}]}"#;

fn json(run: &Run) -> Value {
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn a_made_up_inside_with_windows_stands_in_the_city_of_the_same_map() {
    let folder = Folder::new("insides");
    folder.write("map.geojson", MAP);
    json(&folder.keller(&["import", "map.geojson", "-o", "city.glb", "--json"]));
    let bounds = "11.5745,48.1365,11.5756,48.1375";
    let import = |options: &[&str]| {
        let all = [
            "import",
            "map.geojson",
            "-o",
            "insides.glb",
            "--bounds",
            bounds,
            "--json",
        ];
        folder.keller(&[&all[..], options].concat())
    };
    let facts = json(&import(&["--storeys", "3.2", "--rooms", "5"]));
    assert_eq!(facts["buildings"], 1);
    let scenario = "frequency_hz = 3.5e9\n[scene]\nfile = \"city.glb\"\n[[building]]\nfile = \"insides.glb\"\n\
         [[opening]]\nbuildings = \"insides\"\nwalls = \"facade\"\nmaterial = \"glass\"\nwidth = 1.2\nheight = 1.4\n\
         sill = 0.9\nspacing = 2.5\nstorey = 3.2\n[[tx]]\nposition = [0, 0, 30]\n[[rx]]\nposition = [5, 4, 1.5]\n";
    folder.write("s.toml", scenario);
    let run = folder.keller(&["scene", "s.toml", "--json"]);
    let facts = json(&run);
    let building = &facts["buildings"][0];
    let floors = building["floors"].as_array().unwrap();
    let floors: Vec<f64> = floors.iter().map(|z| z.as_f64().unwrap()).collect();
    assert_eq!(floors.len(), 3, "{floors:?}");
    for (found, wanted) in floors.iter().zip([0.0, 3.2, 6.4]) {
        assert!((found - wanted).abs() < 1e-4, "{floors:?}");
    }
    assert_eq!(building["replaced"][0]["object"], "office");
    assert_eq!(
        building["misfits"].as_array().unwrap().len(),
        0,
        "{building}"
    );
    let openings = &facts["openings"][0];
    assert_eq!(
        (&openings["material"], &openings["walls"]),
        (&"glass".into(), &4.into())
    );
    // Each storey has at least a window for every second room of the four sides.
    assert!(
        openings["openings"].as_u64().unwrap() >= 3 * 8,
        "{openings}"
    );
    assert!(
        openings["share_percent"].as_f64().unwrap() > 5.0,
        "{openings}"
    );
    assert_eq!(facts["defects"]["t_junctions"], 0, "{}", facts["defects"]);
    let text = folder.keller(&["scene", "s.toml"]);
    assert!(text.stdout.contains("[[opening]] 0"), "{}", text.stdout);

    let run = import(&["--storeys", "0.3"]);
    assert_eq!(run.code, Some(2));
    assert!(
        run.stderr
            .contains("--storeys 0.3: accepted is a number from 2 to 1000, metres")
    );
}
