//! Convex polygons in a plane: cuts by a line, area, hull. They are counter-clockwise, in flat arrays, and need no
//! allocation in hot loops.

use glam::DVec2;

/// Twice the signed area of the triangle `a`, `b`, `c`: positive if they turn counter-clockwise.
pub(super) fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Signed area, positive if counter-clockwise.
pub(super) fn area(polygon: &[DVec2]) -> f64 {
    let Some((&first, rest)) = polygon.split_first() else {
        return 0.0;
    };
    0.5 * rest
        .windows(2)
        .map(|w| turn(first, w[0], w[1]))
        .sum::<f64>()
}

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
    let Some(&last) = polygon.last() else {
        return;
    };
    let mut a = last;
    let mut da = half.excess(a);
    for &b in polygon {
        let db = half.excess(b);
        if (da > 0.0 && db < 0.0) || (da < 0.0 && db > 0.0) {
            let cut = a + (b - a) * (da / (da - db));
            inside.push(cut);
            outside.push(cut);
        }
        if db <= 0.0 {
            inside.push(b);
        }
        if db >= 0.0 {
            outside.push(b);
        }
        (a, da) = (b, db);
    }
}

/// The convex hull of `points`, without points on its sides. It reorders `points`.
pub(super) fn hull(points: &mut [DVec2], out: &mut Vec<DVec2>) {
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
    fn the_hull_of_points_on_a_line_is_a_sliver() {
        let mut points: Vec<_> = (0..5)
            .map(|i| DVec2::new(f64::from(i), f64::from(i)))
            .collect();
        let mut out = Vec::new();
        hull(&mut points, &mut out);
        assert!(is_sliver(&out, 1e-12));
    }
}
