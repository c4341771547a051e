//! Paths that are scattered twice: their power against double sums over two walls that share nothing with the search,
//! and laws of every such path.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests count small things"
)]
#![allow(clippy::print_stdout, reason = "figures for the record")]

mod laws;

use std::f64::consts::PI;

use crate::common::rough_walls::{Norm, image, meets, shape};
use crate::common::{Random, add_box, add_polygon, inside_out, paths, split_in_four, world};
use glam::DQuat;
use keller::field::PathField;
use keller::materials::{ItuMaterial, Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{Effort, Limits, Path, Search};
use keller::scene::{Mesh, Scene};
use keller::units::power_to_db;
use keller::{Complex64, DVec3, World};

const FREQUENCY: f64 = 3e9;

/// The largest error of each effort, dB.
const BOUNDS: [(Effort, f64); 3] = [
    (Effort::Quick, 1.0),
    (Effort::Default, 0.3),
    (Effort::Thorough, 0.1),
];

const DEFAULT: Search = Search::Launch(Effort::Default);

const LOBES: [Lobe; 3] = [
    Lobe::Lambertian,
    Lobe::Directive { forward: 5 },
    Lobe::Backscattering {
        forward: 6,
        back: 4,
        forward_share: 0.6,
    },
];

/// A rough wall, which scatters all that a perfect conductor would reflect: a corner, two sides, a lobe.
#[derive(Debug, Clone, Copy)]
struct Wall {
    corner: DVec3,
    sides: [DVec3; 2],
    lobe: Lobe,
}

impl Wall {
    fn corners(&self) -> [DVec3; 4] {
        let [u, v] = self.sides;
        [
            self.corner,
            self.corner + u,
            self.corner + u + v,
            self.corner + v,
        ]
    }

    fn normal(&self) -> DVec3 {
        self.sides[0].cross(self.sides[1]).normalize()
    }

    /// The centres of equal parts, and their area.
    fn parts(&self, n: usize) -> (Vec<DVec3>, f64) {
        let [u, v] = self.sides;
        let at = |k: usize| (k as f64 + 0.5) / n as f64;
        let all = (0..n * n).map(|k| self.corner + at(k / n) * u + at(k % n) * v);
        (all.collect(), u.cross(v).length() / (n * n) as f64)
    }
}

/// Rough walls, black boxes between them, and perhaps a reflecting plane at z = 0.
struct Place {
    walls: Vec<Wall>,
    boxes: Vec<[DVec3; 2]>,
    has_ground: bool,
    ends: [DVec3; 2],
}

fn turn() -> DQuat {
    DQuat::from_axis_angle(DVec3::new(0.3, -0.5, 0.81).normalize(), 0.77)
}

fn turned(mesh: &Mesh) -> Mesh {
    let mut mesh = mesh.clone();
    for vertex in &mut mesh.vertices {
        *vertex = moved(*vertex);
    }
    mesh
}

fn moved(p: DVec3) -> DVec3 {
    turn() * p + DVec3::new(31.7, -12.9, 4.3)
}

fn rough(lobe: Lobe) -> Material {
    let scattering = Some(Scattering {
        coefficient: 1.0,
        cross_polarization: 0.0,
        lobe,
    });
    Material::HalfSpace(Medium::PerfectConductor).with_texture(Texture {
        scattering,
        roughness: 0.0,
    })
}

/// Reflects nothing.
fn black() -> Material {
    Material::HalfSpace(Medium::Constant {
        relative_permittivity: 1.0,
        conductivity: 0.0,
    })
}

fn limits(interactions: usize, reflections: usize, scatterings: usize) -> Limits {
    Limits {
        line_of_sight: false,
        max_interactions: interactions,
        max_reflections: reflections,
        max_scatterings: scatterings,
        ..Limits::default()
    }
}

fn num_scatterings(path: &Path) -> usize {
    path.types().matches('S').count()
}

fn gain(path: &Path, world: &World) -> f64 {
    let field = PathField::new(path, world);
    let cells = field.coefficient.as_flattened().iter();
    0.5 * cells.map(Complex64::norm_sqr).sum::<f64>()
}

/// The power of paths that are scattered so many times.
fn power(paths: &[Path], world: &World, scatterings: usize) -> f64 {
    let paths = paths.iter().filter(|p| num_scatterings(p) == scatterings);
    paths.map(|path| gain(path, world)).sum()
}

impl Place {
    fn mesh(&self) -> Mesh {
        let mut mesh = Mesh::default();
        for (k, wall) in self.walls.iter().enumerate() {
            add_polygon(&mut mesh, &format!("wall {k}"), &wall.corners());
        }
        for &[low, high] in &self.boxes {
            add_box(&mut mesh, "black", low, high);
        }
        if self.has_ground {
            let corners = [[-90., -90.], [90., -90.], [90., 90.], [-90., 90.]];
            add_polygon(
                &mut mesh,
                "ground",
                &corners.map(|[x, y]| DVec3::new(x, y, 0.0)),
            );
        }
        mesh
    }

    fn world(&self, mesh: &Mesh) -> World {
        let scene = Scene::new(mesh).unwrap();
        let of_name = |name: &String| match name.strip_prefix("wall ") {
            Some(number) => rough(self.walls[number.parse::<usize>().unwrap()].lobe),
            None if name == "black" => black(),
            None => Material::HalfSpace(Medium::PerfectConductor),
        };
        let materials: Vec<Material> = scene.materials().iter().map(of_name).collect();
        world(scene, &materials, FREQUENCY)
    }

    /// The paths and the power of those that are scattered twice, with everything turned by some odd angle.
    fn twice(&self, search: Search, reflections: usize) -> (Vec<Path>, f64) {
        let world = self.world(&turned(&self.mesh()));
        let [tx, rx] = self.ends.map(moved);
        let limits = limits(reflections + 2, reflections, 2);
        let mut paths = paths(&world, tx, &[rx], &limits, search);
        paths.retain(|path| num_scatterings(path) == 2);
        let power = power(&paths, &world, 2);
        (paths, power)
    }

    /// The same power by a double sum over equal parts of all pairs of walls.
    fn double_sum(&self, n: usize, reflections: usize) -> f64 {
        let mut total = 0.0;
        let ways: &[bool] = if self.has_ground && reflections > 0 {
            &[false, true]
        } else {
            &[false]
        };
        for &from_below in ways {
            for &to_below in ways {
                if usize::from(from_below) + usize::from(to_below) > reflections {
                    continue;
                }
                for (i, first) in self.walls.iter().enumerate() {
                    for (j, second) in self.walls.iter().enumerate() {
                        if i != j {
                            total += self.between(first, second, n, [from_below, to_below]);
                        }
                    }
                }
            }
        }
        total * (299_792_458.0 / FREQUENCY / (4.0 * PI)).powi(2)
    }

    fn between(&self, first: &Wall, second: &Wall, n: usize, below: [bool; 2]) -> f64 {
        let [tx, rx] = [0, 1].map(|k| image(self.ends[k], below[k]));
        let norms = [first, second].map(|wall| Norm::new(wall.lobe));
        let ((from, from_area), (to, to_area)) = (first.parts(n), second.parts(n));
        let lit: Vec<bool> = to
            .iter()
            .map(|&b| self.is_lit(b, self.ends[1], below[1]))
            .collect();
        let mut total = 0.0;
        for &a in &from {
            if !self.is_lit(a, self.ends[0], below[0]) {
                continue;
            }
            for (&b, &lit) in to.iter().zip(&lit) {
                if lit && self.is_free(a, b) {
                    let at_first = scattered(first, &norms[0], tx - a, b - a);
                    let at_second = scattered(second, &norms[1], a - b, rx - b);
                    let [r1, r2, r3] = [tx - a, b - a, rx - b].map(DVec3::length_squared);
                    total += at_first * at_second / (r1 * r2 * r3);
                }
            }
        }
        total * from_area * to_area
    }

    fn is_free(&self, a: DVec3, b: DVec3) -> bool {
        !self.boxes.iter().any(|it| meets(it, a, b))
    }

    /// Whether an end lights a point, directly or by the reflecting plane.
    fn is_lit(&self, point: DVec3, end: DVec3, below: bool) -> bool {
        let source = image(end, below);
        if !below {
            return self.is_free(point, end);
        }
        let foot = point + (source - point) * (point.z / (point.z - source.z));
        self.is_free(point, foot) && self.is_free(foot, end)
    }

    /// Holds each effort to its bound.
    fn check(&self, n: usize, reflections: usize, name: &str) {
        let expected = self.double_sum(n, reflections);
        for (effort, bound) in BOUNDS {
            let (paths, found) = self.twice(Search::Launch(effort), reflections);
            let off = power_to_db(found / expected);
            println!(
                "{name}, {effort:?}: off by {off:.3} dB with {} paths",
                paths.len()
            );
            assert!(off.abs() < bound, "{name}, {effort:?}: off by {off} dB");
        }
    }
}

/// Power that a wall scatters per steradian, for a unit of power density. Either side of the wall may be illuminated.
fn scattered(wall: &Wall, norm: &Norm, into: DVec3, out: DVec3) -> f64 {
    let (into, out) = (into.normalize(), out.normalize());
    let normal = wall.normal() * wall.normal().dot(into).signum();
    let (cos_in, cos_out) = (normal.dot(into), normal.dot(out));
    if cos_out <= 0.0 {
        return 0.0;
    }
    match wall.lobe {
        Lobe::Lambertian => cos_in * cos_out / PI,
        lobe => cos_in * shape(lobe, normal, into, out) / norm.at(cos_in),
    }
}

/// Two walls that face each other at odd angles, and both ends between them.
fn two_walls(lobes: [Lobe; 2]) -> Place {
    Place {
        walls: vec![
            Wall {
                corner: DVec3::new(-6.0, 0.4, 0.7),
                sides: [DVec3::new(9.3, 1.1, 0.0), DVec3::new(0.2, -0.5, 5.1)],
                lobe: lobes[0],
            },
            Wall {
                corner: DVec3::new(-5.1, -9.2, 0.9),
                sides: [DVec3::new(10.2, -1.7, 0.8), DVec3::new(-0.4, 0.6, 6.3)],
                lobe: lobes[1],
            },
        ],
        boxes: Vec::new(),
        has_ground: false,
        ends: [DVec3::new(-7.3, -4.9, 3.2), DVec3::new(4.6, -5.7, 2.1)],
    }
}

#[test]
fn the_power_by_two_walls_is_that_of_the_double_sum() {
    for (k, lobe) in LOBES.into_iter().enumerate() {
        let other = LOBES[(k + 1) % 3];
        two_walls([lobe, other]).check(28, 0, &format!("{lobe:?} and {other:?}"));
    }
}

#[test]
fn walls_that_hide_parts_of_each_other_scatter_what_is_left() {
    let mut place = two_walls([Lobe::Lambertian; 2]);
    place.boxes = vec![
        [DVec3::new(-1.7, -6.1, -0.5), DVec3::new(2.9, -2.3, 4.1)],
        [DVec3::new(-6.0, -3.3, 1.0), DVec3::new(-3.0, -2.9, 3.7)],
    ];
    place.check(96, 0, "behind boxes");
}

#[test]
fn a_corner_of_two_walls_scatters_across_it() {
    let wall = |side: [f64; 3]| Wall {
        corner: DVec3::ZERO,
        sides: [side.into(), DVec3::new(0.0, 0.0, 6.0)],
        lobe: Lobe::Lambertian,
    };
    let place = Place {
        walls: vec![wall([8.0, 0.0, 0.0]), wall([0.0, 7.0, 0.0])],
        boxes: Vec::new(),
        has_ground: false,
        ends: [DVec3::new(5.3, 3.9, 2.2), DVec3::new(2.6, 4.7, 4.1)],
    };
    place.check(40, 0, "a corner");
}

#[test]
fn reflecting_planes_light_both_walls_too() {
    let place = Place {
        has_ground: true,
        ..two_walls([Lobe::Lambertian, LOBES[1]])
    };
    let expected = place.double_sum(28, 1);
    let (found, power) = place.twice(DEFAULT, 1);
    let off = power_to_db(power / expected);
    assert!(off.abs() < 0.3, "off by {off} dB");
    let mut types: Vec<String> = found.iter().map(Path::types).collect();
    types.sort_unstable();
    types.dedup();
    assert_eq!(types, ["RSS", "SS", "SSR"]);
    let (_, every) = place.twice(Search::Exhaustive, 1);
    let off = power_to_db(power / every);
    assert!(off.abs() < 0.05, "off by {off} dB from all sequences");
}
