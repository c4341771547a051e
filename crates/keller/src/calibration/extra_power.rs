//! Power in addition to the paths, such as the diffuse field, near the parameters at which it was computed.

/// Path gains that no path and no background brings, and their dependence on the parameters: each is multiplied by the
/// same factor for equal steps of a value. So it is exact at the values where it was computed, and a tangent elsewhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PowerBeside {
    /// The path gain of each link, linear.
    pub gains: Vec<f64>,
    /// The values of the parameters there.
    pub values: Vec<f64>,
    /// The change of the natural logarithm of every gain with the value of each parameter. Empty if gains stay as they
    /// are.
    pub slopes: Vec<Vec<f64>>,
}

/// The tangent is not followed farther than to this factor, as a natural logarithm.
const MAX_LOGARITHM: f64 = 3.0;

impl PowerBeside {
    /// Gains that do not depend on the parameters.
    pub fn constant(gains: Vec<f64>) -> Self {
        Self {
            gains,
            ..Self::default()
        }
    }

    /// The gain of each link with these values.
    pub(super) fn at(&self, values: &[f64]) -> Vec<f64> {
        let mut logarithms = vec![0.0; self.gains.len()];
        for ((slopes, there), here) in self.slopes.iter().zip(&self.values).zip(values) {
            for (logarithm, slope) in logarithms.iter_mut().zip(slopes) {
                *logarithm += slope * (here - there);
            }
        }
        let both = self.gains.iter().zip(logarithms);
        both.map(|(gain, logarithm): (&f64, f64)| {
            gain * logarithm.clamp(-MAX_LOGARITHM, MAX_LOGARITHM).exp()
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_follow_the_tangent_and_are_exact_where_they_were_computed() {
        let extra_power = PowerBeside {
            gains: vec![1e-9, 2e-9, 0.0],
            values: vec![5.0, -1.0],
            slopes: vec![vec![-0.2, 0.1, 0.3], vec![0.0, 1.0, 0.0]],
        };
        assert_eq!(extra_power.at(&[5.0, -1.0]), extra_power.gains);
        let moved = extra_power.at(&[6.0, -1.5]);
        for (index, logarithm) in [(0, -0.2_f64), (1, 0.1 - 0.5)] {
            let expected = extra_power.gains[index] * logarithm.exp();
            assert!((moved[index] / expected - 1.0).abs() < 1e-12);
        }
        assert_eq!(moved[2].to_bits(), 0.0_f64.to_bits());
        // Far off, a tangent is no prediction.
        assert!(extra_power.at(&[1e3, -1.0])[1] <= 2e-9 * MAX_LOGARITHM.exp());
        let constant = PowerBeside::constant(vec![3.0]);
        assert_eq!(constant.at(&[1.0, 2.0]), [3.0]);
    }
}
