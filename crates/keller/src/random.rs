//! The one random generator, of resampling, of searches for parameters and of the tests: the same numbers everywhere, from a seed.

use std::f64::consts::TAU;

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

    /// Uniform in `[low, high)`.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normally distributed with mean 0 and deviation 1.
    ///
    /// # Source
    /// G. E. P. Box and M. E. Muller, 1958, doi:10.1214/aoms/1177706645.
    pub fn normal(&mut self) -> f64 {
        let (radius, angle) = (self.range(0.0, 1.0), self.range(0.0, TAU));
        (-2.0 * (1.0 - radius).ln()).sqrt() * angle.cos()
    }

    /// A whole number below `end`.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the remainder is below a usize"
    )]
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// A point of the box from `low` to `high`.
    pub fn point(&mut self, low: DVec3, high: DVec3) -> DVec3 {
        DVec3::new(
            self.range(low.x, high.x),
            self.range(low.y, high.y),
            self.range(low.z, high.z),
        )
    }
}
