//! The pyramid around a beam, as half-spaces: which boxes it may touch, and which part of a segment lies in it. Four
//! half-spaces are tested at a time.

use glam::{DVec2, DVec3};

use super::bounds::Bounds;
use super::projection::Projection;

/// The length by which clipped segments are extended, metres. It is more than the tolerance of validation.
const CLIP_MARGIN: f64 = 1e-4;

/// Four half-spaces, `normal . x <= offset`, stored by coordinate.
#[derive(Debug, Clone, Copy)]
struct Four {
    normal: [[f64; 4]; 3],
    size: [[f64; 4]; 3],
    offset: [f64; 4],
}

impl Four {
    /// Half-spaces that contain all points.
    const EVERYWHERE: Self = Self {
        normal: [[0.0; 4]; 3],
        size: [[0.0; 4]; 3],
        offset: [f64::INFINITY; 4],
    };
}

/// A convex region around a beam: an unbounded pyramid with its tip at the source, cut off at its window.
#[derive(Debug, Default)]
pub(super) struct Pyramid {
    fours: Vec<Four>,
}

impl Pyramid {
    /// Encloses everything that `frame` shows through a convex window.
    pub(super) fn enclose(&mut self, frame: &Projection, window: &[DVec2]) {
        self.fours.clear();
        let mut used = 4;
        let mut add = |normal: DVec3, offset: f64| {
            if used == 4 {
                self.fours.push(Four::EVERYWHERE);
                used = 0;
            }
            let four = self.fours.last_mut().expect("pushed");
            for (axis, n) in normal.to_array().into_iter().enumerate() {
                four.normal[axis][used] = n;
                four.size[axis][used] = n.abs();
            }
            four.offset[used] = offset;
            used += 1;
        };
        add(-frame.n, -frame.n.dot(frame.source) - frame.near);
        let turn = frame.u.cross(frame.v).dot(frame.n);
        for (i, &a) in window.iter().enumerate() {
            let b = window[(i + 1) % window.len()];
            let normal = frame.ray(b).cross(frame.ray(a)) * turn;
            // A side as short as rounding may point anywhere, so it bounds nothing.
            let holds = |&c: &DVec2| {
                let ray = frame.ray(c);
                normal.dot(ray) <= 1e-12 * normal.length() * ray.length()
            };
            if window.iter().all(holds) {
                add(normal, normal.dot(frame.source));
            }
        }
    }

    /// The part of a segment that lies in the region, from 0 at its first end to 1, slightly extended; `None` if no
    /// part does.
    pub(super) fn clip(&self, [a, b]: [DVec3; 2]) -> Option<[f64; 2]> {
        let (mut from, mut to) = (0.0_f64, 1.0_f64);
        for four in &self.fours {
            for k in 0..4 {
                let normal = DVec3::new(four.normal[0][k], four.normal[1][k], four.normal[2][k]);
                let slack = CLIP_MARGIN * normal.length();
                let (at_a, at_b) = (
                    normal.dot(a) - four.offset[k] - slack,
                    normal.dot(b) - four.offset[k] - slack,
                );
                if at_a > 0.0 && at_b > 0.0 {
                    return None;
                }
                if at_a > 0.0 {
                    from = from.max(at_a / (at_a - at_b));
                } else if at_b > 0.0 {
                    to = to.min(at_a / (at_a - at_b));
                }
            }
        }
        (from <= to).then_some([from, to])
    }

    /// Whether the box may have a point in the region. If false, it surely has none.
    pub(super) fn may_meet(&self, bounds: &Bounds) -> bool {
        let [cx, cy, cz] = bounds.centre.map(f64::from);
        let [hx, hy, hz] = bounds.half.map(f64::from);
        self.fours.iter().all(|four| {
            let mut inside = true;
            for k in 0..4 {
                let lowest =
                    four.normal[0][k] * cx + four.normal[1][k] * cy + four.normal[2][k] * cz
                        - four.size[0][k] * hx
                        - four.size[1][k] * hy
                        - four.size[2][k] * hz;
                inside &= lowest <= four.offset[k];
            }
            inside
        })
    }
}
