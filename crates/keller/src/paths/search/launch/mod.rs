//! The search by launched rays: rays in every direction, whose successive planes are the sequences (shooting and
//! bouncing).
//!
//! **Algorithm.** Directions come from an equal-area map of the sphere onto a square. The square is cut into blocks
//! that are visited along a Morton curve, so that rays traced together stay together (`directions`). A ray represents a
//! beam: its cell of that square. Where a beam is wider than allowed, it is split in four and traced again from its
//! last start point. Near walls then need few rays, and far ones get many (`tracer`). Every hit branches: the ray is
//! reflected, and (while walls may be passed) also continues straight on. Nothing is random. A ray carries its sequence
//! so far as a node of a prefix tree. Where it goes does not matter to the receivers, so the cost does not grow with
//! their number. Rays that have used up their reflections are not traced: the solver takes the last step to a receiver.
//!
//! Where waves may diffract, a ray also notes each face that it meets and the point there. The edges of that face and
//! of its neighbours may be visible there by the sequence so far (`face_edges`). No ray has to pass near an edge.
//!
//! The largest width of a beam follows the scene: it is a share of the mean length of the scene's edges, or of the scene's
//! own size where that is smaller, as in a corridor (`density`).
//!
//! **Cost.** About a tenth of a microsecond a ray and bounce. **May miss** sequences whose beam no ray enters: those of
//! reflecting planes narrower than the spacing of the rays, and of many reflections, whose beams get ever narrower.

mod density;
mod directions;
mod face_edges;
mod tracer;

use std::sync::atomic::{AtomicU32, Ordering};

use glam::DVec3;
use rayon::prelude::*;

pub(super) use self::density::{Density, Detail};
pub(super) use self::directions::grid_cell;
pub(super) use self::face_edges::{FaceEdges, OtherEnd};
use self::tracer::{Tracer, Worker};
use super::tree_builder::TreeBuilder;
use super::views::{IlluminatedSquares, Views};
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::paths::Limits;
use crate::scene::Scene;
use crate::world::Transparency;
use crate::{Control, Error, Stage};

/// Side of a block of rays, a square of the Morton grid. A block is one piece of parallel work.
const BLOCK_SIDE: u32 = 32;

/// Blocks that one thread always traces together, because the results of threads must be merged.
const BLOCKS_PER_JOB: usize = 4;

/// Progress is reported after so many blocks.
const REPORT_EVERY: u32 = 32;

/// Rays from some points of a scene. Those of several points are traced together, and each point has its own results.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    pub(super) scene: &'a Scene,
    pub(super) transparency: &'a Transparency,
    pub(super) limits: &'a Limits,
    /// Start points of the rays, metres.
    pub(super) from: Vec<DVec3>,
    /// Largest number of reflections of a sequence.
    pub(super) reflections: usize,
    pub(super) density: Density,
    pub(super) edges: &'a FaceEdges,
    /// The other end of all paths, where it is known and each path has one edge. Edges that are not visible from it are
    /// then left out.
    pub(super) other_end: Option<&'a OtherEnd>,
}

impl Launch<'_> {
    /// The sequences of planes that rays meet, and the edges of the faces that they meet.
    pub(super) fn trace(&self, control: &Control) -> Result<Vec<Views>, Error> {
        let max_reflections = self.limits.reflections_beside_diffraction();
        if self.reflections == 0 && max_reflections.is_none() {
            return Ok(self.from.iter().map(|from| Views::nothing(*from)).collect());
        }
        let mut tracer = Tracer::new(self);
        tracer.reflections_before_edge = max_reflections;
        let found = self.run(&tracer, control)?.into_iter().zip(&self.from);
        Ok(found
            .map(|(tree, from)| self.views(tree, *from, max_reflections))
            .collect())
    }

    /// The results of the rays from one point. `max_reflections` is the largest number of reflections before an edge.
    fn views(&self, tree: TreeBuilder, from: DVec3, max_reflections: Option<usize>) -> Views {
        let (tree, met) = tree.finish(self.scene, from);
        let mut edges = self.edges.views(self.scene, &met.faces);
        // Many edges are open only on the other side of their faces: concave corners of houses, valleys.
        edges.retain(|view| {
            let edge = &self.scene.edges()[view.edge.index()];
            let image = tree.nodes[view.node as usize].image;
            edge.is_open_towards(image - edge.ends[0], ON_FACE_DISTANCE)
        });
        if let Some((other, max_reflections)) = self.other_end.zip(max_reflections) {
            edges.retain(|view| {
                let depth = tree.nodes[view.node as usize].depth as usize;
                other.meets_edge(view.edge, depth, max_reflections)
            });
        }
        Views {
            edges,
            has_all_direct: false,
            ..Views::of(tree)
        }
    }

    /// The sequences of planes that rays meet, and the cells of rough walls that they hit.
    pub(super) fn light(&self, control: &Control) -> Result<Vec<IlluminatedSquares>, Error> {
        let mut tracer = Tracer::new(self);
        tracer.reflections_before_cell = Some(self.reflections);
        let found = self.run(&tracer, control)?.into_iter().zip(&self.from);
        let illuminated = found.map(|(tree, from)| {
            let (tree, met) = tree.finish(self.scene, *from);
            IlluminatedSquares {
                tree,
                cells: met.cells,
            }
        });
        Ok(illuminated.collect())
    }

    /// The tree of each point.
    fn run(&self, tracer: &Tracer, control: &Control) -> Result<Vec<TreeBuilder>, Error> {
        let num_starts = self.from.len();
        let starts = u32::try_from(num_starts).expect("few points at once");
        let num_blocks = starts * self.density.num_blocks();
        let at_once = self.blocks_at_once();
        let done = AtomicU32::new(0);
        let trees = (0..num_blocks.div_ceil(at_once))
            .into_par_iter()
            .with_min_len(BLOCKS_PER_JOB.div_ceil(at_once as usize))
            .fold(
                || Worker::new(num_starts),
                |mut worker, part| {
                    if !control.is_cancelled() {
                        let first = part * at_once;
                        let blocks = first..num_blocks.min(first + at_once);
                        let num = blocks.end - blocks.start;
                        tracer.trace_blocks(blocks, &mut worker);
                        let before = done.fetch_add(num, Ordering::Relaxed);
                        if before / REPORT_EVERY < (before + num) / REPORT_EVERY {
                            let done = f64::from(before + num) / f64::from(num_blocks);
                            control.report(Stage::Search, done);
                        }
                    }
                    worker
                },
            )
            .map(Worker::into_trees)
            .reduce(
                || vec![TreeBuilder::default(); num_starts],
                |mut all, part| {
                    for (tree, part) in all.iter_mut().zip(&part) {
                        tree.merge(part);
                    }
                    all
                },
            );
        control.check()?;
        Ok(trees)
    }

    /// The number of blocks that a thread traces together. It is larger if a device answers the rays.
    fn blocks_at_once(&self) -> u32 {
        let rays_of_block = (BLOCK_SIDE * BLOCK_SIDE) as usize;
        let rays = self.scene.index().rays_at_once(rays_of_block);
        u32::try_from(rays / rays_of_block).unwrap_or(1).max(1)
    }
}
