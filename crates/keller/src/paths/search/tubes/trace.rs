//! Follows the tubes of one part of the search: some directions of the Tx, or one edge.
//!
//! A tube is followed along its central ray. Where the ray ends, the tube is split if it is wider there than allowed.
//! Otherwise receivers around it may be reached by its steps, edges around its end may be illuminated, and it goes on
//! behind the wall and in front of it. All tubes of a part are traced together, generation after generation.

use glam::Vec3;
use rustc_hash::{FxHashMap, FxHashSet};

use super::points::Points;
use super::power::{Spreading, Wedge};
use super::shape::{Axis, Shape};
use super::{TubeSearch, Wanted};
use crate::geometry::bvh::{Hit, Ray};
use crate::scene::{FaceId, PlaneId, Scene};

/// Distance from a wall at which a reflected ray starts, metres: f32 rounding must not put it behind the next wall of a
/// corner.
const LEAVE_OFFSET: f32 = 1e-3;

/// A receiver this far from the central ray is asked for, in halves of the diagonal of the tube.
const AROUND: f32 = 3.0;

/// An edge this far from the central ray counts as illuminated, in halves of the diagonal of the tube.
const AROUND_EDGE: f32 = 3.0;

/// A receiver this far from the edge of a tube counts as in it, metres.
pub(super) const NEARBY: f32 = 0.05;

/// A tube is split so often at most.
const MAX_SPLITS: u16 = 24;

/// A part of a tube is left out if its way to the wall that it leaves exceeds that of the whole tube by this factor.
const MAX_STRETCH: f32 = 4.0;

/// A tube on its way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tube {
    pub(super) shape: Shape,
    /// The number of its sequence.
    pub(super) node: u32,
    /// The walls that it may still be reflected by, and those that it has passed.
    pub(super) reflections: u16,
    pub(super) passed: u16,
    pub(super) splits: u16,
    /// The plane that it leaves, and its distance along the axis of the whole tube; none at the Tx and at an edge.
    pub(super) left: Option<(PlaneId, f32)>,
    /// Whether it is a part of a tube whose axis met no wall. Only receivers follow then: otherwise what a wall sends on
    /// would depend on how far tubes are split for receivers.
    pub(super) is_open: bool,
    /// The share of power that walls have left.
    pub(super) share: f32,
    /// The smallest gain that was estimated on the way.
    pub(super) bound: f32,
}

impl Tube {
    /// A tube that leaves the Tx or an edge with this share of power, and may be reflected so often.
    pub(super) fn new(shape: Shape, reflections: u16, share: f32) -> Self {
        Self {
            shape,
            node: 0,
            reflections,
            passed: 0,
            splits: 0,
            left: None,
            is_open: false,
            share,
            bound: f32::INFINITY,
        }
    }
}

/// The sequences, receivers and edges that the tubes of a part find.
#[derive(Debug)]
pub(super) struct Found {
    /// The number of the sequence before each sequence, and its last plane; none for the first, that of the part.
    nodes: Vec<(u32, Option<PlaneId>)>,
    children: FxHashMap<(u32, PlaneId), u32>,
    /// Sequences and receivers to be tried.
    reached: Vec<(u32, u32)>,
    /// Sequences, and parts of edges that may be illuminated by them.
    lit: FxHashSet<(u32, u32)>,
}

impl Found {
    pub(super) fn new() -> Self {
        Self {
            nodes: vec![(0, None)],
            children: FxHashMap::default(),
            reached: Vec::new(),
            lit: FxHashSet::default(),
        }
    }

    fn child(&mut self, parent: u32, plane: PlaneId) -> u32 {
        let next = u32::try_from(self.nodes.len()).expect("fewer than 2^32 sequences");
        let child = *self.children.entry((parent, plane)).or_insert(next);
        if child == next {
            self.nodes.push((parent, Some(plane)));
        }
        child
    }

    fn reach(&mut self, node: u32, receiver: u32) {
        if self.reached.last() != Some(&(node, receiver)) {
            self.reached.push((node, receiver));
        }
    }

    /// The planes of a sequence.
    fn planes(&self, node: u32) -> Vec<PlaneId> {
        let mut planes = Vec::new();
        let mut at = node;
        while let (parent, Some(plane)) = self.nodes[at as usize] {
            planes.push(plane);
            at = parent;
        }
        planes.reverse();
        planes
    }

