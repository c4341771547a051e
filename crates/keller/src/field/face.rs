//! Reflection at, and transmission through, a face: what they do to a field in space.

use glam::DVec3;
use num_complex::Complex64;

use super::vector::ComplexVector;
use crate::em::{Surface, TeTm};
use crate::paths::InteractionKind;

/// What a face does to the fields that come to it in one direction.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meeting {
    Reflection(TeTm<Complex64>),
    Transmission(TeTm<Complex64>),
}

impl Meeting {
    /// Of a wave in the unit vector `direction` and a face with the unit `normal`.
    pub(super) fn new(
        kind: InteractionKind,
        direction: DVec3,
        normal: DVec3,
        surface: &Surface,
    ) -> Self {
        Self::both(direction, normal, surface)(kind)
    }

    /// Of the same, whichever kind it is to be.
    pub(super) fn both(
        direction: DVec3,
        normal: DVec3,
        surface: &Surface,
    ) -> impl Fn(InteractionKind) -> Self + use<> {
        let cosine = direction.dot(normal);
        let [r, t] = surface.reflection_and_transmission(cosine.abs().min(1.0), cosine < 0.0);
        move |kind| match kind {
            InteractionKind::Reflection => Self::Reflection(r),
            InteractionKind::Transmission => Self::Transmission(t),
            InteractionKind::Diffraction | InteractionKind::Scattering => {
                unreachable!("{kind:?} at a face")
            }
        }
    }

    /// The field that comes of `e`.
    pub(super) fn apply(self, e: ComplexVector, direction: DVec3, normal: DVec3) -> ComplexVector {
        match self {
            Self::Reflection(r) => reflect(e, direction, normal, r),
            Self::Transmission(t) => transmit(e, direction, normal, t),
        }
    }
}

/// The field `e` after reflection at a face: `-r_tm M e + (r_te + r_tm) (e . s) s`, where `M` mirrors at the face and `s` is the unit
/// vector perpendicular to the plane of incidence. Towards normal incidence, where `s` loses its meaning, so does its term.
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

/// The part of `e` that is perpendicular to the plane of incidence; nothing where there is no such plane.
fn perpendicular_part(e: ComplexVector, direction: DVec3, normal: DVec3) -> ComplexVector {
    match direction.cross(normal).try_normalize() {
        Some(s) => ComplexVector::from_real(s) * e.dot(s),
        None => ComplexVector::ZERO,
    }
}
