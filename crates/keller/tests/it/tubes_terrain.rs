//! Coverage by tubes over slopes of triangles with houses that reach into the ground, and over sheets, checked against
//! the exact paths to every cell.

use crate::common::{
    Random, add_prism, by_name, inside_out, paths, random_scene, shuffled, split_in_four,
};
use glam::DVec2;
use keller::antenna::{Antenna, Polarization};
use keller::coverage::tubes::{self, Accuracy};
use keller::coverage::{Levels, Region};
use keller::field::PathField;
use keller::paths::{Limits, Search};
use keller::scene::{Mesh, MeshTriangle};
use keller::{Control, DVec3, Tx, World};
use std::f64::consts::{FRAC_PI_2, TAU};

/// Paths weaker than this count for nobody.
const MIN_GAIN: f64 = 1e-15;

/// Triangles in a row of a terrain.
const CELLS: usize = 5;

/// A rolling terrain of triangles about `step` metres wide, with slopes up to about `slope`, and houses turned by odd
/// angles whose walls reach into it; no number is a round one. Also returns the distance around its centre within which
/// it is to be looked at, metres.
fn terrain(seed: u64, step: f64, slope: f64, num_houses: usize) -> (Mesh, f64) {
    let mut random = Random(seed ^ 0x7e77);
    let mut mesh = Mesh::default();
    let material = mesh.material_index("ground");
    let turn = DVec2::from_angle(random.range(0.0, 1.5));
    let side = step * CELLS as f64;
    let waves: Vec<(DVec2, f64, f64)> = [1.0, 1.8, 2.6, 3.4, 4.2]
        .map(|k| {
            let (direction, phase) = (random.range(0.0, TAU), random.range(0.0, TAU));
            let number = TAU * k / side;
            (
                DVec2::from_angle(direction) * number,
                phase,
                slope * side / (10.0 * k),
            )
        })
        .to_vec();
    for k in 0..(CELLS + 1) * (CELLS + 1) {
        let place = [k % (CELLS + 1), k / (CELLS + 1)];
        let place =
            place.map(|i| step * (i as f64 - 0.5 * CELLS as f64 + random.range(-0.25, 0.25)));
        let at = turn.rotate(DVec2::from(place));
        let waves = waves
            .iter()
            .map(|(number, phase, height)| height * (at.dot(*number) + phase).sin());
        let z = waves.sum::<f64>() + random.range(-0.1, 0.1) * slope * step;
        mesh.vertices.push(at.extend(z));
    }
    for k in 0..CELLS * CELLS {
        let corner = |i: usize, j: usize| {
            u32::try_from((k / CELLS + j) * (CELLS + 1) + k % CELLS + i).unwrap()
        };
        let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
        let both = if random.below(2) == 0 {
            [[a, b, c], [a, c, d]]
        } else {
            [[a, b, d], [b, c, d]]
        };
        let triangles = both.map(|vertices| MeshTriangle { vertices, material });
        mesh.triangles.extend(triangles);
    }
    let ground = mesh.vertices.clone();
    for _ in 0..num_houses {
        let at = DVec2::new(random.range(-0.3, 0.3), random.range(-0.3, 0.3)) * side;
        let near = ground
            .iter()
            .filter(|v| v.truncate().distance(at) < 1.5 * step + 10.0);
        let (low, high) = near.fold((f64::MAX, f64::MIN), |(low, high), v| {
            (low.min(v.z), high.max(v.z))
        });
        let angle = random.range(0.0, 1.5);
        let u = DVec2::from_angle(angle) * random.range(3.0, 9.0);
        let v = DVec2::from_angle(angle + FRAC_PI_2) * random.range(3.0, 7.0);
        let footprint =
            [at - u - v, at + u - v, at + u + v, at - u + v].map(|corner| corner.to_array());
        let top = high + random.range(3.0, 12.0);
        add_prism(&mut mesh, "brick", &footprint, low - 2.0, top, false);
    }
    (mesh, 0.4 * side)
}

/// Terrain, from a seed: triangles of 12 to 40 m, slopes of a few degrees to more than 30, none to three houses.
fn slopes(seed: u64) -> (Mesh, f64) {
    let pick = |of: [f64; 5], k: u64| of[usize::try_from(k % 5).unwrap()];
    let step = pick([12.0, 20.0, 30.0, 20.0, 40.0], seed);
    let slope = pick([0.5, 0.15, 1.0, 0.8, 0.3], seed / 2);
    terrain(seed, step, slope, usize::try_from(seed % 4).unwrap())
}

/// The parts of a comparison.
struct Job {
    world: World,
    tx: DVec3,
    region: Region,
    limits: Limits,
}

/// Gains of a cell: of the exact paths of [`MIN_GAIN`] or more, and of tubes.
type Gains = [f64; 2];

impl Job {
    fn new(world: World, tx: DVec3, region: Region, limits: Limits) -> Self {
        Self {
            world,
            tx,
            region,
            limits,
        }
    }