    /// The sequences that may lead to receivers, and these receivers in order.
    pub(super) fn chains(&self) -> impl Iterator<Item = (Vec<PlaneId>, Vec<u32>)> {
        let mut reached = self.reached.clone();
        reached.sort_unstable();
        reached.dedup();
        let of_node = reached.chunk_by(|a, b| a.0 == b.0);
        let chain =
            |of: &[(u32, u32)]| (self.planes(of[0].0), of.iter().map(|(_, r)| *r).collect());
        let chains: Vec<_> = of_node.map(chain).collect();
        chains.into_iter()
    }

    /// The sequences, and the parts of edges that may be illuminated by them, in order.
    pub(super) fn noted(&self) -> impl Iterator<Item = (Vec<PlaneId>, u32)> {
        let mut lit: Vec<_> = self.lit.iter().collect();
        lit.sort_unstable();
        lit.into_iter()
            .map(|(node, part)| (self.planes(*node), *part))
    }
}

/// The part of the search that some tubes share.
pub(super) struct Part<'a> {
    pub(super) search: &'a TubeSearch,
    pub(super) wanted: &'a Wanted<'a>,
    /// The interactions before its first tubes, the reflections that these may still have, and the planes that they start on.
    pub(super) before: usize,
    pub(super) reflections: u16,
    pub(super) skip: [u32; 2],
    /// The edge that sends its tubes, if one does.
    pub(super) wedge: Option<Wedge>,
    /// Tubes wider than this are split, metres.
    pub(super) widest: f32,
}

/// A tube that is traced, with its ray.
struct Traced {
    tube: Tube,
    axis: Axis,
    spreading: Spreading,
    /// The distance of the wall that it leaves along the axis.
    start: f32,
    /// The tube is followed up to this distance.
    end: f32,
}

