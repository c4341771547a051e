//! The field along every listed path of the cases, against their independently computed coefficients.
//!
//! The sequences come from the files; points and lengths are solved here by images, so that nothing hangs on printed digits.
use std::f64::consts::{PI, TAU};
use std::path::Path as FilePath;

use keller::antenna::{Antenna, Polarization};
use keller::em::Surfaces;
use keller::field::{PathField, Walls, transport};
use keller::geometry::Plane;
use keller::materials::Material;
use keller::paths::{Interaction, Path, Vertex};
use keller::scene::{Edge, EdgeId, FaceId, MaterialId};
use keller::units::power_to_db;
use keller::{Complex64, DVec3, Frequency};
use serde_json::Value;

#[test]
fn two_rays_over_a_perfect_conductor() {
    check_case("01_two_ray_pec", 10);
}

#[test]
fn a_room_with_up_to_four_reflections() {
    check_case("03_empty_room_d4", 387);
}

#[test]
fn a_block_city_with_up_to_three_reflections() {
    check_case("10_manhattan_d3", 105);
}

#[test]
fn a_wall_of_coplanar_tiles() {
    check_case("13_coplanar_tiles", 21);
}

/// Compares every path of reflections alone; `num_paths` guards against comparing nothing.
fn check_case(name: &str, num_paths: usize) {
    let case = Case::load(name);
    let mut checked = 0;
    for receiver in case.expected["receivers"].as_array().unwrap() {
        for expected in receiver["paths"].as_array().unwrap() {
            let types = expected["types"].as_str().unwrap();
            if types == "LOS" || types.bytes().all(|letter| letter == b'R') {
                let path = case.solve(expected);
                let field = transport(&path, &case);
                check_path(&field, expected, &format!("{name} {types} {}", path.length));
                checked += 1;
            }
        }
    }
    assert_eq!(checked, num_paths, "{name}: paths compared");
}

fn check_path(field: &PathField, expected: &Value, what: &str) {
    let number = |key: &str| expected[key].as_f64().unwrap();
    assert!(
        (field.delay / number("delay_s") - 1.0).abs() < 1e-11,
        "{what}: delay"
    );
    for (angle, key) in [
        (field.departure.zenith, "zod_rad"),
        (field.departure.azimuth, "aod_rad"),
        (field.arrival.zenith, "zoa_rad"),
        (field.arrival.azimuth, "aoa_rad"),
    ] {
        let difference = (angle - number(key) + PI).rem_euclid(TAU) - PI;
        assert!(
            difference.abs() < 1e-11,
            "{what}: {key} off by {difference}"
        );
    }

    let a = |row: usize, column: usize| {
        let part = |i: usize| expected["a"][row][column][i].as_f64().unwrap();
        Complex64::new(part(0), part(1))
    };
    let cells = [(0, 0), (0, 1), (1, 0), (1, 1)];
    let total: f64 = cells.map(|(i, j)| a(i, j).norm_sqr()).iter().sum();
    for (i, j) in cells {
        let difference = (field.coefficient[i][j] - a(i, j)).norm() / total.sqrt();
        assert!(difference < 1e-9, "{what}: a[{i}][{j}] off by {difference}");
    }

    let isotropic = |polarization| Antenna {
        polarization,
        ..Antenna::default()
    };
    for (polarization, key) in [
        (Polarization::V, "gain_db_vv"),
        (Polarization::H, "gain_db_hh"),
        (Polarization::VH, "gain_db_unpol"),
        (Polarization::Cross, "gain_db_unpol"),
    ] {
        let antenna = isotropic(polarization);
        let difference = power_to_db(field.gain(&antenna, &antenna)) - number(key);
        assert!(difference.abs() < 1e-6, "{what}: {key} off by {difference}");
    }
}

struct Case {
    faces: Vec<Face>,
    surfaces: Surfaces,
    expected: Value,
}

struct Face {
    object: String,
    vertices: Vec<DVec3>,
    plane: Plane,
    material: MaterialId,
}

impl Walls for Case {
    fn surfaces(&self) -> &Surfaces {
        &self.surfaces
    }

    fn normal(&self, face: FaceId) -> DVec3 {
        self.faces[face.index()].plane.normal
    }

