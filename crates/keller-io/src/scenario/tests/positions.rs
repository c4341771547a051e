//! Devices stand where the scenario says, in any kind of coordinates.

use std::fs;

use glam::DVec3;
use keller::scene::{Mesh, MeshTriangle, Scene};
use keller_geo::crs::Georeference;

use super::{Folder, SMALL};
use crate::scenario::{CoverageSettings, Positions, Scenario};

/// A ground of 200 m by 200 m around (0, 0), 4 m higher with every 16 m to the east, 100 m above zero in its centre.
fn hillside() -> Scene {
    let mut mesh = Mesh::default();
    let material = mesh.material_index("concrete");
    mesh.vertices = [
        [-100.0, -100.0],
        [100.0, -100.0],
        [100.0, 100.0],
        [-100.0, 100.0],
    ]
    .map(|[x, y]| DVec3::new(x, y, slope(x)))
    .to_vec();
    mesh.triangles = [[0, 1, 2], [0, 2, 3]]
        .map(|vertices| MeshTriangle { vertices, material })
        .to_vec();
    Scene::new(&mesh).unwrap()
}

fn slope(x: f64) -> f64 {
    100.0 + 0.25 * x
}

/// The point (0, 0, 0) lies where the equator crosses the central meridian of UTM zone 32, 9 degrees east, 350 m above
/// zero.
fn equator() -> Georeference {
    Georeference {
        crs: "EPSG:32632".to_owned(),
        origin: [500_000.0, 0.0, 350.0],
    }
}

/// Longitude and latitude of a place of the scene at [`equator`], to 1e-7 m within 200 m.
///
/// There, metres of a transverse Mercator projection are those along the ellipsoid of WGS 84 times the scale 0.9996:
/// per radian a along the equator, a (1 - e²) along the meridian (J. P. Snyder, "Map Projections: A Working Manual",
/// 1987, equations 8-9 and 8-10).
fn lon_lat(x: f64, y: f64) -> [f64; 2] {
    const A: f64 = 6_378_137.0;
    const E2: f64 = 0.006_694_379_990_141;
    let lon = 9.0 + (x / (0.9996 * A)).to_degrees();
    [lon, (y / (0.9996 * A * (1.0 - E2))).to_degrees()]
}

fn positions(scenario: &Scenario) -> Result<Positions, String> {
    let placed = scenario.positions(&hillside(), Some(&equator()));
    placed.map_err(|error| error.to_string())
}

/// A scenario with a Tx of these keys.
fn with_tx(keys: &str) -> String {
    SMALL.replace("position = [0, 0, 10]", keys)
}

/// A scenario with Rx of these keys.
fn with_rx(keys: &str) -> String {
    SMALL.replace("position = [1.5, -2, 3]", keys)
}

#[test]
fn every_way_to_say_a_place_leads_there() {
    let folder = Folder::new("places");
    let expected = DVec3::new(-60.0, 37.5, slope(-60.0) + 1.5);
    let [lon, lat] = lon_lat(-60.0, 37.5);
    for keys in [
        "position = [-60, 37.5, 86.5]".to_owned(),
        "position = [-60, 37.5]\nheight_above_ground = 1.5".to_owned(),
        "position = [-60, 37.5]\naltitude = 436.5".to_owned(),
        format!("longitude = {lon}\nlatitude = {lat}\nheight_above_ground = 1.5"),
        format!("longitude = {lon}\nlatitude = {lat}\naltitude = 436.5"),
    ] {
        for text in [with_tx(&keys), with_rx(&keys)] {
            let scenario = folder.parse(&text).unwrap();
            let Positions { tx, rx, .. } = positions(&scenario).unwrap();
            let moved = if text == with_tx(&keys) { tx[0] } else { rx[0] };
            assert!(moved.distance(expected) < 1e-6, "{keys}: {moved}");
        }
    }
    for (header, row) in [
        ("x,y,z", "-60,37.5,86.5".to_owned()),
        ("height_above_ground,y,x", "1.5,37.5,-60".to_owned()),
        ("x,y,altitude", "-60,37.5,436.5".to_owned()),
        ("name,Lat,Lon,z", format!("a,{lat},{lon},86.5")),
        (
            "longitude,latitude,height_above_ground",
            format!("{lon},{lat},1.5"),
        ),
    ] {
        fs::write(folder.0.join("rx.csv"), format!("{header}\n{row}\n")).unwrap();
        let scenario = folder.parse(&with_rx("file = \"rx.csv\"")).unwrap();
        let rx = positions(&scenario).unwrap().rx[0];
        assert!(rx.distance(expected) < 1e-6, "{header}: {rx}");
    }
}

