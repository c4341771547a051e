//! Convex outlines in a wall's plane: which squares they cover, and what they cut out of each other.

use glam::DVec2;

use crate::geometry::polygon::area_and_center;

/// Corners nearer to a line than this lie on it, metres: rounding of points some hundred metres away.
const ON_LINE: f64 = 1e-10;

/// Corners nearer to each other are one, metres: ten times [`ON_LINE`], so that a side has a direction.
const ONE_CORNER: f64 = 1e-9;

/// A convex polygon that turns to the left.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outline {
    corners: Vec<DVec2>,
    low: DVec2,
    high: DVec2,
}

/// How an outline lies to a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlap {
    None,
    Part,
    /// All of the square is inside.
    Whole,
}

impl Outline {
    /// Of convex corners in their order, whichever way they turn; `None` of less than `least` m².
    pub(super) fn new(mut corners: Vec<DVec2>, least: f64) -> Option<Self> {
        // A border that goes through a corner leaves that corner twice, and a side without length has no inside.
        corners.dedup_by(|a, b| a.distance(*b) < ONE_CORNER);
        while corners.len() > 1 && corners[0].distance(corners[corners.len() - 1]) < ONE_CORNER {
            corners.pop();
        }
        if corners.len() < 3 {
            return None;
        }
        let first = corners[0];
        let rest = corners[1..].windows(2);
        let twice: f64 = rest.map(|s| (s[0] - first).perp_dot(s[1] - first)).sum();
        if !twice.is_finite() || twice.abs() < 2.0 * least.max(f64::MIN_POSITIVE) {
            return None;
        }
        if twice < 0.0 {
            corners.reverse();
        }
        let low = corners.iter().copied().reduce(DVec2::min)?;
        let high = corners.iter().copied().reduce(DVec2::max)?;
        Some(Self { corners, low, high })
    }

    /// The square from `low` to `high`.
    pub(super) fn square(low: DVec2, high: DVec2) -> Self {
        let corners = vec![low, low.with_x(high.x), high, low.with_y(high.y)];
        Self { corners, low, high }
    }

    pub(super) fn area_and_center(&self) -> (f64, DVec2) {
        area_and_center(&self.corners)
    }

    pub(super) fn overlap(&self, low: DVec2, high: DVec2) -> Overlap {
        let is_apart =
            (self.low + ON_LINE).cmpge(high).any() || (self.high - ON_LINE).cmple(low).any();
        if is_apart {
            return Overlap::None;
        }
        let mut is_whole = true;
        for (a, along) in self.sides() {
            // The corners of the square that lie deepest inside of this side, and farthest outside.
            let depth = |corner: DVec2| along.perp_dot(corner - a);
            let deepest = DVec2::new(
                pick(along.y > 0.0, low.x, high.x),
                pick(along.x > 0.0, high.y, low.y),
            );
            let farthest = DVec2::new(
                pick(along.y > 0.0, high.x, low.x),
                pick(along.x > 0.0, low.y, high.y),
            );
            let slack = ON_LINE * along.length();
            if depth(deepest) <= slack {
                return Overlap::None;
            }
            is_whole &= depth(farthest) >= -slack;
        }
        if is_whole {
            Overlap::Whole
        } else {
            Overlap::Part
        }
    }

    /// Cuts out what of it lies in `other`, and adds the rest to `outside`.
    pub(super) fn cut(self, other: &Self, outside: &mut Vec<Self>) -> Option<Self> {
        if other.overlap(self.low, self.high) == Overlap::None {
            outside.push(self);
            return None;
        }
        let kept = outside.len();
        let mut inside = self.corners.clone();
        for (a, along) in other.sides() {
            let (left, right) = split(&inside, a, along);
            outside.extend(Self::new(right, 0.0));
            inside = left;
            if inside.is_empty() {
                break;
            }
        }
        let inside = Self::new(inside, 0.0);
        if inside.is_none() {
            outside.truncate(kept);
            outside.push(self);
        }
        inside
    }

