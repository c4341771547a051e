//! Two predictions of the same measurements: is one nearer than the other?

use super::bootstrap::{Interval, resampled};
use super::{OffsetKind, Offsets, Pair};

/// Two predictions of the same measurements. Only measurements count where both have an error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paired {
    /// Number of measurements.
    pub count: usize,
    /// Mean absolute error of the first and the second, dB.
    pub mean_absolute: [f64; 2],
    /// Root of the mean square error of the first and the second, dB.
    pub rmse: [f64; 2],
    /// The interval in which the mean absolute error of the second less that of the first lies with a probability of 95
    /// %, dB. If it is wholly below 0, the second is nearer. `None` for less than two places.
    pub difference: Option<Interval>,
}

impl Paired {
    /// Compares two predictions, which have the same measurements in the same order. Offsets are fitted to each.
    ///
    /// # Panics
    /// If there are more of one than of the other.
    pub fn of(first: &[Pair], second: &[Pair], kind: OffsetKind) -> Option<Self> {
        assert_eq!(
            first.len(),
            second.len(),
            "both predict the same measurements"
        );
        let both = first.iter().zip(second);
        let both = both.filter(|(a, b)| a.has_error() && b.has_error());
        let both: Vec<[Pair; 2]> = both.map(|(a, b)| [*a, *b]).collect();
        if both.is_empty() {
            return None;
        }
        let [mean_absolute, rmse] = figures(&both, kind);
        let differences = resampled(
            &both,
            |[pair, _]| pair.place,
            |drawn| {
                let [[a, b], _] = figures(drawn, kind);
                [b - a]
            },
        );
        Some(Self {
            count: both.len(),
            mean_absolute,
            rmse,
            difference: differences.map(|[interval]| interval),
        })
    }
}

/// Mean absolute errors, and roots of the mean square errors.
fn figures(both: &[[Pair; 2]], kind: OffsetKind) -> [[f64; 2]; 2] {
    let errors = [0, 1].map(|of| {
        let pairs: Vec<Pair> = both.iter().map(|pair| pair[of]).collect();
        let offsets = Offsets::fit(&pairs, kind);
        let errors = pairs.iter().map(|pair| pair.error(&offsets));
        errors.collect::<Vec<f64>>()
    });
    let count = both.len() as f64;
    let mean = |of: &Vec<f64>| of.iter().map(|error| error.abs()).sum::<f64>() / count;
    let root = |of: &Vec<f64>| (of.iter().map(|error| error * error).sum::<f64>() / count).sqrt();
    [errors.each_ref().map(mean), errors.each_ref().map(root)]
}
