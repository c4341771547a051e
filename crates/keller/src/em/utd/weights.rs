//! The field that is missing beyond each shadow boundary of a wedge: the incident field minus the transmitted one, and
//! the field reflected by either face.

use num_complex::Complex64;
use std::f64::consts::PI;

use super::impedance::{GRAZING_COSINE, per_cosine};
use super::{EdgeAngles, LossyWedge, Matrix2, Wedge, WedgeFace, ZERO, nearer_angle, product, tip};
use crate::em::TeTm;

/// The factors of the terms of an edge, or their derivatives with respect to angles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    /// The matrices of the four terms: the incident field at its two boundaries, the reflection at the n-face, and the
    /// reflection at the 0-face.
    pub(super) terms: [Matrix2; 4],
    /// The factor of the wave through the tip of a wedge; it has no shadow boundary. Theory page: `tip`.
    pub(super) tip: Matrix2,
}

/// The weights at these angles.
///
/// # Source
/// Theory page: `lossy-wedge`.
pub(super) fn weights(wedge: &Wedge, angles: EdgeAngles, form: LossyWedge) -> Weights {
    if form != LossyWedge::ReciprocalGrazing {
        let terms = usual_terms(wedge, angles, form);
        return Weights { terms, tip: ZERO };
    }
    if wedge.is_passed_sheet() {
        let terms = sheet_terms(wedge, angles);
        return Weights { terms, tip: ZERO };
    }
    let nearer = [0, 1].map(|face| nearer_angle(wedge, angles, face));
    let incidences = reflected_incidences(nearer, angles);
    let known = [0, 1].map(|face| Face::new((wedge.faces[face], incidences[face])));
    let incident = missing_field(wedge, angles, true, known);
    let by_zero = reflection(known[0].reflected, incidences[0]);
    let by_nth = mirrored(reflection(known[1].reflected, incidences[1]));
    let is_rising = angles.phi_in <= angles.phi_out;
    // The incident field has its boundary in only one of the two terms. The weight of the other is the reflection at
    // both faces.
    let by_both = in_turn(by_zero, by_nth, is_rising);
    let mut boundaries = [incident; 2];
    boundaries[usize::from(!is_rising)] = by_both;
    let [first, second] = boundaries;
    let amplitudes = tip::amplitudes(wedge, angles, [incident[0][0], incident[1][1]]);
    let entering = [by_zero, by_nth].map(|[[a, b], [c, d]]| [[1.0 + a, b], [c, 1.0 + d]]);
    Weights {
        terms: [first, second, by_nth, by_zero],
        tip: tip::between(amplitudes, entering, is_rising),
    }
}

/// The terms of a sheet that lets waves through, at its end. At every boundary, the sine of the angle of incidence is twice the product of the
/// sines of half the angles of both rays, each to the side before which it runs. With this one angle for all terms, the
/// sum vanishes as a ray comes to graze either side.
fn sheet_terms(wedge: &Wedge, angles: EdgeAngles) -> [Matrix2; 4] {
    let [low, high] = [0, 1].map(|face| nearer_angle(wedge, angles, face));
    let sine = (2.0 * (0.5 * low).sin() * (0.5 * high).sin()).clamp(0.0, 1.0);
    let at = reflected_incidences([sine.asin(); 2], angles);
    let [front, back] = [0, 1].map(|face| Face::new((wedge.faces[face], at[face])));
    let through = transmission(front.transmitted, Incidence::new(low, angles, true));
    let incident = difference(WHOLE, through);
    let by_front = reflection(front.reflected, at[0]);
    let by_back = mirrored(reflection(back.reflected, at[1]));
    [incident, incident, by_back, by_front]
}

/// The incidences on both faces of the rays that they reflect, from the angles between the faces and the nearer rays:
/// the incoming ray, or the one from which the outgoing ray would have come.
fn reflected_incidences([zero, nth]: [f64; 2], angles: EdgeAngles) -> [Incidence; 2] {
    let at = if angles.phi_in <= angles.phi_out {
        [zero, PI - nth]
    } else {
        [PI - zero, nth]
    };
    at.map(|x| Incidence::new(x, angles, true))
}

