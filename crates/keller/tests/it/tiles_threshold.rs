//! A threshold of power inside the search `tiles`: the paths that it leaves out are too weak, all that are strong
//! enough stay.

use crate::common::{Random, by_name, devices, random_city, random_scene};
use keller::antenna::Antenna;
use keller::field::PathField;
use keller::paths::{Environment, Limits, Path, TileFinder};
use keller::scene::Mesh;
use keller::tiles::Tiling;
use keller::{Control, DVec3, Frequency};

/// The paths of a scene found with a threshold inside the search, and without.
struct Compared {
    num_coarse: [usize; 2],
    num_kept: usize,
}

/// The paths over the threshold have to be the same whether or not the search knows it.
fn compare(
    mesh: &Mesh,
    bounds: [DVec3; 2],
    limits: &Limits,
    side: f64,
    seed: u64,
) -> Vec<Compared> {
    let world = by_name(mesh, None, 1e9);
    let mut random = Random(seed);
    let rx = devices(world.scene(), &mut random, bounds, 12);
    let tx = devices(world.scene(), &mut random, bounds, 1)[0];
    let frequency = [1e9, 3.5e9, 9e9][random.below(3)];
    let world = world.at(Frequency::from_hz(frequency).unwrap()).unwrap();
    let control = Control::default();
    let plain = Environment::new(world.shared_scene(), Tiling::of_side(side), &control).unwrap();
    let found = |min_gain: Option<f64>| {
        let environment = Environment {
            min_gain,
            ..plain.clone()
        };
        let finder = TileFinder::new(&world, limits, environment).unwrap();
        let coarse = finder.coarse(tx, &rx, &control).unwrap();
        let refined = finder.refine(tx, &rx, &coarse, &control);
        (coarse.len(), refined.unwrap().0)
    };
    let antenna = Antenna::default();
    let gain = |path: &Path| PathField::new(path, &world).gain(&antenna, &antenna);
    let (num_all, all) = found(None);
    let mut gains: Vec<f64> = all.iter().map(gain).collect();
    gains.sort_by(f64::total_cmp);
    if gains.is_empty() {
        return Vec::new();
    }
    // A path itself at the threshold is the hardest case.
    let thresholds = [20, 50, 80, 95].map(|percent| gains[percent * (gains.len() - 1) / 100]);
    let compared = thresholds.map(|min_gain| {
        let (num_coarse, paths) = found(Some(min_gain));
        let strong = |paths: &[Path]| -> Vec<Path> {
            let strong = paths.iter().filter(|path| gain(path) >= min_gain);
            strong.cloned().collect()
        };
        let (expected, kept) = (strong(&all), strong(&paths));
        assert_eq!(kept.len(), expected.len(), "seed {seed}, {limits:?}");
        assert!(kept == expected, "seed {seed}, {limits:?}");
        Compared {
            num_coarse: [num_coarse, num_all],
            num_kept: kept.len(),
        }
    });
    compared.into()
}

/// The share of the coarse paths that the strongest fifth leaves, over seeds, for tiles of 3 and 8 m in cities.
fn compare_all(limits: &Limits, seeds: std::ops::Range<u64>) -> f64 {
    let (mut some, mut all) = (0, 0);
    for seed in seeds {
        let (mesh, bounds) = random_city(seed);
        for side in [3.0, 8.0] {
            let compared = compare(&mesh, bounds, limits, side, seed);
            if let Some(compared) = compared.get(2) {
                assert!(compared.num_kept > 0, "seed {seed}: nothing is over it");
                some += compared.num_coarse[0];
                all += compared.num_coarse[1];
            }
        }
    }
    some as f64 / all as f64
}

fn limits(reflections: usize, diffractions: usize) -> Limits {
    Limits {
        max_interactions: reflections,
        max_reflections: reflections,
        max_diffractions: diffractions,
        ..Limits::default()
    }
}

#[test]
fn no_strong_path_by_mirrors_is_lost() {
    let share = compare_all(&limits(4, 0), 0..6);
    assert!(share < 0.4, "{share}");
}

#[test]
fn no_strong_path_by_an_edge_is_lost() {
    let share = compare_all(&limits(2, 1), 0..5);
    assert!(share < 0.5, "{share}");
}

#[test]
fn no_strong_path_by_two_edges_is_lost() {
    let share = compare_all(&limits(2, 2), 0..3);
    assert!(share < 0.9, "{share}");
}

#[test]
fn no_strong_path_in_a_room_is_lost() {
    for seed in 0..5 {
        let (mesh, bounds) = random_scene(seed);
        compare(&mesh, bounds, &limits(2, 1), 1.5, seed);
    }
}
