//! The search `tubes` against the exhaustive and the complete one, and its own law: a receiver's paths are its own.

#![allow(clippy::cast_possible_truncation, reason = "seeds are small")]

use std::collections::HashSet;

use crate::common::town::Town;
use crate::common::{Random, devices, paths, paths_of, random_scene, see_through};
use keller::antenna::Antenna;
use keller::field::PathField;
use keller::paths::{Effort, Limits, Path, PathFinder, Search, Thresholds};
use keller::scene::Scene;
use keller::units::power_to_db;
use keller::{Control, DVec3, Error, World};

/// A path 40 dB below the sum of its link is not wanted.
const SHARE: f64 = 1e-4;

fn tubes(world: &World, limits: &Limits, min_share: f64) -> PathFinder {
    let search = Search::Tubes(Effort::Default);
    let finder = PathFinder::new(world, limits, search, &Control::default()).unwrap();
    finder.with_thresholds(Thresholds {
        min_gain: 0.0,
        min_share,
    })
}

/// The power of each receiver, linear.
fn powers(world: &World, paths: &[Path], num_rx: usize) -> Vec<f64> {
    let isotropic = Antenna::default();
    let mut powers = vec![0.0; num_rx];
    for path in paths {
        powers[path.rx] += PathField::new(path, world).gain(&isotropic, &isotropic);
    }
    powers
}

/// The power that each link lacks, dB; links without power are left out.
fn shortfalls(world: &World, all: &[Path], found: &[Path], num_rx: usize) -> Vec<f64> {
    let [all, found] = [all, found].map(|paths| powers(world, paths, num_rx));
    let links = all.iter().zip(found).filter(|(all, _)| **all > 0.0);
    links.map(|(all, found)| power_to_db(all / found)).collect()
}

/// The share of links that fall short by more than `limit` dB, of one hundred.
fn percent_short(shortfalls: &[f64], limit: f64) -> f64 {
    let short = shortfalls.iter().filter(|db| **db > limit).count();
    100.0 * short as f64 / shortfalls.len() as f64
}

#[test]
fn tubes_bring_the_power_of_exhaustive_to_random_places() {
    let mut short = Vec::new();
    for seed in 0..60 {
        let (mesh, room) = random_scene(seed);
        let world = see_through(Scene::new(&mesh).unwrap());
        let mut random = Random(seed ^ 0x70be);
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 6);
        let limits = Limits {
            max_interactions: 2,
            max_reflections: 2,
            max_transmissions: seed as usize % 3,
            max_diffractions: usize::from(seed % 4 < 2),
            free_edges: seed % 8 == 0,
            ..Limits::default()
        };
        let all = paths(&world, tx, &rx, &limits, Search::Exhaustive);
        for share in [0.0, SHARE] {
            let found = paths_of(&tubes(&world, &limits, share), &world, tx, &rx);
            let identity = |path: &Path| (path.rx, path.sequence(world.scene()));
            let known: HashSet<_> = all.iter().map(identity).collect();
            let own: HashSet<_> = found.iter().map(identity).collect();
            assert!(
                own.is_subset(&known),
                "seed {seed}: paths that are not there"
            );
            assert_eq!(
                own.len(),
                found.len(),
                "seed {seed}: paths that are there twice"
            );
            short.extend(shortfalls(&world, &all, &found, rx.len()));
        }
    }
    assert!(short.len() > 400, "{} links", short.len());
    let shares = [0.05, 0.2, 1.0].map(|limit| percent_short(&short, limit));
    assert!(
        shares[0] <= 2.0 && shares[1] <= 1.0 && shares[2] <= 0.5,
        "{shares:?} % of {} links are short by 0.05, 0.2 and 1 dB",
        short.len()
    );
}

#[test]
fn tubes_bring_the_power_of_complete_to_towns() {
    let limits = Limits {
        max_interactions: 3,
        max_reflections: 2,
        max_diffractions: 1,
        ..Limits::default()
    };
    let mut short = Vec::new();
    for seed in 0..6 {
        let town = Town::random(seed);
        let (low, high) = (town.region.min.extend(1.5), town.region.min.extend(1.6));
        let size = town.region.resolution.x * town.region.num_columns[0] as f64;
        let room = [low, high + DVec3::new(size, size, 0.0)];
        let rx = devices(town.world.scene(), &mut Random(seed + 77), room, 40);
        let all = paths(&town.world, town.tx, &rx, &limits, Search::Complete);
        let found = paths_of(
            &tubes(&town.world, &limits, SHARE),
            &town.world,
            town.tx,
            &rx,
        );
        short.extend(shortfalls(&town.world, &all, &found, rx.len()));
    }
    let shares = [0.2, 1.0].map(|limit| percent_short(&short, limit));
    assert!(
        shares[0] <= 5.0 && shares[1] <= 2.0,
        "{shares:?} % of {} links are short by 0.2 and 1 dB",
        short.len()
    );
}

#[test]
fn the_paths_of_a_receiver_do_not_depend_on_the_others() {
    let limits = Limits {
        max_interactions: 3,
        max_reflections: 2,
        max_transmissions: 1,
        max_diffractions: 1,
        ..Limits::default()
    };
    for (seed, share) in [(1, 0.0), (2, SHARE), (3, 1e-2)] {
        let town = Town::random(seed);
        let room = town.world.scene().bounds();
        let rx = devices(town.world.scene(), &mut Random(seed), room, 24);
        let finder = tubes(&town.world, &limits, share);
        let together = paths_of(&finder, &town.world, town.tx, &rx);
        assert!(together.len() > 100, "{} paths", together.len());
        for (index, position) in rx.iter().enumerate() {
            let mut alone = paths_of(&finder, &town.world, town.tx, &[*position]);
            for path in &mut alone {
                path.rx = index;
            }
            let own: Vec<&Path> = together.iter().filter(|path| path.rx == index).collect();
            assert_eq!(
                alone.iter().collect::<Vec<_>>(),
                own,
                "seed {seed}, rx {index}"
            );
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        let by_one = pool.install(|| paths_of(&finder, &town.world, town.tx, &rx));
        assert_eq!(by_one, together, "one thread");
    }
}

#[test]
fn paths_around_two_edges_are_refused() {
    let (mesh, _) = random_scene(1);
    let world = see_through(Scene::new(&mesh).unwrap());
    let limits = Limits {
        max_diffractions: 2,
        ..Limits::default()
    };
    let search = Search::Tubes(Effort::Default);
    let error = PathFinder::new(&world, &limits, search, &Control::default()).unwrap_err();
    assert!(matches!(error, Error::SearchTooLarge(_)), "{error:?}");
    assert!(error.to_string().contains("2 diffractions"), "{error}");
}
