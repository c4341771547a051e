//! Blocks: voxels in their shadow have the gain of the exact paths over their edges.

use keller::Control;
use keller::antenna::Polarization;
use keller::field::PathField;
use keller::paths::{Devices, Limits, PathOptions, find_paths};

use super::*;
use crate::launching::Polygons;

/// Opposite corners of a block; of a wide one in its place; and of a lower one behind.
const BLOCK: [DVec3; 2] = [DVec3::new(0.1, -10.3, -20.2), DVec3::new(12.2, 10.6, 12.3)];
const WIDE: [DVec3; 2] = [DVec3::new(0.1, -30.3, -20.2), DVec3::new(12.2, 30.6, 12.3)];
const LOWER: [DVec3; 2] = [DVec3::new(30.1, -30.3, -20.2), DVec3::new(34.2, 30.6, 4.3)];

const MIN_GAIN: f64 = 1e-14;

fn add_block(mesh: &mut Mesh, [low, high]: [DVec3; 2]) {
    let corner = |k: usize| {
        let pick = |axis: usize| if k >> axis & 1 == 0 { low } else { high };
        DVec3::new(pick(0).x, pick(1).y, pick(2).z)
    };
    for face in [
        [0, 4, 6, 2],
        [1, 3, 7, 5],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 2, 3, 1],
        [4, 5, 7, 6],
    ] {
        mesh.add_polygon("concrete", &face.map(corner));
    }
}

/// A voxel that no direct ray reaches.
#[derive(Debug, Clone)]
struct Voxel {
    /// The gain found with each least angle of diffraction.
    found: Vec<f64>,
    exact: f64,
    /// The part that the paths with one diffraction have.
    once: f64,
}

/// Gains of TLARS and of the exact paths with so many diffractions at most, behind blocks. The last argument has the
/// least angles of diffraction of rays that may be diffracted again, degrees.
fn behind(
    blocks: &[[DVec3; 2]],
    voxel: f64,
    max_diffractions: usize,
    min_bends: &[f64],
) -> Vec<Voxel> {
    let mut mesh = Mesh::default();
    for block in blocks {
        add_block(&mut mesh, *block);
    }
    let frequency = Frequency::from_ghz(2.4).unwrap();
    let world = World::new(Scene::new(&mesh).unwrap(), &Materials::default(), frequency).unwrap();
    let low = DVec3::new(-40.0, -30.0, 0.0);
    let region = Region::volume(low, DVec3::new(60.0, 30.0, 24.0), DVec3::splat(voxel)).unwrap();
    let grid = VoxelGrid::of(&region).unwrap();
    let antenna = Antenna {
        pattern: Pattern::from_name("isotropic").unwrap(),
        ..Antenna::default()
    };
    let position = DVec3::new(-30.3, 3.4, 20.2);
    let tx = Tx { position, antenna };
    let launch = Launch {
        world: &world,
        grid: &grid,
        tx: &tx,
        max_reflections: 0,
        max_transmissions: 0,
        min_gain: MIN_GAIN,
    };
    let mut polygons = Polygons::new(&world, &grid);
    polygons.max_diffractions = max_diffractions;
    let found = min_bends.iter().map(|degrees| {
        polygons.min_bend = degrees.to_radians();
        tlars::total_with_edges(&launch, &grid, Splitting::AtParents, Some(&polygons))
    });
    let found: Vec<Vec<f64>> = found.collect();
    let direct = tlars::total(&launch, &grid, Splitting::AtParents);
    let is_dark = |number: &usize| {
        let centre = grid.centre(*number);
        let is_inside =
            |[low, high]: &[DVec3; 2]| centre.cmpge(*low).all() && centre.cmple(*high).all();
        direct[*number] == 0.0 && !blocks.iter().any(is_inside)
    };
    let dark: Vec<usize> = (0..grid.len()).filter(is_dark).collect();
    let centres: Vec<DVec3> = dark.iter().map(|n| grid.centre(*n)).collect();
    let from = Devices::tx(world.scene(), [position]).unwrap();
    let to = Devices::rx(world.scene(), centres.clone()).unwrap();
    let limits = Limits {
        max_interactions: max_diffractions,
        max_reflections: 0,
        max_diffractions,
        ..Limits::default()
    };
    let options = PathOptions {
        limits,
        ..PathOptions::default()
    };
    let both = Antenna {
        polarization: Polarization::VH,
        ..tx.antenna.clone()
    };
    let (mut exact, mut once) = (vec![0.0; dark.len()], vec![0.0; dark.len()]);
    for path in find_paths(&world, &from, &to, &options, &Control::default()).unwrap() {
        let gain = PathField::new(&path, &world).gain(&tx.antenna, &both);
        if gain >= MIN_GAIN {
            exact[path.rx] += gain;
            once[path.rx] += if path.vertices.len() == 1 { gain } else { 0.0 };
        }
    }
    let voxel = |(k, number): (usize, &usize)| Voxel {
        found: found.iter().map(|gains| gains[*number]).collect(),
        exact: exact[k],
        once: once[k],
    };
    dark.iter().enumerate().map(voxel).collect()
}

/// Sizes of the errors of voxels by the first least angle, dB, in ascending order; infinite where one is missed.
fn errors<'a>(voxels: impl Iterator<Item = &'a Voxel>) -> Vec<f64> {
    let error = |voxel: &Voxel| power_to_db(voxel.found[0] / voxel.exact).abs();
    let mut errors: Vec<f64> = voxels.map(error).collect();
    errors.sort_by(f64::total_cmp);
    errors
}

#[test]
fn voxels_in_the_shadow_of_a_block_have_the_gain_of_the_exact_diffracted_paths() {
    let voxels = behind(&[BLOCK], 2.0, 1, &[0.0]);
    let errors = errors(voxels.iter().filter(|v| v.exact > 0.0));
    assert!(errors.len() > 1000, "{} voxels", errors.len());
    let (mean, worst) = (
        errors.iter().sum::<f64>() / errors.len() as f64,
        errors[errors.len() - 1],
    );
    // The errors are largest near the edges, where a voxel is wide as seen from them.
    assert!(mean < 0.25 && worst < 5.0, "{mean} dB, worst {worst} dB");
    assert!(voxels.iter().all(|v| v.exact > 0.0 || v.found[0] == 0.0));
}

#[test]
fn gains_behind_edges_do_not_depend_on_the_number_of_threads() {
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let voxels = pool.install(|| behind(&[BLOCK, LOWER], 4.0, 1, &[0.0]));
        voxels.into_iter().map(|v| v.found).collect::<Vec<_>>()
    };
    assert_eq!(with(1), with(3), "the same bits");
}

#[test]
fn a_second_edge_diffracts_the_rays_that_the_first_has_bent_enough() {
    let voxels = behind(&[WIDE, LOWER], 2.5, 2, &[0.0, 60.0]);
    // Only paths over both roofs come here. The first edge diffracts them by about 10 degrees.
    let is_double = |v: &&Voxel| v.once == 0.0 && v.exact > 0.0;
    let is_filtered = |v: &&Voxel| v.found[1] == 0.0;
    let double = voxels.iter().filter(is_double).count();
    // Rays that are diffracted once come into the others, though the centre is in the shadow.
    let errors = errors(voxels.iter().filter(is_double).filter(is_filtered));
    assert!(
        double > 50 && 10 * errors.len() > 7 * double,
        "{} of {double}",
        errors.len()
    );
    let at = |percent: usize| errors[errors.len() * percent / 100];
    assert!(at(50) < 0.4 && at(95) < 2.0, "{} and {} dB", at(50), at(95));
}
