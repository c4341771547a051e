//! Surfaces that a mesh draws by facets at angles too small for wedges: they reflect wherever a smooth surface would,
//! once, and as strongly as geometrical optics has it.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests count small things"
)]

use std::f64::consts::PI;

use crate::common::{Random, add_polygon, shuffled, split_in_four};
use keller::field::PathField;
use keller::materials::Materials;
use keller::paths::{Devices, Limits, Path, PathOptions, Search, find_paths};
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3, Frequency, World};

/// A surface over the plane, and the mesh by which it is drawn.
struct Surface<'a> {
    height: &'a dyn Fn(f64, f64) -> f64,
    mesh: Mesh,
}

impl<'a> Surface<'a> {
    /// Squares or strips between these lines, cut where they are not flat.
    fn new(height: &'a dyn Fn(f64, f64) -> f64, xs: &[f64], ys: &[f64]) -> Self {
        let mut mesh = Mesh::default();
        let at = |x: f64, y: f64| DVec3::new(x, y, height(x, y));
        for (i, x) in xs.windows(2).enumerate() {
            for (j, y) in ys.windows(2).enumerate() {
                let [a, b, c, d] = [
                    at(x[0], y[0]),
                    at(x[1], y[0]),
                    at(x[1], y[1]),
                    at(x[0], y[1]),
                ];
                let halves = if (i + j) % 2 == 0 {
                    [[a, b, c], [a, c, d]]
                } else {
                    [[a, b, d], [b, c, d]]
                };
                for half in halves {
                    add_polygon(&mut mesh, "pec", &half);
                }
            }
        }
        Self { height, mesh }
    }

    fn world(&self) -> World {
        let scene = Scene::new(&self.mesh).unwrap();
        let frequency = Frequency::from_ghz(1.0).unwrap();
        World::new(scene, &Materials::default(), frequency).unwrap()
    }

    /// The point of the smooth surface over which the way between two points is shortest.
    fn mirror_point(&self, tx: DVec3, rx: DVec3) -> DVec3 {
        let at = |x: f64, y: f64| DVec3::new(x, y, (self.height)(x, y));
        let length = |x: f64, y: f64| {
            let p = at(x, y);
            p.distance(tx) + p.distance(rx)
        };
        let (mut p, mut step) = (0.5 * (tx + rx), 64.0);
        while step > 1e-7 {
            let around = [[step, 0.0], [-step, 0.0], [0.0, step], [0.0, -step]];
            let better = around
                .iter()
                .map(|[x, y]| [p.x + x, p.y + y])
                .min_by(|a, b| length(a[0], a[1]).total_cmp(&length(b[0], b[1])))
                .filter(|q| length(q[0], q[1]) < length(p.x, p.y));
            match better {
                Some([x, y]) => p = DVec3::new(x, y, 0.0),
                None => step *= 0.5,
            }
        }
        at(p.x, p.y)
    }
}

fn lines(from: f64, to: f64, step: f64) -> Vec<f64> {
    let count = ((to - from) / step).round() as usize;
    (0..=count).map(|k| from + k as f64 * step).collect()
}

const REFLECTIONS: Limits = Limits {
    line_of_sight: true,
    max_interactions: 1,
    max_reflections: 1,
    max_transmissions: 0,
    max_diffractions: 0,
    max_scatterings: 0,
    max_depth: usize::MAX,
    free_edges: false,
    reflections_between_edges: true,
};

fn reflected(world: &World, tx: &[DVec3], rx: &[DVec3], options: PathOptions) -> Vec<Path> {
    let [tx, rx] = [
        Devices::tx(world.scene(), tx),
        Devices::rx(world.scene(), rx),
    ]
    .map(Result::unwrap);
    let mut paths = find_paths(world, &tx, &rx, &options, &Control::default()).unwrap();
    paths.retain(|path| !path.is_line_of_sight());
    paths
}

fn by(search: Search) -> PathOptions {
    PathOptions {
        limits: REFLECTIONS,
        search: Some(search),
    }
}