    /// One diffraction, one reflection, over two levels above the ground of a terrain.
    fn over_terrain(mesh: &Mesh, half: f64, seed: u64) -> Self {
        let world = by_name(mesh, None, 2e9);
        let levels = Levels::AboveGround(vec![1.5, 6.0]);
        let (low, high) = (DVec2::splat(-half), DVec2::splat(half));
        let region = Region::planes(low, high, DVec2::splat(6.0), levels).unwrap();
        let mut random = Random(seed + 99);
        let at = 0.8 * DVec2::new(random.range(-half, half), random.range(-half, half));
        let height = [1.5, 5.0, 25.0, 60.0][usize::try_from(seed % 4).unwrap()];
        let tx = at.extend(world.scene().ground(at).unwrap() + height);
        let limits = Limits {
            max_interactions: 2,
            max_reflections: 1,
            max_diffractions: 1,
            ..Limits::default()
        };
        Self::new(world, tx, region, limits)
    }

    fn by_paths(&self, cells: &[DVec3]) -> Vec<f64> {
        let paths = paths(&self.world, self.tx, cells, &self.limits, Search::Complete);
        let both = Antenna {
            polarization: Polarization::VH,
            ..Antenna::default()
        };
        let mut gains = vec![0.0; cells.len()];
        for path in paths {
            let gain = PathField::new(&path, &self.world).gain(&Antenna::default(), &both);
            gains[path.rx] += if gain >= MIN_GAIN { gain } else { 0.0 };
        }
        gains
    }

    /// The gains of all cells that exact paths or tubes reach with twice the least gain.
    fn gains(&self, accuracies: &[Accuracy]) -> Vec<Vec<Gains>> {
        let ground = self.region.ground(self.world.scene());
        let sender = [Tx {
            position: self.tx,
            antenna: Antenna::default(),
        }];
        let mut exact: Option<(Vec<usize>, Vec<f64>)> = None;
        let of_accuracy = |&accuracy: &Accuracy| {
            let settings = tubes::Settings {
                limits: self.limits,
                accuracy,
                min_gain: MIN_GAIN,
            };
            let (region, control) = (self.region.clone(), Control::default());
            let map = tubes::coverage(&self.world, &sender, region, &settings, &control).unwrap();
            let (cells, exact) = exact.get_or_insert_with(|| {
                let cells: Vec<usize> = (0..self.region.num_cells())
                    .filter(|c| !map.path_gain[*c].is_nan())
                    .collect();
                let centre = |c: &usize| self.region.centre(self.region.cell(*c), &ground).unwrap();
                let centres: Vec<DVec3> = cells.iter().map(centre).collect();
                let gains = self.by_paths(&centres);
                (cells, gains)
            });
            let both = cells
                .iter()
                .zip(exact.iter())
                .map(|(&cell, &exact)| [exact, map.path_gain[cell]]);
            both.filter(|[exact, tubes]| exact.max(*tubes) > 2.0 * MIN_GAIN)
                .collect()
        };
        accuracies.iter().map(of_accuracy).collect()
    }
}

/// Holds tubes to the exact paths: 95 % of the cells within `most` dB, and none more than `low` dB too weak or `high` dB too strong.
fn assert_right(name: &str, gains: &[Gains], [most, low, high]: [f64; 3]) {
    let mut errors: Vec<f64> = gains
        .iter()
        .map(|[exact, tubes]| 10.0 * (tubes / exact).log10())
        .collect();
    errors.sort_by(f64::total_cmp);
    let ends = [errors[0], errors[errors.len() - 1]];
    assert!(
        ends[0] >= -low && ends[1] <= high,
        "{name}: {ends:.2?} dB of {} cells",
        errors.len()
    );
    errors.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let of_most = errors[errors.len() * 95 / 100].abs();
    assert!(of_most < most, "{name}: 95 % within {of_most:.3} dB");
}

const BOTH: [Accuracy; 2] = [Accuracy::Default, Accuracy::Exact];

#[test]
fn slopes_with_houses_lack_no_path_that_matters() {
    let mut all = [Vec::new(), Vec::new()];
    for seed in 0..12 {
        let (mesh, half) = slopes(seed);
        let gains = Job::over_terrain(&mesh, half, seed).gains(&BOTH);
        for (all, gains) in all.iter_mut().zip(gains) {
            all.extend(gains);
        }
    }
    let [default, exact] = all;
    // One cell in six thousand has a path too many by default.
    assert_right("default", &default, [0.3, 1.0, 2.5]);
    assert_right("exact", &exact, [0.01, 0.5, 1.0]);
}

