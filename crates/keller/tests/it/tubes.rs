//! Coverage by tubes, checked against closed forms and by the path engine at every cell.

use crate::common::{Random, add_polygon, by_name, random_city, world_of};
use glam::DVec2;
use keller::antenna::{Antenna, Orientation, Pattern};
use keller::clutter::{Clutter, Volume};
use keller::coverage::points;
use keller::coverage::tubes::{self, Accuracy, Ladder, Owner, Splitting, Tubes};
use keller::coverage::{Coverage, Levels, Region};
use keller::materials::Material;
use keller::paths::{Limits, PathOptions, Search};
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3, Direction, Tx, World};
use std::f64::consts::PI;

const MIN_GAIN: f64 = 1e-15;

/// Walls of the city's materials, half spaces or thin slabs.
fn world(mesh: &Mesh, is_thin: bool) -> World {
    by_name(mesh, is_thin.then_some(0.1), 2e9)
}

fn sender(position: DVec3) -> Tx {
    Tx {
        position,
        antenna: Antenna::default(),
    }
}

fn by_tubes(
    world: &World,
    tx: DVec3,
    region: &Region,
    limits: &Limits,
    accuracy: Accuracy,
) -> Coverage {
    let settings = tubes::Settings {
        limits: *limits,
        accuracy,
        min_gain: MIN_GAIN,
    };
    let tx = [sender(tx)];
    tubes::coverage(world, &tx, region.clone(), &settings, &Control::default()).unwrap()
}

fn by_points(world: &World, tx: DVec3, region: &Region, limits: &Limits) -> Coverage {
    let options = PathOptions {
        limits: *limits,
        search: Some(Search::Complete),
    };
    let tx = [sender(tx)];
    points::coverage(world, &tx, region.clone(), &options, &Control::default()).unwrap()
}

/// A large square of ground far below, so that the scene is one.
fn open_space() -> Mesh {
    let mut mesh = Mesh::default();
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let corners = corners.map(|[x, y]| DVec3::new(500.0 * x, 500.0 * y, 0.0));
    add_polygon(&mut mesh, "concrete", &corners);
    mesh
}

#[test]
fn free_space_is_exact() {
    let mesh = open_space();
    let world = world(&mesh, false);
    let (low, high) = (DVec3::new(-40.0, -35.0, 10.0), DVec3::new(45.0, 30.0, 60.0));
    let region = Region::volume(low, high, DVec3::splat(5.0)).unwrap();
    let limits = Limits {
        max_interactions: 0,
        max_reflections: 0,
        ..Limits::default()
    };
    let tx = DVec3::new(1.3, 2.1, 31.7);
    let map = by_tubes(&world, tx, &region, &limits, Accuracy::Default);
    let wavelength = world.frequency().wavelength();
    for cell in 0..region.num_cells() {
        let centre = map.centre(region.cell(cell)).unwrap();
        let expected = (wavelength / (4.0 * PI * centre.distance(tx))).powi(2);
        let found = map.path_gain[cell];
        assert!(
            (found / expected - 1.0).abs() < 1e-4,
            "{centre}: {found} for {expected}"
        );
    }
}

/// A sector antenna, tilted down, 60 m over a plane of cells of 3 m.
fn sector() -> Tx {
    Tx {
        position: DVec3::new(1.3, 2.1, 61.7),
        antenna: Antenna {
            pattern: Pattern::Tr38901,
            orientation: Orientation {
                bearing: 0.3,
                downtilt: 0.35,
                ..Orientation::default()
            },
            ..Antenna::default()
        },
    }
}

