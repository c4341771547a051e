//! IRLA against closed forms and exact paths.

use glam::{DVec2, DVec3};
use keller::antenna::{Antenna, Polarization};
use keller::coverage::{Levels, Region};
use keller::field::PathField;
use keller::materials::{Material, Materials, Medium};
use keller::paths::{Devices, Limits, PathOptions, Search, find_paths};
use keller::scene::{Mesh, Scene};
use keller::units::power_to_db;
use keller::{Control, Frequency, Tx, World};

use super::{Collection, Irla, Settings};

const SIDES: [f64; 3] = [7.3, 5.1, 3.0];

/// A slab that reflects and lets pass, at 3.4 GHz.
fn world(mesh: &Mesh) -> World {
    let medium = Medium::Constant {
        relative_permittivity: 5.0,
        conductivity: 0.05,
    };
    let materials = Materials::from([("wall", Material::slab(medium, 0.15))]);
    let frequency = Frequency::from_ghz(3.4).unwrap();
    World::new(Scene::new(mesh).unwrap(), &materials, frequency).unwrap()
}

fn wall(mesh: &mut Mesh, x: f64) {
    let at = |y, z| DVec3::new(x, y, z);
    mesh.add_polygon(
        "wall",
        &[
            at(-50.0, -50.0),
            at(50.0, -50.0),
            at(50.0, 50.0),
            at(-50.0, 50.0),
        ],
    );
}

fn room() -> Mesh {
    let [x, y, z] = SIDES;
    let mut mesh = Mesh::default();
    let corners = [[0.0, 0.0], [x, 0.0], [x, y], [0.0, y]].map(|[x, y]| DVec3::new(x, y, 0.0));
    for k in 0..4 {
        let (a, b) = (corners[k], corners[(k + 1) % 4]);
        mesh.add_polygon("wall", &[a, b, b.with_z(z), a.with_z(z)]);
    }
    mesh.add_polygon("wall", &corners);
    mesh.add_polygon("wall", &corners.map(|corner| corner.with_z(z)));
    mesh
}

fn region(resolution: f64) -> Region {
    let low = DVec2::new(-0.213, -0.317);
    let [x, y, _] = SIDES;
    let high = DVec2::new(x, y) + 0.23;
    let levels = Levels::AboveSea(vec![1.5]);
    Region::planes(low, high, DVec2::splat(resolution), levels).unwrap()
}

fn tx() -> Tx {
    Tx {
        position: DVec3::new(2.31, 3.17, 2.23),
        antenna: Antenna::default(),
    }
}

fn gains(world: &World, region: &Region, settings: Settings) -> Vec<f64> {
    let irla = Irla::new(world, region, settings).unwrap();
    irla.gains(&tx()).unwrap().0
}

/// The exact paths to all cells, the gain of each sum that is not below the minimum.
fn exact(world: &World, region: &Region, settings: &Settings) -> Vec<f64> {
    let cells = 0..region.num_cells();
    let centres = cells.map(|cell| region.centre(region.cell(cell), &[]).unwrap());
    let tx_devices = Devices::tx(world.scene(), [tx().position]).unwrap();
    let rx_devices = Devices::rx(world.scene(), centres.collect::<Vec<_>>()).unwrap();
    let options = PathOptions {
        limits: Limits {
            max_interactions: settings.max_reflections,
            max_reflections: settings.max_reflections,
            max_transmissions: settings.max_transmissions,
            ..Limits::default()
        },
        search: Some(Search::Exhaustive),
    };
    let rx = Antenna {
        polarization: Polarization::VH,
        ..Antenna::default()
    };
    let mut gains = vec![0.0; region.num_cells()];
    let control = Control::default();
    for path in find_paths(world, &tx_devices, &rx_devices, &options, &control).unwrap() {
        let gain = PathField::new(&path, world).gain(&tx().antenna, &rx);
        if gain >= settings.min_gain {
            gains[path.rx] += gain;
        }
    }
    gains
}

/// Whether a centre is in the room, and no ray that passes it ends before it does: rays are at most half a cell apart.
fn is_inside(region: &Region, cell: usize) -> bool {
    let centre = region.centre(region.cell(cell), &[]).unwrap();
    let [x, y, _] = SIDES;
    let margin = 0.1;
    (margin..x - margin).contains(&centre.x) && (margin..y - margin).contains(&centre.y)
}

fn all_switches() -> impl Iterator<Item = Settings> {
    (0..8_u8).map(|bits| Settings {
        is_raster: bits & 1 == 0,
        is_projected: bits & 2 == 0,
        fills_gaps: bits & 4 == 0,
        ..Settings::default()
    })
}

/// Friis, whose gain is that of the distance to the centre, whatever is simplified.
#[test]
fn free_space_is_exact() {
    let mut mesh = Mesh::default();
    // A wall far beyond the cells.
    wall(&mut mesh, 90.0);
    let (world, region) = (world(&mesh), region(0.25));
    let wavelength = world.frequency().wavelength();
    for settings in all_switches() {
        for (cell, gain) in gains(&world, &region, settings).into_iter().enumerate() {
            let centre = region.centre(region.cell(cell), &[]).unwrap();
            let away = centre - tx().position;
            // The default antenna is isotropic.
            let friis = (wavelength / (4.0 * std::f64::consts::PI * away.length())).powi(2);
            assert!(
                (gain / friis - 1.0).abs() < 1e-5,
                "{settings:?} {centre} {gain} {friis}"
            );
        }
    }
}

