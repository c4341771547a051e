//! Views of small results, read back from their pages as the browser reads them.

use std::io::Read;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::read::GzDecoder;
use keller::DVec3;
use keller::scene::{Mesh, Scene};
use serde_json::Value;

use super::{ShownDevices, ShownScene, View, ViewTx};
use crate::reports::table::PathRow;

/// A page taken apart.
struct Opened {
    manifest: Value,
    parts: Vec<Vec<u8>>,
}

impl Opened {
    fn of(view: &View) -> Self {
        let mut page = Vec::new();
        view.page(&mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        let element = |start: &str| {
            let (_, rest) = page.split_once(start)?;
            Some(rest.split_once("</script>").unwrap().0.to_owned())
        };
        let manifest = element("<script type=\"application/json\" id=\"view\">").unwrap();
        let part = |number: usize| {
            let text = element(&format!(
                "<script type=\"text/plain\" id=\"part-{number}\">"
            ))?;
            let packed = BASE64_STANDARD.decode(text).unwrap();
            let mut bytes = Vec::new();
            GzDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
            Some(bytes)
        };
        Self {
            manifest: serde_json::from_str(&manifest).unwrap(),
            parts: (0..).map_while(part).collect(),
        }
    }

    /// The numbers of an array, as the browser decodes them.
    fn numbers(&self, array: &Value) -> Vec<f64> {
        let bytes = &self.parts[usize::try_from(array["part"].as_u64().unwrap()).unwrap()];
        match array["type"].as_str().unwrap() {
            "f32" => {
                let words = bytes.as_chunks::<4>().0.iter();
                words
                    .map(|word| f64::from(f32::from_le_bytes(*word)))
                    .collect()
            }
            "u32" => {
                let words = bytes.as_chunks::<4>().0.iter();
                words
                    .map(|word| f64::from(u32::from_le_bytes(*word)))
                    .collect()
            }
            "u16" => {
                let words = bytes.as_chunks::<2>().0.iter();
                let codes = words.map(|word| u16::from_le_bytes(*word));
                let scale = array["scale"].as_f64();
                let number = |code: u16| match (scale, code) {
                    (None, code) => f64::from(code),
                    (Some(_), 0) => f64::NAN,
                    (Some(_), 1) => f64::NEG_INFINITY,
                    (Some(scale), code) => {
                        array["offset"].as_f64().unwrap() + scale * f64::from(code - 2)
                    }
                };
                codes.map(number).collect()
            }
            _ => bytes.iter().map(|byte| f64::from(*byte)).collect(),
        }
    }
}

/// Two walls of hostile names far from the origin.
fn scene() -> Scene {
    let mut mesh = Mesh::default();
    let far = DVec3::new(500_000.0, 4_000_000.0, 100.0);
    for (name, x) in [
        ("</script><script>alert(1)</script>", 0.0),
        ("<img src=x onerror=alert(1)>", 5.0),
    ] {
        let corners = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (0.0, 3.0)];
        let corners = corners.map(|(y, z)| far + DVec3::new(x, y, z));
        mesh.add_polygon(name, &corners);
    }
    Scene::new(&mesh).unwrap()
}

fn row(tx: u32, rx: u32, types: &str, points: &[DVec3], gain_db: f64) -> PathRow {
    PathRow {
        tx,
        rx,
        types: types.to_owned(),
        points: points.to_vec(),
        objects: points.iter().map(|_| 7).collect(),
        gain_db,
        delay: 2.5e-8,
        departure: [1.0, 2.0],
        arrival: [3.0, 4.0],
        ..PathRow::default()
    }
}

fn view(scene: &Scene) -> View {
    let mut view = View::new("<b>name</b>".to_owned(), scene.origin());
    view.set_scene(ShownScene {
        source: "walls.ply",
        scene,
        materials: &[],
        roofs: &vec![false; scene.faces().len()],
        floors: &[],
    });
    let [low, high] = scene.bounds();
    view.add_snapshot(
        "first".to_owned(),
        &ShownDevices {
            tx: vec![ViewTx {
                name: "</script>".to_owned(),
                at: low.to_array(),
                power_dbm: 30.0,
                direction_deg: Some([120.0, 6.0]),
            }],
            rx: vec![high, low + 1.0],
            rx_names: None,
        },
    );
    view
}

