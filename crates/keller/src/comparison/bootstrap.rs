//! How sure statistics are, by resampling places.
//!
//! # Source
//! Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 13.3: the percentile interval.

use super::statistics::quantile;
use super::{OffsetKind, Offsets, Pair, Statistics};
use crate::random::Random;

/// Where a statistic lies with a probability of 95 %.
pub type Interval = [f64; 2];

/// Intervals of the most used statistics, dB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intervals {
    /// Of the mean error.
    pub mean: Interval,
    /// Of the mean absolute error.
    pub mean_absolute: Interval,
    /// Of the root of the mean square error.
    pub rmse: Interval,
    /// Of the standard deviation.
    pub standard_deviation: Interval,
}

/// The same intervals at every run.
const SEED: u64 = 0x6b65_6c6c_6572;

impl Intervals {
    /// From `num_resamples` resamples, for each of which offsets are fitted anew; `None` for less than two places with an
    /// error.
    pub(super) fn of(pairs: &[Pair], kind: OffsetKind, num_resamples: usize) -> Option<Self> {
        let places = by_place(pairs);
        if places.len() < 2 {
            return None;
        }
        let mut random = Random(SEED);
        let mut found: [Vec<f64>; 4] = Default::default();
        for _ in 0..num_resamples {
            let mut drawn = Vec::with_capacity(pairs.len());
            for _ in 0..places.len() {
                drawn.extend_from_slice(&places[random.below(places.len())]);
            }
            let offsets = Offsets::fit(&drawn, kind);
            let statistics = Statistics::of(&drawn, &offsets).expect("every place has an error");
            let values = [
                statistics.mean,
                statistics.mean_absolute,
                statistics.rmse,
                statistics.standard_deviation,
            ];
            for (all, value) in found.iter_mut().zip(values) {
                all.push(value);
            }
        }
        let [mean, mean_absolute, rmse, standard_deviation] = found.map(|mut all| {
            all.sort_by(f64::total_cmp);
            [quantile(&all, 0.025), quantile(&all, 0.975)]
        });
        Some(Self {
            mean,
            mean_absolute,
            rmse,
            standard_deviation,
        })
    }
}

/// The pairs with an error, place by place.
fn by_place(pairs: &[Pair]) -> Vec<Vec<Pair>> {
    let num_places = pairs.iter().map(|pair| pair.place + 1).max().unwrap_or(0);
    let mut places = vec![Vec::new(); num_places];
    for pair in pairs.iter().filter(|pair| pair.has_error()) {
        places[pair.place].push(*pair);
    }
    places.retain(|place| !place.is_empty());
    places
}
