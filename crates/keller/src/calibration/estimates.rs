//! How sure parameters are.
//!
//! Standard errors come from the curvature of the sum of squares at its minimum, with the spread of the errors that are left,
//! and count offsets as parameters. Where predictions follow a parameter less and less, as they do a conductivity that is
//! small already, the curvature at the minimum says too little: the error is then so large that predictions change as much as
//! the tangent says for one standard error. They hold for errors that are independent from place to place; errors of neighbours are
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

/// Below this share of the way between bounds, predictions are straight enough.
const MIN_BENT: f64 = 0.02;

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
            let straight = covariance[a][a].sqrt();
            let bent = bent_error(objective, (shares, at), (i, straight), &columns[i])?;
            errors[i] = Some(bent);
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

/// The change of a share by which predictions change as much as the tangent `column` says for `straight`: the larger of
/// both sides, and at least `straight`.
fn bent_error<M: Model>(
    objective: &Objective<'_, M>,
    (shares, at): (&[f64], &Evaluation<M::State>),
    (index, straight): (usize, f64),
    column: &[f64],
) -> Result<f64, Error> {
    let length = |of: &[f64]| of.iter().map(|a| a * a).sum::<f64>().sqrt();
    let wanted = straight * length(column);
    let mut bent = straight;
    if straight < MIN_BENT {
        return Ok(bent);
    }
    for side in [-1.0, 1.0] {
        let room = if side > 0.0 {
            1.0 - shares[index]
        } else {
            shares[index]
        };
        let mut from = 0.0;
        let mut step = straight;
        while from < room {
            let step_here = step.min(room);
            let there = length(&objective.change(shares, at, (index, side * step_here), false)?);
            if there >= wanted {
                let here = step_here * wanted / there;
                bent = bent.max(here.max(from));
                break;
            }
            bent = bent.max(step_here);
            from = step_here;
            step *= 2.0;
        }
    }
    Ok(bent)
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
