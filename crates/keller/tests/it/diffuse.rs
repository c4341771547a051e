//! The diffuse field against the formulas of reverberation, the balance of coupled rooms, and the laws of energy and reciprocity.

use crate::common::{
    Random, add_box, add_polygon, inside_out, random_scene, split_in_four, world_of,
};
use keller::antenna::{Antenna, Pattern, Polarization};
use keller::diffuse::{DiffuseField, DiffuseOptions, DiffuseTx};
use keller::em::fresnel::half_space;
use keller::glam::DQuat;
use keller::materials::{ItuMaterial, Lobe, Material, Medium, Scattering, Texture};
use keller::paths::Limits;
use keller::scene::{Mesh, Scene};
use keller::tiles::Tiling;
use keller::units::SPEED_OF_LIGHT;
use keller::{Complex64, Control, DVec3, Error, Frequency, Tx, World};
use std::f64::consts::{FRAC_PI_2, PI};

const HZ: f64 = 2.4e9;

/// Rays of the Tx are diffuse from their first wall on.
fn no_paths() -> Limits {
    Limits {
        max_interactions: 0,
        max_reflections: 0,
        ..Limits::default()
    }
}

fn medium(relative_permittivity: f64, conductivity: f64) -> Medium {
    Medium::Constant {
        relative_permittivity,
        conductivity,
    }
}

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

fn field(world: &World, side: f64) -> DiffuseField {
    let options = DiffuseOptions::of_tiling(Tiling::of_side(side));
    DiffuseField::new(world, &options, &Control::default()).unwrap()
}

fn of_tx(field: &DiffuseField, position: DVec3, limits: &Limits) -> DiffuseTx {
    let tx = Tx {
        position,
        antenna: Antenna::default(),
    };
    field.of_tx(&tx, limits, &Control::default()).unwrap()
}

fn box_mesh(size: DVec3) -> Mesh {
    let mut mesh = Mesh::default();
    add_box(&mut mesh, "wall", DVec3::ZERO, size);
    mesh
}

fn turned(mesh: &Mesh, turn: DQuat) -> Mesh {
    let mut mesh = mesh.clone();
    mesh.vertices.iter_mut().for_each(|v| *v = turn * *v);
    mesh
}

fn area(size: DVec3) -> f64 {
    2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
}

/// The gain in a room whose walls absorb the share `alpha`, for a source of the power `diffuse`: Andersen et al. 2007, with the
/// first reflection counted apart.
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
                // Where walls absorb much, the field is not even.
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

/// Two boxes of 4 m x 3 m x 3 m that share a wall of another material.
fn two_rooms(wall: &Material, between: &Material) -> World {
    let mut mesh = Mesh::default();
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    for (a, b) in [(0.0, 4.0), (4.0, 8.0)] {
        for z in [0.0, 3.0] {
            add_polygon(
                &mut mesh,
                "wall",
                &[at(a, 0., z), at(b, 0., z), at(b, 3., z), at(a, 3., z)],
            );
        }
        for y in [0.0, 3.0] {
            add_polygon(
                &mut mesh,
                "wall",
                &[at(a, y, 0.), at(b, y, 0.), at(b, y, 3.), at(a, y, 3.)],
            );
        }
    }
    for (x, name) in [(0.0, "wall"), (4.0, "between"), (8.0, "wall")] {
        add_polygon(
            &mut mesh,
            name,
            &[at(x, 0., 0.), at(x, 3., 0.), at(x, 3., 3.), at(x, 0., 3.)],
        );
    }
    crate::common::world(
        Scene::new(&mesh).unwrap(),
        &[wall.clone(), between.clone()],
        HZ,
    )
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
        // What the Tx sends through the shared wall at once is a source in the other room.
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
        // Per room: loss times incident density = source + what comes from the other room.
        let (here, across) = (tx.budget().diffuse - passed, tau * shared);
        let wanted = (loss * passed + across * here) / (loss * here + across * passed);
        assert!((ratio / wanted - 1.0).abs() < 0.05, "{ratio} {wanted}");
    }
}

#[test]
fn an_opaque_wall_leaks_nothing_whatever_the_tiles() {
    // Slightly shifted tiles lie on both sides of the wall between the rooms.
    let wall = Material::HalfSpace(medium(4.0, 20.0));
    let mut mesh = box_mesh(DVec3::new(7.3, 3.1, 2.9));
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let across = [
        at(3.1, 0., 0.),
        at(3.9, 3.1, 0.),
        at(3.9, 3.1, 2.9),
        at(3.1, 0., 2.9),
    ];
    add_polygon(&mut mesh, "wall", &across);
    for mesh in [mesh.clone(), inside_out(&mesh), split_in_four(&mesh)] {
        let world = world_of(Scene::new(&mesh).unwrap(), &wall, HZ);
        for side in [0.6, 1.0, 5.0] {
            let tx = of_tx(&field(&world, side), at(1.0, 1.0, 1.0), &Limits::default());
            let gain = |x: f64| tx.gain(at(x, 1.5, 1.4), &Antenna::default());
            assert!(
                gain(1.5) > 1e-7 && gain(5.5) == 0.0,
                "{} {}",
                gain(1.5),
                gain(5.5)
            );
        }
    }
}

