//! How the four terms of an edge grow as a ray rises from a lossy face along which it runs.
//!
//! On a lossy face the field vanishes, and what reaches the next edge along it is the slope of the field. Half of that
//! slope or more comes from the face itself. With the surface impedance `delta`, a face reflects
//! `(c - delta) / (c + delta)` at the cosine of incidence `c`, so its reflection changes by `2 / delta` as the ray
//! rises. This holds for a wave that has run far along the face. After the length `s`, all slopes count by the share
//! `delta / sqrt(delta^2 + 1 / (j k s))`. For a metal, whose `delta` is nearly zero, the field of a perfect conductor
//! remains.
//!
//! # Source
//! Theory page: `slope`. The limits are those of Sommerfeld's attenuation function: `1` for small `s` and
//! `1 / (j k s delta^2)` for large `s`.

use num_complex::Complex64;

use super::weights::{FaceMatrices, face_matrices, grown_matrices, in_turn};
use super::{EdgeAngles, Matrix2, Wedge};

/// The derivatives of the weights with respect to the angles of rays that run along faces; zero for other rays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    /// Derivatives with respect to the angle of the incoming ray, of the outgoing one, and of both.
    pub(super) by_in: [Matrix2; 4],
    pub(super) by_out: [Matrix2; 4],
    pub(super) by_both: [Matrix2; 4],
    /// The share by which slopes of the incoming and of the outgoing ray count, along `beta` and `phi`.
    pub(super) share_in: [Complex64; 2],
    pub(super) share_out: [Complex64; 2],
}

const ZERO: Matrix2 = [[Complex64::ZERO; 2]; 2];

impl Growth {
    /// The growth at an edge. `along` has the lengths, metres, over which the ray arrives and leaves along a face;
    /// `None` where it runs through the air. `None` if no ray runs along a face, or both run along the same one.
    pub(crate) fn new(
        wedge: &Wedge,
        angles: EdgeAngles,
        along: [Option<f64>; 2],
        wavenumber: f64,
    ) -> Option<Self> {
        let open = wedge.n * std::f64::consts::PI;
        let phi = [angles.phi_in, angles.phi_out];
        // The face along which a ray runs is the one nearer to its angle.
        let face_of = |ray: usize| along[ray].map(|_| usize::from(phi[ray] > 0.5 * open));
        let faces = [face_of(0), face_of(1)];
        if faces == [None; 2] || (faces[0] == faces[1]) {
            return None;
        }
        let is_rising = angles.phi_in <= angles.phi_out;
        let mut growth = Self {
            by_in: [ZERO; 4],
            by_out: [ZERO; 4],
            by_both: [ZERO; 4],
            share_in: [Complex64::ONE; 2],
            share_out: [Complex64::ONE; 2],
        };
        // Reflection and transmission at each face, and then their growth.
        let as_they_are = [0, 1].map(|face| face_matrices(wedge, angles, face));
        let mut growing = as_they_are;
        for ray in [0, 1] {
            let (Some(face), Some(length)) = (faces[ray], along[ray]) else {
                continue;
            };
            let share;
            (growing[face], share) = grown_matrices(wedge, angles, face, wavenumber * length);
            let mut one = as_they_are;
            one[face] = growing[face];
            let weights = terms(wedge, one, Some(face), is_rising);
            if ray == 0 {
                (growth.by_in, growth.share_in) = (weights, share);
            } else {
                (growth.by_out, growth.share_out) = (weights, share);
            }
        }
        if faces[0].is_some() && faces[1].is_some() {
            growth.by_both = terms(wedge, growing, None, is_rising);
        }
        Some(growth)
    }

    /// A slope with the share of the incoming ray if `of_in`, and with that of the outgoing ray if `of_out`.
    pub(super) fn shared(&self, [row, other]: Matrix2, of_in: bool, of_out: bool) -> Matrix2 {
        let one = [Complex64::ONE; 2];
        let columns = if of_in { self.share_in } else { one };
        let rows = if of_out { self.share_out } else { one };
        let of = |row: [Complex64; 2], share: Complex64| {
            [share * row[0] * columns[0], share * row[1] * columns[1]]
        };
        [of(row, rows[0]), of(other, rows[1])]
    }
}

/// The weights, with the growth of the face `grows`, or of both faces if it is `None`.
fn terms(
    wedge: &Wedge,
    [zero, nth]: [FaceMatrices; 2],
    grows: Option<usize>,
    is_rising: bool,
) -> [Matrix2; 4] {
    let mut weights = [ZERO; 4];
    let passed = if wedge.is_opaque() {
        ZERO
    } else if wedge.is_sheet {
        match grows {
            Some(0) => zero.transmitted,
            Some(_) => nth.transmitted,
            None => ZERO,
        }
    } else {
        in_turn(zero.transmitted, nth.transmitted, is_rising)
    };
    weights[usize::from(is_rising)] = passed.map(|row| row.map(|a| -a));
    weights[usize::from(!is_rising)] = in_turn(zero.reflected, nth.reflected, is_rising);
    match grows {
        Some(0) => weights[3] = zero.reflected,
        Some(_) => weights[2] = nth.reflected,
        None => {}
    }
    weights
}
