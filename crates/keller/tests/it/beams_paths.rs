//! Gains by beams: closed forms for each kind of path, the paths of a slow twin, and changes that must not matter.

use std::f64::consts::PI;

use glam::DVec2;
use keller::antenna::{Antenna, Polarization};
use keller::coverage::beams::{Beams, Combination, Losses, Settings};
use keller::coverage::{Levels, Region};
use keller::scene::Mesh;
use keller::{Control, DVec3, Tx, World};

use crate::beams_exact::{PLANE, cells, town};
use crate::common::town::sector;
use crate::common::{add_prism, by_name};

pub(crate) const LOSSES: Losses = Losses {
    street_bend: [5.0, 11.0, 2.0],
    roof_bend: [7.0, 30.0, -3.0],
    wall: [9.0, 6.0],
};

/// Settings without anything beyond the line of sight.
pub(crate) const BARE: Settings = Settings {
    max_bends: 0,
    has_roofs: false,
    has_walls: false,
    has_indoors: true,
    combination: Combination::Strongest,
    losses: LOSSES,
    min_gain: 0.0,
};

pub(crate) fn tx(position: DVec3) -> Tx {
    Tx {
        position,
        antenna: Antenna::default(),
    }
}

/// Upright walls on level ground: both ends in plan, and the height; turned about the origin.
fn fences(walls: &[([f64; 2], [f64; 2], f64)], turn: f64) -> World {
    let turn = DVec2::from_angle(turn);
    let mut mesh = Mesh::default();
    let ground = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    mesh.add_polygon(
        "concrete",
        &ground.map(|at| (400.0 * DVec2::from(at)).extend(0.0)),
    );
    for (a, b, height) in walls {
        let [a, b] = [a, b].map(|end| turn.rotate(DVec2::from(*end)));
        let corners = [
            a.extend(0.0),
            b.extend(0.0),
            b.extend(*height),
            a.extend(*height),
        ];
        mesh.add_polygon("concrete", &corners);
    }
    by_name(&mesh, None, 2e9)
}

/// The only cell of a region around a place.
fn cell(at: DVec2) -> Region {
    let levels = Levels::AboveGround(vec![PLANE]);
    Region::planes(at - 0.5, at + 0.5, DVec2::ONE, levels).unwrap()
}

fn gain_db(world: &World, settings: Settings, tx: &Tx, at: DVec2) -> f64 {
    let region = cell(at);
    let beams = Beams::new(world, &region, settings, &Control::default()).unwrap();
    10.0 * beams.gains(tx, 0..1, &Control::default()).unwrap()[0].log10()
}

pub(crate) fn free_space_db(world: &World, length: f64) -> f64 {
    20.0 * (world.frequency().wavelength() / (4.0 * PI * length)).log10()
}

pub(crate) fn bend_db([a, b, c]: [f64; 3], angle: f64) -> f64 {
    a + b * angle + c * angle * angle
}

#[test]
fn in_sight_it_is_free_space_with_the_antenna() {
    let world = fences(&[([-20.0, 30.0], [20.0, 31.0], 10.0)], 0.0);
    let antenna = sector(0.7, 0.14, Polarization::V);
    for (bearing, position) in [
        (0.7, DVec3::new(-60.0, -20.0, 12.0)),
        (2.9, DVec3::new(31.0, -40.0, 3.0)),
    ] {
        let at = position.truncate() + 70.0 * DVec2::from_angle(bearing);
        let away = (at - position.truncate()).extend(PLANE - position.z);
        for antenna in [&antenna, &Antenna::default()] {
            let tx = Tx {
                position,
                antenna: antenna.clone(),
            };
            let fields = antenna.fields(keller::Direction::from_vector(away));
            let pattern: f64 = fields.map(|[a, b]| a.norm_sqr() + b.norm_sqr()).sum();
            let expected = free_space_db(&world, away.length()) + 10.0 * pattern.log10();
            let found = gain_db(&world, BARE, &tx, at);
            assert!(
                (found - expected).abs() < 0.05,
                "{found} and not {expected} dB"
            );
        }
    }
}

