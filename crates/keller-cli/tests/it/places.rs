//! Devices by longitude and latitude, in a scene that says where on earth it lies.

use crate::common::Folder;
use keller::DVec3;
use keller::scene::{Mesh, MeshTriangle};
use keller_geo::crs::{Frame, Georeference};
use keller_io::formats::import::Object;
use keller_io::reports::export::{Beside, glb};
use serde_json::Value;

/// A place in Munich.
fn georeference() -> Georeference {
    Georeference {
        crs: "EPSG:25832".to_owned(),
        origin: [691_600.0, 5_334_760.0, 515.0],
    }
}

/// The height of the hillside that the scene is, metres.
fn slope(x: f64, y: f64) -> f64 {
    4.0 + 0.125 * x - 0.0625 * y
}

/// `hill.glb`, 128 m by 128 m, and a house without a floor on it.
fn write_scene(folder: &Folder, georeference: Option<&Georeference>) {
    let mut mesh = Mesh::default();
    let material = mesh.material_index("concrete");
    let mut add = |corners: [DVec3; 4]| {
        let first = u32::try_from(mesh.vertices.len()).unwrap();
        mesh.vertices.extend(corners);
        for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
            let vertices = [first + a, first + b, first + c];
            mesh.triangles.push(MeshTriangle { vertices, material });
        }
    };
    add([[-64.0, -64.0], [64.0, -64.0], [64.0, 64.0], [-64.0, 64.0]]
        .map(|[x, y]| DVec3::new(x, y, slope(x, y))));
    let house = [[16.0, 16.0], [32.0, 16.0], [32.0, 32.0], [16.0, 32.0]];
    for i in 0..4 {
        let [[ax, ay], [bx, by]] = [house[i], house[(i + 1) % 4]];
        add([
            DVec3::new(ax, ay, 0.0),
            DVec3::new(bx, by, 0.0),
            DVec3::new(bx, by, 20.0),
            DVec3::new(ax, ay, 20.0),
        ]);
    }
    add(house.map(|[x, y]| DVec3::new(x, y, 20.0)));
    let hill = Object {
        name: "hill".to_owned(),
        triangles: 0..mesh.triangles.len(),
    };
    let beside = Beside {
        georeference,
        ..Beside::default()
    };
    folder.write_bytes("hill.glb", &glb(&mesh, &[hill], &beside));
}

fn scenario(tx: &str, rx: &str) -> String {
    format!(
        "frequency_hz = 3.5e9\n[scene]\nfile = \"hill.glb\"\ndefault_thickness = 0.2\n[[tx]]\n{tx}\n[[rx]]\n{rx}\n\
         [paths]\nsearch = \"exhaustive\"\nmax_reflections = 2\nmax_diffractions = 1\nmax_transmissions = 1\n\
         [coverage]\nresolution = 8\nheights = 1.5\nheight_above = \"ground\"\nbounds_deg = [11.5753, 48.1372, 11.5757, 48.1374]\n"
    )
}

