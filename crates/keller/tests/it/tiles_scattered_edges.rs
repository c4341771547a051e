//! Power that is diffracted after it was scattered, on surfaces: compared with exact paths from small patches, and its
//! limits.

use std::f64::consts::PI;

use keller::coverage::tiles::{TileCoverage, TileField};
use keller::em::scattering;
use keller::field::PathField;
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{Limits, Search};
use keller::scene::{Mesh, PlaneId};
use keller::tiles::Tile;
use keller::units::power_to_db;
use keller::{Complex64, Control, DVec3, World};

use crate::common::place::{self, at, both, corners, free_space, is_along_own_wall, wavelength};
use crate::common::turning::{odd_turn, turned};
use crate::common::{add_box, add_polygon, inside_out, paths, split_in_four};

/// Conductors, of which those with `rough` in their names scatter all that falls on them.
fn conductors(mesh: &Mesh, lobe: Lobe) -> World {
    let conductor = Material::HalfSpace(Medium::PerfectConductor);
    let rough = conductor.clone().with_texture(Texture {
        scattering: Some(Scattering {
            coefficient: 1.0,
            cross_polarization: 0.0,
            lobe,
        }),
        roughness: 0.0,
    });
    let materials = mesh.materials.iter().map(|of| {
        let is_rough = of.name.contains("rough");
        if is_rough { &rough } else { &conductor }.clone()
    });
    place::of(mesh, &materials.collect::<Vec<_>>())
}

fn limits(interactions: usize, diffractions: usize, scatterings: usize) -> Limits {
    Limits {
        max_interactions: interactions,
        max_reflections: 0,
        max_diffractions: diffractions,
        max_scatterings: scatterings,
        free_edges: true,
        ..Limits::default()
    }
}

/// Fields on tiles of 1 m, with the sums that tests need.
struct Fields {
    world: World,
    coverage: TileCoverage,
    sides: Vec<[TileField; 2]>,
}

impl Fields {
    fn new(world: &World, tx: DVec3, limits: &Limits) -> Self {
        Self::over(world, tx, limits, 0.0)
    }

    fn over(world: &World, tx: DVec3, limits: &Limits, min_gain: f64) -> Self {
        let coverage = place::coverage(world, limits, 1.0).with_min_gain(min_gain);
        let tx = at(tx.to_array(), both());
        Self {
            world: world.clone(),
            sides: coverage.fields(&tx, &Control::default()).unwrap(),
            coverage,
        }
    }

    /// The tiles of faces of a material, with the fields on their fronts.
    fn fronts(&self, material: &str) -> impl Iterator<Item = (&Tile, &TileField)> {
        let scene = self.world.scene();
        let is_wanted = move |tile: &Tile| {
            let of_tile = scene.face(tile.face).material.index();
            scene.materials()[of_tile] == material
        };
        let tiles = self.coverage.environment().tiles.all().iter();
        let both = tiles.zip(&self.sides);
        both.filter(move |(tile, _)| is_wanted(tile))
            .map(|(tile, sides)| (tile, &sides[0]))
    }

    fn front_gains(&self, material: &str) -> Vec<f64> {
        let fronts = self.fronts(material);
        fronts.map(|(_, field)| field.diffuse_gain).collect()
    }

    /// Power on all tiles over that of the Tx.
    fn power(&self) -> f64 {
        self.sides.iter().flatten().map(|f| f.incident_power).sum()
    }
}

/// A square of the rough wall, so small that its centre stands for all of it.
struct Patch {
    centre: DVec3,
    normal: DVec3,
    area: f64,
    /// Unit vector to the Tx, and the gain of that way.
    into: DVec3,
    gain: f64,
}

/// Squares of a quarter of a metre of a rough wall of three metres, of which the Tx sees all.
fn patches([a, b, _, d]: [[f64; 3]; 4], tx: DVec3) -> Vec<Patch> {
    const NUM: u32 = 12;
    let [a, b, d] = [a, b, d].map(|p| odd_turn() * DVec3::from(p));
    let [along, up] = [b - a, d - a];
    let patch = |place: u32| {
        let [x, y] = [place % NUM, place / NUM].map(|k| (f64::from(k) + 0.5) / f64::from(NUM));
        let centre = a + x * along + y * up;
        Patch {
            centre,
            normal: along.cross(up).normalize(),
            area: along.cross(up).length() / f64::from(NUM * NUM),
            into: (tx - centre).normalize(),
            gain: free_space(tx.distance(centre)),
        }
    };
    (0..NUM * NUM).map(patch).collect()
}

