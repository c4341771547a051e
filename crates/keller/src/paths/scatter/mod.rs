//! Finds, solves and validates the paths that are scattered once, or twice (`twice`). It joins the patches of rough
//! walls illuminated by the Tx with those visible from an Rx.
//!
//! Walls are cut into squares: coarse cells, which are quartered as needed. Where both ends reach a wall by reflections
//! alone (`by_reflections`), a square is as large as its centre can represent (`precision`). A patch is then the part
//! of one face that both ends illuminate in the square. That part is known exactly (`shade`, made of convex
//! `outline`s). Rays from both ends, reflected at the reflecting planes, tell which reflecting planes may illuminate a
//! coarse cell. Without reflections every coarse cell is tried. Each patch is then solved for its centre and validated.
//! Patches depend only on the two ends of a path, the wall's lobe and the effort.
//!
//! Where waves may diffract too, an end also reaches a cell by edges (`lists`, `ways`). Pairs of ways that include at
//! least one edge are tried after the others, the strongest first (`bent`). Their squares are small compared with the
//! distance to either end.
//!
//! Cost: the number of squares illuminated from both ends times the number of pairs of sequences. **May miss**
//! reflecting planes by which no ray reaches a cell. It leaves out squares that contribute too small a share of the
//! total power, and pairs with an edge that a rough estimate puts [`FLOOR`] below the strongest patch of that receiver.

mod bent;
mod by_reflections;
pub(in crate::paths) mod cells;
mod ends;
mod lists;
mod outline;
mod precision;
mod shade;
mod twice;
mod view;
mod ways;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rustc_hash::FxHashMap;

use self::bent::Table;
use self::by_reflections::WallCell;
use self::cells::{Patch, PatchSquare, patches};
use self::ends::{End, Outlook, Sight};
use self::lists::{Approaches, EdgeLights};
use self::precision::Precision;
use self::shade::Walls;
use self::twice::LitPart;
use self::ways::{PatchWave, Way, arrival};
use super::job::{Job, Transmitter};
use super::search::Searcher;
use super::sequence::Step;
use super::solve::{SolveScratch, Waypoint, solve};
use super::validate::Validator;
use super::{InteractionCounts, InteractionKind, Limits, Path};
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::parallel;
use crate::scene::FaceId;
use crate::{Control, Error, Stage};

/// Largest width of a patch that an end reaches by an edge, as a share of the distance to the nearer end. Each
/// reflection and each edge doubles it.
const MAX_WIDTH: f64 = 0.25;

/// Squares that an end reaches by an edge are no smaller than this, metres, because a wall may end at that very edge.
const SMALLEST_BY_EDGES: f64 = 0.125;

/// Number of receivers whose visible edges are explored together.
const BATCH: usize = 256;

/// Pairs with an edge are left out if their estimate is less than this share of the strongest patch: 40 dB.
const FLOOR: f64 = 1e-4;

/// What a scattered path has at least.
const ONE_PATCH: InteractionCounts = InteractionCounts::NONE.with(InteractionKind::Scattering);

