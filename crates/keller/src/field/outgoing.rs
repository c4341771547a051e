//! Waves that leave edges: the contribution of each strand that meets an edge, behind it and further on.

use num_complex::Complex64;

use super::frame::Ray;
use super::vector::ComplexVector;
use super::wave::{Slope, Strand};
use crate::em::utd::{Diffraction, DoubleDiffraction, Growth, Matrix2, OuterLengths};

/// Components along `beta` and `phi` of the fields of both sources.
pub(super) type Components = [[Complex64; 2]; 2];

/// A wave that leaves an edge: the sum of the contributions of each strand that meets it.
#[derive(Debug)]
pub(super) struct Outgoing {
    pub(super) arms: Vec<Arm>,
    /// The field, and its derivative by the angle around the edge.
    pub(super) field: Components,
    pub(super) slope: Components,
}

/// The diffraction of one strand at an edge.
#[derive(Debug)]
pub(super) struct Arm {
    pub(super) side: usize,
    pub(super) terms: EdgeTerms,
    /// The incident field, and its change per metre across the ray.
    pub(super) incident: Components,
    pub(super) incident_slope: Option<Components>,
}

#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly all arms are of the large kind, and a box would cost each an allocation"
)]
pub(super) enum EdgeTerms {
    One {
        diffraction: Diffraction,
        /// The growth of the diffraction terms as the rays rise from lossy faces along which they travel.
        growth: Option<Box<Growth>>,
    },
    Joint(Box<DoubleDiffraction>),
}

/// The distances from which the distance parameters of a diffraction follow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Distances {
    /// The distances to the last edge or the Tx, and to the observer, metres.
    pub(super) behind: f64,
    pub(super) ahead: f64,
    /// The factors on both for the field and for its slope.
    pub(super) field: f64,
    pub(super) slope: f64,
}

impl Distances {
    /// Distance parameters of field and slope, metres.
    fn parameters(&self, sin_beta: f64) -> [f64; 2] {
        let between = sin_beta * sin_beta * self.behind * self.ahead / (self.behind + self.ahead);
        [between * self.field, between * self.slope]
    }

    /// Distances before and behind two joint edges, for the field and for its slope, metres.
    fn outer(&self) -> [OuterLengths; 2] {
        [self.field, self.slope].map(|by| [by * self.behind, by * self.ahead])
    }
}

impl Outgoing {
    pub(super) fn field_behind(&self, distances: [Distances; 2]) -> Components {
        self.sum(distances, false)
    }

    pub(super) fn slope_behind(&self, distances: [Distances; 2]) -> Components {
        self.sum(distances, true)
    }

    /// The sum over the arms of their fields or, with `by_out`, of the derivatives by the angle behind the edge.
    fn sum(&self, distances: [Distances; 2], by_out: bool) -> Components {
        let mut total = [[Complex64::ZERO; 2]; 2];
        for arm in &self.arms {
            let [theta, phi] = arm.behind(distances[arm.side], by_out);
            total = [added(total[0], theta), added(total[1], phi)];
        }
        total
    }

    /// The strand in space along the ray `out`, with its slope if another edge follows.
    pub(super) fn strand(&self, out: Ray, has_slope: bool) -> Strand {
        let [along_beta, along_phi] = [out.phi_hat.cross(out.direction), out.phi_hat];
        let in_space = |components: Components| {
            components.map(|[beta, phi]| {
                ComplexVector::from_real(along_beta) * beta
                    + ComplexVector::from_real(along_phi) * phi
            })
        };
        Strand {
            fields: in_space(self.field),
            slope: has_slope.then(|| Slope {
                across: out.phi_hat,
                fields: in_space(self.slope),
            }),
        }
    }
}

impl Arm {
    fn behind(&self, distances: Distances, by_out: bool) -> Components {
        let by_field = self.terms.by_field(distances, by_out);
        let fields = self.incident.map(|e| applied(by_field, e));
        let Some(slopes) = self.incident_slope else {
            return fields;
        };
        let by_slope = self.terms.by_slope(distances, by_out);
        let [more_theta, more_phi] = slopes.map(|e| applied(by_slope, e));
        let [theta, phi] = fields;
        [added(theta, more_theta), added(phi, more_phi)]
    }
}

impl EdgeTerms {
    /// The matrix for the incident field, or with `by_out` its derivative.
    fn by_field(&self, distances: Distances, by_out: bool) -> Matrix2 {
        match self {
            Self::One {
                diffraction,
                growth,
            } => {
                let [field, _] = distances.parameters(diffraction.sin_beta());
                match growth {
                    _ if !by_out => diffraction.matrix(field),
                    Some(growth) => diffraction.grown_slope_out(growth, field),
                    None => diffraction.slope_out(field),
                }
            }
            Self::Joint(joint) => {
                let [field, _] = distances.outer();
                if by_out {
                    joint.slope_out(field)
                } else {
                    joint.matrix(field)
                }
            }
        }
    }

    /// The matrix for the slope of the incident field, or with `by_out` its derivative.
    fn by_slope(&self, distances: Distances, by_out: bool) -> Matrix2 {
        match self {
            Self::One {
                diffraction,
                growth,
            } => {
                let [_, slope] = distances.parameters(diffraction.sin_beta());
                match (growth, by_out) {
                    (Some(growth), false) => diffraction.grown_slope_in(growth, slope),
                    (Some(growth), true) => diffraction.grown_slope_in_out(growth, slope),
                    (None, false) => diffraction.slope_in(slope),
                    (None, true) => diffraction.slope_in_out(slope),
                }
            }
            Self::Joint(joint) => {
                let [_, slope] = distances.outer();
                if by_out {
                    joint.slope_in_out(slope)
                } else {
                    joint.slope_in(slope)
                }
            }
        }
    }
}

fn applied(m: Matrix2, [a, b]: [Complex64; 2]) -> [Complex64; 2] {
    m.map(|[x, y]| x * a + y * b)
}

fn added([a, b]: [Complex64; 2], [c, d]: [Complex64; 2]) -> [Complex64; 2] {
    [a + c, b + d]
}

pub(super) fn size(components: Components) -> f64 {
    let squares = components.as_flattened().iter().map(Complex64::norm_sqr);
    squares.sum::<f64>().sqrt()
}
