use keller::materials::{Material, Materials, Medium};
use keller::paths::{Environment, Limits, Path, TileFinder};
use keller::random::Random;
use keller::scene::Scene;
use keller::tiles::Tiling;
use keller::{Control, DVec3, Frequency, World};

use super::buffers::{Buffering, Size, Traffic, pass};
use super::removal::{Known, Removal};
use super::threshold::{FieldUnit, path_gain_db};
use super::{Outcome, Settings, corridor, search};
use crate::tile_rays::{self, Aim, Order, Rays, Streaming, hits};

fn finder(limits: Limits) -> TileFinder {
    let scene = Scene::new(&corridor::mesh()).unwrap();
    let wall = Material::HalfSpace(Medium::PerfectConductor);
    let materials: Materials = [(corridor::MATERIAL.to_owned(), wall)]
        .into_iter()
        .collect();
    let world = World::new(scene, &materials, Frequency::from_ghz(110.0).unwrap()).unwrap();
    let control = Control::default();
    let environment =
        Environment::new(world.shared_scene(), Tiling::of_side(1.0), &control).unwrap();
    TileFinder::new(&world, &limits, environment)
        .unwrap()
        .with_margin(0.0)
}

fn limits(interactions: usize, diffractions: usize) -> Limits {
    Limits {
        max_interactions: interactions,
        max_reflections: interactions,
        max_diffractions: diffractions,
        ..Limits::default()
    }
}

fn settings(order: Order, size: Size, is_double: bool, removal: Removal) -> Settings {
    Settings {
        streaming: Streaming {
            rays: Rays {
                order,
                aim: Aim::Centres,
            },
            at_once: 1 << 12,
            is_single_exact: true,
        },
        buffering: Buffering { size, is_double },
        removal,
    }
}

fn paths(outcome: &Outcome) -> Vec<String> {
    let text = |path: &Path| format!("{path:?}");
    let mut all: Vec<String> = outcome.paths.iter().map(text).collect();
    all.sort();
    all
}

#[test]
fn no_path_is_lost_whatever_the_buffer() {
    let finder = finder(limits(2, 1));
    let control = Control::default();
    let rx: Vec<DVec3> = corridor::rx().into_iter().step_by(9).collect();
    let run =
        |settings: &Settings| search(&finder, corridor::tx(), &rx, settings, &control).unwrap();
    let twin = run(&settings(
        Order::Recursive,
        Size::Unbounded,
        false,
        Removal::Sort,
    ));
    assert_eq!(twin.traffic.num_batches, 1);
    assert!(
        twin.traffic.num_items > twin.hits.len(),
        "{:?}",
        twin.traffic
    );
    assert!(twin.paths.len() > 50, "{}", twin.paths.len());
    let sizes = [
        (Size::InAll(1), 1),
        (Size::PerRx(1), rx.len()),
        (Size::InAll(7), 7),
        (Size::PerRx(16), 16 * rx.len()),
        (Size::InAll(1 << 20), 1 << 20),
    ];
    let orders = [
        Order::Recursive,
        Order::FirstLevel,
        Order::Chained,
        Order::ChainedParallel,
        Order::ChainedAsync,
    ];
    for (k, order) in orders.into_iter().enumerate() {
        for (n, (size, most)) in sizes.into_iter().enumerate() {
            let removal = [Removal::Sort, Removal::Hash][(k + n) % 2];
            let threads = rayon::ThreadPoolBuilder::new().num_threads(1 + n % 3);
            let found = threads
                .build()
                .unwrap()
                .install(|| run(&settings(order, size, n % 2 == 0, removal)));
            assert!(found.hits == twin.hits, "{order:?}, {size:?}");
            assert_eq!(found.report, twin.report, "{order:?}, {size:?}");
            assert!(paths(&found) == paths(&twin), "{order:?}, {size:?}");
            assert_eq!(found.traffic.num_items, twin.traffic.num_items);
            assert!(found.traffic.largest <= most, "{:?}", found.traffic);
        }
    }
}

#[test]
fn the_search_hands_on_what_it_would_keep() {
    let finder = finder(limits(3, 1));
    let rays = Rays {
        order: Order::Recursive,
        aim: Aim::Centres,
    };
    let control = Control::default();
    let rx: Vec<DVec3> = corridor::rx().into_iter().step_by(17).collect();
    let kept = tile_rays::coarse(&finder, rays, corridor::tx(), &rx, &control).unwrap();
    let settings = settings(Order::Chained, Size::InAll(100), true, Removal::Hash);
    let found = search(&finder, corridor::tx(), &rx, &settings, &control).unwrap();
    assert!(hits(&kept) == found.hits);
    let (paths, report) = finder.refine(corridor::tx(), &rx, &kept, &control).unwrap();
    assert_eq!(report, found.report);
    assert_eq!(paths.len(), found.paths.len());
}

