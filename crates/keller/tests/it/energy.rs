//! The energy of all paths of a link: exact in a lossless box, never more than there is, and all of it where walls
//! scatter once.

use crate::common::{
    Random, add_box, add_polygon, inside_out, paths, random_city, world, world_of,
};
use keller::field::PathField;
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{InteractionKind, Limits, Path, Search};
use keller::scene::{MaterialId, Mesh, Scene};
use keller::units::power_to_db;
use keller::{Complex64, DVec3, World};
use std::f64::consts::PI;
use std::sync::Arc;

fn conductors(mesh: &Mesh, hz: f64) -> World {
    let conductor = Material::HalfSpace(Medium::PerfectConductor);
    world_of(Scene::new(mesh).unwrap(), &conductor, hz)
}

/// Received over radiated power, the mean of both polarisations of the Tx, both of the Rx taken.
fn gain(path: &Path, world: &World) -> f64 {
    let field = PathField::new(path, world);
    let cells = field.coefficient.as_flattened().iter();
    0.5 * cells.map(Complex64::norm_sqr).sum::<f64>()
}

#[test]
fn the_paths_of_a_lossless_box_are_its_lattice_of_images() {
    let size = DVec3::new(7.0, 5.0, 3.0);
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "wall", DVec3::ZERO, size);
    let world = conductors(&inside_out(&mesh), 3e9);
    let (tx, rx) = (DVec3::new(1.3, 0.9, 1.1), DVec3::new(5.2, 3.8, 2.3));
    let order = 5_i32;
    let limits = Limits {
        max_interactions: 5,
        max_reflections: 5,
        ..Limits::default()
    };
    let found = paths(&world, tx, &[rx], &limits, Search::Complete);
    // The images along each axis stand at x + i L for even i, and at (i + 1) L - x for odd ones; i counts the
    // reflections.
    let along = |x: f64, length: f64, i: i32| {
        if i % 2 == 0 {
            x + f64::from(i) * length
        } else {
            f64::from(i + 1) * length - x
        }
    };
    let wavelength = world.frequency().wavelength();
    let (mut count, mut expected) = (0, 0.0);
    for i in -order..=order {
        for j in -order..=order {
            for k in -order..=order {
                if i.abs() + j.abs() + k.abs() <= order {
                    let image = DVec3::new(
                        along(tx.x, size.x, i),
                        along(tx.y, size.y, j),
                        along(tx.z, size.z, k),
                    );
                    count += 1;
                    expected += (wavelength / (4.0 * PI * image.distance(rx))).powi(2);
                }
            }
        }
    }
    assert_eq!(found.len(), count);
    let total: f64 = found.iter().map(|p| gain(p, &world)).sum();
    assert!(
        (total / expected - 1.0).abs() < 1e-9,
        "{total} of {expected}"
    );
}

#[test]
fn no_path_carries_more_than_free_space_would() {
    // A reflection keeps the power that it gets, and an edge gives at most the power that it takes from the waves
    // around it.
    for seed in 0..20 {
        let (mesh, [low, high]) = random_city(seed);
        let world = conductors(&mesh, 2e9);
        let wavelength = world.frequency().wavelength();
        let mut random = Random(seed ^ 0xe4e);
        let limits = Limits {
            max_diffractions: 2,
            max_reflections: 2,
            ..Limits::default()
        };
        let mut ends = [DVec3::ZERO; 2];
        for end in &mut ends {
            while *end == DVec3::ZERO || world.scene().any_face_near(*end, 0.5, |_| true) {
                *end = random.point(low, high);
            }
        }
        for path in paths(&world, ends[0], &ends[1..], &limits, Search::Complete) {
            let free = (wavelength / (4.0 * PI * path.length)).powi(2);
            let gain = gain(&path, &world);
            assert!(
                gain <= free * (1.0 + 1e-9),
                "seed {seed}: {gain} of {free}, {path:?}"
            );
        }
    }
}

/// A room of six walls, each of its own material: a corner, the two sides and the name of each.
struct Room {
    scene: Arc<Scene>,
    walls: Vec<[DVec3; 3]>,
}

impl Room {
    fn new(size: DVec3) -> Self {
        let mut mesh = Mesh::default();
        let mut walls = Vec::new();
        for axis in 0..3 {
            let sides = [1, 2].map(|k| DVec3::AXES[(axis + k) % 3]);
            let [u, v] = sides.map(|side| side * size.dot(side));
            for corner in [DVec3::ZERO, DVec3::AXES[axis] * size[axis]] {
                let name = format!("wall {}", walls.len());
                add_polygon(
                    &mut mesh,
                    &name,
                    &[corner, corner + u, corner + u + v, corner + v],
                );
                walls.push([corner, u, v]);
            }
        }
        let scene = Arc::new(Scene::new(&mesh).unwrap());
        Self { scene, walls }
    }

    /// The centres of equal cells of a wall, `n` along each side, and the area of one, m².
    fn cells(&self, wall: usize, n: u32) -> (Vec<DVec3>, f64) {
        let [corner, u, v] = self.walls[wall];
        let share = |i: u32| (f64::from(i) + 0.5) / f64::from(n);
        let cells = (0..n * n).map(|k| corner + share(k / n) * u + share(k % n) * v);
        (cells.collect(), u.cross(v).length() / f64::from(n * n))
    }

