//! Damped least squares within bounds.
//!
//! A parameter at a bound that wants to leave it stays there for a step; a step that would leave the bounds ends on them.
//! The damping grows until a step makes the sum of squares smaller, and shrinks after it.
//! Sums of squares have several minima, because echoes inside walls swing with the thickness, so there are several starts.

use rayon::prelude::*;

use super::genetic::random_shares;
use super::linear::solve;
use super::objective::{Model, Objective};
use super::search::{Found, Scored, starts};
use crate::random::Random;
use crate::{Control, Error, Stage};

/// A step that gains less than this share of the sum of squares is the last.
const MIN_GAIN: f64 = 1e-9;

/// Damping at the start, and when no step is worth trying.
const DAMPING: f64 = 1e-3;
const MAX_DAMPING: f64 = 1e12;

/// Random choices of which the best are starts too.
const CHOICES_A_START: usize = 16;

/// Seed of these choices.
const SEED: u64 = 0x6b65_6c6c_6572;

pub(super) fn levenberg_marquardt<M: Model>(
    objective: &Objective<'_, M>,
    [max_steps, num_starts]: [usize; 2],
    control: &Control,
) -> Result<Found, Error> {
    let start = starts(objective);
    let mut found = Found::at(start.clone(), &objective.evaluate(&start)?);
    let mut others = Vec::new();
    if num_starts > 1 {
        let mut random = Random(SEED);
        let choices = CHOICES_A_START * (num_starts - 1);
        let choices: Vec<Vec<f64>> = (0..choices)
            .map(|_| random_shares(&mut random, start.len()))
            .collect();
        let scores = choices
            .par_iter()
            .map(|shares| Scored::of(objective, shares));
        let scores: Vec<Scored> = scores.collect::<Result<_, _>>()?;
        others = choices.into_iter().zip(scores).collect();
        for (shares, scored) in &others {
            found.take(shares, *scored);
        }
        others.sort_by(|a, b| a.1.cost.total_cmp(&b.1.cost));
        others.truncate(num_starts - 1);
    }
    let others = others.into_iter().map(|(shares, _)| shares);
    let all: Vec<Vec<f64>> = std::iter::once(start).chain(others).collect();
    let count = all.len();
    for (index, start) in all.into_iter().enumerate() {
        let share =
            |step: usize| (index as f64 + step as f64 / max_steps.max(1) as f64) / count as f64;
        if descend(objective, start, max_steps, &mut found, &share, control)? {
            return Ok(found.finish(true));
        }
    }
    Ok(found.finish(false))
}

/// Goes down from a start; says whether the caller stopped it.
fn descend<M: Model>(
    objective: &Objective<'_, M>,
    mut shares: Vec<f64>,
    max_steps: usize,
    found: &mut Found,
    done: &dyn Fn(usize) -> f64,
    control: &Control,
) -> Result<bool, Error> {
    let mut at = objective.evaluate(&shares)?;
    let mut damping = DAMPING;
    for step in 0..max_steps {
        if control.is_cancelled() {
            return Ok(true);
        }
        control.report(Stage::Calibration, done(step));
        let columns = objective.jacobian(&shares, &at, true)?;
        found.count(columns.len());
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let gradient: Vec<f64> = columns.iter().map(|c| dot(c, &at.residuals)).collect();
        let free: Vec<usize> = (0..shares.len())
            .filter(|&k| {
                let at_low = shares[k] <= 0.0 && gradient[k] > 0.0;
                let at_high = shares[k] >= 1.0 && gradient[k] < 0.0;
                !(at_low || at_high) && dot(&columns[k], &columns[k]) > 0.0
            })
            .collect();
        if free.is_empty() {
            break;
        }
        let cost = at.cost();
        let mut gained = 0.0;
        while damping < MAX_DAMPING {
            let matrix: Vec<Vec<f64>> = free
                .iter()
                .map(|&i| {
                    let row = free.iter().map(|&j| {
                        let product = dot(&columns[i], &columns[j]);
                        if i == j {
                            product * (1.0 + damping)
                        } else {
                            product
                        }
                    });
                    row.collect()
                })
                .collect();
            let right: Vec<f64> = free.iter().map(|&k| -gradient[k]).collect();
            let Some(change) = solve(&matrix, &right) else {
                damping *= 10.0;
                continue;
            };
            let mut next = shares.clone();
            for (&k, change) in free.iter().zip(change) {
                next[k] = (next[k] + change).clamp(0.0, 1.0);
            }
            let there = objective.evaluate(&next)?;
            let scored = Scored {
                cost: there.cost(),
                rmse: there.rmse,
            };
            found.take(&next, scored);
            if scored.cost < cost {
                gained = cost - scored.cost;
                (shares, at) = (next, there);
                damping = (damping / 5.0).max(1e-9);
                break;
            }
            damping *= 4.0;
        }
        if gained <= MIN_GAIN * cost {
            break;
        }
    }
    Ok(false)
}
