//! Makes coarse paths exact: a chain of reflecting planes and edges becomes points, which [`super::validate`] then
//! accepts or rejects.
//!
//! By default the points are exact ([`super::solve`]). For comparison they are found by descents along the gradient of
//! the length ([`descent`]), as in Vaara 2022 (section 4.4), from the tiles by which a coarse path leads ([`starts`]).
//!
//! Chains are shared among threads. Each is unfolded once for all its receivers, and points outside the boxes of their
//! planes' faces are rejected before the index is used.

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

/// The method that makes coarse paths exact.
#[derive(Debug, Clone, Copy, Default)]
pub enum Refiner<'a> {
    /// Images, and Newton's method on several edges: exact to rounding.
    #[default]
    Exact,
    /// Gradient descent as in Vaara 2022, for comparison: steps of half the gradient, halved every 25 iterations, at
    /// most 500.
    ///
    /// Vaara 2022 does not say which quantity its threshold of 1e-5 bounds. Here it bounds the length of a step,
    /// metres. With the prescribed steps few paths through a city would ever have so small a gradient, but 88 to 99.8 %
    /// of the paths in Vaara 2022 converge. Short steps do not mean that the point is near the end: all steps together
    /// lead no farther than some 25 m times the gradient.
    Descent(&'a Starts),
    /// Gradient descent by the longest step that shortens the path enough (Armijo's rule), which Vaara 2022 names as
    /// future work. It converges where the gradient times the mean length of the path's segments, about the remaining
    /// distance, falls below the same 1e-5 m.
    LineSearch(&'a Starts),
}

/// What became of the coarse paths of a transmitter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoarseReport {
    /// Number of chains of reflecting planes and edges.
    pub num_chains: usize,
    /// Number of coarse paths: pairs of a chain and a receiver.
    pub num_coarse: usize,
    /// Number of coarse paths for which the refiner converged. For the exact refiner all points then satisfy Fermat's
    /// principle, on their edges and in the order of their reflecting planes.
    pub num_converged: usize,
    /// Number of converged paths all of whose points lie within a millimetre of the exact ones.
    pub num_agreeing: usize,
    /// Number of converged paths that are valid. The result of a descent is made exact before it is validated, because
    /// its points are too far off for the tolerances of validation, which are those of rounding.
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

/// Points of a descent agree with the exact ones if they are nearer than this, metres.
const AGREEING: f64 = 1e-3;

/// Makes coarse paths exact, and keeps the valid ones.
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

/// The number of coarse paths for which a refiner converges. It does the work of [`refine`] without validating the
/// result.
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

/// The start points of the descents of coarse paths.
pub(super) fn starts(
    coarse: &super::coarse::Coarse,
    tx: DVec3,
    rx: &[DVec3],
    paths: &CoarsePaths,
    control: &Control,
) -> Result<Starts, Error> {
    Starts::new(coarse.search(), tx, rx, paths.chains(), control)
}

/// The buffers of one thread.
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

    /// Runs the refiner for receiver `n` of chain `k`; false if it does not converge.
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

    /// Makes a converged path exact, in `waypoints`; false if there is no exact path.
    fn polish(&mut self, rx: DVec3, refiner: Refiner) -> bool {
        matches!(refiner, Refiner::Exact) || self.unfolded.reach(rx, &mut self.waypoints)
    }

    /// Whether the refiner's points agree with the exact ones.
    fn agrees(&self, refiner: Refiner) -> bool {
        matches!(refiner, Refiner::Exact)
            || self
                .waypoints
                .iter()
                .zip(self.descent.points())
                .all(|(exact, found)| exact.point.distance(*found) <= AGREEING)
    }
}

/// Whether all reflection points are near faces of their planes, which is a cheap test.
fn on_boxes(boxes: &PlaneBoxes, waypoints: &[Waypoint]) -> bool {
    waypoints.iter().all(|waypoint| match waypoint.step {
        Step::Reflection(plane) => boxes.hold(plane, waypoint.point),
        Step::Diffraction(_) | Step::Scattering(..) => true,
    })
}
