//! One ray against the tree, eight boxes or triangles at a time.

use std::{hint::black_box, mem::MaybeUninit};

use super::{
    Bvh, Hit, Ray,
    build::MAX_DEPTH,
    node::{Child, Name},
    ray::Prepared,
    simd::{LANES, Simd},
};

/// Children that can wait at once: all but one of each level's, and room for [`Simd::push`].
pub(super) const STACK: usize = (LANES - 1) * MAX_DEPTH + 2 * LANES;

/// Masks for the first n lanes, read from `LANES - n` on.
static FIRST_LANES: [f32; 2 * LANES] = [
    -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
];

/// The values with which a prepared ray intersects boxes, each number in all lanes. The values for triangles stay in
/// memory: they are used less often, and there are not enough registers.
pub(super) struct Slabs<S: Simd> {
    inverse: [S::F; 3],
    near_offset: [S::F; 3],
    far_offset: [S::F; 3],
}

#[allow(unsafe_code, reason = "vector instructions")]
impl<S: Simd> Slabs<S> {
    /// # Safety
    /// The conditions of [`Simd`].
    #[inline(always)]
    pub(super) unsafe fn new(ray: &Prepared) -> Self {
        // SAFETY: the caller's.
        unsafe {
            Self {
                inverse: splat3::<S>(ray.inverse.to_array()),
                near_offset: splat3::<S>(ray.near_offset.to_array()),
                far_offset: splat3::<S>(ray.far_offset.to_array()),
            }
        }
    }
}

/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn splat3<S: Simd>(a: [f32; 3]) -> [S::F; 3] {
    // SAFETY: the caller's.
    unsafe { [S::splat(a[0]), S::splat(a[1]), S::splat(a[2])] }
}

/// The parameters at which the ray enters and leaves the children of a node, from 0 to `t_max`; it meets those with
/// entry <= exit.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
pub(super) unsafe fn meet_boxes<S: Simd>(
    bounds: &[[f32; LANES]; 6],
    ray: &Prepared,
    slabs: &Slabs<S>,
    t_max: f32,
) -> (S::F, S::F) {
    // SAFETY: the caller's; `near` and its pairs are below six.
    unsafe {
        let near_x = meet_planes::<S>(bounds, ray.near[0], slabs.inverse[0], slabs.near_offset[0]);
        let near_y = meet_planes::<S>(bounds, ray.near[1], slabs.inverse[1], slabs.near_offset[1]);
        let near_z = meet_planes::<S>(bounds, ray.near[2], slabs.inverse[2], slabs.near_offset[2]);
        let far_x = meet_planes::<S>(
            bounds,
            ray.near[0] ^ 1,
            slabs.inverse[0],
            slabs.far_offset[0],
        );
        let far_y = meet_planes::<S>(
            bounds,
            ray.near[1] ^ 1,
            slabs.inverse[1],
            slabs.far_offset[1],
        );
        let far_z = meet_planes::<S>(
            bounds,
            ray.near[2] ^ 1,
            slabs.inverse[2],
            slabs.far_offset[2],
        );
        let entry = S::max(S::max(near_x, near_y), S::max(near_z, S::splat(0.0)));
        let exit = S::min(S::min(far_x, far_y), S::min(far_z, S::splat(t_max)));
        (entry, exit)
    }
}

/// The parameter at which the ray meets one of the six planes of each box.
///
/// # Safety
/// The conditions of [`Simd`], and `plane < 6`.
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn meet_planes<S: Simd>(
    bounds: &[[f32; LANES]; 6],
    plane: usize,
    inverse: S::F,
    offset: S::F,
) -> S::F {
    // SAFETY: the caller's; each of the six planes has eight floats.
    unsafe {
        S::mul_sub(
            S::load(bounds.get_unchecked(plane).as_ptr()),
            inverse,
            offset,
        )
    }
}

