//! Power that tiles scatter, once and again, behind reflections and walls: energy, closed forms, mirrored scenes and
//! sums over single tiles.

mod mirrors;

use std::f64::consts::PI;

use keller::antenna::Antenna;
use keller::coverage::tiles::{TileCoverage, TileField};
use keller::em::scattering::lobe;
use keller::materials::{FlatLosses, Lobe, Material, Medium, Scattering, Texture};
use keller::paths::Limits;
use keller::scene::{Mesh, MeshMaterial};
use keller::tiles::{Tile, Tiles};
use keller::{Control, DVec3, Tx, World};

use crate::common::place::{self, at, corners, wavelength};
use crate::common::turning::{odd_turn, turned};
use crate::common::{add_box, add_polygon, inside_out, split_in_four};

/// Tiles and the power on their sides.
struct Fields {
    tiles: Tiles,
    fields: Vec<[TileField; 2]>,
}

impl Fields {
    fn of(coverage: &TileCoverage, tx: &Tx) -> Self {
        Self {
            tiles: coverage.environment().tiles.clone(),
            fields: coverage.fields(tx, &Control::default()).unwrap(),
        }
    }

    fn each(&self) -> impl Iterator<Item = (&Tile, &[TileField; 2])> {
        self.tiles.all().iter().zip(&self.fields)
    }

    /// Power on all of them over that of the Tx.
    fn power(&self) -> f64 {
        self.fields.iter().flatten().map(|f| f.incident_power).sum()
    }
}

fn fields(world: &World, tx: &Tx, limits: &Limits, side: f64) -> Fields {
    Fields::of(&place::coverage(world, limits, side), tx)
}

fn limits(interactions: usize, reflections: usize, scatterings: usize) -> Limits {
    Limits {
        max_interactions: interactions,
        max_reflections: reflections,
        max_scatterings: scatterings,
        ..Limits::default()
    }
}

fn texture(coefficient: f64, lobe: Lobe) -> Texture {
    Texture {
        scattering: Some(Scattering {
            coefficient,
            cross_polarization: 0.0,
            lobe,
        }),
        roughness: 0.0,
    }
}

fn conductor() -> Material {
    Material::HalfSpace(Medium::PerfectConductor)
}

/// A wall that scatters this share of the incident power, and loses the rest.
fn grey(share: f64, lobe: Lobe) -> Material {
    let losses = FlatLosses {
        reflection_db: Some(-10.0 * share.log10()),
        ..FlatLosses::default()
    };
    let wall = conductor().with_flat_losses(losses);
    wall.with_texture(texture(1.0, lobe))
}

/// A box seen from inside, turned about an odd axis.
fn turned_room() -> Mesh {
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "wall", DVec3::ZERO, DVec3::new(10.0, 8.0, 6.0));
    turned(&inside_out(&mesh))
}

const LOBES: [Lobe; 3] = [
    Lobe::Lambertian,
    Lobe::Directive { forward: 3 },
    Lobe::Backscattering {
        forward: 4,
        back: 2,
        forward_share: 0.6,
    },
];

/// Power that any lobe scatters again and again falls on the walls again.
#[test]
fn a_closed_white_room_keeps_its_power_in_every_scattering() {
    let mesh = turned_room();
    let tx = at(
        (odd_turn() * DVec3::new(3.7, 4.4, 2.9)).to_array(),
        Antenna::default(),
    );
    // Lobes that send power along the wall lose some of it in corners, where tiles are no points.
    for (shape, most) in LOBES.into_iter().zip([0.002, 0.03, 0.03]) {
        let world = place::conductor(&mesh, 1.0, shape);
        let totals = [0, 1, 2, 3].map(|n| fields(&world, &tx, &limits(n, 0, n), 1.0).power());
        let mut last = totals[0];
        for pair in totals.windows(2) {
            let bounce = pair[1] - pair[0];
            assert!((bounce / last - 1.0).abs() < most, "{shape:?}: {totals:?}");
            last = bounce;
        }
    }
}

