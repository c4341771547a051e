//! Diffracted paths of the fast searches against every sequence there is, on random cities.

#![allow(clippy::cast_possible_truncation, reason = "seeds are small")]

use std::sync::Arc;

use crate::common::{
    Random, add_prism, devices, paths, random_city, see_through, shuffled, split_in_four,
};
use keller::DVec3;
use keller::geometry::bvh::{AcceleratorFailed, Answer, Dispatch, Question, Ray, RayAccelerator};
use keller::paths::{Effort, InteractionKind, Limits, Path, Search};
use keller::scene::{Mesh, Scene};

fn letters(path: &Path) -> String {
    path.interactions().map(|met| met.kind().letter()).collect()
}

/// The same end, and the same interactions up to rounding.
fn is_same(a: &Path, b: &Path) -> bool {
    a.rx == b.rx
        && a.vertices.len() == b.vertices.len()
        && a.vertices.iter().zip(&b.vertices).all(|(i, j)| {
            i.interaction.kind() == j.interaction.kind()
                && i.interaction == j.interaction
                && i.point.distance(j.point) < 1e-6
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
        let world = see_through(Scene::new(&mesh).unwrap());
        let mut random = Random(seed ^ 0xd1ff);
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 3);
        let limits = Limits {
            max_interactions: 3,
            max_reflections: 2,
            max_diffractions: 1,
            max_transmissions: seed as usize % 3,
            free_edges: seed % 2 == 1,
            ..Limits::default()
        };
        let all = paths(&world, tx, &rx, &limits, Search::Exhaustive);
        let found = paths(&world, tx, &rx, &limits, Search::Complete);
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
                p.vertices
                    .iter()
                    .any(|i| i.interaction.kind() == InteractionKind::Diffraction)
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
        let world = see_through(Scene::new(&mesh).unwrap());
        let mut random = Random(seed ^ 0xdd);
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 2);
        let limits = Limits {
            max_interactions: 3,
            max_reflections: 1,
            max_diffractions: 2,
            ..Limits::default()
        };
        let all = paths(&world, tx, &rx, &limits, Search::Exhaustive);
        let found = paths(&world, tx, &rx, &limits, Search::Complete);
        // The reflecting planes between two edges are proposed by rays.
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
        let plain = Limits {
            reflections_between_edges: false,
            ..limits
        };
        let plain = paths(&world, tx, &rx, &plain, Search::Complete);
        assert_eq!(plain.len(), sure.len(), "seed {seed}, without chains");
        assert!(missing(&sure, &plain).is_empty(), "seed {seed}, without");
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
        let world = see_through(Scene::new(&mesh).unwrap());
        let mut random = Random(seed ^ 0xd1ff);
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 3);
        let limits = Limits {
            max_diffractions: 1,
            ..Limits::default()
        };
        let all = paths(&world, tx, &rx, &limits, Search::Complete);
        let found = paths(&world, tx, &rx, &limits, Search::Launch(Effort::Default));
        assert!(
            missing(&found, &all).is_empty(),
            "seed {seed}: not all there"
        );
        total += all.len();
        missed += all.len() - found.len();
    }
    assert!(missed * 100 <= total, "{missed} of {total} missed");
}

/// A far facade has pillars narrower than the distance between rays: the search finds those next to walls that rays
/// meet.
#[test]
fn launch_finds_pillars_that_its_rays_miss() {
    let mut mesh = Mesh::default();
    let square = |[x, y]: [f64; 2], half: f64| {
        [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[a, b]| [x + a * half, y + b * half])
    };
    add_prism(
        &mut mesh,
        "concrete",
        &square([0.0, 0.0], 200.0),
        -1.0,
        0.0,
        true,
    );
    for k in 0..40 {
        let x = 3.1 * f64::from(k) - 60.0;
        add_prism(
            &mut mesh,
            "concrete",
            &square([x, 150.0 + 0.01 * x], 0.11),
            0.0,
            9.0,
            false,
        );
    }
    let world = see_through(Scene::new(&mesh).unwrap());
    let (tx, rx) = (DVec3::new(3.0, 2.0, 11.0), DVec3::new(-17.0, 7.0, 1.5));
    let limits = Limits {
        max_interactions: 2,
        max_diffractions: 1,
        ..Limits::default()
    };
    let all = paths(&world, tx, &[rx], &limits, Search::Complete);
    let found = paths(&world, tx, &[rx], &limits, Search::default());
    let lost = missing(&all, &found);
    assert!(all.len() > 100, "{} paths", all.len());
    // Rays alone find eight of them.
    assert!(
        lost.len() * 100 <= all.len(),
        "{} of {} lost",
        lost.len(),
        all.len()
    );
}

