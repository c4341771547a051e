//! Finds, solves and validates the paths that are scattered once, or twice (`twice`). It joins the patches of rough
//! walls illuminated by the Tx with those visible from an Rx.
//!
//! Walls are cut into squares: coarse cells, which are quartered as needed. Where both ends reach a wall by reflections
//! alone (`by_reflections`), a square is as large as its centre can represent (`precision`). A patch is then the part
//! of one face that both ends illuminate in the square. That part is known exactly (`shade`, made of convex
//! `outline`s). Rays from both ends, reflected at the reflecting planes, show which reflecting planes may illuminate a
//! coarse cell. Without reflections every coarse cell is tried. Each patch is then solved for its centre and validated.
//! Patches depend only on the two ends of a path, the wall's lobe and the effort.
//!
//! Where waves may diffract too, an end also reaches a cell by edges (`lists`, `ways`). Pairs of ways that include at
//! least one edge are tried after the others, the strongest first (`diffracted`). Their squares are small compared with
//! the distance to either end.
//!
//! Cost: the number of squares illuminated from both ends times the number of pairs of sequences. **May miss**
//! reflecting planes by which no ray reaches a cell. It leaves out squares that contribute too small a share of the
//! total power, and pairs with an edge that a rough estimate puts [`FLOOR`](meeting::FLOOR) below the strongest patch
//! of that receiver.

mod by_reflections;
pub(in crate::paths) mod cells;
mod diffracted;
mod ends;
mod lists;
mod meeting;
mod outline;
mod precision;
mod shade;
mod table;
mod twice;
mod view;
mod wall_cells;
mod ways;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rustc_hash::FxHashMap;

use self::ends::{End, Outlook, VisibleEdges};
use self::lists::{Approaches, EdgeLights, ONE_PATCH, has_diffractions};
use self::meeting::Meeting;
use self::precision::Precision;
use self::shade::Walls;
use self::table::Table;
use self::wall_cells::WallCell;
use super::Path;
use super::job::{Job, Transmitter};
use super::search::Searcher;
use super::solve::SolveScratch;
use super::validate::Validator;
use crate::{Control, Error, Stage, parallel};

/// Number of receivers whose visible edges are explored together.
const BATCH: usize = 256;

/// Finds the paths of one transmitter that are scattered.
pub(super) fn scatter(
    job: &Job,
    searcher: &Searcher,
    tx: &Transmitter,
    rx: &[DVec3],
) -> Result<Vec<Path>, Error> {
    let limits = job.limits;
    let max = limits.reflections_beside(&ONE_PATCH);
    let Some(max_reflections) = max.filter(|_| job.transparency.scatters.contains(&true)) else {
        return Ok(Vec::new());
    };
    job.control.report(Stage::Scatter, 0.0);
    let done = AtomicUsize::new(0);
    let quiet = Control {
        progress: None,
        ..*job.control
    };
    let outlook = Outlook {
        job,
        searcher,
        control: &quiet,
        max_reflections,
    };
    let walls = WallCell::all(job);
    let pieces = Walls::new(job.scene);
    let tx_cells = outlook.illuminated(tx.position, true)?;
    let tx_parts = OnceLock::new();
    let meet = |tx_end: &End, tx_table: &Table, r: usize, rx_end: &End| {
        let rx_parts = OnceLock::new();
        let meeting = Meeting {
            job,
            tx: tx_end,
            tx_table,
            transmitter: tx,
            rx: rx_end,
            index: r,
            position: rx[r],
            max_reflections: outlook.max_reflections,
            walls: &walls,
            pieces: &pieces,
            illuminated_parts: [&tx_parts, &rx_parts],
            precision: Precision::of(searcher.effort()),
            total: 0.0,
            patches: FxHashMap::default(),
            validator: Validator::new(job),
            scratch: SolveScratch::default(),
            legs: [Vec::new(), Vec::new()],
            waypoints: Vec::new(),
            strongest: 0.0,
            paths: Vec::new(),
        };
        let paths = paths(meeting);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        job.control
            .report(Stage::Scatter, done as f64 / rx.len() as f64);
        paths
    };
    let diffracts = has_diffractions(limits);
    let search = searcher.end_search().filter(|_| diffracts);
    let found: Result<Vec<Vec<Path>>, Error> = if let Some(search) = search {
        let mut lights = EdgeLights::new(job);
        let tx_edges = outlook.edges_from(search, tx.position)?;
        lights.learn(job, tx_edges.edges(), &quiet)?;
        let approaches = lights.approaches(job, tx.position, &tx_edges.views, &tx_edges.seen)?;
        let tx_end = End::new(job, walls.len(), tx.position, &tx_cells, approaches);
        let tx_table = Table::new(job.scene, &tx_end, |_| Some(0.0));
        let mut found = Vec::with_capacity(rx.len());
        for (batch, positions) in rx.chunks(BATCH).enumerate() {
            let edges: Vec<VisibleEdges> = parallel::try_map(positions.len(), |k| {
                outlook.edges_from(search, positions[k])
            })?;
            let all = edges.iter().flat_map(VisibleEdges::edges).collect();
            lights.learn(job, all, &quiet)?;
            let first = batch * BATCH;
            let more = parallel::try_map(positions.len(), |k| {
                job.control.check()?;
                let (position, VisibleEdges { views, seen }) = (positions[k], &edges[k]);
                let illuminated = outlook.illuminated(position, false)?;
                let approaches = lights.approaches(job, position, views, seen)?;
                let rx_end = End::new(job, walls.len(), position, &illuminated, approaches);
                Ok::<_, Error>(meet(&tx_end, &tx_table, first + k, &rx_end))
            })?;
            found.extend(more);
        }
        Ok(found)
    } else {
        let all = |position: DVec3| Approaches::all(job, position);
        let tx_end = End::new(job, walls.len(), tx.position, &tx_cells, all(tx.position)?);
        let tx_table = if diffracts {
            Table::new(job.scene, &tx_end, |_| Some(0.0))
        } else {
            Table::default()
        };
        parallel::try_map(rx.len(), |r| {
            job.control.check()?;
            let illuminated = outlook.illuminated(rx[r], false)?;
            let rx_end = End::new(job, walls.len(), rx[r], &illuminated, all(rx[r])?);
            Ok(meet(&tx_end, &tx_table, r, &rx_end))
        })
    };
    let found = found?;
    job.control.check()?;
    Ok(found.into_iter().flatten().collect())
}

/// All paths of a meeting.
fn paths(mut meeting: Meeting) -> Vec<Path> {
    let limits = meeting.job.limits;
    meeting.meet();
    if has_diffractions(limits) {
        meeting.meet_by_edges();
    }
    if let Some(reflections) = twice::max_reflections_of_two(limits) {
        meeting.meet_twice(reflections);
    }
    meeting.paths
}