#[test]
fn degrees_over_the_ground_give_the_paths_of_metres_in_the_scene() {
    let folder = Folder::new("places");
    let georeference = georeference();
    write_scene(&folder, Some(&georeference));
    let frame = Frame::new(&georeference).unwrap();
    let degrees = |x: f64, y: f64| frame.to_lon_lat([x, y].into()).unwrap();
    let (tx, rx) = ([-20.5, 3.25], [24.0, 10.5]);
    let (tx_degrees, rx_degrees) = (degrees(tx[0], tx[1]), degrees(rx[0], rx[1]));
    folder.write(
        "degrees.toml",
        &scenario(
            &format!(
                "longitude = {}\nlatitude = {}\nheight_above_ground = 12",
                tx_degrees.x, tx_degrees.y
            ),
            "file = \"rx.csv\"",
        ),
    );
    // One place is next to the house and one in it.
    let inside = degrees(24.0, 24.0);
    folder.write(
        "rx.csv",
        &format!(
            "lon,lat,height_above_ground\n{},{},1.5\n{},{},1.5\n",
            rx_degrees.x, rx_degrees.y, inside.x, inside.y
        ),
    );
    let above = |[x, y]: [f64; 2], height: f64| format!("[{x}, {y}, {}]", slope(x, y) + height);
    let receivers = format!(
        "position = {}\n[[rx]]\nposition = {}",
        above(rx, 1.5),
        above([24.0, 24.0], 1.5)
    );
    let metres = scenario(&format!("position = {}", above(tx, 12.0)), &receivers);
    folder.write("metres.toml", &metres);
    let paths = |file: &str| {
        let run = folder.keller(&["paths", file, "--json"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        serde_json::from_str::<Value>(&run.stdout).unwrap()
    };
    let (by_degrees, by_metres) = (paths("degrees.toml"), paths("metres.toml"));
    let (found, expected) = (
        by_degrees["paths"].as_array().unwrap(),
        by_metres["paths"].as_array().unwrap(),
    );
    let reaches = |rx: u64| expected.iter().any(|path| path["rx"] == rx);
    assert!(reaches(0) && reaches(1), "both receivers have paths");
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        for key in ["tx", "rx", "types", "objects"] {
            assert_eq!(found[key], expected[key]);
        }
        let length = |path: &Value| path["length_m"].as_f64().unwrap();
        let off = (length(found) - length(expected)).abs();
        assert!(off < 1e-6, "{expected} is off by {off} m");
    }
    // Results and the scene say where it is, in the same words.
    let run = folder.keller(&["scene", "hill.glb", "--json"]);
    let place = &serde_json::from_str::<Value>(&run.stdout).unwrap()["place"];
    for result in [&by_degrees, &by_metres, place] {
        assert_eq!(result["crs"], "EPSG:25832");
        assert_eq!(
            result["origin"],
            serde_json::json!([691_600.0, 5_334_760.0, 515.0])
        );
    }
    // PROJ has (11.5755, 48.1374) within 100 m from there.
    let near =
        |key: &str, degrees: f64| (place["centre"][key].as_f64().unwrap() - degrees).abs() < 2e-3;
    assert!(
        near("longitude", 11.5755) && near("latitude", 48.1374),
        "{place}"
    );
    let run = folder.keller(&["scene", "hill.glb"]);
    assert!(run.stdout.contains("EPSG:25832"), "{}", run.stdout);
    for out in ["c.csv", "c.npz"] {
        let run = folder.keller(&["channel", "degrees.toml", "-o", out]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
    }
    let meta: Value = serde_json::from_str(&folder.read("c.csv.meta.json")).unwrap();
    assert_eq!(meta["crs"], "EPSG:25832");
    let run = folder.keller(&["coverage", "degrees.toml", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn a_scene_that_lies_nowhere_says_so() {
    let folder = Folder::new("nowhere");
    write_scene(&folder, None);
    let by_degrees = "longitude = 11.5755\nlatitude = 48.1374\nheight_above_ground = 12";
    folder.write("s.toml", &scenario(by_degrees, "position = [0, 0, 30]"));
    for (command, expected) in [
        (
            &["paths", "s.toml", "-o", "p.csv"][..],
            "s.toml:5: [[tx]] 0 longitude: the scene does not say where on earth it lies (hill.glb); accepted: a scene made by `keller import`",
        ),
        (&["channel", "s.toml", "-o", "c.npz"], "s.toml:5: [[tx]] 0"),
        (&["coverage", "s.toml"], "s.toml:5: [[tx]] 0"),
    ] {
        let run = folder.keller(command);
        assert_eq!(run.code, Some(2), "{command:?}");
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    assert!(
        folder
            .names()
            .iter()
            .all(|name| !name.contains("p.csv") && !name.contains("c.npz"))
    );
    let above = "position = [0, 0]\nheight_above_ground = 1";
    folder.write("s.toml", &scenario(above, above));
    let run = folder.keller(&["coverage", "s.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(
        run.stderr
            .contains("s.toml:16: [coverage] bounds_deg: the scene"),
        "{}",
        run.stderr
    );
    let json = folder.keller(&["scene", "hill.glb", "--json"]).stdout;
    assert_eq!(
        serde_json::from_str::<Value>(&json).unwrap()["place"],
        Value::Null
    );
}
