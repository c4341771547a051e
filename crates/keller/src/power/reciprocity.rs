//! Factors that make an exchange of power reciprocal and lossless at once.
//!
//! The power that a side sends to others must add up, with the power that it sends into the open, to all that it sends.
//! Every side gets a factor, and each entry of the exchange is multiplied by those of both its sides, so it stays
//! symmetric. The factors follow from repeated correction by the root of the missing part.
//!
//! # Source
//! P. A. Knight, D. Ruiz, B. Uçar, "A symmetry preserving algorithm for matrix scaling", SIAM J. Matrix Anal. Appl. 35(3),
//! 2014, doi:10.1137/110825753.

use crate::Error;

/// The factors of so many sides after some rounds of correction. `sum` computes, from the factors, the power that each
/// side sends as a part of the power that it ought to send; 0 for sides whose factor stays as it is. Factors stay
/// within `range`.
///
/// # Errors
/// The errors of `sum`.
pub(crate) fn factors(
    num_sides: usize,
    rounds: usize,
    range: [f64; 2],
    mut sum: impl FnMut(&[f64]) -> Result<Vec<f64>, Error>,
) -> Result<Vec<f64>, Error> {
    let mut factors = vec![1.0_f64; num_sides];
    for _ in 0..rounds {
        let sums = sum(&factors)?;
        for (factor, sum) in factors.iter_mut().zip(sums) {
            if sum > 0.0 {
                *factor = (*factor / sum.sqrt()).clamp(range[0], range[1]);
            }
        }
    }
    Ok(factors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symmetric_table_becomes_lossless() {
        let table = [[0.0, 0.7, 0.4], [0.7, 0.1, 0.2], [0.4, 0.2, 0.3]];
        let sums = |factors: &[f64]| {
            let row = |a: usize| (0..3).map(|b| factors[a] * table[a][b] * factors[b]).sum();
            Ok((0..3).map(row).collect())
        };
        let found = factors(3, 200, [0.0, f64::INFINITY], sums).unwrap();
        for sum in sums(&found).unwrap() {
            let sum: f64 = sum;
            assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        }
    }
}
