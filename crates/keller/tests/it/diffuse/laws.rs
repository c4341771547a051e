//! Laws of every scene: energy, reciprocity, no leaks, no dependence on threads.

use super::{HZ, box_mesh, field, medium, no_paths, of_tx, two_rooms};
use crate::common::{
    Random, add_box, add_polygon, inside_out, random_scene, split_in_four, world_of,
};
use keller::antenna::{Antenna, Pattern, Polarization};
use keller::diffuse::{DiffuseField, DiffuseOptions, ScatteredPaths};
use keller::materials::{ItuMaterial, Lobe, Material, Medium, Scattering, Texture};
use keller::paths::Limits;
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3, Error, Tx};

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

/// A ray goes on as long as any of the limits allows its path, and no longer.
#[test]
fn alternatives_leave_what_none_of_them_allows() {
    let world = two_rooms(
        &Material::HalfSpace(medium(5.0, 0.05)),
        &Material::slab(medium(4.0, 0.05), 0.1),
    );
    let field = field(&world, 0.75);
    let limits = |reflections: usize, max_transmissions: usize| Limits {
        max_interactions: reflections,
        max_reflections: reflections,
        max_transmissions,
        ..Limits::default()
    };
    let tx = Tx {
        position: DVec3::new(1.1, 1.3, 1.2),
        antenna: Antenna::default(),
    };
    let left = |alternatives: &[Limits]| {
        let of_tx = field.of_tx_beside(
            &tx,
            alternatives,
            ScatteredPaths::ToDevices,
            &Control::default(),
        );
        of_tx.unwrap().budget().diffuse
    };
    let (bounced, passed, both) = (limits(3, 0), limits(0, 2), limits(3, 2));
    // Within one of them, others change nothing.
    assert_eq!(left(&[bounced, both, passed]), left(&[both]));
    assert_eq!(left(&[limits(1, 0), bounced]), left(&[bounced]));
    // The power of both is taken off once: paths that only bounce and paths that only pass share the direct path.
    let none = left(&[limits(0, 0)]);
    let taken = |alternatives: &[Limits]| none - left(alternatives);
    let sum = taken(&[bounced]) + taken(&[passed]);
    let ratio = taken(&[passed, bounced]) / sum;
    assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    assert!(taken(&[both]) > 1.02 * sum, "{} {sum}", taken(&[both]));
}

/// A point of a wall sees the power that falls on its tile: the exchange of power between tiles knows it from other
/// rays.
#[test]
fn the_view_from_a_wall_agrees_with_the_exchange() {
    let wall = Material::HalfSpace(medium(4.0, 20.0));
    let mesh = box_mesh(DVec3::new(5.0, 4.0, 3.0));
    for mesh in [mesh.clone(), inside_out(&mesh)] {
        let world = world_of(Scene::new(&mesh).unwrap(), &wall, HZ);
        let field = field(&world, 0.8);
        let tx = of_tx(&field, DVec3::new(1.1, 1.3, 1.7), &no_paths());
        let (mut seen, mut known, mut gains) = (0.0, 0.0, 0.0);
        for (number, tile) in field.tiles().all().iter().enumerate() {
            let front = world.scene().face_normal(tile.face);
            let incident = tx.incident_power(number);
            for (normal, incident) in [front, -front].into_iter().zip(incident) {
                let views = field.views_from_wall(tile.centre, normal, tile.face);
                let [gain, flux] = views.map(|view| tx.gain_of(&view));
                assert!(
                    (flux - incident).abs() <= 0.3 * incident,
                    "{flux} {incident}"
                );
                seen += flux * tile.area;
                known += incident * tile.area;
                gains += gain * tile.area;
            }
        }
        assert!((seen / known - 1.0).abs() < 0.02, "{seen} {known}");
        // Half of all directions of an even field bring the gain λ² / 2π for 1 W/m² in both polarisations.
        let wavelength = world.frequency().wavelength();
        let of_even = wavelength * wavelength / (2.0 * std::f64::consts::PI) * known;
        assert!((gains / of_even - 1.0).abs() < 0.05, "{gains} {of_even}");
    }
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
