//! Open air does not depend on how faces are wound: the same wedges, paths, fields and ground whichever way fronts
//! look.

use std::f64::consts::PI;

use crate::common::place::{self, at};
use crate::common::turning::{all_aslant, aslant, turned_in_all_ways, with_turned};
use crate::common::{
    Random, add_box, add_polygon, add_prism, inside_out, paths, random_city, random_scene,
};
use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::points::Points;
use keller::coverage::rooftops::{self, Rooftops};
use keller::coverage::tubes::{self, Accuracy, Tubes};
use keller::coverage::{Levels, Region};
use keller::field::PathField;
use keller::materials::Lobe;
use keller::paths::{Limits, Path, PathFinder, Search};
use keller::scene::{Fronts, Mesh, Scene};
use keller::{Complex64, Control, DVec3, Tx, World};

/// An L of 20 x 20 m with a yard of 10 x 10 m in its corner.
const L: [[f64; 2]; 6] = [
    [0., 0.],
    [20., 0.],
    [20., 10.],
    [10., 10.],
    [10., 20.],
    [0., 20.],
];

fn wedges(scene: &Scene) -> usize {
    scene.edges().iter().filter(|e| e.is_wedge()).count()
}

fn l_house(material: &str, floor: bool) -> Mesh {
    let mut mesh = Mesh::default();
    add_prism(&mut mesh, material, &L, 0.0, 10.0, floor);
    mesh
}

fn with_ground(mut mesh: Mesh) -> Mesh {
    let corners = [[-60., -60.], [60., -60.], [60., 60.], [-60., 60.]];
    let corners = corners.map(|[x, y]| DVec3::new(x, y, 0.0));
    add_polygon(&mut mesh, "ground", &corners);
    mesh
}

/// Random places of all kinds at odd angles, and the box of each in which devices may stand before it was turned.
fn places() -> Vec<(Mesh, [DVec3; 2])> {
    let random = (0..15).map(random_scene);
    let cities = (0..4).map(random_city);
    let mut places: Vec<(Mesh, [DVec3; 2])> = random.chain(cities).collect();
    let outdoors = [DVec3::new(-20., -20., 0.5), DVec3::new(40., 40., 18.)];
    places.push((with_ground(l_house("concrete", false)), outdoors));
    places.push((with_ground(l_house("concrete", true)), outdoors));
    let indoors = [DVec3::splat(0.5), DVec3::new(9.5, 19.5, 9.5)];
    places.push((l_house("concrete", true), indoors));
    places
        .into_iter()
        .map(|(mesh, room)| (all_aslant(&mesh), room))
        .collect()
}

#[test]
fn wedges_and_ground_do_not_depend_on_fronts() {
    for (number, (mesh, [low, high])) in places().into_iter().enumerate() {
        let scene = Scene::new(&mesh).unwrap();
        let mut random = Random(number as u64);
        let spots: Vec<DVec2> = (0..40)
            .map(|_| aslant(random.point(low, high)).truncate())
            .collect();
        for turned in turned_in_all_ways(&mesh, number as u64) {
            let turned = Scene::new(&turned).unwrap();
            assert_eq!(scene.planes(), turned.planes(), "place {number}");
            assert_eq!(scene.edges(), turned.edges(), "place {number}");
            for &spot in &spots {
                let [a, b] = [&scene, &turned].map(|scene| scene.ground(spot));
                assert_eq!(a, b, "place {number}, ground at {spot}");
            }
        }
    }
}

#[test]
fn wedge_lies_in_the_wider_sector() {
    // A box has twelve, whether air is in it or around it; an L one more inside, at its concave corner.
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "brick", DVec3::ZERO, DVec3::new(2.0, 3.0, 4.0));
    for mesh in [inside_out(&mesh), mesh] {
        assert_eq!(wedges(&Scene::new(&mesh).unwrap()), 12);
    }
    let mesh = all_aslant(&l_house("brick", true));
    for mesh in [inside_out(&mesh), mesh] {
        let scene = Scene::new(&mesh).unwrap();
        assert_eq!(wedges(&scene), 18);
        let corner = aslant(DVec3::new(10.0, 10.0, 5.0));
        let inner = scene.edges().iter().find(|edge| {
            let centre = 0.5 * (edge.ends[0] + edge.ends[1]);
            centre.distance(corner) < 1e-9
        });
        let inner = inner.expect("the concave corner is an edge");
        assert!((inner.exterior_angle - 1.5 * PI).abs() < 1e-9);
        let inside = aslant(DVec3::new(5.0, 5.0, 5.0)) - corner;
        assert!(inner.is_open_towards(inside, -1.0), "open inside");
        assert!(!inner.is_open_towards(-inside, 1e-6), "closed outside");
    }
}

