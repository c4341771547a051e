//! Step 4: a sequence and its two ends become exact points, by Fermat's principle.
//!
//! Chains of reflecting planes unfold into images: closed form (`images`). Edges among them leave one unknown an edge:
//! closed form for one (`edge_line`), Newton's method on a convex function for several (`edges`, and `edge_pair` for
//! two with nothing between them). [`solve`] takes any sequence, [`Unfolded`] one for many receivers; searches that
//! have images at hand use the parts.

mod convergence;
pub(super) mod edge_line;
pub(super) mod edge_pair;
mod edges;
pub(super) mod images;
mod unfolded;

use glam::DVec3;

pub(super) use self::unfolded::Unfolded;
use crate::paths::Step;
use crate::scene::Scene;

/// A step and the point where it happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Waypoint {
    pub(super) step: Step,
    pub(super) point: DVec3,
}

/// Buffers that are reused.
#[derive(Debug, Default)]
pub(super) struct SolveScratch(Unfolded);

/// The points of `steps` between `tx` and `rx`, in their order, into `waypoints`; false if there is no such path. Points lie on
/// their edges, and on the planes of their reflecting planes: whether they lie on a face is for validation.
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
