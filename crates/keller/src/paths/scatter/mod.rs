//! Steps 3 to 5 for paths that are scattered once: what the transmitter lights and what a receiver sees meet at patches of rough walls.
//!
//! Rays from both ends, which go on as the mirrors send them, note the cells of rough walls that they fall on. A cell lit from both
//! ends is quartered until it is small against the (unfolded) distance to either, larger the more mirrors are in the way, whose
//! losses leave less to be exact about; each face's share of such a cell is a patch, and each pair of sequences that reach the patch
//! is solved for its centre and validated. Patches depend on the two ends of a path alone.
//!
//! Where waves may diffract too, an end also comes to a cell by edges (`lists`, `ways`), and pairs of ways of which one has an edge or
//! more are tried after the others, the strongest first (`bent`).
//!
//! Cost: cells lit from both ends times pairs of sequences. **May miss** cells that no ray falls on, and leaves out pairs that a rough
//! estimate puts [`FLOOR`] below the strongest patch of that receiver.

mod bent;
pub(in crate::paths) mod cells;
mod lists;
mod ways;

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use self::bent::Table;
use self::cells::{Cell, Patch, coarse_cells, patches};
use self::lists::{Approaches, EdgeLights};
use self::ways::{Arrival, Way, arrival};
use super::diffract::seen::SeenEdges;
use super::search::Searcher;
use super::search::views::{Lit, Views};
use super::solve::images::Mirrors;
use super::solve::{SolveScratch, Step, Waypoint, solve};
use super::validate::Validator;
use super::{Job, Limits, Path, Transmitter};
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::scene::{EdgeId, FaceId};
use crate::{Control, Error, Stage};

/// A patch is at most this part of the distance to the nearer end wide.
const MOST_WIDTH: f64 = 0.25;

/// So many receivers at a time wait for what their edges light.
const BATCH: usize = 256;

/// Pairs estimated at less than this share of the strongest patch are left out: 40 dB.
const FLOOR: f64 = 1e-4;