#[test]
fn houses_that_touch_diffract_where_their_fronts_bend() {
    let mut mesh = Mesh::default();
    // Two houses share the wall x = 0, and their fronts meet there at an angle of 30 degrees.
    let bend = 6.0 * 30.0_f64.to_radians().tan();
    let fronts = [[-6.0, -bend], [0.0, 0.0], [6.0, -bend]];
    add_prism(
        &mut mesh,
        "brick",
        &[[-6.0, -10.0], [0.0, -10.0], fronts[1], fronts[0]],
        0.0,
        8.0,
        true,
    );
    add_prism(
        &mut mesh,
        "glass",
        &[[0.0, -10.0], [6.0, -10.0], fronts[2], fronts[1]],
        0.0,
        8.0,
        true,
    );
    let world = see_through(Scene::new(&mesh).unwrap());
    let is_at_bend =
        |edge: &&keller::scene::Edge| edge.ends.iter().all(|p| p.truncate().length() < 1e-6);
    let bent: Vec<_> = world.scene().edges().iter().filter(is_at_bend).collect();
    assert_eq!(bent.len(), 1, "{bent:?}");
    let angle = bent[0].exterior_angle.to_degrees();
    assert!((angle - 240.0).abs() < 1e-6, "{angle}");
    // Each sees only the front that it stands before; the path goes over the line where three walls end.
    let tx = DVec3::new(-7.0, -3.0, 3.0);
    let rx = [DVec3::new(7.0, -3.2, 4.0)];
    let limits = Limits {
        max_interactions: 1,
        max_diffractions: 1,
        ..Limits::default()
    };
    for search in [Search::Exhaustive, Search::Complete, Search::default()] {
        let found = paths(&world, tx, &rx, &limits, search);
        let over = found.iter().filter(|p| {
            p.vertices
                .iter()
                .any(|i| i.point.truncate().length() < 1e-6)
        });
        assert_eq!(over.count(), 1, "{search:?}: {found:?}");
    }
}

#[test]
fn diffracted_paths_do_not_depend_on_threads_instructions_receivers_or_triangles() {
    let limits = Limits {
        max_diffractions: 1,
        max_transmissions: 1,
        ..Limits::default()
    };
    for seed in [0, 3, 5] {
        let (mesh, room) = random_city(seed);
        let world = see_through(Scene::new(&mesh).unwrap());
        let mut random = Random(seed ^ 0x1de);
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 4);
        for search in [Search::Launch(Effort::Quick), Search::Complete] {
            let expected = paths(&world, tx, &rx, &limits, search);
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let pool = pool.build().unwrap();
                let found = pool.install(|| paths(&world, tx, &rx, &limits, search));
                assert_eq!(found, expected, "seed {seed}, {threads} threads");
            }
            for dispatch in Dispatch::ALL.into_iter().filter(|d| d.is_available()) {
                let world = see_through(Scene::new(&mesh).unwrap().with_dispatch(dispatch));
                let found = paths(&world, tx, &rx, &limits, search);
                assert_eq!(found, expected, "seed {seed}, {dispatch:?}");
            }
            for (r, &alone) in rx.iter().enumerate() {
                let found = paths(&world, tx, &[alone], &limits, search);
                let own: Vec<Path> = expected
                    .iter()
                    .filter(|p| p.rx == r)
                    .map(|p| Path { rx: 0, ..p.clone() })
                    .collect();
                assert_eq!(found, own, "seed {seed}, receiver {r} alone");
            }
        }
        // Faces keep their numbers, but fitted planes move by rounding; only the exact search is asked for the same paths.
        let expected = paths(&world, tx, &rx, &limits, Search::Complete);
        for (name, other) in [
            ("split", split_in_four(&mesh)),
            ("shuffled", shuffled(&mesh, 7)),
        ] {
            let world = see_through(Scene::new(&other).unwrap());
            let found = paths(&world, tx, &rx, &limits, Search::Complete);
            assert_eq!(found.len(), expected.len(), "seed {seed}, {name}");
            let lost = missing(&expected, &found);
            assert!(lost.is_empty(), "seed {seed}, {name}: {:?}", lost[0]);
        }
    }
}

/// An accelerator that leaves all rays to the processor, but wants many at once.
#[derive(Debug)]
struct Idle;

impl RayAccelerator for Idle {
    fn fewest_rays(&self) -> usize {
        usize::MAX
    }

    fn rays_at_once(&self) -> usize {
        1 << 15
    }

    fn answer(
        &self,
        _: &[Ray],
        _: Question,
        _: &mut dyn FnMut(usize, Answer),
    ) -> Result<(), AcceleratorFailed> {
        unreachable!("no batch is large enough")
    }
}

/// Rays of many receivers and of several points of an edge go together if there is an accelerator. What one finds does
/// not depend on the others.
#[test]
fn receivers_that_are_traced_together_find_what_they_find_alone() {
    let mut diffracted = 0;
    for seed in 0..6 {
        let (mesh, room) = random_city(seed);
        let alone = see_through(Scene::new(&mesh).unwrap());
        let together = alone.clone().with_accelerator(Arc::new(Idle));
        let mut random = Random(seed ^ 0x7e11);
        let tx = devices(alone.scene(), &mut random, room, 1)[0];
        let rx = devices(alone.scene(), &mut random, room, 19);
        let limits = Limits {
            max_interactions: 3,
            max_reflections: 2,
            max_diffractions: 1 + seed as usize % 2,
            max_transmissions: seed as usize % 2,
            ..Limits::default()
        };
        let [expected, found] = [&alone, &together]
            .map(|world| paths(world, tx, &rx, &limits, Search::Launch(Effort::Quick)));
        assert!(found == expected, "seed {seed}");
        diffracted += (expected.iter().map(letters))
            .filter(|path| path.contains('D'))
            .count();
    }
    assert!(diffracted > 100, "{diffracted}");
}
