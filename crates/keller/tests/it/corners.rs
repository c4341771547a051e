//! Waves that meet the common edge of walls, or their corner, in rooms with both ends on planes of symmetry. Each image of a room whose
//! walls meet at angles of pi over whole numbers is seen exactly once, by every search and engine: in a box there are `4 n² + 2` paths of
//! `n` reflections.

use std::f64::consts::PI;

use crate::common::engines::{Engine, Row, link_paths};
use crate::common::place::{self, at, both, free_space};
use crate::common::turning::{odd_turn, turned, turned_in_all_ways};
use crate::common::{add_box, add_polygon, paths};
use crate::laws::limits;
use keller::coverage::tubes::Accuracy;
use keller::field::PathField;
use keller::materials::{Material, Medium};
use keller::paths::{Effort, Path, Search};
use keller::scene::Mesh;
use keller::{DVec3, World};

const SIZE: DVec3 = DVec3::new(8.0, 4.0, 3.0);

const ENGINES: [Engine; 3] = [
    Engine::Points,
    Engine::Tubes(Accuracy::Default),
    Engine::Tubes(Accuracy::Exact),
];

/// The number of changes that may happen to a room on its way into a file.
const FORMS: usize = 4;

/// A room whose walls meet at angles of pi over whole numbers: reflections fill space with images of it, each of them
/// once.
struct Room {
    name: &'static str,
    /// Its plan, anticlockwise.
    plan: Vec<[f64; 2]>,
    /// The number of reflections to look for.
    most: usize,
    ends: Vec<[DVec3; 2]>,
}

impl Room {
    fn all() -> [Self; 4] {
        let v = DVec3::new;
        let room = |name, plan: &[[f64; 2]], most, ends: &[[DVec3; 2]]| Self {
            name,
            plan: plan.to_vec(),
            most,
            ends: ends.to_vec(),
        };
        let root = 3.0_f64.sqrt();
        [
            room(
                "box",
                &[[0., 0.], [8., 0.], [8., 4.], [0., 4.]],
                4,
                &BOX_ENDS,
            ),
            // Corners of 60 degrees.
            room(
                "triangle",
                &[[0., 0.], [6., 0.], [3., 3. * root]],
                4,
                &[
                    [v(3., root, 1.5), v(3., root, 1.5)],
                    [v(3., root, 1.5), v(3., 1.0, 1.2)],
                    [v(3., 2.5, 1.0), v(3., 0.5, 1.0)],
                    [v(2.2, 1.1, 1.2), v(3.8, 1.1, 2.0)],
                    // The Rx is the Tx mirrored in a bisector, and at another distance from its corner.
                    [v(2.2, 1.1, 1.2), v(3.64, 0.88 + 0.6 * root, 1.8)],
                    [v(2.1, 0.7, 1.9), v(3.6, 1.3, 0.4)],
                ],
            ),
            // Two of 45 degrees.
            room(
                "half a square",
                &[[0., 0.], [6., 0.], [0., 6.]],
                5,
                &[
                    [v(1.5, 1.5, 1.2), v(2.5, 2.5, 1.2)],
                    [v(1.5, 1.0, 1.5), v(1.5, 1.0, 1.5)],
                    [v(3.0, 1.0, 1.0), v(4.5, 0.5, 1.7)],
                    [v(3.0, 1.0, 1.0), v(1.0, 3.0, 1.0)],
                    [v(2.1, 0.7, 1.9), v(3.6, 1.3, 0.4)],
                ],
            ),
            // 30, 60 and 90 degrees.
            room(
                "half a triangle",
                &[[0., 0.], [6., 0.], [0., 2. * root]],
                6,
                &[
                    [v(2.0, 1.0, 1.2), v(4.0, 0.5, 1.5)],
                    [v(2.0, 1.0, 1.5), v(2.0, 1.0, 1.5)],
                    [v(2.1, 0.7, 1.9), v(1.6, 1.3, 0.4)],
                ],
            ),
        ]
    }

