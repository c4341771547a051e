//! Whether one convex piece of wall hides all of one convex shape from all of another, in f64.
//!
//! If the straight lines from each corner of one shape to each corner of the other go through the piece, so do all
//! lines between the shapes. All corners of a shape lie on one side of the piece's plane, so every line crosses the
//! plane inside the convex hull of the crossings of the corner lines.

use glam::DVec3;

use crate::geometry::Plane;
use crate::geometry::tolerance::IN_LINE_SINE;

/// A convex piece of wall.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wall {
    /// The corners in order around the piece; the last corner may be there twice.
    pub(super) corners: [DVec3; 4],
    pub(super) plane: Plane,
}

/// A convex shape.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape<'a> {
    Point(DVec3),
    Box { centre: DVec3, half: DVec3 },
    Hull(&'a [DVec3]),
}

impl Shape<'_> {
    /// Minimum and maximum extent of the shape along a vector from a point, multiplied by the vector's length.
    pub(super) fn range(&self, along: DVec3, from: DVec3) -> [f64; 2] {
        match self {
            Self::Point(at) => [along.dot(*at - from); 2],
            Self::Box { centre, half } => {
                let (centre, reach) = (along.dot(*centre - from), along.abs().dot(*half));
                [centre - reach, centre + reach]
            }
            Self::Hull(corners) => {
                let each = corners.iter().map(|corner| along.dot(*corner - from));
                each.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                    [low.min(x), high.max(x)]
                })
            }
        }
    }
}

impl Wall {
    /// Whether nothing of `shape` is visible from anywhere between the two points `from`. The answer yes is certain:
    /// all lines cross the wall at least `margin` metres inside its border.
    pub(super) fn hides(&self, from: &[DVec3; 2], shape: &Shape, margin: f64) -> bool {
        let on_plane = self.plane.offset * self.plane.normal;
        let [low, high] = shape.range(self.plane.normal, on_plane);
        let (side, far) = if low > margin {
            (1.0, high)
        } else if high < -margin {
            (-1.0, -low)
        } else {
            return false;
        };
        let num_eyes = if from[0] == from[1] { 1 } else { 2 };
        from[..num_eyes].iter().all(|eye| {
            let before = -side * self.plane.distance(*eye);
            before > margin && self.is_inside(*eye, before, far, shape, margin)
        })
    }

    /// Whether all lines from a point to the shape go through the wall.
    fn is_inside(&self, eye: DVec3, before: f64, far: f64, shape: &Shape, margin: f64) -> bool {
        let corners = self.corners.map(|corner| corner - eye);
        let centre: DVec3 = 0.25 * corners.iter().sum::<DVec3>();
        // The distance inside the border where a line crosses the plane, multiplied by the distances of both ends from
        // the plane.
        let enough = margin * (before + far);
        (0..4).all(|k| {
            let (a, b) = (corners[k], corners[(k + 1) % 4]);
            if a == b {
                return true;
            }
            let across = a.cross(b);
            let inwards = if across.dot(centre) < 0.0 {
                -across
            } else {
                across
            };
            let inside = shape.range(inwards, eye)[0] * before;
            let square = across.length_squared();
            let in_line = IN_LINE_SINE * (a.length_squared() + b.length_squared());
            // `inside` is multiplied by the length of the normal.
            inside > 0.0 && square > in_line * in_line && inside * inside > enough * enough * square
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wall() -> Wall {
        Wall {
            corners: [(-1., -1.), (1., -1.), (1., 1.), (-1., 1.)]
                .map(|(x, y)| DVec3::new(x, y, 0.0)),
            plane: Plane {
                normal: DVec3::Z,
                offset: 0.0,
            },
        }
    }

    #[test]
    fn a_wall_hides_what_is_in_its_shadow_from_all_of_a_line() {
        let line = [DVec3::new(-0.4, 0.1, 3.0), DVec3::new(0.4, 0.0, 4.0)];
        let near = Shape::Box {
            centre: DVec3::new(0.0, 0.0, -2.0),
            half: DVec3::splat(0.5),
        };
        assert!(wall().hides(&line, &near, 1e-3));
        // A shape before the wall, one next to the shadow, and a line that is too long.
        let before = Shape::Point(DVec3::new(0.0, 0.0, 2.0));
        let outside = Shape::Point(DVec3::new(1.8, 0.0, -2.0));
        let long = [DVec3::new(-5.0, 0.1, 3.0), line[1]];
        assert!(!wall().hides(&line, &before, 1e-3));
        assert!(!wall().hides(&line, &outside, 1e-3));
        assert!(!wall().hides(&long, &near, 1e-3));
        let corners = [DVec3::new(0.1, 0.0, -1.0), DVec3::new(0.0, 0.2, -3.0)];
        assert!(wall().hides(&line, &Shape::Hull(&corners), 1e-3));
    }

    #[test]
    fn what_passes_the_border_by_less_than_the_margin_is_not_hidden() {
        let eye = [DVec3::new(0.0, 0.0, 1.0); 2];
        // The lines cross the wall at x = 0.999 and at x = 0.9.
        let near = Shape::Point(DVec3::new(1.998, 0.0, -1.0));
        let inside = Shape::Point(DVec3::new(1.8, 0.0, -1.0));
        assert!(!wall().hides(&eye, &near, 1e-2));
        assert!(wall().hides(&eye, &near, 1e-5));
        assert!(wall().hides(&eye, &inside, 1e-2));
    }
}