#[test]
fn walls_at_one_place_count_once_and_closed_bodies_stay_dark_inside() {
    let size = DVec3::new(4.0, 3.0, 2.5);
    let wall = Material::HalfSpace(medium(4.0, 20.0));
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let gain = |mesh: &Mesh| {
        let world = world_of(Scene::new(mesh).unwrap(), &wall, HZ);
        let tx = of_tx(&field(&world, 0.6), at(1.0, 1.2, 1.1), &no_paths());
        let all = tx.budget();
        assert!(
            (all.absorbed - all.diffuse).abs() < 1e-9 && all.escaped < 1e-12,
            "{all:?}"
        );
        (tx.gain(at(3.1, 1.9, 0.9), &Antenna::default()), tx)
    };
    let (plain, _) = gain(&box_mesh(size));
    // A poster of the same make, a second wall at the place of the first, and both fronts reversed.
    let mut doubled = box_mesh(size);
    add_polygon(
        &mut doubled,
        "poster",
        &[
            at(0., 1., 1.),
            at(0., 2., 1.),
            at(0., 2., 2.),
            at(0., 1., 2.),
        ],
    );
    add_polygon(
        &mut doubled,
        "wall 2",
        &[
            at(4., 0., 0.),
            at(4., 3., 0.),
            at(4., 3., 2.5),
            at(4., 0., 2.5),
        ],
    );
    for mesh in [doubled.clone(), inside_out(&doubled)] {
        let (with, _) = gain(&mesh);
        assert!((with / plain - 1.0).abs() < 0.02, "{with} {plain}");
    }
    // A cupboard in the corner, with its back to the wall.
    let mut filled = box_mesh(size);
    let low = DVec3::new(3.3, 0.0, 0.0);
    add_box(&mut filled, "cupboard", low, at(4.0, 0.5, 2.0));
    let (_, tx) = gain(&filled);
    assert_eq!(tx.gain(at(3.6, 0.25, 1.0), &Antenna::default()), 0.0);
}

#[test]
fn deeper_paths_leave_less_to_the_diffuse_field() {
    let world = two_rooms(
        &Material::HalfSpace(medium(5.0, 0.05)),
        &Material::slab(medium(4.0, 0.05), 0.1),
    );
    let field = field(&world, 0.75);
    let left = |reflections: usize, max_transmissions: usize| {
        let limits = Limits {
            max_interactions: reflections,
            max_reflections: reflections,
            max_transmissions,
            ..Limits::default()
        };
        of_tx(&field, DVec3::new(1.1, 1.3, 1.2), &limits)
            .budget()
            .diffuse
    };
    let chain = [left(0, 0), left(1, 0), left(2, 1), left(3, 3), left(5, 5)];
    assert!(
        chain.windows(2).all(|pair| pair[1] < 0.8 * pair[0]),
        "{chain:?}"
    );
}

#[test]
fn all_power_is_somewhere_exactly_once() {
    let rough = Texture {
        scattering: Some(Scattering {
            coefficient: 0.5,
            cross_polarization: 0.1,
            lobe: Lobe::Directive { forward: 4 },
        }),
        roughness: 0.002,
    };
    let concrete = Material::slab(Medium::Itu(ItuMaterial::Concrete), 0.2);
    for seed in 0..10 {
        let (mesh, [low, high]) = random_scene(seed);
        let Ok(scene) = Scene::new(&mesh) else {
            continue;
        };
        let material = if seed % 2 == 0 {
            concrete.with_texture(rough)
        } else {
            concrete.clone()
        };
        let world = world_of(scene, &material, HZ);
        let options = DiffuseOptions {
            tile_rays: 64,
            tx_rays: 2048,
            ..DiffuseOptions::of_scene(world.scene())
        };
        let field = DiffuseField::new(&world, &options, &Control::default()).unwrap();
        let mut random = Random(seed);
        let tx = Tx {
            position: random.point(low, high),
            antenna: Antenna::default(),
        };
        for limits in [
            no_paths(),
            Limits {
                max_transmissions: 2,
                max_scatterings: 1,
                ..Limits::default()
            },
        ] {
            let Ok(tx) = field.of_tx(&tx, &limits, &Control::default()) else {
                continue;
            };
            let all = tx.budget();
            let radiated = all.rays_absorbed + all.rays_escaped + all.diffuse;
            assert!((radiated - 1.0).abs() < 1e-9, "seed {seed}: {all:?}");
            let spent = all.absorbed + all.escaped;
            assert!((spent - all.diffuse).abs() < 1e-9, "seed {seed}: {all:?}");
            let gain = tx.gain(random.point(low, high), &Antenna::default());
            assert!(gain.is_finite() && gain >= 0.0);
        }
    }
}

