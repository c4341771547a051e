//! Solves a sequence for its two ends: it becomes exact points, by Fermat's principle.
//!
//! Chains of reflecting planes unfold into images, in closed form (`images`). Every edge in the chain leaves one
//! unknown. One edge has a closed form (`edge_line`). Several edges need Newton's method on a convex function (`edges`,
//! and `edge_pair` for two edges or their images). [`solve`] takes any sequence, [`Unfolded`] one sequence for many
//! receivers. Searches that already have the images use the parts.

mod convergence;
pub(super) mod edge_line;
pub(super) mod edge_pair;
mod edges;
pub(super) mod images;
mod unfolded;

use glam::DVec3;

pub use self::unfolded::Unfolded;
use crate::paths::Step;
use crate::scene::Scene;

/// A step and the point where it happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Waypoint {
    /// The interaction.
    pub step: Step,
    /// Its point, metres.
    pub point: DVec3,
}

/// Buffers that are reused.
#[derive(Debug, Default)]
pub(super) struct SolveScratch(Unfolded);

/// Writes the points of `steps` between `tx` and `rx` into `waypoints`, in order; false if there is no such path.
/// Diffraction points lie on their edges and reflection points on their planes. Validation decides whether they lie on
/// a face.
pub(super) fn solve(
    scene: &Scene,
    tx: DVec3,
    steps: &[Step],
    rx: DVec3,
    scratch: &mut SolveScratch,
    waypoints: &mut Vec<Waypoint>,
) -> bool {
    scratch.0.set(scene, tx, steps);
    scratch.0.reach(rx, waypoints)
}
