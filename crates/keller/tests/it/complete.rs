//! The complete search against every sequence there is, on random places, turned, shifted and rounded as files have them.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::{Random, add_box, add_polygon, paths, random_scene, see_through, world_of};
use keller::materials::{Material, Medium};
use keller::paths::{Interaction, Limits, Path, Search, SequenceTree};
use keller::scene::{Mesh, PlaneId, Scene};
use keller::{Control, DVec3, Error, World};

/// A scene, and a way to draw positions in it.
struct Place {
    world: World,
    room: [DVec3; 2],
    turn: f64,
    shift: DVec3,
}

impl Place {
    /// The mesh as it is, or else turned, shifted by up to a kilometre, and rounded to f32.
    fn new(mut mesh: Mesh, room: [DVec3; 2], seed: u64, is_moved: bool) -> Self {
        let mut random = Random(seed);
        let (mut turn, mut shift) = (0.0, DVec3::ZERO);
        if is_moved {
            turn = random.range(0.0, 6.0);
            shift = random.point(DVec3::splat(-1e3), DVec3::splat(1e3));
            for v in &mut mesh.vertices {
                *v = moved(*v, turn, shift).as_vec3().as_dvec3();
            }
        }
        let world = see_through(Scene::new(&mesh).expect("the place has triangles"));
        Self {
            world,
            room,
            turn,
            shift,
        }
    }

    fn device(&self, random: &mut Random) -> DVec3 {
        loop {
            let p = moved(
                random.point(self.room[0], self.room[1]),
                self.turn,
                self.shift,
            );
            if !self.world.scene().any_face_near(p, 2e-4, |_| true) {
                return p;
            }
        }
    }
}

fn moved(p: DVec3, turn: f64, shift: DVec3) -> DVec3 {
    let (sin, cos) = turn.sin_cos();
    DVec3::new(cos * p.x - sin * p.y, sin * p.x + cos * p.y, p.z) + shift
}

/// A ground, a courtyard with an arch in one of its walls, a tower, and lots of walls that end on others.
fn courtyard(random: &mut Random) -> (Mesh, [DVec3; 2]) {
    let mut mesh = Mesh::default();
    let corner = |x: f64, y: f64| DVec3::new(200.0 * x, 200.0 * y, 0.0);
    let ground = [
        corner(-1., -1.),
        corner(1., -1.),
        corner(1., 1.),
        corner(-1., 1.),
    ];
    add_polygon(&mut mesh, "ground", &ground);
    let (inner, thick) = (random.range(4.0, 9.0), random.range(0.5, 3.0));
    let outer = inner + thick;
    let height = random.range(3.0, 12.0);
    let mut wing = |low: [f64; 3], high: [f64; 3]| {
        add_box(&mut mesh, "brick", low.into(), high.into());
    };
    wing([-outer, -outer, 0.0], [outer, -inner, height]);
    wing([-outer, inner, 0.0], [outer, outer, height]);
    wing([-outer, -inner, 0.0], [-inner, inner, height]);
    let arch = random.range(0.5, 2.0);
    wing([inner, -inner, 0.0], [outer, -arch, height]);
    wing([inner, arch, 0.0], [outer, inner, height]);
    wing([inner, -arch, 0.6 * height], [outer, arch, height]);
    let x = random.range(14.0, 18.0);
    wing([x, -3.0, 0.0], [x + 4.0, 3.0, 20.0]);
    let room = [
        DVec3::new(-inner, -inner, 0.2),
        DVec3::new(inner + 12.0, inner, 6.0),
    ];
    (mesh, room)
}

/// Receiver and planes reflected at.
fn identities(scene: &Scene, paths: &[Path]) -> HashSet<(usize, Vec<PlaneId>)> {
    paths
        .iter()
        .map(|path| {
            let planes = path.interactions().filter_map(|met| match met {
                Interaction::Reflection(face) => Some(scene.plane_of(face)),
                _ => None,
            });
            (path.rx, planes.collect())
        })
        .collect()
}

/// Asserts that the complete search finds all paths to random receivers; returns how many there are.
fn assert_complete(place: &Place, seed: u64, num_rx: usize, limits: &Limits) -> usize {
    let scene = place.world.scene();
    let mut random = Random(seed ^ 0x77);
    let tx = place.device(&mut random);
    let rx: Vec<DVec3> = (0..num_rx).map(|_| place.device(&mut random)).collect();
    let expected = paths(&place.world, tx, &rx, limits, Search::Exhaustive);
    let found = paths(&place.world, tx, &rx, limits, Search::Complete);
    let (all, found) = (identities(scene, &expected), identities(scene, &found));
    let mut missed: Vec<_> = all.difference(&found).collect();
    missed.sort();
    assert!(missed.is_empty(), "seed {seed} misses {missed:?}");
    assert_eq!(
        all.len(),
        found.len(),
        "seed {seed} finds what is not there"
    );
    all.len()
}

