//! The power that rough walls scatter, against an integral over the wall that shares nothing with the search: brute
//! force, with plain geometry for hidden parts, in places where patches of one size go wrong.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "tests count small things"
)]
#![allow(clippy::print_stdout, reason = "figures for the record")]

use std::f64::consts::PI;

use crate::common::rough_walls::{Norm, image, meets};
use crate::common::{add_box, add_polygon, paths, world};
use glam::DQuat;
use keller::field::PathField;
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{Effort, InteractionKind, Limits, Path, Search};
use keller::scene::{Mesh, Scene};
use keller::units::power_to_db;
use keller::{Complex64, DVec3};

const COEFFICIENT: f64 = 0.4;

/// The largest error of each effort, dB.
const BOUNDS: [(Effort, f64); 3] = [
    (Effort::Quick, 1.0),
    (Effort::Default, 0.3),
    (Effort::Thorough, 0.1),
];

/// A rough wall in the plane y = 0, with a reflecting plane in the plane z = 0 and things in front of it.
struct Place {
    /// The wall from and to, along x and z.
    wall: [[f64; 2]; 2],
    /// Whether there is a reflecting plane on the ground, wider than all the rest.
    has_ground: bool,
    boxes: Vec<[DVec3; 2]>,
    lobe: Lobe,
    ends: [DVec3; 2],
}

impl Place {
    /// The paths that are scattered, with everything turned by some odd angle, and their power over that which is sent.
    fn scattered(&self, effort: Effort, reflections: usize) -> (f64, Vec<Path>) {
        let turn = DQuat::from_axis_angle(DVec3::new(0.3, -0.5, 0.81).normalize(), 0.77);
        let turned = |p: DVec3| turn * p + DVec3::new(31.7, -12.9, 4.3);
        let mut mesh = Mesh::default();
        let [[x0, z0], [x1, z1]] = self.wall;
        let corners = [[x0, z0], [x1, z0], [x1, z1], [x0, z1]];
        add_polygon(
            &mut mesh,
            "wall",
            &corners.map(|[x, z]| DVec3::new(x, 0.0, z)),
        );
        if self.has_ground {
            let corners = [[-90., -90.], [90., -90.], [90., 90.], [-90., 90.]];
            add_polygon(
                &mut mesh,
                "smooth",
                &corners.map(|[x, y]| DVec3::new(x, y, 0.0)),
            );
        }
        for &[low, high] in &self.boxes {
            if low.cmpeq(high).any() {
                // A sheet across x.
                let corners = [low, low.with_y(high.y), high, low.with_z(high.z)];
                add_polygon(&mut mesh, "black", &corners);
            } else {
                add_box(&mut mesh, "black", low, high);
            }
        }
        for vertex in &mut mesh.vertices {
            *vertex = turned(*vertex);
        }
        let scene = Scene::new(&mesh).unwrap();
        let conductor = Material::HalfSpace(Medium::PerfectConductor);
        let rough = conductor.with_texture(Texture {
            scattering: Some(Scattering {
                coefficient: COEFFICIENT,
                cross_polarization: 0.0,
                lobe: self.lobe,
            }),
            roughness: 0.0,
        });
        // Reflects nothing.
        let black = Material::HalfSpace(Medium::Constant {
            relative_permittivity: 1.0,
            conductivity: 0.0,
        });
        let of_name = |name: &String| match name.as_str() {
            "wall" => rough.clone(),
            "black" => black.clone(),
            _ => conductor.clone(),
        };
        let materials: Vec<Material> = scene.materials().iter().map(of_name).collect();
        let world = world(scene, &materials, 3e9);
        let limits = Limits {
            max_interactions: reflections + 1,
            max_reflections: reflections,
            max_scatterings: 1,
            ..Limits::default()
        };
        let [tx, rx] = self.ends.map(turned);
        let mut paths = paths(&world, tx, &[rx], &limits, Search::Launch(effort));
        let is_scattered = |p: &Path| {
            (p.vertices.iter()).any(|i| i.interaction.kind() == InteractionKind::Scattering)
        };
        paths.retain(is_scattered);
        let gain = |path| {
            let field = PathField::new(path, &world);
            let cells = field.coefficient.as_flattened().iter();
            0.5 * cells.map(Complex64::norm_sqr).sum::<f64>()
        };
        (paths.iter().map(gain).sum(), paths)
    }

