//! Convex pieces of walls as eight viewpoints see them: the space that each piece hides from each viewpoint, for all
//! eight at once.
//!
//! A screen and a viewpoint span a cone, whose sides are planes through the viewpoint and the sides of the screen.
//! Everything inside the cone and behind the screen is hidden. The answer "hidden" is certain: a segment that passes a
//! border by less than a margin does not count as hidden, and the margin is wider than the error of f32 rays.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]
#![allow(
    clippy::cast_possible_truncation,
    reason = "f32 decides only what is sure"
)]

use glam::DVec3;

use crate::geometry::Plane;
use crate::geometry::bvh::simd::{LANES, Simd};
use crate::geometry::tolerance::IN_LINE_SINE;

/// Viewpoints that are tested together.
pub(super) const EYES: usize = LANES;

/// A number for each viewpoint.
pub(super) type Lanes = [f32; EYES];

/// A set of viewpoints: bit k stands for viewpoint k.
pub(super) type LaneMask = u32;

/// Eight neighbouring viewpoints, laid out for vector code.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Eyes {
    /// Relative to their centre, metres.
    pub(super) around: [Lanes; 3],
    pub(super) centre: DVec3,
    at: [DVec3; EYES],
}

/// The vector to a point from each viewpoint, metres.
#[derive(Clone, Copy)]
pub(super) struct Seen<S: Simd>(pub(super) [S::F; 3]);

/// A piece of wall as seen from eight viewpoints.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Screen {
    /// Unit normals of the sides of the cones, inwards.
    sides: [[Lanes; 3]; 4],
    /// Signed distances of the viewpoints from the plane, metres. Zero for viewpoints in the plane, from which the
    /// screen hides nothing.
    height: Lanes,
    plane: Plane,
}

impl Eyes {
    pub(super) fn new(at: [DVec3; EYES]) -> Self {
        let centre = at.iter().sum::<DVec3>() / EYES as f64;
        Self {
            around: std::array::from_fn(|axis| at.map(|p| (p - centre)[axis] as f32)),
            centre,
            at,
        }
    }

    /// The vector to a point from each viewpoint.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    pub(super) unsafe fn seen_at<S: Simd>(&self, point: DVec3) -> Seen<S> {
        let way = (point - self.centre).as_vec3().to_array();
        // SAFETY: the caller guarantees it, and there are eight floats along each axis.
        unsafe {
            let [x, y, z] = &self.around;
            Seen([
                S::sub(S::splat(way[0]), S::load(x.as_ptr())),
                S::sub(S::splat(way[1]), S::load(y.as_ptr())),
                S::sub(S::splat(way[2]), S::load(z.as_ptr())),
            ])
        }
    }

    /// The viewpoints that are farther than `margin` metres from a plane, and whose own planes are as far from the
    /// point `seen`. `normals` are the normals and offsets of their own planes.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    pub(super) unsafe fn off_plane<S: Simd>(
        &self,
        plane: &Plane,
        normals: &[Lanes; 4],
        seen: &Seen<S>,
        margin: f32,
    ) -> LaneMask {
        let n = plane.normal.as_vec3().to_array();
        let offset = plane.distance(self.centre) as f32;
        // SAFETY: the caller guarantees it, and there are eight floats along each axis.
        unsafe {
            let margin = S::splat(margin);
            let along = |k: usize| S::mul(S::splat(n[k]), S::load(self.around[k].as_ptr()));
            let its = S::add(
                S::add(along(0), along(1)),
                S::add(along(2), S::splat(offset)),
            );
            let own = |k: usize| S::mul(S::load(normals[k].as_ptr()), seen.0[k]);
            let none = S::load(normals[3].as_ptr());
            let own = S::add(S::add(own(0), own(1)), S::add(own(2), none));
            let is_off = |distance| S::lt(margin, S::abs(distance));
            S::bits(S::and(is_off(its), is_off(own)))
        }
    }
}