/// The paths lead around one end of a fence, and around two ends in a row, at odd angles.
#[test]
fn around_corners_it_is_the_unfolded_length_and_the_bends() {
    for turn in [0.0, 0.4, 1.9, -2.2] {
        let place = |x: f64, y: f64| DVec2::from_angle(turn).rotate(DVec2::new(x, y));
        let far = 3000.0;
        // Two half-planes, one behind the other, whose ends point to opposite sides.
        let world = fences(
            &[
                ([0.0, 0.0], [0.0, far], 30.0),
                ([25.0, -far], [25.0, 6.0], 30.0),
            ],
            turn,
        );
        let settings = Settings {
            max_bends: 2,
            ..BARE
        };
        let sender = place(-40.0, 22.0);
        let tx = tx(sender.extend(9.0));
        let corners = [place(0.0, 0.0), place(25.0, 6.0)];
        for (through, at) in [
            (&corners[..1], place(12.0, 9.0)),
            (&corners[..], place(44.0, -30.0)),
        ] {
            let way = [&[sender], through, &[at]].concat();
            let steps: Vec<DVec2> = way.windows(2).map(|two| two[1] - two[0]).collect();
            let length: f64 = steps.iter().map(|step| step.length()).sum();
            let bends = steps.windows(2).map(|two| two[0].angle_to(two[1]).abs());
            let bends: f64 = bends.map(|angle| bend_db(LOSSES.street_bend, angle)).sum();
            let expected = free_space_db(&world, length.hypot(9.0 - PLANE)) - bends;
            let found = gain_db(&world, settings, &tx, at);
            assert!(
                (found - expected).abs() < 0.01,
                "{found} and not {expected} dB"
            );
        }
    }
}

/// A string over the tops of parallel walls, found by trying every set of them.
#[test]
fn over_roofs_it_is_the_taut_string() {
    let tops = [
        [10.0, 14.0],
        [22.0, 9.0],
        [30.0, 17.0],
        [41.0, 16.5],
        [60.0, 8.0],
    ];
    let walls = tops.map(|[x, height]| ([x, -900.0], [x, 900.0], height));
    for turn in [0.0, 0.9, -2.5] {
        let world = fences(&walls, turn);
        let place = |x: f64, y: f64| DVec2::from_angle(turn).rotate(DVec2::new(x, y));
        for (height, across) in [(12.0, 0.0), (3.0, 25.0), (25.0, -11.0)] {
            let (from, to) = (place(-30.0, 0.0), place(75.0, across));
            let run = from.distance(to);
            let at = |[x, z]: [f64; 2]| DVec2::new((x + 30.0) / 105.0 * run, z);
            let ends = [DVec2::new(0.0, height), DVec2::new(run, PLANE)];
            // The shortest way that passes over all tops.
            let strings = (0..1_u32 << tops.len()).filter_map(|set| {
                let chosen = (0..tops.len()).filter(|k| set >> k & 1 == 1);
                let chosen: Vec<DVec2> = chosen.map(|k| at(tops[k])).collect();
                let string = [&ends[..1], &chosen, &ends[1..]].concat();
                let is_over = |top: DVec2| {
                    let side = string
                        .windows(2)
                        .find(|two| (two[0].x..=two[1].x).contains(&top.x));
                    let two = side.unwrap();
                    let share = (top.x - two[0].x) / (two[1].x - two[0].x);
                    two[0].lerp(two[1], share).y >= top.y - 1e-9
                };
                let length: f64 = string.windows(2).map(|two| two[0].distance(two[1])).sum();
                tops.iter()
                    .all(|top| is_over(at(*top)))
                    .then_some((length, string))
            });
            let (length, string) = strings.min_by(|(a, _), (b, _)| a.total_cmp(b)).unwrap();
            let slopes: Vec<f64> = string
                .windows(2)
                .map(|two| (two[1] - two[0]).to_angle())
                .collect();
            let bends = slopes
                .windows(2)
                .map(|two| bend_db(LOSSES.roof_bend, two[0] - two[1]));
            let expected = free_space_db(&world, length) - bends.sum::<f64>();
            let settings = Settings {
                has_roofs: true,
                ..BARE
            };
            let found = gain_db(&world, settings, &tx(from.extend(height)), to);
            assert!(
                (found - expected).abs() < 0.01,
                "{found} and not {expected} dB"
            );
        }
    }
}