    /// The same by the integral over the wall, for each way by the reflecting plane.
    fn integral(&self, reflections: usize) -> f64 {
        let norm = Norm::new(self.lobe);
        let below = [false, true];
        let mut total = 0.0;
        for mirrored in below.map(|tx| below.map(|rx| [tx, rx])).concat() {
            let count = mirrored.iter().filter(|m| **m).count();
            if count <= reflections && (count == 0 || self.has_ground) {
                let [[x0, z0], [x1, z1]] = self.wall;
                let (nx, nz) = ((x1 - x0).ceil(), (z1 - z0).ceil());
                let (dx, dz) = ((x1 - x0) / nx, (z1 - z0) / nz);
                for i in 0..nx as i32 {
                    for j in 0..nz as i32 {
                        let at = [x0 + dx * f64::from(i), z0 + dz * f64::from(j)];
                        total += self.over(at, [dx, dz], mirrored, &norm);
                    }
                }
            }
        }
        let wavelength = 299_792_458.0 / 3e9;
        total * (COEFFICIENT * wavelength / (4.0 * PI)).powi(2)
    }

    /// The sum over a rectangle, in quarters as need be.
    fn over(&self, [x, z]: [f64; 2], [dx, dz]: [f64; 2], mirrored: [bool; 2], norm: &Norm) -> f64 {
        let at = |a: f64, b: f64| DVec3::new(x + a * dx, 0.0, z + b * dz);
        let centre = at(0.5, 0.5);
        let images = [0, 1].map(|k| image(self.ends[k], mirrored[k]));
        let near = images[0].distance(centre).min(images[1].distance(centre));
        let size = dx.max(dz);
        let is_lit = |p: DVec3| (0..2).all(|k| self.is_lit(p, self.ends[k], mirrored[k]));
        let mut is_split = size > 0.12 * near;
        if !is_split && size > 0.01 && !self.boxes.is_empty() {
            let lit = is_lit(centre);
            let corners = [at(0., 0.), at(1., 0.), at(0., 1.), at(1., 1.)];
            is_split = corners.into_iter().any(|corner| is_lit(corner) != lit);
        }
        if is_split {
            let half = [0.5 * dx, 0.5 * dz];
            let quarters = [[0., 0.], [0.5, 0.], [0., 0.5], [0.5, 0.5]];
            let quarters = quarters.map(|[a, b]| [x + a * dx, z + b * dz]);
            return quarters
                .iter()
                .map(|&q| self.over(q, half, mirrored, norm))
                .sum();
        }
        if !is_lit(centre) {
            return 0.0;
        }
        let [to, out] = images.map(|image| (image - centre).normalize());
        let (cos_in, cos_out) = (to.y.abs(), out.y.abs());
        let mirror = DVec3::new(-to.x, to.y, -to.z);
        let density = match self.lobe {
            Lobe::Lambertian => cos_in * cos_out / PI,
            Lobe::Directive { forward } => {
                let shape = (0.5 * (1.0 + out.dot(mirror))).powi(forward.cast_signed());
                cos_in * shape / norm.at(cos_in)
            }
            Lobe::Backscattering { .. } => unreachable!("not in these tests"),
        };
        let [r, s] = images.map(|image| image.distance_squared(centre));
        density * dx * dz / (r * s)
    }

    /// Whether an end lights a point of the wall, directly or by the reflecting plane.
    fn is_lit(&self, point: DVec3, end: DVec3, mirrored: bool) -> bool {
        let is_free = |a: DVec3, b: DVec3| self.boxes.iter().all(|b_| !meets(b_, a, b));
        if !mirrored {
            return is_free(point, end);
        }
        let below = image(end, true);
        let foot = point + (below - point) * (point.z / (point.z - below.z));
        is_free(point, foot) && is_free(foot, end)
    }

    /// Holds each effort to its bound.
    fn check(&self, reflections: usize, name: &str) {
        self.check_against(self.integral(reflections), reflections, name);
    }

    fn check_against(&self, expected: f64, reflections: usize, name: &str) {
        for (effort, bound) in BOUNDS {
            self.hold(effort, bound, expected, reflections, name);
        }
    }

    fn hold(&self, effort: Effort, bound: f64, expected: f64, reflections: usize, name: &str) {
        let (found, paths) = self.scattered(effort, reflections);
        let off = power_to_db(found / expected);
        println!(
            "{name}, {effort:?}: off by {off:.3} dB with {} paths",
            paths.len()
        );
        assert!(off.abs() < bound, "{name}, {effort:?}: off by {off} dB");
    }
}

