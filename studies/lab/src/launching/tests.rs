//! Both launches where the answer is a closed form: a wall behind everything, so that only the direct path counts.

use keller::antenna::{Antenna, Pattern};
use keller::coverage::Region;
use keller::materials::Materials;
use keller::scene::{Mesh, Scene};
use keller::units::power_to_db;
use keller::{DVec3, Frequency, Tx, World};

mod edges;
mod walls;

use super::tlars::Splitting;
use super::{Launch, VoxelGrid, gorl, tlars};

/// Free space: gains of GORL and TLARS and of the closed form, by voxel.
fn free_space() -> [Vec<f64>; 3] {
    let mut mesh = Mesh::default();
    let corners = [[-90.0, -90.0], [90.0, -90.0], [90.0, 90.0], [-90.0, 90.0]];
    mesh.add_polygon("concrete", &corners.map(|[x, y]| DVec3::new(x, y, -50.0)));
    let frequency = Frequency::from_ghz(2.4).unwrap();
    let world = World::new(Scene::new(&mesh).unwrap(), &Materials::default(), frequency).unwrap();
    let low = DVec3::new(-20.0, -20.0, 0.0);
    let region = Region::volume(low, -low + DVec3::Z * 20.0, DVec3::splat(2.0)).unwrap();
    let grid = VoxelGrid::of(&region).unwrap();
    let antenna = Antenna {
        pattern: Pattern::from_name("isotropic").unwrap(),
        ..Antenna::default()
    };
    let tx = Tx {
        position: DVec3::new(0.3, -0.4, 9.2),
        antenna,
    };
    let launch = Launch {
        world: &world,
        grid: &grid,
        tx: &tx,
        max_reflections: 0,
        max_transmissions: 0,
        min_gain: 1e-15,
    };
    let exact = (0..grid.len()).map(|n| launch.gain(1.0, grid.centre(n).distance(tx.position)));
    [
        gorl::strongest(&launch, 1),
        tlars::total(&launch, &grid, Splitting::AtParents),
        exact.collect(),
    ]
}

#[test]
fn tlars_in_free_space_gives_every_voxel_the_closed_form() {
    let [_, found, exact] = free_space();
    for (found, exact) in found.iter().zip(exact) {
        assert!(
            power_to_db(found / exact).abs() < 1e-3,
            "{found} beside {exact}"
        );
    }
}

#[test]
fn gorl_in_free_space_is_at_most_half_a_diagonal_nearer_or_farther_than_the_centre() {
    let [found, _, exact] = free_space();
    let wavelength = Frequency::from_ghz(2.4).unwrap().wavelength();
    let distance = |gain: f64| wavelength / (4.0 * std::f64::consts::PI * gain.sqrt());
    for (found, exact) in found
        .into_iter()
        .map(distance)
        .zip(exact.into_iter().map(distance))
    {
        // Eq. 4-12 takes the entry; a voxel is 2 m wide.
        assert!(
            (found - exact).abs() < 3.0_f64.sqrt() + 1e-3,
            "{found} m beside {exact} m"
        );
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(free_space)
    };
    assert_eq!(with(1), with(3), "the same bits");
}

