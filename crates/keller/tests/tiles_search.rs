//! The search `tiles`: nothing that is not there, and with small tiles nearly all that the exhaustive search finds.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Random, devices, random_city};
use keller::paths::{Environment, Limits, Path, PathFinder, Search, Transparency};
use keller::scene::Scene;
use keller::tiles::Tiling;
use keller::{Control, DVec3};

/// Paths over tiles so long, metres.
fn by_tiles(scene: &Scene, tx: DVec3, rx: &[DVec3], limits: &Limits, side: f64) -> Vec<Path> {
    let transparency = Transparency::all(scene);
    let control = Control::default();
    let environment = Environment::new(scene, Tiling::of_side(side), &control).unwrap();
    let finder = PathFinder::new(scene, limits, &transparency, Search::Tiles)
        .with_environment(environment)
        .unwrap();
    let from = finder.look_from(0, tx, &control).unwrap();
    finder.paths(&from, rx, &control).unwrap()
}

/// What a path is by.
fn key(path: &Path) -> (usize, Vec<String>) {
    let steps = path
        .interactions
        .iter()
        .map(|i| format!("{:?} {:?}", i.kind, i.object));
    (path.rx, steps.collect())
}

/// The share of paths that tiles of each length find, of those with one interaction or two.
#[test]
fn small_tiles_find_nearly_all_and_nothing_that_is_not_there() {
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 2,
        max_diffractions: 1,
        ..Limits::default()
    };
    for (side, least) in [(8.0, 0.93), (4.0, 0.97), (2.0, 0.985)] {
        let (mut num_found, mut num_expected) = (0, 0);
        for seed in 0..6 {
            let (mesh, [low, high]) = random_city(seed);
            let scene = Scene::new(&mesh).unwrap();
            let mut random = Random(seed);
            let rx = devices(&scene, &mut random, [low, high], 8);
            let tx = devices(&scene, &mut random, [low, high], 1)[0];
            let expected = common::paths(&scene, tx, &rx, &limits, Search::Complete);
            let found = by_tiles(&scene, tx, &rx, &limits, side);
            let is_there = |path: &&Path| expected.iter().any(|e| key(e) == key(path));
            assert_eq!(found.iter().filter(is_there).count(), found.len(), "{seed}");
            num_found += found.len();
            num_expected += expected.len();
        }
        let share = num_found as f64 / num_expected as f64;
        assert!(share >= least, "{side} m: {num_found} of {num_expected}");
    }
}
