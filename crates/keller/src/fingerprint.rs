//! The probable places of a device, by the levels that it measures of several Tx: its fingerprint is compared with
//! those of all places.
//!
//! **Algorithm.** A coverage gives the level of every Tx at each place. Measured levels deviate from it by normal
//! distributions: each by its own, and all together by the offset of the device's antenna and cables. The probability
//! of a place is the product of the likelihoods of all levels with the size of the place, over the sum of the same for
//! all places (Bayes' rule, all places being as likely before as they are large).
//!
//! **Cost:** one pass over the gains of the measured Tx for each device.

use libm::erfc;

/// One level that a device has measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Index of the Tx.
    pub tx: usize,
    /// Measured path gain, dB.
    pub gain_db: f64,
    /// Whether nothing was received: the gain is that of the receiver's noise.
    pub is_limit: bool,
    /// Standard deviation of the measurement itself, dB; 0 if it is counted in [`Deviations::level_db`].
    pub uncertainty_db: f64,
}

/// The standard deviations of measured levels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deviations {
    /// The deviation of each level, dB: of the prediction, and of the measurement as far as [`Level::uncertainty_db`]
    /// does not say it.
    pub level_db: f64,
    /// The deviation of the offset that the device adds to all its levels alike, dB; 0 if it is known, infinite if
    /// nothing is known of it.
    pub offset_db: f64,
}

impl Default for Deviations {
    fn default() -> Self {
        Self {
            level_db: 6.0,
            offset_db: 0.0,
        }
    }
}

/// The levels of all Tx at all places.
#[derive(Debug, Clone, Copy)]
pub struct Fingerprints<'a> {
    gains_db: &'a [f64],
    sizes: &'a [f64],
    floors_db: &'a [f64],
}

impl<'a> Fingerprints<'a> {
    /// The levels `gains_db`, dB, of each Tx at all places in turn, minus infinity where nothing arrives, NaN where no
    /// device can be; and the `sizes` of the places, in any unit. Where nothing arrives, the level is only known to be
    /// less than `floors_db` of that Tx, the limit of the coverage.
    ///
    /// # Panics
    /// If the numbers of values do not fit.
    pub fn new(gains_db: &'a [f64], sizes: &'a [f64], floors_db: &'a [f64]) -> Self {
        assert_eq!(
            gains_db.len(),
            sizes.len() * floors_db.len(),
            "a gain for each Tx and place"
        );
        Self {
            gains_db,
            sizes,
            floors_db,
        }
    }

    /// The probability that a device which measured `levels` is at each place; they sum up to 1. `None` if the device can be
    /// nowhere: without levels, or without places that have a gain.
    ///
    /// ```
    /// use keller::fingerprint::{Deviations, Fingerprints, Level};
    ///
    /// // Two Tx and three places in a row.
    /// let gains = [-60.0, -70.0, -80.0, -80.0, -70.0, -60.0];
    /// let fingerprints = Fingerprints::new(&gains, &[1.0; 3], &[-150.0; 2]);
    /// let level = |tx, gain_db| Level { tx, gain_db, is_limit: false, uncertainty_db: 0.0 };
    /// let all = fingerprints.probabilities(&[level(0, -71.0), level(1, -69.0)], &Deviations::default()).unwrap();
    /// assert!(all[1] > all[2] && all[2] > all[0]);
    /// ```
    pub fn probabilities(&self, levels: &[Level], deviations: &Deviations) -> Option<Vec<f64>> {
        if levels.is_empty() {
            return None;
        }
        let num_places = self.sizes.len();
        let mut logs: Vec<f64> = (0..num_places)
            .map(|place| self.log_likelihood(place, levels, deviations))
            .collect();
        let max_log = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if max_log == f64::NEG_INFINITY {
            return None;
        }
        for (log, size) in logs.iter_mut().zip(self.sizes) {
            *log = size * (*log - max_log).exp();
        }
        let sum: f64 = logs.iter().sum();
        for value in &mut logs {
            *value /= sum;
        }
        Some(logs)
    }

    /// The logarithm of the likelihood, up to a constant; minus infinity where no device can be.
    fn log_likelihood(&self, place: usize, levels: &[Level], deviations: &Deviations) -> f64 {
        let num_places = self.sizes.len();
        let predicted = |level: &Level| self.gains_db[level.tx * num_places + place];
        let variance = |level: &Level| deviations.level_db.powi(2) + level.uncertainty_db.powi(2);
        // Sums of 1, of the differences and of their squares, each over the variance.
        let [mut weight, mut sum, mut squares] = [0.0; 3];
        for level in levels {
            let gain = predicted(level);
            if gain.is_nan() {
                return f64::NEG_INFINITY;
            }
            if level.is_limit {
                continue;
            }
            let difference = if gain == f64::NEG_INFINITY {
                (level.gain_db - self.floors_db[level.tx]).max(0.0)
            } else {
                level.gain_db - gain
            };
            weight += variance(level).recip();
            sum += difference / variance(level);
            squares += difference * difference / variance(level);
        }
        // The offset is integrated out: normal around its likeliest value.
        let prior = deviations.offset_db.powi(-2);
        let offset = if deviations.offset_db > 0.0 && weight > 0.0 {
            sum / (prior + weight)
        } else {
            0.0
        };
        let mut log = -0.5 * (squares - sum * offset);
        // The likeliest offset is used for limits.
        for level in levels.iter().filter(|level| level.is_limit) {
            let above = (predicted(level) + offset - level.gain_db) / variance(level).sqrt();
            log += log_normal_tail(above);
        }
        log
    }
}

/// The logarithm of the probability that a standard normal variable is above `x`.
fn log_normal_tail(x: f64) -> f64 {
    if x < 20.0 {
        (0.5 * erfc(x / 2.0_f64.sqrt())).ln()
    } else {
        // The asymptotic form, relative error 1 / x^2.
        -0.5 * x * x - (x * std::f64::consts::TAU.sqrt()).ln()
    }
}

/// The places that hold a share of the probability with the least size: all that are denser than others, the densest first.
///
/// # Panics
/// If the numbers of values do not fit.
pub fn densest(probabilities: &[f64], sizes: &[f64], share: f64) -> Vec<usize> {
    assert_eq!(probabilities.len(), sizes.len(), "a size for each place");
    let density = |place: usize| probabilities[place] / sizes[place];
    let mut places: Vec<usize> = (0..sizes.len())
        .filter(|place| probabilities[*place] > 0.0)
        .collect();
    places.sort_by(|a, b| density(*b).total_cmp(&density(*a)).then(a.cmp(b)));
    let mut held = 0.0;
    let count = places.iter().position(|place| {
        held += probabilities[*place];
        held >= share
    });
    places.truncate(count.map_or(places.len(), |last| last + 1));
    places
}

#[cfg(test)]
mod tests;
