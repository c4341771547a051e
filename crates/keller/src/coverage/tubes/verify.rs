//! Whether the path of a bundle leads to a cell: asked where the rays of a tube did not agree.

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
    pub(super) doubts: Doubts,
}

/// On which pieces of a tube, from one wall to the next, its rays did not agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Doubts(u64);

impl Doubts {
    /// With the piece behind so many walls.
    pub(super) fn with(self, piece: usize) -> Self {
        Self(self.0 | 1 << piece.min(63))
    }

    pub(super) fn both(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn is_at(self, piece: usize) -> bool {
        self.0 >> piece.min(63) & 1 == 1
    }

    pub(super) fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl Tracer<'_> {
    /// Keeps the cells to whose middles the path by the walls of a bundle leads, as far as that is doubtful.
    ///
    /// Piece by piece from the middle back to the transmitter: from where a piece begins, its end must be seen.
    pub(super) fn verify(&self, bundle: &Bundle, candidates: &mut Vec<Candidate>) {
        let local = |point: DVec3| (point - self.scene.origin()).as_vec3();
        let mut ends: Vec<DVec3> = candidates.iter().map(|c| c.middle).collect();
        let mut image = bundle.image.position;
        let is_asked = |candidate: &Candidate, piece: usize| {
            self.fineness.is_thorough || candidate.doubts.is_at(piece)
        };
        let mut rays = Vec::new();
        let mut hits: Vec<Option<Hit>> = Vec::new();
        for piece in (0..=bundle.met.len()).rev() {
            let before = piece.checked_sub(1).map(|wall| bundle.met[wall]);
            let behind = bundle.met.get(piece);
            let wall = behind.map(|met| Wall::of(self.scene, met.face));
            let plane = before.map(|met| self.scene.plane_of(met.face));
            let starts: Vec<DVec3> = match plane.map(|plane| self.scene.plane(plane)) {
                None => vec![image; ends.len()],
                Some(plane) => {
                    let to = plane.distance(image);
                    let start = |end: &DVec3| {
                        let from = plane.distance(*end);
                        end.lerp(image, from / (from - to))
                    };
                    ends.iter().map(start).collect()
                }
            };
            let skip = plane.map_or(Ray::NO_GROUP, |plane| {
                u32::try_from(plane.index()).unwrap_or(Ray::NO_GROUP)
            });
            rays.clear();
            for ((candidate, start), end) in candidates.iter().zip(&starts).zip(&ends) {
                if is_asked(candidate, piece) {
                    let ray = Ray::between(local(*start), local(*end));
                    let ray = ray.skipping([skip, Ray::NO_GROUP]);
                    rays.push(Ray {
                        t_max: if wall.is_some() { f32::INFINITY } else { 1.0 },
                        ..ray
                    });
                }
            }
            hits.clear();
            hits.resize(rays.len(), None);
            self.scene.index().closest_hits(&rays, &mut hits);
            let mut found = hits.iter().map(|hit| {
                let face = hit.map(|hit| self.scene.triangle_faces()[hit.triangle as usize]);
                face.map(|face| Wall::of(self.scene, face)) == wall
            });
            let passes: Vec<bool> = candidates
                .iter()
                .map(|c| !is_asked(c, piece) || found.next().is_some_and(|is_wall| is_wall))
                .collect();
            ends = starts;
            keep(candidates, &passes);
            keep(&mut ends, &passes);
            if let (Some(met), Some(plane)) = (before, plane)
                && met.kind == InteractionKind::Reflection
            {
                image = self.scene.plane(plane).mirror(image);
            }
        }
    }
}

/// Keeps the items that pass.
fn keep<T>(items: &mut Vec<T>, passes: &[bool]) {
    let mut passes = passes.iter();
    items.retain(|_| passes.next().is_some_and(|passes| *passes));
}
