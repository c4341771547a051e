//! Limits as alternatives: the union of their paths, each path once, whatever the order.

#![allow(clippy::cast_possible_truncation, reason = "seeds are small")]

use crate::common::{
    Random, add_box, add_polygon, devices, paths, paths_of, random_scene, see_through, world_of,
};
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{
    Devices, Environment, Interaction, Limits, Path, PathFinder, PathOptions, Search,
};
use keller::scene::{Mesh, Scene};
use keller::tiles::Tiling;
use keller::{Control, DVec3, World};

fn limits([interactions, reflections, diffractions, transmissions]: [usize; 4]) -> Limits {
    Limits {
        max_interactions: interactions,
        max_reflections: reflections,
        max_diffractions: diffractions,
        max_transmissions: transmissions,
        ..Limits::default()
    }
}

fn finder(world: &World, alternatives: &[Limits], search: Option<Search>) -> PathFinder {
    let options: Vec<PathOptions> = alternatives
        .iter()
        .map(|&limits| PathOptions { limits, search })
        .collect();
    PathFinder::of_alternatives(world, &options, &Control::default()).unwrap()
}

/// A path's identity: the receiver and all interactions.
fn identity(path: &Path) -> (usize, Vec<Interaction>) {
    (path.rx, path.interactions().collect())
}

fn identities(paths: &[Path]) -> Vec<(usize, Vec<Interaction>)> {
    let mut all: Vec<_> = paths.iter().map(identity).collect();
    all.sort();
    all
}

/// The set union of the searches under each of the limits alone.
fn expected(
    world: &World,
    tx: DVec3,
    rx: &[DVec3],
    alternatives: &[Limits],
    search: Search,
) -> Vec<(usize, Vec<Interaction>)> {
    let found = alternatives
        .iter()
        .flat_map(|limits| identities(&paths(world, tx, rx, limits, search)));
    let mut all: Vec<_> = found.collect();
    all.sort();
    all.dedup();
    all
}

/// Limits that a user may set, from two reflections or one edge to limits that lie within each other.
fn questions(seed: u64) -> Vec<Limits> {
    let [walls, no_sight] = [seed as usize % 2, seed as usize % 3];
    let two = limits([2, 2, 0, walls]);
    let bent = limits([2, 1, 1, 0]);
    let through = Limits {
        line_of_sight: no_sight == 0,
        ..limits([1, 1, 0, 2])
    };
    let free = Limits {
        free_edges: true,
        ..limits([1, 0, 1, 0])
    };
    let shallow = Limits {
        max_depth: 2,
        ..limits([2, 2, 1, 2])
    };
    match seed % 5 {
        0 => vec![two, bent],
        1 => vec![two, bent, through],
        2 => vec![free, bent, two],
        3 => vec![shallow, two, through],
        _ => vec![limits([1, 1, 0, 0]), two, limits([0, 0, 0, 0])],
    }
}

#[test]
fn the_union_is_that_of_the_sets() {
    let (mut total, mut both) = (0, 0);
    for seed in 0..40 {
        let (mesh, room) = random_scene(seed);
        let world = see_through(Scene::new(&mesh).unwrap());
        let mut random = Random(seed ^ 0xa17e);
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 3);
        let mut all = questions(seed);
        let exact = expected(&world, tx, &rx, &all, Search::Exhaustive);
        let found = paths_of(
            &finder(&world, &all, Some(Search::Exhaustive)),
            &world,
            tx,
            &rx,
        );
        assert_eq!(identities(&found), exact, "seed {seed}");
        let in_order = found.is_sorted_by(|a, b| (a.rx, a.length) <= (b.rx, b.length));
        assert!(in_order, "seed {seed}");
        total += exact.len();
        let apart: usize = all
            .iter()
            .map(|limits| paths(&world, tx, &rx, limits, Search::Exhaustive).len())
            .sum();
        both += apart - exact.len();

        // The limits may have any order, with one of them twice.
        all.reverse();
        all.push(all[0]);
        all.rotate_left(1);
        let again = paths_of(
            &finder(&world, &all, Some(Search::Exhaustive)),
            &world,
            tx,
            &rx,
        );
        assert_eq!(found, again, "seed {seed}");

        // Each of them has the search that suits it.
        let own: Vec<(Limits, Search)> = all
            .iter()
            .map(|limits| (*limits, Search::auto(world.scene(), limits)))
            .collect();
        let mut each: Vec<_> = own
            .iter()
            .flat_map(|(limits, search)| identities(&paths(&world, tx, &rx, limits, *search)))
            .collect();
        each.sort();
        each.dedup();
        let found = paths_of(&finder(&world, &all, None), &world, tx, &rx);
        assert_eq!(identities(&found), each, "seed {seed}");
    }
    assert!(
        total > 1_000 && both > 500,
        "{total} paths, {both} of several alternatives"
    );
}

