//! The growth of the four terms of an edge as a ray rises from a lossy face along which it runs.
//!
//! The field vanishes on a lossy face, and only the slope of the field reaches the next edge along it. Half of that
//! slope or more comes from the face itself. With the surface impedance `delta`, a face reflects `(c - delta) / (c +
//! delta)` at the cosine of incidence `c`, so its reflection changes by `2 / delta` as the ray rises. This holds for a
//! wave that has run far along the face. After the length `s`, all slopes count by the share `delta / sqrt(delta^2 + 1
//! / (j k s))`. For a metal, whose `delta` is nearly zero, the field of a perfect conductor remains.
//!
//! # Source
//! Theory page: `slope`. The limits are those of Sommerfeld's attenuation function: `1` for small `s` and
//! `1 / (j k s delta^2)` for large `s`.

use num_complex::Complex64;

use super::weights::{FaceMatrices, Weights, face_matrices, grown_matrices, in_turn, scaled};
use super::{EdgeAngles, Matrix2, Wedge, ZERO, nearer_angle, tip};

/// The derivatives of the weights with respect to the angles of rays that run along faces; zero for other rays.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Growth {
    /// Derivatives with respect to the angle of the incoming ray, of the outgoing one, and of both.
    pub(super) by_in: Weights,
    pub(super) by_out: Weights,
    pub(super) by_both: Weights,
    /// The share by which slopes of the incoming and of the outgoing ray count, along `beta` and `phi`.
    pub(super) share_in: [Complex64; 2],
    pub(super) share_out: [Complex64; 2],
}

