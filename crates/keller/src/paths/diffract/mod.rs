//! Finds, solves and validates the paths with diffractions. It joins the edges visible from the Tx with those visible
//! from an Rx.
//!
//! A path reaches its first edge from an image of the transmitter and leaves its last edge towards an image of the
//! receiver. Each end lists its visible edges, with the images of the end by which they are visible (`seen`).
//!
//! - One diffraction: at every edge that is visible from both ends, each pair of images is solved in closed form
//!   (`one`).
//! - Two diffractions with nothing in between: each edge of one list is tried with each edge of the other (`two`).
//! - More diffractions, or reflecting planes in between: chains of edges visible from edges, found once for each
//!   transmitter (`chains`).
//!
//! No ray has to hit an edge here, and no receiver depends on another.

mod chains;
mod one;
pub(in crate::paths) mod seen;
mod two;

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;

use self::chains::Chains;
use self::one::Lanes;
use self::seen::SeenEdges;
use self::two::Surrounded;
use super::job::{Job, Transmitter};
use super::search::Searcher;
use super::search::exhaustive::diffracted_sequences;
use super::search::views::Views;
use super::sequence::Step;
use super::solve::images::ReflectingPlanes;
use super::solve::{SolveScratch, Waypoint, solve};
use super::validate::Validator;
use super::{InteractionCounts, Path};
use crate::{Control, Error, Stage, parallel};

/// The interactions that every path of two diffractions has.
const TWO_EDGES: InteractionCounts = InteractionCounts::NONE.plus(0, 2);

/// Finds the paths of one transmitter that have diffractions.
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
        let share = done as f64 / rx.len() as f64;
        job.control.report(Stage::Diffract, share);
    };
    let found: Result<Vec<Vec<Path>>, Error> = if let Some(search) = searcher.end_search() {
        let quiet = Control {
            progress: None,
            ..*job.control
        };
        let from_tx = search.tx_side(tx.views);
        let end = End::new(job, tx.views);
        let meeting = Meeting {
            job,
            lanes: Lanes::new(&end.seen),
            firsts: if job.limits.max_diffractions > 1 {
                Surrounded::all(job.scene, &end.seen)
            } else {
                Vec::new()
            },
            tx: end,
            transmitter: tx,
            chains: Chains::new(job, tx.views, &quiet)?,
        };
        let at_once = search.rx_at_once(rx.len());
        let parts: Vec<&[DVec3]> = rx.chunks(at_once).collect();
        parallel::try_map(parts.len(), |part| {
            job.control.check()?;
            let positions = parts[part];
            let views = search.rx_views(positions, &from_tx, &quiet)?;
            let paths = parallel::flat_map(positions.len(), |r, paths| {
                paths.extend(meeting.with(part * at_once + r, positions[r], &views[r]));
                report();
            });
            Ok(paths)
        })
    } else {
        let sequences = diffracted_sequences(job.scene, job.limits)?;
        parallel::try_map(rx.len(), |r| {
            job.control.check()?;
            let paths = try_all(job, &sequences, tx, r, rx[r]);
            report();
            Ok(paths)
        })
    };
    Ok(found?.into_iter().flatten().collect())
}

/// Solves and validates every sequence. This is the exhaustive reference.
fn try_all(job: &Job, sequences: &[Vec<Step>], tx: &Transmitter, r: usize, rx: DVec3) -> Vec<Path> {
    let mut validator = Validator::new(job);
    let (mut scratch, mut waypoints) = (SolveScratch::default(), Vec::new());
    let mut paths = Vec::new();
    for steps in sequences {
        let is_solved = solve(
            job.scene,
            tx.position,
            steps,
            rx,
            &mut scratch,
            &mut waypoints,
        );
        if is_solved {
            paths.extend(validator.path(tx, &waypoints, r, rx));
        }
    }
    paths
}

/// One end of all paths: its views, prepared for the solver.
struct End<'a> {
    views: &'a Views,
    planes: ReflectingPlanes,
    seen: SeenEdges,
}

impl<'a> End<'a> {
    fn new(job: &Job, views: &'a Views) -> Self {
        Self {
            views,
            planes: ReflectingPlanes::new(job.scene, job.boxes, &views.tree),
            seen: SeenEdges::new(job, views),
        }
    }
}

/// The transmitter's side, which all receivers share.
struct Meeting<'a> {
    job: &'a Job<'a>,
    transmitter: &'a Transmitter<'a>,
    tx: End<'a>,
    lanes: Lanes,
    /// The edges visible from the transmitter, if a second edge may follow.
    firsts: Vec<Surrounded>,
    chains: Chains,
}

/// The state that all paths to one receiver share.
struct Encounter<'a> {
    meeting: &'a Meeting<'a>,
    index: usize,
    position: DVec3,
    rx: End<'a>,
    validator: Validator<'a>,
    waypoints: Vec<Waypoint>,
    paths: Vec<Path>,
}

impl Meeting<'_> {
    /// The paths to the receiver `index`, from which `views` are visible.
    fn with(&self, index: usize, position: DVec3, views: &Views) -> Vec<Path> {
        let mut encounter = Encounter {
            meeting: self,
            index,
            position,
            rx: End::new(self.job, views),
            validator: Validator::new(self.job),
            waypoints: Vec::new(),
            paths: Vec::new(),
        };
        encounter.meet_at_one_edge();
        if let Some(max_reflections) = self.job.limits.reflections_beside(&TWO_EDGES) {
            encounter.meet_at_two_edges(max_reflections);
            encounter.meet_by_chains();
        }
        encounter.paths
    }
}

impl Encounter<'_> {
    /// Keeps the path by the waypoints if it is valid.
    fn validate(&mut self) {
        let path = self.validator.path(
            self.meeting.transmitter,
            &self.waypoints,
            self.index,
            self.position,
        );
        self.paths.extend(path);
    }
}
