//! The search by tubes: bundles of directions that carry a sequence of interactions to all receivers at once.
//!
//! Launched rays find what a receiver sees, receiver by receiver. Tubes leave the Tx, and then every edge that it
//! illuminates, and note the receivers that they pass. So the cost hardly grows with the number of receivers. A tube
//! knows the power that it carries, and is not followed where no receiver wants so little.
//!
//! 1. `trace`: tubes from the Tx are split until they are as narrow as the details of the scene, reflected and passed
//!    through. They note the receivers and the edges around them.
//! 2. `lit`: of the edges, those count that the Tx illuminates by these reflections, and those that it sees itself.
//! 3. Each of them sends a fan: the directions around it, by Keller's law (`shape`), whose tubes are followed as those
//!    of the Tx.
//!
//! The solver and the validator decide about each sequence and receiver that were noted. What is proposed for a receiver does
//! not depend on the others: they only say which tubes end early, and a tube that is too weak for a receiver proposes
//! nothing to it, nor does anything that comes out of it.
//!
//! **Cost:** about half a microsecond for each tube and wall. **May miss** sequences whose beam the axis of no tube
//! enters: over walls of which only a sliver is visible. Theory page: `searches`.

mod lit;
mod points;
mod power;
mod shape;
mod trace;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::{DVec3, UVec2, Vec3};

use self::lit::{EdgeParts, LitEdge, narrow, num_parts};
use self::points::{Bounds, Points};
use self::power::{Power, Wedge};
use self::shape::{Beam, Fan, Shape, local};
use self::trace::{Found, NEARBY, Part, Tube};
use super::Effort;
use super::launch::{Detail, grid_cell};
use super::tiles::CoarseChain;
use crate::geometry::bvh::Ray;
use crate::paths::{Limits, Step};
use crate::scene::{PlaneId, Scene};
use crate::{Control, Error, Stage, World, parallel};

/// Directions along each side of the square of directions at first, and those of one part of the work.
const SIDE: u32 = 256;
const PART_SIDE: u32 = 16;

/// The number of pieces into which the angle around an edge is cut at first.
const AROUND: u16 = 32;

/// Tubes from the Tx are narrower than those from edges by this factor: they are few, and all else follows from them.
const FROM_TX: f32 = 0.35;

/// The width of tubes where a scene has no edges, metres.
const WIDEST: f32 = 2.0;

/// An edge nearer than this to an image of the Tx diffracts nothing of it, metres.
const ON_EDGE: f64 = 1e-3;

/// A search by tubes in a world.
#[derive(Debug)]
pub(in crate::paths) struct TubeSearch {
    world: World,
    limits: Limits,
    power: Power,
    parts: EdgeParts,
    /// A point and the normal of each plane.
    planes: Vec<(Vec3, Vec3)>,
    /// A box around the scene, where tubes end.
    bounds: Bounds,
    /// Tubes wider than this are split, metres.
    widest: f32,
    /// The gain below which the width of a tube does not matter, linear.
    weakest: f32,
}

/// The receivers, and the smallest gain that each wants, linear, between isotropic antennas.
#[derive(Debug)]
struct Wanted<'a> {
    receivers: Points,
    least: &'a [f32],
    least_of_all: f32,
}

impl TubeSearch {
    /// A search for paths of at most one diffraction.
    pub(in crate::paths) fn new(effort: Effort, world: &World, limits: &Limits) -> Self {
        let scene = world.scene();
        let share = match effort {
            Effort::Quick => 0.9,
            Effort::Default => 0.45,
            Effort::Thorough => 0.15,
        };
        let detail = Detail::of(scene).length();
        let [low, high] = scene
            .bounds()
            .map(|corner| (corner - scene.origin()).as_vec3());
        // Walls may lie on the sides of the scene.
        let bounds = Bounds {
            low: low - 1.0,
            high: high + 1.0,
        };
        let planes = scene.planes().iter();
        Self {
            power: Power::new(scene, world.surfaces()),
            parts: EdgeParts::new(scene, limits),
            planes: planes.map(|plane| local(plane, scene.origin())).collect(),
            bounds,
            widest: detail.map_or(WIDEST, |detail| share * detail),
            weakest: 0.0,
            world: world.clone(),
            limits: *limits,
        }
    }

    /// The distance from a path within which similar ones may exist that tubes miss, metres.
    pub(in crate::paths) fn reach_of_variations(scene: &Scene) -> f64 {
        Detail::of(scene).reach_of_variations().unwrap_or(0.0)
    }

    /// Says the smallest gain that any receiver wants, linear.
    pub(in crate::paths) fn set_weakest(&mut self, weakest: f32) {
        self.weakest = weakest;
    }

    fn plane(&self, id: PlaneId) -> (Vec3, Vec3) {
        self.planes[id.index()]
    }

