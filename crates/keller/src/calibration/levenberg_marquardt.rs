//! Damped least squares within bounds.
//!
//! A parameter at a bound that wants to leave it stays there for a step; a step that would leave the bounds ends on them.
//! The damping grows, faster and faster, until a step makes the sum of squares smaller, and shrinks after it. It ends when the
//! derivatives promise no gain that counts.
//! Derivatives are computed anew only where those that were corrected by the steps since (Broyden's update) lead no further:
//! a step costs one evaluation then.
//! Sums of squares have several minima, because echoes inside walls swing with their thickness and permittivity. So there are
//! several starts: the best of some random choices, and where predictions swing one more for each swing.
//!
//! # Source
//! C. G. Broyden, "A class of methods for solving nonlinear simultaneous equations", Math. Comp. 19, 1965,
//! doi:10.1090/S0025-5718-1965-0198670-6.

use super::fringes;
use super::genetic::random_shares;
use super::linear::solve;
use super::objective::{Model, Objective};
use super::search::{Found, Scored, starts};
use crate::parallel;
use crate::random::Random;
use crate::{Control, Error, Stage};

/// A step that gains, or promises, less than this share of the sum of squares is the last. With thousands of measurements a
/// parameter is then within a twentieth of its standard error.
const MIN_GAIN: f64 = 1e-6;

/// The share that a step with corrected derivatives must gain, or they are computed anew.
const MIN_GAIN_CORRECTED: f64 = 1e-4;

/// The longest step of a parameter, as a share of the way between its bounds: parameters that measurements hardly
/// determine would leap to a bound, from where little leads back.
const MAX_STEP: f64 = 0.25;

/// Damping at the start.
const DAMPING: f64 = 1e-3;
/// Damping at which no step is worth trying, with corrected derivatives and with fresh ones.
const MAX_DAMPING: [f64; 2] = [1.0, 1e12];

/// Random choices of which the best are starts too.
const CHOICES_A_START: usize = 16;

/// The largest number of starts beyond those that were asked for.
const MAX_SWINGS: usize = 8;

/// The number of times that descents begin next to the best minimum, if that was a new one.
const MAX_ROUNDS: usize = 4;

/// Choices that are less than this part of a swing apart lead to the same minimum.
const SAME_SWING: f64 = 0.5;

/// Seed of these choices.
const SEED: u64 = 0x6b65_6c6c_6572;

/// Descends from the starts of the parameters, and from the best of some random choices.
pub(super) fn levenberg_marquardt<M: Model>(
    objective: &Objective<'_, M>,
    [max_steps, num_starts]: [usize; 2],
    control: &Control,
) -> Result<Found, Error> {
    let home = starts(objective);
    let mut found = Found::at(home.clone(), &objective.evaluate(&home)?);
    let mut from = vec![home.clone()];
    if num_starts > 1 {
        from.extend(chosen(objective, num_starts - 1, &mut found)?);
    }
    let mut is_stopped = descend_all(objective, (&home, &from), max_steps, &mut found, control)?;
    if num_starts > 1 && fringes::has_swings(objective) {
        for _ in 0..MAX_ROUNDS {
            let before = found.cost;
            let from = fringes::swings_away(objective, &found.shares);
            is_stopped |= descend_all(objective, (&home, &from), max_steps, &mut found, control)?;
            if is_stopped || found.cost >= (1.0 - MIN_GAIN) * before {
                break;
            }
        }
    }
    Ok(found.finish(is_stopped))
}

/// Descends from given places, and from the starts of the parameters if these are better than the end of that.
pub(super) fn from_places<M: Model>(
    objective: &Objective<'_, M>,
    places: &[Vec<f64>],
    max_steps: usize,
    control: &Control,
) -> Result<Found, Error> {
    let home = starts(objective);
    let mut found = Found::at(home.clone(), &objective.evaluate(&home)?);
    let mut is_stopped = descend_all(objective, (&home, places), max_steps, &mut found, control)?;
    if !is_stopped && found.shares == home {
        let from = [home.clone()];
        is_stopped = descend_all(objective, (&home, &from), max_steps, &mut found, control)?;
    }
    Ok(found.finish(is_stopped))
}

