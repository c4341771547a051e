//! Streets and roofs by beams: as a slow twin finds them, which looks at all walls and corners for every question.

use glam::DVec2;
use keller::coverage::Region;
use keller::coverage::Surroundings;
use keller::coverage::beams::{Beams, Settings, Walls};
use keller::scene::Scene;
use keller::{Control, DVec3};

use crate::beams_exact::{PLANE, cells, town};
use crate::beams_paths::{BARE, LOSSES, bend_db, free_space_db, tx};

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
    assert!(
        same > 500 && other * 200 < same,
        "{same} cells the same, {other} not"
    );
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
        same > 10_000 && other * 10_000 < same,
        "{same} cells the same, {other} not"
    );
}
