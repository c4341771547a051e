//! Faces smaller than a cell of the region, which may lie between all rays of a tube, checked by the path engine.

use crate::common::town::{Town, reflections};
use crate::common::{Random, add_polygon, add_prism, by_name, inside_out};
use glam::DVec2;
use keller::DVec3;
use keller::antenna::Antenna;
use keller::coverage::tubes::{Accuracy, Settings, Tubes};
use keller::coverage::{Levels, Region};
use keller::paths::Limits;
use keller::scene::Mesh;

/// Far below the gain of the weakest path that counts.
const MIN_GAIN: f64 = 1e-18;

/// A square of ground, and so many cells of five metres along each side, 1.5 m above it.
fn field(num: u32) -> (Mesh, Region) {
    let half = 2.5 * f64::from(num + 2);
    let mut mesh = Mesh::default();
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let corners = corners.map(|[x, y]| DVec3::new(half * x, half * y, 0.0));
    add_polygon(&mut mesh, "concrete", &corners);
    let region = Region {
        axis: DVec2::X,
        min: DVec2::splat(5.0 - half),
        resolution: DVec2::splat(5.0),
        num_columns: [num as usize; 2],
        levels: Levels::AboveSea(vec![1.5]),
    };
    (mesh, region)
}

/// Plates of one to three metres that hang free at odd angles.
fn add_plates(mesh: &mut Mesh, count: usize, random: &mut Random) {
    for _ in 0..count {
        let mut vector = |low: f64, high: f64| {
            let mut number = || random.range(low, high);
            DVec3::new(number(), number(), number())
        };
        let centre = vector(-45.0, 45.0) * DVec3::new(1.0, 1.0, 0.1) + 15.0 * DVec3::Z;
        let along = vector(-1.0, 1.0).normalize();
        let across = along.cross(vector(-1.0, 1.0)).normalize();
        let [a, b] = [
            along * random.range(0.5, 1.5),
            across * random.range(0.5, 1.5),
        ];
        let corners = [-a - b, a - b, a + b, b - a].map(|corner| centre + corner);
        add_polygon(mesh, "brick", &corners);
    }
}

/// The number of cells in which tubes differ from the path engine by more than `allowed` dB, and of all with a gain.
fn wrong(town: &Town, limits: &Limits, accuracy: Accuracy, allowed: f64) -> [usize; 2] {
    let antenna = Antenna::default();
    let settings = Settings {
        limits: *limits,
        accuracy,
        min_gain: MIN_GAIN,
    };
    let tubes = Tubes::new(&town.world, &town.region, settings);
    let found = town.fresh(&tubes, &antenna);
    let right = town.by_points(limits, &antenna);
    let pairs = || {
        found
            .iter()
            .zip(&right)
            .filter(|(_, right)| **right > 1e3 * MIN_GAIN)
    };
    let is_wrong = |(found, right): &(&f64, &f64)| {
        let error = (10.0 * (*found / *right).log10()).abs();
        error.is_nan() || error > allowed
    };
    [pairs().filter(is_wrong).count(), pairs().count()]
}

#[test]
fn plates_that_hang_free_cast_shadows_reflect_and_diffract() {
    let one_edge = Limits {
        max_diffractions: 1,
        free_edges: true,
        ..reflections(1)
    };
    for limits in [reflections(1), reflections(2), one_edge] {
        let mut sum = [0; 2];
        for seed in 0..6 {
            let mut random = Random(40 + seed);
            let (mut mesh, region) = field(22);
            add_plates(&mut mesh, 40, &mut random);
            if seed % 2 == 1 {
                mesh = inside_out(&mesh);
            }
            let town = Town {
                world: by_name(&mesh, None, 2e9),
                region,
                tx: DVec3::new(random.range(-9.0, 9.0), random.range(-9.0, 9.0), 33.3),
            };
            let of_town = wrong(&town, &limits, Accuracy::Exact, 0.05);
            sum = [0, 1].map(|k| sum[k] + of_town[k]);
        }
        assert!(200 * sum[0] < sum[1], "{sum:?} of {limits:?}");
    }
}

#[test]
fn a_round_tower_above_a_reflecting_roof_diffracts_into_the_shadow_of_a_house() {
    let limits = Limits {
        max_diffractions: 1,
        max_reflections: 1,
        ..reflections(2)
    };
    let (mut mesh, mut region) = field(78);
    region.min = DVec2::new(90.0, -60.0);
    region.num_columns = [16, 24];
    // The Tx stands on this roof, and the wide house hides it from the cells behind.
    add_prism(
        &mut mesh,
        "concrete",
        &[[-6.0, -5.0], [7.0, -4.0], [6.0, 8.0], [-7.0, 6.0]],
        0.0,
        26.0,
        false,
    );
    add_prism(
        &mut mesh,
        "concrete",
        &[[60.0, -150.0], [80.0, -150.0], [80.0, 150.0], [60.0, 150.0]],
        0.0,
        40.0,
        false,
    );
    let sides = 12;
    let tower: Vec<[f64; 2]> = (0..sides)
        .map(|k| {
            let angle = 0.13 + std::f64::consts::TAU * f64::from(k) / f64::from(sides);
            [70.3 + 2.1 * angle.cos(), 3.7 + 2.1 * angle.sin()]
        })
        .collect();
    add_prism(&mut mesh, "concrete", &tower, 60.0, 70.0, true);
    let town = Town {
        world: by_name(&mesh, None, 2e9),
        region,
        tx: DVec3::new(1.3, 0.7, 27.0),
    };
    for (accuracy, allowed) in [(Accuracy::Default, 1.5), (Accuracy::Exact, 0.05)] {
        let [wrong, all] = wrong(&town, &limits, accuracy, allowed);
        assert!(
            all > 50 && 50 * wrong < all,
            "{wrong} of {all}, {accuracy:?}"
        );
    }
}