    /// Whether a point is inside, or not more than `reach` metres off.
    pub(super) fn holds(&self, point: DVec2, reach: f64) -> bool {
        let mut sides = self.sides();
        sides.all(|(a, along)| along.perp_dot(point - a) >= -reach * along.length())
    }

    /// Each side's start, and the way to its end.
    fn sides(&self) -> impl Iterator<Item = (DVec2, DVec2)> {
        let ends = self.corners.iter().cycle().skip(1);
        self.corners.iter().zip(ends).map(|(&a, &b)| (a, b - a))
    }
}

fn pick(first: bool, a: f64, b: f64) -> f64 {
    if first { a } else { b }
}

/// The parts of a convex polygon to the left and to the right of a line; empty where there is none.
fn split(polygon: &[DVec2], a: DVec2, along: DVec2) -> (Vec<DVec2>, Vec<DVec2>) {
    let slack = ON_LINE * along.length();
    let depth = |p: &DVec2| along.perp_dot(*p - a);
    if polygon.iter().all(|p| depth(p) >= -slack) {
        return (polygon.to_vec(), Vec::new());
    }
    if polygon.iter().all(|p| depth(p) <= slack) {
        return (Vec::new(), polygon.to_vec());
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut from = polygon[polygon.len() - 1];
    for &to in polygon {
        let (d, e) = (depth(&from), depth(&to));
        if (d < 0.0) != (e < 0.0) {
            let on = from + (to - from) * (d / (d - e));
            left.push(on);
            right.push(on);
        }
        if e < 0.0 {
            right.push(to);
        } else {
            left.push(to);
        }
        from = to;
    }
    (left, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(corners: &[[f64; 2]]) -> Outline {
        Outline::new(corners.iter().map(|&c| c.into()).collect(), 0.0).unwrap()
    }

    #[test]
    fn a_square_is_apart_covered_or_partly_covered() {
        let triangle = outline(&[[0., 0.], [0., 4.], [4., 0.]]);
        let at = |x: f64, y: f64| triangle.overlap(DVec2::new(x, y), DVec2::new(x + 1.0, y + 1.0));
        assert_eq!(at(0.0, 0.0), Overlap::Whole);
        assert_eq!(at(1.5, 1.5), Overlap::Part);
        // The box around the triangle holds it, and yet it is apart.
        assert_eq!(at(2.5, 2.5), Overlap::None);
        assert_eq!(at(4.0, 0.0), Overlap::None);
    }

    #[test]
    fn a_corner_that_comes_twice_is_one() {
        let twice = [
            [0., 0.],
            [0., 0.],
            [2., 0.],
            [2., 1e-11],
            [2., 2.],
            [0., 2.],
            [0., 0.],
        ];
        let square = outline(&twice);
        assert_eq!(square.corners.len(), 4);
        let [low, high] = [DVec2::ZERO, DVec2::splat(2.0)];
        assert_eq!(square.overlap(low, high), Overlap::Whole);
    }

    #[test]
    fn what_is_cut_out_and_what_is_left_are_the_whole() {
        let square = Outline::square(DVec2::ZERO, DVec2::splat(2.0));
        let triangle = outline(&[[1., -1.], [1.5, 1.], [3., 1.]]);
        let mut outside = Vec::new();
        let inside = square.cut(&triangle, &mut outside).unwrap();
        let area = |o: &Outline| o.area_and_center().0;
        let left: f64 = outside.iter().map(area).sum();
        assert!((left + area(&inside) - 4.0).abs() < 1e-12);
        // Between the line from (1, -1) to (1.5, 1) and x = 2, as high as y = 0 to 1.
        assert!((area(&inside) - 0.625).abs() < 1e-12, "{}", area(&inside));
        assert!(inside.holds(inside.area_and_center().1, 0.0), "its centre");
    }

    #[test]
    fn what_does_not_meet_stays_whole() {
        let square = Outline::square(DVec2::ZERO, DVec2::ONE);
        let beside = outline(&[[2., 0.9], [0.9, 2.], [3., 3.]]);
        let mut outside = Vec::new();
        assert_eq!(square.clone().cut(&beside, &mut outside), None);
        assert_eq!(outside, [square]);
    }
}
