//! What is missing beyond each shadow boundary of a wedge: the incident field minus what the wedge transmits, and the
//! field reflected by either face.

use num_complex::Complex64;
use std::f64::consts::PI;

use super::impedance::per_cosine;
use super::{EdgeAngles, LossyWedge, Matrix2, Wedge, WedgeFace};
use crate::em::TeTm;

/// The matrices of the four terms: the incident field at its two boundaries, the reflection at the n-face, and the
/// reflection at the 0-face.
///
/// # Source
/// Theory page: `lossy-wedge`.
pub(super) fn weights(wedge: &Wedge, angles: EdgeAngles, form: LossyWedge) -> [Matrix2; 4] {
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
    let mixes = matches!(
        form,
        LossyWedge::ReciprocalGrazing | LossyWedge::ReciprocalFull | LossyWedge::LuebbersFull
    );
    let zero = Incidence::new(at_zero, angles, mixes);
    let nth = Incidence::new(at_nth, angles, mixes);
    let [zero_face, nth_face] = [(wedge.faces[0], zero), (wedge.faces[1], nth)].map(Face::new);
    let (low, high) = (phi_in.min(phi_out), phi_in.max(phi_out));
    let [share_of_zero, share_of_nth] = if form == LossyWedge::ReciprocalGrazing {
        [grazing_share(low, zero), grazing_share(open - high, nth)]
    } else {
        [0.0; 2]
    };
    let incident = missing_field(wedge, angles, mixes, ([zero_face, nth_face], share_of_nth));
    let by_nth = mirrored(reflection(nth_face.reflected, nth));
    let by_zero = reflection(zero_face.reflected, zero);
    let share = 1.0 - (1.0 - share_of_zero) * (1.0 - share_of_nth);
    let mut boundaries = [incident; 2];
    if share > 0.0 {
        // The incident field has its boundary in only one of the two terms. The weight of the other is the reflection
        // at both faces.
        let is_rising = phi_in <= phi_out;
        let by_both = in_turn(by_zero, by_nth, is_rising);
        boundaries[usize::from(!is_rising)] = between(incident, by_both, share);
    }
    let [first, second] = boundaries;
    [first, second, by_nth, by_zero]
}

/// What a face does to a wave in edge-fixed components, or the derivative of that with respect to the angle around the
/// edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaceMatrices {
    pub(super) reflected: Matrix2,
    /// Zero for opaque faces.
    pub(super) transmitted: Matrix2,
}

/// What a face does to the rays of an edge.
pub(super) fn face_matrices(wedge: &Wedge, angles: EdgeAngles, face: usize) -> FaceMatrices {
    let at = nearer_incidence(wedge, angles, face);
    let [reflected, transmitted] = wedge.faces[face]
        .surface
        .reflection_and_transmission(at.cos_theta, wedge.faces[face].shows_front);
    edge_fixed(reflected, transmitted, at, face)
}

/// The derivative of [`face_matrices`] with respect to the angle around the edge, for a ray that runs along the face
/// over `ks` radians of phase. Also the share by which slopes along `beta` and `phi` count there.
pub(super) fn grown_matrices(
    wedge: &Wedge,
    angles: EdgeAngles,
    face: usize,
    ks: f64,
) -> (FaceMatrices, [Complex64; 2]) {
    let at = nearer_incidence(wedge, angles, face);
    let WedgeFace {
        surface,
        shows_front,
    } = wedge.faces[face];
    let smooth = surface.smooth_reflection(GRAZING_COSINE, shows_front);
    let both = surface.reflection_and_transmission(GRAZING_COSINE, shows_front);
    let ([reflected, transmitted], share) = per_cosine(GRAZING_COSINE, smooth, both, ks);
    // The angle from the n-face falls as the angle around the edge grows.
    let by_angle = if face == 0 {
        angles.sin_beta
    } else {
        -angles.sin_beta
    };
    let [reflected, transmitted] =
        [reflected, transmitted].map(|grown| grown.map(|a| by_angle * a));
    (edge_fixed(reflected, transmitted, at, face), share)
}

