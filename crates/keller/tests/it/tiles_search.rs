//! The search `tiles`: nothing that is not there, and with small tiles nearly all that the exhaustive search finds.

use crate::common::{Random, devices, paths, paths_of, random_city, see_through};
use keller::paths::{Environment, Limits, Path, PathFinder, Search};
use keller::scene::Scene;
use keller::tiles::Tiling;
use keller::{Control, DVec3, World};

/// Paths over tiles so long, metres.
fn by_tiles(world: &World, tx: DVec3, rx: &[DVec3], limits: &Limits, side: f64) -> Vec<Path> {
    let (tiling, control) = (Tiling::of_side(side), Control::default());
    let environment = Environment::new(world.shared_scene(), tiling, &control).unwrap();
    let finder = PathFinder::over_tiles(world, limits, environment).unwrap();
    paths_of(&finder, world, tx, rx)
}

/// The key of a path: its walls and edges.
fn key(path: &Path) -> (usize, Vec<String>) {
    let steps = path
        .vertices
        .iter()
        .map(|i| format!("{:?} {:?}", i.interaction.kind(), i.interaction));
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
            let world = see_through(Scene::new(&mesh).unwrap());
            let mut random = Random(seed);
            let rx = devices(world.scene(), &mut random, [low, high], 8);
            let tx = devices(world.scene(), &mut random, [low, high], 1)[0];
            let expected = paths(&world, tx, &rx, &limits, Search::Complete);
            let found = by_tiles(&world, tx, &rx, &limits, side);
            let is_there = |path: &&Path| expected.iter().any(|e| key(e) == key(path));
            assert_eq!(found.iter().filter(is_there).count(), found.len(), "{seed}");
            num_found += found.len();
            num_expected += expected.len();
        }
        let share = num_found as f64 / num_expected as f64;
        assert!(share >= least, "{side} m: {num_found} of {num_expected}");
    }
}
