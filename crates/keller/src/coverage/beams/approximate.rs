//! Elementary functions in single precision, without branches, so that the compiler computes several at a time.
//!
//! All are within a few units of the last place of single precision, and the same in every lane.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use std::f32::consts::{LN_2, PI};

/// 2 to the power of `x`; zero below what single precision holds.
#[inline(always)]
pub(super) fn exp2(x: f32) -> f32 {
    let x = x.clamp(-126.0, 126.0);
    // Rounding to whole numbers without the function of the machine, which is slow.
    #[expect(clippy::cast_possible_truncation, reason = "clamped above")]
    let whole = (x + 126.5) as i32 - 126;
    let y = (x - whole as f32) * LN_2;
    // The series of the exponential: y is at most 0.35.
    let series = 1.0
        + y * (1.0
            + y * (0.5 + y * (1.0 / 6.0 + y * (1.0 / 24.0 + y * (1.0 / 120.0 + y / 720.0)))));
    let power = f32::from_bits((whole + 127).cast_unsigned() << 23);
    series * power
}

/// The angle whose cosine is `x`, radians.
///
/// # Source
/// M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 1964, equation 4.4.46.
#[inline(always)]
#[expect(clippy::excessive_precision, reason = "as the source has them")]
pub(super) fn acos(x: f32) -> f32 {
    let a = x.abs().min(1.0);
    let series = 1.570_796_305
        + a * (-0.214_598_801_6
            + a * (0.088_978_987_4
                + a * (-0.050_174_304_6
                    + a * (0.030_891_881_0
                        + a * (-0.017_088_125_6 + a * (0.006_670_090_1 - a * 0.001_262_491_1))))));
    let angle = (1.0 - a).sqrt() * series;
    if x < 0.0 { PI - angle } else { angle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_the_functions_of_the_standard_library() {
        for k in -20_000_i16..=20_000 {
            let x = f32::from(k) / 20_000.0;
            assert!((acos(x) - x.acos()).abs() < 2e-6, "acos({x})");
            let y = 100.0 * x;
            assert!((exp2(y) / y.exp2() - 1.0).abs() < 1e-6, "exp2({y})");
        }
    }
}
