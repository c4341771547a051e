//! Makes coarse paths exact: a chain of reflecting planes and edges becomes points, which [`super::validate`] then accepts
//! or not.
//!
//! By default exactly ([`super::solve`]). For comparison by descents along the gradient of the length ([`descent`]), as Vaara 2022 refines
//! (section 4.4), from the tiles that a coarse path goes by ([`starts`]).
//!
//! Chains are shared among threads. Each is unfolded once for all its receivers, and points beside the boxes of their planes' faces
//! are refused before the index is asked.

mod descent;
mod starts;

use glam::DVec3;
use rayon::prelude::*;

pub use self::starts::Starts;

use self::descent::Descent;
use super::Path;
use super::coarse::CoarsePaths;
use super::job::{Job, Transmitter};
use super::search::tiles::CoarseChain;
use super::sequence::Step;
use super::solve::images::PlaneBoxes;
use super::solve::{Unfolded, Waypoint};
use super::validate::Validator;
use crate::{Control, Error};

/// What makes coarse paths exact.
#[derive(Debug, Clone, Copy, Default)]
pub enum Refiner<'a> {
    /// Images, and Newton's method on several edges: exact to rounding.
    #[default]
    Exact,
    /// Gradient descent as Vaara 2022 has it, for comparison: steps of half the gradient, halved every 25 iterations, at most 500.
    ///
    /// Vaara 2022 does not say what its threshold of 1e-5 bounds. Here it bounds the length of a step, metres: with the prescribed steps,
    /// few paths through a city would ever have so small a gradient, but 88 to 99.8 % of the paths in Vaara 2022 converge. Short steps do
    /// not mean a short path: all steps together lead no farther than some 25 m times the gradient.
    Descent(&'a Starts),
    /// Gradient descent by as long a step as shortens the path enough (Armijo's rule), which Vaara 2022 names as future work. It
    /// converges where the gradient times the mean length of the path's segments, which is about the distance still to go, falls below
    /// the same 1e-5 m.
    LineSearch(&'a Starts),
}

/// What became of the coarse paths of a transmitter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoarseReport {
    /// Chains of reflecting planes and edges.
    pub num_chains: usize,
    /// Coarse paths: chains and receivers.
    pub num_coarse: usize,
    /// Those at whose end the refiner came: for [`Refiner::Exact`] where all points are where Fermat's principle has them, on their
    /// edges and in the order of their reflecting planes.
    pub num_converged: usize,
    /// Converged ones all of whose points lie within a millimetre of the exact ones.
    pub num_agreeing: usize,
    /// Converged ones that are really there. What a descent gives is made exact before it is validated: its points are too far off
    /// for the tolerances of validation, which are those of rounding.
    pub num_valid: usize,
}

impl CoarseReport {
    fn add(mut self, other: Self) -> Self {
        self.num_chains += other.num_chains;
        self.num_coarse += other.num_coarse;
        self.num_converged += other.num_converged;
        self.num_agreeing += other.num_agreeing;
        self.num_valid += other.num_valid;
        self
    }
}

/// Points of a descent that are so near to the exact ones agree with them, metres.
const AGREEING: f64 = 1e-3;

/// Makes coarse paths exact, and keeps those that are there.
pub(super) fn refine(
    job: &Job,
    tx: &Transmitter,
    rx: &[DVec3],
    coarse: &CoarsePaths,
    refiner: Refiner,
) -> Result<(Vec<Path>, CoarseReport), Error> {
    let chains = coarse.chains();
    let refined: Result<Vec<_>, Error> = (0..chains.len())
        .into_par_iter()
        .map_init(
            || (Worker::default(), Validator::new(job)),
            |(worker, validator), k| {
                job.control.check()?;
                let chain = &chains[k];
                let mut report = CoarseReport {
                    num_chains: 1,
                    num_coarse: chain.rx.len(),
                    ..CoarseReport::default()
                };
                let mut paths = Vec::new();
                worker.unfolded.set(job.scene, tx.position, &chain.steps);
                worker.take_chain(job, tx.position, chain, refiner);
                for (n, &r) in chain.rx.iter().enumerate() {
                    let r = r as usize;
                    if !worker.converge(rx[r], refiner, k, n) {
                        continue;
                    }
                    report.num_converged += 1;
                    if !worker.polish(rx[r], refiner) {
                        continue;
                    }
                    report.num_agreeing += usize::from(worker.agrees(refiner));
                    if on_boxes(job.boxes, &worker.waypoints) {
                        paths.extend(validator.path(tx, &worker.waypoints, r, rx[r]));
                    }
                }
                report.num_valid = paths.len();
                Ok((paths, report))
            },
        )
        .collect();
    let mut report = CoarseReport::default();
    let mut all = Vec::new();
    for (paths, of_chain) in refined? {
        report = report.add(of_chain);
        all.extend(paths);
    }
    Ok((all, report))
}

