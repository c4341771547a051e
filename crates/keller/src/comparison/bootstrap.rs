//! The uncertainty of statistics, by resampling places.
//!
//! # Source
//! Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 13.3: the percentile interval.

use super::statistics::quantile;
use super::{OffsetKind, Offsets, Pair, Statistics};
use crate::random::Random;

/// The interval in which a statistic lies with a probability of 95 %.
pub type Interval = [f64; 2];

/// Intervals of the most used statistics, dB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Intervals {
    /// The interval of the mean error.
    pub mean: Interval,
    /// The interval of the mean absolute error.
    pub mean_absolute: Interval,
    /// The interval of the root of the mean square error.
    pub rmse: Interval,
    /// The interval of the standard deviation.
    pub standard_deviation: Interval,
}

/// Number of resamples that intervals are made of.
const NUM_RESAMPLES: usize = 1000;

/// The seed, which gives the same intervals at every run.
const SEED: u64 = 0x6b65_6c6c_6572;

impl Intervals {
    /// Offsets are fitted anew to each resample. `None` for less than two places with an error.
    pub(super) fn of(pairs: &[Pair], kind: OffsetKind) -> Option<Self> {
        let known: Vec<Pair> = pairs
            .iter()
            .filter(|pair| pair.has_error())
            .copied()
            .collect();
        let intervals = resampled(
            &known,
            |pair| pair.place,
            |drawn| {
                let offsets = Offsets::fit(drawn, kind);
                let statistics = Statistics::of(drawn, &offsets).expect("all drawn have an error");
                [
                    statistics.mean,
                    statistics.mean_absolute,
                    statistics.rmse,
                    statistics.standard_deviation,
                ]
            },
        );
        let [mean, mean_absolute, rmse, standard_deviation] = intervals?;
        Some(Self {
            mean,
            mean_absolute,
            rmse,
            standard_deviation,
        })
    }
}

/// The intervals of some figures of values, of which those of one place are drawn together. `None` for less than two places.
pub(super) fn resampled<T: Copy, const N: usize>(
    values: &[T],
    place: impl Fn(&T) -> usize,
    figures: impl Fn(&[T]) -> [f64; N],
) -> Option<[Interval; N]> {
    let num_places = values.iter().map(|value| place(value) + 1).max()?;
    let mut places = vec![Vec::new(); num_places];
    for value in values {
        places[place(value)].push(*value);
    }
    places.retain(|place| !place.is_empty());
    if places.len() < 2 {
        return None;
    }
    let mut random = Random(SEED);
    let mut found = vec![Vec::with_capacity(NUM_RESAMPLES); N];
    let mut drawn = Vec::with_capacity(values.len());
    for _ in 0..NUM_RESAMPLES {
        drawn.clear();
        for _ in 0..places.len() {
            drawn.extend_from_slice(&places[random.below(places.len())]);
        }
        for (all, figure) in found.iter_mut().zip(figures(&drawn)) {
            all.push(figure);
        }
    }
    let mut intervals = [[0.0; 2]; N];
    for (interval, mut all) in intervals.iter_mut().zip(found) {
        all.sort_by(f64::total_cmp);
        *interval = [quantile(&all, 0.025), quantile(&all, 0.975)];
    }
    Some(intervals)
}
