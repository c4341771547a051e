//! Convex polygons: the parts on both sides of a line or plane, area, centre and hull.

use std::ops::{Add, Mul, Sub};

use glam::DVec2;

/// A corner, in a plane or in space.
pub(crate) trait Corner:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self>
{
}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>> Corner for T {}

/// Walks around a convex polygon, and passes every corner to `visit` with its depth. Where a side crosses depth zero
/// between two corners, it passes that point too, with a depth of exactly zero. So the points of zero or more are the
/// part of the polygon on one side, and those of zero or less the part on the other; both have the same points in common.
pub(crate) fn walk<P: Corner>(
    polygon: &[P],
    depth: impl Fn(P) -> f64,
    mut visit: impl FnMut(P, f64),
) {
    let Some(&first) = polygon.first() else {
        return;
    };
    let of_first = depth(first);
    let (mut from, mut d) = (first, of_first);
    for k in 1..=polygon.len() {
        visit(from, d);
        let (to, e) = polygon
            .get(k)
            .map_or((first, of_first), |&to| (to, depth(to)));
        if (d < 0.0 && e > 0.0) || (d > 0.0 && e < 0.0) {
            visit(from + (to - from) * (d / (d - e)), 0.0);
        }
        (from, d) = (to, e);
    }
}

/// Leaves the part of a convex polygon whose depth is zero or more.
pub(crate) fn halve<P: Corner>(polygon: &mut Vec<P>, spare: &mut Vec<P>, depth: impl Fn(P) -> f64) {
    spare.clear();
    walk(polygon, depth, |point, depth| {
        if depth >= 0.0 {
            spare.push(point);
        }
    });
    std::mem::swap(polygon, spare);
}

/// The parts of a convex polygon whose depth is zero or more, and zero or less.
pub(crate) fn split<P: Corner>(polygon: &[P], depth: impl Fn(P) -> f64) -> [Vec<P>; 2] {
    let [mut inside, mut outside] = [0, 1].map(|_| Vec::with_capacity(polygon.len() + 1));
    walk(polygon, depth, |point, depth| {
        if depth >= 0.0 {
            inside.push(point);
        }
        if depth <= 0.0 {
            outside.push(point);
        }
    });
    [inside, outside]
}

/// Cuts a convex polygon to an axis-parallel box.
pub(crate) fn clip(polygon: &mut Vec<DVec2>, low: DVec2, high: DVec2) {
    let mut spare = Vec::with_capacity(polygon.len() + 4);
    halve(polygon, &mut spare, |p| p.x - low.x);
    halve(polygon, &mut spare, |p| high.x - p.x);
    halve(polygon, &mut spare, |p| p.y - low.y);
    halve(polygon, &mut spare, |p| high.y - p.y);
}

/// Twice the signed area of the triangle `a`, `b`, `c`: positive if they turn counter-clockwise.
pub(crate) fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Signed area of a polygon, positive if it is counter-clockwise.
pub(crate) fn area(polygon: &[DVec2]) -> f64 {
    let Some((&first, rest)) = polygon.split_first() else {
        return 0.0;
    };
    let twice = rest.windows(2).map(|side| turn(first, side[0], side[1]));
    0.5 * twice.sum::<f64>()
}

/// Area and centre of gravity of a convex polygon, however it turns.
pub(crate) fn area_and_centre(polygon: &[DVec2]) -> (f64, DVec2) {
    let Some((&first, rest)) = polygon.split_first() else {
        return (0.0, DVec2::ZERO);
    };
    let (mut twice, mut moment) = (0.0, DVec2::ZERO);
    for side in rest.windows(2) {
        let cross = turn(first, side[0], side[1]);
        twice += cross;
        moment += cross * (first + side[0] + side[1]) / 3.0;
    }
    if twice == 0.0 {
        return (0.0, first);
    }
    (0.5 * twice.abs(), moment / twice)
}

/// The corners of the convex hull of `points`, counter-clockwise, without points on its sides. They start at the leftmost
/// corner, or at the lowest of these. The order of `points` changes.
pub(crate) fn hull(points: &mut [DVec2], out: &mut Vec<DVec2>) {
    out.clear();
    points.sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let keep = |out: &mut Vec<DVec2>, floor: usize, p: DVec2| {
        while out.len() >= floor + 2 && turn(out[out.len() - 2], out[out.len() - 1], p) <= 0.0 {
            out.pop();
        }
        if out.last() != Some(&p) {
            out.push(p);
        }
    };
    for &p in points.iter() {
        keep(out, 0, p);
    }
    let floor = out.len().saturating_sub(1);
    for &p in points.iter().rev().skip(1) {
        keep(out, floor, p);
    }
    if out.len() > 1 {
        out.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use glam::DVec3;

    fn square(min: f64, max: f64) -> Vec<DVec2> {
        let [low, high] = [min, max].map(DVec2::splat);
        vec![low, low.with_x(max), high, low.with_y(max)]
    }

    #[test]
    fn both_parts_have_the_area_of_the_whole() {
        let mut random = Random(1);
        for _ in 0..1000 {
            let mut point = || DVec2::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0));
            let mut points: Vec<DVec2> = (0..8).map(|_| point()).collect();
            let (at, across) = (points[0], point());
            let mut polygon = Vec::new();
            hull(&mut points, &mut polygon);
            // Every other line goes through a corner.
            let at = if polygon.len() % 2 == 0 {
                at
            } else {
                polygon[0]
            };
            let parts = split(&polygon, |p| across.dot(p - at));
            let sum: f64 = parts.iter().map(|part| area(part)).sum();
            assert!((sum - area(&polygon)).abs() < 1e-14, "{polygon:?}");
            let [inside, outside] = parts;
            assert!(inside.iter().all(|p| across.dot(*p - at) > -1e-15));
            assert!(outside.iter().all(|p| across.dot(*p - at) < 1e-15));
        }
    }

    #[test]
    fn a_line_along_a_side_leaves_the_whole_and_the_side() {
        let [inside, outside] = split(&square(0.0, 1.0), |p| p.x);
        assert_eq!(inside, square(0.0, 1.0));
        assert_eq!(outside, [DVec2::ZERO, DVec2::Y]);
    }

    #[test]
    fn a_triangle_in_space_is_halved_at_its_middle() {
        let mut triangle = vec![DVec3::ZERO, DVec3::X, DVec3::Z];
        halve(&mut triangle, &mut Vec::new(), |p| 0.5 - p.z);
        let middle = [DVec3::new(0.5, 0.0, 0.5), DVec3::new(0.0, 0.0, 0.5)];
        assert_eq!(triangle, [DVec3::ZERO, DVec3::X, middle[0], middle[1]]);
    }

    #[test]
    fn the_hull_of_two_squares_has_six_corners() {
        let mut points = square(0.0, 1.0);
        points.extend(square(2.0, 3.0));
        points.push(DVec2::new(1.5, 1.5));
        let mut out = Vec::new();
        hull(&mut points, &mut out);
        assert_eq!(out.len(), 6);
        assert!((area(&out) - 5.0).abs() < 1e-14);
    }

    #[test]
    fn the_hull_of_points_on_a_line_has_no_area() {
        let mut points: Vec<_> = (0..5).map(|i| DVec2::splat(f64::from(i))).collect();
        let mut out = Vec::new();
        hull(&mut points, &mut out);
        assert_eq!(area(&out), 0.0);
    }
}