/// Reflections and scatterings in any order, before, between and behind each other: as long as all of them are allowed,
/// a room without losses keeps its power.
#[test]
fn a_shiny_and_rough_room_keeps_its_power_in_every_interaction() {
    let mesh = turned_room();
    let tx = at(
        (odd_turn() * DVec3::new(3.7, 4.4, 2.9)).to_array(),
        Antenna::default(),
    );
    for coefficient in [0.4_f64, 0.8] {
        let world = place::conductor(&mesh, coefficient, Lobe::Lambertian);
        let totals = [0, 1, 2, 3].map(|n| fields(&world, &tx, &limits(n, n, n), 1.0).power());
        for pair in totals.windows(2) {
            let kept = (pair[1] - pair[0]) / totals[0];
            assert!((kept - 1.0).abs() < 0.02, "{coefficient}: {totals:?}");
        }
        // A good part of the third would be missing without reflections behind a scattering.
        let s = coefficient.powi(2);
        let ends = (1.0 - s).powi(2) + s * (1.0 - s);
        assert!(ends < 0.98, "the check can fail");
    }
}

/// Whatever walls reflect, scatter and let through, in any order: as long as all of it may go on, a room without losses
/// keeps its power, on both sides of the wall that divides it.
#[test]
fn a_divided_room_keeps_its_power_whatever_walls_let_through() {
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "wall", DVec3::ZERO, DVec3::new(10.0, 8.0, 6.0));
    let mut mesh = inside_out(&mesh);
    let divider = [[4.6, 0., 0.], [5.9, 8., 0.], [5.9, 8., 6.], [4.6, 0., 6.]];
    add_polygon(&mut mesh, "divider", &corners(&divider));
    let mesh = turned(&mesh);
    let tx = at(
        (odd_turn() * DVec3::new(2.7, 4.4, 2.9)).to_array(),
        Antenna::default(),
    );
    let lossless = Medium::Constant {
        relative_permittivity: 4.0,
        conductivity: 0.0,
    };
    for (shape, most) in LOBES.into_iter().zip([0.02, 0.03, 0.03]) {
        let rough = |material: Material| material.with_texture(texture(0.6, shape));
        let materials = [rough(conductor()), rough(Material::slab(lossless, 0.03))];
        let world = place::of(&mesh, &materials);
        let with_depth = |depth: usize| Limits {
            max_depth: depth,
            max_transmissions: depth,
            ..limits(depth, depth, depth)
        };
        let totals = [0, 1, 2, 3].map(|depth| fields(&world, &tx, &with_depth(depth), 1.0).power());
        for pair in totals.windows(2) {
            let kept = (pair[1] - pair[0]) / totals[0];
            assert!((kept - 1.0).abs() < most, "{shape:?}: {totals:?}");
        }
    }
}

/// A sphere of flat faces. From every point of a sphere, all of it looks the same.
fn sphere(radius: f64) -> Mesh {
    let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
    let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    let points: Vec<DVec3> = signs
        .iter()
        .flat_map(|[a, b]| {
            [
                DVec3::new(0.0, *a, b * golden),
                DVec3::new(*a, b * golden, 0.0),
                DVec3::new(b * golden, 0.0, *a),
            ]
        })
        .collect();
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                let [p, q, r] = [a, b, c].map(|k| points[k]);
                if [p.distance(q), q.distance(r), r.distance(p)]
                    .iter()
                    .all(|d| *d < 2.1)
                {
                    triangles.push([p, q, r]);
                }
            }
        }
    }
    assert_eq!(triangles.len(), 20, "an icosahedron");
    for _ in 0..2 {
        triangles = triangles
            .into_iter()
            .flat_map(|[a, b, c]| {
                let [d, e, f] = [a + b, b + c, c + a].map(|p| 0.5 * p);
                [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
            })
            .collect();
    }
    let mut mesh = Mesh::default();
    for triangle in triangles {
        let [a, b, c] = triangle.map(|p| radius * p.normalize());
        // Inside is in front.
        let inwards = (b - a).cross(c - a).dot(a) < 0.0;
        add_polygon(
            &mut mesh,
            "wall",
            &if inwards { [a, b, c] } else { [a, c, b] },
        );
    }
    mesh
}

