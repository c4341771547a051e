//! Regions whose rows run askew: every engine fills the cells where they lie.

use crate::common::town::{MIN_GAIN, Town, errors, one_edge, reflections};
use crate::common::{Random, add_polygon, by_name, random_city};
use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::rooftops::{self, Rooftops};
use keller::coverage::tubes::{Accuracy, Settings, Tubes};
use keller::coverage::{Levels, Region, points};
use keller::materials::{Lobe, Scattering, Texture};
use keller::paths::{Limits, PathOptions, Search, has_room};
use keller::scene::Mesh;
use keller::{Control, DVec3, Tx, World};

/// Radians: no multiple of anything.
const ASKEW: f64 = 0.587;

fn sender(position: DVec3) -> Tx {
    Tx {
        position,
        antenna: Antenna::default(),
    }
}

fn by_points(world: &World, tx: DVec3, region: &Region, limits: &Limits) -> Vec<f64> {
    let options = PathOptions {
        limits: *limits,
        search: Some(Search::Complete),
    };
    let tx = [sender(tx)];
    let map = points::coverage(world, &tx, region.clone(), &options, &Control::default());
    map.unwrap().path_gain
}

#[test]
fn places_of_a_turned_region_go_there_and_back() {
    let mut random = Random(3);
    let mut between = |low: f64, high: f64| random.range(low, high);
    for _ in 0..100 {
        let min = DVec2::new(between(-500.0, 500.0), between(-500.0, 500.0));
        let size = DVec2::new(between(1.0, 90.0), between(1.0, 90.0));
        let cell = DVec2::new(between(0.3, 7.0), between(0.3, 7.0));
        let levels = Levels::AboveSea(vec![1.5]);
        let rotation = between(-3.0, 3.0);
        let region = Region::planes(min, min + size, cell, levels).unwrap();
        let turned = region.clone().turned(rotation);
        assert!((turned.rotation() - rotation).abs() < 1e-12);
        assert!(turned.is_turned() && !region.is_turned());
        assert_eq!(turned.num_cells(), region.num_cells());
        let (sin, cos) = rotation.sin_cos();
        let [nx, ny] = region.num_columns;
        for [i, j] in [[0, 0], [nx - 1, 0], [nx - 1, ny - 1], [nx / 2, ny / 3]] {
            let DVec2 { x, y } = region.column(i, j) - min;
            let by_hand = min + DVec2::new(cos * x - sin * y, sin * x + cos * y);
            let at = turned.column(i, j);
            assert!(at.distance(by_hand) < 1e-9, "{at} {by_hand}");
            assert!(turned.to_own(at).distance(DVec2::new(x, y)) < 1e-9);
            let [low, high] = turned.bounds();
            assert!(at.cmpge(low).all() && at.cmple(high).all());
        }
        let [low, high] = turned.bounds();
        let touches = |k: usize, side: f64| turned.corners().iter().any(|c| c[k] == side);
        assert!((0..2).all(|k| touches(k, low[k]) && touches(k, high[k])));
    }
}

/// A region of one cell has no axes that could be wrong.
#[test]
fn points_fill_each_cell_as_if_it_were_alone() {
    for seed in [2, 7] {
        let (mesh, [low, high]) = random_city(seed);
        let world = by_name(&mesh, None, 2e9);
        let tx = crate::common::devices(world.scene(), &mut Random(seed), [low, high], 1)[0];
        let size = (high - low).truncate() / DVec2::new(7.0, 5.0);
        let levels = Levels::AboveSea(vec![low.z + 1.5]);
        let region = Region::planes(low.truncate(), high.truncate(), size, levels.clone());
        let region = region.unwrap().turned(ASKEW);
        let limits = reflections(2);
        let gains = by_points(&world, tx, &region, &limits);
        for (number, gain) in gains.into_iter().enumerate() {
            let centre = region.centre(region.cell(number), &[]).unwrap();
            if !has_room(world.scene(), centre) {
                assert!(gain.is_nan(), "{centre} lies in a wall");
                continue;
            }
            let corner = centre.truncate() - 0.5;
            let alone = Region::planes(corner, corner + 1.0, DVec2::ONE, levels.clone());
            let alone = by_points(&world, tx, &alone.unwrap(), &limits)[0];
            assert!((gain - alone).abs() <= 1e-9 * alone, "{gain} {alone}");
        }
    }
}

/// Turned about the middle of the town, so that cells lie in streets and houses, and some outside.
fn turned(town: &Town, rotation: f64) -> Town {
    let middle = town.region.min + 0.5 * town.region.extent();
    let away = town.region.min - middle;
    let region = Region {
        min: middle + DVec2::from_angle(rotation).rotate(away),
        ..town.region.clone()
    };
    Town {
        region: region.turned(rotation),
        ..town.within(&town.world)
    }
}

#[test]
fn tubes_fill_turned_cells_as_the_paths_have_them() {
    for (seeds, rotation, limits) in [
        ([1, 2, 4], ASKEW, reflections(2)),
        ([5, 6, 7], -2.1, one_edge()),
    ] {
        let mut pairs = Vec::new();
        for seed in seeds {
            let town = turned(&Town::random(seed), rotation);
            let tubes = town.tubes(&limits, Accuracy::Default);
            let antenna = Antenna::default();
            let of_tubes = town.fresh(&tubes, &antenna);
            let of_points = town.by_points(&limits, &antenna);
            let walls = |gains: &[f64]| -> Vec<bool> { gains.iter().map(|g| g.is_nan()).collect() };
            assert_eq!(walls(&of_tubes), walls(&of_points), "town {seed}");
            pairs.extend(of_tubes.into_iter().zip(of_points));
        }
        let [half, most] = errors(pairs.into_iter());
        assert!(
            half < 0.05 && most < 1.0,
            "towns {seeds:?}: {half} {most} dB"
        );
    }
}