fn limits(max_reflections: usize, max_transmissions: usize) -> Limits {
    Limits {
        max_interactions: max_reflections,
        max_reflections,
        max_transmissions,
        ..Limits::default()
    }
}

#[test]
fn no_reflection_is_missed() {
    let mut total = 0;
    for seed in 0..60 {
        let (mesh, room) = random_scene(seed);
        let place = Place::new(mesh, room, seed, seed % 2 == 1);
        total += assert_complete(&place, seed, 30, &limits(3, 0));
    }
    assert!(total > 10_000, "the scenes are too empty: {total} paths");
}

#[test]
fn no_reflection_is_missed_where_rounding_made_sides_of_no_length() {
    // Portals of these had corners 1e-16 m apart, whose side may point anywhere.
    for seed in [95, 150, 250, 522, 523, 530, 575, 713, 740, 950] {
        let (mesh, room) = random_scene(seed);
        let place = Place::new(mesh, room, seed, false);
        assert_complete(&place, seed, 100, &limits(3, 0));
    }
}

#[test]
fn no_reflection_in_a_courtyard_is_missed() {
    for seed in 0..12 {
        let (mesh, room) = courtyard(&mut Random(seed));
        let place = Place::new(mesh, room, seed, seed % 2 == 1);
        assert_complete(&place, seed, 20, &limits(3, 0));
        assert_complete(&place, seed, 10, &limits(2, 1));
    }
}

#[test]
fn no_reflection_behind_walls_is_missed() {
    for seed in 0..60 {
        let (mesh, room) = random_scene(seed);
        let place = Place::new(mesh, room, seed, seed % 3 == 1);
        let max_transmissions = [1, 2, 4][usize::try_from(seed % 3).unwrap()];
        assert_complete(&place, seed, 20, &limits(2, max_transmissions));
        let shared = Limits {
            max_depth: 3,
            ..limits(2, max_transmissions)
        };
        assert_complete(&place, seed, 20, &shared);
    }
}

fn tree(
    world: &World,
    tx: DVec3,
    limits: &Limits,
    control: &Control,
) -> Result<SequenceTree, Error> {
    Search::Complete.propose(world, tx, limits, control)
}

#[test]
fn tree_is_in_order_and_does_not_depend_on_threads() {
    for seed in 0..5 {
        let (mesh, room) = random_scene(seed);
        let place = Place::new(mesh, room, seed, false);
        let tx = place.device(&mut Random(seed));
        let grow = || tree(&place.world, tx, &limits(3, 1), &Control::default()).unwrap();
        let expected = grow();
        let key = |n: usize| (expected.nodes[n].parent, expected.nodes[n].plane);
        for n in 2..expected.nodes.len() {
            assert!(
                (expected.nodes[n].parent as usize) < n,
                "seed {seed}, node {n}"
            );
            assert!(key(n - 1) < key(n), "seed {seed}, node {n}");
        }
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            assert_eq!(
                pool.install(grow),
                expected,
                "seed {seed}, {threads} threads"
            );
        }
    }
}

#[test]
fn perfect_conductors_hide_what_is_behind() {
    let (mesh, room) = random_scene(0);
    let place = Place::new(mesh, room, 0, false);
    let tx = place.device(&mut Random(3));
    let conductor = Material::HalfSpace(Medium::PerfectConductor);
    let world = world_of(Arc::clone(place.world.shared_scene()), &conductor, 3.5e9);
    let opaque = |max_transmissions| {
        let limits = limits(2, max_transmissions);
        let control = Control::default();
        Search::Complete
            .propose(&world, tx, &limits, &control)
            .unwrap()
    };
    assert_eq!(opaque(0), opaque(3));
}

#[test]
fn no_reflections_give_the_root_alone() {
    let (mesh, room) = random_scene(1);
    let place = Place::new(mesh, room, 1, false);
    let tx = place.device(&mut Random(1));
    let found = tree(&place.world, tx, &limits(0, 2), &Control::default()).unwrap();
    assert_eq!(found, SequenceTree::root(tx));
}

#[test]
fn it_stops_when_asked() {
    let (mesh, room) = random_scene(1);
    let place = Place::new(mesh, room, 1, false);
    let stop = AtomicBool::new(true);
    let control = Control {
        cancelled: Some(&stop),
        ..Control::default()
    };
    let tx = place.device(&mut Random(1));
    let found = tree(&place.world, tx, &limits(3, 0), &control);
    assert_eq!(found, Err(Error::Cancelled));
}
