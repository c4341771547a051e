//! `[[building]]`: values are read as they are written, and a building stands where a device would.

use std::f64::consts::FRAC_PI_2;
use std::fs;

use glam::DVec2;
use keller::DVec3;
use keller::scene::building::Placement;
use keller_geo::crs::Georeference;

use super::{Folder, SMALL};
use crate::formats::import::{MeshOptions, Unit, Up};
use crate::scenario::{BuildingGround, BuildingReplaces, Horizontal, ScenarioBuilding};

fn folder(test: &str) -> Folder {
    let folder = Folder::new(test);
    fs::write(folder.0.join("office.glb"), "").unwrap();
    folder
}

fn with(keys: &str) -> String {
    format!("{SMALL}[[building]]\nfile = \"office.glb\"\n{keys}\n")
}

#[test]
fn every_key_is_read_and_absent_ones_have_the_documented_defaults() {
    let folder = folder("building");
    let read = |keys: &str| {
        let mut scenario = folder.parse(&with(keys)).unwrap();
        assert!(
            scenario
                .inputs()
                .contains(&folder.0.join("office.glb").as_path())
        );
        assert_eq!(scenario.scene.buildings.len(), 1);
        scenario.scene.buildings.remove(0)
    };
    let plain = read("");
    assert_eq!(plain.name, "office");
    assert_eq!(plain.model, folder.0.join("office.glb"));
    assert_eq!((plain.meshes, plain.site), (MeshOptions::default(), None));
    assert_eq!((plain.rotation, plain.line, plain.index), (0.0, 9, 0));
    assert_eq!(plain.replaces, BuildingReplaces::Overlap);
    assert!(plain.leave_out.is_empty());
    let all = read(
        "name = \"tower\"\nposition = [120, -40]\nheight_above_ground = 0.5\nrotation_deg = 90\n\
         replaces = [\"way 12\", \"way 13\"]\nleave_out = [\"lawn\"]\nup = \"y\"\nunit = \"mm\"",
    );
    assert_eq!(all.name, "tower");
    assert_eq!(all.site.unwrap().at, DVec3::new(120.0, -40.0, 0.5));
    assert_eq!(all.rotation, FRAC_PI_2);
    let names = ["way 12", "way 13"].map(str::to_owned).to_vec();
    assert_eq!(all.replaces, BuildingReplaces::Objects(names));
    assert_eq!(all.leave_out, ["lawn"]);
    let meshes = MeshOptions {
        up: Some(Up::Y),
        unit: Some(Unit::Millimetre),
    };
    assert_eq!(all.meshes, meshes);
    let on_earth = read("longitude = 11.5\nlatitude = 48.1\naltitude = 515");
    let horizontal = on_earth.site.unwrap().coordinates.horizontal;
    assert_eq!(horizontal, Horizontal::LonLat);
    assert_eq!(
        read("replaces = \"nothing\"").replaces,
        BuildingReplaces::Nothing
    );
    let places = read("replaces = [[121, -38.5], [130, -38]]").replaces;
    assert_eq!(
        places,
        BuildingReplaces::Places(vec![[121.0, -38.5], [130.0, -38.0]])
    );
    let on_earth = "[{ longitude = 11.5, latitude = 48.1 }, { latitude = -90, longitude = 180 }]";
    let places = read(&format!("replaces = {on_earth}")).replaces;
    assert_eq!(
        places,
        BuildingReplaces::LonLat(vec![[11.5, 48.1], [180.0, -90.0]])
    );
    assert!(folder.parse(SMALL).unwrap().scene.buildings.is_empty());
}

