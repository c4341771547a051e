//! An edge as a line, and points in its coordinates. In these the path by this edge alone has a closed form.

use glam::DVec3;

use crate::scene::Edge;

/// An edge, or its image in some reflecting planes: a straight line with a unit direction. A point is represented by a
/// line whose direction and length are zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::paths) struct EdgeLine {
    pub(super) start: DVec3,
    pub(super) along: DVec3,
    pub(super) length: f64,
}

impl EdgeLine {
    /// The line of an edge.
    pub(in crate::paths) fn of(edge: &Edge) -> Self {
        Self {
            start: edge.ends[0],
            along: edge.along(),
            length: edge.length(),
        }
    }

    /// The point at `t` metres along it.
    #[inline]
    pub(in crate::paths) fn at(&self, t: f64) -> DVec3 {
        self.start + t * self.along
    }
}

/// A point in the coordinates of an edge: its position along the edge from the first end, and its distance from the
/// edge's line, metres.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::paths) struct EdgeCoordinates {
    pub(in crate::paths) along: f64,
    pub(in crate::paths) away: f64,
}

impl EdgeCoordinates {
    /// `point` in the coordinates of the line from `start` along the unit vector `along`.
    #[inline]
    pub(in crate::paths) fn new(point: DVec3, start: DVec3, along: DVec3) -> Self {
        let offset = point - start;
        let z = offset.dot(along);
        Self {
            along: z,
            away: (offset - z * along).length(),
        }
    }

    /// The position where the path from here by the edge to `other` meets the edge, metres from the edge's first end.
    /// On the unrolled cone the path is a straight line (theory page: `edges`).
    #[inline]
    pub(in crate::paths) fn meet(self, other: Self) -> f64 {
        (self.along * other.away + other.along * self.away) / (self.away + other.away)
    }
}
