//! The amount that a threshold leaves out of a search over tiles.
//!
//! Sums are whole numbers, so they do not depend on the order of threads.

use std::sync::atomic::{AtomicU64, Ordering};

/// The bounds of the waves that are left out, in units of the threshold.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// The sum of path gains, by place of the tile.
    gains: Vec<AtomicU64>,
    /// Gain times area, m², of all waves that are not followed.
    unfollowed: AtomicU64,
}

/// The unit: a millionth of the threshold. The power that one chain loses in a tile is less than the threshold.
const UNIT: f64 = (1 << 20) as f64;

impl LeftOut {
    pub(super) fn new(num_tiles: usize) -> Self {
        Self {
            gains: (0..num_tiles).map(|_| AtomicU64::new(0)).collect(),
            unfollowed: AtomicU64::new(0),
        }
    }

    /// Leaves a chain to the tile at `place` out, whose gain is at most `share` of the threshold.
    pub(super) fn leave_out(&self, place: u32, share: f32) {
        self.gains[place as usize].fetch_add(units(f64::from(share)), Ordering::Relaxed);
    }

    /// Does not follow a wave on that falls on `area`, m², with at most `share` of the threshold. It might meet
    /// `num_more` further interactions, and all of its power might fall on tiles at each of them.
    pub(super) fn do_not_follow(&self, share: f32, area: f64, num_more: usize) {
        let sum = f64::from(share) * area * num_more as f64;
        self.unfollowed.fetch_add(units(sum), Ordering::Relaxed);
    }

    /// The gain that is left out of each place, and the gain times area of the waves that are not followed, both over
    /// the threshold.
    pub(super) fn sums(self) -> (Vec<f64>, f64) {
        let number = |sum: AtomicU64| sum.into_inner() as f64 / UNIT;
        let gains = self.gains.into_iter().map(number).collect();
        (gains, number(self.unfollowed))
    }
}

/// `value` in units, rounded up to a whole number.
fn units(value: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative; a value out of range is as large as can be"
    )]
    let units = (value * UNIT).ceil() as u64;
    units
}