#[test]
fn what_is_shown_comes_back_from_the_page() {
    let scene = scene();
    let mut view = view(&scene);
    let [low, _] = scene.bounds();
    let points = [
        low + DVec3::new(0.25, 1.5, 1.0),
        low + DVec3::new(2.0, 0.125, 0.5),
    ];
    let rows = vec![
        row(0, 0, "LOS", &[], -50.25),
        row(0, 1, "RD", &points, f64::NEG_INFINITY),
        row(0, 1, "R", &points[1..], -70.5),
    ];
    view.add_path_rows("a.paths".as_ref(), rows).unwrap();
    let read = Opened::of(&view);
    let manifest = &read.manifest;
    assert_eq!(manifest["version"], 1);
    let sizes: Vec<usize> = read.parts.iter().map(Vec::len).collect();
    assert_eq!(manifest["parts"], serde_json::json!(sizes));

    let shown = &manifest["scene"];
    let positions = read.numbers(&shown["positions"]);
    for (vertex, local) in scene.vertices().iter().zip(positions.as_chunks::<3>().0) {
        let at = scene.origin() + DVec3::from(*local);
        assert!(at.distance(*vertex) < 1e-5, "{at} is not {vertex}");
    }
    let triangles: Vec<f64> = scene
        .triangles()
        .as_flattened()
        .iter()
        .map(|n| f64::from(*n))
        .collect();
    assert_eq!(read.numbers(&shown["triangles"]), triangles);

    let tx = &manifest["snapshots"][0]["tx"][0];
    assert_eq!(tx["direction_deg"], serde_json::json!([120.0, 6.0]));
    let paths = &manifest["snapshots"][0]["paths"];
    assert_eq!(paths["types"], serde_json::json!(["LOS", "R", "RD"]));
    assert_eq!(read.numbers(&paths["type"]), [0.0, 2.0, 1.0]);
    assert_eq!(
        read.numbers(&paths["gain_db"]),
        [-50.25, f64::NEG_INFINITY, -70.5]
    );
    assert_eq!(read.numbers(&paths["starts"]), [0.0, 0.0, 2.0, 3.0]);
    assert_eq!(read.numbers(&paths["angles"])[4..8], [1.0, 2.0, 3.0, 4.0]);
    let stored = read.numbers(&paths["points"]);
    let first = scene.origin() + DVec3::from_slice(&stored[..3]);
    assert!(first.distance(points[0]) < 1e-5);
}

#[test]
fn no_name_ends_an_element_of_the_page() {
    let scene = scene();
    let mut page = Vec::new();
    view(&scene).page(&mut page).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(!page.contains("</script><script>alert"));
    assert!(!page.contains("<img src=x"));
    let read = Opened::of(&view(&scene));
    let names: Vec<&str> = read.manifest["scene"]["materials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|material| material["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"</script><script>alert(1)</script>"));
    assert_eq!(read.manifest["snapshots"][0]["tx"][0]["name"], "</script>");
}

#[test]
fn coded_numbers_are_near_theirs() {
    let mut view = View::new(String::new(), DVec3::ZERO);
    let values = [f64::NAN, f64::NEG_INFINITY, -150.0, -149.9, -30.0, -87.654];
    let range = super::parts::range(&values);
    assert_eq!(range, [-150.0, -30.0]);
    view.parts.coded(&values, vec![6], range);
    // The range of a single value is empty.
    view.parts.coded(&[5.0], vec![1], [5.0, 5.0]);
    let read = Opened::of(&view);
    let array = serde_json::json!({
        "part": 0, "type": "u16", "offset": -150.0, "scale": 120.0 / 65533.0
    });
    for (found, value) in read.numbers(&array).iter().zip(values) {
        let is_same = found == &value || found.is_nan() && value.is_nan();
        assert!(
            is_same || (found - value).abs() <= 120.0 / 131_066.0,
            "{found} is not {value}"
        );
    }
    let array = serde_json::json!({ "part": 1, "type": "u16", "offset": 5.0, "scale": 1.0 });
    assert_eq!(read.numbers(&array), [5.0]);
}

#[test]
fn paths_of_devices_that_are_not_there_are_refused() {
    let scene = scene();
    let mut view = view(&scene);
    let rows = vec![row(0, 2, "LOS", &[], -50.0)];
    let problem = view
        .add_path_rows("a.paths".as_ref(), rows)
        .unwrap_err()
        .to_string();
    assert!(
        problem.starts_with("a.paths: ") && problem.contains("Rx 2"),
        "{problem}"
    );
}
