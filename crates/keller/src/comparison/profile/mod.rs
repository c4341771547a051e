//! Predicted power over delay against the measurement of a radio, link by link.
//!
//! Both are power in equal bins of delay, as a radio of one band and window sees it. Three things stand between them:
//!
//! - **Cables** make every measured delay later. Their delay is stated, or fitted for each group of links, such as
//!   those of one Tx, so that the amplitudes of both profiles are most alike ([`fit_cable_delays`]).
//! - **Noise** is the median of what was measured before light can have arrived. Only samples clear above it count, and a
//!   prediction below it counts as noise.
//! - **Walls** are not known to the centimetre, so power is averaged over a short time before samples are compared.
//!
//! Cost: samples times delays tried, for each link. Assumed: a cable's delay is a whole number of samples where it is
//! fitted, and the noise is the same at every delay.

mod cable;

pub use cable::fit_cable_delays;

use crate::units::{db_to_power, power_to_db};

/// An averaged sample that stands so far above the noise is signal, dB.
const CLEAR_DB: f64 = 10.0;

/// A single sample is signal from here on, dB: noise of one sample is exponentially distributed, and stands 15 dB above its
/// median once in 3e9 samples.
const START_DB: f64 = 15.0;

/// The noise is not known from fewer samples than this.
const MIN_QUIET: usize = 16;

/// Equally spaced delays.
///
/// ```
/// use keller::comparison::DelayGrid;
///
/// let grid = DelayGrid::of(&[1e-9, 3e-9, 5e-9]).unwrap();
/// assert_eq!(grid.count, 3);
/// assert!((grid.step - 2e-9).abs() < 1e-18);
/// assert_eq!(DelayGrid::of(&[1e-9, 3e-9, 4e-9]), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelayGrid {
    /// The first delay, s.
    pub first: f64,
    /// The step from one delay to the next, s; above 0.
    pub step: f64,
    /// Number of delays.
    pub count: usize,
}

impl DelayGrid {
    /// Unequal steps are accepted up to this share of a step: files hold rounded numbers.
    const TOLERANCE: f64 = 1e-3;

    /// The grid of ascending delays (s); `None` if these are not equally spaced or fewer than two.
    pub fn of(delays: &[f64]) -> Option<Self> {
        let [first, .., last] = *delays else {
            return None;
        };
        let step = (last - first) / (delays.len() - 1) as f64;
        let grid = Self {
            first,
            step,
            count: delays.len(),
        };
        let is_near = |(delay, found): (f64, &f64)| (found - delay).abs() <= Self::TOLERANCE * step;
        let is_grid = step > 0.0 && step.is_finite() && grid.delays().zip(delays).all(is_near);
        is_grid.then_some(grid)
    }

    /// All delays, s.
    pub fn delays(self) -> impl ExactSizeIterator<Item = f64> {
        (0..self.count).map(move |i| self.first + i as f64 * self.step)
    }

    /// The grid made longer by some samples at both ends.
    #[must_use]
    pub fn extended(self, samples: usize) -> Self {
        Self {
            first: self.first - samples as f64 * self.step,
            count: self.count + 2 * samples,
            ..self
        }
    }
}

/// The measured and the predicted profile of one link.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfilePair {
    /// The delays of the measured samples.
    pub delays: DelayGrid,
    /// Power in each bin, linear: `[delays.count]`.
    pub measured: Vec<f64>,
    /// The predicted power, without cables, at the delays [extended](DelayGrid::extended) by `reach`: `[delays.count +
    /// 2 * reach]`.
    pub predicted: Vec<f64>,
    /// The number of samples by which a prediction may be moved.
    pub reach: usize,
    /// The time up to which measured power is noise, s.
    pub quiet_until: f64,
    /// Index of the group of links that share a cable.
    pub group: usize,
}

impl ProfilePair {
    /// The prediction later by `cable_delay` (s), to the nearest sample, at the measured delays.
    pub fn predicted_after(&self, cable_delay: f64) -> &[f64] {
        let start = self.reach.cast_signed() - self.samples(cable_delay);
        let start = start.cast_unsigned();
        &self.predicted[start..start + self.delays.count]
    }

