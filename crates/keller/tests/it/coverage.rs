//! Coverage against the paths themselves.

use crate::common::{Random, add_polygon, add_prism, by_name, paths, random_city};
use glam::DVec2;
use keller::antenna::{Antenna, Polarization};
use keller::coverage::points::coverage;
use keller::coverage::{Coverage, Levels, Region, Surroundings};
use keller::field::PathField;
use keller::paths::{Limits, PathOptions, Search, has_room};
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3, Error, Tx, World};

fn world(mesh: &Mesh) -> World {
    by_name(mesh, None, 2e9)
}

fn fill(world: &World, tx: &[Tx], region: Region) -> Coverage {
    let limits = Limits {
        max_interactions: 2,
        max_diffractions: 1,
        ..Limits::default()
    };
    let options = PathOptions {
        limits,
        search: Some(Search::Complete),
    };
    coverage(world, tx, region, &options, &Control::default()).unwrap()
}

fn sender(position: DVec3) -> Tx {
    Tx {
        position,
        antenna: Antenna::default(),
    }
}

#[test]
fn a_cell_has_the_gain_of_the_paths_to_its_centre() {
    let (mesh, [low, high]) = random_city(4);
    let world = world(&mesh);
    let mut random = Random(9);
    let tx: Vec<Tx> = crate::common::devices(world.scene(), &mut random, [low, high], 2)
        .into_iter()
        .map(sender)
        .collect();
    let region = Region::volume(low, high, (high - low) / DVec3::new(5.0, 4.0, 2.0)).unwrap();
    let map = fill(&world, &tx, region.clone());
    let rx = Antenna {
        polarization: Polarization::VH,
        ..Antenna::default()
    };
    let limits = Limits {
        max_interactions: 2,
        max_diffractions: 1,
        ..Limits::default()
    };
    let mut reached = 0;
    for (index, sender) in tx.iter().enumerate() {
        for (number, &gain) in map.of_tx(index).iter().enumerate() {
            let centre = map.centre(region.cell(number)).unwrap();
            if !has_room(world.scene(), centre) {
                assert!(gain.is_nan(), "a cell inside a wall has {gain}");
                continue;
            }
            let paths = paths(
                &world,
                sender.position,
                &[centre],
                &limits,
                Search::Complete,
            );
            let gains = paths.iter().map(|path| {
                let field = PathField::new(path, &world);
                field.gain(&sender.antenna, &rx)
            });
            let expected: f64 = gains.sum();
            assert!(
                (gain - expected).abs() <= 1e-12 * expected,
                "{gain} {expected}"
            );
            reached += usize::from(gain > 0.0);
        }
    }
    assert!(reached > 20, "{reached} cells are reached");
}

/// The scene is a tilted ground with a house on it.
#[test]
fn heights_follow_the_ground_and_not_the_roofs() {
    let slope = |x: f64| 0.2 * x;
    let mut mesh = Mesh::default();
    let corners = [[-50.0, -50.0], [50.0, -50.0], [50.0, 50.0], [-50.0, 50.0]];
    let ground = corners.map(|[x, y]| DVec3::new(x, y, slope(x)));
    add_polygon(&mut mesh, "concrete", &ground);
    let house = [[10.0, -5.0], [20.0, -5.0], [20.0, 5.0], [10.0, 5.0]];
    add_prism(&mut mesh, "concrete", &house, 1.0, 14.0, false);
    let region = Region::planes(
        DVec2::new(-60.0, -10.0),
        DVec2::new(60.0, 10.0),
        DVec2::splat(8.0),
        Levels::AboveGround(vec![1.5]),
    );
    let tx = [sender(DVec3::new(-20.0, 0.0, 10.0))];
    let map = fill(&world(&mesh), &tx, region.unwrap());
    let [nx, ny, _] = map.region.shape();
    for (i, j) in (0..nx).flat_map(|i| (0..ny).map(move |j| (i, j))) {
        let at = map.region.column(i, j);
        let cell = j * nx + i;
        if at.x.abs() > 50.0 {
            assert_eq!(map.centre([i, j, 0]), None, "there is no ground at {at}");
            assert!(map.path_gain[cell].is_nan(), "nor a gain");
        } else {
            let z = map.centre([i, j, 0]).unwrap().z;
            assert!((z - slope(at.x) - 1.5).abs() < 1e-9, "{z} at {at}");
            assert!(!map.path_gain[cell].is_nan(), "a gain at {at}");
        }
    }
}