impl Screen {
    /// The screen of a convex piece with these corners, in order around it; the last corner may be there twice. From
    /// the viewpoints in `ignores` it hides nothing.
    #[inline(always)]
    pub(super) fn new(corners: [DVec3; 4], plane: Plane, eyes: &Eyes, ignores: LaneMask) -> Self {
        let centre = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
        let mut sides = [[[0.0; EYES]; 3]; 4];
        let mut height = [0.0; EYES];
        for (k, at) in eyes.at.iter().enumerate() {
            let [a, b, c, d] = corners.map(|p| p - *at);
            let centre = centre - *at;
            // A triangle has no side from its last corner to itself.
            let last = if corners[2] == corners[3] {
                (b, c)
            } else {
                (c, d)
            };
            let mut turns = [0.0; 4];
            for (s, (from, to)) in [(a, b), (b, c), last, (d, a)].into_iter().enumerate() {
                let side;
                (side, turns[s]) = inwards(from, to, centre);
                sides[s][0][k] = side.x as f32;
                sides[s][1][k] = side.y as f32;
                sides[s][2][k] = side.z as f32;
            }
            // A narrow piece is never quite flat, and seen along its plane it may be twisted: then no line passes through.
            let is_twisted = turns.iter().any(|turn| *turn != turns[0]);
            height[k] = if is_twisted || ignores >> k & 1 == 1 {
                0.0
            } else {
                plane.distance(*at) as f32
            };
        }
        Self {
            sides,
            height,
            plane,
        }
    }

    /// The viewpoints from which a point is hidden.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    pub(super) unsafe fn hides<S: Simd>(
        &self,
        point: DVec3,
        seen: &Seen<S>,
        margin: f32,
    ) -> LaneMask {
        let depth = self.plane.distance(point) as f32;
        if depth.abs() <= margin {
            return 0;
        }
        // SAFETY: the caller guarantees it, and there are eight floats in each row.
        unsafe {
            let [a, b, c, d] = &self.sides;
            let first = S::min(dot::<S>(a, &seen.0), dot::<S>(b, &seen.0));
            let last = S::min(dot::<S>(c, &seen.0), dot::<S>(d, &seen.0));
            let least = S::min(first, last);
            self.are_behind::<S>(depth, depth.abs(), least, margin)
        }
    }

    /// The viewpoints from which all of a box is hidden. The box is given by its centre and half its size.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    pub(super) unsafe fn hides_box<S: Simd>(
        &self,
        [centre, half]: [DVec3; 2],
        seen: &Seen<S>,
        margin: f32,
    ) -> LaneMask {
        let depth = self.plane.distance(centre) as f32;
        let reach = self.plane.normal.abs().dot(half) as f32;
        if depth.abs() - reach <= margin {
            return 0;
        }
        // SAFETY: the caller guarantees it, and there are eight floats in each row.
        unsafe {
            let [x, y, z] = half.as_vec3().to_array();
            let half = [S::splat(x), S::splat(y), S::splat(z)];
            let [a, b, c, d] = &self.sides;
            let first = S::min(inside::<S>(a, seen, &half), inside::<S>(b, seen, &half));
            let last = S::min(inside::<S>(c, seen, &half), inside::<S>(d, seen, &half));
            let least = S::min(first, last);
            self.are_behind::<S>(depth, depth.abs() + reach, least, margin)
        }
    }

    /// The viewpoints on the other side of the plane than `depth` whose lines to a target up to `far` metres behind it
    /// cross the plane inside the screen, at least `margin` from its border. `least` is how far inside the sides of the
    /// cone the target is.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    unsafe fn are_behind<S: Simd>(
        &self,
        depth: f32,
        far: f32,
        least: S::F,
        margin: f32,
    ) -> LaneMask {
        // SAFETY: the caller guarantees it, and there are eight floats in the row.
        unsafe {
            let margin = S::splat(margin);
            let before = S::mul(S::load(self.height.as_ptr()), S::splat(-depth.signum()));
            // The distance inside the border where a line crosses the plane, multiplied by the distances of both ends
            // from the plane.
            let enough = S::mul(margin, S::add(before, S::splat(far)));
            let inside = S::mul(least, before);
            S::bits(S::and(S::lt(margin, before), S::lt(enough, inside)))
        }
    }
}