#[test]
fn tlars_over_one_ground_is_within_half_a_decibel_of_the_exact_paths_in_19_of_20_voxels() {
    use keller::Control;
    use keller::field::PathField;
    use keller::paths::{Devices, Limits, PathOptions, find_paths};
    let mut mesh = Mesh::default();
    let corners = [[-90.0, -90.0], [90.0, -90.0], [90.0, 90.0], [-90.0, 90.0]];
    mesh.add_polygon("concrete", &corners.map(|[x, y]| DVec3::new(x, y, -0.7)));
    let frequency = Frequency::from_ghz(2.4).unwrap();
    let world = World::new(Scene::new(&mesh).unwrap(), &Materials::default(), frequency).unwrap();
    let low = DVec3::new(-20.0, -20.0, 0.0);
    let region = Region::volume(low, DVec3::new(20.0, 20.0, 20.0), DVec3::splat(2.0)).unwrap();
    let grid = VoxelGrid::of(&region).unwrap();
    let antenna = Antenna {
        pattern: Pattern::from_name("isotropic").unwrap(),
        ..Antenna::default()
    };
    let position = DVec3::new(0.3, -0.4, 9.2);
    let tx = Tx { position, antenna };
    let launch = Launch {
        world: &world,
        grid: &grid,
        tx: &tx,
        max_reflections: 1,
        max_transmissions: 0,
        min_gain: 1e-15,
    };
    let found = tlars::total(&launch, &grid, Splitting::AtParents);
    let centres: Vec<DVec3> = (0..grid.len()).map(|n| grid.centre(n)).collect();
    let from = Devices::tx(world.scene(), [position]).unwrap();
    let to = Devices::rx(world.scene(), centres).unwrap();
    let limits = Limits {
        max_interactions: 1,
        max_reflections: 1,
        ..Limits::default()
    };
    let options = PathOptions {
        limits,
        ..PathOptions::default()
    };
    let both = Antenna {
        polarization: keller::antenna::Polarization::VH,
        ..tx.antenna.clone()
    };
    let mut exact = vec![0.0; grid.len()];
    for path in find_paths(&world, &from, &to, &options, &Control::default()).unwrap() {
        exact[path.rx] += PathField::new(&path, &world).gain(&tx.antenna, &both);
    }
    let errors = found
        .iter()
        .zip(&exact)
        .map(|(found, exact)| power_to_db(found / exact).abs());
    let right = errors.clone().filter(|error| *error < 0.5).count();
    assert!(
        100 * right >= 95 * grid.len(),
        "{right} of {} voxels, worst {:?}",
        grid.len(),
        errors.reduce(f64::max)
    );
}

#[test]
fn gaps_on_a_slope_in_sight_shrink_when_tubes_split_at_the_tx_and_close_when_their_footprints_do() {
    let slope = DVec3::new(0.17, 0.05, 0.0);
    let corners = [[-60.0, -90.0], [140.0, -90.0], [140.0, 90.0], [-60.0, 90.0]];
    let corners = corners.map(|[x, y]| DVec3::new(x, y, slope.dot(DVec3::new(x, y, 0.0))));
    let mut mesh = Mesh::default();
    mesh.add_polygon("concrete", &corners);
    let frequency = Frequency::from_ghz(2.4).unwrap();
    let world = World::new(Scene::new(&mesh).unwrap(), &Materials::default(), frequency).unwrap();
    let low = DVec3::new(-40.0, -60.0, corners[0].z - 0.7);
    let high = DVec3::new(120.0, 60.0, corners[2].z + 10.0);
    let region = Region::volume(low, high, DVec3::splat(2.0)).unwrap();
    let grid = VoxelGrid::of(&region).unwrap();
    let tx = Tx {
        position: DVec3::new(-30.3, 0.4, 4.0),
        antenna: Antenna::default(),
    };
    let launch = Launch {
        world: &world,
        grid: &grid,
        tx: &tx,
        max_reflections: 0,
        max_transmissions: 0,
        min_gain: 1e-15,
    };
    let normal = (DVec3::Z - slope).normalize();
    let is_near = |number: &usize| (0.0..1.0).contains(&normal.dot(grid.centre(*number)));
    let near: Vec<usize> = (0..grid.len()).filter(is_near).collect();
    let missed = |splitting| {
        let found = tlars::total(&launch, &grid.around(tx.position, 6), splitting);
        near.iter().filter(|number| found[**number] == 0.0).count()
    };
    let [parents, tx, footprints] =
        [Splitting::AtParents, Splitting::AtTx, Splitting::Footprints].map(missed);
    assert!(20 * parents > near.len(), "{parents} of {}", near.len());
    assert!(2 * tx < parents, "{tx} beside {parents}");
    assert_eq!(footprints, 0, "of {}", near.len());
}
