//! The ends of paths, a Tx or an Rx: which cells of rough walls each illuminates, an upper bound of how strongly, and
//! which edges are visible from it.

use std::sync::OnceLock;

use glam::{DVec2, DVec3};
use rustc_hash::FxHashMap;

use super::cells::PatchSquare;
use super::lists::{Approaches, ONE_PATCH, has_diffractions};
use super::shade::{Air, Shade};
use super::wall_cells::rough_cells;
use super::ways::{WaveBounds, Way, narrow, share_of_reflections};
use crate::paths::SequenceTree;
use crate::paths::diffract::seen::SeenEdges;
use crate::paths::job::Job;
use crate::paths::search::exhaustive::exhaustive;
use crate::paths::search::views::{IlluminatedSquares, Views};
use crate::paths::search::{EndSearch, Searcher};
use crate::paths::solve::images::ReflectingPlanes;
use crate::scene::{EdgeId, Scene};
use crate::{Control, Error};

/// The values that the searches from all ends share.
pub(super) struct Outlook<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) searcher: &'a Searcher,
    pub(super) control: &'a Control<'a>,
    /// The largest number of reflections of a path.
    pub(super) max_reflections: usize,
}

impl Outlook<'_> {
    /// The cells that an end illuminates by reflections.
    pub(super) fn illuminated(
        &self,
        from: DVec3,
        is_tx: bool,
    ) -> Result<IlluminatedSquares, Error> {
        let Self {
            job,
            searcher,
            control,
            max_reflections,
        } = *self;
        if max_reflections == 0 && !has_diffractions(job.limits) {
            // If no reflections are allowed, every coarse cell is tried.
            return Ok(IlluminatedSquares {
                tree: SequenceTree::root(from),
                cells: Vec::new(),
            });
        }
        if let Some(search) = searcher.end_search() {
            return search.light(from, max_reflections, is_tx, control);
        }
        let tree = exhaustive(job.scene, from, max_reflections, control)?;
        let cells = rough_cells(job)
            .into_iter()
            .flat_map(|cell| (0..tree.nodes.len()).map(move |n| (cell, narrow(n))))
            .collect();
        Ok(IlluminatedSquares { tree, cells })
    }

    /// The edges visible from an end by as many reflections as a path may have in addition to a patch and an edge.
    pub(super) fn edges_from(
        &self,
        search: &EndSearch,
        from: DVec3,
    ) -> Result<VisibleEdges, Error> {
        let max_reflections = self.job.limits.reflections_beside(&ONE_PATCH.plus(0, 1));
        let reflections = max_reflections.unwrap_or(0);
        let views = search.edge_views(from, reflections, self.control)?;
        let seen = SeenEdges::new(self.job, &views);
        Ok(VisibleEdges { views, seen })
    }
}

/// The edges visible from an end.
pub(super) struct VisibleEdges {
    pub(super) views: Views,
    pub(super) seen: SeenEdges,
}

impl VisibleEdges {
    pub(super) fn edges(&self) -> Vec<EdgeId> {
        let entries = self.seen.entries().iter();
        let mut edges: Vec<EdgeId> = entries
            .map(|entry| EdgeId::from_index(entry.edge as usize))
            .collect();
        edges.dedup();
        edges
    }
}

/// One end of all paths, and the cells that it illuminates.
pub(super) struct End<'a> {
    pub(super) position: DVec3,
    pub(super) illuminated: &'a IlluminatedSquares,
    pub(super) planes: ReflectingPlanes,
    /// The range of each cell's entries in `illuminated.cells`.
    pub(super) cells: FxHashMap<PatchSquare, (u32, u32)>,
    /// The shade for each of these entries, computed on first use.
    pub(super) shades: Vec<OnceLock<Option<Shade>>>,
    /// The shade without reflections on every coarse cell of a rough wall, computed on first use.
    pub(super) direct: Vec<OnceLock<Option<Shade>>>,
    /// Ways by edges, and the cells that they reach.
    pub(super) approaches: Approaches,
}

impl<'a> End<'a> {
    pub(super) fn new(
        job: &Job,
        num_walls: usize,
        position: DVec3,
        illuminated: &'a IlluminatedSquares,
        approaches: Approaches,
    ) -> Self {
        let mut cells = FxHashMap::default();
        let mut first = 0;
        for same in illuminated.cells.chunk_by(|a, b| a.0 == b.0) {
            let end = first + same.len();
            cells.insert(same[0].0, (narrow(first), narrow(end)));
            first = end;
        }
        Self {
            position,
            illuminated,
            planes: ReflectingPlanes::new(job.scene, job.boxes, &illuminated.tree),
            shades: (0..illuminated.cells.len())
                .map(|_| OnceLock::new())
                .collect(),
            direct: (0..num_walls).map(|_| OnceLock::new()).collect(),
            cells,
            approaches,
        }
    }

    pub(super) fn nodes(&self, cell: &PatchSquare) -> &'a [(PatchSquare, u32)] {
        self.cells.get(cell).map_or(&[], |&(first, end)| {
            &self.illuminated.cells[first as usize..end as usize]
        })
    }

    /// Number of reflections and of edges of a way.
    pub(super) fn count(&self, way: Way) -> [u32; 2] {
        match way {
            Way::Reflections(node) => [self.illuminated.tree.nodes[node].depth, 0],
            Way::Edges(index) => {
                let approach = &self.approaches.list[index];
                [approach.reflections, approach.edges]
            }
        }
    }

    /// Bounds of the wave that arrives by a way within `half` metres of `centre`, a point of the wall with the unit
    /// `normal`; `None` if no wave can arrive.
    pub(super) fn wave_bounds(
        &self,
        scene: &Scene,
        way: Way,
        centre: DVec3,
        normal: DVec3,
        half: f64,
    ) -> Option<WaveBounds> {
        match way {
            Way::Reflections(node) => {
                let node = &self.illuminated.tree.nodes[node];
                let to = node.image - centre;
                let distance = to.length();
                let near = (distance - half).max(1e-3);
                Some(WaveBounds {
                    above: normal.dot(to),
                    slack: 0.0,
                    distance,
                    density: share_of_reflections(node.depth) / (near * near),
                })
            }
            Way::Edges(index) => {
                self.approaches.list[index].wave_bounds(scene, centre, normal, half)
            }
        }
    }

    /// The shade of this end, by the reflections of a node, on the `range` of coarse cell number `wall`; `None` if
    /// nothing is illuminated.
    pub(super) fn shade(
        &self,
        air: &Air,
        wall: usize,
        node: usize,
        cell: &PatchSquare,
        range: [DVec2; 2],
    ) -> Option<&Shade> {
        let place = if node == 0 {
            &self.direct[wall]
        } else {
            let &(first, _) = self.cells.get(cell)?;
            let entries = self.nodes(cell);
            let k = entries.iter().position(|&(_, n)| n as usize == node)?;
            &self.shades[first as usize + k]
        };
        let shade = || Shade::new(air, &self.illuminated.tree.nodes, node, cell.plane, range);
        place.get_or_init(shade).as_ref()
    }
}

/// The nodes of a cell's entries, and the root: the end itself may illuminate a cell that no ray has reached.
pub(super) fn with_root(entries: &[(PatchSquare, u32)]) -> impl Iterator<Item = usize> {
    let by_reflections = entries
        .iter()
        .map(|&(_, node)| node as usize)
        .filter(|&node| node != 0);
    std::iter::once(0).chain(by_reflections)
}