/// The paths of one transmitter that are scattered once.
pub(super) fn scatter(
    job: &Job,
    searcher: &Searcher,
    tx: &Transmitter,
    rx: &[DVec3],
) -> Result<Vec<Path>, Error> {
    let limits = job.limits;
    if limits.interactions() == 0 || !job.transparency.scatters.contains(&true) {
        return Ok(Vec::new());
    }
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
        most: most_beside_patch(limits).min(limits.max_reflections),
    };
    let tx_lit = outlook.lit(tx.position, true)?;
    let meet = |tx_end: &End, tx_table: &Table, r: usize, rx_end: &End| {
        let meeting = Meeting {
            job,
            tx: tx_end,
            tx_table,
            transmitter: tx,
            rx: rx_end,
            index: r,
            position: rx[r],
            most: outlook.most,
            patches: FxHashMap::default(),
            validator: Validator::new(job),
            scratch: SolveScratch::default(),
            legs: [Vec::new(), Vec::new()],
            waypoints: Vec::new(),
            strongest: 0.0,
            paths: Vec::new(),
        };
        let paths = meeting.paths();
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        job.control
            .report(Stage::Scatter, done as f64 / rx.len() as f64);
        paths
    };
    let receivers = || rx.par_iter().enumerate();
    let found: Result<Vec<Vec<Path>>, Error> = if !has_bends(limits) {
        let tx_end = End::new(job, tx.position, &tx_lit, Approaches::default());
        let tx_table = Table::default();
        let found = receivers().map(|(r, &position)| {
            job.control.check()?;
            let lit = outlook.lit(position, false)?;
            let rx_end = End::new(job, position, &lit, Approaches::default());
            Ok(meet(&tx_end, &tx_table, r, &rx_end))
        });
        found.collect()
    } else if searcher.is_exhaustive() {
        let all = |position: DVec3| Approaches::all(job, position);
        let tx_end = End::new(job, tx.position, &tx_lit, all(tx.position)?);
        let tx_table = Table::new(job.scene, &tx_end, |_| Some(0.0));
        let found = receivers().map(|(r, &position)| {
            job.control.check()?;
            let lit = outlook.lit(position, false)?;
            let rx_end = End::new(job, position, &lit, all(position)?);
            Ok(meet(&tx_end, &tx_table, r, &rx_end))
        });
        found.collect()
    } else {
        let mut lights = EdgeLights::new(job);
        let tx_sight = outlook.sight(tx.position)?;
        lights.learn(job, tx_sight.edges(), &quiet)?;
        let approaches = lights.approaches(job, tx.position, &tx_sight.views, &tx_sight.seen)?;
        let tx_end = End::new(job, tx.position, &tx_lit, approaches);
        let tx_table = Table::new(job.scene, &tx_end, |_| Some(0.0));
        let mut found = Vec::with_capacity(rx.len());
        for (batch, positions) in rx.chunks(BATCH).enumerate() {
            let sights: Result<Vec<Sight>, Error> =
                positions.par_iter().map(|&rx| outlook.sight(rx)).collect();
            let sights = sights?;
            lights.learn(job, sights.iter().flat_map(Sight::edges).collect(), &quiet)?;
            let first = batch * BATCH;
            let more = positions.par_iter().zip(sights).enumerate();
            let more = more.map(|(k, (&position, Sight { views, seen }))| {
                job.control.check()?;
                let lit = outlook.lit(position, false)?;
                let approaches = lights.approaches(job, position, &views, &seen)?;
                let rx_end = End::new(job, position, &lit, approaches);
                Ok(meet(&tx_end, &tx_table, first + k, &rx_end))
            });
            found.extend(more.collect::<Result<Vec<_>, Error>>()?);
        }
        Ok(found)
    };
    Ok(found?.into_iter().flatten().collect())
}

/// Interactions beside the scattering.
fn most_beside_patch(limits: &Limits) -> usize {
    limits.interactions().saturating_sub(1)
}

/// Whether a path that is scattered may have an edge.
fn has_bends(limits: &Limits) -> bool {
    limits.max_diffractions > 0 && most_beside_patch(limits) > 0
}

/// What all looks from the ends have in common.
struct Outlook<'a> {
    job: &'a Job<'a>,
    searcher: &'a Searcher<'a>,
    control: &'a Control<'a>,
    /// Mirrors of a path.
    most: usize,
}

impl Outlook<'_> {
    /// The cells that an end lights by mirrors.
    fn lit(&self, from: DVec3, is_tx: bool) -> Result<Lit, Error> {
        let Self {
            job,
            searcher,
            control,
            most,
        } = *self;
        if searcher.is_exhaustive() {
            let tree = searcher.all_sequences(from, most, control)?;
            let cells = coarse_cells(job.scene, rough_faces(job))
                .into_iter()
                .flat_map(|cell| (0..tree.nodes.len()).map(move |n| (cell, narrow(n))))
                .collect();
            return Ok(Lit { tree, cells });
        }
        searcher.light(from, most, is_tx, control)
    }

    /// The edges that an end sees by the mirrors that a path may have beside a patch and an edge.
    fn sight(&self, from: DVec3) -> Result<Sight, Error> {
        let limits = self.job.limits;
        let mirrors = most_beside_patch(limits).saturating_sub(1);
        let mirrors = mirrors.min(limits.max_reflections);
        let views = self.searcher.edge_views(from, mirrors, self.control)?;
        let seen = SeenEdges::new(self.job, &views);
        Ok(Sight { views, seen })
    }
}

/// The edges that an end sees.
struct Sight {
    views: Views,
    seen: SeenEdges,
}

