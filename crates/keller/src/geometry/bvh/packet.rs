//! Sixteen rays that go much the same way through the tree together: a node's children are tested once for all of them,
//! each triangle of a leaf for eight of them at a time.
//!
//! A child is visited if the beam around the rays may meet it: t lies between bounds that interval arithmetic gives
//! from the smallest and largest origin and inverse direction. Hits are decided as for one ray, in the same arithmetic,
//! so the answers are the same to the last bit.

use std::{array::from_fn, mem::MaybeUninit};

use super::{
    Bvh, Ray,
    node::Child,
    ray::{MIN_SLOPE, OWN_BOX_GROWTH, Prepared, TREE_BOX_GROWTH},
    results::Results,
    simd::{LANES, Simd},
    traverse::{Best, NOTHING, STACK, prefetch},
};

/// Rays that go together.
pub(super) const RAYS: usize = 2 * LANES;

/// The largest sideways spread of a packet's rays, per length of way. Beyond, they visit too little together.
const MAX_SPREAD: f32 = 0.1;
/// The largest spread of their origins, relative to the farthest corner of the scene.
const MAX_ORIGIN_SPREAD: f32 = 0.01;

/// A number of each ray.
type All = [f32; RAYS];

/// The values of [`Prepared`] for all rays of a packet.
struct Packet {
    origin: [All; 3],
    slope: [All; 2],
    scale: All,
    inverse: [All; 3],
    own_min: [All; 3],
    own_max: [All; 3],
    axes: [usize; 3],
    /// The nearest hit's t, or the largest that counts.
    t: All,
}

/// The values with which the tree's boxes are intersected.
struct Beam {
    near: [usize; 3],
    octant: usize,
    near_shift: [f32; 3],
    far_shift: [f32; 3],
    inverse_min: [f32; 3],
    inverse_max: [f32; 3],
}

/// Finds the hits of sixteen rays, whose first has the number `first`, if they go much the same way; false if they do not.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
pub(super) unsafe fn trace<S: Simd, R: Results>(
    bvh: &Bvh,
    rays: &[Ray; RAYS],
    first: usize,
    results: &mut R,
) -> bool {
    // SAFETY: the caller's; the stack is as high as the deepest tree needs, and children exist.
    unsafe {
        let Some((mut packet, beam)) = prepare::<S>(bvh, rays) else {
            return false;
        };
        let mut names = [NOTHING; RAYS];
        let mut limit = max(&packet.t);
        let mut children = [MaybeUninit::<u32>::uninit(); STACK];
        let mut entries = [MaybeUninit::<f32>::uninit(); STACK];
        let mut height = 0;
        let mut current = Child::ROOT;
        loop {
            if current.is_leaf() {
                let mut hit = false;
                for lane in 0..current.length() {
                    let found = meet_triangle::<S>(bvh, current, lane, &packet);
                    let mut mask = found.mask;
                    let name = *bvh.triangles.names.get_unchecked(current.index() + lane);
                    while mask != 0 {
                        let i = mask.trailing_zeros() as usize % RAYS;
                        mask &= mask - 1;
                        let found = Best {
                            t: found.t[i],
                            name,
                        };
                        if !rays[i].skips(name.group)
                            && found.is_nearer(&Best {
                                t: packet.t[i],
                                name: names[i],
                            })
                        {
                            // Below all entries if any hit will do: this ray asks no more.
                            packet.t[i] = if R::ANY { -1.0 } else { found.t };
                            names[i] = name;
                            hit = true;
                        }
                    }
                }
                if hit {
                    limit = max(&packet.t);
                }
            } else {
                let node = bvh.nodes.get_unchecked(current.index());
                let (entry, exit) = meet_boxes::<S>(&node.bounds, &beam, limit);
                height += S::push_ordered(
                    node.children.as_ptr().cast(),
                    *node.order.get_unchecked(beam.octant),
                    entry,
                    exit,
                    children.as_mut_ptr().add(height).cast(),
                    entries.as_mut_ptr().add(height).cast(),
                );
            }
            loop {
                if height == 0 {
                    for (i, name) in names.into_iter().enumerate() {
                        results.set(
                            first + i,
                            Best {
                                t: packet.t[i],
                                name,
                            }
                            .hit(),
                        );
                    }
                    return true;
                }
                height -= 1;
                if entries.get_unchecked(height).assume_init() <= limit {
                    current = Child(children.get_unchecked(height).assume_init());
                    if height > 0 {
                        prefetch::<S>(bvh, Child(children.get_unchecked(height - 1).assume_init()));
                    }
                    break;
                }
            }
        }
    }
}