/// The exact radiosity solution of a grey sphere: whatever falls on it first, n scatterings of the share `grey` of it
/// fall evenly on all of it.
#[test]
fn a_grey_sphere_has_the_exact_radiosity_solution() {
    let mesh = sphere(5.0);
    for share in [0.3, 0.8] {
        let world = place::of(&mesh, &[grey(share, Lobe::Lambertian)]);
        let tx = at([1.7, -0.4, 2.1], Antenna::default());
        let count = 6;
        let [direct, all] = [0, count].map(|n| fields(&world, &tx, &limits(n, 0, n), 1.0));
        let area: f64 = all.tiles.all().iter().map(|tile| tile.area).sum();
        let orders: f64 = (1..=count).map(|n| share.powi(n.try_into().unwrap())).sum();
        let expected = direct.power() * orders / area;
        let mut sum = 0.0;
        for ((tile, sides), direct) in all.each().zip(&direct.fields) {
            let on = |sides: &[TileField; 2]| sides.iter().map(|s| s.incident_power).sum::<f64>();
            let found = (on(sides) - on(direct)) / tile.area;
            // A facet is no part of a sphere, and sees neighbours in its plane not at all.
            assert!(
                (found / expected - 1.0).abs() < 0.04,
                "{share}: {found} {expected}"
            );
            sum += found * tile.area;
        }
        let error = sum / (expected * area) - 1.0;
        assert!(error.abs() < 0.003, "{share}: {error}");
    }
}

/// A sheet that lets everything through changes nothing, however often power is scattered to and fro.
#[test]
fn scattered_power_passes_a_sheet_that_lets_it_through() {
    let mut free = Mesh::default();
    add_box(&mut free, "wall", DVec3::ZERO, DVec3::new(10.0, 8.0, 6.0));
    let free = inside_out(&free);
    let mut parted = free.clone();
    let sheet = [[4.3, 0., 0.], [4.3, 8., 0.], [4.3, 8., 6.], [4.3, 0., 6.]];
    add_polygon(&mut parted, "sheet", &corners(&sheet));
    let clear = FlatLosses {
        reflection_db: Some(200.0),
        transmission_db: Some(0.0),
        ..FlatLosses::default()
    };
    let air = Material::slab(
        Medium::Constant {
            relative_permittivity: 1.0,
            conductivity: 0.0,
        },
        0.01,
    );
    let rough = grey(0.7, Lobe::Lambertian);
    let tx = at([7.1, 4.4, 2.9], Antenna::default());
    let free = fields(
        &place::of(&free, std::slice::from_ref(&rough)),
        &tx,
        &limits(2, 0, 2),
        1.0,
    );
    let parted = place::of(&parted, &[rough, air.with_flat_losses(clear)]);
    let many = Limits {
        max_transmissions: 3,
        ..limits(2, 0, 2)
    };
    let parted = fields(&parted, &tx, &many, 1.0);
    let (mut sum, mut expected_sum) = (0.0, 0.0);
    for (tile, sides) in free.each() {
        // Tiles are cut alike: no wall ends at the sheet.
        let same = |(other, _): &(&Tile, _)| other.centre.distance(tile.centre) < 1e-6;
        let (_, found) = parted.each().find(same).unwrap();
        let of = |sides: &[TileField; 2]| sides[0].diffuse_gain + sides[1].diffuse_gain;
        let (found, expected) = (of(found), of(sides));
        // Rays see more of tiles than their centres show next to the sheet and in a corner.
        assert!(
            (found / expected - 1.0).abs() < 0.2,
            "{found} {expected} at {}",
            tile.centre
        );
        sum += found * tile.area;
        expected_sum += expected * tile.area;
    }
    assert!(
        (sum / expected_sum - 1.0).abs() < 0.01,
        "{sum} {expected_sum}"
    );
}

