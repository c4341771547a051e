//! Sums over the paths to one cell: coherent amplitudes, and moments of delay and angle.
//!
//! All sums are sums of integers, and a maximum does not depend on the order of values. So the order in which threads
//! add changes no bit.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};

use num_complex::Complex64;

use crate::Direction;
use crate::channel::spread_of;
use crate::coverage::{AngleSpread, CellPaths, CellSpreads};
use crate::units::SPEED_OF_LIGHT;

/// One path to the centre of a cell.
#[derive(Debug, Clone, Copy)]
pub(in crate::coverage::tubes) struct PathContribution {
    /// Its length, with the excess of the walls that it transmits through, over the straight line from the Tx, metres.
    pub(in crate::coverage::tubes) detour: f64,
    /// The amplitudes from each port of the Tx, with its share of the power, to theta and phi at the Rx.
    pub(in crate::coverage::tubes) amplitudes: [[Complex64; 2]; 2],
    pub(in crate::coverage::tubes) departure: Direction,
    /// Direction from the Rx against the arriving wave.
    pub(in crate::coverage::tubes) arrival: Direction,
    pub(in crate::coverage::tubes) is_line_of_sight: bool,
}

/// The sums over the paths to a cell.
#[derive(Debug, Default)]
pub(super) struct PathAccumulator {
    num_paths: AtomicU32,
    has_line_of_sight: AtomicBool,
    /// The bits of the largest gain: positive numbers and their bits have the same order.
    strongest: AtomicU64,
    /// Amplitudes by port and polarisation, real and imaginary.
    amplitudes: [[[AtomicI64; 2]; 2]; 2],
    /// Gain times detour, and gain times its square.
    detours: [WideSum; 2],
    /// Gain times cosine and sine of zenith and azimuth, at the Tx and at the cell.
    angles: [[[WideSum; 2]; 2]; 2],
}

/// The unit of sums of amplitudes, in square roots of the unit of gains.
const AMPLITUDE_UNIT: f64 = 1e-6;

/// The unit of sums of gain times detour, metres times the unit of gains.
const DETOUR_UNIT: f64 = 1e-3;

impl PathAccumulator {
    /// Adds a path of this gain. `unit` is the gain in whose multiples gains are counted.
    pub(super) fn add(&self, gain: f64, unit: f64, path: &PathContribution) {
        self.num_paths.fetch_add(1, Ordering::Relaxed);
        if path.is_line_of_sight {
            self.has_line_of_sight.store(true, Ordering::Relaxed);
        }
        self.strongest.fetch_max(gain.to_bits(), Ordering::Relaxed);
        let amplitude_unit = unit.sqrt() * AMPLITUDE_UNIT;
        for (sums, amplitudes) in self.amplitudes.iter().zip(path.amplitudes) {
            for ([re, im], amplitude) in sums.iter().zip(amplitudes) {
                for (sum, value) in [(re, amplitude.re), (im, amplitude.im)] {
                    #[expect(clippy::cast_possible_truncation, reason = "far within its range")]
                    let whole = (value / amplitude_unit).round() as i64;
                    sum.fetch_add(whole, Ordering::Relaxed);
                }
            }
        }
        let relative = gain / unit;
        let in_units = relative * path.detour / DETOUR_UNIT;
        self.detours[0].add(in_units);
        self.detours[1].add(in_units * path.detour);
        for (sums, direction) in self.angles.iter().zip([path.departure, path.arrival]) {
            for ([cos, sin], angle) in sums.iter().zip([direction.zenith, direction.azimuth]) {
                cos.add(relative * angle.cos());
                sin.add(relative * angle.sin());
            }
        }
    }

    /// The results for a cell of this gain, at a distance from the Tx, metres.
    pub(super) fn into_paths(self, gain: f64, unit: f64, distance: f64) -> CellPaths {
        let num_paths = self.num_paths.into_inner();
        let amplitude_unit = unit.sqrt() * AMPLITUDE_UNIT;
        let amplitudes = self.amplitudes.into_iter().flatten().flatten();
        let coherent: f64 = amplitudes
            .map(|sum| (sum.into_inner() as f64 * amplitude_unit).powi(2))
            .sum();
        let relative = gain / unit;
        let spreads = (gain > 0.0).then(|| {
            let [mean, square] = self.detours.map(|sum| sum.value() * DETOUR_UNIT / relative);
            let spread = (square - mean * mean).max(0.0).sqrt();
            let angle = |sums: [WideSum; 2]| {
                let [cos, sin] = sums.map(|sum| sum.value() / relative);
                let mean = Complex64::new(cos, sin);
                AngleSpread {
                    mean: mean.arg(),
                    // A single path has no spread, however coarse the units are.
                    spread: if num_paths > 1 { spread_of(mean) } else { 0.0 },
                }
            };
            let [departure, arrival] = self.angles.map(|ends| ends.map(angle));
            CellSpreads {
                mean_delay: (distance + mean) / SPEED_OF_LIGHT,
                delay_spread: if num_paths > 1 {
                    spread / SPEED_OF_LIGHT
                } else {
                    0.0
                },
                departure,
                arrival,
            }
        });
        CellPaths {
            num_paths,
            has_line_of_sight: self.has_line_of_sight.into_inner(),
            strongest_gain: f64::from_bits(self.strongest.into_inner()),
            coherent_gain: coherent,
            spreads,
        }
    }
}

/// A sum of integers that exceeds one word.
#[derive(Debug, Default)]
struct WideSum {
    /// The sum of the lower bits of all numbers.
    low: AtomicU64,
    /// The sum of the bits above.
    high: AtomicI64,
}

/// The number of lower bits: millions of numbers may be added.
const LOW_BITS: u32 = 40;

impl WideSum {
    fn add(&self, value: f64) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "what is too large is made the largest"
        )]
        let whole = value.round().clamp(-1e30, 1e30) as i128;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "bits below and above, as they are"
        )]
        let (low, high) = (
            (whole & ((1 << LOW_BITS) - 1)) as u64,
            (whole >> LOW_BITS) as i64,
        );
        self.low.fetch_add(low, Ordering::Relaxed);
        self.high.fetch_add(high, Ordering::Relaxed);
    }

    fn value(self) -> f64 {
        let high = i128::from(self.high.into_inner()) << LOW_BITS;
        (high + i128::from(self.low.into_inner())) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_sums_keep_the_small_next_to_the_large() {
        let numbers = [3e25, -3e25, 7.0, -2e13, -11.0, 2e13, 1.0];
        for turn in 0..numbers.len() {
            let sum = WideSum::default();
            for k in 0..numbers.len() {
                sum.add(numbers[(k + turn) % numbers.len()]);
            }
            assert_eq!(sum.value(), -3.0);
        }
    }
}
