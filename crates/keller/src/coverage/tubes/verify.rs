//! Whether the path of a bundle leads to a cell: asked where the rays of a tube do not agree.

use glam::DVec3;

use super::bundle::Bundle;
use super::tracer::{Tracer, Wall};
use crate::geometry::bvh::{Hit, Ray};
use crate::paths::InteractionKind;

/// A cell of the region that may lie in a tube.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) number: usize,
    /// Its middle, metres.
    pub(super) middle: DVec3,
    pub(super) gain: f64,
}

impl Tracer<'_> {
    /// Keeps the cells to whose middles the path by the walls of a bundle leads, and by no others.
    ///
    /// From the middle back to the transmitter: the first wall towards the last image must be the last of the bundle, and so on.
    pub(super) fn verify(&self, bundle: &Bundle, candidates: &mut Vec<Candidate>) {
        let origin = self.scene.origin();
        let mut points: Vec<DVec3> = candidates.iter().map(|c| c.middle).collect();
        let mut image = bundle.image.position;
        let mut skip = Ray::NO_GROUP;
        let mut rays = Vec::new();
        let mut hits: Vec<Option<Hit>> = Vec::new();
        let mut cast = |points: &[DVec3], image: DVec3, skip: u32| {
            let to = (image - origin).as_vec3();
            rays.clear();
            rays.extend(points.iter().map(|&at| {
                let ray = Ray::between((at - origin).as_vec3(), to);
                ray.skipping([skip, Ray::NO_GROUP])
            }));
            hits.clear();
            hits.resize(rays.len(), None);
            self.scene.index().closest_hits(&rays, &mut hits);
            hits.clone()
        };
        for met in bundle.met.iter().rev() {
            let hits = cast(&points, image, skip);
            let wall = Wall::of(self.scene, met.face);
            let is_wall = |hit: &Option<Hit>| {
                hit.is_some_and(|hit| {
                    let face = self.scene.triangle_faces()[hit.triangle as usize];
                    Wall::of(self.scene, face) == wall
                })
            };
            keep(candidates, &hits, is_wall);
            keep(&mut points, &hits, is_wall);
            let plane = self.scene.plane(wall.plane);
            let to = plane.distance(image);
            for at in &mut points {
                let from = plane.distance(*at);
                *at = at.lerp(image, from / (from - to));
            }
            skip = u32::try_from(wall.plane.index()).unwrap_or(Ray::NO_GROUP);
            if met.kind == InteractionKind::Reflection {
                image = plane.mirror(image);
            }
        }
        let hits = cast(&points, image, skip);
        keep(candidates, &hits, Option::is_none);
    }
}

/// Keeps the items whose mark passes.
fn keep<T, M>(items: &mut Vec<T>, marks: &[M], passes: impl Fn(&M) -> bool) {
    let mut marks = marks.iter();
    items.retain(|_| marks.next().is_some_and(&passes));
}
