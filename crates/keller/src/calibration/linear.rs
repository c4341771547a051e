//! Small symmetric systems of equations.

/// Solves `matrix x = right` for a positive definite matrix; `None` if it is none.
pub(super) fn solve(matrix: &[Vec<f64>], right: &[f64]) -> Option<Vec<f64>> {
    let lower = cholesky(matrix)?;
    let count = right.len();
    let mut x = right.to_vec();
    for i in 0..count {
        for k in 0..i {
            x[i] -= lower[i][k] * x[k];
        }
        x[i] /= lower[i][i];
    }
    for i in (0..count).rev() {
        for k in i + 1..count {
            x[i] -= lower[k][i] * x[k];
        }
        x[i] /= lower[i][i];
    }
    Some(x)
}

/// The inverse of a positive definite matrix; `None` if it is none.
pub(super) fn inverse(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let count = matrix.len();
    let column = |k: usize| {
        let unit: Vec<f64> = (0..count).map(|i| f64::from(u8::from(i == k))).collect();
        solve(matrix, &unit)
    };
    (0..count).map(column).collect()
}

/// The lower triangle whose product with its transpose is the matrix.
fn cholesky(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let count = matrix.len();
    let mut lower = vec![vec![0.0; count]; count];
    for i in 0..count {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let left = matrix[i][j] - known;
            lower[i][j] = if i == j {
                // The pivot of a singular matrix is rounding.
                if left.is_nan() || left <= 1e-14 * matrix[i][i] {
                    return None;
                }
                left.sqrt()
            } else {
                left / lower[j][j]
            };
        }
    }
    Some(lower)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn solutions_and_inverses_solve() {
        let mut random = Random(7);
        for count in 1..9 {
            let factor: Vec<Vec<f64>> = (0..count)
                .map(|_| (0..count).map(|_| random.range(-1.0, 1.0)).collect())
                .collect();
            let product = |i: usize, j: usize| -> f64 {
                let one = f64::from(u8::from(i == j));
                (0..count).map(|k| factor[i][k] * factor[j][k]).sum::<f64>() + 0.1 * one
            };
            let matrix: Vec<Vec<f64>> = (0..count)
                .map(|i| (0..count).map(|j| product(i, j)).collect())
                .collect();
            let right: Vec<f64> = (0..count).map(|_| random.range(-1.0, 1.0)).collect();
            let x = solve(&matrix, &right).unwrap();
            let inverse = inverse(&matrix).unwrap();
            for i in 0..count {
                let found: f64 = (0..count).map(|k| matrix[i][k] * x[k]).sum();
                assert!((found - right[i]).abs() < 1e-10);
                // The inverse is symmetric.
                for (j, column) in inverse.iter().enumerate() {
                    let found: f64 = matrix[i].iter().zip(column).map(|(a, b)| a * b).sum();
                    assert!((found - f64::from(u8::from(i == j))).abs() < 1e-9);
                }
            }
        }
        assert_eq!(solve(&[vec![1.0, 1.0], vec![1.0, 1.0]], &[1.0, 1.0]), None);
        assert_eq!(solve(&[vec![f64::NAN]], &[1.0]), None);
    }
}
