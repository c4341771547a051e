//! Which side of which patch a ray meets first.

use glam::DVec3;

use super::patches::Patches;
use crate::geometry::bvh::{Hit, Ray};
use crate::scene::{PlaneId, Scene};
use crate::units::db_to_power;

/// Where a ray ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Met {
    pub(super) side: usize,
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
    /// The first side on the ray from `origin` along the unit vector `direction`, without the plane that it leaves.
    /// `None` if it meets nothing, or a face without tiles.
    pub(super) fn first(
        &self,
        origin: DVec3,
        direction: DVec3,
        left: Option<PlaneId>,
    ) -> Option<Met> {
        let ray = self.ray(origin, direction, left);
        let hit = self.scene.index().closest_hit(&ray)?;
        self.met(origin, direction, &hit)
    }

    /// The ray as the index takes it.
    pub(super) fn ray(&self, origin: DVec3, direction: DVec3, left: Option<PlaneId>) -> Ray {
        let group = |plane: PlaneId| u32::try_from(plane.index()).expect("planes fit in 32 bits");
        let left = left.map_or(Ray::NO_GROUP, group);
        Ray::new(
            (origin - self.scene.origin()).as_vec3(),
            direction.as_vec3(),
        )
        .skipping([left, Ray::NO_GROUP])
    }

    /// What a ray meets, from the hit of the index.
    pub(super) fn met(&self, origin: DVec3, direction: DVec3, hit: &Hit) -> Option<Met> {
        let face = self.scene.triangle_faces()[hit.triangle as usize];
        let distance = f64::from(hit.t);
        let point = origin + distance * direction;
        let patch = self.patches.at(self.scene, face, point, direction)?;
        let cosine = -direction.dot(self.patches.list[patch].normal);
        let clutter = self.scene.clutter();
        Some(Met {
            side: 2 * patch + usize::from(cosine < 0.0),
            distance,
            cosine: cosine.abs().min(1.0),
            share: if clutter.volumes().is_empty() {
                1.0
            } else {
                db_to_power(-clutter.loss_db([origin, point]))
            },
        })
    }
}
