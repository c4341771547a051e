//! An accelerator next to the processor, such as a graphics card, that answers batches of rays for an index.
//!
//! **Promise.** The answers of an accelerator are those of the index, bit for bit. For rays of which it is not sure, it says
//! [`Answer::Unknown`], and the processor answers them. If it fails in the middle of a batch, the processor answers the
//! whole batch. So results do not depend on it.

use std::fmt;

use super::results::Results;
use super::sights::{AcceleratorFailed, SightPlace, Sights};
use super::{Bvh, Hit, Ray};

/// The question that a batch of rays asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// The first triangle on each ray.
    First,
    /// Any triangle on each ray.
    Any,
}

/// The answer of an accelerator for a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The ray hits nothing.
    Nothing,
    /// The ray hits this; for [`Question::Any`], it is the hit that the accelerator has found first.
    Hit(Hit),
    /// The processor must look.
    Unknown,
}

/// An accelerator that holds a copy of an index and answers batches of rays as the index does.
pub trait RayAccelerator: fmt::Debug + Send + Sync {
    /// The smallest batch that is worth the transfer: the processor answers smaller ones.
    fn fewest_rays(&self) -> usize;

    /// The batch size at which it is busy. Who can choose the size of a batch uses this one.
    fn rays_at_once(&self) -> usize;

    /// Calls `set` with the number of each ray and its answer, once for each and in any order.
    ///
    /// # Errors
    /// [`AcceleratorFailed`] if the accelerator is lost or out of memory, after which none of the answers are used.
    fn answer(
        &self,
        rays: &[Ray],
        question: Question,
        set: &mut dyn FnMut(usize, Answer),
    ) -> Result<(), AcceleratorFailed>;

    /// The number of pairs of points below which the processor says which of them see each other; it always does by
    /// default.
    fn fewest_pairs(&self) -> usize {
        usize::MAX
    }

    /// A place on the accelerator, in which it says which points see each other. `None` if it cannot take the place; it has
    /// then reported why to the code that opened it.
    fn sights(&self, place: &SightPlace<'_>) -> Option<Box<dyn Sights>> {
        let _ = place;
        None
    }
}

/// Answers of `accelerator`; false if it has failed, and then all results must be set again.
pub(super) fn trace<R: Results>(
    bvh: &Bvh,
    accelerator: &dyn RayAccelerator,
    rays: &[Ray],
    results: &mut R,
) -> bool {
    let question = if R::ANY {
        Question::Any
    } else {
        Question::First
    };
    let mut unknown = Vec::new();
    let answered = accelerator.answer(rays, question, &mut |ray, answer| match answer {
        Answer::Nothing => results.set(ray, None),
        Answer::Hit(hit) => results.set(ray, Some(hit)),
        Answer::Unknown => unknown.push(ray),
    });
    if answered.is_err() {
        return false;
    }
    for ray in unknown {
        results.set(ray, bvh.closest_hit(&rays[ray]));
    }
    true
}

/// An index as flat lists of numbers, for an accelerator.
#[derive(Clone, Debug)]
pub struct FlatIndex<'a> {
    /// The nodes, the root first: six times eight bounds of children as the bits of f32 (min x, max x, min y, ..., max
    /// z), eight children, and for each octant of directions the lanes from far to near, three bits each from the lowest.
    ///
    /// A child has the index of a node; or bit 31, the number of triangles of a leaf less one in bits 28 to 30, and below
    /// them the number of its first triangle. A lane without a child has a minimum above its maximum.
    pub nodes: Vec<[u32; 64]>,
    /// The corners of the triangles in the order of the leaves. A leaf of n triangles has nine lists of n floats: x, y, z of
    /// the first corners, then of the second and third. Eight more floats may be read.
    pub floats: &'a [f32],
    /// Group and index of the triangles in the order of the leaves.
    pub names: Vec<[u32; 2]>,
    /// Min and max of all triangles, metres.
    pub bounds: [[f32; 3]; 2],
    /// The largest number of nodes from the root down to a leaf.
    pub depth: usize,
}

impl Bvh {
    /// This index, but `accelerator` answers its batched calls if they are large enough. The accelerator must hold a copy of this
    /// index ([`Self::flat`]).
    #[must_use]
    pub fn with_accelerator(mut self, accelerator: std::sync::Arc<dyn RayAccelerator>) -> Self {
        self.accelerator = Some(accelerator);
        self
    }

    /// Rays that a batched call should have, where the caller can choose: `here` on the processor, more on an accelerator.
    pub fn rays_at_once(&self, here: usize) -> usize {
        let accelerator = self.accelerator.as_ref();
        accelerator.map_or(here, |accelerator| accelerator.rays_at_once().max(here))
    }

    /// The lists that an accelerator needs.
    pub fn flat(&self) -> FlatIndex<'_> {
        let words = |node: &super::Node| {
            let bounds = node
                .bounds
                .as_flattened()
                .iter()
                .map(|bound| bound.to_bits());
            let children = node.children.iter().map(|child| child.0);
            let mut words = [0; 64];
            let all = bounds.chain(children).chain(node.order);
            for (word, value) in words.iter_mut().zip(all) {
                *word = value;
            }
            words
        };
        let mut depth = vec![1; self.nodes.len()];
        for (n, node) in self.nodes.iter().enumerate() {
            for (_, child) in node.children().filter(|(_, child)| !child.is_leaf()) {
                depth[child.index()] = depth[n] + 1;
            }
        }
        FlatIndex {
            nodes: self.nodes.iter().map(words).collect(),
            floats: self.triangles.all_floats(),
            names: (self.triangles.names.iter())
                .map(|name| [name.group, name.triangle])
                .collect(),
            bounds: self.corners.map(|corner| corner.to_array()),
            depth: depth.into_iter().max().unwrap_or(0),
        }
    }
}
