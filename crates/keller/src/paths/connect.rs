//! Steps 4 and 5 for one transmitter: every proposed sequence, solved and validated for every receiver.
//!
//! Cost: one image intersection (about ten nanoseconds) a sequence and receiver, and the index only for what survives it.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rayon::prelude::*;

use super::solve::{PlaneBoxes, reflection_points};
use super::validate::validate;
use super::{Limits, Path, SequenceTree, Transparency};
use crate::scene::Scene;
use crate::{Control, Error, Stage};

/// Sequences that one piece of parallel work takes on.
const NODES_PER_JOB: usize = 8192;

/// A transmitter and what the search proposed for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transmitter<'a> {
    pub(super) index: usize,
    pub(super) position: DVec3,
    pub(super) tree: &'a SequenceTree,
}

/// The paths of one transmitter, sorted by receiver and length.
pub(super) fn connect(
    scene: &Scene,
    tx: &Transmitter,
    rx: &[DVec3],
    limits: &Limits,
    transparency: &Transparency,
    control: &Control,
) -> Result<Vec<Path>, Error> {
    let boxes = PlaneBoxes::new(scene);
    let num_nodes = tx.tree.nodes.len();
    let jobs_per_rx = num_nodes.div_ceil(NODES_PER_JOB);
    let num_jobs = jobs_per_rx * rx.len();
    let done = AtomicUsize::new(0);
    let mut paths: Vec<(usize, Path)> = (0..num_jobs)
        .into_par_iter()
        .flat_map_iter(|job| {
            let (r, first) = (job / jobs_per_rx, job % jobs_per_rx * NODES_PER_JOB);
            let mut found = Vec::new();
            if !control.is_cancelled() {
                let nodes = first..num_nodes.min(first + NODES_PER_JOB);
                let (mut points, mut crossings) = (Vec::new(), Vec::new());
                for node in nodes {
                    if node == 0 && !limits.line_of_sight {
                        continue;
                    }
                    if !reflection_points(scene, &boxes, tx.tree, node, rx[r], &mut points) {
                        continue;
                    }
                    let interactions = validate(
                        scene,
                        tx.position,
                        &points,
                        rx[r],
                        limits,
                        transparency,
                        &mut crossings,
                    );
                    if let Some(interactions) = interactions {
                        let path = Path {
                            tx: tx.index,
                            rx: r,
                            tx_position: tx.position,
                            rx_position: rx[r],
                            interactions,
                            length: tx.tree.nodes[node].image.distance(rx[r]),
                        };
                        found.push((node, path));
                    }
                }
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                if done.is_multiple_of(64) || done == num_jobs {
                    control.report(Stage::Connect, done as f64 / num_jobs as f64);
                }
            }
            found
        })
        .collect();
    control.check()?;
    // Equal lengths (a symmetric room) are told apart by the sequence, whose order the tree fixes.
    paths.par_sort_unstable_by(|(m, p), (n, q)| {
        let lengths = p.length.total_cmp(&q.length);
        p.rx.cmp(&q.rx).then(lengths).then(m.cmp(n))
    });
    Ok(paths.into_iter().map(|(_, path)| path).collect())
}
