//! Means and spreads, weighted by power.

use num_complex::Complex64;

/// The mean of `values`, weighted by `powers`; none without power.
pub fn mean(values: &[f64], powers: &[f64]) -> Option<f64> {
    let total: f64 = powers.iter().sum();
    let sum: f64 = values.iter().zip(powers).map(|(v, p)| v * p).sum();
    (total > 0.0).then(|| sum / total)
}

/// The root of the mean squared distance of `values` from their mean, weighted by `powers`; none without power. For
/// delays this is the rms delay spread.
///
/// ```
/// // Two equal paths, 100 ns apart.
/// let spread = keller::channel::spread(&[0.0, 100e-9], &[0.5, 0.5]).expect("there is power");
/// assert!((spread - 50e-9).abs() < 1e-20);
/// ```
///
/// # Source
/// T. S. Rappaport, "Wireless Communications", 2nd ed., 2002, equations (5.35) to (5.37). Theory page: `spreads`.
pub fn spread(values: &[f64], powers: &[f64]) -> Option<f64> {
    let mean = mean(values, powers)?;
    let total: f64 = powers.iter().sum();
    let sum: f64 = values
        .iter()
        .zip(powers)
        .map(|(v, p)| p * (v - mean) * (v - mean))
        .sum();
    Some((sum / total).sqrt())
}

/// The circular spread of `angles` (radians), weighted by `powers`: `sqrt(-2 ln |sum p e^{j angle}| / sum p)`. It does not depend on
/// where angles start to count, and is infinite where all directions balance; none without power.
///
/// # Source
/// 3GPP TR 38.901, equation (A-1). Theory page: `spreads`.
pub fn circular_spread(angles: &[f64], powers: &[f64]) -> Option<f64> {
    let total: f64 = powers.iter().sum();
    (total > 0.0).then(|| spread_of(resultant(angles, powers) / total))
}

/// The circular mean of `angles` (radians), weighted by `powers`: the argument of `sum p e^{j angle}`, in `[-π, π]`. It does not depend
/// on where angles start to count, and means nothing where all directions balance; none without power.
///
/// ```
/// use std::f64::consts::PI;
/// // East of south by as much as west of it: the mean is south, not north.
/// let mean = keller::channel::circular_mean(&[0.9 * PI, -0.9 * PI], &[1.0, 1.0]).expect("there is power");
/// assert!((mean.abs() - PI).abs() < 1e-12);
/// ```
///
/// # Source
/// K. V. Mardia, P. E. Jupp, "Directional Statistics", 2000, section 2.2.1. Theory page: `spreads`.
pub fn circular_mean(angles: &[f64], powers: &[f64]) -> Option<f64> {
    let total: f64 = powers.iter().sum();
    (total > 0.0).then(|| resultant(angles, powers).arg())
}

/// `sum p e^{j angle}`
fn resultant(angles: &[f64], powers: &[f64]) -> Complex64 {
    let pairs = angles.iter().zip(powers);
    pairs.map(|(a, p)| p * Complex64::cis(*a)).sum()
}

/// The circular spread of directions whose mean, as a number on the unit circle each, is `mean`.
pub(crate) fn spread_of(mean: Complex64) -> f64 {
    // Rounding may make a length of one a little larger.
    let length = mean.norm().min(1.0);
    (-2.0 * length.ln()).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_PI_2, PI};

    const TOLERANCE: f64 = 1e-12;

    #[test]
    fn a_uniform_profile_has_the_spread_of_a_uniform_distribution() {
        // n equal values, d apart: d sqrt((n^2 - 1) / 12).
        let n = 100_u32;
        let delays: Vec<f64> = (0..n).map(|i| 3.0 + 0.25 * f64::from(i)).collect();
        let powers = vec![0.7; delays.len()];
        let expected = 0.25 * ((f64::from(n).powi(2) - 1.0) / 12.0).sqrt();
        let found = spread(&delays, &powers).unwrap();
        assert!((found - expected).abs() < TOLERANCE, "{found} {expected}");
        assert!((mean(&delays, &powers).unwrap() - (3.0 + 0.25 * 49.5)).abs() < TOLERANCE);
    }

    #[test]
    fn an_exponential_profile_spreads_by_its_decay() {
        let delays: Vec<f64> = (0..40_000).map(|i| f64::from(i) * 1e-3).collect();
        let powers: Vec<f64> = delays.iter().map(|t| (-t / 1.5).exp()).collect();
        // The steps are far shorter than the decay: their square over 12 is what is left.
        assert!((spread(&delays, &powers).unwrap() - 1.5).abs() < 1e-6);
    }

    #[test]
    fn two_equal_directions_spread_by_the_logarithm_of_their_cosine() {
        for half in [0.1, 0.5, 1.2] {
            let expected = (-2.0 * f64::cos(half).ln()).sqrt();
            for turn in [0.0, 3.0, PI, -3.1] {
                let angles = [turn - half, turn + half];
                let found = circular_spread(&angles, &[2.0, 2.0]).unwrap();
                assert!((found - expected).abs() < TOLERANCE, "{turn}");
            }
        }
    }

    #[test]
    fn a_narrow_circular_spread_is_the_ordinary_one() {
        let (angles, powers) = ([0.99e-3, 1.0e-3, 1.03e-3], [1.0, 3.0, 0.5]);
        let circular = circular_spread(&angles, &powers).unwrap();
        let ordinary = spread(&angles, &powers).unwrap();
        // One minus the vector's length is 1e-10 here, known to 1e-16.
        assert!(
            (circular / ordinary - 1.0).abs() < 1e-5,
            "{circular} {ordinary}"
        );
    }

    #[test]
    fn directions_that_balance_spread_without_limit() {
        let angles = [0.0, FRAC_PI_2, PI, -FRAC_PI_2];
        assert!(circular_spread(&angles, &[1.0; 4]).unwrap() > 8.0);
    }

    #[test]
    fn nothing_has_no_spread_and_one_direction_none_to_speak_of() {
        assert_eq!(mean(&[], &[]), None);
        assert_eq!(spread(&[1.0], &[0.0]), None);
        assert_eq!(circular_spread(&[1.0], &[0.0]), None);
        assert_eq!(spread(&[7.0], &[2.0]), Some(0.0));
        assert!(circular_spread(&[2.0], &[0.1]).unwrap() < 3e-8);
    }
}
