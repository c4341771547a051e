//! Errors weighed by the uncertainty of the measurements.
//!
//! The square of an error is expected to be that of the measurement's uncertainty and that of the prediction's own error
//! together. Its weight is one over this sum, so a good measurement counts for more, but never without bound. The
//! prediction's own error is the one for which the weighted squares come out as expected.

/// The statistics of errors that are weighed by the uncertainty of their measurements.
///
/// ```
/// use keller::comparison::Weighted;
///
/// // Of equal uncertainty, all count alike.
/// let weighted = Weighted::of(&[[3.0, 1.0], [-1.0, 1.0], [1.0, 1.0]]).unwrap();
/// assert!((weighted.mean - 1.0).abs() < 1e-9);
/// // Variance 4 about the mean, less the variance 1 of the measurements.
/// assert!((weighted.model_error - 3.0_f64.sqrt()).abs() < 1e-9);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighted {
    /// Number of errors with an uncertainty.
    pub count: usize,
    /// Weighted mean error, dB.
    pub mean: f64,
    /// Root of the weighted mean square error, dB.
    pub rmse: f64,
    /// Standard deviation of the prediction's own error about its mean, dB: what the uncertainty of the measurements
    /// does not explain. Zero if they explain all.
    pub model_error: f64,
}

impl Weighted {
    /// The statistics of errors, each with the standard deviation of its measurement, dB, 0 for an exact one; `None`
    /// for fewer than two.
    ///
    /// # Source
    /// R. C. Paule and J. Mandel, "Consensus values and weighting factors", J. Res. Natl. Bur. Stand. 87 (1982), pp.
    /// 377-385.
    pub fn of(errors: &[[f64; 2]]) -> Option<Self> {
        if errors.len() < 2 {
            return None;
        }
        let variance = model_variance(errors);
        let total: f64 = weights(errors, variance).sum();
        let mean = mean(errors, variance);
        let squares = errors.iter().zip(weights(errors, variance));
        let squares = squares.map(|([error, _], weight)| weight * error * error);
        Some(Self {
            count: errors.len(),
            mean,
            rmse: (squares.sum::<f64>() / total).sqrt(),
            model_error: variance.sqrt(),
        })
    }
}

/// A measurement with a smaller standard deviation is exact, dB.
const EXACT: f64 = 1e-6;

fn weights(errors: &[[f64; 2]], variance: f64) -> impl Iterator<Item = f64> {
    errors
        .iter()
        .map(move |[_, sigma]| 1.0 / (sigma.max(EXACT).powi(2) + variance))
}

fn mean(errors: &[[f64; 2]], variance: f64) -> f64 {
    let products = errors.iter().zip(weights(errors, variance));
    let sum: f64 = products.map(|([error, _], weight)| weight * error).sum();
    sum / weights(errors, variance).sum::<f64>()
}

/// The variance of the prediction's own error, dB²: the one at which the weighted squares about the mean add up to one
/// less than their number. They fall with it, so bisection finds it.
fn model_variance(errors: &[[f64; 2]]) -> f64 {
    const STEPS: u32 = 200;
    let excess = |variance: f64| {
        let centre = mean(errors, variance);
        let squares = errors.iter().zip(weights(errors, variance));
        let squares = squares.map(|([error, _], weight)| weight * (error - centre).powi(2));
        squares.sum::<f64>() - (errors.len() - 1) as f64
    };
    if excess(0.0) <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while excess(high) > 0.0 {
        high *= 4.0;
    }
    for _ in 0..STEPS {
        let centre = f64::midpoint(low, high);
        if excess(centre) > 0.0 {
            low = centre;
        } else {
            high = centre;
        }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_good_measurement_counts_for_more() {
        let errors = [[0.0, 0.1], [6.0, 10.0], [0.2, 0.1]];
        let weighted = Weighted::of(&errors).unwrap();
        assert!(
            weighted.mean.abs() < 0.2 && weighted.rmse < 0.5,
            "{weighted:?}"
        );
        assert_eq!(Weighted::of(&errors[..1]), None);
    }

    #[test]
    fn measurements_that_explain_all_leave_no_model_error() {
        let weighted = Weighted::of(&[[1.0, 5.0], [-1.0, 5.0], [0.5, 9.0]]).unwrap();
        assert_eq!(weighted.model_error, 0.0);
        // Weights 1/25, 1/25, 1/81.
        let expected = 0.5 / 81.0 / (2.0 / 25.0 + 1.0 / 81.0);
        assert!((weighted.mean - expected).abs() < 1e-12);
    }

    #[test]
    fn exact_measurements_weigh_as_much_as_the_model_error_lets_them() {
        // All exact: the model's own error is the whole spread.
        let weighted = Weighted::of(&[[3.0, 0.0], [-1.0, 0.0], [1.0, 0.0]]).unwrap();
        assert!((weighted.mean - 1.0).abs() < 1e-9);
        assert!((weighted.model_error - 2.0).abs() < 1e-9, "{weighted:?}");
        // All exact and all alike: nothing is left to explain.
        let weighted = Weighted::of(&[[1.5, 0.0]; 4]).unwrap();
        assert!((weighted.mean - 1.5).abs() < 1e-12 && (weighted.rmse - 1.5).abs() < 1e-12);
        assert_eq!(weighted.model_error, 0.0);
        // One exact measurement among others that explain all: it alone counts.
        let weighted = Weighted::of(&[[0.5, 0.0], [1.0, 3.0], [-1.0, 3.0]]).unwrap();
        assert!((weighted.mean - 0.5).abs() < 1e-9 && weighted.model_error == 0.0);
    }

    #[test]
    fn the_model_error_that_was_put_in_comes_out() {
        let mut random = Random(7);
        // Twelve uniform numbers make a Gaussian of variance 1.
        let mut gaussian = || (0..12).map(|_| random.range(0.0, 1.0)).sum::<f64>() - 6.0;
        let errors: Vec<[f64; 2]> = (0..4000)
            .map(|i| {
                let sigma = [1.0, 3.0, 8.0][i % 3];
                [2.0 + 4.0 * gaussian() + sigma * gaussian(), sigma]
            })
            .collect();
        let weighted = Weighted::of(&errors).unwrap();
        assert!((weighted.model_error - 4.0).abs() < 0.2, "{weighted:?}");
        assert!((weighted.mean - 2.0).abs() < 0.25, "{weighted:?}");
    }
}
