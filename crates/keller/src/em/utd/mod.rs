//! Diffraction at a wedge: the uniform theory of Kouyoumjian and Pathak, with lossy faces.
//!
//! A wedge is two half planes that share an edge. The open angle between them is `n pi`, with `1 < n <= 2`. The
//! diffraction coefficient has four terms, one for each shadow boundary: two of the incident field, and one of the
//! reflection at either face. Each term is multiplied by a 2x2 matrix of the field that is missing beyond its boundary,
//! so that the total field is continuous there. `weights` computes those matrices, `boundary` the terms, and
//! [`transition`](transition()) the function on which the terms rest. A lossy wedge has a fifth part without a
//! boundary: the wave that a dielectric lets through near the edge (`tip`).
//!
//! **Cost:** about half a microsecond for an edge with faces of one layer. **Assumes** a straight edge, faces wide in
//! wavelengths, and a wave that varies slowly across the edge unless its slope is given too. For lossy faces there is
//! no exact solution; see [`LossyWedge`].

mod boundary;
mod double;
mod fan;
mod growth;
mod impedance;
mod joint;
mod tip;
mod transition;
mod weights;

pub use super::lossy_wedge::LossyWedge;
pub(crate) use double::{DoubleDiffraction, FaceEdge, OuterLengths};
pub(crate) use fan::Fan;
pub(crate) use growth::Growth;
pub use transition::transition;

use num_complex::Complex64;
use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use super::Surface;
use crate::units::db_to_amplitude;
use boundary::Boundary;
use weights::Weights;

/// A matrix whose rows and columns are the components along `beta` and `phi`: soft and hard at normal incidence.
pub type Matrix2 = [[Complex64; 2]; 2];

/// A face of a wedge, seen from the open space.
#[derive(Debug, Clone, Copy)]
pub struct WedgeFace<'a> {
    /// Its material.
    pub surface: &'a Surface,
    /// Whether its front faces the open space.
    pub shows_front: bool,
}

/// Two faces that meet, or one sheet that ends.
#[derive(Debug, Clone, Copy)]
pub struct Wedge<'a> {
    /// Exterior angle over pi, above 1 and at most 2.
    pub n: f64,
    /// The face at `phi = 0` and the one at `phi = n pi`; both sides of one sheet at a free edge.
    pub faces: [WedgeFace<'a>; 2],
    /// Whether it is one sheet. A wave through a sheet passes one wall, through a wedge two.
    pub is_sheet: bool,
    /// Whether waves that pass straight through its walls are followed. If not, its walls are opaque, whatever they are
    /// made of.
    pub lets_through: bool,
}

impl Wedge<'_> {
    /// Whether nothing passes straight through its walls.
    fn is_opaque(&self) -> bool {
        let [zero, nth] = self.faces;
        !self.lets_through
            || zero.surface.is_opaque()
            || (!self.is_sheet && nth.surface.is_opaque())
    }

    /// Whether it is a sheet that waves pass.
    fn is_passed_sheet(&self) -> bool {
        self.is_sheet && !self.is_opaque()
    }
}

/// The angle from a face to the nearer ray.
fn nearer_angle(wedge: &Wedge, angles: EdgeAngles, face: usize) -> f64 {
    if face == 0 {
        angles.phi_in.min(angles.phi_out)
    } else {
        wedge.n * std::f64::consts::PI - angles.phi_in.max(angles.phi_out)
    }
}

fn product(a: Matrix2, b: Matrix2) -> Matrix2 {
    let cell = |i: usize, j: usize| a[i][0] * b[0][j] + a[i][1] * b[1][j];
    [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
}

/// The angles at which a path meets an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeAngles {
    /// Sine of the angle between ray and edge, above 0.
    pub sin_beta: f64,
    /// Cosine of that angle, positive along the edge direction around which `phi` grows.
    pub cos_beta: f64,
    /// Angle from the 0-face to where the wave comes from, radians in `[0, n pi]`.
    pub phi_in: f64,
    /// Angle from the 0-face to where the wave goes, radians in `[0, n pi]`.
    pub phi_out: f64,
}