#[test]
fn through_walls_each_costs_the_same() {
    let walls: Vec<_> = (1..=4)
        .map(|k| {
            (
                [10.0 * f64::from(k), -50.0],
                [10.0 * f64::from(k), 50.0],
                12.0,
            )
        })
        .collect();
    let world = fences(&walls, 0.7);
    let place = |x: f64| DVec2::from_angle(0.7).rotate(DVec2::new(x, 3.0));
    let settings = Settings {
        has_walls: true,
        ..BARE
    };
    let from = place(-5.0);
    for count in 1..=4_i32 {
        let to = place(5.0 + 10.0 * f64::from(count));
        let expected = free_space_db(&world, from.distance(to)) - (9.0 + 6.0 * f64::from(count));
        let found = gain_db(&world, settings, &tx(from.extend(PLANE)), to);
        assert!(
            (found - expected).abs() < 0.01,
            "{found} and not {expected} dB"
        );
    }
}

/// Cells in which no receiver can be are NaN, as in the reference and with path loss models.
#[test]
fn cells_in_buildings_are_nan_unless_they_are_looked_into() {
    let mut mesh = Mesh::default();
    let ground = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let ground = ground.map(|at| (100.0 * DVec2::from(at)).extend(0.0));
    mesh.add_polygon("concrete", &ground);
    let house = [[10.0, -6.0], [25.0, -6.0], [25.0, 7.0], [10.0, 7.0]];
    add_prism(&mut mesh, "concrete", &house, 0.0, 9.0, false);
    let world = by_name(&mesh, None, 2e9);
    let tx = tx(DVec3::new(-20.0, 3.0, 4.0));
    let [outdoors, behind, indoors] = [[-3.0, 1.0], [40.0, 1.0], [17.0, 0.5]].map(DVec2::from);
    for has_walls in [false, true] {
        let without = Settings {
            has_walls,
            has_indoors: false,
            ..BARE
        };
        assert!(gain_db(&world, without, &tx, indoors).is_nan());
        assert!(gain_db(&world, without, &tx, outdoors).is_finite());
        // No path is not the same as no receiver.
        let expected = if has_walls {
            f64::MIN
        } else {
            f64::NEG_INFINITY
        };
        assert!(gain_db(&world, without, &tx, behind) >= expected);
        assert!(!gain_db(&world, Settings { has_walls, ..BARE }, &tx, indoors).is_nan());
    }
}

#[test]
fn turning_everything_changes_nothing() {
    let walls = [
        ([-20.0, 10.0], [15.0, 14.0], 9.0),
        ([15.0, 14.0], [18.0, 40.0], 9.0),
        ([-30.0, -20.0], [30.0, -25.0], 14.0),
    ];
    let at_turn = |turn: f64| {
        let world = fences(&walls, turn);
        let corner = DVec2::from_angle(turn).rotate(DVec2::splat(-60.0));
        let levels = Levels::AboveGround(vec![PLANE, 5.0]);
        let region = Region::planes(corner, corner + 120.0, DVec2::splat(4.0), levels).unwrap();
        let region = region.turned(turn);
        let beams = Beams::new(&world, &region, Settings::default(), &Control::default()).unwrap();
        let antenna = sector(turn + 0.4, 0.1, Polarization::V);
        let position = DVec2::from_angle(turn)
            .rotate(DVec2::new(3.0, -8.0))
            .extend(6.0);
        let tx = Tx { position, antenna };
        beams
            .gains(&tx, 0..region.num_cells(), &Control::default())
            .unwrap()
    };
    let straight = at_turn(0.0);
    for turn in [0.5, 2.3] {
        let turned = at_turn(turn);
        let apart = straight
            .iter()
            .zip(&turned)
            .filter(|(a, b)| (10.0 * (*a / *b).log10()).abs() > 0.02);
        let apart = apart.count();
        // Corners are rounded to a millimetre, which moves the end of a shadow.
        assert!(
            apart * 100 < straight.len(),
            "{apart} of {} cells",
            straight.len()
        );
    }
}