#[test]
fn a_grid_follows_the_ground() {
    let folder = Folder::new("slope");
    let grid =
        "grid = { min = [-80, -10], max = [80, 10], spacing = 0.25, height_above_ground = 2 }";
    let scenario = folder.parse(&with_rx(grid)).unwrap();
    let rx = positions(&scenario).unwrap().rx;
    assert_eq!(rx.len(), 641 * 81);
    for at in rx {
        assert!((at.z - slope(at.x) - 2.0).abs() < 1e-9, "{at}");
    }
}

#[test]
fn a_grid_leaves_out_points_without_room_and_a_listed_receiver_does_not() {
    let folder = Folder::new("no-room");
    let [low, high] = hillside().bounds();
    // Half of the grid lies beyond the border of the ground.
    let grid = format!(
        "grid = {{ min = [{}, 0], max = [{}, 0], spacing = 1, height_above_ground = 2 }}",
        high.x - 1.5,
        high.x + 1.5
    );
    let scenario = folder.parse(&with_rx(&grid)).unwrap();
    let found = positions(&scenario).unwrap();
    let left_out: Vec<usize> = found.left_out.iter().map(|left_out| left_out.rx).collect();
    assert_eq!((found.rx.len(), &left_out[..]), (4, &[2, 3][..]));
    assert!(found.has_rx(1) && !found.has_rx(2));
    // A receiver on the ground itself has no room.
    let x = low.x + 10.0;
    let z = slope(x);
    let on_ground =
        format!("grid = {{ min = [{x}, 0], max = [{x}, 0], spacing = 1, height = {z} }}");
    let scenario = folder.parse(&with_rx(&on_ground)).unwrap();
    let message = positions(&scenario).unwrap_err();
    assert!(
        message.contains("none of its 1 points has room"),
        "{message}"
    );
    let listed = format!("position = [{}, 0]\nheight_above_ground = 2", high.x + 1.0);
    let scenario = folder.parse(&with_rx(&listed)).unwrap();
    let message = positions(&scenario).unwrap_err();
    assert!(message.contains("there is no ground under"), "{message}");
}

