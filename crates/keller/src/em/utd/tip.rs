//! The part of the diffracted field that a wave adds which enters one face of a wedge and leaves by the other near the
//! edge.
//!
//! A surface impedance stops a wave at the faces. A dielectric does not: near the edge there is less of it than a wave
//! needs to die out. The wave that passes there is in proportion to the part that enters each face, `1 + R`, so it
//! vanishes at grazing and at a conductor. It has no shadow boundary.
//!
//! # Source
//! Theory page: `tip`.

use num_complex::Complex64;
use std::f64::consts::PI;

use super::{EdgeAngles, Matrix2, Wedge, nearer_angle, product};

/// The only number that is fitted, to exact fields around wedges of concrete and wet ground.
const STRENGTH: f64 = 3.6;

/// Limits the amplitude where a refracted ray would leave the other face. Bodies count as opaque.
const LIMIT: f64 = 0.1;

/// The amplitudes of fields along `beta` and `phi`, in the sum of the terms. `missing` is the part of each field that
/// the wedge does not transmit.
pub(super) fn amplitudes(
    wedge: &Wedge,
    angles: EdgeAngles,
    missing: [Complex64; 2],
) -> [Complex64; 2] {
    let [zero, nth] = wedge
        .faces
        .map(|face| face.surface.inverse_permittivity(face.shows_front));
    let inverse = if zero == nth {
        zero
    } else {
        (zero * nth).sqrt()
    };
    if inverse == Complex64::ZERO {
        return [Complex64::ZERO; 2];
    }
    let (sin, cos) = (0.5 * PI * (2.0 - wedge.n)).sin_cos();
    // A refracted ray that grazes the other face has `sin^2 = inverse`.
    let distance = (sin * sin - inverse).norm_sqr() + LIMIT * cos.powi(4) * inverse.norm_sqr();
    let by_material = sin * cos * ((1.0 - inverse).norm_sqr() / distance).sqrt();
    // The squared cosines of half the angles.
    let [low, high] = [0, 1].map(|face| 0.5 + 0.5 * nearer_angle(wedge, angles, face).cos());
    let amplitude = -STRENGTH * by_material * low * high;
    [amplitude * missing[0], amplitude * inverse * missing[1]]
}

/// The matrix for these amplitudes and the parts that enter each face, in the order in which the wave meets them.
pub(super) fn between(
    amplitudes: [Complex64; 2],
    [zero, nth]: [Matrix2; 2],
    is_rising: bool,
) -> Matrix2 {
    let (first, last) = if is_rising { (zero, nth) } else { (nth, zero) };
    let [[a, b], [c, d]] = first;
    let [along, across] = amplitudes;
    product(last, [[along * a, along * b], [across * c, across * d]])
}