#[test]
fn bad_buildings_are_named_with_file_line_and_key() {
    let folder = folder("bad-building");
    for (keys, expected) in [
        (
            "nam = \"x\"",
            "s.toml:11: [[building]] 0 nam: unknown key, did you mean `name`? accepted: file, name,",
        ),
        (
            "position = [1]",
            "s.toml:11: [[building]] 0 position: found [1]; accepted: three numbers",
        ),
        (
            "position = [1, 2]",
            "s.toml:11: [[building]] 0 position: found [1, 2]; accepted",
        ),
        (
            "height_above_ground = 1",
            "s.toml:9: [[building]] 0 position: missing; accepted",
        ),
        (
            "longitude = 11",
            "s.toml:9: [[building]] 0 latitude: missing;",
        ),
        (
            "rotation_deg = \"north\"",
            "s.toml:11: [[building]] 0 rotation_deg: found the text \"north\"; accepted: a number",
        ),
        (
            "replaces = \"overlapp\"",
            "s.toml:11: [[building]] 0 replaces: found \"overlapp\", did you mean `overlap`? accepted: overlap,",
        ),
        (
            "replaces = []",
            "s.toml:11: [[building]] 0 replaces: found an empty list; accepted: overlap,",
        ),
        (
            "replaces = [[1, 2, 3]]",
            "s.toml:11: [[building]] 0 replaces: found [[1, 2, 3]]; accepted: overlap,",
        ),
        (
            "replaces = [[1, 2e7]]",
            "s.toml:11: [[building]] 0 replaces: found [[1, 2e7]]; accepted: overlap,",
        ),
        (
            "replaces = 3",
            "s.toml:11: [[building]] 0 replaces: found 3; accepted: overlap,",
        ),
        (
            "replaces = [{ longitude = 11 }]",
            "s.toml:11: [[building]] 0 replaces 0 latitude: missing; accepted: a number from -90",
        ),
        (
            "replaces = [{ longitude = 11, latitude = 48 }, {}]",
            "s.toml:11: [[building]] 0 replaces 1 longitude: missing; accepted: a number from -180",
        ),
        (
            "replaces = [{ longitude = 48, latitude = 111 }]",
            "s.toml:11: [[building]] 0 replaces 0 latitude: found 111 beside longitude 48: are the two swapped?",
        ),
        (
            "replaces = [{ longitude = 181, latitude = 48 }]",
            "s.toml:11: [[building]] 0 replaces 0 longitude: found 181; accepted",
        ),
        (
            "replaces = [{ lon = 11, latitude = 48 }]",
            "s.toml:11: [[building]] 0 replaces 0 lon: unknown key, did you mean `longitude`?",
        ),
        (
            "replaces = [[1, 2], { longitude = 11, latitude = 48 }]",
            "s.toml:11: [[building]] 0 replaces: found [[1, 2], a table]; accepted",
        ),
        (
            "leave_out = \"lawn\"",
            "s.toml:11: [[building]] 0 leave_out: found the text \"lawn\"; accepted: a list of names",
        ),
        (
            "unit = \"mile\"",
            "s.toml:11: [[building]] 0 unit: found \"mile\", did you mean `m`? accepted: mm",
        ),
        (
            "[[building]]\nfile = \"office.glb\"",
            "s.toml:11: [[building]] 1 name: there is a building called `office` before;",
        ),
        (
            "[[building]]\nname = \"b\"",
            "s.toml:11: [[building]] 1 file: missing; accepted: the name of a scene file",
        ),
        (
            "[[building]]\nfile = \"shed.glb\"",
            "s.toml:12: [[building]] 1 file: there is no file `shed.glb`;",
        ),
    ] {
        let found = folder.message(&with(keys));
        assert!(found.starts_with(expected), "{keys}:\n{found}\n{expected}");
    }
    let found = folder.message(&format!("{SMALL}[building]\nfile = \"office.glb\"\n"));
    assert!(found.starts_with("s.toml:9: building: found"), "{found}");
}

/// The placement on a ground of 200 m by 200 m around (0, 0) that rises 1 m with every 4 m to the east, on the equator
/// at 9 degrees east.
fn placed(building: &ScenarioBuilding, own: Option<&Georeference>) -> Result<Placement, String> {
    let city = city();
    let scene = BuildingGround {
        files: &[],
        georeference: Some(&city),
        bounds: [DVec3::splat(-100.0), DVec3::splat(100.0)],
    };
    let ground = |at: DVec2| (at.abs().max_element() <= 100.0).then_some(100.0 + 0.25 * at.x);
    let found = building.placement(scene, &ground, own);
    found.map_err(|error| error.to_string())
}

fn city() -> Georeference {
    Georeference {
        crs: "EPSG:32632".to_owned(),
        origin: [500_000.0, 0.0, 350.0],
    }
}

