//! The sides of patches that rays meet first.

use glam::DVec3;

use super::patches::Patches;
use crate::power::rays::{RayStart, WallHit, cast};
use crate::power::sides::Side;
use crate::scene::Scene;

/// The end of a ray.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    pub(super) side: Side,
    /// Metres from the start of the ray.
    pub(super) distance: f64,
    /// Cosine of incidence.
    pub(super) cosine: f64,
    /// Share of the power that clutter lets through on the way.
    pub(super) share: f64,
}

/// Rays among patches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Caster<'a> {
    pub(super) scene: &'a Scene,
    pub(super) patches: &'a Patches,
}

impl Caster<'_> {
    /// The sides that rays meet first; `None` for those that meet nothing, or a face without tiles.
    pub(super) fn cast(&self, starts: &[RayStart]) -> Vec<Option<Met>> {
        let hits = cast(self.scene, starts).into_iter().zip(starts);
        hits.map(|(hit, start)| self.met(start.direction, &hit?))
            .collect()
    }

    /// The side that a ray meets, from the wall that it meets; `None` if the wall has no tiles there.
    pub(super) fn met(&self, direction: DVec3, hit: &WallHit) -> Option<Met> {
        let patch = self
            .patches
            .at(self.scene, hit.face, hit.point, direction)?;
        let cosine = -direction.dot(self.patches.list[patch].normal);
        Some(Met {
            side: Side::new(patch, cosine < 0.0),
            distance: hit.distance,
            cosine: cosine.abs().min(1.0),
            share: hit.clutter_share,
        })
    }
}