/// The triangles of a leaf that the ray hits with `0 < t <= t_max < infinity`, one bit each, and t; groups are not
/// looked at.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
pub(super) unsafe fn meet_triangles<S: Simd>(
    bvh: &Bvh,
    leaf: Child,
    ray: &Prepared,
    t_max: f32,
) -> (u32, S::F) {
    // Keeps the compiler from loading all of it into registers before the first box.
    let ray = black_box(ray);
    let stride = leaf.length();
    // SAFETY: the caller's; leaves are made such that eight floats can be read from each of their nine coordinates.
    unsafe {
        let zero = S::splat(0.0);
        let floats = bvh.triangles.floats_unchecked(leaf);
        let a = sheared_vertex::<S>(floats, stride, ray);
        let b = sheared_vertex::<S>(floats.add(3 * stride), stride, ray);
        let c = sheared_vertex::<S>(floats.add(6 * stride), stride, ray);
        // The value is exactly the negative of that of the neighbour across the edge.
        let u = S::sub(S::mul(c[0], b[1]), S::mul(c[1], b[0]));
        let v = S::sub(S::mul(a[0], c[1]), S::mul(a[1], c[0]));
        let w = S::sub(S::mul(b[0], a[1]), S::mul(b[1], a[0]));
        let inside = S::or(
            S::le(zero, S::min(S::min(u, v), w)),
            S::le(S::max(S::max(u, v), w), zero),
        );
        let used = S::lt(S::load(FIRST_LANES.as_ptr().add(LANES - stride)), zero);
        let inside = S::and(inside, used);
        if S::bits(inside) == 0 {
            return (0, zero);
        }
        let determinant = S::add(S::add(u, v), w);
        let along = S::add(S::add(S::mul(u, a[2]), S::mul(v, b[2])), S::mul(w, c[2]));
        let t = S::mul(S::div(along, determinant), S::splat(ray.scale));
        let t_max = S::splat(t_max);
        // An edge-on triangle divides by zero: NaN and, as `t_max` is finite, infinity fail these comparisons.
        let hit = S::and(inside, S::and(S::lt(zero, t), S::le(t, t_max)));
        if S::bits(hit) == 0 {
            return (0, zero);
        }
        let (entry, exit) = meet_own_boxes::<S>(floats, stride, ray);
        let t = S::max(entry, t);
        let hit = S::and(hit, S::and(S::le(entry, exit), S::le(t, t_max)));
        (S::bits(hit), t)
    }
}

/// The parameters at which the ray enters and leaves the box of each triangle of a leaf.
///
/// # Safety
/// The conditions of [`Simd`]; eight floats can be read at the first nine multiples of the stride.
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn meet_own_boxes<S: Simd>(
    floats: *const f32,
    stride: usize,
    ray: &Prepared,
) -> (S::F, S::F) {
    // SAFETY: the caller's.
    unsafe {
        let [near_x, far_x] = meet_own_slab::<S>(floats, stride, ray, 0);
        let [near_y, far_y] = meet_own_slab::<S>(floats, stride, ray, 1);
        let [near_z, far_z] = meet_own_slab::<S>(floats, stride, ray, 2);
        let entry = S::max(S::max(near_x, near_y), S::max(near_z, S::splat(0.0)));
        let exit = S::min(S::min(far_x, far_y), far_z);
        (entry, exit)
    }
}

/// # Safety
/// The conditions of [`meet_own_boxes`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn meet_own_slab<S: Simd>(
    floats: *const f32,
    stride: usize,
    ray: &Prepared,
    axis: usize,
) -> [S::F; 2] {
    // SAFETY: the caller's.
    unsafe {
        let a = S::load(floats.add(axis * stride));
        let b = S::load(floats.add((3 + axis) * stride));
        let c = S::load(floats.add((6 + axis) * stride));
        let min = S::sub(S::min(S::min(a, b), c), S::splat(ray.own_min[axis]));
        let max = S::sub(S::max(S::max(a, b), c), S::splat(ray.own_max[axis]));
        let inverse = S::splat(ray.inverse[axis]);
        let (min, max) = (S::mul(min, inverse), S::mul(max, inverse));
        [S::min(min, max), S::max(min, max)]
    }
}

