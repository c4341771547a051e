//! Cubes against closed forms and against beams, on blocks that lie along the cubes.

use glam::{DVec2, DVec3};
use keller::coverage::beams::{Beams, Bends, Combination, Settings as BeamSettings, Through};
use keller::coverage::{Levels, Region};
use keller::materials::Materials;
use keller::random::Random;
use keller::scene::{Mesh, Scene};
use keller::units::{db_to_power, power_to_db};
use keller::{Control, Frequency, Tx, World};

use super::{Cubes, Settings};

const PLANE: f64 = 1.5;

/// Blocks on level ground: the corner in the south-west, length, width and height, metres.
fn world(blocks: &[[f64; 5]]) -> World {
    on_slope(0.0, blocks)
}

/// Blocks with level roofs on ground that rises towards the east: heights count from the ground in the west.
fn on_slope(slope: f64, blocks: &[[f64; 5]]) -> World {
    let mut mesh = Mesh::default();
    let square = |x: f64, y: f64, dx: f64, dy: f64| {
        [[x, y], [x + dx, y], [x + dx, y + dy], [x, y + dy]].map(DVec2::from)
    };
    let ground = square(-20.0, -20.0, 240.0, 240.0);
    mesh.add_polygon(
        "concrete",
        &ground.map(|corner| corner.extend(slope * corner.x)),
    );
    for &[x, y, dx, dy, height] in blocks {
        let corners = square(x, y, dx, dy);
        for k in 0..4 {
            let (a, b) = (corners[k], corners[(k + 1) % 4]);
            mesh.add_polygon(
                "concrete",
                &[
                    a.extend(slope * a.x),
                    b.extend(slope * b.x),
                    b.extend(height),
                    a.extend(height),
                ],
            );
        }
        mesh.add_polygon("concrete", &corners.map(|corner| corner.extend(height)));
    }
    let frequency = Frequency::from_ghz(1.0).unwrap();
    World::new(Scene::new(&mesh).unwrap(), &Materials::default(), frequency).unwrap()
}

fn region(side: f64) -> Region {
    let levels = Levels::AboveGround(vec![PLANE]);
    Region::planes(DVec2::ZERO, DVec2::splat(200.0), DVec2::splat(side), levels).unwrap()
}

fn cell_at(region: &Region, at: [f64; 2]) -> usize {
    region
        .nearest(
            DVec3::new(at[0], at[1], PLANE),
            &vec![0.0; region.num_cells()],
        )
        .unwrap()
}

#[test]
fn on_open_ground_it_is_friis() {
    let (world, region) = (world(&[[190.0, 190.0, 5.0, 5.0, 9.0]]), region(2.5));
    let cubes = Cubes::new(&world, &region).unwrap();
    let position = DVec3::new(61.3, 84.9, 13.0);
    let gains = cubes.gains(position, &Settings::default()).unwrap();
    let lit = cubes.line_of_sight(position).unwrap();
    let mut seen = 0;
    for (cell, gain) in gains.into_iter().enumerate().filter(|(cell, _)| lit[*cell]) {
        let centre = region.column(cell % 80, cell / 80).extend(PLANE);
        let wavelength = world.frequency().wavelength();
        let distance = centre.distance(position);
        let friis = (wavelength / (4.0 * std::f64::consts::PI * distance)).powi(2);
        assert!((gain / friis - 1.0).abs() < 1e-9, "{centre}");
        seen += 1;
    }
    assert!(seen > 6300, "{seen}");
}

/// One block stands between: two walls on the line, two diffractions over its roof, one around each of its corners.
#[test]
fn one_block_costs_its_walls_its_roof_and_its_corners() {
    let height = 12.0;
    let (world, region) = (world(&[[100.0, 80.0, 20.0, 40.0, height]]), region(2.5));
    let cubes = Cubes::new(&world, &region).unwrap();
    let position = DVec3::new(41.25, 101.25, 5.0);
    let rx = [161.25, 101.25];
    let cell = cell_at(&region, rx);
    let settings = |max_bends, has_walls, has_roofs| Settings {
        max_bends,
        has_roofs,
        has_walls,
        ..Settings::default()
    };
    assert_eq!(cubes.depth(position).unwrap()[cell], 2);
    let of = |settings: Settings| cubes.gains(position, &settings).unwrap()[cell];
    let wavelength = world.frequency().wavelength();
    let free = |length: f64| (wavelength / (4.0 * std::f64::consts::PI * length)).powi(2);
    let losses = Settings::default().losses;

    let walls = free(120.0_f64.hypot(3.5)) * db_to_power(-losses.of(Through::Walls(2)));
    assert!((of(settings(0, true, false)) / walls - 1.0).abs() < 1e-9);

    // The line runs along the x axis: the string touches the roof at 100 and 120 m.
    let (up, down) = ((height - 5.0).atan2(58.75), (height - PLANE).atan2(41.25));
    let bends = Bends::default().and(up).and(down);
    let length = 58.75_f64.hypot(height - 5.0) + 20.0 + 41.25_f64.hypot(height - PLANE);
    let roofs = free(length) * db_to_power(-losses.of(Through::Roofs(bends)));
    assert!((of(settings(0, false, true)) / roofs - 1.0).abs() < 1e-9);

    // The way leads around two corners of the block: within a cube of the exact way around the corners at 120 m.
    let around = |y: f64| {
        let at = [[41.25, 101.25], [100.0, y], [120.0, y], rx].map(DVec2::from);
        let ways = [at[1] - at[0], at[2] - at[1], at[3] - at[2]];
        let bends = Bends::default()
            .and(ways[0].angle_to(ways[1]).abs())
            .and(ways[1].angle_to(ways[2]).abs());
        let length: f64 = ways.iter().map(|way| way.length()).sum();
        free(length.hypot(3.5)) * db_to_power(-losses.of(Through::Corners(bends)))
    };
    let expected = around(80.0).max(around(120.0));
    let found = of(settings(2, false, false));
    assert!(
        power_to_db(found / expected).abs() < 1.5,
        "{found} {expected}"
    );
    assert_eq!(of(settings(0, false, false)), 0.0);
}

