//! The fast searches against the exhaustive one, on random places that include degenerate ones.

#![allow(clippy::cast_possible_truncation, reason = "seeds are small")]

use crate::common::{
    Random, add_box, devices, paths, random_scene, see_through, shuffled, split_in_four,
};
use keller::DVec3;
use keller::geometry::bvh::Dispatch;
use keller::paths::{Effort, Limits, Path, Search};
use keller::scene::{Mesh, Scene};

/// Metres: welding may move corners nearer than the weld distance, and with them a fitted plane, by micrometres.
const SAME_POINT: f64 = 2e-5;

/// The same receiver, kinds and points; numbers of faces may differ.
fn is_same(a: &Path, b: &Path) -> bool {
    a.rx == b.rx
        && a.vertices.len() == b.vertices.len()
        && a.vertices.iter().zip(&b.vertices).all(|(i, j)| {
            i.interaction.kind() == j.interaction.kind() && i.point.distance(j.point) < SAME_POINT
        })
}

/// Each has its like in the other, and there are as many.
fn are_same(a: &[Path], b: &[Path]) -> bool {
    let all_in = |a: &[Path], b: &[Path]| a.iter().all(|p| b.iter().any(|q| is_same(p, q)));
    a.len() == b.len() && all_in(a, b) && all_in(b, a)
}

fn limits(depth: usize, max_transmissions: usize) -> Limits {
    Limits {
        max_interactions: depth,
        max_reflections: depth,
        max_transmissions,
        ..Limits::default()
    }
}

#[test]
fn launch_finds_what_exhaustive_finds() {
    let (mut missed, mut total) = (0, 0);
    for seed in 0..100 {
        let (mesh, room) = random_scene(seed);
        let world = see_through(Scene::new(&mesh).unwrap());
        let mut random = Random(seed ^ 0x5eed);
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 4);
        let limits = limits(2, seed as usize % 3);
        let all = paths(&world, tx, &rx, &limits, Search::Exhaustive);
        let launched = paths(&world, tx, &rx, &limits, Search::Launch(Effort::Quick));
        assert!(
            launched.iter().all(|p| all.contains(p)),
            "seed {seed}: a path that is not there"
        );
        total += all.len();
        missed += all.len() - launched.len();
    }
    // Reflecting planes of a few centimetres, which the scenes have on purpose, may slip between the rays.
    assert!(total > 2_000, "the scenes are too empty: {total} paths");
    assert!(missed * 1000 <= total, "{missed} of {total} paths missed");
}

/// Images of a box lie on a lattice: 4 n² + 2 of the order n, and at general places each is a path. Beams of a long corridor
/// get as narrow as its cross-section over the length of all its images.
#[test]
fn launch_finds_nearly_all_paths_of_a_long_corridor() {
    for (width, height) in [(2.5, 3.0), (3.0, 3.0), (2.0, 2.5)] {
        let mut mesh = Mesh::default();
        add_box(
            &mut mesh,
            "wall",
            DVec3::ZERO,
            DVec3::new(60.0, width, height),
        );
        let world = see_through(Scene::new(&mesh).unwrap());
        let tx = DVec3::new(2.03, 1.013, 1.21);
        let rx = [
            DVec3::new(22.1, 1.707, 1.532),
            DVec3::new(57.3, 0.713, 1.431),
            DVec3::new(11.7, 1.903, 0.917),
        ];
        let found = paths(&world, tx, &rx, &limits(8, 0), Search::default());
        for index in 0..rx.len() {
            let count = found.iter().filter(|path| path.rx == index).count();
            // 833 is 1, for the line of sight, and the sum of 4 n² + 2 up to 8.
            assert!(
                (827..=833).contains(&count),
                "{width} {height} {index}: {count}"
            );
        }
    }
}

#[test]
fn what_nobody_chose_is_exact_on_small_scenes() {
    let (mut missed, mut total) = (0, 0);
    for seed in 0..60 {
        let (mesh, room) = random_scene(seed);
        let world = see_through(Scene::new(&mesh).unwrap());
        let mut random = Random(seed ^ 0xa070);
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 3);
        let mut limits = limits(2, seed as usize % 3);
        limits.max_diffractions = seed as usize % 2;
        let search = Search::auto(world.scene(), &limits);
        assert_eq!(search, Search::Complete, "seed {seed}");
        let all = paths(&world, tx, &rx, &limits, Search::Exhaustive);
        let found = paths(&world, tx, &rx, &limits, search);
        let is_in = |paths: &[Path], p: &Path| paths.iter().any(|q| is_same(p, q));
        assert!(found.iter().all(|p| is_in(&all, p)), "seed {seed}");
        total += all.len();
        missed += all.iter().filter(|p| !is_in(&found, p)).count();
    }
    assert!(total > 2_000, "the scenes are too empty: {total} paths");
    assert_eq!(missed, 0, "of {total} paths");
}

