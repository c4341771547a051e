//! Rooms with a known answer.

use super::{HZ, box_mesh, field, medium, no_paths, of_tx, two_rooms};
use crate::common::{Random, add_polygon, inside_out, paths, split_in_four, world_of};
use keller::antenna::Antenna;
use keller::diffuse::{DiffuseField, DiffuseOptions, DiffuseTx};
use keller::em::fresnel::half_space;
use keller::field::PathField;
use keller::glam::DQuat;
use keller::materials::{Lobe, Material, Medium, Scattering, Texture};
use keller::paths::{Interaction, Limits, Path, Search};
use keller::scene::{Mesh, Scene};
use keller::tiles::Tiling;
use keller::units::SPEED_OF_LIGHT;
use keller::{Complex64, Control, DVec3, Frequency, World};
use std::f64::consts::{FRAC_PI_2, PI};

/// The share of diffuse power that a half space absorbs, by a plain sum over the angle.
fn absorptance(relative_permittivity: f64, conductivity: f64) -> f64 {
    let eta = medium(relative_permittivity, conductivity)
        .relative_permittivity(Frequency::from_hz(HZ).unwrap())
        .unwrap()
        .unwrap_or(Complex64::ONE);
    let steps = 20_000;
    let width = FRAC_PI_2 / f64::from(steps);
    let terms = (0..steps).map(|k| {
        let angle = (f64::from(k) + 0.5) * width;
        let r = half_space(angle.cos(), eta);
        let kept = 0.5 * (r.te.norm_sqr() + r.tm.norm_sqr());
        (1.0 - kept) * (2.0 * angle).sin() * width
    });
    terms.sum()
}

fn turned(mesh: &Mesh, turn: DQuat) -> Mesh {
    let mut mesh = mesh.clone();
    mesh.vertices.iter_mut().for_each(|v| *v = turn * *v);
    mesh
}

fn area(size: DVec3) -> f64 {
    2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
}

/// The gain in a room whose walls absorb the share `alpha`, for a source of the power `diffuse`: Andersen et al.
/// 2007, with the first reflection counted apart.
fn reverberant_gain(diffuse: f64, alpha: f64, area: f64) -> f64 {
    let wavelength = SPEED_OF_LIGHT / HZ;
    wavelength * wavelength * diffuse / (2.0 * PI * alpha * area)
}

/// The mean gain at random points of a box.
fn mean_gain(of_tx: &DiffuseTx, size: DVec3, turn: DQuat) -> f64 {
    let mut random = Random(5);
    let points = 60;
    let gains = (0..points).map(|_| {
        let at = turn * random.point(0.1 * size, 0.9 * size);
        of_tx.gain(at, &Antenna::default())
    });
    gains.sum::<f64>() / f64::from(points)
}

#[test]
fn a_closed_room_has_the_mean_gain_of_a_reverberation_chamber() {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 0.7);
    for (size, accuracy) in [
        (DVec3::splat(3.0), 0.015),
        (DVec3::new(5.0, 4.0, 3.0), 0.02),
        (DVec3::new(9.0, 2.5, 2.0), 0.06),
    ] {
        for (permittivity, conductivity) in [(3.0, 1e3), (4.0, 20.0), (5.0, 0.05)] {
            let wall = Material::HalfSpace(medium(permittivity, conductivity));
            let alpha = absorptance(permittivity, conductivity);
            for (mesh, turn) in [
                (box_mesh(size), DQuat::IDENTITY),
                (inside_out(&split_in_four(&box_mesh(size))), DQuat::IDENTITY),
                (turned(&box_mesh(size), turn), turn),
            ] {
                let world = world_of(Scene::new(&mesh).unwrap(), &wall, HZ);
                let field = field(&world, 0.8);
                let of_tx = of_tx(
                    &field,
                    turn * (size * DVec3::new(0.4, 0.55, 0.35)),
                    &no_paths(),
                );
                let wanted = reverberant_gain(of_tx.budget().diffuse, alpha, area(size));
                let ratio = mean_gain(&of_tx, size, turn) / wanted;
                // The field is not even where walls absorb much.
                let accuracy = accuracy + 0.1 * alpha * alpha;
                assert!(
                    (ratio - 1.0).abs() < accuracy,
                    "{size}, alpha {alpha}: {ratio}"
                );
            }
        }
    }
}