/// Levels that are not even, and a volume, take other ways through the grid.
#[test]
fn tubes_in_free_space_are_exact_in_turned_planes_and_volumes() {
    let mut mesh = Mesh::default();
    let corners = [[-90.0, -90.0], [90.0, -90.0], [90.0, 90.0], [-90.0, 90.0]];
    let ground = corners.map(|[x, y]| DVec3::new(x, y, -40.0));
    add_polygon(&mut mesh, "concrete", &ground);
    let world = by_name(&mesh, None, 2e9);
    let low = DVec3::new(-31.0, 4.0, -3.0);
    let high = low + DVec3::new(40.0, 23.0, 12.0);
    let volume = Region::volume(low, high, DVec3::new(1.0, 2.0, 1.5)).unwrap();
    let planes = |levels| {
        let cell = DVec2::new(2.0, 1.0);
        Region::planes(low.truncate(), high.truncate(), cell, levels).unwrap()
    };
    let uneven = planes(Levels::AboveSea(vec![0.5, 9.0, 2.0]));
    let above = planes(Levels::AboveGround(vec![41.5, 45.0]));
    let tx = sender(DVec3::new(7.0, 11.0, 3.2));
    let limits = reflections(0);
    for region in [volume, uneven, above] {
        for rotation in [0.3, ASKEW, 2.9, -1.2] {
            let region = region.clone().turned(rotation);
            let settings = Settings {
                limits,
                accuracy: Accuracy::Default,
                min_gain: MIN_GAIN,
            };
            let tubes = Tubes::new(&world, &region, settings);
            let cells = 0..region.num_cells();
            let gains = tubes.gains(&tx, cells, &Control::default()).unwrap();
            let wavelength = world.frequency().wavelength();
            for (number, gain) in gains.into_iter().enumerate() {
                let centre = region.centre(region.cell(number), tubes.ground());
                let distance = centre.unwrap().distance(tx.position);
                let exact = (wavelength / (4.0 * std::f64::consts::PI * distance)).powi(2);
                assert!((gain / exact - 1.0).abs() < 1e-6, "{gain} {exact}");
            }
        }
    }
}

/// The same cells, asked for along the scene's axes and along their own: a square of cells turned by a quarter.
#[test]
fn a_quarter_turn_asks_the_same_cells_in_another_order() {
    let town = Town::random(5);
    let (sin, cos) = ASKEW.sin_cos();
    let min = town.region.min + DVec2::new(20.0, 9.0);
    let levels = Levels::AboveSea(vec![1.5]);
    let n = 12;
    let size = DVec2::splat(2.0 * n as f64);
    let first = Region::planes(min, min + size, DVec2::splat(2.0), levels).unwrap();
    let first = first.turned(ASKEW);
    // It starts at the end of the first one's rows.
    let end = min + size.x * DVec2::new(cos, sin);
    let second = Region {
        min: end,
        ..first.clone()
    };
    let second = second.turned(std::f64::consts::FRAC_PI_2);
    let roofs = |region: &Region| {
        let settings = rooftops::Settings {
            min_edges: 1,
            has_reflections: false,
            min_gain: 0.0,
            is_exact: true,
        };
        let rooftops = Rooftops::new(&town.world, region, settings).unwrap();
        let tx = sender(town.tx.with_z(40.0));
        let cells = 0..region.num_cells();
        rooftops.gains(&tx, cells, &Control::default()).unwrap()
    };
    let rough = |region: &Region| {
        let materials: Vec<_> = town.world.materials().to_vec();
        let rough = materials.into_iter().map(|material| {
            material.with_texture(Texture {
                scattering: Some(Scattering {
                    coefficient: 0.6,
                    cross_polarization: 0.1,
                    lobe: Lobe::Lambertian,
                }),
                roughness: 0.0,
            })
        });
        let materials: Vec<_> = rough.collect();
        let scene = town.world.shared_scene().clone();
        let world = crate::common::world(scene, &materials, 2e9);
        let limits = Limits {
            max_scatterings: 1,
            ..reflections(1)
        };
        let settings = Settings {
            limits,
            accuracy: Accuracy::Default,
            min_gain: MIN_GAIN,
        };
        let tubes = Tubes::new(&world, region, settings);
        let cells = 0..region.num_cells();
        let gains = tubes.gains(&sender(town.tx), cells, &Control::default());
        gains.unwrap()
    };
    for (name, tolerance, [a, b]) in [
        ("rooftops", 1e-6, [&first, &second].map(roofs)),
        ("scattering", 0.2, [&first, &second].map(rough)),
    ] {
        let mut reached = 0;
        for (number, a) in a.iter().enumerate() {
            let [i, j, _] = first.cell(number);
            let other = (n - 1 - i) * n + j;
            let b = b[other];
            let at = [first.column(i, j), second.column(j, n - 1 - i)];
            assert!(at[0].distance(at[1]) < 1e-9);
            assert_eq!(a.is_nan(), b.is_nan(), "{name} at {}", at[0]);
            if *a > 0.0 || b > 0.0 {
                let apart = (10.0 * (a / b).log10()).abs();
                assert!(apart <= tolerance, "{name} at {}: {a} {b}", at[0]);
                reached += 1;
            }
        }
        assert!(reached > 15, "{name}: {reached} cells");
    }
}
