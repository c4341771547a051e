//! Diffraction along a path: what each edge does to the wave, and how the wave spreads between edges.
//!
//! One edge is the theory of [`crate::em::utd`] as it stands. Where a second edge lies in the shadow boundary of a first, that theory's
//! product is wrong, because the wave that meets the second is not plane; so between edges the slope of the field is carried along too,
//! and the distance parameters follow from the demand that the field goes on across every shadow boundary.
//! Cost: the square of the number of edges.

use glam::DVec3;
use num_complex::Complex64;

use super::Walls;
use super::frame::{Frame, wedge};
use super::vector::ComplexVector;
use super::wave::{Slope, Wave};
use crate::em::Surfaces;
use crate::em::utd::{Diffraction, EdgeAngles, Matrix2};
use crate::paths::{Interaction, InteractionKind};
use crate::scene::Edge;

/// The edges of one path, filled in while the wave passes them.
#[derive(Debug)]
pub(super) struct Edges {
    /// Unfolded lengths from where the wave starts to the first edge, from edge to edge, and from the last to its end, metres.
    lengths: Vec<f64>,
    /// What the wave has passed.
    passed: Vec<Passed>,
}

/// Components along `beta` and `phi` of the fields of both sources.
type Components = [[Complex64; 2]; 2];

/// An edge that the wave has passed.
#[derive(Debug, Clone, Copy)]
struct Passed {
    diffraction: Diffraction,
    sin_beta: f64,
    /// What came in, and its change per metre across the ray.
    incident: Components,
    incident_slope: Option<Components>,
    /// What went out, and its change by the angle around the edge.
    field: Components,
    slope: Components,
    /// Whether the wave leaves along a face.
    leaves_along_face: bool,
}

/// A ray with a smaller sine to the edge runs along it and is not diffracted.
const ALONG_EDGE: f64 = 1e-9;

impl Edges {
    /// The edges among `interactions` between `start` and `end`, none of which scatters.
    pub(super) fn along(start: DVec3, interactions: &[Interaction], end: DVec3) -> Self {
        let mut lengths = Vec::new();
        let (mut length, mut last) = (0.0, start);
        for interaction in interactions {
            length += last.distance(interaction.point);
            last = interaction.point;
            if interaction.kind == InteractionKind::Diffraction {
                lengths.push(length);
                length = 0.0;
            }
        }
        lengths.push(length + last.distance(end));
        Self {
            lengths,
            passed: Vec::new(),
        }
    }

    /// How the field of a unit source weakens, 1 over metres times the square root of metres for each edge: `1 / sqrt(S s_0 s_1 ... s_N)`
    /// with the whole length `S`, which is `1 / S` without an edge.
    pub(super) fn spreading(&self) -> f64 {
        if let [whole] = self.lengths[..] {
            return 1.0 / whole;
        }
        let whole: f64 = self.lengths.iter().sum();
        1.0 / (whole * self.lengths.iter().product::<f64>()).sqrt()
    }

    /// Lets `wave` pass the next edge, into the direction `out`.
    pub(super) fn diffract(
        &mut self,
        wave: &mut Wave,
        edge: &Edge,
        out: DVec3,
        walls: &impl Walls,
        surfaces: &Surfaces,
    ) {
        let frame = Frame::new(edge);
        let (into, out) = (frame.ray(-wave.direction), frame.ray(out));
        if into.sin_beta < ALONG_EDGE || out.sin_beta < ALONG_EDGE {
            *wave = Wave {
                fields: [ComplexVector::ZERO; 2],
                slope: None,
                ..*wave
            };
        }
        let angles = EdgeAngles {
            sin_beta: into.sin_beta.max(ALONG_EDGE),
            cos_beta: -into.cos_beta,
            phi_in: into.phi,
            phi_out: out.phi,
        };
        let diffraction = Diffraction::new(
            &wedge(edge, walls, surfaces),
            angles,
            surfaces.frequency().wavenumber(),
            surfaces.lossy_wedge(),
        );

        let index = self.passed.len();
        let in_basis = [into.phi_hat.cross(wave.direction), into.phi_hat];
        let out_basis = [out.phi_hat.cross(out.direction), out.phi_hat];
        let half = self.share_of_incident(index, frame.is_along_face(into.phi));
        let slope = wave.slope.map(|slope| {
            let radius = self.lengths[index] * self.passed[index - 1].sin_beta;
            let per_metre = half * slope.across.dot(into.phi_hat) / radius;
            slope.fields.map(|e| in_basis.map(|b| per_metre * e.dot(b)))
        });
        let mut passed = Passed {
            diffraction,
            sin_beta: angles.sin_beta,
            incident: wave.fields.map(|e| in_basis.map(|b| half * e.dot(b))),
            incident_slope: slope,
            field: [[Complex64::ZERO; 2]; 2],
            slope: [[Complex64::ZERO; 2]; 2],
            leaves_along_face: frame.is_along_face(out.phi),
        };
        let distances = self.distances(index, angles.sin_beta, self.lengths[index + 1]);
        passed.field = passed.field_behind(distances);
        let in_space = |components: Components| {
            components.map(|[beta, phi]| {
                ComplexVector::from_real(out_basis[0]) * beta
                    + ComplexVector::from_real(out_basis[1]) * phi
            })
        };
        wave.fields = in_space(passed.field);
        wave.slope = None;
        if index + 2 < self.lengths.len() {
            passed.slope = passed.slope_behind(distances);
            wave.slope = Some(Slope {
                across: out.phi_hat,
                fields: in_space(passed.slope),
            });
            self.passed.push(passed);
        }
    }