    fn material(&self, face: FaceId) -> MaterialId {
        self.faces[face.index()].material
    }

    fn edge(&self, _: EdgeId) -> Edge {
        unreachable!("no edges")
    }
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
        let (case, scene) = (read("case.json"), read("scene.json"));
        let definitions = case["materials"].as_object().unwrap();
        let names: Vec<&String> = definitions.keys().collect();
        let materials: Vec<Material> = definitions.values().map(material).collect();
        let frequency = Frequency::from_hz(case["frequency_hz"].as_f64().unwrap()).unwrap();
        let faces = scene["faces"].as_array().unwrap().iter().map(|face| {
            let vertices: Vec<DVec3> = face["vertices"]
                .as_array()
                .unwrap()
                .iter()
                .map(point)
                .collect();
            let normal = (vertices[1] - vertices[0])
                .cross(vertices[2] - vertices[0])
                .normalize();
            let index = names.iter().position(|name| face["material"] == ***name);
            Face {
                object: face["object"].as_str().unwrap().to_owned(),
                plane: Plane {
                    normal,
                    offset: normal.dot(vertices[0]),
                },
                vertices,
                material: MaterialId::from_index(index.unwrap()),
            }
        });
        Self {
            faces: faces.collect(),
            surfaces: Surfaces::new(&materials, frequency).unwrap(),
            expected: read("expected.json"),
        }
    }

    /// The path that `expected` lists, with its points solved by images.
    fn solve(&self, expected: &Value) -> Path {
        let points: Vec<DVec3> = expected["points"]
            .as_array()
            .unwrap()
            .iter()
            .map(point)
            .collect();
        let objects = expected["objects"].as_array().unwrap();
        let faces: Vec<FaceId> = objects
            .iter()
            .zip(&points[1..])
            .map(|(object, p)| self.face_at(object.as_str().unwrap(), *p))
            .collect();
        let (tx_position, rx_position) = (points[0], points[points.len() - 1]);

        let mut images = vec![tx_position];
        for face in &faces {
            images.push(
                self.faces[face.index()]
                    .plane
                    .mirror(images[images.len() - 1]),
            );
        }
        let length = images[images.len() - 1].distance(rx_position);
        let mut from = rx_position;
        let mut vertices = Vec::new();
        for (i, face) in faces.iter().enumerate().rev() {
            let (plane, image) = (&self.faces[face.index()].plane, images[i + 1]);
            let share = plane.distance(from) / (plane.distance(from) - plane.distance(image));
            from += share * (image - from);
            assert!(
                from.distance(points[i + 1]) < 1e-9,
                "{from} is not {}",
                points[i + 1]
            );
            vertices.push(Vertex {
                interaction: Interaction::Reflection(*face),
                point: from,
            });
        }
        vertices.reverse();
        Path {
            tx: 0,
            rx: 0,
            tx_position,
            rx_position,
            vertices,
            length,
        }
    }

    /// The face of `object` that has `point` in its plane and in its bounding box.
    fn face_at(&self, object: &str, point: DVec3) -> FaceId {
        let holds = |face: &Face| {
            let min = face.vertices.iter().copied().reduce(DVec3::min).unwrap();
            let max = face.vertices.iter().copied().reduce(DVec3::max).unwrap();
            face.object == object
                && face.plane.distance(point).abs() < 1e-6
                && point.cmpge(min - 1e-6).all()
                && point.cmple(max + 1e-6).all()
        };
        let mut found = (0..self.faces.len()).filter(|i| holds(&self.faces[*i]));
        let face = found.next().expect("a face of the object at the point");
        assert_eq!(found.next(), None, "{object} has two faces at {point}");
        FaceId::from_index(face)
    }
}

fn material(definition: &Value) -> Material {
    assert!(
        definition["thickness"].is_null(),
        "these cases have half spaces only"
    );
    let name = definition["itu"].as_str().unwrap_or("pec");
    Material::from_name(name).unwrap()
}

fn point(value: &Value) -> DVec3 {
    let coordinate = |i: usize| value[i].as_f64().unwrap();
    DVec3::new(coordinate(0), coordinate(1), coordinate(2))
}