/// The gain at points in a plane of all that the patches scatter and that goes round one edge: the sum over the exact
/// paths from each of them, the mean of both polarisations. Paths along that plane are left out.
fn exact_gains(
    world: &World,
    patches: &[Patch],
    lobe: Lobe,
    points: &[DVec3],
    plane: PlaneId,
) -> Vec<f64> {
    let mut gains = vec![0.0; points.len()];
    for patch in patches {
        let from = patch.centre + 1e-3 * patch.normal;
        for path in paths(world, from, points, &limits(1, 1, 0), Search::Complete) {
            let Some(edge) = path.vertices.first() else {
                continue;
            };
            if is_along_own_wall(world, &path, plane) {
                continue;
            }
            let out = (edge.point - patch.centre).normalize();
            let [cos_in, cos_out] = [patch.into, out].map(|way| way.dot(patch.normal));
            if cos_out <= 0.0 {
                continue;
            }
            let specular = 2.0 * cos_in * patch.normal - patch.into;
            let [ahead, back] = [out.dot(specular), out.dot(patch.into)];
            let sent = scattering::lobe(lobe, cos_in, cos_out, ahead, back) * patch.area;
            let field = PathField::new(&path, world);
            let cells = field.coefficient.as_flattened().iter();
            let received = 0.5 * cells.map(Complex64::norm_sqr).sum::<f64>();
            gains[path.rx] += patch.gain * sent * received / free_space(1.0);
        }
    }
    gains
}

/// A house at whose corner a rough wall stands before one side, and a plate of this extent before the other. The Tx.
fn corner([from, to]: [f64; 2]) -> (Mesh, DVec3) {
    let mut mesh = Mesh::default();
    let house = [[-20., -20., -12.], [0., 0., 15.]].map(DVec3::from);
    add_box(&mut mesh, "house", house[0], house[1]);
    add_polygon(&mut mesh, "rough", &corners(&BESIDE_CORNER));
    let plate = [[from, 4., -2.], [to, 4., -2.], [to, 4., 4.], [from, 4., 4.]];
    add_polygon(&mut mesh, "plate", &corners(&plate));
    (turned(&mesh), odd_turn() * DVec3::new(1.0, -9.0, 5.0))
}

const BESIDE_CORNER: [[f64; 3]; 4] = [[3., -5., 0.], [3., -8., 0.], [3., -8., 3.], [3., -5., 3.]];

/// A screen between a rough wall and a plate. The Tx.
fn screen() -> (Mesh, DVec3) {
    let mut mesh = Mesh::default();
    let screen = [
        [0., -25., -20.],
        [0., 25., -20.],
        [0., 19., 4.],
        [0., -25., 6.],
    ];
    add_polygon(&mut mesh, "screen", &corners(&screen));
    add_polygon(&mut mesh, "rough", &corners(&BEFORE_SCREEN));
    let plate = [[7., 5., -4.], [9., -5., -4.], [9., -5., 8.], [7., 5., 8.]];
    add_polygon(&mut mesh, "plate", &corners(&plate));
    (turned(&mesh), odd_turn() * DVec3::new(-3.0, 2.0, -3.0))
}

const BEFORE_SCREEN: [[f64; 3]; 4] = [[-7., -2., 0.], [-7., 1., 0.], [-7., 1., 3.], [-7., -2., 3.]];

/// Compares the power with the sum of exact paths from small patches, from illuminated tiles into deep shadow, and on
/// the wall of a house by the edges of the plate, half of which the house hides.
#[test]
fn power_round_edges_is_that_of_exact_paths() {
    let [even, ahead] = [Lobe::Lambertian, Lobe::Directive { forward: 3 }];
    let places = [
        (corner([-9.0, 6.0]), BESIDE_CORNER, even, "plate"),
        (corner([-9.0, 6.0]), BESIDE_CORNER, even, "house"),
        (screen(), BEFORE_SCREEN, even, "plate"),
        (screen(), BEFORE_SCREEN, ahead, "plate"),
    ];
    for ((mesh, tx), rough, lobe, wanted) in places {
        let world = conductors(&mesh, lobe);
        let [straight, all] =
            [(1, 0), (2, 1)].map(|(n, d)| Fields::new(&world, tx, &limits(n, d, 1)));
        let is_wanted = |tile: &Tile| {
            let at = odd_turn().inverse() * tile.centre;
            let is_near = at.x > -6.0 && at.z > -6.0 && at.z < 8.0;
            wanted == "plate" || (at.y.abs() < 1e-6 && is_near)
        };
        let both = all.fronts(wanted).zip(straight.front_gains(wanted));
        let some: Vec<(&Tile, f64)> = both
            .filter(|((tile, _), _)| is_wanted(tile))
            .map(|((tile, all), straight)| (tile, all.diffuse_gain - straight))
            .step_by(3)
            .collect();
        let face = some[0].0.face;
        let plane = world.scene().plane_of(face);
        let before = 1e-3 * world.scene().face_normal(face);
        let points: Vec<DVec3> = some.iter().map(|(tile, _)| tile.centre + before).collect();
        let exact = exact_gains(&world, &patches(rough, tx), lobe, &points, plane);
        // The corner of the house hides a part of many patches.
        let most = if wanted == "plate" { 0.3 } else { 1.0 };
        for ((tile, found), expected) in some.iter().zip(&exact) {
            let off = power_to_db(found / expected);
            assert!(
                off.abs() < most,
                "{wanted}, {lobe:?}: {off} dB at {}",
                tile.centre
            );
        }
        let found: f64 = some.iter().map(|(_, found)| found).sum();
        let off = power_to_db(found / exact.iter().sum::<f64>());
        assert!(
            some.len() > 20 && off.abs() < 0.1,
            "{wanted}, {lobe:?}: {off} dB in all"
        );
    }
}

