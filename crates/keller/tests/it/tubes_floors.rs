//! Floors and walls inside a building that lie between the rays of a tube, all of which meet one facade behind them.

use crate::common::town::{MIN_GAIN, Town};
use crate::common::{add_polygon, add_prism, by_name, inside_out};
use glam::DVec2;
use keller::DVec3;
use keller::antenna::Antenna;
use keller::coverage::tubes::Accuracy;
use keller::coverage::{Levels, Region};
use keller::paths::Limits;
use keller::scene::Mesh;

/// The length, the width and the height of the building, metres.
const SIZE: [f64; 3] = [13.7, 12.3, 6.6];
/// The height of its floor, metres.
const FLOOR: f64 = 3.1;

/// The shape of a building.
struct Building {
    angle: f64,
    is_reversed: bool,
    /// Whether each storey has facades of its own, or each facade is one rectangle.
    has_storeys: bool,
    has_partition: bool,
}

impl Building {
    /// A closed hull of brick with a floor on a ground, and the centres of cells over both floors. The Tx is given in
    /// the axes of the building.
    fn town(&self, tx: DVec3) -> Town {
        let turn = |[x, y]: [f64; 2]| DVec2::from_angle(self.angle).rotate(DVec2::new(x, y));
        let [length, width, height] = SIZE;
        let plan = [[0.0, 0.0], [length, 0.0], [length, width], [0.0, width]];
        let mut mesh = Mesh::default();
        let ground = [[-40.0, -40.0], [60.0, -40.0], [60.0, 50.0], [-40.0, 50.0]];
        add_polygon(
            &mut mesh,
            "concrete",
            &ground.map(|at| turn(at).extend(0.0)),
        );
        let turned = plan.map(|at| turn(at).to_array());
        if self.has_storeys {
            add_prism(&mut mesh, "brick", &turned, 0.0, FLOOR, false);
            add_prism(&mut mesh, "brick", &turned, FLOOR, height, false);
        } else {
            add_prism(&mut mesh, "brick", &turned, 0.0, height, false);
            add_polygon(&mut mesh, "brick", &plan.map(|at| turn(at).extend(FLOOR)));
        }
        if self.has_partition {
            let [near, far] = [[8.3, 0.0], [8.3, width]].map(turn);
            for [low, high] in [[0.0, FLOOR], [FLOOR, height]] {
                let corners = [(near, low), (far, low), (far, high), (near, high)];
                let corners = corners.map(|(at, z)| at.extend(z));
                add_polygon(&mut mesh, "plasterboard", &corners);
            }
        }
        if self.is_reversed {
            mesh = inside_out(&mesh);
        }
        let size = DVec2::new(length, width);
        let levels = Levels::AboveSea(vec![1.2, FLOOR + 1.2]);
        let region = Region::planes(DVec2::ZERO, size, DVec2::splat(0.25), levels);
        Town {
            world: by_name(&mesh, Some(0.15), 2e9),
            region: region.unwrap().turned(self.angle),
            tx: turn([tx.x, tx.y]).extend(tx.z),
        }
    }
}

/// The numbers of cells that are 3 dB off or more, of those 10 dB above the limit: by default, and exact; and the
/// number of all.
fn wrong_cells(town: &Town, max_transmissions: usize) -> ([usize; 2], usize) {
    let limits = Limits {
        max_interactions: 1,
        max_reflections: 1,
        max_transmissions,
        ..Limits::default()
    };
    let antenna = Antenna::default();
    let points = town.by_points(&limits, &antenna);
    let counts = |of_points: f64| of_points >= 10.0 * MIN_GAIN;
    let wrong = [Accuracy::Default, Accuracy::Exact].map(|accuracy| {
        let gains = town.fresh(&town.tubes(&limits, accuracy), &antenna);
        let pairs = gains.iter().zip(&points).filter(|(_, b)| counts(**b));
        let is_off = |(a, b): &(&f64, &f64)| {
            let off = 10.0 * (*a / *b).log10();
            off.is_nan() || off.abs() >= 3.0
        };
        pairs.filter(is_off).count()
    });
    (wrong, points.into_iter().filter(|b| counts(*b)).count())
}

/// Rays above the floor and rays below it meet one facade; without a line in this facade one tube holds both.
#[test]
fn a_floor_between_two_rays_is_not_overlooked() {
    for (has_storeys, is_reversed) in [(true, false), (false, true)] {
        let building = Building {
            angle: -166.4_f64.to_radians(),
            is_reversed,
            has_storeys,
            has_partition: false,
        };
        let town = building.town(DVec3::new(-7.7, -21.4, 9.1));
        let (wrong, count) = wrong_cells(&town, 1);
        assert!(count > 5000, "{count} cells");
        assert_eq!(wrong, [0, 0], "storeys {has_storeys}");
    }
}

/// A partition ends at the facade behind it too.
#[test]
fn rooms_on_both_floors_are_as_the_paths_have_them() {
    let places = [
        (0.585, DVec3::new(3.1, 4.7, 1.3)),
        (-2.0, DVec3::new(-7.7, -21.4, 9.1)),
    ];
    for (angle, tx) in places {
        let building = Building {
            angle,
            is_reversed: angle < 0.0,
            has_storeys: angle < 0.0,
            has_partition: true,
        };
        let (wrong, count) = wrong_cells(&building.town(tx), 2);
        assert!(count > 5000, "{count} cells");
        assert_eq!(wrong, [0, 0], "turned by {angle}");
    }
}