/// A vertex of each triangle as the ray sees it.
///
/// # Safety
/// The conditions of [`Simd`]; eight floats can be read at the first three multiples of the stride.
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn sheared_vertex<S: Simd>(floats: *const f32, stride: usize, ray: &Prepared) -> [S::F; 3] {
    // SAFETY: the caller's.
    unsafe {
        let x = S::sub(
            S::load(floats.add(ray.axes[0] * stride)),
            S::splat(ray.origin[0]),
        );
        let y = S::sub(
            S::load(floats.add(ray.axes[1] * stride)),
            S::splat(ray.origin[1]),
        );
        let z = S::sub(
            S::load(floats.add(ray.axes[2] * stride)),
            S::splat(ray.origin[2]),
        );
        let x = S::sub(x, S::mul(S::splat(ray.slope[0]), z));
        let y = S::sub(y, S::mul(S::splat(ray.slope[1]), z));
        [x, y, z]
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the other half of a key")]
#[inline(always)]
fn low(key: u64) -> u32 {
    key as u32
}

/// Fetches the data that a visit of the child reads first: the node, or most of the leaf.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
pub(super) unsafe fn prefetch<S: Simd>(bvh: &Bvh, child: Child) {
    let node = bvh.nodes.as_ptr().wrapping_add(child.index()).cast::<u8>();
    let leaf = bvh.triangles.floats_unchecked(child).cast::<u8>();
    let at = if child.is_leaf() { leaf } else { node };
    // SAFETY: the caller's.
    unsafe {
        S::prefetch(at);
        S::prefetch(at.wrapping_add(64));
        S::prefetch(at.wrapping_add(128));
        S::prefetch(at.wrapping_add(192));
    }
}

/// The name of no triangle, larger than all names.
pub(super) const NOTHING: Name = Name {
    group: u32::MAX,
    triangle: u32::MAX,
};

/// The nearest hit so far, and its triangle's name.
#[derive(Clone, Copy)]
pub(super) struct Best {
    pub(super) t: f32,
    pub(super) name: Name,
}

impl Best {
    /// Whether this comes first; of equally near hits the one with the smaller name does.
    #[inline(always)]
    pub(super) fn is_nearer(&self, other: &Self) -> bool {
        self.t < other.t || (self.t == other.t && self.name < other.name)
    }

    #[inline(always)]
    pub(super) fn hit(&self) -> Option<Hit> {
        (self.name != NOTHING).then_some(Hit {
            t: self.t,
            triangle: self.name.triangle,
            group: self.name.group,
        })
    }
}

/// The first hit.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
pub(super) unsafe fn closest_hit<S: Simd>(bvh: &Bvh, ray: &Ray) -> Option<Hit> {
    if bvh.nodes.is_empty() {
        return None;
    }
    let prepared = Prepared::new(ray, bvh.corners);
    // The largest t that counts, with a name above every real one: the first hit needs no special case.
    let mut best = Best {
        t: ray.limit(),
        name: NOTHING,
    };
    let mut stack = [MaybeUninit::<u64>::uninit(); STACK];
    let mut height = 0;
    let mut current = Child::ROOT;
    // SAFETY: the caller's; the stack is as high as the deepest tree needs, and children exist.
    unsafe {
        let slabs = Slabs::<S>::new(&prepared);
        loop {
            if current.is_leaf() {
                let (mut mask, t) = meet_triangles::<S>(bvh, current, &prepared, best.t);
                if mask != 0 {
                    let mut ts = [0.0; LANES];
                    S::store(ts.as_mut_ptr(), t);
                    while mask != 0 {
                        let lane = mask.trailing_zeros() as usize;
                        mask &= mask - 1;
                        let name = *bvh.triangles.names.get_unchecked(current.index() + lane);
                        let found = Best {
                            t: *ts.get_unchecked(lane),
                            name,
                        };
                        if !ray.skips(name.group) && found.is_nearer(&best) {
                            best = found;
                        }
                    }
                }
            } else {
                let node = bvh.nodes.get_unchecked(current.index());
                let (entry, exit) = meet_boxes::<S>(&node.bounds, &prepared, &slabs, best.t);
                let mut mask = S::bits(S::le(entry, exit));
                if mask != 0 {
                    let mut entries = [0.0; LANES];
                    S::store(entries.as_mut_ptr(), entry);
                    // Entries are not negative, so their bits sort as they do.
                    let key = |lane: usize| {
                        let entry = *entries.get_unchecked(lane);
                        u64::from(entry.to_bits()) << 32
                            | u64::from(node.children.get_unchecked(lane).0)
                    };
                    let first = key(mask.trailing_zeros() as usize);
                    mask &= mask - 1;
                    if mask == 0 {
                        current = Child(low(first));
                        continue;
                    }
                    let second = key(mask.trailing_zeros() as usize);
                    mask &= mask - 1;
                    let mut nearest = first.min(second);
                    let bottom = height;
                    stack.get_unchecked_mut(height).write(first.max(second));
                    height += 1;
                    while mask != 0 {
                        let next = key(mask.trailing_zeros() as usize);
                        mask &= mask - 1;
                        let inserted = next.max(nearest);
                        nearest = next.min(nearest);
                        // The farthest lies lowest.
                        let mut place = height;
                        while place > bottom {
                            let below = stack.get_unchecked(place - 1).assume_init();
                            if below >= inserted {
                                break;
                            }
                            stack.get_unchecked_mut(place).write(below);
                            place -= 1;
                        }
                        stack.get_unchecked_mut(place).write(inserted);
                        height += 1;
                    }
                    let next = stack.get_unchecked(height - 1).assume_init();
                    prefetch::<S>(bvh, Child(low(next)));
                    current = Child(low(nearest));
                    continue;
                }
            }
            loop {
                if height == 0 {
                    return best.hit();
                }
                height -= 1;
                let top = stack.get_unchecked(height).assume_init();
                if f32::from_bits(low(top >> 32)) <= best.t {
                    current = Child(low(top));
                    break;
                }
            }
        }
    }
}

/// Whether nothing is hit; if something is, `occluder` becomes its leaf. That leaf is asked first, if it is one.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
pub(super) unsafe fn is_free<S: Simd>(bvh: &Bvh, ray: &Ray, occluder: &mut Child) -> bool {
    if bvh.nodes.is_empty() {
        return true;
    }
    let prepared = Prepared::new(ray, bvh.corners);
    let limit = ray.limit();
    let mut stack = [MaybeUninit::<Child>::uninit(); STACK];
    let mut height = 0;
    // SAFETY: the caller's; the stack is as high as the deepest tree needs, and children exist.
    unsafe {
        let slabs = Slabs::<S>::new(&prepared);
        let mut current = Child::ROOT;
        if occluder.is_leaf() {
            stack.get_unchecked_mut(height).write(current);
            height += 1;
            current = *occluder;
        }
        loop {
            if current.is_leaf() {
                let (mut mask, _) = meet_triangles::<S>(bvh, current, &prepared, limit);
                while mask != 0 {
                    let lane = mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    if !ray.skips(
                        bvh.triangles
                            .names
                            .get_unchecked(current.index() + lane)
                            .group,
                    ) {
                        *occluder = current;
                        return false;
                    }
                }
            } else {
                let node = bvh.nodes.get_unchecked(current.index());
                let (entry, exit) = meet_boxes::<S>(&node.bounds, &prepared, &slabs, limit);
                let mask = S::bits(S::le(entry, exit));
                if mask != 0 {
                    let others = mask & (mask - 1);
                    S::push(
                        others,
                        node.children.as_ptr().cast(),
                        stack.as_mut_ptr().add(height).cast(),
                    );
                    height += others.count_ones() as usize;
                    let next = (others | 1).ilog2() as usize;
                    prefetch::<S>(bvh, *node.children.get_unchecked(next));
                    current = *node.children.get_unchecked(mask.trailing_zeros() as usize);
                    continue;
                }
            }
            if height == 0 {
                return true;
            }
            height -= 1;
            current = stack.get_unchecked(height).assume_init();
        }
    }
}