const NARROW: Lobe = Lobe::Directive { forward: 12 };

#[test]
fn a_wall_partly_hidden_by_a_box_scatters_what_is_left() {
    for (k, (tx, rx)) in [
        ([-11.3, -9.1, 6.2], [8.7, -12.4, 1.7]),
        ([-3.1, -14.9, 2.3], [2.2, -15.7, 2.9]),
        ([9.3, -4.2, 7.7], [-6.1, -8.8, 1.1]),
    ]
    .into_iter()
    .enumerate()
    {
        let mut place = Place {
            wall: [[-10.0, 0.0], [10.0, 9.0]],
            has_ground: false,
            boxes: vec![[DVec3::new(-2.7, -6.1, -0.5), DVec3::new(3.9, -2.3, 7.1)]],
            lobe: NARROW,
            ends: [tx.into(), rx.into()],
        };
        place.check(0, &format!("narrow lobe, link {k}"));
        place.lobe = Lobe::Lambertian;
        place.check(0, &format!("Lambertian, link {k}"));
    }
}

#[test]
fn mirrors_light_a_partly_hidden_wall_too() {
    let place = Place {
        wall: [[-8.0, 0.0], [8.0, 7.0]],
        has_ground: true,
        boxes: vec![[DVec3::new(-1.7, -5.1, 1.3), DVec3::new(2.9, -2.3, 4.1)]],
        lobe: Lobe::Directive { forward: 6 },
        ends: [DVec3::new(-6.3, -9.1, 3.2), DVec3::new(5.7, -7.4, 2.1)],
    };
    // Rays that look for reflecting planes take long at the greatest effort.
    let expected = place.integral(2);
    for (effort, bound) in &BOUNDS[..2] {
        place.hold(*effort, *bound, expected, 2, "with a mirror");
    }
}

/// Two sheets that stand out from the wall leave a strip of it, 2 cm wide, that both ends see.
#[test]
fn a_sliver_that_both_ends_see_is_found() {
    let fin = |x: f64| [DVec3::new(x, -1.0, -1.0), DVec3::new(x, 1e-3, 9.0)];
    // The shadow of the fin at -3 ends at 0, that of the fin at 3 at 0.02.
    let ends = [
        DVec3::new(-27.0, -9.0, 3.3),
        DVec3::new(3.0 + 8.0 * 2.98, -9.0, 5.1),
    ];
    let place = |x: [f64; 2], boxes| Place {
        wall: [[x[0], 0.0], [x[1], 8.0]],
        has_ground: false,
        boxes,
        lobe: Lobe::Lambertian,
        ends,
    };
    let expected = place([0.0, 0.02], vec![]).integral(0);
    let wall = place([-2.999, 2.999], vec![fin(-3.0), fin(3.0)]);
    wall.check_against(expected, 0, "sliver");
    let (_, paths) = wall.scattered(Effort::Quick, 0);
    assert!(paths.len() < 40, "{} paths", paths.len());
}

#[test]
fn a_receiver_at_the_wall_gets_what_it_sees_of_it() {
    for lobe in [Lobe::Lambertian, NARROW] {
        for distance in [0.003, 0.03, 0.3, 3.0] {
            let place = Place {
                wall: [[-8.0, 0.0], [9.0, 6.0]],
                has_ground: false,
                boxes: vec![],
                lobe,
                ends: [
                    DVec3::new(-6.3, -7.9, 4.2),
                    DVec3::new(1.237, -distance, 1.611),
                ],
            };
            place.check(0, &format!("{lobe:?}, {distance} m from the wall"));
        }
    }
}

#[test]
fn a_large_wall_far_away_costs_few_patches() {
    let place = Place {
        wall: [[-60.0, 0.0], [60.0, 40.0]],
        has_ground: false,
        boxes: vec![],
        lobe: Lobe::Lambertian,
        ends: [
            DVec3::new(-150.0, -700.0, 30.0),
            DVec3::new(90.0, -800.0, 2.0),
        ],
    };
    let (_, paths) = place.scattered(Effort::Default, 0);
    // Coarse cells of 16 m.
    assert!(paths.len() <= 9 * 4, "{} paths", paths.len());
    place.check(0, "far wall");
}