/// Neighbouring cells below the mast lie in all directions around it, and the pattern turns fast from cell to cell.
#[test]
fn below_a_mast_each_cell_has_the_pattern_of_its_own_direction() {
    let world = world(&open_space(), false);
    let (low, high) = (DVec2::new(-60.0, -50.0), DVec2::new(65.0, 45.0));
    let region = Region::planes(low, high, DVec2::splat(3.0), Levels::AboveSea(vec![1.5])).unwrap();
    let sender = sector();
    let all = 0..region.num_cells();
    for accuracy in [Accuracy::Quick, Accuracy::Default, Accuracy::Exact] {
        for reflections in [0, 1] {
            let limits = Limits {
                max_interactions: reflections,
                max_reflections: reflections,
                ..Limits::default()
            };
            let settings = tubes::Settings {
                limits,
                accuracy,
                min_gain: MIN_GAIN,
            };
            let control = Control::default();
            let tubes = Tubes::new(&world, &region, settings);
            let antennas = [sender.antenna.clone(), Antenna::default()];
            let by_trace = tubes.gains(&sender, all.clone(), &control).unwrap();
            let [together, _] = tubes
                .gains_of_antennas(sender.position, &antennas, all.clone(), &control)
                .unwrap()
                .try_into()
                .unwrap();
            let expected = if reflections == 0 {
                let free = |cell: usize| {
                    let way = region.centre(region.cell(cell), &[]).unwrap() - sender.position;
                    let direction = Direction::from_vector(way);
                    let fields = sender.antenna.fields(direction).flatten();
                    let of_antenna: f64 = fields.map(|field| field.norm_sqr()).sum();
                    let wavelength = world.frequency().wavelength();
                    of_antenna * (wavelength / (4.0 * PI * way.length())).powi(2)
                };
                all.clone().map(free).collect()
            } else {
                let options = PathOptions {
                    limits,
                    search: Some(Search::Complete),
                };
                let tx = std::slice::from_ref(&sender);
                points::coverage(&world, tx, region.clone(), &options, &control)
                    .unwrap()
                    .path_gain
            };
            // The accuracies read reflections from tables with an error of up to 1e-3.
            for found in [by_trace, together] {
                for (cell, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let error = (found / expected - 1.0).abs();
                    assert!(
                        error < 2e-3,
                        "{accuracy:?}, {reflections} reflections, cell {cell}: {found} for {expected}"
                    );
                }
            }
        }
    }
}

/// Free space by another step of the ladder: the share of the cells that have the closed form's gain; the others have none.
fn share_of_free_space(splitting: Splitting, owner: Owner) -> f64 {
    let mesh = open_space();
    let world = world(&mesh, false);
    let (low, high) = (DVec3::new(-40.0, -35.0, 10.0), DVec3::new(45.0, 30.0, 60.0));
    let region = Region::volume(low, high, DVec3::splat(5.0)).unwrap();
    let limits = Limits {
        max_interactions: 0,
        max_reflections: 0,
        ..Limits::default()
    };
    let tx = DVec3::new(1.3, 2.1, 31.7);
    let settings = tubes::Settings {
        limits,
        accuracy: Accuracy::Default,
        min_gain: MIN_GAIN,
    };
    let control = Control::default();
    let count = region.num_cells();
    let tubes = Tubes::new(&world, &region, settings).with_ladder(Ladder { splitting, owner });
    let gains = tubes.gains(&sender(tx), 0..count, &control).unwrap();
    let wavelength = world.frequency().wavelength();
    let mut reached = 0;
    for (cell, found) in gains.into_iter().enumerate() {
        let centre = region.centre(region.cell(cell), &[]).unwrap();
        let expected = (wavelength / (4.0 * PI * centre.distance(tx))).powi(2);
        if found > 0.0 {
            reached += 1;
            assert!(
                (found / expected - 1.0).abs() < 1e-4,
                "{centre}: {found} for {expected}, {splitting:?}, {owner:?}"
            );
        }
    }
    f64::from(reached) / count as f64
}

#[test]
fn few_rays_leave_gaps_that_more_or_split_ones_close() {
    let few = Splitting::Fixed { level: 2 };
    let many = Splitting::Fixed { level: 8 };
    assert!(share_of_free_space(few, Owner::Pierced) < 0.9);
    assert_eq!(share_of_free_space(few, Owner::Direction), 1.0);
    for splitting in [many, Splitting::BehindMiddle, Splitting::Adaptive] {
        for owner in [Owner::Pierced, Owner::Direction] {
            let share = share_of_free_space(splitting, owner);
            // A ray through every cell's width may still pass next to a cell.
            assert!(share > 0.99, "{splitting:?}, {owner:?}: {share}");
        }
    }
}

/// dB of every cell that either engine reaches: tubes less points; infinite where only one does.
fn errors(tubes: &Coverage, points: &Coverage) -> Vec<f64> {
    let pairs = tubes.path_gain.iter().zip(&points.path_gain);
    let usable = pairs.filter(|(_, p)| !p.is_nan());
    let reached = usable.filter(|(t, p)| **t > 0.0 || **p > MIN_GAIN);
    let mut errors: Vec<f64> = reached
        .map(|(t, p)| (10.0 * (t / p).log10()).abs())
        .collect();
    errors.sort_by(f64::total_cmp);
    errors
}

