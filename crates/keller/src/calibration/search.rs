//! The result of every search for parameters, and its budget.

use super::objective::{Evaluation, Model, Objective};
use crate::Error;

/// The method by which parameters are searched for. All searches give the same answer at every run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Optimiser {
    /// Damped least squares within bounds, from the starts of the parameters and from the best of some random choices: more
    /// of them where [predictions swing](super::Model::swings). Needs the fewest evaluations; may end in a local minimum.
    ///
    /// # Source
    /// D. W. Marquardt, "An algorithm for least-squares estimation of nonlinear parameters", J. SIAM 11(2), 1963,
    /// doi:10.1137/0111030.
    LevenbergMarquardt {
        /// Largest number of steps from each start.
        max_steps: usize,
        /// Number of starts, the given one first; at least 1. With 1, there are no more where predictions swing.
        starts: usize,
    },
    /// A genetic algorithm, as Hu 2020, section 5.5, uses it: a chromosome is a choice of all parameters.
    Genetic {
        /// Number of generations; Hu takes 3 000.
        generations: usize,
        /// Number of chromosomes of a generation.
        population: usize,
        /// The seed: another one gives another run.
        seed: u64,
    },
    /// Simulated annealing, as Hu 2020, section 3.2.4, uses it for the indoor model: some chains, the best of which counts.
    Annealing {
        /// Number of evaluations of all chains together.
        evaluations: usize,
        /// The seed: another one gives another run.
        seed: u64,
    },
    /// Independent random choices: the standard that other searches must exceed.
    Random {
        /// Number of choices.
        evaluations: usize,
        /// The seed: another one gives another run.
        seed: u64,
    },
}

impl Default for Optimiser {
    fn default() -> Self {
        Self::LevenbergMarquardt {
            max_steps: 100,
            starts: 4,
        }
    }
}

/// The state of a search at some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Number of evaluations so far.
    pub evaluations: usize,
    /// The least root of the mean square error so far, dB.
    pub rmse: f64,
}

/// The end of a descent, as shares of the way between bounds.
pub(super) type End = (Vec<f64>, Scored);

/// The best parameters that a search has found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// The parameters as shares of the way between bounds.
    pub(super) shares: Vec<f64>,
    pub(super) cost: f64,
    /// The progress: an entry whenever the best became better, and at the end.
    pub(super) progress: Vec<Progress>,
    pub(super) evaluations: usize,
    /// The end of each descent, and its score.
    pub(super) minima: Vec<End>,
    /// Whether the caller stopped the search.
    pub(super) is_stopped: bool,
}

impl Found {
    /// The start of a search.
    pub(super) fn at<S>(shares: Vec<f64>, evaluation: &Evaluation<S>) -> Self {
        Self {
            cost: evaluation.cost(),
            progress: vec![Progress {
                evaluations: 1,
                rmse: evaluation.rmse,
            }],
            evaluations: 1,
            shares,
            minima: Vec::new(),
            is_stopped: false,
        }
    }

    /// Takes in an evaluation; says whether it is the best.
    pub(super) fn take(&mut self, shares: &[f64], scored: Scored) -> bool {
        self.evaluations += 1;
        let is_better = scored.cost < self.cost;
        if is_better {
            self.cost = scored.cost;
            self.shares = shares.to_vec();
            self.progress.push(Progress {
                evaluations: self.evaluations,
                rmse: scored.rmse,
            });
        }
        is_better
    }

    /// Takes in the end of a descent.
    pub(super) fn end(&mut self, shares: Vec<f64>, scored: Scored) {
        if scored.cost <= self.cost {
            // Parameters without effect have gone back to their starts on the way.
            self.cost = scored.cost;
            self.shares.clone_from(&shares);
        }
        self.minima.push((shares, scored));
    }

    /// Counts evaluations that only served derivatives.
    pub(super) fn count(&mut self, evaluations: usize) {
        self.evaluations += evaluations;
    }

    /// The result as that of the second of two searches.
    pub(super) fn after(mut self, first: &Self) -> Self {
        for progress in &mut self.progress {
            progress.evaluations += first.evaluations;
        }
        self.evaluations += first.evaluations;
        self.progress.splice(0..0, first.progress.iter().copied());
        self
    }

    /// The end of a search.
    pub(super) fn finish(mut self, is_stopped: bool) -> Self {
        self.is_stopped = is_stopped;
        if let Some(last) = self.progress.last().copied() {
            self.progress.push(Progress {
                evaluations: self.evaluations,
                ..last
            });
        }
        self
    }
}

/// The score of a choice of parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scored {
    pub(super) cost: f64,
    pub(super) rmse: f64,
}

impl Scored {
    pub(super) fn of<M: Model>(
        objective: &Objective<'_, M>,
        shares: &[f64],
    ) -> Result<Self, Error> {
        let evaluation = objective.evaluate(shares)?;
        Ok(Self {
            cost: evaluation.cost(),
            rmse: evaluation.rmse,
        })
    }
}

/// The shares at which parameters start.
pub(super) fn starts<M: Model>(objective: &Objective<'_, M>) -> Vec<f64> {
    let starts: Vec<f64> = objective.parameters.iter().map(|p| p.start).collect();
    objective.domain.shares(objective.parameters, &starts)
}
