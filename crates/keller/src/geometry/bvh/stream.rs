//! Many rays against the tree, several at a time and in no order: while one waits for memory or for a comparison, others
//! go on. A visit of a node has no branch to guess wrong: children are put on the stack in an order that the node keeps
//! for the ray's octant, not by distance.
//!
//! # Source
//! The order by octants: Fuetterer, Lojewski, Pfreundt, Hamann and Ebert, "Accelerated Single Ray Tracing for Wide Vector
//! Units" (`WiVe`), 2017.

use std::{mem::MaybeUninit, ops::Range};

use super::{
    Bvh, Ray,
    node::Child,
    packet,
    ray::Prepared,
    results::Results,
    simd::{LANES, Simd},
    traverse::{Best, NOTHING, STACK, Slabs, meet_boxes, meet_triangles, prefetch},
};

/// Rays under way at once: enough to cover a fetch from the third-level cache. Measured: 16 beat 8 by up to 8 %, 4 are slower.
const RAYS: usize = 16;

/// A ray under way.
struct Traveller {
    prepared: Prepared,
    skip: [u32; 2],
    /// The number of the ray in the batch.
    ray: usize,
    best: Best,
    current: Child,
    height: usize,
    children: [MaybeUninit<u32>; STACK],
    entries: [MaybeUninit<f32>; STACK],
}

/// The hits of all rays: sixteen neighbours together where they go much the same way, the others by themselves.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[allow(clippy::large_stack_arrays, reason = "the stacks of eight rays, 20 kB")]
#[inline(always)]
pub(super) unsafe fn trace<S: Simd, R: Results>(bvh: &Bvh, rays: &[Ray], results: &mut R) {
    if bvh.nodes.is_empty() {
        (0..rays.len()).for_each(|ray| results.set(ray, None));
        return;
    }
    let mut travellers = Box::new_uninit_slice(RAYS);
    let mut alone = 0..0;
    loop {
        let mut together = false;
        while !together && alone.end < rays.len() {
            let (start, rest) = (alone.end, &rays[alone.end..]);
            if let Some((sixteen, _)) = rest.split_first_chunk() {
                // SAFETY: the caller's.
                together = unsafe { packet::trace::<S, R>(bvh, sixteen, start, results) };
            }
            if !together {
                alone.end = rays.len().min(start + packet::RAYS);
            }
        }
        // SAFETY: the caller's.
        unsafe { trace_alone::<S, R>(bvh, rays, alone.clone(), &mut travellers, results) };
        if !together {
            return;
        }
        alone = alone.end + packet::RAYS..alone.end + packet::RAYS;
    }
}

/// The hits of some of the rays, each by itself.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn trace_alone<S: Simd, R: Results>(
    bvh: &Bvh,
    rays: &[Ray],
    range: Range<usize>,
    travellers: &mut [MaybeUninit<Traveller>],
    results: &mut R,
) {
    let mut waiting = range.clone().zip(&rays[range]);
    let mut occluder = Child::ROOT;
    // Travellers that are at a node, and at a leaf or the end.
    let mut at_node = [0; RAYS];
    let mut at_leaf = [0; RAYS];
    let (mut num_at_node, mut num_at_leaf) = (0, 0);
    // SAFETY: the caller's; the lists name travellers that have departed, the stacks are as high as the deepest tree
    // needs, and children exist.
    unsafe {
        for (id, traveller) in travellers.iter_mut().enumerate() {
            if let Some((index, ray)) = waiting.next() {
                let current = if R::ANY { occluder } else { Child::ROOT };
                depart(traveller, bvh, index, ray, current);
                at_node[num_at_node] = id;
                num_at_node += 1;
            }
        }
        while num_at_node + num_at_leaf > 0 {
            let mut still_at_node = 0;
            for i in 0..num_at_node {
                let id = *at_node.get_unchecked(i);
                let traveller = travellers.get_unchecked_mut(id).assume_init_mut();
                visit_node::<S>(bvh, traveller);
                let current = next::<S>(bvh, traveller);
                *at_node.get_unchecked_mut(still_at_node) = id;
                still_at_node += usize::from(!current.is_leaf());
                *at_leaf.get_unchecked_mut(num_at_leaf) = id;
                num_at_leaf += usize::from(current.is_leaf());
            }
            num_at_node = still_at_node;

            let mut still_at_leaf = 0;
            for i in 0..num_at_leaf {
                let id = *at_leaf.get_unchecked(i);
                let slot = travellers.get_unchecked_mut(id);
                let traveller = slot.assume_init_mut();
                let mut done = traveller.current == Child::END;
                if !done {
                    done = visit_leaf::<S>(bvh, traveller) && R::ANY;
                    if done {
                        occluder = traveller.current;
                    }
                }
                let current = if done {
                    results.set(traveller.ray, traveller.best.hit());
                    let Some((index, ray)) = waiting.next() else {
                        continue;
                    };
                    let current = if R::ANY { occluder } else { Child::ROOT };
                    depart(slot, bvh, index, ray, current);
                    current
                } else {
                    next::<S>(bvh, traveller)
                };
                *at_leaf.get_unchecked_mut(still_at_leaf) = id;
                still_at_leaf += usize::from(current.is_leaf());
                *at_node.get_unchecked_mut(num_at_node) = id;
                num_at_node += usize::from(!current.is_leaf());
            }
            num_at_leaf = still_at_leaf;
        }
    }
}