/// Finds the paths of one transmitter that are scattered.
pub(super) fn scatter(
    job: &Job,
    searcher: &Searcher,
    tx: &Transmitter,
    rx: &[DVec3],
) -> Result<Vec<Path>, Error> {
    let limits = job.limits;
    let most = limits.reflections_beside(&ONE_PATCH);
    let Some(most) = most.filter(|_| job.transparency.scatters.contains(&true)) else {
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
        most,
    };
    let walls = WallCell::all(job);
    let pieces = Walls::new(job.scene);
    let tx_lit = outlook.lit(tx.position, true)?;
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
            most: outlook.most,
            walls: &walls,
            pieces: &pieces,
            lit_parts: [&tx_parts, &rx_parts],
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
        let paths = meeting.paths();
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        job.control
            .report(Stage::Scatter, done as f64 / rx.len() as f64);
        paths
    };
    let bends = has_bends(limits);
    let search = searcher.end_search().filter(|_| bends);
    let found: Result<Vec<Vec<Path>>, Error> = if let Some(search) = search {
        let mut lights = EdgeLights::new(job);
        let tx_sight = outlook.sight(search, tx.position)?;
        lights.learn(job, tx_sight.edges(), &quiet)?;
        let approaches = lights.approaches(job, tx.position, &tx_sight.views, &tx_sight.seen)?;
        let tx_end = End::new(job, walls.len(), tx.position, &tx_lit, approaches);
        let tx_table = Table::new(job.scene, &tx_end, |_| Some(0.0));
        let mut found = Vec::with_capacity(rx.len());
        for (batch, positions) in rx.chunks(BATCH).enumerate() {
            let sights: Vec<Sight> =
                parallel::try_map(positions.len(), |k| outlook.sight(search, positions[k]))?;
            lights.learn(job, sights.iter().flat_map(Sight::edges).collect(), &quiet)?;
            let first = batch * BATCH;
            let more = parallel::try_map(positions.len(), |k| {
                job.control.check()?;
                let (position, Sight { views, seen }) = (positions[k], &sights[k]);
                let lit = outlook.lit(position, false)?;
                let approaches = lights.approaches(job, position, views, seen)?;
                let rx_end = End::new(job, walls.len(), position, &lit, approaches);
                Ok::<_, Error>(meet(&tx_end, &tx_table, first + k, &rx_end))
            })?;
            found.extend(more);
        }
        Ok(found)
    } else {
        let all = |position: DVec3| Approaches::all(job, position);
        let tx_end = End::new(job, walls.len(), tx.position, &tx_lit, all(tx.position)?);
        let tx_table = if bends {
            Table::new(job.scene, &tx_end, |_| Some(0.0))
        } else {
            Table::default()
        };
        parallel::try_map(rx.len(), |r| {
            job.control.check()?;
            let lit = outlook.lit(rx[r], false)?;
            let rx_end = End::new(job, walls.len(), rx[r], &lit, all(rx[r])?);
            Ok(meet(&tx_end, &tx_table, r, &rx_end))
        })
    };
    let found = found?;
    job.control.check()?;
    Ok(found.into_iter().flatten().collect())
}

/// Whether a scattered path may also be diffracted at an edge.
fn has_bends(limits: &Limits) -> bool {
    limits.diffractions_beside(&ONE_PATCH) > 0
}

fn rough_faces<'a>(job: &'a Job) -> impl Iterator<Item = FaceId> + use<'a> {
    let faces = job.scene.faces().iter().enumerate();
    faces
        .filter(|(_, face)| job.transparency.scatters[face.material.index()])
        .map(|(f, _)| FaceId::from_index(f))
}

/// Joins one receiver with a transmitter.
struct Meeting<'a> {
    job: &'a Job<'a>,
    transmitter: &'a Transmitter<'a>,
    tx: &'a End<'a>,
    /// All ways to each cell; filled only where waves may come by edges.
    tx_table: &'a Table,
    rx: &'a End<'a>,
    index: usize,
    position: DVec3,
    /// The largest number of reflections of a path.
    most: usize,
    /// The coarse cells of rough walls.
    walls: &'a [WallCell],
    /// All walls that may hide these cells.
    pieces: &'a Walls<'a>,
    /// The parts of walls that each end illuminates, for paths that are scattered twice. Computed on first use.
    lit_parts: [&'a OnceLock<Vec<LitPart>>; 2],
    precision: Precision,
    /// Estimated power of all patches found so far without an edge.
    total: f64,
    patches: FxHashMap<PatchSquare, Vec<Patch>>,
    validator: Validator<'a>,
    scratch: SolveScratch,
    /// The legs from each end to the current patch.
    legs: [Vec<Waypoint>; 2],
    waypoints: Vec<Waypoint>,
    /// Estimated strength of the strongest patch so far.
    strongest: f64,
    paths: Vec<Path>,
}

