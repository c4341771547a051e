//! Traces rays, generation after generation. Each hit is reflected and passed through, and wide beams are split.

use std::ops::Range;

use glam::{UVec2, Vec3};

use super::directions::{grid_cell, grid_direction};
use super::{BLOCK_SIDE, Density, Launch, OtherEnd};
use crate::geometry::bvh::{Hit, Ray};
use crate::paths::Limits;
use crate::paths::scatter::cells::PatchSquare;
use crate::paths::search::tree_builder::TreeBuilder;
use crate::scene::{FaceId, PlaneId, Scene};
use crate::world::Transparency;

/// Distance from a wall at which a reflected ray starts, metres: f32 rounding must not put it behind the next wall of a
/// corner.
const LEAVE_OFFSET: f32 = 1e-3;

/// A quarter of a split beam is dropped if the distance from the image to the wall that it leaves exceeds this multiple
/// of the whole beam's distance.
const MAX_STRETCH: f32 = 4.0;

/// The part of a launch that all its rays share.
pub(super) struct Tracer<'a> {
    scene: &'a Scene,
    transparency: &'a Transparency,
    limits: &'a Limits,
    /// Start points of the rays, relative to the scene's origin, metres.
    starts: Vec<Vec3>,
    reflections: usize,
    density: Density,
    other_end: Option<&'a OtherEnd>,
    /// Largest number of reflections before an edge; `None` where no edges are searched for.
    pub(super) reflections_before_edge: Option<usize>,
    /// Largest number of reflections before a cell of a rough wall; `None` where no cells are searched for.
    pub(super) reflections_before_cell: Option<usize>,
}

/// The trees of one thread, one for each start point, and its buffers.
#[derive(Default)]
pub(super) struct Worker {
    trees: Vec<TreeBuilder>,
    rays: Vec<Ray>,
    states: Vec<State>,
    next_rays: Vec<Ray>,
    next_states: Vec<State>,
    hits: Vec<Option<Hit>>,
    /// Start point, sequence and number of transmissions of the next rays, in one number, and their indices.
    order: Vec<(u64, u32)>,
}

/// The state of a ray, apart from its line.
#[derive(Clone, Copy)]
struct State {
    /// The start point.
    start: u16,
    node: u32,
    reflections: u16,
    transmissions: u16,
    block: u32,
    /// Index of the ray in its block, extended by two bits with each split.
    ordinal: u32,
    splits: u16,
    /// Distance travelled from the device to the ray's start point, metres.
    travelled: f32,
    /// Normal of the wall that the ray leaves; zero at the device.
    left: Vec3,
    /// The sides of the beam at a distance of one metre.
    sides: [Vec3; 2],
}

impl State {
    /// The properties that rays along similar routes share.
    fn key(&self) -> u64 {
        u64::from(self.start) << 48 | u64::from(self.node) << 16 | u64::from(self.transmissions)
    }

    /// Width of the beam after `t` more metres.
    fn width(&self, t: f32) -> f32 {
        let [a, b] = self.sides.map(Vec3::length_squared);
        (self.travelled + t) * a.max(b).sqrt()
    }
}

impl Worker {
    pub(super) fn new(num_starts: usize) -> Self {
        Self {
            trees: vec![TreeBuilder::default(); num_starts],
            ..Self::default()
        }
    }

    pub(super) fn into_trees(self) -> Vec<TreeBuilder> {
        self.trees
    }

    /// Makes the rays that were sent the next to be traced, grouped by sequence: rays of one sequence take similar
    /// ways.
    fn order(&mut self) {
        self.order.clear();
        let keys = (0..).zip(&self.next_states);
        let keys = keys.map(|(i, state)| (state.key(), i));
        self.order.extend(keys);
        self.order.sort_unstable();
        self.rays.clear();
        self.states.clear();
        for &(_, i) in &self.order {
            self.rays.push(self.next_rays[i as usize]);
            self.states.push(self.next_states[i as usize]);
        }
    }