/// The terms of the forms that take the incident field's weight at both of its boundaries.
fn usual_terms(wedge: &Wedge, angles: EdgeAngles, form: LossyWedge) -> [Matrix2; 4] {
    let EdgeAngles {
        phi_in, phi_out, ..
    } = angles;
    let open = wedge.n * PI;
    let counts_from_zero = match form {
        LossyWedge::ReciprocalGrazing
        | LossyWedge::ReciprocalFull
        | LossyWedge::ReciprocalDiagonal => phi_in <= phi_out,
        LossyWedge::LuebbersFull | LossyWedge::LuebbersDiagonal => phi_in <= 0.5 * open,
    };
    // Angles of incidence on the 0-face, and on the n-face counted from it: the actual angle of the incoming ray, or
    // the angle from which the outgoing ray would have come.
    let (at_zero, at_nth) = if counts_from_zero {
        (phi_in, PI - (open - phi_out))
    } else {
        (PI - phi_out, open - phi_in)
    };
    let mixes = matches!(form, LossyWedge::ReciprocalFull | LossyWedge::LuebbersFull);
    let zero = Incidence::new(at_zero, angles, mixes);
    let nth = Incidence::new(at_nth, angles, mixes);
    let known = [(wedge.faces[0], zero), (wedge.faces[1], nth)].map(Face::new);
    let incident = missing_field(wedge, angles, mixes, known);
    let [by_zero, by_nth] = known.map(|face| face.reflected);
    let by_nth = mirrored(reflection(by_nth, nth));
    [incident, incident, by_nth, reflection(by_zero, zero)]
}

/// The effect of a face on a wave in edge-fixed components, or the derivative of that with respect to the angle around
/// the edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaceMatrices {
    pub(super) reflected: Matrix2,
    /// Zero for opaque faces.
    pub(super) transmitted: Matrix2,
}

impl FaceMatrices {
    pub(super) fn scaled(self, by: f64) -> Self {
        Self {
            reflected: scaled(self.reflected, by),
            transmitted: scaled(self.transmitted, by),
        }
    }
}

pub(super) fn scaled(matrix: Matrix2, by: f64) -> Matrix2 {
    matrix.map(|row| row.map(|a| by * a))
}

/// The effects of both faces on the rays of an edge.
pub(super) fn face_matrices(wedge: &Wedge, angles: EdgeAngles) -> [FaceMatrices; 2] {
    let nearer = [0, 1].map(|face| nearer_angle(wedge, angles, face));
    let at = reflected_incidences(nearer, angles);
    [0, 1].map(|face| {
        let WedgeFace {
            surface,
            shows_front,
        } = wedge.faces[face];
        let both = surface.reflection_and_transmission(at[face].cos_theta, shows_front);
        let passing = Incidence::new(nearer[face], angles, true);
        edge_fixed(both, [at[face], passing], face)
    })
}

/// The derivative of a face's effect with respect to the angle of a ray that runs along it over `ks` radians of phase,
/// counted from the face. Also the share by which slopes along `beta` and `phi` count there.
pub(super) fn grown_matrices(
    wedge: &Wedge,
    angles: EdgeAngles,
    face: usize,
    ks: f64,
) -> (FaceMatrices, [Complex64; 2]) {
    let WedgeFace {
        surface,
        shows_front,
    } = wedge.faces[face];
    let smooth = surface.smooth_reflection(GRAZING_COSINE, shows_front);
    let both = surface.reflection_and_transmission(GRAZING_COSINE, shows_front);
    let (grown, share) = per_cosine(GRAZING_COSINE, smooth, both, ks);
    let grown = grown.map(|grown| grown.map(|a| angles.sin_beta * a));
    let along = Incidence::new(0.0, angles, true);
    (edge_fixed(grown, [along; 2], face), share)
}

/// The matrices of reflection and transmission, each with its own incidence.
fn edge_fixed(
    [reflected, transmitted]: [TeTm<Complex64>; 2],
    [at, passing]: [Incidence; 2],
    face: usize,
) -> FaceMatrices {
    let turned = |matrix| if face == 0 { matrix } else { mirrored(matrix) };
    FaceMatrices {
        reflected: turned(reflection(reflected, at)),
        transmitted: turned(transmission(transmitted, passing)),
    }
}

/// The combined matrix of a wave that meets both faces: the 0-face first if its angle grows from before the edge to
/// behind it.
pub(super) fn in_turn(zero: Matrix2, nth: Matrix2, is_rising: bool) -> Matrix2 {
    if is_rising {
        product(nth, zero)
    } else {
        product(zero, nth)
    }
}

/// Reflection and transmission of a face at this cosine of incidence.
#[derive(Debug, Clone, Copy)]
struct Face {
    cos_theta: f64,
    reflected: TeTm<Complex64>,
    transmitted: TeTm<Complex64>,
}

