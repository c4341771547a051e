//! Whether the path of a bundle leads to a cell: asked where the rays of a tube did not agree.

use glam::DVec3;

use super::bundle::{Bundle, Met, group, groups_at};
use super::tracer::{Tracer, Wall};
use crate::geometry::bvh::{Hit, Ray};
use crate::paths::InteractionKind;
use crate::scene::FaceId;

/// A cell of the region that may lie in a tube.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) number: usize,
    /// Its middle, metres.
    pub(super) middle: DVec3,
    pub(super) gain: f64,
    pub(super) doubts: Doubts,
    /// Which tube of a [`Haul`](super::haul::Haul) it lies in, where there is one.
    pub(super) tube: u32,
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

    /// Whether no piece from this one on is doubtful.
    pub(super) fn is_none_behind(self, piece: usize) -> bool {
        self.0 >> piece.min(63) == 0
    }

    pub(super) fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl Tracer<'_> {
    /// Keeps the cells to whose middles the path by the walls of a bundle leads, as far as that is doubtful.
    ///
    /// Piece by piece from the middle back to the transmitter: from where a piece begins, its end must be seen. Candidates on a wall
    /// name it, and the path must meet it before any other.
    pub(super) fn verify(
        &self,
        bundle: &Bundle,
        on_wall: Option<FaceId>,
        candidates: &mut Vec<Candidate>,
    ) {
        let at_end = on_wall.map(|face| Met::Wall {
            kind: InteractionKind::Scattering,
            face,
        });
        let is_asked = |candidate: &Candidate, piece: usize| {
            self.fineness.is_thorough || candidate.doubts.is_at(piece)
        };
        let mut rays = Vec::new();
        let mut hits: Vec<Option<Hit>> = Vec::new();
        let mut ways: Vec<Way> = candidates
            .iter()
            .map(|candidate| Way {
                end: candidate.middle,
                image: bundle.source.locate(candidate.middle).origin,
            })
            .collect();
        for piece in (0..=bundle.met.len()).rev() {
            let before = piece.checked_sub(1).map(|wall| bundle.met[wall]);
            let behind = bundle.met.get(piece).copied().or(at_end);
            let starts: Vec<DVec3> = ways.iter().map(|way| self.start(before, way)).collect();
            let asked = candidates.iter().zip(&ways).zip(&starts);
            rays.clear();
            rays.extend(
                asked
                    .filter(|((candidate, _), _)| is_asked(candidate, piece))
                    .map(|((_, way), start)| self.query(before, behind, *start, way.end)),
            );
            hits.clear();
            hits.resize(rays.len(), None);
            self.scene.index().closest_hits(&rays, &mut hits);
            let expected = match behind {
                Some(Met::Wall { face, .. }) => Some(Wall::of(self.scene, face)),
                Some(Met::Edge(_)) | None => None,
            };
            let from_plane = match before {
                Some(Met::Wall { face, .. }) => Some(self.scene.plane_of(face)),
                Some(Met::Edge(_)) | None => None,
            };
            let mut found = hits.iter().map(|hit| {
                if matches!(behind, Some(Met::Edge(_))) {
                    return self.ends_at(from_plane, *hit);
                }
                let face = hit.map(|hit| self.scene.triangle_faces()[hit.triangle as usize]);
                face.map(|face| Wall::of(self.scene, face)) == expected
            });
            // What ends on the wrong side of the wall that it leaves never was there.
            let is_beyond = |way: &Way| {
                from_plane.is_none_or(|plane| {
                    let plane = self.scene.plane(plane);
                    plane.distance(way.end) * plane.distance(way.image) < 0.0
                })
            };
            let passes: Vec<bool> = candidates
                .iter()
                .zip(&ways)
                .map(|(c, way)| {
                    let mut is_free = || found.next().is_some_and(|is_right| is_right);
                    !is_asked(c, piece) || (is_free() && is_beyond(way))
                })
                .collect();
            for (way, start) in ways.iter_mut().zip(starts) {
                way.end = start;
                way.image = match before {
                    Some(Met::Wall {
                        kind: InteractionKind::Reflection,
                        face,
                    }) => self
                        .scene
                        .plane(self.scene.plane_of(face))
                        .mirror(way.image),
                    Some(Met::Edge(_)) => bundle.source.position(),
                    Some(Met::Wall { .. }) | None => way.image,
                };
            }
            keep(candidates, &passes);
            keep(&mut ways, &passes);
        }
    }

    /// Where a piece of a path begins.
    fn start(&self, before: Option<Met>, way: &Way) -> DVec3 {
        match before {
            None | Some(Met::Edge(_)) => way.image,
            Some(Met::Wall { face, .. }) => {
                let plane = self.scene.plane(self.scene.plane_of(face));
                plane.between(way.end, way.image)
            }
        }
    }

    /// The ray that meets the wall behind a piece, or nothing if it ends at an edge or a cell, if the path is free.
    fn query(&self, before: Option<Met>, behind: Option<Met>, start: DVec3, end: DVec3) -> Ray {
        /// A ray to an edge ends so far before what ends at the edge too, in parts of its length.
        const ALMOST: f32 = 1.0 - 1e-5;
        let local = |point: DVec3| (point - self.scene.origin()).as_vec3();
        let groups = |met: Option<Met>| match met {
            None => [Ray::NO_GROUP; 2],
            Some(Met::Wall { face, .. }) => [group(self.scene.plane_of(face)), Ray::NO_GROUP],
            Some(Met::Edge(edge)) => groups_at(self.scene, edge),
        };
        let ahead = Ray::between(local(start), local(end)).skipping(groups(before));
        match behind {
            None => ahead,
            Some(Met::Wall { .. }) => Ray {
                t_max: f32::INFINITY,
                ..ahead
            },
            // From the edge, whose faces are two, back to the one plane before.
            Some(Met::Edge(_)) => Ray {
                t_max: ALMOST,
                ..Ray::between(local(end), local(start)).skipping(groups(behind))
            },
        }
    }
}

/// What is left of a path, unfolded.
#[derive(Debug, Clone, Copy)]
struct Way {
    end: DVec3,
    /// Where its last piece comes from, in a straight line.
    image: DVec3,
}

/// Keeps the items that pass.
fn keep<T>(items: &mut Vec<T>, passes: &[bool]) {
    let mut passes = passes.iter();
    items.retain(|_| passes.next().is_some_and(|passes| *passes));
}
