//! The lanes of [`Simd`] in AVX2 and in AVX-512 registers of 256 bits.

use core::arch::x86_64::{
    __m256, __m256i, __mmask8, _CMP_LE_OQ, _CMP_LT_OQ, _MM_HINT_T0, _mm_loadl_epi64, _mm_prefetch,
    _mm256_add_ps, _mm256_and_ps, _mm256_andnot_ps, _mm256_cmp_ps, _mm256_cmp_ps_mask,
    _mm256_cvtepu8_epi32, _mm256_div_ps, _mm256_fmsub_ps, _mm256_loadu_ps, _mm256_loadu_si256,
    _mm256_maskz_compress_epi32, _mm256_maskz_compress_ps, _mm256_max_ps, _mm256_min_ps,
    _mm256_movemask_ps, _mm256_mul_ps, _mm256_or_ps, _mm256_permutevar8x32_epi32,
    _mm256_permutevar8x32_ps, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setr_epi32,
    _mm256_srlv_epi32, _mm256_storeu_ps, _mm256_storeu_si256, _mm256_sub_ps,
};

use super::Simd;

/// Instructions of AVX2 and FMA.
#[derive(Debug)]
pub(crate) struct Avx2;

/// Instructions of AVX-512F and AVX-512VL (with AVX2 and FMA); truth values live in mask registers.
#[derive(Debug)]
pub(crate) struct Avx512;

/// The new order of a mask's lanes when they close up: byte i is the lane that becomes the i-th.
static CLOSE_UP: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0;
    while mask < 256 {
        let (mut lane, mut count) = (0, 0);
        while lane < 8 {
            if mask >> lane & 1 == 1 {
                table[mask][count] = lane;
                count += 1;
            }
            lane += 1;
        }
        mask += 1;
    }
    table
};

/// The operations that both sets share: all but comparisons and operations on their results.
macro_rules! arithmetic {
    () => {
        type F = __m256;

        #[inline(always)]
        unsafe fn load(from: *const f32) -> __m256 {
            // SAFETY: the features and eight readable f32, by the trait's contract.
            unsafe { _mm256_loadu_ps(from) }
        }
        #[inline(always)]
        unsafe fn prefetch(line: *const u8) {
            // SAFETY: a hint, allowed for any address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(line.cast()) }
        }
        #[inline(always)]
        unsafe fn store(to: *mut f32, a: __m256) {
            // SAFETY: the features and eight writable f32, by the trait's contract.
            unsafe { _mm256_storeu_ps(to, a) }
        }
        #[inline(always)]
        unsafe fn splat(a: f32) -> __m256 {
            // SAFETY: the features, by the trait's contract.
            unsafe { _mm256_set1_ps(a) }
        }
        #[inline(always)]
        unsafe fn add(a: __m256, b: __m256) -> __m256 {
            // SAFETY: the features, by the trait's contract.
            unsafe { _mm256_add_ps(a, b) }
        }
        #[inline(always)]
        unsafe fn sub(a: __m256, b: __m256) -> __m256 {
            // SAFETY: the features, by the trait's contract.
            unsafe { _mm256_sub_ps(a, b) }
        }
        #[inline(always)]
        unsafe fn mul(a: __m256, b: __m256) -> __m256 {
            // SAFETY: the features, by the trait's contract.
            unsafe { _mm256_mul_ps(a, b) }
        }
        #[inline(always)]
        unsafe fn div(a: __m256, b: __m256) -> __m256 {
            // SAFETY: the features, by the trait's contract.
            unsafe { _mm256_div_ps(a, b) }
        }
        #[inline(always)]
        unsafe fn mul_sub(a: __m256, b: __m256, c: __m256) -> __m256 {
            // SAFETY: the features, by the trait's contract.
            unsafe { _mm256_fmsub_ps(a, b, c) }
        }
        #[inline(always)]
        unsafe fn min(a: __m256, b: __m256) -> __m256 {
            // SAFETY: the features, by the trait's contract.
            unsafe { _mm256_min_ps(a, b) }
        }
        #[inline(always)]
        unsafe fn max(a: __m256, b: __m256) -> __m256 {
            // SAFETY: the features, by the trait's contract.
            unsafe { _mm256_max_ps(a, b) }
        }
        #[inline(always)]
        unsafe fn abs(a: __m256) -> __m256 {
            // SAFETY: the features, by the trait's contract.
            unsafe { _mm256_andnot_ps(_mm256_set1_ps(-0.0), a) }
        }
        #[inline(always)]
        unsafe fn with_sign(a: __m256, b: __m256) -> __m256 {
            // SAFETY: the features, by the trait's contract.
            unsafe { _mm256_or_ps(a, _mm256_and_ps(_mm256_set1_ps(-0.0), b)) }
        }
        #[inline(always)]
        unsafe fn signs(a: __m256) -> u32 {
            // SAFETY: the features, by the trait's contract.
            unsafe { _mm256_movemask_ps(a) }.cast_unsigned()
        }
    };
}

#[allow(unsafe_code, reason = "vector instructions")]
impl Simd for Avx2 {
    type M = __m256;
    arithmetic!();

