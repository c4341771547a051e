//! Reflection at, and transmission through, a face: their effect on a field in space.

use glam::DVec3;
use num_complex::Complex64;

use super::vector::ComplexVector;
use crate::em::{Surface, TeTm};
use crate::paths::InteractionKind;

/// The interaction of a plane wave with a face. Diffraction happens at edges, and scattering sends a wave into all
/// directions; they have functions of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FaceInteraction {
    /// Specular reflection.
    Reflection,
    /// Straight through.
    Transmission,
}

impl From<FaceInteraction> for InteractionKind {
    fn from(kind: FaceInteraction) -> Self {
        match kind {
            FaceInteraction::Reflection => Self::Reflection,
            FaceInteraction::Transmission => Self::Transmission,
        }
    }
}

/// The effect of a face on the fields that come to it in one direction.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meeting {
    Reflection(TeTm<Complex64>),
    Transmission(TeTm<Complex64>),
}

impl Meeting {
    /// The effect of a face with the unit `normal` on a wave in the direction of the unit vector `direction`.
    pub(super) fn new(
        kind: FaceInteraction,
        direction: DVec3,
        normal: DVec3,
        surface: &Surface,
    ) -> Self {
        let (cosine, from_front) = incidence(direction, normal);
        match kind {
            FaceInteraction::Reflection => Self::Reflection(surface.reflection(cosine, from_front)),
            FaceInteraction::Transmission => {
                Self::Transmission(surface.transmission(cosine, from_front))
            }
        }
    }

    /// The interaction of either kind, chosen later.
    pub(super) fn both(
        direction: DVec3,
        normal: DVec3,
        surface: &Surface,
    ) -> impl Fn(FaceInteraction) -> Self + use<> {
        let (cosine, from_front) = incidence(direction, normal);
        let [r, t] = surface.reflection_and_transmission(cosine, from_front);
        move |kind| match kind {
            FaceInteraction::Reflection => Self::Reflection(r),
            FaceInteraction::Transmission => Self::Transmission(t),
        }
    }

    /// The field that results from the incident field `e`.
    pub(super) fn apply(self, e: ComplexVector, direction: DVec3, normal: DVec3) -> ComplexVector {
        match self {
            Self::Reflection(r) => reflect(e, direction, normal, r),
            Self::Transmission(t) => transmit(e, direction, normal, t),
        }
    }
}

/// The direction of a wave, and the length that the walls it has passed add to its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    direction: DVec3,
    excess_length: f64,
}

impl Way {
    /// The way of a wave that starts in the direction of a unit vector.
    pub(crate) fn new(direction: DVec3) -> Self {
        Self {
            direction,
            excess_length: 0.0,
        }
    }

    /// Reflects the wave at a face with the unit `normal`, or passes it through.
    pub(crate) fn meet(&mut self, kind: FaceInteraction, normal: DVec3, surface: &Surface) {
        match kind {
            FaceInteraction::Reflection => {
                self.direction -= 2.0 * self.direction.dot(normal) * normal;
            }
            FaceInteraction::Transmission => {
                let (cosine, _) = incidence(self.direction, normal);
                self.excess_length += surface.excess_length(cosine);
            }
        }
    }

    /// The length of air that is added, metres.
    pub(crate) fn excess_length(&self) -> f64 {
        self.excess_length
    }
}

/// The cosine of incidence, and whether the wave comes from the side to which the normal points.
pub(super) fn incidence(direction: DVec3, normal: DVec3) -> (f64, bool) {
    let cosine = direction.dot(normal);
    (cosine.abs().min(1.0), cosine < 0.0)
}

/// The field `e` after reflection at a face: `-r_tm M e + (r_te + r_tm) (e . s) s`, where `M` reflects at the face and
/// `s` is the unit vector perpendicular to the plane of incidence. At normal incidence `s` is undefined, and its term
/// is zero.
///
/// # Source
/// Theory page: `transport`.
fn reflect(e: ComplexVector, direction: DVec3, normal: DVec3, r: TeTm<Complex64>) -> ComplexVector {
    let mirrored = e - ComplexVector::from_real(normal) * (2.0 * e.dot(normal));
    mirrored * -r.tm + perpendicular_part(e, direction, normal) * (r.te + r.tm)
}

/// The field `e` after passing through a face: `t_tm e + (t_te - t_tm) (e . s) s`.
///
/// # Source
/// Theory page: `transport`.
fn transmit(
    e: ComplexVector,
    direction: DVec3,
    normal: DVec3,
    t: TeTm<Complex64>,
) -> ComplexVector {
    e * t.tm + perpendicular_part(e, direction, normal) * (t.te - t.tm)
}

/// The part of `e` that is perpendicular to the plane of incidence; zero where there is no such plane.
fn perpendicular_part(e: ComplexVector, direction: DVec3, normal: DVec3) -> ComplexVector {
    match direction.cross(normal).try_normalize() {
        Some(s) => ComplexVector::from_real(s) * e.dot(s),
        None => ComplexVector::ZERO,
    }
}
