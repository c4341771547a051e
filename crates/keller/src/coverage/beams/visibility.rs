//! The part of the plan that is visible from a place: the outline of the beam, exact, and the corners in it.
//!
//! Windows between two directions are followed from the source from triangle to triangle, anticlockwise. A window ends
//! at a wall as high as the source; a corner between its directions splits it in two. The ends in their order are the
//! outline, a polygon around the source. Walls lower than the source are passed, and reported for their finite shadows.
//! **Cost:** it depends on the visible part, not on the whole plan.
//!
//! # Source
//! Windows through a triangulation: B. Kornberger et al., "Triangular expansion", CGAL; F. Bungiu et al., `EuroCG` 2014.

use glam::DVec2;

use super::triangulation::{NOTHING, Triangulation};

/// A beam has at most so many windows, or it costs more than a map of all walls.
const MAX_WINDOWS: usize = 6000;

/// A window that has come to a side of a triangle, from within.
#[derive(Debug, Clone, Copy)]
struct Window {
    triangle: u32,
    side: usize,
    /// The directions of its right and its left end, from the source; any length.
    ends: [DVec2; 2],
}

/// The visible part of the plan, and the memory to find it again and again.
#[derive(Debug, Default)]
pub(super) struct Visibility {
    /// The outline of the beam, anticlockwise, metres. It passes over walls lower than the source.
    pub(super) outline: Vec<DVec2>,
    /// The points of the triangulation that the beam meets; a few may come twice.
    pub(super) points: Vec<u32>,
    /// The seen parts of walls that are lower than the source: right and left end, and the height, metres.
    pub(super) low_walls: Vec<([DVec2; 2], f64)>,
    windows: Vec<Window>,
}

/// The heights that decide which walls hide: those as high as `source` do; those higher than `plane` cast shadows.
/// Metres.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heights {
    pub(super) source: f64,
    pub(super) plane: f64,
}

impl Visibility {
    /// Fills in the view of `source`; false if it has too many windows to be worth it, or if it lies outside the frame.
    pub(super) fn of_place(
        &mut self,
        net: &Triangulation,
        source: DVec2,
        heights: Heights,
    ) -> bool {
        self.clear();
        let Some(triangle) = net.triangle_around(source) else {
            return false;
        };
        let corners = net.triangles[triangle as usize].corners;
        if let Some(k) = (0..3).find(|k| net.points[corners[*k] as usize] == source) {
            let fan = net.fan(corners[k]);
            return fan
                .into_iter()
                .all(|triangle| self.through_fan(net, (corners[k], source), triangle, heights));
        }
        self.points.extend(corners);
        let at = net.corners(triangle).map(|corner| corner - source);
        // A source on a side has no window through it: the other side of it is seen from there.
        let on = (0..3).find(|k| at[*k].perp_dot(at[(*k + 1) % 3]) <= 0.0);
        for k in 0..3 {
            if Some(k) == on {
                let is_passed = self.through_side(net, source, (triangle, k), heights);
                if !is_passed {
                    return false;
                }
                continue;
            }
            let ends = [at[k], at[(k + 1) % 3]];
            if !self.side(net, source, (triangle, k), ends, heights) {
                return false;
            }
        }
        true
    }

    /// Fills in the view of a point of the triangulation through some triangles at it, in anticlockwise order.
    pub(super) fn of_point(
        &mut self,
        net: &Triangulation,
        point: u32,
        fan: &[u32],
        heights: Heights,
    ) -> bool {
        self.clear();
        let source = net.points[point as usize];
        self.outline.push(source);
        fan.iter()
            .all(|triangle| self.through_fan(net, (point, source), *triangle, heights))
    }

    fn clear(&mut self) {
        self.outline.clear();
        self.points.clear();
        self.low_walls.clear();
    }

    /// Follows the window through the side of a triangle that is opposite to the source.
    fn through_fan(
        &mut self,
        net: &Triangulation,
        (point, source): (u32, DVec2),
        triangle: u32,
        heights: Heights,
    ) -> bool {
        let corners = net.triangles[triangle as usize].corners;
        let Some(k) = corners.iter().position(|corner| *corner == point) else {
            return true;
        };
        let k = (k + 1) % 3;
        let of_side = [corners[k], corners[(k + 1) % 3]];
        self.points.extend(of_side);
        let ends = of_side.map(|corner| net.points[corner as usize] - source);
        self.side(net, source, (triangle, k), ends, heights)
    }

    /// Follows the window through a side on which the source lies.
    fn through_side(
        &mut self,
        net: &Triangulation,
        source: DVec2,
        (triangle, k): (u32, usize),
        heights: Heights,
    ) -> bool {
        let triangle = &net.triangles[triangle as usize];
        let across = triangle.across[k];
        if across == NOTHING || triangle.heights[k] >= heights.source {
            self.outline.push(source);
            return true;
        }
        let (beyond, same) = (across / 4, (across % 4) as usize);
        let at = net.corners(beyond).map(|corner| corner - source);
        self.points
            .push(net.triangles[beyond as usize].corners[(same + 2) % 3]);
        [1, 2].into_iter().all(|step| {
            let k = (same + step) % 3;
            self.side(net, source, (beyond, k), [at[k], at[(k + 1) % 3]], heights)
        })
    }

    /// Follows all windows that come to a side between two directions; false if they are too many.
    fn side(
        &mut self,
        net: &Triangulation,
        source: DVec2,
        (triangle, k): (u32, usize),
        ends: [DVec2; 2],
        heights: Heights,
    ) -> bool {
        self.windows.clear();
        self.windows.push(Window {
            triangle,
            side: k,
            ends,
        });
        let mut count = 0;
        while let Some(window) = self.windows.pop() {
            count += 1;
            if count > MAX_WINDOWS {
                return false;
            }
            let Some((beyond, same)) = self.pass(net, source, &window, heights) else {
                continue;
            };
            let corners = &net.triangles[beyond as usize].corners;
            let apex = corners[(same + 2) % 3];
            let at = net.points[apex as usize] - source;
            let [right, left] = window.ends;
            let to = |step: usize, ends: [DVec2; 2]| Window {
                triangle: beyond,
                side: (same + step) % 3,
                ends,
            };
            // The last to be put down is the first to be followed: the right one.
            if right.perp_dot(at) <= 0.0 {
                self.windows.push(to(2, window.ends));
            } else if left.perp_dot(at) >= 0.0 {
                self.windows.push(to(1, window.ends));
            } else {
                self.points.push(apex);
                self.windows.push(to(2, [at, left]));
                self.windows.push(to(1, [right, at]));
            }
        }
        true
    }

    /// Ends a window at a side, or continues it in the triangle behind.
    fn pass(
        &mut self,
        net: &Triangulation,
        source: DVec2,
        window: &Window,
        heights: Heights,
    ) -> Option<(u32, usize)> {
        let (here, k) = (&net.triangles[window.triangle as usize], window.side);
        let (across, height) = (here.across[k], here.heights[k]);
        let is_wall = height > heights.plane;
        let is_end = across == NOTHING || (is_wall && height >= heights.source);
        if is_end || is_wall {
            let corners = [here.corners[k], here.corners[(k + 1) % 3]];
            let [a, b] = corners.map(|corner| net.points[corner as usize] - source);
            let along = b - a;
            let moment = a.perp_dot(along);
            let cut = window
                .ends
                .map(|end| source + end * (moment / end.perp_dot(along)));
            if is_end {
                self.outline.extend(cut);
                return None;
            }
            self.low_walls.push((cut, height));
        }
        Some((across / 4, (across % 4) as usize))
    }
}
