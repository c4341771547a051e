//! Convex outlines in a wall's plane: which squares they cover, and the parts they cut out of each other.

use glam::DVec2;
use smallvec::SmallVec;

use crate::geometry::polygon::{area_and_centre, walk};

/// Outlines that are smaller than this are ignored, m²: they come from rounding.
pub(super) const MIN_AREA: f64 = 1e-12;

/// Corners nearer to a line than this lie on it, metres. It covers the rounding of points some hundred metres away.
const ON_LINE: f64 = 1e-10;

/// Corners nearer to each other than this are one corner, metres. It is ten times [`ON_LINE`], so that a side has a
/// direction.
const ONE_CORNER: f64 = 1e-9;

/// Corners in order. Most outlines are walls clipped by four sides.
pub(super) type Corners = SmallVec<[DVec2; 8]>;

/// A convex polygon, counter-clockwise.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outline {
    corners: Corners,
    low: DVec2,
    high: DVec2,
}

/// The part of a square that an outline covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlap {
    None,
    Part,
    /// The whole square is inside the outline.
    Whole,
}

impl Outline {
    /// The outline of convex corners, listed in either direction; `None` if they enclose less than `min_area` m².
    pub(super) fn new(all: impl IntoIterator<Item = DVec2>, min_area: f64) -> Option<Self> {
        // A border through a corner yields that corner twice, and a side without length has no inside.
        let is_one = |a: DVec2, b: DVec2| a.distance_squared(b) < ONE_CORNER * ONE_CORNER;
        let mut corners = Corners::default();
        for corner in all {
            if corners.last().is_none_or(|&last| !is_one(last, corner)) {
                corners.push(corner);
            }
        }
        while corners.len() > 1 && is_one(corners[0], corners[corners.len() - 1]) {
            corners.pop();
        }
        if corners.len() < 3 {
            return None;
        }
        let first = corners[0];
        let rest = corners[1..].windows(2);
        let twice: f64 = rest.map(|s| (s[0] - first).perp_dot(s[1] - first)).sum();
        if !twice.is_finite() || twice.abs() < 2.0 * min_area.max(f64::MIN_POSITIVE) {
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
        let corners = [low, low.with_x(high.x), high, low.with_y(high.y)];
        Self {
            corners: corners.into_iter().collect(),
            low,
            high,
        }
    }

    pub(super) fn corners(&self) -> &[DVec2] {
        &self.corners
    }

    /// Its smallest and largest coordinates.
    pub(super) fn range(&self) -> [DVec2; 2] {
        [self.low, self.high]
    }

    pub(super) fn area_and_centre(&self) -> (f64, DVec2) {
        area_and_centre(&self.corners)
    }

    pub(super) fn overlap(&self, low: DVec2, high: DVec2) -> Overlap {
        let is_apart =
            (self.low + ON_LINE).cmpge(high).any() || (self.high - ON_LINE).cmple(low).any();
        if is_apart {
            return Overlap::None;
        }
        let mut is_whole = true;
        for (a, along) in self.sides() {
            // The corners of the square that lie deepest inside this side, and farthest outside it.
            let depth = |corner: DVec2| along.perp_dot(corner - a);
            let deepest = DVec2::new(
                pick(along.y > 0.0, low.x, high.x),
                pick(along.x > 0.0, high.y, low.y),
            );
            let farthest = DVec2::new(
                pick(along.y > 0.0, high.x, low.x),
                pick(along.x > 0.0, low.y, high.y),
            );
            let slack = slack(along);
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

    /// Returns the part inside `other`, and adds the rest to `outside`.
    pub(super) fn cut(self, other: &Self, outside: &mut Vec<Self>) -> Option<Self> {
        let is_apart = |polygon: &[DVec2], a, along| depths(polygon, a, along)[1] <= slack(along);
        match other.overlap(self.low, self.high) {
            Overlap::Whole => return Some(self),
            Overlap::Part if !other.sides().any(|(a, s)| is_apart(&self.corners, a, s)) => {}
            _ => {
                outside.push(self);
                return None;
            }
        }
        let kept = outside.len();
        let mut inside: Option<Corners> = None;
        for (a, along) in other.sides() {
            let polygon = inside.as_ref().unwrap_or(&self.corners);
            let [lowest, highest] = depths(polygon, a, along);
            if lowest >= -slack(along) {
                continue;
            }
            if highest <= slack(along) {
                inside = Some(Corners::default());
                break;
            }
            let [left, right] = split(polygon, a, along);
            outside.extend(Self::new(right.iter().copied(), 0.0));
            inside = Some(left);
        }
        let Some(inside) = inside else {
            return Some(self);
        };
        let inside = Self::new(inside.iter().copied(), 0.0);
        if inside.is_none() {
            outside.truncate(kept);
            outside.push(self);
        }
        inside
    }

    /// Whether a point is inside, or at most `reach` metres outside.
    pub(super) fn holds(&self, point: DVec2, reach: f64) -> bool {
        let mut sides = self.sides();
        sides.all(|(a, along)| along.perp_dot(point - a) >= -reach * along.length())
    }

    /// The start of each side, and the vector to its end.
    fn sides(&self) -> impl Iterator<Item = (DVec2, DVec2)> {
        let corners = &*self.corners;
        let last = corners.len() - 1;
        (0..corners.len()).map(move |k| {
            let next = if k == last { 0 } else { k + 1 };
            (corners[k], corners[next] - corners[k])
        })
    }
}

fn pick(first: bool, a: f64, b: f64) -> f64 {
    if first { a } else { b }
}

/// Depth to the left of a line that may be rounding, in units of the direction's length.
fn slack(along: DVec2) -> f64 {
    ON_LINE * along.length()
}

/// The smallest and largest depth of corners to the left of a line, in units of the direction's length.
fn depths(polygon: &[DVec2], a: DVec2, along: DVec2) -> [f64; 2] {
    let all = polygon.iter().map(|&p| along.perp_dot(p - a));
    all.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], depth| {
        [low.min(depth), high.max(depth)]
    })
}

/// The parts of a convex polygon to the left and to the right of a line that crosses it.
fn split(polygon: &[DVec2], a: DVec2, along: DVec2) -> [Corners; 2] {
    let depth = |p: DVec2| along.perp_dot(p - a);
    let (mut left, mut right) = (Corners::default(), Corners::default());
    walk(polygon, depth, |point, depth| {
        if depth >= 0.0 {
            left.push(point);
        }
        if depth <= 0.0 {
            right.push(point);
        }
    });
    [left, right]
}

/// The range of a square that its outlines cover; `None` if there are no outlines.
pub(super) fn range_of<'a>(
    outlines: impl Iterator<Item = &'a Outline>,
    [low, high]: [DVec2; 2],
) -> Option<[DVec2; 2]> {
    let ranges = outlines.map(Outline::range);
    let [lowest, highest] = ranges.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])?;
    Some([low.max(lowest), high.min(highest)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(corners: &[[f64; 2]]) -> Outline {
        Outline::new(corners.iter().map(|&c| c.into()), 0.0).unwrap()
    }

    #[test]
    fn a_square_is_apart_covered_or_partly_covered() {
        let triangle = outline(&[[0., 0.], [0., 4.], [4., 0.]]);
        let at = |x: f64, y: f64| triangle.overlap(DVec2::new(x, y), DVec2::new(x + 1.0, y + 1.0));
        assert_eq!(at(0.0, 0.0), Overlap::Whole);
        assert_eq!(at(1.5, 1.5), Overlap::Part);
        // The box around the triangle contains the square, but the triangle does not.
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
        let area = |o: &Outline| o.area_and_centre().0;
        let left: f64 = outside.iter().map(area).sum();
        assert!((left + area(&inside) - 4.0).abs() < 1e-12);
        // The region between the line from (1, -1) to (1.5, 1) and x = 2, for y from 0 to 1.
        assert!((area(&inside) - 0.625).abs() < 1e-12, "{}", area(&inside));
        assert!(inside.holds(inside.area_and_centre().1, 0.0), "its centre");
    }

    #[test]
    fn what_does_not_meet_stays_whole() {
        let square = Outline::square(DVec2::ZERO, DVec2::ONE);
        let neighbour = outline(&[[2., 0.9], [0.9, 2.], [3., 3.]]);
        let mut outside = Vec::new();
        assert_eq!(square.clone().cut(&neighbour, &mut outside), None);
        assert_eq!(outside, [square]);
    }
}