/// The prepared packet; `None` if the rays have too different directions, or a value is not a number.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn prepare<S: Simd>(bvh: &Bvh, rays: &[Ray; RAYS]) -> Option<(Packet, Beam)> {
    let origin: [All; 3] = from_fn(|axis| from_fn(|i| rays[i].origin[axis]));
    let direction: [All; 3] = from_fn(|axis| from_fn(|i| rays[i].direction[axis]));
    let Prepared {
        axes, octant, near, ..
    } = Prepared::new(&rays[0], bvh.corners);
    // SAFETY: the caller's.
    unsafe {
        if !go_the_same_way::<S>(&direction, axes[2], octant) {
            return None;
        }
        let mut inverse = [[0.0; RAYS]; 3];
        let mut reach = [0.0; RAYS];
        let mut own_min = [[0.0; RAYS]; 3];
        let mut own_max = [[0.0; RAYS]; 3];
        let mut slope = [[0.0; RAYS]; 2];
        for half in [0, LANES] {
            let d = load3::<S>(&direction, half);
            let o = load3::<S>(&origin, half);
            let length = S::abs(S::load(direction[axes[2]].as_ptr().add(half)));
            let smallest = S::mul(length, S::splat(MIN_SLOPE));
            let far = S::max(
                S::max(farthest::<S>(bvh, o[0], 0), farthest::<S>(bvh, o[1], 1)),
                farthest::<S>(bvh, o[2], 2),
            );
            S::store(reach.as_mut_ptr().add(half), far);
            let growth = S::mul(far, S::splat(OWN_BOX_GROWTH));
            for axis in 0..3 {
                let component = S::with_sign(S::max(S::abs(d[axis]), smallest), d[axis]);
                S::store(
                    inverse[axis].as_mut_ptr().add(half),
                    S::div(S::splat(1.0), component),
                );
                S::store(
                    own_min[axis].as_mut_ptr().add(half),
                    S::add(o[axis], growth),
                );
                S::store(
                    own_max[axis].as_mut_ptr().add(half),
                    S::sub(o[axis], growth),
                );
            }
            let scale = S::load(inverse[axes[2]].as_ptr().add(half));
            for place in 0..2 {
                let d = S::load(direction[axes[place]].as_ptr().add(half));
                S::store(slope[place].as_mut_ptr().add(half), S::mul(d, scale));
            }
        }
        let origin_min = [min(&origin[0]), min(&origin[1]), min(&origin[2])];
        let origin_max = [max(&origin[0]), max(&origin[1]), max(&origin[2])];
        let reach = max(&reach);
        let spread = (max(&slope[0]) - min(&slope[0])).max(max(&slope[1]) - min(&slope[1]));
        let origin_spread = (0..3).fold(0.0_f32, |spread, axis| {
            spread.max(origin_max[axis] - origin_min[axis])
        });
        // The condition is also false for NaN, which every comparison below would let through.
        if !(spread <= MAX_SPREAD && origin_spread <= reach * MAX_ORIGIN_SPREAD) {
            return None;
        }
        let growth = reach * TREE_BOX_GROWTH;
        let mut beam = Beam {
            near,
            octant,
            near_shift: [0.0; 3],
            far_shift: [0.0; 3],
            inverse_min: [min(&inverse[0]), min(&inverse[1]), min(&inverse[2])],
            inverse_max: [max(&inverse[0]), max(&inverse[1]), max(&inverse[2])],
        };
        for axis in 0..3 {
            let (low, high) = (origin_min[axis] - growth, origin_max[axis] + growth);
            let backwards = octant >> axis & 1 == 1;
            beam.near_shift[axis] = if backwards { low } else { high };
            beam.far_shift[axis] = if backwards { high } else { low };
        }
        let packet = Packet {
            origin: axes.map(|axis| origin[axis]),
            slope,
            scale: inverse[axes[2]],
            inverse,
            own_min,
            own_max,
            axes,
            t: from_fn(|i| rays[i].limit()),
        };
        Some((packet, beam))
    }
}

