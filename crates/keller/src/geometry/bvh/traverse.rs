//! One ray against the tree, eight boxes or triangles at a time.

use std::mem::MaybeUninit;

use super::{
    Bvh, Hit, Ray,
    build::MAX_DEPTH,
    node::{Child, Name},
    ray::Prepared,
    simd::{LANES, Simd},
};

/// Children that can wait at once: all but one of each level's.
const STACK: usize = (LANES - 1) * MAX_DEPTH + LANES;

/// Masks for the first n lanes, read from `LANES - n` on.
static FIRST_LANES: [f32; 2 * LANES] = [
    -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
];

/// A prepared ray in registers.
struct Broadcast<S: Simd> {
    inverse: [S::F; 3],
    near_offset: [S::F; 3],
    far_offset: [S::F; 3],
    origin: [S::F; 3],
    slope: [S::F; 2],
    scale: S::F,
    zero: S::F,
}

#[allow(unsafe_code, reason = "vector instructions")]
impl<S: Simd> Broadcast<S> {
    /// # Safety
    /// As [`Simd`].
    #[inline(always)]
    unsafe fn new(ray: &Prepared) -> Self {
        // SAFETY: the caller's.
        unsafe {
            Self {
                inverse: [
                    S::splat(ray.inverse[0]),
                    S::splat(ray.inverse[1]),
                    S::splat(ray.inverse[2]),
                ],
                near_offset: [
                    S::splat(ray.near_offset[0]),
                    S::splat(ray.near_offset[1]),
                    S::splat(ray.near_offset[2]),
                ],
                far_offset: [
                    S::splat(ray.far_offset[0]),
                    S::splat(ray.far_offset[1]),
                    S::splat(ray.far_offset[2]),
                ],
                origin: [
                    S::splat(ray.sheared.origin[0]),
                    S::splat(ray.sheared.origin[1]),
                    S::splat(ray.sheared.origin[2]),
                ],
                slope: [
                    S::splat(ray.sheared.slope[0]),
                    S::splat(ray.sheared.slope[1]),
                ],
                scale: S::splat(ray.sheared.scale),
                zero: S::splat(0.0),
            }
        }
    }
}

/// Which children of the node the ray meets before `t_max`, one bit each, and where it enters them.
///
/// # Safety
/// As [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn meet_boxes<S: Simd>(
    bounds: &[[f32; LANES]; 6],
    ray: &Prepared,
    lanes: &Broadcast<S>,
    t_max: f32,
) -> (u32, S::F) {
    // SAFETY: the caller's; each of the six bounds has eight floats.
    unsafe {
        let near = |axis: usize| {
            let plane = S::load(bounds.get_unchecked(ray.near[axis]).as_ptr());
            S::mul_sub(plane, lanes.inverse[axis], lanes.near_offset[axis])
        };
        let far = |axis: usize| {
            let plane = S::load(bounds.get_unchecked(ray.far[axis]).as_ptr());
            S::mul_sub(plane, lanes.inverse[axis], lanes.far_offset[axis])
        };
        let entry = S::max(S::max(near(0), near(1)), S::max(near(2), lanes.zero));
        let exit = S::min(S::min(far(0), far(1)), S::min(far(2), S::splat(t_max)));
        (S::bits(S::le(entry, exit)), entry)
    }
}