#[test]
fn concave_corner_bends_waves_inside_and_none_outside() {
    let place = place::conductor(
        &all_aslant(&with_ground(l_house("wall", false))),
        0.0,
        Lobe::Lambertian,
    );
    let limits = Limits {
        max_interactions: 3,
        max_reflections: 1,
        max_diffractions: 3,
        ..Limits::default()
    };
    let find = |tx: DVec3, rx: DVec3, search| paths(&place, tx, &[rx], &limits, search);
    let corner = aslant(DVec3::new(10.0, 10.0, 0.0)).truncate();
    let bends_there = |path: &Path| {
        let points = path
            .vertices
            .iter()
            .filter(|i| i.interaction.edge().is_some());
        let mut off = points.map(|i| i.point.truncate().distance(corner));
        off.any(|off| off < 1e-6)
    };
    for search in [Search::Complete, Search::default()] {
        // The path leads from one arm of the L to the other, around the corner.
        let [tx, rx] = [[17.3, 4.1, 3.7], [3.9, 16.6, 6.1]].map(|p| aslant(p.into()));
        let inside = find(tx, rx, search);
        assert!(inside.iter().any(bends_there), "{search:?}");
        // The link leads from one side of the yard's walls to the other: walls run past the corner, but outside nothing
        // is diffracted there.
        for [tx, rx] in [
            [[27.3, 14.1, 3.7], [13.9, 26.6, 6.1]],
            [[12.3, 14.1, 3.7], [30.9, 8.6, 6.1]],
        ] {
            let outside = find(aslant(tx.into()), aslant(rx.into()), search);
            assert!(!outside.is_empty());
            assert!(!outside.iter().any(bends_there), "{search:?}");
        }
    }
}

/// The coefficients of paths, with their lengths.
fn coefficients(place: &World, paths: &[Path]) -> Vec<[[Complex64; 2]; 2]> {
    paths
        .iter()
        .map(|path| PathField::new(path, place).coefficient)
        .collect()
}

#[test]
fn all_searches_find_the_same_paths_whichever_way_fronts_look() {
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 2,
        max_diffractions: 2,
        max_transmissions: 1,
        free_edges: true,
        ..Limits::default()
    };
    for (number, (mesh, room)) in places().into_iter().enumerate().skip(4) {
        let place = place::named(&mesh);
        let mut random = Random(number as u64);
        let ends: Vec<DVec3> = std::iter::repeat_with(|| aslant(random.point(room[0], room[1])))
            .filter(|p| !place.scene().any_face_near(*p, 1e-3, |_| true))
            .take(3)
            .collect();
        let searches: &[Search] = if number % 6 == 0 {
            &[Search::Complete, Search::default(), Search::Tiles]
        } else {
            &[Search::default(), Search::Complete]
        };
        for &search in searches {
            let find = |place: &World| paths(place, ends[0], &ends[1..], &limits, search);
            let paths = find(&place);
            let fields = coefficients(&place, &paths);
            for turned in turned_in_all_ways(&mesh, number as u64) {
                let turned = place::named(&turned);
                let turned_paths = find(&turned);
                assert_eq!(
                    paths.len(),
                    turned_paths.len(),
                    "place {number}, {search:?}"
                );
                assert_eq!(paths, turned_paths, "place {number}, {search:?}");
                for (a, b) in fields.iter().zip(coefficients(&turned, &turned_paths)) {
                    let size: f64 = a.iter().flatten().map(|a| a.norm()).fold(1e-12, f64::max);
                    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
                        assert!((a - b).norm() < 1e-9 * size, "place {number}: {a} and {b}");
                    }
                }
            }
        }
    }
}

#[test]
fn exhaustive_search_finds_them_too() {
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 2,
        max_diffractions: 1,
        ..Limits::default()
    };
    let mesh = all_aslant(&with_ground(l_house("concrete", true)));
    let ends = [[-9.3, 4.1, 3.7], [23.9, 16.6, 2.1], [14.2, 13.1, 1.7]].map(|p| aslant(p.into()));
    let find = |mesh: &Mesh, search| {
        let place = place::named(mesh);
        paths(&place, ends[0], &ends[1..], &limits, search)
    };
    let paths = find(&mesh, Search::Exhaustive);
    assert_eq!(paths, find(&mesh, Search::Complete));
    for turned in turned_in_all_ways(&mesh, 5) {
        assert_eq!(paths, find(&turned, Search::Exhaustive));
    }
}

