//! The visible cells, and the number of walls on the way: as counted wall by wall, for every cell.

use glam::DVec2;
use keller::coverage::beams::{Beams, Settings};
use keller::coverage::{Levels, Region};
use keller::scene::Mesh;
use keller::{Control, DVec3, World};

use crate::common::{Random, by_name};

/// The height of the cells over the ground, metres.
pub(crate) const PLANE: f64 = 1.5;

/// Half the side of the town, metres.
pub(crate) const HALF: f64 = 120.0;

fn wall(mesh: &mut Mesh, a: DVec2, b: DVec2, height: f64, is_reversed: bool) {
    let [a, b] = if is_reversed { [b, a] } else { [a, b] };
    let corners = [
        a.extend(0.0),
        b.extend(0.0),
        b.extend(height),
        a.extend(height),
    ];
    mesh.add_polygon("concrete", &corners);
}

/// A house of any number of sides, with its roof.
fn house(mesh: &mut Mesh, outline: &[DVec2], height: f64, random: &mut Random) {
    let is_reversed = random.range(0.0, 1.0) < 0.3;
    for (k, a) in outline.iter().enumerate() {
        wall(
            mesh,
            *a,
            outline[(k + 1) % outline.len()],
            height,
            is_reversed,
        );
    }
    let roof: Vec<DVec3> = outline.iter().map(|at| at.extend(height)).collect();
    mesh.add_polygon("concrete", &roof);
}

/// Houses at odd angles and on a lattice, wall to wall, into each other, around a yard; fences, sheets, and a kerb.
pub(crate) fn town(seed: u64) -> World {
    let mut random = Random(seed);
    let mut mesh = Mesh::default();
    let ground = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let ground = ground.map(|[x, y]| DVec3::new(2.0 * HALF * x, 2.0 * HALF * y, 0.0));
    mesh.add_polygon("concrete", &ground);
    let rectangle = |at: DVec2, size: DVec2, angle: f64| {
        let turn = DVec2::from_angle(angle);
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
            .map(|share| at + turn.rotate(DVec2::from(share) * size))
    };
    for number in 0..22 {
        let mut between = |low: f64, high: f64| low + (high - low) * random.range(0.0, 1.0);
        let at = DVec2::new(between(-HALF, HALF), between(-HALF, HALF));
        let size = DVec2::new(between(6.0, 30.0), between(6.0, 20.0));
        let angle = between(0.0, 6.0);
        let height = between(3.0, 25.0);
        match number % 4 {
            // The house is on the lattice of the cells, so that corners and centres have equal coordinates.
            0 => house(
                &mut mesh,
                &rectangle(at.round(), size.round(), 0.0),
                height,
                &mut random,
            ),
            // Wall to wall with another of another height.
            1 => {
                let turn = DVec2::from_angle(angle);
                let beside = at + turn.rotate(DVec2::new(size.x, 0.0));
                house(&mut mesh, &rectangle(at, size, angle), height, &mut random);
                house(
                    &mut mesh,
                    &rectangle(beside, size, angle),
                    0.7 * height,
                    &mut random,
                );
            }
            // The house stands around a yard.
            2 => {
                let yard = rectangle(
                    at + DVec2::from_angle(angle).rotate(0.25 * size),
                    0.5 * size,
                    angle,
                );
                house(&mut mesh, &rectangle(at, size, angle), height, &mut random);
                for k in 0..4 {
                    wall(&mut mesh, yard[k], yard[(k + 1) % 4], height, false);
                }
            }
            _ => house(&mut mesh, &rectangle(at, size, angle), height, &mut random),
        }
    }
    for height in [1.0, 2.2, 9.0, 0.02] {
        let mut at =
            || DVec2::new(random.range(0.0, 1.0) - 0.5, random.range(0.0, 1.0) - 0.5) * HALF;
        let (from, to) = (at(), at());
        wall(&mut mesh, from, to, height, false);
    }
    by_name(&mesh, None, 2e9)
}

pub(crate) fn cells(angle: f64, heights: Vec<f64>) -> Region {
    let levels = Levels::AboveGround(heights);
    let corner = DVec2::new(-HALF, 0.7 - HALF);
    let region = Region::planes(corner, corner + 2.0 * HALF, DVec2::new(2.0, 2.5), levels);
    region.unwrap().turned(angle)
}

/// The number of walls that the line crosses below their tops; `None` if it is about to touch one.
fn crossed(beams: &Beams, [from, to]: [DVec2; 2], [height, plane]: [f64; 2]) -> Option<u16> {
    const TOUCH: f64 = 1e-6;
    let walls = beams.walls();
    let mut count = 0;
    for wall in &walls.walls {
        let [a, b] = walls.ends(wall);
        let along = to - from;
        let [to_a, to_b] = [a, b].map(|end| along.perp_dot(end - from) / along.length());
        let [of_from, of_to] = [from, to].map(|end| (b - a).perp_dot(end - a) / a.distance(b));
        let share = of_from / (of_from - of_to);
        let line = height + (plane - height) * share;
        let reaches =
            |side: [f64; 2]| side[0].min(side[1]) < TOUCH && side[0].max(side[1]) > -TOUCH;
        if !reaches([to_a, to_b]) || !reaches([of_from, of_to]) || wall.height < line - TOUCH {
            continue;
        }
        let is_near = [to_a, to_b, of_from, of_to]
            .iter()
            .any(|side| side.abs() < TOUCH);
        if is_near || (wall.height - line).abs() < TOUCH {
            return None;
        }
        count += 1;
    }
    Some(count)
}

