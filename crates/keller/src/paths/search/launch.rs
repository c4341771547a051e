//! Shooting and bouncing: rays in every direction, and whatever planes they meet in turn are the sequences.
//!
//! **Algorithm.** Directions come from an equal-area map of the sphere onto a square, cut into blocks that are visited along a Morton
//! curve, so that rays that are traced together stay together. Every hit branches: the ray goes on reflected, and (while walls may
//! be passed) also straight on. Nothing is random. A ray carries the sequence it has met so far as a node of a prefix tree; where it
//! goes does not matter to the receivers, so the cost does not grow with them. Rays that have used up their reflections are not
//! traced: the last step to a receiver is the solver's.
//!
//! Where waves may diffract, a ray also notes the face that it meets: the edges of that face, and of those beside it, may be seen by
//! the sequence so far. No ray has to pass near an edge.
//!
//! **Cost.** Rays times bounces. **May miss** sequences whose beam no ray falls into: mirrors smaller than the distance between
//! neighbouring rays, which for `n` rays is about `3.5 r / sqrt(n)` metres after `r` metres.

use glam::{DVec2, DVec3, Vec3};
use rayon::prelude::*;

use super::Effort;
use super::tree_builder::TreeBuilder;
use super::views::{EdgeView, Lit, Views, diffracting_edges};
use crate::geometry::bvh::{Hit, Ray};
use crate::paths::scatter::cells::Cell;
use crate::paths::{Limits, SequenceTree, Transparency};
use crate::scene::{EdgeId, FaceId, PlaneId, Scene};
use crate::{Control, Error, Stage};

/// Rays of one piece of parallel work: a square of the Morton grid.
const BLOCK_SIDE: u32 = 32;

/// Faces of more edges than this share none with their neighbours: they are large, and rays do not miss them.
const MOST_EDGES: usize = 50;

/// How far a ray starts off the wall it leaves, metres: f32 rounding must not put it behind the next wall of a corner.
const LEAVE_OFFSET: f32 = 1e-3;

/// Rays from one point of a scene.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    pub(super) scene: &'a Scene,
    pub(super) transparency: &'a Transparency,
    pub(super) limits: &'a Limits,
    /// Where the rays start, metres.
    pub(super) from: DVec3,
    /// The most mirrors of a sequence.
    pub(super) mirrors: usize,
    pub(super) density: Density,
    pub(super) edges: &'a FaceEdges,
}

impl Launch<'_> {
    /// The sequences that rays meet, and the edges of the faces that they meet.
    pub(super) fn trace(&self, control: &Control) -> Result<Views, Error> {
        let tracer = Tracer {
            mirrors_before_edge: self.limits.reflections_beside_diffraction(),
            ..self.tracer()
        };
        if self.mirrors == 0 && tracer.mirrors_before_edge.is_none() {
            return Ok(Views {
                tree: SequenceTree::root(self.from),
                edges: Vec::new(),
                has_all_direct: false,
            });
        }
        let (tree, met) = self.run(&tracer, control)?.finish(self.scene, self.from);
        let edges = self.edges.views(self.scene, &met.faces);
        Ok(Views {
            tree,
            edges,
            has_all_direct: false,
        })
    }

    /// The sequences that rays meet, and the cells of rough walls that they fall on.
    pub(super) fn light(&self, control: &Control) -> Result<Lit, Error> {
        let tracer = Tracer {
            mirrors_before_cell: Some(self.mirrors),
            ..self.tracer()
        };
        let (tree, met) = self.run(&tracer, control)?.finish(self.scene, self.from);
        Ok(Lit {
            tree,
            cells: met.cells,
        })
    }

    /// Rays that look for mirrors alone.
    fn tracer(&self) -> Tracer<'_> {
        Tracer {
            scene: self.scene,
            transparency: self.transparency,
            start: (self.from - self.scene.origin()).as_vec3(),
            limits: self.limits,
            mirrors: self.mirrors,
            behind_walls: self.density.behind_walls,
            mirrors_before_edge: None,
            mirrors_before_cell: None,
        }
    }

    fn run(&self, tracer: &Tracer, control: &Control) -> Result<TreeBuilder, Error> {
        let grid_side = self.density.grid_side;
        let blocks = grid_side / BLOCK_SIDE;
        let done = std::sync::atomic::AtomicU32::new(0);
        let builder = (0..blocks * blocks)
            .into_par_iter()
            .fold(Worker::default, |mut worker, block| {
                if !control.is_cancelled() {
                    let corner = BLOCK_SIDE * glam::UVec2::new(block % blocks, block / blocks);
                    tracer.trace_block(corner, grid_side, &mut worker);
                    let done = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1;
                    if done.is_multiple_of(32) {
                        control.report(Stage::Search, f64::from(done) / f64::from(blocks * blocks));
                    }
                }
                worker
            })
            .map(|worker| worker.tree)
            .reduce(TreeBuilder::default, |mut all, part| {
                all.merge(&part);
                all
            });
        control.check()?;
        Ok(builder)
    }
}

