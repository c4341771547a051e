//! Laws of the field along any path, whatever the scene.
use keller::em::{Surfaces, fresnel};
use keller::field::{PathField, Walls, transport};
use keller::geometry::Plane;
use keller::materials::{ItuMaterial, Layer, Material, Medium};
use keller::paths::{Interaction, InteractionKind, Path, Vertex};
use keller::scene::{Edge, EdgeId, FaceId, MaterialId};
use keller::{Complex64, DVec3, Direction, Frequency, spherical_basis};
use std::f64::consts::PI;

use crate::common::Random;
use InteractionKind::{Reflection, Transmission};

/// Planes without borders, each with its material.
struct World {
    planes: Vec<(Plane, MaterialId)>,
    surfaces: Surfaces,
}

impl Walls for World {
    fn surfaces(&self) -> &Surfaces {
        &self.surfaces
    }

    fn normal(&self, face: FaceId) -> DVec3 {
        self.planes[face.index()].0.normal
    }

    fn material(&self, face: FaceId) -> MaterialId {
        self.planes[face.index()].1
    }

    fn edge(&self, _: EdgeId) -> Edge {
        unreachable!("no edges")
    }
}

impl World {
    fn new(frequency_hz: f64, walls: Vec<(Plane, Material)>) -> Self {
        let (planes, materials): (Vec<_>, Vec<_>) = walls.into_iter().unzip();
        let frequency = Frequency::from_hz(frequency_hz).unwrap();
        Self {
            planes: planes
                .into_iter()
                .enumerate()
                .map(|(i, plane)| (plane, MaterialId::from_index(i)))
                .collect(),
            surfaces: Surfaces::new(&materials, frequency).unwrap(),
        }
    }

    /// The path from `tx` to `rx` by reflections at, and transmissions through, the given planes in this order.
    fn path(&self, tx: DVec3, rx: DVec3, sequence: &[(InteractionKind, usize)]) -> Path {
        let mut images = vec![tx];
        for (kind, plane) in sequence {
            let last = images[images.len() - 1];
            images.push(match kind {
                Reflection => self.planes[*plane].0.mirror(last),
                _ => last,
            });
        }
        let length = images[images.len() - 1].distance(rx);
        let mut point = rx;
        let mut vertices = Vec::new();
        for (i, (kind, plane)) in sequence.iter().enumerate().rev() {
            let (image, plane_of) = (images[i + 1], &self.planes[*plane].0);
            let (here, there) = (plane_of.distance(point), plane_of.distance(image));
            point += here / (here - there) * (image - point);
            let face = FaceId::from_index(*plane);
            let interaction = match kind {
                InteractionKind::Reflection => Interaction::Reflection(face),
                _ => Interaction::Transmission(face),
            };
            vertices.push(Vertex { interaction, point });
        }
        vertices.reverse();
        Path {
            tx: 0,
            rx: 0,
            tx_position: tx,
            rx_position: rx,
            vertices,
            length,
        }
    }

    fn field(&self, tx: DVec3, rx: DVec3, sequence: &[(InteractionKind, usize)]) -> PathField {
        transport(&self.path(tx, rx, sequence), self)
    }
}

fn plane(normal: DVec3, offset: f64) -> Plane {
    Plane {
        normal: normal.normalize(),
        offset,
    }
}

fn itu(material: ItuMaterial) -> Medium {
    Medium::Itu(material)
}

fn ground(material: Material) -> (Plane, Material) {
    (plane(DVec3::Z, 0.0), material)
}

/// A skew corner of two half spaces, with a layered wall across.
fn skew_world() -> World {
    let glazing = [(ItuMaterial::Glass, 0.006), (ItuMaterial::Wood, 0.03)];
    let layers = glazing.map(|(material, thickness)| Layer {
        medium: itu(material),
        thickness,
    });
    World::new(
        3.5e9,
        vec![
            (
                plane(DVec3::new(1.0, 0.2, 0.1), 0.0),
                Material::HalfSpace(itu(ItuMaterial::Concrete)),
            ),
            (
                plane(DVec3::new(-0.1, 1.0, 0.3), -1.0),
                Material::HalfSpace(itu(ItuMaterial::Brick)),
            ),
            (
                plane(DVec3::new(0.1, -0.2, 1.0), 4.0),
                Material::Slab(layers.to_vec()),
            ),
        ],
    )
}