/// Sends a ray off, to a leaf first if there is one to try.
#[inline(always)]
fn depart(slot: &mut MaybeUninit<Traveller>, bvh: &Bvh, index: usize, ray: &Ray, first: Child) {
    let pointer = slot.as_mut_ptr();
    // SAFETY: every field but the stacks, which may stay as they are, is written.
    #[allow(unsafe_code, reason = "does not copy the stacks")]
    unsafe {
        (&raw mut (*pointer).prepared).write(Prepared::new(ray, bvh.corners));
        (&raw mut (*pointer).skip).write(ray.skip);
        (&raw mut (*pointer).ray).write(index);
        (&raw mut (*pointer).best).write(Best {
            t: ray.limit(),
            name: NOTHING,
        });
        (&raw mut (*pointer).current).write(first);
        (*pointer).children[0].write(Child::END.0);
        (*pointer).entries[0].write(f32::NEG_INFINITY);
        (*pointer).children[1].write(Child::ROOT.0);
        (*pointer).entries[1].write(f32::NEG_INFINITY);
        (&raw mut (*pointer).height).write(if first.is_leaf() { 2 } else { 1 });
    }
}

/// Puts the children that the ray meets on its stack.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn visit_node<S: Simd>(bvh: &Bvh, traveller: &mut Traveller) {
    // SAFETY: the caller's; a stack has room for eight more.
    unsafe {
        let node = bvh.nodes.get_unchecked(traveller.current.index());
        let slabs = Slabs::<S>::new(&traveller.prepared);
        let (entry, exit) =
            meet_boxes::<S>(&node.bounds, &traveller.prepared, &slabs, traveller.best.t);
        traveller.height += S::push_ordered(
            node.children.as_ptr().cast(),
            *node.order.get_unchecked(traveller.prepared.octant),
            entry,
            exit,
            traveller.children.as_mut_ptr().add(traveller.height).cast(),
            traveller.entries.as_mut_ptr().add(traveller.height).cast(),
        );
    }
}

/// Takes the next child from the stack and starts to fetch it.
///
/// # Safety
/// The conditions of [`Simd`]; the stack still has its end.
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn next<S: Simd>(bvh: &Bvh, traveller: &mut Traveller) -> Child {
    // SAFETY: the caller's; the end is never too far.
    unsafe {
        loop {
            traveller.height -= 1;
            if traveller
                .entries
                .get_unchecked(traveller.height)
                .assume_init()
                <= traveller.best.t
            {
                break;
            }
        }
        traveller.current = Child(
            traveller
                .children
                .get_unchecked(traveller.height)
                .assume_init(),
        );
        prefetch::<S>(bvh, traveller.current);
    }
    traveller.current
}

/// Keeps the nearest hit of a leaf's triangles; true if there is any.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn visit_leaf<S: Simd>(bvh: &Bvh, traveller: &mut Traveller) -> bool {
    // SAFETY: the caller's; a mask names triangles of the leaf.
    unsafe {
        let leaf = traveller.current;
        let (mut mask, t) = meet_triangles::<S>(bvh, leaf, &traveller.prepared, traveller.best.t);
        if mask == 0 {
            return false;
        }
        let mut ts = [0.0; LANES];
        S::store(ts.as_mut_ptr(), t);
        let mut hit = false;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let name = *bvh.triangles.names.get_unchecked(leaf.index() + lane);
            let found = Best {
                t: *ts.get_unchecked(lane),
                name,
            };
            if !traveller.skip.contains(&name.group) && found.is_nearer(&traveller.best) {
                traveller.best = found;
                hit = true;
            }
        }
        hit
    }
}
