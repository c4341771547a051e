//! The standard errors of parameters.
//!
//! Standard errors come from the curvature of the sum of squares at its minimum, with the spread of the errors that are
//! left, and count offsets as parameters. If predictions follow a parameter less and less, as they do a conductivity
//! that is small already, the curvature at the minimum says too little: the error is then larger, by as much as the
//! parameter must move farther than along the tangent until predictions change by one error. A parameter at a bound has
//! none, and the errors of the others hold along the bound. They hold for errors that are independent from place to
//! place; errors of neighbours are alike, so true ones are larger.

use super::domain::Bound;
use super::linear::inverse;
use super::objective::{Evaluation, Model, Objective, STEP};
use crate::Error;

/// A parameter that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Standard error of the value, in its unit. `None` at a bound, which then decides instead of the measurements, if
    /// nothing depends on the parameter, and if the measurements do not distinguish it from others at all.
    pub standard_error: Option<f64>,
    /// Root of the mean square change of predictions if the parameter changed from bound to bound at the slope that it has
    /// here, dB. Near 0, the measurements do not depend on it.
    pub effect_db: f64,
    /// The bound at which it ends.
    pub bound: Option<Bound>,
}

/// The share of the way between bounds up to which predictions are straight enough.
const MAX_STRAIGHT: f64 = 0.02;

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
    let (parameters, domain) = (objective.parameters, &objective.domain);
    let values = objective.values(shares);
    let bound = |k: usize| domain.bound(parameters, (k, shares[k]), &values);
    let bounds: Vec<Option<Bound>> = (0..shares.len()).map(bound).collect();
    let near = Near {
        objective,
        values: &values,
        bounds: &bounds,
        at,
    };
    let columns = (0..shares.len()).map(|k| near.column(k));
    let columns: Vec<Vec<f64>> = columns.collect::<Result<_, _>>()?;
    let num_observations = objective.observations.len();
    let effect = |column: &Vec<f64>| {
        let squares: f64 = column[..num_observations].iter().map(|a| a * a).sum();
        (squares / num_observations.max(1) as f64).sqrt()
    };
    let effects: Vec<f64> = columns.iter().map(effect).collect();
    let felt: Vec<usize> = (0..shares.len())
        .filter(|k| effects[*k] > Estimate::MIN_EFFECT_DB)
        .collect();
    let known: Vec<usize> = (felt.iter().copied())
        .filter(|k| bounds[*k].is_none())
        .collect();
    // A parameter that cannot be distinguished from any other one may have been driven to a bound by chance.
    let found = covariance(objective, &columns, &felt, at)
        .and_then(|_| covariance(objective, &columns, &known, at));
    let mut correlations = vec![vec![0.0; shares.len()]; shares.len()];
    let mut errors = vec![None; shares.len()];
    if let Some((variance, covariance)) = found {
        for (a, &i) in known.iter().enumerate() {
            let straight = covariance[a][a].sqrt();
            errors[i] = Some(straight * near.stretch(i, variance.sqrt(), &columns[i])?);
            for (b, &j) in known.iter().enumerate() {
                correlations[i][j] =
                    covariance[a][b] / (covariance[a][a] * covariance[b][b]).sqrt();
            }
        }
    }
    let estimate = |k: usize| Estimate {
        name: parameters[k].name.clone(),
        value: values[k],
        standard_error: errors[k].map(|error| error * parameters[k].slope(values[k])),
        effect_db: effects[k],
        bound: bounds[k],
    };
    Ok(((0..shares.len()).map(estimate).collect(), correlations))
}

/// The neighbourhood of values. Parameters move alone, in units of the way between their own bounds, and a reflection at the
/// bound of energy moves with its transmission.
struct Near<'a, 'b, M: Model> {
    objective: &'a Objective<'b, M>,
    values: &'a [f64],
    bounds: &'a [Option<Bound>],
    at: &'a Evaluation<M::State>,
}

impl<M: Model> Near<'_, '_, M> {
    /// The change of the residuals if one parameter moves. Offsets stay.
    fn change(&self, index: usize, by: f64) -> Result<Vec<f64>, Error> {
        let objective = self.objective;
        let mut moved = self.values.to_vec();
        moved[index] = objective.parameters[index].moved(moved[index], by);
        let moved = objective.domain.allowed(moved);
        objective.change(self.at, [self.values, &moved], false)
    }

    /// The room of a parameter below and above its value.
    fn room(&self, index: usize) -> [f64; 2] {
        let parameter = &self.objective.parameters[index];
        let own = [parameter.min, parameter.max];
        let share = |value: f64| parameter.share_between(own, value);
        let [min, max] = self.objective.domain.bounds_of(index, self.values);
        let here = share(self.values[index]);
        [here - share(min), share(max) - here]
    }

    /// The derivatives of the residuals by a parameter.
    fn column(&self, index: usize) -> Result<Vec<f64>, Error> {
        let mut reflections = self.objective.domain.tied_reflections(index);
        let slides = reflections.any(|reflection| self.bounds[reflection] == Some(Bound::Energy));
        let [below, above] = self.room(index);
        // A smaller loss of a transmission moves a reflection at the bound of energy with it, a larger loss does not.
        let step = if below > above || slides && below > 0.0 {
            -STEP
        } else {
            STEP
        };
        let mut column = self.change(index, step)?;
        for change in &mut column {
            *change /= step;
        }
        Ok(column)
    }

    /// The factor by which a parameter moves farther alone until predictions change by one error of all measurements
    /// together, `error`, than their tangent `column` says: on the worse of both sides, and at least 1.
    fn stretch(&self, index: usize, error: f64, column: &[f64]) -> Result<f64, Error> {
        let length = |of: &[f64]| of.iter().map(|a| a * a).sum::<f64>().sqrt();
        let straight = error / length(column);
        let mut stretched = straight;
        if straight < MAX_STRAIGHT {
            return Ok(1.0);
        }
        for (side, room) in [-1.0, 1.0].into_iter().zip(self.room(index)) {
            let mut from = 0.0;
            let mut step = straight;
            while from < room {
                let step_here = step.min(room);
                let there = length(&self.change(index, side * step_here)?);
                if there >= error {
                    let here = step_here * error / there;
                    stretched = stretched.max(here.max(from));
                    break;
                }
                stretched = stretched.max(step_here);
                from = step_here;
                step *= 2.0;
            }
        }
        Ok(stretched / straight)
    }
}

/// The mean square of the errors that are left, and the covariance of the errors of the known parameters, as shares;
/// `None` if the parameters cannot be distinguished.
fn covariance<M: Model>(
    objective: &Objective<'_, M>,
    columns: &[Vec<f64>],
    known: &[usize],
    at: &Evaluation<M::State>,
) -> Option<(f64, Vec<Vec<f64>>)> {
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
    let rows = part.map(|row| row[..known.len()].iter().map(|a| variance * a).collect());
    Some((variance, rows.collect()))
}
