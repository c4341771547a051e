//! What all paths of a link carry together: exact in a lossless box, and never more than there is.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Random, add_box, inside_out, random_city};
use keller::em::Surfaces;
use keller::field::transport;
use keller::materials::{Material, Medium};
use keller::paths::{Limits, Path, Search, Transparency, find_paths};
use keller::scene::{Mesh, Scene};
use keller::{Complex64, Control, DVec3, Frequency};
use std::f64::consts::PI;

fn conductors(scene: &Scene, hz: f64) -> Surfaces {
    let materials = vec![Material::HalfSpace(Medium::PerfectConductor); scene.materials().len()];
    Surfaces::new(&materials, Frequency::from_hz(hz).unwrap()).unwrap()
}

fn paths(scene: &Scene, surfaces: &Surfaces, ends: [DVec3; 2], limits: &Limits) -> Vec<Path> {
    find_paths(
        scene,
        &ends[..1],
        &ends[1..],
        limits,
        &Transparency::of(scene, surfaces),
        Search::Complete,
        &Control::default(),
    )
    .unwrap()
}

/// Received over radiated power, the mean of both polarisations of the Tx, both of the Rx taken.
fn gain(path: &Path, scene: &Scene, surfaces: &Surfaces) -> f64 {
    let field = transport(path, scene, surfaces);
    let cells = field.coefficient.as_flattened().iter();
    0.5 * cells.map(Complex64::norm_sqr).sum::<f64>()
}

#[test]
fn the_paths_of_a_lossless_box_are_its_lattice_of_images() {
    let size = DVec3::new(7.0, 5.0, 3.0);
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "wall", DVec3::ZERO, size);
    let scene = Scene::new(&inside_out(&mesh)).unwrap();
    let surfaces = conductors(&scene, 3e9);
    let (tx, rx) = (DVec3::new(1.3, 0.9, 1.1), DVec3::new(5.2, 3.8, 2.3));
    let order = 5_i32;
    let limits = Limits {
        max_interactions: 5,
        max_reflections: 5,
        ..Limits::default()
    };
    let found = paths(&scene, &surfaces, [tx, rx], &limits);
    // Along each axis the images stand at x + i L for even i, and at (i + 1) L - x for odd ones; i counts the reflections.
    let along = |x: f64, length: f64, i: i32| {
        if i % 2 == 0 {
            x + f64::from(i) * length
        } else {
            f64::from(i + 1) * length - x
        }
    };
    let wavelength = surfaces.frequency().wavelength();
    let (mut count, mut expected) = (0, 0.0);
    for i in -order..=order {
        for j in -order..=order {
            for k in -order..=order {
                if i.abs() + j.abs() + k.abs() <= order {
                    let image = DVec3::new(
                        along(tx.x, size.x, i),
                        along(tx.y, size.y, j),
                        along(tx.z, size.z, k),
                    );
                    count += 1;
                    expected += (wavelength / (4.0 * PI * image.distance(rx))).powi(2);
                }
            }
        }
    }
    assert_eq!(found.len(), count);
    let total: f64 = found.iter().map(|p| gain(p, &scene, &surfaces)).sum();
    assert!(
        (total / expected - 1.0).abs() < 1e-9,
        "{total} of {expected}"
    );
}

#[test]
fn no_path_carries_more_than_free_space_would() {
    // A mirror keeps what it gets, and an edge gives at most what it takes from the waves beside it.
    for seed in 0..20 {
        let (mesh, [low, high]) = random_city(seed);
        let scene = Scene::new(&mesh).unwrap();
        let surfaces = conductors(&scene, 2e9);
        let wavelength = surfaces.frequency().wavelength();
        let mut random = Random(seed ^ 0xe4e);
        let limits = Limits {
            max_diffractions: 2,
            max_reflections: 2,
            ..Limits::default()
        };
        let mut ends = [DVec3::ZERO; 2];
        for end in &mut ends {
            while *end == DVec3::ZERO || scene.any_face_near(*end, 0.5, |_| true) {
                *end = random.point(low, high);
            }
        }
        for path in paths(&scene, &surfaces, ends, &limits) {
            let free = (wavelength / (4.0 * PI * path.length)).powi(2);
            let gain = gain(&path, &scene, &surfaces);
            assert!(
                gain <= free * (1.0 + 1e-9),
                "seed {seed}: {gain} of {free}, {path:?}"
            );
        }
    }
}