fn max_norm(a: [[Complex64; 2]; 2]) -> f64 {
    a.iter().flatten().map(|c| c.norm()).fold(0.0, f64::max)
}

/// Uniform numbers in `[-1, 1)`, the same on every run (splitmix64).
/// A point in the cube of 2 m around `centre`.
fn near(random: &mut Random, centre: DVec3) -> DVec3 {
    random.point(centre - 1.0, centre + 1.0)
}

#[test]
fn swapping_tx_and_rx_transposes_the_coefficient() {
    let world = skew_world();
    let mut random = Random(1);
    for sequence in [
        &[][..],
        &[(Reflection, 0)],
        &[(Transmission, 2)],
        &[(Reflection, 0), (Reflection, 1)],
        &[(Reflection, 1), (Transmission, 2), (Reflection, 0)],
        &[(Reflection, 0), (Reflection, 1), (Transmission, 2)],
    ] {
        let reversed: Vec<_> = sequence.iter().rev().copied().collect();
        for _ in 0..50 {
            let tx = near(&mut random, DVec3::new(5.0, 6.0, 1.0));
            let rx = near(&mut random, DVec3::new(7.0, 3.0, 12.0));
            let there = world.field(tx, rx, sequence);
            let back = world.field(rx, tx, &reversed);
            for (a, b) in [
                (there.departure, back.arrival),
                (there.arrival, back.departure),
            ] {
                assert!((a.unit_vector() - b.unit_vector()).length() < 1e-14);
            }
            for i in 0..2 {
                for j in 0..2 {
                    let difference = (there.coefficient[i][j] - back.coefficient[j][i]).norm();
                    let scale = max_norm(there.coefficient);
                    // The phase k L carries the rounding of L.
                    assert!(difference < 1e-11 * scale, "{sequence:?}: {difference}");
                }
            }
        }
    }
}

#[test]
fn no_interaction_amplifies_any_polarisation() {
    let world = skew_world();
    let mut random = Random(2);
    let sequence = [(Reflection, 0), (Transmission, 2), (Reflection, 1)];
    for _ in 0..1000 {
        let tx = near(&mut random, DVec3::new(5.0, 6.0, 1.0));
        let rx = near(&mut random, DVec3::new(7.0, 3.0, 12.0));
        let field = world.field(tx, rx, &sequence);
        let free = world.surfaces.frequency().wavelength()
            / (4.0 * PI * world.path(tx, rx, &sequence).length);
        let total: f64 = field
            .coefficient
            .iter()
            .flatten()
            .map(Complex64::norm_sqr)
            .sum();
        assert!(total <= 2.0 * free * free);
    }
}

#[test]
fn line_of_sight_is_plus_one_minus_one_in_every_direction() {
    let world = World::new(1e9, vec![]);
    let mut random = Random(3);
    for _ in 0..1000 {
        let (tx, rx) = (
            near(&mut random, DVec3::ZERO),
            near(&mut random, DVec3::splat(3.0)),
        );
        let [[vv, vh], [hv, hh]] = world.field(tx, rx, &[]).coefficient;
        let free = world.surfaces.frequency().wavelength() / (4.0 * PI * tx.distance(rx));
        assert!((vv.norm() - free).abs() < 1e-14 * free);
        assert!((vv + hh).norm() < 1e-14 * free);
        assert!(vh.norm() + hv.norm() < 1e-14 * free);
    }
}

