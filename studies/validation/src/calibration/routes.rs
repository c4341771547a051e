//! Routes along streets: straight pieces that keep clear of buildings, from seeds.

use glam::DVec2;
use keller::DVec3;
use keller::coverage::Surroundings;
use keller::paths::has_room;
use keller::random::Random;
use keller::scene::Scene;
use std::f64::consts::TAU;

/// The height above the ground, metres.
const HEIGHT: f64 = 1.5;

/// The distance between points, and from walls, metres.
const SPACING: f64 = 3.0;
const CLEARANCE: f64 = 2.0;

/// Routes start so near to the Tx, and stay within the second of these, metres.
const START_RADIUS: f64 = 250.0;
const RADIUS: f64 = 450.0;

/// Longest straight piece, and shortest that is worth a turn, metres.
const LONGEST: f64 = 160.0;
const SHORTEST: f64 = 9.0;

/// A route leads so far from its start, metres.
const MIN_EXTENT: f64 = 150.0;

/// Directions tried at a turn.
const DIRECTIONS: usize = 48;

/// Some routes, each of a number of points.
pub(super) fn routes(
    scene: &Scene,
    centre: DVec3,
    count: usize,
    num_points: usize,
) -> Vec<Vec<DVec3>> {
    let mut random = Random(7);
    let mut all = Vec::with_capacity(count);
    while all.len() < count {
        let angle = random.range(0.0, TAU);
        let radius = START_RADIUS * random.range(0.0, 1.0).sqrt();
        let start = centre.truncate() + radius * DVec2::from_angle(angle);
        if let Some(route) = route(scene, centre, start, num_points, &mut random) {
            all.push(route);
        }
    }
    all
}

/// A route from a place; `None` if it stands in a building or leads nowhere.
fn route(
    scene: &Scene,
    centre: DVec3,
    start: DVec2,
    num_points: usize,
    random: &mut Random,
) -> Option<Vec<DVec3>> {
    let mut at = start.extend(scene.ground(start)? + HEIGHT);
    if Surroundings::is_enclosed(scene, at) || !has_room(scene, at) {
        return None;
    }
    let mut points = Vec::with_capacity(num_points);
    let mut heading: Option<DVec2> = None;
    while points.len() < num_points {
        let first = random.range(0.0, TAU);
        let choices = (0..DIRECTIONS).filter_map(|k| {
            let direction = DVec2::from_angle(first + TAU * k as f64 / DIRECTIONS as f64);
            let back = heading.map_or(0.0, |heading| -heading.dot(direction));
            let length = free_length(scene, at, direction);
            let end = at.truncate() + length * direction;
            let is_good = length >= SHORTEST && end.distance(centre.truncate()) < RADIUS;
            // Turning back is the last choice.
            let worth = length * random.range(0.6, 1.0) * if back > 0.5 { 0.05 } else { 1.0 };
            is_good.then_some((worth, length, direction))
        });
        let (_, length, direction) = choices.max_by(|a, b| a.0.total_cmp(&b.0))?;
        let mut gone = 0.0;
        while gone < length && points.len() < num_points {
            points.push(at + gone * direction.extend(0.0));
            gone += SPACING;
        }
        at += gone.min(length) * direction.extend(0.0);
        heading = Some(direction);
    }
    let extent = points.iter().map(|point| point.distance(points[0]));
    // A route that stays nearer to its start is one of a courtyard.
    (extent.fold(0.0, f64::max) > MIN_EXTENT).then_some(points)
}

/// The distance that a route may run straight on with room at both sides, metres.
fn free_length(scene: &Scene, from: DVec3, direction: DVec2) -> f64 {
    let (ahead, aside) = (direction.extend(0.0), direction.perp().extend(0.0));
    let mut crossings = Vec::new();
    let free = [-CLEARANCE, 0.0, CLEARANCE].map(|offset| {
        let start = from + offset * aside;
        // There is no room where the side itself is behind a wall.
        if offset != 0.0
            && scene
                .crossings(from, start, &[], 0, &mut crossings)
                .is_none()
        {
            return 0.0;
        }
        let end = start + (LONGEST + CLEARANCE) * ahead;
        let _ = scene.crossings(start, end, &[], usize::MAX, &mut crossings);
        let first = crossings.first().map_or(1.0, |crossing| crossing.t);
        first * (LONGEST + CLEARANCE)
    });
    free.into_iter().fold(f64::INFINITY, f64::min) - CLEARANCE
}
