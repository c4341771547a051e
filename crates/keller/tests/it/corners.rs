//! Waves that meet the common edge of walls, or their corner, in boxes with both ends on planes of symmetry. Each image of a box is seen
//! exactly once, by every search and engine, so there are `4 n² + 2` paths of `n` reflections.

use std::f64::consts::PI;

use crate::common::engines::{Engine, Row, link_paths};
use crate::common::place::{self, at, both, free_space};
use crate::common::turning::{odd_turn, turned, turned_in_all_ways};
use crate::common::{add_box, add_polygon, paths};
use crate::laws::limits;
use keller::coverage::tubes::Accuracy;
use keller::field::transport;
use keller::materials::{Material, Medium};
use keller::paths::{Effort, Path, Search};
use keller::scene::Mesh;
use keller::{DVec3, World};

const SIZE: DVec3 = DVec3::new(8.0, 4.0, 3.0);

/// What may happen to a box on its way into a file.
const FORMS: usize = 4;

fn room(form: usize) -> Mesh {
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "wall", DVec3::ZERO, SIZE);
    match form {
        0 => mesh,
        1 => {
            let [_, some, _] = turned_in_all_ways(&mesh, 3);
            some
        }
        2 => turned(&mesh),
        _ => in_single_precision(&turned(&mesh)),
    }
}

fn put(form: usize, p: DVec3) -> DVec3 {
    if form < 2 { p } else { odd_turn() * p }
}

/// The same mesh as a file of single precision has it. Its walls are no longer square to the last digit.
fn in_single_precision(mesh: &Mesh) -> Mesh {
    let mut mesh = mesh.clone();
    for vertex in &mut mesh.vertices {
        *vertex = vertex.as_vec3().as_dvec3();
    }
    mesh
}

fn conductor(mesh: &Mesh) -> World {
    let wall = Material::HalfSpace(Medium::PerfectConductor);
    place::of(mesh, &vec![wall; mesh.materials.len()])
}

/// The distances of the images of `tx` in a box from `rx`, by the number of reflections, each sorted.
fn image_distances(tx: DVec3, rx: DVec3, max_reflections: usize) -> Vec<Vec<f64>> {
    let mut distances = vec![Vec::new(); max_reflections + 1];
    let reach = i32::try_from(max_reflections).unwrap();
    let coordinate = |axis: usize, k: i32| {
        let (size, x) = (SIZE[axis], tx[axis]);
        let start = f64::from(k) * size;
        if k % 2 == 0 {
            start + x
        } else {
            start + size - x
        }
    };
    for i in -reach..=reach {
        for j in -reach..=reach {
            for k in -reach..=reach {
                let order = i.unsigned_abs() + j.unsigned_abs() + k.unsigned_abs();
                let order = order as usize;
                if order <= max_reflections {
                    let image = DVec3::new(coordinate(0, i), coordinate(1, j), coordinate(2, k));
                    distances[order].push(image.distance(rx));
                }
            }
        }
    }
    for order in &mut distances {
        order.sort_by(f64::total_cmp);
    }
    distances
}

/// Ends on planes of symmetry and diagonals: in line, one place, in the centre, and others.
fn ends() -> Vec<[DVec3; 2]> {
    let v = DVec3::new;
    [
        [v(2., 1., 1.2), v(6., 1., 1.2)],
        [v(2., 2., 1.5), v(6., 2., 1.5)],
        [v(4., 2., 1.5), v(4., 2., 1.2)],
        [v(4., 2., 1.5), v(4., 2., 1.5)],
        [v(1., 1., 1.), v(1., 1., 1.)],
        [v(1., 1., 1.), v(2., 2., 2.)],
        [v(1., 1., 1.), v(2., 2., 1.)],
        [v(3., 1., 2.), v(6., 3., 1.)],
        [v(2.3, 0.7, 1.9), v(5.1, 3.3, 0.4)],
    ]
    .into()
}

fn sorted_lengths(paths: &[Path], order: usize) -> Vec<f64> {
    let own = paths.iter().filter(|path| path.vertices.len() == order);
    let mut lengths: Vec<f64> = own.map(|path| path.length).collect();
    lengths.sort_by(f64::total_cmp);
    lengths
}

#[test]
fn every_search_sees_each_image_of_a_box_once() {
    const ORDER: usize = 4;
    let searches = [
        Search::Exhaustive,
        Search::Complete,
        Search::Launch(Effort::Default),
        Search::Tiles,
    ];
    for form in 0..FORMS {
        let place = conductor(&room(form));
        for search in searches {
            // Tiles of a metre: fewer reflections take long enough.
            let most = if search == Search::Tiles { 2 } else { ORDER };
            for [tx, rx] in ends() {
                let expected = image_distances(tx, rx, most);
                let (from, to) = (put(form, tx), put(form, rx));
                let limits = limits(most, [most, 0, 0, 0]);
                let found = link_paths(&place, from, &[to], &limits, search);
                for (order, expected) in expected.iter().enumerate() {
                    let name = format!("{search:?}, form {form}, {tx} to {rx}, order {order}");
                    let expected = expected.iter().filter(|d| **d > 0.0);
                    let expected: Vec<f64> = expected.copied().collect();
                    let lengths = sorted_lengths(&found, order);
                    assert_eq!(lengths.len(), expected.len(), "{name}");
                    for (a, b) in lengths.iter().zip(&expected) {
                        let rounding = if form < 3 { 1e-9 } else { 2e-5 };
                        assert!((a - b).abs() < rounding, "{name}: {a} for {b}");
                    }
                }
                // A conductor keeps all of the power of either polarisation.
                for path in &found {
                    let field = transport(path, place.scene(), place.surfaces());
                    let gain = field.gain(&both(), &both());
                    let expected = free_space(path.length);
                    assert!(
                        (gain / expected - 1.0).abs() < 1e-5,
                        "{gain} for {expected}"
                    );
                }
            }
        }
    }
}

