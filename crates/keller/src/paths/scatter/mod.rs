//! Steps 3 to 5 for paths that are scattered once: what the transmitter lights and what a receiver sees meet at patches of rough walls.
//!
//! Rays from both ends, which go on as the mirrors send them, note the cells of rough walls that they fall on. A cell lit from both
//! ends is quartered until it is small against the (unfolded) distance to either, larger the more mirrors are in the way, whose
//! losses leave less to be exact about; each face's share of such a cell is a patch, and each pair of sequences that reach the patch
//! is solved for its centre and validated. Patches depend on the two ends of a path alone.
//!
//! Cost: cells lit from both ends times pairs of sequences. **May miss** cells that no ray falls on, and leaves out pairs that a rough
//! estimate puts [`FLOOR`] below the strongest patch of that receiver. Scattering is not combined with diffraction yet.

pub(in crate::paths) mod cells;

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use self::cells::{Cell, Patch, coarse_cells, patches};
use super::search::Searcher;
use super::search::views::Lit;
use super::solve::images::Mirrors;
use super::solve::{Step, Waypoint};
use super::validate::Validator;
use super::{Job, Path, Transmitter};
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::scene::FaceId;
use crate::{Control, Error, Stage};

/// A patch is at most this part of the distance to the nearer end wide.
const MOST_WIDTH: f64 = 0.25;

/// What a mirror keeps of the power, as a rough estimate.
const MIRROR_SHARE: f64 = 0.3;

/// Pairs estimated at less than this share of the strongest patch are left out: 40 dB.
const FLOOR: f64 = 1e-4;

/// The paths of one transmitter that are scattered once.
pub(super) fn scatter(
    job: &Job,
    searcher: &Searcher,
    tx: &Transmitter,
    rx: &[DVec3],
) -> Result<Vec<Path>, Error> {
    let Some(most) = job.limits.interactions().checked_sub(1) else {
        return Ok(Vec::new());
    };
    let most = most.min(job.limits.max_reflections);
    if !job.transparency.scatters.contains(&true) {
        return Ok(Vec::new());
    }
    job.control.report(Stage::Scatter, 0.0);
    let done = AtomicUsize::new(0);
    let quiet = Control {
        progress: None,
        ..*job.control
    };
    let lit = |from: DVec3, is_tx: bool| -> Result<Lit, Error> {
        if searcher.is_exhaustive() {
            let tree = searcher.all_sequences(from, most, &quiet)?;
            let rough = rough_faces(job);
            let cells = coarse_cells(job.scene, rough)
                .into_iter()
                .flat_map(|cell| (0..tree.nodes.len()).map(move |n| (cell, narrow(n))))
                .collect();
            return Ok(Lit { tree, cells });
        }
        searcher.light(from, most, is_tx, &quiet)
    };
    let from_tx = lit(tx.position, true)?;
    let tx_end = End::new(job, &from_tx);
    let found: Result<Vec<Vec<Path>>, Error> = rx
        .par_iter()
        .enumerate()
        .map(|(r, &position)| {
            job.control.check()?;
            let from_rx = lit(position, false)?;
            let mut meeting = Meeting {
                job,
                tx: &tx_end,
                transmitter: tx,
                rx: &End::new(job, &from_rx),
                index: r,
                position,
                most,
                patches: FxHashMap::default(),
                validator: Validator::new(job),
                waypoints: Vec::new(),
                strongest: 0.0,
                paths: Vec::new(),
            };
            meeting.meet();
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            job.control
                .report(Stage::Scatter, done as f64 / rx.len() as f64);
            Ok(meeting.paths)
        })
        .collect();
    Ok(found?.into_iter().flatten().collect())
}

fn rough_faces<'a>(job: &'a Job) -> impl Iterator<Item = FaceId> + use<'a> {
    let faces = job.scene.faces().iter().enumerate();
    faces
        .filter(|(_, face)| job.transparency.scatters[face.material.index()])
        .map(|(f, _)| FaceId::from_index(f))
}

/// One end of all paths, and the cells that it lights.
struct End<'a> {
    lit: &'a Lit,
    mirrors: Mirrors,
    /// Where the entries of each cell begin and end.
    cells: FxHashMap<Cell, (u32, u32)>,
}

impl<'a> End<'a> {
    fn new(job: &Job, lit: &'a Lit) -> Self {
        let mut cells = FxHashMap::default();
        let mut first = 0;
        for same in lit.cells.chunk_by(|a, b| a.0 == b.0) {
            let end = first + same.len();
            cells.insert(same[0].0, (narrow(first), narrow(end)));
            first = end;
        }
        Self {
            lit,
            mirrors: Mirrors::new(job.scene, job.boxes, &lit.tree),
            cells,
        }
    }

    fn nodes(&self, cell: &Cell) -> &'a [(Cell, u32)] {
        self.cells.get(cell).map_or(&[], |&(first, end)| {
            &self.lit.cells[first as usize..end as usize]
        })
    }
}