impl Face {
    fn new((face, at): (WedgeFace, Incidence)) -> Self {
        let [reflected, transmitted] = face
            .surface
            .reflection_and_transmission(at.cos_theta, face.shows_front);
        Self {
            cos_theta: at.cos_theta,
            reflected,
            transmitted,
        }
    }
}

/// The incident field minus the wave that passes straight through the wedge: through two walls, or through the one wall
/// of a sheet. `known` are the values of its faces that are already computed. A sheet is passed at the angle of the
/// lower ray.
fn missing_field(wedge: &Wedge, angles: EdgeAngles, mixes: bool, known: [Face; 2]) -> Matrix2 {
    if wedge.is_opaque() {
        return WHOLE;
    }
    // Between the lower and the upper ray, the wave crosses the 0-face first if it comes from the lower one. At the
    // boundary both rays are one line.
    let (low, high) = (
        angles.phi_in.min(angles.phi_out),
        angles.phi_in.max(angles.phi_out),
    );
    let through = |face: usize, x: f64| {
        let at = Incidence::new(x, angles, mixes);
        let is_known = (known[face].cos_theta - at.cos_theta).abs() < SAME_INCIDENCE;
        let known = if is_known {
            known[face]
        } else {
            Face::new((wedge.faces[face], at))
        };
        transmission(known.transmitted, at)
    };
    let through_zero = through(0, low);
    let through = if wedge.is_sheet {
        through_zero
    } else {
        let through_nth = mirrored(through(1, wedge.n * PI - high));
        in_turn(through_zero, through_nth, angles.phi_in <= angles.phi_out)
    };
    difference(WHOLE, through)
}

/// Cosines of incidence that differ by less are equal.
const SAME_INCIDENCE: f64 = 1e-14;

/// The incidence of a ray on a face that starts at the edge.
#[derive(Debug, Clone, Copy)]
struct Incidence {
    cos_theta: f64,
    /// Products of the components, along `beta` and `phi`, of the unit vector across the plane of incidence: both
    /// squared, and the one with the other.
    beta: f64,
    phi: f64,
    both: f64,
}

impl Incidence {
    /// The incidence at the angle `x` from the face. Without mixing, the plane of incidence is taken to be across the
    /// edge.
    fn new(x: f64, angles: EdgeAngles, mixes: bool) -> Self {
        let EdgeAngles {
            sin_beta, cos_beta, ..
        } = angles;
        let (sin, cos) = x.sin_cos();
        let cos_theta = (sin_beta * sin.abs()).min(1.0);
        let (c1, c2) = (-cos, cos_beta * sin);
        let length = c1 * c1 + c2 * c2;
        if !mixes || length < NORMAL_INCIDENCE {
            return Self {
                cos_theta,
                beta: 1.0,
                phi: 0.0,
                both: 0.0,
            };
        }
        Self {
            cos_theta,
            beta: c1 * c1 / length,
            phi: c2 * c2 / length,
            both: c1 * c2 / length,
        }
    }
}

/// Squared sine of incidence below which there is no plane of incidence. There, both polarisations are reflected alike.
const NORMAL_INCIDENCE: f64 = 1e-20;

/// Reflection at a face in edge-fixed components: `diag(R_te, R_tm)` across the edge.
fn reflection(TeTm { te, tm }: TeTm<Complex64>, at: Incidence) -> Matrix2 {
    let mixed = (te + tm) * at.both;
    [
        [te * at.beta - tm * at.phi, mixed],
        [-mixed, tm * at.beta - te * at.phi],
    ]
}

/// Transmission through a face in edge-fixed components, without the signs of the undisturbed wave.
fn transmission(TeTm { te, tm }: TeTm<Complex64>, at: Incidence) -> Matrix2 {
    let mixed = (te - tm) * at.both;
    [
        [te * at.beta + tm * at.phi, mixed],
        [mixed, tm * at.beta + te * at.phi],
    ]
}

/// The matrix for the other face, whose angles count the other way: `phi` changes sign.
fn mirrored([[a, b], [c, d]]: Matrix2) -> Matrix2 {
    [[a, -b], [-c, d]]
}

/// The whole incident field.
const WHOLE: Matrix2 = [
    [Complex64::ONE, Complex64::ZERO],
    [Complex64::ZERO, Complex64::ONE],
];

fn difference(a: Matrix2, b: Matrix2) -> Matrix2 {
    let cell = |i: usize, j: usize| a[i][j] - b[i][j];
    [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
}