    /// A wave that runs along a face from edge to edge is incident and reflected wave in one: half of it is incident.
    ///
    /// # Source
    /// Kouyoumjian and Pathak 1974, after equation (33). Theory page: `diffraction`.
    fn share_of_incident(&self, index: usize, comes_along_face: bool) -> f64 {
        let both = comes_along_face && index > 0 && self.passed[index - 1].leaves_along_face;
        if both { 0.5 } else { 1.0 }
    }

    /// Distance parameters of value and slope at edge `index` for an observer `ahead` metres behind it.
    ///
    /// # Source
    /// J. B. Andersen, "UTD multiple-edge transition zone diffraction", IEEE Trans. Antennas Propag. 45(7), 1997,
    /// doi:10.1109/8.596898: parameters from the continuity of field and slope. Theory page: `slope`.
    fn distances(&self, index: usize, sin_beta: f64, ahead: f64) -> Distances {
        let behind = self.lengths[index];
        let between = sin_beta * sin_beta * behind * ahead / (behind + ahead);
        let Some(before) = index.checked_sub(1) else {
            return Distances {
                field: between,
                slope: between,
            };
        };
        let last = &self.passed[before];
        // Were there no edge here, the wave of the one before would go on.
        let beyond = self.distances(before, last.sin_beta, behind + ahead);
        let whole: f64 = self.lengths[..=index].iter().sum();
        // Where the field vanishes at an edge its growth means nothing; this is beyond any growth along a straight row of edges.
        let most = ((1.0 + ahead / behind) * whole / (whole + ahead)).powi(4);
        let growth = |near: Components, far: Components| {
            let (near, far) = (size(near), size(far));
            if near > 0.0 { far / near } else { 1.0 }
        };
        let field = growth(last.field, last.field_behind(beyond)).powi(2);
        let slope = growth(last.slope, last.slope_behind(beyond));
        Distances {
            field: between * field.clamp(1.0, most),
            slope: between * slope.clamp(1.0, most).powf(2.0 / 3.0),
        }
    }
}

/// Distance parameters, metres.
#[derive(Debug, Clone, Copy)]
struct Distances {
    field: f64,
    slope: f64,
}

impl Passed {
    fn field_behind(&self, distances: Distances) -> Components {
        let by_field = || self.diffraction.matrix(distances.field);
        let by_slope = || self.diffraction.slope_in(distances.slope);
        self.behind(by_field, by_slope)
    }

    fn slope_behind(&self, distances: Distances) -> Components {
        let by_field = || self.diffraction.slope_out(distances.field);
        let by_slope = || self.diffraction.slope_in_out(distances.slope);
        self.behind(by_field, by_slope)
    }

    fn behind(&self, by_field: impl Fn() -> Matrix2, by_slope: impl Fn() -> Matrix2) -> Components {
        let by_field = by_field();
        let fields = self.incident.map(|e| applied(by_field, e));
        let Some(slopes) = self.incident_slope else {
            return fields;
        };
        let by_slope = by_slope();
        let [more_theta, more_phi] = slopes.map(|e| applied(by_slope, e));
        let [theta, phi] = fields;
        [added(theta, more_theta), added(phi, more_phi)]
    }
}

fn applied(m: Matrix2, [a, b]: [Complex64; 2]) -> [Complex64; 2] {
    m.map(|[x, y]| x * a + y * b)
}

fn added([a, b]: [Complex64; 2], [c, d]: [Complex64; 2]) -> [Complex64; 2] {
    [a + c, b + d]
}

fn size(components: Components) -> f64 {
    let squares = components.as_flattened().iter().map(Complex64::norm_sqr);
    squares.sum::<f64>().sqrt()
}