/// The edge of a house whose walls reach into the ground is open above it and buried below: the ground at its foot lies
/// between the rays of one tube, and reflects the waves that the edge sends down.
#[test]
fn the_ground_at_the_foot_of_a_house_reflects_what_its_edges_send_down() {
    for (seed, slope) in [(1, 0.03), (2, 0.11), (3, 0.21), (4, -0.17)] {
        let mut random = Random(seed);
        let mut mesh = Mesh::default();
        let tilt = DVec2::from_angle(random.range(0.0, TAU)) * slope;
        let corners = [[-70.0, -70.0], [70.0, -70.0], [70.0, 70.0], [-70.0, 70.0]].map(DVec2::from);
        let corners = corners.map(|at| at.extend(at.dot(tilt)));
        crate::common::add_polygon(&mut mesh, "ground", &corners);
        let turn = DVec2::from_angle(random.range(0.2, 1.3));
        let footprint = [[-5.3, -4.1], [6.1, -4.1], [6.1, 4.7], [-5.3, 4.7]];
        let footprint = footprint.map(|at| turn.rotate(DVec2::from(at)).to_array());
        add_prism(&mut mesh, "brick", &footprint, -6.3, 9.7, false);
        let world = by_name(&mesh, None, 2e9);
        let levels = Levels::AboveGround(vec![1.5]);
        let region = Region::planes(
            DVec2::splat(-50.0),
            DVec2::splat(50.0),
            DVec2::splat(5.0),
            levels,
        )
        .unwrap();
        let at = DVec2::new(-31.7, 4.3);
        let tx = at.extend(world.scene().ground(at).unwrap() + 2.3);
        let limits = Limits {
            max_interactions: 2,
            max_reflections: 1,
            max_diffractions: 1,
            ..Limits::default()
        };
        let job = Job::new(world, tx, region, limits);
        let [gains] = &job.gains(&[Accuracy::Exact])[..] else {
            unreachable!("one accuracy")
        };
        assert_right(&format!("slope {slope}"), gains, [0.01, 0.1, 0.3]);
    }
}

#[test]
fn slopes_turned_inside_out_or_cut_in_small_triangles_are_as_right() {
    let mut all = Vec::new();
    for seed in [1, 2, 3, 6] {
        let (mesh, half) = slopes(seed);
        for mesh in [inside_out(&mesh), shuffled(&split_in_four(&mesh), seed)] {
            let [gains] = &Job::over_terrain(&mesh, half, seed).gains(&[Accuracy::Exact])[..]
            else {
                unreachable!("one accuracy")
            };
            all.extend_from_slice(gains);
        }
    }
    assert_right("turned and cut", &all, [0.01, 0.5, 1.0]);
}

/// Sheets through each other at any angle, with waves that their borders diffract.
#[test]
fn sheets_at_odd_angles_are_as_the_paths_have_them() {
    let mut all = [Vec::new(), Vec::new()];
    for seed in 0..6 {
        let (mesh, [low, high]) = random_scene(5 * seed + 4);
        let world = by_name(&mesh, None, 2e9);
        let levels = Levels::AboveSea(vec![-5.3, -1.1, 2.7, 6.3]);
        let region =
            Region::planes(low.truncate(), high.truncate(), DVec2::splat(2.3), levels).unwrap();
        let tx = crate::common::devices(world.scene(), &mut Random(seed + 99), [low, high], 1)[0];
        let limits = Limits {
            max_interactions: 2,
            max_reflections: 1,
            max_diffractions: 1,
            free_edges: true,
            ..Limits::default()
        };
        let gains = Job::new(world, tx, region, limits).gains(&BOTH);
        for (all, gains) in all.iter_mut().zip(gains) {
            all.extend(gains);
        }
    }
    // Corners of sheets that come between the rays of a tube are overlooked: a path too many or too few in one cell of a thousand.
    let [default, exact] = all;
    assert_right("default", &default, [1.0, 10.0, 10.0]);
    assert_right("exact", &exact, [0.3, 10.0, 10.0]);
}

/// A ray at two degrees runs far over the plane. A tube whose upper rays leave the region before they meet the plane and
/// whose lower ones do not still has the cells between them.
#[test]
fn all_cells_over_a_long_slope_in_grazing_sight_are_reached() {
    let mut mesh = Mesh::default();
    let corners = [
        [-70.0, -130.0],
        [270.0, -130.0],
        [270.0, 130.0],
        [-70.0, 130.0],
    ];
    crate::common::add_polygon(
        &mut mesh,
        "ground",
        &corners.map(|[x, y]| DVec3::new(x, y, 0.05 * y)),
    );
    let world = by_name(&mesh, None, 2.4e9);
    let (low, high) = (
        DVec3::new(-50.0, -100.0, -7.2),
        DVec3::new(250.0, 100.0, 6.8),
    );
    let region = Region::volume(low, high, DVec3::splat(2.0)).unwrap();
    let tx = Tx {
        position: DVec3::new(-40.3, 0.4, 10.02),
        antenna: Antenna::default(),
    };
    for accuracy in BOTH {
        let settings = tubes::Settings {
            limits: Limits {
                max_interactions: 0,
                max_reflections: 0,
                ..Limits::default()
            },
            accuracy,
            min_gain: MIN_GAIN,
        };
        let tubes = tubes::Tubes::new(&world, &region, settings);
        let cells = 0..region.num_cells();
        let gains = tubes
            .gains(&tx, cells.clone(), &Control::default())
            .unwrap();
        let height = |cell: usize| {
            let centre = region.centre(region.cell(cell), &[]).unwrap();
            centre.z - 0.05 * centre.y
        };
        let missed = cells.filter(|cell| height(*cell) > 1e-3 && gains[*cell] == 0.0);
        assert_eq!(missed.count(), 0, "{accuracy:?}");
    }
}
