//! The places where least squares begin again if predictions swing.
//!
//! Echoes within a wall are alike again after a wavelength more of the way through it and back. So next to each minimum
//! there are others that many swings away in thickness or permittivity, at about the same values of all other
//! parameters.

use super::objective::{Model, Objective};
use super::parameters::Parameter;

/// The distances from a minimum at which others are looked for, in swings.
const AWAY: [f64; 4] = [1.0, -1.0, 2.0, -2.0];

/// Steps of bisection: a share to a millionth.
const HALVINGS: usize = 20;

/// Whether predictions swing with some parameter.
pub(super) fn has_swings<M: Model>(objective: &Objective<'_, M>) -> bool {
    let swings = objective.model.swings(objective.parameters);
    swings.iter().any(|swings| *swings > 0.0)
}

/// The places some swings away from shares, in one parameter each.
pub(super) fn swings_away<M: Model>(objective: &Objective<'_, M>, shares: &[f64]) -> Vec<Vec<f64>> {
    let values = objective.values(shares);
    // All parameters are fixed here, so that ways through walls are those of here.
    let here: Vec<Parameter> = objective
        .parameters
        .iter()
        .zip(&values)
        .map(|(parameter, value)| Parameter {
            min: *value,
            max: *value,
            ..parameter.clone()
        })
        .collect();
    let mut all = Vec::new();
    for index in 0..shares.len() {
        // The number of swings on the way to another share.
        let swings = |share: f64| {
            let mut there = shares.to_vec();
            there[index] = share;
            let value = objective.values(&there)[index];
            let mut parameters = here.clone();
            parameters[index].min = value.min(values[index]);
            parameters[index].max = value.max(values[index]);
            objective.model.swings(&parameters)[index]
        };
        for away in AWAY {
            let (mut near, mut far) = (shares[index], if away > 0.0 { 1.0 } else { 0.0 });
            if swings(far) < away.abs() {
                continue;
            }
            for _ in 0..HALVINGS {
                let middle = f64::midpoint(near, far);
                if swings(middle) < away.abs() {
                    near = middle;
                } else {
                    far = middle;
                }
            }
            let mut there = shares.to_vec();
            there[index] = far;
            all.push(there);
        }
    }
    all
}
