//! A wall that one bundle illuminates, and the pattern in which its patches radiate.

use std::f64::consts::PI;

use glam::DVec3;

use super::illumination::Illumination;
use super::patch::Patch;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::em::Surface;
use crate::em::scattering::lobe;
use crate::materials::Lobe;
use crate::scene::{FaceId, PlaneId};

/// The largest width of patches if the lobe turns with the incident wave, in parts of the distance from the source.
const MAX_PATCH_WIDTH: f64 = 0.5;

/// A wall that a bundle illuminates.
pub(super) struct IlluminatedWall<'a> {
    /// The bundle, without its tubes.
    pub(super) bundle: Bundle,
    pub(super) face: FaceId,
    pub(super) plane: PlaneId,
    /// Normal on the illuminated side.
    pub(super) normal: DVec3,
    pub(super) surface: &'a Surface,
    lobe: Lobe,
    pub(super) patches: Vec<Patch>,
}

impl<'a> IlluminatedWall<'a> {
    /// `None` if the wall does not scatter, or if no square of it is left.
    pub(super) fn new(ctx: &Context<'a>, illumination: Illumination) -> Option<Self> {
        let Illumination {
            bundle,
            face,
            squares,
        } = illumination;
        let plane = ctx.scene.plane_of(face);
        let surface = ctx.walls.world.surface(face);
        let lobe = surface.texture().scattering?.lobe;
        let origin = |at| bundle.source.locate(at).origin;
        let max_width = |centre: DVec3| match lobe {
            Lobe::Lambertian => f64::INFINITY,
            _ => MAX_PATCH_WIDTH * centre.distance(origin(centre)),
        };
        let axes = ctx.scene.plane(plane).axes();
        let patches = Patch::joined(&squares, axes, ctx.sizes.outside(), max_width);
        let first = patches.first()?.centre;
        let normal = ctx.scene.plane(plane).normal;
        let is_above = normal.dot(origin(first) - first) > 0.0;
        Some(Self {
            bundle,
            face,
            plane,
            normal: if is_above { normal } else { -normal },
            surface,
            lobe,
            patches,
        })
    }
}

/// The radiation pattern of a patch.
pub(super) struct PatchPattern<'a> {
    wall: &'a IlluminatedWall<'a>,
    patch: &'a Patch,
    /// Unit vector towards the source.
    into: DVec3,
    /// Unit vector of specular reflection.
    specular: DVec3,
    /// Cosine of the angle of incidence.
    cos_in: f64,
}

impl<'a> PatchPattern<'a> {
    /// `None` if the wave comes along the wall.
    pub(super) fn new(wall: &'a IlluminatedWall<'a>, patch: &'a Patch) -> Option<Self> {
        let origin = wall.bundle.source.locate(patch.centre).origin;
        let into = (origin - patch.centre).try_normalize()?;
        let cos_in = into.dot(wall.normal);
        (cos_in > 0.0).then_some(Self {
            wall,
            patch,
            into,
            specular: 2.0 * cos_in * wall.normal - into,
            cos_in,
        })
    }

    /// The path gain to a point, linear; 0 behind the wall.
    pub(super) fn gain(&self, point: DVec3) -> f64 {
        let way = point - self.patch.centre;
        let squared = way.length_squared();
        let out = way / squared.sqrt();
        let cos_out = out.dot(self.wall.normal);
        // The cosine is NaN at the patch's own centre, which is not in front of the wall.
        let is_before = cos_out > 0.0;
        if !is_before {
            return 0.0;
        }
        let density = lobe(
            self.wall.lobe,
            self.cos_in,
            cos_out,
            out.dot(self.specular),
            out.dot(self.into),
        );
        // The gain is at most as large as next to a disc of the patch's area.
        let min_squared = self.patch.area / PI;
        self.patch.power * density / (self.cos_in * squared.max(min_squared))
    }

    /// The distance beyond which every gain is less than `min_gain`, metres.
    pub(super) fn reach(&self, min_gain: f64) -> f64 {
        let max_density = lobe(self.wall.lobe, self.cos_in, 1.0, 1.0, 1.0);
        (self.patch.power * max_density / (self.cos_in * min_gain)).sqrt()
    }
}