    /// The distance of the nearest hit among the other quarters of the same split beam.
    fn nearest_neighbour(&self, ray: usize) -> Option<f32> {
        let own = self.states[ray];
        let last = self.rays.len().min(ray + 4);
        let neighbours = (ray.saturating_sub(3)..last).filter(|&i| {
            let other = self.states[i];
            other.start == own.start
                && other.node == own.node
                && other.block == own.block
                && other.transmissions == own.transmissions
                && other.splits == own.splits
                && other.ordinal / 4 == own.ordinal / 4
        });
        let hits = neighbours.filter_map(|i| self.hits[i]);
        hits.map(|hit| hit.t).reduce(f32::min)
    }

    fn send(&mut self, ray: Ray, state: State) {
        self.next_rays.push(ray);
        self.next_states.push(state);
    }
}

impl<'a> Tracer<'a> {
    /// A tracer that searches for reflecting planes only.
    pub(super) fn new(launch: &Launch<'a>) -> Self {
        Self {
            scene: launch.scene,
            transparency: launch.transparency,
            limits: launch.limits,
            starts: (launch.from.iter())
                .map(|from| (from - launch.scene.origin()).as_vec3())
                .collect(),
            reflections: launch.reflections,
            density: launch.density,
            other_end: launch.other_end,
            reflections_before_edge: None,
            reflections_before_cell: None,
        }
    }

    /// Whether a beam must be split where it hits a wall, `t` metres on.
    fn is_too_wide(&self, state: State, t: f32) -> bool {
        let widest = if state.transmissions > 0 {
            self.density.widest_behind
        } else {
            self.density.widest
        };
        state.splits < self.density.max_splits && state.width(t) > widest
    }

    /// Whether a ray may meet one more reflection, an edge or a rough wall. Otherwise the solver takes its last step.
    fn goes_on(&self, state: State) -> bool {
        let (r, t) = (
            usize::from(state.reflections),
            usize::from(state.transmissions),
        );
        let may_interact =
            r < self.reflections || self.may_show_edges(state) || self.may_light(state);
        may_interact && t <= self.limits.transmissions_beside(r + 1)
    }

    fn may_light(&self, state: State) -> bool {
        self.reflections_before_cell
            .is_some_and(|max| usize::from(state.reflections) <= max)
    }

    fn may_show_edges(&self, state: State) -> bool {
        self.reflections_before_edge
            .is_some_and(|max| usize::from(state.reflections) <= max)
    }

    fn other_end_meets(&self, face: FaceId, state: State) -> bool {
        let other = self.other_end.zip(self.reflections_before_edge);
        other.is_none_or(|(other, max)| other.meets_face(face, state.reflections.into(), max))
    }

    /// Traces the rays of square blocks of the grid to their ends, one generation after the other. The blocks of each start point
    /// follow those of the one before.
    pub(super) fn trace_blocks(&self, blocks: Range<u32>, worker: &mut Worker) {
        worker.rays.clear();
        worker.states.clear();
        for block in blocks {
            self.start_block(block, worker);
        }
        while !worker.rays.is_empty() {
            worker.hits.clear();
            worker.hits.resize(worker.rays.len(), None);
            let index = self.scene.index();
            index.closest_hits(&worker.rays, &mut worker.hits);
            worker.next_rays.clear();
            worker.next_states.clear();
            for i in 0..worker.rays.len() {
                let (ray, state) = (worker.rays[i], worker.states[i]);
                if let Some(hit) = worker.hits[i] {
                    self.follow(ray, state, &hit, worker);
                } else if state.splits < self.density.max_splits
                    && let Some(t) = worker.nearest_neighbour(i)
                    && self.is_too_wide(state, t)
                {
                    // The ray misses the wall that its neighbours hit. A border of that wall crosses the beam, so
                    // quarters may find more.
                    split(&ray, state, worker);
                }
            }
            worker.order();
        }
    }