#[test]
fn launched_rays_and_tiles_have_unions_too() {
    for seed in [1, 4, 9, 16] {
        let (mesh, room) = random_scene(seed);
        let world = see_through(Scene::new(&mesh).unwrap());
        let mut random = Random(seed ^ 0x7ea5);
        let tx = devices(world.scene(), &mut random, room, 1)[0];
        let rx = devices(world.scene(), &mut random, room, 3);
        let all = [limits([2, 2, 0, 0]), limits([2, 1, 1, 0])];
        let launched = paths_of(
            &finder(&world, &all, Some(Search::default())),
            &world,
            tx,
            &rx,
        );
        let of_sets = expected(&world, tx, &rx, &all, Search::default());
        assert_eq!(identities(&launched), of_sets, "seed {seed}");

        let control = Control::default();
        let tiling = Tiling::of_scene(world.scene());
        let environment = Environment::new(world.shared_scene(), tiling, &control).unwrap();
        let over =
            |limits: &Limits| PathFinder::over_tiles(&world, limits, environment.clone()).unwrap();
        let mut each: Vec<_> = all
            .iter()
            .flat_map(|limits| identities(&paths_of(&over(limits), &world, tx, &rx)))
            .collect();
        each.sort();
        each.dedup();
        let together = PathFinder::of_any(all.iter().map(over).collect());
        assert_eq!(
            identities(&paths_of(&together, &world, tx, &rx)),
            each,
            "seed {seed}"
        );
        let chosen = finder(&world, &all, Some(Search::Tiles));
        assert_eq!(
            identities(&paths_of(&chosen, &world, tx, &rx)),
            each,
            "seed {seed}"
        );
    }
}

/// A ground and a box of a rough conductor.
fn rough_place() -> World {
    let mut mesh = Mesh::default();
    let corners = [(-25., -20.), (30., -20.), (30., 25.), (-25., 25.)];
    add_polygon(
        &mut mesh,
        "ground",
        &corners.map(|(x, y)| DVec3::new(x, y, 0.0)),
    );
    add_box(
        &mut mesh,
        "wall",
        DVec3::new(3.0, 3.0, 0.0),
        DVec3::new(9.0, 8.0, 6.0),
    );
    let rough = Material::HalfSpace(Medium::PerfectConductor).with_texture(Texture {
        scattering: Some(Scattering {
            coefficient: 0.4,
            cross_polarization: 0.0,
            lobe: Lobe::Lambertian,
        }),
        roughness: 0.0,
    });
    world_of(Scene::new(&mesh).unwrap(), &rough, 3e9)
}

/// The patches of every way to rough walls come from one alternative: they count each part of a wall once.
#[test]
fn scattered_power_counts_once() {
    let world = rough_place();
    let (tx, rx) = (DVec3::new(-6.0, 1.0, 8.0), [DVec3::new(7.0, -2.0, 1.5)]);
    let scattered = |limits: Limits| Limits {
        max_scatterings: 1,
        ..limits
    };
    let one = scattered(limits([1, 1, 0, 0]));
    let reflected = scattered(limits([2, 1, 0, 0]));
    let bent = scattered(limits([2, 0, 1, 0]));
    let area = |paths: &[Path], kinds: &str| -> f64 {
        let areas = paths.iter().filter(|p| p.types() == kinds);
        let areas = areas.flat_map(Path::interactions);
        areas
            .filter_map(|interaction| match interaction {
                Interaction::Scattering(_, area) => Some(area.square_metres()),
                _ => None,
            })
            .sum()
    };
    for search in [Search::Exhaustive, Search::default(), Search::Complete] {
        let alone = |limits: &Limits| paths(&world, tx, &rx, limits, search);
        let together = paths_of(
            &finder(&world, &[bent, reflected, one], Some(search)),
            &world,
            tx,
            &rx,
        );
        // The walls that both ends see have one area, however they are cut.
        let whole = area(&alone(&one), "S");
        assert!(whole > 100.0, "{whole} m²");
        for (kinds, expected) in [
            ("S", whole),
            ("RS", area(&alone(&reflected), "RS")),
            ("DS", area(&alone(&bent), "DS")),
        ] {
            let found = area(&together, kinds);
            assert!(
                (found - expected).abs() <= 0.01 * expected,
                "{search:?} {kinds}: {found} m², alone {expected} m²"
            );
        }
        let other_order = [one, bent, reflected, one];
        let again = paths_of(&finder(&world, &other_order, Some(search)), &world, tx, &rx);
        assert_eq!(together, again, "{search:?}");
    }
}