/// The median and the 95 % quantile, dB.
fn figures(mut errors: Vec<f64>) -> [f64; 2] {
    errors.sort_by(f64::total_cmp);
    [errors[errors.len() / 2], errors[errors.len() * 95 / 100]]
}

#[test]
fn cities_are_as_the_paths_have_them() {
    let mut all = [Vec::new(), Vec::new()];
    for seed in 0..12 {
        let (mesh, [low, high]) = random_city(seed);
        let world = world(&mesh, seed % 2 == 0);
        let limits = Limits {
            max_interactions: 3,
            max_reflections: 3,
            max_transmissions: if seed % 2 == 0 { 2 } else { 0 },
            ..Limits::default()
        };
        let mut random = Random(seed + 9);
        let tx = crate::common::devices(world.scene(), &mut random, [low, high], 1)[0];
        let region = streets(low, high);
        let reference = by_points(&world, tx, &region, &limits);
        for (k, accuracy) in [Accuracy::Default, Accuracy::Exact].into_iter().enumerate() {
            let map = by_tubes(&world, tx, &region, &limits, accuracy);
            all[k].extend(errors(&map, &reference));
        }
    }
    let [default, exact] = all.map(figures);
    assert!(default[0] < 0.05 && default[1] < 1.0, "{default:?} dB");
    assert!(exact[0] < 0.05 && exact[1] < 0.3, "{exact:?} dB");
}

#[test]
fn edges_are_as_the_paths_have_them() {
    let mut all = [Vec::new(), Vec::new()];
    for (seed, reflections) in (0..8).zip([0, 1, 2].into_iter().cycle()) {
        let (mesh, [low, high]) = random_city(seed);
        let world = world(&mesh, seed % 2 == 0);
        let limits = Limits {
            line_of_sight: false,
            max_interactions: 1 + reflections,
            max_reflections: reflections,
            max_diffractions: 1,
            ..Limits::default()
        };
        let mut random = Random(seed + 9);
        let tx = crate::common::devices(world.scene(), &mut random, [low, high], 1)[0];
        let region = streets(low, high);
        let reference = by_points(&world, tx, &region, &limits);
        for (k, accuracy) in [Accuracy::Default, Accuracy::Exact].into_iter().enumerate() {
            let map = by_tubes(&world, tx, &region, &limits, accuracy);
            all[k].extend(errors(&map, &reference));
        }
    }
    let [default, exact] = all.map(figures);
    assert!(default[0] < 0.05 && default[1] < 1.0, "{default:?} dB");
    assert!(exact[0] < 0.05 && exact[1] < 0.3, "{exact:?} dB");
}

/// Planes of cells over the ground of a random city.
fn streets(low: DVec3, high: DVec3) -> Region {
    let levels = Levels::AboveSea(vec![1.5, 6.0, 11.0]);
    let size = DVec2::splat(4.0);
    Region::planes(low.truncate(), high.truncate(), size, levels).unwrap()
}

#[test]
fn two_rays_are_exact() {
    let mesh = open_space();
    let world = world(&mesh, false);
    let (low, high) = (DVec3::new(-60.0, -50.0, 0.5), DVec3::new(60.0, 50.0, 20.5));
    let region = Region::volume(low, high, DVec3::splat(4.0)).unwrap();
    let limits = Limits {
        max_interactions: 1,
        max_reflections: 1,
        ..Limits::default()
    };
    let tx = DVec3::new(1.3, 2.1, 31.7);
    let map = by_tubes(&world, tx, &region, &limits, Accuracy::Exact);
    let reference = by_points(&world, tx, &region, &limits);
    let errors = errors(&map, &reference);
    assert_eq!(errors.len(), region.num_cells());
    assert!(errors[errors.len() - 1] < 0.1, "{:?}", errors.last());
}