#[test]
fn places_that_are_said_badly_are_named_with_line_and_key() {
    let folder = Folder::new("bad-places");
    for (keys, expected) in [
        (
            "longitude = 9\nlatitude = 0",
            "s.toml:5: [[tx]] 0 height_above_ground: missing; accepted: a number of at most 1e7, metres over the ground below, or else `altitude`",
        ),
        (
            "longitude = 9\naltitude = 10",
            "s.toml:5: [[tx]] 0 latitude: missing; accepted: a number from -90 to 90,",
        ),
        (
            "latitude = 9\naltitude = 10",
            "s.toml:5: [[tx]] 0 longitude: missing;",
        ),
        (
            "altitude = 10",
            "s.toml:5: [[tx]] 0 position: missing; accepted: [x, y, z], or [x, y] beside",
        ),
        (
            "position = [1, 2]",
            "s.toml:6: [[tx]] 0 position: found [1, 2]; accepted: [x, y, z], or [x, y] beside",
        ),
        (
            "position = [1, 2, 3]\nheight_above_ground = 4",
            "s.toml:7: [[tx]] 0 height_above_ground: stands beside z = 3 in `position`",
        ),
        (
            "position = [1, 2]\nlongitude = 9\nlatitude = 0\naltitude = 4",
            "s.toml:6: [[tx]] 0 position: stands beside `longitude` and `latitude`",
        ),
        (
            "position = [1, 2]\nheight_above_ground = 4\naltitude = 4",
            "s.toml:8: [[tx]] 0 altitude: stands beside `height_above_ground`",
        ),
        (
            "longitude = 35.68\nlatitude = 139.69\naltitude = 4",
            "s.toml:7: [[tx]] 0 latitude: found 139.69 beside longitude 35.68: are the two swapped? accepted: a number from -90 to 90",
        ),
        (
            "longitude = 200\nlatitude = 139.69\naltitude = 4",
            "s.toml:7: [[tx]] 0 latitude: found 139.69; accepted: a number from -90 to 90",
        ),
        (
            "longitude = 181\nlatitude = 39.69\naltitude = 4",
            "s.toml:6: [[tx]] 0 longitude: found 181; accepted: a number from -180 to 180",
        ),
        (
            "longitude = \"9 E\"\nlatitude = 39.69\naltitude = 4",
            "s.toml:6: [[tx]] 0 longitude: found the text \"9 E\"; accepted",
        ),
    ] {
        let message = folder.message(&with_tx(keys));
        assert!(message.starts_with(expected), "{keys}\n{message}");
    }
    for (keys, expected) in [
        (
            "file = \"rx.csv\"\nheight_above_ground = 1",
            "s.toml:9: [[rx]] 0 height_above_ground: a file or a grid says it itself;",
        ),
        (
            "longitude = 9\nlatitude = 0\naltitude = 1\nfile = \"rx.csv\"",
            "s.toml:11: [[rx]] 0 file: more than one place; accepted: one of position, longitude and latitude, file, grid",
        ),
        (
            "grid = { min = [0, 0], max = [1, 1], spacing = 1, height = 1, height_above_ground = 1 }",
            "s.toml:8: [[rx]] 0 grid height_above_ground: stands beside `height`",
        ),
    ] {
        let message = folder.message(&with_rx(keys));
        assert!(message.starts_with(expected), "{keys}\n{message}");
    }
    for (csv, expected) in [
        (
            "lon,lat,x,y,z\n",
            "rx.csv:1: column longitude: beside another for the same in the header `lon,lat,x,y,z`;",
        ),
        (
            "x,y,z,altitude\n",
            "rx.csv:1: column altitude: beside another for the same in",
        ),
        (
            "lon,z\n",
            "rx.csv:1: column latitude: not in the header `lon,z`;",
        ),
        (
            "lon,lat,z\n48.1,111.5,0\n",
            "rx.csv:2: column latitude: found 111.5 beside longitude 48.1: are the two swapped?",
        ),
        (
            "lon,lat,z\n1,2,3\n1,b,3\n",
            "rx.csv:3: column latitude: found `b`;",
        ),
    ] {
        fs::write(folder.0.join("rx.csv"), csv).unwrap();
        let message = folder.message(&with_rx("file = \"rx.csv\""));
        assert!(message.starts_with(expected), "{csv}\n{message}");
    }
}

