//! The share of a patch that each cell sees.
//!
//! Rays from the samples of the patch decide. For a cell that sees some of them and not others, the parts of the patch
//! are tested instead, down to single squares, of which that share counts.
//!
//! Cost: one ray for each cell and patch that is weak in it, five and more for others.

use glam::DVec3;

use super::illuminated_wall::{IlluminatedWall, PatchPattern};
use super::patch::Patch;
use crate::coverage::tubes::tube::segment_rays::group;
use crate::geometry::bvh::Ray;
use crate::scene::Scene;

/// A cell of the region that a patch may reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct TargetCell {
    pub(super) number: usize,
    /// The centre, metres.
    pub(super) centre: DVec3,
    /// Path gain if the whole patch is visible.
    pub(super) gain: f64,
    /// Patches of smaller gain are visible if their first sample is.
    pub(super) min_gain_of_parts: f64,
}

/// A cell that is tested for the visibility of a patch.
#[derive(Debug)]
struct Query<'a> {
    patch: &'a Patch,
    /// The cell's number among the targets.
    index: usize,
    target: TargetCell,
}

impl Query<'_> {
    /// The samples of the patch that are tested: only one if the patch is weak in the cell.
    fn samples(&self) -> &[DVec3] {
        if self.target.gain < self.target.min_gain_of_parts {
            &self.patch.samples[..1]
        } else {
            &self.patch.samples
        }
    }
}

/// The path gain of the part of a patch that each target sees, linear.
pub(super) fn visible_gains(
    scene: &Scene,
    wall: &IlluminatedWall<'_>,
    patch: &Patch,
    targets: &[TargetCell],
) -> Vec<f64> {
    let mut gains = vec![0.0; targets.len()];
    let whole = |(index, &target): (usize, &TargetCell)| Query {
        patch,
        index,
        target,
    };
    let mut queries: Vec<Query<'_>> = targets.iter().enumerate().map(whole).collect();
    let (mut rays, mut free) = (Vec::new(), Vec::new());
    while !queries.is_empty() {
        rays.clear();
        for query in &queries {
            rays.extend(sample_rays(
                scene,
                wall,
                query.samples(),
                query.target.centre,
            ));
        }
        free.resize(rays.len(), false);
        scene.index().are_free(&rays, &mut free);
        let mut rest = free.as_slice();
        let mut next = Vec::new();
        for query in queries {
            let (own, others) = rest.split_at(query.samples().len());
            rest = others;
            let Query {
                patch,
                index,
                target,
            } = query;
            let num_free = own.iter().filter(|is_free| **is_free).count();
            if num_free == 0 {
                continue;
            }
            if num_free == own.len() || patch.parts.is_empty() {
                gains[index] += target.gain * num_free as f64 / own.len() as f64;
                continue;
            }
            next.extend(patch.parts.iter().filter_map(|patch| {
                let gain = PatchPattern::new(wall, patch)?.gain(target.centre);
                Some(Query {
                    patch,
                    index,
                    target: TargetCell { gain, ..target },
                })
            }));
        }
        queries = next;
    }
    gains
}

/// The rays from samples of a wall to a point.
fn sample_rays<'a>(
    scene: &Scene,
    wall: &IlluminatedWall<'_>,
    samples: &'a [DVec3],
    to: DVec3,
) -> impl Iterator<Item = Ray> + 'a {
    let origin = scene.origin();
    let local = move |point: DVec3| (point - origin).as_vec3();
    let (to, skip) = (local(to), [group(wall.plane), Ray::NO_GROUP]);
    let ray = move |from: &DVec3| Ray::between(local(*from), to).skipping(skip);
    samples.iter().map(ray)
}
