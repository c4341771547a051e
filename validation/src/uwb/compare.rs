//! How a predicted power-delay profile compares with a measured one.

use keller::units::{db_to_power, power_to_db};

use super::STEP;

/// Delays tried for the cables of a channel, s.
const MAX_OFFSET: f64 = 4e-9;

/// The noise of a profile is the median of what comes before this, s: light needs 28 ns to the nearest anchor.
const QUIET: f64 = 25e-9;

/// An averaged sample that stands so far above the noise is signal, dB.
const CLEAR_DB: f64 = 10.0;

/// A single sample is so only from here, dB: noise is exponentially distributed and passes 15 dB above its median once in 3e9 samples.
const START_DB: f64 = 15.0;

/// Profiles are compared after averaging power over this, s: walls are not known to the centimetre.
const SMOOTHING: f64 = 2e-9;

/// One measured link with what is predicted of it.
pub(super) struct Link {
    pub(super) file: &'static str,
    pub(super) channel: usize,
    pub(super) line_of_sight: f64,
    /// Air that the walls of the direct path displace, as delay, s. A wall's transmission factor counts it, and the path's length
    /// does so too, hence predictions are late by this.
    pub(super) displaced: f64,
    pub(super) num_paths: usize,
    pub(super) measured: Vec<f64>,
    pub(super) predicted: Vec<f64>,
}

/// Samples as seconds.
pub(super) fn seconds(samples: isize) -> f64 {
    samples as f64 * STEP
}

/// The delay, in samples, by which predictions have to be late for their amplitudes to correlate best with all measured ones.
pub(super) fn best_offset(links: &[&Link]) -> isize {
    #[expect(clippy::cast_possible_truncation, reason = "a small whole number")]
    let most = (MAX_OFFSET / STEP).round() as isize;
    let likeness = |offset: isize| -> f64 {
        let of_link = |link: &&Link| {
            let shifted = shifted(&link.predicted, offset);
            let pairs = link.measured.iter().zip(shifted);
            let product: f64 = pairs.map(|(m, p)| (m * p).sqrt()).sum();
            let norm = link.measured.iter().sum::<f64>() * link.predicted.iter().sum::<f64>();
            if norm > 0.0 {
                product / norm.sqrt()
            } else {
                0.0
            }
        };
        links.iter().map(of_link).sum()
    };
    (-most..=most)
        .max_by(|a, b| likeness(*a).total_cmp(&likeness(*b)))
        .unwrap_or(0)
}

/// `values` later by `offset` samples; what comes in from beyond the ends repeats.
pub(super) fn shifted(values: &[f64], offset: isize) -> impl Iterator<Item = f64> {
    let n = values.len().cast_signed();
    (0..n).map(move |i| values[(i - offset).rem_euclid(n).cast_unsigned()])
}

/// How a prediction compares with a measurement.
pub(super) struct Comparison {
    /// When each first rises clear above the measured noise, s.
    pub(super) measured_start: Option<f64>,
    pub(super) predicted_start: Option<f64>,
    /// Samples at which the measurement is clear above its noise: only those are compared.
    pub(super) num_samples: usize,
    /// Of decibels.
    pub(super) correlation: Option<f64>,
    /// Predicted over measured.
    pub(super) mean_db: Option<f64>,
    pub(super) rms_db: Option<f64>,
}

impl Comparison {
    pub(super) fn of(link: &Link, offset: isize) -> Self {
        let predicted: Vec<f64> = shifted(&link.predicted, offset).collect();
        let noise = noise(&link.measured);
        let clear = noise * db_to_power(CLEAR_DB);
        let begins = noise * db_to_power(START_DB);
        let start = |profile: &[f64]| {
            let first = profile.iter().position(|p| *p > begins);
            first.map(|i| i as f64 * STEP)
        };
        // Averaging evens out noise too, so its level stays what it was.
        let (measured, smooth) = (smoothed(&link.measured), smoothed(&predicted));
        let pairs: Vec<(f64, f64)> = measured
            .iter()
            .zip(&smooth)
            .filter(|(m, _)| **m > clear)
            .map(|(m, p)| (power_to_db(*m), power_to_db(p.max(noise))))
            .collect();
        let n = pairs.len() as f64;
        let mean = |value: &dyn Fn(&(f64, f64)) -> f64| -> Option<f64> {
            (!pairs.is_empty()).then(|| pairs.iter().map(value).sum::<f64>() / n)
        };
        let (mean_m, mean_p) = (mean(&|p| p.0).unwrap_or(0.0), mean(&|p| p.1).unwrap_or(0.0));
        let covariance = mean(&|p| (p.0 - mean_m) * (p.1 - mean_p));
        let variances = [
            mean(&|p| (p.0 - mean_m).powi(2)),
            mean(&|p| (p.1 - mean_p).powi(2)),
        ];
        let correlation = match (covariance, variances) {
            (Some(c), [Some(a), Some(b)]) if a > 0.0 && b > 0.0 => Some(c / (a * b).sqrt()),
            _ => None,
        };
        Self {
            measured_start: start(&link.measured),
            predicted_start: start(&predicted),
            num_samples: pairs.len(),
            correlation,
            mean_db: mean(&|p| p.1 - p.0),
            rms_db: mean(&|p| (p.1 - p.0).powi(2)).map(f64::sqrt),
        }
    }

    /// How much later the measurement begins.
    pub(super) fn start_error(&self) -> Option<f64> {
        Some(self.measured_start? - self.predicted_start?)
    }
}

/// The level before anything can have arrived.
fn noise(measured: &[f64]) -> f64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small whole number"
    )]
    let mut quiet = measured[..(QUIET / STEP) as usize].to_vec();
    quiet.sort_by(f64::total_cmp);
    quiet[quiet.len() / 2]
}

/// The mean of power over [`SMOOTHING`] around each sample.
pub(super) fn smoothed(profile: &[f64]) -> Vec<f64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a small whole number"
    )]
    let half = (0.5 * SMOOTHING / STEP) as usize;
    (0..profile.len())
        .map(|i| {
            let around = &profile[i.saturating_sub(half)..(i + half + 1).min(profile.len())];
            around.iter().sum::<f64>() / around.len() as f64
        })
        .collect()
}