/// One diffraction, ready for any distance parameter.
#[derive(Debug, Clone, Copy)]
pub struct Diffraction {
    boundaries: [Boundary; 4],
    weights: Weights,
    factor: Complex64,
    wavenumber: f64,
    sin_beta: f64,
}

impl Diffraction {
    /// The diffraction at `wedge` of a ray with `angles`.
    ///
    /// ```
    /// use keller::em::{Surface, utd::{Diffraction, EdgeAngles, LossyWedge, Wedge, WedgeFace}};
    /// use keller::{Frequency, materials::Material};
    /// use std::f64::consts::PI;
    ///
    /// let frequency = Frequency::from_hz(1e9)?;
    /// let metal = Surface::new(&Material::from_name("pec").expect("known"), frequency)?;
    /// let face = WedgeFace { surface: &metal, shows_front: true };
    /// let corner = Wedge { n: 1.5, faces: [face; 2], is_sheet: false, lets_through: true };
    /// let shadow = EdgeAngles { sin_beta: 1.0, cos_beta: 0.0, phi_in: PI / 4.0, phi_out: 1.4 * PI };
    /// let diffraction = Diffraction::new(&corner, shadow, frequency.wavenumber(), LossyWedge::default());
    /// let [[soft, _], [_, hard]] = diffraction.matrix(10.0);
    /// assert!(hard.norm() > soft.norm()); // a field along the edge sees it short-circuited
    /// # Ok::<(), keller::Error>(())
    /// ```
    ///
    /// # Source
    /// Kouyoumjian and Pathak 1974, equations (25) to (28). Theory page: `diffraction`.
    pub fn new(wedge: &Wedge, angles: EdgeAngles, wavenumber: f64, form: LossyWedge) -> Self {
        let n = wedge.n;
        let (difference, sum) = (
            angles.phi_out - angles.phi_in,
            angles.phi_out + angles.phi_in,
        );
        let [zero, nth] = wedge.faces.map(|face| face.surface.diffraction_loss_db());
        let kept = db_to_amplitude(-0.5 * (zero + nth));
        let size = kept / (2.0 * n * (TAU * wavenumber).sqrt() * angles.sin_beta);
        Self {
            boundaries: [
                Boundary::new(difference, 1.0, n),
                Boundary::new(difference, -1.0, n),
                Boundary::new(sum, 1.0, n),
                Boundary::new(sum, -1.0, n),
            ],
            weights: weights::weights(wedge, angles, form),
            factor: Complex64::new(FRAC_1_SQRT_2, -FRAC_1_SQRT_2) * size,
            wavenumber,
            sin_beta: angles.sin_beta,
        }
    }

    /// Diffracted field divided by incident field at the edge, in the square root of metres, before spreading.
    ///
    /// `distance` is the distance parameter L, metres. Incoming components are along `beta_in = phi_in_hat x s_in` and
    /// `phi_in_hat`, outgoing ones along `beta_out = phi_out_hat x s_out` and `phi_out_hat`. Each hat points to where
    /// its angle grows. (The unit vectors of an undisturbed wave differ in sign before and behind the edge, hence the
    /// minus sign of Kouyoumjian and Pathak.)
    pub fn matrix(&self, distance: f64) -> Matrix2 {
        self.sum(|b| b.value(self.wavenumber * distance))
    }

    /// Sine of the angle between ray and edge.
    pub(crate) fn sin_beta(&self) -> f64 {
        self.sin_beta
    }

    /// [`Self::matrix`] from a table, with an error below 1e-7.
    pub(crate) fn quick_matrix(&self, distance: f64) -> Matrix2 {
        self.sum(|b| b.quick_value(self.wavenumber * distance))
    }