    /// A delay as a number of samples, at most `reach`.
    fn samples(&self, delay: f64) -> isize {
        let reach = self.reach as f64;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most the number of samples"
        )]
        let samples = (delay / self.delays.step).round().clamp(-reach, reach) as isize;
        samples
    }

    /// The level of the noise, in the unit of the profile; `None` where too few samples are before the signal.
    ///
    /// Zero where the noise was cut off before.
    pub fn noise(&self) -> Option<f64> {
        let is_quiet = |delay: &f64| *delay < self.quiet_until;
        let count = self.delays.delays().take_while(is_quiet).count();
        let mut quiet = self.measured[..count].to_vec();
        quiet.sort_by(f64::total_cmp);
        (count >= MIN_QUIET).then(|| quiet[count / 2])
    }

    /// The measured profile and the prediction later by `cable_delay` (s), both averaged over `smoothing` (s).
    pub fn smoothed(&self, cable_delay: f64, smoothing: f64) -> [Vec<f64>; 2] {
        let predicted = self.predicted_after(cable_delay);
        [&self.measured[..], predicted]
            .map(|profile| smoothed(profile, smoothing, self.delays.step))
    }
}

/// The comparison of a predicted profile with a measured one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileComparison {
    /// The cable delay that was added to predicted delays, s.
    pub cable_delay: f64,
    /// The level below which nothing counts; see [`ProfilePair::noise`]. If the noise is zero or not known, it is the
    /// least power above zero that was measured.
    pub noise: f64,
    /// The time at which the measurement first rises clear above its noise, s.
    pub measured_start: Option<f64>,
    /// The time at which the prediction first rises clear above the same noise, s.
    pub predicted_start: Option<f64>,
    /// Number of samples at which the measurement is clear above its noise: only those are compared.
    pub num_samples: usize,
    /// The duration of all of them together, s.
    pub duration: f64,
    /// Correlation of the decibels of both; 0 where the prediction is nowhere above the noise or else constant, `None` where
    /// the measurement is constant or not compared.
    pub correlation: Option<f64>,
    /// Mean of predicted less measured, dB.
    pub mean_db: Option<f64>,
    /// Root of its mean square, dB.
    pub rms_db: Option<f64>,
}

impl ProfileComparison {
    /// Compares a pair whose prediction is later by `cable_delay` (s), after averaging power over `smoothing` (s).
    ///
    /// ```
    /// use keller::comparison::{DelayGrid, ProfileComparison, ProfilePair};
    ///
    /// // One path at the thirtieth sample, 3 dB stronger than measured, above noise of 1e-12.
    /// let delays = DelayGrid { first: 0.0, step: 1e-9, count: 40 };
    /// let path = |noise: f64, power: f64| (0..40).map(|i| if i == 30 { power } else { noise }).collect();
    /// let pair = ProfilePair {
    ///     delays,
    ///     measured: path(1e-12, 1e-8),
    ///     predicted: path(0.0, 2e-8),
    ///     reach: 0,
    ///     quiet_until: 25e-9,
    ///     group: 0,
    /// };
    /// let found = ProfileComparison::of(&pair, 0.0, 0.0);
    /// assert_eq!((found.num_samples, found.start_error()), (1, Some(0.0)));
    /// assert!((found.mean_db.unwrap() - 3.01).abs() < 0.01);
    /// ```
    pub fn of(pair: &ProfilePair, cable_delay: f64, smoothing: f64) -> Self {
        let step = pair.delays.step;
        let (noise, is_known) = match pair.noise() {
            Some(noise) if noise > 0.0 => (noise, true),
            _ => (least(&pair.measured), false),
        };
        // Samples that were cut off before are zero, and all the rest is signal.
        let is_above = |power: f64, level_db: f64| {
            if is_known {
                power > noise * db_to_power(level_db)
            } else {
                power > 0.0 && power >= noise
            }
        };
        let start = |profile: &[f64]| {
            let first = profile.iter().position(|power| is_above(*power, START_DB));
            first.map(|i| pair.delays.first + i as f64 * step)
        };
        // Averaging evens out noise too, so its level stays what it was.
        let [measured, predicted] = pair.smoothed(cable_delay, smoothing);
        let compared: Vec<(f64, f64)> = measured
            .iter()
            .zip(&predicted)
            .filter(|(measured, _)| is_above(**measured, CLEAR_DB))
            .map(|(measured, predicted)| {
                (power_to_db(*measured), power_to_db(predicted.max(noise)))
            })
            .collect();
        let mean = |value: &dyn Fn(&(f64, f64)) -> f64| -> Option<f64> {
            let sum = compared.iter().map(value).sum::<f64>();
            (!compared.is_empty()).then(|| sum / compared.len() as f64)
        };
        Self {
            cable_delay,
            noise,
            measured_start: start(&pair.measured),
            predicted_start: start(pair.predicted_after(cable_delay)),
            num_samples: compared.len(),
            duration: compared.len() as f64 * step,
            correlation: correlation(&compared),
            mean_db: mean(&|(measured, predicted)| predicted - measured),
            rms_db: mean(&|(measured, predicted)| (predicted - measured).powi(2)).map(f64::sqrt),
        }
    }