/// Step 1 of a hit for all triangles of a leaf: those the ray may hit with `0 < t <= t_max`, one bit each, and t.
///
/// # Safety
/// As [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn meet_triangles<S: Simd>(
    bvh: &Bvh,
    leaf: Child,
    ray: &Prepared,
    lanes: &Broadcast<S>,
    t_max: f32,
) -> (u32, S::F) {
    let stride = leaf.length();
    // SAFETY: the caller's; leaves are made such that eight floats can be read from each of their nine coordinates.
    unsafe {
        let floats = bvh.triangles.floats_unchecked(leaf);
        let [x, y, z] = ray.sheared.axes;
        let load = |vertex: usize, axis: usize, place: usize| {
            S::sub(
                S::load(floats.add((3 * vertex + axis) * stride)),
                lanes.origin[place],
            )
        };
        let vertex = |vertex: usize| {
            let vz = load(vertex, z, 2);
            let vx = S::sub(load(vertex, x, 0), S::mul(lanes.slope[0], vz));
            let vy = S::sub(load(vertex, y, 1), S::mul(lanes.slope[1], vz));
            [vx, vy, vz]
        };
        let a = vertex(0);
        let b = vertex(1);
        let c = vertex(2);
        // Exactly the negative of what the neighbour across the edge computes.
        let u = S::sub(S::mul(c[0], b[1]), S::mul(c[1], b[0]));
        let v = S::sub(S::mul(a[0], c[1]), S::mul(a[1], c[0]));
        let w = S::sub(S::mul(b[0], a[1]), S::mul(b[1], a[0]));
        let inside = S::or(
            S::le(lanes.zero, S::min(S::min(u, v), w)),
            S::le(S::max(S::max(u, v), w), lanes.zero),
        );
        let used = S::lt(
            S::load(FIRST_LANES.as_ptr().add(LANES - stride)),
            lanes.zero,
        );
        let inside = S::and(inside, used);
        if S::bits(inside) == 0 {
            return (0, lanes.zero);
        }
        let determinant = S::add(S::add(u, v), w);
        let along = S::add(S::add(S::mul(u, a[2]), S::mul(v, b[2])), S::mul(w, c[2]));
        let t = S::mul(S::div(along, determinant), lanes.scale);
        // An edge-on triangle divides by zero: NaN fails these comparisons, and infinity the final one with `t_max`.
        let hit = S::and(S::lt(lanes.zero, t), S::le(t, S::splat(t_max)));
        (S::bits(S::and(hit, inside)), t)
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the other half of a key")]
#[inline(always)]
fn low(key: u64) -> u32 {
    key as u32
}

/// The nearest hit so far, and where its triangle is named.
#[derive(Clone, Copy)]
struct Best {
    t: f32,
    name: Name,
}

/// The first hit.
///
/// # Safety
/// As [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
pub(super) unsafe fn closest_hit<S: Simd>(bvh: &Bvh, ray: &Ray) -> Option<Hit> {
    if bvh.nodes.is_empty() {
        return None;
    }
    let prepared = Prepared::new(ray, &bvh.bounds)?;
    // Above every real name, so that ties need no special case.
    let mut best = Best {
        t: ray.t_max,
        name: Name {
            group: u32::MAX,
            triangle: u32::MAX,
        },
    };
    let mut stack = [MaybeUninit::<u64>::uninit(); STACK];
    let mut height = 0;
    let mut current = Child(0);
    // SAFETY: the caller's; the stack is as high as the deepest tree needs, and children exist.
    unsafe {
        let lanes = Broadcast::<S>::new(&prepared);
        loop {
            if current.is_leaf() {
                let (mut mask, t) = meet_triangles::<S>(bvh, current, &prepared, &lanes, best.t);
                if mask != 0 {
                    let mut ts = [0.0; LANES];
                    S::store(ts.as_mut_ptr(), t);
                    while mask != 0 {
                        let lane = mask.trailing_zeros() as usize;
                        mask &= mask - 1;
                        keep_nearer(
                            bvh,
                            current,
                            lane,
                            ts[lane & (LANES - 1)],
                            &prepared,
                            &mut best,
                        );
                    }
                }
            } else {
                let node = bvh.nodes.get_unchecked(current.index());
                let (mut mask, entry) = meet_boxes::<S>(&node.bounds, &prepared, &lanes, best.t);
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
                    current = Child(low(nearest));
                    continue;
                }
            }
            loop {
                if height == 0 {
                    return (best.t < ray.t_max).then_some(Hit {
                        t: best.t,
                        triangle: best.name.triangle,
                        group: best.name.group,
                    });
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

#[allow(clippy::inline_always, reason = "the hot loop's own code")]
#[inline(always)]
fn keep_nearer(bvh: &Bvh, leaf: Child, lane: usize, t: f32, ray: &Prepared, best: &mut Best) {
    let name = bvh.triangles.names[leaf.index() + lane];
    if t > best.t || ray.skips(name.group) {
        return;
    }
    if let Some(t) = ray.judge(&bvh.triangles.vertices(leaf, lane), t)
        && (t < best.t || (t == best.t && name < best.name))
    {
        *best = Best { t, name };
    }
}

/// Whether nothing is hit; if something is, `occluder` becomes its leaf. That leaf is asked first, if it is one.
///
/// # Safety
/// As [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
pub(super) unsafe fn is_free<S: Simd>(bvh: &Bvh, ray: &Ray, occluder: &mut Child) -> bool {
    if bvh.nodes.is_empty() {
        return true;
    }
    let Some(prepared) = Prepared::new(ray, &bvh.bounds) else {
        return true;
    };
    let mut stack = [MaybeUninit::<Child>::uninit(); STACK];
    let mut height = 0;
    // SAFETY: the caller's; the stack is as high as the deepest tree needs, and children exist.
    unsafe {
        let lanes = Broadcast::<S>::new(&prepared);
        let mut current = Child(0);
        if occluder.is_leaf() {
            stack.get_unchecked_mut(height).write(current);
            height += 1;
            current = *occluder;
        }
        loop {
            if current.is_leaf() {
                let (mut mask, t) = meet_triangles::<S>(bvh, current, &prepared, &lanes, ray.t_max);
                if mask != 0 {
                    let mut ts = [0.0; LANES];
                    S::store(ts.as_mut_ptr(), t);
                    while mask != 0 {
                        let lane = mask.trailing_zeros() as usize;
                        mask &= mask - 1;
                        if blocks(bvh, current, lane, ts[lane & (LANES - 1)], &prepared) {
                            *occluder = current;
                            return false;
                        }
                    }
                }
            } else {
                let node = bvh.nodes.get_unchecked(current.index());
                let (mut mask, _) = meet_boxes::<S>(&node.bounds, &prepared, &lanes, ray.t_max);
                while mask != 0 {
                    let lane = mask.trailing_zeros() as usize;
                    mask &= mask - 1;
                    stack
                        .get_unchecked_mut(height)
                        .write(*node.children.get_unchecked(lane));
                    height += 1;
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

#[allow(clippy::inline_always, reason = "the hot loop's own code")]
#[inline(always)]
fn blocks(bvh: &Bvh, leaf: Child, lane: usize, t: f32, ray: &Prepared) -> bool {
    let name = bvh.triangles.names[leaf.index() + lane];
    !ray.skips(name.group) && ray.judge(&bvh.triangles.vertices(leaf, lane), t).is_some()
}
