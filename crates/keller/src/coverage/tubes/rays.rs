//! The rays of a bundle: one for each corner and each middle of its cells, however many cells share it.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::bundle::Bundle;
use super::cells::{Cell, Corner};
use super::source::Line;
use crate::geometry::bvh::{Hit, Ray};
use crate::scene::{FaceId, Scene};

/// Rays that a thread takes at a time.
const AT_ONCE: usize = 1024;

/// What the rays of a bundle meet behind the wall that it leaves. One is used for bundle after bundle.
#[derive(Debug, Default)]
pub(super) struct Rays {
    known: FxHashMap<Corner, Option<FaceId>>,
    wanted: Vec<Corner>,
    queries: Vec<Ray>,
    hits: Vec<Option<Hit>>,
}

/// What one ray meets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) line: Line,
    /// None if it leaves the scene.
    pub(super) face: Option<FaceId>,
}

impl Rays {
    /// Forgets the last bundle.
    pub(super) fn clear(&mut self) {
        self.known.clear();
    }

    /// Traces the rays of these cells that are not known yet.
    pub(super) fn trace(
        &mut self,
        scene: &Scene,
        bundle: &Bundle,
        cells: impl Iterator<Item = Cell>,
    ) {
        self.wanted.clear();
        for corner in cells.flat_map(Cell::corners) {
            self.known.entry(corner).or_insert_with(|| {
                self.wanted.push(corner);
                None
            });
        }
        let skip = bundle.skip(scene);
        let start = bundle.start.map(|plane| scene.plane(plane));
        let ray = |corner: &Corner| {
            let line = bundle.source.ray(*corner);
            let t = start.map_or(0.0, |plane| line.meets(plane));
            let at = line.at(t) - scene.origin();
            Ray::new(at.as_vec3(), line.direction.as_vec3()).skipping(skip)
        };
        self.queries.clear();
        self.queries.extend(self.wanted.iter().map(ray));
        self.hits.clear();
        self.hits.resize(self.queries.len(), None);
        if self.queries.len() <= AT_ONCE {
            scene.index().closest_hits(&self.queries, &mut self.hits);
        } else {
            let parts = self.hits.par_chunks_mut(AT_ONCE);
            parts
                .zip(self.queries.par_chunks(AT_ONCE))
                .for_each(|(hits, rays)| scene.index().closest_hits(rays, hits));
        }
        for (corner, hit) in self.wanted.iter().zip(&self.hits) {
            let face = hit.map(|hit| scene.triangle_faces()[hit.triangle as usize]);
            self.known.insert(*corner, face);
        }
    }

    /// What the middle and the corners of a cell meet, which was traced.
    pub(super) fn of(&self, bundle: &Bundle, cell: Cell) -> [Seen; 5] {
        cell.corners().map(|corner| Seen {
            line: bundle.source.ray(corner),
            face: self.known[&corner],
        })
    }
}
