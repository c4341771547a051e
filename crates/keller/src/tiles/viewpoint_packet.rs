//! Eight viewpoints that are tested together: neighbouring tiles, or devices.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use glam::DVec3;

use super::groups::Target;
use super::screens::{EYES, Eyes, LaneMask, Lanes, Seen};
use crate::geometry::Plane;
use crate::geometry::bvh::Ray;
use crate::geometry::bvh::simd::Simd;
use crate::geometry::tolerance::IN_PLANE_DISTANCE;
use crate::scene::{PlaneId, Scene};

/// A point farther than this from a plane surely does not lie in it, in spite of f32 rounding, metres.
const CLEARLY_OFF: f32 = 1e-2;

/// Number of distinguished directions: in azimuth, and in elevation.
const CELLS: [usize; 2] = [128, 8];

/// Number of all directions.
pub(super) const NUM_CELLS: usize = CELLS[0] * CELLS[1];

/// A point from which visibility is tested.
#[derive(Debug, Clone, Copy)]
pub(super) struct Viewpoint {
    pub(super) at: DVec3,
    /// Its own plane, which hides nothing.
    pub(super) plane: Option<PlaneId>,
    /// The number of its tile; `u32::MAX` for a device.
    pub(super) tile: u32,
}

impl Viewpoint {
    /// A device at a point.
    pub(super) fn free(at: DVec3) -> Self {
        Self {
            at,
            plane: None,
            tile: u32::MAX,
        }
    }
}

/// Up to eight viewpoints that are tested together.
#[derive(Debug)]
pub(super) struct ViewpointPacket<'a> {
    pub(super) from: &'a [Viewpoint],
    pub(super) eyes: Eyes,
    /// The lanes in use.
    pub(super) all: LaneMask,
    /// The numbers of the planes in which the viewpoints lie.
    pub(super) groups: [u32; EYES],
    planes: [Option<Plane>; EYES],
    /// Normals of these planes. The fourth row is a distance added to all points: zero, or so large that everything
    /// lies outside for a viewpoint without a plane.
    pub(super) normals: [Lanes; 4],
    /// The common plane, if all viewpoints lie in one.
    pub(super) plane: Option<Plane>,
}

impl<'a> ViewpointPacket<'a> {
    pub(super) fn new(scene: &Scene, from: &'a [Viewpoint]) -> Self {
        // Unused lanes repeat the first viewpoint.
        let of: [Viewpoint; EYES] = std::array::from_fn(|k| *from.get(k).unwrap_or(&from[0]));
        let planes = of.map(|from| from.plane.map(|plane| *scene.plane(plane)));
        let is_shared = of.iter().all(|other| other.plane == of[0].plane);
        let normals = planes.map(|plane| {
            plane.map_or([0.0, 0.0, 0.0, f32::MAX], |plane| {
                plane.normal.as_vec3().extend(0.0).to_array()
            })
        });
        Self {
            from,
            eyes: Eyes::new(of.map(|from| from.at)),
            all: (1 << from.len()) - 1,
            groups: of.map(|from| from.plane.map_or(Ray::NO_GROUP, PlaneId::group)),
            planes,
            normals: std::array::from_fn(|axis| normals.map(|normal| normal[axis])),
            plane: planes[0].filter(|_| is_shared),
        }
    }

    /// The number of the direction in which a point lies.
    #[inline(always)]
    pub(super) fn cell(&self, point: DVec3) -> usize {
        let way = (point - self.eyes.centre).as_vec3();
        // The direction in plan as a number from 0 to 4, once around.
        let flat = way.x.abs() + way.y.abs();
        let share = way.y / flat.max(f32::MIN_POSITIVE);
        let turn = if way.x < 0.0 { 2.0 - share } else { share } + 1.0;
        let rise = 1.0 + way.z / (way.z.abs() + flat).max(f32::MIN_POSITIVE);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast of floats saturates"
        )]
        let cell = |share: f32, of: usize| ((share * of as f32) as usize).min(of - 1);
        cell(turn / 4.0, CELLS[0]) * CELLS[1] + cell(rise / 2.0, CELLS[1])
    }

    /// The viewpoints that lie in a plane.
    pub(super) fn in_plane(&self, plane: PlaneId) -> LaneMask {
        let plane = plane.group();
        let own = self.groups.iter().enumerate();
        own.map(|(k, own)| LaneMask::from(*own == plane) << k).sum()
    }

    /// The viewpoints among `of` whose own plane does not contain the tile and that do not lie in the tile's plane.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    pub(super) unsafe fn not_in_plane<S: Simd>(
        &self,
        target: &Target,
        seen: &Seen<S>,
        of: LaneMask,
    ) -> LaneMask {
        // SAFETY: the caller guarantees it.
        let mut found = unsafe {
            self.eyes
                .off_plane(&target.plane, &self.normals, seen, CLEARLY_OFF)
        };
        for eye in eyes(of & !found) {
            let eye = eye as usize;
            let is_off = |plane: &Plane, at: DVec3| plane.distance(at).abs() >= IN_PLANE_DISTANCE;
            let own = self.planes[eye].is_none_or(|own| is_off(&own, target.centre));
            let is_off = own && is_off(&target.plane, self.from[eye].at);
            found |= LaneMask::from(is_off) << eye;
        }
        found
    }
}

/// The numbers of the lanes in a mask.
#[inline(always)]
pub(super) fn eyes(mut mask: LaneMask) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let eye = mask.trailing_zeros();
            mask &= mask - 1;
            eye
        })
    })
}
