//! The ray-intersection index: the first hit of a ray, whether a segment is free, and the triangles near it.
//!
//! **Algorithm.** obvhs builds a binary tree, which is collapsed into nodes of eight children by surface-area cost. A
//! traversal tests the eight boxes of a node, or up to eight triangles of a leaf, at once, with AVX-512, AVX2 or plain
//! arrays, whatever the machine has ([`Dispatch`]). In the batched calls sixteen neighbours that go much the same way go
//! through the tree as one beam, and the others by turns, so that none waits for memory.
//!
//! **What it promises.**
//! - *Watertight*: a ray aimed at an edge or vertex that triangles share hits at least one of them.
//! - *One answer*: every dispatch, batched or not, gives the same bits. Boxes never decide a hit, and of equally near
//!   triangles the one with the smallest group, then index, is the hit.
//! - *Leaving a surface*: a ray names up to two groups (planes) that it ignores. There is no minimum distance.
//!
//! **Assumes** finite f32 coordinates relative to the scene's own origin. A hit's t carries their rounding: the f64 stages
//! decide. Triangles of zero area block nothing and are left out.
//!
//! **Cost.** 56 bytes a triangle; while it is built, as much again and 60 MB a thread. On a 2.4 GHz Zen 3
//! core a city of 39 000 triangles answers 8 to 11 million single rays a second, 7 to 29 million batched ones
//! (`cargo bench -p keller --bench index`).

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

mod accelerator;
mod build;
mod collapse;
mod dispatch;
mod lists;
mod node;
mod packet;
mod probe;
mod ray;
mod results;
mod sights;
pub(crate) mod simd;
mod stream;
mod traverse;
mod visit;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use glam::{DVec3, Vec3, Vec3A};

pub use accelerator::{Answer, FlatIndex, Question, RayAccelerator};
pub(crate) use build::has_area;
pub use dispatch::Dispatch;
use node::{Bounds, Child, Node, Triangles};
use results::{Blockers, Free, Hits, Results};
pub use sights::{AcceleratorFailed, RUNS, Sight, SightPlace, SightPoint, SightWall, Sights};
use visit::Segment;

/// A triangle as the index takes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Corners, metres relative to the scene's origin, in any order.
    pub vertices: [Vec3; 3],
    /// The triangle's plane: rays skip all triangles of a group together.
    pub group: u32,
}

/// A half-line or segment: the points `origin + t direction` with `0 < t < t_max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// The start point, metres relative to the scene's origin.
    pub origin: Vec3,
    /// The direction; its length, which is the unit of t, may be anything from 1e-18 to 1e18.
    pub direction: Vec3,
    /// Hits at this t or beyond do not count; infinity is allowed.
    pub t_max: f32,
    /// Groups that are not hit; [`Ray::NO_GROUP`] for none.
    pub skip: [u32; 2],
}

impl Ray {
    /// The group that no triangle has.
    pub const NO_GROUP: u32 = u32::MAX;

    /// The half-line from `origin` that hits everything.
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Self {
            origin,
            direction,
            t_max: f32::INFINITY,
            skip: [Self::NO_GROUP; 2],
        }
    }

    /// The segment between two points, without them: t is the part of the way from `from` to `to`, in (0, 1).
    pub fn between(from: Vec3, to: Vec3) -> Self {
        Self {
            t_max: 1.0,
            ..Self::new(from, to - from)
        }
    }

    /// This ray, but it ignores these groups.
    #[must_use]
    pub fn skipping(self, skip: [u32; 2]) -> Self {
        Self { skip, ..self }
    }

    /// The largest t that counts: hits have t strictly below `t_max`. Negative if none does.
    #[inline(always)]
    pub fn limit(&self) -> f32 {
        if self.t_max > 0.0 {
            f32::from_bits(self.t_max.to_bits() - 1)
        } else {
            -1.0
        }
    }

    #[inline(always)]
    fn skips(&self, group: u32) -> bool {
        group == self.skip[0] || group == self.skip[1]
    }
}

/// The first hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The point is `origin + t direction`.
    pub t: f32,
    /// Index of the triangle in the list that the index was built from. At a shared edge, either neighbour is right.
    pub triangle: u32,
    /// The triangle's group.
    pub group: u32,
}

/// The index over a list of triangles.
///
/// ```
/// use glam::Vec3;
/// use keller::geometry::bvh::{Bvh, Ray, Triangle};
///
/// let wall = Triangle { vertices: [Vec3::ZERO, Vec3::X, Vec3::Y], group: 7 };
/// let index = Bvh::build(&[wall]);
/// let ray = Ray::new(Vec3::new(0.2, 0.2, 5.0), -Vec3::Z);
/// let hit = index.closest_hit(&ray).unwrap();
/// assert_eq!((hit.triangle, hit.group), (0, 7));
/// assert!((hit.t - 5.0).abs() < 1e-5);
/// assert!(index.is_free(&ray.skipping([7, Ray::NO_GROUP])));
/// ```
#[derive(Clone, Debug)]
pub struct Bvh {
    nodes: Vec<Node>,
    triangles: Triangles,
    /// Min and max of everything.
    corners: [Vec3A; 2],
    dispatch: Dispatch,
    /// Answers large batches, if there is one.
    accelerator: Option<Arc<dyn RayAccelerator>>,
}

