//! Simulated annealing, and the plain random search that it is to be better than.
//!
//! Chains start at the starts of the parameters. A step changes one parameter, the less the colder it is. A better choice is
//! always taken, a worse one with the probability `exp(-worse / temperature)`, where both are roots of mean squares in dB.
//! The temperature falls by equal factors.
//!
//! # Source
//! Kirkpatrick, Gelatt and Vecchi 1983, "Optimization by simulated annealing", Science 220, doi:10.1126/science.220.4598.671.

use rayon::prelude::*;

use super::genetic::random_shares;
use super::objective::{Model, Objective};
use super::search::{Found, Scored, starts};
use crate::parallel;
use crate::random::Random;
use crate::{Control, Error, Stage};

/// Independent chains: as many threads as can help.
const NUM_CHAINS: usize = 4;
/// The first and the last temperature, dB.
const TEMPERATURES: [f64; 2] = [1.0, 1e-3];
/// Standard deviation of the first and the last steps, as a share of the way between bounds.
const STEPS: [f64; 2] = [0.3, 0.003];
/// Steps between two looks at whether to stop.
const BATCH: usize = 64;

/// One chain, at rest between batches.
struct Chain {
    random: Random,
    shares: Vec<f64>,
    scored: Scored,
}

pub(super) fn annealing<M: Model>(
    objective: &Objective<'_, M>,
    evaluations: usize,
    seed: u64,
    control: &Control,
) -> Result<Found, Error> {
    let start = starts(objective);
    let first = objective.evaluate(&start)?;
    let mut found = Found::at(start.clone(), &first);
    let count = objective.observations.len().max(1) as f64;
    let mut chains: Vec<Chain> = (0..NUM_CHAINS as u64)
        .map(|chain| Chain {
            random: Random(seed.wrapping_add(chain << 32)),
            shares: start.clone(),
            scored: Scored {
                cost: first.cost(),
                rmse: first.rmse,
            },
        })
        .collect();
    let steps = evaluations.div_ceil(NUM_CHAINS);
    for from in (0..steps).step_by(BATCH) {
        if control.is_cancelled() {
            return Ok(found.finish(true));
        }
        control.report(Stage::Calibration, from as f64 / steps as f64);
        let tried = chains.par_iter_mut().map(|chain| {
            let mut tried = Vec::with_capacity(BATCH);
            for step in from..steps.min(from + BATCH) {
                let done = step as f64 / steps as f64;
                let cooled = |[hot, cold]: [f64; 2]| hot * (cold / hot).powf(done);
                let mut next = chain.shares.clone();
                let index = chain.random.below(next.len());
                next[index] = reflected(next[index] + cooled(STEPS) * chain.random.normal());
                let scored = Scored::of(objective, &next)?;
                let root = |scored: Scored| (scored.cost / count).sqrt();
                let worse = root(scored) - root(chain.scored);
                tried.push((next.clone(), scored));
                if chain.random.range(0.0, 1.0) < (-worse / cooled(TEMPERATURES)).exp() {
                    (chain.shares, chain.scored) = (next, scored);
                }
            }
            Ok(tried)
        });
        let tried: Vec<Vec<(Vec<f64>, Scored)>> = tried.collect::<Result<_, Error>>()?;
        for (shares, scored) in tried.iter().flatten() {
            found.take(shares, *scored);
        }
    }
    Ok(found.finish(false))
}

/// Random choices between the bounds.
pub(super) fn random_search<M: Model>(
    objective: &Objective<'_, M>,
    evaluations: usize,
    seed: u64,
    control: &Control,
) -> Result<Found, Error> {
    let start = starts(objective);
    let mut found = Found::at(start.clone(), &objective.evaluate(&start)?);
    let mut random = Random(seed);
    for from in (1..evaluations).step_by(BATCH) {
        if control.is_cancelled() {
            return Ok(found.finish(true));
        }
        control.report(Stage::Calibration, from as f64 / evaluations as f64);
        let batch =
            (from..evaluations.min(from + BATCH)).map(|_| random_shares(&mut random, start.len()));
        let batch: Vec<Vec<f64>> = batch.collect();
        let scored: Vec<Scored> =
            parallel::try_map(batch.len(), |n| Scored::of(objective, &batch[n]))?;
        for (shares, scored) in batch.iter().zip(scored) {
            found.take(shares, scored);
        }
    }
    Ok(found.finish(false))
}

/// A share beyond a bound comes back from it.
fn reflected(share: f64) -> f64 {
    let within = share.rem_euclid(2.0);
    if within > 1.0 { 2.0 - within } else { within }
}