#[test]
fn tx_and_rx_can_change_places() {
    let world = two_rooms(
        &Material::HalfSpace(medium(5.0, 0.05)),
        &Material::slab(medium(4.0, 0.05), 0.1),
    );
    let field = field(&world, 0.5);
    let dipole = Antenna {
        pattern: Pattern::ShortDipole,
        ..Antenna::default()
    };
    for (a, b) in [
        (DVec3::new(1.1, 1.3, 1.2), DVec3::new(3.1, 2.2, 1.9)),
        (DVec3::new(1.1, 1.3, 1.2), DVec3::new(6.4, 0.9, 2.1)),
    ] {
        for (at_a, at_b) in [
            (Antenna::default(), Antenna::default()),
            (dipole.clone(), Antenna::default()),
        ] {
            let gain = |from: DVec3, tx: &Antenna, to: DVec3, rx: &Antenna| {
                let tx = Tx {
                    position: from,
                    antenna: tx.clone(),
                };
                let field = field.of_tx(&tx, &no_paths(), &Control::default()).unwrap();
                field.gain(to, rx)
            };
            let ratio = gain(a, &at_a, b, &at_b) / gain(b, &at_b, a, &at_a);
            // Rays of the Tx know the angle of incidence, the exchange its mean.
            assert!((ratio.ln()).abs() < 0.06, "{ratio}");
        }
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
    // Without paths: the tile under a far Rx sees the radiance of the sheet.
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
fn a_closed_room_of_perfect_conductors_is_refused_and_one_with_a_window_is_not() {
    let metal = Material::HalfSpace(Medium::PerfectConductor);
    let size = DVec3::splat(3.0);
    let closed = world_of(Scene::new(&box_mesh(size)).unwrap(), &metal, HZ);
    let closed_field = field(&closed, 0.75);
    let tx = Tx {
        position: DVec3::new(1.0, 1.2, 1.4),
        antenna: Antenna::default(),
    };
    let error = closed_field
        .of_tx(&tx, &no_paths(), &Control::default())
        .unwrap_err();
    assert!(matches!(error, Error::Diffuse(_)), "{error}");
    assert_eq!(closed_field.decay_time(), None);

    let mut open = box_mesh(size);
    open.triangles.pop();
    let world = world_of(Scene::new(&open).unwrap(), &metal, HZ);
    let tx = of_tx(&field(&world, 0.75), tx.position, &no_paths());
    let all = tx.budget();
    assert!((all.escaped - all.diffuse).abs() < 1e-9 && all.absorbed < 1e-12);
    assert!(tx.decay_time().is_some());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let world = two_rooms(
        &Material::HalfSpace(medium(5.0, 0.05)),
        &Material::slab(medium(4.0, 0.05), 0.1),
    );
    let limits = Limits {
        max_transmissions: 3,
        ..Limits::default()
    };
    let results = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let field = field(&world, 0.5);
            let tx = of_tx(&field, DVec3::new(1.1, 1.3, 1.2), &limits);
            let points = [DVec3::new(3.1, 2.2, 1.9), DVec3::new(6.4, 0.9, 2.1)];
            let gains = points.map(|at| tx.gain(at, &Antenna::default()).to_bits());
            let tiles: Vec<_> = (0..field.tiles().len())
                .map(|t| tx.incident_power(t))
                .collect();
            (gains, tiles, tx.decay_time().map(f64::to_bits))
        })
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn two_ports_receive_both_polarisations() {
    let world = two_rooms(
        &Material::HalfSpace(medium(5.0, 0.05)),
        &Material::slab(medium(4.0, 0.05), 0.1),
    );
    let tx = of_tx(&field(&world, 0.75), DVec3::new(1.1, 1.3, 1.2), &no_paths());
    let cross = Antenna {
        polarization: Polarization::from_name("cross").unwrap(),
        ..Antenna::default()
    };
    let at = DVec3::new(3.0, 2.0, 1.0);
    let ratio = tx.gain(at, &cross) / tx.gain(at, &Antenna::default());
    assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
}