impl Sight {
    fn edges(&self) -> Vec<EdgeId> {
        let entries = self.seen.entries().iter();
        let mut edges: Vec<EdgeId> = entries
            .map(|entry| EdgeId::from_index(entry.edge as usize))
            .collect();
        edges.dedup();
        edges
    }
}

fn rough_faces<'a>(job: &'a Job) -> impl Iterator<Item = FaceId> + use<'a> {
    let faces = job.scene.faces().iter().enumerate();
    faces
        .filter(|(_, face)| job.transparency.scatters[face.material.index()])
        .map(|(f, _)| FaceId::from_index(f))
}

/// One end of all paths, and the cells that it lights.
struct End<'a> {
    position: DVec3,
    lit: &'a Lit,
    mirrors: Mirrors,
    /// Where the entries of each cell begin and end.
    cells: FxHashMap<Cell, (u32, u32)>,
    /// Ways by edges, and the cells to which they lead.
    approaches: Approaches,
}

impl<'a> End<'a> {
    fn new(job: &Job, position: DVec3, lit: &'a Lit, approaches: Approaches) -> Self {
        let mut cells = FxHashMap::default();
        let mut first = 0;
        for same in lit.cells.chunk_by(|a, b| a.0 == b.0) {
            let end = first + same.len();
            cells.insert(same[0].0, (narrow(first), narrow(end)));
            first = end;
        }
        Self {
            position,
            lit,
            mirrors: Mirrors::new(job.scene, job.boxes, &lit.tree),
            cells,
            approaches,
        }
    }

    fn nodes(&self, cell: &Cell) -> &'a [(Cell, u32)] {
        self.cells.get(cell).map_or(&[], |&(first, end)| {
            &self.lit.cells[first as usize..end as usize]
        })
    }

    /// Mirrors and edges of a way.
    fn count(&self, way: Way) -> [u32; 2] {
        match way {
            Way::Mirrors(node) => [self.lit.tree.nodes[node].depth, 0],
            Way::Edges(index) => {
                let approach = &self.approaches.list[index];
                [approach.mirrors, approach.edges]
            }
        }
    }
}

/// One receiver's meetings with a transmitter.
struct Meeting<'a> {
    job: &'a Job<'a>,
    transmitter: &'a Transmitter<'a>,
    tx: &'a End<'a>,
    /// All ways to each cell, where some are by edges.
    tx_table: &'a Table,
    rx: &'a End<'a>,
    index: usize,
    position: DVec3,
    /// Mirrors of a path.
    most: usize,
    patches: FxHashMap<Cell, Vec<Patch>>,
    validator: Validator<'a>,
    scratch: SolveScratch,
    /// From each end to the patch at hand.
    legs: [Vec<Waypoint>; 2],
    waypoints: Vec<Waypoint>,
    /// The strongest patch so far, by estimate.
    strongest: f64,
    paths: Vec<Path>,
}

impl<'a> Meeting<'a> {
    fn paths(mut self) -> Vec<Path> {
        self.meet();
        if has_bends(self.job.limits) {
            self.meet_by_edges();
        }
        self.paths
    }

