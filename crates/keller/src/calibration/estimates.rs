//! How sure parameters are.
//!
//! Standard errors come from the curvature of the sum of squares at its minimum, with the spread of the errors that are left,
//! and count offsets as parameters. They hold for errors that are independent from place to place; errors of neighbours are
//! alike, so true ones are larger.

use super::linear::inverse;
use super::objective::{Evaluation, Model, Objective};
use crate::Error;

/// A parameter that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Standard error of the value, in its unit. `None` if nothing depends on the parameter, or if the measurements do not
    /// tell it from others at all.
    pub standard_error: Option<f64>,
    /// Root of the mean square change of predictions if the parameter changed from bound to bound at the slope that it has
    /// here, dB. Near 0, the measurements do not depend on it.
    pub effect_db: f64,
    /// The bound at which it ends.
    pub bound: Option<Bound>,
}

/// A bound of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The lower one.
    Min,
    /// The upper one.
    Max,
}

impl Estimate {
    /// A parameter with a smaller [effect](Self::effect_db) changes nothing, dB.
    pub const MIN_EFFECT_DB: f64 = 1e-6;
}

/// The estimates at shares of the way between bounds, and the correlations of their errors.
pub(super) fn estimates<M: Model>(
    objective: &Objective<'_, M>,
    shares: &[f64],
    at: &Evaluation<M::State>,
) -> Result<(Vec<Estimate>, Vec<Vec<f64>>), Error> {
    let values = objective.values(shares);
    let columns = objective.jacobian(shares, at, false)?;
    let num_observations = objective.observations.len();
    let effect = |column: &Vec<f64>| {
        let squares: f64 = column[..num_observations].iter().map(|a| a * a).sum();
        (squares / num_observations.max(1) as f64).sqrt()
    };
    let effects: Vec<f64> = columns.iter().map(effect).collect();
    let known: Vec<usize> = (0..shares.len())
        .filter(|k| effects[*k] > Estimate::MIN_EFFECT_DB)
        .collect();
    let covariance = covariance(objective, &columns, &known, at);
    let mut correlations = vec![vec![0.0; shares.len()]; shares.len()];
    let mut errors = vec![None; shares.len()];
    if let Some(covariance) = covariance {
        for (a, &i) in known.iter().enumerate() {
            errors[i] = Some(covariance[a][a].sqrt());
            for (b, &j) in known.iter().enumerate() {
                correlations[i][j] =
                    covariance[a][b] / (covariance[a][a] * covariance[b][b]).sqrt();
            }
        }
    }
    let estimate = |k: usize| {
        let parameter = &objective.parameters[k];
        Estimate {
            name: parameter.name.clone(),
            value: values[k],
            standard_error: errors[k].map(|error| error * parameter.slope(values[k])),
            effect_db: effects[k],
            bound: match shares[k] {
                share if share <= 0.0 => Some(Bound::Min),
                share if share >= 1.0 => Some(Bound::Max),
                _ => None,
            },
        }
    };
    Ok(((0..shares.len()).map(estimate).collect(), correlations))
}

/// Covariance of the errors of the known parameters, as shares; `None` if they cannot be told apart.
fn covariance<M: Model>(
    objective: &Objective<'_, M>,
    columns: &[Vec<f64>],
    known: &[usize],
    at: &Evaluation<M::State>,
) -> Option<Vec<Vec<f64>>> {
    let offsets = objective.offset_columns();
    let offsets = offsets
        .iter()
        .filter(|column| column.iter().any(|a| *a != 0.0));
    let all: Vec<&Vec<f64>> = known.iter().map(|k| &columns[*k]).chain(offsets).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let matrix: Vec<Vec<f64>> = all
        .iter()
        .map(|a| all.iter().map(|b| dot(a, b)).collect())
        .collect();
    let count = objective
        .observations
        .iter()
        .filter(|o| !o.is_limit)
        .count();
    let left = count.checked_sub(all.len()).filter(|left| *left > 0)?;
    let both = objective.observations.iter().zip(&at.residuals);
    let squares: f64 = both.filter(|(o, _)| !o.is_limit).map(|(_, r)| r * r).sum();
    let inverse = inverse(&matrix)?;
    let variance = squares / left as f64;
    let part = inverse[..known.len()].iter();
    Some(
        part.map(|row| row[..known.len()].iter().map(|a| variance * a).collect())
            .collect(),
    )
}
