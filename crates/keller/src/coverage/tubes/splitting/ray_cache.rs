//! Traces the rays of a bundle's tubes, and keeps the faces that they meet.
//!
//! Tubes that are whole cells have five rays: the centre and the four corners. Cells of any size that touch share
//! these, so each is traced once for a bundle. Clipped cells have rays of their own: their centre, and one just inside
//! each corner.
//!
//! Cost: about two rays for each whole cell, five to eleven for a clipped one.

use glam::DVec2;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tube::bundle::{Bundle, Tube};
use crate::coverage::tubes::tube::clipped_cell::{ClippedCell, Outline};
use crate::coverage::tubes::tube::direction_cells::DirectionCorner;
use crate::coverage::tubes::tube::tube_ray::TubeRay;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::geometry::bvh::{Hit, Ray};
use crate::scene::FaceId;

/// Rays that a thread traces at a time.
const AT_ONCE: usize = 1024;

/// The faces that the rays of a bundle meet. The memory serves bundle after bundle.
#[derive(Debug, Default)]
pub(in crate::coverage::tubes) struct RayCache {
    known: FxHashMap<DirectionCorner, Option<FaceId>>,
    wanted: Vec<DirectionCorner>,
    queries: Vec<Ray>,
    hits: Vec<Option<Hit>>,
    /// The rays of clipped cells, cell by cell, with their coordinates on the face of the cube. They are the last of
    /// the queries.
    own: Vec<(DVec2, TubeRay)>,
    /// The number of rays of each clipped cell, and its width, radians.
    num_own: Vec<(usize, f64)>,
    /// The numbers of clipped cells, and of their rays, that [`Self::next`] has returned.
    asked: [usize; 2],
}

/// A ray of a tube and the face that it meets.
#[derive(Debug, Clone, Copy)]
pub(super) struct RayHit {
    pub(in crate::coverage::tubes) line: TubeRay,
    /// Its coordinates on its face of the cube.
    pub(in crate::coverage::tubes) at: DVec2,
    /// The face it meets first; none if it leaves the scene.
    pub(in crate::coverage::tubes) face: Option<FaceId>,
}

impl RayCache {
    /// Forgets the last bundle.
    pub(super) fn clear(&mut self) {
        self.known.clear();
    }

    /// Traces those rays of these tubes that are not known yet.
    pub(super) fn trace(&mut self, ctx: &Context<'_>, bundle: &Bundle, tubes: &[Tube]) {
        let scene = ctx.scene;
        self.wanted.clear();
        let pieces = || tubes.iter().map(|tube| &tube.directions);
        let whole = pieces().filter(|directions| directions.is_whole());
        for corner in whole.flat_map(|directions| directions.cell.corners()) {
            self.known.entry(corner).or_insert_with(|| {
                self.wanted.push(corner);
                None
            });
        }
        let skip = bundle.skip(scene);
        let start = bundle.start.map(|plane| scene.plane(plane));
        let ray = |line: TubeRay| {
            let t = start.map_or(0.0, |plane| line.meets(plane));
            let at = line.at(t) - scene.origin();
            Ray::new(at.as_vec3(), line.direction.as_vec3()).skipping(skip)
        };
        self.queries.clear();
        let shared = self.wanted.iter();
        self.queries
            .extend(shared.map(|corner| ray(bundle.source.ray(*corner))));
        self.own.clear();
        self.num_own.clear();
        self.asked = [0; 2];
        for directions in pieces().filter(|directions| !directions.is_whole()) {
            let before = self.own.len();
            let outline = directions.outline();
            self.own.extend(lines(bundle, directions, outline));
            let width = outline.area().max(0.0).sqrt();
            self.num_own.push((self.own.len() - before, width));
        }
        self.queries
            .extend(self.own.iter().map(|(_, line)| ray(*line)));
        self.hits.clear();
        self.hits.resize(self.queries.len(), None);
        let at_once = scene.index().rays_at_once(AT_ONCE);
        if self.queries.len() <= at_once {
            scene.index().closest_hits(&self.queries, &mut self.hits);
        } else {
            let parts = self.hits.par_chunks_mut(at_once);
            parts
                .zip(self.queries.par_chunks(at_once))
                .for_each(|(hits, rays)| scene.index().closest_hits(rays, hits));
        }
        for (corner, hit) in self.wanted.iter().zip(&self.hits) {
            let line = || bundle.source.ray(*corner);
            self.known.insert(*corner, face_of(ctx, *hit, line));
        }
    }

    /// Writes the hits of the rays of the next tube into `hits`, with its centre ray first, and returns the width of
    /// the tube, radians. Call it once for each tube of the last [`Self::trace`], in order.
    pub(super) fn next(
        &mut self,
        ctx: &Context<'_>,
        bundle: &Bundle,
        tube: &Tube,
        hits: &mut Vec<RayHit>,
    ) -> f64 {
        hits.clear();
        if tube.directions.is_whole() {
            hits.extend(tube.directions.cell.corners().map(|corner| RayHit {
                line: bundle.source.ray(corner),
                at: DVec2::from(corner.at()),
                face: self.known[&corner],
            }));
            tube.directions.cell.width()
        } else {
            let [index, first] = self.asked;
            let (num, width) = self.num_own[index];
            let range = first..first + num;
            self.asked = [index + 1, range.end];
            let own_hits = &self.hits[self.hits.len() - self.own.len()..];
            for (&(at, line), hit) in self.own[range.clone()].iter().zip(&own_hits[range]) {
                let face = face_of(ctx, *hit, || line);
                hits.push(RayHit { line, at, face });
            }
            width
        }
    }
}

/// The face that a ray meets, of several that overlap there the one that counts.
fn face_of(ctx: &Context<'_>, hit: Option<Hit>, line: impl FnOnce() -> TubeRay) -> Option<FaceId> {
    let face = ctx.scene.triangle_faces()[hit?.triangle as usize];
    let point = || {
        let line = line();
        line.at(line.meets(ctx.scene.plane(ctx.scene.plane_of(face))))
    };
    Some(ctx.overlaps.visible(ctx.scene, face, point))
}

/// The rays of a clipped cell with their coordinates on the face of the cube. Tubes from edges are never clipped.
fn lines(
    bundle: &Bundle,
    directions: &ClippedCell,
    outline: Outline,
) -> impl Iterator<Item = (DVec2, TubeRay)> {
    let image = match &bundle.source {
        VirtualSource::Point(image) => Some(*image),
        VirtualSource::Edge(_) => None,
    };
    let cell = directions.cell;
    image.into_iter().flat_map(move |image| {
        let line = move |at| (at, image.line(cell.direction(at)));
        outline.samples().map(line)
    })
}
