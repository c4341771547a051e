//! Predictions against measurements: errors, with no offset or with fitted ones, and their uncertainty; and power over
//! delay against measured profiles.
//!
//! An error is predicted minus measured, in dB: positive where the prediction is too strong. An offset is added to
//! predictions, and is fitted by least squares: cables, gains of antennas and the height of a noise floor are often known
//! to no better than a constant. Intervals come from resampling places, so that several measurements at one place count
//! as one piece of evidence.
//!
//! A measurement below the receiver's noise is a limit. It enters neither errors nor offsets; what is counted is how many
//! limits the predictions keep. A measurement where no path arrives has no error either, and is counted.

mod bootstrap;
mod paired;
mod profile;
mod statistics;
mod weighted;

pub use bootstrap::{Interval, Intervals};
pub use paired::Paired;
pub use profile::{DelayGrid, ProfileComparison, ProfilePair, ProfileSummary, fit_cable_delays};
pub use statistics::Statistics;
pub use weighted::Weighted;

/// A measured value, and the value that is predicted for it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The prediction, dB; minus infinity where no path arrives.
    pub predicted_db: f64,
    /// The measurement, dB.
    pub measured_db: f64,
    /// Whether the value lay below the receiver's noise, which is `measured_db` then.
    pub is_limit: bool,
    /// Index of the group that may have an offset of its own, such as the Tx.
    pub group: usize,
    /// Index of the place. Pairs of one place are resampled together.
    pub place: usize,
}

impl Pair {
    /// Whether there is a measured and a predicted value.
    fn has_error(&self) -> bool {
        !self.is_limit && self.predicted_db.is_finite()
    }

    fn error(&self, offsets: &Offsets) -> f64 {
        self.predicted_db + offsets.of(self.group) - self.measured_db
    }
}

/// The offset that is added to predictions before they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OffsetKind {
    /// No offset.
    #[default]
    None,
    /// One number for all.
    One,
    /// One number for each group.
    PerGroup,
}

/// Fitted offsets, dB.
#[derive(Debug, Clone, PartialEq)]
pub enum Offsets {
    /// One offset for all groups.
    Same(f64),
    /// The offset of each group; groups without a measurement have that of all.
    PerGroup(Vec<f64>),
}

impl Offsets {
    /// The offsets with the least mean square error.
    pub fn fit(pairs: &[Pair], kind: OffsetKind) -> Self {
        let mean = |sum: f64, count: usize| if count == 0 { 0.0 } else { sum / count as f64 };
        let known = || pairs.iter().filter(|pair| pair.has_error());
        let missing = |pair: &Pair| pair.measured_db - pair.predicted_db;
        let all = || mean(known().map(missing).sum(), known().count());
        match kind {
            OffsetKind::None => Self::Same(0.0),
            OffsetKind::One => Self::Same(all()),
            OffsetKind::PerGroup => {
                let num_groups = pairs.iter().map(|pair| pair.group + 1).max().unwrap_or(0);
                let mut sums = vec![(0.0, 0); num_groups];
                for pair in known() {
                    let (sum, count) = &mut sums[pair.group];
                    *sum += missing(pair);
                    *count += 1;
                }
                let of_all = all();
                let offset = |(sum, count)| if count == 0 { of_all } else { mean(sum, count) };
                Self::PerGroup(sums.into_iter().map(offset).collect())
            }
        }
    }

    /// All of them, dB: one, or one for each group.
    pub fn all(&self) -> &[f64] {
        match self {
            Self::Same(offset) => std::slice::from_ref(offset),
            Self::PerGroup(offsets) => offsets,
        }
    }

    /// The offset of a group, dB.
    pub fn of(&self, group: usize) -> f64 {
        match self {
            Self::Same(offset) => *offset,
            Self::PerGroup(offsets) => offsets.get(group).copied().unwrap_or(0.0),
        }
    }
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The offsets that were added to predictions.
    pub offsets: Offsets,
    /// The statistics of the errors; `None` without a single one.
    pub statistics: Option<Statistics>,
    /// The intervals in which these lie with a probability of 95 %.
    pub intervals: Option<Intervals>,
    /// Number of measurements where no path arrives.
    pub num_unreached: usize,
    /// Number of limits.
    pub num_limits: usize,
    /// Number of limits that the predictions keep, those without a path among them.
    pub num_kept_limits: usize,
}

/// Compares predictions with measurements.
///
/// ```
/// use keller::comparison::{OffsetKind, Pair, compare};
///
/// let pair = |place, predicted_db, measured_db| Pair {
///     predicted_db,
///     measured_db,
///     is_limit: false,
///     group: 0,
///     place,
/// };
/// let pairs = [pair(0, -70.0, -73.0), pair(1, -80.0, -82.0), pair(2, -90.0, -94.0)];
/// let plain = compare(&pairs, OffsetKind::None);
/// assert_eq!(plain.statistics.unwrap().mean, 3.0);
/// let fitted = compare(&pairs, OffsetKind::One);
/// assert_eq!(fitted.offsets.of(0), -3.0);
/// assert!(fitted.statistics.unwrap().rmse < 0.82);
/// ```
pub fn compare(pairs: &[Pair], kind: OffsetKind) -> Comparison {
    let offsets = Offsets::fit(pairs, kind);
    let intervals = Intervals::of(pairs, kind);
    Comparison {
        intervals,
        ..compare_with(pairs, offsets)
    }
}

/// Compares some of the pairs, with offsets that were fitted to more. There are no intervals.
pub fn compare_with(pairs: &[Pair], offsets: Offsets) -> Comparison {
    let limits = || pairs.iter().filter(|pair| pair.is_limit);
    let unreached = |pair: &&Pair| !pair.is_limit && !pair.predicted_db.is_finite();
    Comparison {
        statistics: Statistics::of(pairs, &offsets),
        intervals: None,
        num_unreached: pairs.iter().filter(unreached).count(),
        num_limits: limits().count(),
        num_kept_limits: limits().filter(|pair| pair.error(&offsets) <= 0.0).count(),
        offsets,
    }
}

#[cfg(test)]
mod tests;
