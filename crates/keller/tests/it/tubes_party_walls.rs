//! Rows of houses that touch: flush facades, twin walls between them, and rooms behind one facade.

use crate::common::town::{MIN_GAIN, Town, errors};
use crate::common::{Random, add_polygon, add_prism, by_name};
use glam::DVec2;
use keller::antenna::Antenna;
use keller::coverage::tubes::Accuracy;
use keller::coverage::{Levels, Region};
use keller::paths::Limits;
use keller::scene::Mesh;
use keller::{DVec3, World};

/// Houses wall to wall, of unlike materials and heights, some with a wall across; all turned by `angle`.
fn row(seed: u64, angle: f64, is_reversed: bool) -> (World, f64) {
    let mut random = Random(seed);
    let mut mesh = Mesh::default();
    let turned = |at: [f64; 2]| DVec2::from_angle(angle).rotate(at.into()).to_array();
    let ground = [[-60.0, -60.0], [90.0, -60.0], [90.0, 60.0], [-60.0, 60.0]];
    let ground = ground.map(|at| DVec2::from(turned(at)).extend(0.0));
    add_polygon(&mut mesh, "concrete", &ground);
    let mut x = 0.0;
    for number in 0..4 {
        let width = random.range(5.0, 11.0);
        let depth = random.range(7.0, 10.0);
        let height = random.range(5.0, 12.0);
        let material = ["concrete", "brick", "wood"][random.below(3)];
        let plan = [[x, 0.0], [x + width, 0.0], [x + width, depth], [x, depth]];
        let plan = plan.map(turned);
        add_prism(&mut mesh, material, &plan, 0.0, height, false);
        if number % 2 == 0 {
            // A wall between two rooms behind one facade.
            let at = x + width * random.range(0.3, 0.7);
            let [near, far] = [[at, 0.0], [at, depth]].map(|at| DVec2::from(turned(at)));
            let corners = [
                near.extend(0.0),
                far.extend(0.0),
                far.extend(height),
                near.extend(height),
            ];
            add_polygon(&mut mesh, "plasterboard", &corners);
        }
        x += width;
    }
    if is_reversed {
        for triangle in &mut mesh.triangles {
            triangle.vertices.reverse();
        }
    }
    (by_name(&mesh, Some(0.15), 2e9), x)
}

#[test]
fn cells_behind_flush_facades_are_as_the_paths_have_them() {
    let limits = Limits {
        max_interactions: 1,
        max_reflections: 1,
        max_transmissions: 4,
        ..Limits::default()
    };
    let mut pairs = Vec::new();
    for (seed, angle, is_reversed) in [(1, 0.0, false), (2, 0.585, true), (3, -2.0, false)] {
        let (world, length) = row(seed, angle, is_reversed);
        let corner = DVec2::from_angle(angle).rotate(DVec2::new(-2.0, -4.0));
        let size = DVec2::new(length + 4.0, 16.0);
        let levels = Levels::AboveSea(vec![1.7, 4.4]);
        let region = Region::planes(corner, corner + size, DVec2::splat(1.0), levels).unwrap();
        let tx = DVec2::from_angle(angle).rotate(DVec2::new(0.37 * length, -13.0));
        let town = Town {
            world,
            region: region.turned(angle),
            tx: tx.extend(4.1),
        };
        let tubes = town.tubes(&limits, Accuracy::Default);
        let antenna = Antenna::default();
        let of_points = town.by_points(&limits, &antenna);
        pairs.extend(town.fresh(&tubes, &antenna).into_iter().zip(of_points));
    }
    let heard = pairs
        .into_iter()
        .filter(|(_, points)| points.is_nan() || *points >= 10.0 * MIN_GAIN);
    let [half, most] = errors(heard);
    assert!(half < 0.05 && most < 0.5, "{half} {most} dB");
}

/// Two sheets in one plane, the smaller on the larger: everywhere the smaller one counts.
#[test]
fn of_twin_walls_the_smaller_one_counts() {
    for is_first in [true, false] {
        let mut mesh = Mesh::default();
        let wall = |half: f64, mesh: &mut Mesh, material: &str| {
            let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
            let corners = corners.map(|[y, z]| DVec3::new(0.0, y, z));
            add_polygon(mesh, material, &corners);
        };
        if is_first {
            wall(2.0, &mut mesh, "glass");
        }
        wall(30.0, &mut mesh, "concrete");
        if !is_first {
            wall(2.0, &mut mesh, "glass");
        }
        let world = by_name(&mesh, Some(0.1), 2e9);
        let min = DVec2::new(3.0, -6.0);
        let levels = Levels::AboveSea(vec![-0.9, 0.4]);
        let region = Region::planes(min, min + DVec2::new(9.0, 12.0), DVec2::splat(0.3), levels);
        let town = Town {
            world,
            region: region.unwrap(),
            tx: DVec3::new(-7.0, 0.3, 0.2),
        };
        let limits = Limits {
            max_interactions: 0,
            max_reflections: 0,
            max_transmissions: 1,
            ..Limits::default()
        };
        let antenna = Antenna::default();
        let tubes = town.tubes(&limits, Accuracy::Default);
        let of_points = town.by_points(&limits, &antenna);
        let [half, most] = errors(town.fresh(&tubes, &antenna).into_iter().zip(of_points));
        assert!(half < 0.02 && most < 0.1, "{half} {most} dB");
    }
}