/// The best of some random choices. Where predictions swing there are more of them, one in each swing.
fn chosen<M: Model>(
    objective: &Objective<'_, M>,
    num_starts: usize,
    found: &mut Found,
) -> Result<Vec<Vec<f64>>, Error> {
    let swings = objective.model.swings(objective.parameters);
    let num_swings = swings.iter().sum::<f64>();
    let more = (0..MAX_SWINGS).take_while(|swing| num_swings > *swing as f64);
    let num_starts = num_starts + more.count();
    let mut random = Random(SEED);
    let choices = CHOICES_A_START * num_starts;
    let choices: Vec<Vec<f64>> = (0..choices)
        .map(|_| random_shares(&mut random, objective.parameters.len()))
        .collect();
    let scores: Vec<Scored> =
        parallel::try_map(choices.len(), |n| Scored::of(objective, &choices[n]))?;
    let mut choices: Vec<(Vec<f64>, Scored)> = choices.into_iter().zip(scores).collect();
    for (shares, scored) in &choices {
        found.take(shares, *scored);
    }
    choices.sort_by(|a, b| a.1.cost.total_cmp(&b.1.cost));
    let mut best: Vec<Vec<f64>> = Vec::with_capacity(num_starts);
    for (shares, _) in choices {
        let is_near = |other: &Vec<f64>| {
            let mut each = swings.iter().zip(shares.iter().zip(other));
            let apart =
                |(swings, (a, b)): (&f64, (&f64, &f64))| swings * (a - b).abs() > SAME_SWING;
            num_swings > 0.0 && !each.any(apart)
        };
        if !best.iter().any(is_near) {
            best.push(shares);
        }
        if best.len() == num_starts {
            break;
        }
    }
    Ok(best)
}

/// Descends from some places; returns whether the caller stopped it.
fn descend_all<M: Model>(
    objective: &Objective<'_, M>,
    (home, from): (&[f64], &[Vec<f64>]),
    max_steps: usize,
    found: &mut Found,
    control: &Control,
) -> Result<bool, Error> {
    let count = from.len() as f64;
    for (index, start) in from.iter().enumerate() {
        let share = |step: usize| (index as f64 + step as f64 / max_steps.max(1) as f64) / count;
        let Some((shares, scored)) =
            descend(objective, [home, start], max_steps, found, &share, control)?
        else {
            return Ok(true);
        };
        found.end(shares, scored);
    }
    Ok(false)
}