    /// One wall of `rough`, the others as they would be without scattering.
    fn world(&self, wall: usize, rough: &Material, smooth: &Material) -> World {
        let name = format!("wall {wall}");
        let materials = self.scene.materials().iter();
        let materials: Vec<Material> = materials
            .map(|m| {
                if *m == name {
                    rough.clone()
                } else {
                    smooth.clone()
                }
            })
            .collect();
        world(Arc::clone(&self.scene), &materials, 3e9)
    }

    /// Points just off all walls but one, `n` along each side of a wall: each with the normal into the room, and its area, m².
    fn beside_walls_but(&self, wall: usize, n: u32) -> Vec<(DVec3, DVec3, f64)> {
        const OFF_WALL: f64 = 0.02;
        let corners = self
            .walls
            .iter()
            .map(|[corner, u, v]| corner + 0.5 * (u + v));
        let centre = corners.sum::<DVec3>() / 6.0;
        let mut beside = Vec::new();
        for other in (0..6).filter(|&other| other != wall) {
            let [corner, u, v] = self.walls[other];
            let normal = u.cross(v).normalize();
            let inward = normal * (centre - corner).dot(normal).signum();
            let (cells, area) = self.cells(other, n);
            beside.extend(
                cells
                    .into_iter()
                    .map(|c| (c + OFF_WALL * inward, inward, area)),
            );
        }
        beside
    }

    /// The power that falls on a wall from `tx` and is not absorbed there, over what `tx` radiates.
    fn kept_by(&self, wall: usize, tx: DVec3, world: &World) -> f64 {
        let name = format!("wall {wall}");
        let material = self.scene.materials().iter().position(|m| *m == name);
        let surface = world
            .surfaces()
            .surface(MaterialId::from_index(material.unwrap()));
        let [_, u, v] = self.walls[wall];
        let normal = u.cross(v).normalize();
        let (cells, area) = self.cells(wall, 200);
        let from_cell = |cell: DVec3| {
            let to = tx - cell;
            let cosine = to.dot(normal).abs() / to.length();
            let r = surface.smooth_reflection(cosine, true);
            let share = 0.5 * (r.te.norm_sqr() + r.tm.norm_sqr());
            share * area * cosine / (4.0 * PI * to.length_squared())
        };
        cells.into_iter().map(from_cell).sum()
    }
}

/// Each path's gain is made a power density, and that is integrated over all walls but the one that the paths come from.
#[test]
fn in_a_closed_room_first_order_scattering_and_reflection_keep_what_falls_on_the_walls() {
    const COEFFICIENT: f64 = 0.6;
    let room = Room::new(DVec3::new(6.0, 5.0, 3.0));
    let tx = DVec3::new(2.3, 1.9, 1.2);
    let limits = Limits {
        line_of_sight: false,
        max_interactions: 1,
        max_reflections: 1,
        max_scatterings: 1,
        ..Limits::default()
    };
    let conductor = Material::HalfSpace(Medium::PerfectConductor);
    let concrete = Material::from_name("concrete").unwrap();
    let back = Lobe::Backscattering {
        forward: 6,
        back: 3,
        forward_share: 0.7,
    };
    let kinds = [
        (&conductor, Lobe::Lambertian, 0.0),
        (&conductor, Lobe::Directive { forward: 4 }, 0.3),
        (&conductor, back, 0.1),
        (&concrete, Lobe::Lambertian, 0.2),
    ];
    // Scattered, reflected and not absorbed over radiated power, by kind.
    let mut totals = [[0.0; 3]; 4];
    for wall in 0..6 {
        let worlds = kinds.map(|(smooth, lobe, cross_polarization)| {
            let scattering = Some(Scattering {
                coefficient: COEFFICIENT,
                cross_polarization,
                lobe,
            });
            let texture = Texture {
                scattering,
                roughness: 0.0,
            };
            room.world(wall, &smooth.clone().with_texture(texture), smooth)
        });
        let rx = room.beside_walls_but(wall, 6);
        let positions: Vec<DVec3> = rx.iter().map(|r| r.0).collect();
        let found = paths(&worlds[0], tx, &positions, &limits, Search::Complete);
        let [corner, u, v] = room.walls[wall];
        let is_by_wall =
            |path: &&Path| (path.vertices[0].point - corner).dot(u.cross(v)).abs() < 1e-6;
        for path in found.iter().filter(is_by_wall) {
            let (position, inward, area) = rx[path.rx];
            let to = path.vertices[0].point - position;
            let cosine = to.dot(inward) / to.length();
            let is_reflected = path.vertices[0].interaction.kind() == InteractionKind::Reflection;
            for (world, total) in worlds.iter().zip(&mut totals) {
                let wavelength = world.frequency().wavelength();
                let density = gain(path, world) * 4.0 * PI / wavelength.powi(2);
                total[usize::from(is_reflected)] += density * cosine * area;
            }
        }
        for (world, total) in worlds.iter().zip(&mut totals) {
            total[2] += room.kept_by(wall, tx, world);
        }
    }
    for ((_, lobe, _), [scattered, reflected, kept]) in kinds.iter().zip(totals) {
        let off_db = power_to_db(scattered / (COEFFICIENT.powi(2) * kept));
        assert!(off_db.abs() < 0.3, "{lobe:?}: off by {off_db} dB");
        let balance_db = power_to_db((scattered + reflected) / kept);
        assert!(
            balance_db.abs() < 0.2,
            "{lobe:?}: off by {balance_db} dB in all"
        );
    }
    let [_, _, on_walls] = totals[0];
    assert!(
        (on_walls - 1.0).abs() < 1e-3,
        "{on_walls} of the power falls on the walls"
    );
}
