//! A ray made ready for the tree, and the rule that defines a hit.
//!
//! A ray hits a triangle when
//! 1. the triangle, moved by the ray's origin and sheared so that the ray becomes an axis, surrounds that axis. Zero
//!    counts as inside on both sides of an edge, so nothing slips between triangles that share an edge or a vertex;
//! 2. the ray meets the triangle's own box, grown by the rounding that step 1 can have;
//! 3. `0 < t < t_max`, where t is at least the ray's entry into that box.
//!
//! None of it is fused, so every machine gives the same bits. Because of 2 and 3, a box of the tree that contains the
//! triangle's and is grown twice as much never culls the triangle nor a tie with it: boxes never decide.
//!
//! # Source
//! Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection", JCGT 2(1), 2013, without its f64 fallback (there, an
//! edge function that rounds to zero is evaluated again; here, both neighbours take it).

use glam::Vec3A;

use super::Ray;

/// Rounding, relative to the largest distance at hand, that boxes are grown by: step 1 moves a vertex by at most six
/// units of 2^-24 sideways, the box test the planes by two.
pub(super) const OWN_BOX_GROWTH: f32 = 1.0 / (1 << 20) as f32;
pub(super) const TREE_BOX_GROWTH: f32 = 2.0 * OWN_BOX_GROWTH;

/// Smallest direction component relative to the largest. A smaller one is raised to it for the boxes, which moves the
/// ray far less than they are grown and keeps infinities out.
pub(super) const MIN_SLOPE: f32 = 1.0 / (1_u64 << 40) as f32;

/// A ray with all that does not depend on the box or triangle.
///
/// A direction that is zero or a value that is not finite makes NaN here; then boxes may be met or not, but no
/// triangle's t is a number, so nothing is hit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prepared {
    /// One over the direction, with components that are not too small.
    pub(super) inverse: Vec3A,
    /// A plane at coordinate x is met at `x inverse - near_offset` at the earliest; the same for far ones.
    pub(super) near_offset: Vec3A,
    pub(super) far_offset: Vec3A,
    /// The values to subtract from the coordinates of a triangle's own box, min and max, so that the box grows.
    pub(super) own_min: Vec3A,
    pub(super) own_max: Vec3A,
    /// The index of the bound of a node, of six, that is met first on each axis; the one met last is its pair, the
    /// index with bit 0 turned.
    pub(super) near: [usize; 3],
    /// The octant of the direction: bit 0 if x is negative, 1: y, 2: z.
    pub(super) octant: usize,
    /// Axes that take the places of x, y, z in step 1: the last is the one along which the direction is longest. A
    /// vertex v becomes `(v.x - slope.x v.z, v.y - slope.y v.z, v.z)`, after subtraction of the origin.
    pub(super) axes: [usize; 3],
    pub(super) origin: [f32; 3],
    pub(super) slope: [f32; 2],
    /// t of one metre along that axis.
    pub(super) scale: f32,
}

/// The axes that take the places of x, y, z, by the last of them.
const AXES: [[usize; 3]; 3] = [[1, 2, 0], [2, 0, 1], [0, 1, 2]];

impl Prepared {
    /// `min` and `max` are the corners of the box around everything.
    #[inline(always)]
    pub(super) fn new(ray: &Ray, [min, max]: [Vec3A; 2]) -> Self {
        let origin = Vec3A::from(ray.origin);
        let direction = Vec3A::from(ray.direction);
        let length = direction.abs();
        // The code has no branches: for rays in all directions they would be guessed wrong.
        let over = usize::from(length.z > length.x) & usize::from(length.z > length.y);
        let z = 2 * over + usize::from(length.y > length.x) * (1 - over);
        let axes = AXES[z];

        let reach = (origin - min)
            .abs()
            .max((origin - max).abs())
            .max(origin.abs());
        let reach = reach.max_element();
        let smallest = Vec3A::splat(length.max_element() * MIN_SLOPE);
        let inverse = Vec3A::ONE / length.max(smallest).copysign(direction);
        let tree_growth = Vec3A::splat(reach * TREE_BOX_GROWTH).copysign(direction);
        let own_growth = Vec3A::splat(reach * OWN_BOX_GROWTH);
        let backwards = direction.is_negative_bitmask() as usize;

        let (origins, directions, inverses) = (
            ray.origin.to_array(),
            ray.direction.to_array(),
            inverse.to_array(),
        );
        // A value that is not finite may have been taken for a small one above. Here it makes NaN.
        let sum = ray.direction + ray.origin;
        let scale = inverses[z] + 0.0 * (sum.x + sum.y + sum.z);
        Self {
            inverse,
            near_offset: (origin + tree_growth) * inverse,
            far_offset: (origin - tree_growth) * inverse,
            own_min: origin + own_growth,
            own_max: origin - own_growth,
            near: [0, 1, 2].map(|axis| 2 * axis + (backwards >> axis & 1)),
            octant: backwards & 7,
            axes,
            origin: [origins[axes[0]], origins[axes[1]], origins[axes[2]]],
            slope: [directions[axes[0]] * scale, directions[axes[1]] * scale],
            scale,
        }
    }

    /// This ray, but the tree's boxes are grown for it by `margin` metres more.
    pub(super) fn with_margin(self, margin: f32) -> Self {
        let along = self.inverse.abs() * margin;
        Self {
            near_offset: self.near_offset + along,
            far_offset: self.far_offset - along,
            ..self
        }
    }
}