#[test]
fn the_union_depends_on_no_threads_and_no_other_receivers() {
    let (mesh, room) = random_scene(8);
    let world = see_through(Scene::new(&mesh).unwrap());
    let mut random = Random(0x7b);
    let tx = devices(world.scene(), &mut random, room, 1)[0];
    let rx = devices(world.scene(), &mut random, room, 5);
    let all = [limits([2, 2, 0, 1]), limits([2, 1, 1, 0])];
    let run = |threads: usize, rx: &[DVec3]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build()
            .unwrap()
            .install(|| paths_of(&finder(&world, &all, None), &world, tx, rx))
    };
    let of_all = run(1, &rx);
    assert_eq!(of_all, run(4, &rx));
    for (k, one) in rx.iter().enumerate() {
        let mut own = run(2, std::slice::from_ref(one));
        for path in &mut own {
            path.rx = k;
        }
        let theirs: Vec<Path> = of_all.iter().filter(|p| p.rx == k).cloned().collect();
        assert_eq!(own, theirs, "receiver {k}");
    }
}

#[test]
fn progress_grows_over_all_alternatives() {
    let (mesh, room) = random_scene(3);
    let world = see_through(Scene::new(&mesh).unwrap());
    let mut random = Random(0x9);
    let at = devices(world.scene(), &mut random, room, 2);
    let told = std::sync::Mutex::new(Vec::new());
    let report = |_, done: f64| told.lock().unwrap().push(done);
    let control = Control {
        progress: Some(&report),
        ..Control::default()
    };
    let finder = finder(&world, &[limits([2, 2, 0, 0]), limits([2, 1, 1, 0])], None);
    let tx = Devices::tx(world.scene(), [at[0]]).unwrap();
    let rx = Devices::rx(world.scene(), [at[1]]).unwrap();
    let seen = finder.views_from(&tx, 0, &control).unwrap();
    finder.paths(&seen, &rx, &control).unwrap();
    let told = told.into_inner().unwrap();
    assert!(
        told.iter().all(|done| (0.0..=1.0).contains(done)),
        "{told:?}"
    );
    assert!(told.iter().any(|done| *done >= 0.5), "{told:?}");
}

#[test]
fn limits_within_others_are_told_apart() {
    let two = limits([2, 2, 0, 0]);
    let bent = limits([2, 1, 1, 0]);
    assert!(limits([1, 1, 0, 0]).is_within(&two) && two.is_within(&two));
    assert!(!two.is_within(&bent) && !bent.is_within(&two));
    // Limits that cannot be reached make no difference.
    assert!(limits([2, 9, 0, 0]).is_within(&two) && two.is_within(&limits([2, 9, 0, 0])));
    let shallow = Limits {
        max_depth: 2,
        ..limits([2, 2, 0, 2])
    };
    assert!(shallow.is_within(&limits([2, 2, 0, 2])) && !limits([2, 2, 0, 1]).is_within(&shallow));
    assert!(two.is_within(&shallow));
    let blind = Limits {
        line_of_sight: false,
        ..two
    };
    assert!(blind.is_within(&two) && !two.is_within(&blind));
    let free = Limits {
        free_edges: true,
        ..two
    };
    assert!(free.is_within(&two), "nothing diffracts");
    let free = Limits {
        free_edges: true,
        ..bent
    };
    assert!(!free.is_within(&bent) && bent.is_within(&free));
}