/// Rays that meet a roof on all sides of a yard say nothing of the yard.
#[test]
fn a_roof_does_not_reflect_where_it_has_a_yard() {
    let mut mesh = open_space();
    let (at, roof) = ([20.0, 22.0, 25.0, 40.0], 10.0);
    let across = [-12.0, -2.0, 1.0, 14.0];
    for (i, j) in (0..3).flat_map(|i| (0..3).map(move |j| (i, j))) {
        if (i, j) != (1, 1) {
            let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let corners = corners.map(|(i, j)| DVec3::new(at[i], across[j], roof));
            add_polygon(&mut mesh, "concrete", &corners);
        }
    }
    let world = world(&mesh, false);
    let limits = Limits {
        max_interactions: 1,
        max_reflections: 1,
        ..Limits::default()
    };
    let tx = DVec3::new(0.0, 0.0, roof + 2.0);
    let (low, high) = (
        DVec3::new(150.0, -80.0, 15.0),
        DVec3::new(200.0, 80.0, 55.0),
    );
    let region = Region::volume(low, high, DVec3::splat(5.0)).unwrap();
    let reference = by_points(&world, tx, &region, &limits);
    // The field by default is that of the centre of a tube.
    for (accuracy, most) in [(Accuracy::Default, 1.0), (Accuracy::Exact, 0.01)] {
        let map = by_tubes(&world, tx, &region, &limits, accuracy);
        let wrong = errors(&map, &reference);
        let wrong: Vec<f64> = wrong.into_iter().filter(|error| *error > most).collect();
        assert!(wrong.is_empty(), "{accuracy:?}: {wrong:.2?} dB");
    }
}

#[test]
fn woods_weaken_tubes_as_they_weaken_paths() {
    let mesh = open_space();
    let outline = [[10.0, -15.0], [25.0, -15.0], [25.0, 15.0], [10.0, 15.0]];
    let wood = Volume::prism(&outline, [0.0, 12.0], 0.4, None).unwrap();
    let scene = Scene::new(&mesh).unwrap();
    let scene = scene.with_clutter(Clutter::new(vec![wood]));
    let concrete = Material::from_name("concrete").unwrap();
    let world = world_of(scene, &concrete, 2e9);
    let (low, high) = (DVec3::new(-40.0, -40.0, 0.5), DVec3::new(60.0, 40.0, 8.5));
    let region = Region::volume(low, high, DVec3::splat(4.0)).unwrap();
    let limits = Limits {
        max_interactions: 1,
        max_reflections: 1,
        ..Limits::default()
    };
    let tx = DVec3::new(-20.3, 2.1, 9.7);
    let map = by_tubes(&world, tx, &region, &limits, Accuracy::Exact);
    let errors = errors(&map, &by_points(&world, tx, &region, &limits));
    assert!(errors[errors.len() - 1] < 0.1, "{:?}", errors.last());
}

#[test]
fn threads_change_not_a_bit() {
    let (mesh, [low, high]) = random_city(3);
    let world = world(&mesh, true);
    let limits = Limits {
        max_transmissions: 1,
        ..Limits::default()
    };
    let tx = crate::common::devices(world.scene(), &mut Random(1), [low, high], 1)[0];
    let region = streets(low, high);
    let by = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let map = pool
            .build()
            .unwrap()
            .install(|| by_tubes(&world, tx, &region, &limits, Accuracy::Quick));
        map.path_gain
            .iter()
            .map(|g| g.to_bits())
            .collect::<Vec<_>>()
    };
    let one = by(1);
    assert!(one == by(2) && one == by(5));
}

#[test]
fn parts_of_a_region_are_parts_of_its_coverage() {
    let (mesh, [low, high]) = random_city(4);
    let world = world(&mesh, true);
    let limits = Limits {
        max_transmissions: 1,
        ..Limits::default()
    };
    let tx = crate::common::devices(world.scene(), &mut Random(1), [low, high], 1)[0];
    let region = streets(low, high);
    let whole = by_tubes(&world, tx, &region, &limits, Accuracy::Quick);
    let settings = tubes::Settings {
        limits,
        accuracy: Accuracy::Quick,
        min_gain: MIN_GAIN,
    };
    let tubes = tubes::Tubes::new(&world, &region, settings);
    let (num_cells, part) = (region.num_cells(), region.num_cells() / 7);
    for first in (0..num_cells).step_by(part) {
        let cells = first..num_cells.min(first + part);
        let gains = tubes.gains(&sender(tx), cells.clone(), &Control::default());
        let bits = |gains: &[f64]| gains.iter().map(|g| g.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&gains.unwrap()), bits(&whole.path_gain[cells]));
    }
}