#[test]
fn two_rays_over_ground_follow_the_closed_form() {
    for material in [Medium::PerfectConductor, itu(ItuMaterial::MediumDryGround)] {
        let world = World::new(2e9, vec![ground(Material::HalfSpace(material))]);
        let frequency = world.surfaces.frequency();
        let eta = material.relative_permittivity(frequency).unwrap();
        let (h_tx, h_rx) = (10.0, 1.5);
        for distance in [0.5, 3.0, 40.0, 900.0, 60e3] {
            let tx = DVec3::new(0.0, 0.0, h_tx);
            let rx = DVec3::new(0.6 * distance, -0.8 * distance, h_rx);
            let direct = world.field(tx, rx, &[]).coefficient;
            let reflected = world.field(tx, rx, &[(Reflection, 0)]).coefficient;

            let ray = |length: f64| {
                let k = frequency.wavenumber();
                Complex64::from_polar(1.0 / (2.0 * k * length), -k * length)
            };
            let direct_length = f64::hypot(distance, h_tx - h_rx);
            let reflected_length = f64::hypot(distance, h_tx + h_rx);
            let cos_theta = (h_tx + h_rx) / reflected_length;
            let r = eta.map_or(fresnel::PERFECT_CONDUCTOR, |eta| {
                fresnel::half_space(cos_theta, eta)
            });
            // TM is vertical, and its +1 keeps theta; TE is horizontal, and phi at the Rx looks the other way.
            let v = ray(direct_length) + r.tm * ray(reflected_length);
            let h = -ray(direct_length) - r.te * ray(reflected_length);
            let scale = ray(direct_length).norm();
            let difference_v = (direct[0][0] + reflected[0][0] - v).norm() / scale;
            let difference_h = (direct[1][1] + reflected[1][1] - h).norm() / scale;
            // k L is 2.5e6 at the far end: its rounding is the limit.
            assert!(difference_v < 2e-9, "{distance} m: {difference_v}");
            assert!(difference_h < 2e-9, "{distance} m: {difference_h}");
        }
    }
}

#[test]
fn straight_up_and_down_use_azimuth_zero_and_stay_finite() {
    let world = World::new(
        1e9,
        vec![ground(Material::HalfSpace(Medium::PerfectConductor))],
    );
    let low = DVec3::new(2.0, 3.0, 1.0);
    let high = DVec3::new(2.0, 3.0, 5.0);
    let field = world.field(low, high, &[]);
    assert_eq!(
        (field.departure.zenith, field.departure.azimuth),
        (0.0, 0.0)
    );
    assert_eq!((field.arrival.zenith, field.arrival.azimuth), (PI, 0.0));
    // Upwards theta is +x and downwards -x, while phi is +y in both.
    let [[vv, vh], [hv, hh]] = field.coefficient;
    assert!((vv + hh).norm() < 1e-20 && vh == hv && vh == Complex64::ZERO);
    let along = world.surfaces.frequency().wavenumber() * 4.0;
    assert!((vv + Complex64::from_polar(vv.norm(), -along)).norm() < 1e-14);

    // A wave goes up and back from a conductor above: the field turns round, seen in one and the same basis.
    let echo = world.field(high, high + DVec3::Z, &[(Reflection, 0)]);
    assert_eq!((echo.departure.zenith, echo.arrival.zenith), (PI, PI));
    let [[vv, _], [_, hh]] = echo.coefficient;
    assert_eq!(vv, hh);
    let along = world.surfaces.frequency().wavenumber() * 11.0;
    assert!((vv + Complex64::from_polar(vv.norm(), -along)).norm() < 1e-14);
}

#[test]
fn the_field_is_continuous_through_normal_incidence() {
    // The antennas are fed and taken along x and y in space, not in theta and phi, which turn around the vertical.
    let slab = Material::slab(itu(ItuMaterial::Glass), 0.02);
    for (kind, rx_height) in [(Reflection, 3.0), (Transmission, -3.0)] {
        let world = World::new(10e9, vec![ground(slab.clone())]);
        let tx = DVec3::new(0.0, 0.0, 2.0);
        let in_space = |offset: DVec3| {
            let field = world.field(tx, DVec3::new(0.0, 0.0, rx_height) + offset, &[(kind, 0)]);
            // The field that an antenna polarised along a fixed axis radiates into theta and phi.
            let along = |axis: DVec3, direction: Direction| {
                spherical_basis(direction.unit_vector()).map(|unit| unit.dot(axis).into())
            };
            [DVec3::X, DVec3::Y].map(|rx_axis| {
                [DVec3::X, DVec3::Y].map(|tx_axis| {
                    field.amplitude(
                        along(tx_axis, field.departure),
                        along(rx_axis, field.arrival),
                    )
                })
            })
        };
        let exactly = in_space(DVec3::ZERO);
        assert!((exactly[0][0] - exactly[1][1]).norm() < 1e-15 * max_norm(exactly));
        let mut random = Random(4);
        for exponent in [-2, -5, -8, -11, -14, -16, -200] {
            let size = 10.0_f64.powi(exponent);
            let offset = size * DVec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.0);
            let nearby = in_space(offset);
            for i in 0..2 {
                for j in 0..2 {
                    let difference = (nearby[i][j] - exactly[i][j]).norm() / max_norm(exactly);
                    // Length and coefficients change with the square of the angle; the phase at most 40 times as fast.
                    assert!(
                        difference < 100.0 * size * size + 1e-13,
                        "{kind:?} {size:e}: {difference:e}"
                    );
                }
            }
        }
    }
}

