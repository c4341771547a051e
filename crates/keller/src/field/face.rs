//! Reflection at, and transmission through, a face: what they do to a field in space.

use glam::DVec3;
use num_complex::Complex64;

use super::vector::ComplexVector;
use crate::em::TeTm;

/// The field `e` after reflection at a face: `-r_tm M e + (r_te + r_tm) (e . s) s`, where `M` mirrors at the face and `s` is the unit
/// vector perpendicular to the plane of incidence. Towards normal incidence, where `s` loses its meaning, so does its term.
///
/// # Source
/// Theory page: `transport`.
pub(super) fn reflect(
    e: ComplexVector,
    direction: DVec3,
    normal: DVec3,
    r: TeTm<Complex64>,
) -> ComplexVector {
    let mirrored = e - ComplexVector::from_real(normal) * (2.0 * e.dot(normal));
    mirrored * -r.tm + perpendicular_part(e, direction, normal) * (r.te + r.tm)
}

/// The field `e` after passing through a face: `t_tm e + (t_te - t_tm) (e . s) s`.
///
/// # Source
/// Theory page: `transport`.
pub(super) fn transmit(
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