    #[inline(always)]
    unsafe fn lt(a: __m256, b: __m256) -> __m256 {
        // SAFETY: the features, by the trait's contract.
        unsafe { _mm256_cmp_ps::<_CMP_LT_OQ>(a, b) }
    }
    #[inline(always)]
    unsafe fn le(a: __m256, b: __m256) -> __m256 {
        // SAFETY: the features, by the trait's contract.
        unsafe { _mm256_cmp_ps::<_CMP_LE_OQ>(a, b) }
    }
    #[inline(always)]
    unsafe fn and(a: __m256, b: __m256) -> __m256 {
        // SAFETY: the features, by the trait's contract.
        unsafe { _mm256_and_ps(a, b) }
    }
    #[inline(always)]
    unsafe fn or(a: __m256, b: __m256) -> __m256 {
        // SAFETY: the features, by the trait's contract.
        unsafe { _mm256_or_ps(a, b) }
    }
    #[inline(always)]
    unsafe fn bits(m: __m256) -> u32 {
        // SAFETY: the features, by the trait's contract.
        unsafe { _mm256_movemask_ps(m) }.cast_unsigned()
    }
    #[inline(always)]
    unsafe fn push_ordered(
        items: *const u32,
        order: u32,
        entry: __m256,
        exit: __m256,
        to_items: *mut u32,
        to_entries: *mut f32,
    ) -> usize {
        // SAFETY: the features, eight items and eight places, by the trait's contract.
        unsafe {
            let order = unpack(order);
            let met = _mm256_permutevar8x32_ps(Self::le(entry, exit), order);
            let mask = Self::bits(met);
            let order = _mm256_permutevar8x32_epi32(order, close_up(mask));
            let items = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(items.cast()), order);
            _mm256_storeu_si256(to_items.cast(), items);
            _mm256_storeu_ps(to_entries, _mm256_permutevar8x32_ps(entry, order));
            mask.count_ones() as usize
        }
    }
    #[inline(always)]
    unsafe fn push(mask: u32, items: *const u32, to: *mut u32) {
        // SAFETY: the features, eight items and eight places, by the trait's contract.
        unsafe {
            let items = _mm256_loadu_si256(items.cast());
            _mm256_storeu_si256(
                to.cast(),
                _mm256_permutevar8x32_epi32(items, close_up(mask)),
            );
        }
    }
}

#[allow(unsafe_code, reason = "vector instructions")]
impl Simd for Avx512 {
    type M = __mmask8;
    arithmetic!();

    #[inline(always)]
    unsafe fn lt(a: __m256, b: __m256) -> __mmask8 {
        // SAFETY: the features, by the trait's contract.
        unsafe { _mm256_cmp_ps_mask::<_CMP_LT_OQ>(a, b) }
    }
    #[inline(always)]
    unsafe fn le(a: __m256, b: __m256) -> __mmask8 {
        // SAFETY: the features, by the trait's contract.
        unsafe { _mm256_cmp_ps_mask::<_CMP_LE_OQ>(a, b) }
    }
    #[inline(always)]
    unsafe fn and(a: __mmask8, b: __mmask8) -> __mmask8 {
        a & b
    }
    #[inline(always)]
    unsafe fn or(a: __mmask8, b: __mmask8) -> __mmask8 {
        a | b
    }
    #[inline(always)]
    unsafe fn bits(m: __mmask8) -> u32 {
        u32::from(m)
    }
    #[inline(always)]
    unsafe fn push_ordered(
        items: *const u32,
        order: u32,
        entry: __m256,
        exit: __m256,
        to_items: *mut u32,
        to_entries: *mut f32,
    ) -> usize {
        // SAFETY: the features, eight items and eight places, by the trait's contract.
        unsafe {
            let order = unpack(order);
            let entry = _mm256_permutevar8x32_ps(entry, order);
            let exit = _mm256_permutevar8x32_ps(exit, order);
            let items = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(items.cast()), order);
            let mask = Self::le(entry, exit);
            _mm256_storeu_si256(to_items.cast(), _mm256_maskz_compress_epi32(mask, items));
            _mm256_storeu_ps(to_entries, _mm256_maskz_compress_ps(mask, entry));
            mask.count_ones() as usize
        }
    }
    #[inline(always)]
    unsafe fn push(mask: u32, items: *const u32, to: *mut u32) {
        // SAFETY: the features, eight items and eight places, by the trait's contract.
        unsafe {
            let items = _mm256_loadu_si256(items.cast());
            _mm256_storeu_si256(
                to.cast(),
                _mm256_maskz_compress_epi32(low_byte(mask), items),
            );
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "a mask of eight lanes")]
#[inline(always)]
fn low_byte(mask: u32) -> __mmask8 {
    mask as __mmask8
}

/// Eight lane numbers out of three bits each; permutations look at no higher bits.
///
/// # Safety
/// Needs AVX2.
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn unpack(order: u32) -> __m256i {
    // SAFETY: the caller's.
    unsafe {
        let shifts = _mm256_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21);
        _mm256_srlv_epi32(_mm256_set1_epi32(order.cast_signed()), shifts)
    }
}

/// The permutation that closes up the lanes of a mask of eight bits.
///
/// # Safety
/// Needs AVX2.
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn close_up(mask: u32) -> __m256i {
    // SAFETY: the caller's; the table has a row for each value of eight bits.
    unsafe {
        _mm256_cvtepu8_epi32(_mm_loadl_epi64(
            CLOSE_UP.get_unchecked(mask as usize).as_ptr().cast(),
        ))
    }
}