#[test]
fn neither_threads_nor_other_transmitters_change_a_bit() {
    let world = town(1);
    let region = cells(0.3, vec![PLANE, 6.0]);
    let beams = Beams::new(&world, &region, Settings::default(), &Control::default()).unwrap();
    let all: Vec<Tx> = (0..12)
        .map(|k| {
            tx(DVec3::new(
                -80.0 + 13.7 * f64::from(k),
                40.0 - 8.1 * f64::from(k),
                4.0 + 3.0 * f64::from(k),
            ))
        })
        .collect();
    let bits = |gains: &[f64]| -> Vec<u64> { gains.iter().map(|gain| gain.to_bits()).collect() };
    let in_pool = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let cells = 0..region.num_cells();
        pool.install(|| {
            let all = beams.gains_of_all(&all, cells, &Control::default());
            all.unwrap()
        })
    };
    let (one, many) = (in_pool(1), in_pool(5));
    for (k, tx) in all.iter().enumerate() {
        assert_eq!(bits(&one[k]), bits(&many[k]));
        let cells = region.num_cells() / 3..region.num_cells() / 3 * 2;
        let part = beams.gains(tx, cells.clone(), &Control::default()).unwrap();
        assert_eq!(bits(&part), bits(&one[k][cells]));
    }
}

#[test]
fn over_a_slope_a_tx_stands_exactly_as_high_as_it_was_put() {
    let mut mesh = Mesh::default();
    // The heights of the slope lie around 512 m, where the height of a Tx over the sea is rounded.
    let slope = |x: f64, y: f64| DVec3::new(x, y, 510.9 + 0.013 * x - 0.0071 * y);
    let corners = [[-90.0, -90.0], [90.0, -90.0], [90.0, 90.0], [-90.0, 90.0]];
    mesh.add_polygon("concrete", &corners.map(|[x, y]| slope(x, y)));
    let (a, b) = (slope(70.0, 0.0), slope(70.0, 20.0));
    let up = DVec3::Z * 9.0;
    mesh.add_polygon("concrete", &[a, b, b + up, a + up]);
    let world = by_name(&mesh, None, 2e9);
    let region = Region::planes(
        DVec2::splat(-80.0),
        DVec2::splat(80.0),
        DVec2::splat(10.0),
        Levels::AboveGround(vec![PLANE, 3.0]),
    );
    let beams = Beams::new(&world, &region.unwrap(), BARE, &Control::default()).unwrap();
    let height = |at: DVec2, over: f64| {
        let ground = world.scene().ground(at).unwrap();
        beams.place(at.extend(ground + over)).unwrap().1
    };
    for k in 0..500 {
        let at = DVec2::new(-79.0 + 0.317 * f64::from(k), 78.0 - 0.311 * f64::from(k));
        // The view at its own height would otherwise depend on rounding.
        assert_eq!(height(at, PLANE), PLANE, "{at}");
        assert_eq!(height(at, 3.0), 3.0, "{at}");
        assert!((height(at, 2.0) - 2.0).abs() < 1e-9, "{at}");
    }
}

#[test]
fn what_cannot_be_is_one_clear_error() {
    let flat = fences(&[], 0.0);
    let region = cell(DVec2::ZERO);
    let new = |world: &World, losses: Losses| {
        let settings = Settings { losses, ..BARE };
        Beams::new(world, &region, settings, &Control::default())
    };
    let told = new(&flat, LOSSES).unwrap_err().to_string();
    assert!(
        told.contains("no upright walls that stand on the ground"),
        "{told}"
    );
    let world = fences(&[([5.0, 5.0], [9.0, 5.0], 6.0)], 0.0);
    let falling = Losses {
        street_bend: [5.0, 3.0, -2.0],
        ..LOSSES
    };
    let told = new(&world, falling).unwrap_err().to_string();
    assert!(told.contains("corner_loss_db"), "{told}");
    let below = tx(DVec3::new(0.0, 0.0, -2.0));
    let told = new(&world, LOSSES)
        .unwrap()
        .gains(&below, 0..1, &Control::default());
    let told = told.unwrap_err().to_string();
    assert!(told.contains("2.0 m below the ground"), "{told}");
}