/// The number of cells that were checked, that are visible, and that are about to touch a wall.
fn judge(beams: &Beams, position: DVec3, level: usize) -> [usize; 3] {
    let region = beams.region();
    let lit = beams.line_of_sight(position, level).unwrap();
    let depth = beams.depth(position, level).unwrap();
    let (from, height) = beams.place(position).unwrap();
    let [nx, ny, _] = region.shape();
    let plane = region.levels.heights()[level];
    let mut counts = [0; 3];
    for cell in 0..nx * ny {
        let to = region.own_column(cell % nx, cell / nx);
        let Some(count) = crossed(beams, [from, to], [height, plane]) else {
            counts[2] += 1;
            continue;
        };
        let told = format!("cell {cell} at {to} from {from}, {height} m over the ground");
        assert_eq!(depth[cell], count, "walls before {told}");
        assert_eq!(lit[cell], count == 0, "sight of {told}");
        counts[0] += 1;
        counts[1] += usize::from(count == 0);
    }
    counts
}

fn prepared(seed: u64, angle: f64, heights: Vec<f64>) -> Beams {
    let world = town(seed);
    let region = cells(angle, heights);
    Beams::new(&world, &region, Settings::default(), &Control::default()).unwrap()
}

#[test]
fn sight_and_depth_are_those_of_each_wall_by_itself() {
    let mut all = [0; 3];
    for (seed, angle) in (0..).zip([0.0, 0.3, 2.0, 0.0, 0.3, 2.0]) {
        let beams = prepared(seed, angle, vec![PLANE, 6.0]);
        let mut random = Random(seed + 70);
        for height in [1.5, 4.0, 10.0, 13.0, 24.0, 35.0] {
            let at = |random: &mut Random| (random.range(0.0, 1.0) - 0.5) * 2.0 * HALF;
            let place = DVec3::new(at(&mut random), at(&mut random), height);
            // The places are on the lattice of corners and centres of cells too.
            for place in [
                place,
                place.round() - 0.3 * DVec3::Y,
                place.floor() + 0.2 * DVec3::Y,
            ] {
                for level in 0..2 {
                    let counts = judge(&beams, place.with_z(height), level);
                    (0..3).for_each(|k| all[k] += counts[k]);
                }
            }
        }
    }
    let [judged, lit, touching] = all;
    assert!(lit > judged / 50 && lit < judged, "{lit} of {judged} lit");
    assert!(touching < judged / 100, "{touching} of {judged} touch");
}

/// The sources are at corners of houses, as of masts at their walls.
#[test]
fn sources_in_line_with_walls_and_corners_are_exact() {
    let beams = prepared(3, 0.0, vec![PLANE]);
    let corners = beams.walls().corners.clone();
    let region = beams.region().clone();
    for (k, corner) in corners.iter().enumerate().step_by(5) {
        // The same x, the same y, and in line with a wall.
        let other = corners[(k * 7 + 3) % corners.len()];
        for place in [
            DVec2::new(corner.x, other.y),
            corner.with_y(corner.y + 13.0),
            *corner + DVec2::new(11.0, 0.0),
        ] {
            let at = region.to_scene(place);
            if at.abs().max_element() < HALF {
                judge(&beams, at.extend(7.0), 0);
            }
        }
    }
}

/// Most walls lie around the region, and its rows and columns are no whole number of anything.
#[test]
fn a_region_within_a_town_is_exact() {
    for (seed, angle) in (20..).zip([0.0, 0.7, 2.5]) {
        let corner = DVec2::new(-31.0, -42.0);
        let (size, resolution) = (DVec2::new(47.0, 91.0), DVec2::new(1.3, 0.9));
        let levels = Levels::AboveGround(vec![PLANE]);
        let region = Region::planes(corner, corner + size, resolution, levels);
        let region = region.unwrap().turned(angle);
        let world = town(seed);
        let beams = Beams::new(&world, &region, Settings::default(), &Control::default()).unwrap();
        let mut random = Random(seed);
        for height in [1.5, 1.0, 8.0, 30.0] {
            let at = |random: &mut Random| (random.range(0.0, 1.0) - 0.5) * 2.0 * HALF;
            judge(
                &beams,
                DVec3::new(at(&mut random), at(&mut random), height),
                0,
            );
            let [x, y] = [0.2, 0.7].map(|share| share * random.range(0.0, 1.0));
            let within = region.to_scene(size * DVec2::new(x, y));
            judge(&beams, within.extend(height), 0);
        }
    }
}
