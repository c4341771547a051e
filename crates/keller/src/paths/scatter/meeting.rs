//! The data that a transmitter and a receiver share while their paths by patches are found.

use std::sync::OnceLock;

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::cells::{Patch, PatchSquare, patches};
use super::ends::End;
use super::precision::Precision;
use super::shade::Walls;
use super::table::Table;
use super::twice::illuminated::IlluminatedPart;
use super::wall_cells::WallCell;
use super::ways::{PatchWave, Way, arrival};
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::paths::job::{Job, Transmitter};
use crate::paths::solve::{SolveScratch, Waypoint, solve};
use crate::paths::validate::Validator;
use crate::paths::{Path, Step};

/// Largest width of a patch that an end reaches by an edge, as a share of the distance to the nearer end. Each
/// reflection and each edge doubles it.
const MAX_WIDTH: f64 = 0.25;

/// Squares that an end reaches by an edge are no smaller than this, metres, because a wall may end at that very edge.
const SMALLEST_BY_EDGES: f64 = 0.125;

/// Pairs with an edge are left out if their estimate is less than this share of the strongest patch: 40 dB.
pub(super) const FLOOR: f64 = 1e-4;

/// Joins one receiver with a transmitter.
pub(super) struct Meeting<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) transmitter: &'a Transmitter<'a>,
    pub(super) tx: &'a End<'a>,
    /// All ways to each cell; filled only where waves may come by edges.
    pub(super) tx_table: &'a Table,
    pub(super) rx: &'a End<'a>,
    pub(super) index: usize,
    pub(super) position: DVec3,
    /// The largest number of reflections of a path.
    pub(super) max_reflections: usize,
    /// The coarse cells of rough walls.
    pub(super) walls: &'a [WallCell],
    /// All walls that may hide these cells.
    pub(super) pieces: &'a Walls<'a>,
    /// The parts of walls that each end illuminates, for paths that are scattered twice. Computed on first use.
    pub(super) illuminated_parts: [&'a OnceLock<Vec<IlluminatedPart>>; 2],
    pub(super) precision: Precision,
    /// Estimated power of all patches found so far without an edge.
    pub(super) total: f64,
    pub(super) patches: FxHashMap<PatchSquare, Vec<Patch>>,
    pub(super) validator: Validator<'a>,
    pub(super) scratch: SolveScratch,
    /// The legs from each end to the current patch.
    pub(super) legs: [Vec<Waypoint>; 2],
    pub(super) waypoints: Vec<Waypoint>,
    /// Estimated strength of the strongest patch so far.
    pub(super) strongest: f64,
    pub(super) paths: Vec<Path>,
}

impl<'a> Meeting<'a> {
    pub(super) fn ends(&self) -> [&'a End<'a>; 2] {
        [self.tx, self.rx]
    }

    /// Tries a cell for a pair of ways that includes an edge, and quarters the cell as needed. `bounces` is the number
    /// of reflections and edges of both ways.
    pub(super) fn refine(&mut self, cell: PatchSquare, ways: [Way; 2], bounces: usize) {
        let scene = self.job.scene;
        let centre = cell.centre(scene);
        let normal = scene.plane(cell.plane).normal;
        // An upper bound of the cell's strength, with the distance to its nearest point, and without the loss of
        // diffraction where the direction is nearly straight.
        let half = cell.reach();
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
    pub(super) fn try_patch(&mut self, patch: &Patch, ways: [Way; 2]) -> bool {
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
