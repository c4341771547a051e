//! The two narrowings of numbers that terrain needs.

/// The nearest f32: heights to 0.5 mm at 8 km.
#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding is what is wanted"
)]
pub(super) fn narrow(value: f64) -> f32 {
    value as f32
}

/// The whole part, 0 for a negative number or NaN.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
pub(super) fn whole(value: f64) -> usize {
    value as usize
}
