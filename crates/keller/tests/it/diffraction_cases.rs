//! The field of every single diffraction that the cases list, against their independently computed coefficients.
//!
//! Edges are the scene's own; the edge points are solved here by unfolding, so that nothing hangs on printed digits.
use std::path::Path as FilePath;

use keller::em::utd::LossyWedge;
use keller::field::PathField;
use keller::materials::Materials;
use keller::paths::{Interaction, Path, Vertex};
use keller::scene::{Edge, EdgeId, Mesh, MeshTriangle, Scene};
use keller::units::power_to_db;
use keller::{Complex64, DVec3, Frequency, World};
use serde_json::Value;

/// The tolerance of coefficients: the cases' numbers have twelve digits; a weak cell next to a strong one has fewer.
const COEFFICIENT_TOLERANCE: f64 = 1e-9;

/// Gains are printed with nine decimals and more.
const DB_TOLERANCE: f64 = 1e-6;

#[test]
fn a_perfectly_conducting_wedge() {
    check_coefficients("05_wedge90_pec", LossyWedge::default(), 11);
}

#[test]
fn the_four_borders_of_a_perfectly_conducting_screen() {
    check_coefficients("06_half_plane_pec", LossyWedge::default(), 36);
}

#[test]
fn a_concrete_wedge_after_luebbers() {
    check_coefficients("07_wedge60_concrete", LossyWedge::LuebbersFull, 7);
}

#[test]
fn a_concrete_wedge_in_the_other_usual_forms() {
    check_forms("07_wedge60_concrete", 7);
}

#[test]
fn the_corners_of_a_block_city_after_luebbers() {
    check_coefficients("10_manhattan_d3", LossyWedge::LuebbersFull, 140);
}

#[test]
fn the_corners_of_a_block_city_in_the_other_usual_forms() {
    check_forms("10_manhattan_d3", 140);
}

fn check_coefficients(name: &str, form: LossyWedge, num_paths: usize) {
    let case = Case::load(name);
    let mut checked = 0;
    for (expected, path) in case.diffractions() {
        let world = case.world.clone().with_lossy_wedge(form);
        let field = PathField::new(&path, &world);
        let a = |row: usize, column: usize| {
            let part = |i: usize| expected["a"][row][column][i].as_f64().unwrap();
            Complex64::new(part(0), part(1))
        };
        let cells = [(0, 0), (0, 1), (1, 0), (1, 1)];
        let total: f64 = cells.map(|(i, j)| a(i, j).norm_sqr()).iter().sum();
        for (i, j) in cells {
            let difference = (field.coefficient[i][j] - a(i, j)).norm() / total.sqrt();
            assert!(
                difference < COEFFICIENT_TOLERANCE,
                "{name} at {}: a[{i}][{j}] {} for {}, off by {difference}",
                path.vertices[0].point,
                field.coefficient[i][j],
                a(i, j)
            );
        }
        let length = expected["length_m"].as_f64().unwrap();
        assert!((path.length - length).abs() < 1e-9, "{name}: length");
        checked += 1;
    }
    assert_eq!(checked, num_paths, "{name}: paths compared");
}

fn check_forms(name: &str, num_paths: usize) {
    let case = Case::load(name);
    let mut checked = 0;
    for (expected, path) in case.diffractions() {
        for (form, key) in [
            (LossyWedge::LuebbersDiagonal, "luebbers_diag"),
            (LossyWedge::ReciprocalFull, "reciprocal_full"),
            (LossyWedge::ReciprocalDiagonal, "reciprocal_diag"),
        ] {
            let world = case.world.clone().with_lossy_wedge(form);
            let [[vv, _], [_, hh]] = PathField::new(&path, &world).coefficient;
            for (a, cell) in [(vv, "gain_db_vv"), (hh, "gain_db_hh")] {
                let gain = expected["alt_lossy_wedge"][key][cell].as_f64().unwrap();
                let difference = power_to_db(a.norm_sqr()) - gain;
                assert!(
                    difference.abs() < DB_TOLERANCE,
                    "{name} {key} {cell} at {}: off by {difference} dB",
                    path.vertices[0].point
                );
            }
        }
        checked += 1;
    }
    assert_eq!(checked, num_paths, "{name}: paths compared");
}