/// Cells of coverage stand on planes of symmetry; sums of power beside those over the images.
#[test]
fn every_engine_of_coverage_sees_each_image_of_a_box_once() {
    let (tx, row) = (
        DVec3::new(2.0, 1.0, 1.2),
        Row::new([3.0, 1.0, 1.2], [0.5, 0.5, 0.3], 3),
    );
    let engines = [
        Engine::Points,
        Engine::Tubes(Accuracy::Default),
        Engine::Tubes(Accuracy::Exact),
    ];
    for form in 0..2 {
        let place = conductor(&room(form));
        for most in 1..=3 {
            let limits = limits(most, [most, 0, 0, 0]);
            for engine in engines {
                for (line, row) in [
                    (
                        "in line",
                        Row {
                            step: DVec3::new(1.0, 0.25, 0.1),
                            count: 1,
                            ..row
                        },
                    ),
                    ("aslant", row),
                ] {
                    let found = engine.received(&place, &at(tx.to_array(), both()), &row, &limits);
                    for (found, rx) in found.iter().zip(row.points()) {
                        let images = image_distances(tx, rx, most).concat();
                        let expected: f64 = images.iter().map(|d| free_space(*d)).sum();
                        let db = 10.0 * (found.gain / expected).log10();
                        assert!(
                            db.abs() < 0.02,
                            "{engine:?}, form {form}, {most} R, {line}, {rx}: {db} dB"
                        );
                    }
                }
            }
        }
    }
}

/// A wall that stands on a floor, of conductors, and devices in one place: the corner always sends a ray back.
#[test]
fn a_corner_sends_the_echo_back_from_everywhere() {
    let mut mesh = Mesh::default();
    let v = DVec3::new;
    let floor = [
        v(-9., -9., 0.),
        v(0., -9., 0.),
        v(0., 9., 0.),
        v(-9., 9., 0.),
    ];
    let wall = [v(0., -9., 0.), v(0., -9., 9.), v(0., 9., 9.), v(0., 9., 0.)];
    add_polygon(&mut mesh, "floor", &floor);
    add_polygon(&mut mesh, "wall", &wall);
    let limits = limits(2, [2, 0, 0, 0]);
    for (mesh, turn) in [
        (mesh.clone(), false),
        (turned(&mesh), true),
        (in_single_precision(&turned(&mesh)), true),
    ] {
        let place = conductor(&mesh);
        for k in 0..40_u32 {
            let angle = 0.5 * PI * (f64::from(k) + 0.5) / 40.0;
            let p = v(-4.0 * angle.cos(), 0.1 * f64::from(k), 4.0 * angle.sin());
            for aside in [0.0, 0.2, 1e-7, 1e-5] {
                let (tx, rx) = (p, p + v(0.0, aside, 0.0));
                let expected = (64.0 + aside * aside).sqrt();
                let [tx, rx] = [tx, rx].map(|p| if turn { odd_turn() * p } else { p });
                for search in [Search::Exhaustive, Search::Complete, Search::default()] {
                    let found = paths(&place, tx, &[rx], &limits, search);
                    let lengths = sorted_lengths(&found, 2);
                    assert_eq!(lengths.len(), 1, "{search:?}, {p}, {aside}");
                    assert!((lengths[0] - expected).abs() < 2e-5, "{lengths:?}");
                }
            }
        }
    }
}

/// Near the border between both orders of two walls of concrete that are square up to the rounding of files, at any distance from it: exactly one order.
#[test]
fn exactly_one_order_counts_on_either_side_of_the_border_and_on_it() {
    let material = Material::from_name("concrete").unwrap();
    for angle in [0.0, 3e-8, -3e-8, 1e-6, -1e-6, 2e-5, -2e-5] {
        let mut mesh = Mesh::default();
        add_box(&mut mesh, "wall", DVec3::ZERO, SIZE);
        // All of its upright walls lean a little.
        for vertex in &mut mesh.vertices {
            *vertex += DVec3::new(angle * vertex.z, angle * vertex.z, 0.0);
        }
        let place = place::of(&mesh, std::slice::from_ref(&material));
        let tx = DVec3::new(2.0, 1.0, 1.2);
        for aside in [
            0.0, 1e-9, 1e-8, 1e-7, 5e-7, 1e-6, 2e-6, 4e-6, 1e-5, 5e-5, 1e-4, 1e-3,
        ] {
            for sign in [-1.0, 1.0] {
                let rx = DVec3::new(6.0, 1.0 + sign * aside, 1.2);
                let limits = limits(2, [2, 0, 0, 0]);
                for search in [Search::Exhaustive, Search::Complete, Search::default()] {
                    let found = paths(&place, tx, &[rx], &limits, search);
                    let found = sorted_lengths(&found, 2).len();
                    assert_eq!(found, 18, "{search:?}, {angle}, {}", sign * aside);
                    let back = paths(&place, rx, &[tx], &limits, search);
                    assert_eq!(
                        sorted_lengths(&back, 2).len(),
                        18,
                        "back, {search:?}, {angle}"
                    );
                }
            }
        }
    }
}
