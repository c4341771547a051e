//! Gains by beams: closed forms for each kind of path, the paths of a slow twin, and what must not change them.

use std::f64::consts::PI;

use glam::DVec2;
use keller::antenna::{Antenna, Polarization};
use keller::coverage::beams::{Beams, Combination, Losses, Settings, Walls};
use keller::coverage::{Levels, Region, Surroundings};
use keller::scene::{Mesh, Scene};
use keller::{Control, DVec3, Tx, World};

use crate::beams_exact::{HALF, PLANE, cells, town};
use crate::common::by_name;
use crate::common::town::sector;

const LOSSES: Losses = Losses {
    street_bend: [5.0, 11.0, 2.0],
    roof_bend: [7.0, 30.0, -3.0],
    wall: [9.0, 6.0],
};

/// Nothing but what is in sight.
const BARE: Settings = Settings {
    max_bends: 0,
    has_roofs: false,
    has_walls: false,
    has_indoors: true,
    combination: Combination::Strongest,
    losses: LOSSES,
    min_gain: 0.0,
};

fn tx(position: DVec3) -> Tx {
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

fn free_space_db(world: &World, length: f64) -> f64 {
    20.0 * (world.frequency().wavelength() / (4.0 * PI * length)).log10()
}

fn bend_db([a, b, c]: [f64; 3], angle: f64) -> f64 {
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

/// Around one end of a fence, and around two ends in a row, at odd angles.
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

/// Walls as a plain list, and every question a look at all of them.
struct Slow {
    walls: Vec<[DVec2; 2]>,
    corners: Vec<(DVec2, [DVec2; 2])>,
}

impl Slow {
    fn new(scene: &Scene, region: &Region, walls: &Walls) -> Self {
        let tall: Vec<_> = walls
            .walls
            .iter()
            .filter(|wall| wall.height > PLANE)
            .collect();
        let mut corners = Vec::new();
        for (number, place) in walls.corners.iter().enumerate() {
            let here = tall.iter().filter_map(|wall| {
                let [a, b] = wall.ends.map(|end| end as usize);
                let other = if a == number { b } else { a };
                (a == number || b == number).then(|| walls.corners[other] - *place)
            });
            let here: Vec<DVec2> = here.collect();
            let [first, second] = match here[..] {
                [only] => [only, only],
                [a, b] => [a, b],
                _ => continue,
            };
            let [a, b] = [first, second].map(DVec2::normalize);
            // Away from both walls it is outdoors.
            let open = place - 0.05 * (a + b).try_normalize().unwrap_or(a.perp());
            let outside = region.to_scene(open).extend(PLANE);
            let is_bent = a.perp_dot(b).abs() > 0.01 || a.dot(b) > 0.0;
            if is_bent && !Surroundings::is_enclosed(scene, outside) {
                corners.push((*place, [a, b]));
            }
        }
        Self {
            walls: tall.iter().map(|wall| walls.ends(wall)).collect(),
            corners,
        }
    }

    /// Whether one place sees another, both a little pulled in.
    fn sees(&self, from: DVec2, to: DVec2) -> bool {
        let pull = 1e-5 * (to - from).normalize();
        let (from, to) = (from + pull, to - pull);
        let side = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a) / a.distance(b);
        self.walls.iter().all(|[a, b]| {
            let of_line = [side(from, to, *a), side(from, to, *b)];
            let of_wall = [side(*a, *b, from), side(*a, *b, to)];
            let crosses = |[p, q]: [f64; 2]| p * q < 0.0 && p.abs().min(q.abs()) > 1e-6;
            !(crosses(of_line) && crosses(of_wall))
        })
    }

    fn bends(&self, corner: usize, from: DVec2) -> bool {
        let (place, walls) = self.corners[corner];
        let sides = walls.map(|wall| {
            let side = (place - from).normalize().perp_dot(wall);
            if side.abs() < 1e-6 {
                0.0
            } else {
                side.signum()
            }
        });
        sides[0] + sides[1] != 0.0
    }

    /// Whether a corner sees a place, and not through its own house.
    fn shines(&self, corner: usize, to: DVec2) -> bool {
        let (place, [a, b]) = self.corners[corner];
        let away = to - place;
        let turn = a.perp_dot(b).signum();
        let is_inside = turn * a.perp_dot(away) > 1e-6 && turn * away.perp_dot(b) > 1e-6;
        !is_inside && self.sees(place, to)
    }

    /// The strongest gain over at most two corners, dB without free space at a metre.
    fn best(&self, sender: DVec2, rise: f64, to: DVec2) -> f64 {
        let mut best = f64::NEG_INFINITY;
        let mut take = |length: f64, bends: f64| {
            let gain = -10.0 * (length * length + rise * rise).log10() - bends;
            best = best.max(gain);
        };
        let bend = |a: DVec2, b: DVec2| bend_db(LOSSES.street_bend, a.angle_to(b).abs());
        if self.sees(sender, to) {
            take(sender.distance(to), 0.0);
            return best;
        }
        for (k, (first, _)) in self.corners.iter().enumerate() {
            if !self.bends(k, sender) || !self.shines(k, sender) {
                continue;
            }
            let (start, length) = (*first - sender, sender.distance(*first));
            if self.shines(k, to) {
                take(length + first.distance(to), bend(start, to - *first));
            }
            for (j, (second, _)) in self.corners.iter().enumerate() {
                if j == k
                    || !self.bends(j, *first)
                    || !self.shines(k, *second)
                    || !self.shines(j, *first)
                {
                    continue;
                }
                if self.sees(sender, *second) || !self.shines(j, to) || self.shines(k, to) {
                    continue;
                }
                let between = *second - *first;
                let bends = bend(start, between) + bend(between, to - *second);
                take(length + between.length() + second.distance(to), bends);
            }
        }
        best
    }
}

#[test]
fn streets_are_those_of_a_search_over_all_corners() {
    let (mut same, mut other) = (0, 0);
    for seed in 0..4 {
        let world = town(seed);
        let region = cells(0.3 * seed as f64, vec![PLANE]);
        let settings = Settings {
            max_bends: 2,
            ..BARE
        };
        let beams = Beams::new(&world, &region, settings, &Control::default()).unwrap();
        let slow = Slow::new(world.scene(), &region, beams.walls());
        assert!(slow.corners.len() > 30, "{} corners", slow.corners.len());
        let position = world.scene().bounds()[0].truncate() * 0.0 + DVec2::new(7.3, -11.9);
        let position = position.extend(PLANE);
        if Surroundings::is_enclosed(world.scene(), position) {
            continue;
        }
        let gains = beams
            .gains(&tx(position), 0..region.num_cells(), &Control::default())
            .unwrap();
        let (sender, height) = beams.place(position).unwrap();
        let at_a_metre = free_space_db(&world, 1.0);
        for number in (0..region.num_cells()).step_by(41) {
            let [i, j, _] = region.cell(number);
            let to = region.own_column(i, j);
            let ground = region.to_scene(to).extend(PLANE);
            if gains[number].is_nan() || Surroundings::is_enclosed(world.scene(), ground) {
                continue;
            }
            let found = 10.0 * gains[number].log10();
            let expected = at_a_metre + slow.best(sender, height - PLANE, to);
            let is_same = (found - expected).abs() < 0.02 || found == expected;
            same += u32::from(is_same);
            other += u32::from(!is_same);
        }
    }
    println!("{same} cells the same, {other} not");
    assert!(
        same > 500 && other * 200 < same,
        "{same} cells the same, {other} not"
    );
}

/// As the town is turned, with the region and the antenna.
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
        pool.install(|| beams.gains_of_all(&all, &Control::default()).unwrap())
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
    assert!(told.contains("street_bend_db"), "{told}");
    let below = tx(DVec3::new(0.0, 0.0, -2.0));
    let told = new(&world, LOSSES)
        .unwrap()
        .gains(&below, 0..1, &Control::default());
    let told = told.unwrap_err().to_string();
    assert!(told.contains("2.0 m below the ground"), "{told}");
    // Inside a house waves come through its walls.
    assert!(HALF > 0.0);
}