/// One receiver's meetings with a transmitter.
struct Meeting<'a> {
    job: &'a Job<'a>,
    transmitter: &'a Transmitter<'a>,
    tx: &'a End<'a>,
    rx: &'a End<'a>,
    index: usize,
    position: DVec3,
    most: usize,
    patches: FxHashMap<Cell, Vec<Patch>>,
    validator: Validator<'a>,
    waypoints: Vec<Waypoint>,
    /// The strongest patch so far, by estimate.
    strongest: f64,
    paths: Vec<Path>,
}

impl Meeting<'_> {
    /// Few mirrors first, so that the strongest patches are known early.
    fn meet(&mut self) {
        let rx = self.rx;
        for mirrors in 0..=self.most {
            for seen in rx.lit.cells.chunk_by(|a, b| a.0 == b.0) {
                let cell = seen[0].0;
                for &(_, from_tx) in self.tx.nodes(&cell) {
                    let before = self.tx.lit.tree.nodes[from_tx as usize].depth as usize;
                    for &(_, from_rx) in seen {
                        let after = rx.lit.tree.nodes[from_rx as usize].depth as usize;
                        if before + after == mirrors {
                            self.refine(cell, [from_tx as usize, from_rx as usize], mirrors);
                        }
                    }
                }
            }
        }
    }

    /// Tries a cell for a pair of sequences, quartered as need be.
    fn refine(&mut self, cell: Cell, [from_tx, from_rx]: [usize; 2], mirrors: usize) {
        let scene = self.job.scene;
        let center = cell.center(scene);
        let to_tx = self.tx.lit.tree.nodes[from_tx].image - center;
        let to_rx = self.rx.lit.tree.nodes[from_rx].image - center;
        let normal = scene.plane(cell.plane).normal;
        let (above_tx, above_rx) = (normal.dot(to_tx), normal.dot(to_rx));
        if above_tx * above_rx <= 0.0 {
            return;
        }
        // How strong the cell can be at most: from its nearest point, and straight on where that is near.
        let half = 0.75 * cell.side();
        let (d_tx, d_rx) = (to_tx.length(), to_rx.length());
        let (near_tx, near_rx) = ((d_tx - half).max(1e-3), (d_rx - half).max(1e-3));
        let cosines = ((above_tx.abs() + half) / near_tx).min(1.0)
            * ((above_rx.abs() + half) / near_rx).min(1.0);
        let share = MIRROR_SHARE.powi(i32::try_from(mirrors).unwrap_or(i32::MAX));
        let strength = share * cosines * cell.side().powi(2) / (near_tx * near_rx).powi(2);
        if strength < FLOOR * self.strongest {
            return;
        }
        let width = MOST_WIDTH * d_tx.min(d_rx) * f64::from(1_u32 << mirrors.min(8));
        if cell.side() > width
            && let Some(quarters) = cell.quarters()
        {
            for quarter in quarters {
                self.refine(quarter, [from_tx, from_rx], mirrors);
            }
            return;
        }
        let patches = self
            .patches
            .entry(cell)
            .or_insert_with(|| patches(scene, &cell))
            .clone();
        for patch in patches {
            self.try_patch(&patch, [from_tx, from_rx], share);
        }
    }

    fn try_patch(&mut self, patch: &Patch, [from_tx, from_rx]: [usize; 2], share: f64) {
        let scene = self.job.scene;
        let material = scene.face(patch.face).material.index();
        if !self.job.transparency.scatters[material] {
            return;
        }
        let point = patch.center;
        let plane = scene.plane(scene.plane_of(patch.face));
        let ends = [
            self.tx.lit.tree.nodes[from_tx].image - point,
            self.rx.lit.tree.nodes[from_rx].image - point,
        ];
        let above = ends.map(|to| plane.normal.dot(to));
        if above[0] * above[1] <= 0.0 || above[0].abs().min(above[1].abs()) < ON_FACE_DISTANCE {
            return;
        }
        let [d_tx, d_rx] = ends.map(DVec3::length);
        let strength = share * patch.area.square_metres() * (above[0] * above[1]).abs()
            / (d_tx * d_rx).powi(3);
        if strength < FLOOR * self.strongest {
            return;
        }
        self.waypoints.clear();
        if !self
            .tx
            .mirrors
            .reflection_points(from_tx, point, &mut self.waypoints)
        {
            return;
        }
        self.waypoints.reverse();
        self.waypoints.push(Waypoint {
            step: Step::Scattering(patch.face, patch.area),
            point,
        });
        if !self
            .rx
            .mirrors
            .reflection_points(from_rx, point, &mut self.waypoints)
        {
            return;
        }
        let path =
            self.validator
                .path(self.transmitter, &self.waypoints, self.index, self.position);
        if let Some(path) = path {
            self.strongest = self.strongest.max(strength);
            self.paths.push(path);
        }
    }
}

fn narrow(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 entries")
}