    /// The delay of the measurement's start after that of the prediction, s.
    pub fn start_error(&self) -> Option<f64> {
        Some(self.measured_start? - self.predicted_start?)
    }
}

/// The means of the comparisons of several links, over the links that have the figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileSummary {
    /// Number of links.
    pub count: usize,
    /// Number of links at which anything is clear above the noise.
    pub num_compared: usize,
    /// Number of links with a first arrival in both profiles.
    pub num_starts: usize,
    /// Mean of the absolute errors of first arrivals, s.
    pub start_error: Option<f64>,
    /// Mean correlation.
    pub correlation: Option<f64>,
    /// Mean of the mean errors, dB.
    pub mean_db: Option<f64>,
    /// Mean of the roots of the mean square errors, dB.
    pub rms_db: Option<f64>,
}

impl ProfileSummary {
    /// The summary of some comparisons.
    pub fn of<'a>(all: impl IntoIterator<Item = &'a ProfileComparison>) -> Self {
        let all: Vec<&ProfileComparison> = all.into_iter().collect();
        let mean = |value: fn(&ProfileComparison) -> Option<f64>| {
            let values: Vec<f64> = all.iter().filter_map(|one| value(one)).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let starts = all.iter().filter(|one| one.start_error().is_some());
        Self {
            count: all.len(),
            num_compared: all.iter().filter(|one| one.num_samples > 0).count(),
            num_starts: starts.count(),
            start_error: mean(|one| one.start_error().map(f64::abs)),
            correlation: mean(|one| one.correlation),
            mean_db: mean(|one| one.mean_db),
            rms_db: mean(|one| one.rms_db),
        }
    }
}

/// The mean of power over `smoothing` around each sample; at the ends over the existing ones.
fn smoothed(profile: &[f64], smoothing: f64, step: f64) -> Vec<f64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "times are not negative, and too many samples saturate"
    )]
    let half = ((0.5 * smoothing / step) as usize).min(profile.len());
    (0..profile.len())
        .map(|i| {
            let around = &profile[i.saturating_sub(half)..(i + half + 1).min(profile.len())];
            around.iter().sum::<f64>() / around.len() as f64
        })
        .collect()
}

/// The least power above zero; zero without any.
fn least(profile: &[f64]) -> f64 {
    let positive = profile.iter().copied().filter(|power| *power > 0.0);
    positive.min_by(f64::total_cmp).unwrap_or(0.0)
}

/// The correlation of measured with predicted values.
fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let mean = |value: &dyn Fn(&(f64, f64)) -> f64| {
        pairs.iter().map(value).sum::<f64>() / pairs.len() as f64
    };
    // Exact equality: the variance of equal numbers may be a rounding error.
    let is_constant = |value: fn(&(f64, f64)) -> f64| {
        let values = pairs.iter().map(value);
        pairs
            .first()
            .is_none_or(|first| values.clone().all(|other| other == value(first)))
    };
    if is_constant(|pair| pair.0) {
        return None;
    }
    if is_constant(|pair| pair.1) {
        return Some(0.0);
    }
    let centre = [mean(&|pair| pair.0), mean(&|pair| pair.1)];
    let covariance = mean(&|pair| (pair.0 - centre[0]) * (pair.1 - centre[1]));
    let a = mean(&|pair| (pair.0 - centre[0]).powi(2));
    let b = mean(&|pair| (pair.1 - centre[1]).powi(2));
    Some((covariance / (a * b).sqrt()).clamp(-1.0, 1.0)).filter(|found| found.is_finite())
}

#[cfg(test)]
mod tests;