    /// Diffracted power over the incident power of an unpolarised wave, metres, before spreading.
    pub(crate) fn power(&self, distance: f64) -> f64 {
        0.5 * squares(&self.quick_matrix(distance))
    }

    /// Upper bound of [`Self::power`] for this and every smaller distance parameter: no term falls with it.
    pub(crate) fn most_power(&self, distance: f64) -> f64 {
        let kl = self.wavenumber * distance;
        let terms = self.boundaries.iter().zip(&self.weights.terms);
        let sizes = terms.map(|(b, weights)| b.quick_value(kl).norm() * squares(weights).sqrt());
        let size = sizes.sum::<f64>() + squares(&self.weights.tip).sqrt();
        0.5 * self.factor.norm_sqr() * size.powi(2)
    }

    /// The derivative of [`Self::matrix`] with respect to `phi_out`.
    pub fn slope_out(&self, distance: f64) -> Matrix2 {
        let slope = |b: &Boundary| b.slope(self.wavenumber * distance);
        self.sum_of(&self.weights, slope, [1.0; 4], NO_TIP)
    }

    /// The part of the diffracted field that a unit slope of the incident field across the edge adds, per metre along
    /// `phi_in_hat`.
    ///
    /// # Source
    /// Theory page: `slope`.
    pub fn slope_in(&self, distance: f64) -> Matrix2 {
        let slope = |b: &Boundary| self.per_metre() * b.slope(self.wavenumber * distance);
        self.sum_of(&self.weights, slope, BY_PHI_IN, NO_TIP)
    }

    /// The derivative of [`Self::slope_in`] with respect to `phi_out`.
    pub fn slope_in_out(&self, distance: f64) -> Matrix2 {
        let slope = |b: &Boundary| self.per_metre() * b.curvature(self.wavenumber * distance);
        self.sum_of(&self.weights, slope, BY_PHI_IN, NO_TIP)
    }

    /// [`Self::slope_out`] with the growth along the face of the outgoing ray.
    pub(crate) fn grown_slope_out(&self, growth: &Growth, distance: f64) -> Matrix2 {
        let value = |b: &Boundary| b.unlit_value(self.wavenumber * distance);
        let more = self.sum_of(&growth.by_out, value, [1.0; 4], Complex64::ONE);
        growth.shared(sum([self.slope_out(distance), more]), false, true)
    }

    /// [`Self::slope_in`] with the growth along the face of the incoming ray.
    pub(crate) fn grown_slope_in(&self, growth: &Growth, distance: f64) -> Matrix2 {
        let kl = self.wavenumber * distance;
        let value = |b: &Boundary| self.per_metre() * b.unlit_value(kl);
        let more = self.sum_of(&growth.by_in, value, [1.0; 4], self.per_metre());
        growth.shared(sum([self.slope_in(distance), more]), true, false)
    }

    /// [`Self::slope_in_out`] with the growth along the faces of both rays.
    pub(crate) fn grown_slope_in_out(&self, growth: &Growth, distance: f64) -> Matrix2 {
        let kl = self.wavenumber * distance;
        let slope = |b: &Boundary| self.per_metre() * b.slope(kl);
        let value = |b: &Boundary| self.per_metre() * b.unlit_value(kl);
        let parts = [
            self.slope_in_out(distance),
            self.sum_of(&growth.by_in, slope, [1.0; 4], NO_TIP),
            self.sum_of(&growth.by_out, slope, BY_PHI_IN, NO_TIP),
            self.sum_of(&growth.by_both, value, [1.0; 4], self.per_metre()),
        ];
        growth.shared(sum(parts), true, true)
    }

    /// The diagonals of [`Self::matrix`] and [`Self::slope_out`] from a table, with an error below 1e-7, at a much
    /// lower cost.
    pub(crate) fn outgoing(&self, distance: f64) -> [[Complex64; 2]; 2] {
        let kl = self.wavenumber * distance;
        let terms = self.boundaries.map(|b| b.value_and_slope(kl));
        let [fields, slopes] = [0, 1].map(|order| terms.map(|term| term[order]));
        [
            self.diagonal(fields, self.factor, [1.0; 4], 1.0),
            self.diagonal(slopes, self.factor, [1.0; 4], 0.0),
        ]
    }

