//! Steps 4 and 5 for one transmitter: every proposed sequence, solved and validated for every receiver.
//!
//! Cost: one image intersection (about ten nanoseconds) a sequence and receiver, and the index only for what survives it.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rayon::prelude::*;

use super::solve::{Mirrors, Receivers};
use super::validate::validate;
use super::{Limits, Path, SequenceTree, Transparency};
use crate::scene::Scene;
use crate::{Control, Error, Stage};

/// Sequences, and receivers, that one piece of parallel work takes on.
const NODES_PER_JOB: usize = 1024;
const RX_PER_JOB: usize = 512;

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
    control.report(Stage::Connect, 0.0);
    let work = Work {
        scene,
        tx,
        limits,
        transparency,
        mirrors: Mirrors::new(scene, tx.tree),
    };
    let jobs: Vec<(usize, usize)> = (0..rx.len())
        .step_by(RX_PER_JOB)
        .flat_map(|r| {
            (0..tx.tree.nodes.len())
                .step_by(NODES_PER_JOB)
                .map(move |n| (r, n))
        })
        .collect();
    let done = AtomicUsize::new(0);
    let mut paths: Vec<(usize, Path)> = jobs
        .par_iter()
        .flat_map_iter(|&(first_rx, first_node)| {
            let mut found = Vec::new();
            if !control.is_cancelled() {
                work.connect_block(rx, first_rx, first_node, &mut found);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                if done.is_multiple_of(16) || done == jobs.len() {
                    control.report(Stage::Connect, done as f64 / jobs.len() as f64);
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

/// What all pieces of the work have in common.
struct Work<'a> {
    scene: &'a Scene,
    tx: &'a Transmitter<'a>,
    limits: &'a Limits,
    transparency: &'a Transparency,
    mirrors: Mirrors,
}

impl Work<'_> {
    /// The paths of a block of sequences to a block of receivers, each with its sequence's node.
    fn connect_block(
        &self,
        rx: &[DVec3],
        first_rx: usize,
        first_node: usize,
        found: &mut Vec<(usize, Path)>,
    ) {
        let block = &rx[first_rx..rx.len().min(first_rx + RX_PER_JOB)];
        let receivers = Receivers::new(block);
        let num_nodes = self.tx.tree.nodes.len();
        let (mut shown, mut points, mut crossings) = (Vec::new(), Vec::new(), Vec::new());
        for node in first_node..num_nodes.min(first_node + NODES_PER_JOB) {
            if node == 0 && !self.limits.line_of_sight {
                continue;
            }
            self.mirrors.survivors(node, &receivers, &mut shown);
            for (r, &position) in block.iter().enumerate().filter(|&(r, _)| shown[r]) {
                if !self.mirrors.reflection_points(node, position, &mut points) {
                    continue;
                }
                let interactions = validate(
                    self.scene,
                    self.tx.position,
                    &points,
                    position,
                    self.limits,
                    self.transparency,
                    &mut crossings,
                );
                if let Some(interactions) = interactions {
                    let path = Path {
                        tx: self.tx.index,
                        rx: first_rx + r,
                        tx_position: self.tx.position,
                        rx_position: position,
                        interactions,
                        length: self.tx.tree.nodes[node].image.distance(position),
                    };
                    found.push((node, path));
                }
            }
        }
    }
}