#[test]
fn grazing_reflection_tends_to_minus_one_without_losing_digits() {
    let world = World::new(
        3.5e9,
        vec![ground(Material::HalfSpace(itu(ItuMaterial::WetGround)))],
    );
    for height in [1e-2, 1e-5, 1e-8, 1e-12] {
        let tx = DVec3::new(0.0, 0.0, height);
        let rx = DVec3::new(100.0, 0.0, height);
        let direct = world.field(tx, rx, &[]).coefficient;
        let reflected = world.field(tx, rx, &[(Reflection, 0)]).coefficient;
        for i in 0..2 {
            let sum = (direct[i][i] + reflected[i][i]).norm() / direct[i][i].norm();
            // 1 + R is at most 2 sqrt(eta) cos(theta), and |sqrt(eta)| is below 6 here.
            assert!(sum < 12.0 * height / 50.0 + 1e-14, "{height}: {sum}");
        }
    }
}

#[test]
fn a_wall_of_air_changes_nothing() {
    let world = World::new(
        2e9,
        vec![(
            plane(DVec3::new(1.0, 0.5, -0.2), 1.0),
            Material::slab(itu(ItuMaterial::Vacuum), 1e-9),
        )],
    );
    let (tx, rx) = (DVec3::ZERO, DVec3::new(4.0, 1.0, 2.0));
    let free = world.field(tx, rx, &[]).coefficient;
    let through = world.field(tx, rx, &[(Transmission, 0)]).coefficient;
    for i in 0..2 {
        for j in 0..2 {
            assert!((free[i][j] - through[i][j]).norm() < 1e-7 * max_norm(free));
        }
    }
    let reflected = world.field(tx, -rx, &[(Reflection, 0)]).coefficient;
    assert!(max_norm(reflected) < 1e-15 * max_norm(free));
}

#[test]
fn both_sides_of_a_layered_wall_are_told_apart_by_its_normal() {
    let layers = [(ItuMaterial::Concrete, 10.0), (ItuMaterial::Wood, 10.0)];
    let wall = Material::Slab(
        layers
            .map(|(material, thickness)| Layer {
                medium: itu(material),
                thickness,
            })
            .to_vec(),
    );
    let reflected = |material, side: f64| {
        let world = World::new(5e9, vec![ground(material)]);
        let (tx, rx) = (DVec3::new(0.0, 0.0, side), DVec3::new(3.0, 0.0, 2.0 * side));
        world.field(tx, rx, &[(Reflection, 0)]).coefficient
    };
    for (material, side) in [(ItuMaterial::Concrete, 1.0), (ItuMaterial::Wood, -1.0)] {
        let alone = reflected(Material::HalfSpace(itu(material)), side);
        let ours = reflected(wall.clone(), side);
        assert!((alone[0][0] - ours[0][0]).norm() < 1e-9 * max_norm(alone));
        assert!((alone[1][1] - ours[1][1]).norm() < 1e-9 * max_norm(alone));
    }
}

#[test]
fn known_paths_are_replayed_at_another_frequency_with_other_walls() {
    let world = skew_world();
    let (tx, rx) = (DVec3::new(5.0, 6.0, 1.0), DVec3::new(7.0, 3.0, 12.0));
    let path = world.path(tx, rx, &[(Transmission, 2), (Reflection, 0)]);
    let materials = vec![Material::HalfSpace(Medium::PerfectConductor); 2]
        .into_iter()
        .chain([Material::slab(itu(ItuMaterial::Vacuum), 1e-9)])
        .collect::<Vec<_>>();
    let other = World {
        surfaces: Surfaces::new(&materials, Frequency::from_hz(30e9).unwrap()).unwrap(),
        ..world
    };
    let field = transport(&path, &other);
    let total: f64 = field
        .coefficient
        .iter()
        .flatten()
        .map(Complex64::norm_sqr)
        .sum();
    let free = other.surfaces.frequency().wavelength() / (4.0 * PI * path.length);
    assert!((total / (2.0 * free * free) - 1.0).abs() < 1e-6);
}