struct Case {
    world: World,
    free_edges: bool,
    expected: Value,
}

impl Case {
    fn load(name: &str) -> Self {
        let folder = FilePath::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../cases")
            .join(name);
        let read = |file: &str| -> Value {
            let text = std::fs::read_to_string(folder.join(file)).unwrap();
            serde_json::from_str(&text).unwrap()
        };
        let (case, polygons) = (read("case.json"), read("scene.json"));
        let mut mesh = Mesh::default();
        for face in polygons["faces"].as_array().unwrap() {
            let material = mesh.material_index(face["material"].as_str().unwrap());
            let first = u32::try_from(mesh.vertices.len()).unwrap();
            let corners = face["vertices"].as_array().unwrap();
            mesh.vertices.extend(corners.iter().map(point));
            for i in 2..u32::try_from(corners.len()).unwrap() {
                mesh.triangles.push(MeshTriangle {
                    vertices: [first, first + i - 1, first + i],
                    material,
                });
            }
        }
        let scene = Scene::new(&mesh).unwrap();
        let frequency = Frequency::from_hz(case["frequency_hz"].as_f64().unwrap()).unwrap();
        Self {
            world: World::new(scene, &Materials::default(), frequency).unwrap(),
            free_edges: case["options"]["free_edges"].as_bool().unwrap(),
            expected: read("expected.json"),
        }
    }

    /// Every listed path of one diffraction and nothing else, solved.
    fn diffractions(&self) -> Vec<(&Value, Path)> {
        let receivers = self.expected["receivers"].as_array().unwrap();
        let paths = receivers
            .iter()
            .flat_map(|receiver| receiver["paths"].as_array().unwrap());
        paths
            .filter(|path| path["types"] == "D")
            .map(|path| {
                let points: Vec<DVec3> = path["points"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(point)
                    .collect();
                (path, self.solve(points[0], points[1], points[2]))
            })
            .collect()
    }

    fn solve(&self, tx: DVec3, listed: DVec3, rx: DVec3) -> Path {
        let edges = self.world.scene().edges();
        let index = (0..edges.len())
            .filter(|i| self.free_edges || edges[*i].is_wedge())
            .find(|i| distance_to(&edges[*i], listed) < 1e-6)
            .expect("an edge at the listed point");
        let [start, end] = edges[index].ends;
        let along = (end - start).normalize();
        let place = |p: DVec3| {
            let t = (p - start).dot(along);
            (t, p.distance(start + t * along))
        };
        let ((t_tx, d_tx), (t_rx, d_rx)) = (place(tx), place(rx));
        let point = start + along * ((t_tx * d_rx + t_rx * d_tx) / (d_tx + d_rx));
        assert!(point.distance(listed) < 1e-9, "{point} is not {listed}");
        Path {
            tx: 0,
            rx: 0,
            tx_position: tx,
            rx_position: rx,
            vertices: vec![Vertex {
                interaction: Interaction::Diffraction(EdgeId::from_index(index)),
                point,
            }],
            length: tx.distance(point) + point.distance(rx),
        }
    }
}

fn distance_to(edge: &Edge, point: DVec3) -> f64 {
    let [start, end] = edge.ends;
    let t = (point - start).dot(end - start) / (end - start).length_squared();
    point.distance(start.lerp(end, t.clamp(0.0, 1.0)))
}

fn point(value: &Value) -> DVec3 {
    let coordinate = |i: usize| value[i].as_f64().unwrap();
    DVec3::new(coordinate(0), coordinate(1), coordinate(2))
}
