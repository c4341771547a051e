//! The smallest rectangle around points of a plane.

use glam::DVec2;

use crate::geometry::polygon::hull;

/// A rectangle in a plane: its first corner, the unit vector along its first side, and the lengths of both sides,
/// metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rectangle {
    pub(super) corner: DVec2,
    /// Turned left by a right angle, this is the direction of the second side.
    pub(super) along: DVec2,
    pub(super) sides: DVec2,
}

/// Rectangles whose areas differ by less than this part are equally good, and the first one counts.
const SAME_AREA: f64 = 1e-6;

/// The smallest rectangle around all points. One of its sides lies on a side of their convex hull. `None` if the points
/// lie in a line.
pub(super) fn smallest_around(points: &[DVec2]) -> Option<Rectangle> {
    let hull = convex_hull(points);
    let mut best: Option<Rectangle> = None;
    for (k, a) in hull.iter().enumerate() {
        let b = hull[(k + 1) % hull.len()];
        let Some(along) = (b - *a).try_normalize() else {
            continue;
        };
        // The direction between east and north: the other three give the same rectangle.
        let along = [along, along.perp(), -along, -along.perp()]
            .into_iter()
            .find(|d| d.x > 0.0 && d.y >= 0.0)
            .unwrap_or(along);
        let local = |p: &DVec2| DVec2::new(along.dot(*p), along.perp_dot(*p));
        let low = hull.iter().map(local).fold(DVec2::INFINITY, DVec2::min);
        let high = hull.iter().map(local).fold(-DVec2::INFINITY, DVec2::max);
        let sides = high - low;
        let is_better = |known: &Rectangle| {
            let (area, smallest) = (sides.element_product(), known.sides.element_product());
            area < (1.0 - SAME_AREA) * smallest
        };
        if best.as_ref().is_none_or(is_better) {
            best = Some(Rectangle {
                corner: low.x * along + low.y * along.perp(),
                along,
                sides,
            });
        }
    }
    best.filter(|rectangle| rectangle.sides.min_element() > 0.0)
}

/// The corners of the convex hull, counterclockwise, without points inside its sides. It starts at the leftmost corner,
/// or at the lowest of these.
pub(super) fn convex_hull(points: &[DVec2]) -> Vec<DVec2> {
    let mut corners = Vec::new();
    hull(&mut points.to_vec(), &mut corners);
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_rectangle_is_its_own() {
        for degrees in [0.0_f64, 17.0, 45.0, 89.0] {
            let along = DVec2::from_angle(degrees.to_radians());
            let at = |u: f64, v: f64| DVec2::new(3.0, -7.0) + u * along + v * along.perp();
            let mut points = vec![at(0.0, 0.0), at(8.0, 0.0), at(8.0, 2.0), at(0.0, 2.0)];
            points.extend((0..20).map(|k| at(0.4 * f64::from(k), 1.0)));
            let found = smallest_around(&points).unwrap();
            assert!((found.sides.element_product() - 16.0).abs() < 1e-9);
            let local = points.iter().map(|p| {
                let p = *p - found.corner;
                DVec2::new(found.along.dot(p), found.along.perp_dot(p))
            });
            for p in local {
                assert!(p.cmpge(DVec2::splat(-1e-9)).all() && p.cmple(found.sides + 1e-9).all());
            }
        }
    }

    #[test]
    fn points_in_a_line_have_none() {
        let line: Vec<DVec2> = (0..5).map(|k| DVec2::splat(f64::from(k))).collect();
        assert_eq!(smallest_around(&line), None);
        assert_eq!(smallest_around(&[]), None);
    }
}
