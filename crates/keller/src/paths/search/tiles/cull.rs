//! Culling: leaves out blocks of points that cannot be seen through a tile, sixteen blocks at a time, before their
//! points are tested one by one.
//!
//! The points seen from an image through a tile lie between four planes, each through the image and a side of the tile.
//! A wave from an edge reaches the tile only from an interval of that edge, and each end of the interval has four such
//! planes. Their equations are linear along the edge. A ball that lies beyond a plane for both ends of the interval
//! therefore lies beyond it for all points in between. In a city one block in two hundred is left.

#![allow(
    clippy::needless_bitwise_bool,
    reason = "all lanes are asked everything"
)]
#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

mod diffraction;

use glam::Vec3;

pub(super) use self::diffraction::DiffractionCull;
use super::beam::{BeamSource, EdgeSource};
use super::lanes::{Blocks, Filter, LANES, Lanes, Some16, along, bits};
use super::window::Window;

/// Allowance for rounding, metres: a point nearer to a plane than this is on both sides of it.
const SLACK: f32 = 0.02;

/// The planes around the points that may be seen through a tile.
#[derive(Debug)]
pub(super) struct Cull {
    /// The tile's normal on the side where waves leave it, and the directions of its sides; each with the coordinate of
    /// the tile's centre.
    axes: [(Vec3, f32); 3],
    /// The planes through each side of the tile, for either end of the interval that illuminates the tile. For an image
    /// point both sets are equal.
    planes: [[Plane; 4]; 2],
    margin: f32,
}

/// A point at the height `h` in front of the tile, and at `s` along one of its sides, lies beyond the plane if
/// `across * h + along * s > offset`.
#[derive(Debug, Clone, Copy)]
struct Plane {
    across: f32,
    along: f32,
    offset: f32,
    /// Upper bound of the growth of the left side for a step of one metre in any direction.
    slope: f32,
    /// Growth of the right side for each metre by which a point's reach widens the tile.
    by_reach: f32,
}

/// The blocks that are left out.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one at a time, on the stack")]
pub(super) enum Culling {
    /// All blocks: none of them is visible.
    All,
    /// The blocks beyond some planes.
    Some(Cull),
    /// No blocks: they cannot be decided.
    None,
}

impl Culling {
    /// The culling of points seen from `source` through `window`. A point represents an object that extends at most
    /// `reach` metres around it. The part `margin` of that extent widens the window.
    pub(super) fn new(source: &BeamSource, window: &Window, reach: f32, margin: f32) -> Self {
        let ends = match source {
            BeamSource::Point(image) => [*image; 2],
            BeamSource::Edge(edge) => {
                let Some(illuminated) = lighting(edge, window, margin * reach) else {
                    return Self::None;
                };
                let min = -margin * reach - SLACK;
                let max = edge.length + margin * reach + SLACK;
                if illuminated[1] < min || illuminated[0] > max {
                    return Self::All;
                }
                illuminated.map(|t| edge.start + t.clamp(min, max) * edge.along)
            }
        };
        let behind = ends.map(|end| window.normal.dot(end - window.centre));
        if behind[0] * behind[1] <= 0.0 {
            return Self::None;
        }
        let normal = -behind[0].signum() * window.normal;
        let axis = |v: Vec3| (v, v.dot(window.centre));
        let planes = [0, 1].map(|end| {
            let behind = behind[end].abs();
            let plane = |k: usize, sign: f32| {
                let half = window.half[k];
                let at = sign * window.axes[k].dot(ends[end] - window.centre);
                Plane {
                    across: at - half,
                    along: sign * behind,
                    offset: half * behind,
                    slope: (at - half).hypot(behind),
                    by_reach: behind,
                }
            };
            [plane(0, 1.0), plane(0, -1.0), plane(1, 1.0), plane(1, -1.0)]
        });
        Self::Some(Cull {
            axes: [axis(normal), axis(window.axes[0]), axis(window.axes[1])],
            planes,
            margin,
        })
    }
}

/// The interval of an edge's line from which waves reach a tile, metres. It may extend beyond the edge. The tile is
/// widened by `more` metres. `None` where the wave's source and the tile both touch the line.
fn lighting(edge: &EdgeSource, window: &Window, more: f32) -> Option<[f32; 2]> {
    let coordinates = |point: Vec3| {
        let from_start = point - edge.start;
        let z = from_start.dot(edge.along);
        (z, (from_start - z * edge.along).length())
    };
    let ((za, ra), (z, r)) = (coordinates(edge.from), coordinates(window.centre));
    let half = window.half.map(|half| half + more + SLACK);
    let far = half[0].hypot(half[1]);
    let along = window.axes.map(|axis| axis.dot(edge.along).abs());
    let by_z = half[0] * along[0] + half[1] * along[1] + SLACK;
    let (near, far) = ((r - far).max(0.0), r + far);
    if ra + near < SLACK {
        return None;
    }
    // The function grows with z and is monotonic in r, so its extremes are at the corners.
    let meets = |z: f32, r: f32| (za * r + z * ra) / (ra + r);
    let low = meets(z - by_z, near).min(meets(z - by_z, far));
    let high = meets(z + by_z, near).max(meets(z + by_z, far));
    Some([low - SLACK, high + SLACK])
}

/// A test of sixteen balls.
pub(super) trait BallTest {
    /// Bit k says whether any point of ball k may be seen. The balls are given by their centres, their radii, and the
    /// largest reaches of their points.
    fn ask(&self, balls: &[Lanes; 5]) -> u16;
}

/// Leaves out blocks whose balls are not allowed.
pub(super) struct Balls<T>(pub(super) T);

impl<T: BallTest> Filter for Balls<T> {
    #[inline(always)]
    fn filter(&self, blocks: &Blocks, found: &mut Vec<Some16>) {
        let mut num_kept = 0;
        for first in (0..found.len()).step_by(LANES) {
            let last = found.len().min(first + LANES);
            let mut lanes = [[0.0; LANES]; 5];
            for k in first..last {
                let ball = &blocks.balls[found[k].block as usize];
                let all = [
                    ball.centre.x,
                    ball.centre.y,
                    ball.centre.z,
                    ball.radius,
                    ball.reach,
                ];
                for (lane, value) in lanes.iter_mut().zip(all) {
                    lane[k - first] = value;
                }
            }
            let mask = self.0.ask(&lanes);
            for k in first..last {
                found[num_kept] = found[k];
                num_kept += usize::from((mask >> (k - first)) & 1);
            }
        }
        found.truncate(num_kept);
    }
}

impl BallTest for Cull {
    #[inline(always)]
    fn ask(&self, [x, y, z, radius, reach]: &[Lanes; 5]) -> u16 {
        let centres = [*x, *y, *z];
        let at = self
            .axes
            .map(|(axis, offset)| along(&centres, axis, offset));
        let mut slack = [0.0; LANES];
        for k in 0..LANES {
            slack[k] = radius[k] + SLACK;
        }
        let mut seen = [true; LANES];
        for k in 0..LANES {
            seen[k] = at[0][k] > -slack[k];
        }
        let [first, second] = &self.planes;
        for side in 0..4 {
            let (p, q) = (&first[side], &second[side]);
            let along = &at[1 + side / 2];
            for k in 0..LANES {
                let beyond = |p: &Plane| {
                    p.across * at[0][k] + p.along * along[k]
                        - p.offset
                        - p.slope * slack[k]
                        - p.by_reach * self.margin * reach[k]
                };
                seen[k] &= (beyond(p) <= 0.0) | (beyond(q) <= 0.0);
            }
        }
        bits(seen)
    }
}

#[cfg(test)]
mod tests;