/// Waves over the roof would otherwise be diffracted at every cube.
#[test]
fn a_level_roof_on_a_slope_has_one_height() {
    let (slope, top) = (0.04, 14.0);
    let world = on_slope(slope, &[[100.0, 80.0, 20.0, 40.0, top]]);
    let cubes = Cubes::new(&world, &region(2.5)).unwrap();
    let heights = cubes.heights().of_cells().iter();
    let roof: Vec<f64> = heights.copied().filter(|height| *height > 0.0).collect();
    assert_eq!(roof.len(), 8 * 16);
    assert!(roof.iter().all(|height| *height == roof[0]));
    assert!(
        (top - 120.0 * slope..=top - 100.0 * slope).contains(&roof[0]),
        "{}",
        roof[0]
    );
}

/// The visible cells and the number of walls before a cell are those of beams, for blocks along the cubes at random,
/// except next to the borders of shadows, which are as wide as a cube.
#[test]
fn blocks_along_cubes_have_the_sight_and_depth_of_beams() {
    let mut random = Random(23);
    for case in 0..6 {
        let mut blocks = Vec::new();
        for i in 0..4 {
            for j in 0..4 {
                let corner = [i, j].map(|k| 12.5 + 47.5 * f64::from(k));
                let size = [10.0, 15.0, 20.0, 25.0];
                let height = random.range(5.0, 25.0);
                let side = |random: &mut Random| size[random.below(4)];
                blocks.push([
                    corner[0],
                    corner[1],
                    side(&mut random),
                    side(&mut random),
                    height,
                ]);
            }
        }
        let (world, region) = (world(&blocks), region(2.5));
        let position = DVec3::new(random.range(45.0, 55.0), random.range(90.0, 100.0), 13.0);
        let cubes = Cubes::new(&world, &region).unwrap();
        let settings = BeamSettings {
            combination: Combination::Strongest,
            ..BeamSettings::default()
        };
        let beams = Beams::new(&world, &region, settings, &Control::default()).unwrap();
        let depth = cubes.depth(position).unwrap();
        let expected = beams.depth(position, 0).unwrap();
        let lit = cubes.line_of_sight(position).unwrap();
        let expected_lit = beams.line_of_sight(position, 0).unwrap();
        let free = (0..region.num_cells()).filter(|cell| cubes.heights().is_free(*cell));
        let free: Vec<usize> = free.collect();
        let other_depth = free
            .iter()
            .filter(|c| depth[**c] != u32::from(expected[**c]))
            .count();
        let other_sight = free
            .iter()
            .filter(|c| lit[**c] != expected_lit[**c])
            .count();
        assert!(
            other_depth * 100 < free.len() * 6,
            "case {case}: {other_depth} of {}",
            free.len()
        );
        assert!(
            other_sight * 100 < free.len() * 3,
            "case {case}: {other_sight} of {}",
            free.len()
        );
        for &cell in &free {
            assert_eq!(lit[cell], depth[cell] == 0, "case {case}");
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let world = world(&[
        [30.0, 40.0, 35.0, 20.0, 12.0],
        [90.0, 60.0, 20.0, 70.0, 18.0],
        [130.0, 20.0, 40.0, 30.0, 9.0],
    ]);
    let region = region(2.5);
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let cubes = Cubes::new(&world, &region).unwrap();
            cubes
                .gains(DVec3::new(75.2, 95.1, 8.0), &Settings::default())
                .unwrap()
        })
    };
    let gains = of(1);
    assert!(
        gains.iter().filter(|gain| **gain > 0.0).count() > 5000,
        "most cells are reached"
    );
    assert_eq!(gains, of(3));
}

#[test]
fn other_regions_and_places_are_refused() {
    let world = world(&[[30.0, 40.0, 35.0, 20.0, 12.0]]);
    let over_sea = Region {
        levels: Levels::AboveSea(vec![PLANE]),
        ..region(5.0)
    };
    assert!(Cubes::new(&world, &over_sea).is_err());
    assert!(Cubes::new(&world, &region(5.0).turned(0.3)).is_err());
    let cubes = Cubes::new(&world, &region(5.0)).unwrap();
    assert!(cubes.depth(DVec3::new(-300.0, 10.0, 5.0)).is_err());
    let tx = Tx {
        position: DVec3::new(10.0, 10.0, 5.0),
        antenna: keller::antenna::Antenna::default(),
    };
    assert!(cubes.depth(tx.position).is_ok());
}
