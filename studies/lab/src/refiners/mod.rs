//! Coarse paths made exact by descents along the gradient of the length ([`descent`]), as in Vaara 2022 (section 4.4),
//! from the tiles by which a coarse path leads ([`Starts`]), for comparison with keller's exact solution.

mod descent;
mod starts;
#[cfg(test)]
mod tests;

use keller::paths::{CoarsePaths, Path, Step, TileFinder, Unfolded, Waypoint};
use keller::{Control, DVec3, Error};
use rayon::prelude::*;

pub use self::starts::Starts;

use self::descent::Descent;

/// The method that makes coarse paths exact.
#[derive(Debug, Clone, Copy, Default)]
pub enum Refiner<'a> {
    /// Images, and Newton's method on several edges: exact to rounding.
    #[default]
    Exact,
    /// Gradient descent as in Vaara 2022: steps of half the gradient, halved every 25 iterations, at most 500.
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

/// The results of refining coarse paths.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Report {
    /// Number of coarse paths: pairs of a chain and a receiver.
    pub num_coarse: usize,
    /// Number of coarse paths for which the refiner converged.
    pub num_converged: usize,
    /// Number of converged paths all of whose points lie within a millimetre of the exact ones.
    pub num_agreeing: usize,
    /// Number of converged paths that are valid. The result of a descent is made exact before it is validated, because
    /// its points are too far off for the tolerances of validation, which are those of rounding.
    pub num_valid: usize,
}

/// Points of a descent agree with the exact ones if they are nearer than this, metres.
const AGREEING: f64 = 1e-3;

/// Coarse paths made exact, as [`TileFinder::refine`] has them, by any refiner.
///
/// # Errors
/// [`Error::Cancelled`].
///
/// # Panics
/// If the starts are those of other coarse paths.
pub fn refine_by(
    finder: &TileFinder,
    refiner: Refiner,
    tx: DVec3,
    rx: &[DVec3],
    coarse: &CoarsePaths,
    control: &Control,
) -> Result<(Vec<Path>, Report), Error> {
    let mut report = Report {
        num_coarse: coarse.len(),
        ..Report::default()
    };
    if let Refiner::Exact = refiner {
        let (paths, exact) = finder.refine(tx, rx, coarse, control)?;
        report.num_converged = exact.num_converged;
        report.num_agreeing = exact.num_converged;
        report.num_valid = exact.num_valid;
        return Ok((paths, report));
    }
    let scene = finder.world().scene();
    let of_chains = each_chain(coarse, control, |worker, k, steps, receivers| {
        let (mut exact, mut num_converged, mut num_agreeing) = (Vec::new(), 0, 0);
        worker.unfolded.set(scene, tx, steps);
        worker.descent.set(scene, tx, steps);
        for (n, &r) in receivers.iter().enumerate() {
            if !worker.converge(rx[r as usize], refiner, k, n) {
                continue;
            }
            num_converged += 1;
            if worker.unfolded.reach(rx[r as usize], &mut worker.waypoints) {
                num_agreeing += usize::from(worker.agrees());
                exact.push(r);
            }
        }
        (num_converged, num_agreeing, (steps.to_vec(), exact))
    })?;
    let mut chains = Vec::new();
    for (num_converged, num_agreeing, chain) in of_chains {
        report.num_converged += num_converged;
        report.num_agreeing += num_agreeing;
        chains.push(chain);
    }
    let (paths, exact) = finder.refine(tx, rx, &CoarsePaths::from_chains(chains), control)?;
    report.num_valid = exact.num_valid;
    Ok((paths, report))
}

/// The number of coarse paths that converge: the refiner's part of [`refine_by`], without validation.
///
/// # Errors
/// [`Error::Cancelled`].
///
/// # Panics
/// If the starts are those of other coarse paths.
pub fn converge(
    finder: &TileFinder,
    refiner: Refiner,
    tx: DVec3,
    rx: &[DVec3],
    coarse: &CoarsePaths,
    control: &Control,
) -> Result<usize, Error> {
    let scene = finder.world().scene();
    let converged = each_chain(coarse, control, |worker, k, steps, receivers| {
        match refiner {
            Refiner::Exact => worker.unfolded.set(scene, tx, steps),
            Refiner::Descent(_) | Refiner::LineSearch(_) => worker.descent.set(scene, tx, steps),
        }
        let all = receivers.iter().enumerate();
        all.filter(|(n, r)| worker.converge(rx[**r as usize], refiner, k, *n))
            .count()
    })?;
    Ok(converged.into_iter().sum())
}

/// The values of `each` for all chains, with their numbers, steps and receivers, on all cores.
fn each_chain<T: Send>(
    coarse: &CoarsePaths,
    control: &Control,
    each: impl Fn(&mut Worker, usize, &[Step], &[u32]) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let chains: Vec<(&[Step], &[u32])> = coarse.chains().collect();
    (0..chains.len())
        .into_par_iter()
        .map_init(Worker::default, |worker, k| {
            control.check()?;
            let (steps, receivers) = chains[k];
            Ok(each(worker, k, steps, receivers))
        })
        .collect()
}

/// The buffers of one thread.
#[derive(Debug, Default)]
struct Worker {
    unfolded: Unfolded,
    descent: Descent,
    waypoints: Vec<Waypoint>,
}

impl Worker {
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

    /// Whether the descent's points agree with the exact ones.
    fn agrees(&self) -> bool {
        let mut pairs = self.waypoints.iter().zip(self.descent.points());
        pairs.all(|(exact, found)| exact.point.distance(*found) <= AGREEING)
    }
}
