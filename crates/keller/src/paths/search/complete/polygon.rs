//! Convex polygons in a plane, cut by lines without allocations. They are counter-clockwise, in flat arrays.

use glam::DVec2;

use crate::geometry::polygon::{area, walk};

/// The smallest axis-parallel rectangle around `points`.
pub(super) fn bounds(points: &[DVec2]) -> Rect {
    let mut rect = Rect::EMPTY;
    for &p in points {
        rect.include(p);
    }
    rect
}

/// An axis-parallel rectangle, closed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub(super) min: DVec2,
    pub(super) max: DVec2,
}

impl Rect {
    pub(super) const EMPTY: Self = Self {
        min: DVec2::INFINITY,
        max: DVec2::NEG_INFINITY,
    };

    pub(super) fn include(&mut self, p: DVec2) {
        self.min = self.min.min(p);
        self.max = self.max.max(p);
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
    }
}

/// Whether the width of a polygon, roughly its area divided by its length, is less than `min_width`.
pub(super) fn is_sliver(polygon: &[DVec2], min_width: f64) -> bool {
    if polygon.len() < 3 {
        return true;
    }
    let rect = bounds(polygon);
    let size = rect.max - rect.min;
    area(polygon) <= min_width * (size.x + size.y)
}

/// A closed half-plane: the points `p` with `normal . p <= offset`.
#[derive(Debug, Clone, Copy)]
pub(super) struct HalfPlane {
    pub(super) normal: DVec2,
    pub(super) offset: f64,
}

impl HalfPlane {
    /// The half-plane that contains the whole convex `polygon` and whose border is parallel to its side from `a` to
    /// `b`; `None` if these coincide.
    ///
    /// A side as short as rounding may point anywhere. Because its half-plane is moved outwards to contain the whole
    /// polygon, it still cuts nothing off.
    pub(super) fn along_side(a: DVec2, b: DVec2, polygon: &[DVec2]) -> Option<Self> {
        let d = b - a;
        let length = d.length();
        if length <= f64::MIN_POSITIVE {
            return None;
        }
        let normal = DVec2::new(d.y, -d.x) / length;
        let offset = polygon
            .iter()
            .map(|&p| normal.dot(p))
            .fold(f64::NEG_INFINITY, f64::max);
        Some(Self { normal, offset })
    }

    /// Signed distance of `p` from the border, positive outside.
    pub(super) fn excess(&self, p: DVec2) -> f64 {
        self.normal.dot(p) - self.offset
    }
}

/// The half-planes along the sides of a convex `polygon`.
pub(super) fn sides(polygon: &[DVec2], out: &mut Vec<HalfPlane>) {
    out.clear();
    for i in 0..polygon.len() {
        let (a, b) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        out.extend(HalfPlane::along_side(a, b, polygon));
    }
}

/// Cuts `polygon` along the border of `half`. Appends the part within to `inside` and the rest to `outside`.
///
/// The points on the cut have identical coordinates in both parts.
pub(super) fn split(
    polygon: &[DVec2],
    half: &HalfPlane,
    inside: &mut Vec<DVec2>,
    outside: &mut Vec<DVec2>,
) {
    let depth = |p| -half.excess(p);
    walk(polygon, depth, |point, depth| {
        if depth >= 0.0 {
            inside.push(point);
        }
        if depth <= 0.0 {
            outside.push(point);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(min: f64, max: f64) -> Vec<DVec2> {
        vec![
            DVec2::new(min, min),
            DVec2::new(max, min),
            DVec2::new(max, max),
            DVec2::new(min, max),
        ]
    }

    fn side(a: DVec2, b: DVec2) -> HalfPlane {
        HalfPlane::along_side(a, b, &[a, b]).unwrap()
    }

    #[test]
    fn a_side_of_rounding_cuts_nothing_away() {
        let mut polygon = square(0.0, 1.0);
        polygon.insert(1, DVec2::new(1e-16, 1e-17));
        polygon.insert(2, DVec2::new(0.9e-16, 2e-17));
        for k in 0..polygon.len() {
            let (a, b) = (polygon[k], polygon[(k + 1) % polygon.len()]);
            let half = HalfPlane::along_side(a, b, &polygon).unwrap();
            assert!(polygon.iter().all(|&p| half.excess(p) <= 0.0), "side {k}");
        }
    }

    #[test]
    fn the_two_parts_of_a_cut_have_the_area_of_the_whole() {
        let half = side(DVec2::new(0.0, 0.3), DVec2::new(1.0, 0.9));
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        split(&square(0.0, 1.0), &half, &mut inside, &mut outside);
        assert!(area(&inside) > 0.0 && area(&outside) > 0.0);
        assert!((area(&inside) + area(&outside) - 1.0).abs() < 1e-14);
        assert!((area(&outside) - 0.6).abs() < 1e-14);
    }

    #[test]
    fn a_cut_through_a_corner_leaves_no_sliver() {
        let half = side(DVec2::ZERO, DVec2::new(1.0, -1.0));
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        split(&square(0.0, 1.0), &half, &mut inside, &mut outside);
        assert!(is_sliver(&outside, 1e-12));
        assert_eq!(inside.len(), 4);
    }
}