#[test]
fn every_way_to_say_a_place_leads_there() {
    let folder = folder("building-places");
    // The point lies 60 m west: see `positions.rs` for the scale of the projection along the equator.
    let longitude = 9.0 - (60.0_f64 / (0.9996 * 6_378_137.0)).to_degrees();
    let expected = DVec3::new(-60.0, 0.0, 86.5);
    for keys in [
        "position = [-60, 0, 86.5]".to_owned(),
        "position = [-60, 0]\nheight_above_ground = 1.5".to_owned(),
        "position = [-60, 0]\naltitude = 436.5".to_owned(),
        format!("longitude = {longitude}\nlatitude = 0\nheight_above_ground = 1.5"),
    ] {
        let scenario = folder
            .parse(&with(&format!("{keys}\nrotation_deg = -90")))
            .unwrap();
        let found = placed(&scenario.scene.buildings[0], None).unwrap();
        assert!(
            found.origin.distance(expected) < 1e-6,
            "{keys}: {}",
            found.origin
        );
        assert_eq!(found.rotation, -FRAC_PI_2);
    }
    let scenario = folder.parse(&with("rotation_deg = 10")).unwrap();
    let own = Georeference {
        origin: [500_012.5, -7.0, 340.0],
        ..city()
    };
    let found = placed(&scenario.scene.buildings[0], Some(&own)).unwrap();
    assert_eq!(found.origin, DVec3::new(12.5, -7.0, -10.0));
}

#[test]
fn replaced_buildings_are_where_their_longitude_and_latitude_lie() {
    let folder = folder("replaced-places");
    let scenario = folder.parse(&with("")).unwrap();
    let building = &scenario.scene.buildings[0];
    let city = city();
    let scene = |georeference| BuildingGround {
        files: &[],
        georeference,
        bounds: [DVec3::splat(-100.0), DVec3::splat(100.0)],
    };
    // The longitude is found as in `every_way_to_say_a_place_leads_there`.
    let east = |metres: f64| 9.0 + (metres / (0.9996 * 6_378_137.0)).to_degrees();
    let lon_lat = [[east(-60.0), 0.0], [east(17.3), 0.0]];
    let found = building
        .replaced_places(scene(Some(&city)), &lon_lat)
        .unwrap();
    for (found, wanted) in found.iter().zip([-60.0, 17.3]) {
        assert!(found.distance(DVec2::new(wanted, 0.0)) < 1e-6, "{found}");
    }
    let message = |georeference, at| {
        let found = building.replaced_places(scene(georeference), &[lon_lat[0], at]);
        let found = found.unwrap_err().to_string();
        found.replace(&format!("{}/", folder.0.display()), "")
    };
    let found = message(None, lon_lat[1]);
    let wanted = "s.toml:9: [[building]] 0 replaces 0 longitude: the scene does not say where on earth it lies";
    assert!(found.starts_with(wanted), "{found}");
    let found = message(Some(&city), [0.0, 9.0]);
    let wanted = "s.toml:9: [[building]] 0 replaces 1 longitude: longitude 0, latitude 9 lies";
    assert!(found.starts_with(wanted), "{found}");
    assert!(
        found.ends_with("longitude and latitude are swapped"),
        "{found}"
    );
}

#[test]
fn a_building_without_a_place_is_one_clear_error() {
    let folder = folder("no-place");
    let message = |keys: &str, own: Option<&Georeference>| {
        let scenario = folder.parse(&with(keys)).unwrap();
        let found = placed(&scenario.scene.buildings[0], own).unwrap_err();
        found.replace(&format!("{}/", folder.0.display()), "")
    };
    let found = message("", None);
    let wanted = "s.toml:9: [[building]] 0 position: missing, and the model's file does not say where on earth it lies; accepted: three numbers";
    assert!(found.starts_with(wanted), "{found}");
    let other = Georeference {
        crs: "EPSG:25832".to_owned(),
        ..city()
    };
    let found = message("", Some(&other));
    assert!(
        found.contains("the model's file is in EPSG:25832, the scene files in EPSG:32632"),
        "{found}"
    );
    let found = message("position = [300, 0]\nheight_above_ground = 0", None);
    let wanted = "s.toml:9: [[building]] 0 height_above_ground: there is no ground under x = 300.00, y = 0.00;";
    assert!(found.starts_with(wanted), "{found}");
}