#[test]
fn sorted_runs_and_a_hash_table_know_the_same() {
    let mut random = Random(3);
    let all: Vec<(u32, usize)> = (0..5000).map(|_| (0, random.below(1500))).collect();
    let slow = |batches: &[&[(u32, usize)]]| {
        let mut known: Vec<(u32, usize)> = Vec::new();
        let mut new = Vec::new();
        for batch in batches {
            let before = known.len();
            for item in *batch {
                if !known.contains(item) {
                    known.push(*item);
                }
            }
            let mut of_batch = known[before..].to_vec();
            of_batch.sort_unstable();
            new.push(of_batch);
        }
        new
    };
    for size in [1, 13, 900, 5000] {
        let batches: Vec<&[(u32, usize)]> = all.chunks(size).collect();
        let expected = slow(&batches);
        for removal in [Removal::Sort, Removal::Hash] {
            let mut known = Known::new(removal);
            for (batch, expected) in batches.iter().zip(&expected) {
                let mut new = batch.to_vec();
                known.keep_new(&mut new);
                new.sort_unstable();
                assert_eq!(&new, expected, "{removal:?}, {size}");
            }
            let mut whole = expected.concat();
            whole.sort_unstable();
            assert_eq!(known.into_sorted(), whole);
        }
    }
}

#[test]
fn buffers_pass_everything_in_order_and_wait_when_all_are_full() {
    for is_double in [false, true] {
        let size = Size::InAll(4);
        let mut seen = Vec::new();
        let traffic = pass(
            Buffering { size, is_double },
            1,
            |_| 0,
            |deliver| (0..10).for_each(|k| deliver(&[3 * k, 3 * k + 1, 3 * k + 2])),
            |items| {
                std::thread::sleep(std::time::Duration::from_millis(1));
                seen.extend_from_slice(items);
            },
        );
        assert_eq!(seen, (0..30).collect::<Vec<_>>());
        let expected = Traffic {
            num_items: 30,
            num_batches: 8,
            largest: 4,
        };
        assert_eq!(traffic, expected);
    }
}

#[test]
fn a_threshold_of_the_field_is_friis_law_in_free_space() {
    for (ghz, expected) in [(1.4, [-150.14, -135.37]), (110.0, [-188.04, -173.28])] {
        let frequency = Frequency::from_ghz(ghz).unwrap();
        for (unit, expected) in [FieldUnit::VoltPerMetre, FieldUnit::AtOneMetre]
            .into_iter()
            .zip(expected)
        {
            for r in [1.0_f64, 30.0, 1e4] {
                // A source of 1 W: 30 ohms over the squared distance, or 1 over it.
                let squared = match unit {
                    FieldUnit::VoltPerMetre => 29.979_245_8,
                    FieldUnit::AtOneMetre => 1.0,
                } / (r * r);
                let friis =
                    20.0 * (frequency.wavelength() / (4.0 * std::f64::consts::PI * r)).log10();
                let gain = path_gain_db(10.0 * squared.log10(), unit, frequency);
                assert!((gain - friis).abs() < 1e-6, "{gain} {friis}");
            }
            let gain = path_gain_db(-100.0, unit, frequency);
            assert!((gain - expected).abs() < 0.01, "{gain}");
        }
    }
}

#[test]
fn the_corridor_is_closed() {
    let scene = Scene::new(&corridor::mesh()).unwrap();
    assert!(scene.edges().iter().all(keller::scene::Edge::is_wedge));
    let tiles = keller::tiles::Tiles::new(&scene, Tiling::of_side(1.0)).unwrap();
    let segments = keller::tiles::Segments::new(&scene, &tiles, keller::scene::Edge::is_wedge);
    let inner = corridor::inner_edges(&scene);
    let inner = segments.all().iter().filter(|s| inner.contains(&s.edge));
    // The thesis has 611 and 245.
    assert!(tiles.len().abs_diff(611) <= 6, "{}", tiles.len());
    assert!(inner.count().abs_diff(245) <= 2);
    assert_eq!(corridor::rx().len(), corridor::NUM_RX);
}