/// The upper hull of all tops along a line, by the chain of the points sorted by distance.
fn hull_loss(walls: &Walls, [from, to]: [DVec2; 2], height: f64) -> f64 {
    let run = from.distance(to);
    let mut tops = vec![DVec2::new(0.0, height)];
    for wall in &walls.walls {
        let [a, b] = walls.ends(wall);
        let side = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
        let of_ends = [side(from, to, a), side(from, to, b)];
        let of_line = [side(a, b, from), side(a, b, to)];
        if of_ends[0] * of_ends[1] < 0.0 && of_line[0] * of_line[1] < 0.0 {
            let share = of_line[0] / (of_line[0] - of_line[1]);
            tops.push(DVec2::new(share * run, wall.height));
        }
    }
    tops.push(DVec2::new(run, PLANE));
    tops.sort_by(|a, b| a.x.total_cmp(&b.x).then(b.y.total_cmp(&a.y)));
    tops.dedup_by(|a, b| a.x - b.x < 1e-6);
    let mut hull: Vec<DVec2> = Vec::new();
    for top in tops {
        while let [.., a, b] = hull[..]
            && (b - a).perp_dot(top - a) >= 0.0
        {
            hull.pop();
        }
        hull.push(top);
    }
    let length: f64 = hull.windows(2).map(|two| two[0].distance(two[1])).sum();
    let slopes: Vec<f64> = hull
        .windows(2)
        .map(|two| (two[1] - two[0]).to_angle())
        .collect();
    let bends = slopes
        .windows(2)
        .map(|two| bend_db(LOSSES.roof_bend, two[0] - two[1]));
    20.0 * length.log10() + bends.sum::<f64>()
}

#[test]
fn roofs_are_the_hull_of_all_walls_on_the_way() {
    let (mut same, mut other) = (0, 0);
    for seed in 0..6 {
        let world = town(seed);
        let region = cells(0.5 * seed as f64, vec![PLANE]);
        let settings = Settings {
            has_roofs: true,
            ..BARE
        };
        let beams = Beams::new(&world, &region, settings, &Control::default()).unwrap();
        for height in [3.0, 11.0, 19.0, 40.0] {
            let position = DVec3::new(12.3 - 20.0 * seed as f64, 31.7, height);
            let gains = beams.gains(&tx(position), 0..region.num_cells(), &Control::default());
            let (from, height) = beams.place(position).unwrap();
            let at_a_metre = free_space_db(&world, 1.0);
            for (number, gain) in gains.unwrap().into_iter().enumerate().step_by(7) {
                let [i, j, _] = region.cell(number);
                let loss = hull_loss(beams.walls(), [from, region.own_column(i, j)], height);
                if gain.is_nan() {
                    continue;
                }
                let is_same = (10.0 * gain.log10() - at_a_metre + loss).abs() < 0.01;
                same += u32::from(is_same);
                other += u32::from(!is_same);
            }
        }
    }
    // Cells whose line touches a corner of a wall may count it or not.
    assert!(
        same > 10_000 && other * 1000 < same,
        "{same} cells the same, {other} not"
    );
}
