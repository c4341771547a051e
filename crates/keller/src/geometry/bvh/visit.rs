//! Walks that find the triangles near a segment or in a volume. They decide no hit: the f64 stages do, with the
//! triangles found.

use std::mem::MaybeUninit;

use glam::{DVec3, Vec3};

use super::{
    Bvh, Ray,
    node::{Bounds, Child},
    ray::Prepared,
    simd::Simd,
    traverse::{STACK, Slabs, meet_boxes},
};

impl Bvh {
    /// Visits every triangle of every leaf whose box, like those of all nodes above it, `keep` (min, max) accepts.
    pub fn visit(&self, mut keep: impl FnMut(Vec3, Vec3) -> bool, triangle: impl FnMut(u32)) {
        self.visit_ordered(|min, max| keep(min, max).then_some(0.0), triangle);
    }

    /// Visits boxes like [`Self::visit`], nearer ones first: `rank` gives a box's rank, or `None` if nothing in it
    /// matters. The child of a node with the lowest rank comes first, with all that is below it.
    pub fn visit_ordered(
        &self,
        mut rank: impl FnMut(Vec3, Vec3) -> Option<f32>,
        mut triangle: impl FnMut(u32),
    ) {
        let mut stack = Vec::new();
        if let Some((min, max)) = self.bounds()
            && rank(min, max).is_some()
        {
            stack.push((0.0, Child::ROOT));
        }
        while let Some((_, child)) = stack.pop() {
            if child.is_leaf() {
                let names = &self.triangles.names[child.index()..][..child.length()];
                for name in names {
                    triangle(name.triangle);
                }
                continue;
            }
            let bottom = stack.len();
            for (bounds, child) in self.nodes[child.index()].children() {
                if let Some(rank) = rank(bounds.min, bounds.max) {
                    stack.push((rank, child));
                }
            }
            stack[bottom..].sort_by(|a, b| b.0.total_cmp(&a.0));
        }
    }
}

/// The triangles that a segment may touch: the tree is asked in f32 with boxes grown by all rounding, its triangles'
/// boxes in f64.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
pub(super) unsafe fn candidates<S: Simd>(
    bvh: &Bvh,
    segment: &Segment,
    visit: &mut dyn FnMut(u32) -> bool,
) {
    let ray = Prepared::new(&segment.ray, bvh.corners).with_margin(segment.ray_margin);
    let mut stack = [MaybeUninit::<Child>::uninit(); STACK];
    let mut height = 1;
    stack[0].write(Child::ROOT);
    // SAFETY: the caller's; the stack is as high as the deepest tree needs, and children exist.
    unsafe {
        let slabs = Slabs::<S>::new(&ray);
        while height > 0 {
            height -= 1;
            let child = stack.get_unchecked(height).assume_init();
            if child.is_leaf() {
                for lane in 0..child.length() {
                    let bounds = Bounds::of(&bvh.triangles.vertices(child, lane));
                    let triangle = bvh.triangles.names[child.index() + lane].triangle;
                    if segment.touches(&bounds) && !visit(triangle) {
                        return;
                    }
                }
            } else {
                let node = bvh.nodes.get_unchecked(child.index());
                let (entry, exit) = meet_boxes::<S>(&node.bounds, &ray, &slabs, segment.ray.t_max);
                let mask = S::bits(S::le(entry, exit));
                S::push(
                    mask,
                    node.children.as_ptr().cast(),
                    stack.as_mut_ptr().add(height).cast(),
                );
                height += mask.count_ones() as usize;
            }
        }
    }
}

/// A segment and how far around it to look.
pub(super) struct Segment {
    origin: DVec3,
    /// One over the way to the other end, whose components are not too small to divide by.
    inverse: DVec3,
    margin: DVec3,
    /// The segment in f32.
    ray: Ray,
    ray_margin: f32,
}

/// A component of a segment shorter than this share of its coordinates is raised to it; f64 resolves no less.
const MIN_COMPONENT: f64 = 1e-15;

/// A shorter segment is followed this far through the tree, metres: f32 can divide by it.
const MIN_RAY_LENGTH: f32 = 1e-15;

impl Segment {
    /// The segment from `a` to `b` and `margin` metres around it; `None` if a value is not finite.
    pub(super) fn new(a: DVec3, b: DVec3, margin: f32) -> Option<Self> {
        if !(a.is_finite() && b.is_finite() && margin.is_finite()) {
            return None;
        }
        let way = b - a;
        let reach = a
            .abs()
            .max(b.abs())
            .max_element()
            .max(f64::from(f32::MIN_POSITIVE));
        let smallest = DVec3::splat(reach * MIN_COMPONENT);
        // The margin covers the rounding of the test, and the shift of the segment by raising a component.
        let rounding = reach * MIN_COMPONENT * 16.0;
        let direction = way.as_vec3();
        let long_enough = direction.abs().max_element() > MIN_RAY_LENGTH;
        let mut ray = Ray::new(
            a.as_vec3(),
            if long_enough {
                direction
            } else {
                Vec3::X * MIN_RAY_LENGTH
            },
        );
        ray.t_max = 1.0;
        Some(Self {
            ray,
            ray_margin: margin,
            origin: a,
            inverse: 1.0 / way.abs().max(smallest).copysign(way),
            margin: DVec3::splat(f64::from(margin) + rounding),
        })
    }

    fn touches(&self, bounds: &Bounds) -> bool {
        let to_min = (bounds.min.as_dvec3() - self.margin - self.origin) * self.inverse;
        let to_max = (bounds.max.as_dvec3() + self.margin - self.origin) * self.inverse;
        let entry = to_min.min(to_max).max_element().max(0.0);
        let exit = to_min.max(to_max).min_element().min(1.0);
        entry <= exit
    }
}
