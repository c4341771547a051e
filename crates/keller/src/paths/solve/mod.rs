//! Step 4: a sequence and its two ends become exact points, by Fermat's principle.
//!
//! Chains of mirrors unfold into images: closed form (`images`). Edges among them leave one unknown an edge: closed form for one,
//! Newton's method on a convex function for several (`edges`). [`solve`] takes any sequence, one leg between edges after the other;
//! searches that have images at hand use the parts.

pub(super) mod edges;
pub(super) mod images;

use glam::DVec3;

use self::edges::{Leg, diffraction_points};
use self::images::leg_points;
use crate::paths::PatchArea;
use crate::scene::{EdgeId, FaceId, PlaneId, Scene};

/// One interaction of a sequence: what the search decides. Walls that are merely passed follow from the geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Step {
    /// A mirror.
    Reflection(PlaneId),
    /// A wedge or free edge.
    Diffraction(EdgeId),
    /// A patch of a rough wall: its point is given, not solved for.
    Scattering(FaceId, PatchArea),
}

/// A step and the point where it happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Waypoint {
    pub(super) step: Step,
    pub(super) point: DVec3,
}

/// Room to work in, reused.
#[derive(Debug, Default)]
pub(super) struct SolveScratch {
    legs: Vec<Leg>,
    parameters: Vec<f64>,
    points: Vec<DVec3>,
}

/// The points of `steps` between `tx` and `rx`, in their order, into `waypoints`; false if there is no such path. Points lie on
/// their edges, and on the planes of their mirrors: whether they lie on a face is for validation.
pub(super) fn solve(
    scene: &Scene,
    tx: DVec3,
    steps: &[Step],
    rx: DVec3,
    scratch: &mut SolveScratch,
    waypoints: &mut Vec<Waypoint>,
) -> bool {
    waypoints.clear();
    let SolveScratch {
        legs,
        parameters,
        points,
    } = scratch;
    // A leg leads from an end or an edge, by mirrors, to an end or an edge: what it comes from is seen as its image.
    legs.clear();
    let mut leg = Leg::from_point(tx);
    for &step in steps {
        match step {
            Step::Reflection(plane) => leg.mirror(scene.plane(plane)),
            Step::Diffraction(edge) => {
                let edge = &scene.edges()[edge.index()];
                leg.reach_edge(edge);
                legs.push(leg);
                leg = Leg::from_edge(edge);
            }
            Step::Scattering(..) => unreachable!("paths are cut where they scatter"),
        }
    }
    leg.reach_point(rx);
    legs.push(leg);
    if !diffraction_points(legs, parameters) {
        return false;
    }
    let mut edges = steps.iter().filter_map(|step| match step {
        Step::Diffraction(edge) => Some(&scene.edges()[edge.index()]),
        Step::Reflection(_) | Step::Scattering(..) => None,
    });
    let mut from = tx;
    let mut parameters = parameters.iter();
    for steps in steps.split_inclusive(|s| matches!(s, Step::Diffraction(_))) {
        let (mirrors, end) = match steps.split_last() {
            Some((&Step::Diffraction(id), mirrors)) => {
                let (edge, t) = (edges.next(), parameters.next());
                let (edge, &t) = edge.zip(t).expect("one parameter an edge");
                if !(0.0..=edge.length()).contains(&t) {
                    return false;
                }
                (mirrors, Some((id, edge.ends[0] + t * edge.along())))
            }
            _ => (steps, None),
        };
        let target = end.map_or(rx, |(_, point)| point);
        if !leg_points(scene, from, mirrors, target, points, waypoints) {
            return false;
        }
        if let Some((id, point)) = end {
            waypoints.push(Waypoint {
                step: Step::Diffraction(id),
                point,
            });
        }
        from = target;
    }
    true
}