/// Power round an edge is scattered again: it is compared with the sum over the tiles on which it falls.
#[test]
fn what_goes_round_an_edge_is_scattered_again() {
    let (mut mesh, tx) = corner([-9.0, -4.0]);
    for material in &mut mesh.materials {
        if material.name == "plate" {
            material.name = "rough plate".to_owned();
        }
    }
    // It sees the plate, which is in the shadow, and not the illuminated wall.
    let wall = [
        [-13., 0.5, -2.],
        [-13., 3.5, -2.],
        [-13., 3.5, 4.],
        [-13., 0.5, 4.],
    ];
    let wall = wall.map(|p: [f64; 3]| odd_turn() * DVec3::from(p));
    add_polygon(&mut mesh, "wall", &wall);
    let world = conductors(&mesh, Lobe::Lambertian);
    let [paths, once, twice] =
        [(2, 0), (2, 1), (3, 2)].map(|(n, s)| Fields::new(&world, tx, &limits(n, 1, s)));
    let fronts = once.fronts("wall").zip(twice.front_gains("wall"));
    for ((tile, before), after) in fronts {
        let normal = world.scene().face_normal(tile.face);
        let mut expected = 0.0;
        let plate = once.fronts("rough plate").zip(paths.fronts("rough plate"));
        for ((from, field), (_, of_paths)) in plate {
            let way = tile.centre - from.centre;
            let cosine = way.normalize().dot(world.scene().face_normal(from.face));
            assert!(
                way.dot(normal) < 0.0 && cosine > 0.0,
                "they face each other"
            );
            let falling = field.incident_power - of_paths.incident_power;
            let gain = falling * wavelength().powi(2) / (4.0 * PI);
            expected += gain / PI * cosine / (way.length_squared() + from.area / PI);
        }
        let found = after - before.diffuse_gain;
        assert!((found / expected - 1.0).abs() < 0.03, "{found} {expected}");
    }
}

#[test]
fn limits_count_edges_behind_scatterings() {
    let (mesh, tx) = corner([-9.0, 6.0]);
    let world = conductors(&mesh, Lobe::Lambertian);
    let gains = |limits: Limits| Fields::new(&world, tx, &limits).sides;
    // One interaction is a scattering or a diffraction.
    let diffuse = |fields: &[[TileField; 2]]| -> Vec<f64> {
        fields.iter().flatten().map(|f| f.diffuse_gain).collect()
    };
    let [none, one] = [0, 1].map(|edges| diffuse(&gains(limits(1, edges, 1))));
    assert_eq!(none, one);
    let [none, one] = [0, 1].map(|edges| Fields::new(&world, tx, &limits(2, edges, 1)));
    let both = none
        .front_gains("plate")
        .into_iter()
        .zip(one.front_gains("plate"));
    let num_lit = both
        .filter(|(none, one)| *none == 0.0 && *one > 0.0)
        .count();
    assert!(num_lit > 20, "{num_lit} tiles in the shadow");
    // Free edges are edges only if they are asked for.
    let (mesh, tx) = screen();
    let world = conductors(&mesh, Lobe::Lambertian);
    let wedges = Limits {
        free_edges: false,
        ..limits(2, 1, 1)
    };
    assert_eq!(
        diffuse(&Fields::new(&world, tx, &wedges).sides),
        diffuse(&Fields::new(&world, tx, &limits(2, 0, 1)).sides)
    );
}

