//! Steps 3 to 5 for paths with diffractions: joins the edges visible from the Tx with those visible from an Rx.
//!
//! A path comes to its first edge from an image of the transmitter and leaves its last to an image of the receiver. Both ends list
//! the edges that they see, with the images that they see them by (`seen`). One diffraction: at every edge that both see, each
//! pair is solved in closed form (`one`). Two with nothing in between: each edge of the one list with each of the other (`two`).
//! More, or reflecting planes in between: chains of what edges see of edges, found once a transmitter (`chains`).
//! Nothing has to be hit, and no receiver depends on another.

mod chains;
mod one;
pub(in crate::paths) mod seen;
mod two;

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rayon::prelude::*;

use self::chains::Chains;
use self::one::Lanes;
use self::seen::SeenEdges;
use self::two::Surrounded;
use super::Path;
use super::job::{Job, Transmitter};
use super::search::Searcher;
use super::search::exhaustive::diffracted_sequences;
use super::search::views::Views;
use super::sequence::Step;
use super::solve::images::ReflectingPlanes;
use super::solve::{SolveScratch, Waypoint, solve};
use super::validate::Validator;
use crate::{Control, Error, Stage};

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
        let share = done as f64 / rx.len() as f64;
        job.control.report(Stage::Diffract, share);
    };
    let receivers = rx.par_iter().enumerate();
    let found: Result<Vec<Vec<Path>>, Error> = if searcher.is_exhaustive() {
        let sequences = diffracted_sequences(job.scene, job.limits)?;
        let found = receivers.map(|(r, &rx)| {
            job.control.check()?;
            let paths = try_all(job, &sequences, tx, r, rx);
            report();
            Ok(paths)
        });
        found.collect()
    } else {
        let quiet = Control {
            progress: None,
            ..*job.control
        };
        let from_tx = searcher.tx_side(tx.views);
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
        let found = receivers.map(|(r, &position)| {
            job.control.check()?;
            let views = searcher.rx_views(position, &from_tx, &quiet)?;
            let paths = meeting.with(r, position, &views);
            report();
            Ok(paths)
        });
        found.collect()
    };
    Ok(found?.into_iter().flatten().collect())
}

/// Every sequence, solved and validated: the obvious way.
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

/// One end of all paths: what it sees, ready to be solved for.
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

/// The transmitter's side of all meetings.
struct Meeting<'a> {
    job: &'a Job<'a>,
    transmitter: &'a Transmitter<'a>,
    tx: End<'a>,
    lanes: Lanes,
    /// The edges that it sees, if others may follow.
    firsts: Vec<Surrounded>,
    chains: Chains,
}

/// What one receiver's meetings have in common.
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
    /// The paths to the receiver `index`, which sees `views`.
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
        let limits = self.job.limits;
        if limits.max_diffractions > 1 && limits.interactions() > 1 {
            encounter.meet_at_two_edges();
            encounter.meet_by_chains();
        }
        encounter.paths
    }
}

impl Encounter<'_> {
    /// Keeps the path by the waypoints if it is there.
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