#[test]
fn what_nobody_chose_follows_from_counts() {
    let chosen = |mesh: &Mesh, [transmissions, diffractions, depth]: [usize; 3]| {
        let limits = Limits {
            max_diffractions: diffractions,
            ..limits(depth, transmissions)
        };
        Search::auto(&Scene::new(mesh).unwrap(), &limits)
    };
    let mut wedge = Mesh::default();
    add_box(&mut wedge, "concrete", DVec3::ZERO, DVec3::ONE);
    // 6 planes and 12 edges.
    assert_eq!(chosen(&wedge, [0, 2, 2]), Search::Exhaustive);
    assert_eq!(chosen(&wedge, [0, 2, 3]), Search::default());
    assert_eq!(chosen(&wedge, [5, 1, 5]), Search::Complete);
    let mut city = Mesh::default();
    for k in 0..300 {
        let corner = DVec3::new(3.0 * f64::from(k), 0.1 * f64::from(k % 7), 0.0);
        add_box(&mut city, "concrete", corner, corner + 1.0);
    }
    // 1800 faces.
    assert_eq!(chosen(&city, [1, 1, 3]), Search::Complete);
    assert_eq!(chosen(&city, [2, 1, 3]), Search::default());
    for k in 300..400 {
        let corner = DVec3::new(3.0 * f64::from(k), 0.0, 0.0);
        add_box(&mut city, "concrete", corner, corner + 1.0);
    }
    assert_eq!(chosen(&city, [0, 0, 3]), Search::default());
}

#[test]
fn result_does_not_depend_on_threads_or_instructions() {
    for seed in [1, 2, 8] {
        let (mesh, room) = random_scene(seed);
        let mut random = Random(seed);
        let world = see_through(Scene::new(&mesh).unwrap());
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 5);
        let limits = limits(3, 1);
        let expected = paths(&world, tx, &rx, &limits, Search::Launch(Effort::Quick));
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let found =
                pool.install(|| paths(&world, tx, &rx, &limits, Search::Launch(Effort::Quick)));
            assert_eq!(found, expected, "seed {seed}, {threads} threads");
        }
        for dispatch in Dispatch::ALL.into_iter().filter(|d| d.is_available()) {
            let world = see_through(Scene::new(&mesh).unwrap().with_dispatch(dispatch));
            let found = paths(&world, tx, &rx, &limits, Search::Launch(Effort::Quick));
            assert_eq!(found, expected, "seed {seed}, {dispatch:?}");
        }
    }
}

#[test]
fn result_does_not_depend_on_the_other_receivers() {
    for seed in [1, 12] {
        let (mesh, room) = random_scene(seed);
        let mut random = Random(seed);
        let world = see_through(Scene::new(&mesh).unwrap());
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 3);
        let together = paths(
            &world,
            tx,
            &rx,
            &limits(3, 2),
            Search::Launch(Effort::Quick),
        );
        let alone: Vec<Path> = (0..rx.len())
            .flat_map(|r| {
                let mut found = paths(
                    &world,
                    tx,
                    &rx[r..=r],
                    &limits(3, 2),
                    Search::Launch(Effort::Quick),
                );
                for path in &mut found {
                    path.rx = r;
                }
                found
            })
            .collect();
        assert_eq!(alone, together, "seed {seed}");
    }
}

#[test]
fn result_does_not_depend_on_triangulation_or_triangle_order() {
    for seed in 0..20 {
        let (mesh, room) = random_scene(seed);
        let mut random = Random(seed);
        let world = see_through(Scene::new(&mesh).unwrap());
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 4);
        for search in [Search::Exhaustive, Search::Launch(Effort::Quick)] {
            let expected = paths(&world, tx, &rx, &limits(2, 1), search);
            for (name, other) in [
                ("split", split_in_four(&mesh)),
                ("shuffled", shuffled(&mesh, seed)),
            ] {
                let other = see_through(Scene::new(&other).unwrap());
                let found = paths(&other, tx, &rx, &limits(2, 1), search);
                assert!(
                    are_same(&found, &expected),
                    "seed {seed}, {name}, {search:?}"
                );
            }
        }
    }
}

#[test]
fn swapping_the_ends_turns_the_paths_around() {
    for seed in 0..20 {
        let (mesh, room) = random_scene(seed);
        let world = see_through(Scene::new(&mesh).unwrap());
        let ends = devices(world.scene(), &mut Random(seed), room, 2);
        let there = paths(
            &world,
            ends[0],
            &ends[1..],
            &limits(2, 2),
            Search::Exhaustive,
        );
        let back = paths(
            &world,
            ends[1],
            &ends[..1],
            &limits(2, 2),
            Search::Exhaustive,
        );
        let mut turned = back;
        for path in &mut turned {
            path.vertices.reverse();
        }
        assert!(are_same(&there, &turned), "seed {seed}");
    }
}
