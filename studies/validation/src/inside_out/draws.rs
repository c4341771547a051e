//! Random numbers that are the same on every run.

/// Numbers drawn one after the other from a seed.
///
/// # Source
/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014: the generator known as splitmix64.
#[derive(Debug, Clone)]
pub(super) struct Draws(u64);

impl Draws {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number between two others, all equally likely.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        low + share * (high - low)
    }

    /// A whole number from zero to less than `count`.
    pub(super) fn below(&mut self, count: usize) -> usize {
        let number = (self.next() >> 11) % count.max(1) as u64;
        usize::try_from(number).unwrap_or_default()
    }
}