const NONE: Weights = Weights {
    terms: [ZERO; 4],
    tip: ZERO,
};

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
        let mut growth = Self {
            by_in: NONE,
            by_out: NONE,
            by_both: NONE,
            share_in: [Complex64::ONE; 2],
            share_out: [Complex64::ONE; 2],
        };
        // Reflection and transmission at each face, and then their growth.
        let as_they_are = face_matrices(wedge, angles);
        let mut growing = as_they_are;
        for ray in [0, 1] {
            let (Some(face), Some(length)) = (faces[ray], along[ray]) else {
                continue;
            };
            let ks = wavenumber * length;
            let (grown, share) = grown_matrices(wedge, angles, face, ks);
            // The angle from the n-face falls as the angle around the edge grows.
            growing[face] = if face == 0 { grown } else { grown.scaled(-1.0) };
            let weights = if wedge.is_passed_sheet() {
                let other = nearer_angle(wedge, angles, 1 - face);
                let sign = if face == 0 { 1.0 } else { -1.0 };
                of_sheet(wedge, angles, ks, sign * (0.5 * other).sin())
            } else {
                let mut one = as_they_are;
                one[face] = growing[face];
                of_wedge(wedge, angles, one, Some(face))
            };
            if ray == 0 {
                (growth.by_in, growth.share_in) = (weights, share);
            } else {
                (growth.by_out, growth.share_out) = (weights, share);
            }
        }
        if let [Some(_), Some(_)] = faces {
            growth.by_both = if wedge.is_passed_sheet() {
                let ks = wavenumber * along[0].unwrap_or_default();
                of_sheet(wedge, angles, ks, -0.5)
            } else {
                of_wedge(wedge, angles, growing, None)
            };
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

/// The weights of a wedge, with the growth of the face `grows`, or of both faces if it is `None`.
fn of_wedge(
    wedge: &Wedge,
    angles: EdgeAngles,
    [zero, nth]: [FaceMatrices; 2],
    grows: Option<usize>,
) -> Weights {
    let is_rising = angles.phi_in <= angles.phi_out;
    let mut terms = [ZERO; 4];
    if !wedge.is_opaque() {
        terms[usize::from(is_rising)] =
            scaled(in_turn(zero.transmitted, nth.transmitted, is_rising), -1.0);
    }
    terms[usize::from(!is_rising)] = in_turn(zero.reflected, nth.reflected, is_rising);
    let mut entering = [zero.reflected, nth.reflected];
    match grows {
        Some(0) => terms[3] = zero.reflected,
        Some(_) => terms[2] = nth.reflected,
        None => {}
    }
    if let Some(face) = grows {
        // The other face does not grow.
        let [[a, _], [_, d]] = &mut entering[1 - face];
        *a += 1.0;
        *d += 1.0;
    }
    let amplitudes = tip::amplitudes(wedge, angles, [Complex64::ONE; 2]);
    Weights {
        terms,
        tip: tip::between(amplitudes, entering, is_rising),
    }
}

/// The weights of a sheet that waves pass, whose four terms have one angle of incidence that grows at `rate`.
fn of_sheet(wedge: &Wedge, angles: EdgeAngles, ks: f64, rate: f64) -> Weights {
    let [front, back] = [0, 1].map(|face| grown_matrices(wedge, angles, face, ks).0.scaled(rate));
    let incident = scaled(front.transmitted, -1.0);
    Weights {
        terms: [incident, incident, back.reflected, front.reflected],
        tip: ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frequency;
    use crate::em::Surface;
    use crate::em::utd::{LossyWedge, WedgeFace, weights::weights};
    use crate::materials::{Layer, Material, Medium};

    /// A length along the face for which every slope counts in full.
    const LONG: f64 = 1e9;

    fn angles(phi_in: f64, phi_out: f64) -> EdgeAngles {
        EdgeAngles {
            sin_beta: 1.0,
            cos_beta: 0.0,
            phi_in,
            phi_out,
        }
    }

    fn all(Weights { terms, tip }: &Weights) -> Vec<Complex64> {
        let matrices = terms.iter().chain([tip]);
        matrices.flatten().flatten().copied().collect()
    }

    #[test]
    fn growth_is_the_derivative_of_the_weights() {
        let frequency = Frequency::from_hz(1e9).unwrap();
        let concrete = Medium::from_name("concrete").unwrap();
        let slab = Material::Slab(vec![Layer {
            medium: concrete,
            thickness: 0.1,
        }]);
        let materials = [
            (Material::HalfSpace(concrete), 1.5, false),
            (slab.clone(), 1.5, false),
            (slab, 2.0, true),
        ];
        for (material, n, is_sheet) in materials {
            let surface = Surface::new(&material, frequency).unwrap();
            let face = WedgeFace {
                surface: &surface,
                shows_front: true,
            };
            let wedge = Wedge {
                n,
                faces: [face; 2],
                is_sheet,
                lets_through: true,
            };
            let open = n * std::f64::consts::PI;
            let at = |phi_in: f64, phi_out: f64| {
                all(&weights(
                    &wedge,
                    angles(phi_in, phi_out),
                    LossyWedge::default(),
                ))
            };
            let step = 1e-4;
            // Second-order differences at the ends of the range.
            let rate = |f: &dyn Fn(f64) -> Vec<Complex64>| -> Vec<Complex64> {
                let [near, middle, far] = [0.0, 1.0, 2.0].map(|i| f(i * step));
                let three = near.into_iter().zip(middle).zip(far);
                three
                    .map(|((a, b), c)| (4.0 * b - 3.0 * a - c) / (2.0 * step))
                    .collect()
            };
            let growth = |phi_in, phi_out, along| {
                Growth::new(&wedge, angles(phi_in, phi_out), along, 20.0).unwrap()
            };
            let check = |found: Weights, expected: Vec<Complex64>, what: &str| {
                for (found, expected) in all(&found).into_iter().zip(expected) {
                    let error = (found - expected).norm();
                    let bound = 2e-3 * (1.0 + expected.norm());
                    assert!(error < bound, "{what} {is_sheet} {n}: {found} {expected}");
                }
            };
            let other = 0.6 * open;
            let found = growth(0.0, other, [Some(LONG), None]).by_in;
            check(found, rate(&|x| at(x, other)), "in along the 0-face");
            let found = growth(open, open - other, [Some(LONG), None]).by_in;
            let expected = rate(&|x| at(open - x, open - other));
            let expected = expected.into_iter().map(|a| -a).collect();
            check(found, expected, "in along the n-face");
            let found = growth(other, 0.0, [None, Some(LONG)]).by_out;
            check(found, rate(&|x| at(other, x)), "out along the 0-face");
            let found = growth(0.0, open, [Some(LONG); 2]).by_both;
            let expected = rate(&|x| rate(&|y| at(x, open - y)));
            let expected = expected.into_iter().map(|a| -a).collect();
            check(found, expected, "along both");
        }
    }
}
