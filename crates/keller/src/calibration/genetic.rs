//! A genetic algorithm over the parameters.
//!
//! A chromosome holds all parameters as shares of the way between their bounds. The best two of a generation live on. The
//! others are children: the better of three random chromosomes is a parent, twice; a child lies between its parents or a
//! little beyond, and changes at random, less and less from generation to generation.

use super::objective::{Model, Objective};
use super::search::{Found, Scored, starts};
use crate::parallel;
use crate::random::Random;
use crate::{Control, Error, Stage};

/// Chromosomes that live on.
const NUM_ELITE: usize = 2;
/// Chromosomes that compete to become a parent.
const NUM_RIVALS: usize = 3;
/// The distance by which a child may lie beyond its parents, in units of their distance.
const BEYOND: f64 = 0.3;
/// Standard deviation of changes in the first and in the last generation.
const CHANGES: [f64; 2] = [0.2, 0.002];

pub(super) fn genetic<M: Model>(
    objective: &Objective<'_, M>,
    [generations, population]: [usize; 2],
    seed: u64,
    control: &Control,
) -> Result<Found, Error> {
    let mut random = Random(seed);
    let start = starts(objective);
    let population = population.max(NUM_ELITE + 1);
    let mut found = Found::at(start.clone(), &objective.evaluate(&start)?);
    let others = (1..population).map(|_| random_shares(&mut random, start.len()));
    let first: Vec<Vec<f64>> = std::iter::once(start.clone()).chain(others).collect();
    let mut living = scored(objective, first, &mut found)?;
    for generation in 1..generations {
        if control.is_cancelled() {
            return Ok(found.finish(true));
        }
        let done = generation as f64 / generations as f64;
        control.report(Stage::Calibration, done);
        let change = CHANGES[0] * (CHANGES[1] / CHANGES[0]).powf(done);
        let children = (NUM_ELITE..population).map(|_| {
            let [a, b] = [(); 2].map(|()| parent(&living, &mut random));
            child([&living[a].0, &living[b].0], change, &mut random)
        });
        let children: Vec<Vec<f64>> = children.collect();
        let children = scored(objective, children, &mut found)?;
        living.truncate(NUM_ELITE);
        living.extend(children);
        living.sort_by(|a, b| a.1.cost.total_cmp(&b.1.cost));
    }
    Ok(found.finish(false))
}

/// Chromosomes with their worth, the best first.
fn scored<M: Model>(
    objective: &Objective<'_, M>,
    all: Vec<Vec<f64>>,
    found: &mut Found,
) -> Result<Vec<(Vec<f64>, Scored)>, Error> {
    let scores: Vec<Scored> = parallel::try_map(all.len(), |n| Scored::of(objective, &all[n]))?;
    let mut all: Vec<(Vec<f64>, Scored)> = all.into_iter().zip(scores).collect();
    for (shares, scored) in &all {
        found.take(shares, *scored);
    }
    all.sort_by(|a, b| a.1.cost.total_cmp(&b.1.cost));
    Ok(all)
}

/// The index of the best of some random ones; the living are in order.
fn parent(living: &[(Vec<f64>, Scored)], random: &mut Random) -> usize {
    let rivals = (0..NUM_RIVALS).map(|_| random.below(living.len()));
    rivals.min().expect("there are rivals")
}

fn child(parents: [&Vec<f64>; 2], change: f64, random: &mut Random) -> Vec<f64> {
    let genes = parents[0].iter().zip(parents[1]);
    // One change a child, on average.
    let chance = 1.0 / parents[0].len() as f64;
    let genes = genes.map(|(a, b)| {
        let gene = a + random.range(-BEYOND, 1.0 + BEYOND) * (b - a);
        let gene = if random.range(0.0, 1.0) < chance {
            gene + change * random.normal()
        } else {
            gene
        };
        gene.clamp(0.0, 1.0)
    });
    genes.collect()
}

pub(super) fn random_shares(random: &mut Random, count: usize) -> Vec<f64> {
    (0..count).map(|_| random.range(0.0, 1.0)).collect()
}