/// The edges of every face, and of the faces beside it.
#[derive(Debug, Default)]
pub(super) struct FaceEdges {
    /// Where the edges of a face begin; one more than there are faces.
    starts: Vec<u32>,
    edges: Vec<EdgeId>,
}

impl FaceEdges {
    /// Of the edges that may diffract within `limits`.
    pub(super) fn new(scene: &Scene, limits: &Limits) -> Self {
        let mut pairs: Vec<(FaceId, EdgeId)> = Vec::new();
        if limits.max_diffractions > 0 {
            for id in diffracting_edges(scene, limits) {
                let faces = scene.edges()[id.index()].faces;
                pairs.extend(faces.into_iter().flatten().map(|face| (face, id)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let own = Self::from_pairs(scene, &pairs);
        // What a ray barely misses lies beside what it meets.
        let mut beside = Vec::new();
        for &(face, edge) in pairs.iter().filter(|p| own.of(p.0).len() <= MOST_EDGES) {
            let neighbours = scene.edges()[edge.index()].faces.into_iter().flatten();
            for neighbour in neighbours.filter(|&n| n != face) {
                let edges = own.of(neighbour);
                if edges.len() <= MOST_EDGES {
                    beside.extend(edges.iter().map(|&edge| (face, edge)));
                }
            }
        }
        pairs.extend(beside);
        pairs.sort_unstable();
        pairs.dedup();
        Self::from_pairs(scene, &pairs)
    }

    /// From sorted pairs.
    fn from_pairs(scene: &Scene, pairs: &[(FaceId, EdgeId)]) -> Self {
        let start = |face: usize| {
            let before = pairs.partition_point(|&(f, _)| f.index() < face);
            u32::try_from(before).expect("fewer than 2^32 edges")
        };
        Self {
            starts: (0..=scene.faces().len()).map(start).collect(),
            edges: pairs.iter().map(|&(_, edge)| edge).collect(),
        }
    }

    fn of(&self, face: FaceId) -> &[EdgeId] {
        let (start, end) = (self.starts[face.index()], self.starts[face.index() + 1]);
        &self.edges[start as usize..end as usize]
    }

    /// The edges of the faces that sequences meet, given as node and face in order.
    fn views(&self, scene: &Scene, faces: &[(u32, FaceId)]) -> Vec<EdgeView> {
        let mut views = Vec::new();
        let mut edges = Vec::new();
        for seen in faces.chunk_by(|a, b| a.0 == b.0) {
            edges.clear();
            for &(_, face) in seen {
                edges.extend_from_slice(self.of(face));
            }
            edges.sort_unstable();
            edges.dedup();
            for &edge in &edges {
                views.push(EdgeView {
                    edge,
                    node: seen[0].0,
                    interval: [0.0, scene.edges()[edge.index()].length()],
                });
            }
        }
        views
    }
}

/// How densely rays fill the sphere of directions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Density {
    /// Rays along each side of the square of directions, a multiple of [`BLOCK_SIDE`].
    grid_side: u32,
    /// One of so many rays goes on behind its first wall: what comes from there is weak.
    behind_walls: u16,
}

impl Density {
    pub(super) fn from_tx(effort: Effort) -> Self {
        Self {
            grid_side: match effort {
                Effort::Quick => 512,
                Effort::Default => 1024,
                Effort::Thorough => 4096,
            },
            behind_walls: 1,
        }
    }

    /// There are many receivers, and only edges are looked for.
    pub(super) fn from_rx(effort: Effort) -> Self {
        let (grid_side, behind_walls) = match effort {
            Effort::Quick => (128, 16),
            Effort::Default => (224, 16),
            Effort::Thorough => (1024, 4),
        };
        Self {
            grid_side,
            behind_walls,
        }
    }
}

/// What all rays of a launch have in common.
struct Tracer<'a> {
    scene: &'a Scene,
    transparency: &'a Transparency,
    /// Relative to the scene's origin.
    start: Vec3,
    limits: &'a Limits,
    mirrors: usize,
    behind_walls: u16,
    /// Sequences of so many mirrors may go on to an edge.
    mirrors_before_edge: Option<usize>,
    /// The same for rough walls.
    mirrors_before_cell: Option<usize>,
}

/// One thread's tree and its buffers.
#[derive(Default)]
struct Worker {
    tree: TreeBuilder,
    rays: Vec<Ray>,
    states: Vec<State>,
    next_rays: Vec<Ray>,
    next_states: Vec<State>,
    hits: Vec<Option<Hit>>,
}

/// What a ray carries besides its line.
#[derive(Clone, Copy)]
struct State {
    node: u32,
    reflections: u16,
    transmissions: u16,
    /// Its number in its block.
    ordinal: u16,
}

impl Tracer<'_> {
    /// Whether a ray may meet one more mirror, or an edge: otherwise its last step is the solver's.
    fn goes_on(&self, state: State) -> bool {
        let (r, t) = (
            usize::from(state.reflections),
            usize::from(state.transmissions),
        );
        let may_interact = r < self.mirrors || self.may_show_edges(state) || self.may_light(state);
        may_interact && t <= self.limits.transmissions_beside(r + 1)
    }

    fn may_light(&self, state: State) -> bool {
        self.mirrors_before_cell
            .is_some_and(|most| usize::from(state.reflections) <= most)
    }

    fn may_show_edges(&self, state: State) -> bool {
        self.mirrors_before_edge
            .is_some_and(|most| usize::from(state.reflections) <= most)
    }

    /// Traces the rays of a square block of the grid to their ends, one generation after the other.
    fn trace_block(&self, corner: glam::UVec2, side: u32, worker: &mut Worker) {
        worker.rays.clear();
        worker.states.clear();
        for i in 0..BLOCK_SIDE * BLOCK_SIDE {
            let cell = corner + morton(i);
            let on_square = (cell.as_dvec2() + 0.5) / f64::from(side);
            let direction = equal_area_direction(on_square).as_vec3();
            worker.rays.push(Ray::new(self.start, direction));
            worker.states.push(State {
                node: 0,
                reflections: 0,
                transmissions: 0,
                ordinal: u16::try_from(i).expect("a block has few rays"),
            });
        }
        while !worker.rays.is_empty() {
            self.trace_generation(worker);
            std::mem::swap(&mut worker.rays, &mut worker.next_rays);
            std::mem::swap(&mut worker.states, &mut worker.next_states);
        }
    }

    /// Traces all rays of a worker once; what becomes of them is the next generation.
    fn trace_generation(&self, worker: &mut Worker) {
        let Worker {
            tree,
            rays,
            states,
            next_rays,
            next_states,
            hits,
        } = worker;
        hits.clear();
        hits.resize(rays.len(), None);
        self.scene.index().closest_hits(rays, hits);
        next_rays.clear();
        next_states.clear();
        for ((ray, state), hit) in rays.iter().zip(states.iter()).zip(hits.iter()) {
            let Some(hit) = hit else { continue };
            let plane = PlaneId::from_index(hit.group as usize);
            let face = self.scene.triangle_faces()[hit.triangle as usize];
            if self.may_show_edges(*state) {
                tree.sees(state.node, face);
            }
            let material = self.scene.face(face).material.index();
            if self.may_light(*state) && self.transparency.scatters[material] {
                let point = (ray.origin + hit.t * ray.direction).as_dvec3() + self.scene.origin();
                tree.lights(state.node, Cell::around(self.scene, plane, point));
            }
            if usize::from(state.reflections) < self.mirrors {
                let reflected = State {
                    node: tree.child(state.node, plane),
                    reflections: state.reflections + 1,
                    ..*state
                };
                if self.goes_on(reflected) {
                    next_rays.push(self.reflect(ray, hit, plane));
                    next_states.push(reflected);
                }
            }
            let passed = State {
                transmissions: state.transmissions + 1,
                ..*state
            };
            let is_kept =
                state.transmissions > 0 || state.ordinal.is_multiple_of(self.behind_walls);
            if is_kept && self.goes_on(passed) && self.transparency.passes(self.scene, face) {
                let point = ray.origin + hit.t * ray.direction;
                next_rays.push(Ray::new(point, ray.direction).skipping([hit.group, Ray::NO_GROUP]));
                next_states.push(passed);
            }
        }
    }

    fn reflect(&self, ray: &Ray, hit: &Hit, plane: PlaneId) -> Ray {
        let normal = self.scene.plane(plane).normal.as_vec3();
        let towards = ray.direction.dot(normal);
        let point = ray.origin + hit.t * ray.direction;
        let direction = (ray.direction - 2.0 * towards * normal).normalize();
        let origin = point - LEAVE_OFFSET.copysign(towards) * normal;
        Ray::new(origin, direction).skipping([hit.group, Ray::NO_GROUP])
    }
}

/// The cell with this number on a Morton curve.
fn morton(index: u32) -> glam::UVec2 {
    /// Every second bit, pushed together.
    fn even_bits(mut x: u32) -> u32 {
        x &= 0x5555_5555;
        x = (x | (x >> 1)) & 0x3333_3333;
        x = (x | (x >> 2)) & 0x0f0f_0f0f;
        x = (x | (x >> 4)) & 0x00ff_00ff;
        (x | (x >> 8)) & 0x0000_ffff
    }
    glam::UVec2::new(even_bits(index), even_bits(index >> 1))
}

/// The unit vector of a point of the unit square: equal areas on the square are equal solid angles, neighbours stay neighbours.
///
/// # Source
/// P. Clarberg, "Fast Equal-Area Mapping of the (Hemi)Sphere using SIMD", Journal of Graphics Tools 13(3), 2008.
fn equal_area_direction(on_square: DVec2) -> DVec3 {
    let p = 2.0 * on_square - 1.0;
    let a = p.abs();
    // Signed distance inside the diagonal that separates the hemispheres.
    let inside = 1.0 - (a.x + a.y);
    let radius = 1.0 - inside.abs();
    let angle = if radius == 0.0 {
        0.0
    } else {
        ((a.y - a.x) / radius + 1.0) * std::f64::consts::FRAC_PI_4
    };
    let z = (1.0 - radius * radius).copysign(inside);
    let horizontal = radius * (2.0 - radius * radius).sqrt();
    DVec3::new(
        (horizontal * angle.cos()).copysign(p.x),
        (horizontal * angle.sin()).copysign(p.y),
        z,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_unit_and_evenly_spread() {
        let side = 64;
        let mut octants = [0; 8];
        let mut caps = [0; 4];
        for i in 0..side * side {
            let cell = morton(i);
            let d = equal_area_direction((cell.as_dvec2() + 0.5) / f64::from(side));
            assert!((d.length() - 1.0).abs() < 1e-12, "length {}", d.length());
            // The diagonals of the square are the horizon, which belongs to no half.
            if d.z == 0.0 {
                continue;
            }
            let octant = [d.x, d.y, d.z].map(|c| usize::from(c > 0.0));
            octants[octant[0] + 2 * octant[1] + 4 * octant[2]] += 1;
            let cap = [-0.5, 0.0, 0.5, 1.1].iter().position(|&z| d.z < z);
            caps[cap.unwrap()] += 1;
        }
        assert_eq!(octants, [(side * side - 2 * side) / 8; 8]);
        // Archimedes: zones of equal height have equal area.
        for count in caps {
            assert!((f64::from(count) / 992.0 - 1.0).abs() < 0.05, "{caps:?}");
        }
    }
}
