//! A patch of a rough wall: from the incident fields to the scattered fields.

use std::f64::consts::TAU;

use glam::DVec3;
use num_complex::Complex64;

use super::vector::ComplexVector;
use crate::em::scattering::{scattered, scattered_share};
use crate::em::{ScatteringPhase, Surface};
use crate::paths::PatchArea;

/// A patch and a wave of one direction that illuminates it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patch<'a> {
    surface: &'a Surface,
    /// Unit normal on the side from which the wave comes.
    normal: DVec3,
    from_front: bool,
    /// Direction of the wave.
    direction: DVec3,
}

impl<'a> Patch<'a> {
    /// A patch of a wall with the unit `normal`, and a wave in the direction of the unit vector `direction`.
    pub(super) fn new(direction: DVec3, normal: DVec3, surface: &'a Surface) -> Self {
        let from_front = direction.dot(normal) < 0.0;
        Self {
            surface,
            normal: if from_front { normal } else { -normal },
            from_front,
            direction,
        }
    }

    /// The fields scattered towards the unit vector `out`, as a function of each incident field, at 1 m.
    pub(super) fn scatter(
        &self,
        out: DVec3,
        area: PatchArea,
        centre: DVec3,
        phase: ScatteringPhase,
    ) -> impl Fn(ComplexVector) -> ComplexVector + use<> {
        let matrix = scattered(
            self.surface,
            self.normal,
            self.from_front,
            -self.direction,
            out,
            area.square_metres(),
        );
        let turn = match phase {
            ScatteringPhase::Geometric => Complex64::ONE,
            ScatteringPhase::Random { seed } => Complex64::cis(TAU * patch_noise(seed, centre)),
        };
        let (ins, outs) = (self.basis(self.direction), self.basis(out));
        move |e| {
            let [te, tm] = ins.map(|b| turn * e.dot(b));
            let [te, tm] = matrix.map(|[a, b]| a * te + b * tm);
            ComplexVector::from_real(outs[0]) * te + ComplexVector::from_real(outs[1]) * tm
        }
    }

    /// The power density of a field that is scattered in all directions together: that of the field times the scattered
    /// share and the cosine of incidence.
    pub(super) fn scattered_power(&self, e: ComplexVector) -> f64 {
        let cosine = -self.direction.dot(self.normal);
        let share = scattered_share(self.surface, cosine.min(1.0), self.from_front);
        let [te, tm] = self.basis(self.direction).map(|b| e.dot(b).norm_sqr());
        cosine * (share.te * te + share.tm * tm)
    }

    /// Unit vectors perpendicular to the plane of a ray and the normal, and in it.
    fn basis(&self, direction: DVec3) -> [DVec3; 2] {
        // At normal incidence any plane through the ray is a plane of incidence.
        let across = direction.cross(self.normal).try_normalize();
        let across = across.unwrap_or_else(|| self.normal.any_orthonormal_vector());
        [across, direction.cross(across)]
    }
}

/// A pseudorandom number in `[0, 1)` that belongs to the patch at `centre`.
///
/// # Source
/// The finalizer of splitmix64: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014, doi:10.1145/2660193.2660195.
fn patch_noise(seed: u64, centre: DVec3) -> f64 {
    let mut state = seed;
    for coordinate in centre.to_array() {
        state = (state ^ coordinate.to_bits()).wrapping_add(0x9e37_79b9_7f4a_7c15);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state ^= state >> 31;
    }
    (state >> 11) as f64 / (1_u64 << 53) as f64
}