/// The amplitude of a path over a perfect conductor by geometrical optics, for these principal curvatures along and across the
/// plane of incidence.
fn optics(
    world: &World,
    [tx, at, rx]: [DVec3; 3],
    normal: DVec3,
    [along, across]: [f64; 2],
) -> f64 {
    let (a, b) = (tx.distance(at), at.distance(rx));
    let cosine = (tx - at).normalize().dot(normal);
    let both = a * b / (a + b);
    let spread = (1.0 + 2.0 * both * along / cosine) * (1.0 + 2.0 * both * across * cosine);
    world.frequency().wavelength() / (4.0 * PI * (a + b)) / spread.sqrt()
}

fn amplitude(path: &Path, world: &World) -> f64 {
    let [[a, b], [c, d]] = PathField::new(path, world).coefficient;
    ((a.norm_sqr() + b.norm_sqr() + c.norm_sqr() + d.norm_sqr()) / 2.0).sqrt()
}

fn db(a: f64, b: f64) -> f64 {
    20.0 * (a / b).log10()
}

const HILL: f64 = 3000.0;

fn hill(x: f64, _: f64) -> f64 {
    (HILL * HILL - x * x).sqrt() - HILL
}

#[test]
fn a_hill_of_gentle_facets_reflects_to_every_place_in_sight_once_by_every_search() {
    let surface = Surface::new(&hill, &lines(-600., 600., 20.), &[-200., 200.]);
    let world = surface.world();
    let tx = DVec3::new(-400.0, 0.0, hill(-400.0, 0.0) + 30.0);
    let rx: Vec<DVec3> = (0..60)
        .map(|k| DVec3::new(-150.0 + 5.0 * f64::from(k), f64::from(k % 7) * 9.0, 0.0))
        .map(|p| p.with_z(hill(p.x, 0.0) + 1.5))
        .collect();
    let mut first: Option<Vec<Path>> = None;
    for search in [
        Search::Exhaustive,
        Search::Complete,
        Search::default(),
        Search::Tiles,
    ] {
        let found = reflected(&world, &[tx], &rx, by(search));
        let first = first.get_or_insert_with(|| found.clone());
        if search == Search::Tiles {
            // It may miss facets that it sees through small parts of tiles alone.
            assert!(found.len() * 20 >= first.len() * 19, "{}", found.len());
        } else {
            assert!(
                *first == found,
                "{search:?}: {} {}",
                first.len(),
                found.len()
            );
        }
    }
    let found = first.unwrap();
    let mut num_in_sight = 0;
    for (r, rx) in rx.iter().enumerate() {
        // The straight line over the horizon touches the hill.
        let low = (0..=1000).map(|k| tx.lerp(*rx, f64::from(k) / 1000.0));
        let clearance = low
            .map(|p| p.z - hill(p.x, p.y))
            .fold(f64::INFINITY, f64::min);
        let of_rx: Vec<&Path> = found.iter().filter(|path| path.rx == r).collect();
        if clearance > 0.01 {
            num_in_sight += 1;
            assert_eq!(of_rx.len(), 1, "{r}: {clearance}");
            let at = surface.mirror_point(tx, *rx);
            let normal = DVec3::new(at.x, 0.0, at.z + HILL).normalize();
            // The plane of incidence is upright and nearly along x.
            let turn = (*rx - tx).truncate().normalize();
            let curved = [turn.x.powi(2) / HILL, turn.y.powi(2) / HILL];
            let expected = optics(&world, [tx, at, *rx], normal, curved);
            let off = db(amplitude(of_rx[0], &world), expected);
            // Facets are tilted by up to 0.2 degrees against the hill, which counts at grazing incidence.
            let is_steep = (tx - at).normalize().dot(normal) > 0.05;
            assert!(off.abs() < if is_steep { 0.3 } else { 2.0 }, "{r}: {off}");
            let length = tx.distance(at) + at.distance(*rx);
            assert!((of_rx[0].length - length).abs() < 0.01, "{r}");
        }
    }
    assert!(num_in_sight > 50, "{num_in_sight}");
}

