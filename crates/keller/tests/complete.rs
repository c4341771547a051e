//! The complete search against every sequence there is, on random scenes.

mod common;

use common::{Random, random_scene};
use keller::paths::{InteractionKind, Limits, Path, Search, Transparency, find_paths};
use keller::scene::{PlaneId, Scene};
use keller::{Control, DVec3};

/// Receiver and planes reflected at.
fn identities(scene: &Scene, paths: &[Path]) -> Vec<(usize, Vec<PlaneId>)> {
    paths
        .iter()
        .map(|path| {
            let reflections = path
                .interactions
                .iter()
                .filter(|i| i.kind == InteractionKind::Reflection);
            (
                path.rx,
                reflections.map(|i| scene.plane_of(i.face)).collect(),
            )
        })
        .collect()
}

fn paths(scene: &Scene, tx: DVec3, rx: &[DVec3], limits: &Limits, search: Search) -> Vec<Path> {
    let transparency = Transparency::all(scene);
    find_paths(
        scene,
        &[tx],
        rx,
        limits,
        &transparency,
        search,
        &Control::default(),
    )
    .unwrap()
}

fn compare(seeds: std::ops::Range<u64>, limits: &Limits) -> (usize, usize) {
    let mut total = 0;
    let mut missed = 0;
    for seed in seeds {
        let (mesh, [low, high]) = random_scene(seed);
        let scene = Scene::new(&mesh).unwrap();
        let mut random = Random(seed ^ 0xabcd);
        let mut device = || {
            loop {
                let p = random.point(low, high);
                if !scene.any_face_near(p, 2e-4, |_| true) {
                    return p;
                }
            }
        };
        let tx = device();
        let rx: Vec<DVec3> = (0..30).map(|_| device()).collect();
        let expected = identities(&scene, &paths(&scene, tx, &rx, limits, Search::Exhaustive));
        let found = identities(&scene, &paths(&scene, tx, &rx, limits, Search::Complete));
        for path in &expected {
            total += 1;
            if !found.contains(path) {
                println!("seed {seed} kind {} misses {path:?}", seed % 5);
                missed += 1;
            }
        }
        assert!(
            found.iter().all(|p| expected.contains(p)),
            "seed {seed}: an extra path"
        );
    }
    (total, missed)
}

#[test]
fn no_reflection_is_missed() {
    let limits = Limits::default();
    let (total, missed) = compare(0..100, &limits);
    println!("{total} paths");
    assert_eq!(missed, 0);
}

#[test]
fn no_reflection_behind_walls_is_missed() {
    for max_transmissions in [1, 2] {
        let limits = Limits {
            max_interactions: 2,
            max_transmissions,
            ..Limits::default()
        };
        let (total, missed) = compare(0..50, &limits);
        println!("{max_transmissions}: {total} paths");
        assert_eq!(missed, 0);
    }
}