    /// The chains that may lead from `tx` to receivers that want at least these gains, in order, each once. All receivers lie
    /// within the bounds of the scene.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(in crate::paths) fn chains(
        &self,
        tx: DVec3,
        rx: &[DVec3],
        least: &[f32],
        control: &Control,
    ) -> Result<Vec<CoarseChain>, Error> {
        let wanted = Wanted {
            receivers: Points::new(rx, NEARBY, self.world.scene().origin()),
            least,
            least_of_all: least.iter().copied().fold(f32::INFINITY, f32::min),
        };
        control.report(Stage::Search, 0.0);
        let num_parts = (SIDE / PART_SIDE).pow(2);
        let found = parallel::try_map(num_parts as usize, |part| {
            control.check()?;
            let part = u32::try_from(part).expect("few parts");
            Ok::<_, Error>(self.leave_tx(tx, part, &wanted))
        })?;
        let mut chains: BTreeMap<Vec<Step>, Vec<u32>> = BTreeMap::new();
        let mut noted: BTreeSet<(Vec<PlaneId>, u32)> = BTreeSet::new();
        for found in found {
            for (planes, rx) in found.chains() {
                let steps = planes.into_iter().map(Step::Reflection).collect();
                chains.entry(steps).or_default().extend(rx);
            }
            noted.extend(found.noted());
        }
        let lit = self.lit_edges(tx, noted.into_iter(), control)?;
        let done = AtomicUsize::new(0);
        let behind = parallel::try_map(lit.len(), |k| {
            control.check()?;
            let found = self.leave_edge(tx, &lit[k], &wanted);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(64) {
                control.report(Stage::Search, done as f64 / lit.len() as f64);
            }
            Ok::<_, Error>(found)
        })?;
        chains.extend(behind.into_iter().flatten());
        let chain = |(steps, mut rx): (Vec<Step>, Vec<u32>)| {
            rx.sort_unstable();
            rx.dedup();
            CoarseChain { steps, rx }
        };
        Ok(chains.into_iter().map(chain).collect())
    }

    /// The sequences and edges that the tubes of a part of the directions of the Tx find.
    fn leave_tx(&self, tx: DVec3, part: u32, wanted: &Wanted<'_>) -> Found {
        let image = (tx - self.world.scene().origin()).as_vec3();
        let in_row = SIDE / PART_SIDE;
        let corner = PART_SIDE * UVec2::new(part % in_row, part / in_row);
        let reflections = number(self.limits.reflections());
        let tube = |k| {
            let (direction, sides) = grid_cell(corner, k, SIDE);
            let beam = Beam {
                image,
                direction,
                sides,
            };
            Tube::new(Shape::Beam(beam), reflections, 1.0)
        };
        let mut found = Found::new();
        let part = Part {
            search: self,
            wanted,
            before: 0,
            reflections,
            skip: [Ray::NO_GROUP; 2],
            wedge: None,
            widest: FROM_TX * self.widest,
        };
        part.follow((0..PART_SIDE * PART_SIDE).map(tube).collect(), &mut found);
        found
    }

    /// The chains over an edge that is illuminated, with the receivers to which they may lead.
    fn leave_edge(
        &self,
        tx: DVec3,
        lit: &LitEdge,
        wanted: &Wanted<'_>,
    ) -> Vec<(Vec<Step>, Vec<u32>)> {
        let scene = self.world.scene();
        let edge = &scene.edges()[lit.edge.index()];
        let mirrored = |at: DVec3, plane: &PlaneId| scene.plane(*plane).mirror(at);
        let to = lit.planes.iter().fold(tx, mirrored) - edge.ends[0];
        let along = edge.along();
        let place = to.dot(along);
        let away = (to - place * along).length();
        if away < ON_EDGE {
            return Vec::new();
        }
        let from = to.dot(edge.outward).atan2(to.dot(edge.inward));
        let open = narrow(edge.exterior_angle);
        let wedge = Wedge {
            open,
            from: narrow(from.rem_euclid(std::f64::consts::TAU)).min(open),
        };
        let beside = self.limits.reflections_beside_diffraction().unwrap_or(0);
        let reflections = number(beside.saturating_sub(lit.planes.len()));
        let length = narrow(edge.length() / f64::from(num_parts(edge)));
        let step = open / f32::from(AROUND);
        let tubes = lit.parts.iter().flat_map(|&(part, share)| {
            let low = length * narrow(f64::from(part));
            (0..AROUND).map(move |k| {
                let fan = Fan {
                    start: (edge.ends[0] - scene.origin()).as_vec3(),
                    axes: [edge.inward, edge.outward, along].map(DVec3::as_vec3),
                    image: [place, away].map(narrow),
                    along: [low, low + length],
                    around: [f32::from(k) * step, f32::from(k + 1) * step],
                };
                Tube::new(Shape::Fan(fan), reflections, share)
            })
        });
        let mut found = Found::new();
        let part = Part {
            search: self,
            wanted,
            before: lit.planes.len() + 1,
            reflections,
            skip: scene.groups_of(lit.edge),
            wedge: Some(wedge),
            widest: self.widest,
        };
        part.follow(tubes.collect(), &mut found);
        let before = lit.planes.iter().copied().map(Step::Reflection);
        let before: Vec<Step> = before.chain([Step::Diffraction(lit.edge)]).collect();
        let chain = |(planes, rx): (Vec<PlaneId>, Vec<u32>)| {
            let after = planes.into_iter().map(Step::Reflection);
            (before.iter().copied().chain(after).collect(), rx)
        };
        found.chains().map(chain).collect()
    }
}

fn number(of: usize) -> u16 {
    u16::try_from(of).unwrap_or(u16::MAX)
}
