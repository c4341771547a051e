//! Solves and validates every proposed sequence of reflecting planes of one transmitter for every receiver.
//!
//! Cost: one image intersection (about ten nanoseconds) for each sequence and receiver; only those that survive it use
//! the index.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;

use super::job::{Job, Transmitter};
use super::solve::images::{Receivers, ReflectingPlanes};
use super::validate::Validator;
use super::{Path, SequenceTree};
use crate::{Error, Stage, parallel};

/// Number of sequences and of receivers in one piece of parallel work.
const NODES_PER_JOB: usize = 1024;
const RX_PER_JOB: usize = 512;

/// The paths of one transmitter by reflections alone: by the sequences of a tree, from one of its nodes on.
pub(super) fn connect(
    job: &Job,
    tx: &Transmitter,
    (tree, first): (&SequenceTree, usize),
    rx: &[DVec3],
) -> Result<Vec<Path>, Error> {
    let control = job.control;
    control.report(Stage::Connect, 0.0);
    let work = Work {
        job,
        tx,
        tree,
        planes: ReflectingPlanes::new(job.scene, job.boxes, tree),
    };
    let blocks: Vec<(usize, usize)> = (0..rx.len())
        .step_by(RX_PER_JOB)
        .flat_map(|r| {
            (first..tree.nodes.len())
                .step_by(NODES_PER_JOB)
                .map(move |n| (r, n))
        })
        .collect();
    let done = AtomicUsize::new(0);
    let paths: Vec<Path> = parallel::flat_map(blocks.len(), |block, found| {
        if !control.is_cancelled() {
            let (first_rx, first_node) = blocks[block];
            work.connect_block(rx, first_rx, first_node, found);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(16) || done == blocks.len() {
                control.report(Stage::Connect, done as f64 / blocks.len() as f64);
            }
        }
    });
    control.check()?;
    Ok(paths)
}

/// The state that all pieces of the work share.
struct Work<'a> {
    job: &'a Job<'a>,
    tx: &'a Transmitter<'a>,
    tree: &'a SequenceTree,
    planes: ReflectingPlanes,
}

impl Work<'_> {
    /// The paths of a block of sequences to a block of receivers.
    fn connect_block(
        &self,
        rx: &[DVec3],
        first_rx: usize,
        first_node: usize,
        found: &mut Vec<Path>,
    ) {
        let block = &rx[first_rx..rx.len().min(first_rx + RX_PER_JOB)];
        let receivers = Receivers::new(block);
        let tree = self.tree;
        let num_nodes = tree.nodes.len();
        let (mut shown, mut points) = (Vec::new(), Vec::new());
        let mut validator = Validator::new(self.job);
        for node in first_node..num_nodes.min(first_node + NODES_PER_JOB) {
            if node == 0 && !self.job.limits.line_of_sight {
                continue;
            }
            self.planes.survivors(node, &receivers, &mut shown);
            for (r, &position) in block.iter().enumerate().filter(|&(r, _)| shown[r]) {
                points.clear();
                if !self.planes.reflection_points(node, position, &mut points) {
                    continue;
                }
                points.reverse();
                let vertices = validator.validate(self.tx.position, &points, position, None);
                if let Some(vertices) = vertices {
                    found.push(Path {
                        tx: self.tx.index,
                        rx: first_rx + r,
                        tx_position: self.tx.position,
                        rx_position: position,
                        vertices,
                        length: tree.nodes[node].image.distance(position),
                    });
                }
            }
        }
    }
}