#[test]
fn the_decay_of_a_cube_is_that_of_eyring_with_the_correction_of_kuttruff() {
    let size = DVec3::splat(4.0);
    for (permittivity, conductivity) in [(3.0, 1e3), (4.0, 100.0), (4.0, 20.0)] {
        let alpha = absorptance(permittivity, conductivity);
        let wall = Material::HalfSpace(medium(permittivity, conductivity));
        let world = world_of(Scene::new(&box_mesh(size)).unwrap(), &wall, HZ);
        let field = field(&world, 0.8);
        // The relative variance of the distance between reflections in a cube with diffuse walls is 0.33 to 0.4.
        let exponent = -(1.0 - alpha).ln();
        let corrected = exponent * (1.0 - 0.5 * 0.36 * exponent);
        let wanted = 4.0 * size.element_product() / (SPEED_OF_LIGHT * area(size) * corrected);
        let found = field.decay_time().unwrap();
        assert!(
            (found / wanted - 1.0).abs() < 0.01,
            "alpha {alpha}: {}",
            found / wanted
        );
        let reached = of_tx(&field, DVec3::splat(1.7), &no_paths())
            .decay_time()
            .unwrap();
        assert!((reached / found - 1.0).abs() < 1e-4, "{reached} {found}");
    }
}

#[test]
fn two_rooms_have_the_balance_of_coupled_rooms() {
    // Walls and sheet reflect most of the power, so that the field in each room is even.
    let wall = Material::HalfSpace(medium(3.0, 1e3));
    let alpha = absorptance(3.0, 1e3);
    for between in [2e-5, 1e-4].map(|thickness| Material::slab(medium(3.0, 1e3), thickness)) {
        let world = two_rooms(&wall, &between);
        // Means over the hemisphere by a plain sum over the angle.
        let surface = keller::em::Surface::new(&between, world.frequency()).unwrap();
        let steps = 4000;
        let (mut rho, mut tau) = (0.0, 0.0);
        for k in 0..steps {
            let angle = (f64::from(k) + 0.5) * FRAC_PI_2 / f64::from(steps);
            let weight = (2.0 * angle).sin() * FRAC_PI_2 / f64::from(steps);
            let r = surface.smooth_reflection(angle.cos(), true);
            let t = surface.transmission(angle.cos(), true);
            rho += 0.5 * weight * (r.te.norm_sqr() + r.tm.norm_sqr());
            tau += 0.5 * weight * (t.te.norm_sqr() + t.tm.norm_sqr());
        }
        let (shared, rest) = (9.0, area(DVec3::new(4.0, 3.0, 3.0)) - 9.0);
        let loss = alpha * rest + (1.0 - rho) * shared;
        let field = field(&world, 0.75);
        let tx = of_tx(&field, DVec3::new(1.2, 1.4, 1.7), &no_paths());
        let gain = |x: f64| {
            let mut random = Random(9);
            let points = 40;
            let at = (0..points).map(|_| {
                let low = DVec3::new(x + 0.4, 0.3, 0.3);
                tx.gain(
                    random.point(low, low + DVec3::new(3.2, 2.4, 2.4)),
                    &Antenna::default(),
                )
            });
            at.sum::<f64>() / f64::from(points)
        };
        let ratio = gain(4.0) / gain(0.0);
        // The power that the Tx sends through the shared wall at once is a source in the other room.
        let steps = 300;
        let cell = 3.0 / f64::from(steps);
        let mut passed = 0.0;
        for k in 0..steps * steps {
            let [y, z] = [k % steps, k / steps].map(|k| (f64::from(k) + 0.5) * cell);
            let way = DVec3::new(4.0, y, z) - DVec3::new(1.2, 1.4, 1.7);
            let cosine = way.x / way.length();
            let t = surface.transmission(cosine, true);
            let share = 0.5 * (t.te.norm_sqr() + t.tm.norm_sqr());
            passed += share * cosine / (4.0 * PI * way.length_squared()) * cell * cell;
        }
        // The balance of each room: loss times incident density = source + power from the other room.
        let (here, across) = (tx.budget().diffuse - passed, tau * shared);
        let wanted = (loss * passed + across * here) / (loss * here + across * passed);
        assert!((ratio / wanted - 1.0).abs() < 0.05, "{ratio} {wanted}");
    }
}