    /// By mirrors alone. Few of them first, so that the strongest patches are known early.
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
                            let ways = [from_tx, from_rx].map(|node| Way::Mirrors(node as usize));
                            self.refine(cell, ways, mirrors);
                        }
                    }
                }
            }
        }
    }

    fn ends(&self) -> [&'a End<'a>; 2] {
        [self.tx, self.rx]
    }

    /// Tries a cell for a pair of ways with so many mirrors and edges, quartered as need be.
    fn refine(&mut self, cell: Cell, ways: [Way; 2], bounces: usize) {
        let scene = self.job.scene;
        let center = cell.center(scene);
        let normal = scene.plane(cell.plane).normal;
        // How strong the cell can be at most: from its nearest point, and straight on where that is near.
        let half = half_of(&cell);
        let [tx, rx] = self.ends();
        let Some(from_tx) = tx.glimpse(scene, ways[0], center, normal, half) else {
            return;
        };
        let Some(from_rx) = rx.glimpse(scene, ways[1], center, normal, half) else {
            return;
        };
        if !from_tx.shares_side(&from_rx) {
            return;
        }
        let strength = from_tx.density
            * from_rx.density
            * from_tx.cosine(half)
            * from_rx.cosine(half)
            * cell.side().powi(2);
        if strength < FLOOR * self.strongest {
            return;
        }
        let near = from_tx.distance.min(from_rx.distance);
        let width = MOST_WIDTH * near * f64::from(1_u32 << bounces.min(8));
        if cell.side() > width
            && let Some(quarters) = cell.quarters()
        {
            for quarter in quarters {
                self.refine(quarter, ways, bounces);
            }
            return;
        }
        let patches = self
            .patches
            .entry(cell)
            .or_insert_with(|| patches(scene, &cell))
            .clone();
        for patch in patches {
            self.try_patch(&patch, ways);
        }
    }

    fn try_patch(&mut self, patch: &Patch, ways: [Way; 2]) {
        let scene = self.job.scene;
        let material = scene.face(patch.face).material.index();
        if !self.job.transparency.scatters[material] {
            return;
        }
        let point = patch.center;
        let normal = scene.plane(scene.plane_of(patch.face)).normal;
        let Some(from_tx) = self.arrive(0, ways[0], point, normal) else {
            return;
        };
        let Some(from_rx) = self.arrive(1, ways[1], point, normal) else {
            return;
        };
        let above = [from_tx.above, from_rx.above];
        if above[0] * above[1] <= 0.0 || above[0].abs().min(above[1].abs()) < ON_FACE_DISTANCE {
            return;
        }
        let strength = patch.area.square_metres()
            * from_tx.density
            * from_rx.density
            * (from_tx.cosine * from_rx.cosine);
        if strength < FLOOR * self.strongest {
            return;
        }
        for (end, way) in ways.into_iter().enumerate() {
            // From the patch to the end, as mirrors are solved: edges are solved already.
            if let Way::Mirrors(node) = way {
                self.legs[end].clear();
                let mirrors = &self.ends()[end].mirrors;
                if !mirrors.reflection_points(node, point, &mut self.legs[end]) {
                    return;
                }
                self.legs[end].reverse();
            }
        }
        self.waypoints.clear();
        self.waypoints.extend_from_slice(&self.legs[0]);
        self.waypoints.push(Waypoint {
            step: Step::Scattering(patch.face, patch.area),
            point,
        });
        self.waypoints.extend(self.legs[1].iter().rev());
        let path =
            self.validator
                .path(self.transmitter, &self.waypoints, self.index, self.position);
        if let Some(path) = path {
            self.strongest = self.strongest.max(strength);
            self.paths.push(path);
        }
    }

    /// What comes from an end, 0 or 1 as the Tx or the Rx, to a point of a wall; for a way by edges the points of its leg as well.
    fn arrive(&mut self, end: usize, way: Way, point: DVec3, normal: DVec3) -> Option<Arrival> {
        let scene = self.job.scene;
        let from = self.ends()[end];
        match way {
            Way::Mirrors(_) => {
                let glimpse = from.glimpse(scene, way, point, normal, 0.0)?;
                Some(Arrival {
                    above: glimpse.above,
                    cosine: glimpse.above / glimpse.distance,
                    density: glimpse.density,
                })
            }
            Way::Edges(index) => {
                let steps = &from.approaches.list[index].steps;
                let (scratch, leg) = (&mut self.scratch, &mut self.legs[end]);
                solve(scene, from.position, steps, point, scratch, leg)
                    .then(|| arrival(scene, from.position, leg, point, normal))
            }
        }
    }
}

/// How far around its centre a cell reaches, and a little more, metres.
fn half_of(cell: &Cell) -> f64 {
    0.75 * cell.side()
}

fn narrow(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 entries")
}
