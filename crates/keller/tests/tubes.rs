//! Coverage by tubes, judged by closed forms and by the path engine at every cell.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Random, add_polygon, random_city};
use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::points::{self, Transmitter};
use keller::coverage::tubes::{self, Accuracy};
use keller::coverage::{Coverage, Levels, Region};
use keller::em::Surfaces;
use keller::materials::resolve;
use keller::paths::{Limits, Search};
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3, Frequency};
use std::f64::consts::PI;

const LEAST: f64 = 1e-15;

fn surfaces(mesh: &Mesh) -> Surfaces {
    let definitions = mesh
        .materials
        .iter()
        .map(|m| (m.name.as_str(), m.definition.as_ref()));
    let materials = resolve(definitions, &[], Some("concrete")).unwrap();
    Surfaces::new(&materials, Frequency::from_hz(2e9).unwrap()).unwrap()
}

fn sender(position: DVec3) -> Transmitter {
    Transmitter {
        position,
        antenna: Antenna::default(),
    }
}

fn by_tubes(
    scene: &Scene,
    surfaces: &Surfaces,
    tx: DVec3,
    region: &Region,
    limits: &Limits,
    accuracy: Accuracy,
) -> Coverage {
    let settings = tubes::Settings {
        limits,
        accuracy,
        least_gain: LEAST,
    };
    let tx = [sender(tx)];
    tubes::coverage(
        scene,
        surfaces,
        &tx,
        region.clone(),
        &settings,
        &Control::default(),
    )
    .unwrap()
}

fn by_points(
    scene: &Scene,
    surfaces: &Surfaces,
    tx: DVec3,
    region: &Region,
    limits: &Limits,
) -> Coverage {
    let settings = points::Settings {
        limits,
        search: Search::Complete,
    };
    let tx = [sender(tx)];
    points::coverage(
        scene,
        surfaces,
        &tx,
        region.clone(),
        &settings,
        &Control::default(),
    )
    .unwrap()
}

/// A large square of ground far below, so that the scene is one.
fn open_space() -> Mesh {
    let mut mesh = Mesh::default();
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let corners = corners.map(|[x, y]| DVec3::new(500.0 * x, 500.0 * y, 0.0));
    add_polygon(&mut mesh, "concrete", &corners);
    mesh
}

#[test]
fn free_space_is_exact() {
    let mesh = open_space();
    let scene = Scene::new(&mesh).unwrap();
    let surfaces = surfaces(&mesh);
    let (low, high) = (DVec3::new(-40.0, -35.0, 10.0), DVec3::new(45.0, 30.0, 60.0));
    let region = Region::volume(low, high, DVec3::splat(5.0)).unwrap();
    let limits = Limits {
        max_interactions: 0,
        max_reflections: 0,
        ..Limits::default()
    };
    let tx = DVec3::new(1.3, 2.1, 31.7);
    let map = by_tubes(&scene, &surfaces, tx, &region, &limits, Accuracy::Default);
    let wavelength = surfaces.frequency().wavelength();
    for cell in 0..region.num_cells() {
        let centre = map.centre(region.cell(cell)).unwrap();
        let expected = (wavelength / (4.0 * PI * centre.distance(tx))).powi(2);
        let found = map.path_gain[cell];
        assert!(
            (found / expected - 1.0).abs() < 1e-4,
            "{centre}: {found} for {expected}"
        );
    }
}

/// dB of every cell that either engine reaches: tubes less points; infinite where only one does.
fn errors(tubes: &Coverage, points: &Coverage) -> Vec<f64> {
    let pairs = tubes.path_gain.iter().zip(&points.path_gain);
    let usable = pairs.filter(|(_, p)| !p.is_nan());
    let reached = usable.filter(|(t, p)| **t > 0.0 || **p > LEAST);
    let mut errors: Vec<f64> = reached
        .map(|(t, p)| (10.0 * (t / p).log10()).abs())
        .collect();
    errors.sort_by(f64::total_cmp);
    errors
}

#[test]
fn a_city_is_as_the_paths_have_it() {
    let limits = Limits {
        max_interactions: 3,
        max_reflections: 3,
        ..Limits::default()
    };
    for seed in 0..6 {
        let (mesh, [low, high]) = random_city(seed);
        let scene = Scene::new(&mesh).unwrap();
        let surfaces = surfaces(&mesh);
        let mut random = Random(seed + 9);
        let tx = common::devices(&scene, &mut random, [low, high], 1)[0];
        let region = Region::planes(
            low.truncate(),
            high.truncate(),
            DVec2::splat(4.0),
            Levels::AboveSea(vec![1.5, 6.0, 11.0]),
        )
        .unwrap();
        let judge = by_points(&scene, &surfaces, tx, &region, &limits);
        for accuracy in [Accuracy::Quick, Accuracy::Default, Accuracy::Exact] {
            let start = std::time::Instant::now();
            let map = by_tubes(&scene, &surfaces, tx, &region, &limits, accuracy);
            let errors = errors(&map, &judge);
            let n = errors.len();
            let wrong = errors.iter().filter(|e| **e > 0.5).count();
            println!(
                "seed {seed} {accuracy:?}: {n} cells, median {:.4} dB, 95 % {:.3} dB, {wrong} wrong; {:?}",
                errors[n / 2],
                errors[n * 95 / 100],
                start.elapsed()
            );
        }
    }
}
