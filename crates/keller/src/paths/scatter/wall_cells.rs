//! The coarse cells of rough walls, and the parts of faces in them.

use std::sync::OnceLock;

use glam::DVec3;

use super::cells::{PatchSquare, coarse_cells};
use super::outline::{MIN_AREA, Outline};
use super::shade::Walls;
use crate::materials::Lobe;
use crate::paths::job::Job;
use crate::scene::FaceId;

/// A coarse cell of a rough wall.
#[derive(Debug)]
pub(super) struct WallCell {
    pub(super) cell: PatchSquare,
    pub(super) centre: DVec3,
    /// The narrowest lobe of the plane's faces.
    pub(super) lobe: Lobe,
    faces: OnceLock<Vec<(FaceId, Outline)>>,
}

impl WallCell {
    /// The cells of all rough walls, in order.
    pub(super) fn all(job: &Job) -> Vec<Self> {
        let lobes = lobes_of_planes(job);
        let all = rough_cells(job).into_iter().filter_map(|cell| {
            Some(Self {
                centre: cell.centre(job.scene),
                lobe: lobes[cell.plane.index()]?,
                cell,
                faces: OnceLock::new(),
            })
        });
        all.collect()
    }

    /// The parts of rough faces in the cell. Where faces overlap, only the uppermost counts.
    pub(super) fn faces(&self, job: &Job, pieces: &Walls) -> &[(FaceId, Outline)] {
        self.faces.get_or_init(|| {
            let scene = job.scene;
            let mut all = self.cell.outlines(pieces, MIN_AREA);
            all.sort_by(|a, b| scene.by_rank(a.0, b.0));
            let has_several = all.first().map(|f| f.0) != all.last().map(|f| f.0);
            if has_several {
                all = uncovered(all);
            }
            all.retain(|(face, _)| job.transparency.scatters[scene.face(*face).material.index()]);
            all
        })
    }
}

/// The part of each outline that no face before it covers, in order.
fn uncovered(all: Vec<(FaceId, Outline)>) -> Vec<(FaceId, Outline)> {
    let mut shown: Vec<(FaceId, Outline)> = Vec::new();
    for (face, outline) in all {
        let mut parts = vec![outline];
        for (_, cover) in shown.iter().filter(|upper| upper.0 != face) {
            let mut rest = Vec::new();
            for part in parts {
                part.cut(cover, &mut rest);
            }
            parts = rest;
        }
        shown.extend(parts.into_iter().map(|part| (face, part)));
    }
    shown
}

/// The coarse cells of all rough walls, in order.
pub(super) fn rough_cells(job: &Job) -> Vec<PatchSquare> {
    coarse_cells(job.scene, rough_faces(job))
}

fn rough_faces<'a>(job: &'a Job) -> impl Iterator<Item = FaceId> + use<'a> {
    let faces = job.scene.faces().iter().enumerate();
    faces
        .filter(|(_, face)| job.transparency.scatters[face.material.index()])
        .map(|(f, _)| FaceId::from_index(f))
}

/// The narrowest lobe of the rough faces of each plane.
fn lobes_of_planes(job: &Job) -> Vec<Option<Lobe>> {
    let narrowness = |lobe: &Lobe| match *lobe {
        Lobe::Lambertian => 0,
        Lobe::Directive { forward } => forward,
        Lobe::Backscattering { forward, back, .. } => forward.max(back),
    };
    let scene = job.scene;
    let mut found: Vec<Option<Lobe>> = vec![None; scene.planes().len()];
    for face in rough_faces(job) {
        let lobe = job.transparency.lobes[scene.face(face).material.index()];
        let known = &mut found[scene.plane_of(face).index()];
        if known.is_none_or(|known| narrowness(&known) < narrowness(&lobe)) {
            *known = Some(lobe);
        }
    }
    found
}