    /// The diagonal of [`Self::matrix`] alone, from the table.
    pub(crate) fn outgoing_field(&self, distance: f64) -> [Complex64; 2] {
        let kl = self.wavenumber * distance;
        let terms = self.boundaries.map(|b| b.quick_value(kl));
        self.diagonal(terms, self.factor, [1.0; 4], 1.0)
    }

    /// The diagonal of [`Self::slope_in`] alone, from the table.
    pub(crate) fn outgoing_field_of_slope(&self, distance: f64) -> [Complex64; 2] {
        let kl = self.wavenumber * distance;
        let terms = self.boundaries.map(|b| b.quick_slope(kl));
        self.diagonal(terms, self.factor * self.per_metre(), BY_PHI_IN, 0.0)
    }

    fn diagonal(
        &self,
        terms: [Complex64; 4],
        factor: Complex64,
        signs: [f64; 4],
        share_of_tip: f64,
    ) -> [Complex64; 2] {
        let term = |i: usize, k: usize| signs[i] * terms[i] * self.weights.terms[i][k][k];
        let tip = |k: usize| share_of_tip * self.weights.tip[k][k];
        [0, 1].map(|k| factor * (term(0, k) + term(1, k) + term(2, k) + term(3, k) + tip(k)))
    }

    /// `1 / (j k sin beta)`, which converts a derivative along the incident wavefront to one with respect to its angle.
    fn per_metre(&self) -> Complex64 {
        Complex64::new(0.0, -1.0 / (self.wavenumber * self.sin_beta))
    }

    fn sum(&self, term: impl Fn(&Boundary) -> Complex64) -> Matrix2 {
        self.sum_of(&self.weights, term, [1.0; 4], Complex64::ONE)
    }

    /// The sum of all terms, and `tip` times the matrix of the wave through the tip.
    fn sum_of(
        &self,
        weights: &Weights,
        term: impl Fn(&Boundary) -> Complex64,
        signs: [f64; 4],
        tip: Complex64,
    ) -> Matrix2 {
        let mut total = [[Complex64::ZERO; 2]; 2];
        let mut add = |term: Complex64, weights: &Matrix2| {
            let term = self.factor * term;
            for (row, weights) in total.iter_mut().zip(weights) {
                for (cell, weight) in row.iter_mut().zip(weights) {
                    *cell += term * weight;
                }
            }
        };
        // Most weights of a growth are zero.
        let terms = self.boundaries.iter().zip(signs).zip(&weights.terms);
        for ((boundary, sign), weights) in terms.filter(|(_, weights)| **weights != ZERO) {
            add(sign * term(boundary), weights);
        }
        if weights.tip != ZERO {
            add(tip, &weights.tip);
        }
        total
    }
}

/// The wave through the tip is the same at all angles near a boundary.
const NO_TIP: Complex64 = Complex64::ZERO;

const ZERO: Matrix2 = [[Complex64::ZERO; 2]; 2];

/// The sum of the squared sizes of all cells.
fn squares(matrix: &Matrix2) -> f64 {
    matrix.as_flattened().iter().map(Complex64::norm_sqr).sum()
}

fn sum<const N: usize>(matrices: [Matrix2; N]) -> Matrix2 {
    let cell = |i: usize, j: usize| matrices.iter().map(|matrix| matrix[i][j]).sum();
    [[cell(0, 0), cell(0, 1)], [cell(1, 0), cell(1, 1)]]
}

/// Sign of the derivative of each term with respect to `phi_in`, relative to that with respect to `phi_out`.
const BY_PHI_IN: [f64; 4] = [-1.0, -1.0, 1.0, 1.0];
