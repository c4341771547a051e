//! The shared case 10: footprints from GeoJSON, meshed, are the buildings of the case's scene.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::{Path, PathBuf};

use glam::DVec3;
use keller::scene::{Defects, Scene};
use keller_geo::place::{self, ReadOptions, ground, mesh, repair};
use serde_json::Value;

/// Metres: rounding, no more.
const TOLERANCE: f64 = 1e-9;

fn case(name: &str) -> PathBuf {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/10_manhattan_d3");
    cases.join(name)
}

/// The footprints standing on a flat ground without foundation, as the case has them.
fn built() -> mesh::Built {
    let options = ReadOptions {
        crs: Some("local".to_owned()),
        ..ReadOptions::default()
    };
    let mut place = place::read_with(&case("footprints.geojson"), &options).unwrap();
    repair::repair(&mut place, &repair::RepairOptions::default());
    assert!(place.warnings.is_empty(), "{:?}", place.warnings);
    let options = mesh::MeshOptions {
        foundation: 0.0,
        ..mesh::MeshOptions::default()
    };
    let built = mesh::build(&place.buildings, &|_| Some(0.0), &options);
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    built
}

/// The faces of an object of the case's scene, as corners.
fn faces_of(scene: &Value, object: &str) -> Vec<Vec<DVec3>> {
    let faces = scene["faces"].as_array().unwrap().iter();
    let faces = faces.filter(|face| face["object"] == object);
    let corner =
        |corner: &Value| DVec3::from_array([0, 1, 2].map(|axis| corner[axis].as_f64().unwrap()));
    faces
        .map(|face| {
            face["vertices"]
                .as_array()
                .unwrap()
                .iter()
                .map(corner)
                .collect()
        })
        .collect()
}

#[test]
fn footprints_become_the_buildings_of_the_case() {
    let text = std::fs::read_to_string(case("scene.json")).unwrap();
    let scene: Value = serde_json::from_str(&text).unwrap();
    let built = built();
    assert_eq!(built.buildings.len(), 12);
    for building in &built.buildings {
        let faces = faces_of(&scene, &building.id);
        assert_eq!(faces.len(), 5, "{}", building.id);
        let triangles = &built.mesh.triangles[building.triangles.clone()];
        assert_eq!(triangles.len(), 10, "{}", building.id);
        for triangle in triangles {
            let corners = triangle.vertices.map(|v| built.mesh.vertices[v as usize]);
            let normal = |c: &[DVec3]| (c[1] - c[0]).cross(c[2] - c[0]).normalize();
            let is_on = |face: &&Vec<DVec3>| {
                let is_corner = |p: &DVec3| face.iter().any(|q| p.distance(*q) < TOLERANCE);
                corners.iter().all(is_corner) && normal(face).dot(normal(&corners)) > 0.999
            };
            assert!(
                faces.iter().any(|face| is_on(&face)),
                "{}: {corners:?}",
                building.id
            );
        }
    }
}

#[test]
fn with_a_ground_they_have_the_faces_and_edges_of_the_case() {
    let mut built = built();
    let side = glam::DVec2::splat(108.0);
    built.mesh.append(&ground::rectangle(-side, side, 0.0));
    let scene = Scene::new(&built.mesh).unwrap();
    assert_eq!(scene.defects(), Defects::default());
    assert_eq!(scene.faces().len(), 61);
    let wedges = scene.edges().iter().filter(|edge| edge.is_wedge()).count();
    assert_eq!((wedges, scene.edges().len() - wedges), (96, 4));
    let names: Vec<&str> = scene.materials().iter().map(String::as_str).collect();
    assert_eq!(names, ["itu_concrete", "itu_brick", "itu_glass", "ground"]);
}
