//! Eight f32 lanes, three ways: plain arrays, AVX2, AVX-512. The traversals are written once over [`Simd`], so every
//! way does the same operations in the same order and gives the same bits. [`Simd::mul_sub`] alone may be fused or
//! not; only box tests use it, and they are padded far beyond its rounding.

#[cfg(target_arch = "x86_64")]
#[path = "simd_x86.rs"]
mod x86;

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::{Avx2, Avx512};

/// Number of lanes.
pub(crate) const LANES: usize = 8;

/// Eight lanes of f32 and of truth values.
///
/// # Safety
/// Every method needs the instructions of its implementor: call them only inside a function compiled with these
/// features, and only when the machine has them. `load` and `store` need eight readable or writable f32, at any alignment.
#[allow(clippy::missing_safety_doc, reason = "stated once, at the trait")]
#[allow(unsafe_code, reason = "vector instructions")]
pub(crate) trait Simd {
    type F: Copy;
    type M: Copy;
    unsafe fn load(from: *const f32) -> Self::F;
    unsafe fn store(to: *mut f32, a: Self::F);
    unsafe fn splat(a: f32) -> Self::F;
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn sub(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn div(a: Self::F, b: Self::F) -> Self::F;
    /// a b - c, rounded once or twice.
    unsafe fn mul_sub(a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// `if a < b { a } else { b }`, lane by lane.
    unsafe fn min(a: Self::F, b: Self::F) -> Self::F;
    /// `if a > b { a } else { b }`, lane by lane.
    unsafe fn max(a: Self::F, b: Self::F) -> Self::F;
    unsafe fn abs(a: Self::F) -> Self::F;
    /// `a`, which is not negative, with the sign of `b`.
    unsafe fn with_sign(a: Self::F, b: Self::F) -> Self::F;
    /// The sign bits, lane i in bit i.
    unsafe fn signs(a: Self::F) -> u32;
    unsafe fn lt(a: Self::F, b: Self::F) -> Self::M;
    unsafe fn le(a: Self::F, b: Self::F) -> Self::M;
    unsafe fn and(a: Self::M, b: Self::M) -> Self::M;
    unsafe fn or(a: Self::M, b: Self::M) -> Self::M;
    /// Bit i is lane i.
    unsafe fn bits(m: Self::M) -> u32;
    /// Hints that the cache line here will be read; any address will do.
    unsafe fn prefetch(line: *const u8);
    /// Writes the items of the lanes with `entry <= exit`, and their entries, one after the other, and says how many. The
    /// lane that bits 3i to 3i + 2 of `order` name is the i-th. Eight items are read and eight places overwritten.
    unsafe fn push_ordered(
        items: *const u32,
        order: u32,
        entry: Self::F,
        exit: Self::F,
        to_items: *mut u32,
        to_entries: *mut f32,
    ) -> usize;
    /// Writes the items of the lanes in `mask` one after the other. Eight items are read and eight places overwritten.
    unsafe fn push(mask: u32, items: *const u32, to: *mut u32);
}

/// Plain arrays, for every machine; the compiler makes vectors of them where it can.
#[derive(Debug)]
pub(crate) struct Portable;

/// Aligned so that the compiler may use whole vectors.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Lanes<T>([T; LANES]);

#[inline(always)]
fn map<A: Copy, B: Copy, C: Copy + Default>(
    a: Lanes<A>,
    b: Lanes<B>,
    f: impl Fn(A, B) -> C,
) -> Lanes<C> {
    let mut c = Lanes([C::default(); LANES]);
    for i in 0..LANES {
        c.0[i] = f(a.0[i], b.0[i]);
    }
    c
}

#[inline(always)]
fn truth(b: bool) -> u32 {
    if b { u32::MAX } else { 0 }
}

#[allow(unsafe_code, reason = "one trait with the vector instructions")]
impl Simd for Portable {
    type F = Lanes<f32>;
    type M = Lanes<u32>;

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self::F {
        // SAFETY: the caller gives eight readable f32.
        Lanes(unsafe { from.cast::<[f32; LANES]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(to: *mut f32, a: Self::F) {
        // SAFETY: the caller gives eight writable f32.
        unsafe { to.cast::<[f32; LANES]>().write_unaligned(a.0) }
    }
    #[inline(always)]
    unsafe fn splat(a: f32) -> Self::F {
        Lanes([a; LANES])
    }
    #[inline(always)]
    unsafe fn add(a: Self::F, b: Self::F) -> Self::F {
        map(a, b, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn sub(a: Self::F, b: Self::F) -> Self::F {
        map(a, b, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn mul(a: Self::F, b: Self::F) -> Self::F {
        map(a, b, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn div(a: Self::F, b: Self::F) -> Self::F {
        map(a, b, |a, b| a / b)
    }
    #[inline(always)]
    unsafe fn mul_sub(a: Self::F, b: Self::F, c: Self::F) -> Self::F {
        map(map(a, b, |a, b| a * b), c, |ab, c| ab - c)
    }
    #[inline(always)]
    unsafe fn min(a: Self::F, b: Self::F) -> Self::F {
        map(a, b, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    unsafe fn max(a: Self::F, b: Self::F) -> Self::F {
        map(a, b, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    unsafe fn abs(a: Self::F) -> Self::F {
        map(a, a, |a, _| a.abs())
    }
    #[inline(always)]
    unsafe fn with_sign(a: Self::F, b: Self::F) -> Self::F {
        map(a, b, f32::copysign)
    }
    #[inline(always)]
    unsafe fn signs(a: Self::F) -> u32 {
        let mut bits = 0;
        for i in 0..LANES {
            bits |= a.0[i].to_bits() >> 31 << i;
        }
        bits
    }
    #[inline(always)]
    unsafe fn lt(a: Self::F, b: Self::F) -> Self::M {
        map(a, b, |a, b| truth(a < b))
    }
    #[inline(always)]
    unsafe fn le(a: Self::F, b: Self::F) -> Self::M {
        map(a, b, |a, b| truth(a <= b))
    }
    #[inline(always)]
    unsafe fn and(a: Self::M, b: Self::M) -> Self::M {
        map(a, b, |a, b| a & b)
    }
    #[inline(always)]
    unsafe fn or(a: Self::M, b: Self::M) -> Self::M {
        map(a, b, |a, b| a | b)
    }
    #[inline(always)]
    unsafe fn bits(m: Self::M) -> u32 {
        let mut bits = 0;
        for i in 0..LANES {
            bits |= (m.0[i] & 1) << i;
        }
        bits
    }
    #[inline(always)]
    unsafe fn prefetch(_: *const u8) {}
    #[inline(always)]
    unsafe fn push(mut mask: u32, items: *const u32, mut to: *mut u32) {
        while mask != 0 {
            // SAFETY: the caller gives eight items and eight places, and the mask has eight bits.
            unsafe {
                *to = *items.add(mask.trailing_zeros() as usize);
                to = to.add(1);
            }
            mask &= mask - 1;
        }
    }
    #[inline(always)]
    unsafe fn push_ordered(
        items: *const u32,
        order: u32,
        entry: Self::F,
        exit: Self::F,
        to_items: *mut u32,
        to_entries: *mut f32,
    ) -> usize {
        let mut count = 0;
        for i in 0..LANES {
            let lane = (order >> (3 * i)) as usize % LANES;
            // SAFETY: the caller gives eight items and eight places, and no more are written.
            unsafe {
                *to_items.add(count) = *items.add(lane);
                *to_entries.add(count) = entry.0[lane];
            }
            count += usize::from(entry.0[lane] <= exit.0[lane]);
        }
        count
    }
}