impl<'a> Meeting<'a> {
    fn paths(mut self) -> Vec<Path> {
        self.meet();
        if has_bends(self.job.limits) {
            self.meet_by_edges();
        }
        if let Some(reflections) = twice::most_reflections(self.job.limits) {
            self.meet_twice(reflections);
        }
        self.paths
    }

    fn ends(&self) -> [&'a End<'a>; 2] {
        [self.tx, self.rx]
    }

    /// Tries a cell for a pair of ways that includes an edge, and quarters the cell as needed. `bounces` is the number
    /// of reflections and edges of both ways.
    fn refine(&mut self, cell: PatchSquare, ways: [Way; 2], bounces: usize) {
        let scene = self.job.scene;
        let centre = cell.centre(scene);
        let normal = scene.plane(cell.plane).normal;
        // An upper bound of the cell's strength: from its nearest point, and without bending where the direction is
        // nearly straight.
        let half = half_of(&cell);
        let [tx, rx] = self.ends();
        let Some(from_tx) = tx.wave_bounds(scene, ways[0], centre, normal, half) else {
            return;
        };
        let Some(from_rx) = rx.wave_bounds(scene, ways[1], centre, normal, half) else {
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
        let width = MAX_WIDTH * near * f64::from(1_u32 << bounces.min(8));
        if cell.side() > width.max(SMALLEST_BY_EDGES)
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

    /// Adds the path by a patch if there is one, and returns whether there is.
    fn try_patch(&mut self, patch: &Patch, ways: [Way; 2]) -> bool {
        let scene = self.job.scene;
        let material = scene.face(patch.face).material.index();
        if !self.job.transparency.scatters[material] {
            return false;
        }
        let point = patch.centre;
        let normal = scene.plane(scene.plane_of(patch.face)).normal;
        let Some(from_tx) = self.arrive(0, ways[0], point, normal) else {
            return false;
        };
        let Some(from_rx) = self.arrive(1, ways[1], point, normal) else {
            return false;
        };
        let above = [from_tx.above, from_rx.above];
        if above[0] * above[1] <= 0.0 || above[0].abs().min(above[1].abs()) < ON_FACE_DISTANCE {
            return false;
        }
        let strength = patch.area.square_metres()
            * from_tx.density
            * from_rx.density
            * (from_tx.cosine * from_rx.cosine);
        let has_edges = ways.iter().any(|way| matches!(way, Way::Edges(_)));
        if has_edges && strength < FLOOR * self.strongest {
            return false;
        }
        for (end, way) in ways.into_iter().enumerate() {
            // Reflection points are solved from the patch to the end, hence the reversal. Legs with edges are already
            // solved.
            if let Way::Reflections(node) = way {
                self.legs[end].clear();
                let planes = &self.ends()[end].planes;
                if !planes.reflection_points(node, point, &mut self.legs[end]) {
                    return false;
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
        let Some(path) = path else {
            return false;
        };
        self.strongest = self.strongest.max(strength);
        self.paths.push(path);
        true
    }

    /// The wave from an end (0 is the Tx, 1 the Rx) at a point of a wall. For a way by edges it also solves the points
    /// of the leg.
    fn arrive(&mut self, end: usize, way: Way, point: DVec3, normal: DVec3) -> Option<PatchWave> {
        let scene = self.job.scene;
        let from = self.ends()[end];
        match way {
            Way::Reflections(_) => {
                let bounds = from.wave_bounds(scene, way, point, normal, 0.0)?;
                Some(PatchWave {
                    above: bounds.above,
                    cosine: bounds.above / bounds.distance,
                    density: bounds.density,
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
fn half_of(cell: &PatchSquare) -> f64 {
    0.75 * cell.side()
}

fn narrow(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 entries")
}
