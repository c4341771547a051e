//! Coverage by launched rays as Hu 2020 describes it: [`gorl`] (chapter 4) and [`tlars`] (chapter 5).
//!
//! Both send rays to the voxels on the border of a grid, reflect them at faces, and give their gain to the voxels that
//! a grid traversal finds along them. GORL keeps the strongest ray of a voxel. TLARS splits rays so that neighbours
//! stay within one voxel, and adds the paths of different batches. Both pass walls; TLARS is diffracted at edges too.

mod edges;
pub mod gorl;
pub mod tlars;
mod voxels;
mod wave;

pub use edges::Polygons;
pub use voxels::VoxelGrid;

use std::f64::consts::PI;

use glam::DVec3;
use keller::geometry::bvh::{Hit, Ray};
use keller::scene::FaceId;
use keller::{Tx, World};
use wave::Wave;

/// A launch: the Tx, the scene, and the limits to which rays are followed.
#[derive(Debug, Clone, Copy)]
pub struct Launch<'a> {
    /// The scene and its materials.
    pub world: &'a World,
    /// The voxels that collect.
    pub grid: &'a VoxelGrid,
    /// The Tx where rays start.
    pub tx: &'a Tx,
    /// Reflections of a path.
    pub max_reflections: usize,
    /// Walls that a path passes straight through.
    pub max_transmissions: usize,
    /// Paths of less gain than this are not collected, linear.
    pub min_gain: f64,
}

/// The planes that a ray leaves.
type Left = [u32; 2];

/// The plane that a ray leaves when it leaves none.
const NO_PLANE: u32 = Ray::NO_GROUP;

/// The end of a ray.
#[derive(Debug, Clone, Copy)]
struct End {
    /// Metres along the ray.
    t: f64,
    /// Index of the triangle that it meets; none if it leaves the scene.
    triangle: Option<usize>,
}

impl Launch<'_> {
    /// Path gain of a wave `distance` metres from its source, linear (eq. 4-2).
    fn gain(&self, power: f64, distance: f64) -> f64 {
        let spreading = self.world.frequency().wavelength() / (4.0 * PI * distance);
        power * spreading * spreading
    }

    /// The distance from its source at which a wave has the least gain, metres.
    fn reach(&self, power: f64) -> f64 {
        self.world.frequency().wavelength() / (4.0 * PI) * (power / self.min_gain).sqrt()
    }

    /// The ends of rays that start at points in unit directions. Each ignores the planes that it leaves.
    fn ends(&self, rays: &[(DVec3, DVec3, Left)]) -> Vec<End> {
        let scene = self.world.scene();
        let query = |&(origin, direction, left): &(DVec3, DVec3, Left)| {
            let local = (origin - scene.origin()).as_vec3();
            Ray::new(local, direction.as_vec3()).skipping(left)
        };
        let queries: Vec<Ray> = rays.iter().map(query).collect();
        let mut hits: Vec<Option<Hit>> = vec![None; rays.len()];
        scene.index().closest_hits(&queries, &mut hits);
        let end = |(hit, &(origin, direction, _)): (&Option<Hit>, &(DVec3, DVec3, Left))| {
            let Some(hit) = hit else {
                let t = self.grid.exit(origin, direction);
                return End { t, triangle: None };
            };
            let triangle = hit.triangle as usize;
            let plane = scene.plane(scene.plane_of(scene.triangle_faces()[triangle]));
            // The index is f32; the plane decides.
            let exact = (plane.offset - plane.normal.dot(origin)) / plane.normal.dot(direction);
            let t = if exact.is_finite() {
                exact.max(0.0)
            } else {
                f64::from(hit.t)
            };
            let triangle = Some(triangle);
            End { t, triangle }
        };
        hits.iter().zip(rays).map(end).collect()
    }

    /// A wave after reflection at a triangle, its direction, the plane that it leaves, and the normal of the face.
    fn reflect(&self, wave: Wave, direction: DVec3, triangle: usize) -> (Wave, DVec3, Left, DVec3) {
        let scene = self.world.scene();
        let face = scene.triangle_faces()[triangle];
        let normal = scene.face_normal(face);
        let wave = wave.reflected(direction, normal, self.world.surface(face));
        let turned = direction - 2.0 * direction.dot(normal) * normal;
        (wave, turned, [self.group(face), NO_PLANE], normal)
    }

    /// A wave behind the wall that a triangle belongs to, and the plane that it leaves; none if nothing passes.
    fn transmit(&self, wave: Wave, direction: DVec3, triangle: usize) -> Option<(Wave, Left)> {
        let scene = self.world.scene();
        let face = scene.triangle_faces()[triangle];
        let surface = self.world.surface(face);
        if surface.is_opaque() {
            return None;
        }
        let wave = wave.transmitted(direction, scene.face_normal(face), surface);
        Some((wave, [self.group(face), NO_PLANE]))
    }

    /// The plane of a face, as the index has it.
    fn group(&self, face: FaceId) -> u32 {
        let plane = self.world.scene().plane_of(face);
        u32::try_from(plane.index()).unwrap_or(NO_PLANE)
    }
}

#[cfg(test)]
mod tests;
