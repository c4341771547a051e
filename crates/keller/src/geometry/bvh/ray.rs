//! A ray made ready for the tree, and the rule that says what a hit is.
//!
//! A ray hits a triangle when
//! 1. the triangle, moved by the ray's origin and sheared so that the ray becomes an axis, surrounds that axis
//!    ([`Sheared`] has the constants; zero counts as inside on both sides of an edge, so nothing slips between
//!    triangles that share an edge or a vertex);
//! 2. the ray meets the triangle's own box, grown by the rounding that step 1 can have;
//! 3. `0 < t < t_max`, where t is at least the ray's entry into that box.
//!
//! None of it is fused, so every machine gives the same bits. Because of 2 and 3, a box of the tree that contains the
//! triangle's and is grown twice as much never culls the triangle nor a tie with it: boxes are never what decides.
//!
//! # Source
//! Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2(1), 2013, without its f64 fallback (there, an
//! edge function that rounds to zero is evaluated again; here, both neighbours take it).

use std::ops::RangeInclusive;

use glam::Vec3;

use super::{Bounds, Ray};

/// Rounding, relative to the largest distance at hand, that boxes are grown by: step 1 moves a vertex by at most six
/// units of 2^-24 sideways, the box test the planes by two.
const OWN_BOX_GROWTH: f32 = 1.0 / (1 << 20) as f32;
const TREE_BOX_GROWTH: f32 = 2.0 * OWN_BOX_GROWTH;

/// Smallest direction component relative to the largest. A smaller one is raised to it for the boxes, which moves the
/// ray far less than they are grown and keeps infinities out.
const MIN_SLOPE: f32 = 1.0 / (1_u64 << 40) as f32;

/// Longest direction components and distances that stay clear of overflow, with room for squares.
const DIRECTIONS: RangeInclusive<f32> = 1e-18..=1e18;
const MAX_REACH: f32 = 1e8;

/// A ray with all that does not depend on the box or triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared {
    /// One over the direction, with components that are not too small.
    pub(super) inverse: [f32; 3],
    /// A plane at coordinate x is met at `x inverse - near_offset` at the earliest; the same for far ones.
    pub(super) near_offset: [f32; 3],
    pub(super) far_offset: [f32; 3],
    /// Which of a node's six bounds is met first on each axis, and which last.
    pub(super) near: [usize; 3],
    pub(super) far: [usize; 3],
    pub(super) sheared: Sheared,
    pub(super) t_max: f32,
    pub(super) skip: [u32; 2],
    own_growth: f32,
    origin: [f32; 3],
}

/// The constants of step 1: with axis z the one along which the direction is longest, a vertex v becomes
/// `(v.x - origin.x - slope.x v.z', v.y - origin.y - slope.y v.z', v.z')`, `v.z' = v.z - origin.z`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sheared {
    /// Axes that take the places of x, y, z.
    pub(super) axes: [usize; 3],
    pub(super) origin: [f32; 3],
    pub(super) slope: [f32; 2],
    /// t of one metre along axis z.
    pub(super) scale: f32,
}

impl Prepared {
    /// None if no arithmetic can be done with the ray: zero direction, values that are not finite, overflow. Past here,
    /// no box test meets a NaN.
    #[inline(always)]
    pub(super) fn new(ray: &Ray, bounds: &Bounds) -> Option<Self> {
        let origin = ray.origin.to_array();
        let direction = ray.direction.to_array();
        let length = ray.direction.abs();
        let z = if length.x > length.y {
            if length.x > length.z { 0 } else { 2 }
        } else if length.y > length.z {
            1
        } else {
            2
        };
        let axes = [[1, 2, 0], [2, 0, 1], [0, 1, 2]][z];
        let scale = 1.0 / direction[z];
        let sheared = Sheared {
            axes,
            origin: axes.map(|axis| origin[axis]),
            slope: [direction[axes[0]] * scale, direction[axes[1]] * scale],
            scale,
        };

        let reach = (ray.origin - bounds.min)
            .abs()
            .max((ray.origin - bounds.max).abs())
            .max(ray.origin.abs())
            .max_element();
        if !(DIRECTIONS.contains(&length[z])
            && length.is_finite()
            && ray.origin.is_finite()
            && reach <= MAX_REACH)
        {
            return None;
        }
        let growth = reach * TREE_BOX_GROWTH;
        let smallest = length[z] * MIN_SLOPE;
        let mut inverse = [0.0; 3];
        let mut near_offset = [0.0; 3];
        let mut far_offset = [0.0; 3];
        let mut near = [0; 3];
        let mut far = [0; 3];
        for axis in 0..3 {
            let component = direction[axis]
                .abs()
                .max(smallest)
                .copysign(direction[axis]);
            inverse[axis] = 1.0 / component;
            let growth = growth.copysign(component);
            near_offset[axis] = (origin[axis] + growth) * inverse[axis];
            far_offset[axis] = (origin[axis] - growth) * inverse[axis];
            let backwards = usize::from(component.is_sign_negative());
            near[axis] = axis + 3 * backwards;
            far[axis] = axis + 3 * (1 - backwards);
        }
        Some(Self {
            inverse,
            near_offset,
            far_offset,
            near,
            far,
            sheared,
            t_max: ray.t_max,
            skip: ray.skip,
            own_growth: reach * OWN_BOX_GROWTH,
            origin,
        })
    }

    /// Step 2 and 3 for a triangle that step 1 found at `t > 0`: the final t, if it is one.
    #[inline(always)]
    pub(super) fn judge(&self, vertices: &[Vec3; 3], t: f32) -> Option<f32> {
        let Bounds { min, max } = Bounds::of(vertices);
        let planes = [min.x, min.y, min.z, max.x, max.y, max.z];
        let mut entry = 0.0_f32;
        let mut exit = f32::INFINITY;
        for axis in 0..3 {
            let growth = self.own_growth.copysign(self.inverse[axis]);
            let near =
                (planes[self.near[axis]] - (self.origin[axis] + growth)) * self.inverse[axis];
            let far = (planes[self.far[axis]] - (self.origin[axis] - growth)) * self.inverse[axis];
            entry = if near > entry { near } else { entry };
            exit = if far < exit { far } else { exit };
        }
        let t = if entry > t { entry } else { t };
        (entry <= exit && t < self.t_max).then_some(t)
    }

    #[inline(always)]
    pub(super) fn skips(&self, group: u32) -> bool {
        group == self.skip[0] || group == self.skip[1]
    }
}
