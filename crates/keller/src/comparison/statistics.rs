//! The statistics of errors.

use super::{Offsets, Pair};

/// The statistics of errors, dB.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Statistics {
    /// Number of errors.
    pub count: usize,
    /// Mean error: positive where predictions are too strong.
    pub mean: f64,
    /// Mean of the absolute errors.
    pub mean_absolute: f64,
    /// Root of the mean square error.
    pub rmse: f64,
    /// Standard deviation about the mean error, for `count` errors and not one less.
    pub standard_deviation: f64,
    /// Median error.
    pub median: f64,
    /// 95 % of the absolute errors are at most this.
    pub percentile_95: f64,
    /// Correlation of predictions with measurements; `None` where one of both is constant.
    pub correlation: Option<f64>,
}

impl Statistics {
    /// The statistics of the pairs that have an error; `None` without a single one.
    pub fn of(pairs: &[Pair], offsets: &Offsets) -> Option<Self> {
        let known: Vec<&Pair> = pairs.iter().filter(|pair| pair.has_error()).collect();
        if known.is_empty() {
            return None;
        }
        let mut errors: Vec<f64> = known.iter().map(|pair| pair.error(offsets)).collect();
        let count = errors.len() as f64;
        let mean = errors.iter().sum::<f64>() / count;
        let about = |centre: f64| {
            let squares = errors.iter().map(|error| (error - centre).powi(2));
            (squares.sum::<f64>() / count).sqrt()
        };
        let (rmse, standard_deviation) = (about(0.0), about(mean));
        let mean_absolute = errors.iter().map(|error| error.abs()).sum::<f64>() / count;
        errors.sort_by(f64::total_cmp);
        let median = quantile(&errors, 0.5);
        let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
        sizes.sort_by(f64::total_cmp);
        Some(Self {
            count: errors.len(),
            mean,
            mean_absolute,
            rmse,
            standard_deviation,
            median,
            percentile_95: quantile(&sizes, 0.95),
            correlation: correlation(&known, offsets),
        })
    }
}

/// The quantile of ascending numbers, interpolated between the two nearest.
pub(super) fn quantile(ascending: &[f64], share: f64) -> f64 {
    let at = share * (ascending.len() - 1) as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index of the slice"
    )]
    let below = at.floor() as usize;
    let above = (below + 1).min(ascending.len() - 1);
    ascending[below] + (at - at.floor()) * (ascending[above] - ascending[below])
}

fn correlation(pairs: &[&Pair], offsets: &Offsets) -> Option<f64> {
    let count = pairs.len() as f64;
    let predicted = |pair: &&Pair| pair.predicted_db + offsets.of(pair.group);
    let mean = |value: &dyn Fn(&&Pair) -> f64| pairs.iter().map(value).sum::<f64>() / count;
    let (of_predicted, of_measured) = (mean(&predicted), mean(&|pair| pair.measured_db));
    let (mut both, mut squares) = (0.0, [0.0, 0.0]);
    for pair in pairs {
        let (x, y) = (
            predicted(pair) - of_predicted,
            pair.measured_db - of_measured,
        );
        both += x * y;
        squares[0] += x * x;
        squares[1] += y * y;
    }
    let size = (squares[0] * squares[1]).sqrt();
    (size > 0.0).then(|| (both / size).clamp(-1.0, 1.0))
}