#[test]
fn places_that_are_not_in_the_scene_are_named_with_line_and_key() {
    let folder = Folder::new("elsewhere");
    let scene = hillside();
    let message = |text: &str, georeference: Option<&Georeference>| {
        let scenario = folder.parse(text).unwrap();
        let error = scenario.positions(&scene, georeference).unwrap_err();
        let own = format!("{}{}", folder.0.display(), std::path::MAIN_SEPARATOR);
        error.to_string().replace(&own, "")
    };
    let here = equator();
    let by_degrees = |lon: f64, lat: f64| {
        with_tx(&format!(
            "longitude = {lon}\nlatitude = {lat}\naltitude = 1"
        ))
    };
    for (text, georeference, expected) in [
        (
            by_degrees(9.0, 0.0),
            None,
            "s.toml:5: [[tx]] 0 longitude: the scene does not say where on earth it lies (scene.obj); accepted: a scene made by `keller import`,",
        ),
        (
            with_rx("position = [0, 0]\naltitude = 3"),
            None,
            "s.toml:7: [[rx]] 0 altitude: the scene does not say where on earth it lies",
        ),
        (
            by_degrees(0.0, 9.0),
            Some(&here),
            "s.toml:5: [[tx]] 0 longitude: longitude 0, latitude 9 lies 14",
        ),
        (
            by_degrees(10.0, 0.0),
            Some(&here),
            "s.toml:5: [[tx]] 0 longitude: longitude 10, latitude 0 lies 111 km from the scene, which is around longitude 9.00000, latitude 0.00000; accepted: at most 100 km away",
        ),
        (
            by_degrees(-171.0, 0.0),
            Some(&here),
            "s.toml:5: [[tx]] 0 longitude: longitude -171, latitude 0 lies ",
        ),
        (
            with_tx("position = [100.5, 0]\nheight_above_ground = 3"),
            Some(&here),
            "s.toml:5: [[tx]] 0 height_above_ground: there is no ground under x = 100.50, y = 0.00; the scene reaches from (-100.00, -100.00) to (100.00, 100.00)",
        ),
        (
            with_rx(
                "grid = { min = [0, 120], max = [0, 150], spacing = 15, height_above_ground = 1 }",
            ),
            Some(&here),
            "s.toml:7: [[rx]] 0 grid: none of its 3 points has room for a receiver",
        ),
    ] {
        let message = message(&text, georeference);
        assert!(message.starts_with(expected), "{text}\n{message}");
    }
    let swapped = message(&by_degrees(0.0, 9.0), Some(&here));
    assert!(
        swapped.ends_with("latitude 0.00000; longitude and latitude are swapped"),
        "{swapped}"
    );
    fs::write(
        folder.0.join("rx.csv"),
        "lon,lat,height_above_ground\n9,0,1\n9,0.1,1\n9,0.2,1\n",
    )
    .unwrap();
    let strict = with_rx("file = \"rx.csv\"\nstrict = true");
    let in_file = message(&strict, Some(&here));
    let expected =
        "rx.csv:3: column height_above_ground: there is no ground under x = 0.00, y = 11";
    assert!(in_file.starts_with(expected), "{in_file}");
    let nowhere = Georeference {
        crs: "EPSG:1".to_owned(),
        origin: [0.0; 3],
    };
    let unknown = message(&by_degrees(9.0, 0.0), Some(&nowhere));
    assert!(
        unknown.starts_with("scene.obj: EPSG:1 is not known"),
        "{unknown}"
    );
}

#[test]
fn a_coverage_lies_between_degrees() {
    let folder = Folder::new("bounds");
    let scene = hillside();
    let coverage = |keys: &str| folder.parse(&format!("{SMALL}[coverage]\nresolution = 5\n{keys}"));
    let bounds = |keys: &str, georeference| {
        let scenario = coverage(keys).unwrap();
        let Some(CoverageSettings::Cells(regions)) = &scenario.coverage else {
            panic!("cells are asked for");
        };
        let bounds = scenario.coverage_bounds(&regions[0], &scene, georeference);
        bounds.map_err(|error| error.to_string())
    };
    let here = equator();
    assert_eq!(bounds("", None), Ok(scene.bounds()));
    let ([west, south], [east, north]) = (lon_lat(-40.0, -20.0), lon_lat(30.0, 50.0));
    let keys = format!("bounds_deg = [{west}, {south}, {east}, {north}]");
    let [min, max] = bounds(&keys, Some(&here)).unwrap();
    assert!(min.distance(DVec3::new(-40.0, -20.0, 75.0)) < 1e-6, "{min}");
    assert!(max.distance(DVec3::new(30.0, 50.0, 125.0)) < 1e-6, "{max}");
    let error = bounds(&keys, None).unwrap_err();
    let expected = "s.toml:9: [coverage] bounds_deg: the scene does not say where on earth it lies";
    assert!(error.contains(expected), "{error}");
    for (keys, expected) in [
        (
            "bounds_deg = [1, 2, 3]",
            "[coverage] bounds_deg: found [1, 2, 3]; accepted: four numbers",
        ),
        (
            "bounds_deg = [1, 100, 3, 120]",
            "[coverage] bounds_deg: found 100 beside longitude 1: are the two swapped?",
        ),
        (
            "bounds_deg = [3, 1, 2, 5]",
            "bounds_deg: found [3.0, 1.0, 2.0, 5.0], which is not from west to east",
        ),
        (
            "bounds_deg = [1, 2, 3, 4]\nmin = [0, 0, 0]",
            "bounds_deg: stands beside `min` or `max`",
        ),
    ] {
        let error = coverage(keys).unwrap_err().to_string();
        assert!(error.contains(expected), "{keys}: {error}");
    }
}
