//! Rays among walls: cast together, and followed from wall to wall.
//!
//! An engine says where its rays start and what becomes of each at the wall that it meets: reflected, passed on, scattered
//! or ended. The rays of one round are cast together, so that they fill a device and the caches of the index.

use glam::DVec3;

use crate::geometry::bvh::Ray;
use crate::scene::{FaceId, PlaneId, Scene};
use crate::units::db_to_power;

/// The start of a ray.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RayStart {
    pub(crate) origin: DVec3,
    /// Unit vector.
    pub(crate) direction: DVec3,
    /// The groups of the planes that it leaves.
    pub(crate) left: [u32; 2],
}

/// The wall that a ray meets first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WallHit {
    pub(crate) face: FaceId,
    pub(crate) point: DVec3,
    /// Metres from the start of the ray.
    pub(crate) distance: f64,
    /// Share of the power that clutter lets through on the way.
    pub(crate) clutter_share: f64,
}

impl RayStart {
    /// A ray along a unit vector, which ignores the plane that it leaves.
    pub(crate) fn new(origin: DVec3, direction: DVec3, left: Option<PlaneId>) -> Self {
        Self {
            origin,
            direction,
            left: leaving(left),
        }
    }
}

/// The groups of the index that a ray from a plane ignores.
pub(crate) fn leaving(plane: Option<PlaneId>) -> [u32; 2] {
    [plane.map_or(Ray::NO_GROUP, PlaneId::group), Ray::NO_GROUP]
}

/// The direction of a wave that a plane with this unit normal reflects.
pub(crate) fn reflected(direction: DVec3, normal: DVec3) -> DVec3 {
    direction - 2.0 * direction.dot(normal) * normal
}

/// The walls that rays meet first; `None` for those that meet none.
pub(crate) fn cast(scene: &Scene, starts: &[RayStart]) -> Vec<Option<WallHit>> {
    let ray = |start: &RayStart| {
        let from = (start.origin - scene.origin()).as_vec3();
        Ray::new(from, start.direction.as_vec3()).skipping(start.left)
    };
    let rays: Vec<Ray> = starts.iter().map(ray).collect();
    let mut hits = vec![None; rays.len()];
    scene.index().closest_hits(&rays, &mut hits);
    let clutter = scene.clutter();
    let wall = |(start, hit): (&RayStart, Option<crate::geometry::bvh::Hit>)| {
        let hit = hit?;
        let distance = f64::from(hit.t);
        let point = start.origin + distance * start.direction;
        let clutter_share = if clutter.volumes().is_empty() {
            1.0
        } else {
            db_to_power(-clutter.loss_db([start.origin, point]))
        };
        Some(WallHit {
            face: scene.triangle_faces()[hit.triangle as usize],
            point,
            distance,
            clutter_share,
        })
    };
    starts.iter().zip(hits).map(wall).collect()
}

/// Follows rays, round after round. `meet` takes a ray and the wall that it meets, if any, and adds the rays that go on
/// from there.
pub(crate) fn follow<R>(
    scene: &Scene,
    mut rays: Vec<R>,
    start: impl Fn(&R) -> RayStart,
    mut meet: impl FnMut(&R, Option<&WallHit>, &mut Vec<R>),
) {
    while !rays.is_empty() {
        let starts: Vec<RayStart> = rays.iter().map(&start).collect();
        let mut next = Vec::new();
        for (ray, hit) in rays.iter().zip(cast(scene, &starts)) {
            meet(ray, hit.as_ref(), &mut next);
        }
        rays = next;
    }
}
