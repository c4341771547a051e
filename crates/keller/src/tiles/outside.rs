//! The part of the ground that is not under a building.

use glam::DVec2;

use super::tiling::Frame;
use crate::geometry::polygon::{area_and_centre, split};
use crate::scene::{FaceId, Scene};

/// A line that reaches less than this into a polygon does not cut it, metres.
const SHORTEST: f64 = 1e-6;

/// Pieces of less area are none, m².
const SMALLEST: f64 = 1e-9;

/// Divides a convex polygon of a ground face, in the coordinates of its frame, along the walls that stand on it, and
/// keeps the part that is not under a building. Tiles that no wall divides stay whole.
pub(super) fn outside(
    scene: &Scene,
    face: FaceId,
    frame: &Frame,
    polygon: Vec<DVec2>,
) -> Vec<Vec<DVec2>> {
    let (area, centre) = area_and_centre(&polygon);
    if area <= 0.0 {
        return Vec::new();
    }
    let middle = frame.in_space(centre);
    let radius = polygon
        .iter()
        .map(|p| frame.in_space(*p).distance(middle))
        .fold(0.0, f64::max);
    let mut parts = vec![polygon.clone()];
    scene.hull_lines(
        scene.plane(scene.plane_of(face)),
        middle,
        radius,
        &mut |line| {
            let line = line.map(|end| frame.local(end));
            if reach(&polygon, line) > SHORTEST {
                parts = std::mem::take(&mut parts)
                    .into_iter()
                    .flat_map(|part| divided(part, line))
                    .collect();
            }
        },
    );
    let is_outside = |part: &Vec<DVec2>| {
        let (_, centre) = area_and_centre(part);
        !scene.is_under_building(frame.in_space(centre))
    };
    let num = parts.len();
    parts.retain(is_outside);
    if parts.len() == num {
        return vec![polygon];
    }
    parts
}

/// The pieces of a convex polygon on both sides of a segment that lies in it; the polygon where the segment does not.
fn divided(polygon: Vec<DVec2>, line: [DVec2; 2]) -> Vec<Vec<DVec2>> {
    if reach(&polygon, line) <= SHORTEST {
        return vec![polygon];
    }
    let along = line[1] - line[0];
    let halves = split(&polygon, |p| along.perp_dot(p - line[0]));
    if halves
        .iter()
        .any(|half| area_and_centre(half).0 <= SMALLEST)
    {
        return vec![polygon];
    }
    halves.into()
}

/// The length of the part of a segment that lies in a convex polygon.
fn reach(polygon: &[DVec2], [a, b]: [DVec2; 2]) -> f64 {
    let twice: f64 = (1..polygon.len().saturating_sub(1))
        .map(|k| (polygon[k] - polygon[0]).perp_dot(polygon[k + 1] - polygon[0]))
        .sum();
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (k, &p) in polygon.iter().enumerate() {
        let side = polygon[(k + 1) % polygon.len()] - p;
        let depth = |x: DVec2| twice.signum() * side.perp_dot(x - p);
        let (da, db) = (depth(a), depth(b));
        if da < 0.0 && db < 0.0 {
            return 0.0;
        }
        if da < 0.0 {
            from = from.max(da / (da - db));
        } else if db < 0.0 {
            to = to.min(da / (da - db));
        }
    }
    (to - from).max(0.0) * a.distance(b)
}