/// # Safety
/// The same as for [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn dot<S: Simd>(a: &[Lanes; 3], b: &[S::F; 3]) -> S::F {
    // SAFETY: the caller guarantees it, and there are eight floats along each axis.
    unsafe {
        let x = S::mul(S::load(a[0].as_ptr()), b[0]);
        let y = S::mul(S::load(a[1].as_ptr()), b[1]);
        S::add(S::add(x, y), S::mul(S::load(a[2].as_ptr()), b[2]))
    }
}

/// The depth of all of a box inside one side of the cone.
///
/// # Safety
/// The same as for [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn inside<S: Simd>(side: &[Lanes; 3], seen: &Seen<S>, half: &[S::F; 3]) -> S::F {
    // SAFETY: the caller guarantees it, and there are eight floats along each axis.
    unsafe {
        let x = S::mul(S::abs(S::load(side[0].as_ptr())), half[0]);
        let y = S::mul(S::abs(S::load(side[1].as_ptr())), half[1]);
        let z = S::mul(S::abs(S::load(side[2].as_ptr())), half[2]);
        S::sub(dot::<S>(side, &seen.0), S::add(S::add(x, y), z))
    }
}

/// The unit normal of the plane through a viewpoint and two corners, towards the centre; and 1 or -1, by whether the
/// corners are passed anticlockwise or clockwise. The normal is zero if they lie in a line, so that nothing is inside.
#[inline(always)]
fn inwards(a: DVec3, b: DVec3, centre: DVec3) -> (DVec3, f64) {
    let across = a.cross(b);
    let length = across.length();
    let turn = 1.0_f64.copysign(across.dot(centre));
    if length > IN_LINE_SINE * (a.length_squared() + b.length_squared()) {
        (across * (turn / length), turn)
    } else {
        (DVec3::ZERO, turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::bvh::simd::Portable;

    /// Whether a point is hidden behind a piece from a viewpoint 5 mm over the plane of the piece.
    #[allow(unsafe_code, reason = "vector instructions")]
    fn hides(corners: [DVec3; 4], eye: DVec3, point: DVec3) -> bool {
        let eyes = Eyes::new([eye; EYES]);
        let plane = Plane::new(DVec3::ZERO, DVec3::Z);
        let screen = Screen::new(corners, plane, &eyes, 0);
        // SAFETY: plain arrays need no instructions.
        unsafe {
            let seen = eyes.seen_at::<Portable>(point);
            screen.hides::<Portable>(point, &seen, 3e-3) != 0
        }
    }

    #[test]
    fn a_twisted_piece_hides_nothing_along_its_plane() {
        let (eye, point) = (DVec3::new(0.0, 0.0, 5e-3), DVec3::new(0.5, 0.0, -1.0));
        let piece = |twist: f64| {
            let corner = |x: f64, y: f64, z: f64| DVec3::new(50.0 + x, y, z);
            [
                corner(0.0, -0.03, twist),
                corner(0.0, 0.03, -twist),
                corner(0.3, 0.03, twist),
                corner(0.3, -0.03, -twist),
            ]
        };
        for twist in [0.0, 1e-5, 3e-5, 1e-4, -3e-5] {
            assert!(!hides(piece(twist), eye, point), "{twist}");
        }
        // A point behind it is hidden all the same.
        let (over, under) = (DVec3::new(50.1, 0.0, 5.0), DVec3::new(50.1, 0.0, -5.0));
        assert!(hides(piece(3e-5), over, under));
    }
}
