//! Building entry loss of ITU-R P.2109: how much weaker the field is in a building of which nothing but its kind is known.
//!
//! The loss is a distribution over buildings of a kind and over places in them. Its upper branch comes from a log-normal loss
//! that grows with the elevation of the wave at the facade, its lower branch from another, and its lower end is a constant.
//! **Assumes** nothing of the site. Valid from 0.08 to 100 GHz.
//!
//! # Source
//! Recommendation ITU-R P.2109-2 (08/2023), annex 1, section 3, equations (1) to (10), as P.2109-1 (08/2019) has them. Taken
//! from open implementations of both editions, which agree; the tests hold values of the workbook of Study Group 3.

use std::f64::consts::{FRAC_PI_2, TAU};

use anyhow::{Result, ensure};
use keller::Frequency;
use keller::units::{db_to_power, power_to_db};

/// The kinds of buildings that the Recommendation distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// All buildings that are not thermally efficient, whatever they are built of.
    Traditional,
    /// Metallised glass and panels with a metal foil at their back.
    ThermallyEfficient,
}

/// Frequencies of the model, GHz; both ends belong to it.
const RANGE_GHZ: [f64; 2] = [0.08, 100.0];

/// Slope of the median with the elevation, dB a degree: equation (10).
const ELEVATION_DB_PER_DEG: f64 = 0.212;

/// The least loss, dB: C, equation (4).
const LEAST_DB: f64 = -3.0;

/// r to z of the table of coefficients.
struct Coefficients {
    r: f64,
    s: f64,
    t: f64,
    u: f64,
    v: f64,
    w: f64,
    x: f64,
    y: f64,
    z: f64,
}

const TRADITIONAL: Coefficients = Coefficients {
    r: 12.64,
    s: 3.72,
    t: 0.96,
    u: 9.6,
    v: 2.0,
    w: 9.1,
    x: -3.0,
    y: 4.5,
    z: -2.0,
};

const THERMALLY_EFFICIENT: Coefficients = Coefficients {
    r: 28.19,
    s: -3.0,
    t: 8.48,
    u: 13.5,
    v: 3.8,
    w: 27.8,
    x: -2.9,
    y: 9.4,
    z: -2.1,
};

impl Kind {
    /// The loss, dB, that the share `probability` of places and buildings does not exceed, above 0 and below 1. `elevation`
    /// (radians) is that of the path at the facade over or below the horizon.
    ///
    /// # Errors
    /// For a frequency, an elevation or a probability outside of what the Recommendation states.
    ///
    /// # Source
    /// Equations (1) to (3).
    pub(super) fn loss_db(
        self,
        frequency: Frequency,
        elevation: f64,
        probability: f64,
    ) -> Result<f64> {
        let ghz = frequency.ghz();
        let [lowest, highest] = RANGE_GHZ;
        ensure!(
            (lowest..=highest).contains(&ghz),
            "{ghz} GHz: P.2109 holds from {lowest} to {highest} GHz"
        );
        ensure!(
            elevation.abs() <= FRAC_PI_2,
            "an elevation of {elevation} rad: at most a right angle is accepted"
        );
        ensure!(
            probability > 0.0 && probability < 1.0,
            "a probability of {probability}: above 0 and below 1 is accepted"
        );
        let Coefficients {
            u, v, w, x, y, z, ..
        } = self.coefficients();
        let log_f = ghz.log10();
        let mu_1 = self.horizontal_median_db(frequency)
            + ELEVATION_DB_PER_DEG * elevation.abs().to_degrees(); // (5)
        let mu_2 = w + x * log_f; // (6)
        let sigma_1 = u + v * log_f; // (7)
        let sigma_2 = y + z * log_f; // (8)
        let deviate = normal_quantile(probability);
        let a = deviate * sigma_1 + mu_1; // (2)
        let b = deviate * sigma_2 + mu_2; // (3)
        Ok(power_to_db(
            db_to_power(a) + db_to_power(b) + db_to_power(LEAST_DB),
        ))
    }

    /// Median of the upper branch for horizontal paths, dB: `L_h`. The median of the whole model lies above it, by what the
    /// other branch adds.
    ///
    /// # Source
    /// Equation (9).
    pub(super) fn horizontal_median_db(self, frequency: Frequency) -> f64 {
        let Coefficients { r, s, t, .. } = self.coefficients();
        let log_f = frequency.ghz().log10();
        r + s * log_f + t * log_f * log_f
    }

    fn coefficients(self) -> &'static Coefficients {
        match self {
            Self::Traditional => &TRADITIONAL,
            Self::ThermallyEfficient => &THERMALLY_EFFICIENT,
        }
    }
}

/// The value that a standard normal variable does not exceed with a probability above 0 and below 1.
fn normal_quantile(probability: f64) -> f64 {
    /// The largest value: no `f64` above 0 and below 1 lies farther out.
    const BOUND: f64 = 38.0;
    let is_upper = probability > 0.5;
    let tail = if is_upper {
        1.0 - probability
    } else {
        probability
    };
    let (mut low, mut high) = (0.0, BOUND);
    // The search ends when the middle is one of the ends.
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return if is_upper { middle } else { -middle };
        }
        if upper_tail(middle) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The probability that a standard normal variable exceeds `x`, 0 or more.
