//! One wide wall between the Tx and most voxels: voxels behind it have the loss of the wall, once.

use keller::materials::{FlatLosses, Layer, Material, Medium};

use super::*;

/// The point where the wall crosses the x axis, and its slope.
const WALL_X: f64 = 3.3;
const LEAN: f64 = 0.1;

/// The launch through a wall of a material in free space: gains of GORL and TLARS, the grid, the world, and the Tx.
fn through(wall: &Material, splitting: Splitting) -> ([Vec<f64>; 2], VoxelGrid, World, Tx) {
    let mut mesh = Mesh::default();
    let corners = [[-90.0, -90.0], [90.0, -90.0], [90.0, 90.0], [-90.0, 90.0]];
    let corners = corners.map(|[y, z]| DVec3::new(WALL_X + LEAN * z, y, z));
    mesh.add_polygon("wall", &corners);
    let frequency = Frequency::from_ghz(2.4).unwrap();
    let materials = Materials::from([("wall", wall.clone())]);
    let world = World::new(Scene::new(&mesh).unwrap(), &materials, frequency).unwrap();
    let low = DVec3::new(-20.0, -20.0, 0.0);
    let region = Region::volume(low, -low + DVec3::Z * 20.0, DVec3::splat(2.0)).unwrap();
    let grid = VoxelGrid::of(&region).unwrap();
    let antenna = Antenna {
        pattern: Pattern::from_name("isotropic").unwrap(),
        ..Antenna::default()
    };
    let position = DVec3::new(-10.7, -0.4, 9.2);
    let tx = Tx { position, antenna };
    let launch = Launch {
        world: &world,
        grid: &grid,
        tx: &tx,
        max_reflections: 0,
        max_transmissions: 1,
        min_gain: 1e-15,
    };
    // Half of the tubes split on their way.
    let border = grid.around(position, 5);
    let gains = [
        gorl::strongest(&launch, 3),
        tlars::total(&launch, &border, splitting),
    ];
    (gains, grid, world, tx)
}

/// Metres from the wall to a point, positive behind it.
fn behind(point: DVec3) -> f64 {
    (point.x - WALL_X - LEAN * point.z) / (1.0 + LEAN * LEAN).sqrt()
}

fn free_space_gain(world: &World, distance: f64) -> f64 {
    (world.frequency().wavelength() / (4.0 * std::f64::consts::PI * distance)).powi(2)
}

#[test]
fn voxels_behind_a_slab_have_the_gain_of_free_space_times_its_transmission() {
    let medium = Medium::Constant {
        relative_permittivity: 5.2,
        conductivity: 0.08,
    };
    let thickness = 0.12;
    let slab = Material::Slab(vec![Layer { medium, thickness }]);
    let (gains, grid, world, tx) = through(&slab, Splitting::AtTx);
    let normal = DVec3::new(1.0, 0.0, -LEAN).normalize();
    let face = keller::scene::FaceId::from_index(0);
    let from_front = world.scene().face_normal(face).dot(normal) < 0.0;
    let mut worst = [0.0_f64; 2];
    let mut count = 0;
    // No ray in front of the wall reaches voxels whose centres are this far behind it.
    let depth = 3.0_f64.sqrt();
    for number in (0..grid.len()).filter(|n| behind(grid.centre(*n)) > depth) {
        let way = grid.centre(number) - tx.position;
        let direction = way.normalize();
        let t = world
            .surface(face)
            .transmission(direction.dot(normal), from_front);
        // The field of a vertical dipole's polarisation lies in the plane of the vertical and the ray.
        let field = (DVec3::Z - direction.z * direction).normalize();
        let te = direction.cross(normal).normalize().dot(field).powi(2);
        let passed = te * t.te.norm_sqr() + (1.0 - te) * t.tm.norm_sqr();
        let exact = passed * free_space_gain(&world, way.length());
        for (worst, gains) in worst.iter_mut().zip(&gains) {
            *worst = worst.max(power_to_db(gains[number] / exact).abs());
        }
        count += 1;
    }
    assert!(count > 1000, "{count} voxels");
    // GORL takes the distance at which a ray enters a voxel; the angle of a ray is not that of the centre.
    assert!(worst[0] < 1.5 && worst[1] < 0.5, "{worst:?} dB");
}

#[test]
fn a_wall_that_lets_everything_through_changes_nothing() {
    let losses = FlatLosses {
        transmission_db: Some(0.0),
        reflection_db: Some(200.0),
        ..FlatLosses::default()
    };
    let wall = Box::new(Material::from_name("glass").unwrap());
    let nothing = Material::Flat { wall, losses };
    for splitting in [Splitting::AtParents, Splitting::AtTx, Splitting::Footprints] {
        let ([_, gains], grid, world, tx) = through(&nothing, splitting);
        for (number, gain) in gains.into_iter().enumerate() {
            let distance = grid.centre(number).distance(tx.position);
            let error = power_to_db(gain / free_space_gain(&world, distance));
            assert!(
                error.abs() < 1e-3,
                "{error} dB at {} m, {splitting:?}",
                grid.centre(number)
            );
        }
    }
}