#[test]
fn a_single_sheet_in_the_open_sends_on_what_it_reflects_once() {
    let mut mesh = Mesh::default();
    let sheet = [[-2., -2.], [2., -2.], [2., 2.], [-2., 2.]].map(|[x, y]| DVec3::new(x, y, 0.0));
    add_polygon(&mut mesh, "wall", &sheet);
    let metal = Material::HalfSpace(Medium::PerfectConductor);
    let world = world_of(Scene::new(&mesh).unwrap(), &metal, HZ);
    let field = field(&world, 0.5);
    assert_eq!((field.decay_time(), field.num_exchanges()), (None, 0));
    // Exact paths carry the reflection: nothing is diffuse.
    let at = DVec3::new(0.1, 0.2, 1.0);
    let with_paths = of_tx(&field, at, &Limits::default());
    assert_eq!(with_paths.budget().diffuse, 0.0);
    assert_eq!(with_paths.gain(DVec3::Z, &Antenna::default()), 0.0);
    // The tile under a far Rx sees the radiance of the sheet if there are no paths.
    let alone = of_tx(&field, at, &no_paths());
    let behind = alone.gain(DVec3::new(0.0, 0.0, -1.0), &Antenna::default());
    assert_eq!(behind, 0.0);
    let far = 40.0;
    let wavelength = world.frequency().wavelength();
    let diffuse = alone.budget().diffuse;
    let wanted = wavelength.powi(2) / (4.0 * PI) * 0.5 * diffuse / (PI * far * far);
    let options = DiffuseOptions {
        rx_rays: 1 << 20,
        ..DiffuseOptions::of_tiling(Tiling::of_side(0.5))
    };
    let fine = DiffuseField::new(&world, &options, &Control::default()).unwrap();
    let found = of_tx(&fine, at, &no_paths()).gain(DVec3::new(0.0, 0.0, far), &Antenna::default());
    assert!((found / wanted - 1.0).abs() < 0.03, "{found} {wanted}");
}

#[test]
fn paths_and_field_together_do_not_depend_on_the_order_at_which_paths_end() {
    let size = DVec3::new(5.0, 4.0, 3.0);
    let wall = Material::HalfSpace(medium(6.0, 0.1));
    let world = world_of(Scene::new(&box_mesh(size)).unwrap(), &wall, HZ);
    let field = field(&world, 0.8);
    let position = DVec3::new(1.7, 2.3, 1.1);
    let antenna = Antenna::default();
    let mut random = Random(3);
    let points: Vec<DVec3> = (0..40)
        .map(|_| random.point(0.1 * size, 0.9 * size))
        .collect();
    // Power without the direct path, which all have in common.
    let total = |reflections: usize| {
        let limits = Limits {
            max_interactions: reflections,
            max_reflections: reflections,
            ..Limits::default()
        };
        let of_tx = of_tx(&field, position, &limits);
        let diffuse: f64 = points.iter().map(|at| of_tx.gain(*at, &antenna)).sum();
        let exact = paths(&world, position, &points, &limits, Search::Complete);
        let bounced = exact.iter().filter(|path| !path.vertices.is_empty());
        diffuse + bounced.map(|path| gain(path, &world)).sum::<f64>()
    };
    // The first reflection of a smooth wall is far from Lambert's law; from the second on, the order does not matter.
    let all = [1, 2, 3, 4, 5].map(total);
    for gain in all {
        let ratio = gain / all[4];
        assert!((ratio - 1.0).abs() < 0.02, "{all:?}");
    }
}

/// A material that scatters most of the power that it reflects.
fn rough(lobe: Lobe) -> Material {
    let texture = Texture {
        scattering: Some(Scattering {
            coefficient: 0.8,
            cross_polarization: 0.0,
            lobe,
        }),
        roughness: 0.0,
    };
    Material::HalfSpace(medium(6.0, 2.0)).with_texture(texture)
}

/// The power of a path, of unpolarised waves.
fn gain(path: &Path, world: &World) -> f64 {
    let cells = PathField::new(path, world).coefficient;
    let cells = cells.as_flattened().iter();
    0.25 * cells.map(Complex64::norm_sqr).sum::<f64>()
}