/// Whether all directions have this longest axis and octant, as [`Prepared::new`] would find them.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn go_the_same_way<S: Simd>(direction: &[All; 3], longest: usize, octant: usize) -> bool {
    const ALL: u32 = (1 << LANES) - 1;
    let mut same = true;
    // SAFETY: the caller's.
    unsafe {
        for half in [0, LANES] {
            let d = load3::<S>(direction, half);
            let length = [S::abs(d[0]), S::abs(d[1]), S::abs(d[2])];
            let z_longest = S::bits(S::and(
                S::lt(length[0], length[2]),
                S::lt(length[1], length[2]),
            ));
            let y_over_x = S::bits(S::lt(length[0], length[1]));
            let is_longest = [!z_longest & !y_over_x, !z_longest & y_over_x, z_longest];
            same &= is_longest[longest] & ALL == ALL;
            for (axis, &component) in d.iter().enumerate() {
                let backwards = if octant >> axis & 1 == 1 { ALL } else { 0 };
                same &= S::signs(component) == backwards;
            }
        }
    }
    same
}

/// # Safety
/// The conditions of [`Simd`]; `half` is 0 or `LANES`.
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn load3<S: Simd>(from: &[All; 3], half: usize) -> [S::F; 3] {
    // SAFETY: the caller's; sixteen floats are two times eight.
    unsafe {
        [
            S::load(from[0].as_ptr().add(half)),
            S::load(from[1].as_ptr().add(half)),
            S::load(from[2].as_ptr().add(half)),
        ]
    }
}

/// The largest distance on one axis that the arithmetic meets.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn farthest<S: Simd>(bvh: &Bvh, origin: S::F, axis: usize) -> S::F {
    // SAFETY: the caller's.
    unsafe {
        let to_min = S::abs(S::sub(origin, S::splat(bvh.corners[0][axis])));
        let to_max = S::abs(S::sub(origin, S::splat(bvh.corners[1][axis])));
        S::max(S::max(to_min, to_max), S::abs(origin))
    }
}

#[inline(always)]
fn min(all: &All) -> f32 {
    let mut eight: [f32; LANES] = from_fn(|i| all[i].min(all[i + LANES]));
    for width in [4, 2, 1] {
        for i in 0..width {
            eight[i] = eight[i].min(eight[i + width]);
        }
    }
    eight[0]
}

#[inline(always)]
fn max(all: &All) -> f32 {
    let mut eight: [f32; LANES] = from_fn(|i| all[i].max(all[i + LANES]));
    for width in [4, 2, 1] {
        for i in 0..width {
            eight[i] = eight[i].max(eight[i + width]);
        }
    }
    eight[0]
}

/// The earliest entry of the beam into the children of a node, and its latest exit, from 0 to `limit`.
///
/// # Safety
/// The conditions of [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn meet_boxes<S: Simd>(bounds: &[[f32; LANES]; 6], beam: &Beam, limit: f32) -> (S::F, S::F) {
    // SAFETY: the caller's; `near` and its pairs are below six.
    unsafe {
        let mut entry = S::splat(0.0);
        let mut exit = S::splat(limit);
        for axis in 0..3 {
            let (low, high) = (
                S::splat(beam.inverse_min[axis]),
                S::splat(beam.inverse_max[axis]),
            );
            let near = S::load(bounds.get_unchecked(beam.near[axis]).as_ptr());
            let near = S::sub(near, S::splat(beam.near_shift[axis]));
            entry = S::max(S::min(S::mul(near, low), S::mul(near, high)), entry);
            let far = S::load(bounds.get_unchecked(beam.near[axis] ^ 1).as_ptr());
            let far = S::sub(far, S::splat(beam.far_shift[axis]));
            exit = S::min(S::max(S::mul(far, low), S::mul(far, high)), exit);
        }
        (entry, exit)
    }
}

/// Rays that hit a triangle with t at most their own, one bit each, and where; groups are not looked at.
struct Found {
    mask: u32,
    t: All,
}