#[test]
fn the_field_over_a_hill_is_continuous_and_reciprocal() {
    let surface = Surface::new(&hill, &lines(-200., 200., 20.), &[-100., 100.]);
    let world = surface.world();
    let tx = DVec3::new(-90.0, -3.0, 25.0);
    let rx: Vec<DVec3> = (0..4000)
        .map(|k| DVec3::new(40.0 + 0.02 * f64::from(k), 5.0, 20.0))
        .collect();
    let found = reflected(&world, &[tx], &rx, by(Search::Complete));
    assert_eq!(found.len(), rx.len());
    let mut num_joints = 0;
    for pair in found.windows(2) {
        let [a, b] = [0, 1].map(|k| pair[k].vertices[0].point);
        assert!(a.distance(b) < 0.05, "{a} {b}");
        num_joints += usize::from(a.x == b.x);
        let [a, b] = [0, 1].map(|k| amplitude(&pair[k], &world));
        assert!(db(a, b).abs() < 0.01, "{}", db(a, b));
        assert!((pair[0].length - pair[1].length).abs() < 0.03);
    }
    assert!(num_joints > 100, "{num_joints}");
    // The other way round.
    for path in found.iter().step_by(37) {
        let back = reflected(&world, &[path.rx_position], &[tx], by(Search::Complete));
        assert_eq!(
            back[0].sequence(world.scene()),
            path.sequence(world.scene())
        );
        assert!(back[0].vertices[0].point.distance(path.vertices[0].point) < 1e-9);
        let [there, back] = [path, &back[0]].map(|p| PathField::new(p, &world).coefficient);
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let off = (there[i][j] - back[j][i]).norm();
            assert!(off < 1e-12, "{off}");
        }
    }
}

const BALL: f64 = 800.0;

fn ball(x: f64, y: f64) -> f64 {
    (BALL * BALL - x * x - y * y).sqrt() - BALL
}

#[test]
fn a_ball_of_triangles_reflects_once_wherever_its_ends_are() {
    let steps = lines(-80., 80., 5.0);
    let surface = Surface::new(&ball, &steps, &steps);
    let world = surface.world();
    let mut random = Random(5);
    let (mut offs, mut num) = (Vec::new(), 0);
    for _ in 0..12 {
        let mut end = |low: f64| {
            let [x, y] = [0, 1].map(|_| random.range(-40.0, 40.0));
            DVec3::new(x, y, random.range(low, 60.0))
        };
        let tx = end(5.0);
        let rx: Vec<DVec3> = (0..30).map(|_| end(2.0)).collect();
        let found = reflected(&world, &[tx], &rx, by(Search::Complete));
        num += rx.len();
        assert_eq!(found.len(), rx.len());
        for (path, rx) in found.iter().zip(&rx) {
            let at = surface.mirror_point(tx, *rx);
            let normal = (at + DVec3::Z * BALL).normalize();
            let expected = optics(&world, [tx, at, *rx], normal, [1.0 / BALL; 2]);
            offs.push(db(amplitude(path, &world), expected));
        }
    }
    offs.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let (middle, most) = (offs[num / 2], offs[num - 1]);
    assert!(middle.abs() < 0.1 && most.abs() < 0.5, "{middle} {most}");
}

#[test]
fn rough_ground_of_triangles_never_lacks_its_reflection() {
    // The surface is convex on the whole, with heights that are off by some millimetres: creases turn both ways.
    let mut random = Random(11);
    let noise: Vec<f64> = (0..64 * 64).map(|_| random.range(-0.002, 0.002)).collect();
    let height = move |x: f64, y: f64| {
        let [i, j] = [x, y].map(|v| (v / 4.0 + 16.0).round().clamp(0.0, 63.0) as usize);
        ball(x, y) + noise[64 * i + j]
    };
    let steps = lines(-60., 60., 4.0);
    let surface = Surface::new(&height, &steps, &steps);
    let world = surface.world();
    let tx = DVec3::new(-20.0, 7.0, 15.0);
    let rx: Vec<DVec3> = (0..300)
        .map(|_| DVec3::new(random.range(-30., 30.), random.range(-30., 30.), 12.0))
        .collect();
    let found = reflected(&world, &[tx], &rx, by(Search::Complete));
    for r in 0..rx.len() {
        assert!(found.iter().any(|path| path.rx == r), "{r}");
    }
    for (k, path) in found.iter().enumerate() {
        let others = found[..k].iter().filter(|other| other.rx == path.rx);
        let sequence = path.sequence(world.scene());
        for other in others {
            assert_ne!(other.sequence(world.scene()), sequence);
        }
    }
}