/// Each cell of a world with a single wall, and nothing simplified, has the direct path and the reflected one, or the
/// one through the wall.
#[test]
fn before_and_behind_one_wall_exact_rays_have_the_exact_paths() {
    let mut mesh = Mesh::default();
    wall(&mut mesh, 5.37);
    let (world, region) = (world(&mesh), region(0.2));
    let settings = Settings {
        is_raster: false,
        is_projected: false,
        density: 2.0,
        collection: Collection::Owned,
        ..Settings::default()
    };
    let expected = exact(&world, &region, &settings);
    let found = gains(&world, &region, settings);
    for (cell, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let error = power_to_db(found / expected).abs();
        // A ray passes within a quarter of a cell, so its angle at the wall is nearly that of the path.
        assert!(error < 0.15, "cell {:?}: {error} dB", region.cell(cell));
    }
}

/// Voxels move the wall by less than one voxel, which changes lengths of paths by at most two.
#[test]
fn a_wall_in_voxels_is_where_it_is_to_a_voxel() {
    let mut mesh = Mesh::default();
    wall(&mut mesh, 5.37);
    let (world, region) = (world(&mesh), region(0.1));
    let settings = Settings {
        is_projected: false,
        ..Settings::default()
    };
    let expected = exact(&world, &region, &settings);
    let found = gains(&world, &region, settings);
    for (cell, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let centre = region.centre(region.cell(cell), &[]).unwrap();
        // The wall's own voxels lie on either side.
        if (centre.x - 5.37).abs() < 0.15 {
            continue;
        }
        let away = centre.distance(tx().position);
        let bound = 2.0 * power_to_db((away + 0.2) / away) + 0.3;
        let error = power_to_db(found / expected).abs();
        assert!(error < bound, "{centre}: {error} dB, at most {bound}");
    }
}

/// A ray may miss a centre, or two may have it, at borders between waves of two walls in either order. So a cell may
/// lack the power of second reflections, or have it twice; nearly all cells have it once.
#[test]
fn in_an_empty_room_without_simplifications_it_is_keller() {
    let (world, region) = (world(&room()), region(0.2));
    let settings = Settings {
        is_raster: false,
        is_projected: false,
        density: 2.0,
        max_reflections: 2,
        max_transmissions: 1,
        collection: Collection::Owned,
        ..Settings::default()
    };
    let once = Settings {
        max_reflections: 1,
        ..settings
    };
    let of_once = exact(&world, &region, &once);
    let expected = exact(&world, &region, &settings);
    let found = gains(&world, &region, settings);
    let [mut near, mut all] = [0, 0];
    for cell in (0..region.num_cells()).filter(|cell| is_inside(&region, *cell)) {
        let (found, expected) = (found[cell], expected[cell]);
        let of_second = expected - of_once[cell];
        let apart = (found - expected).abs();
        assert!(
            apart < of_second + 0.01 * expected,
            "cell {:?}",
            region.cell(cell)
        );
        all += 1;
        near += usize::from(power_to_db(found / expected).abs() < 0.05);
    }
    assert!(all > 800, "{all} cells");
    assert!(near * 100 > all * 95, "{near} of {all} cells");
}

/// The plan has no second bounce between floor and ceiling, so it has less power than space, and the same direct path.
#[test]
fn the_plan_has_no_waves_between_floor_and_ceiling() {
    let mut mesh = Mesh::default();
    for z in [0.0, 3.0] {
        let at = |x, y| DVec3::new(x, y, z);
        mesh.add_polygon(
            "wall",
            &[
                at(-50.0, -50.0),
                at(50.0, -50.0),
                at(50.0, 50.0),
                at(-50.0, 50.0),
            ],
        );
    }
    let (world, region) = (world(&mesh), region(0.2));
    let of = |is_projected: bool| {
        let settings = Settings {
            is_raster: false,
            is_projected,
            ..Settings::default()
        };
        let irla = Irla::new(&world, &region, settings).unwrap();
        irla.gains(&tx()).unwrap().1.waves
    };
    // Direct, floor, ceiling. In space also floor and ceiling in turn, twice and three times; and passed walls lead out.
    assert_eq!(of(true), 5);
    assert!(of(false) > 7);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let (world, region) = (world(&room()), region(0.15));
    for settings in all_switches() {
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build()
                .unwrap()
                .install(|| gains(&world, &region, settings))
        };
        assert_eq!(of(1), of(3), "{settings:?}");
    }
}

#[test]
fn regions_and_tx_that_do_not_fit_are_refused() {
    let (world, region) = (world(&room()), region(0.2));
    let levels = Levels::AboveGround(vec![1.5]);
    let settings = Settings::default();
    let over_ground = Region {
        levels,
        ..region.clone()
    };
    assert!(Irla::new(&world, &over_ground, settings).is_err());
    assert!(Irla::new(&world, &region.clone().turned(0.1), settings).is_err());
    let none = Settings {
        density: 0.0,
        ..settings
    };
    assert!(Irla::new(&world, &region, none).is_err());
    let far = Tx {
        position: DVec3::splat(40.0),
        ..tx()
    };
    assert!(
        Irla::new(&world, &region, settings)
            .unwrap()
            .gains(&far)
            .is_err()
    );
}
