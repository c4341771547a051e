//! Steps 3 to 5 for paths with diffractions: what the transmitter sees and what a receiver sees meet at the edges.
//!
//! A path with one diffraction comes to its edge from an image of the transmitter and leaves it to an image of the receiver. Both
//! ends list the edges that they see, with the images that they see them by; at every edge that both see, each pair is solved in
//! closed form. Nothing has to be hit, and no receiver depends on another.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rayon::prelude::*;

use super::search::exhaustive::diffracted_sequences;
use super::search::Searcher;
use super::solve::edges::Beside;
use super::solve::images::Mirrors;
use super::solve::{SolveScratch, Step, Waypoint, solve};
use super::search::views::Views;
use super::validate::Validator;
use super::{Job, Path, Transmitter};
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::scene::{EdgeId, Scene};
use crate::{Error, Stage};

/// The paths of one transmitter that have diffractions.
pub(super) fn diffract(
    job: &Job,
    searcher: &Searcher,
    tx: &Transmitter,
    rx: &[DVec3],
) -> Result<Vec<Path>, Error> {
    job.control.report(Stage::Diffract, 0.0);
    let done = AtomicUsize::new(0);
    let report = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        job.control.report(Stage::Diffract, done as f64 / rx.len() as f64);
    };
    let quiet = crate::Control { progress: None, ..*job.control };
    let found: Result<Vec<Vec<Path>>, Error> = if searcher.is_exhaustive() {
        let sequences = diffracted_sequences(job.scene, job.limits)?;
        rx.par_iter()
            .enumerate()
            .map(|(r, &rx)| {
                job.control.check()?;
                let paths = try_all(job, &sequences, tx, r, rx);
                report();
                Ok(paths)
            })
            .collect()
    } else {
        let from_tx = searcher.from_tx(tx.views);
        let meeting = Meeting {
            job,
            tx,
            mirrors: Mirrors::new(job.scene, job.boxes, &tx.views.tree),
            seen: SeenEdges::new(job.scene, tx.views, job),
        };
        rx.par_iter()
            .enumerate()
            .map(|(r, &position)| {
                job.control.check()?;
                let views = searcher.rx_views(position, &from_tx, &quiet)?;
                let paths = meeting.with(r, position, &views);
                report();
                Ok(paths)
            })
            .collect()
    };
    Ok(found?.into_iter().flatten().collect())
}

/// Every sequence, solved and validated: the obvious way.
fn try_all(job: &Job, sequences: &[Vec<Step>], tx: &Transmitter, r: usize, rx: DVec3) -> Vec<Path> {
    let mut validator = Validator::new(job);
    let (mut scratch, mut waypoints) = (SolveScratch::default(), Vec::new());
    let mut paths = Vec::new();
    for steps in sequences {
        if solve(job.scene, tx.position, steps, rx, &mut scratch, &mut waypoints)
            && let Some(path) = validator.path(tx, &waypoints, r, rx)
        {
            paths.push(path);
        }
    }
    paths
}

/// The transmitter's side of all meetings.
struct Meeting<'a> {
    job: &'a Job<'a>,
    tx: &'a Transmitter<'a>,
    mirrors: Mirrors,
    seen: SeenEdges,
}

impl Meeting<'_> {
    /// The paths of one diffraction to the receiver `r` at `rx`, which sees `views`.
    fn with(&self, r: usize, rx: DVec3, views: &Views) -> Vec<Path> {
        let scene = self.job.scene;
        let most = self.job.limits.reflections_beside_diffraction().unwrap_or(0);
        let mirrors = Mirrors::new(scene, self.job.boxes, &views.tree);
        let seen = SeenEdges::new(scene, views, self.job);
        let mut validator = Validator::new(self.job);
        let mut waypoints: Vec<Waypoint> = Vec::new();
        let mut paths = Vec::new();
        for edge_index in 0..scene.edges().len() {
            let from_rx = seen.of(edge_index);
            let from_tx = self.seen.of(edge_index);
            if from_rx.is_empty() || from_tx.is_empty() {
                continue;
            }
            let edge = &scene.edges()[edge_index];
            let along = edge.along();
            for a in from_rx {
                for b in from_tx.iter().take_while(|b| (a.depth + b.depth) as usize <= most) {
                    let t = a.beside.meet(b.beside);
                    let low = a.interval[0].max(b.interval[0]);
                    let high = a.interval[1].min(b.interval[1]);
                    if !(low <= t && t <= high) {
                        continue;
                    }
                    let point = edge.ends[0] + t * along;
                    waypoints.clear();
                    if !self.mirrors.reflection_points(b.node as usize, point, &mut waypoints) {
                        continue;
                    }
                    waypoints.reverse();
                    waypoints.push(Waypoint {
                        step: Step::Diffraction(EdgeId::from_index(edge_index)),
                        point,
                    });
                    if mirrors.reflection_points(a.node as usize, point, &mut waypoints) {
                        paths.extend(validator.path(self.tx, &waypoints, r, rx));
                    }
                }
            }
        }
        paths
    }
}

/// The edges that one end of a path sees, edge by edge, by few mirrors first.
#[derive(Debug)]
struct SeenEdges {
    /// Where the entries of an edge begin; one more than there are edges.
    starts: Vec<u32>,
    entries: Vec<Seen>,
}

/// An edge as seen by one sequence of mirrors.
#[derive(Debug, Clone, Copy)]
struct Seen {
    edge: u32,
    depth: u32,
    node: u32,
    /// The image of the end, in coordinates of the edge.
    beside: Beside,
    interval: [f64; 2],
}

impl SeenEdges {
    fn new(scene: &Scene, views: &Views, job: &Job) -> Self {
        let most = job.limits.reflections_beside_diffraction().unwrap_or(0);
        let mut entries: Vec<Seen> = Vec::with_capacity(views.edges.len());
        for view in &views.edges {
            let edge = &scene.edges()[view.edge.index()];
            let node = &views.tree.nodes[view.node as usize];
            let is_on_mirror = view.node != 0
                && edge.faces.iter().flatten().any(|&face| scene.plane_of(face) == node.plane);
            let is_seen = node.depth as usize <= most
                && !is_on_mirror
                && edge.is_open_towards(node.image - edge.ends[0], ON_FACE_DISTANCE);
            if is_seen {
                entries.push(Seen {
                    edge: u32::try_from(view.edge.index()).expect("edges fit in 32 bits"),
                    depth: node.depth,
                    node: view.node,
                    beside: Beside::new(node.image, edge.ends[0], edge.along()),
                    interval: view.interval,
                });
            }
        }
        entries.sort_unstable_by_key(|seen| (seen.edge, seen.depth, seen.node));
        let mut starts = vec![0_u32; scene.edges().len() + 1];
        for seen in &entries {
            starts[seen.edge as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        Self { starts, entries }
    }

    fn of(&self, edge: usize) -> &[Seen] {
        &self.entries[self.starts[edge] as usize..self.starts[edge + 1] as usize]
    }
}