#[test]
fn a_region_that_cannot_be_filled_is_refused() {
    let planes = |max: f64, resolution: f64, heights: Vec<f64>| {
        Region::planes(
            DVec2::ZERO,
            DVec2::splat(max),
            DVec2::splat(resolution),
            Levels::AboveSea(heights),
        )
    };
    assert_eq!(planes(10.0, 3.0, vec![1.0]).unwrap().shape(), [4, 4, 1]);
    assert_eq!(planes(0.3, 0.1, vec![1.0]).unwrap().shape(), [3, 3, 1]);
    for (max, resolution, heights) in [
        (0.0, 1.0, vec![1.0]),
        (1.0, 0.0, vec![1.0]),
        (1.0, f64::NAN, vec![1.0]),
        (f64::INFINITY, 1.0, vec![1.0]),
        (1.0, 1.0, vec![]),
        (1.0, 1.0, vec![f64::NAN]),
        (1e6, 1.0, vec![1.0]),
    ] {
        let found = planes(max, resolution, heights);
        assert!(matches!(found, Err(Error::Region(_))), "{found:?}");
    }
}

/// Rows of houses along x, 12 m apart, on a ground.
fn streets() -> (Scene, Region) {
    let mut mesh = Mesh::default();
    let corners = [
        [-100.0, -100.0],
        [100.0, -100.0],
        [100.0, 100.0],
        [-100.0, 100.0],
    ];
    let ground = corners.map(|[x, y]| DVec3::new(x, y, 0.0));
    add_polygon(&mut mesh, "concrete", &ground);
    for row in 0..8 {
        let y = -95.0 + 24.0 * f64::from(row);
        let house = [[-90.0, y], [90.0, y], [90.0, y + 12.0], [-90.0, y + 12.0]];
        add_prism(&mut mesh, "concrete", &house, 0.0, 10.0, false);
    }
    let region = Region::planes(
        DVec2::splat(-100.0),
        DVec2::splat(100.0),
        DVec2::ONE,
        Levels::AboveSea(vec![1.5]),
    );
    (Scene::new(&mesh).unwrap(), region.unwrap())
}

#[test]
fn streets_are_as_wide_as_they_are() {
    let (scene, region) = streets();
    let found = Surroundings::of(&scene, &region);
    let gap = found.typical_gap.unwrap();
    assert!((gap - 12.0).abs() < 1e-6, "{found:?}");
    // Eight rows of 180 m by 12 m of 200 m by 200 m.
    assert!((found.share_enclosed - 0.43).abs() < 0.1, "{found:?}");
    let mut field = Mesh::default();
    let corners = [
        [-100.0, -100.0],
        [100.0, -100.0],
        [100.0, 100.0],
        [-100.0, 100.0],
    ];
    let ground = corners.map(|[x, y]| DVec3::new(x, y, 0.0));
    add_polygon(&mut field, "concrete", &ground);
    let found = Surroundings::of(&Scene::new(&field).unwrap(), &region);
    assert_eq!((found.typical_gap, found.share_enclosed), (None, 0.0));
}

#[test]
fn inside_a_house_is_neither_under_the_ground_nor_above_a_roof() {
    let (scene, _) = streets();
    let is_enclosed = |x, y, z| Surroundings::is_enclosed(&scene, DVec3::new(x, y, z));
    assert!(is_enclosed(3.0, -90.0, 5.0), "in the first row");
    assert!(!is_enclosed(3.0, -90.0, 11.0), "on its roof");
    assert!(!is_enclosed(3.0, -77.0, 5.0), "in the street");
    assert!(!is_enclosed(3.0, -77.0, -5.0), "under the ground");
}