    /// Makes the rays of a block the next to be traced.
    fn start_block(&self, block: u32, worker: &mut Worker) {
        let num_blocks = self.density.num_blocks();
        let (number, block) = (block / num_blocks, block % num_blocks);
        let start = self.starts[number as usize];
        let number = u16::try_from(number).expect("few points at once");
        let side = self.density.grid_side;
        let in_row = side / BLOCK_SIDE;
        let corner = BLOCK_SIDE * UVec2::new(block % in_row, block / in_row);
        // The width of a beam is needed only if beams are split or edges are searched for.
        let has_beams = self.density.max_splits > 0 || self.reflections_before_edge.is_some();
        for ordinal in 0..BLOCK_SIDE * BLOCK_SIDE {
            let (direction, sides) = if has_beams {
                grid_cell(corner, ordinal, side)
            } else {
                (grid_direction(corner, ordinal, side), [Vec3::ZERO; 2])
            };
            worker.rays.push(Ray::new(start, direction));
            worker.states.push(State {
                start: number,
                node: 0,
                reflections: 0,
                transmissions: 0,
                block,
                ordinal,
                splits: 0,
                travelled: 0.0,
                left: Vec3::ZERO,
                sides,
            });
        }
    }

    /// Notes the face that a ray meets, and sends the reflected and the passing ray.
    fn follow(&self, ray: Ray, state: State, hit: &Hit, worker: &mut Worker) {
        if self.is_too_wide(state, hit.t) {
            split(&ray, state, worker);
            return;
        }
        let plane = PlaneId::from_index(hit.group as usize);
        let face = self.scene.triangle_faces()[hit.triangle as usize];
        let point = ray.origin + hit.t * ray.direction;
        if self.may_show_edges(state) && self.other_end_meets(face, state) {
            let reach = self.density.reach * state.width(hit.t);
            worker.trees[usize::from(state.start)].sees(state.node, face, point, reach);
        }
        let material = self.scene.face(face).material.index();
        if self.may_light(state) && self.transparency.scatters[material] {
            let there = point.as_dvec3() + self.scene.origin();
            let cell = PatchSquare::around(self.scene, plane, there);
            worker.trees[usize::from(state.start)].lights(state.node, cell);
        }
        let normal = self.scene.plane(plane).normal.as_vec3();
        let left = State {
            travelled: state.travelled + hit.t,
            left: normal,
            ..state
        };
        let skip = [hit.group, Ray::NO_GROUP];
        if usize::from(state.reflections) < self.reflections {
            let mirror = |v: Vec3| v - 2.0 * v.dot(normal) * normal;
            let reflected = State {
                node: worker.trees[usize::from(state.start)].child(state.node, plane),
                reflections: state.reflections + 1,
                sides: state.sides.map(mirror),
                ..left
            };
            if self.goes_on(reflected) {
                let towards = ray.direction.dot(normal);
                let origin = point - LEAVE_OFFSET.copysign(towards) * normal;
                let direction = mirror(ray.direction).normalize();
                worker.send(Ray::new(origin, direction).skipping(skip), reflected);
            }
        }
        let is_first = state.transmissions == 0;
        if is_first && !state.ordinal.is_multiple_of(self.density.behind_walls) {
            return;
        }
        let passed = State {
            transmissions: state.transmissions + 1,
            ..left
        };
        if self.goes_on(passed) && self.transparency.passes(self.scene, face) {
            worker.send(Ray::new(point, ray.direction).skipping(skip), passed);
        }
    }
}

/// Sends the quarters of a beam again from the beam's start point.
fn split(ray: &Ray, state: State, worker: &mut Worker) {
    let image = ray.origin - state.travelled * ray.direction;
    for (part, [a, b]) in (0..).zip([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]) {
        let [u, v] = state.sides.map(|side| 0.25 * side);
        let direction = (ray.direction + a * u + b * v).normalize();
        let travelled = if state.travelled == 0.0 {
            0.0
        } else {
            // Distance from the image to the wall that the beam leaves.
            state.travelled * ray.direction.dot(state.left) / direction.dot(state.left)
        };
        if !(0.0..=MAX_STRETCH * state.travelled).contains(&travelled) {
            continue;
        }
        let origin = image + travelled * direction;
        worker.send(
            Ray::new(origin, direction).skipping(ray.skip),
            State {
                ordinal: 4 * state.ordinal + part,
                splits: state.splits + 1,
                travelled,
                sides: state.sides.map(|side| 0.5 * side),
                ..state
            },
        );
    }
}