    fn mesh(&self, form: usize) -> Mesh {
        let mut mesh = Mesh::default();
        let at = |[x, y]: [f64; 2], z: f64| DVec3::new(x, y, z);
        let n = self.plan.len();
        for (k, &from) in self.plan.iter().enumerate() {
            let to = self.plan[(k + 1) % n];
            let wall = [at(from, 0.0), at(to, 0.0), at(to, SIZE.z), at(from, SIZE.z)];
            add_polygon(&mut mesh, "wall", &wall);
        }
        for z in [0.0, SIZE.z] {
            let floor: Vec<DVec3> = self.plan.iter().map(|p| at(*p, z)).collect();
            add_polygon(&mut mesh, "wall", &floor);
        }
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

    /// The distances of the images of `tx` from `rx`, by the number of reflections, each sorted.
    fn image_distances(&self, tx: DVec3, rx: DVec3, max_reflections: usize) -> Vec<Vec<f64>> {
        let walls = self.plan.iter().zip(self.plan.iter().cycle().skip(1));
        let mut mirrors: Vec<(DVec3, DVec3)> = walls
            .map(|(from, to)| {
                let along = DVec3::new(to[0] - from[0], to[1] - from[1], 0.0);
                let from = DVec3::new(from[0], from[1], 0.0);
                (from, along.cross(DVec3::Z).normalize())
            })
            .collect();
        mirrors.extend([(DVec3::ZERO, DVec3::Z), (DVec3::Z * SIZE.z, DVec3::Z)]);
        let mut images = vec![vec![tx]];
        for _ in 0..max_reflections {
            let mut next: Vec<DVec3> = Vec::new();
            let last = images.last().unwrap();
            for (point, normal) in &mirrors {
                for image in last {
                    let image = *image - 2.0 * (*image - *point).dot(*normal) * *normal;
                    let is_known = |other: &DVec3| other.distance(image) < 1e-6;
                    if !images.iter().flatten().chain(&next).any(is_known) {
                        next.push(image);
                    }
                }
            }
            images.push(next);
        }
        let distances = |order: &Vec<DVec3>| {
            let mut distances: Vec<f64> = order.iter().map(|image| image.distance(rx)).collect();
            distances.sort_by(f64::total_cmp);
            distances
        };
        images.iter().map(distances).collect()
    }
}

/// Ends on planes of symmetry and diagonals: in line, one place, in the centre, and others.
const BOX_ENDS: [[DVec3; 2]; 9] = {
    const fn v(x: f64, y: f64, z: f64) -> DVec3 {
        DVec3::new(x, y, z)
    }
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
};

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

fn sorted_lengths(paths: &[Path], order: usize) -> Vec<f64> {
    let own = paths.iter().filter(|path| path.vertices.len() == order);
    let mut lengths: Vec<f64> = own.map(|path| path.length).collect();
    lengths.sort_by(f64::total_cmp);
    lengths
}

#[test]
fn every_search_sees_each_image_of_a_room_once() {
    for room in Room::all() {
        for form in 0..FORMS {
            let place = conductor(&room.mesh(form));
            for search in [
                Search::Exhaustive,
                Search::Complete,
                Search::Launch(Effort::Default),
                Search::Tiles,
            ] {
                // Tiles of a metre: fewer reflections take long enough.
                let most = match search {
                    Search::Tiles => room.most - 2,
                    _ => room.most,
                };
                for ends in &room.ends {
                    let name = format!("{search:?}, {}, form {form}", room.name);
                    each_image_is_seen_once(&room, &place, form, *ends, (search, most), &name);
                }
            }
        }
    }
}

fn each_image_is_seen_once(
    room: &Room,
    place: &World,
    form: usize,
    [tx, rx]: [DVec3; 2],
    (search, most): (Search, usize),
    name: &str,
) {
    let expected = room.image_distances(tx, rx, most);
    if room.name == "box" {
        let num = expected.iter().map(Vec::len);
        for (n, num) in num.enumerate() {
            let expected = if n == 0 { 1 } else { 4 * n * n + 2 };
            assert_eq!(num, expected, "{n} reflections");
        }
    }
    let (from, to) = (put(form, tx), put(form, rx));
    let limits = limits(most, [most, 0, 0, 0]);
    let found = link_paths(place, from, &[to], &limits, search);
    for (order, expected) in expected.iter().enumerate() {
        let name = format!("{name}, {tx} to {rx}, order {order}");
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
        let field = PathField::new(path, place);
        let gain = field.gain(&both(), &both());
        let expected = free_space(path.length);
        assert!(
            (gain / expected - 1.0).abs() < 1e-5,
            "{name}: {gain} for {expected}"
        );
    }
}

/// Compares sums of power with those over the images.
#[test]
fn every_engine_of_coverage_sees_each_image_of_a_room_once() {
    for room in Room::all() {
        for form in 0..FORMS {
            let place = conductor(&room.mesh(form));
            for [tx, rx] in room.ends.iter().filter(|ends| ends[0] != ends[1]) {
                let from = at(put(form, *tx).to_array(), both());
                let row = Row::of_one(put(form, *rx));
                // Tubes at a corner of three walls are too coarse by default.
                let leads_to_a_vertex = *rx == 2.0 * *tx;
                // Walls in single precision reflect to places some 10 um apart in either order. That is too much for tubes.
                let engines = match form {
                    0..3 => &ENGINES[..],
                    _ => &ENGINES[..1],
                };
                for most in 1..room.most {
                    let limits = limits(most, [most, 0, 0, 0]);
                    let images = room.image_distances(*tx, *rx, most).concat();
                    let expected: f64 = images.iter().map(|d| free_space(*d)).sum();
                    for &engine in engines {
                        let is_rough = engine == Engine::Tubes(Accuracy::Default);
                        if is_rough && leads_to_a_vertex {
                            continue;
                        }
                        let found = engine.received(&place, &from, &row, &limits)[0].gain;
                        let db = 10.0 * (found / expected).log10();
                        assert!(
                            db.abs() < 0.005,
                            "{engine:?}, {}, form {form}, {most} R, {tx} to {rx}: {db} dB",
                            room.name
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

/// Exactly one order counts near the border between both orders of two walls of concrete that are square up to the
/// rounding of files, at any distance from it.
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