/// The gains of all engines over a place, one list after the other.
fn coverages(place: &World, tx: &Tx) -> Vec<Vec<f64>> {
    let limits = Limits {
        max_interactions: 2,
        max_reflections: 2,
        max_diffractions: 1,
        ..Limits::default()
    };
    let control = Control::default();
    let [low, high] = place.scene().bounds().map(DVec3::truncate);
    let levels = Levels::AboveGround(vec![1.5, 6.3]);
    let region = Region::planes(low, high, DVec2::splat(6.1), levels).unwrap();
    let all = 0..region.num_cells();
    let settings = tubes::Settings {
        limits,
        accuracy: Accuracy::Default,
        min_gain: 1e-16,
    };
    let tubes = Tubes::new(place, &region, settings);
    let finder = PathFinder::new(place, &limits, Search::default(), &control).unwrap();
    let points = Points::new(place, &region, finder);
    let settings = rooftops::Settings::default();
    let rooftops = Rooftops::new(place, &region, settings).unwrap();
    let tiles = place::coverage(place, &limits, 5.0);
    // Whichever side of a tile is its front.
    let fields = tiles.fields(tx, &control).unwrap();
    let on_tiles = fields
        .iter()
        .map(|[front, back]| front.incident_power + back.incident_power);
    vec![
        points.gains(tx, all.clone(), &control).unwrap(),
        tubes.gains(tx, all.clone(), &control).unwrap(),
        rooftops.gains(tx, all, &control).unwrap(),
        on_tiles.collect(),
    ]
}

#[test]
fn all_coverage_engines_give_the_same_whichever_way_fronts_look() {
    let mut mesh = l_house("concrete", false);
    add_box(
        &mut mesh,
        "brick",
        DVec3::new(-14., 3., -1.),
        DVec3::new(-6., 17., 7.),
    );
    let mesh = all_aslant(&with_ground(mesh));
    let place = place::named(&mesh);
    let tx = at(
        aslant(DVec3::new(-3.1, -7.3, 12.7)).to_array(),
        Antenna::default(),
    );
    let expected = coverages(&place, &tx);
    for turned in turned_in_all_ways(&mesh, 3) {
        let found = coverages(&place::named(&turned), &tx);
        for (engine, (a, b)) in expected.iter().zip(&found).enumerate() {
            for (cell, (a, b)) in a.iter().zip(b).enumerate() {
                // Tubes give all of a tube the field of its centre, and are cut elsewhere where fronts of one plane
                // differ.
                let share = [1e-9, 2e-2, 1e-9, 1e-9][engine];
                let same = (a - b).abs() <= share * a.abs() + 1e-18 || (a.is_nan() && b.is_nan());
                assert!(same, "engine {engine}, cell {cell}: {a} and {b}");
            }
        }
    }
}

