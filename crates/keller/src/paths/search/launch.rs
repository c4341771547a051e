//! Shooting and bouncing: rays in every direction, and whatever planes they meet in turn are the sequences.
//!
//! **Algorithm.** Directions come from an equal-area map of the sphere onto a square, cut into a grid and visited along a Morton
//! curve, so that rays that are traced together stay together. Every hit branches: the ray goes on reflected, and (while walls may
//! be passed) also straight on. Nothing is random. A ray carries the sequence it has met so far as a node of a prefix tree; where it
//! goes does not matter to the receivers, so the cost does not grow with them. Rays that have used up their reflections are not
//! traced: the last step to a receiver is the solver's.
//!
//! **Cost.** Rays times bounces. **May miss** sequences whose beam no ray falls into: mirrors smaller than the distance between
//! neighbouring rays, which for `n` rays is about `3.5 r / sqrt(n)` metres after `r` metres.

use glam::{DVec2, DVec3, Vec3};
use rayon::prelude::*;

use super::Effort;
use super::tree_builder::TreeBuilder;
use crate::geometry::bvh::{Hit, Ray};
use crate::paths::{Limits, SequenceTree, Transparency};
use crate::scene::{PlaneId, Scene};
use crate::{Control, Error, Stage};

/// Rays of one piece of parallel work: a square of the Morton grid.
const BLOCK_SIDE: u32 = 32;

/// How far a ray starts off the wall it leaves, metres: f32 rounding must not put it behind the next wall of a corner.
const LEAVE_OFFSET: f32 = 1e-3;

/// The sequences that rays from `tx` meet.
pub(super) fn launch(
    scene: &Scene,
    tx: DVec3,
    limits: &Limits,
    transparency: &Transparency,
    effort: Effort,
    control: &Control,
) -> Result<SequenceTree, Error> {
    let side = effort.grid_side();
    let blocks = side / BLOCK_SIDE;
    let launch = Launch {
        scene,
        transparency,
        start: (tx - scene.origin()).as_vec3(),
        limits,
    };
    if limits.reflections() == 0 {
        return Ok(SequenceTree::root(tx));
    }
    let done = std::sync::atomic::AtomicU32::new(0);
    let tree = (0..blocks * blocks)
        .into_par_iter()
        .fold(Worker::default, |mut worker, block| {
            if !control.is_cancelled() {
                let corner = BLOCK_SIDE * morton(block);
                launch.trace_block(corner, side, &mut worker);
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
    Ok(tree.finish(scene, tx))
}

impl Effort {
    /// Rays along each side of the square of directions.
    fn grid_side(self) -> u32 {
        match self {
            Self::Quick => 512,
            Self::Default => 1024,
            Self::Thorough => 4096,
        }
    }
}

/// What all rays of a launch have in common.
struct Launch<'a> {
    scene: &'a Scene,
    transparency: &'a Transparency,
    /// The transmitter, relative to the scene's origin.
    start: Vec3,
    limits: &'a Limits,
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
}

impl State {
    /// Whether the ray may meet one more mirror: otherwise its last step is the solver's.
    fn may_reflect(self, limits: &Limits) -> bool {
        let (r, t) = (
            usize::from(self.reflections),
            usize::from(self.transmissions),
        );
        r < limits.reflections() && t <= limits.transmissions_beside(r + 1)
    }
}

impl Launch<'_> {
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
            let reflected = State {
                node: tree.child(state.node, plane),
                reflections: state.reflections + 1,
                ..*state
            };
            if reflected.may_reflect(self.limits) {
                next_rays.push(self.reflect(ray, hit, plane));
                next_states.push(reflected);
            }
            let passed = State {
                transmissions: state.transmissions + 1,
                ..*state
            };
            let face = self.scene.triangle_faces()[hit.triangle as usize];
            if passed.may_reflect(self.limits) && self.transparency.passes(self.scene, face) {
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