#[test]
fn a_valley_reflects_as_its_facets_do() {
    let valley = |x: f64, y: f64| -hill(x, y);
    let surface = Surface::new(&valley, &lines(-100., 100., 10.), &[-100., 100.]);
    let world = surface.world();
    let tx = DVec3::new(-30.0, 0.0, 20.0);
    let rx: Vec<DVec3> = (0..200)
        .map(|k| DVec3::new(0.3 * f64::from(k) - 20.0, 3.0, 15.0))
        .collect();
    let found = reflected(&world, &[tx], &rx, by(Search::Complete));
    assert!(found.len() >= rx.len());
    for path in &found {
        let expected = world.frequency().wavelength() / (4.0 * PI * path.length);
        assert!((amplitude(path, &world) / expected - 1.0).abs() < 1e-12);
    }
    // No facet reflects worse for its neighbours.
    let scene = world.scene();
    let own = scene.planes().iter().map(|plane| {
        let image = plane.mirror(tx);
        let is_on = |rx: &DVec3| {
            let at = plane.between(image, *rx);
            scene.faces().iter().enumerate().any(|(f, face)| {
                *scene.plane(face.plane) == *plane
                    && scene.face_at(face.plane, at) == Some(keller::scene::FaceId::from_index(f))
            })
        };
        rx.iter().filter(|rx| is_on(rx)).count()
    });
    assert_eq!(found.len(), own.sum::<usize>());
}

#[test]
fn curved_surfaces_do_not_depend_on_how_their_facets_are_cut() {
    let steps = lines(-80., 80., 5.0);
    let strips = Surface::new(&hill, &lines(-200., 200., 20.), &[-100., 100.]);
    let squares = Surface::new(&ball, &steps, &steps);
    for surface in [strips, squares] {
        let tx = DVec3::new(-30.0, -3.0, 25.0);
        let rx: Vec<DVec3> = (0..60)
            .map(|k| DVec3::new(f64::from(k), 5.0, 20.0))
            .collect();
        let all = [
            surface.mesh.clone(),
            split_in_four(&surface.mesh),
            shuffled(&surface.mesh, 3),
        ]
        .map(|mesh| {
            let world = Surface {
                mesh,
                height: surface.height,
            }
            .world();
            let found = reflected(&world, &[tx], &rx, by(Search::Complete));
            let field = |path: &Path| (path.rx, path.length, amplitude(path, &world));
            found.iter().map(field).collect::<Vec<_>>()
        });
        assert_eq!(all[0].len(), rx.len());
        for other in &all[1..] {
            assert_eq!(all[0].len(), other.len());
            for (a, b) in all[0].iter().zip(other) {
                assert_eq!(a.0, b.0);
                assert!((a.1 - b.1).abs() < 1e-9 && (a.2 / b.2 - 1.0).abs() < 1e-6);
            }
        }
    }
}

#[test]
fn a_path_by_a_curved_wall_and_a_floor_is_there_everywhere() {
    // A wall along x that bulges towards the devices, over a flat floor.
    let bulge = |x: f64, _: f64| hill(x, 0.0);
    let mut surface = Surface::new(&bulge, &lines(-100., 100., 10.), &[0.0, 30.0]);
    for p in &mut surface.mesh.vertices {
        *p = DVec3::new(p.x, -p.z, p.y);
    }
    let floor = [[-90., -60.], [90., -60.], [90., -0.5], [-90., -0.5]];
    add_polygon(
        &mut surface.mesh,
        "pec",
        &floor.map(|[x, y]| DVec3::new(x, y, 0.0)),
    );
    let world = surface.world();
    let tx = DVec3::new(-20.0, -20.0, 6.0);
    let rx: Vec<DVec3> = (0..400)
        .map(|k| DVec3::new(0.1 * f64::from(k) - 10.0, -15.0, 4.0))
        .collect();
    let options = PathOptions {
        limits: Limits {
            max_interactions: 2,
            max_reflections: 2,
            ..REFLECTIONS
        },
        search: Some(Search::Exhaustive),
    };
    let found = reflected(&world, &[tx], &rx, options);
    let of_two = found.iter().filter(|path| path.vertices.len() == 2);
    // The wall stands upright on the floor, so that both orders of one corner are exclusive.
    let mut counts = vec![0; rx.len()];
    for path in of_two {
        counts[path.rx] += 1;
    }
    assert!(counts.iter().all(|count| *count == 1), "{counts:?}");
    let complete = PathOptions {
        search: Some(Search::Complete),
        ..options
    };
    assert_eq!(reflected(&world, &[tx], &rx, complete), found);
}