/// How many coarse paths a refiner makes converge: what [`refine`] does, without judging the result.
pub(super) fn converge(
    job: &Job,
    tx: &Transmitter,
    rx: &[DVec3],
    coarse: &CoarsePaths,
    refiner: Refiner,
) -> Result<usize, Error> {
    let chains = coarse.chains();
    (0..chains.len())
        .into_par_iter()
        .map_init(Worker::default, |worker, k| {
            job.control.check()?;
            let chain = &chains[k];
            worker.take_chain(job, tx.position, chain, refiner);
            if let Refiner::Exact = refiner {
                worker.unfolded.set(job.scene, tx.position, &chain.steps);
            }
            let all = chain.rx.iter().enumerate();
            let converged = all.filter(|(n, r)| worker.converge(rx[**r as usize], refiner, k, *n));
            Ok(converged.count())
        })
        .sum()
}

/// Where coarse paths start their descents from.
pub(super) fn starts(
    coarse: &super::coarse::Coarse,
    tx: DVec3,
    rx: &[DVec3],
    paths: &CoarsePaths,
    control: &Control,
) -> Result<Starts, Error> {
    Starts::new(coarse.search(), tx, rx, paths.chains(), control)
}

/// What one thread works with.
#[derive(Debug, Default)]
struct Worker {
    unfolded: Unfolded,
    descent: Descent,
    waypoints: Vec<Waypoint>,
}

impl Worker {
    fn take_chain(&mut self, job: &Job, tx: DVec3, chain: &CoarseChain, refiner: Refiner) {
        match refiner {
            Refiner::Exact => {}
            Refiner::Descent(_) | Refiner::LineSearch(_) => {
                self.descent.set(job.scene, tx, &chain.steps);
            }
        }
    }

    /// Lets a refiner do its work for receiver `n` of chain `k`.
    fn converge(&mut self, rx: DVec3, refiner: Refiner, k: usize, n: usize) -> bool {
        match refiner {
            Refiner::Exact => self.unfolded.reach(rx, &mut self.waypoints),
            Refiner::Descent(starts) => {
                self.descent.start(rx, starts.of(k, n));
                self.descent.as_thesis()
            }
            Refiner::LineSearch(starts) => {
                self.descent.start(rx, starts.of(k, n));
                self.descent.by_line_search()
            }
        }
    }

    /// Makes what converged exact, into the way points; false where no exact path is.
    fn polish(&mut self, rx: DVec3, refiner: Refiner) -> bool {
        matches!(refiner, Refiner::Exact) || self.unfolded.reach(rx, &mut self.waypoints)
    }

    /// Whether what the refiner found is what is exact.
    fn agrees(&self, refiner: Refiner) -> bool {
        matches!(refiner, Refiner::Exact)
            || self
                .waypoints
                .iter()
                .zip(self.descent.points())
                .all(|(exact, found)| exact.point.distance(*found) <= AGREEING)
    }
}

/// Whether all reflection points are near faces of their planes, which is cheap to see.
fn on_boxes(boxes: &PlaneBoxes, waypoints: &[Waypoint]) -> bool {
    waypoints.iter().all(|waypoint| match waypoint.step {
        Step::Reflection(plane) => boxes.hold(plane, waypoint.point),
        Step::Diffraction(_) | Step::Scattering(..) => true,
    })
}