impl Part<'_> {
    /// Follows tubes to their ends.
    pub(super) fn follow(&self, mut tubes: Vec<Tube>, found: &mut Found) {
        let (mut rays, mut hits, mut traced) = (Vec::new(), Vec::new(), Vec::new());
        while !tubes.is_empty() {
            traced.clear();
            rays.clear();
            for (ray, one) in tubes.drain(..).filter_map(|tube| self.prepare(tube)) {
                rays.push(ray);
                traced.push(one);
            }
            hits.clear();
            hits.resize(rays.len(), None);
            self.scene().index().closest_hits(&rays, &mut hits);
            for ((one, ray), hit) in traced.iter().zip(&rays).zip(&hits) {
                self.step(one, ray, hit.as_ref(), found, &mut tubes);
            }
            // Rays of one sequence take similar ways.
            tubes.sort_by_key(|tube| tube.node);
        }
    }

    fn scene(&self) -> &Scene {
        self.search.world.scene()
    }

    /// The ray of a tube; `None` if the tube brings nothing.
    fn prepare(&self, tube: Tube) -> Option<(Ray, Traced)> {
        let axis = tube.shape.axis();
        let power = &self.search.power;
        let spreading = power.spreading(&tube.shape, &axis, self.wedge.as_ref());
        let (mut start, mut origin, mut skip) = (0.0, axis.origin, self.skip);
        if let Some((plane, whole)) = tube.left {
            let (point, normal) = self.search.plane(plane);
            let along = axis.direction.dot(normal);
            start = (point - axis.origin).dot(normal) / along;
            let is_ahead = start >= 0.0 && start <= MAX_STRETCH * whole.max(1.0);
            if !is_ahead {
                return None;
            }
            origin = axis.at(start) + LEAVE_OFFSET.copysign(along) * normal;
            skip = [plane.group(), Ray::NO_GROUP];
        } else if axis.behind > 0.0 {
            start = 2.0 * LEAVE_OFFSET;
            origin = axis.at(start);
        }
        let gain = tube.share * spreading.at(start);
        if tube.bound.min(gain) < self.wanted.least_of_all {
            return None;
        }
        let inside = [start, f32::INFINITY];
        let leave = self.search.bounds.crossing(&axis, inside, 0.0);
        let leave = leave.map_or(start, |[_, leave]| leave);
        let end = leave.min(spreading.reach(self.search.weakest / tube.share));
        if !self.goes_on(&tube) && !self.may_reach(&tube, &axis, [start, end]) {
            return None;
        }
        let ray = Ray {
            t_max: (end - start).max(0.0) + self.widest,
            ..Ray::new(origin, axis.direction).skipping(skip)
        };
        let traced = Traced {
            tube,
            axis,
            spreading,
            start,
            end,
        };
        Some((ray, traced))
    }

    /// Whether receivers may lie in a part of a tube.
    fn may_reach(&self, tube: &Tube, axis: &Axis, [start, end]: [f32; 2]) -> bool {
        let receivers = &self.wanted.receivers;
        let far = receivers.bounds.farthest(axis.origin).min(end);
        let margin = AROUND * diagonal(tube.shape.widths(axis, far)) + NEARBY;
        receivers
            .bounds
            .crossing(axis, [start - margin, far + margin], margin)
            .is_some()
    }

    /// Whether something may follow at the next wall.
    fn goes_on(&self, tube: &Tube) -> bool {
        let may = self.may_reflect(tube) || self.may_light(tube) || self.may_pass(tube);
        may && !tube.is_open
    }

    /// The interactions of a tube so far.
    fn interactions(&self, tube: &Tube) -> usize {
        self.before + usize::from(self.reflections - tube.reflections)
    }

    /// Whether a path may have one more interaction.
    fn may_interact(&self, tube: &Tube) -> bool {
        let limits = &self.search.limits;
        let next = self.interactions(tube) + 1;
        next <= limits.interactions()
            && usize::from(tube.passed) <= limits.transmissions_beside(next)
    }

    fn may_reflect(&self, tube: &Tube) -> bool {
        tube.reflections > 0 && self.may_interact(tube)
    }

    /// Whether an edge may follow. Those that the Tx itself sees are found without tubes.
    fn may_light(&self, tube: &Tube) -> bool {
        let is_reflected = self.wedge.is_none() && tube.node != 0;
        is_reflected && self.search.limits.max_diffractions > 0 && self.may_interact(tube)
    }

    fn may_pass(&self, tube: &Tube) -> bool {
        let walls = self
            .search
            .limits
            .transmissions_beside(self.interactions(tube));
        usize::from(tube.passed) < walls
    }

    /// Splits a tube whose ray has been traced, or notes what it finds and lets it go on.
    fn step(
        &self,
        one: &Traced,
        ray: &Ray,
        hit: Option<&Hit>,
        found: &mut Found,
        next: &mut Vec<Tube>,
    ) {
        let (tube, axis) = (&one.tube, &one.axis);
        let wall = hit.map(|hit| {
            let at = ray.origin + hit.t * ray.direction;
            (hit, (at - axis.origin).dot(axis.direction))
        });
        let wall = wall.filter(|(_, t)| *t <= one.end);
        let end = wall.map_or(one.end, |(_, t)| t);
        let goes_on = wall.is_some() && self.goes_on(tube);
        if !goes_on && !self.may_reach(tube, axis, [one.start, end]) {
            return;
        }
        let widths = tube.shape.widths(axis, end);
        if widths[0].max(widths[1]) > self.widest && tube.splits < MAX_SPLITS {
            let part = Tube {
                splits: tube.splits + 1,
                left: tube.left.map(|(plane, _)| (plane, one.start)),
                is_open: tube.is_open || wall.is_none(),
                bound: tube.bound.min(tube.share * one.spreading.at(one.start)),
                ..*tube
            };
            let split = |shape| next.push(Tube { shape, ..part });
            tube.shape.split(widths, split);
            return;
        }
        let plane = wall.map(|(hit, _)| PlaneId::from_index(hit.group as usize));
        self.reach(one, end, found);
        // The face at an edge, or one next to it, is met by some tube beside the edge.
        if goes_on && self.may_light(tube) {
            self.light(one, end, found);
        }
        if let Some(((hit, t), plane)) = wall.zip(plane).filter(|_| goes_on) {
            let face = self.scene().triangle_faces()[hit.triangle as usize];
            self.go_on(one, t, (face, plane), found, next);
        }
    }

    /// Sends what a wall reflects of a tube, and what it lets through.
    fn go_on(
        &self,
        one: &Traced,
        t: f32,
        (face, plane): (FaceId, PlaneId),
        found: &mut Found,
        next: &mut Vec<Tube>,
    ) {
        let (tube, scene) = (&one.tube, self.scene());
        let [reflected, passed] = self.search.power.at_wall(scene, face, one.axis.direction);
        let gain = one.spreading.at(t);
        let after = Tube {
            left: Some((plane, t)),
            bound: tube.bound.min(tube.share * gain),
            ..*tube
        };
        let is_wanted = |tube: &Tube| tube.share * gain >= self.wanted.least_of_all;
        let reflected = Tube {
            shape: tube.shape.mirrored(self.search.plane(plane)),
            reflections: tube.reflections.saturating_sub(1),
            share: tube.share * reflected,
            ..after
        };
        if self.may_reflect(tube) && is_wanted(&reflected) {
            next.push(Tube {
                node: found.child(tube.node, plane),
                ..reflected
            });
        }
        let passed = Tube {
            passed: tube.passed + 1,
            share: tube.share * passed,
            ..after
        };
        let is_open = self.search.world.transparency().passes(scene, face);
        if is_open && self.may_pass(tube) && is_wanted(&passed) {
            next.push(passed);
        }
    }

    /// Calls `visit` with the number and the distance of those of some points that lie around a tube, from its start up to
    /// `end`. A point counts up to `around` halves of the tube's diagonal from its axis, and to its own radius in addition.
    fn around(
        &self,
        one: &Traced,
        (points, end): (&Points, f32),
        around: f32,
        radius: impl Fn(u32) -> f32,
        mut visit: impl FnMut(u32, f32),
    ) {
        let (tube, axis) = (&one.tube, &one.axis);
        let half = |t: f32| around * 0.5 * diagonal(tube.shape.widths(axis, t));
        let left = tube.left.map(|(plane, _)| self.search.plane(plane));
        // The wall that it leaves and the one that it meets may be oblique.
        let margin = half(end) + points.radius;
        let part = [one.start - margin, end + margin];
        points.near(axis, part, margin, |number, at| {
            let to = at - axis.origin;
            let along = to.dot(axis.direction);
            let off = (to - along * axis.direction).length_squared();
            let near = half(along.clamp(0.0, end)) + radius(number);
            let is_behind = left.is_some_and(|left| !is_beyond(axis, left, at));
            let is_within = along > 0.0 && (part[0]..=part[1]).contains(&along);
            if is_within && off <= near * near && !is_behind {
                visit(number, along);
            }
        });
    }

    /// Notes the receivers around a tube, up to a distance.
    fn reach(&self, one: &Traced, end: f32, found: &mut Found) {
        let tube = &one.tube;
        if self.interactions(tube) == 0 && !self.search.limits.line_of_sight {
            return;
        }
        let receivers = (&self.wanted.receivers, end);
        self.around(
            one,
            receivers,
            AROUND,
            |_| NEARBY,
            |r, along| {
                let gain = tube.bound.min(tube.share * one.spreading.at(along));
                if gain >= self.wanted.least[r as usize] {
                    found.reach(tube.node, r);
                }
            },
        );
    }

    /// Notes the parts of edges around a tube, up to a distance.
    fn light(&self, one: &Traced, end: f32, found: &mut Found) {
        let (tube, parts) = (&one.tube, &self.search.parts);
        let radius = |number: u32| parts.list[number as usize].half_length;
        self.around(
            one,
            (&parts.middles, end),
            AROUND_EDGE,
            radius,
            |number, along| {
                if tube.share * one.spreading.at(along) >= self.wanted.least_of_all {
                    found.lit.insert((tube.node, number));
                }
            },
        );
    }
}

/// Whether a point lies beyond a plane, seen along an axis.
fn is_beyond(axis: &Axis, (point, normal): (Vec3, Vec3), at: Vec3) -> bool {
    (at - point).dot(normal) * axis.direction.dot(normal) > 0.0
}

fn diagonal([a, b]: [f32; 2]) -> f32 {
    (a * a + b * b).sqrt()
}