impl Bvh {
    /// The index of these triangles. The same list gives the same index.
    ///
    /// # Panics
    /// If a coordinate is not finite, or there are 2^28 triangles or more.
    pub fn build(triangles: &[Triangle]) -> Self {
        Self::of(triangles.len(), |t| triangles[t])
    }

    /// The index of `count` triangles, which are asked for several times, by many threads.
    ///
    /// # Panics
    /// In the cases of [`Self::build`].
    pub(crate) fn of(count: usize, triangle: impl Fn(usize) -> Triangle + Sync) -> Self {
        let (nodes, leaves) = build::build(count, &triangle);
        Self::from_parts(nodes, leaves)
    }

    fn from_parts(nodes: Vec<Node>, leaves: Triangles) -> Self {
        let children = nodes.first().into_iter().flat_map(Node::children);
        let bounds = children.fold(Bounds::EMPTY, |all, (bounds, _)| all.union(bounds));
        Self {
            nodes,
            triangles: leaves,
            corners: [bounds.min.into(), bounds.max.into()],
            dispatch: Dispatch::best(),
            accelerator: None,
        }
    }

    /// This index, but it uses these instructions.
    ///
    /// # Panics
    /// If the machine does not have them.
    #[must_use]
    pub fn with_dispatch(mut self, dispatch: Dispatch) -> Self {
        assert!(dispatch.is_available(), "this machine has no {dispatch:?}");
        self.dispatch = dispatch;
        self
    }

    /// The instructions it uses.
    pub fn dispatch(&self) -> Dispatch {
        self.dispatch
    }

    /// The box around all triangles, min and max; None if there are none.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let [min, max] = self.corners.map(Vec3::from);
        (!self.nodes.is_empty()).then_some((min, max))
    }

    /// Memory that the index holds, bytes.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.triangles.memory_bytes()
    }

    /// The first triangle on the ray. `None` also if the direction is zero or a value not finite.
    pub fn closest_hit(&self, ray: &Ray) -> Option<Hit> {
        dispatch::closest_hit(self, ray)
    }

    /// Whether no triangle is hit with `0 < t < t_max`. A triangle that the segment ends on does not block it if its t
    /// rounds to `t_max` or more; who needs to be sure skips its group.
    pub fn is_free(&self, ray: &Ray) -> bool {
        let mut unknown = Child::ROOT;
        dispatch::is_free(self, ray, &mut unknown)
    }

    /// [`Self::closest_hit`] of each ray. Fastest if neighbours in the list are neighbours in space and direction.
    ///
    /// # Panics
    /// If `hits` is not as long as `rays`.
    pub fn closest_hits(&self, rays: &[Ray], hits: &mut [Option<Hit>]) {
        assert_eq!(rays.len(), hits.len(), "one hit a ray");
        self.trace(rays, &mut Hits(hits), dispatch::closest_hits);
    }

    /// [`Self::is_free`] of each ray. Fastest if neighbours in the list are neighbours in space: the triangle that
    /// blocked one is tried first on the next.
    ///
    /// # Panics
    /// If `free` is not as long as `rays`.
    pub fn are_free(&self, rays: &[Ray], free: &mut [bool]) {
        assert_eq!(rays.len(), free.len(), "one answer a ray");
        self.trace(rays, &mut Free(free), dispatch::are_free);
    }

    /// A triangle that blocks each ray, `None` if it is free, like [`Self::are_free`]. Which of several triangles is
    /// named may depend on the instructions and on the other rays.
    ///
    /// # Panics
    /// If `blockers` is not as long as `rays`.
    pub fn blockers(&self, rays: &[Ray], blockers: &mut [Option<u32>]) {
        assert_eq!(rays.len(), blockers.len(), "one answer a ray");
        self.trace(rays, &mut Blockers(blockers), dispatch::blockers);
    }

    /// Asks the accelerator if there is one and the batch is large enough, else the processor with `here`.
    fn trace<R: Results>(&self, rays: &[Ray], results: &mut R, here: fn(&Self, &[Ray], &mut R)) {
        if let Some(accelerator) = &self.accelerator
            && rays.len() >= accelerator.fewest_rays()
            && accelerator::trace(self, &**accelerator, rays, results)
        {
            return;
        }
        here(self, rays, results);
    }

    /// Visits every triangle whose box, grown by `margin` metres on all sides, the segment from `a` to `b` touches,
    /// until `visit` says false. Conservative: a triangle within `margin` of the segment along every axis is visited,
    /// and each at most once. The order is that of the tree.
    ///
    /// `a` and `b` are metres relative to the scene's origin. If the triangles were rounded from f64, `margin` must
    /// cover that rounding. Values that are not finite visit nothing.
    pub fn candidates(&self, a: DVec3, b: DVec3, margin: f32, mut visit: impl FnMut(u32) -> bool) {
        if let Some(segment) = Segment::new(a, b, margin)
            && !self.nodes.is_empty()
        {
            dispatch::candidates(self, &segment, &mut visit);
        }
    }
}