/// The incidence on a face of the ray that is nearer to it.
fn nearer_incidence(wedge: &Wedge, angles: EdgeAngles, face: usize) -> Incidence {
    let x = if face == 0 {
        angles.phi_in.min(angles.phi_out)
    } else {
        wedge.n * PI - angles.phi_in.max(angles.phi_out)
    };
    Incidence::new(x, angles, true)
}

fn edge_fixed(
    reflected: TeTm<Complex64>,
    transmitted: TeTm<Complex64>,
    at: Incidence,
    face: usize,
) -> FaceMatrices {
    let turned = |matrix| if face == 0 { matrix } else { mirrored(matrix) };
    FaceMatrices {
        reflected: turned(reflection(reflected, at)),
        transmitted: turned(transmission(transmitted, at)),
    }
}

/// A cosine of incidence as small as that of waves along a face.
const GRAZING_COSINE: f64 = 1e-7;

/// The combined matrix of a wave that meets both faces: the 0-face first if its angle grows from before the edge to
/// behind it.
pub(super) fn in_turn(zero: Matrix2, nth: Matrix2, is_rising: bool) -> Matrix2 {
    if is_rising {
        product(nth, zero)
    } else {
        product(zero, nth)
    }
}

/// How much a ray at the angle `x` from a face counts as grazing it: 1 in the face, and 0 from the angle at which the
/// usual form is the better one.
fn grazing_share(x: f64, at: Incidence) -> f64 {
    if x.cos() <= 0.0 {
        return 0.0;
    }
    let part = at.cos_theta / MAX_GRAZING;
    (1.0 - (part * part).min(1.0)).powi(2)
}

/// Sine of 10 degrees.
///
/// At a corner of concrete, above about this angle, the usual form is closer to finite differences; see the theory
/// page.
const MAX_GRAZING: f64 = 0.173_648_177_666_930_35;

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

/// The incident field minus what passes straight through the wedge: through two walls, or through the one wall of a
/// sheet. `known` are the values of its faces that are already computed. A sheet is passed at the angle of the lower
/// ray. As the upper ray comes to graze the other side, the angle of the upper ray replaces it by the share
/// `share_of_nth`.
fn missing_field(
    wedge: &Wedge,
    angles: EdgeAngles,
    mixes: bool,
    (known, share_of_nth): ([Face; 2], f64),
) -> Matrix2 {
    let one = Complex64::ONE;
    let whole = [[one, Complex64::ZERO], [Complex64::ZERO, one]];
    if wedge.is_opaque() {
        return whole;
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
        if share_of_nth > 0.0 {
            between(through_zero, through(0, high - PI), share_of_nth)
        } else {
            through_zero
        }
    } else {
        let through_nth = mirrored(through(1, wedge.n * PI - high));
        in_turn(through_zero, through_nth, angles.phi_in <= angles.phi_out)
    };
    difference(whole, through)
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

/// The same matrix for the other face, whose angles count the other way: `phi` changes sign.
fn mirrored([[a, b], [c, d]]: Matrix2) -> Matrix2 {
    [[a, -b], [-c, d]]
}

fn product(a: Matrix2, b: Matrix2) -> Matrix2 {
    let cell = |i: usize, j: usize| a[i][0] * b[0][j] + a[i][1] * b[1][j];
    [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
}

/// The matrix at this share of the way from `a` to `b`.
fn between(a: Matrix2, b: Matrix2, share: f64) -> Matrix2 {
    let cell = |i: usize, j: usize| a[i][j] + share * (b[i][j] - a[i][j]);
    [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
}

fn difference(a: Matrix2, b: Matrix2) -> Matrix2 {
    let cell = |i: usize, j: usize| a[i][j] - b[i][j];
    [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
}
