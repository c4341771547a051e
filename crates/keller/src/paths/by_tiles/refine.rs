//! Makes coarse paths exact: a chain of reflecting planes and edges becomes points ([`crate::paths::solve`]), which
//! [`crate::paths::validate`] then accepts or rejects.
//!
//! Chains are shared among threads. Each is unfolded once for all its receivers, and points outside the boxes of their
//! planes' faces are rejected before the index is used.

use glam::DVec3;
use rayon::prelude::*;

use super::coarse::CoarsePaths;
use crate::Error;
use crate::paths::Path;
use crate::paths::job::{Job, Transmitter};
use crate::paths::sequence::Step;
use crate::paths::solve::images::PlaneBoxes;
use crate::paths::solve::{Unfolded, Waypoint};
use crate::paths::validate::Validator;

/// The numbers of a transmitter's coarse paths that pass each stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoarseReport {
    /// Number of chains of reflecting planes and edges.
    pub num_chains: usize,
    /// Number of coarse paths: pairs of a chain and a receiver.
    pub num_coarse: usize,
    /// Number of coarse paths whose points all satisfy Fermat's principle, on their edges and in the order of their
    /// reflecting planes.
    pub num_converged: usize,
    /// Number of these that are valid.
    pub num_valid: usize,
}

impl CoarseReport {
    fn add(mut self, other: Self) -> Self {
        self.num_chains += other.num_chains;
        self.num_coarse += other.num_coarse;
        self.num_converged += other.num_converged;
        self.num_valid += other.num_valid;
        self
    }
}

/// Makes coarse paths exact, and keeps the valid ones.
pub(in crate::paths) fn refine(
    job: &Job,
    tx: &Transmitter,
    rx: &[DVec3],
    coarse: &CoarsePaths,
) -> Result<(Vec<Path>, CoarseReport), Error> {
    let chains = coarse.all();
    let refined: Result<Vec<_>, Error> = chains
        .par_iter()
        .map_init(
            || (Unfolded::default(), Vec::new(), Validator::new(job)),
            |(unfolded, waypoints, validator), chain| {
                job.control.check()?;
                let mut report = CoarseReport {
                    num_chains: 1,
                    num_coarse: chain.rx.len(),
                    ..CoarseReport::default()
                };
                let mut paths = Vec::new();
                unfolded.set(job.scene, tx.position, &chain.steps);
                for &r in &chain.rx {
                    let r = r as usize;
                    if !unfolded.reach(rx[r], waypoints) {
                        continue;
                    }
                    report.num_converged += 1;
                    if on_boxes(job.boxes, waypoints) {
                        paths.extend(validator.path(tx, waypoints, r, rx[r]));
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

/// Whether all reflection points are near faces of their planes, which is a cheap test.
fn on_boxes(boxes: &PlaneBoxes, waypoints: &[Waypoint]) -> bool {
    waypoints.iter().all(|waypoint| match waypoint.step {
        Step::Reflection(plane) => boxes.hold(plane, waypoint.point),
        Step::Diffraction(_) | Step::Scattering(..) => true,
    })
}