/// Edges before and behind a scattering count together.
#[test]
fn edges_on_both_sides_of_a_scattering_count_together() {
    let (mesh, _) = corner([-9.0, -4.0]);
    let world = conductors(&mesh, Lobe::Lambertian);
    // The Tx stands on the side of the plate, and reaches the rough wall by edges alone.
    let tx = odd_turn() * DVec3::new(-12.0, 1.5, 1.0);
    let dark = |limits: Limits| -> f64 {
        let fields = Fields::new(&world, tx, &limits);
        fields.front_gains("plate").iter().sum()
    };
    let [one, two] = [1, 2].map(|edges| dark(limits(3, edges, 1)));
    assert!(one == 0.0 && two > 0.0, "{one} {two}");
}

/// A room with a pillar, without losses: edges move power into shadows, and add little to all of it.
#[test]
fn edges_add_little_to_the_power_in_a_room() {
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "rough", DVec3::ZERO, DVec3::new(10.0, 8.0, 6.0));
    let mut mesh = inside_out(&mesh);
    add_box(
        &mut mesh,
        "rough",
        DVec3::new(4.0, 3.0, 0.0),
        DVec3::new(6.0, 4.5, 5.0),
    );
    let mesh = turned(&mesh);
    let world = conductors(&mesh, Lobe::Lambertian);
    let tx = odd_turn() * DVec3::new(2.0, 2.5, 2.9);
    let [direct, once, bent] = [(1, 0, 0), (1, 0, 1), (2, 1, 1)]
        .map(|(n, d, s)| Fields::new(&world, tx, &limits(n, d, s)));
    let edges = Fields::new(&world, tx, &limits(2, 1, 0));
    let scattered = once.power() - direct.power();
    let behind = bent.power() - edges.power() - scattered;
    let is_finite =
        |f: &TileField| f.path_gain.is_finite() && f.mean_delay.is_none_or(f64::is_finite);
    assert!(bent.sides.iter().flatten().all(is_finite));
    assert!(
        behind > 0.0 && behind < 0.05 * scattered,
        "{behind} of {scattered}"
    );
}

/// Neither threads nor triangles nor the fronts of faces change the power round edges.
#[test]
fn power_round_edges_does_not_depend_on_threads_or_triangles() {
    let (mesh, tx) = corner([-9.0, 6.0]);
    let of = |mesh: &Mesh| {
        let fields = Fields::new(&conductors(mesh, Lobe::Lambertian), tx, &limits(2, 1, 1));
        let tiles = fields.coverage.environment().tiles.all().iter();
        let both = tiles.map(|tile| tile.centre).zip(&fields.sides);
        both.map(|(centre, [a, b])| (centre, a.diffuse_gain + b.diffuse_gain))
            .collect::<Vec<_>>()
    };
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| of(&mesh))
    });
    assert_eq!(one, three);
    for other in [split_in_four(&mesh), inside_out(&mesh)] {
        let other = of(&other);
        for (centre, gain) in &one {
            let (_, same) = other
                .iter()
                .find(|(at, _)| at.distance(*centre) < 1e-6)
                .unwrap();
            let off = power_to_db((gain + 1e-14) / (same + 1e-14));
            assert!(off.abs() < 0.5, "{off} dB at {centre}");
        }
    }
}

/// The power that tiles lack with a smallest gain is no more than the power that they report.
#[test]
fn what_is_too_weak_round_edges_is_told() {
    let (_, tx) = screen();
    let mut mesh = Mesh::default();
    add_polygon(&mut mesh, "rough", &corners(&BEFORE_SCREEN));
    for (name, x, more) in [("screen", 0.0, 1.0), ("wall", 30.0, 0.0)] {
        let [left, right, low, high] = [1.0 + more, -2.0 - more, -more, 3.0 + more];
        let wall = [
            [x, left, low],
            [x, right, low],
            [x, right, high],
            [x, left, high],
        ];
        add_polygon(&mut mesh, name, &corners(&wall));
    }
    let world = conductors(&turned(&mesh), Lobe::Lambertian);
    let limits = limits(2, 1, 1);
    let all = Fields::new(&world, tx, &limits);
    // The rough wall gets a little more, and brings much less round the screen.
    let some = Fields::over(&world, tx, &limits, 2e-6);
    let fronts = all.fronts("wall").zip(some.fronts("wall"));
    for ((_, all), (_, some)) in fronts {
        assert!(all.diffuse_gain > 0.0 && some.diffuse_gain < 0.5 * all.diffuse_gain);
    }
    for (all, some) in all.sides.iter().flatten().zip(some.sides.iter().flatten()) {
        let told = some.diffuse_gain + some.omitted_gain;
        assert!(all.diffuse_gain <= 1.01 * told, "{all:?} {some:?}");
    }
}
