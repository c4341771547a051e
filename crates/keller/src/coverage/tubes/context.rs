//! Everything that the stages of a trace read and none of them changes.

use glam::DVec3;

use super::cells::region_grid::RegionGrid;
use super::splitting::cell_sizes::CellSizes;
use super::splitting::fineness::Fineness;
use super::splitting::ladder::Ladder;
use super::tables::edge_lists::EdgeLists;
use super::tables::edge_spans::EdgeSpans;
use super::tables::face_neighbours::FaceNeighbours;
use super::tables::overlaps::Overlaps;
use super::tables::seams::Seams;
use super::tables::small_faces::SmallFaces;
use super::waves::route::TracedWalls;
use super::waves::tx_field::TxField;
use crate::paths::Limits;
use crate::scene::Scene;
use crate::world::Transparency;

/// The scene, the region, the settings and the Tx of one trace.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) scene: &'a Scene,
    /// The walls and edges through which waves pass.
    pub(super) walls: TracedWalls<'a>,
    /// The transparency of the walls.
    pub(super) transparency: &'a Transparency,
    pub(super) face_edges: &'a EdgeLists,
    pub(super) overlaps: &'a Overlaps,
    pub(super) seams: &'a Seams,
    pub(super) small_faces: &'a SmallFaces,
    /// The edges of planes; empty if no wave is diffracted twice.
    pub(super) plane_edges: &'a EdgeLists,
    /// The parts of edges; empty if nothing is diffracted.
    pub(super) edge_spans: &'a EdgeSpans,
    /// The neighbours of faces; empty unless the accuracy is `exact` and something is diffracted.
    pub(super) face_neighbours: &'a FaceNeighbours,
    pub(super) grid: &'a RegionGrid<'a>,
    /// The smallest sides of the cells for which tubes are split.
    pub(super) sizes: &'a CellSizes,
    pub(super) limits: &'a Limits,
    pub(super) fineness: Fineness,
    pub(super) ladder: Ladder,
    /// Paths of less gain are not followed, linear.
    pub(super) min_gain: f64,
    /// The position of the Tx, metres.
    pub(super) tx_position: DVec3,
    pub(super) tx_field: TxField<'a>,
}