#[test]
fn bodies_are_told_from_sheets_and_their_fronts_are_known() {
    use Fronts::{Inwards, Mixed, Outwards};
    let of = |mesh: &Mesh| {
        let scene = Scene::new(&all_aslant(mesh)).unwrap();
        let fronts: Vec<Fronts> = scene.bodies().iter().map(|body| body.fronts).collect();
        let defects = scene.defects();
        (fronts, defects.inward_bodies, defects.mixed_bodies)
    };
    let l = l_house("brick", true);
    assert_eq!(of(&l), (vec![Outwards], 0, 0));
    assert_eq!(of(&inside_out(&l)), (vec![Inwards], 1, 0));
    assert_eq!(of(&with_turned(&l, |t| t == 3)), (vec![Mixed], 0, 1));
    // It is open without a floor, on a ground too.
    assert_eq!(of(&l_house("brick", false)), (vec![], 0, 0));
    assert_eq!(of(&with_ground(l_house("brick", false))), (vec![], 0, 0));
    assert_eq!(of(&with_ground(inside_out(&l))), (vec![Inwards], 1, 0));
    // Houses that touch have a wall twice, whether it is the same triangles or not.
    for material in ["brick", "glass"] {
        let mut pair = Mesh::default();
        add_box(&mut pair, "brick", DVec3::ZERO, DVec3::new(4.0, 3.0, 5.0));
        add_box(
            &mut pair,
            material,
            DVec3::new(4., 0., 0.),
            DVec3::new(9., 3., 5.),
        );
        assert_eq!(of(&pair), (vec![Outwards], 0, 0), "{material}");
        assert_eq!(of(&inside_out(&pair)), (vec![Inwards], 1, 0), "{material}");
        let mixed = with_turned(&pair, |t| t < 12);
        assert_eq!(of(&mixed), (vec![Mixed], 0, 1), "{material}");
        // The houses have different heights: one roof ends in the other's wall, halfway along its sides.
        let mut steps = Mesh::default();
        add_box(&mut steps, "brick", DVec3::ZERO, DVec3::new(4.0, 3.0, 5.0));
        add_box(
            &mut steps,
            material,
            DVec3::new(4., 0., 0.),
            DVec3::new(9., 3., 7.),
        );
        let (fronts, ..) = of(&steps);
        assert!(fronts.iter().all(|f| *f == Outwards) && !fronts.is_empty());
    }
    // A room with things in it is meant to be seen from inside; a body within a body is one of its own.
    let mut room = inside_out(&l);
    add_box(
        &mut room,
        "wood",
        DVec3::new(3., 3., 0.5),
        DVec3::new(4., 5., 1.5),
    );
    assert_eq!(of(&room), (vec![Inwards, Outwards], 0, 0));
    assert_eq!(of(&inside_out(&room)), (vec![Outwards, Inwards], 1, 0));
}

#[test]
fn t_junctions_do_not_open_a_body() {
    // A box whose front is two panels above one: the panels' corner lies within the side of the other.
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "brick", DVec3::ZERO, DVec3::new(4.0, 3.0, 5.0));
    let front = mesh.triangles.iter().position(|t| {
        t.vertices
            .iter()
            .all(|v| mesh.vertices[*v as usize].y == 0.0)
    });
    let front = front.unwrap();
    mesh.triangles.drain(front..front + 2);
    let at = |x: f64, z: f64| DVec3::new(x, 0.0, z);
    for [low, high] in [
        [[0., 0.], [4., 2.]],
        [[0., 2.], [1.5, 5.]],
        [[1.5, 2.], [4., 5.]],
    ] {
        let corners = [
            at(low[0], low[1]),
            at(high[0], low[1]),
            at(high[0], high[1]),
            at(low[0], high[1]),
        ];
        add_polygon(&mut mesh, "brick", &corners);
    }
    let scene = Scene::new(&all_aslant(&mesh)).unwrap();
    let fronts: Vec<Fronts> = scene.bodies().iter().map(|body| body.fronts).collect();
    assert_eq!(fronts, [Fronts::Outwards]);
}

#[test]
fn devices_stand_on_floors_of_rooms_and_on_top_of_slabs() {
    let centre = aslant(DVec3::new(5.0, 5.0, 0.0)).truncate();
    let ground = |mesh: &Mesh| {
        let mesh = all_aslant(mesh);
        let found = turned_in_all_ways(&mesh, 1).map(|m| Scene::new(&m).unwrap().ground(centre));
        let own = Scene::new(&mesh).unwrap().ground(centre);
        assert!(found.iter().all(|z| *z == own), "{found:?} for {own:?}");
        own.unwrap()
    };
    // A room, with or without a table in it.
    let mut room = l_house("brick", true);
    assert!(ground(&room).abs() < 1e-9);
    add_box(
        &mut room,
        "wood",
        DVec3::new(4., 4., 0.7),
        DVec3::new(6., 6., 0.8),
    );
    assert!(ground(&room).abs() < 1e-9);
    // A slab of ground, with and without a house on it.
    let mut slab = Mesh::default();
    let [low, high] = [DVec3::new(-50., -50., -1.), DVec3::new(50., 50., 0.25)];
    add_box(&mut slab, "ground", low, high);
    assert!((ground(&slab) - 0.25).abs() < 1e-9);
    add_box(
        &mut slab,
        "brick",
        DVec3::new(1., 1., 0.25),
        DVec3::new(9., 9., 8.),
    );
    assert!((ground(&slab) - 0.25).abs() < 1e-9);
    // A house that reaches into a sheet of ground.
    let mut house = Mesh::default();
    add_box(
        &mut house,
        "brick",
        DVec3::new(1., 1., -2.),
        DVec3::new(9., 9., 8.),
    );
    assert!(ground(&with_ground(house)).abs() < 1e-9);
}