/// Descends from a start; a parameter on which nothing depends returns to its start. Returns the end; `None` if the
/// caller stopped it.
fn descend<M: Model>(
    objective: &Objective<'_, M>,
    [home, start]: [&[f64]; 2],
    max_steps: usize,
    found: &mut Found,
    done: &dyn Fn(usize) -> f64,
    control: &Control,
) -> Result<Option<(Vec<f64>, Scored)>, Error> {
    let mut shares = start.to_vec();
    let mut at = objective.evaluate(&shares)?;
    let mut damping = DAMPING;
    let mut columns = Vec::new();
    let mut is_fresh = false;
    for step in 0..max_steps {
        if control.is_cancelled() {
            return Ok(None);
        }
        control.report(Stage::Calibration, done(step));
        if columns.is_empty() {
            columns = objective.jacobian(&shares, &at)?;
            found.count(columns.len());
            is_fresh = true;
            let back = sent_home(&columns, [home, &shares]);
            if back != shares {
                let there = objective.evaluate(&back)?;
                if there.cost() <= at.cost() {
                    (shares, at) = (back, there);
                }
            }
        }
        let gradient: Vec<f64> = columns.iter().map(|c| dot(c, &at.residuals)).collect();
        let free: Vec<usize> = (0..shares.len())
            .filter(|&k| {
                let at_low = shares[k] <= 0.0 && gradient[k] > 0.0;
                let at_high = shares[k] >= 1.0 && gradient[k] < 0.0;
                !(at_low || at_high) && dot(&columns[k], &columns[k]) > 0.0
            })
            .collect();
        if free.is_empty() && is_fresh {
            break;
        }
        let products: Vec<Vec<f64>> = free
            .iter()
            .map(|&i| {
                free.iter()
                    .map(|&j| dot(&columns[i], &columns[j]))
                    .collect()
            })
            .collect();
        let right: Vec<f64> = free.iter().map(|&k| -gradient[k]).collect();
        let cost = at.cost();
        let mut gained = 0.0;
        let mut growth = 4.0;
        let mut tried = false;
        let max_damping = MAX_DAMPING[usize::from(is_fresh)];
        while damping < max_damping && !free.is_empty() {
            let mut matrix = products.clone();
            for (i, row) in matrix.iter_mut().enumerate() {
                row[i] *= 1.0 + damping;
            }
            let Some(change) = solve(&matrix, &right) else {
                damping *= 10.0;
                continue;
            };
            if tried && promised(&change, &products, &right) <= MIN_GAIN * cost {
                break;
            }
            tried = true;
            let mut next = shares.clone();
            for (&k, change) in free.iter().zip(change) {
                next[k] = (next[k] + change.clamp(-MAX_STEP, MAX_STEP)).clamp(0.0, 1.0);
            }
            let there = objective.evaluate(&next)?;
            let scored = Scored {
                cost: there.cost(),
                rmse: there.rmse,
            };
            found.take(&next, scored);
            if scored.cost < cost {
                gained = cost - scored.cost;
                correct(
                    &mut columns,
                    [&shares, &next],
                    [&at.residuals, &there.residuals],
                );
                (shares, at) = (next, there);
                damping = (damping / 5.0).max(1e-9);
                break;
            }
            damping *= growth;
            growth *= 2.0;
        }
        if is_fresh && gained <= MIN_GAIN * cost {
            break;
        }
        if !is_fresh && gained <= MIN_GAIN_CORRECTED * cost {
            columns.clear();
            damping = damping.min(DAMPING);
        }
        is_fresh = false;
    }
    let scored = Scored {
        cost: at.cost(),
        rmse: at.rmse,
    };
    Ok(Some((shares, scored)))
}

/// The shares, with those at their starts on which nothing depends, here at least.
fn sent_home(columns: &[Vec<f64>], [home, shares]: [&[f64]; 2]) -> Vec<f64> {
    let both = columns.iter().zip(home.iter().zip(shares));
    let back = both.map(|(column, (home, share))| {
        let has_effect = dot(column, column) > 0.0;
        if has_effect { *share } else { *home }
    });
    back.collect()
}

/// The reduction of the sum of squares by a change if residuals are straight.
fn promised(change: &[f64], products: &[Vec<f64>], right: &[f64]) -> f64 {
    let rows = change.iter().zip(products.iter().zip(right));
    rows.map(|(step, (row, right))| step * (2.0 * right - dot(row, change)))
        .sum()
}

/// Broyden's update: the derivatives that change least and explain how the residuals changed along a step.
fn correct(columns: &mut [Vec<f64>], [from, to]: [&[f64]; 2], [before, after]: [&[f64]; 2]) {
    let step: Vec<f64> = from.iter().zip(to).map(|(a, b)| b - a).collect();
    let length = dot(&step, &step);
    if length <= 0.0 {
        return;
    }
    let mut unexplained: Vec<f64> = before.iter().zip(after).map(|(a, b)| b - a).collect();
    for (column, step) in columns.iter().zip(&step) {
        for (left, slope) in unexplained.iter_mut().zip(column) {
            *left -= step * slope;
        }
    }
    for (column, step) in columns.iter_mut().zip(&step) {
        for (slope, left) in column.iter_mut().zip(&unexplained) {
            *slope += left * step / length;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