///
/// # Source
/// Abramowitz and Stegun 1964, 26.2.11 (series) and 26.2.14 (continued fraction).
fn upper_tail(x: f64) -> f64 {
    /// The series loses digits beyond, the fraction needs many terms below.
    const BORDER: f64 = 2.5;
    const TERMS: i32 = 300;
    let density = (-0.5 * x * x).exp() / TAU.sqrt();
    if x < BORDER {
        let (mut term, mut sum) = (x, 0.0);
        let mut odd = 1.0;
        while term > f64::EPSILON * 1e-3 {
            sum += term;
            odd += 2.0;
            term *= x * x / odd;
        }
        return 0.5 - density * sum;
    }
    let fraction = (1..=TERMS).rev().fold(x, |rest, k| x + f64::from(k) / rest);
    density / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Kind; 2] = [Kind::Traditional, Kind::ThermallyEfficient];

    fn loss(kind: Kind, ghz: f64, elevation_deg: f64, percent: f64) -> f64 {
        let frequency = Frequency::from_ghz(ghz).unwrap();
        kind.loss_db(frequency, elevation_deg.to_radians(), percent / 100.0)
            .unwrap()
    }

    /// Values of the workbook of ITU-R Study Group 3, as the checks of the open implementation that the group approved list
    /// them, to 0.001 dB. The ends of the distributions are among them.
    #[test]
    fn losses_are_those_of_the_workbook_of_study_group_3() {
        let percent = [1e-5, 10.0, 19.952_62, 50.118_72, 89.125_09, 99.770_01];
        for (kind, ghz, elevation_deg, published) in [
            (
                Kind::Traditional,
                28.0,
                0.0,
                [-0.275, 6.891, 10.644, 20.218, 35.448, 55.440],
            ),
            (
                Kind::ThermallyEfficient,
                28.0,
                0.0,
                [-2.117, 19.484, 26.325, 41.732, 65.040, 95.448],
            ),
            (
                Kind::Traditional,
                2.0,
                45.0,
                [-2.484, 11.251, 15.274, 23.556, 35.991, 52.300],
            ),
            (
                Kind::ThermallyEfficient,
                2.0,
                45.0,
                [-2.882, 20.566, 26.283, 37.995, 55.724, 79.101],
            ),
        ] {
            for (percent, published) in percent.into_iter().zip(published) {
                let found = loss(kind, ghz, elevation_deg, percent);
                assert!(
                    (found - published).abs() < 1e-3,
                    "{kind:?} at {percent} %: {found} and not {published}"
                );
            }
        }
    }

    #[test]
    fn at_1_ghz_the_median_is_that_of_three_known_powers() {
        let at_1_ghz = Frequency::from_ghz(1.0).unwrap();
        let medians = [[12.64, 9.1], [28.19, 27.8]];
        for (kind, [first, second]) in KINDS.into_iter().zip(medians) {
            assert_eq!(kind.horizontal_median_db(at_1_ghz), first);
            let sum: f64 = [first, second, -3.0]
                .map(|db| 10_f64.powf(0.1 * db))
                .iter()
                .sum();
            let expected = 10.0 * sum.log10();
            assert!((loss(kind, 1.0, 0.0, 50.0) - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn the_loss_rises_with_probability_and_with_elevation_either_way() {
        for kind in KINDS {
            for ghz in [0.08, 0.9, 3.5, 28.0, 100.0] {
                let mut last = f64::NEG_INFINITY;
                for percent in [1e-9, 0.01, 1.0, 10.0, 37.3, 50.0, 62.7, 90.0, 99.0, 99.99] {
                    let found = loss(kind, ghz, 11.3, percent);
                    assert!(found > last, "{kind:?}, {ghz} GHz, {percent} %");
                    last = found;
                    assert_eq!(found, loss(kind, ghz, -11.3, percent));
                    assert!(
                        found < loss(kind, ghz, 11.4, percent),
                        "the elevation counts"
                    );
                }
            }
        }
    }

    #[test]
    fn where_the_upper_branch_is_all_a_degree_costs_what_equation_10_says() {
        let rise =
            loss(Kind::Traditional, 1.0, 60.0, 99.99) - loss(Kind::Traditional, 1.0, 59.0, 99.99);
        assert!((rise - 0.212).abs() < 1e-3, "{rise}");
    }

    #[test]
    fn quantiles_are_those_of_tables() {
        for (probability, deviate) in [
            (0.5, 0.0),
            (0.841_344_746_068_542_9, 1.0),
            (0.9, 1.281_551_565_544_600_4),
            (0.975, 1.959_963_984_540_054),
            (0.993_790_334_674_224, 2.5),
            (0.001, -3.090_232_306_167_813_5),
            (1e-9, -5.997_807_015_007_686),
        ] {
            let found = normal_quantile(probability);
            assert!((found - deviate).abs() < 1e-11, "{probability}: {found}");
        }
    }

    #[test]
    fn what_the_recommendation_does_not_state_is_refused() {
        let at = |ghz: f64, elevation: f64, probability: f64| {
            let frequency = Frequency::from_ghz(ghz).unwrap();
            Kind::Traditional.loss_db(frequency, elevation, probability)
        };
        for ghz in [0.08, 100.0] {
            assert!(at(ghz, FRAC_PI_2, 0.5).is_ok(), "both ends of the range");
            assert!(at(ghz, -FRAC_PI_2, 0.5).is_ok(), "straight from below");
        }
        for ghz in [0.0799, 100.1] {
            assert!(at(ghz, 0.0, 0.5).is_err(), "{ghz} GHz");
        }
        assert!(at(1.0, 1.6, 0.5).is_err(), "beyond a right angle");
        for probability in [0.0, 1.0, -0.1, f64::NAN] {
            assert!(at(1.0, 0.0, probability).is_err(), "{probability}");
        }
    }
}