/// The hits of all rays with one triangle of a leaf; the arithmetic is that of [`super::traverse::meet_triangles`].
///
/// # Safety
/// The conditions of [`Simd`]; the leaf has such a triangle.
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn meet_triangle<S: Simd>(bvh: &Bvh, leaf: Child, lane: usize, packet: &Packet) -> Found {
    let mut found = Found {
        mask: 0,
        t: [0.0; RAYS],
    };
    // SAFETY: the caller's; a leaf has nine times its length of floats.
    unsafe {
        let stride = leaf.length();
        let floats = bvh.triangles.floats_unchecked(leaf).add(lane);
        let zero = S::splat(0.0);
        for half in [0, LANES] {
            let a = sheared_vertex::<S>(floats, stride, packet, half);
            let b = sheared_vertex::<S>(floats.add(3 * stride), stride, packet, half);
            let c = sheared_vertex::<S>(floats.add(6 * stride), stride, packet, half);
            let u = S::sub(S::mul(c[0], b[1]), S::mul(c[1], b[0]));
            let v = S::sub(S::mul(a[0], c[1]), S::mul(a[1], c[0]));
            let w = S::sub(S::mul(b[0], a[1]), S::mul(b[1], a[0]));
            let inside = S::or(
                S::le(zero, S::min(S::min(u, v), w)),
                S::le(S::max(S::max(u, v), w), zero),
            );
            if S::bits(inside) == 0 {
                continue;
            }
            let determinant = S::add(S::add(u, v), w);
            let along = S::add(S::add(S::mul(u, a[2]), S::mul(v, b[2])), S::mul(w, c[2]));
            let t = S::mul(
                S::div(along, determinant),
                S::load(packet.scale.as_ptr().add(half)),
            );
            let t_max = S::load(packet.t.as_ptr().add(half));
            let hit = S::and(inside, S::and(S::lt(zero, t), S::le(t, t_max)));
            if S::bits(hit) == 0 {
                continue;
            }
            let [near_x, far_x] = meet_own_slab::<S>(floats, stride, packet, half, 0);
            let [near_y, far_y] = meet_own_slab::<S>(floats, stride, packet, half, 1);
            let [near_z, far_z] = meet_own_slab::<S>(floats, stride, packet, half, 2);
            let entry = S::max(S::max(near_x, near_y), S::max(near_z, zero));
            let exit = S::min(S::min(far_x, far_y), far_z);
            let t = S::max(entry, t);
            let hit = S::and(hit, S::and(S::le(entry, exit), S::le(t, t_max)));
            S::store(found.t.as_mut_ptr().add(half), t);
            found.mask |= S::bits(hit) << half;
        }
    }
    found
}

/// # Safety
/// The conditions of [`meet_triangle`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn sheared_vertex<S: Simd>(
    floats: *const f32,
    stride: usize,
    packet: &Packet,
    half: usize,
) -> [S::F; 3] {
    // SAFETY: the caller's.
    unsafe {
        let origin = load3::<S>(&packet.origin, half);
        let x = S::sub(S::splat(*floats.add(packet.axes[0] * stride)), origin[0]);
        let y = S::sub(S::splat(*floats.add(packet.axes[1] * stride)), origin[1]);
        let z = S::sub(S::splat(*floats.add(packet.axes[2] * stride)), origin[2]);
        let x = S::sub(x, S::mul(S::load(packet.slope[0].as_ptr().add(half)), z));
        let y = S::sub(y, S::mul(S::load(packet.slope[1].as_ptr().add(half)), z));
        [x, y, z]
    }
}

/// # Safety
/// The conditions of [`meet_triangle`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn meet_own_slab<S: Simd>(
    floats: *const f32,
    stride: usize,
    packet: &Packet,
    half: usize,
    axis: usize,
) -> [S::F; 2] {
    // SAFETY: the caller's.
    unsafe {
        let a = S::splat(*floats.add(axis * stride));
        let b = S::splat(*floats.add((3 + axis) * stride));
        let c = S::splat(*floats.add((6 + axis) * stride));
        let min = S::sub(
            S::min(S::min(a, b), c),
            S::load(packet.own_min[axis].as_ptr().add(half)),
        );
        let max = S::sub(
            S::max(S::max(a, b), c),
            S::load(packet.own_max[axis].as_ptr().add(half)),
        );
        let inverse = S::load(packet.inverse[axis].as_ptr().add(half));
        let (min, max) = (S::mul(min, inverse), S::mul(max, inverse));
        [S::min(min, max), S::max(min, max)]
    }
}
