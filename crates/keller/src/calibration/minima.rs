//! The ends of descents that are minima of their own, and those of them that the noise leaves open.

use super::objective::{Model, Objective};
use super::search::End;
use crate::Error;
use crate::comparison::OffsetKind;

/// Other values that fit about as well: the sum of squares has a minimum there too, and the difference lies within the noise
/// of the measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherMinimum {
    /// The value of each parameter.
    pub values: Vec<f64>,
    /// Root of the mean square error there, dB.
    pub rmse: f64,
}

/// Largest number of other minima.
const MAX_OTHERS: usize = 8;

/// Places between two ends, as shares of the way, at which the sum of squares is compared with both.
const BETWEEN: [f64; 5] = [1.0 / 6.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 5.0 / 6.0];

/// The ends that are minima of their own, the best first: between any two of them the sum of squares rises by more than the
/// square of one error. At most `max_count`, and none beyond the cost `limit`.
pub(super) fn distinct<M: Model>(
    objective: &Objective<'_, M>,
    ends: &[End],
    (limit, max_count): (f64, usize),
) -> Result<Vec<End>, Error> {
    let mut order: Vec<&End> = ends.iter().filter(|(_, s)| s.cost <= limit).collect();
    order.sort_by(|a, b| a.1.cost.total_cmp(&b.1.cost));
    let mut all: Vec<End> = Vec::new();
    let variance = order
        .first()
        .map_or(0.0, |best| objective.variance(best.1.cost).unwrap_or(0.0));
    for end in order {
        let mut is_new = true;
        for known in &all {
            let top = known.1.cost.max(end.1.cost) + variance;
            if !rises(objective, [&known.0, &end.0], top)? {
                is_new = false;
                break;
            }
        }
        if is_new {
            all.push(end.clone());
        }
        if all.len() == max_count {
            break;
        }
    }
    Ok(all)
}

/// Whether the sum of squares is above `top` somewhere between two places.
fn rises<M: Model>(
    objective: &Objective<'_, M>,
    [a, b]: [&[f64]; 2],
    top: f64,
) -> Result<bool, Error> {
    for share in BETWEEN {
        let both = a.iter().zip(b);
        let there: Vec<f64> = both.map(|(a, b)| a + share * (b - a)).collect();
        if objective.evaluate(&there)?.cost() > top {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The minima, other than the best values, that the noise leaves open.
pub(super) fn within_noise<M: Model>(
    objective: &Objective<'_, M>,
    ends: &[End],
    best: &End,
) -> Result<Vec<OtherMinimum>, Error> {
    let Some(variance) = objective.variance(best.1.cost) else {
        return Ok(Vec::new());
    };
    let limit = best.1.cost + variance * objective.noise();
    let mut all = vec![best.clone()];
    all.extend(ends.iter().cloned());
    let others = distinct(objective, &all, (limit, MAX_OTHERS + 1))?;
    let others = others.into_iter().skip(1);
    Ok(others
        .map(|(shares, scored)| OtherMinimum {
            values: objective.values(&shares),
            rmse: scored.rmse,
        })
        .collect())
}

impl<M: Model> Objective<'_, M> {
    /// Measurements beyond those that parameters and offsets need.
    fn freedom(&self) -> Option<f64> {
        let known = self.observations.iter().filter(|o| !o.is_limit).count();
        let offsets = match self.offsets {
            OffsetKind::None => 0,
            OffsetKind::One => 1,
            OffsetKind::PerGroup => self.num_groups(),
        };
        let left = known.checked_sub(self.parameters.len() + offsets)?;
        (left > 0).then_some(left as f64)
    }

    /// The mean square of the residuals at a cost; `None` if no freedom is left.
    fn variance(&self, cost: f64) -> Option<f64> {
        Some(cost / self.freedom()?)
    }

    /// The number of mean squares by which the sum of squares at the true values may be above the smallest one: as much
    /// as three standard errors of a normal distribution, with all parameters free. Few measurements say little of
    /// their own spread, so it is more for them (Student's distribution).
    fn noise(&self) -> f64 {
        let left = self.freedom().unwrap_or(1.0);
        let students = 1.0 + 2.5 / left + 5.75 / (left * left);
        (9.0 + 2.4 * (self.parameters.len() as f64 - 1.0)) * students * students
    }
}