/// The second scattering has the lobe of its wall: it is compared with a sum over all pairs of tiles.
#[test]
fn a_second_scattering_follows_the_lobe_of_its_wall() {
    let mut mesh = Mesh::default();
    for y in [0.0, 15.0] {
        let wall = [[0., y, 0.], [20., y, 0.], [20., y, 12.], [0., y, 12.]];
        add_polygon(&mut mesh, "wall", &corners(&wall));
    }
    let mesh = turned(&mesh);
    for shape in [LOBES[1], LOBES[2], Lobe::Directive { forward: 8 }] {
        let world = place::conductor(&mesh, 1.0, shape);
        let tx = at(
            (odd_turn() * DVec3::new(2.0, 6.0, 5.0)).to_array(),
            Antenna::default(),
        );
        let [once, twice] = [1, 2].map(|n| fields(&world, &tx, &limits(n, 0, n), 2.0));
        let tiles: Vec<Tile> = once.tiles.all().to_vec();
        let normal = |tile: &Tile| world.scene().face_normal(tile.face);
        // Gain at `to` for a gain of 1 that arrives at `by` from `into`.
        let scattered = |by: &Tile, into: DVec3, to: DVec3| {
            let way = to - by.centre;
            let out = way.normalize();
            let normal = normal(by) * normal(by).dot(out).signum();
            let (cos_in, cos_out) = (into.dot(normal), out.dot(normal));
            if cos_in <= 0.0 || cos_out < 1e-9 {
                return 0.0;
            }
            let specular = 2.0 * cos_in * normal - into;
            let density = lobe(shape, cos_in, cos_out, out.dot(specular), out.dot(into));
            density * by.area / (way.length_squared() + by.area / PI)
        };
        let first = |a: &Tile, b: &Tile| {
            let from = tx.position - a.centre;
            let gain = (wavelength() / (4.0 * PI * from.length())).powi(2);
            gain * scattered(a, from.normalize(), b.centre)
        };
        let facing = |a: &Tile, b: &Tile| (a.centre - b.centre).dot(normal(b)).abs() > 1.0;
        for (number, to) in tiles.iter().enumerate().step_by(7) {
            let mut expected = 0.0;
            for by in tiles.iter().filter(|by| facing(by, to)) {
                for a in tiles.iter().filter(|a| facing(a, by)) {
                    let into = (a.centre - by.centre).normalize();
                    expected += first(a, by) * scattered(by, into, to.centre);
                }
            }
            let of = |fields: &Fields| {
                let sides = &fields.fields[number];
                sides[0].diffuse_gain + sides[1].diffuse_gain
            };
            let found = of(&twice) - of(&once);
            assert!(
                (found / expected - 1.0).abs() < 0.03,
                "{shape:?}: {found} {expected} at {}",
                to.centre
            );
        }
    }
}

/// The cut of walls into triangles, and the directions of their faces, change no power.
#[test]
fn scattered_power_does_not_depend_on_triangles_or_faces() {
    let mesh = turned_room();
    let tx = at(
        (odd_turn() * DVec3::new(3.7, 4.4, 2.9)).to_array(),
        Antenna::default(),
    );
    let power = |mesh: &Mesh| {
        let world = place::conductor(mesh, 0.6, Lobe::Directive { forward: 3 });
        let fields = fields(&world, &tx, &limits(3, 2, 2), 1.0);
        let mut of_tiles: Vec<_> = fields
            .each()
            .map(|(tile, sides)| (tile.centre, sides[0].path_gain + sides[1].path_gain))
            .collect();
        of_tiles.sort_by(|(a, _), (b, _)| {
            let key = |p: &DVec3| {
                (p.x * 1e3).round() * 1e8 + (p.y * 1e3).round() * 1e4 + (p.z * 1e3).round()
            };
            key(a).total_cmp(&key(b))
        });
        of_tiles
    };
    let as_it_is = power(&mesh);
    for other in [split_in_four(&mesh), inside_out(&mesh)] {
        let other = power(&other);
        assert_eq!(as_it_is.len(), other.len());
        let mean = |all: &[(DVec3, f64)]| all.iter().map(|(_, gain)| gain).sum::<f64>();
        let ratio = mean(&as_it_is) / mean(&other);
        assert!((ratio - 1.0).abs() < 2e-3, "{ratio}");
        for ((a, gain), (b, other)) in as_it_is.iter().zip(&other) {
            assert!(a.distance(*b) < 1e-6, "{a} {b}");
            // Rays are turned otherwise about another normal.
            assert!((gain / other - 1.0).abs() < 0.05, "{gain} {other}");
        }
    }
}
