//! The legs by which a wave may travel from one edge to the next, and the rough walls that an edge illuminates.
//!
//! Rays are launched from a few points of the edge, as from a receiver. The edges of the faces that they meet may be
//! reached, by the reflections met before. **May miss** edges that are visible only from other points of the edge, or
//! by planes that no ray meets. A direct leg between an edge visible from the Tx and one visible from the Rx does not
//! depend on this search. The rough walls that an edge illuminates are found in the same way.

use glam::DVec3;

use super::launch::{Density, FaceEdges, Launch};
use crate::paths::Limits;
use crate::paths::scatter::cells::PatchSquare;
use crate::scene::{EdgeId, PlaneId, Scene};
use crate::world::Transparency;
use crate::{Control, Error};

/// Points of an edge from which rays start, as shares of its length.
const STARTS: [f64; 3] = [0.1, 0.5, 0.9];

/// Rays along each side of the square of directions.
const GRID_SIDE: u32 = 128;

/// Rays along each side of that square for the search for rough walls, whose cells are large.
const LIGHT_GRID_SIDE: u32 = 64;

/// Distance from the edge at which rays start, in the open space off both faces, metres.
const OFF_EDGE: f64 = 1e-3;

/// A leg from one edge to another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::paths) struct EdgeLeg {
    pub(in crate::paths) reflections: Vec<PlaneId>,
    pub(in crate::paths) to: EdgeId,
}

/// Launches rays from edges.
#[derive(Debug)]
pub(in crate::paths) struct EdgeLegs<'a> {
    scene: &'a Scene,
    limits: &'a Limits,
    transparency: &'a Transparency,
    edges: FaceEdges,
    density: Density,
}

impl<'a> EdgeLegs<'a> {
    pub(in crate::paths) fn new(
        scene: &'a Scene,
        limits: &'a Limits,
        transparency: &'a Transparency,
    ) -> Self {
        Self {
            scene,
            limits,
            transparency,
            edges: FaceEdges::new(scene, limits),
            density: Density::even(GRID_SIDE, 16),
        }
    }

    /// The legs from `edge` of at most `reflections` reflections, in order.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(in crate::paths) fn from(
        &self,
        edge: EdgeId,
        reflections: usize,
        control: &Control,
    ) -> Result<Vec<EdgeLeg>, Error> {
        let mut legs = Vec::new();
        let launch = self.launch(edge, reflections, self.density);
        for views in launch.trace(control)? {
            for view in &views.edges {
                let depth = views.tree.nodes[view.node as usize].depth as usize;
                // An edge may see itself by a reflection.
                if depth <= reflections && (view.edge != edge || depth > 0) {
                    legs.push(EdgeLeg {
                        reflections: views.tree.sequence(view.node as usize),
                        to: view.edge,
                    });
                }
            }
        }
        legs.sort_unstable();
        legs.dedup();
        Ok(legs)
    }

    /// The cells of rough walls that `edge` illuminates by at most `reflections` reflections, in order.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(in crate::paths) fn light(
        &self,
        edge: EdgeId,
        reflections: usize,
        control: &Control,
    ) -> Result<Vec<(Vec<PlaneId>, PatchSquare)>, Error> {
        let mut cells = Vec::new();
        let launch = self.launch(edge, reflections, Density::even(LIGHT_GRID_SIDE, 16));
        for illuminated in launch.light(control)? {
            let by = |&(cell, node): &(PatchSquare, u32)| {
                (illuminated.tree.sequence(node as usize), cell)
            };
            cells.extend(illuminated.cells.iter().map(by));
        }
        cells.sort_unstable();
        cells.dedup();
        Ok(cells)
    }

    fn launch(&self, edge: EdgeId, reflections: usize, density: Density) -> Launch<'_> {
        let from = &self.scene.edges()[edge.index()];
        let out: DVec3 = (from.outward + from.second_outward)
            .try_normalize()
            // The open space at a free edge lies opposite to its sheet.
            .unwrap_or(-from.inward);
        let start = |share| from.ends[0].lerp(from.ends[1], share) + OFF_EDGE * out;
        Launch {
            scene: self.scene,
            transparency: self.transparency,
            limits: self.limits,
            from: STARTS.map(start).to_vec(),
            reflections,
            density,
            edges: &self.edges,
            other_end: None,
        }
    }
}
