//! Diffracted paths of the fast searches against every sequence there is, on random cities.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::cast_possible_truncation, reason = "seeds are small")]

mod common;

use common::{Random, random_city};
use keller::paths::{Effort, InteractionKind, Limits, Path, Search, Transparency, find_paths};
use keller::scene::Scene;
use keller::{Control, DVec3};

fn devices(scene: &Scene, random: &mut Random, [low, high]: [DVec3; 2], n: usize) -> Vec<DVec3> {
    let mut devices = Vec::new();
    while devices.len() < n {
        let position = random.point(low, high);
        if !scene.any_face_near(position, 1e-3, |_| true) {
            devices.push(position);
        }
    }
    devices
}

fn paths(scene: &Scene, tx: DVec3, rx: &[DVec3], limits: &Limits, search: Search) -> Vec<Path> {
    find_paths(
        scene,
        &[tx],
        rx,
        limits,
        &Transparency::all(scene),
        search,
        &Control::default(),
    )
    .unwrap()
}

fn letters(path: &Path) -> String {
    path.interactions.iter().map(|i| i.kind.letter()).collect()
}

/// The same end, and the same interactions up to rounding.
fn is_same(a: &Path, b: &Path) -> bool {
    a.rx == b.rx
        && a.interactions.len() == b.interactions.len()
        && a.interactions.iter().zip(&b.interactions).all(|(i, j)| {
            i.kind == j.kind && i.object == j.object && i.point.distance(j.point) < 1e-6
        })
}

fn missing<'a>(of: &'a [Path], from: &[Path]) -> Vec<&'a Path> {
    of.iter()
        .filter(|p| !from.iter().any(|q| is_same(p, q)))
        .collect()
}

#[test]
fn complete_finds_every_singly_diffracted_path() {
    let mut total = 0;
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    for seed in 0..40 {
        let (mesh, room) = random_city(seed);
        let scene = Scene::new(&mesh).unwrap();
        let mut random = Random(seed ^ 0xd1ff);
        let tx = devices(&scene, &mut random, room, 1)[0];
        let rx = devices(&scene, &mut random, room, 3);
        let limits = Limits {
            max_interactions: 3,
            max_reflections: 2,
            max_diffractions: 1,
            max_transmissions: seed as usize % 3,
            free_edges: seed % 2 == 1,
            ..Limits::default()
        };
        let all = paths(&scene, tx, &rx, &limits, Search::Exhaustive);
        let found = paths(&scene, tx, &rx, &limits, Search::Complete);
        for path in &all {
            *kinds.entry(letters(path)).or_default() += 1;
        }
        let missed = missing(&all, &found);
        assert!(
            missed.is_empty(),
            "seed {seed}: {} of {} missed, such as {:?}",
            missed.len(),
            all.len(),
            missed[0]
        );
        assert_eq!(
            found.len(),
            all.len(),
            "seed {seed}: some twice or invented"
        );
        total += all
            .iter()
            .filter(|p| {
                p.interactions
                    .iter()
                    .any(|i| i.kind == InteractionKind::Diffraction)
            })
            .count();
    }
    for kind in ["D", "RD", "DR", "RDR", "RRD", "DRR", "TD", "RTD"] {
        assert!(kinds.contains_key(kind), "no {kind} among {kinds:?}");
    }
    assert!(total > 2_000, "too few diffracted paths: {total}");
}

#[test]
fn complete_finds_every_doubly_diffracted_path() {
    let (mut pairs, mut total, mut between_found) = (0, 0, 0);
    for seed in 0..20 {
        let (mesh, room) = random_city(seed);
        let scene = Scene::new(&mesh).unwrap();
        let mut random = Random(seed ^ 0xdd);
        let tx = devices(&scene, &mut random, room, 1)[0];
        let rx = devices(&scene, &mut random, room, 2);
        let limits = Limits {
            max_interactions: 3,
            max_reflections: 1,
            max_diffractions: 2,
            ..Limits::default()
        };
        let all = paths(&scene, tx, &rx, &limits, Search::Exhaustive);
        let found = paths(&scene, tx, &rx, &limits, Search::Complete);
        // Between two edges the mirrors are proposed by rays.
        let is_between = |p: &&Path| letters(p).contains("DRD");
        let sure: Vec<Path> = all.iter().filter(|p| !is_between(p)).cloned().collect();
        let missed = missing(&sure, &found);
        assert!(
            missed.is_empty(),
            "seed {seed}: {} of {} missed, such as {:?}",
            missed.len(),
            sure.len(),
            missed[0]
        );
        let invented = missing(&found, &all);
        assert!(
            invented.is_empty(),
            "seed {seed}: invented {} {:?}",
            invented.len(),
            invented[0]
        );
        pairs += all.iter().filter(|p| letters(p).contains("DD")).count();
        total += all.iter().filter(is_between).count();
        let between = found.iter().filter(is_between).count();
        between_found += between;
    }
    assert!(pairs > 500, "too few: {pairs}");
    assert!(
        total > 200 && between_found * 20 >= total * 19,
        "{between_found} of {total} with a mirror between two edges"
    );
}

#[test]
fn launch_finds_nearly_all_of_them() {
    let (mut total, mut missed) = (0, 0);
    for seed in 0..20 {
        let (mesh, room) = random_city(seed);
        let scene = Scene::new(&mesh).unwrap();
        let mut random = Random(seed ^ 0xd1ff);
        let tx = devices(&scene, &mut random, room, 1)[0];
        let rx = devices(&scene, &mut random, room, 3);
        let limits = Limits {
            max_diffractions: 1,
            ..Limits::default()
        };
        let all = paths(&scene, tx, &rx, &limits, Search::Complete);
        let found = paths(&scene, tx, &rx, &limits, Search::Launch(Effort::Default));
        assert!(
            missing(&found, &all).is_empty(),
            "seed {seed}: not all there"
        );
        total += all.len();
        missed += all.len() - found.len();
    }
    assert!(missed * 100 <= total, "{missed} of {total} missed");
}