/// Power that paths scatter, and that is then reflected or scattered again, is in them or in the field, and not in
/// both.
#[test]
fn paths_and_field_together_do_not_depend_on_how_often_paths_are_scattered() {
    let size = DVec3::new(5.0, 4.0, 3.0);
    let position = DVec3::new(1.7, 2.3, 1.1);
    let mut random = Random(4);
    let points: Vec<DVec3> = (0..6)
        .map(|_| random.point(0.2 * size, 0.8 * size))
        .collect();
    // The field scatters by Lambert's law: other lobes are compared where they shape the same scatterings.
    let lambertian: &[[usize; 2]] = &[[1, 0], [2, 0], [1, 1], [2, 1], [3, 1], [2, 2], [3, 2]];
    let directive: [&[[usize; 2]]; 2] = [&[[1, 1], [2, 1], [3, 1]], &[[2, 2], [3, 2]]];
    for (lobe, alike) in [
        (Lobe::Lambertian, lambertian),
        (Lobe::Directive { forward: 4 }, directive[0]),
        (Lobe::Directive { forward: 4 }, directive[1]),
    ] {
        let world = world_of(Scene::new(&box_mesh(size)).unwrap(), &rough(lobe), HZ);
        let field = field(&world, 0.8);
        let total = |[max_interactions, max_scatterings]: &[usize; 2]| {
            let limits = Limits {
                max_interactions: *max_interactions,
                max_reflections: *max_interactions,
                max_scatterings: *max_scatterings,
                ..Limits::default()
            };
            let of_tx = of_tx(&field, position, &limits);
            let diffuse = points.iter().map(|at| of_tx.gain(*at, &Antenna::default()));
            let exact = paths(&world, position, &points, &limits, Search::Complete);
            let bounced = exact.iter().filter(|path| !path.vertices.is_empty());
            diffuse.sum::<f64>() + bounced.map(|path| gain(path, &world)).sum::<f64>()
        };
        let all: Vec<f64> = alike.iter().map(total).collect();
        for gain in &all {
            let ratio = gain / all[0];
            assert!((ratio - 1.0).abs() < 0.015, "{lobe:?}: {all:?}");
        }
    }
}

#[test]
fn what_a_rough_sheet_scatters_once_is_in_the_paths_or_in_the_field() {
    let mut mesh = Mesh::default();
    let sheet = [[-2., -2.], [2., -2.], [2., 2.], [-2., 2.]].map(|[x, y]| DVec3::new(x, y, 0.0));
    add_polygon(&mut mesh, "wall", &sheet);
    let texture = Texture {
        scattering: Some(Scattering {
            coefficient: 0.6,
            cross_polarization: 0.0,
            lobe: Lobe::Lambertian,
        }),
        roughness: 0.0,
    };
    let rough = Material::HalfSpace(Medium::PerfectConductor).with_texture(texture);
    let world = world_of(Scene::new(&mesh).unwrap(), &rough, HZ);
    let options = DiffuseOptions {
        tx_rays: 1 << 17,
        rx_rays: 1 << 14,
        ..DiffuseOptions::of_tiling(Tiling::of_side(0.1))
    };
    let field = DiffuseField::new(&world, &options, &Control::default()).unwrap();
    let (tx, rx) = (DVec3::new(0.3, -0.2, 1.5), DVec3::new(-0.9, 0.7, 2.2));
    let scattered = Limits {
        max_interactions: 1,
        max_reflections: 1,
        max_scatterings: 1,
        ..Limits::default()
    };
    let reflected = Limits {
        max_scatterings: 0,
        ..scattered
    };
    let antenna = Antenna::default();
    let [with, without] = [scattered, reflected].map(|limits| of_tx(&field, tx, &limits));
    // Scattered power goes into the open, by the paths or by the field.
    let [in_paths, in_field] = [&with, &without].map(DiffuseTx::budget);
    assert_eq!(in_paths.diffuse, 0.0);
    let escaped = in_paths.rays_escaped - in_field.rays_escaped;
    assert!((escaped - in_field.diffuse).abs() < 1e-12);
    assert_eq!(with.gain(rx, &antenna), 0.0);
    let exact = paths(&world, tx, &[rx], &scattered, Search::Complete);
    let is_scattered = |path: &&Path| {
        let mut vertices = path.vertices.iter();
        vertices.any(|vertex| matches!(vertex.interaction, Interaction::Scattering(..)))
    };
    let exact: f64 = exact
        .iter()
        .filter(is_scattered)
        .map(|path| gain(path, &world))
        .sum();
    let ratio = without.gain(rx, &antenna) / exact;
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
}
