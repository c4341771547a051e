//! The one random generator, of resampling and of the tests: the same numbers everywhere, from a seed.

#[cfg(any(test, feature = "lab"))]
use glam::DVec3;

/// `SplitMix64` (Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    #[cfg(any(test, feature = "lab"))]
    /// Uniform in `[low, high)`.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A whole number below `end`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the remainder is below a usize"
    )]
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    #[cfg(any(test, feature = "lab"))]
    /// A point of the box from `low` to `high`.
    pub fn point(&mut self, low: DVec3, high: DVec3) -> DVec3 {
        DVec3::new(
            self.range(low.x, high.x),
            self.range(low.y, high.y),
            self.range(low.z, high.z),
        )
    }
}
